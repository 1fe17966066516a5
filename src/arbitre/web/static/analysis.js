// The board of an analysis: all its pictures are on the page, and one of them is shown. It imports nothing, for the same script is
// part of the page that stands alone.

const whole = document.querySelector("#analysis");
const caption = whole?.querySelector(".caption");
const range = whole?.querySelector("input[type=range]");
/** @type {Map<string, HTMLElement>} */
const pictures = new Map();
for (const one of whole?.querySelectorAll(".frame") ?? []) if (one instanceof HTMLElement) pictures.set(one.dataset.frame ?? "", one);

const last = whole instanceof HTMLElement ? Number(whole.dataset.last) : 0;
let number = last;
let line = 0; // the move whose better line is shown, 0 for the game itself
let deep = 0;

/** Show one picture, and say what it is. @param {string} id */
function show(id) {
  const frame = pictures.get(id);
  if (!frame) return false;
  for (const one of pictures.values()) one.hidden = one !== frame;
  if (caption) caption.textContent = frame.dataset.caption ?? "";
  const counts = (frame.dataset.tally ?? "").split(":");
  for (const one of whole?.querySelectorAll("[data-points]") ?? []) if (one instanceof HTMLElement) one.textContent = counts[Number(one.dataset.points)] ?? "";
  if (range instanceof HTMLInputElement) range.value = String(number);
  for (const one of whole?.querySelectorAll("[data-show], [data-line]") ?? []) {
    if (!(one instanceof HTMLElement)) continue;
    const pressed = line ? String(line) === (one.dataset.line ?? (one.matches(".moments button") ? one.dataset.show : "")) : one.dataset.show === String(number);
    one.setAttribute("aria-pressed", String(pressed));
  }
  return true;
}

/** Go to a move of the game. @param {number} to */
function go(to) {
  line = 0;
  number = Math.max(0, Math.min(to, last));
  show(String(number));
}

/** Go on or back, in the better line where one is shown. @param {number} by */
function step(by) {
  if (!line) return go(number + by);
  const to = deep + by;
  if (to < 0) return go(number);
  if (show(`${line}-${to}`)) deep = to;
}

/** Show a move where it was a mistake, crossed out, with what would have been better in figures; steps play that line. @param {number} at */
function better(at) {
  line = at;
  number = at - 1;
  deep = 0;
  show(`${at}-0`);
}

whole?.addEventListener("click", (event) => {
  const at = event.target instanceof Element ? event.target.closest("button") : null;
  if (!at) return;
  if (at.dataset.step) step(Number(at.dataset.step));
  else if (at.dataset.line) better(Number(at.dataset.line));
  else if (at.dataset.show && at.matches(".moments button") && pictures.has(`${at.dataset.show}-0`)) better(Number(at.dataset.show));
  else if (at.dataset.show) go(Number(at.dataset.show));
  if (at.dataset.line || at.dataset.show) whole.querySelector(".analysis-board")?.scrollIntoView({ block: "nearest" }); // on a phone it is far above
});
range?.addEventListener("input", () => go(Number(range instanceof HTMLInputElement ? range.value : 0)));
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement) return;
  if (event.key === "ArrowLeft") step(-1);
  else if (event.key === "ArrowRight") step(1);
});
if (whole) go(number);

export {};
