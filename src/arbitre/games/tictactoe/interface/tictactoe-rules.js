// The rules of TicTacToe: three in a row on nine cells, 1 to 9.

import { counting } from "./toolkit/rules.js";

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/** @param {string} cells */
const free = (cells) => cells.split("0").length - 1;

/** @type {import("./toolkit/rules.js").Rules} A state is nine characters. */
export const rules = {
  start: (_, text) => text.split(" ")[0] || "000000000",
  mover: (cells) => (free(cells) % 2 ? 0 : 1),
  legal: (cells) => (rules.result(cells) === null ? [...cells].flatMap((mark, at) => (mark === "0" ? [String(at + 1)] : [])) : []),
  play: (cells, move) => cells.slice(0, Number(move) - 1) + "12"[rules.mover(cells)] + cells.slice(Number(move)),
  result(cells) {
    const line = LINES.find(([a, b, c]) => cells[a] !== "0" && cells[a] === cells[b] && cells[b] === cells[c]);
    if (line) return cells[line[0]] === "1" ? 1 : 0;
    return free(cells) ? null : 0.5;
  },
  count: (cells, low, high, spend) => counting(rules)(cells, low, high, spend),
  left: free,
  counted: 9,
};
