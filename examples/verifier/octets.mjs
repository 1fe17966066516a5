// Hashes, strict signatures and draws: the parts "The chain", "Signatures" and "Chance" of the manual's page "Records".
import { createHash, createPublicKey, verify } from "node:crypto";

export const hex = (octets) => octets.toString("hex");
export const unhex = (text) => Buffer.from(text, "hex");
export const ZEROS = Buffer.alloc(32);
const octets = (part) => (typeof part === "string" ? Buffer.from(part) : part);

export function big(number, size = 8) {
  const found = Buffer.alloc(8);
  found.writeBigUInt64BE(BigInt(number));
  return found.subarray(8 - size);
}

export function sha256(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(octets(part));
  return hash.digest();
}

// ── the chain ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export const salt = (seed, number) => sha256("arbitre/salt/1", seed, big(number));
export const fold = (head, seed, number, line) => sha256("arbitre/head/1", head, sha256("arbitre/leaf/1", salt(seed, number), line));
export const view = (text) => hex(sha256("arbitre/view/2", text));
export const commitment = (seed) => hex(sha256("arbitre/seed/1", seed));
export const fingerprint = (key) => hex(sha256("arbitre/key/1", unhex(key))).slice(0, 32);
export const promise = (committed, match, seat, nonce) =>
  hex(sha256("arbitre/nonce/2", unhex(committed), sha256(match), big(seat, 4), unhex(nonce)));

// ── signatures ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const REFEREE = 0xffffffff;
export const KINDS = { called: 1, agreed: 2, played: 3, disputed: 4, sealed: 5 };
export const message = (kind, seat, opening, count, head, rest = ZEROS) =>
  Buffer.concat([Buffer.from("arbitre/sign/2"), big(kind, 1), big(seat, 4), opening, big(count), head, rest]);

const PRIME = 2n ** 255n - 19n;
const SMALL = new Set([
  0n, 1n, PRIME - 1n,
  ordinate(unhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
  ordinate(unhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
]);
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

function little(octets) {
  return BigInt("0x" + hex(Buffer.from(octets).reverse()));
}

function ordinate(point) {
  return little(point) & (2n ** 255n - 1n);
}

/** A point that every library must read alike. */
function sound(point) {
  const found = ordinate(point);
  return found < PRIME && !SMALL.has(found);
}

/** Whether a signature is true, by the strict rules: what node leaves open is looked at first. */
export function signed(key, signature, said) {
  const [public_, both] = [unhex(key), unhex(signature)];
  if (!sound(public_) || !sound(both.subarray(0, 32)) || little(both.subarray(32)) >= ORDER) return false;
  try {
    const envelope = Buffer.concat([unhex("302a300506032b6570032100"), public_]); // node takes keys in envelopes of DER
    return verify(null, said, createPublicKey({ key: envelope, format: "der", type: "spki" }), both);
  } catch {
    return false; // no point of the curve
  }
}

// ── draws ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Nature's integers: the function returned draws the next one, below a number. */
export function nature(seed, nonces) {
  const seats = [...nonces.keys()].sort((one, other) => one - other);
  const mixed = sha256("arbitre/mix/1", seed, ...seats.flatMap((seat) => [big(seat, 4), unhex(nonces.get(seat))]));
  let number = 0;
  return (below) => {
    const label = Buffer.concat([Buffer.from("arbitre/draw/1"), mixed, big(number++)]);
    const limit = 2n ** 64n - (2n ** 64n % BigInt(below));
    for (let at = 8; ; at += 8) {
      const found = createHash("shake256", { outputLength: at }).update(label).digest().readBigUInt64BE(at - 8);
      if (found < limit) return Number(found % BigInt(below));
    }
  };
}
