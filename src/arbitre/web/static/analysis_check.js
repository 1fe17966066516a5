// Checks an analysis in the visitor's browser, from its octets and those of its record: form, signature, the record that it names by hash
// and that record itself, the moves; then by the plain rules of the game, where it hides nothing, every move of the game, the better
// lines of some plies drawn here, figures that can be counted out, and the certificates. What an engine judged is not computed again:
// `arbitre verify` does that. `check` never throws at what a document holds: the first fault comes back as a code with its ply, from 1.

import { fingerprint } from "./chain.js";
import { below, canonical, hex, join, sha256, unhex, utf8, verify } from "./crypto.js";
import { Unproved, proved } from "./analysis_proofs.js";
import { check as checkRecord } from "./record.js";

/** @typedef {import("/interfaces/toolkit/rules.js").Rules} Rules */
/**
 * What is said of a ply.
 * @typedef {{ best: number, choice: boolean, line: string[], lost: number, move: string, played: number, said: string, seat: number, solved: boolean,
 *   standing: number, turn: number }} Ply
 */
/**
 * @typedef {{ analysis: number, by: string, certificates: { ply: number, proof: unknown }[], engine: { digest: string, name: string }, game: string,
 *   nodes: number, plies: Ply[], record: string, seed: number, signature: string }} Document
 */
/**
 * What follows from the plies, whose numbers are from 1; `mistakes` are those that a page tells of, `grade` 0 where one decided the game only.
 * @typedef {{ moments: number[], curve: number[], players: { accuracy: number | null, grades: number[] }[],
 *   mistakes: { number: number, grade: number, line: string }[] }} Figures
 */
/**
 * What was found. `fault` is null where nothing contradicts; `done` lists the checks that were made, of CHECKS.
 * @typedef {object} Finding
 * @property {{ code: string, ply: number } | null} fault
 * @property {string[]} done
 * @property {string} key the fingerprint of whoever signed
 * @property {number} plies
 * @property {number} drawn plies whose better lines were gone through
 * @property {number} exact of them, those whose figures were counted out again
 * @property {number[]} certified the plies, from 1, before which a certificate holds
 */

/** What is checked, in this order; a fault has the name of the check that it fails. */
export const CHECKS = ["form", "signature", "record", "moves", "figures", "rules", "lines", "counted", "certificates"];

export const DRAWN = 20;
const WHOLE = 10_000;
const LENIENT = 4_000;
const LARGEST = 16 << 20;
const MOST_PLIES = 20_000;
const MOST_CERTIFICATES = 8;
const LONGEST_LINE = 60;
const LONGEST_TEXT = 2_000;
const MOST_POSITIONS = 3_000_000; // some seconds of a phone: what needs more is left to `arbitre verify`
const BREATH_MS = 12;
const LABEL = "arbitre/analysis/1";
const LEAST = [WHOLE / 20, WHOLE / 10, WHOLE / 5]; // inaccuracy, mistake, blunder
const OUTPUTS = new Set(["drawn", "asked", "refused", "announced", "ended", "revealed"]);

class Forged extends Error {
  /** @param {string} code @param {number} [ply] from 1 */
  constructor(code, ply = 0) {
    super(code);
    this.fault = { code, ply };
  }
}

/** It has been enough: nothing is said of what would have come. */
class Enough extends Error {}

// ── form ──

/** @param {unknown} value @param {string[]} keys in order @returns {value is Record<string, unknown>} */
const has = (value, keys) => typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).sort().join() === keys.join();

/** @param {unknown[]} values */
const counts = (...values) => values.every((one) => Number.isSafeInteger(one) && Number(one) >= 0);

/** @param {unknown[]} values */
const texts = (...values) => values.every((one) => typeof one === "string" && one.length <= LONGEST_TEXT);

/** @param {unknown} value @param {number} octets */
const isHex = (value, octets) => typeof value === "string" && value.length === 2 * octets && /^[0-9a-f]*$/.test(value);

