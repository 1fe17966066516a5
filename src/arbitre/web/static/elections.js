// The room of an election, and the page of a finished one. The choosing and the checking are in rochambeau.js; this shows them.

import { hex, publicKey, random, unhex } from "./crypto.js";
import { Party, readTranscript, settle } from "./rochambeau.js";
import { send } from "./form.js";

const words = Object.fromEntries([...document.querySelectorAll("#words [data-word]")].map((one) => [one.dataset.word, one.textContent]));
const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
const pause = (time) => new Promise((done) => { setTimeout(done, still ? 0 : time); });
const find = (text) => document.querySelector(text);

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

// ── people, their envelopes and the rounds ──

class People {
  constructor(list, mine) {
    Object.assign(this, { list, mine, cards: new Map() });
  }

  show(names) {
    for (const [name, card] of this.cards) if (!names.includes(name)) { card.remove(); this.cards.delete(name); }
    for (const name of names) if (!this.cards.has(name)) this.#add(name);
  }

  #add(name) {
    const card = element("li", "person");
    const face = element("span", "face", [...name][0].toUpperCase());
    const score = element("span", "points");
    card.append(face, element("b", "name", name), element("span", "state", words.here), score);
    this.list.append(card);
    this.cards.set(name, card);
    if (name === this.mine) this.own(name);
  }

  own(name) {
    this.mine = name;
    for (const [player, card] of this.cards) card.classList.toggle("mine", player === name);
  }

  mark(name, state, text) {
    const card = this.cards.get(name);
    if (!card) return;
    card.dataset.state = state;
    card.querySelector(".state").textContent = text ?? words[state];
  }

  // Plays the rounds: all show, those who are not best step back.
  async play({ rounds, excluded, winner }, say) {
    for (const { player, fault } of excluded) this.mark(player, "excluded", words[fault] ?? fault);
    for (const { counter, table } of rounds) {
      say(counter > 1 ? words.tied : `${words.round} ${counter}`);
      const most = Math.max(1, ...table.map(({ score }) => Math.abs(score)));
      for (const { player, score } of table) {
        const card = this.cards.get(player);
        card.dataset.state = "playing";
        card.querySelector(".state").textContent = `${words.round} ${counter}`;
        const points = card.querySelector(".points");
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

function announce(winner) {
  const box = find("#verdict");
  box.hidden = false;
  box.querySelector(".eyebrow").textContent = winner ? words.winner : words.nobody;
  box.querySelector(".name").textContent = winner ?? "";
  box.scrollIntoView({ block: "nearest" });
}

// ── the room ──

class Room {
  constructor(box) {
    Object.assign(this, { box, code: box.dataset.code, hub: box.dataset.hub, name: box.dataset.name, begun: false });
    this.path = `/elections/rooms/${this.code}`;
    this.kept = this.#recall();
    if (this.kept.fresh && this.name) {
      // a browser that has lost its key is nobody: it can join again while there is time, or watch
      find("#join").elements.name.value = this.name;
      this.name = "";
    }
    this.people = new People(find("#people"), this.name);
    this.outbox = Promise.resolve();
    this.#forms();
    this.#open();
  }

  // What this browser must not lose when the page is loaded again: its key and its choices. They are forgotten at the end.
  #recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(`election ${this.code}`)) || {};
      return { fresh: !kept.secret, secret: kept.secret ? unhex(kept.secret) : random(32), openings: kept.openings || {} };
    } catch {
      return { fresh: true, secret: random(32), openings: {} };
    }
  }

  #remember() {
    try {
      localStorage.setItem(`election ${this.code}`, JSON.stringify({ secret: hex(this.kept.secret), openings: this.kept.openings }));
    } catch { /* a browser that keeps nothing can take part all the same, if its page stays open */ }
  }

  #forget() {
    try { localStorage.removeItem(`election ${this.code}`); } catch { /* nothing was kept */ }
  }

  say(text, tone = "") {
    const line = find("#voice");
    line.className = `voice ${tone}`;
    line.querySelector("span").textContent = text;
  }

  async #ask(path, fields) {
    const answer = await send(this.path + path, fields);
    if (answer.ok) return answer.json();
    const told = await answer.json().catch(() => ({}));
    throw new Error(told.error || String(answer.status));
  }

  #forms() {
    const [join, inside] = [find("#join"), find("#inside")];
    const problem = join.querySelector(".problem");
    join.addEventListener("submit", async (event) => {
      event.preventDefault();
      problem.hidden = true;
      try {
        this.#remember();
        const { name } = await this.#ask("/join", { name: join.elements.name.value, key: hex(publicKey(this.kept.secret)) });
        this.name = name;
        this.people.own(name);
        this.#layout();
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
      }
    });
    find("#leave").addEventListener("click", async () => {
      await this.#ask("/leave", {});
      this.name = "";
      this.people.own("");
      this.#layout();
      join.elements.name.focus();
    });
    find("#start")?.addEventListener("click", async () => {
      const wrong = find("#organise .problem");
      wrong.hidden = true;
      try {
        await this.#ask("/start", {});
      } catch (error) {
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    });
    this.#layout();
    if (this.name) inside.querySelector("b").textContent = this.name;
  }

  #layout() {
    find("#join").hidden = Boolean(this.name) || this.begun;
    find("#inside").hidden = !this.name || this.begun;
    find("#inside b").textContent = this.name;
    find("#invite").hidden = this.begun;
    const organise = find("#organise");
    if (organise) organise.hidden = this.begun;
    if (this.begun) return;
    const count = this.people.cards.size;
    const start = find("#start");
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

  #heard(event) {
    if (event.type === "people") {
      this.people.show(event.people);
      this.#layout();
    } else if (event.type === "begun") this.#begin(event);
    else if (event.type === "packet") {
      if (event.to === null || event.to === this.name) this.#packet(event.packet);
    } else if (event.type === "over") this.#over(event);
    else if (event.type === "closed") {
      this.done = true;
      this.source.close();
      this.say(event.why, "bad");
    }
  }

  #begin({ people }) {
    this.begun = true;
    this.people.show(people);
    this.#layout();
    const taking = people.includes(this.name);
    this.say(taking ? words.gathering : words.watching);
    this.party = new Party({
      me: taking ? { name: this.name, secret: this.kept.secret, public: publicKey(this.kept.secret) } : null,
      hub: this.hub,
      send: (packet) => this.#send(packet),
      tell: (what, fields) => this.#told(what, fields),
      openings: new Map(Object.entries(this.kept.openings).map(([game, { nonce, state }]) => [game, { nonce: unhex(nonce), state }])),
      remember: (game, { nonce, state }) => {
        this.kept.openings[game] = { nonce: hex(nonce), state };
        this.#remember();
      },
    });
    window.scrollTo({ top: 0 });
  }

  // One packet after the other; what the site has heard before it ignores, so trying again does no harm.
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

  #packet(text) {
    try {
      this.party.receive(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
    } catch (error) {
      this.say(String(error.message), "bad");
    }
  }

  #told(what, fields) {
    if (what === "called") {
      this.say(words.sealing);
      const group = find("#group");
      group.hidden = false;
      group.querySelector("span").textContent = words.group;
      group.querySelector("code").textContent = fields.group.slice(0, 8).replace(/(....)/, "$1 ");
      group.title = fields.group;
    } else if (what === "committed" || what === "revealed") this.people.mark(fields.player, what);
    else if (what === "sealed") {
      this.say(words.sealed);
      for (const [name] of this.people.cards) if (!fields.players.includes(name)) this.people.mark(name, "excluded", words["no commit"]);
    } else if (what === "settled") {
      this.showing = this.people.play(fields, (text) => this.say(text)).then(() => {
        announce(fields.winner);
        this.say(fields.winner ? `${words.winner} ${fields.winner}` : words.nobody, "good");
      });
    } else if (what === "left out") this.say(words["left out"], "bad");
    else if (what === "broken") this.say(words[fields.why], "bad");
  }

  async #over({ record, winner }) {
    this.done = true;
    this.source.close();
    this.#forget();
    await this.showing;
    if (this.party?.broken) return;
    const own = this.party?.verdict;
    const agrees = own && own.winner === winner;
    if (!own) announce(winner);
    const checked = find("#verdict .checked");
    checked.className = `checked ${agrees ? "good" : "bad"}`;
    checked.textContent = own ? `${agrees ? words.agrees : words.differs} ${own.winner ?? words.nobody}` : "";
    const link = find("#record");
    link.href = `/elections/records/${record}`;
    link.hidden = false;
    find("#room").dataset.over = "yes";
  }
}

// ── the page of a finished election ──

async function recheck(box) {
  const { terms, parties, claim } = readTranscript(await (await fetch(box.dataset.transcript)).text());
  if (terms.hash !== "sha256" || terms.announced !== undefined) return;
  const own = settle(terms, parties);
  const line = find("#checked");
  if (line) {
    const agrees = claim && own.winner === claim.winner;
    line.className = `checked ${agrees ? "good" : "bad"}`;
    line.textContent = `${agrees ? words.agrees : words.differs} ${own.winner ?? words.nobody}`;
  }
  const list = find("#people");
  if (!list || parties.length > 64) return;
  list.hidden = false;
  const people = new People(list, "");
  people.show(parties.map(({ player }) => player));
  await people.play(own, () => {});
  box.dataset.shown = "yes";
}

if (find("#room")) new Room(find("#room"));
if (find("#result")) recheck(find("#result"));
