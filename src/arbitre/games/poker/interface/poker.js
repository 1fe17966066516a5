// Poker: one hand of heads-up hold'em. The tray is rank, showdowns, step, four cards, the table's cards and the totals `M?10-12`;
// what is entered is the player's total stake of the hand, 0 to fold (seed: chapter V, Poker).

import { CARD, card, place, suit } from "./drawings/cards.js";
import { pile } from "./drawings/chips.js";
import { showdown } from "./drawings/ranks.js";
import { felt, rim } from "./drawings/table.js";
import { hear } from "./toolkit/hearing.js";
import { run } from "./toolkit/interface.js";
import { animate, pause } from "./toolkit/motion.js";
import { sound } from "./toolkit/sound.js";
import { draw, element } from "./toolkit/svg.js";
import { named, word, worded } from "./toolkit/words.js";

/** @typedef {{ total: number, least: number, opening: boolean }} Bet a stake that is being chosen */
/** @typedef {ReturnType<typeof read>} Hand */

const MOST = 100;
const SHOWDOWNS = 12;
/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
const HIDDEN = "??";
const TRAY = /^(\d\d)(\d\d)(\d)((?:[SCHD][2-9TJQKA1]|\?\?){4})((?:[SCHD][2-9TJQKA1]){0,5})((?:M\??\d+-\??\d+)+)$/i;

const [WIDTH, HEIGHT] = [720, 470];
const TABLE = Array.from({ length: 5 }, (_, n) => ({ x: 139 + n * 90, y: 66, scale: 0.82 }));
const HOLES = [{ x: 62, y: 262, turn: -7 }, { x: 128, y: 256, turn: 4 }, { x: 498, y: 256, turn: -4 }, { x: 566, y: 262, turn: 7 }];
const STAKES = [{ x: 292, y: 352 }, { x: 428, y: 352 }];
const DEALER = [{ x: 258, y: 258 }, { x: 462, y: 258 }];

/** Read a tray; where it cannot be read, an empty table. @param {string | undefined} text */
function read(text) {
  const [, rank, showdowns, step, holes, table, bets] = TRAY.exec(text ?? "") ?? TRAY.exec("01001????????M1-2") ?? [];
  const [one, two] = bets.slice(bets.toUpperCase().lastIndexOf("M") + 1).split("-");
  return {
    rank: Number(rank),
    showdowns: Number(showdowns),
    step: Number(step),
    /** @type {string[]} */
    holes: holes.toUpperCase().match(/../g) ?? [],
    /** @type {string[]} */
    table: table.toUpperCase().match(/../g) ?? [],
    totals: [one, two].map((total) => Math.min(Number(total.replace("?", "")), MOST)),
    answers: one[0] === "?" ? 0 : two[0] === "?" ? 1 : undefined,
  };
}

/** @param {number} seat */
const token = (seat) => draw("g", { class: `token-${seat + 1}` }, draw("circle", { r: 42, class: "token-chip" }), draw("circle", { r: 27, class: "token-face" }), suit(seat ? "H" : "S", 0, 0, 17));

class Poker {
  /** @type {import("./toolkit/frame.js").Frame} */
  frame;
  /** @type {import("./toolkit/parameters.js").Parameters} */
  parameters;
  /** @type {Hand} */
  hand;
  /** @type {SVGElement} */
  drawing;
  /** @type {HTMLElement} */
  controls;
  /** @type {import("./toolkit/interface.js").Painted[]} */
  painting;
  /** @type {Record<"holes" | "table" | "stakes", SVGElement[]>} */
  shapes;
  /** @type {(cell: number) => void} */
  brush = () => {};
  tokens = [() => token(0), () => token(1)];
  brushes = [...["??"], ...["S", "C", "H", "D"], ..."A23456789TJQK"].map((code) => ({ code, icon: () => brush(code) }));

