// ElGamal encryption as commitment: r = g^k, c = E(m)·h^k; the opening is true exactly if 0 < k < q and both equations hold.

import { big, hex, join, power, sha256, utf8 } from "../crypto.js";
import { exponentBits } from "./groups.js";
import { secret } from "./numbers.js";

/** @typedef {import("./groups.js").Group} Group */
/** @typedef {"PIERRE" | "FEUILLE" | "CISEAUX"} Sign */
/** @typedef {"subgroup" | "ascii"} Encoding */
/** @typedef {{ r: bigint, c: bigint }} Commitment */
/** @typedef {{ group: Group, h: bigint }} Lock a public key in its group */
/** @typedef {{ range: boolean, r: boolean, c: boolean }} Looked what an opening was looked at for, and whether it holds */

/** @type {Record<Sign, bigint>} */
export const SIGNS = { PIERRE: 1n, FEUILLE: 2n, CISEAUX: 3n };

/**
 * The integer that stands for a sign: an element of the group, or as in the course the octets of its word.
 * @param {Encoding} encoding @param {Group} group @param {Sign} sign
 */
export function encode(encoding, group, sign) {
  if (encoding === "subgroup") return power(group.g, SIGNS[sign], group.p);
  return BigInt(`0x${hex(utf8(sign))}`);
}

/** A secret key of one match. */
export class Key {
  #x;

  /** @param {Group} group @param {bigint} x */
  constructor(group, x = secret(exponentBits(group))) {
    this.group = group;
    this.#x = x;
    this.h = power(group.g, this.#x, group.p);
  }

  /** A commitment to an element of the group, and the exponent that opens it. @param {bigint} element */
  commit(element, k = secret(exponentBits(this.group))) {
    const { p, g } = this.group;
    return { r: power(g, k, p), c: (element * power(this.h, k, p)) % p, k };
  }
}

/**
 * What was looked at when a commitment was opened: each part true or false.
 * @param {Group} group @param {bigint} h @param {Commitment} commitment @param {bigint} element @param {bigint} k @returns {Looked}
 */
export function looked({ p, g, q }, h, { r, c }, element, k, full = true) {
  return {
    range: !full || (0n < k && k < q),
    r: power(g, k, p) === r,
    c: (element * power(h, k, p)) % p === c,
  };
}

/** Whether k opens a commitment under a sound group and key to this element. */
export const opens = (/** @type {Parameters<typeof looked>} */ ...given) => Object.values(looked(...given)).every(Boolean);

/** A short name of both keys together: 96 bits, the same for both sides unless somebody between them swapped a key. @param {Lock[]} locks */
export function fingerprint(locks) {
  const numbers = locks.flatMap(({ group, h }) => [group.p, group.g, group.q, h]).map((number) => utf8(number.toString(16)));
  const digest = sha256(join(utf8("arbitre/arcade/keys/1"), ...numbers.flatMap((digits) => [big(digits.length, 4), digits])));
  return Array.from({ length: 6 }, (_, at) => hex(digest.slice(2 * at, 2 * at + 2))).join(" ");
}
