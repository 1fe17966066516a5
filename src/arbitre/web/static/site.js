// What every page does: nothing that a page needs to be read, only what makes it nicer. No module imports it: loaded twice, it would
// do everything twice.

import { all, around, find } from "./elements.js";

/** Say that this browser runs our script: the page of a game will bring a key (witness.js). */
document.cookie = "arbitre_signs=yes; Path=/; Max-Age=31536000; SameSite=Lax";

/** Copy what a button carries in data-copy, and say so in its own place. */
document.addEventListener("click", async (event) => {
  const button = around(event, "[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? "");
  } catch {
    return; // without a secure connection browsers keep the clipboard: the text can still be selected
  }
  const before = button.textContent;
  button.textContent = button.dataset.done ?? "";
  setTimeout(() => { button.textContent = before; }, 1500);
});

/** Ask before a form does what cannot be undone. */
document.addEventListener("submit", (event) => {
  const question = around(event, "form")?.dataset.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});

/** What is folded on a phone is open where there is room. */
if (window.matchMedia("(min-width: 56rem)").matches) {
  for (const one of all("details[data-wide]", HTMLDetailsElement)) one.open = true;
}

/** What unfolds over the page folds again: by Escape, by a click elsewhere, and when the focus goes on. */
for (const one of all("details[data-folds]", HTMLDetailsElement)) {
  one.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !one.open) return;
    one.open = false;
    find("summary", HTMLElement, one).focus();
    event.stopPropagation();
  });
  for (const kind of ["pointerdown", "focusin"]) {
    document.addEventListener(kind, (event) => { if (event.target instanceof Node && !one.contains(event.target)) one.open = false; });
  }
}

/** Tabs: arrow keys move, the panel of the chosen tab is shown. */
for (const list of all('[role="tablist"]', HTMLElement)) {
  const tabs = all('[role="tab"]', HTMLElement, list);
  /** @param {HTMLElement} tab */
  const choose = (tab) => {
    for (const one of tabs) {
      const chosen = one === tab;
      one.setAttribute("aria-selected", String(chosen));
      one.tabIndex = chosen ? 0 : -1;
      find(`[id="${one.getAttribute("aria-controls")}"]`, HTMLElement).hidden = !chosen;
    }
  };
  list.addEventListener("click", (event) => {
    const tab = tabs.find((one) => one === around(event, '[role="tab"]'));
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const next = tabs[(tabs.findIndex((one) => one === document.activeElement) + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
  // A link to a tab, such as the seal, opens it; so does an address that ends with its name.
  /** @param {string | null | undefined} hash */
  const arrive = (hash) => {
    const tab = tabs.find((one) => one.id && `#${one.id}` === hash);
    if (!tab) return;
    choose(tab);
    tab.focus();
  };
  document.addEventListener("click", (event) => arrive(around(event, "a[href^='#']")?.getAttribute("href")));
  window.addEventListener("hashchange", () => arrive(location.hash));
  arrive(location.hash);
}

/** Moments are written in UTC; whoever lives elsewhere reads his own time beside it. */
function localise() {
  for (const one of all("time[datetime]:not([data-told])", HTMLTimeElement)) {
    one.dataset.told = "";
    const at = new Date(one.dateTime);
    if (Number.isNaN(at.valueOf()) || at.getTimezoneOffset() === 0) continue;
    const same = at.toLocaleDateString("en") === at.toLocaleDateString("en", { timeZone: "UTC" });
    /** @type {Intl.DateTimeFormatOptions} */
    const day = same ? {} : { day: "numeric", month: "short" };
    const format = new Intl.DateTimeFormat(document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang, { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" });
    const own = document.createElement("span");
    own.className = "own-time";
    own.textContent = ` (${format.format(at)})`;
    one.append(own);
  }
}
localise();
document.addEventListener("arbitre:fresh", localise);
