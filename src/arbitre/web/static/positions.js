// The position editor: what is laid goes to the server as it lies, and comes back drawn, in text, and judged. No rule is known here.

import { all, around, find, maybe } from "./elements.js";

/** @typedef {{ cells?: string, side?: number, rest?: string, picture?: string, text: string, problem: string, said: string }} Told */

const desk = find("#desk", HTMLElement);
const size = Number(desk.dataset.size);
const buttons = all(".cells button", HTMLButtonElement, desk);
const text = find("#position", HTMLTextAreaElement);
const names = new Map(all("[name=tool][data-name]", HTMLInputElement, desk).map((one) => [one.value, one.dataset.name ?? ""]));
let cells = desk.dataset.cells ?? "";
let rest = desk.dataset.rest ?? "";
/** @type {[string, string][]} */
const past = [];
const MOST_PAST = 200;
let asked = 0;
/** @type {number | null} */
let held = null;

const tool = () => maybe("[name=tool]:checked", HTMLInputElement, desk)?.value ?? "move";
const side = () => maybe("[name=side]:checked", HTMLInputElement, desk)?.value ?? "0";

function label() {
  for (const one of buttons) {
    const sign = cells[Number(one.dataset.at)];
    one.setAttribute("aria-label", `${one.dataset.label}: ${names.get(sign) ?? desk.dataset.empty}`);
  }
}

/** Show what the server says; of several answers the last asked for counts. @param {Record<string, string>} wish @param {boolean} typed */
async function ask(wish, typed = false) {
  const number = asked += 1;
  const answer = await fetch(`/positions/drawn?${new URLSearchParams({ game: desk.dataset.game ?? "", ...wish })}`).catch(() => null);
  if (!answer?.ok || number !== asked) return;
  /** @type {Told} */
  const told = await answer.json();
  if (number !== asked) return;
  if (told.cells !== undefined) {
    [cells, rest] = [told.cells, told.rest ?? ""];
    find("#picture", HTMLElement, desk).innerHTML = told.picture ?? "";
    for (const one of all("[name=side]", HTMLInputElement, desk)) one.checked = one.value === String(told.side);
  }
  if (!typed) text.value = told.text;
  const verdict = find("#verdict", HTMLElement, desk);
  verdict.className = `voice ${told.problem ? "bad" : "good"}`;
  find("b", HTMLElement, verdict).textContent = (told.problem ? desk.dataset.wrong : desk.dataset.legal) ?? "";
  find("span", HTMLElement, verdict).textContent = told.problem || told.said;
  for (const [id, path, key] of [["play", "/play", "start"], ["announce", "/compete/new", "starts"]]) {
    const link = maybe(`#${id}`, HTMLAnchorElement, desk);
    if (!link) continue;
    link.hidden = Boolean(told.problem);
    link.href = `${path}?${new URLSearchParams({ game: desk.dataset.game ?? "", [key]: told.text })}`;
  }
  find("#copy", HTMLElement, desk).dataset.copy = told.text;
  label();
}

const lay = () => ask({ cells, side: side(), rest });

/** Put signs on cells. @param {[number, string][]} changes */
function put(changes) {
  const list = [...cells];
  for (const [at, sign] of changes) list[at] = sign;
  if (list.join("") === cells) return;
  past.push([cells, side()]);
  if (past.length > MOST_PAST) past.shift();
  cells = list.join("");
  lay();
}

function undo() {
  const before = past.pop();
  if (!before) return;
  cells = before[0];
  for (const one of all("[name=side]", HTMLInputElement, desk)) one.checked = one.value === before[1];
  lay();
}

/** @param {number | null} at */
function hold(at) {
  held = at;
  for (const one of buttons) one.classList.toggle("taken", Number(one.dataset.at) === at);
}

/** What a touch, a click or a key does with a cell. @param {number} at */
function act(at) {
  const chosen = tool();
  if (chosen !== "move") put([[at, cells[at] === chosen ? "." : chosen]]);
  else if (held !== null) {
    const from = held;
    hold(null);
    if (from !== at) put([[at, cells[from]], [from, "."]]);
  } else if (cells[at] !== ".") hold(at);
}

