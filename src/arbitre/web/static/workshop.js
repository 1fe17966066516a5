// The workshop: what is written is saved, tried against the house, counted over ten games, and lent. Everything that a program says
// is text to this page, and nothing of it is ever markup.
import { Board } from "./boards.js";
import { all, around, find, maybe, reason } from "./elements.js";
import { send } from "./form.js";
import { changes } from "./surround.js";
import { Editor } from "./workshop_editor.js";
import { mended } from "./workshop_mend.js";
import { Sandbox } from "./workshop_sandbox.js";
import { Lent, play } from "./workshop_try.js";

/**
 * @typedef {import("./workshop_sandbox.js").Language} Language
 * @typedef {import("./workshop_try.js").Failure} Failure
 * @typedef {import("./workshop_try.js").Scene} Scene
 * @typedef {import("./workshop_try.js").Step} Step
 */

const GAMES = 10;
const MOST_PRINTED = 400;
const page = find("#workshop", HTMLElement);
const game = page.dataset.game ?? "";
/** What the site tells the page. @type {{place: any, templates: Record<string, string>, faults: [string, string, string][], say: Record<string, string>, words: Record<string, string>, modules: string, base: string, sandbox: string, person: boolean, first: Language | "", kept: Record<string, {name: string, number: number, text: string | null}>, keeps: boolean, ending: Record<string, string>}} */
const told = JSON.parse(page.dataset.told ?? "");
if (page.dataset.aspect) page.style.setProperty("--tall", page.dataset.aspect);

/** A sentence of the page, with what belongs into it. @param {string} text @param {Record<string, unknown>} [given] */
const filled = (text, given = {}) => text.replace(/\{(\w+)\}/g, (whole, key) => (key in given ? String(given[key]) : whole));
/** @param {string} key @param {Record<string, unknown>} [given] */
const say = (key, given) => filled(told.say[key], given);

// ── the program ──

const editor = new Editor(find("#source", HTMLTextAreaElement), find(".code-lines", HTMLElement));
const languages = find("#language", HTMLSelectElement);
const called = maybe("#called", HTMLInputElement);
const saved = find("#saved", HTMLElement);
let number = 0;

/** @returns {Language} */
const language = () => (languages.value === "javascript" ? "javascript" : "python");
const KEPT = (/** @type {string} */ tongue) => `arbitre-workshop/${game}/${tongue}`;

/** Do something with what this browser keeps, if it keeps anything. @template T @param {(box: Storage) => T} use */
function drawer(use) {
  try {
    return use(localStorage);
  } catch {
    return null; // private windows and strict settings keep nothing
  }
}

/** Keep the program before it runs: with the account, or in this browser. */
async function save() {
  if (!told.keeps) return;
  if (!told.person) {
    const done = drawer((box) => { box.setItem(KEPT(language()), editor.text); return true; });
    saved.textContent = done ? say("saved") : "";
    return;
  }
  const answer = await send(`/workshop/${game}/save`, { name: called?.value ?? "", language: language(), text: editor.text });
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? say("offline"));
  number = found.number;
  told.kept[language()] = { name: called?.value ?? "", number, text: editor.text };
  saved.textContent = say("kept", { version: found.version });
  list(found.version);
}

/** Put a version that was just made at the top of the list. @param {number} version */
function list(version) {
  const programs = find("#programs", HTMLElement);
  const href = `/workshop/source/${number}?version=${version}`;
  programs.hidden = false;
  if (all("a", HTMLAnchorElement, programs).some((one) => one.getAttribute("href") === href)) return;
  const line = document.createElement("a");
  line.href = href;
  line.textContent = `${say("version", { version })} · ${new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" })}`;
  find("div", HTMLElement, programs).prepend(line);
}

/** Begin with a language: with what was written in it before, or with its template. @param {Language} tongue */
function begin(tongue) {
  const own = told.kept[tongue];
  const before = own ? own.text : told.person || !told.keeps ? null : drawer((box) => box.getItem(KEPT(tongue)));
  number = own?.number ?? 0;
  if (called) called.value = own?.name ?? "";
  else find("#called-so", HTMLElement).textContent = own?.name ?? "";
  languages.value = tongue;
  editor.open(before ?? told.templates[tongue], tongue);
  saved.textContent = "";
  blame(null);
  void warm();
}

