// The game as a state machine over its lines: this page's own book, which believes nobody (spec: arcade, sections 1 to 4).
//
// PROLOGUE  each side: [GROUP], PKEY            COMMIT  the starter: COMMIT      ANSWER  the other: MOVE
// SHOW      the starter: MOVE                   OPEN    the starter: OPEN        RULE    the other: OK or REFEREE
// The joueur, seat 0, starts the even rounds. What is dear to compute is asked beside and told to `hear`.

import { oakley, wrongRange, wrongShape } from "./groups.js";
import { beats, Garbled, readCommand } from "./wire.js";

/** @typedef {import("./elgamal.js").Sign} Sign */
/** @typedef {import("./elgamal.js").Lock} Lock */
/** @typedef {import("./elgamal.js").Looked} Looked */
/** @typedef {import("./groups.js").Group} Group */
/** @typedef {Required<import("./wire.js").Command>} Command */
/** @typedef {{ encoding: import("./elgamal.js").Encoding, checks: "none" | "course" | "full", groups: boolean }} Terms */
/** @typedef {{ kind: "key", group: Group, h: bigint }} KeyQuestion */
/**
 * @typedef {import("./elgamal.js").Commitment
 *   & { kind: "opening", group: Group, h: bigint, encoding: Terms["encoding"], full: boolean, sign: Sign, k: bigint }} OpeningQuestion
 */
/** @typedef {KeyQuestion | OpeningQuestion} Question what is dear to compute */
/** @typedef {string | Looked | null} Found its answer: what is wrong with a key, or what an opening was looked at for */
/** @typedef {(question: Question) => Promise<Found>} Ask */
/** @typedef {{ kind: "taken", seat: number, command: Command, found: Looked | null }} Taken */
/** @typedef {{ kind: "refused", seat: number, why: string, credits: number }} Refused */
/**
 * @typedef {{ kind: "issue", round: number, signs: Sign[], winner: number | null, ruling: string, accuser: number | null, scores: number[] }} Issue
 */
/** @typedef {{ kind: "finish", winner: number | null, ending: string, scores: number[] }} Finish */
/** @typedef {Taken | Refused | Issue | Finish} News */

export const ROLES = ["joueur", "adversaire"];
const PENALTY = 3;
const CREDITS = 8;
/** @type {Record<string, string[]>} */
const EXPECTED = { COMMIT: ["COMMIT"], ANSWER: ["MOVE"], SHOW: ["MOVE"], OPEN: ["OPEN"], RULE: ["OK", "REFEREE"] };
const STARTERS = ["COMMIT", "SHOW", "OPEN"];

/**
 * What a level fixes: known to the page, so that no house can announce less than was asked for.
 * @type {Record<string, Terms>}
 */
export const LEVELS = {
  Facile: { encoding: "ascii", checks: "none", groups: true },
  Normal: { encoding: "ascii", checks: "course", groups: true },
  Difficile: { encoding: "subgroup", checks: "full", groups: true },
  Nightmare: { encoding: "subgroup", checks: "full", groups: false },
  Duel: { encoding: "subgroup", checks: "full", groups: true },
};

export class Bout {
  step = "PROLOGUE";
  round = 0;
  /** @type {(Lock | null)[]} */
  locks = [null, null];
  /** @type {(Group | null)[]} */
  groups = [null, null];
  scores = [0, 0];
  credits = [CREDITS, CREDITS];
  /** @type {Finish | null} */
  finish = null;
  /** @type {Set<bigint>} */
  used = new Set();
  /** @type {import("./elgamal.js").Commitment | null} */
  commitment = null;
  /** @type {Sign | null} */
  answer = null;
  /** @type {Sign | null} */
  shown = null;
  /** @type {Looked | null} */
  looked = null;

  /** @param {Terms} terms */
  constructor(terms, goal = 32, rounds = 1000) {
    this.terms = terms;
    this.goal = goal;
    this.rounds = rounds;
  }

