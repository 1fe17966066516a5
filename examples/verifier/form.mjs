// The form of a record: canonical JSON, events, opening, seal. Whatever is not in its one form is refused.
export class Broken extends Error {}
export class Foreign extends Error {}

export const must = (holds, why) => {
  if (!holds) throw new Broken(why);
};

const MOST_LINE = 2 ** 20;
const MOST_EVENTS = 2 ** 17;
const MOST_OCTETS = 2 ** 25;
export const INPUTS = new Set(
  "opened agreed declined said ticked resigned left garbled offered settled acknowledged abandoned resumed noted stray".split(" "),
);
export const OUTPUTS = new Set("drawn asked refused announced ended revealed".split(" "));
const HEX = (digits) => new RegExp(`^[0-9a-f]{${digits}}$`);
const KEY = HEX(64);
const SIGNATURE = HEX(128);

// ── canonical JSON ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Write a value in the one form that it has. */
export function canonical(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    must(Number.isSafeInteger(value) && value >= -1, "a number that no record holds");
    return String(value);
  }
  if (typeof value === "string") {
    must(value.isWellFormed(), "a lone surrogate");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  must(keys.every((key) => /^[a-z0-9_-]+$/.test(key)), "a key that no record has");
  return `{${keys.map((key) => `"${key}":${canonical(value[key])}`).join(",")}}`;
}

/** Read canonical JSON: what is written otherwise is refused, whatever it means. */
export function read(text) {
  let value;
  try {
    value = JSON.parse(text);
    if (canonical(value) !== text) throw new Broken("not in canonical form");
  } catch (error) {
    throw error instanceof Broken ? error : new Broken("no JSON");
  }
  return value;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const count = (value) => Number.isInteger(value) && value >= 0;

function shaped(value, ...keys) {
  must(isObject(value) && Object.keys(value).sort().join() === keys.join(), `not an object of ${keys}`);
  return value;
}

// ── the file ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Return the lines of a file as octets, its events and its seal; the seal is null where there is none. */
export function file(data) {
  must(data.length <= MOST_OCTETS + MOST_LINE, "longer than a record may be");
  must(data.length > 0 && data[data.length - 1] === 0x0a, "the last line has no end");
  const lines = [];
  for (let from = 0, to; (to = data.indexOf(0x0a, from)) >= 0; from = to + 1) lines.push(data.subarray(from, to));
  must(lines.length <= MOST_EVENTS + 1, "more events than a record may have");
  const values = lines.map((line) => {
    must(line.length <= MOST_LINE, "a line is too long");
    return read(utf8(line));
  });
  const last = values[values.length - 1];
  const seal = isObject(last) && "count" in last ? readSeal(values.pop()) : null;
  return { lines: lines.slice(0, values.length), events: values.map(readEvent), seal };
}

function utf8(octets) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    throw new Broken("no UTF-8");
  }
}

function readEvent(value) {
  shaped(value, "at", "kind", "seat", "text", "turn");
  must(count(value.at) && count(value.turn) && Number.isInteger(value.seat), "a number of an event is out of bounds");
  must(typeof value.text === "string" && (INPUTS.has(value.kind) || OUTPUTS.has(value.kind)), "no event");
  return value;
}

function readSeal(value) {
  shaped(value, "count", "head", "seats", "signature");
  must(count(value.count) && value.count > 0 && KEY.test(value.head) && SIGNATURE.test(value.signature), "no seal");
  must(Array.isArray(value.seats) && value.seats.length <= 1000, "no seats");
  for (const word of value.seats) {
    shaped(word, "code", "signature", "state");
    must(["keyless", "signed", "declined", "silent"].includes(word.state), "no state of a seat");
    const signs = word.state === "signed" || word.state === "declined";
    must(typeof word.signature === "string" && (signs ? SIGNATURE.test(word.signature) : word.signature === ""), "the signature of a seat");
    must(word.state === "declined" ? isCode(word.code) : word.code === "", "the code of a seat");
  }
  return value;
}

// ── texts ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const WORDS = "[a-z][a-z0-9]*(?:-[a-z0-9]+)*";
const CODE = new RegExp(`^${WORDS}(?:\\.${WORDS})?$`);
export const isCode = (text) => typeof text === "string" && text.length <= 40 && CODE.test(text);

/** Read a reason: a code, and fields that are texts, numbers or reasons. */
export function readReason(text) {
  return reason(read(text));
}

function reason(value, deepest = 4) {
  must(isObject(value) && typeof value.code === "string" && CODE.test(value.code) && deepest >= 0, "no reason");
  for (const field of Object.values(value))
    if (isObject(field)) reason(field, deepest - 1);
    else must(typeof field === "string" || typeof field === "number", "a field of a reason");
  return value;
}

