// What a page keeps of the match that it plays, and what it does with the record in the end: hashing, no rules. The house's
// `records.evidence` says the same in Python, and reads the same files: JSON lines, each canonical, one for each thing that happened.
//
// A record must hold the opening that was agreed to, the questions at their heads, the answers, refusals and the end; then the page signs
// it, and the signature means: this is the game I was asked and answered. Else it declines, and the journal is its evidence.

import * as chain from "./chain.js";
import { canonical, hex, random, unhex } from "./crypto.js";

/** @typedef {{ match: string, commitment: string, referee: string, game: string, options: Record<string, string>, seat: number }} Call a match as its hello calls it */
/** @typedef {Call & { key: string, nonce: string, promise: string }} Called and what the seat brings */
/** @typedef {{ turn: number, left: number | null, head: string, view: string, refused: string, answer?: [kind: string, text: string], note?: string }} Put one question, and what was answered */
/** @typedef {{ at: number, kind: string, seat: number, text: string, turn: number }} RecordEvent */

const LONGEST_LINE = 1 << 20;
const MOST_EVENTS = 1 << 17;
const MOST_OCTETS = 1 << 25;

/** What can end a match while somebody thinks. */
const OVERTAKING = new Set(["ticked", "left", "garbled", "resigned", "abandoned", "settled", "declined"]);
const WORD_OF_THE_REFEREE = new Set(["left", "garbled", "acknowledged", "stray"]);
const REVEALED = /^\{"at":[0-9]{1,16},"kind":"revealed","seat":-1,"text":"([0-9a-f]{64})","turn":[0-9]{1,16}\}$/;
const PREFIX = /^\{"at":[0-9]{1,16},"kind":"([a-z]+)","seat":(-1|[0-9]{1,4}),"text":/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** A reason of a record as it is told in one line. @param {string} text */
export const oneLine = (text) => text.replace(CONTROL, " ");

/** What a seat does not sign: the code, what is wrong (a word of the page), and the event of the record, from 1. */
export class Dispute extends Error {
  /** @param {string} code @param {string} why @param {number} [event] */
  constructor(code, why, event) {
    super(code);
    this.code = code;
    this.why = why;
    this.event = event;
  }
}

/** @param {string} line @param {number} number @returns {RecordEvent} */
function read(line, number) {
  try {
    const event = JSON.parse(line);
    if (canonical(event) === line && typeof event.text === "string") return event;
  } catch { /* as below */ }
  throw new Dispute("chain", "form", number);
}

/** An option of a game as a hello spells it. @param {unknown} option */
const spelt = (option) => (typeof option === "boolean" ? (option ? "yes" : "no") : String(option));

/** What a verdict of a record tells one seat, as a question to the journal. @param {string} verdict @param {number} seat */
function toldEnd(verdict, seat) {
  try {
    const { reason, scores, termination } = JSON.parse(verdict);
    return canonical([scores === null ? "-" : String(scores[seat]), termination, oneLine(canonical(reason))]);
  } catch {
    return "";
  }
}

export class Journal {
  /** @type {string[]} */
  lines = [];
  /** @type {Called | undefined} */
  called;
  opening = "";
  agreed = "";
  /** @type {Put[]} */
  questions = [];
  ended = "";
  gaveUp = false;

  /** The journal of the lines that were written. @param {string[]} lines */
  static read(lines) {
    const journal = new Journal();
    for (const line of lines) journal.#take(JSON.parse(line));
    journal.lines = [...lines];
    return journal;
  }

  /** A journal of a match that is called, with a key and, where the game draws, a nonce that nobody ever had. @param {Call} call @param {string} key @param {boolean} draws */
  static begin({ match, commitment, referee, game, options, seat }, key, draws) {
    const nonce = draws ? random(32) : null;
    const promise = nonce ? chain.promise(nonce, commitment, match, seat) : "";
    const journal = new Journal();
    journal.write({ kind: "called", match, commitment, referee, game, options, seat, key, nonce: nonce ? hex(nonce) : "", promise });
    return journal;
  }

  /** @param {Record<string, any>} entry */
  write(entry) {
    this.#take(entry);
    this.lines.push(canonical(entry));
  }

  /** The file. */
  get text() {
    return this.lines.map((line) => `${line}\n`).join("");
  }

  /** How many questions were answered. */
  get count() {
    return this.questions.filter(({ answer }) => answer).length;
  }

  /** @param {Record<string, any>} entry */
  #take(entry) {
    if (entry.kind === "called") this.called = /** @type {Called} */ (entry);
    else if (entry.kind === "opening") this.opening = entry.line;
    else if (entry.kind === "agreed") this.agreed = canonical({ nonce: entry.nonce, signature: entry.signature });
    else if (entry.kind === "asked") this.questions.push({ turn: entry.turn, left: entry.left, head: entry.head, view: entry.view, refused: entry.refused });
    else if (entry.kind === "said") /** @type {Put} */ (this.questions.at(-1)).answer = ["said", entry.text];
    else if (entry.kind === "noted") /** @type {Put} */ (this.questions.at(-1)).note = entry.text;
    else if (entry.kind === "gave-up") this.gaveUp = true;
    else if (entry.kind === "ended") this.ended ||= canonical([entry.score, entry.termination, entry.reason]); // what was told first holds
  }

  /** Write the opening down; a Dispute where the page cannot agree to it. @param {string} line @param {string} salt @param {string} signature */
  open(line, salt, signature) {
    if (this.opening && this.opening !== line) throw new Dispute("opening", "two-openings", 1); // a nonce is opened for one opening only
    if (!this.opening) this.write({ kind: "opening", line, salt, signature });
    const called = /** @type {Called} */ (this.called);
    if (!chain.stated(called.referee, signature, this.first(salt), chain.CALLED, chain.REFEREE)) throw new Dispute("opening", "unsigned", 1);
    /** @type {any} */
    let fields;
    try {
      const event = read(line, 1);
      fields = JSON.parse(event.text);
      if (event.kind !== "opened" || canonical(fields) !== event.text) throw new Dispute("opening", "form", 1);
    } catch {
      throw new Dispute("opening", "form", 1);
    }
    const options = Object.fromEntries(Object.entries(fields.options ?? {}).map(([name, one]) => [name, spelt(one)]));
    const same = fields.arbitre === 2
      && [["match", called.match], ["commitment", called.commitment], ["referee", called.referee], ["game", called.game]].every(([name, due]) => fields[name] === due)
      && canonical(options) === canonical(called.options);
    if (!same) throw new Dispute("opening", "another-match", 1);
    if (fields.chairs?.[called.seat]?.key !== called.key || (fields.promises?.[called.seat] ?? "") !== called.promise) throw new Dispute("opening", "not-ours", 1);
  }

  /** What is signed of the opening. @param {string} salt */
  first(salt) {
    return { opening: chain.opening(this.opening), count: 1, head: chain.fold(chain.START, chain.leaf(unhex(salt), this.opening)) };
  }

  /** What the page may sign about a record, given the text of its events; a Dispute where it is not the game of the journal. @param {string} text */
  compare(text) {
    const lines = text.split("\n");
    const rest = lines.pop();
    if (text.length > MOST_OCTETS || lines.length > MOST_EVENTS || lines.some((line) => line.length > LONGEST_LINE)) throw new Dispute("too-long", "too-long");
    if (rest || !lines.length) throw new Dispute("chain", "cut");
    if (!this.opening || !this.called) throw new Dispute("no-journal", "no-journal");
    if (lines[0] !== this.opening) throw new Dispute("opening", "another-opening", 1);
    const found = heads(lines, this.called.commitment);
    new Comparison(this, this.called, lines, found.map(hex)).run();
    return { opening: chain.opening(lines[0]), count: lines.length, head: found[found.length - 1] };
  }
}

