// MasterMind: half N of the tray is the lines that player N guessed, two marks and four colours each; GainN is player N's code.
// The board of player N therefore has the other's code at its head, open or under a lid.

import { Row } from "./mastermind-row.js";
import { COLOURS, hole, marks, peg } from "./drawings/pegs.js";
import { felt, rim } from "./drawings/table.js";
import { run } from "./toolkit/interface.js";
import { animate, arrive, pause } from "./toolkit/motion.js";
import { stone } from "./toolkit/pieces.js";
import { sound } from "./toolkit/sound.js";
import { draw, element } from "./toolkit/svg.js";
import { named, word } from "./toolkit/words.js";

/** @typedef {{ placed: number, misplaced: number, code: string }} Line */
/** @typedef {{ seat: number, n: number }} Where a line of a board */

const LINES = 8;
const [WIDTH, HEIGHT] = [720, 470];
const [PANEL, ACROSS, DOWN] = [348, 50, 47];
const LEFT = [4, 368];
const SEATS = ["warm", "cool"];

/** @param {number} seat @param {number} n */
const column = (seat, n) => LEFT[seat] + 74 + n * ACROSS;
/** @param {number} n */
const line = (n) => 104 + n * DOWN;
/** @param {number} seat @param {number} y */
const spots = (seat, y) => Array.from({ length: 4 }, (_, n) => ({ x: column(seat, n), y }));

/** Read the lines of one half: what is no line is left out. @param {string | undefined} text @returns {Line[]} */
function lines(text) {
  return [...(text || "").matchAll(/([0-4])([0-4])([A-H]{4})/gi)].slice(0, LINES).map(([, placed, misplaced, code]) => ({
    placed: Number(placed),
    misplaced: Number(misplaced),
    code: code.toUpperCase(),
  }));
}

/** Mark a guess against a code, well placed pegs first. @param {string} code @param {string} guess @returns {Line} */
function marked(code, guess) {
  const placed = [...guess].filter((colour, n) => colour === code[n]).length;
  /** @param {string} text @param {string} colour */
  const count = (text, colour) => [...text].filter((one) => one === colour).length;
  const common = [...COLOURS].reduce((sum, colour) => sum + Math.min(count(code, colour), count(guess, colour)), 0);
  return { placed, misplaced: common - placed, code: guess };
}

/** Add marks to a line; after the fourth they begin anew. @param {Line} found @param {number} placed @param {number} misplaced */
function add(found, placed, misplaced) {
  const full = found.placed + found.misplaced === 4;
  Object.assign(found, { placed: full ? 0 : found.placed + placed, misplaced: full ? 0 : found.misplaced + misplaced });
}

class MasterMind {
  /** @type {import("./toolkit/frame.js").Frame} */
  frame;
  /** @type {import("./toolkit/parameters.js").Parameters} */
  parameters;
  /** @type {(string | undefined)[]} */
  codes;
  /** @type {Line[][]} */
  boards;
  preparing = false;
  /** @type {SVGElement} */
  drawing;
  /** @type {HTMLElement} */
  controls;
  /** @type {import("./toolkit/interface.js").Painted[]} */
  painting;
  /** @type {Row | undefined} */
  row;
  /** @type {(cell: number) => void} */
  brush = () => {};
  tokens = SEATS.map((paint) => () => stone(paint));
  brushes = [
    { code: "0" },
    ...[...COLOURS].map((code) => ({ code, icon: () => peg(code, 0, 0, 42) })),
    { code: "10", icon: () => draw("circle", { r: 26, class: "mark-placed" }) },
    { code: "01", icon: () => draw("circle", { r: 8, class: "mark-misplaced", transform: "scale(3)" }) },
  ];

  /** @param {MasterMind["frame"]} frame @param {MasterMind["parameters"]} parameters */
  build(frame, parameters) {
    this.frame = frame;
    this.parameters = parameters;
    this.codes = parameters.gains.map((gain) => (gain && /^[A-H]{4}$/i.test(gain) ? gain.toUpperCase() : undefined));
    const halves = (parameters.tray || "").split("***");
    this.boards = [lines(halves[0]), lines(halves[1])];
    this.preparing = parameters.method === "prepare";
    document.body.classList.toggle("preparing", this.preparing);
    this.drawing = draw("svg", { viewBox: this.preparing ? "0 0 720 300" : `0 0 ${WIDTH} ${HEIGHT}`, class: "board codes", role: "group" });
    this.controls = element("div", { class: "controls" });
    frame.place.append(this.drawing, this.controls);
    this.painting = [{ labels: new Map(Array.from({ length: 64 }, (_, n) => [n, n])), ask: (_, choose) => this.pick((cell) => choose(cell, false)) }];
  }

