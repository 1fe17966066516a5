// The page's own record of a match, in the form of every record here: events, their chain, a seal. `arbitre arcade judge MINE THEIRS`
// lays it beside the house's, or the other player's, and tells whether somebody in between changed a line (spec: arcade, section 4).

import { big, canonical, hex, join, publicKey, random, sha256, sign, utf8 } from "../crypto.js";
import { ROLES } from "./bout.js";

const TERMINATIONS = { goal: "rules", disgrace: "rules", gone: "disconnected", length: "adjudicated" };
const digest = (label, ...parts) => sha256(join(utf8(label), ...parts));

export class Keeper {
  #seed = random(32);
  #lines = [];

  constructor({ match, names, seat, level, terms, goal, rounds }) {
    const opening = {
      arbitre: 1,
      chairs: names.map((name) => ({ key: "", name, player: "" })),
      commitment: hex(digest("arbitre/seed/1", this.#seed)),
      keeper: ROLES[seat],
      limit: null,
      match,
      notes: {},
      protocol: "arcade",
      terms: { checks: terms.checks, encoding: terms.encoding, goal, groups: terms.groups, level, rounds },
    };
    this.closed = false;
    this.#add("opened", -1, 0, canonical(opening));
  }

  #add(kind, seat, turn, text) {
    this.#lines.push(canonical({ at: 0, kind, seat, text, turn }));
  }

  /** Take one line down, with what follows from it. */
  said(seat, turn, line, news) {
    this.#add("said", seat, turn, line);
    for (const one of news) {
      if (one.kind === "issue") this.#announce(one, turn);
      if (one.kind === "finish") this.#close(one, turn);
    }
  }

  /** Take down that a side is gone. */
  left(seat, turn, why, scores) {
    this.#add("left", seat, turn, why);
    this.#close({ winner: 1 - seat, ending: "gone", scores, why }, turn);
  }

  #announce({ round, signs, winner, ruling, accuser, scores }, turn) {
    const found = ruling === "founded" ? `founded: the commitment does not open to ${signs[1 - accuser]}` : ruling;
    this.#add("announced", -1, turn, canonical({ round, ruling: found, scores, signs, winner: winner ?? -1 }));
  }

  #close({ winner, ending, scores, why = "" }, turn) {
    const loser = 1 - winner;
    const reason = {
      goal: () => `the ${ROLES[winner]} has ${scores[winner]} points`,
      disgrace: () => `the ${ROLES[loser]} is at ${scores[loser]}`,
      length: () => "1000 rounds are played",
      gone: () => `the ${ROLES[loser]} forfeits: ${why}`,
    }[ending]();
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
    const secret = random(32);
    const signature = sign(secret, join(utf8("arbitre/seal/1"), big(this.#lines.length, 8), head));
    const signatures = [{ by: -1, key: hex(publicKey(secret)), signature: hex(signature) }];
    return `${[...this.#lines, canonical({ count: this.#lines.length, head: hex(head), signatures })].join("\n")}\n`;
  }
}
