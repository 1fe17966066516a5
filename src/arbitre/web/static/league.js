// The replay of a league game: steps through the interface's pages without a flicker. Without it each step is a page of its own.
import { all, around, find } from "./elements.js";
import { changes, saying, surround } from "./surround.js";

const replay = find("#replay", HTMLElement);
const moves = all("#moves a", HTMLAnchorElement);
const screen = find(".screen", HTMLElement, replay);
const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const PACE = still ? 1500 : 1100;
let shown = find("iframe", HTMLIFrameElement, screen);
let at = Number(replay.dataset.at);
let clock = 0;
const query = () => moves[at].dataset.query ?? "";

/** A second frame loads the next board behind the one that is shown, and takes its place when it is there. @param {string} query */
function load(query) {
  for (const one of screen.querySelectorAll("iframe")) if (one !== shown) one.remove();
  const next = document.createElement("iframe");
  next.title = shown.title;
  next.setAttribute("sandbox", "allow-scripts");
  next.className = "behind";
  next.addEventListener("load", () => {
    if (!next.isConnected) return;
    next.className = "";
    if (shown !== next) shown.remove();
    shown = next;
  });
  next.src = `/interfaces/draughts.html?${saying(query, "Color", surround())}`;
  screen.append(next);
}

/** @param {number} ply */
function go(ply) {
  const wanted = Math.max(0, Math.min(ply, moves.length - 1));
  if (wanted !== at) {
    at = wanted;
    load(query());
    history.replaceState(null, "", `?ply=${at}`);
  }
  for (const [n, move] of moves.entries()) {
    if (n === at) move.setAttribute("aria-current", "step");
    else move.removeAttribute("aria-current");
  }
  const list = find("#moves", HTMLElement);
  const top = moves[at].offsetTop - list.clientHeight / 2; // the list itself is what offsets are counted from
  list.scrollTo({ top, behavior: still ? "auto" : "smooth" });
  replay.dataset.at = String(at);
}

const button = find('[data-step="play"]', HTMLButtonElement, replay);
const words = button.textContent;

/** @param {boolean} on */
function play(on) {
  clearInterval(clock);
  clock = 0;
  button.textContent = on ? button.dataset.stop ?? "" : words;
  button.setAttribute("aria-pressed", String(on));
  if (!on) return;
  if (at === moves.length - 1) go(0);
  clock = setInterval(() => (at < moves.length - 1 ? go(at + 1) : play(false)), PACE);
}

/** @type {Record<string, () => number>} */
const STEPS = { first: () => 0, previous: () => at - 1, next: () => at + 1, last: () => moves.length - 1 };

/** @type {Record<string, string>} */
const KEYS = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last" };

replay.addEventListener("click", (event) => {
  const step = around(event, "[data-step]")?.dataset.step;
  const move = around(event, "#moves a");
  if (!step && !move) return;
  event.preventDefault();
  if (step === "play") return play(!clock);
  play(false);
  if (step) go(STEPS[step]());
  else go(moves.findIndex((one) => one === move));
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || around(event, "input, textarea, select")) return;
  const step = KEYS[event.key];
  if (step) {
    event.preventDefault();
    play(false);
    go(STEPS[step]());
  }
});

button.hidden = false;
changes(() => load(query()));
load(query());
go(at);
