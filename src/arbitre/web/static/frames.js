// Boards in frames are 736 pixels wide: they shrink and grow with the place that they have.
const WIDTH = 736;
const watch = new ResizeObserver((seen) => {
  for (const { target } of seen) target.firstElementChild.style.transform = `scale(${target.clientWidth / WIDTH})`;
});
for (const one of document.querySelectorAll(".side-by-side .frame")) watch.observe(one);
