// A program at the table: each request answers one question of the referee and brings the next, until the game is over. And a program
// that is lent: the tab is an engine that dials in (the manual's page "Dial-in").

import { hex, random } from "./crypto.js";
import { send } from "./form.js";

const AGAIN_MS = 1000;
const SILENT_MS = 25000;
const UNREAD = ["SyntaxError", "IndentationError", "TabError"];

/**
 * @typedef {import("./workshop_sandbox.js").Sandbox} Sandbox
 * @typedef {import("./workshop_sandbox.js").Fault} Fault
 * @typedef {import("./workshop_sandbox.js").Language} Language
 * @typedef {{language: Language, source: string}} Program
 * @typedef {{n: number, turn: number, lines: any[], query?: string, past?: string, scores?: number[], closed: boolean, verdict?: {scores: string[] | null, words: string}}} Scene
 * @typedef {{name: string, seat: number, names: string[], scenes: Scene[], over: boolean, question: {ticket: string, p: Record<string, any>} | null, refused?: string, error?: string}} Step
 * @typedef {Fault & {move?: string, turn?: number}} Failure
 */

/** Say at which move a program failed; one that cannot be read fails at none. @param {Fault} error @param {number} turn @returns {Failure} */
const failedAt = (error, turn) => (UNREAD.includes(error.kind) ? error : { ...error, turn });

/** @param {Response} answer @returns {Promise<Step>} */
async function told(answer) {
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? String(answer.status));
  return found;
}

/**
 * Play one game against the house; return the points of the program, or why it failed.
 * @param {Sandbox} sandbox @param {Program} program @param {string} game @param {string} level
 * @param {{step?: (step: Step) => void, printed?: (turn: number, text: string) => void, stopped: () => boolean}} ear
 * @returns {Promise<{points: number | null, failure: Failure | null, any: string}>}
 */
export async function play(sandbox, program, game, level, ear) {
  let step = await told(await send(`/workshop/${game}/try`, { level }));
  const { name, seat } = step;
  let after = 0;
  let points = null;
  let any = "";
  /** @type {Failure | null} */
  let failure = null;
  const heard = () => {
    ear.step?.(step);
    for (const scene of step.scenes) {
      after = scene.n;
      const score = scene.verdict?.scores?.[seat];
      if (score !== undefined) points = score === "1/2" ? 0.5 : Number(score);
    }
  };
  heard();
  while (!step.over && !failure) {
    if (ear.stopped()) failure = { kind: "Gone", line: 0, text: "" };
    else if (!step.question) step = await told(await send(`/workshop/play/${name}`, { after: String(after) }));
    else {
      const { ticket, p } = step.question;
      any = p.any;
      const said = await sandbox.ask(program.language, program.source, name, p);
      if (said.printed) ear.printed?.(p.turn, said.printed);
      if (said.error) failure = failedAt(said.error, p.turn);
      else {
        const next = await told(await send(`/workshop/play/${name}`, { ticket, move: said.move ?? "", after: String(after) }));
        if (next.refused !== undefined) failure = { kind: "Illegal", line: 0, text: next.refused, move: said.move, turn: p.turn };
        else step = next;
      }
    }
    if (failure) step = await told(await send(`/workshop/play/${name}/stop`, { after: String(after) }));
    heard();
  }
  await sandbox.end(name);
  return { points, failure, any };
}

// ── lent ──

/** What a program is given, of a question as the referee says it on a pipe. @param {any} question */
function plain(question) {
  const said = Object.fromEntries(question.text.split("\n").map((/** @type {string} */ line) => {
    const at = line.indexOf(" ");
    return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  }));
  const [turn, left, , ...legal] = (said.ask ?? "").split(" ");
  const any = question.any || legal[Math.floor(Math.random() * legal.length)];
  return { text: said.position, legal: legal.length ? legal : null, any, turn: Number(turn), left: left === "-" ? null : Number(left), refused: said.refused ?? null, seat: Number(question.hello.split(" ")[3]) - 1 };
}

export class Lent {
  #stopped = new AbortController();
  #name = hex(random(8));
  /** @type {Map<string, string>} What was answered: a question that comes again, after a cut, gets the same answer. */
  #said = new Map();
  games = 0;

  /** @param {Sandbox} sandbox @param {() => Program} program @param {string} token @param {{game: () => void, printed: (turn: number, text: string) => void, failed: (failure: Failure) => void, cut: (now: boolean) => void, ended: (why: string) => void}} ear */
  constructor(sandbox, program, token, ear) {
    this.sandbox = sandbox;
    this.program = program;
    this.token = token;
    this.ear = ear;
  }

  /** @param {string} path @param {RequestInit} [rest] */
  #call(path, rest = {}) {
    return fetch(`/api/engines/me/${path}`, { ...rest, headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" } });
  }

  /** Answer questions until somebody stops it, or the token is good no more. */
  async listen() {
    while (!this.#stopped.signal.aborted) {
      try {
        const answer = await this.#call(`questions?listener=${this.#name}`, { signal: this.#stopped.signal });
        if ([401, 403, 404].includes(answer.status)) return this.ear.ended((await answer.json().catch(() => ({}))).error ?? "");
        if (answer.ok && answer.body) await this.#read(answer.body.getReader());
      } catch {
        if (this.#stopped.signal.aborted) return undefined;
      }
      this.ear.cut(true);
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
    }
    return undefined;
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} line */
  async #read(line) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const bell = setTimeout(() => line.cancel(), SILENT_MS);
      const { done, value } = await line.read();
      clearTimeout(bell);
      if (done) return;
      this.ear.cut(false);
      rest += decoder.decode(value, { stream: true });
      const rows = rest.split("\n");
      rest = rows.pop() ?? "";
      for (const row of rows) if (row.trim()) void this.#asked(JSON.parse(row));
    }
  }

  /** @param {any} question */
  async #asked(question) {
    if (question.what === "end") {
      if (question.text) this.games += 1;
      this.ear.game();
      return this.sandbox.end(question.match);
    }
    if (!question.answers || (question.what !== "hello" && question.what !== "ask")) return undefined;
    let said = this.#said.get(question.id);
    if (said === "") return undefined; // it is being thought about
    if (said === undefined) {
      this.#said.set(question.id, "");
      said = question.what === "hello" ? "hello 2" : await this.#answered(question);
      this.#said.set(question.id, said);
    }
    for (let attempt = 0; attempt < 20 && !this.#stopped.signal.aborted; attempt += 1) {
      const answer = await this.#call("answers", { method: "POST", body: JSON.stringify({ id: question.id, said }) }).catch(() => null);
      if (answer && (answer.ok || (answer.status !== 429 && answer.status < 500))) return undefined;
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
    }
    return undefined;
  }

  /** @param {any} question */
  async #answered(question) {
    const p = plain(question);
    const { language, source } = this.program();
    const told = await this.sandbox.ask(language, source, question.match, p);
    if (told.printed) this.ear.printed(p.turn, told.printed);
    if (!told.error) return `move ${told.move}`;
    this.ear.failed(failedAt(told.error, p.turn));
    return `resign ${told.error.kind}`;
  }

  /** Stop: others may go on with the games. */
  stop() {
    this.#stopped.abort();
    void this.#call(`questions?listener=${this.#name}`, { method: "DELETE", keepalive: true }).catch(() => null);
  }
}