  /** @param {Poker["frame"]} frame @param {Poker["parameters"]} parameters */
  build(frame, parameters) {
    this.frame = frame;
    this.parameters = parameters;
    this.hand = read(parameters.tray);
    this.drawing = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "board table", role: "img" });
    frame.place.append(this.drawing);
    this.controls = element("div", { class: "controls bets" });
    frame.place.append(this.controls);
    this.painting = [{ labels: new Map(Array.from({ length: 9 }, (_, n) => [n, n])), ask: (_, choose) => this.pick((cell) => choose(cell, false)) }];
  }

  scores() {
    return this.parameters.gains.map((gain) => (gain && /^-?\d+$/.test(gain) ? `${Number(gain) > 0 ? "+" : ""}${gain}`.replace("-", "−") : undefined));
  }

  async show() {
    const { moves, wait } = this.parameters;
    const said = moves.findIndex((move) => move !== undefined);
    const dealt = wait > 0 && this.hand.step === 9 ? this.draw(true) : this.draw();
    if (said >= 0) await this.push(said);
    if (wait) await pause(wait);
    if (dealt.closed) {
      this.draw();
      this.shapes.stakes[said]?.classList.add("said");
    }
    if (this.hand.step === 9 || this.hand.totals.includes(0)) this.reveal();
  }

  /** Draw the table; `closed` leaves the cards of the players face down for a moment. */
  draw(closed = false) {
    const { hand } = this;
    this.shapes = { holes: [], table: [], stakes: [] };
    /** @type {SVGElement[]} */
    const all = [ground(), progress(hand), suitline()];
    TABLE.forEach(({ x, y, scale }, n) => {
      const shape = hand.table[n] ? card(hand.table[n]) : place();
      this.shapes.table.push(at(shape, `translate(${x} ${y}) scale(${scale})`, "lying"));
    });
    HOLES.forEach(({ x, y, turn }, n) => {
      const folded = hand.totals[Math.floor(n / 2)] === 0;
      const shape = card(closed || folded ? HIDDEN : hand.holes[n]);
      this.shapes.holes.push(at(shape, `translate(${x} ${y}) rotate(${turn} ${CARD.width / 2} ${CARD.height / 2}) scale(.96)`, folded ? "held folded" : "held"));
    });
    STAKES.forEach(({ x, y }, seat) => this.shapes.stakes.push(stake(hand, seat, x, y)));
    all.push(...this.shapes.table, ...this.shapes.holes, ...this.shapes.stakes, dealer(hand));
    this.drawing.replaceChildren(...all);
    this.#tell(closed);
    return { closed };
  }

  /** Say what lies on the table, for those who do not see it. @param {boolean} closed */
  #tell(closed) {
    const { rank, holes, table, totals } = this.hand;
    const [name1, name2] = this.parameters.names.map((name) => name ?? "");
    const [cards1, cards2] = [holes.slice(0, 2), holes.slice(2)].map((pair) => pair.map((one) => cardCalled(closed ? HIDDEN : one)));
    const [one, two] = totals;
    const said = { rank, name1, cards1, one, name2, cards2, two, table: table.length ? table.map(cardCalled) : word("none", "–") };
    named(this.drawing, "table", [rank, ...holes, ...table, ...totals].join(" "), said);
  }

  /** Show a player push his chips in, or lay his cards down. @param {number} seat */
  async push(seat) {
    const away = seat ? 110 : -110;
    this.shapes.stakes[seat].classList.add("said");
    sound(this.hand.totals[seat] ? "chip" : "card");
    await animate(this.shapes.stakes[seat].firstElementChild, [{ transform: `translate(${away}px, 0)`, opacity: 0.2 }, { transform: "translate(0, 0)", opacity: 1 }]);
  }

  /** Mark who won, and with which five cards where they are shown. */
  reveal() {
    const { holes, table, totals } = this.hand;
    const folder = totals.indexOf(0);
    if (folder >= 0) return this.win(1 - folder, []);
    if (table.length < 5 || holes.includes(HIDDEN)) return undefined;
    const { winner, fives } = showdown([holes.slice(0, 2), holes.slice(2)], table);
    return winner === undefined ? undefined : this.win(winner, fives[winner]);
  }

  /** @param {number} seat @param {string[]} five */
  win(seat, five) {
    /** @param {number} n */
    const mine = (n) => Math.floor(n / 2) === seat;
    this.shapes.holes.forEach((shape, n) => shape.classList.toggle("winning", mine(n) && five.includes(this.hand.holes[n])));
    this.shapes.table.forEach((shape, n) => shape.classList.toggle("winning", five.includes(this.hand.table[n])));
    this.shapes.stakes[seat].classList.add("won");
    sound("win");
  }

  // ── bets ──

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    const { totals, answers } = this.hand;
    const top = Math.max(...totals);
    const least = Math.min(top + (answers === seat ? 0 : 1), MOST);
    const bet = { total: least, least, opening: answers !== seat };
    /** @param {number} total */
    const send = (total) => {
      document.removeEventListener("keydown", listen);
      this.controls.replaceChildren();
      this.hand.totals[seat] = total;
      this.hand.answers = undefined;
      this.draw();
      this.push(seat);
      answer(String(total));
    };
    /** @param {KeyboardEvent} event */
    const listen = (event) => key(event, bet, show, send);
    const has = totals[seat];
    /** @param {string} name @param {() => number} total */
    const press = (name, total) => {
      const made = element("button", { type: "button", class: `press press-${name}` });
      made.addEventListener("click", () => send(total()));
      return made;
    };
    const fold = worded(press("fold", () => 0), "fold", "× 0");
    const meet = worded(press("meet", () => least), bet.opening ? "least" : "call", `${bet.opening ? "+" : "="} ${least}`, { more: least - has });
    const slider = element("input", { type: "range", class: "slider", min: least, max: MOST, step: 1 });
    named(slider, "stake", `${least}–${MOST}`, { least, most: MOST });
    slider.addEventListener("input", () => show(Number(slider.value)));
    // To raise is more than to call.
    const raised = () => Math.max(bet.total, Math.min(least + (bet.opening ? 0 : 1), MOST));
    const raise = press("raise", raised);
    const all = worded(press("most", () => MOST), "most", `⇈ ${MOST}`);
    /** @param {number} total */
    const show = (total) => {
      bet.total = total;
      slider.value = String(Math.max(total, least));
      worded(raise, bet.opening && this.hand.table.length ? "bet" : "raise", `✓ ${raised()}`, { total: raised(), more: raised() - has });
      fold.classList.toggle("chosen-press", total === 0);
    };
    show(least);
    const more = least < MOST;
    this.controls.replaceChildren(fold, meet, ...(more ? [slider, raise, all] : []));
    hear("keydown", listen);
  }

  // ── by hand ──

  /** Let the cards be clicked, 0 to 3 the players' and 4 to 8 the table's. @param {(cell: number) => void} choose */
  pick(choose) {
    this.brush = choose;
    [...this.shapes.holes, ...this.shapes.table].forEach((shape, n) => {
      shape.classList.add("pickable");
      shape.onclick = () => choose(n);
    });
  }

  /** @param {number} cell @param {string} code */
  paint(cell, code) {
    const { holes, table } = this.hand;
    const list = cell < 4 ? holes : table;
    const n = cell < 4 ? cell : Math.min(cell - 4, table.length);
    const old = /^[SCHD]/.test(list[n] || "") ? list[n] : "SA";
    if (code === HIDDEN) {
      if (cell < 4) list[n] = HIDDEN;
      else table.length = n;
    } else {
      list[n] = "SCHD".includes(code) ? code + old[1] : old[0] + code;
    }
    this.hand.step = step(this.hand);
    this.draw();
    this.pick(this.brush);
  }

  /** @param {string} value @param {number} seat */
  play(value, seat) {
    const { totals } = this.hand;
    totals[seat] = Number(value);
    const lower = totals[0] < totals[1] ? 0 : 1;
    this.hand.answers = totals[0] === totals[1] || value === "0" ? undefined : lower;
    this.hand.step = step(this.hand);
    this.draw();
  }

  tray() {
    const { rank, showdowns, step, holes, table, totals, answers } = this.hand;
    const bets = totals.map((total, seat) => `${answers === seat ? "?" : ""}${total}`).join("-");
    return `${two(rank)}${two(showdowns)}${step}${holes.join("")}${table.join("")}M${bets}`;
  }
}

