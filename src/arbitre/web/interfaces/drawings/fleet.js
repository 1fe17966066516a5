// Fleets in text and in mind: ships of five characters, `V3C51`, on ten by ten cells (seed: chapter V, Bataille navale).

/** @typedef {{ size: number, column: number, row: number, vertical: boolean }} Lying where a ship lies */
/** @typedef {Lying & { state: number }} Ship */
/** @typedef {Lying & { placed: boolean }} Movable a ship that is being placed */

export const SIDE = 10;
export const SIZES = [5, 4, 3, 3, 2];
export const LETTERS = [..."ABCDEFGHIJ"];
export const DIGITS = [..."0123456789"];

/** @param {number} cell */
export const spot = (cell) => LETTERS[cell % SIDE] + DIGITS[Math.floor(cell / SIDE)];

/** Return the cell that a text begins with, undefined where it names none. @param {string | undefined} text */
export function cellOf(text) {
  const [column, row] = [LETTERS.indexOf((text || "").charAt(0).toUpperCase()), DIGITS.indexOf((text || "").charAt(1))];
  return column < 0 || row < 0 ? undefined : row * SIDE + column;
}

/** Return the ships in a text; what is no ship, or reaches off the board, is left out. @param {string | undefined} text @returns {Ship[]} */
export function readFleet(text) {
  return [...(text || "").matchAll(/([VH])([2-5])([A-J])([0-9])([1-3])/gi)]
    .map(([, way, size, column, row, state]) => ({
      vertical: way.toUpperCase() === "V",
      size: Number(size),
      column: LETTERS.indexOf(column.toUpperCase()),
      row: Number(row),
      state: Number(state),
    }))
    .filter(fits);
}

/** The fleet as a record writes it: large ships first, then row by row. @param {Lying[]} ships */
export function writeFleet(ships) {
  const ordered = [...ships].sort((one, two) => two.size - one.size || one.row - two.row || one.column - two.column);
  return ordered.map((ship) => `${ship.vertical ? "V" : "H"}${ship.size}${LETTERS[ship.column]}${ship.row}1`).join("");
}

/** @param {Lying} ship */
export function fits({ size, column, row, vertical }) {
  const [right, down] = vertical ? [0, size - 1] : [size - 1, 0];
  return column >= 0 && row >= 0 && column + right < SIDE && row + down < SIDE;
}

/** @param {Lying} ship */
export function cellsOf({ size, column, row, vertical }) {
  return Array.from({ length: size }, (_, n) => (row + (vertical ? n : 0)) * SIDE + column + (vertical ? 0 : n));
}

/** Tell whether a ship lies within the board and on none of the others. @param {Movable} ship @param {Movable[]} others */
export function free(ship, others) {
  if (!fits(ship)) return false;
  const taken = new Set(others.filter((one) => one.placed && one !== ship).flatMap(cellsOf));
  return cellsOf(ship).every((cell) => !taken.has(cell));
}

/** Place all ships anew, every fleet as likely as another. @param {Movable[]} ships */
export function scatter(ships) {
  /** @param {number} below */
  const dice = (below) => Math.floor(Math.random() * below);
  do {
    for (const ship of ships) Object.assign(ship, { column: dice(SIDE), row: dice(SIDE), vertical: dice(2) === 1, placed: true });
  } while (!ships.every((ship) => free(ship, ships.filter((one) => one !== ship))));
}
