// The page's own record of a match, in the form of every record here: events, their chain, a seal. `arbitre arcade judge MINE THEIRS`
// lays it beside the house's, or the other player's, and tells whether somebody in between changed a line (spec: arcade, section 4).

import { big, canonical, hex, join, publicKey, random, sha256, sign, utf8 } from "../crypto.js";
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

/** @param {string} label @param {Uint8Array[]} parts */
const digest = (label, ...parts) => sha256(join(utf8(label), ...parts));

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
      commitment: hex(digest("arbitre/seed/1", this.#seed)),
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
    let head = new Uint8Array(32);
    for (const [at, line] of this.#lines.entries()) {
      const leaf = digest("arbitre/leaf/1", digest("arbitre/salt/1", this.#seed, big(at, 8)), utf8(line));
      head = digest("arbitre/head/1", head, leaf);
    }
    const keyless = { code: "", signature: "", state: "keyless" };
    const rest = digest("arbitre/seats/2", new Uint8Array(2 * 129)); // two seats: state 0, no key, no code, no signature
    const subject = [digest("arbitre/opening/2", utf8(this.#lines[0])), big(this.#lines.length, 8), head, rest];
    const message = join(utf8("arbitre/sign/2"), Uint8Array.of(5, 255, 255, 255, 255), ...subject);
    const seal = { count: this.#lines.length, head: hex(head), seats: [keyless, keyless], signature: hex(sign(this.#secret, message)) };
    return `${[...this.#lines, canonical(seal)].join("\n")}\n`;
  }
}
