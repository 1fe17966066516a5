// The legal moves of international draughts: the longest capture is compulsory, kings fly, men take backwards too, and taken pieces
// stay on the board, and in the way, until the move is over. Squares are 1 to 50; a path is the squares from start to end.

/** @typedef {{ path: number[], captured: number[] }} Move */

const MOST_PATHS = 5000;

/** @param {number} square */
export const rowOf = (square) => Math.floor((square - 1) / 5);
/** @param {number} square */
export const columnOf = (square) => 2 * ((square - 1) % 5) + (rowOf(square) % 2 ? 0 : 1);

/** @param {number} row @param {number} column */
function squareAt(row, column) {
  return row < 0 || row > 9 || column < 0 || column > 9 ? 0 : row * 5 + Math.floor(column / 2) + 1;
}

const DIAGONALS = [[-1, -1], [-1, 1], [1, -1], [1, 1]];

// The squares from `square` to the edge in each of four directions.
const RAYS = Array.from({ length: 51 }, (_, square) => DIAGONALS.map(([down, right]) => {
  /** @type {number[]} */
  const ray = [];
  const next = () => squareAt(rowOf(square) + (ray.length + 1) * down, columnOf(square) + (ray.length + 1) * right);
  for (let at = square && next(); at; at = next()) ray.push(at);
  return ray;
}));

/**
 * Lists the legal moves of a seat, 0 white and 1 black, on a tray of fifty characters: {path, captured}.
 * @param {string} tray @param {number} seat @returns {Move[]}
 */
export function moves(tray, seat) {
  /** @param {number} square */
  const at = (square) => tray[square - 1];
  const own = ["13", "24"][seat];
  const foes = ["24", "13"][seat];
  const pieces = Array.from({ length: 50 }, (_, n) => n + 1).filter((square) => own.includes(at(square)));
  /** @type {Move[]} */
  let longest = [];

  /** @param {number[]} path @param {number[]} captured @param {boolean} flies */
  const extend = (path, captured, flies) => {
    const start = path[0];
    const here = path[path.length - 1];
    /** @param {number} square */
    const free = (square) => square === start || at(square) === "0";
    let further = false;
    for (const ray of RAYS[here]) {
      let n = 0;
      while (flies && n < ray.length && free(ray[n])) n += 1;
      const victim = ray[n];
      if (victim === undefined || victim === start || !foes.includes(at(victim)) || captured.includes(victim)) continue;
      for (n += 1; n < ray.length && free(ray[n]); n += 1) {
        further = true;
        extend([...path, ray[n]], [...captured, victim], flies);
        if (!flies) break;
      }
    }
    if (further || !captured.length || longest.length >= MOST_PATHS) return;
    if (longest.length && captured.length < longest[0].captured.length) return;
    if (longest.length && captured.length > longest[0].captured.length) longest = [];
    longest.push({ path, captured });
  };

  for (const square of pieces) extend([square], [], "34".includes(at(square)));
  return longest.length ? longest : pieces.flatMap((square) => quiet(tray, seat, square));
}

/** @param {string} tray @param {number} seat @param {number} square */
function quiet(tray, seat, square) {
  const flies = "34".includes(tray[square - 1]);
  /** @type {Move[]} */
  const found = [];
  RAYS[square].forEach((ray, way) => {
    if (!flies && way < 2 !== (seat === 0)) return;
    for (const to of flies ? ray : ray.slice(0, 1)) {
      if (tray[to - 1] !== "0") break;
      found.push({ path: [square, to], captured: [] });
    }
  });
  return found;
}

/** Returns the tray after a move. @param {string} tray @param {Move} move */
export function after(tray, { path, captured }) {
  const cells = [...tray];
  const piece = cells[path[0] - 1];
  const end = path[path.length - 1];
  cells[path[0] - 1] = "0";
  for (const square of captured) cells[square - 1] = "0";
  cells[end - 1] = piece === "1" && end <= 5 ? "3" : piece === "2" && end > 45 ? "4" : piece;
  return cells.join("");
}
