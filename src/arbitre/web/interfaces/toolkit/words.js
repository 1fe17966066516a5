// What things are called for those who do not see them, and what is written on buttons. An interface holds no words: the page around it
// may tell some, in the language of its visitor; until then, and anywhere else, a thing is called by its sign and number.

/** @type {Record<string, unknown>} */
let told = {};

/**
 * Something that is said: a word of the page with its values, or a sign where the page has told none. A value may be such a thing too,
 * or a list of them.
 * @typedef {{ key: string, sign: string, values?: Record<string, Said> }} Word
 * @typedef {string | number | Word | Word[]} Said
 */
/** @typedef {{ word: Word, before: string, also: string, shown: boolean }} Called */
/** @type {Map<Element, Called>} */
const names = new Map(); // by what is named

/** @param {string} key @param {string} [sign] @param {Word["values"]} [values] @returns {Word} */
export const word = (key, sign = key, values) => ({ key, sign, values });

/** @param {Said | undefined} said @returns {string} */
function spoken(said) {
  if (said === undefined) return "";
  if (Array.isArray(said)) return said.map(spoken).join(", ");
  if (typeof said !== "object") return String(said);
  const { key, sign, values = {} } = said;
  return (Object.hasOwn(told, key) ? String(told[key]) : sign).replace(/\{(\w+)\}/g, (_, name) => spoken(values[name]));
}

/**
 * Call something by a word of the page, with its values, or by a sign; return it. `before` stands before it, such as the name of a cell,
 * and `also` is the key of a word behind it, where the page has told it.
 * @template {Element} E @param {E} thing @param {string} key @param {string} sign @param {Word["values"]} values
 */
export function named(thing, key, sign, values = {}, before = "", also = "") {
  return call(thing, { word: { key, sign, values }, before, also, shown: false });
}

/**
 * Write a word of the page, with its values, where everybody sees it, or a sign; return what bears it.
 * @template {Element} E @param {E} thing @param {string} key @param {string} sign @param {Word["values"]} values
 */
export function worded(thing, key, sign, values = {}) {
  return call(thing, { word: { key, sign, values }, before: "", also: "", shown: true });
}

/** Say something to those who listen, in the page's words; nothing where it has told none. @param {string} key @param {Word["values"]} values */
export function announce(key, values = {}) {
  const box = document.querySelector(".announced");
  if (box && Object.hasOwn(told, key)) box.textContent = spoken({ key, sign: "", values });
}

let foretold = "";

/** Tell the page around what would happen, to be shown beside the board; nothing where it has told no word for it. @param {string} key @param {Word["values"]} [values] */
export function foretell(key, values) {
  const text = Object.hasOwn(told, key) ? spoken({ key, sign: "", values }) : "";
  if (text !== foretold) window.parent.postMessage({ arbitre: { foretold: text } }, "*");
  foretold = text;
}

// Forgets what is no longer there.
export function forget() {
  names.clear();
}

/** @template {Element} E @param {E} thing @param {Called} called */
function call(thing, called) {
  names.set(thing, called);
  const { word: said, before, also, shown } = called;
  const text = [before, spoken(said)].filter(Boolean).join(" ") + (also && Object.hasOwn(told, also) ? `, ${told[also]}` : "");
  if (shown) thing.textContent = text;
  else if (text) thing.setAttribute("aria-label", text);
  else thing.removeAttribute("aria-label");
  return thing;
}

window.addEventListener("message", (event) => {
  const words = event.data?.arbitre?.words;
  if (event.source !== window.parent || typeof words !== "object" || words === null) return;
  told = words;
  if (/^[a-z]{2}$/.test(words.language)) document.documentElement.lang = words.language;
  for (const [thing, called] of names) call(thing, called);
});
