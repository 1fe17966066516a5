"""Certificates: what is certain is proved so that the plain rules check it, and a false proof is refused."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from arbitre.analysis.analysis import course_of, judged
from arbitre.errors import AnalysisError
from arbitre.games.analysis import HALF, WHOLE, Certificate, Effort, Ply, analyst_class
from arbitre.games.bigtictactoe.analysis import PlainBigTicTacToe
from arbitre.games.catalogue import game
from arbitre.games.notation import notation_of
from arbitre.games.reversi.analysis import PlainReversi
from arbitre.games.reversi.certificates import check_proof, count, empties
from arbitre.referee.story import tell
from tests.analysis.games import analysed, record
from tests.reasons import raises


def ending(kind: type[PlainReversi]) -> tuple[PlainReversi, tuple[Ply, ...], Any, Certificate]:
    told = tell(record("reversi"))
    course, found = course_of(told), analysed("reversi").judgements
    analyst = kind(told.match.game, Effort(3_000))
    (certificate,) = analyst.certify(course, found)
    return analyst, course, found, certificate


@pytest.mark.parametrize("kind", [PlainReversi, analyst_class("reversi")])
def test_a_reversi_ending_is_proved_by_the_rules(kind: type[PlainReversi]) -> None:
    analyst, course, found, certificate = ending(kind)
    board = course[certificate.ply].before
    assert 6 < empties(board) <= 11
    analyst.check(course, found, certificate)
    if empties(board) <= 8:
        assert count(analyst.game, board) == certificate.proof["discs"]


def test_a_false_proof_of_an_ending_is_refused() -> None:
    analyst, course, _, certificate = ending(PlainReversi)
    board = course[certificate.ply].before
    for change in (-2, 2):
        proof = {**certificate.proof, "discs": certificate.proof["discs"] + change}
        with raises(AnalysisError, "a branch of the certificate ends with too few discs"):
            check_proof(analyst.game, analyst.notation, board, proof)
    pruned = deepcopy(certificate.proof)
    pruned["upper"].pop()
    with raises(AnalysisError, "the certificate has no branch for"):
        check_proof(analyst.game, analyst.notation, board, pruned)
    pruned = deepcopy(certificate.proof)
    pruned["lower"]["move"] = "D4"
    with raises(AnalysisError, "the certificate says %(move)r", move="D4"):
        check_proof(analyst.game, analyst.notation, board, pruned)
    junk: Any
    for junk in (None, [], {"discs": 1}, {"discs": 1, "lower": 1, "upper": 1}):
        with pytest.raises(AnalysisError):
            check_proof(analyst.game, analyst.notation, board, junk)


def five(name: str, options: dict[str, object], moves: str) -> tuple[Any, Any, Any]:
    table = game(name, options)
    notation = notation_of(table)
    state = table.start()
    for text in moves.split():
        state = table.play(state, {state.mover: notation.read(text, state)})
    return table, notation, state


def test_a_victory_by_fours_is_proved_by_the_rules() -> None:
    # two open threes that meet: the first player wins however the second answers
    table, notation, state = five("bigtictactoe", {"first": True}, "C3 A9 D3 J9 E3 A0 F4 J0 F5 A5 F6 J5")
    analyst = PlainBigTicTacToe(table, Effort(200))
    move = notation.read("F3", state)
    ply = Ply(state.mover, state.turn, state, move, "F3", table.play(state, {state.mover: move}))
    found = list(analyst.judge((ply,), [0]))
    assert found[0].best == WHOLE
    (certificate,) = analyst.certify((ply,), found)
    analyst.check((ply,), found, certificate)
    holed = deepcopy(certificate.proof)
    if holed["but"]:
        holed["but"].pop()
        with raises(AnalysisError, "the plan has no answer to"):
            analyst.check((ply,), found, Certificate(0, holed))
    junk: Any
    for junk in (None, [], {"move": "C3"}, {"move": 3}, {"move": "A1", "else": "B1", "but": []}):
        with pytest.raises(AnalysisError):
            analyst.check((ply,), found, Certificate(0, junk))
    with raises(AnalysisError, "the certificate is of a victory"):
        analyst.check((ply,), [replace(found[0], best=HALF, played=0)], certificate)


def test_pente_won_games_are_proved() -> None:
    told = tell(record("pente"))
    course = course_of(told)
    kind = analyst_class("pente")
    found = analysed("pente").judgements
    analyst = kind(told.match.game, Effort(300))
    certificates = analyst.certify(course, found)
    for certificate in certificates:
        analyst.check(course, found, certificate)
    assert certificates
    assert judged(kind, told, Effort(300), [certificates[0].ply], None)[0].best == WHOLE
