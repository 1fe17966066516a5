// M-party, N-state Rochambeau in a browser: payloads, rounds and a party at a hub, octet by octet as the manual describes them.
// Nothing here believes the site: what is not signed by its author is not heard, the winner is worked out anew, and named only with
// a certificate, enough equal verdicts that their parties signed. What this party signs it signs once, and keeps before it is sent.

import { below, big, bits, canonical, hex, join, number, random, same, sha256, sign, unhex, utf8, verify } from "./crypto.js";

/** @typedef {{ n: number, mode?: string, game?: string }} Terms what a Commit and a Reveal depend on */
/** @typedef {{ nonce: Uint8Array, state: number }} Opening */
/** @typedef {{ player: string, commit?: Uint8Array | null, reveal?: Uint8Array | null }} Said what a party sent, if it sent it */
/** @typedef {{ player: string, commit: Uint8Array, state: number }} Judged */
/** @typedef {{ player: string, fault: string }} Excluded */
/** @typedef {{ counter: number, table: { player: string, state: number, score: number, through: boolean }[] }} Round */
/** @typedef {{ winner: string | null, rounds: Round[], excluded: Excluded[] }} Verdict */
/** @typedef {{ kind: number, author: string, body: Uint8Array }} Item */
/** @typedef {Item & { signatures: Map<string, Uint8Array> }} SignedItem */
/** @typedef {[string, string][]} Roster names and keys, in the order of the names */
/** @typedef {Terms & { game: string, roster: Roster, delay: number, parties: number, liars: number, hub?: string }} Call */
/** @typedef {{ commits: Uint8Array, reveals: Uint8Array, announced: Uint8Array, winner: string | null }} Ruling */

export const KIND = { HELLO: 1, COMMIT: 3, ECHO: 4, REVEAL: 6, VERDICT: 7, TERMS: 8, WELCOME: 9, LISTING: 10, CLOSING: 11, REFUSED: 12 };
const MAGIC = utf8("RCB2");
const LOBBY = new Uint8Array(32);
const LAST_ROUND = 255;
const [COMMITS, REVEALS] = [1, 2];
const PATIENCE = 6; // delays after which no certificate is awaited any more

// ── terms and payloads ──

/** @param {number} states */
export const width = (states) => Math.ceil(bits(BigInt(states)) / 8);
/** @param {Uint8Array} octets */
const sized = (octets) => join(big(octets.length, 2), octets);
/** @param {string} game @param {string} player */
export const binder = (game, player) => sha256(join(utf8("rochambeau-s2"), sized(utf8(game)), sized(utf8(player)))).slice(0, 16);

/** A choice among so many states, bound to a party. @param {number} states @param {Uint8Array} bound @returns {Opening} */
export const newOpening = (states, bound) => ({ nonce: join(random(32), bound), state: Number(below(BigInt(states))) });

/** @param {Terms} terms @param {Opening} opening */
export const writeCommit = (terms, { nonce, state }) => join(big(1, 2), sha256(join(nonce, big(state, width(terms.n)))));
/** @param {Terms} terms @param {Opening} opening */
export const writeReveal = (terms, { nonce, state }) => join(big(2, 2), big(nonce.length, 2), nonce, big(state, width(terms.n)));

/**
 * What a party's two payloads make.
 * @param {Terms} terms @param {Said} said @returns {Judged | Excluded}
 */
export function judge(terms, { player, commit, reveal }) {
  /** @param {string} fault */
  const out = (fault) => ({ player, fault });
  if (!commit) return out("no-commit");
  if (commit.length !== 34 || number(commit.slice(0, 2)) !== 1) return out("malformed-commit");
  if (!reveal) return out("no-reveal");
  const size = number(reveal.slice(2, 4));
  if (reveal.length < 4 || number(reveal.slice(0, 2)) !== 2 || reveal.length !== 4 + size + width(terms.n)) return out("malformed-reveal");
  if (!same(sha256(reveal.slice(4)), commit.slice(2))) return out("mismatch");
  const state = number(reveal.slice(4 + size));
  const strong = terms.mode === "strong";
  if (state < (strong ? 0 : 1) || state >= terms.n) return out("state-out-of-range");
  if (strong && size !== 48) return out("bad-nonce");
  if (strong && !same(reveal.slice(36, 52), binder(terms.game ?? "", player))) return out("copied");
  return { player, commit: commit.slice(2), state };
}

