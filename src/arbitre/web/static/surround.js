// What surrounds a board: an interface is told the colour of the page (Color, six digits), which the visitor may have chosen.

/** Return the colour of the page. */
export function surround() {
  const digits = getComputedStyle(document.body).backgroundColor.match(/\d+/g)?.slice(0, 3) ?? [];
  return digits.map((one) => Number(one).toString(16).padStart(2, "0")).join("");
}

/**
 * Return a query that says one more thing; who is to enter a move stays the last word of it.
 * @param {string} query @param {string} name @param {string} text
 */
export function saying(query, name, text) {
  if (new RegExp(`(^|&)${name}=`, "i").test(query)) return query;
  const last = /(^|&)(Input|URLReturn)=/.exec(query);
  const at = last ? last.index : query.length;
  const [before, after] = [query.slice(0, at), query.slice(at).replace(/^&/, "")];
  return [before, `${name}=${text}`, after].filter(Boolean).join("&");
}

/** Call back when the colour changes while the page stays: the system goes from light to dark, or back. @param {() => void} call */
export function changes(call) {
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => call());
}