editor.changed = () => {
  saved.textContent = told.keeps ? say("unsaved") : "";
  editor.mark(0);
};
languages.addEventListener("change", () => {
  drawer((box) => box.setItem("arbitre-workshop", languages.value));
  begin(language());
});
find("#game", HTMLSelectElement).addEventListener("change", (event) => {
  if (event.target instanceof HTMLSelectElement) location.href = `/workshop/${event.target.value}`;
});
find("#template", HTMLButtonElement).addEventListener("click", () => {
  editor.replace(told.templates[language()]);
  editor.field.focus();
});
find("#download", HTMLAnchorElement).addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  if (link.href.startsWith("blob:")) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([editor.text], { type: "text/plain" }));
  link.download = (called?.value || find("#called-so", HTMLElement).textContent || game) + told.ending[language()];
});
find(".code-keys", HTMLElement).addEventListener("click", (event) => {
  const key = around(event, "[data-key]")?.dataset.key;
  if (!key) return;
  editor.press(key);
  editor.field.focus();
});

// ── sharing ──

const link = find("#link", HTMLElement);
maybe("#share", HTMLButtonElement)?.addEventListener("click", () => doing(async () => {
  await save();
  const answer = await send(`/workshop/source/${number}/share`);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  const anchor = find("a", HTMLAnchorElement, link);
  anchor.href = anchor.textContent = found.url;
  find("[data-copy]", HTMLButtonElement, link).dataset.copy = found.url;
  link.hidden = false;
}));
find("#unshare", HTMLButtonElement).addEventListener("click", () => doing(async () => {
  await send(`/workshop/source/${number}/unshare`);
  link.hidden = true;
}));

// ── the sandbox ──

const sandbox = new Sandbox(page, told.place);
const state = find("#state", HTMLElement);
const buttons = all("#try, #ten", HTMLButtonElement);
const stop = find("#stop", HTMLButtonElement);
let stopped = false;
let busy = false;

/** Fetch and start the language before somebody wants to play. */
async function warm() {
  state.textContent = say(language() === "python" ? "warming" : "ready");
  try {
    await sandbox.warm(language());
    if (!busy) state.textContent = say("ready");
  } catch {
    state.textContent = say("offline");
  }
}

/** Say what went wrong, and mark where. @param {Failure | null} failure @param {string} [any] */
function blame(failure, any = "") {
  const box = find("#fault", HTMLElement);
  box.hidden = !failure;
  editor.mark(failure?.line ?? 0);
  if (!failure) return;
  const where = [failure.line ? say("line", failure) : "", failure.turn ? say("turn", { turn: failure.turn }) : ""].filter(Boolean).join(", ");
  const colon = document.documentElement.lang === "fr" ? "\u00a0:" : ":";
  find("b", HTMLElement, box).textContent = where ? `${where[0].toUpperCase()}${where.slice(1)}${colon}` : "";
  find("span", HTMLElement, box).textContent = inWords(failure, any);
  find("button", HTMLButtonElement, box).hidden = !failure.line;
  const better = language() === "python" ? mended(failure, editor.text) : "";
  const mend = find(".code-mend", HTMLElement, box);
  mend.hidden = !better;
  mend.dataset.line = String(failure.line);
  find("code", HTMLElement, mend).textContent = better;
}
find(".code-mend button", HTMLButtonElement).addEventListener("click", () => {
  const mend = find(".code-mend", HTMLElement);
  const lines = editor.text.split("\n");
  const at = Number(mend.dataset.line) - 1;
  if (at in lines) lines[at] = find("code", HTMLElement, mend).textContent ?? "";
  editor.replace(lines.join("\n"));
  blame(null);
  editor.go(at + 1);
});
find("#fault button", HTMLButtonElement).addEventListener("click", () => {
  const line = all(".code-lines > div", HTMLElement).findIndex((one) => one.classList.contains("wrong"));
  if (line >= 0) editor.go(line + 1);
});

