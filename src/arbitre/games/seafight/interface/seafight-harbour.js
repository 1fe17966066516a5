// The harbour, where a fleet is prepared: ships wait at the quay, are dragged onto the water and turned there.
// Keys: 1 to 5 choose a ship, as does Tab; arrows move it, R turns it, D scatters the fleet, Enter ends. On a ship that has the focus Enter
// puts it onto the water, or turns it there.

import { button } from "./drawings/buttons.js";
import { SIZES, cellsOf, free, scatter, spot, writeFleet } from "./drawings/fleet.js";
import { berth, vessel } from "./drawings/ships.js";
import { hear } from "./toolkit/hearing.js";
import { sound } from "./toolkit/sound.js";
import { draw, element } from "./toolkit/svg.js";
import { announce, named } from "./toolkit/words.js";

/** @typedef {import("./drawings/fleet.js").Movable & { shape: SVGElement, home: { x: number, y: number }, at: number }} Moored */
/** @typedef {{ x: number, y: number }} Spot */
/** @typedef {{ ship: Moored, start: Spot, off: Spot, moved: boolean, was: Moored, target?: Moored, fits?: boolean }} Held a ship in hand */

const UNIT = 100;
const QUAY = { beside: 560, below: 460 };
/**
 * Where the ships are moored, from the corner of the quay: beside the water, or below it where the screen is high.
 * @type {Record<"beside" | "below", number[][]>}
 */
