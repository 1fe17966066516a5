// What buttons are called for those who do not see them. An interface holds no words: the page around it may tell some, in the
// language of its visitor; until then, and anywhere else, a button is called by its sign and number.

/** @type {Record<string, unknown>} */
let told = {};
/** @typedef {{ key: string, sign: string, values: Record<string, string | number>, before: string, shown: boolean }} Called */
/** @type {Map<Element, Called>} */
const names = new Map(); // by what is named

/**
 * Call something by a word of the page, with its values, or by a sign; return it. `before` stands before it, such as the name of a cell.
 * @template {Element} E @param {E} thing @param {string} key @param {string} sign @param {Called["values"]} values
 */
export function named(thing, key, sign, values = {}, before = "") {
  const called = { key, sign, values, before, shown: false };
  names.set(thing, called);
  call(thing, called);
  return thing;
}

/**
 * Write a word of the page, with its values, where everybody sees it, or a sign; return what bears it.
 * @template {Element} E @param {E} thing @param {string} key @param {string} sign @param {Called["values"]} values
 */
export function worded(thing, key, sign, values = {}) {
  const called = { key, sign, values, before: "", shown: true };
  names.set(thing, called);
  call(thing, called);
  return thing;
}

// Forgets what is no longer there.
export function forget() {
  names.clear();
}

/** @param {Element} thing @param {Called} called */
function call(thing, { key, sign, values, before, shown }) {
  const word = (Object.hasOwn(told, key) ? String(told[key]) : sign).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
  if (shown) thing.textContent = word;
  else thing.setAttribute("aria-label", [before, word].filter(Boolean).join(" "));
}

window.addEventListener("message", (event) => {
  const words = event.data?.arbitre?.words;
  if (event.source !== window.parent || typeof words !== "object" || words === null) return;
  told = words;
  if (/^[a-z]{2}$/.test(words.language)) document.documentElement.lang = words.language;
  for (const [thing, called] of names) call(thing, called);
});
