// Ships from above, their bows to the right, one cell of the board as the unit; a vertical ship is the same one turned.

import { draw } from "../toolkit/svg.js";

/** @param {number} x */
const gun = (x, way = 1) => [
  draw("path", { d: `M${x} 0h${0.3 * way}`, class: "ship-barrel" }),
  draw("circle", { cx: x, cy: 0, r: 0.13, class: "ship-turret" }),
];
/** @param {number} x @param {number} width @param {number} height */
const house = (x, width, height) => draw("rect", { x, y: -height / 2, width, height, rx: 0.06, class: "ship-house" });
/** @param {number} x */
const funnel = (x) => draw("circle", { cx: x, cy: 0, r: 0.1, class: "ship-funnel" });

/** @type {Record<number, () => SVGElement[]>} */
const DECKS = {
  5: () => [
    draw("path", { d: "M.35 .02H4.35", class: "ship-runway" }),
    draw("rect", { x: 2.3, y: -0.34, width: 0.85, height: 0.18, rx: 0.05, class: "ship-house" }),
    draw("path", { d: "M.5-.24H1.7M.5 .25H3.9", class: "ship-line" }),
  ],
  4: () => [...gun(0.6, -1), house(1.25, 1.15, 0.34), funnel(1.55), funnel(2.05), ...gun(2.7), ...gun(3.15)],
  3: () => [...gun(0.6, -1), house(1.05, 0.75, 0.3), funnel(1.35), ...gun(2.1)],
  2: () => [house(0.45, 0.5, 0.28), ...gun(1.25)],
};

/** The outline of a hull of `size` cells, from (0, -0.5) to (size, 0.5). @param {number} size */
function hull(size) {
  const [stern, bow] = [0.1, size - 0.08];
  const [side, shoulder] = size === 5 ? [0.42, size - 0.45] : [0.36, size - 0.8];
  const point = size === 5 ? `Q${bow} ${-side} ${bow} 0Q${bow} ${side} ${shoulder} ${side}` : `Q${bow - 0.25} ${-side * 0.75} ${bow} 0Q${bow - 0.25} ${side * 0.75} ${shoulder} ${side}`;
  return `M${stern + 0.14} ${-side}H${shoulder}${point}H${stern + 0.14}Q${stern} ${side * 0.8} ${stern} 0Q${stern} ${-side * 0.8} ${stern + 0.14} ${-side}Z`;
}

/** Draw a ship at rest around its own axis; `state` is 1 intact, 2 hit, 3 sunk. @param {number} size */
export function vessel(size, state = 1) {
  return draw(
    "g",
    { class: `ship ship-state-${state}`, "data-size": size },
    draw("path", { d: hull(size), class: "ship-wake", transform: "translate(.05 .07)" }),
    draw("path", { d: hull(size), class: "ship-hull" }),
    ...DECKS[size](),
  );
}

/**
 * Turn and move a vessel so that its first cell is (column, row) of a board whose cells measure `cell`.
 * @param {boolean} vertical @param {number} column @param {number} row @param {number} cell
 */
export function berth(vertical, column, row, cell) {
  const [x, y] = [(column + (vertical ? 0.5 : 0)) * cell, (row + (vertical ? 0 : 0.5)) * cell];
  return `translate(${x} ${y}) scale(${cell})${vertical ? " rotate(90)" : ""}`;
}

/**
 * Draw what a shot left in the cell whose middle is (x, y): 1 water, 2 a hit, 3 a hit on a ship that is sunk.
 * @param {string} result @param {number} x @param {number} y @param {number} cell
 */
export function splash(result, x, y, cell) {
  const at = { transform: `translate(${x} ${y}) scale(${cell / 2})` };
  if (result === "1") {
    return draw("g", { ...at, class: "shot shot-water" }, draw("circle", { r: 0.5, class: "ripple" }), draw("circle", { r: 0.18, class: "drop" }));
  }
  const burst = Array.from({ length: 16 }, (_, n) => {
    const [angle, reach] = [(n * Math.PI) / 8, n % 2 ? 0.36 : 0.72];
    return `${(Math.cos(angle) * reach).toFixed(3)} ${(Math.sin(angle) * reach).toFixed(3)}`;
  });
  return draw(
    "g",
    { ...at, class: result === "3" ? "shot shot-sunk" : "shot shot-hit" },
    draw("path", { d: `M${burst.join("L")}Z`, class: "blast" }),
    draw("path", { d: "M-.22-.22L.22.22M.22-.22L-.22.22", class: "blast-cross" }),
  );
}
