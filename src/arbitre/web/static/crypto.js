// The cryptography of all pages, once: octets, canonical JSON, random numbers, SHA-256, SHA-512 (FIPS 180-4), SHAKE-256 (FIPS 202) and
// Ed25519 (RFC 8032).
//
// Written out, because browsers lend theirs (`crypto.subtle`) to secure connections only, and a room whose site is reached by plain http
// is the usual case in a school; so every page computes the same, and at once. Random octets are the browser's own everywhere.
// Not constant in time: keys live for one match or one election, in their owner's browser.

// ── octets ──

/** @param {string} text */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array} octets */
export const hex = (octets) => Array.from(octets, (one) => one.toString(16).padStart(2, "0")).join("");

/** The octets of hexadecimal digits, two by two. @param {string} text */
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array[]} parts */
export function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} one @param {Uint8Array} two */
export const same = (one, two) => one.length === two.length && one.every((octet, at) => octet === two[at]);

/** A number in so many octets, the greatest first; exact up to 2^53. @param {number} number @param {number} size */
export const big = (number, size) => Uint8Array.from({ length: size }, (_, at) => Math.floor(number / 256 ** (size - 1 - at)) % 256);

/** The number that octets stand for, the greatest first. @param {Uint8Array} octets */
export const number = (octets) => octets.reduce((sum, octet) => sum * 256 + octet, 0);

/** Lone surrogates are no characters: no two programs would write the same octets for them. */
const LONE = /\p{Surrogate}/u;

/** @param {string} text */
function quoted(text) {
  if (LONE.test(text)) throw new RangeError(`a text has a lone surrogate: ${JSON.stringify(text)}`);
  return JSON.stringify(text);
}

/**
 * Canonical JSON, as records have it: keys in order, no spaces, characters as they are, whole numbers only.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (typeof value === "string") return quoted(value);
  if (value === null || typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object") throw new RangeError(`canonical JSON has no place for ${String(value)}`);
  const members = Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1));
  return `{${members.map(([key, one]) => `${quoted(key)}:${canonical(one)}`).join()}}`;
}

// ── numbers that nobody foresees ──

/** @param {number} size */
export const random = (size) => crypto.getRandomValues(new Uint8Array(size));

/** How many bits a number has. @param {bigint} value */
export const bits = (value) => (value === 0n ? 0 : value.toString(2).length);

/** A number from 0 to below `limit`, each equally likely. @param {bigint} limit */
export function below(limit) {
  const count = bits(limit - 1n) || 1;
  for (;;) {
    const drawn = random(Math.ceil(count / 8));
    const found = BigInt(`0x${hex(drawn)}`) >> BigInt(drawn.length * 8 - count);
    if (found < limit) return found;
  }
}

/** base^exponent mod modulus, four bits of the exponent at a time. @param {bigint} base @param {bigint} exponent @param {bigint} modulus */
export function power(base, exponent, modulus) {
  if (modulus <= 0n || exponent < 0n) throw new RangeError("a power needs a modulus above 0 and an exponent from 0");
  const table = [1n % modulus];
  for (let at = 1; at < 16; at += 1) table.push((table[at - 1] * base) % modulus);
  let product = table[0];
  for (const digit of exponent.toString(16)) {
    for (let at = 0; at < 4; at += 1) product = (product * product) % modulus;
    const index = parseInt(digit, 16);
    if (index) product = (product * table[index]) % modulus;
  }
  return product;
}

// ── SHA-2: constants are the fractional parts of roots of the first primes ──

/** @param {number} count */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime)) found.push(n);
  return found.map(BigInt);
}

/** The integral part of a root, by Newton's steps from above. @param {bigint} value @param {bigint} degree */
function root(value, degree) {
  let x = 1n << (BigInt(bits(value)) / degree + 1n);
  for (;;) {
    const next = ((degree - 1n) * x + value / x ** (degree - 1n)) / degree;
    if (next >= x) return x;
    x = next;
  }
}

