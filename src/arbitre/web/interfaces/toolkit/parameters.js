// Reads the query of an interface (spec: tournoyons, section 5): names in any case, words as JavaScript's escape() wrote them.

/** @type {Record<string, string>} */
const ALIASES = { mode: "method", return: "urlreturn" };

/** @typedef {ReturnType<typeof read>} Parameters */

/** The deprecated unescape, written out: %XX and %uXXXX, anything else as it is. A plus sign stays a plus sign. @param {string} text */
export function unescaped(text) {
  return text.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, long, short) => String.fromCharCode(parseInt(long || short, 16)));
}

/**
 * Returns the parameters by their names in small letters; one that is absent or empty is undefined. Any Mute mutes, an empty one too.
 * @param {string} search
 */
export function read(search) {
  /** @type {Record<string, string | undefined>} */
  const found = {};
  let mute = false;
  for (const pair of search.replace(/^\?/, "").split("&")) {
    const at = pair.indexOf("=");
    const name = (at < 0 ? pair : pair.slice(0, at)).toLowerCase();
    if (name === "mute") mute = true;
    if (at < 1) continue;
    const text = pair.slice(at + 1);
    const key = ALIASES[name] || name;
    if (text !== "" && !(key in found)) found[key] = key === "urlreturn" ? address(text) : unescaped(text);
  }
  const wait = Number(found.wait);
  return {
    ...found,
    count: found.count,
    heard: found.heard,
    legend: found.legend,
    set: found.set,
    side: found.side,
    tray: found.tray,
    urlreturn: found.urlreturn,
    method: (found.method || "standard").toLowerCase(),
    moves: [found.move1, found.move2],
    gains: [found.gain1, found.gain2],
    names: [found.name1, found.name2],
    // 0 for the first player, 1 for the second, as all modules count seats; undefined when nobody is asked.
    asks: found.input === undefined ? undefined : found.input.toLowerCase() === "one" ? 0 : 1,
    wait: wait > 0 ? Math.min(wait, 100) * 100 : 0,
    mute,
    webtest: "webtest" in found,
    colour: /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.test(found.color ?? "") ? `#${found.color?.replace("#", "")}` : undefined,
  };
}

/** A return address is sent raw; one that somebody encoded all the same is read too. Anything but http(s) is no address. @param {string} text */
function address(text) {
  const plain = /^https?:\/\//i.test(text) ? text : unescaped(text);
  try {
    return /^https?:$/.test(new URL(plain).protocol) ? plain : undefined;
  } catch {
    return undefined;
  }
}
