// The frame without an origin in which pupils' programs run, each in a Worker of its own: nothing of theirs runs here, for no policy
// keeps a document from everything. The frame starts Workers from the texts that its page hands it, keeps one warm for the next run,
// and ends the one that does not answer in time, or that speaks without being asked.
"use strict";
(() => {
  const LONGEST = { printed: 20000, move: 8192, kind: 60, text: 600 };

  /**
   * What the page hands over: the text of the harness, and Python's.
   * @typedef {{worker: string, python: string, library: string, warm: string}} Parts
   * @typedef {"python" | "javascript"} Language
   */

  /** @type {Parts} */
  let parts;
  /** @type {Record<string, unknown>} What was compiled for a language, from a Worker in which no pupil's program had run. */
  const compiled = {};

  /** @param {unknown} said @param {number} longest */
  const short = (said, longest) => (typeof said === "string" ? said.slice(0, longest) : "");

  /** What is told of what a Worker said: nothing but texts and a number. @param {any} told */
  function clean(told) {
    const error = told?.error;
    return {
      printed: short(told?.printed, LONGEST.printed),
      ...(typeof told?.move === "string" ? { move: short(told.move, LONGEST.move) } : {}),
      ...(error ? { error: { kind: short(error.kind, LONGEST.kind), line: Number.isInteger(error.line) ? error.line : 0, text: short(error.text, LONGEST.text) } } : {}),
    };
  }

  class Run {
    /** @param {Language} language */
    constructor(language) {
      this.language = language;
      this.gone = false;
      this.count = 0;
      /** @type {{id: number, settle: (told: any) => void} | null} */
      this.open = null;
      const address = URL.createObjectURL(new Blob([parts.worker], { type: "text/javascript" }));
      this.worker = new Worker(address);
      URL.revokeObjectURL(address);
      this.worker.addEventListener("message", ({ data }) => {
        if (this.open && data?.id === this.open.id) this.open.settle(data);
        else this.end();
      });
      this.worker.addEventListener("error", (event) => {
        event.preventDefault();
        this.fail("Gone", 0, event.message);
      });
      /** When it is warm. */
      this.warm = this.ask({ what: "warm", language, ...(language === "python" ? { ...parts, compiled: compiled.python } : {}) }, 60000).then((told) => {
        if (told.compiled) compiled[language] = told.compiled;
        return told;
      });
    }

    /** Ask the Worker something, and return what it says within so many milliseconds. @param {any} wanted @param {number} limit @returns {Promise<any>} */
    ask(wanted, limit) {
      if (this.gone) return Promise.resolve({ error: { kind: "Gone", line: 0, text: "" } });
      return new Promise((settled) => {
        const id = ++this.count;
        const bell = setTimeout(() => this.fail("TooSlow", 0, String(limit)), limit);
        this.open = { id, settle: (told) => { clearTimeout(bell); this.open = null; settled(told); } };
        this.worker.postMessage({ ...wanted, id });
      });
    }

    /** End it, and say why where somebody waits. @param {string} kind @param {number} line @param {string} text */
    fail(kind, line, text) {
      this.open?.settle({ error: { kind, line, text } });
      this.end();
    }

    end() {
      this.gone = true;
      this.worker.terminate();
      if (this.open) this.open.settle({ error: { kind: "Gone", line: 0, text: "" } });
    }
  }

  /** A browser says in which line a script cannot be read only of one that is to be run: this one ends before anything of it is. @param {string} source @returns {Promise<number>} */
  const unread = (source) => new Promise((found) => {
    const address = URL.createObjectURL(new Blob([`throw 0; (function () {${source}\n})`], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      worker.terminate();
      URL.revokeObjectURL(address);
      found(/SyntaxError/.test(event.message) ? event.lineno : 0);
    });
  });

  /** @type {Run | null} */
  let spare = null;
  /** @type {Run | null} */
  let current = null;

  /** Have one warm for the next run. @param {Language} language */
  function prepare(language) {
    if (spare && (spare.gone || spare.language !== language)) {
      spare.end();
      spare = null;
    }
    spare ??= new Run(language);
    return spare.warm;
  }

  /** Do what the page wants. @param {any} wanted @returns {Promise<any>} */
  async function done(wanted) {
    if (wanted.do === "load") {
      parts = wanted.parts;
      return {};
    }
    if (wanted.do === "warm") return clean(await prepare(wanted.language));
    if (wanted.do === "fresh") {
      const told = await prepare(wanted.language);
      current?.end();
      [current, spare] = [spare, null];
      return told.error ? told : {};
    }
    if (wanted.do === "stop") {
      current?.end();
      current = null;
      return {};
    }
    if (wanted.do === "spare") {
      prepare(wanted.language);
      return {};
    }
    const told = current ? await current.ask(wanted.ask, wanted.limit) : { error: { kind: "Gone", line: 0, text: "" } };
    if (told.error?.kind === "SyntaxError" && !told.error.line && wanted.ask.source) told.error.line = await unread(wanted.ask.source);
    return clean(told);
  }

  addEventListener("message", async (event) => {
    if (event.source !== parent || event.data?.workshop === undefined) return;
    const { id, ...wanted } = event.data.workshop;
    parent.postMessage({ workshop: { ...(await done(wanted)), id } }, "*"); // only our own pages frame this one
  });
  parent.postMessage({ workshop: { id: 0 } }, "*");
})();
