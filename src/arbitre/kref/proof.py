"""The proof of the umpire's rulings: a finished game by file is judged again by python-chess (spec: proof, C10).

Both read a try with the same notation, so the proof never contradicts the umpire about what was tried; whether the move was
legal is python-chess's own answer.
"""

from typing import NamedTuple

import chess

from arbitre.errors import GameFileError, MoveError
from arbitre.games.kriegspiel.rules import Truth, Try
from arbitre.games.kriegspiel.umpire import REFUSALS
from arbitre.games.notation import AnyNotation
from arbitre.kref.game import GameFile
from arbitre.records.event import Kind


class Proof(NamedTuple):
    """What was proven of the umpire's rulings, against python-chess: so many tries, so many of them refused."""

    tries: int
    refused: int


def prove(file: GameFile) -> Proof:
    """Judge every ruling of a finished game again, by python-chess's own legal moves; `GameFileError` at a wrong one."""
    record = file.record()
    match = file.begun().match
    affairs = match.open()[0]
    tries = refused = 0
    for event in record.events[1:]:
        if event.kind in (Kind.SAID, Kind.RESIGNED, Kind.ACKNOWLEDGED):
            before: Truth = affairs.truth
            affairs, _ = match.hear(affairs, event)
            if event.kind is Kind.SAID:
                tries += 1
                made = affairs.truth.board is not before.board
                refused += _refused(before, affairs.truth)
                if made != _legal(before.board, match.notation, event.text):
                    raise GameFileError("the referee ruled wrongly on try %(tries)s, %(text)r", tries=tries, text=event.text)
    return Proof(tries, refused)


def _refused(before: Truth, after: Truth) -> bool:
    """Tell whether the umpire refused: a draw that is offered or accepted moves nothing either."""
    return after.turn == before.turn and any(one.kind in REFUSALS for one in after.now[len(before.now) :])


def _legal(board: chess.Board, notation: AnyNotation, text: str) -> bool:
    """Tell whether python-chess lists the move that the umpire read.

    Asked about one move, python-chess also takes the king onto his own rook for castling, which no umpire does; it lists castling
    as the king's move of two squares.
    """
    try:
        move: Try = notation.read(text, None)
    except MoveError:
        return False
    return move in set(board.legal_moves)
