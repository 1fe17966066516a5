// The attract page: three hands, and the numbers of the levels as keys.

import { draw } from "/interfaces/toolkit/svg.js";
import { hands } from "./pictures.js";

const trio = document.getElementById("trio");
for (const [at, sign] of ["PIERRE", "FEUILLE", "CISEAUX"].entries()) {
  trio.append(draw("svg", { viewBox: "0 0 200 250" }, hands(sign, at % 2)));
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
  document.querySelector(`[data-level="${CSS.escape(event.key)}"]`)?.click();
});
