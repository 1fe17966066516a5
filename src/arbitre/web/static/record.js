// Checks a sealed record in the browser, from its octets alone (the manual's page "Records"): canonical form, chain and salts, the seed
// that was committed, promises, nonces and every draw, the signatures of referee and seats, the seal.
//
// What it does not check are the rules of the game: that every move was legal, and that the verdict follows. `arbitre verify` does.
// `check` never throws at what a record holds: the first fault comes back as a code with its fields and the line, from 1.

import * as chain from "./chain.js";
import { canonical, hex, unhex, utf8 } from "./crypto.js";

/** @typedef {{ code: string, fields: Record<string, string | number>, line: number }} Fault the first thing that does not follow */
/** @typedef {{ name: string, key: string, state: string, code: string, nonce: boolean }} SeatFound a seat: what it says of the record, and whether it opened a nonce */
/** @typedef {{ at: number, kind: string, seat: number, text: string, turn: number }} RecordEvent */
/** @typedef {{ key: string, name: string, player: string }} Chair */
/**
 * @typedef {object} Opening
 * @property {Chair[]} chairs
 * @property {string} commitment
 * @property {string} game
 * @property {string} match
 * @property {Record<string, string>} promises
 * @property {string} referee
 * @property {{ clock: string }} terms
 */
/**
 * What was found. `sound`: everything that can be checked without the rules holds. `incomplete`: it does as far as the record goes, and
 * nobody signed its end. `foreign`: of another format, nothing was checked. `broken`: `fault` says what does not follow.
 * @typedef {object} Finding
 * @property {"sound" | "incomplete" | "foreign" | "broken"} standing
 * @property {Fault | null} fault
 * @property {string[]} checked of CHECKS, as far as the record has any of it
 * @property {string[]} unchecked "rules" always; "key" where nobody said which referee is due; "proof" where the seed is not open
 * @property {number} events
 * @property {number} draws
 * @property {string} head in hexadecimal
 * @property {string} key the fingerprint of the referee's key
 * @property {SeatFound[]} seats
 * @property {Opening | null} opening
 * @property {{ reason: { code: string }, scores: string[] | null, termination: string } | null} verdict
 */

export const CHECKS = ["form", "chain", "commitment", "agreements", "nonces", "draws", "seats", "seal"];

/** Everything that can be wrong. */
export const FAULTS = [
  "empty", "not-utf8", "too-long", "cut", "form", "opening", "format", "unrevealed", "commitment", "order", "time", "agreement", "nonce", "draw", "question", "reason",
  "verdict", "seal-form", "seal-chain", "seal-seats", "seal-signature", "seat-word", "another-key",
];

const FORMAT = 2;
const LONGEST_LINE = 1 << 20;
const MOST_EVENTS = 1 << 17;
const MOST_OCTETS = 1 << 25;
const MOST_SEATS = 1000;
const BREATH_MS = 12;

const INPUTS = "opened agreed declined said ticked resigned left garbled offered settled acknowledged abandoned resumed noted stray".split(" ");
const OUTPUTS = "drawn asked refused announced ended revealed".split(" ");
const KINDS = new Set([...INPUTS, ...OUTPUTS]);
const PLAYED = new Set(["said", "ticked", "offered", "settled", "drawn", "asked", "refused", "announced"]);
const AFTERWARDS = new Set(["acknowledged", "noted", "stray", "resumed", "revealed"]);
const TERMINATIONS = new Set(
  "rules resigned out-of-time illegal-move protocol-error disconnected refused agreed adjudicated not-played abandoned referee-failed".split(" "),
);

const HASH = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
const CODE = /^[a-z0-9-]{1,40}$/;
const KEY = /^[a-z0-9_-]+$/;
const NAME = /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]{1,80}$/u;
const DRAWN = /^(0|[1-9][0-9]{0,19})\/([1-9][0-9]{0,19})$/;
const WHOLE = /^(0|[1-9][0-9]{0,15})$/;

class Broken extends Error {
  /** @param {string} code @param {number} line from 1 @param {Record<string, string | number>} [fields] */
  constructor(code, line, fields = {}) {
    super(code);
    this.fault = { code, fields, line };
  }
}

// ── form ──

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @param {string[]} keys in order */
const has = (value, keys) => isObject(value) && Object.keys(value).sort().join() === keys.join();

