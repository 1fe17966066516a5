// The form of a competition: the rules of the chosen game alone, and dates in the visitor's own time beside UTC. It works without.

import { all, maybe } from "./elements.js";

// ── rules ──

const rules = maybe("details.rules", HTMLDetailsElement);
const sheets = all("fieldset.rules[data-game]", HTMLElement);

function choose() {
  const game = maybe("[name=game]:checked", HTMLInputElement)?.value;
  for (const one of sheets) one.hidden = sheets.length > 1 && one.dataset.game !== game;
  if (rules) rules.hidden = sheets.every((one) => one.hidden);
}
for (const one of document.querySelectorAll("[name=game]")) one.addEventListener("change", choose);
choose();

// ── dates ──

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** Write a moment as a field has it, in the browser's time. @param {Date} at */
const local = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** The name of the browser's time zone, as people there say it. @param {Date} at */
function zone(at) {
  const { lang } = document.documentElement;
  const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, { timeZoneName: "short" });
  return format.formatToParts(at).find((one) => one.type === "timeZoneName")?.value ?? "";
}

for (const utc of all("input[data-utc]", HTMLInputElement)) {
  const words = utc.dataset.utc ?? "";
  const now = new Date(`${utc.value || "2000-01-01T00:00"}Z`);
  if (now.getTimezoneOffset() === 0) continue; // where UTC is the time of the day
  const own = document.createElement("input");
  own.type = "datetime-local";
  own.id = `${utc.id}-own`;
  own.disabled = utc.disabled;
  const label = document.createElement("label");
  label.htmlFor = own.id;
  label.className = "own-time";
  const tell = () => {
    const at = new Date(`${utc.value}Z`);
    const good = !Number.isNaN(at.valueOf());
    own.value = good ? local(at) : "";
    label.textContent = good ? `${words} (${zone(at)})` : words;
  };
  utc.addEventListener("input", tell);
  own.addEventListener("input", () => {
    const at = new Date(own.value); // a date without a zone is the browser's own
    utc.value = Number.isNaN(at.valueOf()) ? "" : at.toISOString().slice(0, 16);
    if (own.value) label.textContent = `${words} (${zone(at)})`;
  });
  tell();
  utc.after(label, own);
}
