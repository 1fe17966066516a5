// Asks for a move from cell to cell: pick a piece, then where it goes, square by square or at once; or carry it there.

import { announce } from "./words.js";

/** @param {number[]} cells */
const unique = (cells) => [...new Set(cells)];

/**
 * `paths` are all that may be entered, lists of cells; `done(path)` is called with one of them.
 * @param {import("./board.js").Board} board @param {number[][]} paths @param {(path: number[]) => void} done
 */
export function askPath(board, paths, done) {
  ["movable", "chosen", "step"].forEach((kind) => board.unmark(kind));
  const starts = unique(paths.map((path) => path[0]));
  /** @type {number[]} */
  let chosen = [];

  const open = () => paths.filter((path) => chosen.every((cell, n) => path[n] === cell));

  /** @param {number[]} path */
  const finish = (path) => {
    clear();
    board.rest();
    done(path);
  };

  const clear = () => ["movable", "chosen", "step"].forEach((kind) => board.unmark(kind));

  const reset = () => {
    chosen = [];
    next();
  };

  /** @param {number} cell */
  const pick = (cell) => {
    if (chosen.length) {
      const onwards = open().filter((path) => path[chosen.length] === cell);
      const ending = open().filter((path) => path.at(-1) === cell);
      if (onwards.length) {
        chosen.push(cell);
        const whole = onwards.find((path) => path.length === chosen.length);
        if (whole) finish(whole);
        else {
          next();
          announce("chosen", { cell: board.called(cell) });
        }
        return;
      }
      if (ending.length) {
        finish(ending[0]);
        return;
      }
    }
    chosen = starts.includes(cell) ? [cell] : [];
    next();
    if (chosen.length) announce("chosen", { cell: board.called(cell) });
  };

  function next() {
    const cursor = board.cursor;
    clear();
    /** @param {number} _ @param {number} to */
    const drag = (_, to) => pick(to);
    if (!chosen.length) {
      board.ask(starts, pick, { drag, dots: false });
      board.mark("movable", starts);
      return;
    }
    const ahead = unique(open().flatMap((path) => [path[chosen.length], path[path.length - 1]]));
    board.ask(unique([...ahead, ...(chosen.length === 1 ? starts : [])]), pick, { drag, dots: false, cancel: reset });
    board.mark("chosen", chosen.slice(0, 1));
    board.mark("step", chosen.slice(1));
    board.mark("target", ahead);
    board.point(cursor);
  }

  next();
}
