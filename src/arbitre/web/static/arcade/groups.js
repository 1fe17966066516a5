// Groups of prime order modulo a prime: the named ones, from the formulas by which they are defined, and the checks in the order of
// the spec (arcade, section 2): lengths, ranges, is the group known, and only then arithmetic.

import { bits, power } from "../crypto.js";
import { jacobi, prime } from "./numbers.js";

/** @typedef {{ p: bigint, g: bigint, q: bigint, name?: string }} Group */

const SHORTEST = 2048;
const LONGEST = 4096;
const SHORTEST_ORDER = 256;
const SHORT = 320; // bits of a secret exponent where the prime is safe

/** @type {Record<number, [bits: number, constant: bigint]>} */
const PI = { 14: [2048, 124476n], 15: [3072, 1690314n], 16: [4096, 240904n], 17: [6144, 929484n], 18: [8192, 4743158n] };
/** @type {Record<number, bigint>} */
const E = { 2048: 560316n, 3072: 2625351n, 4096: 5736041n, 6144: 15705020n, 8192: 10965728n };
const GUARD = 64n;

/** The reciprocal's arc tangent, times 2^scale. @param {bigint} inverse @param {bigint} scale */
function arctan(inverse, scale) {
  const square = inverse * inverse;
  let [term, sum, odd, sign] = [(1n << scale) / inverse, 0n, 1n, 1n];
  while (term > 0n) {
    sum += (sign * term) / odd;
    term /= square;
    odd += 2n;
    sign = -sign;
  }
  return sum;
}

/** The integral part of π times 2^scale. @param {bigint} scale */
function pi(scale) {
  const fine = scale + GUARD;
  return (16n * arctan(5n, fine) - 4n * arctan(239n, fine)) >> GUARD;
}

/** The integral part of e times 2^scale. @param {bigint} scale */
function e(scale) {
  let [term, sum, number] = [1n << (scale + GUARD), 0n, 1n];
  while (term > 0n) {
    sum += term;
    term /= number;
    number += 1n;
  }
  return sum >> GUARD;
}

/** @type {Map<string, Group>} */
const made = new Map();

/** @param {string} name @param {number} count @param {(scale: bigint) => bigint} digits @returns {Group} */
function safe(name, count, digits) {
  const size = BigInt(count);
  const p = (1n << size) - (1n << (size - 64n)) - 1n + (digits(size - 130n) << 64n);
  return { name, p, g: 2n, q: (p - 1n) / 2n };
}

/** @param {string} name @param {number} count @param {(scale: bigint) => bigint} digits */
function remember(name, count, digits) {
  const group = made.get(name) ?? Object.freeze(safe(name, count, digits));
  made.set(name, group);
  return group;
}

/** A group of RFC 3526, by its number. @param {number} number */
export function oakley(number) {
  const [count, constant] = PI[number];
  return remember(`Oakley group ${number}`, count, (scale) => pi(scale) + constant);
}

/** A group of RFC 7919, by its bits. @param {number} count */
export function ffdhe(count) {
  return remember(`ffdhe${count}`, count, (scale) => e(scale) + E[count]);
}

/** The named group with this modulus; only those of its length are made. @param {bigint} p */
export function named(p) {
  const count = bits(p);
  const found = Object.keys(PI).map(Number).filter((number) => PI[number][0] === count).map(oakley);
  if (count in E) found.push(ffdhe(count));
  return found.find((group) => group.p === p);
}

/** How long the secret exponents in a group are. @param {Group} group */
export const exponentBits = (group) => (named(group.p) ? SHORT : bits(group.q) - 1);

/** What is wrong with a group by lengths and ranges alone; nothing, if nothing is. @param {Group} group */
export function wrongShape({ p, g, q }) {
  const known = named(p);
  if (!known && (bits(p) < SHORTEST || bits(p) > LONGEST)) return `a modulus has ${SHORTEST} to ${LONGEST} bits or a name`;
  if (!(1n < g && g < p - 1n)) return "the generator must lie between 1 and p − 1";
  if (known && q !== known.q) return "the order of this modulus is (p − 1)/2";
  if (bits(q) < SHORTEST_ORDER) return `an order has at least ${SHORTEST_ORDER} bits`;
  if ((p - 1n) % q !== 0n) return "the order does not divide p − 1";
  return "";
}

/** What is wrong with a key by its range alone. @param {Group} group @param {bigint} h */
export const wrongRange = ({ p }, h) => (1n < h && h < p - 1n ? "" : "a public key must lie between 1 and p − 1");

/** What is wrong with a group or a key in it; up to minutes for a stranger's group. @param {Group} group @param {bigint} h */
export function wrongDeeply({ p, g, q }, h) {
  if (named(p)) {
    // p is a safe prime, so the subgroup of order q is exactly the squares
    if (jacobi(g, p) !== 1) return "the generator is not of order q: it is no square modulo p";
    if (jacobi(h, p) !== 1) return "the public key lies outside the group: it is no square modulo p";
    return "";
  }
  if (p % 2n === 0n || power(g, q, p) !== 1n) return "the generator is not of order q: g^q is not 1";
  if (power(h, q, p) !== 1n) return "the public key lies outside the group: h^q is not 1";
  if (!prime(q)) return "the order is not prime";
  if (!prime(p)) return "the modulus is not prime";
  return "";
}

/** What is wrong with a key in a group, from the cheapest check to the dearest. @param {Group} group @param {bigint} h */
export const wrongKey = (group, h) => wrongShape(group) || wrongRange(group, h) || wrongDeeply(group, h);
