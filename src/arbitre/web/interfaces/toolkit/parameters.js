// Reads the query of an interface (spec: tournoyons, section 5): names in any case, words as JavaScript's escape() wrote them.

const ALIASES = { mode: "method", return: "urlreturn" };

// The deprecated unescape, written out: %XX and %uXXXX, anything else as it is. A plus sign stays a plus sign.
export function unescaped(text) {
  return text.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, long, short) => String.fromCharCode(parseInt(long || short, 16)));
}

// Returns the parameters by their names in small letters; one that is absent or empty is undefined. Any Mute mutes, an empty one too.
export function read(search) {
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
    set: found.set,
    tray: found.tray,
    method: (found.method || "standard").toLowerCase(),
    moves: [found.move1, found.move2],
    gains: [found.gain1, found.gain2],
    names: [found.name1, found.name2],
    // 0 for the first player, 1 for the second, as all modules count seats; undefined when nobody is asked.
    asks: found.input === undefined ? undefined : found.input.toLowerCase() === "one" ? 0 : 1,
    wait: wait > 0 ? Math.min(wait, 100) * 100 : 0,
    mute,
    webtest: "webtest" in found,
    colour: /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.test(found.color || "") ? "#" + found.color.replace("#", "") : undefined,
  };
}

// A return address is sent raw; one that somebody encoded all the same is read too. Anything but http(s) is no address.
function address(text) {
  const plain = /^https?:\/\//i.test(text) ? text : unescaped(text);
  try {
    return /^https?:$/.test(new URL(plain).protocol) ? plain : undefined;
  } catch {
    return undefined;
  }
}
