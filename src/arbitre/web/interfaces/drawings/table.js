// The ground of a table: a rim, and felt with the same light as on all boards.

import { draw } from "../toolkit/svg.js";

/**
 * Draw felt in a rectangle with round corners.
 * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} rx
 */
export function felt(x, y, width, height, rx) {
  const at = { x, y, width, height, rx };
  return draw("g", {}, draw("rect", { ...at, class: "felt" }), draw("rect", { ...at, fill: "url(#sheen)" }));
}

/** Draw the rim around it. @param {number} x @param {number} y @param {number} width @param {number} height @param {number} rx */
export function rim(x, y, width, height, rx) {
  return draw("rect", { x, y, width, height, rx, class: "rim" });
}
