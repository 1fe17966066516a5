// Any game: its picture in characters, and a field for a move in its notation. For games that bring no interface of their own.
// What is no move is told by the page around, which then asks again.

import { run } from "./toolkit/interface.js";
import { stone } from "./toolkit/pieces.js";
import { element } from "./toolkit/svg.js";

const LONGEST = 200;

class Text {
  tokens = [() => stone("warm"), () => stone("cool")];
  /** @type {import("./toolkit/frame.js").Frame} */
  frame;
  /** @type {HTMLPreElement} */
  picture;

  /** @param {import("./toolkit/frame.js").Frame} frame @param {import("./toolkit/parameters.js").Parameters} parameters */
  build(frame, parameters) {
    this.frame = frame;
    this.picture = element("pre", { class: "picture", tabindex: "0" });
    this.picture.textContent = parameters.tray || "";
    const lines = this.picture.textContent.split("\n");
    const wide = Math.max(1, ...lines.map((line) => line.length));
    this.picture.style.fontSize = `min(28px, ${140 / wide}vw, ${54 / lines.length}vh)`; // as large as fits, and no larger
    frame.place.append(this.picture);
  }

  show() {}

  /** @param {number} _seat @param {(said: string) => void} answer */
  ask(_seat, answer) {
    const field = element("input", { class: "said", maxlength: LONGEST, autocomplete: "off", spellcheck: "false", "aria-label": "Value" });
    const button = element("button", { type: "button", class: "control", "aria-label": "↵" }, "↵");
    const before = [...this.frame.legend.childNodes];
    const say = () => {
      const said = field.value.trim();
      if (!said) return;
      this.frame.legend.replaceChildren(...before);
      answer(said);
    };
    button.addEventListener("click", say);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") say();
    });
    this.frame.legend.append(field, button);
    field.focus({ preventScroll: true });
  }

  // ── by hand ──

  play() {}

  tray() {
    return this.picture.textContent ?? "";
  }
}

run(() => new Text());
