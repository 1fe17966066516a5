// Rochambeau: Move1 and Move2 are the hands of the last round, 1 rock, 2 paper, 3 scissors; the gains are points, five of them win.

import { PAPER, ROCK, SCISSORS, hand } from "./drawings/hands.js";
import { felt, rim } from "./drawings/table.js";
import { hear } from "./toolkit/hearing.js";
import { run } from "./toolkit/interface.js";
import { animate, pause } from "./toolkit/motion.js";
import { sound } from "./toolkit/sound.js";
import { draw, element } from "./toolkit/svg.js";
import { named, word } from "./toolkit/words.js";

/** @typedef {(number | undefined)[]} Signs what each seat shows, undefined where it shows nothing */

const SIGNS = [ROCK, PAPER, SCISSORS];
const GOAL = 5;
const [WIDTH, HEIGHT] = [720, 400];
const [SIZE, NEAR] = [1.25, 42];

/** @param {number} seat */
const token = (seat) => draw("g", { transform: "translate(-36 -44) scale(.36)" }, hand(SCISSORS, seat + 1));
/** @param {string | undefined} text */
const read = (text) => (/^[123]$/.test(text || "") ? Number(text) : undefined);
/** @param {string | undefined} text */
const points = (text) => (/^\d+$/.test(text || "") ? Number(text) : 0);

class Rochambeau {
  /** @type {import("./toolkit/parameters.js").Parameters} */
  parameters;
  /** @type {Signs} */
  hands;
  /** @type {number[]} */
  gains;
  /** @type {SVGElement} */
  drawing;
  /** @type {HTMLElement} */
  controls;
  /** @type {Signs | undefined} */
  shown;
  tokens = [() => token(0), () => token(1)];

