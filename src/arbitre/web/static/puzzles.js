// The board of a puzzle by keys: the arrows go from cell to cell, Enter touches. Without this script every cell is a link by itself.

import { all, maybe } from "./elements.js";

const board = maybe(".puzzle-board .cells", HTMLElement);
const size = Number(board?.dataset.size);
/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

if (board) {
  const links = all("a", HTMLAnchorElement, board);
  for (const one of links) one.tabIndex = -1;
  const first = links.find((one) => one.hasAttribute("aria-current")) ?? links[0];
  if (first) first.tabIndex = 0;
  board.addEventListener("keydown", (event) => {
    const way = WAYS[event.key];
    const cells = [...board.children];
    const at = cells.indexOf(/** @type {Element} */ (event.target));
    if (!way || at < 0) return;
    event.preventDefault();
    let [column, row] = [at % size, Math.floor(at / size)];
    for (;;) {
      column += way[0];
      row += way[1];
      if (column < 0 || row < 0 || column >= size || row >= size) return;
      const next = cells[row * size + column];
      if (!(next instanceof HTMLAnchorElement)) continue;
      for (const one of links) one.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      return;
    }
  });
}
