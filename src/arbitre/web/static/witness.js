// The page of a game as a witness: it brings a fresh key for each match and seat, and a nonce where the game draws; agrees to the opening
// under the referee's signature; keeps a journal of what it is asked and what is taken down as its answer; and in the end checks the
// record before it signs. Right is one quiet line; wrong is red, with the evidence to take away. Nothing here holds up a move.
//
// What it is told are events `proof` of the page's stream (`site.arena.page`): here, hello, opening, asked, ended, record.

import * as chain from "./chain.js";
import { canonical, hex, publicKey, random, unhex, utf8 } from "./crypto.js";
import { all, find, maybe } from "./elements.js";
import { send } from "./form.js";
import { Dispute, Journal, oneLine, subjectOf } from "./journal.js";
import { check } from "./record.js";

/** @typedef {{ code: string, why: string, event?: number }} Trouble */
/**
 * What a browser keeps of one seat. `pending` is what was entered since the last question; `gap`: the page was away meanwhile; `hole`: it
 * missed a question or an answer, and cannot tell any more.
 * @typedef {{ secret: string, lines: string[], taken: boolean, pending: string[], gap: boolean, hole: boolean, trouble: Trouble | null, at: number }} Kept
 */
/** @typedef {{ kind: string, seat: number } & Record<string, any>} Message */

const SHELF = "arbitre-journal/";
const MOST_JOURNALS = 20;
const LONGEST_JOURNAL = 1_000_000; // characters: browsers keep five millions for a whole site
const LONGEST_SAID = 200;

/** What a browser keeps for the site, if it keeps anything. @template T @param {(box: Storage) => T} use */
function shelf(use) {
  try {
    return use(localStorage);
  } catch {
    return null; // private windows and strict settings: the journal lasts as long as the page
  }
}

/** The journals that this browser keeps, by their place. @param {string} prefix @returns {[place: string, kept: Kept][]} */
function stored(prefix) {
  return shelf((box) => Object.keys(box).filter((place) => place.startsWith(prefix)).flatMap((place) => {
    try {
      const kept = JSON.parse(box.getItem(place) ?? "");
      return Array.isArray(kept.lines) && typeof kept.secret === "string" ? [/** @type {[string, Kept]} */ ([place, kept])] : [];
    } catch {
      return [];
    }
  })) ?? [];
}

class Witness {
  /** @type {Map<string, Kept>} What this page holds itself, by the public key. */
  #own = new Map();
  /** @type {Kept | null} */
  #kept = null;
  /** @type {Journal | null} */
  #journal = null;
  #begun = false;

  /** @param {string} name @param {string} seat */
  constructor(name, seat) {
    this.name = name;
    this.seat = Number(seat);
    this.prefix = `${SHELF}${name}/${seat}/`;
    this.queue = Promise.resolve();
  }

