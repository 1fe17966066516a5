"""An analysis is a function of record, engine and effort, and judges a seat by what it could know."""

from dataclasses import replace
from random import Random

import pytest

from arbitre.analysis.analysis import Grade, analyse, called, course_of, grade, judged, moment
from arbitre.errors import AnalysisError
from arbitre.games.analysis import HALF, WHOLE, Effort, Judgement, Ply, analyst_class, identity, share
from arbitre.games.bigtictactoe.analysis import PlainBigTicTacToe
from arbitre.games.catalogue import game
from arbitre.games.draughts.analysis import PlainDraughts
from arbitre.games.game import Seat
from arbitre.games.mastermind.analysis import MasterMindAnalyst
from arbitre.games.mastermind.rules import Code
from arbitre.games.pente.analysis import PlainPente
from arbitre.games.reversi.analysis import PlainReversi
from arbitre.games.rochambeau.analysis import RochambeauAnalyst
from arbitre.games.rochambeau.rules import Sign
from arbitre.games.seafight.analysis import hits
from arbitre.games.seafight.engine import CALM, Waters
from arbitre.games.seafight.rules import Cell
from arbitre.referee.story import tell
from arbitre.words import words
from tests.analysis.games import NODES, analysed, record
from tests.reasons import raises


@pytest.mark.parametrize("name", NODES)
def test_any_ply_judged_again_alone_is_the_same(name: str) -> None:
    found = analysed(name)
    told = tell(record(name))
    plies = sorted(Random(name).sample(range(len(found.judgements)), 3))
    again = judged(analyst_class(name), told, found.effort, plies, None)
    assert again == [found.judgements[at] for at in plies]
    assert found.engine == identity(analyst_class(name))


@pytest.mark.parametrize("name", NODES)
def test_figures_are_in_bounds_and_advice_is_legal(name: str) -> None:
    found = analysed(name)
    told = tell(record(name))
    course = course_of(told)
    table, notation = told.match.game, told.match.notation
    assert len(found.judgements) == len(course) > 7
    for ply, one in zip(course, found.judgements, strict=True):
        assert 0 <= one.played <= one.best <= WHOLE
        assert 0 <= one.standing <= WHOLE
        assert one.line[:1] == ((one.move,) if one.move else ())
        if one.move:
            view = table.view(ply.before, ply.seat)
            table.check(view, notation.read(one.move, view))
    assert len(found.moments) == 3
    for player in found.performances(table.seats):
        assert player.accuracy is None or 0 <= player.accuracy <= 1000


def test_another_seed_or_effort_is_said() -> None:
    one, two = analysed("poker"), analyse(record("poker"), NODES["poker"], seed=1)
    assert one.effort != two.effort
    assert one.judgements != two.judgements
    with raises(AnalysisError, "nodes are from", nodes=0):
        analyse(record("tictactoe"), 0)
    with raises(AnalysisError, "a seed is"):
        analyse(record("tictactoe"), 1, -1)


def test_a_game_without_an_analyst_says_so() -> None:
    with raises(AnalysisError, "has no analyst", game="added"):
        analyst_class("added")


@pytest.mark.parametrize("kind", [PlainReversi, PlainDraughts, PlainBigTicTacToe, PlainPente])
def test_without_the_kernels_the_plain_engine_judges_the_same_each_time(kind: type[PlainReversi]) -> None:
    name = kind.name.partition(",")[0]
    told = tell(record(name))
    effort = Effort(150)
    found = judged(kind, told, effort, range(6), None)
    assert judged(kind, told, effort, [4], None) == [found[4]]
    assert identity(kind) != identity(analyst_class(name))