/** @param {Terms} terms @param {Judged[]} left @param {number} counter */
function tweaks(terms, left, counter) {
  const all = left.reduce((sum, { commit }) => sum.map((octet, at) => octet ^ commit[at]), new Uint8Array(32));
  return left.map(({ commit }) => {
    const digest = sha256(join(all.map((octet, at) => octet ^ commit[at]), Uint8Array.of(counter)));
    return Number(BigInt("0x" + hex(digest)) % BigInt(terms.n));
  });
}

/** @param {number} one @param {number} two @param {number} states */
const beats = (one, two, states) => ((((two - one) % states) + states) % states) % 2 === 1;

/** Plays the rounds. @param {Terms} terms @param {Said[]} parties @returns {Verdict} */
export function settle(terms, parties) {
  const judged = parties.map((said) => judge(terms, said));
  const excluded = judged.flatMap((one) => ("fault" in one ? [one] : []));
  let left = judged.flatMap((one) => ("fault" in one ? [] : [one]));
  /** @type {Round[]} */
  const rounds = [];
  for (let counter = 1; left.length > 1 && counter <= LAST_ROUND; counter += 1) {
    const given = tweaks(terms, left, counter);
    const states = left.map(({ state }, at) => (state + given[at]) % terms.n);
    const scores = states.map((one) => states.reduce((sum, two) => sum + Number(beats(one, two, terms.n)) - Number(beats(two, one, terms.n)), 0));
    const best = Math.max(...scores);
    const table = left.map(({ player }, at) => ({ player, state: states[at], score: scores[at], through: scores[at] === best }));
    rounds.push({ counter, table });
    left = left.filter((_, at) => scores[at] === best);
  }
  return { winner: left.length === 1 ? left[0].player : null, rounds, excluded };
}

/** Reads a transcript of JSON lines: terms, parties (the first Commit and Reveal of each), and the claimed verdict. @param {string} text */
export function readTranscript(text) {
  const lines = text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  /** @type {Map<string, Said>} */
  const parties = new Map();
  /** @type {{ winner: string | null } | null} */
  let claim = null;
  for (const line of lines.slice(1)) {
    if (line.player !== undefined) {
      const party = parties.get(line.player) ?? { player: line.player, commit: null, reveal: null };
      party.commit ||= line.commit ? unhex(line.commit) : null;
      party.reveal ||= line.reveal ? unhex(line.reveal) : null;
      parties.set(line.player, party);
    } else if (line.verdict) claim = line.verdict;
  }
  /** @type {Terms & { hash?: string, announced?: string }} */
  const terms = lines[0];
  return { terms, parties: [...parties.values()], claim, lines };
}

/**
 * Whether a transcript holds a certificate for a winner: enough verdicts, signed, on the very sets that its lines make. Null where
 * nobody signs.
 * @param {{ terms: Terms & Partial<Call>, parties: Said[], lines: Record<string, string | null>[] }} read @param {string | null} winner
 */
export function settled({ terms, parties, lines }, winner) {
  const { roster, parties: many, liars } = terms;
  if (!roster || many === undefined || liars === undefined) return null;
  const tag = callHash(utf8(canonical(terms)));
  const [commits, reveals] = [COMMITS, REVEALS].map((stage) => setHash(tag, stage, payloads(parties, stage)));
  const body = writeRuling({ commits, reveals, announced: new Uint8Array(), winner });
  const keys = new Map(roster);
  const signers = lines.filter(({ player, verdict, verdict_signature: signature }) => {
    const key = keys.get(player ?? "");
    if (!player || !key || !signature || typeof verdict !== "string" || verdict !== hex(body)) return false;
    return verify(unhex(key), statement(tag, { kind: KIND.VERDICT, author: player, body }), unhex(signature));
  });
  return new Set(signers.map(({ player }) => player)).size >= quorum(many, liars);
}

