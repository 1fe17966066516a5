// Small boards that live: one stream feeds all of a page, however many there are. After a break the browser asks again by itself,
// and the first message says how everything stands.

import { all, find, maybe } from "./elements.js";
import { follow } from "./follow.js";

/** @typedef {{ id: string, title: string, names: string[], marks: string[], state: string, ply: number, awaits: number[], tally: [number, number] | null, winner: number | null, picture: string }} SmallBoard */

const page = find("[data-boards]", HTMLElement);
/** Where matches that begin get their cards; a page may have been given a new one. */
const live = () => maybe("#live", HTMLElement, page);
const most = Number(page.dataset.most ?? 40);
/** @type {Map<string, SmallBoard>} */
const known = new Map();
/** After so long without a move the large board goes to a game that moves. */
const STILL_MS = 20_000;
let moved = Date.now();
const SEAM = /(?<=[a-z])(?=[A-Z])|(?<=[._-])(?=\w)/;

/** Put a picture where it belongs. @param {Element} card @param {SmallBoard} board */
function draw(card, board) {
  const place = maybe("[data-part=picture]", HTMLElement, card);
  if (place && board.picture) place.innerHTML = board.picture;
}

/** Write a name that a narrow place breaks between its words, as the page's own are. @param {Element} place @param {string} text */
function name(place, text) {
  if (place.textContent === text) return;
  place.replaceChildren(...text.split(SEAM).flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part])));
}

/** Say how a match stands on its card. @param {HTMLElement} card @param {SmallBoard} board */
function show(card, board) {
  card.dataset.state = board.state;
  if (card instanceof HTMLAnchorElement) card.href = `/games/${board.id}`;
  draw(card, board);
  const title = maybe("[data-part=title]", HTMLElement, card);
  if (title) title.textContent = board.title;
  all(".side", HTMLElement, card).forEach((side, seat) => {
    side.classList.toggle("moves", board.awaits.includes(seat));
    side.classList.toggle("won", board.winner === seat);
    name(find(".name", HTMLElement, side), board.names[seat] ?? "");
    const points = maybe(".points", HTMLElement, side);
    if (points) points.textContent = board.tally ? String(board.tally[seat]) : "";
  });
}

/** The large board of the home page. @param {HTMLElement} hero @param {SmallBoard} board */
function showHero(hero, board) {
  hero.dataset.hero = board.id;
  if (hero instanceof HTMLAnchorElement) hero.href = `/games/${board.id}`;
  hero.ariaLabel = (page.dataset.said ?? "").replace("#title", board.title).replace("#one", board.names[0] ?? "").replace("#two", board.names[1] ?? "");
  draw(hero, board);
  for (const bar of all(".seat-bar", HTMLElement, hero)) {
    const seat = Number(bar.dataset.seat);
    bar.classList.toggle("moves", board.awaits.includes(seat));
    bar.classList.toggle("won", board.winner === seat);
    find(".name", HTMLElement, bar).textContent = board.names[seat] ?? "";
    find(".points", HTMLElement, bar).textContent = board.tally ? String(board.tally[seat]) : "";
    find(".piece", HTMLElement, bar).className = `piece ${board.marks[seat]}`;
    const ply = maybe("[data-part=ply]", HTMLElement, bar);
    const said = board.state === "replay" ? page.dataset.replay : board.state === "over" ? page.dataset.over : page.dataset.move?.replace("#", String(board.ply));
    if (ply) ply.textContent = said ?? "";
  }
}

/** The card of a match, made where there is none yet. @param {SmallBoard} board */
function card(board) {
  const found = maybe(`[data-board="${board.id}"]`, HTMLElement, page);
  const blank = maybe("#small-board", HTMLTemplateElement);
  const place = live();
  if (found || !place || !blank || board.state === "replay") return found;
  const made = find(".small-board", HTMLElement, /** @type {DocumentFragment} */ (blank.content.cloneNode(true)));
  made.dataset.board = board.id;
  // what is over makes room first
  const old = all(".small-board", HTMLElement, place);
  if (old.length >= most) (old.find((one) => one.dataset.state !== "playing") ?? old[old.length - 1]).remove();
  place.append(made);
  return made;
}

/** @param {(SmallBoard | { id: string, state: "gone" })[]} boards */
function tell(boards) {
  for (const board of boards) {
    if (board.state === "gone") {
      known.delete(board.id);
      maybe(`#live [data-board="${board.id}"]`, HTMLElement, page)?.remove();
      continue;
    }
    const told = /** @type {SmallBoard} */ (board);
    known.set(told.id, told);
    const place = card(told);
    if (place) show(place, told);
  }
  document.dispatchEvent(new CustomEvent("arbitre:boards", { detail: known }));
  const nothing = maybe("#nothing", HTMLElement, page);
  if (nothing) nothing.hidden = [...known.values()].some((one) => one.state === "playing");
  const hero = maybe("#hero", HTMLElement, page);
  if (!hero) return;
  const id = hero.dataset.hero ?? "";
  const other = boards.find((one) => one.id !== id && one.state === "playing" && "picture" in one && one.picture);
  if (boards.some((one) => one.id === id)) moved = Date.now();
  else if (other && Date.now() - moved > STILL_MS && !hero.matches(":hover, :focus-within")) {
    moved = Date.now();
    showHero(hero, /** @type {SmallBoard} */ (other));
    return;
  }
  const now = known.get(id);
  if (!now && maybe(`#live [data-board="${id}"]`, HTMLElement, page)) return; // it stands as the page was sent
  const next = now ?? [...known.values()].find((one) => one.state === "playing" && one.picture) ?? [...known.values()][0];
  if (next) showHero(hero, next);
}

/** @param {MessageEvent} event */
function tellAll(event) {
  const boards = JSON.parse(event.data);
  const there = new Set(boards.map((/** @type {SmallBoard} */ one) => one.id));
  for (const id of [...known.keys(), ...all("#live [data-board]", HTMLElement, page).map((one) => one.dataset.board ?? "")]) if (!there.has(id)) tell([{ id, state: "gone" }]);
  tell(boards);
}

follow(page.dataset.boards ?? "", {
  open: () => { page.dataset.following = "yes"; },
  all: tellAll,
  some: (event) => tell(JSON.parse(event.data)),
});
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
