// The rules of three games, from their pages of the manual. A game has `start`, `phase`, `read`, `play` and `view`; nothing here draws.
import { must } from "./form.mjs";

/** What a player said is no legal move; the reason goes into the record. */
export class Refused extends Error {
  constructor(code, fields = {}) {
    super(code);
    this.reason = { code, ...fields };
  }
}

const won = (seat, code, fields = {}, tally = []) => ({ scores: seat === 0 ? ["1", "0"] : ["0", "1"], reason: { code, seat, ...fields }, tally });
const drawn = (code, fields = {}, tally = []) => ({ scores: ["1/2", "1/2"], reason: { code, ...fields }, tally });

/** A move must stand in its canonical text: whoever took it down otherwise is not our referee. */
function canonically(text, canonical) {
  must(text === canonical, `a move is written ${canonical}`);
  return canonical;
}

const bare = (text) => text.replace(/^ +| +$/g, "");

// ── TicTacToe ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((line) => [...line].map(Number));

const tictactoe = {
  options: {},
  start(_, text) {
    const found = /^([012]{9}) ([0-9]+)$/.exec(text || "000000000 1");
    must(found, "no position");
    const cells = [...found[1]].map(Number);
    const [first, second] = [1, 2].map((mark) => cells.filter((cell) => cell === mark).length);
    must(first === second || first === second + 1, "no position of a game");
    must(found[2] === String(first + second + 1), "not the turn that the marks tell");
    return { cells };
  },
  phase({ cells }) {
    const turn = cells.filter(Boolean).length + 1;
    for (const [a, b, c] of LINES)
      if (cells[a] && cells[a] === cells[b] && cells[b] === cells[c]) return { over: won(cells[a] - 1, "three-in-a-row"), turn };
    if (turn > 9) return { over: drawn("board-full"), turn };
    return { turn, seats: [(turn - 1) % 2] };
  },
  read({ cells }, _, text) {
    if (!/^[1-9]$/.test(bare(text))) throw new Refused("no-digit");
    canonically(text, bare(text));
    if (cells[text - 1]) throw new Refused("occupied", { cell: Number(text) });
    return Number(text) - 1;
  },
  play({ cells }, moves) {
    const [[seat, cell]] = moves;
    return { cells: cells.with(cell, seat + 1) };
  },
  view: ({ cells }) => `${cells.join("")} ${cells.filter(Boolean).length + 1}`,
};

// ── Reversi ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const BOARD = [...Array(64).keys()];
const DIRECTIONS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right])).filter(([down, right]) => down || right);
const RAYS = BOARD.map((cell) => DIRECTIONS.map(([down, right]) => ray(Math.floor(cell / 8), cell % 8, down, right)).filter((one) => one.length));
const named = (cell) => "ABCDEFGH"[cell % 8] + (Math.floor(cell / 8) + 1);

/** The cells that lie in one direction, up to the edge. */
function ray(row, column, down, right) {
  const found = [];
  for (let [r, c] = [row + down, column + right]; r >= 0 && r < 8 && c >= 0 && c < 8; r += down, c += right) found.push(8 * r + c);
  return found;
}

/** The discs that a disc of this colour on a cell turns. */
function turned(cells, cell, colour) {
  const found = [];
  for (const one of RAYS[cell]) {
    const end = one.findIndex((there) => cells[there] !== 7 - colour);
    if (end > 0 && cells[one[end]] === colour) found.push(...one.slice(0, end));
  }
  return found;
}

const layable = (cells, colour) => BOARD.filter((cell) => !cells[cell] && turned(cells, cell, colour).length);

const reversi = {
  options: {},
  start(_, text) {
    const found = /^([034]{64}) ([1-9][0-9]{0,5})$/.exec(text || `${"0".repeat(27)}4300000034${"0".repeat(27)} 1`);
    must(found, "no position");
    const cells = [...found[1]].map(Number);
    must([27, 28, 35, 36].every((cell) => cells[cell]), "an empty cell in the centre");
    const seen = new Set([27]);
    for (const cell of seen) for (const [next] of RAYS[cell]) if (cells[next]) seen.add(next);
    must(seen.size === cells.filter(Boolean).length, "a disc that does not hang together with the others");
    return { cells, turn: Number(found[2]) };
  },
  phase({ cells, turn }) {
    if (layable(cells, 3).length || layable(cells, 4).length) return { turn, seats: [(turn - 1) % 2] };
    const [black, white] = [3, 4].map((colour) => cells.filter((cell) => cell === colour).length);
    const tally = [black, white];
    return { turn, over: black === white ? drawn("equal-discs", {}, tally) : won(black > white ? 0 : 1, "more-discs", {}, tally) };
  },
  read({ cells }, seat, text) {
    if (!/^([A-Ha-h][1-8]|[Xx][Xx])$/.test(bare(text))) throw new Refused("no-cell-or-pass");
    canonically(text, bare(text).toUpperCase());
    const can = layable(cells, 3 + seat);
    if (text === "XX") {
      if (can.length) throw new Refused("no-pass", { cell: named(can[0]) });
      return null;
    }
    const cell = "ABCDEFGH".indexOf(text[0]) + 8 * (Number(text[1]) - 1);
    if (cells[cell]) throw new Refused("occupied", { cell: text });
    if (!can.length) throw new Refused("must-pass");
    if (!can.includes(cell)) throw new Refused("turns-none", { cell: text });
    return cell;
  },
  play({ cells, turn }, moves) {
    const [[seat, cell]] = moves;
    const after = [...cells];
    if (cell !== null) for (const one of [cell, ...turned(cells, cell, 3 + seat)]) after[one] = 3 + seat;
    return { cells: after, turn: turn + 1 };
  },
  view: ({ cells, turn }) => `${cells.join("")} ${turn}`,
};

