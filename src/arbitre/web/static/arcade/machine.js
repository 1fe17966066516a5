// The machine in the browser: what is committed, shown, opened and checked, as it is said on the wire (spec: arcade, section 5; look).

import { muted, sound } from "/interfaces/toolkit/sound.js";
import { all, around, find, reason } from "../elements.js";
import { ask } from "./asking.js";
import { ROLES } from "./bout.js";
import { Line } from "./line.js";
import { difference, Party } from "./party.js";
import { icon, place } from "./pictures.js";
import { readCommand, WORDS, writeCommand } from "./wire.js";

/** @typedef {import("./elgamal.js").Sign} Sign */
/** @typedef {import("./party.js").Told} Told */

const box = find("#machine", HTMLElement);
const { level = "", code, letters = "", language } = box.dataset;
const goal = Number(box.dataset.goal);
const limit = Number(box.dataset.seconds);
/** @type {Record<string, string>} */
const words = JSON.parse(box.dataset.words ?? "{}");
const PACE_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 150;
const PATIENCE_MS = 1400; // in which the referee may be called, before a true opening is approved
/** @type {Record<string, number>} */
const ARROWS = { ArrowLeft: 0, ArrowUp: 1, ArrowRight: 2 };
const NICKNAME = "arbitre-nickname";
const MUTE = "arbitre-mute";

/** @param {string} id */
const $ = (id) => find(`#${id}`, HTMLElement);
/** @param {string} id */
const link = (id) => find(`#${id}`, HTMLAnchorElement);
const nickname = find("#nickname", HTMLInputElement);
const start = find("#begin", HTMLButtonElement);
const referee = find("#referee", HTMLButtonElement);
const buttons = all("[data-sign]", HTMLButtonElement);
/** @param {HTMLElement} button */
const signOf = (button) => /** @type {Sign} */ (button.dataset.sign);
/** @param {string} key @param {Record<string, string | number | undefined>} parts */
const fill = (key, parts = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => String(parts[name] ?? ""));
/** @param {number} number */
const signed = (number) => String(number).replace("-", "−");
/** @param {bigint} number */
const short = (number) => {
  const digits = number.toString(16);
  return digits.length <= 14 ? digits : `${digits.slice(0, 6)}…${digits.slice(-6)}`;
};
/** @param {string} key @param {string} [value] */
const store = (key, value) => {
  try {
    if (value === undefined) return localStorage.getItem(key) ?? "";
    localStorage.setItem(key, value);
  } catch { /* a browser that keeps nothing */ }
  return "";
};

/** @type {Party} There as soon as a coin is in. */
let party;
/** @type {Line} */
let line;
/** @type {Told[]} */
const queue = [];
let showing = false;
let patience = 0;
let deadline = 0;
/** @type {Sign | ""} */
let wanted = ""; // a sign that was chosen while the last word was still ours
/** @type {{ sign?: Sign | "", state?: import("./pictures.js").State }[]} */
const board = [{}, {}];

// ── what is drawn ──

const mine = () => party.seat;
/** @param {number} seat */
const view = (seat) => (seat === mine() ? 0 : 1); // this page sits on the left, whichever its seat
/** @param {number} seat */
const side = (seat) => find(`[data-side="${view(seat)}"]`, HTMLElement);
/** @param {number} seat */
const name = (seat) => party.names[seat];

/** @param {number[]} scores */
const tally = (scores) => `${signed(scores[mine()])} – ${signed(scores[1 - mine()])}`;

/** @param {number} seat @param {(typeof board)[0]} change */
function put(seat, change) {
  Object.assign(board[seat], change);
  const figure = side(seat);
  const svg = find("svg", SVGElement, figure);
  place(svg, view(seat), board[seat]);
  const { sign, state } = board[seat];
  svg.setAttribute("aria-label", `${name(seat)}: ${sign ? words[sign] : state === "closed" ? "COMMIT" : "–"}`);
  find("figcaption", HTMLElement, figure).textContent = sign ? words[sign] : "";
}

function clear() {
  for (const seat of [0, 1]) {
    board[seat] = {};
    put(seat, { sign: "", state: "empty" });
    side(seat).classList.remove("won", "lost");
  }
  $("lane").replaceChildren();
}

/** @param {string} text */
const span = (text, kind = "") => Object.assign(document.createElement("span"), { textContent: text, className: kind });

/**
 * Add a line of the wire: who says what; parts of the text stay whole where the line is narrow.
 * @param {number} who @param {string} verb @param {string[]} parts
 */
