// BigTicTacToe: ten by ten cells, A0 to J9; a player's gain are the two ends of each of his rows of five or more, run together.

import { run } from "./toolkit/interface.js";
import { cross, ring } from "./toolkit/pieces.js";
import { Placing, runs } from "./toolkit/placing.js";

const LETTERS = [..."ABCDEFGHIJ"];
const DIGITS = [..."0123456789"];

class BigTicTacToe extends Placing {
  columns = 10;
  rows = 10;
  layout = { letters: LETTERS, digits: DIGITS };
  start = "0".repeat(100);
  tokens = [cross, ring];
  spoken = ["X", "O"];
  codes = ["1", "2"];
  /** @type {Placing["faces"]} */
  faces = { 1: [0], 2: [1] };

  /** @param {string} name */
  cellOf(name) {
    return /^[A-J][0-9]$/.test(name) ? LETTERS.indexOf(name[0]) + 10 * Number(name[1]) : undefined;
  }

  /** @param {number} cell */
  nameOf(cell) {
    return LETTERS[cell % 10] + Math.floor(cell / 10);
  }

  /** The rows of a seat: as they were given, or on the bench as they lie. @param {number} seat @returns {[from: number, to: number][]} */
  lines(seat) {
    if (!this.gains) return runs(10, 10, 5, (cell) => this.cells[cell] === this.codes[seat]);
    const told = this.gains[seat]?.match(/[A-J][0-9][A-J][0-9]/g) ?? [];
    return told.map((ends) => [this.cellOf(ends.slice(0, 2)) ?? 0, this.cellOf(ends.slice(2)) ?? 0]);
  }

  ornament() {
    ["one", "two"].forEach((kind, seat) => this.lines(seat).forEach(([from, to]) => this.board.line(from, to, kind)));
  }

  scores() {
    return [0, 1].map((seat) => String(this.lines(seat).length));
  }
}

run(() => new BigTicTacToe());
