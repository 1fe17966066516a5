// Odds and evens: both show one to five fingers at once; an even sum is a point for the first player, an odd one for the second.
// One board, simultaneous. Tray: the fingers shown last, "34"; before the first round "00". Gain: points, three win.

export const start = "00";
const GOAL = 3;

export function judge({ said, gains }) {
  for (const seat of [1, 2]) {
    // both have moved, so the message must say whose move is wrong
    if (!/^[1-5]$/.test(said[seat])) return { code: 5, tray: `${seat}: a hand shows 1 to 5 fingers`, gains };
  }
  const point = (Number(said[1]) + Number(said[2])) % 2 ? 1 : 0;
  const points = gains.map((gain, at) => Number(gain || 0) + (at === point ? 1 : 0));
  return { code: points[point] >= GOAL ? point + 1 : 3, tray: said[1] + said[2], gains: points.map(String) };
}

export const think = () => String(1 + Math.floor(Math.random() * 5));