/** @param {unknown} value @returns {value is number} */
const isCount = (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Whether all keys, at any depth, are such as canonical JSON has. @param {unknown} value @returns {boolean} */
function keyed(value) {
  if (Array.isArray(value)) return value.every(keyed);
  return !isObject(value) || Object.entries(value).every(([key, one]) => KEY.test(key) && keyed(one));
}

/** What a text says, undefined where it is not canonical JSON. @param {string} text @returns {unknown} */
function read(text) {
  try {
    const value = JSON.parse(text);
    return canonical(value) === text ? value : undefined;
  } catch {
    return undefined; // no JSON, lone surrogates, numbers past 2^53, or nested too deep
  }
}

/** @param {string} text */
function readKeyed(text) {
  const value = read(text);
  return keyed(value) ? value : undefined;
}

/** @param {string} line @param {number} number @returns {RecordEvent} */
function readEvent(line, number) {
  if (line.length > LONGEST_LINE || (line.length > LONGEST_LINE / 3 && utf8(line).length > LONGEST_LINE)) throw new Broken("too-long", number);
  const event = read(line);
  if (!has(event, ["at", "kind", "seat", "text", "turn"])) throw new Broken("form", number);
  const { at, kind, seat, text, turn } = /** @type {Record<string, unknown>} */ (event);
  const sound = isCount(at) && typeof kind === "string" && KINDS.has(kind) && (seat === -1 || isCount(seat)) && typeof text === "string" && isCount(turn);
  if (!sound) throw new Broken("form", number);
  return /** @type {RecordEvent} */ (event);
}

/** @param {unknown} given @param {number} seats */
const isPromises = (given, seats) =>
  isObject(given) && Object.entries(given).every(([seat, one]) => WHOLE.test(seat) && Number(seat) < seats && HASH.test(String(one)));

/** @param {unknown} one */
function isChair(one) {
  if (!isObject(one) || !has(one, ["key", "name", "player"])) return false;
  const { key, name, player } = one;
  return typeof key === "string" && typeof name === "string" && typeof player === "string"
    && (key === "" || HASH.test(key)) && NAME.test(name) && !name.startsWith(" ") && !name.endsWith(" ");
}

const OPENING_KEYS = ["arbitre", "chairs", "commitment", "game", "log", "match", "notes", "opened", "options", "promises", "referee", "start", "terms"];
const TERMS_KEYS = ["acknowledge", "clock", "refusals", "resign", "turns"];
const AGREEING_KEYS = [...TERMS_KEYS, "agree"].sort();
const AGREE = /^([0-9.]{1,13}\/[0-9]{1,3})?( ?=[0-9.]{1,13}\/[0-9]{1,3}(@[0-9]{1,5})?)?$/;

/** @param {RecordEvent} event @returns {Opening} */
function readOpening(event) {
  const given = readKeyed(event.text);
  if (event.kind !== "opened" || event.seat !== -1 || event.at || event.turn || !isObject(given)) throw new Broken("opening", 1);
  if (isCount(given.arbitre) && given.arbitre !== FORMAT) throw new Broken("format", 1, { format: given.arbitre });
  if (typeof given.protocol === "string") throw new Broken("format", 1, { protocol: given.protocol.slice(0, 40) });
  const { chairs, log, terms, notes } = given;
  const sound = has(given, OPENING_KEYS) && given.arbitre === FORMAT
    && Array.isArray(chairs) && chairs.length > 0 && chairs.length <= MOST_SEATS && chairs.every(isChair)
    && [given.commitment, given.referee].every((one) => HASH.test(String(one))) && typeof given.game === "string" && typeof given.match === "string"
    && (log === null || (isObject(log) && has(log, ["key", "within"]) && HASH.test(String(log.key)) && isCount(log.within)))
    && isObject(notes) && Object.values(notes).every((one) => typeof one === "string") && isCount(given.opened) && isObject(given.options)
    && isPromises(given.promises, chairs.length) && typeof given.start === "string" && isObject(terms) && has(terms, "agree" in terms ? AGREEING_KEYS : TERMS_KEYS) && (!("agree" in terms) || AGREE.test(String(terms.agree))) && typeof terms.clock === "string";
  if (!sound) throw new Broken("opening", 1);
  return /** @type {Opening} */ (/** @type {unknown} */ (given));
}

/** @param {string} text */
function isReason(text) {
  const given = readKeyed(text);
  return isObject(given) && typeof given.code === "string";
}

/** @param {string} line @param {number} number */
function readSeal(line, number) {
  const seal = read(line);
  /** @param {any} one */
  const isWord = (one) =>
    has(one, ["code", "signature", "state"]) && (one.code === "" || CODE.test(one.code)) && (one.signature === "" || SIGNATURE.test(one.signature)) && chain.STATES.includes(one.state);
  const given = /** @type {any} */ (seal);
  const sound = line.length <= LONGEST_LINE && has(seal, ["count", "head", "seats", "signature"]) && isCount(given.count) && HASH.test(given.head)
    && Array.isArray(given.seats) && given.seats.length <= MOST_SEATS && given.seats.every(isWord) && SIGNATURE.test(given.signature);
  if (!sound) throw new Broken("seal-form", number);
  return /** @type {{ count: number, head: string, seats: { code: string, signature: string, state: string }[], signature: string }} */ (seal);
}

/** The lines of a file, the seal apart. @param {string | Uint8Array} given */
function cut(given) {
  let text;
  try {
    text = typeof given === "string" ? given : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(given);
  } catch {
    throw new Broken("not-utf8", 1);
  }
  if (!text) throw new Broken("empty", 1);
  if (text.length > MOST_OCTETS + LONGEST_LINE) throw new Broken("too-long", 1);
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Broken("cut", lines.length + 1);
  const last = lines.at(-1)?.startsWith('{"count":') ? lines.pop() : undefined;
  if (!lines.length) throw new Broken("opening", 1);
  const octets = typeof given === "string" ? utf8(text).length : given.length;
  if (lines.length > MOST_EVENTS || octets - (last ?? "").length > MOST_OCTETS) throw new Broken("too-long", lines.length);
  return { lines, last };
}

// ── what follows ──

/** Walks along the events of one record; `take` throws at the first that does not follow. */
class Course {
  /** @type {Map<number, Uint8Array>} */
  nonces = new Map();
  /** @type {Set<number>} */
  agreed = new Set();
  /** @type {Uint8Array} */
  head = chain.START;
  /** @type {Finding["verdict"]} */
  verdict = null;
  /** @type {Uint8Array | undefined} The secret of the draws, once nobody's nonce is missing. */
  mixed;
  count = 0;
  draws = 0;
  revealed = false;
  /** @type {string} What must stand in the verdict that follows at once: an agreement was false. */
  #false = "";

  /** @param {Opening} opening @param {Uint8Array} seed @param {string} line */
  constructor(opening, seed, line) {
    this.opening = opening;
    this.seed = seed;
    this.named = chain.opening(line);
    this.called = { opening: this.named, count: 1, head: chain.extend(chain.START, seed, 0, line) }; // what is signed when there is nothing else
    this.timed = opening.terms.clock !== "none";
    this.due = new Set(opening.chairs.flatMap(({ key }, seat) => (key || opening.promises[seat] !== undefined ? [seat] : [])));
  }

  /** @param {string} line @param {RecordEvent} event */
  take(line, event) {
    const at = this.count + 1;
    this.head = chain.extend(this.head, this.seed, this.count, line);
    this.count = at;
    this.#inOrder(event, at);
    if (event.at && !this.timed) throw new Broken("time", at);
    if (event.seat >= this.opening.chairs.length) throw new Broken("form", at);
    if (event.kind === "agreed") this.#agree(event, at);
    else if (event.kind === "drawn") this.#draw(event, at);
    else if (event.kind === "asked") this.#ask(event, at);
    else if (event.kind === "ended") this.#end(event, at);
    else if (event.kind === "revealed") this.revealed = true;
    else this.#reason(event, at);
  }

  /** @param {RecordEvent} event @param {number} at */
  #inOrder({ kind }, at) {
    const first = (kind === "opened") === (at === 1);
    const early = PLAYED.has(kind) && this.agreed.size < this.due.size;
    const late = this.verdict ? !AFTERWARDS.has(kind) : kind === "revealed" || kind === "acknowledged";
    if (this.#false && kind !== "ended") this.#unnoticed(at - 1);
    if (!first || early || late || this.revealed) throw new Broken("order", at, { kind });
  }

  /** Fail where an agreement is false and the match did not end with it. @param {number} at @returns {never} */
  #unnoticed(at) {
    throw new Broken(this.#false === "false-nonce" ? "nonce" : "agreement", at);
  }

  /** @param {RecordEvent} event @param {number} at */
  #agree({ seat, text, at: time, turn }, at) {
    const given = readKeyed(text);
    if (time || turn || !has(given, ["nonce", "signature"]) || !this.due.has(seat) || this.agreed.has(seat)) throw new Broken("agreement", at, { seat });
    const { nonce, signature } = /** @type {{ nonce: unknown, signature: unknown }} */ (given);
    if (![nonce, signature].every((one) => one === null || typeof one === "string")) throw new Broken("agreement", at, { seat });
    const { chairs, commitment, match, promises } = this.opening;
    const promised = promises[seat];
    const opened = typeof nonce === "string" && HASH.test(nonce) ? unhex(nonce) : undefined;
    if ((promised === undefined) !== (nonce === null) || (promised !== undefined && (!opened || chain.promise(opened, commitment, match, seat) !== promised))) {
      this.#false = "false-nonce";
    } else {
      const { key } = chairs[seat];
      const signed = key ? typeof signature === "string" && SIGNATURE.test(signature) && chain.stated(key, signature, this.called, chain.AGREED, seat) : signature === null;
      if (!signed) this.#false = "false-signature";
    }
    if (this.#false) return; // the referee must have found it too, and ended the match
    this.agreed.add(seat);
    if (opened) this.nonces.set(seat, opened);
  }

  /** @param {RecordEvent} event @param {number} at */
  #draw({ text, seat }, at) {
    const [, value, below] = DRAWN.exec(text) ?? [];
    if (seat !== -1 || value === undefined || BigInt(below) > 1n << 64n) throw new Broken("draw", at, { text: text.slice(0, 50) });
    this.mixed ??= chain.mix(this.seed, this.nonces);
    const due = chain.draw(this.mixed, this.draws, BigInt(below));
    if (due !== BigInt(value)) throw new Broken("draw", at, { text, due: `${due}/${below}` });
    this.draws += 1;
  }

  /** @param {RecordEvent} event @param {number} at */
  #ask({ seat, text }, at) {
    /** @param {unknown} left */
    const clocked = (left) => (this.timed ? isCount(left) : left === null);
    const plain = this.timed ? WHOLE.test(text) : text === "";
    const given = readKeyed(text);
    const sound = seat >= 0 && (this.opening.chairs[seat].key
      ? isObject(given) && has(given, ["left", "view"]) && clocked(given.left) && HASH.test(String(given.view))
      : plain);
    if (!sound) throw new Broken("question", at, { seat });
  }

  /** @param {RecordEvent} event @param {number} at */
  #end({ seat, turn, text }, at) {
    const given = readKeyed(text);
    const { reason, scores, tally, termination } = isObject(given) ? given : {};
    const seats = this.opening.chairs.length;
    const sound = seat === -1 && turn === 0 && has(given, ["reason", "scores", "tally", "termination"]) && isObject(reason) && typeof reason.code === "string"
      && (scores === null || (Array.isArray(scores) && scores.length <= seats && scores.every((one) => /^[0-9]+(\/[1-9][0-9]*)?$/.test(String(one)))))
      && Array.isArray(tally) && TERMINATIONS.has(String(termination));
    if (!sound) throw new Broken("verdict", at);
    if (this.#false && (termination !== "protocol-error" || reason.code !== this.#false)) this.#unnoticed(at - 1);
    this.#false = "";
    this.verdict = /** @type {Finding["verdict"]} */ (given);
  }

  /** @param {RecordEvent} event @param {number} at */
  #reason({ kind, seat, text }, at) {
    const given = ["refused", "left", "garbled", "abandoned"].includes(kind) || (kind === "declined" && seat === -1)
      || (["ticked", "resigned"].includes(kind) && text !== "");
    if (given ? !isReason(text) : kind === "declined" && !CODE.test(text)) throw new Broken("reason", at, { kind });
  }

  get subject() {
    return { opening: this.named, count: this.count, head: this.head };
  }
}