def test_a_moment_says_what_a_move_did_to_the_game() -> None:
    def said(best: int, played: int, move: str = "a8", seats: int = 2, name: str = "reversi") -> str:
        return str(moment(Judgement(best, played, HALF, move), "b2", move, analyst_class(name), seats))

    assert said(WHOLE, 0) == "b2 throws a good game away; a8 kept it"
    assert said(WHOLE, HALF) == "b2 lets the lead go; a8 kept it"
    assert said(HALF, 0) == "b2 falls behind; a8 kept it level"
    assert said(WHOLE // 4, 0) == said(HALF, 0, seats=3) == "b2 gives ground; a8 was better"
    assert said(HALF, 0, "") == "b2 gives ground"
    assert said(WHOLE, 100, name="seafight") == "chance of a hit: b2 (1 %), a8 (100 %)"


def test_moves_are_called_as_people_call_them() -> None:
    told = tell(record("poker"))
    course = course_of(told)
    names = [str(called(told.match.game, ply, ply.text)) for ply in course]
    assert {name.partition(" ")[0] for name in names} == {"folding", "calling", "raising", "betting", "going"}
    assert str(called(told.match.game, course[0], "0")) == "folding"
    (ply,) = played("rochambeau", ("rock", "paper"))[:1]
    assert words("fr").of(called(game("rochambeau"), ply, "rock")) == "pierre"
    assert called(game("reversi"), replace(ply, before=game("reversi").start()), "C4") == "C4"


def test_tictactoe_is_judged_by_the_truth() -> None:
    table = game("tictactoe")
    course = played("tictactoe", "1", "2", "5", "9")
    found = list(analyst_class("tictactoe")(table, Effort(1)).judge(course, range(4)))
    assert [one.loss for one in found] == [0, HALF, 0, 0]  # 2 loses to the centre; then nothing can be lost any more
    assert found[1].move == "5"
    assert all(one.solved for one in found)
    assert [grade(one) for one in found] == [None, Grade.BLUNDER, None, None]


def test_mastermind_a_guess_that_tells_nothing_loses_all_and_a_lucky_one_nothing_more() -> None:
    table = game("mastermind")
    course = played("mastermind", ("AABB", "CCDD"), "AABB", "HHHH", "AABB", "CCDD")
    found = list(MasterMindAnalyst(table, Effort(50_000)).judge(course, range(6)))
    assert not found[0].choice
    assert found[4].played < found[4].best  # the same guess again
    assert found[4].played == 0
    assert found[5].standing < HALF  # who found the code is ahead


def test_seafight_a_hit_draws_the_next_shot() -> None:
    calm = hits(CALM)
    assert max(calm.values()) == max(calm[Cell(cell)] for cell in (44, 45, 54, 55))
    struck = hits(Waters(CALM.open ^ 1 << 44, 1 << 44, (2,)))
    assert {cell for cell, chance in struck.items() if chance == max(struck.values())} == {34, 43, 45, 54}


def test_kriegspiel_a_try_that_the_announcements_rule_out_is_no_choice() -> None:
    course = played("kriegspiel", "e2e4", "f7f6", "d1h5", "a7a6", "g7g6")  # a check on the diagonal: a7a6 cannot end it
    *_, refused, taken = analyst_class("kriegspiel")(game("kriegspiel"), Effort(2_000)).judge(course, range(5))
    assert course[3].after.board == course[3].before.board
    assert (refused.choice, taken.choice) == (False, True)


def test_kriegspiel_a_mate_that_was_missed_is_not_counted_in_pawns() -> None:
    said = ("e2e4", "a7a6", "d1h5", "b7b6", "f1c4", "c7c6", "a2a3")
    *_, missed = analyst_class("kriegspiel")(game("kriegspiel"), Effort(5_000)).judge(played("kriegspiel", *said), range(7))
    assert (missed.move[2:], missed.lost) == ("f7", 0)
    assert missed.loss > WHOLE // 5


def test_rochambeau_who_always_shows_the_same_is_foreseen() -> None:
    table = game("rochambeau", {"goal": 40})
    rounds = [("rock", "scissors")] * 30
    course = played("rochambeau", *rounds, options={"goal": 40})
    *_, first, second = RochambeauAnalyst(table, Effort(1)).judge(course, range(60))
    assert first.loss == 0
    assert first.move == "rock"
    assert second.loss > WHOLE // 2
    assert second.move == "paper"


def test_shares_are_whole_numbers_and_fair() -> None:
    assert share(0, 8) == HALF
    assert all(share(worth, 8) + share(-worth, 8) == WHOLE for worth in range(-999, 999, 7))
    assert share(8, 8) == pytest.approx(8535, abs=700)
    lost = Judgement(WHOLE, 0, 0, choice=False)
    assert (lost.loss, replace(lost, choice=True).loss) == (0, WHOLE)


def played(name: str, *turns: str | tuple[str, str], options: dict[str, object] | None = None) -> list[Ply]:
    """Return the course of a game in which this was said: by one seat, or by both at once."""
    told = tell(record(name))
    table, notation = game(name, options), told.match.notation
    state, course = table.start(), []
    for number, said in enumerate(turns):
        both = said if isinstance(said, tuple) else None
        phase = table.phase(state)
        seats = sorted(phase.seats)  # type: ignore[union-attr]
        texts = dict(zip(seats, both or (said,), strict=True))
        moves = {seat: notation.read(text, table.view(state, seat)) for seat, text in texts.items()}
        after = table.play(state, moves)
        for seat in seats:
            known = after if seat == seats[-1] else state
            course.append(Ply(Seat(seat), number + 1, state, moves[seat], texts[seat], known))
        state = after
    return course


def test_the_moves_that_are_read_are_those_of_the_rules() -> None:
    course = played("mastermind", ("AABB", "CCDD"), "AABB")
    assert [ply.move for ply in course] == [Code("AABB"), Code("CCDD"), Code("AABB")]
    assert played("rochambeau", ("rock", "paper"))[0].move == Sign(0)
