// M-party, N-state Rochambeau in a browser: payloads, rounds and a party at a hub, octet by octet as the manual describes them.
// Nothing here believes the site: what is not signed by its author is not heard, and the winner is worked out anew.

import { below, big, bits, hex, join, number, random, same, sha256, sign, unhex, utf8, verify } from "./crypto.js";

export const KIND = { HELLO: 1, COMMIT: 3, ECHO: 4, REVEAL: 6, TERMS: 8, WELCOME: 9, LISTING: 10, CLOSING: 11, REFUSED: 12 };
const MAGIC = utf8("RCB1");
const LOBBY = new Uint8Array(16);
const LAST_ROUND = 255;
const [COMMITS, REVEALS] = [1, 2];

// ── terms and payloads ──

export const width = (states) => Math.ceil(bits(BigInt(states)) / 8);
export const binder = (game, player) => sha256(join(utf8("rochambeau-s"), utf8(game), utf8(player))).slice(0, 16);

// A choice among so many states, bound to a party.
export const newOpening = (states, bound) => ({ nonce: join(random(32), bound), state: Number(below(BigInt(states))) });

export const writeCommit = (terms, { nonce, state }) => join(big(1, 2), sha256(join(nonce, big(state, width(terms.n)))));
export const writeReveal = (terms, { nonce, state }) => join(big(2, 2), big(nonce.length, 2), nonce, big(state, width(terms.n)));

// What a party's two payloads make: {player, commit, state}, or {player, fault}.
export function judge(terms, player, commit, reveal) {
  const out = (fault) => ({ player, fault });
  if (!commit) return out("no commit");
  if (commit.length !== 34 || number(commit.slice(0, 2)) !== 1) return out("malformed commit");
  if (!reveal) return out("no reveal");
  const size = number(reveal.slice(2, 4));
  if (reveal.length < 4 || number(reveal.slice(0, 2)) !== 2 || reveal.length !== 4 + size + width(terms.n)) return out("malformed reveal");
  if (!same(sha256(reveal.slice(4)), commit.slice(2))) return out("mismatch");
  const state = number(reveal.slice(4 + size));
  const strong = terms.mode === "strong";
  if (state < (strong ? 0 : 1) || state >= terms.n) return out("state out of range");
  if (strong && size !== 48) return out("bad nonce");
  if (strong && !same(reveal.slice(36, 52), binder(terms.game, player))) return out("copied");
  return { player, commit: commit.slice(2), state };
}

function tweaks(terms, left, counter) {
  const all = left.reduce((sum, { commit }) => sum.map((octet, at) => octet ^ commit[at]), new Uint8Array(32));
  return left.map(({ commit }) => {
    const digest = sha256(join(all.map((octet, at) => octet ^ commit[at]), Uint8Array.of(counter)));
    return Number(BigInt("0x" + hex(digest)) % BigInt(terms.n));
  });
}

const beats = (one, two, states) => ((((two - one) % states) + states) % states) % 2 === 1;

// Plays the rounds: {winner, rounds: [{counter, table: [{player, state, score, through}]}], excluded: [{player, fault}]}.
export function settle(terms, parties) {
  const judged = parties.map(({ player, commit, reveal }) => judge(terms, player, commit, reveal));
  let left = judged.filter((one) => !one.fault);
  const rounds = [];
  for (let counter = 1; left.length > 1 && counter <= LAST_ROUND; counter += 1) {
    const given = tweaks(terms, left, counter);
    const states = left.map(({ state }, at) => (state + given[at]) % terms.n);
    const scores = states.map((one) => states.reduce((sum, two) => sum + beats(one, two, terms.n) - beats(two, one, terms.n), 0));
    const best = Math.max(...scores);
    const table = left.map(({ player }, at) => ({ player, state: states[at], score: scores[at], through: scores[at] === best }));
    rounds.push({ counter, table });
    left = left.filter((_, at) => scores[at] === best);
  }
  return { winner: left.length === 1 ? left[0].player : null, rounds, excluded: judged.filter((one) => one.fault) };
}

// Reads a transcript of JSON lines: terms, parties (the first Commit and Reveal of each), and the claimed verdict.
export function readTranscript(text) {
  const lines = text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  const parties = new Map();
  let claim = null;
  for (const line of lines.slice(1)) {
    if (line.player !== undefined) {
      const party = parties.get(line.player) || { player: line.player, commit: null, reveal: null };
      party.commit ||= line.commit ? unhex(line.commit) : null;
      party.reveal ||= line.reveal ? unhex(line.reveal) : null;
      parties.set(line.player, party);
    } else if (line.verdict) claim = line.verdict;
  }
  return { terms: lines[0], parties: [...parties.values()], claim };
}

