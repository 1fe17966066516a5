// The room of an election, and the page of a finished one. The choosing and the checking are in rochambeau.js; this shows them.

import { hex, publicKey, random, unhex } from "./crypto.js";
import { all, find, maybe, reason } from "./elements.js";
import { Party, readTranscript, settle, settled } from "./rochambeau.js";
import { send } from "./form.js";

/** @typedef {import("./rochambeau.js").Verdict} Verdict */
/** @typedef {import("./rochambeau.js").News} News */

/** @type {Record<string, string>} */
const words = Object.fromEntries(all("#words [data-word]", HTMLElement).map((one) => [one.dataset.word, one.textContent]));
const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
/** @param {number} time */
const pause = (time) => new Promise((done) => { setTimeout(done, still ? 0 : time); });
/** @param {string} selector */
const box = (selector) => find(selector, HTMLElement);

/** @param {string} kind @param {string} name @param {string} [text] */
function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

// ── people, their envelopes and the rounds ──

class People {
  /** @type {Map<string, HTMLElement>} */
  cards = new Map();

  /** @param {HTMLElement} list @param {string} mine */
  constructor(list, mine) {
    this.list = list;
    this.mine = mine;
  }

  /** @param {string[]} names */
  show(names) {
    for (const [name, card] of this.cards) if (!names.includes(name)) { card.remove(); this.cards.delete(name); }
    for (const name of names) if (!this.cards.has(name)) this.#add(name);
  }

  /** @param {string} name */
  #add(name) {
    const card = element("li", "person");
    const face = element("span", "face", [...name][0].toUpperCase());
    const score = element("span", "points");
    card.append(face, element("b", "name", name), element("span", "state", words.here), score);
    this.list.append(card);
    this.cards.set(name, card);
    if (name === this.mine) this.own(name);
  }

  /** @param {string} name */
  own(name) {
    this.mine = name;
    for (const [player, card] of this.cards) card.classList.toggle("mine", player === name);
  }

  /** @param {string} name @param {string} state @param {string} [text] */
  mark(name, state, text) {
    const card = this.cards.get(name);
    if (!card) return;
    card.dataset.state = state;
    find(".state", HTMLElement, card).textContent = text ?? words[state];
  }

  /** Plays the rounds: all show, those who are not best step back. @param {Verdict} verdict @param {(text: string) => void} say */
  async play({ rounds, excluded, winner }, say) {
    for (const { player, fault } of excluded) this.mark(player, "excluded", words[fault] ?? fault);
    for (const { counter, table } of rounds) {
      say(counter > 1 ? words.tied : `${words.round} ${counter}`);
      const most = Math.max(1, ...table.map(({ score }) => Math.abs(score)));
      for (const { player, score } of table) {
        this.mark(player, "playing", `${words.round} ${counter}`);
        const card = this.cards.get(player);
        if (!card) continue;
        const points = find(".points", HTMLElement, card);
        points.textContent = `${score > 0 ? "+" : score < 0 ? "−" : ""}${Math.abs(score)}`;
        card.style.setProperty("--share", String((score / most + 1) / 2));
      }
      await pause(1100);
      for (const { player, through } of table) if (!through) this.mark(player, "out");
      await pause(500);
    }
    if (winner) this.mark(winner, "wins");
  }
}

/** @param {string | null} winner */
function announce(winner) {
  const verdict = box("#verdict");
  verdict.hidden = false;
  find(".eyebrow", HTMLElement, verdict).textContent = winner ? words.winner : words.nobody;
  find(".name", HTMLElement, verdict).textContent = winner ?? "";
  verdict.scrollIntoView({ block: "nearest" });
}

// ── the room ──

/**
 * What a browser keeps of a room: its key, its choices, and what it has signed, each once.
 * @typedef {{ secret?: string, openings?: Record<string, { nonce: string, state: number }>, said?: Record<string, string> }} Kept
 */

class Room {
  /** @type {Party | undefined} */
  party;
  /** @type {Promise<void> | undefined} The rounds as they are shown. */
  showing;
  /** @type {EventSource} */
  source;
  begun = false;
  done = false;
  own = false;

  /** @param {HTMLElement} room */
  constructor(room) {
    const { code = "", hub = "", name = "" } = room.dataset;
    this.code = code;
    this.hub = hub;
    this.name = name;
    this.path = `/elections/rooms/${this.code}`;
    this.kept = this.#recall();
    if (this.kept.fresh && this.name) {
      // a browser that has lost its key is nobody: it can join again while there is time, or watch
      find("#join [name=name]", HTMLInputElement).value = this.name;
      this.name = "";
    }
    this.people = new People(box("#people"), this.name);
    this.outbox = Promise.resolve();
    this.#forms();
    this.#open();
  }

