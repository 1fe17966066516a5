// The page's own record of a match, in the form of every record here: events, their chain, a seal. `arbitre arcade judge MINE THEIRS`
// lays it beside the house's, or the other player's, and tells whether somebody in between changed a line (spec: arcade, section 4).

import * as chain from "../chain.js";
import { canonical, hex, publicKey, random } from "../crypto.js";
import { ROLES } from "./bout.js";

/** @typedef {import("./bout.js").News} News */
/** @typedef {{ winner: number | null, ending: string, scores: number[], why?: object }} End */

/** @type {Record<string, string>} */
const TERMINATIONS = { goal: "rules", disgrace: "rules", gone: "disconnected", length: "adjudicated" };
/** How a match ended, as a code with its fields. @param {End} end @param {number} rounds @returns {object} */
function told({ winner, ending, scores, why = { code: "hung-up" } }, rounds) {
  if (winner === null || ending === "length") return { code: "rounds-played", rounds };
  if (ending === "goal") return { code: "goal-points", points: scores[winner], seat: winner };
  if (ending === "disgrace") return { code: "disgraced", points: scores[1 - winner], seat: winner };
  return { code: "forfeits", seat: winner, why };
}

export class Keeper {
  #seed = random(32);
  #secret = random(32);
  /** @type {string[]} */
  #lines = [];
  #rounds;
  closed = false;

  /**
   * @param {{ match: string, names: string[], seat: number, level: string, terms: import("./bout.js").Terms, goal: number, rounds: number }} of
   */
  constructor({ match, names, seat, level, terms, goal, rounds }) {
    this.#rounds = rounds;
    const opening = {
      arbitre: 2,
      chairs: names.map((name) => ({ key: "", name, player: "" })),
      commitment: chain.commitment(this.#seed),
      keeper: ROLES[seat],
      limit: null,
      log: null,
      match,
      notes: {},
      opened: Math.floor(Date.now() / 1000),
      protocol: "arcade",
      referee: hex(publicKey(this.#secret)),
      terms: { checks: terms.checks, encoding: terms.encoding, goal, groups: terms.groups, level, rounds },
    };
    this.#add("opened", -1, 0, canonical(opening));
  }

  /** @param {string} kind @param {number} seat @param {number} turn @param {string} text */
  #add(kind, seat, turn, text) {
    this.#lines.push(canonical({ at: 0, kind, seat, text, turn }));
  }

  /** Take one line down, with what follows from it. @param {number} seat @param {number} turn @param {string} line @param {News[]} news */
  said(seat, turn, line, news) {
    this.#add("said", seat, turn, line);
    for (const one of news) {
      if (one.kind === "issue") this.#announce(one, turn);
      if (one.kind === "finish") this.#close(one, turn);
    }
  }

  /** Take down that a side is gone; `words` are those of the other end, nothing where it hung up. @param {number} seat @param {number} turn @param {string} words @param {number[]} scores */
  left(seat, turn, words, scores) {
    const why = words ? { code: "quoted", text: words } : { code: "hung-up" };
    this.#add("left", seat, turn, canonical(why));
    this.#close({ winner: 1 - seat, ending: "gone", scores, why }, turn);
  }

  /** @param {import("./bout.js").Issue} issue @param {number} turn */
  #announce({ round, signs, winner, ruling, scores }, turn) {
    this.#add("announced", -1, turn, canonical({ round, ruling, scores, signs, winner: winner ?? -1 }));
  }

  /** @param {End} end @param {number} turn */
  #close(end, turn) {
    const { winner, ending, scores } = end;
    const reason = told(end, this.#rounds);
    const points = winner === null ? ["1/2", "1/2"] : [String(1 - winner), String(winner)];
    this.#add("ended", -1, turn, canonical({ reason, scores: points, tally: scores, termination: TERMINATIONS[ending] }));
    this.#add("revealed", -1, turn, hex(this.#seed));
    this.closed = true;
  }

  /** The file, sealed with a key of its own. */
  text() {
    const head = this.#lines.reduce((before, line, at) => chain.extend(before, this.#seed, at, line), chain.START);
    const keyless = { code: "", signature: "", state: "keyless" };
    const subject = { opening: chain.opening(this.#lines[0]), count: this.#lines.length, head };
    const rest = chain.spoken([keyless, keyless].map((one) => ({ ...one, key: "" })));
    const signature = chain.state(this.#secret, subject, chain.SEALED, chain.REFEREE, rest);
    const seal = { count: this.#lines.length, head: hex(head), seats: [keyless, keyless], signature };
    return `${[...this.#lines, canonical(seal)].join("\n")}\n`;
  }
}
