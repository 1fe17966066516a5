// A board in SVG: ground, coordinates, pieces, marks (last move, targets, winning line), and a cursor for mouse, touch and keys.
// Cells are numbered row by row from the top left of the tray; a board that is turned draws them from the other side.

import { hear } from "./hearing.js";
import { draw } from "./svg.js";
import { announce, foretell, named, word } from "./words.js";

const UNIT = 100;
/** @type {Record<string, [right: number, down: number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * What a board is made of: `kind` "cells" (a grid), "points" (crossing lines) or "chequer"; letters, digits: labels of columns and rows;
 * called: the name of a cell; turned: whether the other side sits below; used: which cells there are, all by default;
 * numbers: what is written small in the corner of a cell; stars: cells with a point in the middle.
 * @typedef {object} Layout
 * @property {number} columns
 * @property {number} rows
 * @property {"cells" | "points" | "chequer"} [kind]
 * @property {string[]} [letters]
 * @property {string[]} [digits]
 * @property {(cell: number) => string} [called]
 * @property {boolean} [turned]
 * @property {(cell: number) => boolean} [used]
 * @property {(cell: number) => string} [numbers]
 * @property {number[]} [stars]
 */
/** @typedef {"ground" | "under" | "pieces" | "over" | "air" | "cells"} Layer */
/** @typedef {"last" | "target" | "win" | "barred" | "lost" | "movable" | "chosen" | "step" | "trail"} Mark */
/**
 * What is asked: cells to choose, and what is called then.
 * @typedef {object} Asking
 * @property {Set<number>} cells
 * @property {(cell: number, carried: boolean) => void} choose
 * @property {(from: number, to: number) => void} [drag]
 * @property {() => void} [cancel]
 * @property {() => Node} [ghost]
 * @property {(cell: number) => number[]} [turns]
 */

export class Board {
  /** @type {Asking | undefined} */
  asking;
  /** @type {{ cell: number, x: number, y: number, carried: SVGElement | undefined } | undefined} What the pointer holds down. */
  pressed;
  /** @type {number | undefined} Where the cursor of the keys is. */
  cursor;
  /** @type {number | undefined} */
  haunted;
  /** @type {Map<number, { group: SVGElement, shape: SVGElement }>} */
  pieces = new Map();
  /** @type {Map<number, SVGElement>} */
  labels = new Map();
  /** @type {Map<number, import("./words.js").Word>} What lies on each cell. */
  spoken = new Map();

