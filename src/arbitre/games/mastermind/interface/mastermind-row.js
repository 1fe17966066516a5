// A row of four pegs that is being filled: by clicks, by dragging from the palette or from hole to hole, and by keys.
// Keys: A to H or 1 to 8 put a peg, arrows move, Backspace takes the last, Enter ends; Shift+D throws dice where that is allowed.

import { button } from "./drawings/buttons.js";
import { COLOURS, hole, peg } from "./drawings/pegs.js";
import { hear } from "./toolkit/hearing.js";
import { sound } from "./toolkit/sound.js";
import { draw, element, icon } from "./toolkit/svg.js";
import { announce, named, word } from "./toolkit/words.js";

/** @typedef {{ colour: string, from: number | undefined, x: number, y: number, ghost?: HTMLElement }} Held a peg in hand */

const CODE = 4;

export class Row {
  /** @type {(string | undefined)[]} */
  pegs = Array(CODE).fill(undefined);
  focus = 0;
  /** @type {((code: string) => void) | undefined} */
  answer;
  /** @type {Held | undefined} */
  held;
  carried = false;
  /** @type {HTMLButtonElement} */
  ready;
  /** @type {HTMLButtonElement} */
  erase;

  /**
   * `spots` are the middles of the holes in `layer`; `controls` is the line where palette and buttons go.
   * @param {Element} layer @param {Element} controls @param {{ x: number, y: number }[]} spots @param {number} radius
   */
  constructor(layer, controls, spots, radius) {
    this.controls = controls;
    this.spots = spots;
    this.radius = radius;
    this.group = draw("g", { class: "row-open" });
    layer.append(this.group);
  }