/** @param {bigint} prime @param {bigint} degree @param {number} size */
const fraction = (prime, degree, size) => BigInt.asUintN(size, root(prime << (BigInt(size) * degree), degree));
const FIRST = primes(80);
const K256 = Uint32Array.from(FIRST.slice(0, 64), (prime) => Number(fraction(prime, 3n, 32)));
const H256 = Uint32Array.from(FIRST.slice(0, 8), (prime) => Number(fraction(prime, 2n, 32)));
const K512 = FIRST.map((prime) => fraction(prime, 3n, 64));
const H512 = FIRST.slice(0, 8).map((prime) => fraction(prime, 2n, 64));

/** @param {Uint8Array} message @param {number} block */
function padded(message, block) {
  const size = Math.ceil((message.length + 1 + block / 8) / block) * block;
  const whole = new Uint8Array(size);
  whole.set(message);
  whole[message.length] = 0x80;
  whole.set(big(message.length * 8, 8), size - 8);
  return new DataView(whole.buffer);
}

/** @param {number} x @param {number} n */
const turn = (x, n) => (x >>> n) | (x << (32 - n));

/** The digest of octets, 32 octets. @param {Uint8Array} message */
export function sha256(message) {
  const data = padded(message, 64);
  const state = Uint32Array.from(H256);
  const w = new Uint32Array(64);
  for (let at = 0; at < data.byteLength; at += 64) {
    for (let t = 0; t < 16; t += 1) w[t] = data.getUint32(at + 4 * t);
    for (let t = 16; t < 64; t += 1) {
      const s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t += 1) {
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K256[t] + w[t]) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((one, n) => { state[n] += one; });
  }
  return join(...Array.from(state, (word) => big(word, 4)));
}

/** @param {bigint} x @param {bigint} n */
const turn64 = (x, n) => BigInt.asUintN(64, (x >> n) | (x << (64n - n)));

/** The digest of octets, 64 octets. @param {Uint8Array} message */
export function sha512(message) {
  const data = padded(message, 128);
  let state = [...H512];
  for (let at = 0; at < data.byteLength; at += 128) {
    /** @type {bigint[]} */
    const w = [];
    for (let t = 0; t < 16; t += 1) w.push(data.getBigUint64(at + 8 * t));
    for (let t = 16; t < 80; t += 1) {
      const s0 = turn64(w[t - 15], 1n) ^ turn64(w[t - 15], 8n) ^ (w[t - 15] >> 7n);
      const s1 = turn64(w[t - 2], 19n) ^ turn64(w[t - 2], 61n) ^ (w[t - 2] >> 6n);
      w.push(BigInt.asUintN(64, w[t - 16] + s0 + w[t - 7] + s1));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 80; t += 1) {
      const t1 = h + (turn64(e, 14n) ^ turn64(e, 18n) ^ turn64(e, 41n)) + ((e & f) ^ (BigInt.asUintN(64, ~e) & g)) + K512[t] + w[t];
      const t2 = (turn64(a, 28n) ^ turn64(a, 34n) ^ turn64(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, BigInt.asUintN(64, d + t1), c, b, a, BigInt.asUintN(64, t1 + t2)];
    }
    const after = [a, b, c, d, e, f, g, h];
    state = state.map((one, n) => BigInt.asUintN(64, one + after[n]));
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word, n) => out.setBigUint64(8 * n, word));
  return new Uint8Array(out.buffer);
}

// ── SHAKE-256: 25 lanes of 64 bits, lane x + 5y at column x of row y ──

const RATE = 136;
const [SHIFTS, PLACES, CONSTANTS] = lanes();