const BERTHS = {
  beside: SIZES.map((_, at) => [25, 140 + at * 205]),
  below: [[60, 130], [640, 130], [60, 330], [430, 330], [800, 330]],
};
/** @type {Record<string, [right: number, down: number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Harbour {
  /** @type {Moored | undefined} */
  chosen;
  /** @type {Held | undefined} */
  held;
  /** @type {((fleet: string) => void) | undefined} */
  answer;
  /** @type {HTMLButtonElement} */
  ready;
  /** @type {HTMLElement} */
  tools;
  /** @type {(event: KeyboardEvent) => void} */
  listen;

  /** @param {import("./toolkit/frame.js").Frame} frame @param {import("./toolkit/board.js").Board} board @param {number} seat */
  constructor(frame, board, seat) {
    this.frame = frame;
    this.board = board;
    const { drawing, edge } = board;
    const { width, height } = drawing.viewBox.baseVal;
    const below = innerHeight > innerWidth * 1.2;
    const moorings = below ? BERTHS.below : BERTHS.beside;
    drawing.setAttribute("viewBox", below ? `0 0 ${width} ${height + QUAY.below}` : `0 0 ${width + QUAY.beside} ${height}`);
    drawing.classList.add("harbour");
    this.edge = edge;
    this.layer = draw("g", { class: `fleet fleet-${seat + 1}` });
    const corner = below ? { x: 2, y: height + 20 } : { x: width + 20, y: 2 };
    const quay = below ? { width: width - 4, height: QUAY.below - 22 } : { width: QUAY.beside - 22, height: height - 4 };
    this.ships = SIZES.map((size, at) => this.#moor(size, at, corner, moorings[at]));
    drawing.append(draw("rect", { ...corner, ...quay, rx: 26, class: "quay" }), this.layer);
  }

  /** @param {number} size @param {number} at @param {Spot} corner @param {number[]} mooring @returns {Moored} */
  #moor(size, at, corner, [right, down]) {
    const shape = draw("g", { class: "moored", role: "button", tabindex: 0 }, draw("rect", { x: 0, y: -0.5, width: size, height: 1, rx: 0.3, class: "ship-grip" }), vessel(size));
    const home = { x: corner.x + right, y: corner.y + down };
    const ship = { size, column: 0, row: 0, vertical: false, placed: false, shape, home, at };
    shape.addEventListener("pointerdown", (event) => this.#grab(event, ship));
    shape.addEventListener("focus", () => {
      if (!this.answer || !shape.matches(":focus-visible")) return;
      this.chosen = ship;
      this.#draw();
    });
    shape.addEventListener("pointermove", (event) => this.#drag(event));
    shape.addEventListener("pointerup", () => this.#drop());
    shape.addEventListener("pointercancel", () => this.#cancel());
    this.layer.append(shape);
    return ship;
  }

  /** Let the fleet be placed, and call `answer` with it once. @param {(fleet: string) => void} answer */
  open(answer) {
    this.answer = answer;
    this.ready = this.frame.control("✓", () => this.#send());
    this.tools = element("div", { class: "controls" });
    this.tools.append(
      named(button("dice", "D", () => this.#scatter()), "dice", "D"),
      named(button("turn", "R", () => this.#turn(this.chosen ?? this.ships.find((ship) => ship.placed))), "turn", "R"),
    );
    this.frame.legend.prepend(this.tools);
    this.frame.legend.classList.add("with-tools");
    this.listen = (event) => this.#key(event);
    hear("keydown", this.listen);
    this.#draw();
  }

  #send() {
    if (!this.answer || !this.#complete()) return;
    const { answer } = this;
    this.answer = undefined;
    this.chosen = undefined;
    document.removeEventListener("keydown", this.listen);
    this.tools.remove();
    this.ready.disabled = true;
    this.board.unmark();
    this.#draw();
    answer(writeFleet(this.ships));
  }

  #complete() {
    return this.ships.every((ship) => ship.placed && free(ship, this.ships));
  }

  #draw() {
    for (const ship of this.ships) {
      const { shape, home } = ship;
      const place = ship.placed
        ? `translate(${this.edge} ${this.edge}) ${berth(ship.vertical, ship.column, ship.row, UNIT)}`
        : `translate(${home.x} ${home.y}) scale(${UNIT * 0.92})${ship.vertical ? " rotate(90)" : ""}`;
      shape.setAttribute("transform", place);
      shape.classList.toggle("chosen-ship", ship === this.chosen);
      shape.classList.toggle("placed", ship.placed);
      const cells = ship.placed ? cellsOf(ship) : [];
      if (ship.placed) named(shape, "afloat", String(ship.size), { size: ship.size, from: spot(cells[0]), to: spot(cells[cells.length - 1]) });
      else named(shape, "ship", String(ship.size), { size: ship.size });
    }
    this.ready.disabled = !this.#complete() || !this.answer;
  }

  // ── by hand ──

  /** @param {PointerEvent} event */
  #point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.board.drawing.getScreenCTM()?.inverse());
  }

  /** @param {PointerEvent} event @param {Moored} ship */
  #grab(event, ship) {
    if (!this.answer || event.button) return;
    event.preventDefault();
    // To the top first: a shape that is moved in the tree loses the pointer.
    this.layer.append(ship.shape);
    ship.shape.setPointerCapture(event.pointerId);
    const at = this.#point(event);
    const from = ship.placed ? { x: this.edge + ship.column * UNIT, y: this.edge + ship.row * UNIT } : { x: ship.home.x, y: ship.home.y - UNIT / 2 };
    this.chosen = ship;
    this.held = { ship, start: at, off: { x: at.x - from.x, y: at.y - from.y }, moved: false, was: { ...ship } };
    this.#draw();
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const { held } = this;
    if (!held) return;
    const at = this.#point(event);
    if (!held.moved && Math.hypot(at.x - held.start.x, at.y - held.start.y) < 12) return;
    held.moved = true;
    const [x, y] = [at.x - held.off.x - this.edge, at.y - held.off.y - this.edge];
    held.ship.shape.setAttribute("transform", `translate(${this.edge} ${this.edge}) ${berth(held.ship.vertical, x / UNIT, y / UNIT, UNIT)}`);
    const target = { ...held.ship, column: Math.round(x / UNIT), row: Math.round(y / UNIT) };
    held.target = target;
    this.board.unmark();
    const others = this.ships.filter((one) => one !== held.ship);
    held.fits = free(target, others);
    if (held.fits) this.board.mark("step", cellsOf(target));
  }

  #drop() {
    const { held } = this;
    if (!held) return;
    this.held = undefined;
    this.board.unmark();
    const { target } = held;
    if (!held.moved || !target) {
      if (held.was.placed) this.#turn(held.ship);
      else this.#launch(held.ship);
    } else if (held.fits) {
      Object.assign(held.ship, { column: target.column, row: target.row, placed: true });
      sound("place");
    } else if (target.column > 9 || target.row > 9) {
      Object.assign(held.ship, { placed: false, vertical: false });
    } else {
      sound("refuse");
    }
    this.#draw();
  }

  #cancel() {
    this.held = undefined;
    this.board.unmark();
    this.#draw();
  }

  // ── by key and by button ──

  /** Put a ship from the quay onto the first water where it fits. @param {Moored} ship */
  #launch(ship) {
    for (const cell of Array(100).keys()) {
      const tried = { ...ship, column: cell % 10, row: Math.floor(cell / 10) };
      if (free(tried, this.ships.filter((one) => one !== ship))) {
        Object.assign(ship, { column: tried.column, row: tried.row, placed: true });
        sound("place");
        break;
      }
    }
    this.#draw();
  }

  /** Turn a ship around its first cell, or another where that is not free. @param {Moored | undefined} ship */
  #turn(ship) {
    if (!ship?.placed) return;
    this.chosen = ship;
    const others = this.ships.filter((one) => one !== ship);
    /** @type {Moored[]} */
    const tries = [];
    for (let hub = 0; hub < ship.size; hub += 1) {
      for (let back = 0; back < ship.size; back += 1) {
        const [right, down] = ship.vertical ? [-back, hub] : [hub, -back];
        tries.push({ ...ship, vertical: !ship.vertical, column: ship.column + right, row: ship.row + down });
      }
    }
    const found = tries.find((one) => free(one, others));
    if (found) Object.assign(ship, { vertical: found.vertical, column: found.column, row: found.row });
    sound(found ? "turn" : "refuse");
    this.#draw();
  }

  #scatter() {
    scatter(this.ships);
    this.chosen = undefined;
    sound("place");
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLButtonElement) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const own = this.ships.find((ship) => ship.shape === event.target);
    if (own) this.chosen = own;
    if (own && (key === "Enter" || key === " ")) own.placed ? this.#turn(own) : this.#launch(own);
    else if (/^[1-5]$/.test(key)) this.#choose(this.ships[Number(key) - 1]);
    else if (WAYS[key]) this.#step(...WAYS[key]);
    else if (key === "r" || key === " ") this.#turn(this.chosen);
    else if (key === "d") this.#scatter();
    else if (key === "Enter") return this.#send();
    else return undefined;
    event.preventDefault();
    return this.#told(this.chosen);
  }

  /** Say where a ship is now. @param {Moored | undefined} ship */
  #told(ship) {
    if (!ship?.placed) return;
    const cells = cellsOf(ship);
    announce("afloat", { size: ship.size, from: spot(cells[0]), to: spot(cells[cells.length - 1]) });
  }

  /** @param {Moored} ship */
  #choose(ship) {
    this.chosen = ship;
    if (!ship.placed) this.#launch(ship);
    this.#draw();
  }

  /** Move the chosen ship one cell on, over others where they are in the way. @param {number} right @param {number} down */
  #step(right, down) {
    const ship = this.chosen;
    if (!ship?.placed) return this.#choose(ship ?? this.ships.find((one) => !one.placed) ?? this.ships[0]);
    const others = this.ships.filter((one) => one !== ship);
    for (let far = 1; far < 10; far += 1) {
      const tried = { ...ship, column: ship.column + far * right, row: ship.row + far * down };
      if (free(tried, others)) {
        Object.assign(ship, { column: tried.column, row: tried.row });
        sound("move");
        break;
      }
    }
    return this.#draw();
  }
}