  #clear() {
    Object.assign(this, { commitment: null, answer: null, shown: null, looked: null });
  }

  get starter() {
    return this.round % 2;
  }

  /** Who must speak now. */
  get awaited() {
    if (this.step === "OVER") return [];
    if (this.step === "PROLOGUE") return [0, 1].filter((seat) => !this.locks[seat]);
    return [STARTERS.includes(this.step) ? this.starter : 1 - this.starter];
  }

  /**
   * What `hear` must be told about a line: a question for the worker, or null.
   * @param {number} seat @param {string} line @returns {Question | null}
   */
  question(seat, line) {
    let command;
    try {
      command = readCommand(line);
    } catch {
      return null;
    }
    if (command?.verb === "PKEY" && this.step === "PROLOGUE" && this.terms.checks === "full") {
      return { kind: "key", group: this.#group(seat), h: command.numbers[0] };
    }
    const lock = this.locks[this.starter];
    if (command?.verb === "OPEN" && this.step === "OPEN" && lock && this.commitment && this.shown) {
      const full = this.terms.checks === "full";
      return { kind: "opening", ...lock, ...this.commitment, encoding: this.terms.encoding, full, sign: this.shown, k: command.numbers[0] };
    }
    return null;
  }

  /** @param {number} seat */
  #group(seat) {
    const { p, g, q } = this.groups[seat] ?? oakley(14);
    return { p, g, q };
  }

  /**
   * Take one line of one side, with the answer to its question; returns what is to be told.
   * @param {number} seat @param {string} line @param {Found} found @returns {News[]}
   */
  hear(seat, line, found = null) {
    if (this.finish) return [];
    try {
      const command = readCommand(line);
      if (!command) return [];
      const { verb } = command;
      const [wrong, looked] = typeof found === "string" ? [found, null] : ["", found];
      if (verb === "GROUP" || verb === "PKEY") return this.#prologue(seat, command, wrong);
      if (this.step === "PROLOGUE") throw new Garbled(`${verb} before both keys are declared`);
      if (!this.awaited.includes(seat) || !EXPECTED[this.step].includes(verb)) {
        throw new Garbled(`${verb} out of order: ${EXPECTED[this.step].join(" or ")} of the ${ROLES[this.awaited[0]]} is due`);
      }
      return this.#rounds(seat, command, looked);
    } catch (error) {
      if (!(error instanceof Garbled)) throw error;
      this.credits[seat] -= 1;
      /** @type {Refused} */
      const refused = { kind: "refused", seat, why: error.message, credits: this.credits[seat] };
      return this.credits[seat] > 0 ? [refused] : [refused, ...this.#end(1 - seat, "faults")];
    }
  }

  /** Take note that a side is gone, or late. @param {number} seat */
  left(seat, ending = "gone") {
    return this.finish ? [] : this.#end(1 - seat, ending);
  }

  /** @param {number} seat @param {Command} command @param {string} found @returns {News[]} */
  #prologue(seat, command, found) {
    if (this.step !== "PROLOGUE" || !this.awaited.includes(seat)) throw new Garbled(`${command.verb} after the prologue`);
    const full = this.terms.checks === "full";
    if (command.verb === "GROUP") {
      if (!this.terms.groups) throw new Garbled("GROUP is disabled");
      if (this.groups[seat]) throw new Garbled("GROUP a second time");
      const [p, g, q] = command.numbers;
      const wrong = full ? wrongShape({ p, g, q }) : p < 2n ? "no modulus" : "";
      if (wrong) throw new Garbled(wrong);
      this.groups[seat] = { p, g, q };
      return [{ kind: "taken", seat, command, found: null }];
    }
    const group = this.#group(seat);
    const [h] = command.numbers;
    const wrong = full ? wrongRange(group, h) || found : "";
    if (wrong) throw new Garbled(wrong);
    const others = this.locks[1 - seat];
    if (full && others && others.group.p === group.p && others.group.g === group.g && others.h === h) {
      throw new Garbled("this key is the other side's");
    }
    this.locks[seat] = { group, h };
    if (this.locks[0] && this.locks[1]) this.step = "COMMIT";
    return [{ kind: "taken", seat, command, found: null }];
  }

  /** @param {number} seat @param {Command} command @param {Looked | null} found @returns {News[]} */
  #rounds(seat, command, found) {
    /** @type {Taken} */
    const taken = { kind: "taken", seat, command, found };
    if (this.step === "COMMIT") {
      const [r, c] = command.numbers;
      const p = this.locks[seat]?.group.p ?? 0n;
      if (this.terms.checks === "full") {
        if (!(1n < r && r < p && 0n < c && c < p)) throw new Garbled("a commitment has 1 < r < p and 0 < c < p");
        if (this.used.has(r)) throw new Garbled("this r was used before");
      }
      this.used.add(r);
      Object.assign(this, { commitment: { r, c }, step: "ANSWER" });
    } else if (this.step === "ANSWER") {
      Object.assign(this, { answer: command.sign, step: "SHOW" });
    } else if (this.step === "SHOW") {
      Object.assign(this, { shown: command.sign, step: "OPEN" });
    } else if (this.step === "OPEN") {
      Object.assign(this, { looked: found, step: "RULE" });
    } else {
      return [taken, ...this.#settle(seat, command.verb === "REFEREE")];
    }
    return [taken];
  }

  /** Whether the opening that waits for a word is true. */
  get true() {
    return this.looked !== null && Object.values(this.looked).every(Boolean);
  }

  /** @param {number} judge @param {boolean} called @returns {News[]} */
  #settle(judge, called) {
    const { shown, answer } = this;
    if (!shown || !answer) throw new Error("a round is settled before both have shown");
    const signs = this.starter === 0 ? [shown, answer] : [answer, shown];
    /** @type {number | null} */
    let winner = beats(signs[0], signs[1]) ? 0 : beats(signs[1], signs[0]) ? 1 : null;
    const scores = [...this.scores];
    const ruling = !called ? "" : this.true ? "unfounded" : "founded";
    if (ruling === "founded") {
      winner = judge;
      scores[1 - judge] -= PENALTY;
    } else if (ruling) {
      scores[judge] -= PENALTY;
    }
    if (winner !== null) scores[winner] += 1;
    /** @type {Issue} */
    const issue = { kind: "issue", round: this.round, signs, winner, ruling, accuser: called ? judge : null, scores };
    this.scores = scores;
    this.#clear();
    for (const seat of [0, 1]) if (scores[seat] <= -this.goal) return [issue, ...this.#end(1 - seat, "disgrace")];
    for (const seat of [0, 1]) if (scores[seat] >= this.goal) return [issue, ...this.#end(seat, "goal")];
    if (this.round + 1 >= this.rounds) {
      return [issue, ...this.#end(scores[0] === scores[1] ? null : Number(scores[1] > scores[0]), "length")];
    }
    Object.assign(this, { step: "COMMIT", round: this.round + 1 });
    return [issue];
  }

  /** @param {number | null} winner @param {string} ending */
  #end(winner, ending) {
    /** @type {Finish} */
    const finish = { kind: "finish", winner, ending, scores: this.scores };
    this.finish = finish;
    this.step = "OVER";
    return [finish];
  }
}
