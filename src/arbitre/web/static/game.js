// A game page: scenes come as server-sent events and are kept, so that one stream serves the live board, the story and the replay.
import { Board } from "./boards.js";
import { all, around, find, maybe } from "./elements.js";
import { send } from "./form.js";
import { prove } from "./proof.js";
import { listen } from "./stream.js";
import { changes } from "./surround.js";
import { Tide } from "./tide.js";
import { attend } from "./witness.js";
import { muted, sound } from "../interfaces/toolkit/sound.js";

/** @typedef {{ kind: string, seat: number, turn: number, text: string, label: string, words?: string, instead?: boolean, spent?: number }} SceneLine */
/**
 * What changed for one eye, as the site tells it; `came` is when it arrived here.
 * @typedef {object} Scene
 * @property {number} n
 * @property {number} [moment]
 * @property {string} [query]
 * @property {string} [past]
 * @property {string} [between]
 * @property {string} [frame]
 * @property {boolean} asks
 * @property {boolean} closed
 * @property {number[]} awaits
 * @property {number[] | null} left
 * @property {number} [since]
 * @property {SceneLine[]} lines
 * @property {number[]} [scores]
 * @property {number} came
 */

const page = find("#game", HTMLElement);
const { name = "", eye, interface: base = "", sandbox = "" } = page.dataset;
const over = page.dataset.over === "yes";
const words = page.dataset.words ? { ...JSON.parse(page.dataset.words), language: document.documentElement.lang } : null;
const PLAY_MS = 900;
const BETWEEN_MS = 1800;
const CATCH_UP_MS = 40;
const OFFLINE_MS = 10000;
const SHORT_MS = 10000;
const KEPT = `arbitre-kept/${name}/${eye}`;
const SOUND = "arbitre-sound";
const witness = attend();
let silent = true;

/** Do something with what this browser keeps for the page, if it keeps anything. @template T @param {(box: Storage) => T} use */
function drawer(use) {
  try {
    return use(localStorage);
  } catch {
    return null; // private windows and strict settings keep nothing: all else goes on
  }
}

silent = drawer((box) => box.getItem(SOUND)) !== "on";
muted(silent);

if (page.dataset.aspect) page.style.setProperty("--tall", page.dataset.aspect);
const turn = maybe(".stage > .seat.own .turn", HTMLElement, page);
const yours = turn?.textContent ?? "";

/** Say in the player's own bar what a choice would do, or that it is their turn. @param {string} text */
function foretell(text) {
  if (turn) turn.textContent = text || yours;
}

/** @param {HTMLElement} box */
const board = (box) => new Board(box, { base, sandbox, ours: page.dataset.ours === "yes", words, silent: () => silent, keep: (text) => drawer((kept) => kept.setItem(KEPT, text)), foretell });
const main = board(find(".stage > .frame", HTMLElement, page));
const others = all(".views .frame", HTMLElement, page).map((box) => ({ board: board(box), eye: box.dataset.frame ?? "", scenes: /** @type {Scene[]} */ ([]) }));
if (over) drawer((box) => box.removeItem(KEPT));
else main.kept = drawer((box) => box.getItem(KEPT)) ?? "";
/** @type {Scene[]} */
const scenes = [];
const scrub = find("#scrub", HTMLInputElement, page);
let at = -1; // the scene that is shown
let follows = true; // whether new scenes are shown as they come
let playing = 0;
let between = 0;
let clock = 0;
let catching = 0;

// ── what is shown ──

/** @param {number} index */
function show(index, moving = false) {
  if (index < 0 || index >= scenes.length) return;
  const still = index < at;
  at = index;
  const scene = scenes[index];
  clearTimeout(between);
  const shown = (index === scenes.length - 1 ? scene.query : scene.past ?? scene.query) ?? ""; // only the last may still ask
  if (moving && scene.between) {
    main.show(scene.between);
    between = setTimeout(() => main.show(shown), BETWEEN_MS);
  } else {
    main.show(shown, still);
  }
  for (const one of others) {
    const last = one.scenes.findLast((other) => (other.moment ?? 0) <= (scene.moment ?? 0));
    if (last?.query) one.board.show(last.query, still);
  }
  scrub.max = String(scenes.length - 1);
  scrub.value = String(index);
  const photo = maybe("#photo [name=moment]", HTMLInputElement);
  if (photo) photo.value = String(scene.moment ?? (index === scenes.length - 1 ? "" : index));
  tide.show(scenes, index);
  mark(scene);
}