function lane(who, verb, parts, tone = "") {
  const item = document.createElement("li");
  item.className = `seat${view(who)} ${tone}`;
  const text = span("", "text");
  text.append(...parts.map((part) => span(part)));
  item.append(Object.assign(document.createElement("b"), { textContent: verb, className: "verb" }), span(name(who), "who"), text);
  $("lane").append(item);
}

/** @param {string} label @param {string} text */
function comment(label, text, tone = "") {
  const item = document.createElement("li");
  if (label) {
    item.className = `voice ${tone}`;
    const kind = document.createElement("b");
    kind.textContent = label;
    item.append(kind, " ");
  }
  item.append(text);
  $("lines").prepend(item);
  while ($("lines").childElementCount > 400) $("lines").lastElementChild?.remove();
}

/** @param {number[]} scores */
function score(scores) {
  for (const seat of [0, 1]) {
    const row = find(`[data-score="${view(seat)}"]`, HTMLElement);
    find(".name", HTMLElement, row).textContent = name(seat);
    find("progress", HTMLProgressElement, row).value = Math.max(0, scores[seat]);
    find("b", HTMLElement, row).textContent = signed(scores[seat]);
  }
}

function prompt() {
  if (party.closed) return;
  const due = queue.length ? "" : party.due;
  const { bout } = party;
  const falsely = due === "word" && !bout.true;
  for (const button of buttons) button.disabled = !(due === "sign" || (due === "word" && !falsely));
  referee.disabled = due !== "word";
  referee.classList.toggle("main", falsely);
  $("pass").hidden = !falsely;
  $("round").textContent = party.seated ? fill("round", { round: bout.round }) : "";
  let text = "";
  if (due === "sign") text = bout.step === "COMMIT" ? words.start : fill("answer", { name: name(1 - mine()) });
  else if (due === "word") text = falsely ? fill("false", { name: name(1 - mine()) }) : words.checking;
  else if (party.seated && bout.step === "PROLOGUE") text = words.keys;
  else if (party.seated && !queue.length) text = fill("patience", { name: name(1 - mine()) });
  if (text !== $("prompt").textContent) $("prompt").textContent = text;
  $("duel").classList.toggle("yours", due === "sign");
  if (due && !deadline) deadline = performance.now() + limit * 1000;
  if (!due) deadline = 0;
  clearTimeout(patience);
  if (due === "word" && !falsely) {
    if (wanted) rule("OK");
    else patience = setTimeout(() => rule("OK"), PATIENCE_MS);
  } else if (due === "sign" && wanted) {
    const sign = wanted;
    wanted = "";
    choose(sign);
  }
}

setInterval(() => {
  const left = deadline ? Math.max(0, Math.ceil((deadline - performance.now()) / 1000)) : limit;
  $("left").hidden = !deadline || left > 20;
  $("left").textContent = `${left} s`;
}, 250);

// ── what happens ──

async function play() {
  if (showing) return;
  showing = true;
  for (let news = queue.shift(); news; news = queue.shift()) {
    show(news);
    if (PACE_MS && !wanted && queue.length < 12 && news.kind === "taken" && news.command.verb !== "PKEY") {
      await new Promise((done) => setTimeout(done, PACE_MS));
    }
  }
  showing = false;
  prompt();
}

