// Ed25519 signatures (RFC 8032) for the page's own record. The key lives as long as the match, and signs once.

import { power } from "./numbers.js";

const MASK = (1n << 64n) - 1n;
const P = (1n << 255n) - 19n;
const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;
const D = mod(-121665n * power(121666n, P - 2n, P));

function mod(number, modulus = P) {
  return ((number % modulus) + modulus) % modulus;
}

/** The largest integer whose power is at most the number. */
function root(number, exponent) {
  let [low, high] = [0n, 1n << 80n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** exponent <= number) low = middle;
    else high = middle;
  }
  return low;
}

const primes = [];
for (let number = 2; primes.length < 80; number += 1) if (primes.every((one) => number % one)) primes.push(number);
const ROUNDS = primes.map((one) => root(BigInt(one) << 192n, 3n) & MASK);
const START = primes.slice(0, 8).map((one) => root(BigInt(one) << 128n, 2n) & MASK);
const turn = (word, by) => ((word >> by) | (word << (64n - by))) & MASK;
const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const number = (octets) => [...octets].reverse().reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n);
const octets = (value, count) => Uint8Array.from({ length: count }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));

/** The SHA-512 digest of octets. */
export function sha512(message) {
  const length = Math.ceil((message.length + 17) / 128) * 128;
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(length - 8, BigInt(message.length) * 8n);
  const state = [...START];
  for (let block = 0; block < length; block += 128) {
    const words = Array.from({ length: 16 }, (_, at) => view.getBigUint64(block + 8 * at));
    for (let at = 16; at < 80; at += 1) {
      const [near, far] = [words[at - 15], words[at - 2]];
      const small = turn(near, 1n) ^ turn(near, 8n) ^ (near >> 7n);
      words.push((words[at - 16] + small + words[at - 7] + (turn(far, 19n) ^ turn(far, 61n) ^ (far >> 6n))) & MASK);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 80; at += 1) {
      const one = h + (turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n)) + ((e & f) ^ (~e & MASK & g)) + ROUNDS[at] + words[at];
      const two = (turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) & MASK, c, b, a, (one + two) & MASK];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] + word) & MASK; });
  }
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, at) => digest.setBigUint64(8 * at, word));
  return new Uint8Array(digest.buffer);
}

function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const [a, b] = [mod((y1 - x1) * (y2 - x2)), mod((y1 + x1) * (y2 + x2))];
  const [c, d] = [mod(2n * D * t1 * t2), mod(2n * z1 * z2)];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function base() {
  const y = mod(4n * power(5n, P - 2n, P));
  const square = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n, P));
  let x = power(square, (P + 3n) / 8n, P);
  if (mod(x * x - square) !== 0n) x = mod(x * power(2n, (P - 1n) / 4n, P));
  if (x % 2n) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

function times(scalar) {
  let [sum, point] = [[0n, 1n, 1n, 0n], base()];
  for (let left = scalar; left > 0n; left >>= 1n) {
    if (left & 1n) sum = add(sum, point);
    point = add(point, point);
  }
  const inverse = power(sum[2], P - 2n, P);
  const [x, y] = [mod(sum[0] * inverse), mod(sum[1] * inverse)];
  return octets(y | ((x & 1n) << 255n), 32);
}

/** The public key of a secret of 32 octets, and the signature of a message under it. */
export function sign(secret, message) {
  const digest = sha512(secret);
  const scalar = (number(digest.slice(0, 32)) & ((1n << 254n) - 8n)) | (1n << 254n);
  const key = times(scalar);
  const nonce = mod(number(sha512(join(digest.slice(32), message))), ORDER);
  const point = times(nonce);
  const challenge = number(sha512(join(point, key, message)));
  return { key, signature: join(point, octets(mod(nonce + challenge * scalar, ORDER), 32)) };
}
