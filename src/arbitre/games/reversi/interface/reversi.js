// Reversi: 64 cells, A1 to H8. On the tray 3 is a black disc (the first player's), 4 a white one, 1 and 2 an empty cell where black
// or white may play, 7 a disc that turns from white to black, 8 from black to white. Who has no move passes: XX.

import { hear } from "./toolkit/hearing.js";
import { run } from "./toolkit/interface.js";
import { turn } from "./toolkit/motion.js";
import { stone } from "./toolkit/pieces.js";
import { Placing } from "./toolkit/placing.js";
import { sound } from "./toolkit/sound.js";

const LETTERS = [..."ABCDEFGH"];

class Reversi extends Placing {
  columns = 8;
  rows = 8;
  layout = { letters: LETTERS, digits: [..."12345678"], stars: [] };
  start = "0".repeat(27) + "43" + "0".repeat(6) + "34" + "0".repeat(27);
  tokens = [() => stone("dark"), () => stone("light")];
  codes = ["3", "4"];
  // A disc that turns is shown as it was.
  /** @type {Placing["faces"]} */
  faces = { 3: [0], 4: [1], 7: [1], 8: [0] };

  /** @param {string} name */
  cellOf(name) {
    return /^[A-H][1-8]$/.test(name) ? LETTERS.indexOf(name[0]) + 8 * (Number(name[1]) - 1) : undefined;
  }

  /** @param {number} cell */
  nameOf(cell) {
    return LETTERS[cell % 8] + (Math.floor(cell / 8) + 1);
  }

  changing() {
    return this.cells.flatMap((code, cell) => ("78".includes(code) ? [cell] : []));
  }

  async settle() {
    sound("turn");
    await Promise.all(this.changing().map((cell) => {
      this.cells[cell] = this.cells[cell] === "7" ? "3" : "4";
      return turn(this.board.shape(cell), () => this.face(cell, this.cells[cell]));
    }));
  }

  /** The cells that the site says are open; where it says nothing (the bench), those that turn something. @param {number} seat */
  open(seat) {
    const told = this.cells.flatMap((code, cell) => (code === "12"[seat] ? [cell] : []));
    return told.length ? told : this.cells.flatMap((code, cell) => ("012".includes(code) && this.turned(cell, seat).length ? [cell] : []));
  }

  /** @param {number} cell @param {number} seat */
  turned(cell, seat) {
    const [own, against] = [this.codes[seat], this.codes[1 - seat]];
    /** @type {number[]} */
    const found = [];
    for (const down of [-1, 0, 1]) {
      for (const right of [-1, 0, 1]) {
        /** @type {number[]} */
        const between = [];
        let [row, column] = [Math.floor(cell / 8) + down, (cell % 8) + right];
        const inside = () => row >= 0 && row < 8 && column >= 0 && column < 8;
        while (inside() && this.cells[row * 8 + column] === against) {
          between.push(row * 8 + column);
          [row, column] = [row + down, column + right];
        }
        if (inside() && this.cells[row * 8 + column] === own) found.push(...between);
      }
    }
    return found;
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    if (this.open(seat).length) {
      super.ask(seat, answer);
      return;
    }
    const control = this.frame.control("⏭", () => {
      control.disabled = true;
      answer("XX");
    });
    hear("keydown", (event) => {
      if (!["Enter", " "].includes(event.key) || event.target !== document.body) return;
      event.preventDefault();
      control.click();
    });
  }

  /** @param {number | undefined} cell @param {number} seat */
  lay(cell, seat) {
    this.cells = this.cells.map((code) => ("12".includes(code) ? "0" : code));
    if (cell === undefined) return;
    const turned = this.turned(cell, seat);
    for (const one of [cell, ...turned]) this.cells[one] = this.codes[seat];
  }

  scores() {
    return [this.count("38"), this.count("47")].map(String);
  }
}

run(() => new Reversi());