  async show() {
    const { wait } = this.parameters;
    if (this.preparing) return this.drawing.replaceChildren(...chest(this.parameters.asks ?? 0));
    const last = this.last();
    this.draw(wait && last ? last : undefined);
    if (!last) return undefined;
    sound("place");
    if (wait) {
      await Promise.all([...this.drawing.querySelectorAll(".line-last .peg-body")].map((shape) => animate(shape, [{ opacity: 0 }, { opacity: 1 }])));
      await pause(wait);
      this.draw();
    }
    if (this.boards[last.seat][last.n].placed === 4) sound("win");
    return undefined;
  }

  /** Return the line that was guessed last: the second player follows the first. */
  last() {
    const seat = this.boards[0].length > this.boards[1].length ? 0 : 1;
    return this.boards[seat].length ? { seat, n: this.boards[seat].length - 1 } : undefined;
  }

  /** Draw both boards; the marks of the line `unmarked` are not there yet. @param {Where} [unmarked] */
  draw(unmarked) {
    const last = this.last();
    this.drawing.replaceChildren(...[0, 1].map((seat) => {
      const rows = Array.from({ length: LINES }, (_, n) => {
        const here = (/** @type {Where | undefined} */ one) => one?.seat === seat && one.n === n;
        return this.line(seat, n, here(last), here(unmarked));
      });
      const half = draw("g", { class: `codes-${seat + 1}`, "data-board": seat + 1, role: "group" }, ...panel(seat), this.secret(seat), ...rows);
      return named(half, "guesses", String(seat + 1), { name: this.parameters.names[seat] ?? "" });
    }));
  }

  /** @param {number} seat @param {number} n @param {boolean} isLast @param {boolean} unmarked */
  line(seat, n, isLast, unmarked) {
    const found = this.boards[seat][n];
    const y = line(n);
    const number = draw("text", { x: LEFT[seat] + 30, y, class: "line-number" });
    number.textContent = String(n + 1);
    const won = found?.placed === 4 && !unmarked;
    const holes = spots(seat, y).map(({ x }, at) => {
      const colour = found?.code[at];
      const shape = draw("g", { class: "spot", "data-cell": seat * 32 + n * 4 + at }, hole(x, y, 18));
      if (colour && colour !== "0") shape.append(peg(colour, x, y, 18));
      return shape;
    });
    const said = found && !unmarked ? { n: n + 1, placed: found.placed, misplaced: found.misplaced, pegs: [...found.code].map((one) => word(one)) } : undefined;
    const made = draw("g", { class: `line-of-pegs${isLast ? " line-last" : ""}${won ? " line-won" : ""}`, "data-line": n + 1 },
      draw("rect", { x: LEFT[seat] + 12, y: y - 22, width: PANEL - 24, height: 44, rx: 22, class: "line-band" }),
      number, ...holes, found && !unmarked ? marks(found.placed, found.misplaced, LEFT[seat] + 282, y - 9, 18) : undefined);
    if (said) made.setAttribute("role", "img");
    else made.setAttribute("aria-hidden", "true");
    return said ? named(made, "line", `${n + 1} ${found.code} ${found.placed} ${found.misplaced}`, said) : made;
  }

