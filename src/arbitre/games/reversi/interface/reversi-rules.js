// The rules of Reversi: 64 cells, A1 to H8, row by row; a disc turns what it outflanks, and XX passes where none can be laid.

/** @typedef {{ cells: Uint8Array, turn: number }} State 0 empty, 1 a black disc (the first player's), 2 a white one */

const NAMES = Array.from({ length: 64 }, (_, cell) => "ABCDEFGH"[cell % 8] + (1 + Math.floor(cell / 8)));
const WAYS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
const START = `${"0".repeat(27)}43${"0".repeat(6)}34${"0".repeat(27)} 1`;

/** For each cell the cells from it to the edge, each way where there are two at least. */
const RAYS = NAMES.map((_, cell) => WAYS.map(([down, right]) => {
  const ray = [];
  let [row, column] = [Math.floor(cell / 8) + down, (cell % 8) + right];
  for (; row >= 0 && column >= 0 && row < 8 && column < 8; row += down, column += right) ray.push(8 * row + column);
  return ray;
}).filter((ray) => ray.length > 1));

/** How many discs one of a colour turns along a ray. @param {Uint8Array} cells @param {number[]} ray @param {number} own */
function run(cells, ray, own) {
  let n = 0;
  while (n < ray.length && cells[ray[n]] === 3 - own) n += 1;
  return n && n < ray.length && cells[ray[n]] === own ? n : 0;
}

/** @param {Uint8Array} cells @param {number} own */
const open = (cells, own) => NAMES.flatMap((_, cell) => (!cells[cell] && RAYS[cell].some((ray) => run(cells, ray, own)) ? [cell] : []));

/** @param {Uint8Array} cells @param {number} cell @param {number} own */
function laid(cells, cell, own) {
  const after = cells.slice();
  after[cell] = own;
  for (const ray of RAYS[cell]) for (let n = run(cells, ray, own) - 1; n >= 0; n -= 1) after[ray[n]] = own;
  return after;
}

/** @param {Uint8Array} cells @param {number} own */
const ahead = (cells, own) => cells.reduce((sum, disc) => sum + (disc ? (disc === own ? 1 : -1) : 0), 0);

/** @param {State} state */
const colour = ({ turn }) => (turn % 2 ? 1 : 2);

/** @param {Uint8Array} cells @param {number} own @param {number} low @param {number} high @param {() => void} spend @param {boolean} passed @returns {number} */
function count(cells, own, low, high, spend, passed = false) {
  spend();
  const moves = open(cells, own);
  if (!moves.length) return passed ? -ahead(cells, 3 - own) : -count(cells, 3 - own, -high, -low, spend, true);
  let best = -65;
  for (const cell of moves) {
    best = Math.max(best, -count(laid(cells, cell, own), 3 - own, -high, -Math.max(low, best), spend));
    if (best >= high) break;
  }
  return best;
}

/** @type {import("./toolkit/rules.js").Rules} */
export const rules = {
  start(_, text) {
    const [word, turn] = (text || START).split(" ");
    const cells = Uint8Array.from(word, (one) => ({ 3: 1, 4: 2 })[one] ?? 0);
    return { cells, turn: Number(turn ?? cells.filter(Boolean).length - 3) };
  },
  mover: ({ turn }) => (turn % 2 ? 0 : 1),
  legal(state) {
    const moves = open(state.cells, colour(state));
    if (moves.length) return moves.map((cell) => NAMES[cell]);
    return open(state.cells, 3 - colour(state)).length ? ["XX"] : [];
  },
  play: (state, move) => ({ cells: move === "XX" ? state.cells : laid(state.cells, NAMES.indexOf(move), colour(state)), turn: state.turn + 1 }),
  result(state) {
    if (rules.legal(state).length) return null;
    const discs = ahead(state.cells, 1);
    return discs ? (discs > 0 ? 1 : 0) : 0.5;
  },
  balance: ({ cells }) => ahead(cells, 1),
  count: (state, low, high, spend) => count(state.cells, colour(state), low, high, spend),
  left: ({ cells }) => 64 - cells.filter(Boolean).length,
  counted: 8,
};
