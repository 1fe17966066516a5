// "Check here" on the page of an analysis: document and record are fetched and checked by the visitor's own browser (analysis_check.js),
// and what the page shows is compared with what follows. Each check that was made stands in its line; a forgery says where.

import { all, find, maybe } from "./elements.js";
import { check } from "./analysis_check.js";

/** @typedef {import("./analysis_check.js").Figures} Figures */

const box = maybe("#check-here", HTMLElement);
const TOLERANCE = 7; // of ten thousand: the curve is drawn to a tenth of a point
const WHOLE = 10_000;
const GRADES = ["", "inaccuracy", "mistake", "blunder"];
const MOST_REMARKS = 200; // so many are told, the worst

/** A figure as the page writes it, null where there is none. @param {string | null | undefined} text */
const figure = (text) => (text?.trim() === "–" ? null : Number((text ?? "").trim().replace(",", ".")));

/**
 * Whether the page tells of these mistakes, of each the grade and, in a game whose moves are called by their texts, the better line.
 * @param {Figures["mistakes"]} mistakes @param {boolean} texts
 */
function tells(mistakes, texts) {
  const due = new Map(mistakes.map((one) => [one.number, one]));
  const listed = all(".remarks > li", HTMLElement).map((item) => {
    const said = due.get(Number(item.querySelector("[data-show]")?.getAttribute("data-show")));
    const better = item.lastElementChild?.textContent?.trim() ?? "";
    return said && GRADES[said.grade] === item.className && (!texts || better.endsWith(said.line)) ? said.number : 0;
  });
  return !listed.includes(0) && new Set(listed).size === listed.length && listed.length === Math.min(mistakes.length, MOST_REMARKS);
}

/** Whether the page shows these figures: the curve as it is drawn, the moments, what is said of each player. @param {Figures} due */
function shows({ moments, curve, players }) {
  const area = find(".curve", SVGElement);
  const high = Number(area.getAttribute("viewBox")?.split(" ")[3]);
  const points = (find(".area", SVGElement, area).getAttribute("d") ?? "").split("L").slice(1, -1); // it begins and ends in the middle
  const drawn = points.map((point) => WHOLE * (1 - Number(point.split(" ")[1]) / high));
  const told = all(".moments [data-show]", HTMLElement).map((one) => Number(one.dataset.show));
  const rows = all("[data-players] tbody tr", HTMLElement).map((row) => all("td", HTMLElement, row).map((cell) => figure(cell.textContent)));
  const said = players.map(({ accuracy, grades }) => [accuracy === null ? null : accuracy / 10, ...grades]);
  return drawn.length === curve.length && drawn.every((one, at) => Math.abs(one - curve[at]) < TOLERANCE)
    && JSON.stringify(told) === JSON.stringify(moments) && JSON.stringify(rows) === JSON.stringify(said);
}

/** @param {string} [address] */
async function fetched(address) {
  const answer = await fetch(address ?? "");
  if (!answer.ok) throw new TypeError(String(answer.status));
  return new Uint8Array(await answer.arrayBuffer());
}

/** @param {HTMLElement} where */
async function run(where) {
  const { document: place, record, rules, running = "", sound = "", forged = "", away = "" } = where.dataset;
  const status = find(".note", HTMLElement, where);
  const items = all("li", HTMLElement, where);
  /** @param {string} kind @param {string} text */
  const say = (kind, text) => {
    status.className = `note ${kind}`;
    status.textContent = text;
    status.hidden = false;
  };
  for (const one of items) one.hidden = true;
  say("", running);
  let given;
  try {
    given = await Promise.all([fetched(place), fetched(record), rules ? import(rules) : { rules: null }]);
  } catch {
    return say("bad", away);
  }
  const found = await check(new TextDecoder().decode(given[0]), given[1], {
    rules: given[2].rules,
    shows: (due) => shows(due) && tells(due.mistakes, Boolean(rules)),
  });
  /** @type {Record<string, unknown>} */
  const told = { ...found, certified: found.certified.join(", "), ply: found.fault?.ply };
  for (const one of items) {
    const { check: name, fault } = one.dataset;
    one.dataset.text ??= one.textContent ?? "";
    one.textContent = one.dataset.text.replace(/\{(\w+)\}/g, (_, key) => String(told[key] ?? ""));
    one.hidden = fault ? fault !== found.fault?.code : !found.done.includes(name ?? "");
  }
  find("[data-rest]", HTMLElement, where).hidden = found.fault !== null;
  where.dataset.state = found.fault ? "forged" : "sound";
  say(found.fault ? "bad" : "good", found.fault ? forged : sound);
}

if (box) {
  const button = find("button", HTMLButtonElement, box);
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await run(box);
    } finally {
      button.disabled = false;
      button.focus();
    }
  });
}
