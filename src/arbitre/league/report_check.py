"""What is wrong with a report of the draughts league, in words, for the author of the robot that sent it (spec: draughts, 3).

`arbitre.league.report` judges as a registrar must, with a number and nothing else. Here the same octets are looked at again
after they were refused. Nothing is decided here: where `read_report` finds a report sound, `why_refused` has nothing to say.
"""

from ipaddress import IPv6Address

from arbitre.games.draughts.notation import DraughtsNotation
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.game import FIRST
from arbitre.league.report import (
    COLOURS,
    HEADER,
    LAST,
    PLIES,
    SIZE,
    Impossible,
    Report,
    Unknown,
    read_report,
    shown,
    squares_at,
)
from arbitre.reasons import N_, Reason

GAME = Draughts()
NOTATION = DraughtsNotation(GAME)
MOST_NAMED = 6
"""Legal moves that are named."""


def why_refused(data: bytes) -> Reason | None:
    """Return why a registrar refuses a report; None where it does not."""
    found = read_report(data)
    if isinstance(found, Report):
        return None
    if isinstance(found, Unknown):
        first = f"{data[0]:02X}" if data else Reason("nothing")
        return Reason("octet 1 is %(first)s: it is FF for white, 01 for black", first=first)
    why = _why_impossible(data[:SIZE].ljust(SIZE, bytes(1))[HEADER:], found)
    return Reason("move %(number)s: %(why)s", number=found.number, why=why)


def _why_impossible(moves: bytes, found: Impossible) -> Reason:
    board, at = _before(moves, found.number)
    where = HEADER + at + 1
    if not board.moves or found.number > PLIES:
        over = N_("the game is over after move %(number)s, and octet %(octet)s is not zero")
        return Reason(over, number=found.number - 1, octet=where)
    if at >= len(moves) or not any(moves[at:]):
        return Reason("the game is not over after move %(number)s, and nothing but zeros follows", number=found.number - 1)
    squares = squares_at(moves, at)
    if squares is None:
        return Reason(
            "octets %(octets)s from octet %(octet)s on are no move: %(why)s",
            octets=moves[at : at + 4].hex(" ").upper(),
            octet=where,
            why=_form(moves, at),
        )
    quiet = moves[at] > LAST
    text = ("-" if quiet else "x").join(map(str, squares))
    return Reason("%(move)s is not legal there; legal: %(legal)s", move=text, legal=_legal(board))


def _before(moves: bytes, number: int) -> tuple[Board, int]:
    """Return the board before a move, and where the move begins; those before it are sound."""
    board, at = GAME.start(), 0
    for _ in range(number - 1):
        squares = squares_at(moves, at)
        if squares is None:
            break
        board = board.after(_read(board, ("-" if moves[at] > LAST else "x").join(map(str, squares))))
        at += len(squares)
    return board, at


def _read(board: Board, text: str) -> Move:
    move = NOTATION.read(text, board)
    GAME.check(board, move)
    return move


def _form(moves: bytes, at: int) -> Reason:
    """Say which octet cannot be one of a move."""
    first = moves[at]
    if first > LAST:
        return Reason("a move without capture is two octets, each its square + 128 (81 to B2)")
    if not 0 < first <= 50:
        return Reason("a square is 01 to 32, the last one of a move 81 to B2")
    return Reason("a capture is one octet 01 to 32 for each square, and the last square + 128 (81 to B2)")


def _legal(board: Board) -> str:
    named = [str(move) for move in board.moves[:MOST_NAMED]]
    more = " …" if len(board.moves) > MOST_NAMED else ""
    return f"{', '.join(named)}{more}"


def differences(data: bytes, expected: bytes) -> list[Reason]:
    """Say in which part a sound report differs from the one that was due for this game."""
    found = []
    if data[:1] != expected[:1]:
        seats = {number: Reason("white" if seat == FIRST else "black") for number, seat in COLOURS.items()}
        said, due = seats.get(data[0], "?"), seats[expected[0]]
        found.append(Reason("octet 1 says %(said)s, and the robot was %(due)s", said=said, due=due))
    if data[1:HEADER] != expected[1:HEADER]:
        named = N_("octets 2 to 17 name %(said)s as the opponent, who was %(due)s")
        found.append(Reason(named, said=_address(data), due=_address(expected)))
    return found


def same_game(data: bytes, moves: tuple[Move, ...]) -> bool:
    """Tell whether a report is of the game with these moves, whatever landing squares are written."""
    found = read_report(data)
    if not isinstance(found, Report) or len(found.game.moves) != len(moves):
        return False
    board = other = GAME.start()
    for one, two in zip(found.game.moves, moves, strict=True):
        board, other = board.after(one), other.after(two)
        if board != other:
            return False
    return True


def _address(data: bytes) -> str:
    return shown(IPv6Address(data[1:HEADER].ljust(16, b"\0")))
