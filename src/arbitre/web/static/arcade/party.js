// This page's side of a match: its key, its commitments, its own book (spec: arcade, sections 1, 2 and 4).
//
// A party has no wire and no screen: `receive` takes the lines of the other end, `send` and `tell` are given by whoever runs it. It
// commits by itself and opens by itself; the sign leaves this page in a commitment, or when the other has committed.

import { encode, fingerprint, Key } from "./elgamal.js";
import { Bout, LEVELS, ROLES } from "./bout.js";
import { oakley } from "./groups.js";
import { Keeper } from "./record.js";
import { writeCommand } from "./wire.js";

/** @typedef {import("./elgamal.js").Sign} Sign */
/** @typedef {import("./wire.js").Command} Command */
/**
 * What happens, as it is told: news of the book, and what is a party's own.
 * @typedef {import("./bout.js").News | { kind: "seated" } | { kind: "testing" } | { kind: "keys", fingerprint: string } | { kind: "table", code: string }
 *   | { kind: "error", why: string, fatal: boolean } | { kind: "score", theirs: string, ours: string }
 *   | { kind: "stopped", why: string, parts: { why?: string, ending?: string } }} Told
 */

export class Party {
  #turn = Promise.resolve();
  #key = new Key(oakley(14));
  /** @type {Sign | null} */
  #sign = null;
  #k = 0n;
  seat = 0;
  names = ["", ""];
  match = "";
  /** @type {string[][]} */
  transcript = [[], []];
  fingerprint = "";
  seated = false;
  closed = false;
  /** @type {Keeper | undefined} */
  keeper;

  /**
   * `ask` answers questions beside, `send` takes lines to the other end, `tell` hears what happens.
   * @param {{ level: string, goal?: number, ask: import("./bout.js").Ask, send: (lines: string[]) => void, tell: (told: Told) => void }} given
   */
  constructor({ level, goal = 32, ask, send, tell }) {
    this.level = level;
    this.ask = ask;
    this.send = send;
    this.tell = tell;
    this.bout = new Bout(LEVELS[level], goal);
  }

  /** Take a line of the other end; lines are heard one after the other, however long their checks take. @param {string} line */
  receive(line) {
    this.#turn = this.#turn.then(() => this.#line(line)).catch((error) => this.#stop("broken", { why: String(error.message ?? error) }));
    return this.#turn;
  }

  /** What is waited for from this side: "sign", "word", or nothing. */
  get due() {
    if (!this.seated || this.closed || !this.bout.awaited.includes(this.seat)) return "";
    if (this.bout.step === "COMMIT" || this.bout.step === "ANSWER") return "sign";
    return this.bout.step === "RULE" ? "word" : "";
  }

