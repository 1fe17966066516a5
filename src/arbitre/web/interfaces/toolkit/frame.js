// The frame around a board: two seats with names and scores, the count between them, the legend below. No words of its own.

import { Answer } from "./answer.js";
import { paints } from "./pieces.js";
import { element, icon } from "./svg.js";
import { named } from "./words.js";

/** @typedef {import("./parameters.js").Parameters} Parameters */

export class Frame {
  /** `tokens` makes the piece of each seat, drawn beside its name. @param {Parameters} parameters @param {(() => Node)[]} tokens */
  constructor(parameters, tokens) {
    if (parameters.colour) surround(parameters.colour);
    this.seats = [0, 1].map((seat) => this.#seat(parameters, seat, tokens[seat]));
    this.count = element("output", { class: "count" });
    this.count.textContent = parameters.count || "";
    this.place = element("main", { class: "place" });
    this.legend = element("footer", { class: "legend" });
    this.legend.textContent = parameters.legend || "";
    const head = element("header", { class: "head" }, this.seats[0].box, this.count, this.seats[1].box);
    document.body.append(paints(), head, this.place, this.legend);
    if (!document.querySelector(".announced")) document.body.append(element("p", { class: "announced", role: "status" }));
    this.answer = new Answer(parameters.urlreturn);
    this.turn(undefined);
  }

  /** @param {Parameters} parameters @param {number} seat @param {(() => Node) | undefined} token */
  #seat(parameters, seat, token) {
    const name = element("span", { class: "name", dir: "auto" });
    name.textContent = parameters.names[seat] || "";
    name.title = name.textContent;
    const score = element("output", { class: "score" });
    const box = element("div", { class: `seat seat-${seat + 1}` }, token ? icon(token()) : undefined, name, score);
    return { box, name, score };
  }

  /** Writes what each player has gained; nothing where the game counts nothing. @param {(string | undefined)[]} both */
  scores(both) {
    both.forEach((score, seat) => {
      this.seats[seat].score.textContent = score ?? "";
    });
  }

  /** Marks the seat that is to move. @param {number | undefined} seat */
  turn(seat) {
    this.seats.forEach(({ box }, at) => box.classList.toggle("to-move", at === seat));
  }

  /**
   * Makes the legend a control: a button with the words of the legend, or with a sign where there are none.
   * @param {string} sign @param {() => void} press
   */
  control(sign, press) {
    const words = this.legend.textContent;
    const button = element("button", { type: "button", class: "control", "aria-label": words || sign });
    button.append(words ? words : sign);
    button.addEventListener("click", press);
    this.legend.replaceChildren(button);
    return button;
  }

  /**
   * Offers a few things to choose from, as drawings: [{icon, label, value}, …]; `pick(value)` is called with one.
   * @template V @param {{ icon: Node, label: string, value: V }[]} options @param {(value: V) => void} pick
   */
  choice(options, pick) {
    const before = [...this.legend.childNodes];
    const buttons = options.map(({ icon: shape, label, value }) => {
      const button = named(element("button", { type: "button", class: "tool-button" }, icon(shape)), label, label);
      button.addEventListener("click", () => {
        this.legend.replaceChildren(...before);
        pick(value);
      });
      return button;
    });
    this.legend.replaceChildren(element("div", { class: "choice", role: "group" }, ...buttons));
    buttons[0].focus();
  }

  /** Says in the page how far it is: "shown", "asking" or "answered". Styles and testers look there. @param {"shown" | "asking" | "answered"} name */
  state(name) {
    document.documentElement.dataset.state = name;
  }
}

/** Blends in with what is around the iframe, dark or light. @param {string} colour */
function surround(colour) {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.slice(1).match(/../g) ?? [];
  const [red, green, blue] = digits.map((pair) => parseInt(pair, 16) / 255);
  document.documentElement.dataset.scheme = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
  document.documentElement.style.setProperty("--paper", colour);
}