/** What happens, shown by its kind. @type {{ [K in Told["kind"]]: (told: Extract<Told, { kind: K }>) => void }} */
const SHOW = {
  seated() {
    $("coin").hidden = true;
    $("lobby").hidden = true;
    find('[data-score="0"]', HTMLElement).classList.add("you");
    box.classList.add("playing");
    score([0, 0]);
    clear();
  },

  testing() {
    if (!party.closed) $("prompt").textContent = words.testing;
  },

  table({ code: given }) {
    const address = `${location.origin}/arcade/table/${given}`;
    history.replaceState(null, "", `/arcade/table/${given}`);
    $("coin").hidden = true;
    $("lobby").hidden = false;
    $("lobby-code").textContent = given;
    $("lobby-link").textContent = address;
    $("lobby-copy").dataset.copy = address;
    $("prompt").textContent = words.waiting;
  },

  keys({ fingerprint }) {
    $("keys").hidden = false;
    find("#keys code", HTMLElement).textContent = fingerprint;
  },

  taken({ seat, command: { verb, numbers, sign }, found }) {
    if (verb === "COMMIT") {
      clear();
      put(seat, { state: "closed" });
      lane(seat, verb, [`r ${short(numbers[0])}`, `c ${short(numbers[1])}`]);
      sound("card");
    } else if (verb === "MOVE" && sign) {
      put(seat, { sign });
      lane(seat, verb, [sign]);
      sound("place");
    } else if (verb === "OPEN" && found) {
      const good = Object.values(found).every(Boolean);
      put(seat, { state: good ? "true" : "false" });
      lane(seat, verb, [`k ${short(numbers[0])}`]);
      /** @type {[what: string, right: boolean][]} */
      const ticks = [["0<k<q", found.range], ["r=gᵏ", found.r], ["c=E(m)·hᵏ", found.c]];
      lane(mine(), words.check, ticks.map(([what, right]) => `${what} ${right ? "✓" : "✗"}`), good ? "good" : "bad");
      if (!good) {
        comment(words.check, fill("false", { name: name(seat) }), "bad");
        sound("refuse");
      }
    } else if (verb === "OK" || verb === "REFEREE") {
      lane(seat, verb, []);
    }
  },

  issue({ round, signs, winner, ruling, accuser, scores }) {
    score(scores);
    if (ruling && accuser !== null) {
      const parts = { accuser: name(accuser), accused: name(1 - accuser), sign: words[signs[1 - accuser]] };
      comment(words.referee, fill(ruling, parts), ruling === "founded" ? "good" : "bad");
    }
    let told;
    if (winner === null) told = fill("even", { sign: words[signs[0]] });
    else if (ruling === "founded") told = fill("taken", { name: name(winner) });
    else told = fill("beats", { best: words[signs[winner]], worst: words[signs[1 - winner]], name: name(winner) });
    comment("", `${fill("round", { round })} · ${told} · ${tally(scores)}`);
    if (winner !== null) {
      side(winner).classList.add("won");
      side(1 - winner).classList.add("lost");
    }
    sound(winner === null ? "move" : winner === mine() ? "chip" : "take");
  },

  refused({ why, credits }) {
    comment(words.refused, `${why} (${credits})`, "bad");
  },

  error({ why, fatal }) {
    comment(words.house, why, "bad");
    if (fatal) $("prompt").textContent = why;
  },

  score(parts) {
    comment(words.check, fill("score", parts), "bad");
  },

  finish({ winner, ending, scores }) {
    if (winner === null) return;
    score(scores);
    const parts = { winner: name(winner), loser: name(1 - winner), score: scores[winner] };
    const result = winner === mine() ? words.won : fill("lost", { name: name(winner) });
    sound(winner === mine() ? "win" : "refuse");
    end(result, fill(ending in words ? ending : "over", parts), winner === mine() ? "good" : "");
  },

  stopped({ why, parts }) {
    line.leave();
    if (why === "drawn") end(words.drawn, fill(parts.ending === "length" ? "length" : "over"));
    else end(words.over, fill(why, parts), "bad");
  },
};

/** @param {Told} told */
function show(told) {
  /** @type {(told: never) => void} */ (SHOW[told.kind])(/** @type {never} */ (told)); // each kind has its own, which no checker sees
}

// ── the end ──

/** @param {string} result @param {string} why */
async function end(result, why, tone = "") {
  clearTimeout(patience);
  deadline = 0;
  for (const button of [...buttons, referee]) button.disabled = true;
  $("prompt").textContent = result;
  $("coin").hidden = true;
  $("lobby").hidden = true;
  box.classList.remove("playing");
  box.classList.add("over");
  comment(words.over, why, tone);
  $("result").textContent = `${result} · ${tally(party.bout.scores)}`;
  $("proof").hidden = false;
  referee.hidden = $("pass").hidden = true;
  $("again").hidden = false;
  $("again").focus({ preventScroll: true });
  if (!party.match || party.bout.step === "PROLOGUE" || party.transcript.some((lines) => !lines.length)) {
    voice("standing", words.check, words.unkept, "");
    return;
  }
  await prove();
}

/** @param {string} id @param {string} label @param {string} text @param {string} tone */
function voice(id, label, text, tone) {
  const kind = document.createElement("b");
  kind.textContent = label;
  $(id).className = `voice ${tone}`;
  $(id).replaceChildren(kind, ` ${text}`);
  $(id).hidden = false;
}

/** The line as its author would have written it. @param {string} text */
function canonical(text) {
  const command = readCommand(text);
  return command ? writeCommand(command) : "";
}

