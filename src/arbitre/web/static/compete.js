// A competition that is followed: the board is fetched again when the site says that something changed.

import "./countdown.js";
import { climbing } from "./climb.js";
import { hex, unhex } from "./crypto.js";
import { all, find, maybe } from "./elements.js";
import { follow } from "./follow.js";
import { newOpening, writeCommit, writeReveal } from "./rochambeau.js";

const head = find("#competition", HTMLElement);
const board = find("#board", HTMLElement);
const base = `/compete/${head.dataset.number}`;

/** What stays the same about an element when its board is fetched again. @param {Element | null} one */
function sign(one) {
  if (!one || !board.contains(one)) return undefined;
  return [one.tagName, ...["href", "name", "value"].map((name) => one.getAttribute(name)), one.textContent].join("\n");
}

async function refresh() {
  const focused = sign(document.activeElement);
  const scrolled = new Map([...board.querySelectorAll("section[id] .wide")].map((one) => [one.closest("section")?.id, one.scrollLeft]));
  const playing = new Set(all(".yours a", HTMLAnchorElement, board).map((one) => one.href));
  const open = new Map([...board.querySelectorAll("details")].map((one, at) => [at, one.open]));
  const count = open.size;
  const answer = await fetch(`${base}/board${head.dataset.query}`).catch(() => null);
  if (!answer?.ok) return; // the site is away, and says so when it is back
  const fresh = await answer.text();
  const climb = climbing(board);
  board.innerHTML = fresh;
  climb();
  document.dispatchEvent(new Event("arbitre:fresh"));
  const details = [...board.querySelectorAll("details")];
  // the newest round comes first, so what was open is counted from the end
  details.forEach((one, at) => {
    const before = at - (details.length - count);
    if (open.has(before)) one.open = open.get(before) || one.open;
  });
  for (const one of board.querySelectorAll("section[id] .wide")) one.scrollLeft = scrolled.get(one.closest("section")?.id) ?? 0;
  if (focused) all("a, button, summary", HTMLElement, board).find((one) => sign(one) === focused)?.focus({ preventScroll: true });
  // whoever looks elsewhere while he waits sees in the tab that his game has begun
  if (all(".yours a", HTMLAnchorElement, board).some((one) => !playing.has(one.href))) {
    const told = find("#told", HTMLElement);
    told.textContent = told.dataset.begun ?? "";
    if (!document.title.startsWith("● ")) document.title = `● ${document.title}`;
  }
}

if (head.dataset.follow) {
  let first = true;
  const stop = follow(`${base}/events${head.dataset.query}`, {
    message: (event) => {
      const told = JSON.parse(event.data);
      // what the page was sent with is not fetched again; what happened since, or while the line was broken, is
      const known = first && String(told.count) === head.dataset.count;
      const shown = document.querySelector("#board > section");
      if (told.stage !== head.dataset.stage || (!first && !shown)) {
        stop();
        location.reload();
      } else if (!known && shown) refresh();
      first = false;
    },
  });
}

// paper has nothing to unfold, whether it is printed by the button or by the browser's own menu
window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
document.querySelector("[data-print]")?.addEventListener("click", () => window.print());

// ── Commits that this browser makes: the opening never leaves it before entries are closed ──

for (const form of all("form[data-lots]", HTMLFormElement)) {
  const place = `arbitre-lots/${form.dataset.lots}`;
  const make = maybe("[data-make]", HTMLButtonElement, form);
  if (make) {
    make.hidden = false;
    make.addEventListener("click", () => {
      const terms = { n: Number(form.dataset.states) };
      const opening = newOpening(terms.n, unhex(form.dataset.binder ?? ""));
      localStorage.setItem(place, hex(writeReveal(terms, opening)));
      find("[name=commit]", HTMLInputElement, form).value = hex(writeCommit(terms, opening));
      form.requestSubmit();
    });
  }
  const kept = localStorage.getItem(place);
  const reveal = maybe("[name=reveal]", HTMLInputElement, form);
  if (kept && reveal) {
    reveal.value = kept;
    form.requestSubmit();
  }
}
