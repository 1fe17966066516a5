// A game page: scenes come as server-sent events and are kept, so that one stream serves the live board, the story and the replay.
import { all, around, find, maybe } from "./elements.js";
import { send } from "./form.js";
import { changes, saying, surround } from "./surround.js";
import { attend } from "./witness.js";

/** @typedef {{ kind: string, seat: number, turn: number, text: string, label: string }} SceneLine */
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
 * @property {number} came
 */

const page = find("#game", HTMLElement);
const { name, eye, interface: base = "" } = page.dataset;
const over = page.dataset.over === "yes";
const words = page.dataset.words ? { ...JSON.parse(page.dataset.words), language: document.documentElement.lang } : null;
const [WIDTH, HEIGHT] = [736, 660];
const NARROW = 560;
const PLAY_MS = 900;
const BETWEEN_MS = 1800;
const CATCH_UP_MS = 40;
const AGAIN_MS = 2000;
const HIDDEN_MS = 30000;
const LONGEST_KEPT = 4000;
const KEPT = `arbitre-kept/${name}/${eye}`;
const witness = attend();
let silent = false;
/** @param {string} query */
const dressed = (query) => {
  const coloured = saying(query, "Color", surround());
  return silent ? saying(coloured, "Mute", "yes") : coloured;
};

/** One frame of the page: loads what is to be shown behind what is shown, and swaps when it is there. */
class Board {
  /** @param {HTMLElement} box */
  constructor(box, fluid = false) {
    this.box = box;
    this.fluid = fluid; // whether what it shows knows how to be narrow
    this.wanted = ""; // what is to be shown
    this.loaded = ""; // what the newest frame shows
    this.loading = ""; // what is on its way
    this.eager = false; // whether the keys go to the next frame
    this.kept = ""; // what an interface wants to find again in its next frame, and when the page is opened again
    new ResizeObserver(() => this.fit()).observe(box);
  }

  #frames() {
    return all(":scope > *", HTMLElement, this.box);
  }

  fit() {
    const narrow = this.fluid && this.box.clientWidth < NARROW;
    this.box.classList.toggle("narrow", narrow);
    this.box.style.aspectRatio = (narrow && page.dataset.aspect) || "";
    const [width, height] = narrow ? [this.box.clientWidth, this.box.clientHeight] : [WIDTH, HEIGHT];
    for (const one of this.#frames()) {
      one.style.width = `${width}px`;
      one.style.height = `${height}px`;
      one.style.transform = narrow ? "" : `scale(${this.box.clientWidth / WIDTH})`;
    }
  }

  /** Show a query; while one is on its way, only the last that was wanted meanwhile is loaded next. @param {string} query */
  show(query) {
    this.wanted = query && dressed(query);
    if (!this.loading && this.wanted && this.wanted !== this.loaded) this.load(this.wanted);
  }

  /** @param {string} query */
  load(query) {
    this.loading = this.loaded = query;
    const next = document.createElement("iframe");
    next.setAttribute("sandbox", page.dataset.sandbox ?? "");
    next.title = document.title;
    next.name = this.kept;
    next.addEventListener("load", () => {
      const had = this.box.contains(document.activeElement);
      next.classList.add("shown");
      this.box.removeAttribute("aria-busy");
      if (words) next.contentWindow?.postMessage({ arbitre: { words } }, "*"); // names of its buttons; no secret, and a sandbox has no origin
      for (const one of this.#frames()) if (one !== next) one.remove();
      if (had || this.eager) next.focus({ preventScroll: true }); // keys go where they went
      this.eager = false;
      this.loading = "";
      this.show(this.wanted);
    }, { once: true });
    next.src = base + (base.includes("?") ? "&" : "?") + query;
    this.box.append(next);
    this.fit();
  }

  /** Show the same again, as it was before somebody touched it. */
  again() {
    this.loaded = "";
    this.show(this.wanted);
  }

  /** Show the same in the colours that the page has now. */
  recolour() {
    if (this.wanted) this.show(this.wanted.replace(/(^|&)Color=[0-9a-f]{6}&?/, "$1"));
  }

  /** Keep a short text for the interface's next frame: a sandbox has no storage. @param {MessageEventSource | null} source @param {unknown} text */
  keep(source, text) {
    const ours = all("iframe", HTMLIFrameElement, this.box).some((one) => one.contentWindow === source);
    if (!ours || typeof text !== "string" || text.length >= LONGEST_KEPT) return;
    this.kept = text;
    drawer((box) => box.setItem(KEPT, text));
  }
}

/** Do something with what this browser keeps for the page, if it keeps anything. @template T @param {(box: Storage) => T} use */
function drawer(use) {
  try {
    return use(localStorage);
  } catch {
    return null; // private windows and strict settings keep nothing: all else goes on
  }
}