  /** Choose a sign: committed in a round of ours, answered in a round of theirs. @param {Sign} sign */
  choose(sign) {
    this.#turn = this.#turn.then(async () => {
      if (this.due !== "sign") return;
      if (this.bout.step === "ANSWER") {
        await this.#say({ verb: "MOVE", sign });
        return;
      }
      const { r, c, k } = this.#key.commit(encode(this.bout.terms.encoding, this.#key.group, sign));
      [this.#sign, this.#k] = [sign, k];
      await this.#say({ verb: "COMMIT", numbers: [r, c] });
    });
    return this.#turn;
  }

  /** Say the last word about an opening: OK, or REFEREE. @param {"OK" | "REFEREE"} verb */
  rule(verb) {
    this.#turn = this.#turn.then(async () => {
      if (this.due === "word") await this.#say({ verb });
    });
    return this.#turn;
  }

  /** Take note that the other end has hung up. */
  lost() {
    this.#turn = this.#turn.then(() => {
      if (!this.closed) this.#stop("cut", {});
    });
    return this.#turn;
  }

  /** @param {string} line */
  async #line(line) {
    if (this.closed) return;
    const text = line.trim();
    if (text.startsWith("#")) {
      await this.#comment(text.slice(1).trim());
      return;
    }
    if (!text) return;
    if (!this.seated) throw new Error("a command before anybody was seated");
    await this.#hear(1 - this.seat, text);
    await this.#open();
  }

  /** @param {string} text */
  async #comment(text) {
    const [word, ...rest] = text.split(/\s+/);
    if (word === "over") return this.#over(rest);
    if (word === "error") return this.tell({ kind: "error", why: rest.join(" "), fatal: !this.seated });
    if (word === "fingerprint") {
      if (rest.join(" ") !== this.fingerprint) throw new Error("the keys differ on their way");
      return undefined;
    }
    if (word === "table") return this.tell({ kind: "table", code: rest[0] });
    if (this.seated) return undefined; // from now on comments change nothing
    if (word === "arbitre" && rest[2] === "record") this.match = /^[0-9a-f]{12}$/.test(rest[3]) ? rest[3] : "";
    if ((word === "level" && rest[0] !== this.level) || ((word === "encoding" || word === "checks") && rest[0] !== this.bout.terms[word])) {
      return this.#stop("terms", {});
    }
    if (word !== "seat" || !ROLES.includes(rest[0])) return undefined;
    this.seat = ROLES.indexOf(rest[0]);
    const [mine, theirs] = rest.slice(1).join(" ").split(" against ");
    this.names = this.seat ? [theirs ?? "", mine] : [mine, theirs ?? ""];
    this.seated = true;
    const { match, names, seat, level, bout: { terms, goal, rounds } } = this;
    this.keeper = new Keeper({ match, names, seat, level, terms, goal, rounds });
    this.tell({ kind: "seated" });
    return this.#say({ verb: "PKEY", numbers: [this.#key.h] });
  }

  /** When the other has answered, show and open what was committed, in one packet. */
  async #open() {
    if (this.closed || this.bout.step !== "SHOW" || this.bout.starter !== this.seat) return;
    const lines = [writeCommand({ verb: "MOVE", sign: this.#sign }), writeCommand({ verb: "OPEN", numbers: [this.#k] })];
    this.send(lines);
    for (const line of lines) await this.#hear(this.seat, line);
  }

  /** @param {Command} command */
  async #say(command) {
    const line = writeCommand(command);
    this.send([line]);
    await this.#hear(this.seat, line);
  }

  /** @param {number} seat @param {string} line */
  async #hear(seat, line) {
    const question = this.bout.question(seat, line);
    if (question?.kind === "key" && seat !== this.seat) this.tell({ kind: "testing" });
    const found = question && (await this.ask(question));
    const turn = this.#number();
    const news = this.bout.hear(seat, line, found);
    if (!news.some((one) => one.kind === "refused")) this.keeper?.said(seat, turn, line, news);
    const [first, second] = this.bout.locks;
    for (const one of news) {
      if (one.kind === "refused" && seat !== this.seat) return this.#stop("broken", { why: one.why });
      if (one.kind === "taken") this.transcript[seat].push(writeCommand(one.command));
      if (one.kind === "taken" && !this.fingerprint && first && second) {
        this.fingerprint = fingerprint([first, second]);
        this.tell({ kind: "keys", fingerprint: this.fingerprint });
      }
      if (one.kind !== "finish") this.tell(one);
    }
    return undefined;
  }

  /** The referee's last word; our own book says whether it counts right. */
  /** @param {string[]} words */
  #over([winner, one, two, ending, ...why]) {
    if (winner === "nobody:" || !ROLES.includes(winner)) {
      return this.#stop(winner === "nobody" ? "drawn" : "nobody", { why: [one, two, ending, ...why].join(" "), ending: ending?.replace(":", "") });
    }
    const kind = ending.replace(":", "");
    const scores = [Number(one), Number(two)];
    if (String(scores) !== String(this.bout.scores)) {
      this.tell({ kind: "score", theirs: scores.join(" – "), ours: this.bout.scores.join(" – ") });
    }
    if (!this.bout.finish) {
      const loser = 1 - ROLES.indexOf(winner);
      this.keeper?.left(loser, this.#number(), kind, this.bout.scores);
      this.bout.left(loser, kind);
    }
    this.closed = true;
    return this.tell({ kind: "finish", winner: ROLES.indexOf(winner), ending: kind, scores: this.bout.scores });
  }

  /** The turn of a record: 0 in the prologue, then one more than the number of the round. */
  #number() {
    return this.bout.step === "PROLOGUE" ? 0 : this.bout.round + 1;
  }

  /** @param {string} why @param {{ why?: string, ending?: string }} parts */
  #stop(why, parts) {
    this.closed = true;
    this.tell({ kind: "stopped", why, parts });
  }
}

/**
 * Where a record of the house differs from what this page has said and heard: 0 where it does not, else the line of the record.
 * @param {string} record @param {string[][]} transcript @param {(text: string) => string} canonical
 */
export function difference(record, transcript, canonical) {
  const left = transcript.map((lines) => [...lines]);
  const events = record.trimEnd().split("\n").slice(0, -1).map((line) => JSON.parse(line));
  for (const [at, event] of events.entries()) {
    if (event.kind !== "said" || (events[at + 1]?.kind === "refused" && events[at + 1].seat === event.seat)) continue;
    if (canonical(event.text) !== left[event.seat]?.shift()) return at + 1;
  }
  return left[0].length || left[1].length ? events.length : 0;
}
