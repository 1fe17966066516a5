// What buttons are called for those who do not see them. An interface holds no words: the page around it may tell some, in the
// language of its visitor; until then, and anywhere else, a button is called by its sign and number.

let told = {};
const names = new Map(); // by what is named

/** Call something by a word of the page, with its values, or by a sign; return it. */
export function named(thing, key, sign, values = {}) {
  names.set(thing, { key, sign, values });
  return call(thing);
}

function call(thing) {
  const { key, sign, values } = names.get(thing);
  const word = Object.hasOwn(told, key) ? String(told[key]) : sign;
  thing.setAttribute("aria-label", word.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? ""));
  return thing;
}

window.addEventListener("message", (event) => {
  const words = event.data?.arbitre?.words;
  if (event.source !== window.parent || typeof words !== "object" || words === null) return;
  told = words;
  if (/^[a-z]{2}$/.test(words.language)) document.documentElement.lang = words.language;
  for (const thing of names.keys()) call(thing);
});