/** The head behind each event. @param {string[]} lines @param {string} [committed] */
function heads(lines, committed) {
  const [, found] = REVEALED.exec(lines[lines.length - 1]) ?? [];
  if (!found) throw new Dispute("chain", "unrevealed", lines.length);
  const seed = unhex(found);
  if (committed !== undefined && chain.commitment(seed) !== committed) throw new Dispute("chain", "another-seed", lines.length);
  let head = chain.START;
  return lines.map((line, at) => (head = chain.extend(head, seed, at, line)));
}

/** What a dispute is about: the record as far as its chain can be computed, with zeros where it cannot. @param {string} text */
export function subjectOf(text) {
  const lines = text.split("\n").filter(Boolean);
  let head = chain.START;
  try {
    head = heads(lines)[lines.length - 1] ?? head;
  } catch { /* no chain: zeros */ }
  return { opening: lines.length ? chain.opening(lines[0]) : chain.START, count: lines.length, head };
}

/** Walks through a record beside a journal: `records.evidence` has the reasons for each step. */
class Comparison {
  next = 0;
  /** @type {Put | null} */
  put = null;
  /** @type {RecordEvent | null} */
  unput = null;
  overtaken = false;
  noted = "";
  refused = "";
  ended = false;

  /** @param {Journal} journal @param {Called} called @param {string[]} lines @param {string[]} found the heads */
  constructor(journal, called, lines, found) {
    this.journal = journal;
    this.seat = called.seat;
    this.lines = lines;
    this.heads = found;
  }