const main = new Board(find(".stage > .frame", HTMLElement, page), page.dataset.ours === "yes");
const others = all(".views .frame", HTMLElement, page).map((box) => ({ board: new Board(box), eye: box.dataset.frame, scenes: /** @type {Scene[]} */ ([]) }));
if (over) drawer((box) => box.removeItem(KEPT));
else main.kept = drawer((box) => box.getItem(KEPT)) ?? "";
/** @type {Scene[]} */
const scenes = [];
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
  at = index;
  const scene = scenes[index];
  clearTimeout(between);
  const shown = (index === scenes.length - 1 ? scene.query : scene.past ?? scene.query) ?? ""; // only the last may still ask
  if (moving && scene.between) {
    main.show(scene.between);
    between = setTimeout(() => main.show(shown), BETWEEN_MS);
  } else {
    main.show(shown);
  }
  for (const one of others) {
    const last = one.scenes.findLast((other) => (other.moment ?? 0) <= (scene.moment ?? 0));
    if (last?.query) one.board.show(last.query);
  }
  const photo = maybe("#photo [name=moment]", HTMLInputElement);
  if (photo) photo.value = String(scene.moment ?? (index === scenes.length - 1 ? "" : index));
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
    const box = find(".clock", HTMLElement, seat);
    box.hidden = !scene.left;
    if (scene.left) box.textContent = time(scene.left[number]);
    box.classList.toggle("running", moves);
  }
  clearInterval(clock);
  const budget = scene.left;
  if (last && budget && !scene.closed) {
    const begun = scene.came - (scene.since ?? 0);
    clock = setInterval(() => {
      for (const number of scene.awaits) {
        const box = find(`.seat[data-seat="${number}"] .clock`, HTMLElement, page);
        const left = Math.max(0, budget[number] - (performance.now() - begun));
        box.textContent = time(left);
        box.classList.toggle("short", left < 5000);
      }
    }, 200);
  }
  for (const line of document.querySelectorAll("#lines [aria-current]")) line.removeAttribute("aria-current");
  const here = all("#lines li", HTMLElement).findLast((line) => Number(line.dataset.scene) <= at);
  if (here) {
    here.setAttribute("aria-current", "step");
    lines.scrollTop = here.offsetTop - lines.offsetTop - lines.clientHeight / 2;
  }
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

/** @param {Scene} scene @param {number} index */
function tell(scene, index) {
  for (const line of scene.lines) {
    const item = document.createElement("li");
    item.dataset.scene = String(index);
    if (line.kind === "said") {
      item.className = `move seat${line.seat}`;
      const step = document.createElement("button");
      step.type = "button";
      const who = document.createElement("span");
      who.className = "who";
      who.textContent = names[line.seat] ?? "";
      step.append(`${line.turn}. `, who, ` ${line.text}`);
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

/**
 * Listen to the scenes of one eye: a line that breaks is taken up behind the last scene, and rests while nobody looks at the page.
 * @param {string} who @param {(scene: Scene) => void} heard @param {() => void} ended
 */
function listen(who, heard, ended) {
  /** @type {EventSource} */
  let source;
  let last = 0;
  let broken = false;
  let waiting = 0;
  let finished = false;

  function open() {
    clearTimeout(waiting);
    source = new EventSource(`/games/${name}/events?eye=${who}&after=${last}`);
    source.addEventListener("message", (event) => {
      last = Number(event.lastEventId);
      heard(JSON.parse(event.data));
    });
    source.addEventListener("slip", (event) => {
      say(page.dataset.slip ?? "", JSON.parse(event.data));
      main.again();
    });
    source.addEventListener("proof", (event) => witness(JSON.parse(event.data)));
    source.addEventListener("over", () => { finished = true; source.close(); ended(); });
    source.addEventListener("open", () => {
      if (over || !broken) return;
      broken = false;
      say("", "");
      if (scenes.at(-1)?.asks) main.again(); // what was answered meanwhile may not have arrived
    });
    source.addEventListener("error", () => {
      broken = true;
      say("…", page.dataset.connecting ?? "");
      // a browser tries again by itself, except where something else answered for us
      if (source.readyState === EventSource.CLOSED && !finished) waiting = setTimeout(open, AGAIN_MS);
    });
  }

  // a line that is gone is not always noticed by itself
  window.addEventListener("offline", () => {
    if (finished) return;
    broken = true;
    source.close();
    say("…", page.dataset.connecting ?? "");
  });
  window.addEventListener("online", () => {
    if (!finished && source.readyState === EventSource.CLOSED) open();
  });

  // a browser has few lines to one site, and a page in the background holds none
  document.addEventListener("visibilitychange", () => {
    clearTimeout(waiting);
    if (finished) return;
    if (document.hidden) waiting = setTimeout(() => source.close(), HIDDEN_MS);
    else if (source.readyState === EventSource.CLOSED) open();
  });
  open();
}

/** @param {Scene} scene */
function heard(scene) {
  if (scene.n !== scenes.length + 1) return; // a scene that came twice
  scene.came = performance.now();
  scenes.push(scene);
  tell(scene, scenes.length - 1);
  if (scene.frame) consult(scene.frame);
  if (scene.asks && !over) {
    say("", "");
    main.eager = document.activeElement === document.body; // nobody is at anything else: the keys are the board's
  }
  if (!follows || over) return;
  clearTimeout(catching); // scenes that come all at once are history: only the last is shown
  catching = setTimeout(() => show(scenes.length - 1, true), scenes.length === 1 ? CATCH_UP_MS : CATCH_UP_MS / 4);
}

listen(over && page.dataset.hides ? "referee" : "", heard, () => {
  if (over) show(at < 0 ? scenes.length - 1 : at);
  else setTimeout(() => location.reload(), 1500); // now the record is sealed, and the page shows the proof
});
for (const one of others) listen(one.eye ?? "", (scene) => one.scenes.push(scene), () => { if (at >= 0) show(at); });

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
  const button = find('[data-go="mute"]', HTMLElement, page);
  silent = !silent;
  button.setAttribute("aria-pressed", String(silent));
}

changes(() => { for (const board of [main, ...others.map((one) => one.board)]) board.recolour(); });
window.addEventListener("message", (event) => main.keep(event.source, event.data?.arbitre?.keep));
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
for (const button of all("[data-post]", HTMLElement)) {
  button.addEventListener("click", () => send(`/games/${name}/${button.dataset.post}`));
}
