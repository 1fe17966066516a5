// SHA-256, because browsers lend theirs to pages of secure connections only, and a school's arcade may have none.

const primes = (count) => {
  const found = [];
  for (let number = 2; found.length < count; number += 1) if (found.every((one) => number % one)) found.push(number);
  return found;
};
const fraction = (number) => Math.floor((number - Math.floor(number)) * 2 ** 32) >>> 0;
const ROUNDS = primes(64).map((one) => fraction(Math.cbrt(one)));
const START = primes(8).map((one) => fraction(Math.sqrt(one)));
const turn = (word, by) => (word >>> by) | (word << (32 - by));

/** The digest of octets, in hexadecimal. */
export function sha256(octets) {
  const length = Math.ceil((octets.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(octets);
  padded[octets.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(octets.length / 2 ** 29));
  view.setUint32(length - 4, (octets.length << 3) >>> 0);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  for (let block = 0; block < length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(block + 4 * at);
    for (let at = 16; at < 64; at += 1) {
      const [near, far] = [words[at - 15], words[at - 2]];
      const small = turn(near, 7) ^ turn(near, 18) ^ (near >>> 3);
      words[at] = words[at - 16] + small + words[at - 7] + (turn(far, 17) ^ turn(far, 19) ^ (far >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at] + words[at]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] += word; });
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** A short name of both keys together: 96 bits, the same for both sides unless somebody between them swapped a key. */
export function fingerprint(locks) {
  const octets = [...new TextEncoder().encode("arbitre/arcade/keys/1")];
  for (const { group, h } of locks) {
    for (const number of [group.p, group.g, group.q, h]) {
      const digits = number.toString(16);
      octets.push((digits.length >>> 24) & 255, (digits.length >>> 16) & 255, (digits.length >>> 8) & 255, digits.length & 255);
      octets.push(...new TextEncoder().encode(digits));
    }
  }
  return sha256(Uint8Array.from(octets)).slice(0, 24).match(/.{4}/g).join(" ");
}