/** Fetch the record, lay it beside what was said and heard here, and show what it is worth. */
async function prove() {
  const base = `/arcade/records/${party.match}`;
  const answer = await fetch(`${base}/finding`, { headers: { Accept: "application/json" } });
  if (!answer.ok) {
    voice("standing", words.check, words.unkept, "bad");
    return;
  }
  const found = await answer.json();
  const sound = ["verified", "attested"].includes(found.standing);
  voice("standing", found.word, found.line, sound ? "good" : "bad");
  const record = await (await fetch(`${base}/record`)).text();
  const differs = difference(record, party.transcript, canonical);
  voice("same", words.check, differs ? fill("differs", { line: differs }) : words.same, differs ? "bad" : "good");
  link("download").href = `${base}/record`;
  link("page").href = base;
  let commands = `arbitre arcade judge ${party.match}.arbitre`;
  if (party.keeper?.closed) {
    const own = `${party.match}-${ROLES[party.seat]}.arbitre`;
    link("own").href = URL.createObjectURL(new Blob([party.keeper.text()], { type: "text/plain" }));
    link("own").download = own;
    link("own").hidden = false;
    commands += ` ${own}`;
  }
  const verify = `arbitre verify ${party.match}.arbitre --key ${box.dataset.key}`;
  $("commands").textContent = `${verify}\n${commands}`;
  $("copy").dataset.copy = verify;
  $("kept").hidden = false;
  const badge = document.createElement("a");
  badge.className = `seal ${sound && !differs ? "good" : "bad"}`;
  badge.id = "badge";
  badge.href = base;
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 20 20");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", box.dataset.seal ?? "");
  picture.append(use);
  const head = document.createElement("code");
  head.textContent = found.head.slice(0, 8);
  badge.append(picture, head);
  $("badge").replaceWith(badge);
}

// ── what the person does ──

/** @param {Sign} sign */
function choose(sign) {
  if (!party || party.closed) return;
  if (party.due === "word" && party.bout.true) {
    wanted = sign;
    prompt();
  } else if (party.due === "sign" && !queue.length) {
    deadline = 0;
    for (const button of buttons) {
      button.disabled = true;
      button.classList.toggle("chosen", button.dataset.sign === sign);
    }
    party.choose(sign);
  }
}

/** @param {"OK" | "REFEREE"} verb */
function rule(verb) {
  clearTimeout(patience);
  if (party?.due !== "word") return;
  deadline = 0;
  referee.disabled = true;
  $("pass").hidden = true;
  party.rule(verb);
}

async function begin() {
  const chosen = nickname.value.normalize("NFKD").replace(/[^ -~]|#/g, "").trim().slice(0, 20);
  store(NICKNAME, chosen);
  start.disabled = true;
  party = new Party({ level, goal, ask, send: (lines) => line.say(lines), tell: (news) => { queue.push(news); play(); } });
  line = new Line({
    heard: (text) => party.receive(text),
    ended: () => party.lost(),
    cut: (yes) => { box.classList.toggle("cut", yes); if (yes) $("prompt").textContent = words.connecting; else if (party.seated) prompt(); },
  });
  const wishes = [`# language ${language}`];
  wishes.push(`# name ${chosen || nickname.placeholder}`);
  wishes.push(...(code ? [`# table ${code}`] : [`# level ${level}`, "# begin"]));
  try {
    await line.open(wishes);
  } catch (error) {
    start.disabled = false;
    $("prompt").textContent = reason(error);
    comment(words.house, reason(error), "bad");
  }
}

for (const button of buttons) {
  icon(find("svg", SVGElement, button), signOf(button));
  button.addEventListener("click", () => choose(signOf(button)));
}
for (const figure of all("[data-side]", HTMLElement)) place(find("svg", SVGElement, figure), Number(figure.dataset.side), {});
referee.addEventListener("click", () => rule("REFEREE"));
$("pass").addEventListener("click", () => rule("OK"));
$("again").addEventListener("click", () => location.reload());
$("coin").addEventListener("submit", (event) => { event.preventDefault(); begin(); });
$("quit").addEventListener("click", (event) => {
  if (party?.seated && !party.closed && !window.confirm(words.leave)) event.preventDefault();
});
$("mute").addEventListener("click", () => mute(store(MUTE) !== "yes"));
/** @param {boolean} yes */
function mute(yes) {
  store(MUTE, yes ? "yes" : "");
  muted(yes);
  $("mute").setAttribute("aria-pressed", String(yes));
}
mute(store(MUTE) === "yes");
nickname.value ||= store(NICKNAME);
start.disabled = false;

document.addEventListener("keydown", (event) => {
  if (around(event, "input, select, textarea") || event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  const key = event.key.toLowerCase();
  const at = ARROWS[event.key] ?? (key.length === 1 && letters.includes(key) ? letters.indexOf(key) : "123".includes(key) ? Number(key) - 1 : -1);
  if (at >= 0 && at < 3 && party && !party.closed) {
    event.preventDefault();
    choose(WORDS[at]);
  } else if (key === "j") {
    rule("REFEREE");
  } else if (event.key === "Enter" && !party && !start.disabled && !around(event, "button, a")) {
    begin();
  }
});