/** An error in words that a beginner understands. @param {Failure} failure @param {string} any */
function inWords(failure, any) {
  for (const [kinds, found, words] of told.faults) {
    const parts = new RegExp(found).exec(failure.text);
    if (!kinds.split("|").includes(failure.kind) || !parts) continue;
    return filled(words, { ...parts, text: failure.text, move: failure.move, modules: told.modules, any });
  }
  return [failure.kind, failure.text].filter(Boolean).join(": ");
}

const printed = find("#printed", HTMLElement);
let rows = 0;

/** @param {number} turn @param {string} text */
function prints(turn, text) {
  printed.hidden = false;
  for (const row of text.replace(/\n$/, "").split("\n")) {
    rows += 1;
    if (rows > MOST_PRINTED) continue;
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("span"), { textContent: say("moved", { turn }) }), row);
    find("ul", HTMLElement, printed).append(item);
  }
  find("summary .quiet", HTMLElement, printed).textContent = String(rows);
}

// ── the board and the story ──

const board = new Board(find(".bench-board .frame", HTMLElement), { base: told.base, sandbox: told.sandbox, ours: true, words: { ...told.words, language: document.documentElement.lang }, silent: () => true, keep: () => {}, foretell: () => {} });
const scrub = find("#scrub", HTMLInputElement);
const story = find("#story", HTMLElement);
/** @type {Scene[]} */
let scenes = [];
let seat = 0;
changes(() => board.recolour());

/** @param {number} at */
function show(at) {
  const scene = scenes[at];
  if (!scene) return;
  board.show(scene.past ?? scene.query ?? "");
  scrub.max = String(scenes.length - 1);
  scrub.value = String(at);
  const turn = Math.max(0, ...scenes.slice(0, at + 1).flatMap((one) => one.lines.map((line) => line.turn ?? 0)));
  find("#moved", HTMLElement).textContent = turn ? say("moved", { turn }) : "";
  for (const [side, which] of Object.entries({ below: seat, above: 1 - seat })) {
    find(`[data-side="${side}"] b`, HTMLElement).textContent = String(scene.scores?.[which] ?? "");
  }
}
scrub.addEventListener("input", () => show(Number(scrub.value)));
find("#back", HTMLButtonElement).addEventListener("click", () => show(Number(scrub.value) - 1));
find("#on", HTMLButtonElement).addEventListener("click", () => show(Number(scrub.value) + 1));

/** Show what happened. @param {Step} step */
function heard(step) {
  if (step.seat !== seat || !scenes.length) {
    seat = step.seat;
    find('[data-side="below"] .name', HTMLElement).textContent = step.names[seat] ?? "";
    find('[data-side="above"] .name', HTMLElement).textContent = step.names[1 - seat] ?? "";
  }
  for (const scene of step.scenes) {
    scenes.push(scene);
    for (const line of scene.lines) if (line.kind !== "ended") story.append(lined(line, step.names));
    if (scene.verdict) {
      const verdict = find("#verdict", HTMLElement);
      verdict.hidden = false;
      find("span", HTMLElement, verdict).textContent = `${scene.verdict.words}. ${say("over")}`;
    }
  }
  story.scrollTop = story.scrollHeight;
  show(scenes.length - 1);
}

/** @param {any} line @param {string[]} names */
function lined(line, names) {
  const item = document.createElement("li");
  const count = Object.assign(document.createElement("span"), { textContent: line.kind === "said" ? String(line.turn) : "" });
  const who = names[line.seat] ?? "";
  const words = document.createElement("span");
  if (line.kind === "said") words.append(`${who} `, ...(line.instead ? [line.words] : [Object.assign(document.createElement("b"), { textContent: line.text }), line.words ? `, ${line.words}` : ""]));
  else words.append(Object.assign(document.createElement("b"), { textContent: line.label ?? "" }), ` ${line.text}`);
  item.append(count, words);
  return item;
}

/** Begin with an empty board. */
function clear() {
  scenes = [];
  rows = 0;
  story.replaceChildren();
  find("ul", HTMLElement, printed).replaceChildren();
  find("#verdict", HTMLElement).hidden = true;
  find("#begin-here", HTMLElement).hidden = true;
  find("#score", HTMLElement).hidden = true;
  printed.hidden = true;
  blame(null);
}