  // What this browser must not lose when the page is loaded again: its key, its choices and its word. They are forgotten at the end.
  #recall() {
    try {
      /** @type {Kept} */
      const { secret, openings = {}, said = {} } = JSON.parse(localStorage.getItem(`election ${this.code}`) ?? "{}") ?? {};
      return { fresh: !secret, secret: secret ? unhex(secret) : random(32), openings, said };
    } catch {
      return { fresh: true, secret: random(32), openings: /** @type {NonNullable<Kept["openings"]>} */ ({}), said: /** @type {NonNullable<Kept["said"]>} */ ({}) };
    }
  }

  #remember() {
    try {
      localStorage.setItem(`election ${this.code}`, JSON.stringify({ ...this.kept, secret: hex(this.kept.secret) }));
    } catch { /* a browser that keeps nothing can take part all the same, if its page stays open */ }
  }

  #forget() {
    try { localStorage.removeItem(`election ${this.code}`); } catch { /* nothing was kept */ }
  }

  /** @param {string} text */
  say(text, tone = "") {
    box("#voice").className = `voice ${tone}`;
    box("#voice span").textContent = text;
  }

  /** @param {string} path @param {Record<string, string>} fields */
  async #ask(path, fields) {
    const answer = await send(this.path + path, fields);
    if (answer.ok) return answer.json();
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error || String(answer.status));
  }

  #forms() {
    const join = find("#join", HTMLFormElement);
    const called = find("[name=name]", HTMLInputElement, join);
    const problem = find(".problem", HTMLElement, join);
    join.addEventListener("submit", async (event) => {
      event.preventDefault();
      problem.hidden = true;
      try {
        this.#remember();
        const { name } = await this.#ask("/join", { name: called.value, key: hex(publicKey(this.kept.secret)) });
        this.name = name;
        this.people.own(name);
        this.#layout();
      } catch (error) {
        problem.textContent = reason(error);
        problem.hidden = false;
      }
    });
    box("#leave").addEventListener("click", async () => {
      await this.#ask("/leave", {});
      this.name = "";
      this.people.own("");
      this.#layout();
      called.focus();
    });
    maybe("#start", HTMLButtonElement)?.addEventListener("click", async () => {
      const wrong = box("#organise .problem");
      wrong.hidden = true;
      try {
        await this.#ask("/start", {});
      } catch (error) {
        wrong.textContent = reason(error);
        wrong.hidden = false;
      }
    });
    this.#layout();
    if (this.name) box("#inside b").textContent = this.name;
  }

  #layout() {
    box("#join").hidden = Boolean(this.name) || this.begun;
    box("#inside").hidden = !this.name || this.begun;
    box("#inside b").textContent = this.name;
    box("#invite").hidden = this.begun;
    const organise = maybe("#organise", HTMLElement);
    if (organise) organise.hidden = this.begun;
    if (this.begun) return;
    const count = this.people.cards.size;
    const start = maybe("#start", HTMLButtonElement);
    if (start) start.disabled = count < 2;
    this.say(count < 2 ? words.alone : start ? words.ready : this.name ? words.wait : words.alone);
  }

  #open() {
    const source = new EventSource(`${this.path}/events`);
    let lost = false;
    source.addEventListener("message", (message) => this.#heard(JSON.parse(message.data)));
    source.addEventListener("open", () => {
      if (lost) this.say(words.back);
      lost = false;
    });
    source.addEventListener("error", () => {
      if (!this.done) this.say(source.readyState === EventSource.CLOSED ? words.gone : words.lost, "bad");
      lost = true;
    });
    source.addEventListener("end", () => source.close());
    this.source = source;
  }

  /**
   * @param {{ type: "people" | "begun", people: string[] } | { type: "packet", to: string | null, packet: string }
   *   | { type: "over", record: string, winner: string | null, decided: boolean } | { type: "closed", why: string }} event
   */
  #heard(event) {
    if (event.type === "people") {
      this.people.show(event.people);
      this.#layout();
    } else if (event.type === "begun") this.#begin(event.people);
    else if (event.type === "packet") {
      if (event.to === null || event.to === this.name) this.#packet(event.packet);
    } else if (event.type === "over") this.#over(event);
    else if (event.type === "closed") {
      this.done = true;
      this.source.close();
      this.say(event.why, "bad");
    }
  }

  /** @param {string[]} people */
  #begin(people) {
    this.begun = true;
    this.people.show(people);
    this.#layout();
    const taking = people.includes(this.name);
    this.say(taking ? words.gathering : words.watching);
    this.party = new Party({
      me: taking ? { name: this.name, secret: this.kept.secret, public: publicKey(this.kept.secret) } : null,
      hub: this.hub,
      send: (packet) => this.#send(packet),
      tell: (news) => this.#told(news),
      openings: new Map(Object.entries(this.kept.openings).map(([game, { nonce, state }]) => [game, { nonce: unhex(nonce), state }])),
      remember: (game, { nonce, state }) => {
        this.kept.openings[game] = { nonce: hex(nonce), state };
        this.#remember();
      },
      keep: (place, body) => {
        this.kept.said[place] ??= hex(body);
        this.#remember();
        return unhex(this.kept.said[place]);
      },
    });
    window.scrollTo({ top: 0 });
  }

  /** One packet after the other; what the site has heard before it ignores, so trying again does no harm. @param {Uint8Array} packet */
  #send(packet) {
    const text = btoa(String.fromCharCode(...packet));
    this.outbox = this.outbox.then(async () => {
      for (let tries = 0; tries < 5; tries += 1) {
        try {
          const answer = await send(`${this.path}/packet`, { packet: text });
          if (answer.status < 500 && answer.status !== 429) return;
        } catch { /* no connection: again in a moment */ }
        await new Promise((done) => { setTimeout(done, 400 * 2 ** tries); });
      }
    });
  }

  /** @param {string} text */
  #packet(text) {
    try {
      this.party?.receive(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
    } catch (error) {
      this.say(reason(error), "bad");
    }
  }

  /** @param {News} news */
  #told(news) {
    if (news.what === "called") {
      this.say(words.sealing);
      const group = box("#group");
      group.hidden = false;
      box("#group span").textContent = words.group;
      box("#group code").textContent = news.group.slice(0, 8).replace(/(....)/, "$1 ");
      group.title = news.group;
    } else if (news.what === "committed" || news.what === "revealed") this.people.mark(news.player, news.what);
    else if (news.what === "sealed") {
      this.say(words.sealed);
      for (const [name] of this.people.cards) if (!news.players.includes(name)) this.people.mark(name, "excluded", words["no-commit"]);
    } else if (news.what === "judged") {
      this.showing = this.people.play(news, (text) => this.say(text)).then(() => this.say(words.awaiting));
    } else if (news.what === "settled") {
      this.own = news.own;
      this.#afterwards(() => {
        announce(news.winner);
        this.say(news.winner ? `${words.winner} ${news.winner} · ${news.signers} ${words.certified}` : words.nobody, "good");
      });
    } else if (news.what === "undecided") this.#undecided();
    else if (news.what === "twice") this.people.mark(news.player, "excluded", words.twice);
    else this.say(words[news.what === "broken" ? news.why : news.what], "bad");
  }

  /** Shows something when the rounds have been shown. @param {() => void} show */
  #afterwards(show) {
    this.showing = (this.showing ?? Promise.resolve()).then(show);
  }

  /** Names nobody: too few have signed what this browser, or anybody, found. */
  #undecided() {
    this.#afterwards(() => {
      if (this.party?.verdict) return;
      box("#verdict").hidden = false;
      box("#verdict .eyebrow").textContent = words.undecided;
      box("#verdict .name").textContent = "";
      this.say(words.undecided, "bad");
    });
  }

  /** @param {{ record: string, winner: string | null, decided: boolean }} end */
  async #over({ record, winner, decided }) {
    this.done = true;
    this.source.close();
    this.#forget();
    this.party?.end();
    await this.showing;
    if (this.party?.broken) return;
    const own = this.party?.verdict;
    const agrees = own && (!decided || own.winner === winner);
    const checked = box("#verdict .checked");
    checked.className = `checked ${agrees ? "good" : "bad"}`;
    checked.textContent = own ? `${agrees ? (this.own ? words.agrees : words.theirs) : words.differs} ${own.winner ?? words.nobody}` : "";
    const link = find("#record", HTMLAnchorElement);
    link.href = `/elections/records/${record}`;
    link.hidden = false;
    box("#room").dataset.over = "yes";
  }
}

// ── the page of a finished election ──

/** @param {HTMLElement} result */
async function recheck(result) {
  const read = readTranscript(await (await fetch(result.dataset.transcript ?? "")).text());
  const { terms, parties, claim } = read;
  if (terms.hash !== "sha256" || terms.announced !== undefined) return;
  const own = settle(terms, parties);
  const line = maybe("#checked", HTMLElement);
  if (line) {
    const agrees = claim && own.winner === claim.winner && settled(read, own.winner) !== false;
    line.className = `checked ${agrees ? "good" : "bad"}`;
    line.textContent = `${agrees ? words.agrees : words.differs} ${own.winner ?? words.nobody}`;
  }
  const list = maybe("#people", HTMLElement);
  if (!list || parties.length > 64) return;
  list.hidden = false;
  const people = new People(list, "");
  people.show(parties.map(({ player }) => player));
  await people.play(own, () => {});
  result.dataset.shown = "yes";
}

const [room, result] = [maybe("#room", HTMLElement), maybe("#result", HTMLElement)];
if (room) new Room(room);
if (result) recheck(result);
