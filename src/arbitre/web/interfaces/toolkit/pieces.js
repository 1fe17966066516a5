// The pieces of all games: one light from the top left, one stroke, so that ten games look like one family.
// A piece is drawn around the origin and fits a square of 100 by 100; the board scales it.

import { draw } from "./svg.js";

// The gradients that pieces are filled with; every drawing on the page may use them by name.
export function paints() {
  const ball = (id) => draw(
    "radialGradient", { id, cx: "34%", cy: "28%", r: "78%" },
    draw("stop", { offset: "0", class: `${id}-high` }), draw("stop", { offset: ".55", class: `${id}-body` }),
    draw("stop", { offset: "1", class: `${id}-low` }),
  );
  const glow = draw("radialGradient", { id: "glow" }, draw("stop", { offset: ".45", class: "glow-in" }), draw("stop", { offset: "1", class: "glow-out" }));
  return draw("svg", { class: "paints", width: 0, height: 0, "aria-hidden": "true" },
    draw("defs", {}, ball("light"), ball("dark"), ball("warm"), ball("cool"), ball("amber"), glow));
}

const shadow = (radius) => draw("ellipse", { cx: 3, cy: 6, rx: radius, ry: radius, class: "shadow" });

// A round stone: "light" or "dark", or any other paint.
export function stone(paint) {
  return draw("g", { class: `piece stone ${paint}` }, shadow(40),
    draw("circle", { r: 40, fill: `url(#${paint})`, class: "edge" }),
    draw("ellipse", { cx: -13, cy: -17, rx: 12, ry: 7, transform: "rotate(-35 -13 -17)", class: "gleam" }));
}

// A draughtsman, with its rings; a king bears a crown.
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

// What tools of the test bench look like.
export function eraser() {
  return draw("g", { class: "tool" }, draw("circle", { r: 34, class: "tool-line" }), draw("path", { d: "M-24 24 L24 -24", class: "tool-line" }));
}
