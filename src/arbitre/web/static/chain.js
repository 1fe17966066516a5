// What is hashed and signed about a match, octet by octet, as the manual's page "Records" has it: the chain of a record, the statements
// that anybody signs, promises and draws. The house has the same in `crypto.chain`, `crypto.statements` and `crypto.draws`.

import { big, hex, join, number, sha256, shake256, sign, unhex, utf8, verify } from "./crypto.js";

/** @param {string} label @param {Uint8Array[]} parts */
const digest = (label, ...parts) => sha256(join(utf8(label), ...parts));

export const ZEROS = new Uint8Array(32);

/** The head before the first event. */
export const START = ZEROS;

/** @param {Uint8Array} seed @param {number} index from 0 */
export const salt = (seed, index) => digest("arbitre/salt/1", seed, big(index, 8));

/** @param {Uint8Array} salted the salt of the event @param {string} line */
export const leaf = (salted, line) => digest("arbitre/leaf/1", salted, utf8(line));

/** @param {Uint8Array} head @param {Uint8Array} one the leaf of the next event */
export const fold = (head, one) => digest("arbitre/head/1", head, one);

/** The head behind one more event. @param {Uint8Array} head @param {Uint8Array} seed @param {number} index @param {string} line */
export const extend = (head, seed, index, line) => fold(head, leaf(salt(seed, index), line));

/** @param {Uint8Array} seed */
export const commitment = (seed) => hex(digest("arbitre/seed/1", seed));

/** What names a match: its first line. @param {string} line */
export const opening = (line) => digest("arbitre/opening/2", utf8(line));

/** What a record keeps of the position that a seat with a key was shown. @param {string} text */
export const view = (text) => hex(digest("arbitre/view/2", utf8(text)));

/** How people know a key. @param {Uint8Array} key */
export const fingerprint = (key) => hex(digest("arbitre/key/1", key)).slice(0, 32);

// ── statements ──

/** As what somebody signs. */
export const CALLED = 1;
export const AGREED = 2;
export const PLAYED = 3;
export const DISPUTED = 4;
export const SEALED = 5;

/** The seat of whoever signs as referee. */
export const REFEREE = 0xffffffff;

export const STATES = ["keyless", "signed", "declined", "silent"];

/**
 * What is signed about: a match by the hash of its opening, and a point of its chain.
 * @typedef {{ opening: Uint8Array, count: number, head: Uint8Array }} Subject
 */

/** @param {Subject} subject @param {number} kind @param {number} seat @param {Uint8Array} [rest] */
const message = ({ opening: named, count, head }, kind, seat, rest = ZEROS) =>
  join(utf8("arbitre/sign/2"), big(kind, 1), big(seat, 4), named, big(count, 8), head, rest);

/** @param {Uint8Array} secret @param {Subject} subject @param {number} kind @param {number} seat @param {Uint8Array} [rest] */
export const state = (secret, subject, kind, seat, rest) => hex(sign(secret, message(subject, kind, seat, rest)));

/**
 * Whether the holder of a key said this.
 * @param {string} key @param {string} signature @param {Subject} subject @param {number} kind @param {number} seat @param {Uint8Array} [rest]
 */
export const stated = (key, signature, subject, kind, seat, rest) => verify(unhex(key), message(subject, kind, seat, rest), unhex(signature));

/** The rest of a statement that disputes a record. @param {string} code */
export const disputes = (code) => sha256(utf8(code));

/**
 * The rest of a seal: what each seat says of the record.
 * @param {{ state: string, key: string, code: string, signature: string }[]} seats
 */
export const spoken = (seats) =>
  digest("arbitre/seats/2", ...seats.flatMap((one) => [
    big(STATES.indexOf(one.state), 1),
    one.key ? unhex(one.key) : ZEROS,
    one.code ? disputes(one.code) : ZEROS,
    one.signature ? unhex(one.signature) : new Uint8Array(64),
  ]));

// ── chance ──

/** The commitment to a nonce, for one seat of one match. @param {Uint8Array} nonce @param {string} committed @param {string} match @param {number} seat */
export const promise = (nonce, committed, match, seat) => hex(digest("arbitre/nonce/2", unhex(committed), sha256(utf8(match)), big(seat, 4), nonce));

/** The secret of the draws. @param {Uint8Array} seed @param {Map<number, Uint8Array>} nonces by seat */
export function mix(seed, nonces) {
  const seats = [...nonces].sort(([one], [two]) => one - two);
  return digest("arbitre/mix/1", seed, ...seats.flatMap(([seat, nonce]) => [big(seat, 4), nonce]));
}

/** Draw `index`, from 0, among 0 … `below` - 1. @param {Uint8Array} secret @param {number} index @param {bigint} below */
export function draw(secret, index, below) {
  const label = join(utf8("arbitre/draw/1"), secret, big(index, 8));
  const limit = (1n << 64n) - ((1n << 64n) % below);
  for (let size = 8; ; size += 8) {
    const read = shake256(label, size).slice(-8);
    const found = (BigInt(number(read.slice(0, 4))) << 32n) | BigInt(number(read.slice(4)));
    if (found < limit) return found % below;
  }
}
