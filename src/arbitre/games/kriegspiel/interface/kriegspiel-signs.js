// What a Kriegspiel player can tell without seeing the other side: where a piece could go were nobody in the way but its own side,
// and the umpire's announcements as signs.

import { chessman } from "./toolkit/pieces.js";
import { draw, element, icon } from "./toolkit/svg.js";

/** @type {Record<string, string>} */
export const CALLED = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };

const STRAIGHT = [[0, 1], [0, -1], [1, 0], [-1, 0]];
const ASKEW = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const JUMPS = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]];
/** @type {Record<string, number[][]>} */
const WAYS = { r: STRAIGHT, b: ASKEW, q: [...STRAIGHT, ...ASKEW], k: [...STRAIGHT, ...ASKEW], n: JUMPS };

/**
 * Lists the cells that the piece on `from` may try: some placement of the other side allows each of them.
 * @param {string[]} cells @param {number} from
 */
export function reach(cells, from) {
  const piece = cells[from];
  const white = piece < "a";
  /** @param {number} cell */
  const own = (cell) => cells[cell] !== "0" && cells[cell] < "a" === white;
  const [row, column] = [Math.floor(from / 8), from % 8];
  /** @param {number} down @param {number} right */
  const step = (down, right) => {
    const [y, x] = [row + down, column + right];
    return y >= 0 && y < 8 && x >= 0 && x < 8 ? y * 8 + x : undefined;
  };
  const kind = piece.toLowerCase();
  if (kind === "p") return pawn(white, row, step, own);
  /** @type {number[]} */
  const found = [];
  for (const [down, right] of WAYS[kind]) {
    for (let n = 1; n < 8; n += 1) {
      const cell = step(n * down, n * right);
      if (cell === undefined || own(cell)) break;
      found.push(cell);
      if ("kn".includes(kind)) break;
    }
  }
  const home = white ? 60 : 4;
  if (kind === "k" && from === home) {
    // Whether king and rook have moved is not on the tray: the umpire knows.
    const rook = white ? "R" : "r";
    if (cells[home + 3] === rook && !own(home + 1) && !own(home + 2)) found.push(home + 2);
    if (cells[home - 4] === rook && ![1, 2, 3].some((n) => own(home - n))) found.push(home - 2);
  }
  return found;
}

/** @param {boolean} white @param {number} row @param {(down: number, right: number) => number | undefined} step @param {(cell: number) => boolean} own */
function pawn(white, row, step, own) {
  const ahead = white ? -1 : 1;
  const found = [-1, 1].map((right) => step(ahead, right));
  const next = step(ahead, 0);
  if (next !== undefined && !own(next)) {
    found.push(next);
    if (row === (white ? 6 : 1)) found.push(step(2 * ahead, 0));
  }
  return found.flatMap((cell) => (cell === undefined || own(cell) ? [] : [cell]));
}

/** @param {string} d */
const line = (d) => draw("path", { d, class: "heard-line" });
/** @param {Node} shape */
const no = (shape) => draw("g", {}, shape, draw("path", { d: "M-34 34 L34 -34", class: "heard-no" }));

/**
 * By what follows the side in a code: what is drawn. The side is the one in check, or the one that moves.
 * @type {Record<string, (side: string) => SVGElement>}
 */
const SIGNS = {
  cl: () => draw("g", {}, line("M-38 38 L38 -38 M10 -38 H38 V-10"), line("M-38 10 V38 H-10")),
  cs: () => draw("g", {}, line("M-18 18 L18 -18 M0 -18 H18 V0"), line("M-18 0 V18 H0")),
  cr: () => line("M-40 0 H40 M22 -18 L40 0 L22 18 M-22 -18 L-40 0 L-22 18"),
  cf: () => line("M0 -40 V40 M-18 -22 L0 -40 L18 -22 M-18 22 L0 40 L18 22"),
  cn: (side) => chessman(side === "w" ? "n" : "N"),
  cp: (side) => chessman(side === "w" ? "p" : "P"),
  il: () => draw("g", {}, draw("circle", { r: 34, class: "heard-no" }), draw("path", { d: "M-20 0 H20", class: "heard-no" })),
  np: () => draw("path", { d: "M-26 -26 L26 26 M26 -26 L-26 26", class: "heard-no" }),
  pc: (side) => no(chessman(side === "w" ? "r" : "R")),
  pn: (side) => no(chessman(side === "w" ? "p" : "P")),
  pr: (side) => chessman(side === "w" ? "Q" : "q"),
};

/** What is said of a draw: offered, accepted, declined. @type {Record<string, string>} */
const DRAWS = { of: "½ ?", ac: "½ ✓", de: "½ ✗" };

/** Returns the announcements as list items, in the order in which they were made. @param {string} codes */
export function signs(codes) {
  return codes.split(",").flatMap((code) => {
    const [, side, what, count] = /^([wb])(c[lsrfnp]|il|np|pc|pn|pr|of|ac|de|m)(\d*)$/.exec(code) || [];
    if (!side) return [];
    const king = icon(chessman(side === "w" ? "K" : "k"));
    king.classList.add("token");
    if (what in DRAWS) return [element("li", { "aria-label": code }, king, DRAWS[what])];
    if (what !== "m") {
      const check = what[0] === "c" ? ["+"] : what === "pr" ? ["↑"] : [];
      return [element("li", { "aria-label": code }, king, ...check, icon(SIGNS[what](side)))];
    }
    if (!Number(count)) return [];
    return [element("li", { "aria-label": code }, king, icon(chessman(side === "w" ? "P" : "p")), "⤢", count)];
  });
}
