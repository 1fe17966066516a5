// TicTacToe: nine cells, 1 to 9; on the tray 0 is empty, 1 and 2 the players' marks, 3 and 4 the same on the winning line.

import { Board } from "./toolkit/board.js";
import { run } from "./toolkit/interface.js";
import { arrive } from "./toolkit/motion.js";
import { cross, ring } from "./toolkit/pieces.js";
import { sound } from "./toolkit/sound.js";

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const MADE = [cross, ring];

const game = {
  tokens: MADE,
  brushes: [{ code: "0" }, { code: "1", icon: cross }, { code: "2", icon: ring }],

  build(frame, parameters) {
    this.parameters = parameters;
    this.cells = [...(parameters.tray || "").padEnd(9, "0").slice(0, 9)];
    this.board = new Board(frame.place, { columns: 3, rows: 3, kind: "cells" });
    this.painting = [this.board];
  },

  async show() {
    const { moves } = this.parameters;
    const last = moves.findIndex((move) => /^[1-9]$/.test(move || ""));
    // An interface may get the board before the move or after it: the move is on it either way.
    if (last >= 0 && this.cells[moves[last] - 1] === "0") this.cells[moves[last] - 1] = String(last + 1);
    this.draw();
    if (last < 0) return;
    const cell = moves[last] - 1;
    this.board.mark("last", [cell]);
    sound("place");
    await arrive(this.board.shape(cell));
  },

  draw() {
    this.board.clear();
    const won = this.cells.map((code, cell) => cell).filter((cell) => "34".includes(this.cells[cell]));
    this.board.mark("win", won);
    this.cells.forEach((code, cell) => {
      if ("1234".includes(code)) this.board.put(cell, MADE[(code - 1) % 2](), "XO"[(code - 1) % 2]);
    });
    const line = LINES.find((cells) => cells.every((cell) => won.includes(cell)));
    if (line) {
      this.board.line(line[0], line[2]);
      sound("win");
    }
  },

  ask(seat, answer) {
    const free = this.cells.map((code, cell) => cell).filter((cell) => this.cells[cell] === "0");
    this.board.ask(free, (cell) => {
      this.board.rest();
      this.board.unmark("last");
      arrive(this.board.put(cell, MADE[seat](), "XO"[seat]));
      this.board.mark("last", [cell]);
      sound("place");
      answer(String(cell + 1));
    });
  },

  paint(cell, code) {
    this.cells[cell] = code;
    this.draw();
  },

  play(value, seat) {
    this.paint(value - 1, String(seat + 1));
    this.board.mark("last", [value - 1]);
  },

  tray() {
    return this.cells.join("");
  },
};

run(game);
