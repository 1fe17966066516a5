// ElGamal encryption as commitment: r = g^k, c = E(m)·h^k; the opening is true exactly if 0 < k < q and both equations hold.

import { big, hex, join, power, sha256, utf8 } from "../crypto.js";
import { exponentBits } from "./groups.js";
import { secret } from "./numbers.js";

export const SIGNS = { PIERRE: 1n, FEUILLE: 2n, CISEAUX: 3n };

/** The integer that stands for a sign: an element of the group, or as in the course the octets of its word. */
export function encode(encoding, group, sign) {
  if (encoding === "subgroup") return power(group.g, SIGNS[sign], group.p);
  return [...sign].reduce((number, letter) => (number << 8n) | BigInt(letter.charCodeAt(0)), 0n);
}

/** A secret key of one match. */
export class Key {
  #x;

  constructor(group, x = undefined) {
    this.group = group;
    this.#x = x ?? secret(exponentBits(group));
    this.h = power(group.g, this.#x, group.p);
  }

  /** A commitment to an element of the group, and the exponent that opens it. */
  commit(element, k = secret(exponentBits(this.group))) {
    const { p, g } = this.group;
    return { r: power(g, k, p), c: (element * power(this.h, k, p)) % p, k };
  }
}

/** What was looked at when a commitment was opened: each part true or false. */
export function looked({ p, g, q }, h, { r, c }, element, k, full = true) {
  return {
    range: !full || (0n < k && k < q),
    r: power(g, k, p) === r,
    c: (element * power(h, k, p)) % p === c,
  };
}

/** Whether k opens a commitment under a sound group and key to this element. */
export const opens = (...given) => Object.values(looked(...given)).every(Boolean);

/** A short name of both keys together: 96 bits, the same for both sides unless somebody between them swapped a key. */
export function fingerprint(locks) {
  const numbers = locks.flatMap(({ group, h }) => [group.p, group.g, group.q, h]).map((number) => utf8(number.toString(16)));
  const digest = sha256(join(utf8("arbitre/arcade/keys/1"), ...numbers.flatMap((digits) => [big(digits.length, 4), digits])));
  return Array.from({ length: 6 }, (_, at) => hex(digest.slice(2 * at, 2 * at + 2))).join(" ");
}