/** Return the step of a hand: two for each betting round, odd where the round's opener speaks. @param {Omit<Hand, "step">} hand */
function step({ rank, table, totals, answers }) {
  const round = Math.max(0, table.length - 2);
  const dealer = rank % 2 ? 0 : 1;
  const opener = round ? 1 - dealer : dealer;
  return Math.min(...totals) === MOST ? 9 : 2 * round + ((answers ?? opener) === opener ? 1 : 2);
}

/** @param {string} code */
function cardCalled(code) {
  if (code === HIDDEN) return word(HIDDEN);
  const value = code[1] === "1" ? "A" : code[1];
  return word("card", code, { value: word(value, value === "T" ? "10" : value), suit: word(code[0]) });
}

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");
/** @param {Node} shape @param {string} transform @param {string} name */
const at = (shape, transform, name) => draw("g", { transform, class: name }, shape);

/** @param {KeyboardEvent} event @param {Bet} bet @param {(total: number) => void} show @param {(total: number) => void} send */
function key(event, bet, show, send) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLButtonElement) return;
  /** @param {number} total */
  const to = (total) => show(Math.max(bet.least, Math.min(MOST, total)));
  if (STEPS[event.key]) to(Math.max(bet.total, bet.least) + STEPS[event.key]);
  else if (event.key === "Home") to(bet.least);
  else if (event.key === "End") to(MOST);
  else if (/^[fF0]$/.test(event.key)) show(0);
  else if (event.key === "=") to(bet.least);
  else if (event.key === "Enter") send(bet.total);
  else return;
  event.preventDefault();
}

