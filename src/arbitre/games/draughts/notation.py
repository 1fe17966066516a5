"""Draughts in text: moves `32-27` and `26x17x8x19`, positions in FEN with the turn after them: `W:W31,32,K48:B1,2,K9 1`.

A capture is written with every square where the piece lands (spec: draughts, section 1). Readers also take it with some or all
landings left out between the first and the last, `26x19`, as long as one position only can be reached that way.
"""

import re
from itertools import pairwise

from arbitre.errors import AmbiguousMoveError, InvalidMoveError, PositionError
from arbitre.games.draughts.moves import BIT, KING_ROW, LINES, MOST, Square, Squares, bits, numbers
from arbitre.games.draughts.rules import COLOURS, Board, Draughts, Move, routes
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.notation import OpenNotation, split_turn

MOVE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2})|((?:x[0-9]{1,2}){1,20}))", re.IGNORECASE)
PIECES = re.compile(r"(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?", re.IGNORECASE)


class DraughtsNotation(OpenNotation[Board, Move]):
    """Texts of draughts."""

    def __init__(self, game: Draughts) -> None:
        super().__init__(game)
        self.plies = game.plies

    def read(self, text: str, view: Board) -> Move:
        """Read a move; a capture that leaves squares out is the one legal capture that fits."""
        said = MOVE.fullmatch(text.strip(" "))
        if not said:
            raise InvalidMoveError(text, "no-draughts-move")
        first, last, stops = said.groups()
        path = tuple(Square(int(n)) for n in ([first, last] if last else [first, *stops.lower().split("x")[1:]]))
        if not all(1 <= n <= 50 for n in path):
            raise InvalidMoveError(text, "no-square")
        if last:
            return Move(path[0], path[-1], path=path)
        fits = routes(view, path)
        if len(fits) > 1:
            raise AmbiguousMoveError(text, map(str, fits))
        return fits[0] if fits else _impossible(text, view, path)

    def write(self, move: Move) -> str:
        """Write all squares of the move's path."""
        return str(move)

    def read_state(self, text: str) -> Board:
        """Read a FEN and perhaps the turn: odd when white is to move, even when black is."""
        (fen,), turn = split_turn(text)
        board = read_fen(fen)
        if turn is None:
            return board
        if (turn - board.turn) % 2:
            raise PositionError(text, "on turn %(turn)s %(colour)s is to move", turn=turn, colour=COLOURS[turn % 2 == 0])
        if turn > self.plies + 1:
            raise PositionError(
                text, "the game ends after %(plies)s plies, so turn %(turn)s never comes", plies=self.plies, turn=turn
            )
        return Board(board.white, board.black, board.kings, turn)

    def write_state(self, state: Board) -> str:
        """Write the FEN and the turn."""
        return f"{write_fen(state)} {state.turn}"

    def picture(self, view: Board) -> str:
        """Draw the board from white's side, free squares by their number."""
        rule = "─" * 40
        lines = []
        for row in range(10):
            cells = [f"{_mark(view, n):>3} " for n in range(5 * row + 1, 5 * row + 6)]
            inside = "".join(f"{cell}    " if row % 2 else f"    {cell}" for cell in cells)
            lines.append(f"{5 * row + 1:>2} │{inside}│ {5 * row + 5}")
        return "\n".join([f"   ┌{rule}┐", *lines, f"   └{rule}┘", "    o O man and king of white   x X of black"])


def _mark(board: Board, number: int) -> str:
    bit = BIT[number]
    if not bit & (board.white | board.black):
        return str(number)
    mark = "o " if bit & board.white else "x "
    return mark.upper() if bit & board.kings else mark


def _impossible(text: str, board: Board, path: tuple[Square, ...]) -> Move:
    """Return the capture that these hops would make, for the rules to refuse; `InvalidMoveError` when they make none."""
    taken: Squares = 0
    for start, to in pairwise(path):
        jumped = _between(BIT[start], BIT[to]) & board.side[1]
        if jumped.bit_count() != 1:
            raise InvalidMoveError(text, "jumps-nothing", hop=f"{start}x{to}")
        taken |= jumped
    move = Move(path[0], path[-1], frozenset(numbers(taken)), path)
    if move in board.moves:
        raise InvalidMoveError(text, "other-way")
    return move


