// The bench of Web Test (spec: tournoyons, section 5): compose a board by hand, play for either seat, read tray and last value.
// Both are shown in a text box and told to the page around: postMessage({arbitre: {tray, value}}).

import { eraser } from "./pieces.js";
import { draw, element, icon } from "./svg.js";

/** @typedef {import("./interface.js").Game} Game */

export class Bench {
  /** @type {HTMLButtonElement[]} */
  tools = [];

  /** @param {Game} game @param {import("./frame.js").Frame} frame @param {() => void} changed */
  constructor(game, frame, changed) {
    this.game = game;
    this.frame = frame;
    this.changed = changed;
    this.value = "";
    this.tray = element("input", { class: "read", readonly: true, "aria-label": "Tray", size: 18 });
    this.last = element("input", { class: "read", readonly: true, "aria-label": "Value", size: 8 });
    this.bar = element("div", { class: "bench", role: "toolbar" });
  }

  open() {
    const { game } = this;
    [0, 1].forEach((seat) => this.#tool(hand(game.tokens[seat]()), `${seat + 1} ▶`, () => this.#play(seat)));
    for (const { code, icon: make } of game.brushes || []) this.#tool(make ? make() : eraser(), `= ${code}`, () => this.#paint(code));
    this.bar.append(this.tray, this.last);
    this.frame.legend.before(this.bar);
    document.body.classList.add("with-bench");
    this.#tell();
  }

  /** @param {Node} shape @param {string} label @param {() => void} use */
  #tool(shape, label, use) {
    const button = element("button", { type: "button", class: "tool-button", "aria-label": label, "aria-pressed": "false" }, icon(shape));
    button.addEventListener("click", () => {
      for (const one of this.tools) one.setAttribute("aria-pressed", String(one === button));
      use();
    });
    this.tools.push(button);
    this.bar.append(button);
  }

  /** One move by hand, as if that seat had been asked. @param {number} seat */
  #play(seat) {
    this.frame.turn(seat);
    this.game.ask(seat, (value) => {
      this.value = value;
      this.game.play(value, seat);
      this.frame.turn(undefined);
      for (const one of this.tools) one.setAttribute("aria-pressed", "false");
      this.#tell();
    });
    this.frame.state("asking");
  }

  /** @param {string} code */
  #paint(code) {
    this.frame.turn(undefined);
    for (const board of this.game.painting || []) {
      const cells = [...board.labels.keys()];
      board.ask(cells, (cell) => {
        this.game.paint?.(cell, code, board);
        this.#tell();
      }, { dots: false });
    }
    this.frame.state("asking");
  }

  #tell() {
    this.changed();
    this.tray.value = this.game.tray();
    this.last.value = this.value;
    parent.postMessage({ arbitre: { tray: this.tray.value, value: this.value } }, "*");
  }
}

/** A piece with the sign of playing beside it. @param {Node} shape */
function hand(shape) {
  return draw("g", {}, draw("g", { transform: "translate(-12 0) scale(.72)" }, shape), draw("path", { d: "M26 -18 L46 0 L26 18 Z", class: "tool-fill" }));
}
