// A match as a state machine: inputs go in, and the outputs of a record must come out. The parts "Events" and "Chance" of the page.
import { canonical, INPUTS, isCode, isNonce, isSignature, millionths, must, readAgreed, readReason } from "./form.mjs";
import { Refused } from "./games.mjs";
import { fold, hex, KINDS, message, promise, sha256, signed, view, ZEROS } from "./octets.mjs";

const TABLE = -1;
const FOR_THE_TABLE = new Set(["ticked", "resumed", "abandoned", "declined", "left"]);
const ONLY_FOR_THE_TABLE = new Set(["resumed", "abandoned"]);
const IN_THE_END = new Set(["acknowledged", "resumed", "noted", "stray"]);
const SCORE = /(?<![^ ])score=([+-]?)([0-9]{1,6}(?:\.[0-9]{1,6})?)(?![^ ])/g;
const LAST_EVENTS = 2 ** 17 - 2 ** 14;
const LAST_OCTETS = 2 ** 25 - 2 ** 22;

export class Match {
  constructor(opening, game, line, seed) {
    this.opening = opening;
    this.terms = opening.terms;
    this.clock = opening.terms.time;
    this.game = game;
    this.line = line;
    this.seed = seed;
    this.seats = [...opening.chairs.keys()];
    this.state = game.start(readOptions(game, opening.options), opening.start);
    this.due = new Set(this.seats.filter((seat) => opening.chairs[seat].key || seat in opening.promises));
    this.open = new Map(); // the questions that wait for an answer: when each seat was asked
    this.moves = new Map(); // of this turn
    this.remains = this.seats.map(() => this.clock?.bank); // milliseconds
    this.refusals = this.seats.map(() => 0);
    this.offers = new Set();
    this.unheard = new Set(); // who has not acknowledged a resignation
    this.score = this.seats.map(() => undefined); // what each seat said of the move to come, in millionths
    [this.winning, this.losing, this.level] = [0, 0, 0].map(() => this.seats.map(() => 0)); // moves in a row
    this.turn = 0;
    this.stage = "agreeing"; // then playing, closing, closed
    this.events = this.weight = 0;
  }

  /** What follows the opening itself. */
  begin(opened) {
    return this.bounded(opened, this.due.size ? [] : this.ask(0));
  }

  /** What follows an input. */
  hear(event) {
    must(INPUTS.has(event.kind) && event.kind !== "opened", "an output that does not follow");
    must(this.stage !== "closed", "something after the end");
    must(event.seat >= TABLE && event.seat < this.seats.length, "nobody sits there");
    must(event.seat === TABLE ? FOR_THE_TABLE.has(event.kind) : !ONLY_FOR_THE_TABLE.has(event.kind), "not the one who says this");
    must(this.stage !== "closing" || IN_THE_END.has(event.kind), "something after the verdict");
    this.timely(event);
    return this.bounded(event, this[event.kind](event));
  }

  /** End a match that comes near the bounds of a record. */
  bounded(event, outputs) {
    for (const one of [event, ...outputs]) this.weight += 96 + Buffer.byteLength(JSON.stringify(one.text));
    this.events += 1 + outputs.length;
    if (this.stage === "closing" || this.stage === "closed" || (this.events <= LAST_EVENTS && this.weight <= LAST_OCTETS)) return outputs;
    return [...outputs, ...this.end([event, ...outputs].at(-1).at, "adjudicated", this.halves(), { code: "too-long" })];
  }

  timely({ at, seat }) {
    if (this.clock === null) return must(at === 0, "a time where no clock runs");
    const since = this.open.get(seat) ?? Math.min(...this.open.values());
    must(!this.open.size || at >= since, "before the question");
  }

  // ── the opening ─────────────────────────────────────────────────────────────────────────────────────────────────────

  agreed({ at, seat, text, turn }) {
    must(this.stage === "agreeing" && this.due.has(seat) && at === 0 && turn === 0, "no agreement is due");
    const fault = agrees(this.opening, this.line, this.seed, seat, readAgreed(text));
    if (fault !== null) return this.lose(0, [seat], "protocol-error", { code: fault });
    this.due.delete(seat);
    return this.due.size ? [] : this.ask(0);
  }