// ── running ──

/** Do something that may fail, once at a time. @param {() => Promise<void>} what */
async function doing(what) {
  if (busy) return;
  busy = true;
  stopped = false;
  for (const one of buttons) one.disabled = true;
  try {
    await what();
  } catch (error) {
    state.textContent = reason(error) || say("offline");
  } finally {
    busy = false;
    stop.hidden = true;
    for (const one of buttons) one.disabled = false;
  }
}
stop.addEventListener("click", () => { stopped = true; });

/** Bring a part of the page into view: on a phone the board is below what is written, and what is wrong with that above it. @param {string} part */
function look(part) {
  find(part, HTMLElement).scrollIntoView({ block: "nearest" });
}

const level = find("#level", HTMLSelectElement);
const program = () => ({ language: language(), source: editor.text });

find("#try", HTMLButtonElement).addEventListener("click", () => doing(async () => {
  clear();
  stop.hidden = false;
  await save();
  state.textContent = say("playing");
  look(".bench-board");
  const { points, failure, any } = await play(sandbox, program(), game, level.value, { step: heard, printed: prints, stopped: () => stopped });
  blame(failure?.kind === "Gone" ? null : failure, any);
  const label = find("#verdict b", HTMLElement);
  label.textContent = failure ? say("stopped") : points === null ? "" : say(points === 1 ? "won" : points === 0.5 ? "drawn" : "lost");
  if (failure) {
    find("#verdict span", HTMLElement).textContent = say("failed");
    look("#fault");
  }
  page.dataset.finished = failure ? "failed" : "played";
  state.textContent = say("ready");
  await sandbox.rest();
}));

find("#ten", HTMLButtonElement).addEventListener("click", () => doing(async () => {
  clear();
  stop.hidden = false;
  await save();
  const score = find("#score", HTMLElement);
  const marks = find(".marks", HTMLElement, score);
  marks.replaceChildren();
  score.hidden = false;
  let sum = 0;
  /** @type {string[]} */
  const list = [];
  const ten = program();
  while (list.length < GAMES) {
    state.textContent = `${say("playing")} ${list.length + 1} / ${GAMES}`;
    const { points, failure, any } = await play(sandbox, ten, game, level.value, { printed: prints, stopped: () => stopped });
    if (failure) {
      blame(failure.kind === "Gone" ? null : failure, any);
      break;
    }
    const kind = points === 1 ? "won" : points === 0.5 ? "drawn" : "lost";
    sum += points ?? 0;
    list.push(say(kind));
    marks.append(Object.assign(document.createElement("i"), { className: kind }));
    marks.role = "img";
    marks.ariaLabel = list.join(", ");
    find("b", HTMLElement, score).textContent = say("score", { points: sum.toLocaleString(document.documentElement.lang), games: list.length });
  }
  state.textContent = say("ready");
  await sandbox.rest();
}));

// ── lending ──

/** @type {Lent | null} */
let lent = null;
const lends = maybe("#lend", HTMLButtonElement);
const lentTo = new Sandbox(page, told.place);

function take(why = "") {
  lent?.stop();
  lent = null;
  if (!lends) return;
  lends.setAttribute("aria-pressed", "false");
  lends.textContent = say("lend");
  state.textContent = why || say("ready");
}

lends?.addEventListener("click", () => {
  if (lent) take();
  else void doing(async () => {
    await save();
    const answer = await send(`/workshop/${game}/lend`, { source: String(number) });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    const given = program();
    const line = () => { if (lent) state.textContent = say("lent", { name: found.name, games: lent.games }); };
    lent = new Lent(lentTo, () => given, found.token, { game: line, printed: prints, failed: (failure) => blame(failure), cut: (now) => (now ? (state.textContent = say("cut")) : line()), ended: take });
    lends.setAttribute("aria-pressed", "true");
    lends.textContent = say("take");
    line();
    await lentTo.warm(given.language);
    void lent.listen();
  });
});
window.addEventListener("pagehide", () => lent?.stop());

begin(told.first || (drawer((box) => box.getItem("arbitre-workshop")) === "javascript" ? "javascript" : "python"));