/** How far each lane is turned, where it goes, and what each of the 24 rounds adds. @returns {[bigint[], number[], bigint[]]} */
function lanes() {
  const shifts = new Array(25).fill(0n);
  const places = Array.from({ length: 25 }, (_, lane) => Math.floor(lane / 5) + 5 * ((2 * (lane % 5) + 3 * Math.floor(lane / 5)) % 5));
  for (let t = 0, lane = 1; t < 24; t += 1, lane = places[lane]) shifts[lane] = BigInt((((t + 1) * (t + 2)) / 2) % 64);
  let register = 1;
  const constants = Array.from({ length: 24 }, () => {
    let word = 0n;
    for (let j = 0n; j < 7n; j += 1n) {
      register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256;
      if (register & 2) word |= 1n << ((1n << j) - 1n);
    }
    return word;
  });
  return [shifts, places, constants];
}

/** @param {bigint[]} state */
function permute(state) {
  /** @type {bigint[]} */
  const moved = new Array(25).fill(0n);
  for (const constant of CONSTANTS) {
    const columns = state.slice(0, 5).map((_, x) => state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]);
    const change = columns.map((_, x) => columns[(x + 4) % 5] ^ turn64(columns[(x + 1) % 5], 63n));
    for (let lane = 0; lane < 25; lane += 1) moved[PLACES[lane]] = turn64(state[lane] ^ change[lane % 5], (64n - SHIFTS[lane]) % 64n);
    for (let lane = 0; lane < 25; lane += 1) {
      const row = lane - (lane % 5);
      state[lane] = moved[lane] ^ (BigInt.asUintN(64, ~moved[row + ((lane + 1) % 5)]) & moved[row + ((lane + 2) % 5)]);
    }
    state[0] ^= constant;
  }
}

/** As many octets as are wanted, of an output without end. @param {Uint8Array} message @param {number} size */
export function shake256(message, size) {
  const whole = new Uint8Array(Math.ceil((message.length + 1) / RATE) * RATE);
  whole.set(message);
  whole[message.length] ^= 0x1f;
  whole[whole.length - 1] ^= 0x80;
  const data = new DataView(whole.buffer);
  const state = new Array(25).fill(0n);
  for (let at = 0; at < whole.length; at += RATE) {
    for (let lane = 0; lane < RATE / 8; lane += 1) state[lane] ^= data.getBigUint64(at + 8 * lane, true);
    permute(state);
  }
  const out = new DataView(new ArrayBuffer(Math.ceil(size / 8) * 8));
  for (let at = 0, lane = 0; at < size; at += 8, lane += 1) {
    if (lane === RATE / 8) {
      permute(state);
      lane = 0;
    }
    out.setBigUint64(at, state[lane], true);
  }
  return new Uint8Array(out.buffer, 0, size);
}

// ── Ed25519 ──

/** @typedef {[x: bigint, y: bigint, z: bigint, t: bigint]} Point where x/z and y/z lie on the curve, and x·y = z·t */

const P = (1n << 255n) - 19n;
const L = (1n << 252n) + 27742317777372353535851937790883648493n;

/** @param {bigint} x @param {bigint} [m] */
const mod = (x, m = P) => ((x % m) + m) % m;

/** @param {bigint} x */
const inverse = (x) => power(x, P - 2n, P);
const D = mod(-121665n * inverse(121666n));
const MINUS = power(2n, (P - 1n) / 4n, P); // a root of −1

/** One formula adds and doubles. @param {Point} one @param {Point} two @returns {Point} */
function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = ((y1 + x1) * (y2 + x2)) % P;
  const c = (2n * ((t1 * t2) % P) * D) % P;
  const d = (2n * z1 * z2) % P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

