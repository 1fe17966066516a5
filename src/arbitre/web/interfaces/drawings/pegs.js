// Pegs of MasterMind in a circle of radius 1, each colour with a sign of its own so that nobody needs to tell colours apart.

import { draw } from "../toolkit/svg.js";

export const COLOURS = "ABCDEFGH";

/** @type {Record<string, string>} */
const SIGNS = {
  A: "M-.4 0a.4.4 0 1 1 .8 0a.4.4 0 1 1-.8 0Z",
  B: "M-.42-.14H.42V.14H-.42Z",
  C: "M0-.46L.44.34H-.44Z",
  D: "M-.34-.34H.34V.34H-.34Z",
  E: "M0-.5L.42 0L0 .5L-.42 0Z",
  F: "M-.13-.42H.13V-.13H.42V.13H.13V.42H-.13V.13H-.42V-.13H-.13Z",
  G: "M0 .44C-.2.2-.48.06-.48-.2C-.48-.5-.1-.5 0-.2C.1-.5.48-.5.48-.2C.48.06.2.2 0 .44Z",
  H: "M0-.5L.13-.16L.48-.16L.2.06L.3.42L0 .2L-.3.42L-.2.06L-.48-.16L-.13-.16Z",
};

/** Draw a peg of a colour, its middle at (x, y). @param {string} colour @param {number} x @param {number} y @param {number} radius */
export function peg(colour, x, y, radius) {
  return draw(
    "g",
    { class: `peg peg-${colour}`, "data-colour": colour, transform: `translate(${x} ${y}) scale(${radius})` },
    draw("circle", { r: 1, class: "peg-shade" }),
    draw("circle", { r: 0.94, class: "peg-body" }),
    draw("ellipse", { cx: -0.28, cy: -0.5, rx: 0.38, ry: 0.2, class: "peg-light", transform: "rotate(-30 -0.28 -0.5)" }),
    draw("path", { d: SIGNS[colour], class: "peg-sign" }),
  );
}

/** Draw the hole where a peg may stand. @param {number} x @param {number} y @param {number} radius */
export function hole(x, y, radius) {
  return draw("circle", { cx: x, cy: y, r: radius, class: "peg-hole" });
}

/**
 * Draw the marks of a line two by two: full ones for pegs well placed, rings for those that belong elsewhere.
 * @param {number} placed @param {number} misplaced @param {number} x @param {number} y @param {number} apart
 */
export function marks(placed, misplaced, x, y, apart) {
  const kinds = [..."p".repeat(placed), ..."m".repeat(misplaced)];
  const spots = Array.from({ length: 4 }, (_, n) => {
    const [cx, cy] = [x + (n % 2) * apart, y + Math.floor(n / 2) * apart];
    const name = kinds[n] === "p" ? "mark-placed" : kinds[n] === "m" ? "mark-misplaced" : "mark-none";
    return draw("circle", { cx, cy, r: kinds[n] ? apart * 0.36 : apart * 0.14, class: name });
  });
  return draw("g", { class: "marks", "data-marks": `${placed}${misplaced}` }, ...spots);
}
