// What lies on the felt: an envelope that is closed, a hand that is shown, a seal that is opened and found true or false.

import { hand } from "/interfaces/drawings/hands.js";
import { animate } from "/interfaces/toolkit/motion.js";
import { draw } from "/interfaces/toolkit/svg.js";

/** @typedef {import("./elgamal.js").Sign} Sign */
/** @typedef {"empty" | "closed" | "true" | "false"} State how a commitment stands */

const NUMBERS = { PIERRE: 1, FEUILLE: 2, CISEAUX: 3 };

/** @param {Sign} sign @param {number} seat */
export const hands = (sign, seat) => hand(NUMBERS[sign], seat + 1);

/** Draw a sign into a button. @param {Element} svg @param {Sign} sign */
export function icon(svg, sign) {
  svg.replaceChildren(hands(sign, 0));
}

/** @param {number} seat */
function envelope(seat) {
  return draw(
    "g",
    { class: `envelope seat-${seat + 1}` },
    draw("rect", { x: 22, y: 62, width: 156, height: 118, rx: 12, class: "paper" }),
    draw("path", { d: "M24 70L100 134L176 70", class: "flap" }),
    draw("circle", { cx: 100, cy: 132, r: 24, class: "wax" }),
    draw("rect", { x: 89, y: 129, width: 22, height: 17, rx: 3, class: "bolt" }),
    draw("path", { d: "M93 129v-6a7 7 0 0 1 14 0v6", class: "shackle" }),
  );
}

/** @param {Exclude<State, "empty">} kind */
function mark(kind) {
  const shapes = {
    closed: [draw("rect", { x: 166, y: 26, width: 18, height: 14, rx: 2.5, class: "bolt" }), draw("path", { d: "M169 26v-5a6 6 0 0 1 12 0v5", class: "shackle" })],
    true: [draw("path", { d: "M164 28l8 8l14-16", class: "tick" })],
    false: [draw("path", { d: "M166 19l18 18M184 19l-18 18", class: "tick" })],
  };
  return draw("g", { class: `stamp ${kind}` }, draw("circle", { cx: 175, cy: 28, r: 21 }), ...shapes[kind]);
}

/**
 * Show how one side stands: `empty`, `closed`, or a sign with the mark of its commitment.
 * @param {SVGElement} svg @param {number} seat @param {{ sign?: Sign | "", state?: State }} side
 */
export function place(svg, seat, { sign = "", state = "empty" }) {
  /** @type {SVGElement[]} */
  const parts = [];
  if (state === "empty" && !sign) parts.push(draw("circle", { cx: 100, cy: 125, r: 46, class: "nothing" }));
  else if (!sign) parts.push(envelope(seat));
  else parts.push(hands(sign, seat));
  if (sign && state !== "empty") parts.push(mark(state));
  const before = svg.dataset.shown;
  svg.dataset.shown = `${sign}:${state}`;
  svg.replaceChildren(...parts);
  if (before === svg.dataset.shown) return;
  const frames = sign ? [{ transform: "translateY(34px) scale(.86)", opacity: 0.2 }, { transform: "none", opacity: 1 }] : [{ transform: "scale(.9)", opacity: 0 }, { transform: "none", opacity: 1 }];
  const fresh = before?.startsWith(`${sign}:`) ? parts.at(-1) : parts[0];
  animate(fresh, frames, 160);
}
