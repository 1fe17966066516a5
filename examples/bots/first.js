// A first bot for Node: it says one of the legal moves that the referee lists.
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const [word, ...words] = line.split(" ");
  if (word === "hello") {
    console.log("hello 2 first.js");
  } else if (word === "position") {
    console.error("I see", words.join(" "));
  } else if (word === "ask") {
    const [turn, milliseconds, head, ...moves] = words;
    console.log("move", moves[Math.floor(Math.random() * moves.length)]);
  }
});