/** @param {Said[]} parties @param {number} stage @returns {Map<string, Uint8Array>} */
function payloads(parties, stage) {
  return new Map(parties.flatMap(({ player, commit, reveal }) => {
    const said = stage === COMMITS ? commit : reveal;
    return said ? [[player, said]] : [];
  }));
}

/** The fingerprint of a group. @param {Roster} roster */
export const groupOf = (roster) => hex(sha256(utf8("arbitre/rochambeau/group/2" + canonical(roster)))).slice(0, 32);

// ── what parties sign: sets, and the verdict on them ──

/** @param {Uint8Array} body the call as canonical JSON */
export const callHash = (body) => sha256(join(utf8("arbitre/rochambeau/call/2"), body));

/** @param {number} stage @param {Map<string, Uint8Array>} said */
function writeListing(stage, said) {
  const order = [...said.keys()].sort((one, two) => (hex(utf8(one)) < hex(utf8(two)) ? -1 : 1));
  const rows = order.map((name) => join(big(utf8(name).length, 1), utf8(name), sha256(said.get(name) ?? new Uint8Array())));
  return join(big(stage, 1), big(said.size, 2), ...rows);
}

/** @param {Uint8Array} tag @param {Uint8Array} listing */
const listingHash = (tag, listing) => sha256(join(utf8("arbitre/rochambeau/set/2"), tag, listing));
/** @param {Uint8Array} tag @param {number} stage @param {Map<string, Uint8Array>} said */
export const setHash = (tag, stage, said) => listingHash(tag, writeListing(stage, said));

/** @param {Ruling} ruling */
export const writeRuling = ({ commits, reveals, announced, winner }) => join(commits, reveals, sized(announced), sized(utf8(winner ?? "")));

/** Whom a verdict names; undefined for what is none. @param {Uint8Array} body */
export function winnerOf(body) {
  const value = number(body.slice(64, 66));
  const name = body.slice(68 + value);
  if (body.length < 68 || name.length !== number(body.slice(66 + value, 68 + value))) return undefined;
  return new TextDecoder().decode(name) || null;
}

/** How many equal verdicts make a certificate. @param {number} parties @param {number} liars */
export const quorum = (parties, liars) => Math.floor((parties + liars) / 2) + 1;

// ── items and packets ──

/** @param {Uint8Array} tag @param {Item} item */
export function statement(tag, { kind, author, body }) {
  const name = utf8(author);
  return join(utf8("arbitre/rochambeau/2"), tag, Uint8Array.of(kind, name.length), name, big(body.length, 4), body);
}

/** @param {Uint8Array} tag @param {Item} item @param {Uint8Array} signature */
function writePacket(tag, item, signature) {
  const name = utf8(item.author);
  const head = join(MAGIC, tag, Uint8Array.of(item.kind, name.length), name, big(item.body.length, 4), item.body);
  return join(head, Uint8Array.of(1, name.length), name, signature);
}

/** @param {Uint8Array} packet */
export function readPacket(packet) {
  let at = 36;
  /** @param {number} size */
  const take = (size) => {
    if (at + size > packet.length) throw new Error("a packet is cut off");
    at += size;
    return packet.slice(at - size, at);
  };
  /** @param {Uint8Array} octets */
  const text = (octets) => new TextDecoder("utf-8", { fatal: true }).decode(octets);
  if (!same(packet.slice(0, 4), MAGIC)) throw new Error("no packet");
  /** @type {SignedItem[]} */
  const items = [];
  while (at < packet.length) {
    const kind = take(1)[0];
    const author = text(take(take(1)[0]));
    const body = take(number(take(4)));
    /** @type {SignedItem["signatures"]} */
    const signatures = new Map();
    for (let left = take(1)[0]; left; left -= 1) {
      const signer = text(take(take(1)[0]));
      signatures.set(signer, take(64));
    }
    items.push({ kind, author, body, signatures });
  }
  return { tag: packet.slice(4, 36), items };
}

