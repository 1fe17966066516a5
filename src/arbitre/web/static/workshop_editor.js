// The workshop's editor: a text field, and behind it the same text in colours, of which only the lines that changed are painted anew.
// It indents, comments, takes back and does again; the tabulator indents, unless Escape was pressed before it.

const GROUP_MS = 600;
const MOST_STEPS = 300;

/** @typedef {{value: string, start: number, end: number}} Moment the text, and what is selected */
/** @typedef {{comment: string, indent: string, opens: RegExp, parts: RegExp, long: Record<string, string>}} Tongue */

const KEYWORDS = {
  python: "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield",
  javascript: "async await break case catch class const continue default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield",
};
/** @param {string} words */
const any = (words) => words.replaceAll(" ", "|");

/** How a language is painted: comment, long text that goes on, text, keyword, number, name that is called. @type {Record<string, Tongue>} */
const TONGUES = {
  python: {
    comment: "# ",
    indent: "    ",
    opens: /:\s*(#.*)?$/,
    parts: new RegExp(`(#.*)|("""|''')|("(?:\\\\.|[^"\\\\])*"?|'(?:\\\\.|[^'\\\\])*'?)|\\b(${any(KEYWORDS.python)})\\b|\\b(\\d[\\w.]*)|\\b([A-Za-z_]\\w*)(?=\\s*\\()`, "g"),
    long: { '"""': '"""', "'''": "'''" },
  },
  javascript: {
    comment: "// ",
    indent: "  ",
    opens: /[{([]\s*$/,
    parts: new RegExp(`(//.*)|(/\\*|\`)|("(?:\\\\.|[^"\\\\])*"?|'(?:\\\\.|[^'\\\\])*'?)|\\b(${any(KEYWORDS.javascript)})\\b|\\b(\\d[\\w.]*)|\\b([A-Za-z_$]\\w*)(?=\\s*\\()`, "g"),
    long: { "/*": "*/", "`": "`" },
  },
};
const KINDS = ["code-comment", "code-text", "code-text", "code-word", "code-number", "code-call"];

/** @param {string} text @param {string} kind */
function span(text, kind) {
  if (!kind) return document.createTextNode(text);
  return Object.assign(document.createElement("span"), { textContent: text, className: kind });
}

/** The pieces of a line, and what long text is still open behind it. @param {string} line @param {string} open @param {Tongue} tongue @returns {[Node[], string]} */
function painted(line, open, tongue) {
  /** @type {Node[]} */
  const pieces = [];
  let at = 0;
  while (at < line.length) {
    if (open) {
      const end = line.indexOf(open, at);
      const until = end < 0 ? line.length : end + open.length;
      pieces.push(span(line.slice(at, until), open === "*/" ? "code-comment" : "code-text"));
      if (end >= 0) open = "";
      at = until;
      continue;
    }
    tongue.parts.lastIndex = at;
    const found = tongue.parts.exec(line);
    if (!found) {
      pieces.push(span(line.slice(at), ""));
      break;
    }
    if (found.index > at) pieces.push(span(line.slice(at, found.index), ""));
    const kind = found.slice(1).findIndex((one) => one !== undefined);
    at = found.index + found[0].length;
    if (kind === 1) open = tongue.long[found[0]];
    pieces.push(span(found[0], found[0] === "/*" ? "code-comment" : KINDS[kind]));
  }
  return [pieces, open];
}

export class Editor {
  /** @type {{text: string, open: string, node: HTMLElement}[]} */
  #lines = [];
  /** @type {Moment[]} */
  #past = [];
  /** @type {Moment[]} */
  #future = [];
  #written = 0;
  #leaves = false;
  #language = "python";
  /** What is called when the text changes. */
  changed = () => {};

  /** @param {HTMLTextAreaElement} field @param {HTMLElement} paper */
  constructor(field, paper) {
    this.field = field;
    this.paper = paper;
    /** @type {Moment} */
    this.now = this.#moment();
    field.addEventListener("input", () => this.#typed());
    field.addEventListener("scroll", () => this.#scrolled());
    field.addEventListener("keydown", (event) => this.#key(event));
    field.addEventListener("blur", () => { this.#leaves = false; });
    field.addEventListener("beforeinput", (event) => {
      if (event.inputType !== "historyUndo" && event.inputType !== "historyRedo") return;
      event.preventDefault();
      this.press(event.inputType === "historyUndo" ? "undo" : "redo");
    });
  }

  get text() {
    return this.field.value;
  }

  /** Show another text, in a language. @param {string} text @param {string} language */
  open(text, language) {
    this.#language = language;
    this.#lines = [];
    this.paper.replaceChildren();
    this.field.value = text;
    this.field.setSelectionRange(0, 0);
    this.now = this.#moment();
    this.#past = [];
    this.#future = [];
    this.#paint();
    this.field.scrollTop = 0;
  }

  /** Write another text over this one; it can be taken back. @param {string} text */
  replace(text) {
    this.#set(text, 0);
  }

  get #tongue() {
    return TONGUES[this.#language];
  }

  /** @returns {Moment} */
  #moment() {
    return { value: this.field.value, start: this.field.selectionStart, end: this.field.selectionEnd };
  }

  #typed() {
    const then = performance.now();
    if (then - this.#written > GROUP_MS || !this.#past.length) this.#keep();
    this.#written = then;
    this.#future = [];
    this.now = this.#moment();
    this.#paint();
    this.changed();
  }

  #keep() {
    this.#past.push(this.now);
    if (this.#past.length > MOST_STEPS) this.#past.shift();
  }

  /** Write something over what is selected, or set the whole. @param {string} value @param {number} start @param {number} end */
  #set(value, start, end = start) {
    this.#keep();
    this.#future = [];
    this.#written = 0;
    this.#show({ value, start, end });
  }

  /** @param {Moment} moment */
  #show(moment) {
    this.field.value = moment.value;
    this.field.setSelectionRange(moment.start, moment.end);
    this.now = moment;
    this.#paint();
    this.changed();
  }

  /** Paint the lines that changed, from both ends. */
  #paint() {
    const texts = this.field.value.split("\n");
    let open = "";
    const next = [];
    const old = this.#lines;
    let same = 0;
    while (same < Math.min(old.length, texts.length) && old[same].text === texts[same]) same += 1;
    let tail = 0;
    while (tail < Math.min(old.length, texts.length) - same && old[old.length - 1 - tail].text === texts[texts.length - 1 - tail]) tail += 1;
    for (const gone of old.slice(same, old.length - tail)) gone.node.remove();
    const behind = tail ? old[old.length - tail].node : null;
    for (const [at, text] of texts.entries()) {
      const known = at < same ? old[at] : at >= texts.length - tail ? old[old.length - (texts.length - at)] : null;
      const [pieces, after] = known && known.open === open ? [null, ""] : painted(text, open, this.#tongue);
      const node = known?.node ?? document.createElement("div");
      if (pieces) node.replaceChildren(...(pieces.length ? pieces : [document.createTextNode("\u200b")]));
      if (!known) this.paper.insertBefore(node, behind);
      next.push({ text, open, node });
      open = pieces ? after : painted(text, open, this.#tongue)[1];
    }
    this.#lines = next;
    this.paper.style.setProperty("--digits", String(String(texts.length).length));
    this.#scrolled();
  }

  #scrolled() {
    this.paper.style.transform = `translate(${-this.field.scrollLeft}px, ${-this.field.scrollTop}px)`;
  }

  /** Mark a line as wrong; 0: none. @param {number} line */
  mark(line) {
    for (const [at, one] of this.#lines.entries()) one.node.classList.toggle("wrong", at + 1 === line);
    this.field.setAttribute("aria-invalid", String(line > 0));
  }

  /** Go to a line. @param {number} line */
  go(line) {
    const texts = this.text.split("\n");
    const at = texts.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.field.focus();
    this.field.setSelectionRange(at, at + (texts[line - 1]?.length ?? 0));
    this.field.scrollTop = Math.max(0, (line - 3) * parseFloat(getComputedStyle(this.field).lineHeight));
  }

  /** Do what a key of the bar says. @param {string} what */
  press(what) {
    if (what === "undo" || what === "redo") return this.#turn(what === "undo" ? this.#past : this.#future, what === "undo" ? this.#future : this.#past);
    if (what === "indent" || what === "outdent") return this.#shift(what === "indent");
    if (what === "comment") return this.#comment();
    const { value, start, end } = this.#moment();
    const [before, after] = what.includes(" ") ? what.split(" ") : [what, ""];
    return this.#set(value.slice(0, start) + before + value.slice(start, end) + after + value.slice(end), start + before.length, end + before.length);
  }

  /** @param {Moment[]} from @param {Moment[]} to */
  #turn(from, to) {
    const moment = from.pop();
    if (!moment) return;
    to.push(this.now);
    this.#written = 0;
    this.#show(moment);
  }

  /** Change the lines that are selected. @param {(line: string) => string} change */
  #each(change) {
    const { value, start, end } = this.#moment();
    const from = value.lastIndexOf("\n", start - 1) + 1;
    const found = value.indexOf("\n", end > start && value[end - 1] === "\n" ? end - 1 : end);
    const until = found < 0 ? value.length : found;
    const lines = value.slice(from, until).split("\n");
    const made = lines.map(change);
    const first = made[0].length - lines[0].length;
    const all = made.join("\n");
    this.#set(value.slice(0, from) + all + value.slice(until), Math.max(from, start + first), Math.max(from, end + all.length - (until - from)));
  }

  /** @param {boolean} deeper */
  #shift(deeper) {
    const { indent } = this.#tongue;
    const { value, start, end } = this.#moment();
    if (deeper && start === end) return this.#set(value.slice(0, start) + indent + value.slice(end), start + indent.length);
    return this.#each((line) => (deeper ? (line ? indent + line : line) : line.replace(new RegExp(`^ {1,${indent.length}}`), "")));
  }

  #comment() {
    const mark = this.#tongue.comment;
    const plain = mark.trim();
    const { value, start, end } = this.#moment();
    const from = value.lastIndexOf("\n", start - 1) + 1;
    const commented = value.slice(from, Math.max(end, from + 1)).trimStart().startsWith(plain);
    this.#each((line) => {
      if (!line.trim()) return line;
      const deep = line.length - line.trimStart().length;
      const rest = line.slice(deep);
      if (!commented) return line.slice(0, deep) + mark + rest;
      return line.slice(0, deep) + (rest.startsWith(mark) ? rest.slice(mark.length) : rest.startsWith(plain) ? rest.slice(plain.length) : rest);
    });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (key === "escape") {
      this.#leaves = true;
      return;
    }
    if (key === "tab" && !command && !event.altKey && !this.#leaves) this.press(event.shiftKey ? "outdent" : "indent");
    else if (command && key === "z") this.press(event.shiftKey ? "redo" : "undo");
    else if (command && key === "y") this.press("redo");
    else if (command && event.key === "/") this.press("comment");
    else if (key === "enter" && !command && !event.isComposing) this.#enter();
    else if (key === "backspace" && !command && this.#back()) return void event.preventDefault();
    else {
      if (key !== "shift") this.#leaves = this.#leaves && key === "tab";
      return;
    }
    event.preventDefault();
  }

  #enter() {
    const { value, start, end } = this.#moment();
    const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
    const deep = /^ */.exec(line)?.[0] ?? "";
    const added = `\n${deep}${this.#tongue.opens.test(line) ? this.#tongue.indent : ""}`;
    this.#set(value.slice(0, start) + added + value.slice(end), start + added.length);
    if (value.indexOf("\n", end) < 0) this.field.scrollTop = this.field.scrollHeight;
  }

  /** Take a whole indentation back. */
  #back() {
    const { value, start, end } = this.#moment();
    const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
    const { length } = this.#tongue.indent;
    if (start !== end || !line || line.trim() || line.length % length) return false;
    this.#set(value.slice(0, start - length) + value.slice(end), start - length);
    return true;
  }
}
