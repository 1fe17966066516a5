// Seafight: half N of the tray is what player N shot at the other's waters; GainN is player N's fleet, as much of it as one may see.
// Double and End show both waters alike; Standard (the person is second) and Inverse (first) show large what the person shoots at.

import { DIGITS, LETTERS, SIZES, cellOf, cellsOf, readFleet, spot } from "./drawings/fleet.js";
import { berth, splash, vessel } from "./drawings/ships.js";
import { Harbour } from "./seafight-harbour.js";
import { Board } from "./toolkit/board.js";
import { run } from "./toolkit/interface.js";
import { animate, arrive, pause } from "./toolkit/motion.js";
import { sound } from "./toolkit/sound.js";
import { draw, element, icon } from "./toolkit/svg.js";
import { named } from "./toolkit/words.js";

/** @typedef {import("./drawings/fleet.js").Ship} Ship */

/** @param {number} seat */
const token = (seat) => draw("g", { class: `fleet-${seat + 1}`, transform: "translate(-44 0) scale(44)" }, vessel(2));
/** @param {number} seat */
const aim = (seat) => draw("g", { class: `aim aim-${seat + 1}` }, draw("circle", { r: 26 }), draw("path", { d: "M0-44V-14M0 14V44M-44 0H-14M14 0H44" }));
/** @param {string} mark */
const shot = (mark) => splash(mark, 0, 0, 100);
/** @type {Record<string, string>} */
const SPOKEN = { 1: "○", 2: "×", 3: "××" };

/** What one player shot at: the other's waters with as much of the fleet as is known. */
class Waters {
  /** @param {Element} place @param {number} shooter @param {string[]} marks @param {Ship[]} fleet @param {boolean} small @param {string} name whose waters */
  constructor(place, shooter, marks, fleet, small, name) {
    this.shooter = shooter;
    this.marks = marks;
    this.fleet = fleet;
    this.box = element("section", { class: small ? "waters small" : "waters" });
    place.append(this.box);
    this.box.append(element("div", { class: "caption" }, icon(aim(shooter)), icon(token(1 - shooter))));
    this.board = new Board(this.box, { columns: 10, rows: 10, letters: LETTERS, digits: DIGITS, called: spot });
    named(this.board.drawing, "waters", "", { name });
    this.hulls = draw("g", { class: `fleet fleet-${2 - shooter}` });
    this.board.layers.under.append(this.hulls);
    this.roster = element("div", { class: `roster fleet-${2 - shooter}` });
    this.box.append(this.roster);
  }

  draw(marks = this.marks, fleet = this.fleet) {
    const { board } = this;
    board.clear();
    const { edge } = board;
    this.hulls.replaceChildren(...fleet.map((ship) => {
      return draw("g", { transform: `translate(${edge} ${edge}) ${berth(ship.vertical, ship.column, ship.row, 100)}` }, vessel(ship.size, ship.state));
    }));
    for (const cell of fleet.flatMap(cellsOf)) board.describe(cell, "■");
    marks.forEach((mark, cell) => {
      if ("123".includes(mark)) board.put(cell, shot(mark), SPOKEN[mark]);
    });
    this.#count(fleet);
  }

  /** Show which of the five ships are sunk, below the waters. @param {Ship[]} fleet */
  #count(fleet) {
    const lost = fleet.filter((ship) => ship.state === 3).map((ship) => ship.size);
    this.roster.replaceChildren(...SIZES.map((size) => {
      const at = lost.indexOf(size);
      if (at >= 0) lost.splice(at, 1);
      const shape = vessel(size, at >= 0 ? 3 : 1);
      const cross = at >= 0 ? draw("path", { d: `M.2-.34L${size - 0.2} .34M.2 .34L${size - 0.2}-.34`, class: "struck" }) : undefined;
      return draw("svg", { viewBox: `-.05 -.5 ${size + 0.1} 1`, class: `silhouette silhouette-${size}`, "data-sunk": at >= 0 ? "yes" : "no" }, shape, cross);
    }));
  }

  /** Show a shot fall: a splash first, and what it did after `wait`. @param {number} cell @param {string} mark @param {number} wait */
  async fall(cell, mark, wait) {
    const before = this.marks.map((now, at) => (at === cell ? "0" : now === "3" && mark === "3" && this.#together(at, cell) ? "2" : now));
    const afloat = this.fleet.filter((ship) => mark !== "3" || !this.holds(ship, cell));
    this.draw(wait ? before : this.marks, wait ? afloat : this.fleet);
    this.board.mark("last", [cell]);
    if (wait) {
      const falling = this.board.put(cell, draw("g", { class: "falling" }, aim(this.shooter)));
      sound("splash");
      await Promise.all([pause(wait), animate(falling, [{ transform: "scale(2.2)", opacity: 0 }, { transform: "scale(1)", opacity: 1 }])]);
      this.draw();
      this.board.mark("last", [cell]);
    }
    sound(mark === "1" ? "splash" : "hit");
    await arrive(this.board.shape(cell));
  }

  /** @param {Ship} ship @param {number} cell */
  holds(ship, cell) {
    const [column, row] = [cell % 10, Math.floor(cell / 10)];
    const [right, down] = ship.vertical ? [0, ship.size - 1] : [ship.size - 1, 0];
    return column >= ship.column && column <= ship.column + right && row >= ship.row && row <= ship.row + down;
  }

  /** @param {number} one @param {number} two */
  #together(one, two) {
    return this.fleet.some((ship) => this.holds(ship, one) && this.holds(ship, two));
  }
}