/** A point and itself, in fewer steps. @param {Point} point @returns {Point} */
function twice([x, y, z]) {
  const [a, b, c] = [(x * x) % P, (y * y) % P, (2n * z * z) % P];
  const h = a + b;
  const [e, g] = [h - (x + y) ** 2n, a - b];
  const f = c + g;
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

/** @type {Point} */
const NOTHING = [0n, 1n, 1n, 0n];

/** The first sixteen multiples of a point. @param {Point} point */
function multiples(point) {
  const table = [NOTHING];
  for (let at = 1; at < 16; at += 1) table.push(add(table[at - 1], point));
  return table;
}

/** The sum of multiples of points, each given by its table, four bits at a time. @param {[n: bigint, table: Point[]][]} terms */
function sum(terms) {
  const digits = terms.map(([n]) => n.toString(16).padStart(64, "0"));
  let result = NOTHING;
  for (let at = 0; at < 64; at += 1) {
    if (at) result = twice(twice(twice(twice(result))));
    for (const [which, [, table]] of terms.entries()) {
      const digit = parseInt(digits[which][at], 16);
      if (digit) result = add(result, table[digit]);
    }
  }
  return result;
}

/** Whether eight times a point is nothing: such keys and points sign for everything. @param {Point} point */
function small(point) {
  const [x, y, z] = twice(twice(twice(point)));
  return x === 0n && y === z;
}

/** @param {Uint8Array} octets */
const little = (octets) => BigInt(`0x${hex(Uint8Array.from(octets).reverse())}`);

/** @param {bigint} n */
const octetsOf = (n) => unhex(n.toString(16).padStart(64, "0")).reverse();

/** @param {Point} point */
function pack([x, y, z]) {
  const back = inverse(z);
  return octetsOf(mod(y * back) | ((mod(x * back) & 1n) << 255n));
}

/** The point that octets stand for, null where they stand for none, or not in the one right way. @param {Uint8Array} octets @returns {Point | null} */
function unpack(octets) {
  const whole = little(octets);
  const y = BigInt.asUintN(255, whole);
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * v ** 3n * power(mod(u * v ** 7n), (P - 5n) / 8n, P));
  if (mod(v * x * x) === mod(-u)) x = mod(x * MINUS);
  if (mod(v * x * x) !== u) return null;
  if ((x & 1n) !== whole >> 255n) x = P - x;
  return x === P ? null : [x, y, 1n, mod(x * y)];
}

const GENERATOR = multiples(/** @type {Point} */ (unpack(octetsOf(mod(4n * inverse(5n))))));

/** @param {Uint8Array} secret @returns {[scalar: bigint, prefix: Uint8Array]} */
function expand(secret) {
  const digest = sha512(secret);
  return [BigInt.asUintN(254, little(digest.slice(0, 32)) & -8n) | (1n << 254n), digest.slice(32)];
}

/** The public key of a secret of 32 octets. @param {Uint8Array} secret */
export const publicKey = (secret) => pack(sum([[expand(secret)[0], GENERATOR]]));

/** @param {Uint8Array} secret @param {Uint8Array} message */
export function sign(secret, message) {
  const [scalar, prefix] = expand(secret);
  const own = pack(sum([[scalar, GENERATOR]]));
  const r = mod(little(sha512(join(prefix, message))), L);
  const point = pack(sum([[r, GENERATOR]]));
  const k = mod(little(sha512(join(point, own, message))), L);
  return join(point, octetsOf(mod(r + k * scalar, L)));
}

/**
 * Whether the holder of a key signed a message, strictly, so that every verifier says the same: S < L, key and R canonical and not of
 * small order, R compared as octets, no cofactor.
 * @param {Uint8Array} key @param {Uint8Array} message @param {Uint8Array} signature
 */
export function verify(key, message, signature) {
  if (signature.length !== 64 || key.length !== 32) return false;
  const [head, s, own] = [signature.slice(0, 32), little(signature.slice(32)), unpack(key)];
  if (s >= L || !own || small(own)) return false;
  const [x, y, z, t] = own;
  const k = mod(little(sha512(join(head, key, message))), L);
  const point = sum([[s, GENERATOR], [k, multiples([mod(-x), y, z, mod(-t)])]]);
  return !small(point) && same(pack(point), head);
}
