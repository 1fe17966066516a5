// Playing cards of 100 by 140, their suits, pips and courts drawn here; `??` is a card face down.

import { draw } from "../toolkit/svg.js";

export const CARD = { width: 100, height: 140 };

/** @param {number} x @param {number} y @param {number} r */
const round = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;

/** Each suit in the square from -1 to 1. @type {Record<string, string>} */
const SUITS = {
  S: "M0-1C.35-.55 1-.2 1 .25C1 .6.74.74.5.74C.3.74.15.66.07.5C.09.75.17.9.32 1H-.32C-.17.9-.09.75-.07.5C-.15.66-.3.74-.5.74C-.74.74-1 .6-1 .25C-1-.2-.35-.55 0-1Z",
  C: `${round(0, -0.53, 0.45)}${round(-0.52, 0.12, 0.45)}${round(0.52, 0.12, 0.45)}M-.3-.3L.3-.3L.25.3L-.25.3ZM-.08.1C-.08.6-.17.86-.32 1H.32C.17.86.08.6.08.1Z`,
  H: "M0 .95C-.35.5-1 .12-1-.42C-1-.8-.72-.98-.47-.98C-.22-.98-.06-.8 0-.58C.06-.8.22-.98.47-.98C.72-.98 1-.8 1-.42C1 .12.35.5 0 .95Z",
  D: "M0-1Q.28-.42.76 0Q.28.42 0 1Q-.28.42-.76 0Q-.28-.42 0-1Z",
};

const [LEFT, MIDDLE, RIGHT] = [36, 50, 64];
/**
 * Where the pips of a value lie: columns and heights from the middle; those below it stand on their heads.
 * @type {Record<string, [x: number, y: number][]>}
 */
const PIPS = {
  2: [[MIDDLE, -44], [MIDDLE, 44]],
  3: [[MIDDLE, -44], [MIDDLE, 0], [MIDDLE, 44]],
  4: pairs(-44, 44),
  5: [...pairs(-44, 44), [MIDDLE, 0]],
  6: pairs(-44, 0, 44),
  7: [...pairs(-44, 0, 44), [MIDDLE, -22]],
  8: [...pairs(-44, 0, 44), [MIDDLE, -22], [MIDDLE, 22]],
  9: [...pairs(-44, -15, 15, 44), [MIDDLE, 0]],
  T: [...pairs(-44, -15, 15, 44), [MIDDLE, -30], [MIDDLE, 30]],
};

/** @param {number[]} heights @returns {[x: number, y: number][]} */
function pairs(...heights) {
  return heights.flatMap((y) => [[LEFT, y], [RIGHT, y]]);
}

/**
 * Draw the sign of a suit around (x, y), `size` from its middle to its edge.
 * @param {string} letter @param {number} x @param {number} y @param {number} size
 */
export function suit(letter, x, y, size, turned = false) {
  return draw("path", { d: SUITS[letter], class: "suit", transform: `translate(${x} ${y}) scale(${turned ? -size : size})` });
}

/** @type {Record<string, [name: string, d: string][]>} */
const COURTS = {
  K: [
    ["court-hair", "M40 38Q40 62 50 64Q60 62 60 38Z"],
    ["court-skin", "M41 30H59V42Q59 50 50 51Q41 50 41 44Z"],
    ["court-hair", "M42 44Q50 41 58 44Q57 58 50 61Q43 58 44 44Z"],
    ["court-gold", "M39 31L35 14L44 22L50 11L56 22L65 14L61 31Z"],
  ],
  Q: [
    ["court-hair", "M38 30Q30 54 40 64H60Q70 54 62 30Q56 20 50 20Q44 20 38 30Z"],
    ["court-skin", "M42 32Q50 24 58 32V42Q57 51 50 52Q43 51 44 44Z"],
    ["court-gold", "M38 29L38 19L44 23L50 13L56 23L62 19L62 29Q50 23 38 29Z"],
  ],
  J: [
    ["court-hair", "M39 30V50Q42 56 46 52H54Q58 56 61 50V30Z"],
    ["court-skin", "M42 30H58V43Q57 51 50 52Q43 51 44 43Z"],
    ["court-cloth", "M36 31Q38 16 52 16Q64 17 65 31Z"],
    ["court-gold", "M36 31H66V27H36ZM60 18Q70 10 74 20Q68 20 62 25Z"],
  ],
};