  /** @param {Element} place @param {Layout} layout */
  constructor(place, { columns, rows, kind = "cells", letters = [], digits = [], called, turned = false, used, numbers, stars = [] }) {
    this.columns = columns;
    this.rows = rows;
    this.kind = kind;
    this.turned = turned;
    this.called = called ?? ((/** @type {number} */ cell) => String(cell + 1));
    this.used = used ?? (() => true);
    this.edge = !letters.length ? 30 : columns > 10 ? 92 : 62;
    this.name = `board-${document.querySelectorAll("svg.board[role=grid]").length + 1}`;
    const width = columns * UNIT + 2 * this.edge;
    const height = rows * UNIT + 2 * this.edge;
    const layer = (/** @type {Layer} */ name) => draw("g", { class: name });
    this.layers = { ground: layer("ground"), under: layer("under"), pieces: layer("pieces"), over: layer("over"), air: layer("air"), cells: layer("cells") };
    this.drawing = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: `board ${kind}`, role: "grid", id: this.name }, ...Object.values(this.layers));
    this.layers.ground.setAttribute("aria-hidden", "true"); // cells have names
    named(this.drawing, "board", "");
    this.#ground(width, height, letters, digits);
    for (const cell of stars) this.#at("ground", cell, draw("circle", { r: 13, class: "star" }));
    if (numbers) this.#number(numbers);
    this.#cells();
    place.append(this.drawing);
    this.drawing.addEventListener("pointerdown", (event) => this.#press(event));
    this.drawing.addEventListener("pointermove", (event) => this.#carry(event));
    this.drawing.addEventListener("pointerup", (event) => this.#release(event));
    this.drawing.addEventListener("pointercancel", () => this.#drop());
    hear("keydown", (event) => this.#key(event));
  }

  // ── places ──

  /** @param {number} cell @returns {[x: number, y: number]} */
  centre(cell) {
    const at = this.turned ? this.columns * this.rows - 1 - cell : cell;
    return [this.edge + ((at % this.columns) + 0.5) * UNIT, this.edge + (Math.floor(at / this.columns) + 0.5) * UNIT];
  }

  /** Returns the cell under a point of the screen, undefined off the board. @param {PointerEvent} event */
  under(event) {
    const matrix = this.drawing.getScreenCTM();
    if (!matrix) return undefined;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const column = Math.floor((point.x - this.edge) / UNIT);
    const row = Math.floor((point.y - this.edge) / UNIT);
    if (column < 0 || column >= this.columns || row < 0 || row >= this.rows) return undefined;
    const at = row * this.columns + column;
    const cell = this.turned ? this.columns * this.rows - 1 - at : at;
    return this.used(cell) ? cell : undefined;
  }

  /** @param {Layer} layer @param {number} cell @param {Node} shape */
  #at(layer, cell, shape) {
    const [x, y] = this.centre(cell);
    const group = draw("g", { transform: `translate(${x} ${y})` }, shape);
    this.layers[layer].append(group);
    return group;
  }

  // ── pieces and marks ──

  /**
   * Puts a piece on a cell, in the place of what stood there, and returns the shape, which animations may move.
   * @param {number} cell @param {Node} piece
   */
  put(cell, piece, spoken = "") {
    this.take(cell);
    const shape = draw("g", { class: "mover" }, piece);
    this.pieces.set(cell, { group: this.#at("pieces", cell, shape), shape });
    this.describe(cell, spoken);
    return shape;
  }

  /** @param {number} cell */
  take(cell) {
    this.pieces.get(cell)?.group.remove();
    this.pieces.delete(cell);
    this.describe(cell, "");
  }

  /** @param {number} cell */
  shape(cell) {
    return this.pieces.get(cell)?.shape;
  }

  clear() {
    for (const cell of [...this.pieces.keys()]) this.take(cell);
    this.unmark();
  }

  /**
   * Marks cells: "last", "target", "win", "barred", "lost", "movable", "chosen", "step" or "trail"; over the pieces or under them.
   * @param {Mark} kind @param {number[]} cells @param {Layer} layer
   */
  mark(kind, cells, layer = kind === "target" || kind === "last" ? "over" : "under") {
    for (const cell of cells) this.#at(layer, cell, MARKS[kind](this.columns)).classList.add("sign", `sign-${kind}`);
  }

  /** Puts a drawing of the game's own over a cell, which unmark(kind) takes away. @param {string} kind @param {number} cell @param {Node} shape */
  stamp(kind, cell, shape) {
    this.#at("over", cell, shape).classList.add("sign", `sign-${kind}`);
  }

  /** @param {string} [kind] */
  unmark(kind) {
    const which = kind ? `.sign-${kind}` : ".sign";
    for (const sign of this.drawing.querySelectorAll(which)) sign.remove();
  }

  /**
   * Draws the line through a row of cells, under its pieces and a little beyond them: "win", "one" or "two".
   * @param {number} from @param {number} to
   */
  line(from, to, kind = "win") {
    const [[x1, y1], [x2, y2]] = [this.centre(from), this.centre(to)];
    const [right, down] = [Math.sign(x2 - x1) * 40, Math.sign(y2 - y1) * 40];
    const ends = { x1: x1 - right, y1: y1 - down, x2: x2 + right, y2: y2 + down };
    this.layers.under.append(draw("line", { ...ends, class: `sign sign-${kind} line line-${kind}` }));
  }

  /** Say what lies on a cell. @param {number} cell @param {string | import("./words.js").Word} spoken */
  describe(cell, spoken) {
    this.spoken.set(cell, typeof spoken === "string" ? word(spoken) : spoken);
    this.#call(cell);
  }

  /** Call a cell by its name, what lies there, and that it may be chosen. @param {number} cell */
  #call(cell) {
    const area = this.labels.get(cell);
    const { key, sign, values } = this.spoken.get(cell) ?? word("");
    if (area) named(area, key, sign, values, this.called(cell), this.asking?.cells.has(cell) ? "may" : "");
  }

  // ── input ──

  /**
   * Lets one choose among cells: `choose(cell)` on a click or Enter, `drag(from, to)` when a piece is carried to another cell,
   * `cancel()` on Escape or a click elsewhere; `ghost` makes the piece that is shown under the mouse,
   * and `turns` says which others it would turn.
   * @param {number[]} cells @param {Asking["choose"]} choose @param {Omit<Asking, "cells" | "choose"> & { dots?: boolean }} options
   */
  ask(cells, choose, { drag, dots = true, cancel, ghost, turns } = {}) {
    this.rest();
    this.asking = { cells: new Set(cells), choose, drag, cancel, ghost, turns };
    if (dots) this.mark("target", cells);
    for (const cell of cells) this.#call(cell);
    this.drawing.setAttribute("tabindex", "0");
    this.drawing.classList.add("asking");
  }

  // Ends the input.
  rest() {
    const open = this.asking?.cells ?? [];
    this.asking = undefined;
    for (const cell of open) this.#call(cell);
    this.#drop();
    this.unmark("target");
    this.unmark("ghost");
    this.drawing.classList.remove("asking", "over-target");
    this.point(undefined);
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const cell = this.under(event);
    if (!this.asking || cell === undefined || event.button) return;
    event.preventDefault();
    this.pressed = { cell, x: event.clientX, y: event.clientY, carried: undefined };
    if (this.asking.drag) this.drawing.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #carry(event) {
    if (!this.asking) return;
    const cell = this.under(event);
    this.drawing.classList.toggle("over-target", cell !== undefined && this.asking.cells.has(cell));
    this.#haunt(this.asking, event.pointerType === "mouse" ? cell : undefined);
    if (!this.pressed || !this.asking.drag) return;
    const { pressed } = this;
    if (!pressed.carried && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 6) {
      pressed.carried = this.asking.cells.has(pressed.cell) ? this.shape(pressed.cell) : undefined;
      // Choosing may ask anew, for where the piece goes: it stays in hand.
      if (pressed.carried) this.asking.choose(pressed.cell, true);
      this.pressed = pressed;
    }
    if (pressed.carried) {
      const scale = this.drawing.getScreenCTM()?.a ?? 1;
      pressed.carried.style.transform = `translate(${(event.clientX - pressed.x) / scale}px,${(event.clientY - pressed.y) / scale}px)`;
    }
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const { pressed, asking } = this;
    if (!pressed || !asking) return;
    const cell = this.under(event);
    this.#drop();
    if (pressed.carried && cell !== pressed.cell) {
      if (cell !== undefined && asking.drag) asking.drag(pressed.cell, cell);
    } else if (!pressed.carried && cell === pressed.cell) {
      if (asking.cells.has(cell)) asking.choose(cell, false);
      else asking.cancel?.();
    }
  }

  /** Shows the piece that a click would put down. @param {Asking} asking @param {number | undefined} cell */
  #haunt({ cells, ghost, turns }, cell) {
    const wanted = cell !== undefined && ghost && cells.has(cell) ? cell : undefined;
    if (wanted === this.haunted && this.drawing.querySelector(".sign-ghost")) return;
    this.unmark("ghost");
    this.haunted = wanted;
    this.#foretell(wanted);
    if (wanted === undefined || !ghost) return;
    this.#at("over", wanted, ghost()).classList.add("sign", "sign-ghost");
    for (const one of turns?.(wanted) ?? []) this.#at("over", one, draw("circle", { r: 44, class: "turns" })).classList.add("sign", "sign-ghost");
  }

  /** Says what a choice would turn: beside the board, and to who goes there by keys. @param {number | undefined} cell */
  #foretell(cell, aloud = false) {
    const count = cell !== undefined && this.asking?.cells.has(cell) ? this.asking.turns?.(cell).length ?? 0 : 0;
    const key = count > 1 ? "turns" : count ? "turn" : "";
    const values = { cell: cell === undefined ? "" : this.called(cell), count };
    foretell(key, values);
    if (key && aloud) announce(key, values);
  }

  #drop() {
    if (this.pressed?.carried) this.pressed.carried.style.transform = "";
    this.pressed = undefined;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.asking || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target !== document.body && event.target !== this.drawing) return;
    const cells = [...this.asking.cells];
    const way = ARROWS[event.key];
    if (event.target === document.body && way) this.drawing.focus({ preventScroll: true }); // so that the cell is read to whom it is not shown
    if (way) this.point(this.#towards(way, cells));
    else if ((event.key === "Enter" || event.key === " ") && this.cursor !== undefined) this.asking.choose(this.cursor, false);
    else if (event.key === "Escape") this.asking.cancel?.();
    else return;
    event.preventDefault();
  }

  /**
   * The nearest choice in a direction: straight ahead before askew. Without a cursor, the choice nearest to the middle.
   * @param {[right: number, down: number]} way @param {number[]} cells
   */
  #towards([right, down], cells) {
    if (this.cursor === undefined) {
      const middle = [this.edge + (this.columns * UNIT) / 2, this.edge + (this.rows * UNIT) / 2];
      return nearest(cells, (cell) => Math.hypot(this.centre(cell)[0] - middle[0], this.centre(cell)[1] - middle[1]));
    }
    const [x, y] = this.centre(this.cursor);
    /** @param {number} cell */
    const ahead = (cell) => {
      const [dx, dy] = [this.centre(cell)[0] - x, this.centre(cell)[1] - y];
      const along = dx * right + dy * down;
      return along > 0 ? along + 2.5 * Math.abs(dx * down + dy * right) : Infinity;
    };
    return nearest(cells, ahead) ?? this.cursor;
  }

  /** Puts the cursor of the keys on a cell, or away. @param {number | undefined} cell */
  point(cell) {
    this.cursor = cell;
    for (const old of this.layers.air.querySelectorAll(".cursor")) old.remove();
    this.#foretell(cell, true);
    if (cell === undefined) return this.drawing.removeAttribute("aria-activedescendant");
    this.#at("air", cell, draw("rect", { x: -46, y: -46, width: 92, height: 92, rx: 12, class: "cursor" }));
    return this.drawing.setAttribute("aria-activedescendant", `${this.name}-${cell}`);
  }

  // ── drawing ──

  /** @param {number} width @param {number} height @param {string[]} letters @param {string[]} digits */
  #ground(width, height, letters, digits) {
    const { edge, columns, rows } = this;
    /** @param {"rect" | "line"} name @param {import("./svg.js").Attributes} attributes */
    const add = (name, attributes) => this.layers.ground.append(draw(name, attributes));
    add("rect", { x: 2, y: 2, width: width - 4, height: height - 4, rx: 26, class: "rim" });
    add("rect", { x: edge - 10, y: edge - 10, width: columns * UNIT + 20, height: rows * UNIT + 20, rx: 12, class: "felt" });
    add("rect", { x: edge - 10, y: edge - 10, width: columns * UNIT + 20, height: rows * UNIT + 20, rx: 12, fill: "url(#sheen)" });
    if (this.kind === "chequer") {
      for (let at = 0; at < columns * rows; at += 1) {
        const [column, row] = [at % columns, Math.floor(at / columns)];
        add("rect", { x: edge + column * UNIT, y: edge + row * UNIT, width: UNIT, height: UNIT, class: (column + row) % 2 ? "square-dark" : "square-light" });
      }
    } else {
      const [inset, skip] = this.kind === "points" ? [UNIT / 2, 0] : [0, 1];
      for (let n = skip; n < columns; n += 1) {
        const x = edge + n * UNIT + inset;
        add("line", { x1: x, x2: x, y1: edge + inset, y2: edge + rows * UNIT - inset, class: "grid" });
      }
      for (let n = skip; n < rows; n += 1) {
        const y = edge + n * UNIT + inset;
        add("line", { y1: y, y2: y, x1: edge + inset, x2: edge + columns * UNIT - inset, class: "grid" });
      }
    }
    /** @param {string} text @param {number} x @param {number} y */
    const label = (text, x, y) => {
      const written = draw("text", { x, y, class: columns > 10 ? "label small" : "label" });
      written.textContent = text;
      this.layers.ground.append(written);
    };
    /** @param {string[]} list */
    const turn = (list) => (this.turned ? [...list].reverse() : list);
    turn(letters).forEach((text, n) => [edge / 2 - 2, height - edge / 2 + 2].forEach((y) => label(text, edge + (n + 0.5) * UNIT, y)));
    turn(digits).forEach((text, n) => [edge / 2 - 2, width - edge / 2 + 2].forEach((x) => label(text, x, edge + (n + 0.5) * UNIT)));
  }

  /** @param {(cell: number) => string} numbers */
  #number(numbers) {
    for (let cell = 0; cell < this.columns * this.rows; cell += 1) {
      if (!this.used(cell)) continue;
      const written = draw("text", { x: -47, y: -46, class: "number" });
      written.textContent = numbers(cell);
      this.#at("ground", cell, written);
    }
  }

  #cells() {
    for (let row = 0; row < this.rows; row += 1) {
      const group = draw("g", { role: "row" });
      for (let column = 0; column < this.columns; column += 1) {
        const cell = row * this.columns + column;
        if (!this.used(cell)) continue;
        const [x, y] = this.centre(cell);
        const area = draw("rect", { x: x - 50, y: y - 50, width: 100, height: 100, class: "area", role: "gridcell", id: `${this.name}-${cell}`, "aria-label": this.called(cell) });
        this.labels.set(cell, area);
        group.append(area);
      }
      this.layers.cells.append(group);
    }
  }
}