/** Mark who is to move, the clocks, and the line of the story. @param {Scene} scene */
function mark(scene) {
  const last = at === scenes.length - 1;
  for (const seat of all(".seat", HTMLElement, page)) {
    const number = Number(seat.dataset.seat);
    const moves = last && !scene.closed && scene.awaits.includes(number);
    seat.classList.toggle("moves", moves);
    find(".turn", HTMLElement, seat).hidden = !moves;
    const score = find(".score", HTMLElement, seat);
    score.hidden = !scene.scores;
    if (scene.scores && number < 2) score.replaceChildren(signed(scene.scores, number), Object.assign(document.createElement("small"), { textContent: Math.abs(scene.scores[number]) === 1 ? "" : page.dataset.unit }));
    const box = find(".clock", HTMLElement, seat);
    box.hidden = !scene.left;
    if (scene.left) box.textContent = time(scene.left[number]);
    box.classList.toggle("running", moves);
  }
  clearInterval(clock);
  const budget = scene.left;
  let warned = false;
  if (last && budget && !scene.closed) {
    const begun = scene.came - (scene.since ?? 0);
    clock = setInterval(() => {
      for (const number of scene.awaits) {
        const box = find(`.seat[data-seat="${number}"] .clock`, HTMLElement, page);
        const left = Math.max(0, budget[number] - (performance.now() - begun));
        box.textContent = time(left);
        const short = left < SHORT_MS;
        box.classList.toggle("short", short);
        if (short && !warned && scene.asks) sound("short");
        warned ||= short;
      }
    }, 200);
  }
  for (const line of document.querySelectorAll("#lines [aria-current]")) line.removeAttribute("aria-current");
  const here = all("#lines li", HTMLElement).findLast((line) => Number(line.dataset.scene) <= at);
  if (here) {
    here.setAttribute("aria-current", "step");
    lines.scrollTop = here.offsetTop - lines.clientHeight / 2;
  }
}

/** Chips can be lost: where one side is below nothing, the other says that it is above. @param {number[]} scores @param {number} seat */
function signed(scores, seat) {
  const score = scores[seat];
  return score < 0 ? `−${-score}` : Math.min(...scores) < 0 ? `+${score}` : String(score);
}

/** @param {number} milliseconds */
function time(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  return (seconds >= 3600 ? `${Math.floor(seconds / 3600)}:` : "") + parts.join(":");
}

// ── the story ──

const lines = find("#lines", HTMLElement);
/** @type {Record<string, string | null>} */
const names = Object.fromEntries(all(".seat", HTMLElement, page).map((seat) => [seat.dataset.seat, find(".name", HTMLElement, seat).textContent]));

const below = Number(find(".stage > .frame + .seat", HTMLElement, page).dataset.seat);
const tide = new Tide(find("#tide", HTMLElement, page), below, (seat) => names[seat] ?? "", page.dataset.eye === String(below), (index) => {
  stop();
  close();
  follows = index === scenes.length - 1;
  show(index);
});

/** @param {string} kind @param {string} text */
function part(kind, text) {
  const made = document.createElement("span");
  made.className = kind;
  made.textContent = text;
  return made;
}

/** A move as it was said; a code of pegs in their colours. @param {string} text */
function move(text) {
  const made = document.createElement("b");
  if (page.dataset.game === "mastermind" && /^[A-H]+$/.test(text)) made.append(...[...text].map((letter) => part(`peg peg-${letter}`, letter)));
  else made.textContent = text;
  return made;
}

/** How long a move took. @param {number} milliseconds */
function spent(milliseconds) {
  const seconds = milliseconds / 1000;
  return `${seconds.toLocaleString(document.documentElement.lang, { maximumFractionDigits: seconds < 10 ? 1 : 0 })}\u00a0s`;
}

/** The piece of a seat, as it stands beside its name. @param {number} seat */
function token(seat) {
  return maybe(`.seat[data-seat="${seat}"] .piece`, SVGElement, page)?.cloneNode(true) ?? part("piece", "");
}

