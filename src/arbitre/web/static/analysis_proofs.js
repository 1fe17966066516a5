// Certificates of an analysis, gone through by the plain rules of a game, as `arbitre verify` does it: a proof of how an ending comes out
// (two trees, one for each side), and a plan that wins by fours whatever the other side replies. No engine is asked.

/** @typedef {import("/interfaces/toolkit/rules.js").Rules} Rules */
/** @typedef {() => void} Spend called for each position that is looked at; throws when it has been enough */

/** What a certificate does not prove. */
export class Unproved extends Error {}

const LARGEST_TREE = 4000;
const COUNTED = 6; // with so few cells left a tree ends, and the rest is counted out
const LONGEST = 11;
const LARGEST_PLAN = 400;
const DEEPEST_PLAN = 20;

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @param {string[]} keys in order */
const has = (value, keys) => isObject(value) && Object.keys(value).sort().join() === keys.join();

/** @param {Rules} rules @param {unknown} state @param {unknown} move @returns {string} */
function legal(rules, state, move) {
  if (typeof move !== "string" || !rules.legal(state).includes(move)) throw new Unproved(String(move));
  return move;
}

/**
 * The share of the side to move, 0, ½ or 1, that a certificate proves; `Unproved` where it proves nothing.
 * @param {Rules} rules @param {unknown} state @param {unknown} proof @param {Spend} spend
 */
export function proved(rules, state, proof, spend) {
  if (has(proof, ["discs", "lower", "upper"])) return ending(rules, state, /** @type {any} */ (proof), spend);
  new Plan(rules, spend).go(state, proof, 0);
  return 1;
}

/** @param {Rules} rules @param {unknown} state @param {{ discs: number, lower: unknown, upper: unknown }} proof @param {Spend} spend */
function ending(rules, state, { discs, lower, upper }, spend) {
  if (!rules.count || !rules.left || rules.left(state) > LONGEST || !Number.isSafeInteger(discs) || Math.abs(discs) > 64) throw new Unproved("form");
  const mover = rules.mover(state);
  new Tree(rules, mover, discs, spend).go(state, lower);
  new Tree(rules, 1 - mover, -discs, spend).go(state, upper);
  return (1 + Math.sign(discs)) / 2;
}

/** Goes through the tree of one side, which must end at least so much ahead. */
class Tree {
  nodes = 0;

  /** @param {Rules} rules @param {number} seat @param {number} least @param {Spend} spend */
  constructor(rules, seat, least, spend) {
    this.rules = rules;
    this.seat = seat;
    this.least = least;
    this.spend = spend;
  }

  /** @param {unknown} state @param {unknown} tree @returns {void} */
  go(state, tree) {
    this.nodes += 1;
    if (this.nodes > LARGEST_TREE) throw new Unproved("size");
    const { rules } = this;
    if (/** @type {NonNullable<Rules["left"]>} */ (rules.left)(state) <= COUNTED || rules.result(state) !== null) return this.end(state);
    if (rules.mover(state) === this.seat) {
      if (!has(tree, ["move", "then"])) throw new Unproved("form");
      const { move, then } = /** @type {{ move: unknown, then: unknown }} */ (tree);
      return this.go(rules.play(state, legal(rules, state, move)), then);
    }
    if (!Array.isArray(tree) || !tree.every((one) => Array.isArray(one) && one.length === 2)) throw new Unproved("form");
    const branches = new Map(tree.map(([move, then]) => [legal(rules, state, move), then]));
    for (const move of rules.legal(state)) {
      if (!branches.has(move)) throw new Unproved(move);
      this.go(rules.play(state, move), branches.get(move));
    }
  }

  /** Count out what is left. @param {unknown} state */
  end(state) {
    const own = this.rules.mover(state) === this.seat;
    const bound = own ? this.least : -this.least;
    const found = /** @type {NonNullable<Rules["count"]>} */ (this.rules.count)(state, bound - 1, bound + 1, this.spend);
    if (own ? found < this.least : found > -this.least) throw new Unproved("discs");
  }
}

/** Goes through a plan and every reply to it. */
class Plan {
  moves = 0;

  /** @param {Rules} rules @param {Spend} spend */
  constructor(rules, spend) {
    this.rules = rules;
    this.spend = spend;
  }

  /** Whether the rules say that a seat has won. @param {unknown} state @param {number} seat */
  won(state, seat) {
    return this.rules.result(state) === 1 - seat;
  }

  /** @param {unknown} state @param {unknown} given @param {number} depth */
  go(state, given, depth) {
    this.moves += 1;
    if (this.moves > LARGEST_PLAN || depth > DEEPEST_PLAN) throw new Unproved("size");
    if (!isObject(given) || Object.keys(given).some((key) => !["move", "else", "but"].includes(key))) throw new Unproved("form");
    const { rules } = this;
    const seat = rules.mover(state);
    const after = rules.play(state, legal(rules, state, given.move));
    if (this.won(after, seat)) return;
    if (rules.result(after) !== null) throw new Unproved("end");
    const answer = legal(rules, after, given.else);
    if (!Array.isArray(given.but) || !given.but.every((one) => Array.isArray(one) && one.length === 2)) throw new Unproved("form");
    const but = new Map(given.but.map(([reply, plan]) => [legal(rules, after, reply), plan]));
    for (const reply of rules.legal(after)) {
      this.spend();
      if (but.has(reply)) this.go(rules.play(after, reply), but.get(reply), depth + 1);
      else if (!this.refutes(after, reply, answer, seat)) throw new Unproved(reply);
    }
  }

  /** Whether a seat wins at once by an answer to a reply. @param {unknown} state @param {string} reply @param {string} answer @param {number} seat */
  refutes(state, reply, answer, seat) {
    const { rules } = this;
    const after = rules.play(state, reply);
    if (reply === answer || rules.result(after) !== null || !rules.legal(after).includes(answer)) return false;
    return this.won(rules.play(after, answer), seat);
  }
}
