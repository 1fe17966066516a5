// The sandbox as a page of the workshop uses it: a frame without an origin, in it a Worker, in that a pupil's program. One thing is
// asked at a time, and each has its time; a frame that does not answer any more is replaced.

const END_MS = 2000;
const BEGIN_MS = 5000;
const GRACE_MS = 3000;
const WARM_MS = 60000;

/**
 * @typedef {{kind: string, line: number, text: string}} Fault
 * @typedef {{printed: string, move?: string, error?: Fault}} Told
 * @typedef {"python" | "javascript"} Language
 * @typedef {{frame: string, worker: string, python: string, library: string, warm: string, title: string, patience: number}} Place where everything is, and how long a program may take for a move
 */

export class Sandbox {
  /** @type {Promise<void> | null} */
  #opened = null;
  /** @type {HTMLIFrameElement | null} */
  #frame = null;
  /** @type {Map<number, (told: any) => void>} */
  #open = new Map();
  #count = 0;
  #turn = Promise.resolve();
  /** @type {Set<string>} */
  #games = new Set();
  #source = "";
  /** @type {Language | ""} */
  #language = "";
  /** @type {Promise<Record<string, string>> | null} */
  #texts = null;

  /** @param {HTMLElement} box @param {Place} place */
  constructor(box, place) {
    this.box = box;
    this.place = place;
    addEventListener("message", (event) => {
      if (!this.#frame || event.source !== this.#frame.contentWindow) return;
      const { id, ...told } = event.data?.workshop ?? {};
      this.#open.get(id)?.(told);
    });
  }

  /** @param {string} address */
  static async #fetched(address) {
    const found = await fetch(address);
    if (!found.ok) throw new Error(`${address}: ${found.status}`);
    return found.text();
  }

  /** The texts that the frame needs: Python's only where Python is written. @param {Language} language */
  async #parts(language) {
    const names = language === "python" ? ["worker", "python", "library"] : ["worker"];
    const known = await (this.#texts ?? Promise.resolve(/** @type {Record<string, string>} */ ({})));
    const missing = names.filter((name) => known[name] === undefined);
    const place = /** @type {Record<string, any>} */ (this.place);
    const found = await Promise.all(missing.map((name) => Sandbox.#fetched(place[name])));
    missing.forEach((name, at) => { known[name] = found[at]; });
    this.#texts = Promise.resolve(known);
    return known;
  }

  /** Open the frame. */
  #framed() {
    this.#opened ??= new Promise((opened) => {
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      frame.title = this.place.title;
      frame.hidden = true;
      this.#open.set(0, () => { this.#open.delete(0); opened(); });
      this.#frame = frame;
      this.box.append(frame);
      frame.src = this.place.frame;
    });
    return this.#opened;
  }

  /** Throw the frame away with everything in it. */
  #drop() {
    this.#frame?.remove();
    this.#frame = this.#opened = null;
    this.#language = "";
    this.#games.clear();
  }

  /** Say something to the frame, and return what it answers. @param {any} wanted @param {number} limit @returns {Promise<any>} */
  #say(wanted, limit) {
    return new Promise((settled) => {
      const id = ++this.#count;
      const bell = setTimeout(() => {
        this.#open.delete(id);
        this.#drop();
        settled({ printed: "", error: { kind: "TooSlow", line: 0, text: String(limit) } });
      }, limit + GRACE_MS);
      this.#open.set(id, (told) => {
        clearTimeout(bell);
        this.#open.delete(id);
        settled(told);
      });
      this.#frame?.contentWindow?.postMessage({ workshop: { ...wanted, id } }, "*"); // a sandbox has no origin to name
    });
  }

  /** Do one thing after the other. @template T @param {() => Promise<T>} what @returns {Promise<T>} */
  #alone(what) {
    const done = this.#turn.then(what);
    this.#turn = done.then(() => undefined, () => undefined);
    return done;
  }

  /** @param {Language} language */
  async #ready(language) {
    const parts = await this.#parts(language);
    if (!this.#opened || this.#language !== language) {
      await this.#framed();
      await this.#say({ do: "load", parts: { ...parts, warm: this.place.warm } }, WARM_MS);
      this.#language = language;
      this.#games.clear();
      this.#source = "";
    }
  }

  /** Have a language ready, so that the first try begins at once. @param {Language} language */
  warm(language) {
    return this.#alone(async () => {
      await this.#ready(language);
      return /** @type {Promise<Told>} */ (this.#say({ do: "warm", language }, WARM_MS));
    });
  }

  /** Let a program answer in a game, which begins with the first question. @param {Language} language @param {string} source @param {string} game @param {unknown} p @returns {Promise<Told>} */
  ask(language, source, game, p) {
    return this.#alone(async () => {
      const begun = await this.#begun(language, source, game);
      if (begun.error) return begun;
      const told = await this.#say({ do: "ask", ask: { what: "ask", game, p }, limit: this.place.patience }, this.place.patience);
      if (told.error) this.#source = ""; // the next question goes to a fresh Worker
      return { ...told, printed: begun.printed + told.printed };
    });
  }

  /** Begin a game with a program: in a fresh Worker, unless this very program runs already. @param {Language} language @param {string} source @param {string} game @returns {Promise<Told>} */
  async #begun(language, source, game) {
    await this.#ready(language);
    if (this.#source !== source) {
      this.#games.clear();
      const fresh = await this.#say({ do: "fresh", language }, WARM_MS);
      if (fresh.error) return fresh;
      this.#source = source;
    }
    if (this.#games.has(game)) return { printed: "" };
    const told = await this.#say({ do: "ask", ask: { what: "begin", game, source }, limit: BEGIN_MS }, BEGIN_MS);
    if (told.error) this.#source = "";
    else this.#games.add(game);
    return told;
  }

  /** A game is over. @param {string} game */
  end(game) {
    return this.#alone(async () => {
      if (this.#games.delete(game)) await this.#say({ do: "ask", ask: { what: "end", game }, limit: END_MS }, END_MS);
    });
  }

  /** Nothing goes on: have another Worker ready for the next run, in which nothing of this one is left. */
  rest() {
    return this.#alone(async () => {
      if (!this.#frame || !this.#language) return;
      this.#source = "";
      this.#games.clear();
      await this.#say({ do: "stop" }, END_MS);
      await this.#say({ do: "spare", language: this.#language }, END_MS);
    });
  }
}
