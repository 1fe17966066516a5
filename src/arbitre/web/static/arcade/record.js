// The page's own record of a match, in the form of every record here: events, their chain, a seal. `arbitre arcade judge MINE THEIRS`
// lays it beside the house's, or the other player's, and tells whether somebody in between changed a line (spec: arcade, section 4).

import { ROLES } from "./bout.js";
import { sign } from "./ed25519.js";
import { sha256 } from "./hash.js";

const TERMINATIONS = { goal: "rules", disgrace: "rules", gone: "disconnected", length: "adjudicated" };
const encoder = new TextEncoder();
const hex = (octets) => [...octets].map((octet) => octet.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const count = (value) => unhex(value.toString(16).padStart(16, "0"));
const digest = (label, ...parts) => unhex(sha256(Uint8Array.from([...encoder.encode(label), ...parts.flatMap((part) => [...part])])));

export class Keeper {
  #seed = crypto.getRandomValues(new Uint8Array(32));
  #lines = [];

  constructor({ match, names, seat, level, terms, goal, rounds }) {
    const opening = {
      arbitre: 2,
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
    this.#add("opened", -1, 0, JSON.stringify(opening));
  }

  #add(kind, seat, turn, text) {
    this.#lines.push(`{"at":0,"kind":"${kind}","seat":${seat},"text":${JSON.stringify(text)},"turn":${turn}}`);
  }

  /** Take one line down, with what follows from it. */
  said(seat, turn, line, news) {
    this.#add("said", seat, turn, line);
    for (const one of news) {
      if (one.kind === "issue") this.#announce(one, turn);
      if (one.kind === "finish") this.#close(one, turn);
    }
  }

  /** Take down that a side is gone; `why` are the words of the other end, nothing where it hung up. */
  left(seat, turn, words, scores) {
    const why = words ? { code: "quoted", text: words } : { code: "hung-up" };
    this.#add("left", seat, turn, JSON.stringify(why));
    this.#close({ winner: 1 - seat, ending: "gone", scores, why }, turn);
  }

  #announce({ round, signs, winner, ruling, scores }, turn) {
    this.#add("announced", -1, turn, JSON.stringify({ round, ruling, scores, signs, winner: winner ?? -1 }));
  }

  #close({ winner, ending, scores, why = null }, turn) {
    const reason = {
      goal: () => ({ code: "goal-points", points: scores[winner], seat: winner }),
      disgrace: () => ({ code: "disgraced", points: scores[1 - winner], seat: winner }),
      length: () => ({ code: "rounds-played", rounds: 1000 }),
      gone: () => ({ code: "forfeits", seat: winner, why }),
    }[ending]();
    const points = winner === null ? ["1/2", "1/2"] : [String(1 - winner), String(winner)];
    this.#add("ended", -1, turn, JSON.stringify({ reason, scores: points, tally: scores, termination: TERMINATIONS[ending] }));
    this.#add("revealed", -1, turn, hex(this.#seed));
    this.closed = true;
  }

  /** The file, sealed with a key of its own. */
  text() {
    let head = new Uint8Array(32);
    for (const [at, line] of this.#lines.entries()) {
      const leaf = digest("arbitre/leaf/1", digest("arbitre/salt/1", this.#seed, count(at)), encoder.encode(line));
      head = digest("arbitre/head/1", head, leaf);
    }
    const message = Uint8Array.from([...encoder.encode("arbitre/seal/1"), ...count(this.#lines.length), ...head]);
    const { key, signature } = sign(crypto.getRandomValues(new Uint8Array(32)), message);
    const signatures = [{ by: -1, key: hex(key), signature: hex(signature) }];
    return `${[...this.#lines, JSON.stringify({ count: this.#lines.length, head: hex(head), signatures })].join("\n")}\n`;
  }
}
