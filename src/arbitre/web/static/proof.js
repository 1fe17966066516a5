// The proof before one's eyes: the record is fetched and checked here, by the visitor's own browser, a tick running along the moves.

import { all, find, maybe } from "./elements.js";
import { check } from "./record.js";

const TICK_MS = 45;
const MOST_TICKS = 100;
const LONGEST_MS = 3000;

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Check the record of the page in its panel, once; nothing where there is no record yet. */
export function prove() {
  const box = maybe("#check:not([data-state])", HTMLElement);
  if (box) run(box);
}

/** @param {HTMLElement} box */
async function run(box) {
  box.dataset.state = "running";
  const title = find("h2", HTMLElement, box);
  const line = find(".checked-by", HTMLElement, box);
  const answer = await fetch(box.dataset.record ?? "").catch(() => null);
  if (!answer?.ok) {
    delete box.dataset.state; // whoever opens the panel again tries again
    line.textContent = box.dataset.away ?? "";
    return;
  }
  const text = await answer.text();
  const moves = text.split("\n").flatMap((one, at) => (one.includes('"kind":"said"') ? [at + 1] : []));
  const ticks = moves.map(() => document.createElement("i"));
  find(".ticks", HTMLElement, box).replaceChildren(...ticks);
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const each = calm ? 0 : moves.length > MOST_TICKS ? LONGEST_MS / moves.length : TICK_MS;
  let done = 0;
  let due = performance.now();
  const found = await check(text, {
    key: box.dataset.key,
    step: async (at) => {
      for (; done < moves.length && moves[done] <= at; done += 1) {
        ticks[done].className = "good";
        due += each;
        if (due > performance.now()) await pause(due - performance.now());
      }
    },
  });
  const sound = found.standing === "sound";
  box.dataset.state = sound ? "sound" : "broken";
  title.textContent = (sound ? box.dataset.sound : box.dataset.broken) ?? "";
  line.textContent = sound ? box.dataset.by ?? "" : `${found.fault?.code ?? found.standing} · ${found.fault?.line ?? ""}`;
  for (const item of all("li[data-check]", HTMLElement, box)) item.hidden = !found.checked.includes(item.dataset.check ?? "");
  /** @type {Record<string, number>} */
  const counts = { chain: found.events, draws: found.draws };
  for (const item of all("li [data-count]", HTMLElement, box)) item.textContent = String(counts[item.dataset.count ?? ""] ?? "");
}
