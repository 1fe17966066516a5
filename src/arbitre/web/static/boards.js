// A board of a page: a frame with an interface, which is shown one position after the other.
//
// Interfaces go by their query alone (spec: tournoyons, section 5): each position is another page, loaded behind the one that is
// shown. An interface of the house that says it is ready stays, and gets the next position by message; what moves is animated there.

import { all } from "./elements.js";
import { saying, surround } from "./surround.js";

const [WIDTH, HEIGHT] = [736, 660];
const LONGEST_KEPT = 4000;
const LONGEST_FORETOLD = 80;
const READY_MS = 1500;

/**
 * What a board is told of its page: where the interface is, in which sandbox, whether it is the house's, and its words there.
 * @typedef {object} Setting
 * @property {string} base
 * @property {string} sandbox
 * @property {boolean} ours
 * @property {Record<string, string> | null} words
 * @property {() => boolean} silent
 * @property {(text: string) => void} keep
 * @property {(text: string) => void} foretell says what a choice would do
 */

export class Board {
  /** @type {HTMLIFrameElement | undefined} The frame that stays, once it has said that it is ready. */
  stays;

  /** @param {HTMLElement} box @param {Setting} setting */
  constructor(box, setting) {
    this.box = box;
    this.setting = setting;
    this.wanted = ""; // what is to be shown
    this.loaded = ""; // what the newest frame shows
    this.loading = ""; // what is on its way
    this.eager = false; // whether the keys go to the next frame
    this.kept = ""; // what an interface wants to find again in its next frame, and when the page is opened again
    new ResizeObserver(() => this.#fit()).observe(box);
    window.addEventListener("message", (event) => this.#told(event));
  }

  #frames() {
    return all(":scope > iframe", HTMLIFrameElement, this.box);
  }

  /** @param {MessageEvent} event */
  #told(event) {
    const from = this.#frames().find((one) => one.contentWindow === event.source);
    const said = from && event.data?.arbitre;
    if (!from || !said) return;
    if (said.ready === true && this.setting.ours && from.dataset.staged === "yes") {
      this.stays = from;
      from.classList.add("staged");
      this.#fit();
      this.#settle();
    }
    if (typeof said.foretold === "string" && from === this.stays) this.setting.foretell(said.foretold.slice(0, LONGEST_FORETOLD));
    // a sandbox has no storage: the page keeps a short text for it
    if (typeof said.keep === "string" && said.keep.length < LONGEST_KEPT) {
      this.kept = said.keep;
      this.setting.keep(said.keep);
    }
  }

  /** A page that knows how to be of any size is as large as its box; any other has the size of the protocol, and is scaled. */
  #fit() {
    const scale = Math.min(this.box.clientWidth / WIDTH, this.box.clientHeight / HEIGHT);
    for (const one of this.#frames()) {
      const fluid = one === this.stays;
      one.style.width = fluid ? "" : `${WIDTH}px`;
      one.style.height = fluid ? "" : `${HEIGHT}px`;
      one.style.transform = fluid ? "" : `translate(${(this.box.clientWidth - WIDTH * scale) / 2}px, ${(this.box.clientHeight - HEIGHT * scale) / 2}px) scale(${scale})`;
    }
  }

  /** Show a query; while one is on its way, only the last that was wanted meanwhile is shown next. @param {string} query */
  show(query, still = false) {
    const coloured = query && saying(query, "Color", surround());
    this.wanted = coloured && this.setting.silent() ? saying(coloured, "Mute", "yes") : coloured;
    if (this.loading || !this.wanted || this.wanted === this.loaded) return;
    if (this.stays) this.#send(this.stays, still);
    else this.#load(this.wanted);
  }

  /** @param {HTMLIFrameElement} frame @param {boolean} still */
  #send(frame, still) {
    this.loaded = frame.dataset.query = this.wanted;
    frame.contentWindow?.postMessage({ arbitre: { scene: { query: this.wanted, still } } }, "*"); // a sandbox has no origin to name
    this.#focus(frame, false);
  }

  /** @param {HTMLElement} frame @param {boolean} had */
  #focus(frame, had) {
    if (had || this.eager) frame.focus({ preventScroll: true }); // keys go where they went
    this.eager = false;
  }

  /** @param {string} query */
  #load(query) {
    const { base, sandbox, ours, words } = this.setting;
    this.loading = this.loaded = query;
    const next = document.createElement("iframe");
    next.setAttribute("sandbox", sandbox);
    next.title = document.title;
    next.name = this.kept;
    next.dataset.query = query;
    if (ours) next.dataset.staged = "yes";
    next.addEventListener("load", () => {
      const had = this.box.contains(document.activeElement);
      next.classList.add("shown");
      this.box.removeAttribute("aria-busy");
      if (words) next.contentWindow?.postMessage({ arbitre: { words } }, "*"); // names of its buttons: no secret
      for (const one of this.#frames()) if (one !== next) one.remove();
      this.#focus(next, had);
      // one of the house says at once that it stays; what comes meanwhile is for it, not for a frame behind it
      if (ours && !this.stays) setTimeout(() => this.#settle(), READY_MS);
      else this.#settle();
    }, { once: true });
    next.src = base + (base.includes("?") ? "&" : "?") + query + (ours ? "#stage" : "");
    this.box.append(next);
    this.#fit();
  }

  /** Show what was wanted while a frame was on its way. */
  #settle() {
    if (!this.loading) return;
    this.loading = "";
    const { wanted } = this;
    if (wanted !== this.loaded) this.show(wanted);
  }

  /** Show the same again, as it was before somebody touched it. */
  again() {
    this.loaded = "";
    this.show(this.wanted, true);
  }

  /** Show the same in the colours that the page has now. */
  recolour() {
    if (this.wanted) this.show(this.wanted.replace(/(^|&)Color=[0-9a-f]{6}&?/, "$1"), true);
  }
}
