// Hexapawn: three pawns each on three by three cells. One board, turn by turn.
//
// Tray: nine characters row by row from the top, 0 empty, 1 a pawn of the first player (he plays upwards), 2 of the second.
// Move: two cells, A0 to C2, column then row from the top: "A2A1" steps, "A2B1" takes. Gain: pawns taken.
// Whoever reaches the far row, or leaves the other without a move, has won.

export const start = "222000111";
const cell = (at) => "ABC"[at % 3] + Math.floor(at / 3);

export function moves(tray, seat) {
  const found = [];
  for (let from = 0; from < 9; from++) {
    if (tray[from] !== String(seat)) continue;
    const row = Math.floor(from / 3) + (seat === 1 ? -1 : 1);
    if (row < 0 || row > 2) continue;
    for (const step of [0, -1, 1]) {
      const column = (from % 3) + step, to = row * 3 + column;
      if (column < 0 || column > 2) continue;
      if (tray[to] === (step ? String(3 - seat) : "0")) found.push({ from, to, text: cell(from) + cell(to) });
    }
  }
  return found;
}

function played(tray, seat, move) {
  const cells = [...tray];
  cells[move.from] = "0";
  cells[move.to] = String(seat);
  return cells.join("");
}

function winner(tray, seat) {
  const far = seat === 1 ? tray.slice(0, 3) : tray.slice(6);
  return far.includes(String(seat)) || moves(tray, 3 - seat).length === 0;
}

/** Judge one move: the tray before it, the moves by player, the gains before. */
export function judge({ tray, said, gains }) {
  const before = tray === "Init" ? start : tray;
  const seat = said[1] ? 1 : 2;
  const text = said[seat].toUpperCase();
  const move = moves(before, seat).find((one) => one.text === text);
  if (!move) return { code: 5, tray: `no pawn of yours goes ${text}`, gains };
  const after = played(before, seat, move);
  const counted = gains.map((gain, at) => String(Number(gain || 0) + (at === seat - 1 && before[move.to] !== "0" ? 1 : 0)));
  return { code: winner(after, seat) ? seat : 3, tray: after, gains: counted };
}

/** Choose a move: win if that can be forced, else the last one. */
export function think({ tray, turn }) {
  const seat = turn % 2 ? 1 : 2;
  return best(tray === "Init" ? start : tray, seat).text;
}

function best(tray, seat) {
  const open = moves(tray, seat);
  return open.find((move) => wins(played(tray, seat, move), seat)) ?? open.at(-1);
}

function wins(tray, seat) {
  if (winner(tray, seat)) return true;
  return moves(tray, 3 - seat).every((move) => {
    const after = played(tray, 3 - seat, move);
    return !winner(after, 3 - seat) && moves(after, seat).some((reply) => wins(played(after, seat, reply), seat));
  });
}