/** @param {Scene} scene @param {number} index */
function tell(scene, index) {
  for (const line of scene.lines) {
    const item = document.createElement("li");
    item.dataset.scene = String(index);
    if (line.kind === "said") {
      item.className = `move seat${line.seat}`;
      const step = document.createElement("button");
      step.type = "button";
      const did = line.words ?? "";
      step.append(part("n", `${line.turn}.`), token(line.seat), part("who unseen", names[line.seat] ?? ""), ...(line.instead ? [part("words whole", did)] : [move(line.text), part("words", did)]), ...(line.spent === undefined ? [] : [part("t", spent(line.spent))]));
      step.addEventListener("click", () => { stop(); follows = index === scenes.length - 1; show(index); });
      item.append(step);
    } else {
      item.className = `voice${line.kind === "ended" ? " good" : ["refused", "left", "garbled", "ticked", "abandoned"].includes(line.kind) ? " bad" : ""}`;
      const label = document.createElement("b");
      label.textContent = line.label;
      item.append(label, ` ${line.text}`);
    }
    lines.append(item);
  }
}

/** Tell those who listen what has happened, and that it is their turn. @param {Scene} scene */
function speak(scene) {
  const told = scene.lines.map((line) => (line.kind === "said" ? [names[line.seat], line.instead ? "" : line.text, line.words].filter(Boolean).join(", ") : line.text));
  find("#heard", HTMLElement).textContent = [...told, ...(scene.asks ? [page.dataset.turn] : [])].join(". ");
}

/** @param {string} label @param {string} text */
function say(label, text, tone = "bad") {
  const box = find("#says", HTMLElement);
  box.hidden = !text;
  box.className = `voice ${tone}`;
  const kind = document.createElement("b");
  kind.textContent = label;
  box.replaceChildren(kind, ` ${text}`);
}

/** Open the question to a referee who answers from his frame in a browser: his page goes to the address of the answer. @param {string} address */
function consult(address) {
  document.getElementById("referee")?.remove();
  const frame = document.createElement("iframe");
  frame.id = "referee";
  frame.hidden = true;
  frame.setAttribute("sandbox", "allow-scripts");
  frame.src = address;
  document.body.append(frame);
}

// ── the streams ──

let heardLast = 0;

/** @param {Scene} scene */
function heard(scene) {
  if (scene.n <= heardLast) return; // a scene that came twice
  heardLast = scene.n;
  scene.came = performance.now();
  if (!lines.children.length && !scene.lines.length) scenes.length = 0; // that pages agreed is no step of the game: it begins here
  scenes.push(scene);
  tell(scene, scenes.length - 1);
  if (scene.n > 1 && !over) speak(scene);
  if (scene.frame) consult(scene.frame);
  if (scene.asks && !over) {
    say("", "");
    if (scene.n > 1) sound("ask");
    main.eager = document.activeElement === document.body; // nobody is at anything else: the keys are the board's
  }
  if (!follows || over) return;
  clearTimeout(catching); // scenes that come all at once are history: only the last is shown
  catching = setTimeout(() => show(scenes.length - 1, true), scenes.length === 1 ? CATCH_UP_MS : CATCH_UP_MS / 4);
}

const pill = find("#away", HTMLElement, page);
const tries = find("#away button", HTMLButtonElement, page);
let gone = 0;

/** Say that the line is cut, over the foot of a board that greys; after a while, that one may try oneself. @param {boolean} broken */
function away(broken) {
  clearTimeout(gone);
  pill.hidden = !broken;
  pill.parentElement?.classList.toggle("away", broken);
  tries.hidden = true;
  if (broken) gone = setTimeout(() => { tries.hidden = false; }, OFFLINE_MS);
}

const retry = listen(name, over && page.dataset.hides ? "referee" : "", {
  scene: (data) => heard(JSON.parse(data)),
  proof: witness,
  slip: (text) => {
    say(page.dataset.slip ?? "", text);
    main.again();
  },
  cut: (broken) => {
    if (over && !broken) return;
    away(broken);
    if (!broken && scenes.at(-1)?.asks) main.again(); // what was answered meanwhile may not have arrived
  },
  over: () => {
    if (!over) sound("over");
    if (over || page.dataset.decided) show(at < 0 ? scenes.length - 1 : at);
    else setTimeout(() => { // now the record is sealed, and the page shows the proof; it opens at the board, where the banner is
      history.scrollRestoration = "manual";
      location.reload();
    }, 1500);
  },
});

tries.addEventListener("click", retry);

// What each player saw is looked at by few: it comes when its tab is opened.
maybe("#views-title", HTMLElement, page)?.addEventListener("click", () => {
  for (const one of others) listen(name, one.eye, { scene: (data) => one.scenes.push(JSON.parse(data)), over: () => { if (at >= 0) show(at); } });
}, { once: true });