def _between(start: Squares, to: Squares) -> Squares:
    """Return the squares between two squares of one diagonal, none when they share none."""
    for _, line in LINES[start]:
        for ray in line.rays:
            if to in ray:
                return sum(ray[: ray.index(to)])
    return 0


# ── positions ──────────────────────────────────────────────────────────────────────────────────────────────────────


def write_fen(board: Board) -> str:
    """Return the position as FEN: every square by number, ascending, white's first."""
    sides = (",".join(_listed(squares, board.kings)) for squares in (board.white, board.black))
    return "{}:W{}:B{}".format("WB"[board.mover], *sides)


def _listed(squares: Squares, kings: Squares) -> list[str]:
    return [f"K{n}" if bit & kings else str(n) for n, bit in zip(numbers(squares), bits(squares), strict=True)]


def read_fen(text: str) -> Board:
    """Return the position that a FEN describes, on turn 1 or 2; squares may be given as ranges, the sides in any order."""
    fields = text.removesuffix(".").split(":", 3)
    if len(fields) != 3 or fields[0].upper() not in ("W", "B"):
        raise PositionError(text, "a position is W or B to move, then both sides' squares: W:W31-50:B1-20")
    mover = FIRST if fields[0].upper() == "W" else SECOND
    men: dict[Seat, Squares] = {}
    kings: dict[Seat, Squares] = {}
    for field, at in ((fields[1], 2), (fields[2], 3 + len(fields[1]))):
        seat = {"W": FIRST, "B": SECOND}.get(field[:1].upper())
        if seat is None or seat in men:
            raise PositionError(text, "expected the squares of white after W and those of black after B", at)
        men[seat], kings[seat] = _read_pieces(text, field[1:], at + 1, _all(men) | _all(kings))
    _judge(text, men, kings, mover)
    white, black = (men[seat] | kings[seat] for seat in (FIRST, SECOND))
    return Board(white, black, _all(kings), mover + 1)


def _all(sides: dict[Seat, Squares]) -> Squares:
    return sum(sides.values())


def _read_pieces(text: str, field: str, at: int, taken: Squares) -> tuple[Squares, Squares]:
    """Return men and kings of `field`, a part of `text` from `at`; no square may be among those `taken`."""
    found = [0, 0]
    for item in field.split(",") if field else []:
        said = PIECES.fullmatch(item)
        if not said:
            raise PositionError(text, "expected a square such as 31, K31 for a king, or a range such as 31-35", at)
        low, high = int(said[2]), int(said[3] or said[2])
        if not 1 <= low <= high <= 50:
            raise PositionError(text, "squares are numbered 1 to 50, ranges ascend", at)
        for bit in BIT[low : high + 1]:
            if bit & (taken | found[0] | found[1]):
                raise PositionError(text, "square %(bit)s is named twice", at, bit=numbers(bit)[0])
            found[said[1] != ""] |= bit
        at += len(item) + 1
    return found[0], found[1]


def _judge(text: str, men: dict[Seat, Squares], kings: dict[Seat, Squares], mover: Seat) -> None:
    """Refuse a position that no game can reach."""
    for seat, colour in zip((FIRST, SECOND), COLOURS, strict=True):
        pieces = (men[seat] | kings[seat]).bit_count()
        if pieces > MOST:
            raise PositionError(
                text, "%(colour)s has %(pieces)s pieces, and began with %(most)s", colour=colour, pieces=pieces, most=MOST
            )
        if stray := men[seat] & KING_ROW[seat]:
            raise PositionError(text, "a man of %(colour)s on %(stray)s would be a king", colour=colour, stray=numbers(stray)[0])
        if not pieces and seat != mover:
            raise PositionError(text, "%(colour)s, who has just moved, has no piece", colour=colour)