  /** @param {import("./toolkit/frame.js").Frame} frame @param {Rochambeau["parameters"]} parameters */
  build(frame, parameters) {
    this.parameters = parameters;
    this.hands = parameters.moves.map(read);
    this.gains = parameters.gains.map(points);
    this.drawing = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "board arena", role: "img" });
    this.controls = element("div", { class: "controls choices" });
    frame.place.append(this.drawing, this.controls);
  }

  scores() {
    return this.parameters.gains.some((gain) => gain !== undefined) || this.parameters.webtest ? this.gains.map(String) : undefined;
  }

  async show() {
    const { wait } = this.parameters;
    const played = this.hands.every(Boolean);
    if (played && wait) {
      this.draw([ROCK, ROCK], true);
      const fists = [...this.drawing.querySelectorAll(".bobbing")];
      const bob = [0, -26, 0, -26, 0, -26, 0].map((y) => ({ transform: `translateY(${y}px)` }));
      sound("move");
      await Promise.all([pause(wait), ...fists.map((fist) => animate(fist, bob, Math.max(wait - 60, 120)))]);
    }
    this.draw(this.hands);
    if (played) sound(this.winner() === undefined ? "place" : "take");
    if (Math.max(...this.gains) >= GOAL) sound("win");
  }

  /** Return who won the round, undefined for neither: each sign is beaten by the next. */
  winner() {
    const [one, two] = this.hands;
    return !one || !two || one === two ? undefined : (one - two + 3) % 3 === 1 ? 0 : 1;
  }

  /** @param {Signs} hands */
  draw(hands, closed = false) {
    const winner = closed ? undefined : this.winner();
    const both = hands.every(Boolean);
    this.drawing.replaceChildren(
      rim(4, 4, WIDTH - 8, HEIGHT - 8, 40),
      felt(20, 20, WIDTH - 40, HEIGHT - 40, 28),
      draw("path", { d: `M${WIDTH / 2} 96V${HEIGHT - 44}`, class: "middle" }),
      ...[0, 1].map((seat) => this.side(seat, hands[seat], winner, both && !closed)),
      ...(both && !closed ? [relation(winner)] : []),
    );
    const [one, two] = this.gains;
    const [left, right] = hands.map((sign) => word(String(sign ?? "")));
    if (both && !closed) named(this.drawing, "round", `${hands.join("–")} ${one}–${two}`, { left, right, one, two });
    else named(this.drawing, "points", `${one}–${two}`, { one, two });
  }

  /**
   * Draw one player's half: his points above, his hand from the edge.
   * @param {number} seat @param {number | undefined} sign @param {number | undefined} winner @param {boolean} open
   */
  side(seat, sign, winner, open) {
    const pips = Array.from({ length: GOAL }, (_, n) => {
      const x = seat ? WIDTH - 60 - n * 34 : 60 + n * 34;
      return draw("circle", { cx: x, cy: 60, r: 11, class: n < this.gains[seat] ? "point point-won" : "point" });
    });
    const name = `side side-${seat + 1}${open && winner === seat ? " side-won" : ""}${open && winner === 1 - seat ? " side-lost" : ""}`;
    const reach = seat ? `translate(${WIDTH - NEAR} 92) scale(-1 1)` : `translate(${NEAR} 92)`;
    const shape = sign ? draw("g", { class: "bobbing" }, draw("g", { transform: `translate(264 0) scale(${SIZE}) rotate(90)` }, hand(sign, seat + 1))) : undefined;
    const glow = draw("circle", { cx: 168, cy: 126, r: 150, fill: "url(#glow)", class: "side-glow" });
    const crown = this.gains[seat] >= GOAL ? draw("path", { d: "M-22 15L-26-14L-11-1L0-22L11-1L26-14L22 15Z M-22 21H22", class: "crown", transform: `translate(${seat ? WIDTH - 252 : 252} 58)` }) : undefined;
    return draw("g", { class: name, "data-sign": sign ?? "" }, draw("g", { transform: reach }, glow, shape), ...pips, crown);
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    /** @param {number} sign */
    const choose = (sign) => {
      document.removeEventListener("keydown", listen);
      this.controls.replaceChildren();
      /** @type {Signs} */
      const shown = [undefined, undefined];
      shown[seat] = sign;
      this.hands = shown;
      this.draw(shown);
      sound("place");
      answer(String(sign));
    };
    /** @param {KeyboardEvent} event */
    const listen = (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (/^[123]$/.test(event.key)) choose(Number(event.key));
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.step(event.key === "ArrowLeft" ? 2 : 1);
    };
    this.controls.replaceChildren(...SIGNS.map((sign) => choice(sign, seat, choose)));
    hear("keydown", listen);
  }

  /** @param {string} value */
  text(value) {
    return ["rock", "paper", "scissors"][Number(value) - 1];
  }

  /** Move the focus among the three hands. @param {number} by */
  step(by) {
    const all = [...this.controls.querySelectorAll("button")];
    const at = all.findIndex((one) => one === document.activeElement);
    all[at < 0 ? (by === 1 ? 0 : 2) : (at + by) % 3].focus();
  }

  // ── by hand: a round is over when both have shown ──

  /** @param {string} value @param {number} seat */
  play(value, seat) {
    this.shown ||= [undefined, undefined];
    this.shown[seat] = Number(value);
    this.hands = this.shown;
    if (this.shown.every(Boolean)) {
      const winner = this.winner();
      if (winner !== undefined) this.gains[winner] += 1;
      this.shown = undefined;
    }
    this.draw(this.hands);
  }

  tray() {
    return "Init";
  }
}

/** Between the hands: which one beats the other, or that they are equal. @param {number | undefined} winner */
function relation(winner) {
  const sign = winner === undefined ? "M-15-8H15M-15 8H15" : winner === 0 ? "M-9-16L11 0L-9 16" : "M9-16L-11 0L9 16";
  return draw("g", { transform: `translate(${WIDTH / 2} 218)`, class: "relation" }, draw("circle", { r: 30 }), draw("path", { d: sign }));
}

/** @param {number} sign @param {number} seat @param {(sign: number) => void} choose */
function choice(sign, seat, choose) {
  const shape = draw("svg", { viewBox: "0 0 200 240", "aria-hidden": "true" }, hand(sign, seat + 1));
  const made = element("button", { type: "button", class: "hand-choice" }, shape);
  named(made, String(sign), String(sign));
  const number = element("span", { class: "hand-key" });
  number.textContent = String(sign);
  made.append(number);
  made.addEventListener("click", () => choose(sign));
  return made;
}

run(() => new Rochambeau());