const KEYS = ["analysis", "by", "certificates", "engine", "game", "nodes", "plies", "record", "seed", "signature"];
const PLY_KEYS = ["best", "choice", "line", "lost", "move", "played", "said", "seat", "solved", "standing", "turn"];

/** @param {unknown} one */
function isPly(one) {
  if (!has(one, PLY_KEYS)) return false;
  const { best, choice, line, lost, move, played, said, seat, solved, standing, turn } = one;
  return counts(best, lost, played, seat, standing, turn) && Number(played) <= Number(best) && Number(best) <= WHOLE && Number(standing) <= WHOLE
    && typeof choice === "boolean" && typeof solved === "boolean" && Array.isArray(line) && line.length <= LONGEST_LINE && texts(move, said, ...line);
}

/** Read a document; `Forged`. @param {string} text @returns {Document} */
export function read(text) {
  let given;
  try {
    if (text.length > LARGEST) throw new RangeError("size");
    given = JSON.parse(text);
    if (`${canonical(given)}\n` !== text) throw new RangeError("spelling");
  } catch {
    throw new Forged("form"); // no JSON, another spelling, nested too deep
  }
  const plies = has(given, KEYS) && Array.isArray(given.plies) ? given.plies : [];
  const sound = has(given, KEYS) && given.analysis === 1 && isHex(given.by, 32) && isHex(given.record, 32) && isHex(given.signature, 64)
    && has(given.engine, ["digest", "name"]) && isHex(given.engine.digest, 32) && texts(given.engine.name, given.game) && counts(given.nodes, given.seed)
    && Array.isArray(given.plies) && plies.length <= MOST_PLIES && plies.every(isPly)
    && Array.isArray(given.certificates) && given.certificates.length <= MOST_CERTIFICATES
    && given.certificates.every((one) => has(one, ["ply", "proof"]) && counts(one.ply) && Number(one.ply) < plies.length);
  if (!sound) throw new Forged("form");
  return /** @type {Document} */ (/** @type {unknown} */ (given));
}

/** Whether the key that a document names signed it. @param {Document} document */
function genuine({ signature, ...fields }) {
  const message = join(utf8(LABEL), sha256(utf8(canonical(fields))));
  return verify(unhex(fields.by), message, unhex(signature));
}

// ── figures ──

/** @param {Ply} ply */
const loss = ({ best, played, choice }) => (choice ? best - played : 0);

/** What people read of the plies, reckoned again. @param {Document} document @param {number} seats @returns {Figures} */
export function figures({ plies }, seats) {
  const costly = plies.flatMap((ply, at) => (loss(ply) ? [at] : [])).sort((one, two) => loss(plies[two]) - loss(plies[one]) || one - two);
  const players = Array.from({ length: seats }, (_, seat) => {
    const own = plies.filter((ply) => ply.seat === seat && ply.choice).map(loss);
    const sum = own.reduce((all, lost) => all + Math.floor((1000 * LENIENT ** 2) / (LENIENT + lost) ** 2), 0);
    const grades = LEAST.map((least, at) => own.filter((lost) => lost >= least && lost < (LEAST[at + 1] ?? Infinity)).length);
    return { accuracy: own.length ? Math.floor(sum / own.length) : null, grades };
  });
  const moments = costly.slice(0, 3).map((at) => at + 1).sort((one, two) => one - two);
  const mistakes = plies.flatMap((ply, at) => {
    const grade = LEAST.filter((least) => loss(ply) >= least).length;
    return grade || moments.includes(at + 1) ? [{ number: at + 1, grade, line: ply.line.join(" ") }] : [];
  });
  return { moments, curve: plies.map((ply) => ply.standing), players, mistakes };
}

// ── the record ──

/** @typedef {{ seat: number, turn: number, text: string }} Said */

