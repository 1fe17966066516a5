// Which five of seven cards are the best, so that a showdown can mark them (the referee has his own judgement).

/** @typedef {{ five: string[], strong: number[] }} Best */

const ORDER = "23456789TJQKA";
/** @type {Record<string, number>} */
const KINDS = { 41: 7, 32: 6, 311: 3, 221: 2, 2111: 1 };

/** @param {string} card */
const worth = (card) => ORDER.indexOf(card[1] === "1" ? "A" : card[1]);

/** Return the strength of five cards as numbers to be compared from the left. @param {string[]} five @returns {number[]} */
function strength(five) {
  const values = five.map(worth).sort((one, two) => two - one);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  const groups = [...counts].sort(([one, often], [two, oftener]) => oftener - often || two - one);
  const order = groups.flatMap(([value, often]) => Array.from({ length: often }, () => value));
  const shape = groups.map(([, often]) => often).join("");
  const flush = five.every((card) => card[0] === five[0][0]);
  const wheel = values.join() === "12,3,2,1,0";
  const straight = groups.length === 5 && (values[0] - values[4] === 4 || wheel);
  if (straight) return [flush ? 8 : 4, wheel ? 3 : values[0]];
  const kind = KINDS[shape] ?? (flush ? 5 : 0);
  return [flush && kind < 5 ? 5 : kind, ...order];
}

/** @param {number[]} one @param {number[]} two */
function compare(one, two) {
  const at = one.findIndex((number, n) => number !== two[n]);
  return at < 0 ? 0 : one[at] - two[at];
}

/**
 * Return the best five of seven cards, and their strength; among equals those with the first cards, which are the player's own.
 * @param {string[]} cards
 */
export function best(cards) {
  /** @type {Best} */
  let found = { five: [], strong: [] };
  for (let a = cards.length - 1; a > 0; a -= 1) {
    for (let b = a - 1; b >= 0; b -= 1) {
      const five = cards.filter((_, at) => at !== a && at !== b);
      const strong = strength(five);
      if (!found.five.length || compare(strong, found.strong) > 0) found = { five, strong };
    }
  }
  return found;
}

/**
 * Return which of two players holds the better cards with these on the table (0 or 1, undefined for neither), and their best five.
 * @param {string[][]} holes @param {string[]} table
 */
export function showdown(holes, table) {
  const both = holes.map((two) => best([...two, ...table]));
  const better = compare(both[0].strong, both[1].strong);
  return { winner: better === 0 ? undefined : better > 0 ? 0 : 1, fives: both.map(({ five }) => five) };
}