/** @type {Record<string, number[]>} */
const LAYOUTS = { standard: [1, 0], inverse: [0, 1] };

class Seafight {
  /** @type {import("./toolkit/parameters.js").Parameters} */
  parameters;
  /** @type {Harbour | undefined} */
  harbour;
  /** @type {Waters[]} */
  waters = [];
  /** @type {Board[]} */
  painting;
  tokens = [() => token(0), () => token(1)];
  brushes = [{ code: "0" }, { code: "1", icon: () => shot("1") }, { code: "2", icon: () => shot("2") }, { code: "3", icon: () => shot("3") }];

  /** @param {import("./toolkit/frame.js").Frame} frame @param {Seafight["parameters"]} parameters */
  build(frame, parameters) {
    this.parameters = parameters;
    if (parameters.method === "prepare") {
      document.body.classList.add("preparing");
      const board = new Board(frame.place, { columns: 10, rows: 10, letters: LETTERS, digits: DIGITS, called: spot });
      this.harbour = new Harbour(frame, board, parameters.asks ?? 0);
      return;
    }
    const halves = (parameters.tray || "").split("***");
    /** @type {number[] | undefined} */
    const layout = LAYOUTS[parameters.method];
    for (const shooter of layout || [0, 1]) {
      const marks = [...(halves[shooter] || "").replace(/[^0-3]/g, "0").padEnd(100, "0").slice(0, 100)];
      const fleet = readFleet(parameters.gains[1 - shooter]);
      this.waters[shooter] = new Waters(frame.place, shooter, marks, fleet, shooter === layout?.[1], parameters.names[1 - shooter] ?? "");
    }
    this.painting = this.waters.map((one) => one.board);
  }

  async show() {
    if (this.harbour) return;
    const { moves, wait } = this.parameters;
    this.waters.forEach((one) => one.draw());
    const last = moves.findIndex((move) => cellOf(move) !== undefined);
    const said = moves[last] ?? "";
    const cell = cellOf(said);
    if (cell !== undefined) {
      const waters = this.waters[last];
      // The shot may be on the tray already, or come with its result alone.
      if (waters.marks[cell] === "0") waters.marks[cell] = /[123]/.test(said[2]) ? said[2] : "1";
      await waters.fall(cell, waters.marks[cell], wait);
    }
    if (this.parameters.method === "end") this.crown();
  }

  /** Mark the waters of the fleet that is sunk: all of its seventeen cells. */
  crown() {
    const winner = this.waters.find((one) => one.marks.filter((mark) => mark === "3").length >= 17);
    if (!winner) return;
    winner.box.classList.add("won");
    sound("win");
  }

  /** @param {number} seat @param {(value: string) => void} answer */
  ask(seat, answer) {
    if (this.harbour) return this.harbour.open(answer);
    const { board, marks } = this.waters[seat];
    const open = marks.map((_, cell) => cell).filter((cell) => marks[cell] === "0");
    return board.ask(open, (cell) => {
      board.rest();
      board.unmark("last");
      arrive(board.put(cell, aim(seat)));
      board.mark("last", [cell]);
      sound("place");
      answer(spot(cell));
    }, { ghost: () => aim(seat) });
  }

  /** @param {number} cell @param {string} code @param {import("./toolkit/interface.js").Painted} board */
  paint(cell, code, board) {
    const waters = this.waters.find((one) => one.board === board);
    if (!waters) return;
    waters.marks[cell] = code;
    waters.draw();
  }

  /** @param {string} value @param {number} seat */
  play(value, seat) {
    const cell = cellOf(value);
    if (this.harbour || cell === undefined) return;
    const waters = this.waters[seat];
    const ship = waters.fleet.find((one) => waters.holds(one, cell));
    waters.marks[cell] = ship ? "2" : "1";
    waters.draw();
    waters.board.mark("last", [cell]);
  }

  tray() {
    return this.harbour ? "" : this.waters.map((one) => one.marks.join("")).join("***");
  }
}

run(() => new Seafight());