  /** Draw the code that a board is after. @param {number} seat */
  secret(seat) {
    const code = this.codes[1 - seat];
    const y = 43;
    const owner = draw("g", { transform: `translate(${LEFT[seat] + 30} ${y}) scale(.26)` }, stone(SEATS[1 - seat]));
    const lid = code ? [] : [
      draw("rect", { x: LEFT[seat] + 48, y: y - 23, width: 202, height: 46, rx: 12, class: "lid" }),
      draw("path", { d: `M${LEFT[seat] + 142} ${y - 3}v-6a7 7 0 0 1 14 0v6`, class: "lock-bow" }),
      draw("rect", { x: LEFT[seat] + 138, y: y - 3, width: 22, height: 16, rx: 3, class: "lock" }),
    ];
    const pegs = code ? [...code].map((colour, n) => peg(colour, column(seat, n), y, 18)) : [];
    return draw("g", { class: "secret", "data-code": code ?? "" }, owner, ...spots(seat, y).map(({ x }) => hole(x, y, 18)), ...pegs, ...lid);
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    this.row?.close();
    if (this.preparing) {
      this.row = new Row(this.drawing, this.controls, Array.from({ length: 4 }, (_, n) => ({ x: 180 + n * 120, y: 150 })), 46);
      this.row.open((code) => {
        [...code].forEach((colour, n) => this.drawing.append(peg(colour, 180 + n * 120, 150, 46)));
        answer(code);
      }, { dice: true, control: this.parameters.legend ? (press) => this.frame.control("✓", press) : undefined });
      return;
    }
    const n = this.boards[seat].length;
    if (n >= LINES) return;
    this.drawing.querySelector(`[data-board="${seat + 1}"] [data-line="${n + 1}"]`)?.classList.add("line-asked");
    this.row = new Row(this.drawing, this.controls, spots(seat, line(n)), 18);
    this.row.open((code) => {
      this.drawing.querySelector(".line-asked")?.classList.remove("line-asked");
      const shapes = [...code].map((colour, at) => peg(colour, column(seat, at), line(n), 18));
      this.drawing.append(...shapes);
      shapes.forEach((shape) => arrive(shape.firstElementChild));
      answer(code);
    });
  }

  // ── by hand ──

  /** @param {(cell: number) => void} choose */
  pick(choose) {
    this.brush = choose;
    this.row?.close();
    for (const spot of /** @type {NodeListOf<SVGElement>} */ (this.drawing.querySelectorAll("[data-cell]"))) {
      spot.classList.add("pickable");
      spot.onclick = () => choose(Number(spot.dataset.cell));
    }
  }

  /**
   * Fill one hole, or add a mark to its line; lines before it that are missing come to be; an empty hole ends the board there.
   * @param {number} cell @param {string} colour
   */
  paint(cell, colour) {
    const [seat, n, at] = [Math.floor(cell / 32), Math.floor((cell % 32) / 4), cell % 4];
    const board = this.boards[seat];
    if (colour === "0") {
      board.length = Math.min(board.length, n);
    } else if (colour.length === 2) {
      if (board[n]) add(board[n], Number(colour[0]), Number(colour[1]));
    } else {
      while (board.length <= n) board.push(this.judge(seat, colour.repeat(4)));
      board[n] = this.judge(seat, board[n].code.slice(0, at) + colour + board[n].code.slice(at + 1));
    }
    this.draw();
    this.pick(this.brush);
  }

  /** Mark a guess where the code is known; where it is not, no peg counts. @param {number} seat @param {string} guess */
  judge(seat, guess) {
    const code = this.codes[1 - seat];
    return code ? marked(code, guess) : { placed: 0, misplaced: 0, code: guess };
  }

  /** @param {string} value @param {number} seat */
  play(value, seat) {
    if (this.preparing) return;
    this.boards[seat].push(this.judge(seat, value));
    this.draw();
  }

  tray() {
    return this.boards.map((board) => board.map(({ placed, misplaced, code }) => `${placed}${misplaced}${code}`).join("")).join("***");
  }
}

/** @param {number} seat */
function panel(seat) {
  return [
    rim(LEFT[seat], 4, PANEL, HEIGHT - 8, 24),
    felt(LEFT[seat] + 8, 78, PANEL - 16, HEIGHT - 90, 18),
    draw("rect", { x: LEFT[seat] + 16, y: 4, width: PANEL - 32, height: 5, rx: 2.5, class: "seat-band" }),
  ];
}

/** The chest into which a code is put. @param {number} seat */
function chest(seat) {
  return [
    rim(90, 60, 540, 180, 34),
    felt(108, 78, 504, 144, 24),
    draw("rect", { x: 130, y: 60, width: 460, height: 6, rx: 3, class: `seat-band seat-band-${seat + 1}` }),
  ];
}

run(() => new MasterMind());