/** The moves of a record that were taken, and where it begins. @param {string} record */
function course(record) {
  const events = record.split("\n").filter((line) => line && !line.startsWith('{"count":')).map((line) => JSON.parse(line));
  const opening = JSON.parse(events[0].text);
  /** @type {Said[]} */
  const said = [];
  for (const [at, { kind, seat, turn, text }] of events.entries()) {
    if (kind !== "said") continue;
    let next = at + 1;
    while (OUTPUTS.has(events[next]?.kind) && events[next].kind !== "refused") next += 1;
    if (events[next]?.kind !== "refused") said.push({ seat, turn, text });
  }
  return { said, opening };
}

// ── the rules ──

/** Goes through a game by its rules, and through what an analysis says of some of its plies. */
class Referee {
  positions = 0;
  #since = performance.now();

  /** @param {Rules} rules @param {Document} document @param {{ options: Record<string, unknown>, start: string }} opening */
  constructor(rules, document, { options, start }) {
    this.rules = rules;
    this.document = document;
    /** @type {unknown[]} the state before each ply, and behind the last */
    this.states = [rules.start(options, start)];
  }

  /** Count a position that is looked at. */
  spend = () => {
    this.positions += 1;
    if (this.positions > MOST_POSITIONS) throw new Enough();
  };

