// Digits: each player hides three different digits and looks for the other's. Two boards, turn by turn.
//
// A player's own board: his secret, then his guesses, each with the digits in place and out of place: "123.456-01.312-12".
// The site shows it to nobody else before the end. Move: three digits; the first one, in the preparation, is the secret.
// Whoever finds the other's digits first has won; after ten guesses each it is a draw.

export const start = "";
const MOST = 10;
const sound = (text) => /^[0-9]{3}$/.test(text) && new Set(text).size === 3;

function marks(secret, guess) {
  const placed = [...guess].filter((digit, at) => secret[at] === digit).length;
  return `${placed}${[...guess].filter((digit) => secret.includes(digit)).length - placed}`;
}

export function judge({ tray, said, gains, method }) {
  const seat = said[1] ? 1 : 2, text = said[seat];
  if (!sound(text)) return { code: 5, tray: `three different digits, not ${text}`, gains };
  if (method === "Prepare") return { code: 3, tray: text, gains };
  const boards = tray.split("***");
  const secret = boards[2 - seat].slice(0, 3);
  boards[seat - 1] += `.${text}-${marks(secret, text)}`;
  const full = boards.every((board) => board.split(".").length > MOST);
  return { code: text === secret ? seat : full ? 4 : 3, tray: boards.join("***"), gains };
}

export function think({ tray, turn }) {
  const all = [];
  for (let n = 0; n < 1000; n++) if (sound(String(n).padStart(3, "0"))) all.push(String(n).padStart(3, "0"));
  if (turn === 1) return all[Math.floor(Math.random() * all.length)];
  const guesses = tray.split(".").slice(1).map((one) => one.split("-"));
  const open = all.filter((code) => guesses.every(([guess, mark]) => marks(code, guess) === mark));
  return open[Math.floor(Math.random() * open.length)];
}
