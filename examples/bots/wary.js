// A bot for Node that trusts nobody: it brings a key and a nonce, and signs only the game that it was asked and answered.
// It plays like first.js. What it checks and signs is the manual's page "Records"; nothing of it needs the rules of a game.
const { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } = require("node:crypto");

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
const big = (number, size) => { const octets = Buffer.alloc(8); octets.writeBigUInt64BE(BigInt(number)); return octets.subarray(8 - size); };
const unhex = (text) => Buffer.from(text, "hex");
const ZEROS = Buffer.alloc(32);

// node:crypto takes keys in envelopes of DER: these are the octets before a secret and before a public key
const secret = createPrivateKey({ key: Buffer.concat([unhex("302e020100300506032b657004220420"), randomBytes(32)]), format: "der", type: "pkcs8" });
const own = createPublicKey(secret).export({ format: "der", type: "spki" }).subarray(12);
const publicKey = (octets) => createPublicKey({ key: Buffer.concat([unhex("302a300506032b6570032100"), octets]), format: "der", type: "spki" });

const fold = (head, salt, line) => sha256("arbitre/head/1", head, sha256("arbitre/leaf/1", salt, line));
const message = (kind, seat, line, count, head, rest = ZEROS) =>
  Buffer.concat([Buffer.from("arbitre/sign/2"), big(kind, 1), big(seat, 4), sha256("arbitre/opening/2", line), big(count, 8), head, rest]);
const signed = (...what) => sign(null, message(...what), secret).toString("hex");

let match; // what is known of the match that is being played

function hello(game, seat, options) {
  const given = Object.fromEntries(options.map((option) => option.split(/=(.*)/s)));
  match = { ...given, game, seat: seat - 1, nonce: randomBytes(32), asked: [], position: "" };
  if (!given.match) return "hello 2 wary.js"; // nothing is recorded
  const place = Buffer.concat([unhex(given.commitment), sha256(given.match), big(match.seat, 4)]);
  match.promise = sha256("arbitre/nonce/2", place, match.nonce).toString("hex");
  return `hello 2 wary.js key=${own.toString("hex")} nonce=${match.promise}`;
}

function agree(salt, signature, line) {
  const head = fold(ZEROS, unhex(salt), line);
  const opening = JSON.parse(JSON.parse(line).text);
  const sound =
    verify(null, message(1, 0xffffffff, line, 1, head), publicKey(unhex(match.referee)), unhex(signature)) &&
    ["match", "commitment", "referee", "game"].every((key) => opening[key] === match[key]) &&
    opening.chairs[match.seat].key === own.toString("hex") && opening.promises[match.seat] === match.promise;
  if (!sound) return "decline opening";
  match.line = line;
  return `agree nonce=${match.nonce.toString("hex")} sign=${signed(2, match.seat, line, 1, head)}`;
}

/** The first thing in a record that is not the game that we played; nothing where all is well. */
function dispute(lines, heads, seed) {
  if (!match.line) return "no-journal";
  if (!lines[0].equals(match.line)) return "opening";
  if (sha256("arbitre/seed/1", seed).toString("hex") !== match.commitment) return "chain";
  const asked = [...match.asked];
  let open;
  for (const [at, line] of lines.entries()) {
    const { kind, seat, text, turn } = JSON.parse(line);
    if (kind === "ended") {
      const { scores, termination, reason } = JSON.parse(text);
      return asked.length ? "question" : [scores?.[match.seat] ?? "-", termination, JSON.stringify(reason)].join(" ") === match.end ? "" : "end";
    }
    if (seat !== match.seat) continue;
    if (kind === "asked") {
      open = asked.shift();
      if (!open || open.head !== heads[at].toString("hex")) return "head";
      if (open.turn !== turn || JSON.parse(text).view !== open.view) return "question";
    } else if (kind === "said" && (!open || open.said !== text)) return "answer";
    else if (["resigned", "offered", "settled", "noted"].includes(kind)) return "answer"; // we never do
  }
  return "end";
}

function close(record) {
  const lines = record.toString().split("\n").slice(0, -1).map((line) => Buffer.from(line));
  const seed = unhex(JSON.parse(lines[lines.length - 1]).text);
  let head = ZEROS;
  const heads = lines.map((line, at) => (head = fold(head, sha256("arbitre/salt/1", seed, big(at, 8)), line)));
  const code = dispute(lines, heads, seed);
  if (!code) return `sign ${signed(3, match.seat, lines[0], lines.length, head)}`;
  return `decline ${code} ${signed(4, match.seat, lines[0], lines.length, head, sha256(code))}`;
}

function answer(line) {
  const [word, ...words] = line.split(" ");
  if (word === "hello") return hello(words[1], Number(words[2]), words.slice(3));
  if (word === "position") match.position = line.slice("position ".length);
  if (word === "end") match.end ??= line.slice("end ".length);
  if (word !== "ask") return "";
  const [turn, , head, ...moves] = words;
  const said = moves[Math.floor(Math.random() * moves.length)];
  match.asked.push({ turn: Number(turn), head, said, view: sha256("arbitre/view/2", match.position).toString("hex") });
  return `move ${said}`;
}

let data = Buffer.alloc(0);
process.stdin.on("data", (more) => {
  data = Buffer.concat([data, more]);
  for (let end; (end = data.indexOf("\n")) >= 0; ) {
    const [word, ...words] = data.subarray(0, end).toString().split(" ");
    const ahead = word === "opening" ? Number(words[0]) + 1 : word === "record" ? Number(words[1]) : 0;
    if (data.length < end + 1 + ahead) return; // more is on its way
    const block = data.subarray(end + 1, end + 1 + ahead);
    const said = word === "opening" ? agree(words[1], words[2], block.subarray(0, -1)) : word === "record" ? close(block) : answer([word, ...words].join(" "));
    data = data.subarray(end + 1 + ahead);
    if (said) console.log(said);
  }
});