/** @type {Record<Mark, (columns: number) => SVGElement>} */
const MARKS = {
  last: () => draw("path", { d: "M-44 -28 V-44 H-28 M28 -44 H44 V-28 M44 28 V44 H28 M-28 44 H-44 V28", class: "last" }),
  target: (columns) => draw("circle", { r: columns > 10 ? 8 : 11, class: columns > 8 ? "target many" : "target" }),
  win: () => draw("circle", { r: 52, fill: "url(#glow)" }),
  barred: () => draw("path", { d: "M-14 -14 L14 14 M14 -14 L-14 14", class: "barred" }),
  lost: () => draw("path", { d: "M-30 -30 L30 30 M30 -30 L-30 30", class: "lost" }),
  movable: () => draw("rect", { x: -49, y: -49, width: 98, height: 98, rx: 8, class: "movable" }),
  chosen: () => draw("rect", { x: -49, y: -49, width: 98, height: 98, rx: 8, class: "chosen" }),
  trail: () => draw("rect", { x: -49, y: -49, width: 98, height: 98, rx: 8, class: "trail" }),
  step: () => draw("rect", { x: -49, y: -49, width: 98, height: 98, rx: 8, class: "step" }),
};

/** @param {number[]} cells @param {(cell: number) => number} distance */
function nearest(cells, distance) {
  let found;
  let least = Infinity;
  for (const cell of cells) {
    const far = distance(cell);
    if (far < least) [found, least] = [cell, far];
  }
  return found;
}
