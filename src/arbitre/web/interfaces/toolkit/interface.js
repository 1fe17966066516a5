// Runs an interface: reads the query, draws the frame, lets the game show its board, and asks for what is to be entered.
//
// A game is an object with
//   tokens        [make, make]: the piece of each seat
//   build(frame, parameters)    makes the board; not called when there is none (Method=None)
//   show()        draws the tray, the moves and, after Wait, what they do; may be async
//   ask(seat, answer)           lets a seat enter something, and calls answer(value) once
//   scores()      [text, text] beside the names, or undefined
// and, for the bench of Web Test (see bench.js),
//   brushes       [{code, icon}, …]: what a cell can be filled with
//   paint(cell, code), tray()   the board by hand, and as a tray
//   play(value, seat)           what a move entered by hand does to the board
//   painting      [board, …]: the boards on which cells are filled

import { Bench } from "./bench.js";
import { Frame } from "./frame.js";
import { read } from "./parameters.js";
import { muted } from "./sound.js";

export async function run(game) {
  const parameters = read(location.search);
  muted(parameters.mute);
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
      frame.answer.send(value);
      frame.state("answered");
    });
    frame.state("asking");
  }
}
