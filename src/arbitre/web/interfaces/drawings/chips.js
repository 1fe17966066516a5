// Chips of 25, 5 and 1 in stacks seen from the side: the colour and the number of notches both tell the worth.

import { draw } from "../toolkit/svg.js";

const WORTHS = [25, 5, 1];
/** @type {Record<number, number[]>} */
const NOTCHES = { 25: [-9, 0, 9], 5: [-5, 5], 1: [0] };
const [WIDE, HIGH, THICK, APART] = [16, 6, 5, 36];

/** Split an amount into stacks of equal chips, the dearest first, at most eight to a stack. @param {number} amount */
export function stacks(amount) {
  /** @type {[worth: number, count: number][]} */
  const found = [];
  let left = amount;
  for (const worth of WORTHS) {
    const count = Math.floor(left / worth);
    left -= count * worth;
    for (let taken = 0; taken < count; taken += 8) found.push([worth, Math.min(8, count - taken)]);
  }
  return found;
}

/** @param {number} worth @param {number} y */
function chip(worth, y) {
  const side = `M${-WIDE} ${y}v${THICK}a${WIDE} ${HIGH} 0 0 0 ${2 * WIDE} 0v${-THICK}`;
  return draw(
    "g",
    { class: `chip chip-${worth}` },
    draw("path", { d: side, class: "chip-side" }),
    ...NOTCHES[worth].map((x) => draw("path", { d: `M${x} ${y + HIGH * Math.sqrt(1 - (x / WIDE) ** 2)}v${THICK}`, class: "chip-notch" })),
    draw("ellipse", { cx: 0, cy: y, rx: WIDE, ry: HIGH, class: "chip-top" }),
    draw("ellipse", { cx: 0, cy: y, rx: WIDE - 5, ry: HIGH - 2.2, class: "chip-ring" }),
  );
}

/** Draw an amount as stacks that stand side by side on y = 0, centred on x = 0. @param {number} amount */
export function pile(amount) {
  const all = stacks(amount);
  const columns = all.map(([worth, count], at) => {
    const x = (at - (all.length - 1) / 2) * APART;
    const chips = Array.from({ length: count }, (_, n) => chip(worth, -THICK * (n + 1)));
    return draw("g", { transform: `translate(${x} 0)` }, ...chips);
  });
  return draw("g", { class: "pile", "data-amount": amount }, ...columns);
}