/** @param {Uint8Array} body */
function readListing(body) {
  /** @type {Map<string, string>} */
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

/** @typedef {{ name: string, secret: Uint8Array, public: Uint8Array }} Me */
/** @typedef {{ body: Uint8Array, signature: Uint8Array }} Closing */
/**
 * What has happened, as it is told to whoever runs a party.
 * @typedef {{ what: "called", players: string[], group: string } | { what: "committed" | "revealed" | "twice", player: string }
 *   | { what: "sealed", players: string[] } | { what: "left out" | "undecided" } | { what: "broken", why: string }
 *   | ({ what: "judged" } & Verdict) | { what: "settled", winner: string | null, signers: number, own: boolean }} News
 */

/** One call of the hub, and what was heard in it. */
class Called {
  /** @type {Map<string, Uint8Array[]>} Commits and Reveals, by kind and author. */
  held = new Map();
  /** @type {Map<string, Uint8Array>} By their digests. */
  listings = new Map();
  /** @type {Map<number, Closing>} By their stage. */
  closings = new Map();
  /** @type {Map<string, Uint8Array>} By their authors. */
  echoes = new Map();
  /** @type {Map<string, Uint8Array[]>} Verdicts by their authors; of whoever signed two none counts. */
  verdicts = new Map();
  /** @type {Uint8Array | null} What follows from what was heard. */
  ruling = null;
  /** @type {Map<string, Uint8Array> | null} */
  commits = null;
  revealed = false;

  /** @param {Uint8Array} body the call as the hub signed it */
  constructor(body) {
    /** @type {Call} */
    this.terms = JSON.parse(new TextDecoder().decode(body));
    this.tag = callHash(body);
    this.keys = new Map(this.terms.roster.map(([name, key]) => [name, unhex(key)]));
  }
}

export class Party {
  /** @type {Called | null} */
  call = null;
  /** @type {Opening | null} */
  opening = null;
  /** @type {Verdict | null} By our own account. */
  found = null;
  /** @type {{ winner: string | null } | null} By a certificate. */
  verdict = null;
  broken = "";

  /**
   * `me` is null for who only watches; `send(packet)` speaks; `tell(news)` says what has happened; `remember` keeps openings;
   * `keep(place, body)` keeps what is about to be signed, and returns what was signed in that place before, or the same.
   * @param {{ me: Me | null, hub: string, send: (packet: Uint8Array) => void, tell: (news: News) => void,
   *   openings: Map<string, Opening>, remember: (game: string, opening: Opening) => void,
   *   keep: (place: string, body: Uint8Array) => Uint8Array }} given
   */
  constructor({ me, hub, send, tell, openings, remember, keep }) {
    this.keep = keep;
    this.me = me;
    this.hub = unhex(hub);
    this.send = send;
    this.tell = tell;
    this.openings = openings;
    this.remember = remember;
  }

  /** @param {Uint8Array} packet */
  receive(packet) {
    if (this.broken) return;
    const { tag, items } = readPacket(packet);
    for (const item of items) {
      if (same(tag, LOBBY)) this.#lobby(item);
      else if (this.call && same(tag, this.call.tag)) (item.author === "" ? this.#fromHub(this.call, item) : this.#fromParty(this.call, item));
    }
    if (this.call && !this.call.ruling && !this.broken) this.#step(this.call);
    if (this.call) this.#certify(this.call);
  }

  /**
   * Signs and sends something of this call, unless something else of its kind was signed before.
   * @param {Me} me @param {Called} call @param {number} kind @param {Uint8Array} body
   */
  #say(me, call, kind, body) {
    if (!same(this.keep(`${hex(call.tag)} ${kind}`, body), body)) return;
    this.#send(me, call.tag, kind, body);
  }

  /** @param {Me} me @param {Uint8Array} tag @param {number} kind @param {Uint8Array} body */
  #send(me, tag, kind, body) {
    const item = { kind, author: me.name, body };
    this.send(writePacket(tag, item, sign(me.secret, statement(tag, item))));
  }

  /** @param {SignedItem} item */
  #lobby(item) {
    if (item.kind === KIND.WELCOME && this.me) {
      if (!same(item.body.slice(0, 32), this.hub)) return this.#break("another key");
      this.#send(this.me, LOBBY, KIND.HELLO, item.body.slice(32));
    } else if (item.kind === KIND.TERMS && signedBy(this.hub, LOBBY, item, "")) this.#called(item.body);
    return undefined;
  }

  /** @param {Uint8Array} body */
  #called(body) {
    if (this.call && (!this.verdict || this.verdict.winner !== null)) {
      this.#break("two calls");
      return;
    }
    const call = new Called(body);
    const { terms, keys } = call;
    Object.assign(this, { call, found: null, verdict: null });
    this.tell({ what: "called", players: [...keys.keys()], group: groupOf(terms.roster) });
    const mine = this.me && keys.get(this.me.name);
    if (!this.me || !mine) return;
    if (!same(mine, this.me.public)) {
      this.#break("another key");
      return;
    }
    this.opening = this.openings.get(terms.game) ?? newOpening(terms.n, binder(terms.game, this.me.name));
    this.remember(terms.game, this.opening);
    this.#say(this.me, call, KIND.COMMIT, writeCommit(terms, this.opening));
  }

  /** @param {Called} call @param {SignedItem} item */
  #fromParty(call, item) {
    const key = call.keys.get(item.author);
    if (!key || !signedBy(key, call.tag, item, item.author)) return;
    if (item.kind === KIND.ECHO) {
      if (!call.echoes.has(item.author)) call.echoes.set(item.author, item.body);
      this.#compare(call, item.body);
    } else if (item.kind === KIND.VERDICT) {
      const said = call.verdicts.get(item.author) ?? [];
      if (said.length > 1 || said.some((body) => same(body, item.body))) return;
      call.verdicts.set(item.author, [...said, item.body]);
      if (said.length) this.tell({ what: "twice", player: item.author });
    } else if (item.kind === KIND.COMMIT || item.kind === KIND.REVEAL) {
      const place = `${item.kind} ${item.author}`;
      const bodies = call.held.get(place) ?? [];
      if (bodies.length < 2 && !bodies.some((body) => same(body, item.body))) bodies.push(item.body);
      call.held.set(place, bodies);
      this.tell({ what: item.kind === KIND.COMMIT ? "committed" : "revealed", player: item.author });
    }
  }

  /** Convicts a hub that has signed another closing for whoever echoes than for us. @param {Called} call @param {Uint8Array} echo */
  #compare(call, echo) {
    const [closing, signature] = [join(big(COMMITS, 1), echo.slice(0, 32)), echo.slice(32)];
    const held = call.closings.get(COMMITS);
    if (!held || same(held.body, closing)) return;
    const other = { kind: KIND.CLOSING, author: "", body: closing, signatures: new Map([["", signature]]) };
    if (signedBy(this.hub, call.tag, other, "")) this.#break("two closings");
  }

  /** @param {Called} call @param {SignedItem} item */
  #fromHub(call, item) {
    if (item.kind === KIND.LISTING) call.listings.set(hex(listingHash(call.tag, item.body)), item.body);
    const signature = item.signatures.get("");
    if (item.kind !== KIND.CLOSING || !signature || !signedBy(this.hub, call.tag, item, "")) return;
    const held = call.closings.get(item.body[0]);
    if (!held) call.closings.set(item.body[0], { body: item.body, signature });
    else if (!same(held.body, item.body)) this.#break("two closings");
    for (const echo of call.echoes.values()) this.#compare(call, echo); // some may have come before it
  }

  /**
   * The set that a closing names, from what its authors themselves have signed; undefined while there is none.
   * @param {Called} call @param {number} stage @param {number} kind
   */
  #closed(call, stage, kind) {
    const closing = call.closings.get(stage);
    const body = closing && call.listings.get(hex(closing.body.slice(1)));
    if (!body) return undefined;
    /** @type {Map<string, Uint8Array>} */
    const found = new Map();
    for (const [author, digest] of readListing(body).listed) {
      const said = call.held.get(`${kind} ${author}`)?.find((one) => hex(sha256(one)) === digest);
      if (!said || (stage === REVEALS && !hasEchoed(call, author))) {
        this.#break("unsaid");
        return undefined;
      }
      found.set(author, said);
    }
    return found;
  }

  /** @param {Called} call */
  #step(call) {
    const { me, opening } = this;
    if (!call.commits) {
      call.commits = this.#closed(call, COMMITS, KIND.COMMIT) ?? null;
      const closing = call.closings.get(COMMITS);
      if (!call.commits || !closing) return;
      this.tell({ what: "sealed", players: [...call.commits.keys()] });
      if (me && opening && call.commits.has(me.name)) {
        this.#say(me, call, KIND.ECHO, join(closing.body.slice(1), closing.signature));
        setTimeout(() => this.#reveal(call, me, opening), call.terms.delay);
      } else if (me && opening) this.tell({ what: "left out" });
    }
    const { commits } = call;
    if (me && opening && [...commits.keys()].every((name) => hasEchoed(call, name))) this.#reveal(call, me, opening);
    const reveals = this.#closed(call, REVEALS, KIND.REVEAL);
    if (!reveals) return;
    const parties = [...call.keys.keys()].map((player) => ({ player, commit: commits.get(player), reveal: reveals.get(player) }));
    this.#judge(call, settle(call.terms, parties), setHash(call.tag, COMMITS, commits), setHash(call.tag, REVEALS, reveals));
  }

  /** @param {Called} call @param {Verdict} found @param {Uint8Array} commits @param {Uint8Array} reveals */
  #judge(call, found, commits, reveals) {
    this.found = found;
    call.ruling = writeRuling({ commits, reveals, announced: new Uint8Array(), winner: found.winner });
    this.tell({ what: "judged", ...found });
    if (this.me && this.opening) {
      this.#say(this.me, call, KIND.VERDICT, call.ruling);
      if (!call.verdicts.has(this.me.name)) call.verdicts.set(this.me.name, [this.keep(`${hex(call.tag)} ${KIND.VERDICT}`, call.ruling)]);
    }
    setTimeout(() => this.end(), PATIENCE * call.terms.delay);
  }

  /** Settles when enough have signed the same verdict: our own, or, where we missed something, theirs. @param {Called} call */
  #certify(call) {
    if (this.verdict || this.broken) return;
    /** @type {Map<string, number>} */
    const counted = new Map();
    for (const [body] of [...call.verdicts.values()].filter((said) => said.length === 1)) counted.set(hex(body), (counted.get(hex(body)) ?? 0) + 1);
    for (const [body, signers] of counted) {
      if (signers < quorum(call.terms.parties, call.terms.liars)) continue;
      const own = call.ruling !== null && body === hex(call.ruling);
      const winner = winnerOf(unhex(body));
      if (winner === undefined || (!own && (winner === null || !call.keys.has(winner)))) continue;
      this.verdict = { winner };
      this.tell({ what: "settled", winner, signers, own });
    }
  }

  /** Says that there is no certificate, if there is none; one may still come. */
  end() {
    if (!this.verdict && !this.broken) this.tell({ what: "undecided" });
  }

  /** @param {Called} call @param {Me} me @param {Opening} opening */
  #reveal(call, me, opening) {
    if (call.revealed || this.broken || !call.commits?.has(me.name)) return;
    call.revealed = true;
    this.#say(me, call, KIND.REVEAL, writeReveal(call.terms, opening));
  }

  /** @param {string} why */
  #break(why) {
    this.broken = why;
    this.tell({ what: "broken", why });
  }
}

/** @param {Uint8Array} key @param {Uint8Array} tag @param {SignedItem} item @param {string} signer */
function signedBy(key, tag, item, signer) {
  const signature = item.signatures.get(signer);
  return signature !== undefined && verify(key, statement(tag, item), signature);
}

/** Whether a party has signed the closing of Commits that this one holds. @param {Called} call @param {string} name */
function hasEchoed(call, name) {
  const [echo, closing] = [call.echoes.get(name), call.closings.get(COMMITS)];
  return echo !== undefined && closing !== undefined && same(echo.slice(0, 32), closing.body.slice(1));
}