/** @param {string} value @param {string} letter */
function court(value, letter) {
  const half = () =>
    draw(
      "g",
      {},
      draw("path", { class: "court-cloth", d: "M25 70V66Q28 55 44 53H58Q72 55 75 66V70Z" }),
      draw("path", { class: "court-gold", d: "M44 53L50 63L56 53L60 53L52 70H48L40 53Z" }),
      ...COURTS[value].map(([name, d]) => draw("path", { class: name, d })),
      draw("path", { class: "court-eye", d: "M45.5 38v.01M54.5 38v.01" }),
      suit(letter, 33, 21, 5),
    );
  const turned = half();
  turned.setAttribute("transform", "rotate(180 50 70)");
  return draw(
    "g",
    { class: "court" },
    draw("rect", { x: 25, y: 10, width: 50, height: 120, rx: 4, class: "court-frame" }),
    half(),
    turned,
    draw("path", { d: "M25 70H75", class: "court-line" }),
  );
}

/** @param {string} value @param {string} letter */
function corner(value, letter) {
  return draw(
    "g",
    {},
    draw("text", { x: 13, y: 21, class: "card-index" }, value === "T" ? "10" : value),
    suit(letter, 13, 33, 7.5),
  );
}

/** @param {string} letter @param {string} value */
function face(letter, value) {
  const below = corner(value, letter);
  below.setAttribute("transform", "rotate(180 50 70)");
  const inside =
    value === "A"
      ? [suit(letter, 50, 70, 25)]
      : PIPS[value]
        ? PIPS[value].map(([x, y]) => suit(letter, x, 70 + y, 9, y > 0))
        : [court(value, letter)];
  return [draw("rect", { width: 100, height: 140, rx: 9, class: "card-face" }), corner(value, letter), below, ...inside];
}

function back() {
  return [
    draw("rect", { width: 100, height: 140, rx: 9, class: "card-face" }),
    draw("rect", { x: 7, y: 7, width: 86, height: 126, rx: 5, class: "card-back" }),
    draw("path", { d: weave(), class: "card-weave" }),
    draw("circle", { cx: 50, cy: 70, r: 15, class: "card-boss" }),
    draw("path", { d: "M50 59L59 70L50 81L41 70Z", class: "card-weave card-seal" }),
  ];
}

/** Diagonals of both ways within the frame of a back. */
function weave() {
  const lines = [];
  for (let at = -105; at <= 70; at += 15) {
    const from = Math.max(0, -at);
    const to = Math.min(70, 110 - at);
    if (to > from) {
      lines.push(`M${15 + from} ${15 + at + from}L${15 + to} ${15 + at + to}`, `M${85 - from} ${15 + at + from}L${85 - to} ${15 + at + to}`);
    }
  }
  return lines.join("");
}

/** Draw a card by its two characters, suit and value; anything else lies face down. @param {string} name */
export function card(name) {
  const [letter, value] = name[1] === "1" ? [name[0], "A"] : name;
  const known = SUITS[letter] && (value === "A" || PIPS[value] || COURTS[value]);
  const red = letter === "H" || letter === "D";
  return draw("g", { class: known ? `card ${red ? "red" : "black"}` : "card closed", "data-card": name }, ...(known ? face(letter, value) : back()));
}

/** Draw the place where a card will lie. */
export function place() {
  return draw("rect", { width: 100, height: 140, rx: 9, class: "card-place" });
}
