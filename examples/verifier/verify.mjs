// A second verifier of records, written from the manual alone: node verify.mjs [--key FINGERPRINT] FILE…
// It knows the rules of TicTacToe, Reversi and MasterMind. Of other games it checks form, chain, seal, signatures and draws, and says so.
import { readFileSync } from "node:fs";
import { Broken, canonical, file, Foreign, must, readAgreed, readOpening } from "./form.mjs";
import { GAMES } from "./games.mjs";
import { agrees, Match } from "./match.mjs";
import { big, commitment, fingerprint, fold, hex, KINDS, message, nature, REFEREE, sha256, signed, unhex, ZEROS } from "./octets.mjs";

export const STATUS = { verified: 0, broken: 1, incomplete: 3, intact: 4, attested: 5, foreign: 6 };
const STATES = ["keyless", "signed", "declined", "silent"];

/** What a record is worth: {standing, why}. */
export function judge(data, given) {
  let at = 0;
  try {
    const { lines, events, seal } = file(data);
    must(events.length && events[0].kind === "opened", "no opening");
    const opening = readOpening(events[0].text);
    const { seat, turn } = events[0];
    must(events[0].at === 0 && seat === -1 && turn === 0, "the opening is not in its place");
    const last = events[events.length - 1];
    if (last.kind !== "revealed") {
      must(seal === null, "sealed without a seed");
      return { standing: "incomplete", why: "there is no end; without the seed nothing is proven" };
    }
    must(/^[0-9a-f]{64}$/.test(last.text), "no seed");
    const seed = unhex(last.text);
    must(commitment(seed) === opening.commitment, "not the seed that was committed");
    const game = GAMES[opening.game];
    if (game) follow(events, new Match(opening, game, lines[0], seed), (number) => (at = number));
    else glance(events, opening, seed, lines[0]);
    if (seal === null) return { standing: "incomplete", why: `${events.length} events follow, but nobody signed them` };
    sealed(lines, opening, seal, seed);
    const key = fingerprint(opening.referee);
    must(given === undefined || given === key, `sealed by ${key}`);
    const rules = game ? "" : `; the rules of ${opening.game} were not run`;
    return { standing: given === undefined ? "intact" : game ? "verified" : "attested", why: `${opening.game}, sealed by ${key}${rules}` };
  } catch (error) {
    if (error instanceof Foreign) return { standing: "foreign", why: error.message };
    if (error instanceof Broken || error instanceof RangeError) return { standing: "broken", why: `${at ? `event ${at + 1}: ` : ""}${error.message}` };
    throw error;
  }
}

/** Feed the inputs to the rules: the outputs must be those of the record, in the same places. */
function follow(events, match, reach) {
  must(match.opening.chairs.length === 2, "two players sit at this game");
  let outputs = match.begin(events[0]);
  for (const [at, event] of events.entries()) {
    reach(at);
    if (at === 0) continue;
    if (!outputs.length) outputs = match.hear(event);
    else {
      const output = outputs.shift();
      must(canonical(event) === canonical(output), `${canonical(output)} follows here`);
    }
  }
  must(!outputs.length, "it stops in the middle of what follows");
}

/** What can be said without the rules: one end, agreements, and draws. */
function glance(events, opening, seed, line) {
  for (const kind of ["opened", "ended", "revealed"]) must(events.filter((event) => event.kind === kind).length === 1, `not one ${kind}`);
  const nonces = new Map();
  for (const [at, { kind, seat, text }] of events.entries()) {
    if (kind !== "agreed") continue;
    must(seat >= 0 && seat < opening.chairs.length, "nobody sits there");
    const said = readAgreed(text);
    if (agrees(opening, line, seed, seat, said) !== null) must(events[at + 1]?.kind === "ended", "a false agreement, and the match goes on");
    else if (said.nonce !== null) nonces.set(seat, said.nonce);
  }
  const draw = nature(seed, nonces);
  for (const { kind, text } of events) {
    if (kind !== "drawn") continue;
    const [value, below] = text.split("/");
    must(/^[1-9][0-9]*$/.test(below) && String(draw(Number(below))) === value, `nature draws otherwise than ${text}`);
  }
}

/** Check the seal: chain, what each seat says, the referee's signature. */
function sealed(lines, opening, seal, seed) {
  const head = lines.reduce((before, line, number) => fold(before, seed, number, line), ZEROS);
  must(seal.count === lines.length && seal.head === hex(head), "the chain ends elsewhere");
  must(seal.seats.length === opening.chairs.length, "the seal does not speak of every seat");
  const called = sha256("arbitre/opening/2", lines[0]);
  const states = seal.seats.map(({ state, code, signature }, seat) => {
    const { key } = opening.chairs[seat];
    const coded = code ? sha256(code) : ZEROS;
    must((state === "keyless") === (key === ""), `the state of seat ${seat}`);
    if (state === "signed") must(signed(key, signature, message(KINDS.played, seat, called, lines.length, head)), `the signature of seat ${seat}`);
    if (state === "declined") must(signed(key, signature, message(KINDS.disputed, seat, called, lines.length, head, coded)), `the signature of seat ${seat}`);
    return Buffer.concat([big(STATES.indexOf(state), 1), key ? unhex(key) : ZEROS, coded, signature ? unhex(signature) : Buffer.alloc(64)]);
  });
  const rest = sha256("arbitre/seats/2", ...states);
  must(signed(opening.referee, seal.signature, message(KINDS.sealed, REFEREE, called, lines.length, head, rest)), "the referee's signature is false");
}

/** Judge records from standard input, each behind a line with the number of its octets; one line of JSON for each. */
function* stream(data, key) {
  for (let at = 0; at < data.length; ) {
    const end = data.indexOf(0x0a, at);
    const size = Number(data.subarray(at, end));
    yield JSON.stringify(judge(data.subarray(end + 1, end + 1 + size), key));
    at = end + 1 + size;
  }
}

function main(words) {
  const key = words[0] === "--key" ? words.splice(0, 2)[1] : undefined;
  if (words[0] === "--stream") {
    for (const line of stream(readFileSync(0), key)) console.log(line);
    return 0;
  }
  const found = words.map((name) => {
    const { standing, why } = judge(readFileSync(name), key);
    console.log(`${name}: ${standing}: ${why}`);
    return STATUS[standing];
  });
  return [1, 6, 3, 4, 5].find((status) => found.includes(status)) ?? 0;
}

process.exitCode = main(process.argv.slice(2));
