"""Games end where both sides agree how they stand, and what games took of each player is read from their records."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from arbitre.bot import Bot, InProcess, Position
from arbitre.errors import TermsError, TournamentError
from arbitre.hall import Hall, usage_in
from arbitre.players import Setting, read_contestant
from arbitre.records.event import Event, Kind
from arbitre.records.record import Chain, Record
from arbitre.records.store import Store
from arbitre.referee.agreement import read_agreement
from arbitre.referee.match import MatchState
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Terms
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.tournament.config import plan_of, read_kept_plan
from arbitre.tournament.report import report
from arbitre.tournament.summary import summarise, to_json
from arbitre.tournament.tables import usage_text
from arbitre.tournament.usage import Usage, usage_of
from tests.players.model import serving
from tests.reasons import raises
from tests.referee.tables import KEY, SEED, Hearing, make_match


class Sayer(Bot):
    """Plays the first move, and says scores one after the other."""

    def __init__(self, *scores: str) -> None:
        super().__init__()
        self.scores: Iterator[str] = iter(scores)

    def move(self, position: Position) -> str:
        self.remark = next(self.scores, "")
        return position.legal[0]


def played(terms: str, first: tuple[str, ...], second: tuple[str, ...]) -> tuple[MatchState, Memory]:
    journal, match = Memory(), make_match("reversi", terms=Terms(agree=read_agreement(terms)))
    players = [InProcess(Sayer(*first)), InProcess(Sayer(*second))]
    affairs = asyncio.run(MatchRunner(match, players, journal, KEY).play())
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    return affairs, journal


UP, DOWN, EVEN = ("score=+6 depth=9",) * 9, ("depth=9 score=-7.5",) * 9, ("score=-0.1", "score=0.100000") * 5


def end(affairs: MatchState) -> tuple[Termination, str, object]:
    assert affairs.verdict is not None
    return affairs.verdict.termination, affairs.verdict.reason.code, affairs.verdict.scores


def test_who_both_say_has_lost_has_lost() -> None:
    affairs, journal = played("5/3", UP, DOWN)
    assert end(affairs) == (Termination.ADJUDICATED, "agreed-score", (Fraction(1), Fraction(0)))
    assert sum(event.kind is Kind.SAID for event in journal.events) == 6


@pytest.mark.parametrize(("terms", "moves"), [("=0.1/3", 6), ("5/3 =0.1/3@5", 10), ("=7/9", 18)])
def test_what_both_call_level_is_a_draw(terms: str, moves: int) -> None:
    affairs, journal = played(terms, EVEN, EVEN)
    assert end(affairs) == (Termination.ADJUDICATED, "agreed-level", (Fraction(1, 2), Fraction(1, 2)))
    assert sum(event.kind is Kind.SAID for event in journal.events) == moves


@pytest.mark.parametrize(
    ("terms", "first", "second"),
    [
        ("5/3", UP, UP),
        ("5/3", DOWN, DOWN),
        ("5/3", UP, ()),
        ("5/3", UP, ("score=-7", "score=-7", "score=0", "score=-7", "score=-7")),
        ("5/3", UP, ("nothing of score=-9x",) * 9),
        ("5/3", ("score=4.999999",) * 9, DOWN),
        ("5/3 =0.1/3", EVEN, UP),
        ("=0.1/3", EVEN, ()),
        ("=0.1/3", EVEN, ("score=0.100001",) * 9),
        ("=0.1/3@60", EVEN, EVEN),
    ],
)
def test_who_does_not_agree_plays_on(terms: str, first: tuple[str, ...], second: tuple[str, ...]) -> None:
    affairs, _ = played(terms, first, second)
    assert end(affairs)[0] is Termination.RULES


def test_a_score_with_a_refused_move_does_not_count() -> None:
    hearing = Hearing(make_match(terms=Terms(refusals=None, agree=read_agreement("1/1"))))
    hearing.hear(Kind.NOTED, 0, "score=2")
    hearing.say(0, "1")
    hearing.hear(Kind.NOTED, 1, "score=-2")
    hearing.say(1, "1")
    hearing.say(1, "2")
    assert hearing.affairs.verdict is None


def test_a_move_that_ends_the_game_ends_it_by_the_rules() -> None:
    hearing = Hearing(make_match(terms=Terms(agree=read_agreement("=0/2@2"))))
    for number, cell in enumerate("14253"):
        hearing.hear(Kind.NOTED, number % 2, "score=0")
        hearing.say(number % 2, cell)
    assert end(hearing.affairs)[0] is Termination.RULES


@pytest.mark.parametrize("lie", [lambda text: text.replace("score=-7.5", "score=-1.5"), lambda text: text.replace("5/3", "5/2")])
def test_an_end_to_which_nobody_agreed_does_not_verify(lie: Callable[[str], str]) -> None:
    """A crooked referee changes what a side said, or the terms, and seals the record with its own key."""
    _, journal = played("5/3", UP, DOWN)
    events = [one._replace(text=lie(one.text)) for one in journal.events]
    assert events != journal.events
    chain = Chain(SEED)
    chain.add(events)
    forged = Record(tuple(events), chain.seal(KEY, ("", ""), None))
    assert verify(forged.text().encode(), given=KEY.fingerprint).standing is Proof.BROKEN


@pytest.mark.parametrize(
    "text",
    ["", "5", "/3", "0/3", "5/0", "-5/3", "5/3/1", "x/y", "5/3000", "=", "=0.1", "5/3 0.1/8", "=1/2@0", "=0.1/8 5/3", "٥/3"],
)
def test_what_is_no_agreement_is_refused(text: str) -> None:
    with pytest.raises(TermsError):
        read_agreement(text)


@pytest.mark.parametrize("text", ["5/3", "0.000001/1", "123456.123456/999", "=0/1", "=0.1/8@40", "2.5/3 =0.1/8@99999"])
def test_an_agreement_is_read_as_it_is_written(text: str) -> None:
    assert read_agreement(text).text() == text


def test_an_agreement_is_for_two() -> None:
    with pytest.raises(TermsError):
        make_match("rochambeau", {"players": 3}, terms=Terms(agree=read_agreement("5/3")))


def test_a_plan_keeps_its_agreement() -> None:
    players = [{"name": one, "player": "random"} for one in ("a", "b")]
    plan = plan_of({"game": "reversi", "players": players, "agree": "2.50/4 =0.1/8@40", "seed": "x"})
    assert plan.terms.agree == plan.agree == read_agreement("2.5/4 =0.1/8@40")
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
