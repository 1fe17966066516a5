// Plays a file with a function `move(p)` on a pipe, under node: `node harness.js bot.js`. What it prints goes to standard error.
"use strict";

const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { runInThisContext } = require("node:vm");

const say = process.stdout.write.bind(process.stdout);
for (const name of ["log", "info", "debug"]) console[name] = console.error;

const file = process.argv[2];
runInThisContext(readFileSync(file, "utf8"), { filename: file });
const move = runInThisContext("move");

let seat = 0;
let said = {};

createInterface({ input: process.stdin }).on("line", (line) => {
  const space = line.indexOf(" ");
  const word = space < 0 ? line : line.slice(0, space);
  const rest = space < 0 ? "" : line.slice(space + 1);
  if (word === "hello") {
    seat = Number(rest.split(" ")[2]) - 1;
    said = {};
    say("hello 2 javascript\n");
  } else if (word === "ask") {
    const [turn, left, , ...legal] = rest.split(" ");
    const p = {
      text: said.position,
      legal: legal.length ? legal : null,
      any: said.any || legal[Math.floor(Math.random() * legal.length)],
      turn: Number(turn),
      left: left === "-" ? null : Number(left),
      refused: said.refused ?? null,
      seat,
    };
    said = {};
    try {
      say(`move ${move(p)}\n`);
    } catch (error) {
      console.error(error);
      say(`resign ${String(error).replaceAll(/\s+/g, " ").slice(0, 100)}\n`);
    }
  } else {
    said[word] = rest;
  }
});
