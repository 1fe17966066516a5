// A player's own guesses about the other side: pale pieces that he puts where he believes them. They go to nobody. A frame in a
// sandbox has no storage; what stays from one page to the next is the frame's own name, and there they are kept for the game.

import { CALLED } from "./kriegspiel-signs.js";
import { chessman, eraser } from "./toolkit/pieces.js";
import { element, icon } from "./toolkit/svg.js";
import { named, word } from "./toolkit/words.js";

const MARK = "arbitre-guesses ";

export class Guesses {
  /** @type {string[]} */
  cells = [];
  /** @type {HTMLButtonElement[]} */
  tools;

  /**
   * `resume` lets the player go on with a move when no guess is in hand any more.
   * @param {import("./toolkit/frame.js").Frame} frame @param {import("./toolkit/board.js").Board} board
   * @param {import("./toolkit/parameters.js").Parameters} parameters @param {number} seat @param {() => void} resume
   */
  constructor(frame, board, parameters, seat, resume) {
    this.board = board;
    this.resume = resume;
    this.game = [parameters.names[0] || "", parameters.names[1] || "", seat].join("\n");
    this.count = Number(parameters.count) || 0;
    this.placed = this.#recall();
    const letters = seat === 0 ? "kqrbnp" : "KQRBNP";
    this.tools = [...letters].map((letter) => this.#tool(letter, chessman(letter), CALLED[letter]));
    this.tools.push(this.#tool("", eraser(), "⌫"));
    frame.place.append(named(element("div", { class: "guesses", role: "toolbar" }, ...this.tools), "guesses", "?"));
  }

  /** @param {string[]} cells */
  draw(cells) {
    this.cells = cells;
    this.board.unmark("guess");
    for (const [cell, letter] of this.placed) {
      if (cells[cell] !== "0") this.placed.delete(cell);
      else {
        this.board.stamp("guess", cell, chessman(letter));
        this.board.describe(cell, word("guess", `? ${CALLED[letter]}`, { piece: word(CALLED[letter]) }));
      }
    }
  }

  /** @param {string} letter @param {Node} shape @param {string} label */
  #tool(letter, shape, label) {
    const button = element("button", { type: "button", class: "tool-button", "aria-pressed": "false" }, icon(shape));
    named(button, "guess", `? ${label}`, { piece: word(label) });
    button.addEventListener("click", () => {
      const taken = button.getAttribute("aria-pressed") === "false";
      for (const one of this.tools) one.setAttribute("aria-pressed", String(taken && one === button));
      for (const kind of ["movable", "chosen", "step"]) this.board.unmark(kind);
      this.board.rest();
      if (taken) this.#hold(letter);
      else this.resume();
    });
    return button;
  }

  /** @param {string} letter */
  #hold(letter) {
    const free = this.cells.flatMap((code, cell) => (code === "0" ? [cell] : []));
    this.board.ask(free, (cell) => {
      if (letter && this.placed.get(cell) !== letter) this.placed.set(cell, letter);
      else this.placed.delete(cell);
      this.board.describe(cell, "");
      this.draw(this.cells);
      this.#keep();
    }, { dots: false });
  }

  #keep() {
    window.name = MARK + JSON.stringify([this.game, this.count, [...this.placed]]);
    // the page around may show the next position in another frame: it gives that one this name
    window.parent.postMessage({ arbitre: { keep: window.name } }, "*");
  }

  // What was kept, if it is of this game and not of a later moment of an earlier one.
  #recall() {
    /** @type {[cell: number, letter: string][]} */
    let kept = [];
    try {
      /** @type {[game: string, count: number, placed: typeof kept]} */
      const [game, count, placed] = JSON.parse(window.name.slice(MARK.length));
      const sound = placed.every(([cell, letter]) => Number.isInteger(cell) && cell >= 0 && cell < 64 && letter in CALLED);
      if (window.name.startsWith(MARK) && game === this.game && count <= this.count && sound) kept = placed;
    } catch { /* a name of somebody else's */ }
    return new Map(kept);
  }
}