  declined({ at, seat, text, turn }) {
    must(this.stage === "agreeing" && at === 0 && turn === 0, "nothing to decline");
    if (seat === TABLE) return this.end(0, "not-played", null, readReason(text));
    must(this.due.has(seat) && isCode(text), "no code");
    return this.end(0, "resigned", this.without([seat]), { code: "declined-opening", why: text });
  }

  // ── moves ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Ask every seat that must move, or tell the end. */
  ask(at) {
    const { over, turn, seats } = this.game.phase(this.state);
    this.stage = "playing";
    if (over) return this.end(at, "rules", over.scores, over.reason, over.tally);
    const { turns, rows } = this.terms;
    if (rows.lost) {
      for (const seat of this.seats)
        if (Math.min(this.losing[seat], this.winning[1 - seat]) >= rows.lost.moves)
          return this.end(at, "adjudicated", this.without([seat]), { code: "agreed-score", moves: rows.lost.moves, score: rows.lost.score });
    }
    if (rows.level && Math.min(...this.level) >= rows.level.moves)
      return this.end(at, "adjudicated", this.halves(), { code: "agreed-level", moves: rows.level.moves, score: rows.level.score });
    if (turns !== null && turn > turns) return this.end(at, "adjudicated", this.halves(), { code: "turns-played", turns });
    if (this.clock && turn !== this.turn) for (const seat of this.moves.keys()) this.remains[seat] = this.clock.renew(this.remains[seat]);
    this.turn = turn;
    this.moves = new Map();
    return seats.map((seat) => this.question(seat, at));
  }

  question(seat, at) {
    const left = this.clock ? this.remains[seat] : null;
    this.open.set(seat, at);
    const { key } = this.opening.chairs[seat];
    const text = key ? canonical({ left, view: view(this.game.view(this.state, seat)) }) : left === null ? "" : String(left);
    return { at, kind: "asked", seat, text, turn: this.turn };
  }

  isLate(seat, at) {
    return this.clock !== null && at - this.open.get(seat) > this.remains[seat];
  }

  charge(seat, at) {
    if (this.clock) this.remains[seat] -= at - this.open.get(seat);
  }

  said({ at, seat, text, turn }) {
    must(this.stage === "playing" && this.open.has(seat) && turn === this.turn, "nobody asked");
    if (this.isLate(seat, at)) return this.lose(at, [seat], "out-of-time", { code: "no-answer" });
    this.charge(seat, at);
    let move;
    try {
      move = this.game.read(this.state, seat, text);
    } catch (error) {
      if (error instanceof Refused) return this.refuse(seat, at, error.reason);
      throw error;
    }
    this.weigh(seat, turn);
    for (const other of this.offers) if (other !== seat) this.offers.delete(other);
    this.open.delete(seat);
    this.moves.set(seat, move);
    if (this.open.size) return [];
    this.state = this.game.play(this.state, this.moves);
    return this.ask(at);
  }

  refuse(seat, at, reason) {
    const refused = { at, kind: "refused", seat, text: canonical(reason), turn: this.turn };
    this.refusals[seat] += 1;
    this.score[seat] = undefined;
    const { refusals } = this.terms;
    if (refusals !== null && this.refusals[seat] > refusals) return [refused, ...this.lose(at, [seat], "illegal-move", reason)];
    return [refused, this.question(seat, at)];
  }