// The fingerprint of a group: as Python writes the sorted roster in JSON, hashed.
export function groupOf(roster) {
  const quoted = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
  const order = Object.entries(roster).sort(([one], [two]) => (hex(utf8(one)) < hex(utf8(two)) ? -1 : 1));
  const body = "[" + order.map(([name, key]) => `[${quoted(name)}, ${quoted(key)}]`).join(", ") + "]";
  return hex(sha256(utf8("arbitre/rochambeau/group/1" + body))).slice(0, 32);
}

// ── items and packets ──

function statement(tag, { kind, author, body }) {
  const name = utf8(author);
  return join(utf8("arbitre/rochambeau/1"), tag, Uint8Array.of(kind, name.length), name, big(body.length, 4), body);
}

function writePacket(tag, item, signature) {
  const name = utf8(item.author);
  const head = join(MAGIC, tag, Uint8Array.of(item.kind, name.length), name, big(item.body.length, 4), item.body);
  return join(head, Uint8Array.of(1, name.length), name, signature);
}

export function readPacket(packet) {
  let at = 20;
  const take = (size) => {
    if (at + size > packet.length) throw new Error("a packet is cut off");
    at += size;
    return packet.slice(at - size, at);
  };
  const text = (octets) => new TextDecoder("utf-8", { fatal: true }).decode(octets);
  if (!same(packet.slice(0, 4), MAGIC)) throw new Error("no packet");
  const items = [];
  while (at < packet.length) {
    const kind = take(1)[0];
    const author = text(take(take(1)[0]));
    const body = take(number(take(4)));
    const signatures = new Map();
    for (let left = take(1)[0]; left; left -= 1) {
      const signer = text(take(take(1)[0]));
      signatures.set(signer, take(64));
    }
    items.push({ kind, author, body, signatures });
  }
  return { tag: packet.slice(4, 20), items };
}

function readListing(body) {
  const listed = new Map();
  let at = 3;
  for (let left = number(body.slice(1, 3)); left; left -= 1) {
    const size = body[at];
    listed.set(new TextDecoder().decode(body.slice(at + 1, at + 1 + size)), hex(body.slice(at + 1 + size, at + 33 + size)));
    at += 33 + size;
  }
  return { stage: body[0], listed };
}

// ── a party at a hub, or somebody who only watches ──

export class Party {
  // `me` is {name, secret} or null; `send(packet)` speaks; `tell(what, fields)` says what has happened; `remember` keeps openings.
  constructor({ me, hub, send, tell, openings, remember }) {
    Object.assign(this, { me, hub: unhex(hub), send, tell, openings, remember });
    this.broken = "";
  }

  receive(packet) {
    if (this.broken) return;
    const { tag, items } = readPacket(packet);
    for (const item of items) {
      if (same(tag, LOBBY)) this.#lobby(item);
      else if (this.call && same(tag, this.tag)) (item.author === "" ? this.#fromHub(item) : this.#fromParty(item));
    }
    this.#step();
  }

  #say(tag, kind, body) {
    const item = { kind, author: this.me.name, body };
    this.send(writePacket(tag, item, sign(this.me.secret, statement(tag, item))));
  }