/** Read what a seat says to the opening: two texts, either of which may be null. */
export function readAgreed(text) {
  const said = shaped(read(text), "nonce", "signature");
  for (const one of [said.nonce, said.signature]) must(one === null || typeof one === "string", "no agreement");
  return said;
}

export const isNonce = (text) => text !== null && KEY.test(text);
export const isSignature = (text) => text !== null && SIGNATURE.test(text);

function isName(text) {
  const scalars = [...text].length;
  return scalars >= 1 && scalars <= 80 && !/^ | $|[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(text);
}

/** Read the opening; one of another format is foreign. */
export function readOpening(text) {
  const value = read(text);
  must(isObject(value), "no opening");
  if (count(value.arbitre) && value.arbitre !== 2) throw new Foreign(`a record of format ${value.arbitre}`);
  shaped(value, ..."arbitre chairs commitment game log match notes opened options promises referee start terms".split(" "));
  must(value.arbitre === 2, "no format");
  must(Array.isArray(value.chairs), "no chairs");
  for (const chair of value.chairs) {
    shaped(chair, "key", "name", "player");
    must(chair.key === "" || KEY.test(chair.key), "the key of a chair");
    must(typeof chair.name === "string" && isName(chair.name) && typeof chair.player === "string", "the name of a chair");
  }
  must(KEY.test(value.commitment) && KEY.test(value.referee), "commitment or referee");
  must(typeof value.game === "string" && typeof value.match === "string" && typeof value.start === "string", "game, match or start");
  must(isObject(value.notes) && Object.values(value.notes).every((note) => typeof note === "string"), "notes");
  must(count(value.opened), "when it was opened");
  must(isObject(value.options), "options");
  must(isObject(value.promises), "promises");
  for (const [seat, promise] of Object.entries(value.promises))
    must(/^(0|[1-9][0-9]*)$/.test(seat) && Number(seat) < value.chairs.length && KEY.test(promise), "a promise");
  if (value.log !== null) {
    shaped(value.log, "key", "within");
    must(KEY.test(value.log.key) && value.log.within >= 1 && value.log.within <= 31 * 86_400, "the log");
  }
  readTerms(value.terms);
  must(!("agree" in value.terms) || value.chairs.length === 2, "an agreement of others than two");
  return value;
}

function readTerms(terms) {
  shaped(terms, "acknowledge", ...("agree" in terms ? ["agree"] : []), "clock", "refusals", "resign", "turns");
  must(typeof terms.acknowledge === "boolean" && typeof terms.resign === "boolean", "the terms");
  must(terms.refusals === null || (count(terms.refusals) && terms.refusals <= 1_000_000), "the refusals");
  must(terms.turns === null || (count(terms.turns) && terms.turns >= 1 && terms.turns <= 1_000_000), "the turns");
  terms.time = readClock(terms.clock);
  terms.rows = "agree" in terms ? readAgree(terms.agree) : {};
}

/** A score in millionths. */
export function millionths(text) {
  const [whole, rest = ""] = text.split(".");
  return Number(whole) * 1e6 + Number(rest.padEnd(6, "0"));
}

/** Read when both sides end a game by what they say: `lost`, `level` or both; numbers have no zeros that say nothing. */
function readAgree(text) {
  const number = "((?:0|[1-9][0-9]{0,5})(?:\\.[0-9]{0,5}[1-9])?)/([1-9][0-9]{0,2})";
  const found = typeof text === "string" && new RegExp(`^(?:${number})?( ?)(?:=${number}(?:@([1-9][0-9]{0,4}))?)?$`).exec(text);
  must(found && text, "no agreement");
  const [, lost, moves, space, level, even, since] = found;
  must((space === " ") === (lost !== undefined && level !== undefined) && lost !== "0" && since !== "1", "no agreement");
  return {
    lost: lost && { score: lost, moves: Number(moves) },
    level: level && { score: level, moves: Number(even), since: Number(since ?? 1) },
  };
}

const LONGEST = 1000 * 3_600_000;

/** Read a clock: what a seat has at first, and how its time is renewed after a turn; null for none. */
function readClock(text) {
  if (text === "none") return null;
  const found = typeof text === "string" && /^([1-9][0-9]*m?s)(\/move|\+([1-9][0-9]*m?s))?$/.exec(text);
  must(found, "no clock");
  const [bank, increment] = [milliseconds(found[1]), found[3] ? milliseconds(found[3]) : 0];
  return { bank, renew: found[2] === "/move" ? () => bank : (left) => left + increment };
}

function milliseconds(text) {
  const found = text.endsWith("ms") ? Number(text.slice(0, -2)) : 1000 * Number(text.slice(0, -1));
  must(found <= LONGEST && text.endsWith("ms") === (found % 1000 > 0), "no clock");
  return found;
}
