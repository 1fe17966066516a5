// Kriegspiel: 64 squares from a8 to h1, capitals White's pieces (the first player's), small letters Black's, 0 where nothing is seen.
// A move is written as UCI does. Of the other's move only the square is known on which it took something. Heard are the codes of
// what the umpire said, drawn as signs. Side=Two puts Black below.

import { CALLED, reach, signs } from "./kriegspiel-signs.js";
import { Guesses } from "./kriegspiel-guesses.js";
import { Board } from "./toolkit/board.js";
import { run } from "./toolkit/interface.js";
import { slide } from "./toolkit/motion.js";
import { askPath } from "./toolkit/path.js";
import { chessman } from "./toolkit/pieces.js";
import { sound } from "./toolkit/sound.js";
import { element } from "./toolkit/svg.js";

const FILES = [..."abcdefgh"];
const START = "rnbqkbnr" + "p".repeat(8) + "0".repeat(32) + "P".repeat(8) + "RNBQKBNR";

/** @param {number} cell */
const nameOf = (cell) => FILES[cell % 8] + (8 - Math.floor(cell / 8));
/** @param {string} name */
const cellOf = (name) => (/^[a-h][1-8]$/.test(name) ? FILES.indexOf(name[0]) + 8 * (8 - Number(name[1])) : undefined);

class Kriegspiel {
  /** @type {import("./toolkit/frame.js").Frame} */
  frame;
  /** @type {import("./toolkit/parameters.js").Parameters} */
  parameters;
  /** @type {string[]} */
  cells;
  /** @type {Board} */
  board;
  /** @type {Board[]} */
  painting;
  /** @type {Guesses | undefined} */
  guesses;
  /** @type {(() => void) | undefined} Asks again for the move that a guess has put off. */
  resume;
  refused = false;
  tokens = [() => chessman("K"), () => chessman("k")];
  brushes = [{ code: "0" }, ...[..."KQRBNPkqrbnp"].map((code) => ({ code, icon: () => chessman(code) }))];

  /** @param {Kriegspiel["frame"]} frame @param {Kriegspiel["parameters"]} parameters */
  build(frame, parameters) {
    this.frame = frame;
    this.parameters = parameters;
    this.cells = [...(parameters.tray && /^[KQRBNPkqrbnp0]{64}$/.test(parameters.tray) ? parameters.tray : START)];
    this.board = new Board(frame.place, {
      columns: 8,
      rows: 8,
      kind: "chequer",
      letters: FILES,
      digits: [..."87654321"],
      turned: /^two$/i.test(parameters.side || ""),
      called: nameOf,
    });
    this.painting = [this.board];
    // for those who see them; the page tells in words what the umpire said
    const heard = signs(parameters.heard || "");
    frame.legend.before(element("ul", { class: "heard", "aria-hidden": "true" }, ...heard));
    const seats = [0, 1].filter((seat) => this.cells.some((code) => code !== "0" && (code < "a") === (seat === 0)));
    // Guesses are for who sees one side alone.
    if (seats.length === 1 && parameters.method !== "end" && !parameters.webtest) {
      this.guesses = new Guesses(frame, this.board, parameters, seats[0], () => this.resume?.());
    }
    this.refused = /(?:np|il)(?:,|$)/.test(parameters.heard || "");
  }

  draw() {
    this.board.clear();
    this.cells.forEach((code, cell) => {
      if (code !== "0") this.board.put(cell, chessman(code), CALLED[code]);
    });
    this.guesses?.draw(this.cells);
  }

  async show() {
    this.draw();
    const said = this.parameters.moves.find((move) => move) || "";
    const [from, to] = [cellOf(said.slice(0, 2)), cellOf(said.slice(2, 4))];
    if (from === undefined) {
      if (this.refused) sound("refuse");
      return;
    }
    if (to === undefined) {
      // A piece of the viewer's was taken there.
      this.board.mark("lost", [from]);
      sound("take");
      return;
    }
    this.board.mark("trail", [from]);
    this.board.mark("last", [to]);
    sound("move");
    const [[x1, y1], [x2, y2]] = [this.board.centre(from), this.board.centre(to)];
    if (this.board.shape(to)) await slide(this.board.shape(to), x1 - x2, y1 - y2);
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    this.resume = () => this.ask(seat, answer);
    const own = this.cells.flatMap((code, cell) => (code !== "0" && (code < "a") === (seat === 0) ? [cell] : []));
    const paths = own.flatMap((from) => reach(this.cells, from).map((to) => [from, to]));
    askPath(this.board, paths, ([from, to]) => {
      this.resume = undefined;
      const made = (becomes = "") => {
        this.make(from, to, becomes && (seat === 0 ? becomes.toUpperCase() : becomes));
        answer(nameOf(from) + nameOf(to) + becomes);
      };
      if (!/p/i.test(this.cells[from]) || (to >= 8 && to < 56)) {
        made();
        return;
      }
      this.board.mark("chosen", [from]);
      this.board.mark("step", [to]);
      /** @param {string} one */
      const letter = (one) => (seat === 0 ? one.toUpperCase() : one);
      this.frame.choice([..."qrbn"].map((one) => ({ icon: chessman(letter(one)), label: CALLED[letter(one)], value: one })), made);
    });
  }

  /** @param {number} from @param {number} to @param {string} becomes */
  make(from, to, becomes) {
    const piece = this.cells[from];
    this.cells[to] = becomes || piece;
    this.cells[from] = "0";
    if (/k/i.test(piece) && Math.abs(from - to) === 2) {
      const [rook, beside] = to > from ? [to + 1, to - 1] : [to - 2, to + 1];
      this.cells[beside] = this.cells[rook];
      this.cells[rook] = "0";
    }
    this.draw();
    this.board.mark("trail", [from]);
    this.board.mark("last", [to]);
    sound("move");
  }

  /** @param {number} cell @param {string} code */
  paint(cell, code) {
    this.cells[cell] = code;
    this.draw();
  }

  // On the bench the move was made when it was entered.
  play() {}

  tray() {
    return this.cells.join("");
  }
}

run(() => new Kriegspiel());
