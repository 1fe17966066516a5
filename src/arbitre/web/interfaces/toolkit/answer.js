// Sends what was entered: an inner iframe calls URLReturn?ReturnValue=… (spec: tournoyons, section 5). Once, and only over http(s).

import { element } from "./svg.js";

export class Answer {
  /** @param {string | undefined} returns where to */
  constructor(returns) {
    this.returns = returns;
    /** @type {string | undefined} */
    this.value = undefined;
  }

  /** Returns whether the value was sent: a second one is not, nor one without an address to go to. @param {string} value @param {string} [text] as a record says it */
  send(value, text = value) {
    if (this.value !== undefined) return false;
    this.value = value;
    if (!this.returns) return false;
    window.parent.postMessage({ arbitre: { said: text } }, "*"); // the page around keeps a journal
    // A frame of its own for each: a second page in the same one would be a step of the visitor's history.
    const src = `${this.returns}?ReturnValue=${encodeURIComponent(value)}`;
    const inner = element("iframe", { class: "return", tabindex: "-1", "aria-hidden": "true", referrerpolicy: "no-referrer", src });
    inner.addEventListener("load", () => inner.remove());
    document.body.append(inner);
    return true;
  }
}