function ground() {
  return draw("g", {},
    rim(4, 4, WIDTH - 8, HEIGHT - 8, 200),
    felt(24, 24, WIDTH - 48, HEIGHT - 48, 182),
    draw("rect", { x: 40, y: 40, width: WIDTH - 80, height: HEIGHT - 80, rx: 168, class: "bet-line" }));
}

/** Twelve places for the hands that came to a showdown, and the number of this one. @param {Hand} hand */
function progress({ rank, showdowns, step }) {
  const done = showdowns + (step === 9 ? 1 : 0);
  const pips = Array.from({ length: SHOWDOWNS }, (_, n) => draw("circle", { cx: 261 + n * 18, cy: 226, r: 5.5, class: n < showdowns ? "pip pip-done" : n < done ? "pip pip-now" : "pip" }));
  const number = draw("text", { x: 360, y: 262, class: "rank" });
  number.textContent = String(rank);
  return draw("g", {}, ...pips, draw("rect", { x: 342, y: 244, width: 36, height: 24, rx: 12, class: "rank-plate" }), number);
}

const suitline = () => draw("g", { class: "woven" }, ...["S", "H", "C", "D"].map((letter, n) => suit(letter, 312 + n * 32, 408, 9)));

/** @param {Hand} hand @param {number} seat @param {number} x @param {number} y */
function stake({ totals, answers, step }, seat, x, y) {
  const number = draw("text", { x: 0, y: 34, class: "stake-number" });
  number.textContent = String(totals[seat]);
  return draw("g", { transform: `translate(${x} ${y})`, class: `stake stake-${seat + 1}${answers === seat && step < 9 ? " due" : ""}` },
    draw("g", {}, draw("ellipse", { cx: 0, cy: -1, rx: 52, ry: 14, class: "stake-spot" }), pile(totals[seat])),
    draw("rect", { x: -27, y: 18, width: 54, height: 25, rx: 12.5, class: "stake-plate" }), number);
}

/** @param {Hand} hand */
function dealer({ rank }) {
  const { x, y } = DEALER[rank % 2 ? 0 : 1];
  return draw("g", { transform: `translate(${x} ${y})`, class: "dealer" }, draw("circle", { r: 15 }), draw("path", { d: "M0-9L2.6-3 9-2.6 4.2 1.8 5.8 8.4 0 4.8-5.8 8.4-4.2 1.8-9-2.6-2.6-3Z" }));
}

/** @param {string} code */
function brush(code) {
  if (code === HIDDEN) return draw("g", { transform: "translate(-32 -45) scale(.64)" }, card(HIDDEN));
  if ("SCHD".includes(code)) return draw("g", { class: "brush-suit" }, draw("circle", { r: 44, class: "token-face" }), draw("g", { class: "HD".includes(code) ? "card red" : "card" }, suit(code, 0, 0, 26)));
  const text = draw("text", { x: 0, y: 20, class: "brush-value" });
  text.textContent = code === "T" ? "10" : code;
  return draw("g", {}, text);
}

run(() => new Poker());
