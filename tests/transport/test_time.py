"""Time on a pipe: what keeps the referee busy is nobody's time, and an answer that lay there in time is in time."""

import asyncio
import os
import sys
import time
from collections.abc import Sequence

import pytest

from arbitre.bot import Bot, InProcess, Position
from arbitre.errors import HouseError
from arbitre.games.game import Seat
from arbitre.reasons import Reason
from arbitre.records.event import Event, Kind
from arbitre.referee.match import Match
from arbitre.referee.player import Answer, Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Opening, Terms
from arbitre.referee.verdict import Termination
from arbitre.transport.process import _Moment
from arbitre.transport.stdio import StdioPlayer
from tests.transport.tables import EXAMPLES, KEY, SEED, make_match, play, program


class Overtaken(Player):
    """Answers on a pipe, and then keeps the loop from looking until its time is up."""

    async def ask(self, position: Position) -> Answer:
        loop = asyncio.get_running_loop()
        source, sink = os.pipe()
        heard = loop.create_future()

        def hear() -> None:
            loop.remove_reader(source)  # once, though the loop may come by again before this task goes on
            if not heard.done():
                heard.set_result(os.read(source, 1))

        loop.add_reader(source, hear)
        os.write(sink, b"x")
        time.sleep(0.1)  # in one breath, so that no busy machine comes between the two
        try:
            await heard
        finally:
            loop.remove_reader(source)
            os.close(source)
            os.close(sink)
        return Answer(position.legal[0], 0.01)


def test_an_answer_that_lay_there_when_the_time_was_up_is_not_lost() -> None:
    """The loop finds the answer in the same round in which the time runs out."""
    verdict, _ = play(make_match("50ms/move"), Overtaken(), Overtaken())
    assert verdict.termination is Termination.RULES


def test_what_is_found_in_one_round_of_the_loop_arrived_before_it() -> None:
    async def course() -> list[float]:
        loop = asyncio.get_running_loop()
        moment = _Moment(loop)
        found: list[float] = []

        def reader() -> None:
            found.append(moment.arrival())
            time.sleep(0.02)

        for _ in range(2):  # two rounds of three answers each, the second found while the first was handled
            for _ in range(3):
                loop.call_soon(reader)
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        reader()
        return found

    found = asyncio.run(course())
    assert len(set(found[:3])) == 1
    assert len(set(found[3:6])) == 1
    assert found[2] < found[3] < found[6]


SLOW = 0.25


class Slow(Bot):
    """Keeps the whole loop busy."""

    def move(self, position: Position) -> str:
        time.sleep(SLOW)
        return position.legal[-1]


def test_the_others_thinking_is_not_the_programs_time() -> None:
    verdict, events = play(make_match("10s/move"), program("cheerful"), InProcess(Slow()))
    assert verdict.termination is Termination.RULES
    asked, said = ([one.at for one in events if one.seat == 0 and one.kind is kind] for kind in (Kind.ASKED, Kind.SAID))
    spent = [end - begun for begun, end in zip(asked, said, strict=True)]
    assert min(spent[1:]) < 1_000 * SLOW, "none of its moves behind the other's would be as quick"


def test_a_resignation_that_is_not_allowed_costs_its_time() -> None:
    opening = make_match("1s/move").opening
    terms = Terms(opening.terms.clock, resign=False)
    match = Match(Opening(opening.match, opening.game, opening.chairs, opening.commitment, terms, referee=opening.referee), SEED)
    affairs, _ = match.open()
    at = 0
    for left in (600, 200):
        at += 400
        affairs, outputs = match.hear(affairs, Event(Kind.RESIGNED, at, 0, 1, ""))
        assert [event.kind for event in outputs] == [Kind.REFUSED, Kind.ASKED]
        assert outputs[1].text == str(left)
    affairs, _ = match.hear(affairs, Event(Kind.RESIGNED, at + 400, 0, 1, ""))
    assert affairs.verdict is not None
    assert affairs.verdict.termination is Termination.OUT_OF_TIME


class Tardy(Player):
    patience = 0.05

    async def sit(self, opening: Opening, seat: Seat) -> None:  # noqa: ARG002
        await asyncio.sleep(60)

    async def ask(self, position: Position) -> Answer:  # noqa: ARG002
        raise HouseError("asked without sitting")


def test_a_player_has_its_own_time_to_sit_down() -> None:
    verdict, _ = play(make_match(), Tardy())
    assert verdict.reason == Reason("not-ready", seconds="0.05")


class Counting(Memory):
    """A journal that only counts: what it kept would keep the collector of garbage busy, and with it the referee."""

    asked = 0

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:  # noqa: ARG002
        self.asked += sum(event.kind is Kind.ASKED for event in events)


@pytest.mark.campaign
def test_a_crowd_of_programs_is_not_late() -> None:
    """250 games at once, 500 programs asked together, 0.2 seconds a move: at most one move in two thousand is late."""
    match = make_match("200ms/move", name="rochambeau", options={"goal": 60, "limit": 10_000})
    journals = [Counting() for _ in range(250)]

    async def course() -> list[Termination]:
        tables = [
            MatchRunner(match, [StdioPlayer([sys.executable, "-S", str(EXAMPLES / "plain.py")]) for _ in range(2)], journal, KEY)
            for journal in journals
        ]
        done = await asyncio.gather(*(table.play() for table in tables))
        return [affairs.verdict.termination for affairs in done if affairs.verdict is not None]

    endings = asyncio.run(course())
    asked = sum(journal.asked for journal in journals)
    assert set(endings) <= {Termination.RULES, Termination.OUT_OF_TIME}
    assert endings.count(Termination.OUT_OF_TIME) <= asked * 0.0005
