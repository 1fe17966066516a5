// Boards in frames are 736 pixels wide: they shrink and grow with the place that they have.
import { all } from "./elements.js";

const WIDTH = 736;
const watch = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    if (target.firstElementChild instanceof HTMLElement) target.firstElementChild.style.transform = `scale(${target.clientWidth / WIDTH})`;
  }
});
for (const one of all(".side-by-side .frame", HTMLElement)) watch.observe(one);