// ── stepping ──

/** @type {Record<string, string>} */
const KEYS = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last" };

function stop() {
  clearInterval(playing);
  playing = 0;
  find('[data-go="play"]', HTMLElement, page).setAttribute("aria-pressed", "false");
}

/** @param {string} where */
function go(where) {
  if (where === "mute") return mute();
  close();
  const end = scenes.length - 1;
  if (where === "play") {
    if (playing) return stop();
    if (at >= end) show(0);
    playing = setInterval(() => (at < scenes.length - 1 ? show(at + 1, true) : stop()), PLAY_MS);
    find('[data-go="play"]', HTMLElement, page).setAttribute("aria-pressed", "true");
    return undefined;
  }
  stop();
  /** @type {Record<string, number>} */
  const steps = { first: 0, previous: Math.max(0, at - 1), next: Math.min(end, at + 1), last: end };
  const next = steps[where];
  follows = next === end;
  return show(next, where === "next");
}

function mute() {
  silent = !silent;
  muted(silent);
  drawer((box) => box.setItem(SOUND, silent ? "off" : "on"));
  sounding();
  sound("ask");
}

/** Show whether there is sound. */
function sounding() {
  find('[data-go="mute"]', HTMLElement, page).setAttribute("aria-checked", String(!silent));
}
sounding();

scrub.addEventListener("input", () => {
  stop();
  close();
  follows = Number(scrub.value) === scenes.length - 1;
  show(Number(scrub.value));
});
changes(() => { for (const board of [main, ...others.map((one) => one.board)]) board.recolour(); });
page.addEventListener("click", (event) => {
  const where = around(event, "[data-go]")?.dataset.go;
  if (where) go(where);
});
document.addEventListener("keydown", (event) => {
  if (around(event, "input, select, textarea, [role=tab]") || event.altKey || event.ctrlKey || event.metaKey) return;
  const where = KEYS[event.key];
  if (!where) return;
  event.preventDefault();
  go(where);
});

// ── the end ──

const ending = maybe("#ending", HTMLElement, page);

function close() {
  if (ending) ending.hidden = true;
}

/** Show the position after so many moments of the match. @param {number} moment */
function reach(moment) {
  const index = scenes.findLastIndex((scene) => (scene.moment ?? 0) <= moment);
  if (index < 0) return;
  stop();
  close();
  follows = index === scenes.length - 1;
  show(index);
}

page.addEventListener("click", (event) => {
  const moment = around(event, "[data-moment]")?.dataset.moment;
  if (moment) reach(Number(moment));
});
ending?.addEventListener("click", (event) => {
  if (around(event, "[data-close]")) close();
  if (!around(event, "[data-replay]")) return;
  close();
  show(0);
  go("play");
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
if (location.hash) close();
// a page that was opened anew because the game is over goes on where its reader was: at how it ended
const [opened] = performance.getEntriesByType("navigation");
if (ending && !ending.hidden && opened instanceof PerformanceNavigationTiming && opened.type === "reload") {
  ending.focus({ preventScroll: history.scrollRestoration === "manual" });
  window.addEventListener("pagehide", () => { history.scrollRestoration = "auto"; }); // whoever comes back is where he was
}

// The record is checked when somebody wants to see it: the tab, the seal and the banner lead there.
const panel = maybe("#tab-proof", HTMLElement, page);
if (panel) new MutationObserver(() => { if (!panel.hidden) prove(); }).observe(panel, { attributeFilter: ["hidden"] });
if (panel && !panel.hidden) prove();

// ── what people say ──

for (const form of all("form.say", HTMLFormElement)) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = find("[name=move]", HTMLInputElement, form);
    const answer = await send(`/games/${name}/move`, { move: input.value });
    if (!answer.ok) say(page.dataset.slip ?? "", (await answer.json().catch(() => ({}))).error ?? "");
    else if (input.type !== "hidden") input.value = "";
  });
}
const hint = maybe("#hint", HTMLButtonElement, page);
hint?.addEventListener("click", async () => {
  hint.disabled = true;
  const answer = await send(`/games/${name}/hint`);
  const told = await answer.json().catch(() => ({}));
  hint.disabled = false;
  if (answer.ok) say(hint.dataset.label ?? "", told.move, "");
  else say("…", told.error ?? "");
});
for (const button of all("[data-post]", HTMLElement)) {
  button.addEventListener("click", () => send(`/games/${name}/${button.dataset.post}`));
}
