// The attract page: three hands, and the numbers of the levels as keys.

import { draw } from "/interfaces/toolkit/svg.js";
import { around, find, maybe } from "../elements.js";
import { hands } from "./pictures.js";
import { WORDS } from "./wire.js";

const trio = find("#trio", HTMLElement);
for (const [at, sign] of WORDS.entries()) {
  trio.append(draw("svg", { viewBox: "0 0 200 250" }, hands(sign, at % 2)));
}

document.addEventListener("keydown", (event) => {
  if (around(event, "input, select, textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
  maybe(`[data-level="${CSS.escape(event.key)}"]`, HTMLElement)?.click();
});
