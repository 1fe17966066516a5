// TicTacToe: nine cells, 1 to 9; on the tray 0 is empty, 1 and 2 the players' marks, 3 and 4 the same on the winning line.

import { run } from "./toolkit/interface.js";
import { cross, ring } from "./toolkit/pieces.js";
import { Placing, runs } from "./toolkit/placing.js";
import { sound } from "./toolkit/sound.js";

class TicTacToe extends Placing {
  columns = 3;
  rows = 3;
  start = "000000000";
  tokens = [cross, ring];
  spoken = ["X", "O"];
  codes = ["1", "2"];
  /** @type {Placing["faces"]} */
  faces = { 1: [0], 2: [1], 3: [0, "win"], 4: [1, "win"] };

  /** @param {string} name */
  cellOf(name) {
    return /^[1-9]$/.test(name) ? Number(name) - 1 : undefined;
  }

  /** @param {number} cell */
  nameOf(cell) {
    return String(cell + 1);
  }

  ornament() {
    const won = runs(3, 3, 3, (cell) => "34".includes(this.cells[cell]));
    for (const [from, to] of won) this.board.line(from, to);
    if (won.length) sound("win");
  }
}

run(() => new TicTacToe());
