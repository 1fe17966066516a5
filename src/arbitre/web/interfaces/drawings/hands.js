// Three hands, drawn upwards in a box of 200 by 240: a glove with a cuff in the colour of its seat.
// Every finger is a thick line with round ends, once in ink and once, thinner, in the colour of the glove; what is drawn
// together melts into one shape, what is drawn after lies before it.

import { draw } from "../toolkit/svg.js";

export const ROCK = 1;
export const PAPER = 2;
export const SCISSORS = 3;

/** @typedef {[x1: number, y1: number, x2: number, y2: number, width: number]} Bone */

/** @type {Bone} */
const PALM = [100, 118, 100, 160, 88];
/** @type {Bone} */
const WRIST = [100, 150, 100, 180, 62];

/** @type {Record<number, { whole: Bone[], before: Bone[][], creases: string[] }>} */
const SHAPES = {
  [ROCK]: {
    whole: [PALM, WRIST],
    before: [[[66, 92, 66, 122, 25]], [[90, 86, 90, 121, 25]], [[114, 88, 114, 121, 25]], [[137, 96, 137, 122, 23]], [[62, 142, 112, 150, 25]]],
    creases: [],
  },
  [PAPER]: {
    whole: [PALM, WRIST, [68, 116, 56, 38, 25], [91, 108, 88, 20, 25], [115, 108, 120, 25, 25], [135, 118, 150, 54, 22], [70, 152, 22, 108, 26]],
    before: [],
    creases: ["M78 88L80 116", "M103 84V112", "M127 92L124 116", "M76 170Q96 160 100 128"],
  },
  [SCISSORS]: {
    whole: [PALM, WRIST, [72, 112, 46, 30, 25], [96, 108, 122, 22, 25]],
    before: [[[115, 100, 115, 128, 24]], [[138, 104, 138, 128, 22]], [[64, 150, 122, 140, 25]]],
    creases: ["M84 100L85 120"],
  },
};

/** @param {Bone} bone @param {number} rim @param {string} name */
const bone = ([x1, y1, x2, y2, width], rim, name) => draw("line", { x1, y1, x2, y2, "stroke-width": width + rim, class: name });
/** @param {Bone[]} bones */
const limb = (bones) => [...bones.map((one) => bone(one, 7, "glove-rim")), ...bones.map((one) => bone(one, 0, "glove"))];

/** Draw the hand that shows `sign`; `seat` (1 or 2) colours the cuff. @param {number} sign @param {number} seat */
export function hand(sign, seat) {
  const { whole, before, creases } = SHAPES[sign];
  return draw(
    "g",
    { class: `hand seat-${seat}` },
    ...limb(whole),
    ...before.flatMap(limb),
    ...creases.map((d) => draw("path", { d, class: "glove-crease" })),
    draw("rect", { x: 66, y: 196, width: 68, height: 44, class: "cuff" }),
    draw("rect", { x: 58, y: 182, width: 84, height: 30, rx: 9, class: "cuff" }),
    draw("path", { d: "M68 197H132", class: "cuff-seam" }),
  );
}