/** What each seat says of a record, and whether it said so. @param {Course} course @param {ReturnType<typeof readSeal>} seal @param {number} at */
function sealed(course, seal, at) {
  const { chairs, referee } = course.opening;
  if (seal.count !== course.count || seal.head !== hex(course.head)) throw new Broken("seal-chain", at);
  if (seal.seats.length !== chairs.length) throw new Broken("seal-seats", at);
  const words = seal.seats.map((one, seat) => ({ ...one, key: chairs[seat].key }));
  if (!chain.stated(referee, seal.signature, course.subject, chain.SEALED, chain.REFEREE, chain.spoken(words))) throw new Broken("seal-signature", at);
  for (const [seat, { state, key, code, signature }] of words.entries()) {
    const declined = state === "declined";
    const spoke = declined || state === "signed";
    const form = spoke ? Boolean(key && signature) && Boolean(code) === declined : !signature && !code && Boolean(key) === (state === "silent");
    const rest = declined ? chain.disputes(code) : chain.ZEROS;
    if (!form || (spoke && !chain.stated(key, signature, course.subject, declined ? chain.DISPUTED : chain.PLAYED, seat, rest))) throw new Broken("seat-word", at, { seat, state });
  }
}

// ── the check ──

/** Let the page live: what it shows meanwhile must move, in the background too. */
const breath = () => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(undefined); };
  port2.postMessage(null);
});