/** The cell below a pointer. @param {PointerEvent} event */
function below(event) {
  const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-at]");
  return found instanceof HTMLElement && desk.contains(found) ? Number(found.dataset.at) : null;
}

// ── by mouse and by finger: a piece is dragged from its cell, or from the palette ──

/** @type {{ from: number | null, sign: string } | null} */
let dragged = null;
desk.addEventListener("pointerdown", (event) => {
  const cell = around(event, "[data-at]");
  const piece = around(event, ".palette label");
  const at = cell ? Number(cell.dataset.at) : null;
  const sign = piece ? maybe("input", HTMLInputElement, piece)?.value ?? "" : at === null ? "" : cells[at];
  dragged = (piece && sign !== "move") || (at !== null && tool() === "move" && sign !== ".") ? { from: at, sign } : null;
  if (event.target instanceof Element && event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
});
desk.addEventListener("pointermove", (event) => {
  const at = dragged ? below(event) : null;
  for (const one of buttons) one.classList.toggle("over", Number(one.dataset.at) === at);
});
desk.addEventListener("pointerup", (event) => {
  const [drag, at] = [dragged, below(event)];
  dragged = null;
  for (const one of buttons) one.classList.remove("over");
  if (!drag || at === drag.from) return;
  hold(null);
  if (at !== null) put(drag.from === null ? [[at, drag.sign]] : [[at, drag.sign], [drag.from, "."]]);
  else if (drag.from !== null) put([[drag.from, "."]]); // dragged off the board
});
desk.addEventListener("click", (event) => {
  const cell = around(event, "[data-at]");
  if (cell) act(Number(cell.dataset.at));
});
desk.addEventListener("contextmenu", (event) => {
  const cell = around(event, "[data-at]");
  if (!cell) return;
  event.preventDefault();
  put([[Number(cell.dataset.at), "."]]);
});

// ── by keys ──

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -size, ArrowDown: size };
desk.addEventListener("keydown", (event) => {
  const cell = around(event, "[data-at]");
  if (!cell) return;
  const at = Number(cell.dataset.at);
  if (event.key in STEPS) {
    const step = STEPS[event.key];
    // on a board where nothing stands on every other cell, the neighbour of that neighbour, or the one beside it
    const found = [at + step, at + step - 1, at + step + 1, at + 2 * step].flatMap((next) => buttons.filter((one) => Number(one.dataset.at) === next))[0];
    if (found) {
      for (const one of buttons) one.tabIndex = one === found ? 0 : -1;
      found.focus();
    }
    event.preventDefault();
  } else if (event.key === "Delete" || event.key === "Backspace") put([[at, "."]]);
  else if (event.key === "Escape") hold(null);
});
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "z" && !around(event, "textarea, input:not([type=radio])")) undo();
});

// ── the rest ──

for (const one of all("[name=side]", HTMLInputElement, desk)) one.addEventListener("change", lay);
for (const one of all("[name=tool]", HTMLInputElement, desk)) one.addEventListener("change", () => hold(null));
desk.addEventListener("click", (event) => {
  const what = around(event, "[data-do]")?.dataset.do;
  if (what === "undo") undo();
  if (what === "clear") put(buttons.map((one) => [Number(one.dataset.at), "."]));
});
let waiting = 0;
text.addEventListener("input", () => {
  clearTimeout(waiting);
  for (const id of ["play", "announce"]) maybe(`#${id}`, HTMLElement, desk)?.toggleAttribute("hidden", true); // until it is judged
  waiting = setTimeout(() => { past.push([cells, side()]); ask({ text: text.value }, true); }, 200);
});
find("#game", HTMLSelectElement, desk).addEventListener("change", (event) => { if (event.target instanceof HTMLSelectElement) event.target.form?.requestSubmit(); });
label();
