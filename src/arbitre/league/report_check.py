"""What is wrong with a report of the draughts league, in words, for the author of the robot that sent it (spec: draughts, 3).

`arbitre.league.report` judges as a registrar must, with a number and nothing else. Here the same octets are looked at again
after they were refused. Nothing is decided here: where `read_report` finds a report sound, `why_refused` has nothing to say.
"""

from ipaddress import IPv6Address

from arbitre.games.draughts.notation import DraughtsNotation
from arbitre.games.draughts.rules import Board, Draughts, Move
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

GAME = Draughts()
NOTATION = DraughtsNotation(GAME)
MOST_NAMED = 6
"""Legal moves that are named."""


def why_refused(data: bytes) -> str:
    """Return why a registrar refuses a report; empty where it does not."""
    found = read_report(data)
    if isinstance(found, Report):
        return ""
    if isinstance(found, Unknown):
        first = f"{data[0]:02X}" if data else "nothing"
        return f"octet 1 is {first}: it is FF for white, 01 for black"
    return f"move {found.number}: {_why_impossible(data[:SIZE].ljust(SIZE, bytes(1))[HEADER:], found)}"


def _why_impossible(moves: bytes, found: Impossible) -> str:
    board, at = _before(moves, found.number)
    where = HEADER + at + 1
    if not board.moves or found.number > PLIES:
        return f"the game is over after move {found.number - 1}, and octet {where} is not zero"
    if at >= len(moves) or not any(moves[at:]):
        return f"the game is not over after move {found.number - 1}, and nothing but zeros follows"
    squares = squares_at(moves, at)
    if squares is None:
        return f"octets {moves[at : at + 4].hex(' ').upper()} from octet {where} on are no move: {_form(moves, at)}"
    quiet = moves[at] > LAST
    text = ("-" if quiet else "x").join(map(str, squares))
    return f"{text} is not legal there; {_legal(board)}"


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


def _form(moves: bytes, at: int) -> str:
    """Say which octet cannot be one of a move."""
    first = moves[at]
    if first > LAST:
        return "a move without capture is two octets, each its square + 128 (81 to B2)"
    if not 0 < first <= 50:
        return "a square is 01 to 32, the last one of a move 81 to B2"
    return "a capture is one octet 01 to 32 for each square, and the last square + 128 (81 to B2)"


def _legal(board: Board) -> str:
    named = [str(move) for move in board.moves[:MOST_NAMED]]
    more = " …" if len(board.moves) > MOST_NAMED else ""
    return f"legal: {', '.join(named)}{more}"


def differences(data: bytes, expected: bytes) -> list[str]:
    """Say in which part a sound report differs from the one that was due for this game."""
    found = []
    if data[:1] != expected[:1]:
        seats = {number: "white" if seat == 0 else "black" for number, seat in COLOURS.items()}
        found.append(f"octet 1 says {seats.get(data[0], '?')}, and the robot was {seats[expected[0]]}")
    if data[1:HEADER] != expected[1:HEADER]:
        found.append(f"octets 2 to 17 name {_address(data)} as the opponent, who was {_address(expected)}")
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