/**
 * Check a record. `key` is the referee's that is due, in full or its fingerprint; `step` is called behind every event with its number,
 * from 1, and how many there are, and is waited for.
 * @param {string | Uint8Array} text @param {{ key?: string, step?: (index: number, total: number) => unknown }} [wishes]
 * @returns {Promise<Finding>}
 */
export async function check(text, { key, step } = {}) {
  /** @type {Finding} */
  const found = { standing: "broken", fault: null, checked: [], unchecked: ["rules"], events: 0, draws: 0, head: "", key: "", seats: [], opening: null, verdict: null };
  try {
    await walk(found, cut(text), key, step);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    found.fault = error.fault;
    found.standing = error.fault.code === "format" ? "foreign" : "broken";
  }
  return found;
}

/** @param {Finding} found @param {ReturnType<typeof cut>} file @param {string} [key] @param {(index: number, total: number) => unknown} [step] */
async function walk(found, { lines, last }, key, step) {
  const total = lines.length;
  const opening = readOpening(readEvent(lines[0], 1));
  found.opening = opening;
  found.events = total;
  found.key = chain.fingerprint(unhex(opening.referee));
  found.seats = opening.chairs.map(({ name, key: own }) => ({ name, key: own, state: own ? "silent" : "keyless", code: "", nonce: false }));
  if (key && key !== found.key && key !== opening.referee) throw new Broken("another-key", 1, { key: found.key });
  if (!key) found.unchecked.push("key");
  const seal = last === undefined ? null : readSeal(last, total + 1);
  const end = readEvent(lines[total - 1], total);
  if (end.kind !== "revealed" || total === 1) {
    if (seal) throw new Broken("unrevealed", total);
    found.standing = "incomplete";
    found.unchecked.push("proof");
    return;
  }
  if (!HASH.test(end.text) || end.seat !== -1) throw new Broken("form", total);
  const seed = unhex(end.text);
  if (chain.commitment(seed) !== opening.commitment) throw new Broken("commitment", total);
  const course = new Course(opening, seed, lines[0]);
  let since = performance.now();
  for (const [at, line] of lines.entries()) {
    course.take(line, readEvent(line, at + 1));
    if (step) await step(at + 1, total);
    if (performance.now() - since > BREATH_MS) {
      await breath();
      since = performance.now();
    }
  }
  if (!course.verdict) throw new Broken("verdict", total);
  found.draws = course.draws;
  found.head = hex(course.head);
  found.verdict = course.verdict;
  for (const seat of course.nonces.keys()) found.seats[seat].nonce = true;
  found.checked = ["form", "chain", "commitment"];
  if (course.agreed.size) found.checked.push("agreements");
  if (course.nonces.size) found.checked.push("nonces");
  if (course.draws) found.checked.push("draws");
  if (seal) {
    sealed(course, seal, total + 1);
    for (const [seat, { state, code }] of seal.seats.entries()) Object.assign(found.seats[seat], { state, code });
    found.checked.push("seats", "seal");
  }
  found.standing = seal ? "sound" : "incomplete";
}
