// Buttons that carry a sign and no words.

import { draw, element, icon } from "../toolkit/svg.js";

/** @type {Record<string, string[]>} */
const SIGNS = {
  check: ["M-26 2L-8 22L28 -22"],
  erase: ["M-34 0L-14 -22H34V22H-14Z", "M-4 -9L16 9M16 -9L-4 9"],
  fold: ["M-20 -30H20V30H-20Z", "M-38 -32L38 32"],
  most: ["M-24 10L0 -12L24 10", "M-24 30L0 8L24 30", "M-26 -28H26"],
  turn: ["M26 -8A28 28 0 1 0 24 16", "M28 -30V-6H4"],
  dice: ["M-28 -28H28V28H-28Z"],
};
const DOTS = [[-13, -13], [13, -13], [0, 0], [-13, 13], [13, 13]];

/** Draw a sign in the square of 100 around the origin. @param {string} name */
export function sign(name) {
  const dots = name === "dice" ? DOTS.map(([cx, cy]) => draw("circle", { cx, cy, r: 5.5, class: "sign-dot" })) : [];
  return draw("g", { class: "button-sign" }, ...SIGNS[name].map((d) => draw("path", { d })), ...dots);
}

/**
 * Make a button with a sign, and perhaps a number or key beside it; `label` is for those who do not see it.
 * @param {string} name @param {string} label @param {() => void} press @param {string} [text]
 */
export function button(name, label, press, text) {
  const made = element("button", { type: "button", class: `press press-${name}`, "aria-label": label }, icon(sign(name)), text);
  made.addEventListener("click", press);
  return made;
}
