// Short dry sounds, made here: a knock and a few tones. None when muted, or where the browser allows none yet. Boards make those of their
// pieces; the page around them, with the same tones, says that it is one's turn, that time is short, and that the game is over.

/** Pitch, beginning and length of each knock. @type {Record<string, [pitch: number, after: number, lasts: number][]>} */
const TONES = {
  place: [[190, 0, 0.05]],
  move: [[160, 0, 0.06]],
  turn: [[330, 0, 0.04], [390, 0.05, 0.04]],
  take: [[120, 0, 0.09]],
  card: [[700, 0, 0.025]],
  chip: [[980, 0, 0.03], [1240, 0.03, 0.03]],
  splash: [[260, 0, 0.05], [180, 0.04, 0.09]],
  hit: [[90, 0, 0.16], [60, 0.03, 0.2]],
  win: [[523, 0, 0.09], [659, 0.09, 0.09], [784, 0.18, 0.16]],
  ask: [[660, 0, 0.1]],
  over: [[523, 0, 0.1], [392, 0.11, 0.18]],
  short: [[880, 0, 0.05], [880, 0.1, 0.05]],
  refuse: [[110, 0, 0.07], [98, 0.09, 0.09]],
};

let mute = false;
/** @type {AudioContext | undefined} */
let context;

/** @param {boolean} yes */
export function muted(yes) {
  mute = yes;
}

/** @param {string} name */
export function sound(name) {
  if (mute || !TONES[name] || typeof AudioContext === "undefined") return;
  try {
    context ||= new AudioContext();
    if (context.state !== "running") {
      context.resume().catch(() => {}); // from the next one on, when somebody has touched the page
      return;
    }
    for (const [pitch, after, lasts] of TONES[name]) knock(context, pitch, context.currentTime + after, lasts);
  } catch {
    mute = true; // no sound device: the board is what matters
  }
}

/** @param {AudioContext} context @param {number} pitch @param {number} at @param {number} lasts */
function knock(context, pitch, at, lasts) {
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  const level = new GainNode(context, { gain: 0.0001 });
  level.gain.setValueAtTime(0.22, at);
  level.gain.exponentialRampToValueAtTime(0.0001, at + lasts);
  tone.connect(level).connect(context.destination);
  tone.start(at);
  tone.stop(at + lasts + 0.02);
}
