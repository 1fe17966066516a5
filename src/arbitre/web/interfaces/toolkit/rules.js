// The rules of a game of two that hides nothing, as a module of its own: what a page needs that goes through a game again by itself
// (the check of an analysis). A game brings them as `NAME-rules.js`; moves are texts, as records have them, and a state never changes.

/**
 * @typedef {object} Rules
 * @property {(options: Record<string, unknown>, text: string) => any} start the state that a text stands for, the first one where it is empty
 * @property {(state: any) => 0 | 1} mover
 * @property {(state: any) => string[]} legal every move; none when the game is over
 * @property {(state: any, move: string) => string} [deed] the same for texts that say the same move, where there are such
 * @property {(state: any, move: string) => any} play behind a legal move
 * @property {(state: any) => 0 | 0.5 | 1 | null} result the first seat's share of a game that is over
 * @property {(state: any) => number} [balance] by how many of its units the first seat is ahead
 * @property {(state: any, low: number, high: number, spend: () => void) => number} [count] what the side to move gets in the end with best
 *   play: its units, or -1, 0, 1 where the game counts none; beyond the bounds only that it is
 * @property {(state: any) => number} [left] how many moves there are still at most, where `count` is there
 * @property {number} [counted] with so many left at most, `count` takes no time
 */

/** Count out a game of few moves, by its rules and nothing else. @param {Rules} rules @returns {NonNullable<Rules["count"]>} */
export const counting = (rules) => function count(state, low, high, spend) {
  spend();
  const mover = rules.mover(state);
  const result = rules.result(state);
  if (result !== null) return (mover ? -1 : 1) * (2 * result - 1);
  let best = -1;
  for (const move of rules.legal(state)) {
    best = Math.max(best, -count(rules.play(state, move), -high, -Math.max(low, best), spend));
    if (best >= high) break;
  }
  return best;
};

/** Whether a stone on a cell stands in a row of five or more of its kind. @param {Uint8Array} cells @param {number} side @param {number} cell */
export function fives(cells, side, cell) {
  const [row, column] = [Math.floor(cell / side), cell % side];
  return [[0, 1], [1, 0], [1, 1], [1, -1]].some(([down, right]) => {
    let length = 1;
    for (const way of [-1, 1]) {
      for (let n = way; ; n += way) {
        const [y, x] = [row + n * down, column + n * right];
        if (y < 0 || x < 0 || y >= side || x >= side || cells[y * side + x] !== cells[cell]) break;
        length += 1;
      }
    }
    return length >= 5;
  });
}
