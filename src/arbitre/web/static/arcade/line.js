// The wire of a browser: lines go out in requests, one after the other, and come in by one stream of events with their numbers.

import { send, token } from "../form.js";

const TRIES = 10;
const AGAIN_MS = 1000;
const MOST_FAILED = 5;

export class Line {
  #visit = "";
  /** @type {EventSource | null} */
  #source = null;
  #turn = Promise.resolve();
  #last = 0;
  #said = 0;
  #failed = 0;

  /**
   * `heard` takes each line, `ended` is called when the other end hangs up, `cut` tells whether the stream is interrupted.
   * @param {{ heard: (line: string) => void, ended: () => void, cut: (yes: boolean) => void }} calls
   */
  constructor({ heard, ended, cut }) {
    this.heard = heard;
    this.ended = ended;
    this.cut = cut;
    addEventListener("pagehide", () => this.leave());
  }

  /** @param {string[]} wishes */
  async open(wishes) {
    const answer = await send("/arcade/visits", { lines: wishes.join("\n") });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? String(answer.status));
    this.#visit = (await answer.json()).visit;
    this.#listen();
  }

  /** Listen from the last line on; browsers reconnect by themselves, but not after an answer that was none. */
  #listen() {
    const source = new EventSource(`/arcade/visits/${this.#visit}/lines?after=${this.#last}`);
    this.#source = source;
    source.addEventListener("message", (event) => {
      const number = Number(event.lastEventId);
      if (number === this.#last + 1) {
        this.#last = number;
        this.heard(event.data);
      }
    });
    source.addEventListener("over", () => {
      this.#close();
      this.ended();
    });
    source.addEventListener("open", () => {
      this.#failed = 0;
      this.cut(false);
    });
    source.addEventListener("error", () => {
      if (!this.#visit) return;
      this.cut(true);
      if (source.readyState !== EventSource.CLOSED) return;
      this.#failed += 1;
      if (this.#failed > MOST_FAILED) this.ended();
      else setTimeout(() => { if (this.#visit) this.#listen(); }, AGAIN_MS);
    });
  }

  /** Say lines; a request that fails is sent again under the same number, and counts once. @param {string[]} lines */
  say(lines) {
    this.#said += 1;
    const fields = { lines: lines.join("\n"), number: String(this.#said) };
    this.#turn = this.#turn.then(async () => {
      for (let tries = 0; this.#visit && tries < TRIES; tries += 1) {
        const answer = await send(`/arcade/visits/${this.#visit}`, fields).catch(() => null);
        if (answer && answer.status !== 429) return;
        await new Promise((done) => setTimeout(done, AGAIN_MS));
      }
    });
  }

  /** Hang up: the request outlives the page. */
  leave() {
    if (!this.#visit) return;
    navigator.sendBeacon(`/arcade/visits/${this.#visit}/leave`, new URLSearchParams({ form_token: token() }));
    this.#close();
  }

  #close() {
    this.#source?.close();
    this.#source = null;
    this.#visit = "";
  }
}
