// Draughts: squares 1 to 50. On the tray 1 and 2 are the men of white (the first player) and black, 3 and 4 their kings. A move is
// written 32-27, a capture with all its landings 26x17x8x19. Side=Two puts black below.

import { after, columnOf, moves, rowOf } from "./draughts-moves.js";
import { Board } from "./toolkit/board.js";
import { run } from "./toolkit/interface.js";
import { leave, pause, slide } from "./toolkit/motion.js";
import { askPath } from "./toolkit/path.js";
import { man } from "./toolkit/pieces.js";
import { sound } from "./toolkit/sound.js";

const START = "2".repeat(20) + "0".repeat(10) + "1".repeat(20);
/** @type {Record<string, () => SVGElement>} */
const PIECES = { 1: () => man("light"), 2: () => man("dark"), 3: () => man("light", true), 4: () => man("dark", true) };
/** @type {Record<string, string>} */
const SPOKEN = { 1: "⛀", 2: "⛂", 3: "⛁", 4: "⛃" };

/** @param {number} square */
const cellOf = (square) => rowOf(square) * 10 + columnOf(square);
/** @param {number} cell */
const squareOf = (cell) => Math.floor(cell / 10) * 5 + Math.floor((cell % 10) / 2) + 1;
/** @param {number} cell */
const dark = (cell) => (Math.floor(cell / 10) + cell) % 2 === 1;

/** The squares of a move as it is written, none where it is no move. */
function read(text = "") {
  const squares = /^\d{1,2}([-x]\d{1,2})+$/.test(text) ? text.split(/[-x]/).map(Number) : [];
  return squares.every((square) => square >= 1 && square <= 50) ? squares : [];
}

/** @param {import("./draughts-moves.js").Move} move */
const write = ({ path, captured }) => path.join(captured.length ? "x" : "-");

/** @typedef {import("./toolkit/parameters.js").Parameters} Parameters */

class Draughts {
  /** @type {Parameters} */
  parameters;
  /** @type {string} */
  squares;
  /** @type {Board} */
  board;
  /** @type {Board[]} */
  painting;
  tokens = [PIECES[1], PIECES[2]];
  brushes = [{ code: "0" }, ...["1", "2", "3", "4"].map((code) => ({ code, icon: PIECES[code] }))];

  /** @param {import("./toolkit/frame.js").Frame} frame @param {Parameters} parameters */
  build(frame, parameters) {
    this.parameters = parameters;
    this.squares = parameters.tray && /^[0-4]{50}$/.test(parameters.tray) ? parameters.tray : START;
    this.board = new Board(frame.place, {
      columns: 10,
      rows: 10,
      kind: "chequer",
      turned: /^two$/i.test(parameters.side || ""),
      used: dark,
      called: (cell) => String(squareOf(cell)),
      numbers: (cell) => String(squareOf(cell)),
    });
    this.painting = [this.board];
  }

  draw() {
    this.board.clear();
    [...this.squares].forEach((code, n) => {
      if (PIECES[code]) this.board.put(cellOf(n + 1), PIECES[code](), SPOKEN[code]);
    });
  }

  async show() {
    this.draw();
    const mover = this.parameters.moves.findIndex((move) => read(move).length);
    if (mover < 0) return;
    const said = this.parameters.moves[mover] ?? "";
    const path = read(said);
    const end = cellOf(path[path.length - 1]);
    const shape = this.board.shape(end);
    this.board.mark("trail", path.slice(0, -1).map(cellOf));
    this.board.mark("last", [end]);
    const ghosts = said.includes("x") ? this.victims(path, mover) : [];
    const [endX, endY] = this.board.centre(end);
    sound("move");
    for (let n = 0; shape && n < path.length - 1; n += 1) {
      // The piece already stands at the end: each hop is played from where it was to where it came.
      const [[x1, y1], [x2, y2]] = [this.board.centre(cellOf(path[n])), this.board.centre(cellOf(path[n + 1]))];
      await slide(shape, x1 - endX, y1 - endY, x2 - endX, y2 - endY);
    }
    if (!ghosts.length) return;
    await pause(this.parameters.wait);
    sound("take");
    await Promise.all(ghosts.map((cell) => leave(this.board.shape(cell))));
    for (const cell of ghosts) this.board.take(cell);
  }

  /**
   * The tray is from after the move; where a jump was short, what it took can be told and is shown until it goes.
   * @param {number[]} path @param {number} mover
   */
  victims(path, mover) {
    /** @type {number[]} */
    const taken = [];
    for (let n = 0; n < path.length - 1; n += 1) {
      const [from, to] = [cellOf(path[n]), cellOf(path[n + 1])];
      const cell = (from + to) / 2;
      if (Math.abs(rowOf(path[n]) - rowOf(path[n + 1])) !== 2 || this.board.shape(cell)) continue;
      this.board.put(cell, PIECES[2 - mover]());
      taken.push(cell);
    }
    return taken;
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    const legal = moves(this.squares, seat);
    askPath(this.board, legal.map(({ path }) => path.map(cellOf)), (cells) => {
      const squares = cells.map(squareOf).join();
      const move = legal.find(({ path }) => path.join() === squares);
      if (!move) return;
      this.make(move);
      answer(write(move));
    });
  }

  /** @param {import("./draughts-moves.js").Move} move */
  make(move) {
    this.squares = after(this.squares, move);
    this.draw();
    this.board.mark("trail", move.path.slice(0, -1).map(cellOf));
    this.board.mark("last", [cellOf(move.path[move.path.length - 1])]);
    sound(move.captured.length ? "take" : "move");
  }

  /** @param {number} cell @param {string} code */
  paint(cell, code) {
    const square = squareOf(cell);
    this.squares = this.squares.slice(0, square - 1) + code + this.squares.slice(square);
    this.draw();
  }

  // On the bench the move was made when it was entered.
  play() {}

  tray() {
    return this.squares;
  }

  scores() {
    return ["13", "24"].map((codes) => String([...this.squares].filter((code) => codes.includes(code)).length));
  }
}

run(() => new Draughts());
