// Three games for a site of Arbitre: each with its referee, its model engine and its model interface. Node alone is needed:
//
//     node server.mjs 8700
//
// The referee may answer in three ways, and shows all of them: /GAME/referee redirects, /GAME/calls calls ReturnURL itself, and
// /GAME/framed is a page that answers from its frame in a browser. /GAME/engine is an engine, /GAME/interface an interface.
import { readFileSync } from "node:fs";
import http from "node:http";
import * as digits from "./games/digits.mjs";
import * as hexapawn from "./games/hexapawn.mjs";
import * as odds from "./games/odds.mjs";

const GAMES = { digits, hexapawn, odds };
const pages = Object.fromEntries(
  Object.keys(GAMES).map((name) => [name, readFileSync(new URL(`./pages/${name}.html`, import.meta.url))]),
);

/** Return where the answer to a question goes: ReturnURL with what came, but for the tray, the gains and the return code. */
function ruled(game, query) {
  const get = (name) => query.get(name) ?? "";
  const ruling = game.judge({
    tray: get("Tray"),
    said: { 1: get("Move1"), 2: get("Move2") },
    gains: [get("Gain1"), get("Gain2")],
    method: get("Method"),
  });
  const back = new URLSearchParams();
  for (const name of ["Game", "Method", "Move1", "Move2", "MoveId"]) if (query.has(name)) back.set(name, query.get(name));
  back.set("Gain1", ruling.gains[0]);
  back.set("Gain2", ruling.gains[1]);
  back.set("ReturnCode", String(ruling.code));
  back.set("Tray", ruling.tray);
  return `${get("ReturnURL")}?${back}`;
}

/** Call an address and forget what it says. */
function call(address, done) {
  fetch(address).then((response) => response.text()).catch(() => {}).then(done);
}

function answer(name, what, query, response) {
  const game = GAMES[name];
  if (what === "interface") return response.setHeader("Content-Type", "text/html; charset=utf-8").end(pages[name]);
  if (what === "engine") {
    if ((query.get("Status") ?? "0") !== "0") return response.end();
    const value = game.think({ tray: query.get("Tray") ?? "Init", turn: Number(query.get("Turn")) });
    const referee = query.get("Referee");
    if (!referee) return response.end(value);
    const back = new URLSearchParams({ Game: query.get("Game"), MoveId: query.get("MoveId"), Value: value });
    return call(`${referee}?${back}`, () => response.end());
  }
  if (!query.get("ReturnURL")?.startsWith("http")) return response.writeHead(400).end("no ReturnURL");
  const back = ruled(game, query);
  if (what === "referee") return response.writeHead(302, { Location: back }).end();
  if (what === "calls") return call(back, () => response.end("answered"));
  const script = JSON.stringify(back).replace(/</g, "\\u003c");
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  return response.end(`<!doctype html><title>${name}</title><script>location.href = ${script};</script>`);
}

const server = http.createServer((request, response) => {
  const url = new URL(request.url, "http://here");
  const [, name, what] = url.pathname.split("/");
  if (!GAMES[name] || !["referee", "calls", "framed", "engine", "interface"].includes(what)) {
    return response.writeHead(404).end("no such game");
  }
  try {
    return answer(name, what, url.searchParams, response);
  } catch (error) {
    return response.writeHead(500).end(String(error.message));
  }
});
server.listen(Number(process.argv[2] ?? 8700), process.argv[3] ?? "127.0.0.1", () => console.log(server.address().port));
