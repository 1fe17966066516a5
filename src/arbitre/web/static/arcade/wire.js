// The lines of the arcade: text of commands (spec: arcade, section 1). Numbers are matched as ASCII before they are converted.

import { hex, utf8 } from "../crypto.js";

/** @typedef {import("./elgamal.js").Sign} Sign */
/** @typedef {{ verb: string, numbers?: bigint[], sign?: Sign | null }} Command */

export const LONGEST = 8192;
const INTEGER = /^(?:0x)?([0-9a-fA-F]{1,2048})$/;
/** @type {Record<string, number>} */
const ARITY = { GROUP: 3, PKEY: 1, COMMIT: 2, MOVE: 1, OPEN: 1, OK: 0, REFEREE: 0 };
/** @type {Sign[]} */
export const WORDS = ["PIERRE", "FEUILLE", "CISEAUX"];

export class Garbled extends Error {}

/** @param {string} text */
const short = (text) => (text.length > 20 ? `${text.slice(0, 19)}…` : text);

/** @param {string} text */
export function readInteger(text) {
  const found = INTEGER.exec(text);
  if (!found) throw new Garbled(`an integer is 1 to 2048 hexadecimal digits, not '${short(text)}'`);
  return BigInt(`0x${found[1]}`);
}

/** @param {string} text */
export function readSign(text) {
  const number = INTEGER.test(text) ? readInteger(text) : -1n;
  const sign = WORDS.find((word) => word === text || BigInt(`0x${hex(utf8(word))}`) === number);
  if (!sign) throw new Garbled(`a move is PIERRE, FEUILLE or CISEAUX, not '${short(text)}'`);
  return sign;
}

/**
 * The command of a line, null where there is nothing but a comment; `Garbled` says what is wrong.
 * @param {string} line @returns {Required<Command> | null}
 */
export function readCommand(line) {
  if (line.length > LONGEST) throw new Garbled(`a line has at most ${LONGEST} octets`);
  const words = line.split("#")[0].replace(/\r+$/, "").split(/[ \t]+/).filter(Boolean);
  if (!words.length) return null;
  const [verb, ...given] = words;
  if (!Object.hasOwn(ARITY, verb)) throw new Garbled(`no command is called '${short(verb)}'`);
  if (given.length !== ARITY[verb]) throw new Garbled(`${verb} has ${ARITY[verb]} arguments, not ${given.length}`);
  if (verb === "MOVE") return { verb, numbers: [], sign: readSign(given[0]) };
  return { verb, numbers: given.map(readInteger), sign: null };
}

/** The canonical text of a command. @param {Command} command */
export function writeCommand({ verb, numbers = [], sign = null }) {
  return [verb, ...(sign ? [sign] : numbers.map((number) => number.toString(16)))].join(" ");
}

/** Whether sign `one` beats sign `two`. @param {Sign} one @param {Sign} two */
export const beats = (one, two) => (WORDS.indexOf(one) - WORDS.indexOf(two) + 3) % 3 === 1;
