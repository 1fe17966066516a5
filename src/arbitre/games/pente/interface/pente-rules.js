// The rules of Pente: five in a row or five captured pairs on nineteen lines, AA to SS; the first player's second stone lies outside the
// five by five in the centre.

import { fives } from "./toolkit/rules.js";

const SIDE = 19;
const LETTERS = "ABCDEFGHIJKLMNOPQRS";
const PAIRS = 5;
const WAYS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

/** For each cell and way with room: the two cells beside it and the one behind them. */
const BRACKETS = Array.from({ length: SIDE * SIDE }, (_, cell) => WAYS.flatMap(([down, right]) => {
  const [row, column] = [Math.floor(cell / SIDE) + 3 * down, (cell % SIDE) + 3 * right];
  const step = down * SIDE + right;
  return row < 0 || column < 0 || row >= SIDE || column >= SIDE ? [] : [[cell + step, cell + 2 * step, cell + 3 * step]];
}));

const NAMES = Array.from({ length: SIDE * SIDE }, (_, cell) => LETTERS[cell % SIDE] + LETTERS[Math.floor(cell / SIDE)]);
const CENTRAL = NAMES.map((name) => [...name].every((letter) => "HIJKL".includes(letter)));

/** @type {import("./toolkit/rules.js").Rules} A state: cells, the turn, captured pairs of both, and who has won, 1 or 2. */
export const rules = {
  start(_, text) {
    const [word, one = "0", two = "0", turn] = text.split(" ");
    const cells = Uint8Array.from(word.padEnd(SIDE * SIDE, "0"), Number);
    return { cells, turn: Number(turn ?? 1), pairs: [Number(one), Number(two)], won: 0 };
  },
  mover: ({ turn }) => (turn % 2 ? 0 : 1),
  legal: ({ cells, turn, won }) => (won ? [] : NAMES.filter((_, cell) => !cells[cell] && !(turn === 3 && CENTRAL[cell]))),
  play({ cells, turn, pairs }, move) {
    const after = cells.slice();
    const cell = LETTERS.indexOf(move[0]) + SIDE * LETTERS.indexOf(move[1]);
    const [own, other] = turn % 2 ? [1, 2] : [2, 1];
    const taken = [...pairs];
    after[cell] = own;
    for (const [near, next, far] of BRACKETS[cell]) {
      if (after[near] !== other || after[next] !== other || after[far] !== own) continue;
      after[near] = after[next] = 0;
      taken[own - 1] = Math.min(PAIRS, taken[own - 1] + 1);
    }
    return { cells: after, turn: turn + 1, pairs: taken, won: taken[own - 1] >= PAIRS || fives(after, SIDE, cell) ? own : 0 };
  },
  result(state) {
    if (state.won) return state.won === 1 ? 1 : 0;
    return rules.legal(state).length ? null : 0.5;
  },
};