// ── MasterMind ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The two digits of marks: right in place, then right elsewhere. */
function marks(code, guess) {
  const inPlace = [...guess].filter((peg, at) => peg === code[at]).length;
  const common = [...new Set(guess)].reduce((sum, peg) => sum + Math.min(code.split(peg).length, guess.split(peg).length) - 1, 0);
  return `${inPlace}${common - inPlace}`;
}

const mastermind = {
  options: { colours: [8, 2, 10], pegs: [4, 2, 6], lines: [8, 1, 12] },
  start({ colours, pegs, lines }, text) {
    const palette = "ABCDEFGHIJ".slice(0, colours);
    const code = `[${palette}]{${pegs}}`;
    const found = new RegExp(`^(?:(-),-|(${code}),(${code})) ((?:[0-9]{2}${code})*)\\*\\*\\*((?:[0-9]{2}${code})*) ([0-9]+)$`).exec(text || "-,- *** 1");
    must(found, "no table");
    const codes = found[1] ? null : [found[2], found[3]];
    const boards = [found[4], found[5]].map((board) => (board.match(new RegExp(`..${code}`, "g")) ?? []).map((line) => line.slice(2)));
    const state = { palette, pegs, lines, codes, boards };
    must(codes || (!found[4] && !found[5]), "lines before the codes");
    must(boards[0].length === boards[1].length || boards[0].length === boards[1].length + 1, "both guess equally often");
    must([0, 1].every((seat) => this.board(state, seat) === found[4 + seat]), "marks that nobody makes");
    const broken = boards.map((board, seat) => codes && board.indexOf(codes[1 - seat]));
    must(broken.every((line) => !codes || line < 0 || line === boards[0].length - 1), "lines after a code was broken");
    must(boards[0].length <= lines, "too many lines");
    must(found[6] === String(this.phase(state).turn), "not the turn that the boards tell");
    return state;
  },
  phase({ codes, boards, lines }) {
    const turn = codes ? 3 + boards[0].length + boards[1].length : 1;
    if (!codes) return { turn, seats: [0, 1] };
    if (boards[0].length === boards[1].length && boards[0].length) {
      const line = boards[0].length;
      const [first, second] = [0, 1].map((seat) => boards[seat][line - 1] === codes[1 - seat]);
      if (first && second) return { turn, over: drawn("both-broken", { line }) };
      if (first || second) return { turn, over: won(first ? 0 : 1, "broken", { line }) };
      if (line === lines) return { turn, over: drawn("unbroken", { lines }) };
    }
    return { turn, seats: [(turn - 1) % 2] };
  },
  read({ palette, pegs }, _, text) {
    const said = bare(text);
    const code = (/^[0-9]{2}/.test(said) && said.length === pegs + 2 ? said.slice(2) : said).toUpperCase();
    if (!new RegExp(`^[${palette}]{${pegs}}$`).test(code) || /[^ -~]/.test(said)) throw new Refused("no-code", { pegs, palette });
    canonically(text, code);
    return code;
  },
  play(state, moves) {
    if (!state.codes) return { ...state, codes: [moves.get(0), moves.get(1)] };
    const [[seat, guess]] = moves;
    return { ...state, boards: state.boards.with(seat, [...state.boards[seat], guess]) };
  },
  board: ({ codes, boards }, seat) => boards[seat].map((guess) => marks(codes[1 - seat], guess) + guess).join(""),
  view(state, seat) {
    const codes = [0, 1].map((of) => (of === seat ? (state.codes?.[of] ?? "-") : "?")).join();
    return `${codes} ${this.board(state, 0)}***${this.board(state, 1)} ${this.phase(state).turn}`;
  },
};

export const GAMES = { tictactoe, reversi, mastermind };
