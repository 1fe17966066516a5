// A line with one of the commonest slips, as it would be without: to be put in by a press. Small and right, or nothing.

/** How a line is mended, after what the error says; an empty text where it cannot be. @typedef {(line: string, said: RegExpExecArray, given: string) => string} Mend */

const OPENS = /^\s*(?:def|class|if|elif|else|for|while|try|except|finally|with)\b/;
const PARTS = ["text", "legal", "any", "turn", "left", "refused", "seat"];

/** A line in which a word stands for another, unless it also stands in a text. @param {string} line @param {string} word @param {string} other */
function renamed(line, word, other) {
  const whole = new RegExp(`\\b${word}\\b`, "g");
  const texts = line.match(/"[^"]*"|'[^']*'|#.*/g) ?? [];
  return texts.some((one) => one.search(whole) >= 0) ? "" : line.replace(whole, other);
}

/** @type {[string, RegExp, Mend][]} */
const SLIPS = [
  ["SyntaxError", /expected ':'/, (line) => (OPENS.test(line) && !/[#:]\s*$|#/.test(line) ? `${line.trimEnd()}:` : "")],
  ["SyntaxError", /Maybe you meant '=='|assignment to/, (line) => {
    const condition = /^(\s*(?:if|elif|while)\b[^=!<>"'#]*)=(?!=)([^="'#]*(?:"[^"]*"|'[^']*')?[^="'#]*)$/.exec(line);
    return condition ? `${condition[1]}==${condition[2]}` : "";
  }],
  ["NameError", /'(\w+)'.*mean:? '(\w+)'/, (line, said) => renamed(line, said[1], said[2])],
  ["IndexError", /empty/, (line, _, given) => (given ? line.replace(/\brandom\.choice\((\w+)\)/, `random.choice($1 or [${given}["any"]])`) : "")],
  ["AttributeError", /'dict' object has no attribute '(\w+)'/, (line, said, given) =>
    given && PARTS.includes(said[1]) ? renamed(line, `${given}\\.${said[1]}`, `${given}["${said[1]}"]`) : ""],
];

/** What `move` calls what it is given, where the line is in it; else nothing. @param {string[]} above */
function parameter(above) {
  const heads = above.filter((one) => /^\s*def\b/.test(one));
  return /^def move\((\w+)\):/.exec(heads[heads.length - 1] ?? "")?.[1] ?? "";
}

/** The line in which a program failed, without its slip; an empty text where none of these is known. @param {{kind: string, text: string, line?: number}} failure @param {string} program */
export function mended(failure, program) {
  const lines = program.split("\n");
  const line = lines[(failure.line ?? 0) - 1];
  if (line === undefined) return "";
  for (const [kind, text, mend] of SLIPS) {
    const said = kind === failure.kind ? text.exec(failure.text) : null;
    if (!said) continue;
    const made = mend(line, said, parameter(lines.slice(0, failure.line)));
    return made === line ? "" : made;
  }
  return "";
}