  /** Hear one message behind the others. @param {Message} message */
  hear(message) {
    this.queue = this.queue.then(() => this.#hear(message)).catch((error) => {
      if (error instanceof Dispute) this.#blame(error);
      else console.error(error);
    });
  }

  /** @param {Message} message */
  async #hear(message) {
    if (message.kind === "here") return this.#here();
    if (message.seat !== this.seat) return undefined;
    if (message.kind === "hello") return this.#greet(message);
    if (message.kind === "opening") return this.#agree(message);
    if (!this.#recall()) return this.#tell("elsewhere");
    if (message.kind === "asked") return this.#asked(message);
    if (message.kind === "ended") return this.#ended(message);
    return message.kind === "record" ? this.#sign() : undefined;
  }

  // ── keeping ──

  /**
   * What is kept of this seat. A window may read the shelf before another's words have come there, and write its own over them: where
   * it knows more than the shelf, what it knows counts, and is written again with the next words.
   */
  #newest() {
    const found = new Map(stored(this.prefix).map(([place, kept]) => [place.slice(this.prefix.length), kept]));
    if (!found.size) return [...this.#own.values()];
    for (const [key, own] of this.#own) {
      const other = found.get(key);
      if (other && !other.hole && other.lines.length < own.lines.length) found.set(key, own);
    }
    return [...found.values()];
  }

  /** Take up the newest that is kept of this seat: another window may have written. @param {string} [key] */
  #recall(key) {
    for (const kept of this.#newest()) {
      const journal = Journal.read(kept.lines);
      if (key === undefined ? journal.agreed || journal.gaveUp || kept.hole : journal.called?.key === key) {
        this.#kept = kept;
        this.#journal = journal;
        return journal;
      }
    }
    return null;
  }

  #store() {
    const [kept, journal] = [/** @type {Kept} */ (this.#kept), /** @type {Journal} */ (this.#journal)];
    kept.lines = journal.lines;
    kept.at = Date.now();
    if (kept.lines.reduce((sum, line) => sum + line.length, 0) > LONGEST_JOURNAL) {
      kept.hole = true;
      kept.lines = kept.lines.slice(0, 3); // how it was called and opened: enough to say that there is no more
    }
    const key = journal.called?.key ?? "";
    this.#own.set(key, kept);
    shelf((box) => {
      const others = stored(SHELF).filter(([place]) => place !== this.prefix + key).sort(([, one], [, two]) => two.at - one.at);
      for (const [place] of others.slice(MOST_JOURNALS - 1)) box.removeItem(place);
      box.setItem(this.prefix + key, JSON.stringify(kept));
    });
  }

  /** Forget the keys of this seat that nobody took. @param {string} key */
  #only(key) {
    for (const [place] of stored(this.prefix)) if (place !== this.prefix + key) shelf((box) => box.removeItem(place));
  }

  #here() {
    if (this.#recall() && this.#kept && !this.#kept.gap) {
      this.#kept.gap = true; // what was said while this page was away nobody knows here
      this.#store();
    }
    if (this.#kept?.trouble) this.#blame(this.#kept.trouble);
  }

  // ── the opening ──

  /** @param {Message} message */
  async #greet(message) {
    const { match, commitment, referee, game, options, seat } = message;
    const fresh = stored(this.prefix).map(([, kept]) => kept).find(({ lines }) => {
      const { called, opening } = Journal.read(lines);
      return !opening && called?.commitment === commitment && called?.referee === referee && called?.match === match;
    });
    const secret = fresh ? unhex(fresh.secret) : random(32);
    this.#kept = fresh ?? { secret: hex(secret), lines: [], taken: false, pending: [], gap: false, hole: false, trouble: null, at: 0 };
    this.#journal = fresh ? Journal.read(fresh.lines) : Journal.begin({ match, commitment, referee, game, options, seat }, hex(publicKey(secret)), message.draws);
    this.#store();
    const { key = "", promise = "" } = this.#journal.called ?? {};
    const { taken } = await this.#say("greet", { key, promise });
    if (taken && this.#recall(key) && this.#kept) {
      this.#kept.taken = true;
      this.#store();
    }
  }

  /** @param {Message} message */
  async #agree({ line, salt, signature }) {
    const brought = this.#recall(keyIn(line, this.seat)) ?? this.#taken();
    if (!brought || !this.#kept) return this.#tell("elsewhere");
    const { key = "", nonce = "" } = brought.called ?? {};
    if (this.#kept.trouble) return this.#blame(this.#kept.trouble);
    try {
      brought.open(line, salt, signature);
    } catch (error) {
      if (!(error instanceof Dispute)) throw error;
      brought.write({ kind: "declined", code: error.code });
      this.#blame(error);
      await this.#say("agree", { code: error.code });
      return undefined;
    }
    const own = chain.state(unhex(this.#kept.secret), brought.first(salt), chain.AGREED, this.seat);
    if (!brought.agreed) brought.write({ kind: "agreed", nonce: nonce || null, signature: own });
    this.#store();
    this.#only(key);
    await this.#say("agree", { nonce, signature: own });
    return this.#tell("keeps");
  }

  /** The journal whose key the site took, though the opening has another. */
  #taken() {
    const kept = [...stored(this.prefix).map(([, one]) => one), ...this.#own.values()].find((one) => one.taken);
    this.#kept = kept ?? null;
    this.#journal = kept ? Journal.read(kept.lines) : null;
    return this.#journal;
  }

  // ── play ──

  /** Note what was entered, before it is answered. @param {unknown} text */
  entered(text) {
    if (typeof text !== "string" || !this.#recall() || !this.#kept) return;
    this.#kept.pending = [...this.#kept.pending, bare(text)].slice(-20);
    this.#store();
  }

  gaveUp() {
    const journal = this.#recall();
    if (!journal || journal.gaveUp) return;
    journal.write({ kind: "gave-up" });
    this.#store();
  }

  /** Take down the answer that the site has heard, and find out whether all were. @param {number} count @param {string} said */
  #caughtUp(count, said) {
    const [kept, journal] = [/** @type {Kept} */ (this.#kept), /** @type {Journal} */ (this.#journal)];
    const last = journal.questions.at(-1);
    if (last && !last.answer && count === journal.count + 1) {
      journal.write({ kind: "said", text: said });
      if (kept.pending.length && !kept.pending.includes(bare(said))) throw new Dispute("answer", "other-answer");
    } else if (count !== journal.count) {
      kept.hole = true; // answered in another browser, as far as this one can tell
    }
    kept.pending = [];
  }

  /** @param {Message} message */
  #asked({ turn, left, head, text, refused, count, said }) {
    const journal = /** @type {Journal} */ (this.#journal);
    if (journal.questions.at(-1)?.head === head) return this.#tell("keeps");
    try {
      this.#caughtUp(count, said);
    } finally {
      journal.write({ kind: "asked", turn, left, head, view: chain.view(text), refused });
      this.#store();
    }
    return this.#tell("keeps");
  }

  /** @param {Message} message */
  #ended({ score, termination, reason, count, said }) {
    const journal = /** @type {Journal} */ (this.#journal);
    if (journal.ended) return;
    try {
      this.#caughtUp(count, said);
    } finally {
      journal.write({ kind: "ended", score, termination, reason });
      this.#store();
    }
  }

  // ── the record ──

  /** What this page says of a record: nothing, or what is wrong. @param {string} text @returns {Dispute | null} */
  #judge(text) {
    const [kept, journal] = [/** @type {Kept} */ (this.#kept), /** @type {Journal} */ (this.#journal)];
    if (kept.trouble) return new Dispute(kept.trouble.code, kept.trouble.why, kept.trouble.event);
    if (kept.hole) return new Dispute("no-journal", "no-journal");
    try {
      journal.compare(text);
    } catch (error) {
      if (!(error instanceof Dispute)) throw error;
      return kept.gap && error.why === "never-put" ? new Dispute("no-journal", "no-journal") : error;
    }
    return null;
  }

  async #sign() {
    const answer = await fetch(`/games/${this.name}/unsealed`);
    if (!answer.ok) return;
    const text = await answer.text();
    if (!this.#recall() || !this.#kept || !this.#journal) return;
    const [dispute, subject, secret] = [this.#judge(text), subjectOf(text), unhex(this.#kept.secret)];
    const about = { count: subject.count, head: hex(subject.head) };
    if (dispute) {
      const signature = chain.state(secret, subject, chain.DISPUTED, this.seat, chain.disputes(dispute.code));
      this.#journal.write({ kind: "disputed", ...about, code: dispute.code, signature });
      this.#store();
      await this.#say("sign", { code: dispute.code, signature });
      this.#blame(dispute);
      return;
    }
    const signature = chain.state(secret, subject, chain.PLAYED, this.seat);
    this.#journal.write({ kind: "signed", ...about, signature });
    this.#store();
    const { taken } = await this.#say("sign", { signature });
    this.#tell(taken ? "signed" : "silent");
  }

  /** Check the sealed record of a game that is over, and let go of what was kept where nothing is wrong with it. */
  async settle() {
    const journal = this.#recall();
    const kept = this.#kept;
    if (!journal || !kept) return;
    const answer = await fetch(`/games/${this.name}/record`);
    if (!answer.ok) return;
    const octets = new Uint8Array(await answer.arrayBuffer());
    const found = await check(octets);
    const text = new TextDecoder().decode(octets);
    const lines = text.split("\n").slice(0, -1);
    if (lines.at(-1)?.startsWith('{"count":')) lines.pop();
    const dispute = this.#late(lines) ?? this.#judge(lines.map((line) => `${line}\n`).join(""));
    if (dispute) this.#blame(dispute);
    else if (found.fault) this.#blame({ code: "chain", why: "record-broken", event: found.fault.line });
    else this.#tell(found.seats[this.seat]?.state ?? "silent");
    if (kept.trouble) return; // evidence is kept
    for (const [place] of stored(this.prefix)) shelf((box) => box.removeItem(place));
  }

  /** Complete the journal of a page that was not there at the end, as far as the record may: last answer and verdict. @param {string[]} lines */
  #late(lines) {
    const journal = /** @type {Journal} */ (this.#journal);
    if (journal.ended || this.#kept?.trouble) return null;
    try {
      const events = lines.map((line) => JSON.parse(line));
      const answers = events.filter(({ kind, seat }) => kind === "said" && seat === this.seat);
      this.#caughtUp(answers.length, answers.at(-1)?.text ?? "");
      const { reason, scores, termination } = JSON.parse(events.find(({ kind }) => kind === "ended").text);
      journal.write({ kind: "ended", score: scores === null ? "-" : String(scores[this.seat]), termination, reason: oneLine(canonical(reason)) });
    } catch (error) {
      return error instanceof Dispute ? error : new Dispute("chain", "form");
    }
    return null;
  }

  /** @param {string} what @param {Record<string, string>} fields */
  async #say(what, fields) {
    const answer = await send(`/games/${this.name}/${what}`, fields);
    return answer.ok ? /** @type {{ taken: boolean }} */ (await answer.json()) : { taken: false };
  }

  // ── what people read ──

  /** @param {string} word */
  #tell(word) {
    if (this.#kept?.trouble || (this.#begun && word === "keeps")) return;
    this.#begun = word === "keeps";
    this.#show(word, "", word === "signed" || word === "silent");
  }

  /** Say what is wrong, in red; that there is no journal is nobody's fault. @param {Trouble} trouble */
  #blame({ code, why, event }) {
    if (code === "no-journal") {
      this.#show("no-journal", "", false);
      return;
    }
    if (this.#kept && !this.#kept.trouble && this.#journal) {
      this.#kept.trouble = { code, why, event };
      this.#store();
    }
    this.#show(why, "bad", true);
  }

  /** @param {string} word @param {string} tone @param {boolean} evidence */
  #show(word, tone, evidence) {
    const box = find("#witness", HTMLElement);
    box.hidden = false;
    box.className = `witness ${tone ? `voice ${tone}` : "quiet"}`;
    box.dataset.state = word;
    box.replaceChildren(...(tone ? [element("b", said("wrong")), " "] : []), said(word));
    if (!evidence || !this.#journal) return;
    const journal = link(said("journal"), `${this.name}-${this.seat + 1}.jsonl`, URL.createObjectURL(new Blob([utf8(this.#journal.text)], { type: "application/jsonl" })));
    box.append(" ", journal);
    if (tone && over()) box.append(" ", link(said("record"), `${this.name}.arbitre`, `/games/${this.name}/record`));
  }
}

/** The key that an opening has on a seat. @param {string} line @param {number} seat @returns {string} */
function keyIn(line, seat) {
  try {
    return JSON.parse(JSON.parse(line).text).chairs[seat].key;
  } catch {
    return "";
  }
}

/** Words without what a record may write otherwise: spaces and capitals. @param {string} text */
const bare = (text) => text.replace(/\s+/g, "").toLowerCase().slice(0, LONGEST_SAID);

/** What a word of the page says. @param {string} word */
const said = (word) => document.querySelector(`#witness-words [data-word="${word}"]`)?.textContent ?? word;
const over = () => find("#game", HTMLElement).dataset.over === "yes";

/** @param {string} kind @param {string} text */
function element(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

/** @param {string} text @param {string} name @param {string} href */
function link(text, name, href) {
  const made = document.createElement("a");
  Object.assign(made, { href, download: name, textContent: text });
  return made;
}

/** Be the witness of a page's own seat; returns who hears what the stream says. @returns {(message: Message) => void} */
export function attend() {
  const { name = "", eye = "" } = find("#game", HTMLElement).dataset;
  if (!/^[0-9]+$/.test(eye) || !maybe("#witness", HTMLElement)) return () => undefined;
  const witness = new Witness(name, eye);
  if (over()) {
    witness.settle();
    return () => undefined;
  }
  window.addEventListener("message", (event) => {
    const own = all("#game .frame > iframe", HTMLIFrameElement).some((one) => one.contentWindow === event.source);
    if (own && event.data?.arbitre?.said !== undefined) witness.entered(event.data.arbitre.said);
  });
  window.addEventListener("submit", async (event) => { // behind the page's own listeners: whoever was asked whether to give up has said yes
    const form = event.target instanceof HTMLFormElement ? event.target : null;
    if (form?.matches("form.say")) witness.entered(find("[name=move]", HTMLInputElement, form).value);
    if (!form?.matches('[action$="/resign"]') || event.defaultPrevented) return;
    event.preventDefault(); // the page stays, and signs; its stream says the rest
    witness.gaveUp();
    const answer = await send(form.action).catch(() => null);
    if (!answer?.ok) form.submit();
  });
  return (message) => witness.hear(message);
}