  /**
   * Let the row be filled, and call `answer` with its four letters once; `control` makes a button other than the check.
   * @param {(code: string) => void} answer @param {{ dice?: boolean, control?: (press: () => void) => HTMLButtonElement }} options
   */
  open(answer, { dice = false, control } = {}) {
    this.answer = answer;
    hear("keydown", (event) => this.#key(event, dice));
    hear("pointermove", (event) => this.#drag(event));
    hear("pointerup", (event) => this.#drop(event));
    hear("pointercancel", () => this.#let());
    const palette = element("div", { class: "palette" }, ...[...COLOURS].map((colour) => this.#pot(colour)));
    const send = () => this.#send();
    this.ready = control ? control(send) : named(button("check", "✓", send), "check", "✓");
    this.erase = named(button("erase", "⌫", () => this.#back()), "erase", "⌫");
    this.controls.replaceChildren(palette, ...(dice ? [named(button("dice", "D", () => this.#dice()), "dice", "D")] : []), this.erase, ...(control ? [] : [this.ready]));
    this.#draw();
  }

  close() {
    this.answer = undefined;
    this.#let();
    this.controls.replaceChildren();
    this.ready.disabled = true;
    this.group.remove();
  }

  /** @param {string} colour */
  #pot(colour) {
    const pot = element("button", { type: "button", class: "pot", "data-colour": colour }, icon(peg(colour, 0, 0, 44)));
    named(pot, colour, colour);
    pot.addEventListener("pointerdown", (event) => this.#grab(event, colour, undefined));
    // The focus stays where it was, or Enter would press the pot again.
    pot.addEventListener("mousedown", (event) => event.preventDefault());
    pot.addEventListener("click", () => {
      if (!this.carried) this.#put(this.focus, colour);
      this.carried = false;
    });
    return pot;
  }

  #draw() {
    this.group.replaceChildren(...this.spots.map(({ x, y }, n) => {
      const colour = this.pegs[n];
      const slot = draw("g", { class: "slot", "data-slot": n, role: "img" },
        n === this.focus ? draw("circle", { cx: x, cy: y, r: this.radius + 5, class: "slot-focus" }) : undefined,
        hole(x, y, this.radius), colour ? peg(colour, x, y, this.radius) : undefined);
      named(slot, "place", `${n + 1} ${colour ?? ""}`, this.#placed(n));
      slot.addEventListener("pointerdown", (event) => this.#grab(event, this.pegs[n], n));
      return slot;
    }));
    this.ready.disabled = this.pegs.includes(undefined);
    this.erase.disabled = this.pegs.every((one) => one === undefined);
  }

  /** What is at a place, for those who do not see it. @param {number} n */
  #placed(n) {
    return { n: n + 1, colour: word(this.pegs[n] ?? "empty", this.pegs[n] ?? "") };
  }

  /** @param {number} n @param {string} colour */
  #put(n, colour) {
    if (!this.answer) return;
    this.pegs[n] = colour;
    announce("place", this.#placed(n));
    const next = [...this.pegs.keys()].map((step) => (n + 1 + step) % CODE).find((at) => this.pegs[at] === undefined);
    this.focus = next ?? n;
    sound("place");
    this.#draw();
  }

  #back() {
    const filled = this.pegs[this.focus] !== undefined ? this.focus : this.pegs.findLastIndex((one) => one !== undefined);
    if (filled < 0) return;
    this.pegs[filled] = undefined;
    announce("place", this.#placed(filled));
    this.focus = filled;
    this.#draw();
  }

  #dice() {
    this.pegs = this.pegs.map(() => COLOURS[Math.floor(Math.random() * COLOURS.length)]);
    this.focus = CODE - 1;
    announce("pegs", { pegs: this.pegs.map((colour) => word(colour ?? "empty")) });
    sound("place");
    this.#draw();
  }

  #send() {
    if (!this.answer || this.pegs.includes(undefined)) return;
    const { answer } = this;
    const code = this.pegs.join("");
    this.close();
    answer(code);
  }

  // ── dragging ──

  /** @param {PointerEvent} event @param {string | undefined} colour @param {number | undefined} from */
  #grab(event, colour, from) {
    if (!this.answer || event.button) return;
    this.carried = false;
    if (from !== undefined) {
      event.preventDefault();
      this.focus = from;
      this.#draw();
    }
    if (colour) this.held = { colour, from, x: event.clientX, y: event.clientY };
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const { held } = this;
    if (!held) return;
    if (!held.ghost && Math.hypot(event.clientX - held.x, event.clientY - held.y) > 6) {
      held.ghost = element("div", { class: "ghost" }, icon(peg(held.colour, 0, 0, 44)));
      document.body.append(held.ghost);
    }
    if (held.ghost) {
      held.ghost.style.left = `${event.clientX}px`;
      held.ghost.style.top = `${event.clientY}px`;
    }
  }

  /** @param {PointerEvent} event */
  #drop(event) {
    const { held } = this;
    this.#let();
    if (!held?.ghost) return;
    this.carried = held.from === undefined;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-slot]");
    const to = under && this.group.contains(under) ? Number(under.getAttribute("data-slot")) : undefined;
    if (held.from !== undefined) this.pegs[held.from] = to === undefined ? undefined : this.pegs[to];
    if (to !== undefined) this.#put(to, held.colour);
    else this.#draw();
    // A click follows only where the pointer is let go over the button that it pressed.
    setTimeout(() => { this.carried = false; }, 0);
  }

  #let() {
    this.held?.ghost?.remove();
    this.held = undefined;
  }

  /** @param {KeyboardEvent} event @param {boolean} dice */
  #key(event, dice) {
    if (!this.answer || event.altKey || event.ctrlKey || event.metaKey) return;
    const own = event.target instanceof Element && event.target.closest(".press, .control");
    const key = event.key.toUpperCase();
    const colour = COLOURS.includes(key) && key.length === 1 ? key : /^[1-8]$/.test(key) ? COLOURS[Number(key) - 1] : undefined;
    if (dice && key === "D" && event.shiftKey) this.#dice();
    else if (colour) this.#put(this.focus, colour);
    else if (key === "BACKSPACE" || key === "DELETE") this.#back();
    else if (key === "ARROWLEFT" || key === "ARROWRIGHT") this.#step(key === "ARROWLEFT" ? CODE - 1 : 1);
    else if (key === "ENTER" && !own && !this.pegs.includes(undefined)) this.#send();
    else return;
    event.preventDefault();
  }

  /** @param {number} by */
  #step(by) {
    this.focus = (this.focus + by) % CODE;
    announce("place", this.#placed(this.focus));
    this.#draw();
  }
}
