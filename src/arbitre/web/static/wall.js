// The wall of a competition: more boards and rows than fit take turns, standings climb, and what was away comes back by itself.

import "./cards.js";
import "./countdown.js";
import { climbing } from "./climb.js";
import { all, find, maybe } from "./elements.js";
import { follow } from "./follow.js";

/** @typedef {import("./cards.js").SmallBoard} SmallBoard */

const TURN_MS = 20_000;
const BOARDS = [1, 2, 3, 4, 6, 9, 12];
const ROWS = 12;
/** A name of more letters than these takes two lines under an upright board. */
const SHORT = 14;
const page = find("#wall", HTMLElement);
const told = find("#told", HTMLElement);
const live = find("#live", HTMLElement);
const base = `/compete/${page.dataset.number}`;
/** @type {Map<string, string>} */
const states = new Map();
let turn = 0;

/** Show the part of a list whose turn it is. @param {HTMLElement[]} list @param {number} most */
function part(list, most) {
  const parts = Math.max(1, Math.ceil(list.length / most));
  const first = (turn % parts) * most;
  list.forEach((one, at) => { one.hidden = at < first || at >= first + most; });
}

/** Show as many rows of the standings as there is room for: names of two lines leave less. */
function rows() {
  const ladder = maybe(".wall-ladder", HTMLElement, told);
  const list = all(".ladder li", HTMLElement, told);
  for (let most = ROWS; most > 2; most -= 1) {
    part(list, most);
    if (!ladder || ladder.scrollHeight <= ladder.clientHeight) return;
  }
}

function arrange() {
  const boards = all(".small-board", HTMLElement, live);
  live.dataset.size = String(BOARDS.find((size) => size >= boards.length) ?? BOARDS[BOARDS.length - 1]);
  live.dataset.names = all(".name", HTMLElement, live).some((one) => (one.textContent ?? "").length > SHORT) ? "long" : "";
  part(boards, BOARDS[BOARDS.length - 1]);
  rows();
  page.dataset.stage = maybe(".wall-head", HTMLElement, told)?.dataset.stage ?? "";
}

/** Say who has won, as soon as it is seen. @param {SmallBoard} board */
function tell(board) {
  const before = states.get(board.id);
  states.set(board.id, board.state);
  if (board.state !== "over" || before !== "playing") return;
  const at = board.winner ?? 0;
  const words = (board.winner === null ? page.dataset.draws : page.dataset.wins) ?? "";
  const count = board.tally ? ` ${board.tally[at]} : ${board.tally[1 - at]}` : "";
  find("#result", HTMLElement).textContent = words.replace("##", board.names[1 - at]).replace("#", board.names[at]) + count;
}

document.addEventListener("arbitre:boards", (event) => {
  const boards = /** @type {CustomEvent<Map<string, SmallBoard>>} */ (event).detail;
  for (const id of states.keys()) if (!boards.has(id)) states.delete(id);
  for (const board of boards.values()) tell(board);
  arrange();
});

let busy = false;
let behind = false;

/** Fetch the words anew; what comes while they are fetched is fetched after. */
async function refresh() {
  behind = busy;
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch(`${base}/wall/board${page.dataset.query}`);
    if (answer.ok) {
      const fresh = await answer.text();
      const climb = climbing(told);
      told.innerHTML = fresh;
      arrange();
      climb();
    }
  } catch { // the site is away; its stream says when it is back
  } finally {
    busy = false;
  }
  if (behind) await refresh();
}

follow(`${base}/events${page.dataset.query}`, { message: refresh });
setInterval(() => {
  turn += 1;
  arrange();
  if (page.dataset.stage === "announced" || page.dataset.stage === "open") refresh(); // somebody may have entered
}, TURN_MS);
arrange();