  // ── time ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  ticked({ at, seat, text, turn }) {
    must(this.stage === "playing", "no clock runs");
    if (seat !== TABLE) {
      must(this.open.has(seat) && turn === this.turn, "nobody asked");
      return this.lose(at, [seat], "out-of-time", readReason(text));
    }
    const late = [...this.open.keys()].filter((one) => this.isLate(one, at));
    must(late.length, "the clock was looked at, and nobody was late");
    return this.lose(at, late, "out-of-time", text ? { code: "no-answer-because", why: readReason(text) } : { code: "no-answer" });
  }

  resumed({ at }) {
    if (this.stage !== "playing") return [];
    return [...this.open.keys()].sort().map((seat) => this.question(seat, at));
  }

  // ── other inputs ────────────────────────────────────────────────────────────────────────────────────────────────────

  resigned({ at, seat, text, turn }) {
    if (this.terms.resign) return this.lose(at, [seat], "resigned", text ? readReason(text) : { code: "gave-up" });
    const refused = { at, kind: "refused", seat, text: canonical({ code: "no-resignation" }), turn };
    if (!this.clock || !this.open.has(seat)) return [refused];
    if (this.isLate(seat, at)) return this.lose(at, [seat], "out-of-time", { code: "no-answer" });
    this.charge(seat, at);
    return [refused, { ...this.question(seat, at), turn }];
  }

  left({ at, seat, text }) {
    return this.lose(at, seat === TABLE ? this.seats : [seat], "disconnected", readReason(text));
  }

  garbled({ at, seat, text }) {
    return this.lose(at, [seat], "protocol-error", readReason(text));
  }

  abandoned({ at, text }) {
    return this.end(at, "abandoned", null, readReason(text));
  }

  offered({ seat, text }) {
    must(this.stage === "playing" && text === "" && !this.offers.size, "no draw can be offered");
    this.offers.add(seat);
    return [];
  }

  settled({ at, seat, text }) {
    must(this.stage === "playing" && text === "" && this.offers.size && !this.offers.has(seat), "no draw is offered");
    this.offers.add(seat);
    return this.offers.size === this.seats.length ? this.end(at, "agreed", this.halves(), { code: "agreed" }) : [];
  }

  acknowledged({ at, seat }) {
    must(this.unheard.delete(seat), "nothing to acknowledge");
    return this.unheard.size ? [] : [this.reveal(at)];
  }

  noted({ seat, text }) {
    must(Buffer.byteLength(text) <= 4096, "too long a note");
    const found = [...text.matchAll(SCORE)].at(-1);
    this.score[seat] = found && (found[1] === "-" ? -1 : 1) * millionths(found[2]);
    return [];
  }

  /** Count what a seat said of the move that it makes. */
  weigh(seat, turn) {
    const { lost, level } = this.terms.rows;
    const score = this.score[seat];
    const count = (row, more) => (row[seat] = more ? row[seat] + 1 : 0);
    count(this.winning, lost && score >= millionths(lost.score));
    count(this.losing, lost && score <= -millionths(lost.score));
    count(this.level, level && Math.abs(score) <= millionths(level.score) && turn >= level.since);
    this.score[seat] = undefined;
  }

  stray() {
    return [];
  }

  // ── ends ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  halves() {
    return this.seats.map(() => "1/2");
  }

  without(losers) {
    return this.seats.map((seat) => (losers.includes(seat) ? "0" : "1"));
  }

  lose(at, losers, termination, reason) {
    if (termination === "resigned" && this.terms.acknowledge) this.unheard = new Set(this.seats.filter((seat) => !losers.includes(seat)));
    return this.end(at, termination, this.without(losers), reason);
  }

  end(at, termination, scores, reason, tally = []) {
    this.stage = "closing";
    this.open.clear();
    const ended = { at, kind: "ended", seat: TABLE, text: canonical({ reason, scores, tally, termination }), turn: 0 };
    return this.unheard.size ? [ended] : [ended, this.reveal(at)];
  }

  reveal(at) {
    this.stage = "closed";
    return { at, kind: "revealed", seat: TABLE, text: hex(this.seed), turn: 0 };
  }
}

/** What is wrong with the agreement of a seat; null where nothing is. */
export function agrees({ chairs, commitment, match, promises }, line, seed, seat, { nonce, signature }) {
  const { key } = chairs[seat];
  const promised = promises[seat] ?? null;
  const kept = promised === null ? nonce === null : isNonce(nonce) && promise(commitment, match, seat, nonce) === promised;
  if (!kept) return "false-nonce";
  const called = message(KINDS.agreed, seat, sha256("arbitre/opening/2", line), 1, fold(ZEROS, seed, 0, line));
  const signs = key ? isSignature(signature) && signed(key, signature, called) : signature === null;
  return signs ? null : "false-signature";
}

function readOptions(game, given) {
  for (const [name, value] of Object.entries(given)) {
    must(name in game.options, `no option ${name}`);
    const [usual, least, most] = game.options[name];
    must(Number.isInteger(value) && value >= least && value <= most && value !== usual, `no ${name}`);
  }
  return Object.fromEntries(Object.entries(game.options).map(([name, [usual]]) => [name, given[name] ?? usual]));
}
