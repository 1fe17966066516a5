// Runs an interface: reads the query, draws the frame, lets the game show its board, and asks for what is to be entered.
//
// A game is a `Game`; what its last five properties say is for the bench of Web Test (see bench.js).
//
// Anybody may show an interface by its query alone. A page of the house that opens it with `#stage` has seats of its own around it:
// the interface draws its board alone, says that it is ready, and stays; each further scene comes by message, a query again, and is
// animated in the same window.

import { Bench } from "./bench.js";
import { Frame } from "./frame.js";
import { deafen } from "./hearing.js";
import { still } from "./motion.js";
import { read } from "./parameters.js";
import { muted } from "./sound.js";
import { forget } from "./words.js";

/** @typedef {{ labels: Map<number, unknown>, ask: Board["ask"] }} Painted a board on which cells are filled */
/** @typedef {import("./board.js").Board} Board */
/**
 * @typedef {object} Game
 * @property {(() => Node)[]} tokens the piece of each seat
 * @property {(frame: Frame, parameters: import("./parameters.js").Parameters) => void} build makes the board; not called when there is none (Method=None)
 * @property {() => unknown} show draws the tray, the moves and, after Wait, what they do; may be async
 * @property {(seat: number, answer: (value: string) => void) => void} ask lets a seat enter something, and calls answer(value) once
 * @property {(value: string) => string} [text] how a record says what was entered, where that is something else
 * @property {() => (string | undefined)[] | undefined} [scores] what is written beside the names
 * @property {{ code: string, icon?: () => Node }[]} [brushes] what a cell can be filled with
 * @property {(cell: number, code: string, board: Painted) => void} [paint] the board by hand
 * @property {() => string} tray the board as a tray
 * @property {(value: string, seat: number) => unknown} play what a move entered by hand does to the board
 * @property {Painted[]} [painting] the boards on which cells are filled
 */

const staged = window.parent !== window && location.hash === "#stage";
let scenes = 0;

/** Runs a game; one that can be made anew, a function, is shown scene after scene. @param {Game | (() => Game)} game */
export async function run(game) {
  if (staged && typeof game === "function") {
    window.addEventListener("message", (event) => {
      const scene = event.source === window.parent ? event.data?.arbitre?.scene : undefined;
      if (typeof scene?.query === "string") show(game(), scene.query, scene.still === true);
    });
    document.body.classList.add("staged");
    window.parent.postMessage({ arbitre: { ready: true } }, "*");
  }
  await show(typeof game === "function" ? game() : game, location.search, false);
}

/** Takes away the scene before, but for an answer that is on its way. */
function clear() {
  const focused = document.activeElement?.id ?? "";
  deafen();
  forget();
  delete document.documentElement.dataset.state;
  document.body.classList.remove("empty", "preparing", "with-bench");
  for (const one of [...document.body.children]) if (!one.matches(".return, .announced")) one.remove();
  return focused;
}

/** @param {Game} game @param {string} query @param {boolean} quiet */
async function show(game, query, quiet) {
  const scene = (scenes += 1);
  const focused = clear();
  const parameters = read(query);
  if (quiet) parameters.wait = 0;
  still(quiet);
  muted(parameters.mute || quiet);
  const frame = new Frame(parameters, game.tokens || []);
  if (parameters.method === "none") {
    document.body.classList.add("empty");
    frame.state("shown");
    return;
  }
  if (parameters.set) document.title = parameters.set;
  game.build(frame, parameters);
  const score = () => frame.scores(game.scores?.() || [undefined, undefined]);
  score();
  await game.show();
  if (scene !== scenes) return; // another has taken its place meanwhile
  still(false);
  muted(parameters.mute);
  score();
  frame.state("shown");
  // A preparation asks by its method alone; whose it is, `Input` tells where it is there.
  const asked = parameters.asks ?? (parameters.method === "prepare" ? 0 : undefined);
  if (parameters.webtest) {
    new Bench(game, frame, score).open();
  } else if (asked !== undefined) {
    frame.turn(asked);
    game.ask(asked, (value) => {
      frame.turn(undefined);
      frame.answer.send(value, game.text?.(value));
      frame.state("answered");
    });
    frame.state("asking");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }
}
