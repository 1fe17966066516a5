// The pieces of all games: one light from the top left, one stroke, so that ten games look like one family.
// A piece is drawn around the origin and fits a square of 100 by 100; the board scales it.

import { draw } from "./svg.js";

// The gradients that pieces are filled with; every drawing on the page may use them by name.
export function paints() {
  /** @param {string} id */
  const ball = (id) => draw(
    "radialGradient", { id, cx: "34%", cy: "28%", r: "78%" },
    draw("stop", { offset: "0", class: `${id}-high` }), draw("stop", { offset: ".55", class: `${id}-body` }),
    draw("stop", { offset: "1", class: `${id}-low` }),
  );
  const glow = draw("radialGradient", { id: "glow" }, draw("stop", { offset: ".45", class: "glow-in" }), draw("stop", { offset: "1", class: "glow-out" }));
  const sheen = draw("radialGradient", { id: "sheen", cx: "28%", cy: "18%", r: "95%" }, draw("stop", { offset: "0", class: "sheen-in" }), draw("stop", { offset: "1", class: "sheen-out" }));
  return draw("svg", { class: "paints", width: 0, height: 0, "aria-hidden": "true" },
    draw("defs", {}, sheen, ball("light"), ball("dark"), ball("warm"), ball("cool"), ball("amber"), glow));
}

/** @param {number} radius */
const shadow = (radius) => draw("ellipse", { cx: 3, cy: 6, rx: radius, ry: radius, class: "shadow" });

/** A round stone: "light" or "dark", or any other paint. @param {string} paint */
export function stone(paint) {
  return draw("g", { class: `piece stone ${paint}` }, shadow(40),
    draw("circle", { r: 40, fill: `url(#${paint})`, class: "edge" }),
    draw("ellipse", { cx: -13, cy: -17, rx: 12, ry: 7, transform: "rotate(-35 -13 -17)", class: "gleam" }));
}

/** A draughtsman, with its rings; a king bears a crown. @param {string} paint */
export function man(paint, king = false) {
  const made = draw("g", { class: `piece man ${paint}` }, shadow(41),
    draw("circle", { r: 41, fill: `url(#${paint})`, class: "edge" }),
    draw("circle", { r: 31, class: "groove" }), draw("circle", { r: 22, class: "groove" }));
  if (king) made.append(draw("path", { d: "M-22 15 L-26 -14 L-11 -1 L0 -22 L11 -1 L26 -14 L22 15 Z M-22 21 H22", class: "crown" }));
  return made;
}

// The two marks of TicTacToe.
export function cross() {
  const bars = "M-27 -27 L27 27 M27 -27 L-27 27";
  return draw("g", { class: "piece mark warm" }, draw("path", { d: bars, class: "mark-shadow", transform: "translate(2 5)" }),
    draw("path", { d: bars, class: "mark-edge" }), draw("path", { d: bars, class: "mark-body" }),
    draw("path", { d: "M-28 -29 L-4 -5", class: "mark-gleam" }));
}

export function ring() {
  const round = { r: 29 };
  return draw("g", { class: "piece mark cool" }, draw("circle", { ...round, class: "mark-shadow", transform: "translate(2 5)" }),
    draw("circle", { ...round, class: "mark-edge" }), draw("circle", { ...round, class: "mark-body" }),
    draw("path", { d: "M-27 -13 A30 30 0 0 1 -8 -29", class: "mark-gleam" }));
}

/**
 * Chessmen, by their letters in capitals: an outline that takes the paint, and what is drawn on it.
 * @type {Record<string, ["path" | "circle", Record<string, string | number>][]>}
 */
const CHESS = {
  P: [["path", { d: "M-27 38 H27 C27 27 18 24 13 17 C9 9 8 3 8 -3 H14 V-9 H-14 V-3 H-8 C-8 3 -9 9 -13 17 C-18 24 -27 27 -27 38 Z" }], ["circle", { cy: -20, r: 14 }]],
  R: [["path", { d: "M-29 38 H29 V29 L21 23 L17 -9 L24 -15 V-37 H13 V-29 H6 V-37 H-6 V-29 H-13 V-37 H-24 V-15 L-17 -9 L-21 23 L-29 29 Z" }]],
  B: [["path", { d: "M-27 38 H27 C25 29 15 28 10 23 L12 11 C23 2 20 -16 0 -33 C-20 -16 -23 2 -12 11 L-10 23 C-15 28 -25 29 -27 38 Z" }], ["circle", { cy: -37, r: 5 }]],
  N: [["path", { d: "M-24 38 H27 C31 4 24 -27 0 -34 L-3 -43 L-11 -33 C-19 -26 -23 -13 -34 -1 C-37 4 -33 13 -26 11 C-19 9 -17 4 -7 3 C-6 15 -22 18 -24 38 Z" }]],
  Q: [
    ["path", { d: "M-28 38 H28 L23 21 L35 -21 L17 0 L13 -31 L0 -4 L-13 -31 L-17 0 L-35 -21 L-23 21 Z" }],
    ...[[-35, -24], [-13, -35], [13, -35], [35, -24]].map(([cx, cy]) => /** @type {["circle", Record<string, number>]} */ (["circle", { cx, cy, r: 5 }])),
  ],
  K: [["path", { d: "M-5 -43 H5 V-36 H12 V-27 H5 V-18 H-5 V-27 H-12 V-36 H-5 Z" }], ["path", { d: "M-27 38 H27 L23 20 C41 5 34 -20 14 -18 C6 -17 2 -12 0 -5 C-2 -12 -6 -17 -14 -18 C-34 -20 -41 5 -23 20 Z" }]],
};

/** @type {Record<string, string>} */
const CARVED = { P: "M-22 31 H22", R: "M-21 23 H21 M-17 -9 H17", B: "M-17 31 H17 M0 -18 V-2 M-7 -10 H7", N: "M-19 31 H22 M-13 -16 V-15 M-29 3 V4", Q: "M-24 22 C-8 16 8 16 24 22 M-25 30 H25", K: "M-23 20 C-8 14 8 14 23 20 M-24 29 H24 M0 -5 V13" };

/** @param {string} letter */
export function chessman(letter) {
  const kind = letter.toUpperCase();
  const paint = kind === letter ? "light" : "dark";
  return draw("g", { class: `piece chessman ${paint}`, transform: "scale(1.1)" }, draw("ellipse", { cx: 3, cy: 37, rx: 30, ry: 7, class: "shadow" }),
    ...CHESS[kind].map(([name, attributes]) => draw(name, { ...attributes, fill: `url(#${paint})`, class: "edge" })),
    draw("path", { d: CARVED[kind], class: "carved" }));
}

// What tools of the test bench look like.
export function eraser() {
  return draw("g", { class: "tool" }, draw("circle", { r: 34, class: "tool-line" }), draw("path", { d: "M-24 24 L24 -24", class: "tool-line" }));
}