  #signedBy(key, tag, item, signer) {
    const signature = item.signatures.get(signer);
    return Boolean(signature) && verify(key, statement(tag, item), signature);
  }

  #lobby(item) {
    if (item.kind === KIND.WELCOME && this.me) {
      if (!same(item.body.slice(0, 32), this.hub)) return this.#break("another key");
      this.#say(LOBBY, KIND.HELLO, item.body.slice(32));
    } else if (item.kind === KIND.TERMS && this.#signedBy(this.hub, LOBBY, item, "")) this.#called(item.body);
    return undefined;
  }

  #called(body) {
    const call = JSON.parse(new TextDecoder().decode(body));
    Object.assign(this, { call, tag: sha256(join(utf8("arbitre/rochambeau/tag/1"), body)).slice(0, 16) });
    this.keys = new Map(Object.entries(call.roster).map(([name, key]) => [name, unhex(key)]));
    Object.assign(this, { held: new Map(), listings: new Map(), closings: new Map(), echoes: new Map(), commits: null, revealed: false, verdict: null });
    this.group = groupOf(call.roster);
    this.tell("called", { players: [...this.keys.keys()], group: this.group });
    const mine = this.me && this.keys.get(this.me.name);
    if (!mine) return;
    if (!same(mine, this.me.public)) {
      this.#break("another key");
      return;
    }
    this.opening = this.openings.get(call.game) || newOpening(call.n, binder(call.game, this.me.name));
    this.remember(call.game, this.opening);
    this.#say(this.tag, KIND.COMMIT, writeCommit(call, this.opening));
  }

  #fromParty(item) {
    const key = this.keys.get(item.author);
    if (!key || !this.#signedBy(key, this.tag, item, item.author)) return;
    if (item.kind === KIND.ECHO) {
      this.#echoed(item);
    } else if (item.kind === KIND.COMMIT || item.kind === KIND.REVEAL) {
      const place = `${item.kind} ${item.author}`;
      const bodies = this.held.get(place) || [];
      if (bodies.length < 2 && !bodies.some((body) => same(body, item.body))) bodies.push(item.body);
      this.held.set(place, bodies);
      this.tell(item.kind === KIND.COMMIT ? "committed" : "revealed", { player: item.author });
    }
  }

  #echoed(item) {
    if (!this.echoes.has(item.author)) this.echoes.set(item.author, item.body);
    this.#compare(item.body);
  }

  // Convicts a hub that has signed another closing for whoever echoes than for us.
  #compare(echo) {
    const [closing, signature] = [echo.slice(0, 33), echo.slice(33)];
    const held = this.closings.get(closing[0]);
    if (!held || same(held.body, closing)) return;
    const other = { kind: KIND.CLOSING, author: "", body: closing, signatures: new Map([["", signature]]) };
    if (this.#signedBy(this.hub, this.tag, other, "")) this.#break("two closings");
  }

  #hasEchoed(name) {
    const echo = this.echoes.get(name);
    return Boolean(echo) && same(echo.slice(0, 33), this.closings.get(COMMITS).body);
  }

  #fromHub(item) {
    if (item.kind === KIND.LISTING) this.listings.set(hex(sha256(item.body)), item.body);
    else if (item.kind === KIND.CLOSING && this.#signedBy(this.hub, this.tag, item, "")) {
      const held = this.closings.get(item.body[0]);
      if (!held) this.closings.set(item.body[0], { body: item.body, signature: item.signatures.get("") });
      else if (!same(held.body, item.body)) this.#break("two closings");
      for (const echo of this.echoes.values()) this.#compare(echo); // some may have come before it
    }
  }

  // The set that a closing names, from what its authors themselves have signed; undefined while there is none.
  #closed(stage, kind) {
    const closing = this.closings.get(stage);
    const body = closing && this.listings.get(hex(closing.body.slice(1)));
    if (!body) return undefined;
    const found = new Map();
    for (const [author, digest] of readListing(body).listed) {
      const said = (this.held.get(`${kind} ${author}`) || []).find((one) => hex(sha256(one)) === digest);
      if (!said || (stage === REVEALS && !this.#hasEchoed(author))) {
        this.#break("unsaid");
        return undefined;
      }
      found.set(author, said);
    }
    return found;
  }

  #step() {
    if (!this.call || this.verdict || this.broken) return;
    const here = this.me && this.opening;
    if (!this.commits) {
      this.commits = this.#closed(COMMITS, KIND.COMMIT) || null;
      if (!this.commits) return;
      const { body, signature } = this.closings.get(COMMITS);
      this.tell("sealed", { players: [...this.commits.keys()] });
      if (here && !this.commits.has(this.me.name)) this.tell("left out", {});
      if (here && this.commits.has(this.me.name)) {
        this.#say(this.tag, KIND.ECHO, join(body, signature));
        setTimeout(() => this.#reveal(), 1000 * this.call.delay);
      }
    }
    if (here && [...this.commits.keys()].every((name) => this.#hasEchoed(name))) this.#reveal();
    const reveals = this.#closed(REVEALS, KIND.REVEAL);
    if (!reveals) return;
    const parties = [...this.keys.keys()].map((player) => ({ player, commit: this.commits.get(player), reveal: reveals.get(player) }));
    this.verdict = settle(this.call, parties);
    this.tell("settled", this.verdict);
  }

  #reveal() {
    if (this.revealed || this.broken || !this.commits.has(this.me.name)) return;
    this.revealed = true;
    this.#say(this.tag, KIND.REVEAL, writeReveal(this.call, this.opening));
  }

  #break(why) {
    this.broken = why;
    this.tell("broken", { why });
  }
}
