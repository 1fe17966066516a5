// The rules of BigTicTacToe: rows of five on ten by ten cells, A0 to J9; the most on a full board win, or the first one (option `first`).

import { fives } from "./toolkit/rules.js";

const SIDE = 10;

/** @typedef {{ cells: Uint8Array, turn: number, first: boolean, won: number }} State `won`: who has made the first row, 1 or 2 */

/** @param {number} cell */
const name = (cell) => "ABCDEFGHIJ"[cell % SIDE] + Math.floor(cell / SIDE);

/** How many rows of five or more a mark has, each run once. @param {Uint8Array} cells @param {number} mark */
function rows(cells, mark) {
  /** @param {number} row @param {number} column */
  const has = (row, column) => row >= 0 && column >= 0 && row < SIDE && column < SIDE && cells[row * SIDE + column] === mark;
  let found = 0;
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    for (let cell = 0; cell < SIDE * SIDE; cell += 1) {
      const [row, column] = [Math.floor(cell / SIDE), cell % SIDE];
      if (!has(row - down, column - right) && [0, 1, 2, 3, 4].every((n) => has(row + n * down, column + n * right))) found += 1;
    }
  }
  return found;
}

/** @type {import("./toolkit/rules.js").Rules} */
export const rules = {
  start(options, text) {
    const cells = Uint8Array.from(text.split(" ")[0].padEnd(SIDE * SIDE, "0"), Number);
    return { cells, turn: 1 + cells.filter(Boolean).length, first: options.first === true, won: 0 };
  },
  mover: ({ turn }) => (turn % 2 ? 0 : 1),
  legal(state) {
    if (rules.result(state) !== null) return [];
    return Array.from(/** @type {Uint8Array} */ (state.cells), (mark, cell) => (mark ? "" : name(cell))).filter(Boolean);
  },
  play({ cells, turn, first }, move) {
    const after = cells.slice();
    const cell = "ABCDEFGHIJ".indexOf(move[0]) + SIDE * Number(move[1]);
    after[cell] = turn % 2 ? 1 : 2;
    return { cells: after, turn: turn + 1, first, won: first && fives(after, SIDE, cell) ? after[cell] : 0 };
  },
  result({ cells, turn, won }) {
    if (won) return won === 1 ? 1 : 0;
    if (turn <= SIDE * SIDE) return null;
    const ahead = rows(cells, 1) - rows(cells, 2);
    return ahead ? (ahead > 0 ? 1 : 0) : 0.5;
  },
};