  run() {
    let before = false;
    for (const [at, line] of this.lines.entries()) {
      const [, kind, seat] = PREFIX.exec(line) ?? [];
      if (!kind) throw new Dispute("chain", "form", at + 1);
      if (OVERTAKING.has(kind) || (kind === "ended" && before)) this.overtaken = true;
      before = kind === "refused" && Number(seat) !== this.seat; // another's illegal move, which may end a match in which all think
      if (Number(seat) === this.seat) this.#ours(read(line, at + 1), at + 1);
      else if (kind === "ticked") this.#ticked(at + 1);
      else if (kind === "resumed") this.put = this.unput = null;
      else if (kind === "ended") this.#end(read(line, at + 1), at + 1);
    }
    this.#leftOut();
    if (!this.ended) throw new Dispute("end", "no-end", this.lines.length);
  }

  /** @param {RecordEvent} event @param {number} at */
  #ours(event, at) {
    const { kind, text } = event;
    if (kind === "asked") this.#asked(event, at);
    else if (kind === "noted") this.#noted(event, at);
    else if (kind === "resigned" && this.journal.gaveUp && text === "") this.put = this.unput = null;
    else if (kind === "said" || kind === "resigned") {
      this.refused = "";
      this.#answered(event, at);
    } else if (kind === "refused") this.refused = oneLine(text);
    else if (kind === "ticked") this.#ticked(at);
    else if (kind === "agreed") {
      if (text !== this.journal.agreed) throw new Dispute("opening", "other-agreement", at);
    } else if (!WORD_OF_THE_REFEREE.has(kind)) throw new Dispute("answer", "never-said", at);
  }

  /** @param {Put} put @param {RecordEvent} event */
  #same = (put, { turn, text }) => put.turn === turn && canonical({ left: put.left, view: put.view }) === text;

  /** @param {RecordEvent} event @param {number} at */
  #asked(event, at) {
    if (this.put) throw this.put.answer ? new Dispute("answer", "left-out", at) : new Dispute("question", "asked-again", at);
    const put = this.journal.questions[this.next];
    if (!put || put.head !== this.heads[at - 1]) {
      this.unput = event;
      return;
    }
    if (!this.#same(put, event)) throw new Dispute("question", "another-question", at);
    if (this.refused !== put.refused) throw new Dispute("refusal", "another-refusal", at);
    this.put = put;
    this.unput = null;
    this.overtaken = false;
    this.noted = "";
    this.next += 1;
  }

  /** Find our own words about our move before it, once. @param {RecordEvent} event @param {number} at */
  #noted({ turn, text }, at) {
    if (!this.put || this.noted || !text || this.put.turn !== turn || this.put.note !== text) throw new Dispute("answer", "never-said", at);
    this.noted = text;
  }

  /** @param {RecordEvent} event @param {number} at */
  #answered({ kind, turn, text }, at) {
    const due = this.journal.questions[this.next];
    if (this.unput && due) throw this.#same(due, this.unput) ? new Dispute("head", "another-head", at - 1) : new Dispute("question", "another-question", at - 1);
    const put = this.put;
    if (!put || put.turn !== turn || put.answer?.[0] !== kind || put.answer[1] !== text) throw new Dispute("answer", kind === "resigned" ? "never-gave-up" : "never-said", at);
    if ((put.note ?? "") !== this.noted) throw new Dispute("answer", "left-out", at);
    this.put = null;
  }

  /** @param {number} at */
  #ticked(at) {
    if (this.unput) throw new Dispute("question", "never-put", at);
    this.put = null;
  }

  /** Find questions of the journal that the record has not, or has elsewhere in the chain. */
  #leftOut() {
    const put = this.journal.questions[this.next];
    if (!put) return;
    for (const [at, line] of this.lines.entries()) {
      if (!line.slice(0, 80).includes(`"kind":"asked","seat":${this.seat},`)) continue;
      if (this.#same(put, read(line, at + 1)) && this.heads[at] !== put.head) throw new Dispute("head", "another-head", at + 1);
    }
    throw new Dispute("question", "question-left-out", this.lines.length);
  }

  /** @param {RecordEvent} event @param {number} at */
  #end(event, at) {
    this.ended = true;
    if (this.put && !this.overtaken) throw new Dispute("answer", "left-out", at);
    this.put = this.unput = null;
    if (toldEnd(event.text, this.seat) !== this.journal.ended) throw new Dispute("end", "another-end", at);
  }
}
