// Runs a pupil's program, in a Worker of a frame without an origin (spec: workshop, section 2). It is started from its text, so it
// imports nothing; the frame hands it the Python that it needs.
//
// Before a word of a pupil's program runs, everything is taken away that is not of the language itself: who has no name for a thing
// cannot call it, and the policy of the frame refuses what somebody finds all the same. What this harness needs it has taken aside by
// then; a program that spoils the rest spoils its own game.
"use strict";
(() => {
  /** @type {any} */
  const world = globalThis;
  const tell = world.postMessage.bind(world);
  const load = world.importScripts.bind(world);
  const [Package, make, text] = [world.Blob, Function, String];
  const address = world.URL.createObjectURL.bind(world.URL);
  const [call, clone] = [Reflect.apply, world.structuredClone.bind(world)];
  const [cut, find, join] = [String.prototype.slice, RegExp.prototype.exec, Array.prototype.join];
  const LONGEST_PRINT = 20000; // letters a move
  const LONGEST_ERROR = 600;
  const SCRIPT = "bot.js";

  // What belongs to the language; all else of a Worker's world goes.
  const LANGUAGE = ("Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError "
    + "RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array "
    + "Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet WeakRef FinalizationRegistry Proxy Reflect "
    + "Iterator decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN constructor self").split(" ");

  const ASKED_FOR = ["Event", "Node", "Element", "SVGElement", "FormData"]; // Python asks of things whether they are such: nothing is
  const NATIVE = new Set(Reflect.ownKeys(world)); // before Python has put anything there

  /** Take away whatever is not of the language. */
  function bare() {
    const kept = new Set([...LANGUAGE, ...Reflect.ownKeys(world).filter((name) => !NATIVE.has(name))]);
    for (let at = world; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const name of Reflect.ownKeys(at)) {
        if (typeof name === "symbol" || kept.has(name) || Reflect.deleteProperty(at, name)) continue;
        Reflect.set(at, name, undefined); // the few that stay, such as location, are refused by the policy
      }
    }
    for (const name of ASKED_FOR) world[name] = class {};
    world.name = "";
    const nothing = () => undefined;
    world.console = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing }; // Python talks to it
  }

  /** @param {string} source */
  const packed = (source) => address(new Package([source], { type: "text/javascript" }));

  /** @param {unknown} said @param {number} longest */
  const short = (said, longest) => call(cut, text(said), [0, longest]);

  // ── Python ──

  const HARNESS = `
import sys, builtins, time

class NoInput(Exception): pass
class NoSleep(Exception): pass
class NoMove(Exception): pass
class NoAnswer(Exception): pass
class NoText(Exception): pass

class Out:
    def __init__(self):
        self.parts, self.size = [], 0
    def write(self, text):
        if self.size < ${LONGEST_PRINT}:
            self.parts.append(str(text)[:${LONGEST_PRINT}])
            self.size += len(self.parts[-1])
    def flush(self):
        pass
    def take(self):
        said, self.parts, self.size = "".join(self.parts), [], 0
        return said

out = Out()
sys.stdout = sys.stderr = out

def no_input(*given):
    raise NoInput("input")

def no_sleep(*given):
    raise NoSleep("sleep")

builtins.input, time.sleep = no_input, no_sleep
sys.path.clear()
games = {}

def begin(game, source):
    names = {"__name__": "bot"}
    exec(source, names)
    move = names.get("move")
    if not callable(move):
        raise NoMove("move")
    games[game] = move

def ask(game, p):
    said = games[game](p)
    if said is None:
        raise NoAnswer("None")
    if not isinstance(said, str):
        raise NoText(type(said).__name__)
    return said

def end(game):
    games.pop(game, None)

def printed():
    return out.take()
`;

  /** A language: how a program of it begins a game, answers in it and leaves it, what it printed, and what its errors say. */
  class Python {
    /** @param {{python: string, library: string, warm: string, compiled: unknown}} given */
    constructor(given) {
      world.__BRYTHON__ = { brython_path: "https://workshop.invalid/" };
      load(packed(given.python));
      load(packed(given.library));
      this.B = world.__BRYTHON__;
      if (given.compiled) Object.assign(this.B.precompiled, given.compiled);
      this.harness = this.B.runPythonSource(`import ${given.warm}\n${HARNESS}`, { id: "harness" });
      /** What was compiled, before anybody's program runs: the next Python starts sooner with it. */
      this.compiled = clone(this.B.precompiled);
      this.given = this.B.structuredclone2pyobj;
      this.source = "";
      const [called, attribute] = [this.B.$call, this.B.$getattr];
      /** @param {string} name @param {...unknown} given */
      this.do = (name, ...given) => called(attribute(this.harness, name), ...given);
    }

    /** @param {string} game @param {string} source */
    begin(game, source) {
      this.source = source;
      this.do("begin", game, source);
    }

    /** @param {string} game @param {unknown} p */
    ask(game, p) {
      return text(this.do("ask", game, this.given(p)));
    }

    /** @param {string} game */
    end(game) {
      this.do("end", game);
    }

    printed() {
      return text(this.do("printed"));
    }

    /** The line that is further to the right than the one above without a reason: Python names the last one instead. */
    shifted() {
      let [deep, opens] = [0, false];
      for (const [at, row] of this.source.split("\n").entries()) {
        const said = row.trim();
        if (!said || said.startsWith("#")) continue;
        const here = row.length - row.trimStart().length;
        if (here > deep && !opens) return at + 1;
        [deep, opens] = [here, /[:([{,\\]\s*(#.*)?$/.test(said)];
      }
      return 0;
    }

    /** @param {any} thrown */
    why(thrown) {
      const error = this.B.exception(thrown);
      const trace = text(this.B.error_trace(error));
      const rows = trace.trimEnd().split("\n");
      const [kind, ...rest] = (rows.at(-1) ?? "").split(": ");
      const inside = [...trace.matchAll(/File "<string>", line (\d+)/g)].at(-1);
      const line = Number(error.lineno ?? error.args?.[1]?.[1]) || Number(inside?.[1]) || 0;
      if (/unexpected indent/.test(rest[0] ?? "")) return { kind, line: this.shifted() || line, text: rest.join(": ") };
      const deep = /call stack|recursion/.test(rows.at(-1) ?? "");
      return { kind: deep ? "RecursionError" : kind, line, text: rest.join(": ") };
    }
  }

  // ── JavaScript ──

  class Script {
    constructor() {
      /** @type {Record<string, Function>} */
      this.games = Object.create(null);
      /** @type {string[]} */
      this.parts = [];
      this.size = 0;
      /** @type {unknown} */
      this.compiled = null;
      this.before = 2;
      this.stands = new RegExp(`${SCRIPT}:(\\d+)`);
      try {
        this.made("throw new Error()")();
      } catch (error) {
        this.before = this.where(error) - 1; // lines that a browser counts before the first of a program
      }
    }

    /** @param {string} source */
    made(source) {
      return make("print", "console", `${source}\n;return typeof move === "function" ? move : undefined;\n//# sourceURL=${SCRIPT}`);
    }

    /** @param {any} error */
    where(error) {
      const found = call(find, this.stands, [text(error?.stack ?? "")]);
      return found ? Number(found[1]) : 0;
    }

    /** @param {string} game @param {string} source */
    begin(game, source) {
      /** @param {...unknown} said */
      const print = (...said) => {
        if (this.size >= LONGEST_PRINT) return;
        const row = short(call(join, said.map((one) => (typeof one === "string" ? one : JSON.stringify(one) ?? text(one))), [" "]), LONGEST_PRINT) + "\n";
        this.parts.push(row);
        this.size += row.length;
      };
      const program = this.made(source);
      const move = program(print, { log: print, info: print, warn: print, error: print, debug: print });
      if (!move) throw Object.assign(new Error("move"), { name: "NoMove" });
      this.games[game] = move;
    }

    /** @param {string} game @param {unknown} p */
    ask(game, p) {
      const said = this.games[game](p);
      if (said === undefined || said === null) throw Object.assign(new Error(text(said)), { name: "NoAnswer" });
      if (typeof said !== "string") throw Object.assign(new Error(typeof said), { name: "NoText" });
      return said;
    }

    /** @param {string} game */
    end(game) {
      delete this.games[game];
    }

    printed() {
      const said = call(join, this.parts, [""]);
      [this.parts, this.size] = [[], 0];
      return said;
    }

    /** @param {any} error */
    why(error) {
      const deep = error instanceof RangeError && /call stack|recursion/.test(text(error.message));
      return { kind: deep ? "RecursionError" : text(error?.name ?? typeof error), line: Math.max(0, this.where(error) - this.before), text: text(error?.message ?? error) };
    }
  }

  // ── what is asked ──

  /** @type {Python | Script} */
  let language;

  /** Do what the frame wants, and return what it is told. @param {any} wanted */
  function done(wanted) {
    if (wanted.what === "warm") {
      language = wanted.language === "python" ? new Python(wanted) : new Script();
      const { compiled } = language;
      bare();
      return { compiled };
    }
    if (wanted.what === "begin") return language.begin(wanted.game, wanted.source);
    if (wanted.what === "ask") return { move: short(language.ask(wanted.game, wanted.p), 8192) };
    return language.end(wanted.game);
  }

  world.addEventListener("message", (/** @type {any} */ event) => {
    const wanted = event.data;
    const { id } = wanted;
    let found;
    try {
      found = done(wanted) ?? {};
    } catch (error) {
      const { kind, line, text: said } = language ? language.why(error) : { kind: "Harness", line: 0, text: text(error) };
      found = { error: { kind: short(kind, 60), line, text: short(said, LONGEST_ERROR) } };
    }
    tell({ id, printed: wanted.what === "warm" ? "" : short(language.printed(), LONGEST_PRINT), ...found });
  });
})();
