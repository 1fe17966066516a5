// The rules of international draughts around its moves: who cannot move has lost, and the last ply is a draw.

import { after, moves } from "./draughts-moves.js";

const START = `${"2".repeat(20)}${"0".repeat(10)}${"1".repeat(20)}`;

/** @typedef {{ tray: string, turn: number, plies: number }} State fifty squares: 1 and 2 men of white and black, 3 and 4 their kings */

/** @param {import("./draughts-moves.js").Move} move */
const write = ({ path, captured }) => path.join(captured.length ? "x" : "-");

/** What a move is, whichever way it takes. @param {import("./draughts-moves.js").Move} move */
const deed = ({ path, captured }) => [path[0], path.at(-1), ...captured.toSorted((one, two) => one - two)].join();

/** @param {State} state */
const listed = ({ tray, turn }) => moves(tray, turn % 2 ? 0 : 1);

/** The tray of a FEN. @param {string} fen */
function read(fen) {
  const cells = Array(50).fill("0");
  for (const side of fen.split(":").slice(1)) {
    for (const one of side.slice(1).split(",").filter(Boolean)) {
      const king = one.startsWith("K");
      const square = Number(one.replace("K", ""));
      if (!(square >= 1 && square <= 50)) throw new RangeError(`no such square: ${one}`); // an array would grow to it
      cells[square - 1] = side[0] === "W" ? (king ? "3" : "1") : king ? "4" : "2";
    }
  }
  return cells.join("");
}

/** @type {import("./toolkit/rules.js").Rules} */
export const rules = {
  start(options, text) {
    const [fen, turn] = text.split(" ");
    const plies = typeof options.plies === "number" ? options.plies : 100;
    return { tray: fen ? read(fen) : START, turn: Number(turn ?? (fen.startsWith("B") ? 2 : 1)), plies };
  },
  mover: ({ turn }) => (turn % 2 ? 0 : 1),
  legal: (state) => (state.turn > state.plies ? [] : listed(state).map(write)),
  deed(state, text) {
    const move = listed(state).find((one) => write(one) === text);
    return move ? deed(move) : text;
  },
  play(state, text) {
    const move = listed(state).find((one) => write(one) === text);
    if (!move) throw new RangeError(`no such move: ${text}`);
    return { ...state, tray: after(state.tray, move), turn: state.turn + 1 };
  },
  result(state) {
    if (!listed(state).length) return state.turn % 2 ? 0 : 1;
    return state.turn > state.plies ? 0.5 : null;
  },
};
