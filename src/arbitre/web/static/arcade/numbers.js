// Whether a stranger's numbers are prime, and secret exponents (spec: arcade, section 2).

import { below, bits, power } from "../crypto.js";

/** A secret exponent of so many bits: from 1 to 2^count − 1. @param {number} count */
export const secret = (count) => 1n + below((1n << BigInt(count)) - 1n);

/** The Jacobi symbol (a/n) for odd n > 0. @param {bigint} a @param {bigint} n */
export function jacobi(a, n) {
  if (n <= 0n || n % 2n === 0n) throw new RangeError("a Jacobi symbol needs an odd number below the bar");
  let [top, bottom, sign] = [((a % n) + n) % n, n, 1];
  while (top !== 0n) {
    while (top % 2n === 0n) {
      top /= 2n;
      const rest = bottom % 8n;
      if (rest === 3n || rest === 5n) sign = -sign;
    }
    [top, bottom] = [bottom, top];
    if (top % 4n === 3n && bottom % 4n === 3n) sign = -sign;
    top %= bottom;
  }
  return bottom === 1n ? sign : 0;
}

/** Whether an odd number above 3 is a strong probable prime to a base (Miller and Rabin). @param {bigint} number @param {bigint} base */
function strong(number, base) {
  let [odd, twos] = [number - 1n, 0];
  while (odd % 2n === 0n) {
    odd /= 2n;
    twos += 1;
  }
  let found = power(base, odd, number);
  if (found === 1n || found === number - 1n) return true;
  for (let at = 1; at < twos; at += 1) {
    found = (found * found) % number;
    if (found === number - 1n) return true;
  }
  return false;
}

/** @param {bigint} number */
function root(number) {
  let guess = 1n << BigInt(Math.ceil(bits(number) / 2));
  for (;;) {
    const better = (guess + number / guess) / 2n;
    if (better >= guess) return guess;
    guess = better;
  }
}

/** Whether an odd number is a strong Lucas probable prime, with Selfridge's parameters. @param {bigint} number */
function lucas(number) {
  if (root(number) ** 2n === number) return false;
  let d = 5n;
  for (;;) {
    const symbol = jacobi(d, number);
    if (symbol === -1) break;
    if (symbol === 0 && (d < 0n ? -d : d) % number !== 0n) return false;
    d = d > 0n ? -(d + 2n) : -d + 2n;
  }
  const q = (1n - d) / 4n;
  /** @param {bigint} value */
  const half = (value) => ((value % 2n === 0n ? value : value + number) / 2n) % number;
  /** @param {bigint} value */
  const mod = (value) => ((value % number) + number) % number;
  let [odd, twos] = [number + 1n, 0];
  while (odd % 2n === 0n) {
    odd /= 2n;
    twos += 1;
  }
  let [u, v, raised] = [1n, 1n, mod(q)];
  for (const digit of odd.toString(2).slice(1)) {
    [u, v, raised] = [mod(u * v), mod(v * v - 2n * raised), mod(raised * raised)];
    if (digit === "1") [u, v, raised] = [half(mod(u + v)), half(mod(d * u + v)), mod(raised * q)];
  }
  if (u === 0n || v === 0n) return true;
  for (let at = 1; at < twos; at += 1) {
    [v, raised] = [mod(v * v - 2n * raised), mod(raised * raised)];
    if (v === 0n) return true;
  }
  return false;
}

/** Whether a number is prime, though its maker knows this function: BPSW, then so many bases that nobody can foresee. @param {bigint} number */
export function prime(number, rounds = 64) {
  if (number < 5n) return number === 2n || number === 3n;
  if (number % 2n === 0n || !strong(number, 2n) || !lucas(number)) return false;
  for (let at = 0; at < rounds; at += 1) if (!strong(number, 2n + below(number - 3n))) return false;
  return true;
}
