// Rows that climb: standings which are replaced by newer ones move from where they stood, once for each result.

import { all } from "./elements.js";

const LONG_MS = 700;
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Note where the rows of a part of the page stand; the function that is returned lets those that came for them climb from there. @param {ParentNode} part */
export function climbing(part) {
  const before = new Map(all("[data-row]", HTMLElement, part).map((row) => [row.dataset.row, row.getBoundingClientRect().top]));
  return () => {
    if (still.matches) return;
    for (const row of all("[data-row]", HTMLElement, part)) {
      const by = (before.get(row.dataset.row) ?? NaN) - row.getBoundingClientRect().top;
      if (by) row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: LONG_MS, easing: "cubic-bezier(.2, .7, .2, 1)" });
    }
  };
}
