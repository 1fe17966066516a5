// SHA-256, SHA-512 and Ed25519 (FIPS 180-4, RFC 8032), written out: browsers keep theirs for secure connections, and an election
// is often held in a room whose site is reached by plain http. Not constant in time: keys live for one election on one's own phone.

export const utf8 = (text) => new TextEncoder().encode(text);
export const hex = (octets) => [...octets].map((one) => one.toString(16).padStart(2, "0")).join("");
export const unhex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));

export function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const same = (one, two) => one.length === two.length && one.every((octet, at) => octet === two[at]);
export const random = (size) => crypto.getRandomValues(new Uint8Array(size));

// ── SHA-2: constants are the fractional parts of roots of the first primes ──

function primes(count) {
  const found = [];
  for (let n = 2; found.length < count; n += 1) if (found.every((prime) => n % prime)) found.push(n);
  return found.map(BigInt);
}

function root(value, degree) {
  // the integer root of a large number, by Newton's steps
  const one = BigInt(degree);
  let x = 1n << (BigInt(value.toString(2).length) / one + 1n);
  for (;;) {
    const next = ((one - 1n) * x + value / x ** (one - 1n)) / one;
    if (next >= x) return x;
    x = next;
  }
}

const fraction = (prime, degree, bits) => BigInt.asUintN(bits, root(prime << BigInt(bits * degree), degree));
const FIRST = primes(80);
const K256 = Uint32Array.from(FIRST.slice(0, 64), (prime) => Number(fraction(prime, 3, 32)));
const H256 = Uint32Array.from(FIRST.slice(0, 8), (prime) => Number(fraction(prime, 2, 32)));
const K512 = FIRST.map((prime) => fraction(prime, 3, 64));
const H512 = FIRST.slice(0, 8).map((prime) => fraction(prime, 2, 64));

function padded(message, block) {
  const size = Math.ceil((message.length + 1 + block / 8) / block) * block;
  const whole = new Uint8Array(size);
  whole.set(message);
  whole[message.length] = 0x80;
  new DataView(whole.buffer).setBigUint64(size - 8, BigInt(message.length) * 8n);
  return new DataView(whole.buffer);
}

const turn = (x, n) => (x >>> n) | (x << (32 - n));

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
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, n) => out.setUint32(4 * n, word));
  return new Uint8Array(out.buffer);
}

const WORD = (1n << 64n) - 1n;
const turn64 = (x, n) => ((x >> n) | (x << (64n - n))) & WORD;

export function sha512(message) {
  const data = padded(message, 128);
  let state = [...H512];
  for (let at = 0; at < data.byteLength; at += 128) {
    const w = [];
    for (let t = 0; t < 16; t += 1) w.push(data.getBigUint64(at + 8 * t));
    for (let t = 16; t < 80; t += 1) {
      const s0 = turn64(w[t - 15], 1n) ^ turn64(w[t - 15], 8n) ^ (w[t - 15] >> 7n);
      const s1 = turn64(w[t - 2], 19n) ^ turn64(w[t - 2], 61n) ^ (w[t - 2] >> 6n);
      w.push((w[t - 16] + s0 + w[t - 7] + s1) & WORD);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 80; t += 1) {
      const t1 = h + (turn64(e, 14n) ^ turn64(e, 18n) ^ turn64(e, 41n)) + ((e & f) ^ (~e & WORD & g)) + K512[t] + w[t];
      const t2 = (turn64(a, 28n) ^ turn64(a, 34n) ^ turn64(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & WORD, c, b, a, (t1 + t2) & WORD];
    }
    const after = [a, b, c, d, e, f, g, h];
    state = state.map((one, n) => (one + after[n]) & WORD);
  }
  const out = new DataView(new ArrayBuffer(64));
  state.forEach((word, n) => out.setBigUint64(8 * n, word));
  return new Uint8Array(out.buffer);
}

// ── Ed25519 ──

const P = (1n << 255n) - 19n;
const L = (1n << 252n) + 27742317777372353535851937790883648493n;
const mod = (x, m = P) => ((x % m) + m) % m;

function power(x, n) {
  let result = 1n;
  for (let base = mod(x), left = n; left; left >>= 1n, base = (base * base) % P) if (left & 1n) result = (result * base) % P;
  return result;
}

const inverse = (x) => power(x, P - 2n);
const D = mod(-121665n * inverse(121666n));
const MINUS = power(2n, (P - 1n) / 4n);
const NOTHING = [0n, 1n, 1n, 0n];

// Points are X, Y, Z, T; one formula adds and doubles.
function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = ((y1 + x1) * (y2 + x2)) % P;
  const c = (2n * ((t1 * t2) % P) * D) % P;
  const d = (2n * z1 * z2) % P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function times(n, point) {
  let result = NOTHING;
  for (let left = n, base = point; left; left >>= 1n, base = add(base, base)) if (left & 1n) result = add(result, base);
  return result;
}

const little = (octets) => [...octets].reduceRight((sum, octet) => (sum << 8n) | BigInt(octet), 0n);
const octetsOf = (n) => Uint8Array.from({ length: 32 }, (_, at) => Number((n >> BigInt(8 * at)) & 255n));

function pack([x, y, z]) {
  const back = inverse(z);
  return octetsOf(mod(y * back) | ((mod(x * back) & 1n) << 255n));
}

function unpack(octets) {
  const whole = little(octets);
  const y = whole & ((1n << 255n) - 1n);
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * power(v, 3n) * power(u * power(v, 7n), (P - 5n) / 8n));
  if (mod(v * x * x) === mod(-u)) x = mod(x * MINUS);
  if (mod(v * x * x) !== u) return null;
  if ((x & 1n) !== whole >> 255n) x = mod(-x);
  return [x, y, 1n, mod(x * y)];
}

const GENERATOR = unpack(octetsOf(mod(4n * inverse(5n))));

function expand(secret) {
  const digest = sha512(secret);
  const half = digest.slice(0, 32);
  half[0] &= 248;
  half[31] = (half[31] & 127) | 64;
  return [little(half), digest.slice(32)];
}

export const publicKey = (secret) => pack(times(expand(secret)[0], GENERATOR));

export function sign(secret, message) {
  const [scalar, prefix] = expand(secret);
  const own = pack(times(scalar, GENERATOR));
  const r = mod(little(sha512(join(prefix, message))), L);
  const point = pack(times(r, GENERATOR));
  const k = mod(little(sha512(join(point, own, message))), L);
  return join(point, octetsOf(mod(r + k * scalar, L)));
}

export function verify(key, message, signature) {
  if (signature.length !== 64 || key.length !== 32) return false;
  const s = little(signature.slice(32));
  const [point, own] = [unpack(signature.slice(0, 32)), unpack(key)];
  if (s >= L || !point || !own) return false;
  const k = mod(little(sha512(join(signature.slice(0, 32), key, message))), L);
  return same(pack(times(s, GENERATOR)), pack(add(point, times(k, own))));
}
