// Times that run down: an element with `data-left` has so many seconds from the moment it is first seen, whatever its reader's clock says.

import { all } from "./elements.js";

const TICK_MS = 250;
/** @type {WeakMap<Element, number>} */
const ends = new WeakMap();

/** @param {number} seconds */
function written(seconds) {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, "0") : String(part))).join(":");
}

function tick() {
  for (const one of all("[data-left]", HTMLElement)) {
    const end = ends.get(one) ?? performance.now() + 1000 * Number(one.dataset.left);
    ends.set(one, end);
    const text = written(Math.max(0, Math.ceil((end - performance.now()) / 1000)));
    if (one.textContent !== text) one.textContent = text;
  }
}

setInterval(tick, TICK_MS);
tick();
