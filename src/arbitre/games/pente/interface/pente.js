// Pente: nineteen lines, AA to SS. On the tray 1 and 2 are the players' stones, 3 and 4 the same in a winning row, 5 and 6 the same
// being taken, 9 a place where the first player's second stone may not lie. A player's gain is the number of pairs he has taken.

import { run } from "./toolkit/interface.js";
import { leave } from "./toolkit/motion.js";
import { stone } from "./toolkit/pieces.js";
import { Placing, runs } from "./toolkit/placing.js";
import { sound } from "./toolkit/sound.js";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRS"];
const SIDE = 19;

class Pente extends Placing {
  /** @type {number[]} */
  taken;
  columns = SIDE;
  rows = SIDE;
  /** @type {Placing["layout"]} */
  layout = { kind: "points", letters: LETTERS, digits: LETTERS, stars: [3, 9, 15].flatMap((row) => [3, 9, 15].map((column) => row * SIDE + column)) };
  start = "0".repeat(SIDE * SIDE);
  tokens = [() => stone("light"), () => stone("dark")];
  spoken = ["○", "●"];
  codes = ["1", "2"];
  /** @type {Placing["faces"]} */
  faces = { 1: [0], 2: [1], 3: [0, "win"], 4: [1, "win"], 5: [0], 6: [1], 9: [undefined, "barred"] };

  /** @param {string} name */
  cellOf(name) {
    return /^[A-S]{2}$/.test(name) ? LETTERS.indexOf(name[0]) + SIDE * LETTERS.indexOf(name[1]) : undefined;
  }

  /** @param {number} cell */
  nameOf(cell) {
    return LETTERS[cell % SIDE] + LETTERS[Math.floor(cell / SIDE)];
  }

  changing() {
    return this.cells.flatMap((code, cell) => ("56".includes(code) ? [cell] : []));
  }

  async settle() {
    const gone = this.changing();
    sound("take");
    await Promise.all(gone.map((cell) => leave(this.board.shape(cell))));
    for (const cell of gone) {
      this.cells[cell] = "0";
      this.board.take(cell);
    }
  }

  ornament() {
    const won = ["3", "4"].flatMap((code) => runs(SIDE, SIDE, 5, (cell) => this.cells[cell] === code));
    for (const [from, to] of won) this.board.line(from, to);
    if (won.length) sound("win");
  }

  /** @param {number | undefined} cell @param {number} seat */
  lay(cell, seat) {
    if (cell === undefined) return;
    this.cells[cell] = this.codes[seat];
    const [row, column] = [Math.floor(cell / SIDE), cell % SIDE];
    const against = this.codes[1 - seat];
    for (const down of [-1, 0, 1]) {
      for (const right of [-1, 0, 1]) {
        const [near, next, far] = [1, 2, 3].map((n) => {
          const [y, x] = [row + n * down, column + n * right];
          return y >= 0 && y < SIDE && x >= 0 && x < SIDE ? y * SIDE + x : -1;
        });
        if (far < 0 || this.cells[near] !== against || this.cells[next] !== against || this.cells[far] !== this.codes[seat]) continue;
        this.cells[near] = this.cells[next] = "0";
        this.taken[seat] += 1;
      }
    }
  }

  /** @param {import("./toolkit/frame.js").Frame} frame @param {import("./toolkit/parameters.js").Parameters} parameters */
  build(frame, parameters) {
    super.build(frame, parameters);
    this.taken = parameters.gains.map((gain) => Number(gain) || 0);
  }

  scores() {
    return this.taken.map(String);
  }
}

run(() => new Pente());
