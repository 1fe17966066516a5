"""Games end where both sides agree how they stand, and what games took of each player is read from their records."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from arbitre.bot import Bot, InProcess, Position
from arbitre.errors import TermsError, TournamentError
from arbitre.hall import Hall, usage_in
from arbitre.players import Setting, read_contestant
from arbitre.records.event import Event, Kind
from arbitre.records.store import Store
from arbitre.referee.match import MatchState
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.verdict import Termination
from arbitre.tournament.agreement import ScoreTerms, agreeing, read_agreement
from arbitre.tournament.config import plan_of, read_kept_plan
from arbitre.tournament.report import report
from arbitre.tournament.summary import summarise, to_json
from arbitre.tournament.tables import usage_text
from arbitre.tournament.usage import Usage, usage_of
from tests.players.model import serving
from tests.reasons import raises
from tests.referee.tables import KEY, make_match


class Sayer(Bot):
    """Plays the first move, and says scores one after the other."""

    def __init__(self, *scores: str) -> None:
        super().__init__()
        self.scores: Iterator[str] = iter(scores)

    def move(self, position: Position) -> str:
        self.remark = next(self.scores, "")
        return position.legal[0]


def played(terms: ScoreTerms | None, first: tuple[str, ...], second: tuple[str, ...]) -> tuple[MatchState, Memory]:
    journal = Memory()
    players = agreeing([InProcess(Sayer(*first)), InProcess(Sayer(*second))], terms)
    return asyncio.run(MatchRunner(make_match("reversi"), players, journal, KEY).play()), journal


UP, DOWN = ("score=+6 depth=9",) * 9, ("depth=9 score=-7.5",) * 9


def test_who_both_say_has_lost_gives_up() -> None:
    affairs, journal = played(read_agreement("5/3"), UP, DOWN)
    assert affairs.verdict is not None
    assert (affairs.verdict.termination, affairs.verdict.scores) == (Termination.RESIGNED, (Fraction(1), Fraction(0)))
    assert affairs.verdict.reason.code == "agreed-score"
    assert sum(event.kind is Kind.SAID for event in journal.events) == 7


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (UP, UP),
        (DOWN, DOWN),
        (UP, ()),
        (UP, ("score=-7", "score=-7", "score=0", "score=-7", "score=-7")),
        (UP, ("nothing of score=-9x",) * 9),
        (("score=4.9",) * 9, DOWN),
    ],
)
def test_who_does_not_agree_plays_on(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    affairs, _ = played(read_agreement("5/3"), first, second)
    assert affairs.verdict is not None
    assert affairs.verdict.termination is Termination.RULES


@pytest.mark.parametrize("text", ["5", "/3", "0/3", "5/0", "-5/3", "5/3/1", "x/y", "5/3000"])
def test_what_is_no_agreement_is_refused(text: str) -> None:
    with pytest.raises(TermsError):
        read_agreement(text)


def test_a_plan_keeps_its_agreement() -> None:
    players = [{"name": one, "player": "random"} for one in ("a", "b")]
    plan = plan_of({"game": "reversi", "players": players, "agree": "2.5/4", "seed": "x"})
    assert plan.agree == ScoreTerms(Fraction(5, 2), 4)
    assert read_kept_plan(plan.text()) == plan
    with raises(TournamentError, "key '%(where)s%(key)s': %(why)s", key="agree"):
        plan_of({"game": "reversi", "players": players, "agree": "no"})


def test_what_a_seat_took_is_summed_up() -> None:
    events = [
        Event(Kind.ASKED, 0, 0, 1, "5000"),
        Event(Kind.NOTED, 900, 0, 1, "tokens_in=10 tokens_out=3 calls=2 ms=870 said=tokens_in=999"),
        Event(Kind.SAID, 900, 0, 1, "5"),
        Event(Kind.REFUSED, 900, 0, 1, "{}"),
        Event(Kind.ASKED, 900, 0, 1, "4100"),
        Event(Kind.SAID, 1000, 0, 1, "6"),
    ]
    assert usage_of(events, 2) == (Usage(1, 1, 1000, 2, 10, 3), Usage())


def test_models_bots_and_the_house_compete_and_the_report_says_what_it_took(tmp_path: Path) -> None:
    with serving() as models, closing(Store(tmp_path)) as store:
        texts = {"model": f"llm:{models.url}#small", "anyone": "random", "house": "house:tictactoe/1"}
        players = [{"name": name, "player": text} for name, text in texts.items()]
        plan = plan_of({"game": "tictactoe", "name": "mixed", "players": players, "games": 2, "seed": "s"})
        store.add_tournament(plan.name, plan.text(), b"", "2026-01-01")
        seated = [read_contestant(text, Setting(plan.game, name)) for name, text in texts.items()]
        hall = Hall(store, plan.name, plan, seated, "2026-01-01")
        asyncio.run(hall.hold(lambda _: None))
        summary = summarise(plan, hall.results, {}, usage_in(store, plan))
    model = next(one for one in to_json(summary)["standings"] if one["name"] == "model")
    assert model["games"] == 4
    assert model["usage"]["calls"] == len(models.asked) == model["usage"]["moves"]
    assert model["usage"]["tokens_in"] == 100 * len(models.asked)
    assert f">{7 * len(models.asked)}<" in report(summary)
    lines = usage_text(summary).splitlines()
    assert any(str(7 * len(models.asked)) in line for line in lines if "model" in line)