  /** Let the page live. */
  async breathe() {
    if (performance.now() - this.#since < BREATH_MS) return;
    await new Promise((done) => { setTimeout(done); });
    this.#since = performance.now();
  }

  /** Play every move of the game. */
  async replay() {
    for (const at of this.document.plies.keys()) {
      this.states.push(this.#played(at));
      await this.breathe();
    }
  }

  /** The state behind a ply; rules that stumble over it are broken by it. @param {number} at */
  #played(at) {
    const { said, seat } = this.document.plies[at];
    const state = this.states[at];
    try {
      if (this.rules.mover(state) === seat && this.rules.legal(state).includes(said)) return this.rules.play(state, said);
    } catch {} // it is a fault like the other
    throw new Forged("rules", at + 1);
  }

  /** What is said of the choice and of the better line of a ply. @param {number} at */
  line(at) {
    const { choice, line, move, said, best, played } = this.document.plies[at];
    const { rules } = this;
    let state = this.states[at];
    /** @param {string} text */
    const deed = (text) => rules.deed?.(state, text) ?? text;
    const several = new Set(rules.legal(state).map(deed)).size > 1;
    if (choice !== several || line[0] !== move || (deed(move) === deed(said) && best !== played)) throw new Forged("lines", at + 1);
    for (const text of line) {
      if (!rules.legal(state).includes(text)) throw new Forged("lines", at + 1);
      state = rules.play(state, text);
    }
  }

  /** Count a ply out by the rules; whether that could be done. @param {number} at */
  counted(at) {
    const { best, move, played, lost, solved } = this.document.plies[at];
    const [state, after] = [this.states[at], this.states[at + 1]];
    const { count, left, counted, balance, result, mover, play } = this.rules;
    const seat = mover(state);
    if (!solved && count && left && !balance && left(this.states[0]) <= (counted ?? 0)) throw new Forged("counted", at + 1); // all of it is known
    /** @param {number} worth */
    const share = (worth) => (WHOLE * (1 + Math.sign(worth))) / 2;
    if (solved && count && left && left(state) <= (counted ?? 0)) {
      const bounds = balance ? 64 : 1;
      /** @param {unknown} then */
      const behind = (then) => (mover(then) === seat ? 1 : -1) * count(then, -bounds, bounds, this.spend);
      const [top, own] = [behind(play(state, move)), behind(after)];
      const all = count(state, -bounds, bounds, this.spend);
      const units = lost === 0 || (balance && lost === 1000 * (all - own)); // who wins may be known without by how much
      if (share(all) !== best || share(top) !== best || share(own) !== played || !units) throw new Forged("counted", at + 1);
      return true;
    }
    const end = result(after); // a move that ended the game is worth what the rules say
    if (end !== null && played !== WHOLE * (seat ? 1 - end : end)) throw new Forged("counted", at + 1);
    return false;
  }
}

/** Begin to referee a game; what its rules cannot even begin breaks them. @param {Rules} rules @param {Document} document @param {any} opening */
function begun(rules, document, opening) {
  try {
    return new Referee(rules, document, opening);
  } catch {
    throw new Forged("rules", 1);
  }
}

/** So many different numbers below a limit, in order, by luck that nobody foresees. @param {number} wanted @param {number} limit */
function draw(wanted, limit) {
  const numbers = Array.from({ length: limit }, (_, at) => at);
  const drawn = Math.min(wanted, limit);
  for (let at = 0; at < drawn; at++) {
    const other = at + Number(below(BigInt(limit - at)));
    [numbers[at], numbers[other]] = [numbers[other], numbers[at]];
  }
  return numbers.slice(0, drawn).sort((one, two) => one - two);
}

// ── the check ──

/**
 * Check an analysis with its record. `rules` are those of its game, where a module has them; `shows` tells whether a page shows the figures
 * that follow; `step` hears of each check that is done.
 * @param {string} text @param {Uint8Array} record
 * @param {{ rules?: Rules | null, shows?: ((figures: Figures) => boolean) | null, drawn?: number, step?: (check: string) => unknown }} [wishes]
 * @returns {Promise<Finding>}
 */
export async function check(text, record, { rules = null, shows = null, drawn = DRAWN, step } = {}) {
  /** @type {Finding} */
  const found = { fault: null, done: [], key: "", plies: 0, drawn: 0, exact: 0, certified: [] };
  /** @param {string} name */
  const done = async (name) => {
    found.done.push(name);
    await step?.(name);
  };
  try {
    const document = read(text);
    found.plies = document.plies.length;
    await done("form");
    if (!genuine(document)) throw new Forged("signature");
    found.key = fingerprint(unhex(document.by));
    await done("signature");
    if (hex(sha256(record)) !== document.record) throw new Forged("record");
    const kept = await checkRecord(record);
    if (kept.standing === "broken" || kept.standing === "foreign") throw new Forged("record");
    await done("record");
    const { said, opening } = course(new TextDecoder().decode(record));
    const same = opening.game === document.game && said.length === document.plies.length
      && said.every((one, at) => one.seat === document.plies[at].seat && one.turn === document.plies[at].turn && one.text === document.plies[at].said);
    if (!same) throw new Forged("moves");
    await done("moves");
    if (shows) {
      if (!shows(figures(document, opening.chairs.length))) throw new Forged("figures");
      await done("figures");
    }
    if (rules) await judge(found, begun(rules, document, opening), drawn, done);
  } catch (error) {
    if (!(error instanceof Forged)) throw error;
    found.fault = error.fault;
  }
  return found;
}

/** @param {Finding} found @param {Referee} referee @param {number} drawn @param {(name: string) => unknown} done */
async function judge(found, referee, drawn, done) {
  const { document, rules } = referee;
  await referee.replay();
  await done("rules");
  const moments = figures(document, 2).moments.map((one) => one - 1);
  const plies = [...new Set([...moments, ...draw(drawn, document.plies.length)])].sort((one, two) => one - two);
  for (const at of plies) {
    referee.line(at);
    await referee.breathe();
  }
  found.drawn = plies.length;
  await done("lines");
  try {
    for (const at of plies.toReversed()) {
      found.exact += Number(referee.counted(at));
      await referee.breathe();
    }
    if (found.exact) await done("counted");
    referee.positions = 0;
    for (const { ply, proof } of document.certificates) {
      if (WHOLE * proved(rules, referee.states[ply], proof, referee.spend) !== document.plies[ply].best) throw new Forged("certificates", ply + 1);
      found.certified.push(ply + 1);
      await referee.breathe();
    }
    if (found.certified.length) await done("certificates");
  } catch (error) {
    if (error instanceof Unproved || error instanceof RangeError) throw new Forged("certificates", document.certificates[found.certified.length]?.ply + 1);
    if (!(error instanceof Enough)) throw error;
  }
}
