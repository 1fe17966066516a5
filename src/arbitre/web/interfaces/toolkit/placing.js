// What games share in which a move fills one empty cell: show the tray and the move, then what it did, and ask for a cell.
//
// A game extends Placing with
//   columns, rows, layout       the board; layout are further options of Board
//   start                       the tray when none is given
//   tokens, codes               the piece of each seat, and its character on the tray
//   faces                       character → [seat, mark]: whose piece stands there, and what mark is under it, if any
//   cellOf(name), nameOf(cell)  the cells by their names on the wire
// and may change what is below "for a game to change".

import { Board } from "./board.js";
import { arrive, pause } from "./motion.js";
import { sound } from "./sound.js";

/** @typedef {import("./parameters.js").Parameters} Parameters */

export class Placing {
  /** @type {number} */
  columns;
  /** @type {number} */
  rows;
  /** @type {Partial<import("./board.js").Layout>} */
  layout = {};
  /** @type {string} */
  start;
  /** @type {(() => SVGElement)[]} */
  tokens;
  /** @type {string[]} */
  codes;
  /** @type {Record<string, [seat: number | undefined, mark?: import("./board.js").Mark]>} */
  faces;
  /** @type {import("./frame.js").Frame} */
  frame;
  /** @type {Parameters} */
  parameters;
  /** @type {string[]} */
  cells;
  /** @type {Board} */
  board;
  /** @type {Board[]} */
  painting;
  /** @type {Parameters["gains"] | undefined} */
  gains;
  spoken = ["●", "○"];

  /** @param {import("./frame.js").Frame} frame @param {Parameters} parameters */
  build(frame, parameters) {
    this.frame = frame;
    this.parameters = parameters;
    const full = this.columns * this.rows;
    const given = parameters.tray?.length === full ? parameters.tray : this.start;
    this.cells = [...given];
    this.board = new Board(frame.place, { columns: this.columns, rows: this.rows, called: (cell) => this.nameOf(cell), ...this.layout });
    this.painting = [this.board];
    this.gains = parameters.gains;
  }

  get brushes() {
    return [{ code: "0" }, ...this.codes.map((code, seat) => ({ code, icon: this.tokens[seat] }))];
  }

  async show() {
    const { moves, wait } = this.parameters;
    const mover = moves.findIndex((move) => move && this.cellOf(move) !== undefined);
    const cell = this.cellOf(moves[mover] ?? "");
    // The tray may be from before the move or from after it: the move is on it either way.
    if (cell !== undefined && !this.faces[this.cells[cell]]) this.cells[cell] = this.codes[mover];
    this.draw();
    if (cell !== undefined) {
      this.board.mark("last", [cell]);
      sound("place");
      await arrive(this.board.shape(cell));
    }
    if (this.changing().length) {
      await pause(wait);
      await this.settle();
    }
    this.ornament();
  }

  draw() {
    this.board.clear();
    this.cells.forEach((code, cell) => this.face(cell, code));
  }

  /** @param {number} cell @param {string} code */
  face(cell, code) {
    const face = this.faces[code];
    if (face && face[1]) this.board.mark(face[1], [cell]);
    if (face && face[0] !== undefined) return this.board.put(cell, this.tokens[face[0]](), this.spoken[face[0]]);
    this.board.take(cell);
    return undefined;
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    this.board.ask(this.open(seat), (cell) => {
      this.board.rest();
      this.board.unmark("last");
      this.board.unmark("barred");
      this.cells[cell] = this.codes[seat];
      arrive(this.face(cell, this.cells[cell]));
      this.board.mark("last", [cell]);
      sound("place");
      answer(this.nameOf(cell));
    }, { ghost: this.tokens[seat], turns: (cell) => this.turned(cell, seat) });
  }

  /** @param {number} cell @param {string} code */
  paint(cell, code) {
    this.cells[cell] = code;
    this.draw();
    this.gains = undefined;
    this.ornament();
  }

  /** @param {string} value @param {number} seat */
  async play(value, seat) {
    const cell = this.cellOf(value);
    this.lay(cell, seat);
    this.draw();
    this.gains = undefined;
    this.ornament();
    if (cell !== undefined) this.board.mark("last", [cell]);
  }

  tray() {
    return this.cells.join("");
  }

  /** @param {string} codes */
  count(codes) {
    return this.cells.filter((code) => codes.includes(code)).length;
  }

  // ── for a game to change ──

  /** The pieces that one put down by a seat would turn. @param {number} _cell @param {number} _seat @returns {number[]} */
  turned(_cell, _seat) {
    return [];
  }

  /** The cell of a name, undefined where it names none. @param {string} _name @returns {number | undefined} */
  cellOf(_name) {
    return undefined;
  }

  /** @param {number} cell */
  nameOf(cell) {
    return String(cell + 1);
  }

  /** The cells that a seat may fill. @param {number} _seat @returns {number[]} */
  open(_seat) {
    return this.cells.flatMap((code, cell) => (code === "0" ? [cell] : []));
  }

  /** The cells that the last move changes, shown as they were until settle() is called. @returns {number[]} */
  changing() {
    return [];
  }

  async settle() {}

  // Lines over the board, drawn when it is at rest.
  ornament() {}

  /** What a move does, on the bench. @param {number | undefined} cell @param {number} seat */
  lay(cell, seat) {
    if (cell !== undefined) this.cells[cell] = this.codes[seat];
  }
}

export const WAYS = [[0, 1], [1, 0], [1, 1], [1, -1]];

/**
 * Lists the runs of `least` or more equal cells: [first, last] in reading order, a longer run once.
 * @param {number} columns @param {number} rows @param {number} least @param {(cell: number) => boolean} own @returns {[from: number, to: number][]}
 */
export function runs(columns, rows, least, own) {
  /** @type {[from: number, to: number][]} */
  const found = [];
  /** @param {number} row @param {number} column */
  const at = (row, column) => row >= 0 && row < rows && column >= 0 && column < columns && own(row * columns + column);
  for (const [down, right] of WAYS) {
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        if (!at(row, column) || at(row - down, column - right)) continue;
        let length = 1;
        while (at(row + length * down, column + length * right)) length += 1;
        if (length >= least) found.push([row * columns + column, (row + (length - 1) * down) * columns + column + (length - 1) * right]);
      }
    }
  }
  return found;
}
