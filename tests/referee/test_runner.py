"""Several at once: nobody is charged for another's silence, and no answer that came in time is lost."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

import pytest

from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement
from arbitre.errors import HouseError, PlayerLeftError
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason
from arbitre.records.event import NOBODY, Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match, MatchState
from arbitre.referee.player import Agreement, Answer, Decline, Player, SignedOpening
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Opening, Terms
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, steps, verify
from tests.referee.tables import KEY, Hearing, kinds, make_match


class Scripted(Player):
    """Says its words one after the other, each after so many seconds; before, the referee is busy with it for some more."""

    def __init__(self, *script: tuple[str, float], outside: bool = True, busy: float = 0) -> None:
        self.script = list(script)
        self.outside = outside
        self.busy = busy
        self.asked: list[Reason | None] = []

    async def ask(self, position: Position) -> Answer:
        self.asked.append(position.refused)
        time.sleep(self.busy)  # as writing a long question does
        words, after = self.script.pop(0)
        await asyncio.sleep(after)
        return Answer(words, after)


def play(
    players: list[Player], clock: str, refusals: int = 0, options: dict[str, object] | None = None
) -> tuple[MatchState, Memory]:
    match = make_match("rochambeau", options, terms=Terms(read_clock(clock), refusals))
    journal = Memory()
    affairs = asyncio.run(MatchRunner(match, players, journal, KEY).play())
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    return affairs, journal


def test_an_answer_that_is_on_its_way_is_heard_before_the_clock() -> None:
    """The third's question left when the first had thought for a while: it has its own time, whatever the first one does."""
    players: list[Player] = [Scripted(("rock", 9)), Scripted(("rock", 0), busy=0.1), Scripted(("paper", 0.15))]
    affairs, journal = play(players, "200ms/move", options={"players": 3, "goal": 0})
    assert affairs.verdict is not None
    assert affairs.verdict.scores == (Fraction(0), Fraction(0), Fraction(1))
    assert kinds(journal.events) == "opened asked1 asked2 asked3 said2 said3 ticked ended revealed"


@pytest.mark.parametrize("outside", [True, False])
def test_whoever_is_refused_is_asked_again_while_the_others_think(outside: bool) -> None:
    """The other one's silence is not the refused one's."""
    other = Scripted(("rock", 9), outside=outside)
    refused = Scripted(("nonsense", 0.01), ("paper", 0.01), outside=outside)
    affairs, _ = play([other, refused], "200ms/move", refusals=1)
    assert affairs.verdict is not None
    assert affairs.verdict.scores == (Fraction(0), Fraction(1))
    assert refused.asked[1] is not None
    assert refused.asked[1].code == "no-sign-named"


class NeverSits(Player):
    async def sit(self, opening: Opening, seat: Seat) -> None:  # noqa: ARG002
        raise PlayerLeftError("gone since the crash")

    async def ask(self, position: Position) -> Answer:
        raise AssertionError(position)


def test_who_does_not_come_back_after_an_interruption() -> None:
    """The fault has the time at which the match goes on, not that of its call."""
    hearing = Hearing(make_match(clock="5s/move"))
    hearing.say(0, "1", at=40)
    journal = Memory()
    table = MatchRunner(hearing.match, [Scripted(("2", 0)), NeverSits()], journal, KEY)
    affairs = asyncio.run(table.play(tuple(steps(table.match, hearing.events))))
    assert affairs.verdict is not None
    assert affairs.verdict.termination is Termination.DISCONNECTED
    assert [event.at for event in journal.events if event.kind is Kind.LEFT] == [40]


class Stubborn(Player):
    """Answers when it is called off, or fails; or never brings the nonce that it has promised."""

    def __init__(self, answer: Answer | PlayerLeftError | HouseError) -> None:
        self.answer = answer
        self.waits = asyncio.Event()

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:  # noqa: ARG002
        self.waits.set()
        await asyncio.sleep(60)
        raise AssertionError

    async def ask(self, position: Position) -> Answer:  # noqa: ARG002
        self.waits.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def interrupted(player: Stubborn, kind: Kind, seat: int, nonces: dict[int, bytes] | None = None) -> tuple[MatchState, int]:
    """Return how a match ends in which somebody speaks out of turn, and how often its task is still called off then."""
    match = make_match("poker" if nonces else "tictactoe", nonces=nonces)
    journal = Memory()

    async def course() -> tuple[MatchState, int]:
        table = MatchRunner(match, [player, Scripted()], journal, KEY)
        table.interruptible()

        async def speak() -> None:
            await player.waits.wait()
            table.interrupt(kind, seat, Reason("quoted", text="enough"))

        speaking = asyncio.create_task(speak())
        async with asyncio.timeout(10):
            affairs = await table.play()
        await speaking
        task = asyncio.current_task()
        assert task is not None
        return affairs, task.cancelling()

    found = asyncio.run(course())
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    return found


@pytest.mark.parametrize("answer", [Answer("5", 0), PlayerLeftError("grief"), HouseError("grief")])
def test_whoever_answers_an_interruption_leaves_no_cancellation_behind(answer: Answer | PlayerLeftError | HouseError) -> None:
    affairs, left = interrupted(Stubborn(answer), Kind.ABANDONED, NOBODY)
    assert affairs.verdict is not None
    assert left == 0


@pytest.mark.parametrize(
    ("kind", "seat", "ending"),
    [
        (Kind.ABANDONED, NOBODY, Termination.ABANDONED),
        (Kind.RESIGNED, 1, Termination.RESIGNED),
        (Kind.LEFT, 1, Termination.DISCONNECTED),
    ],
)
def test_what_is_said_while_nonces_are_awaited_is_heard(kind: Kind, seat: int, ending: Termination) -> None:
    affairs, left = interrupted(Stubborn(Answer("", 0)), kind, seat, {0: b"n" * 32})
    assert affairs.verdict is not None
    assert (affairs.verdict.termination, left) == (ending, 0)


class Silent(Scripted):
    """Has a key, agrees, and says nothing of the record."""

    def __init__(self) -> None:
        super().__init__(*[("no move", 0.0)] * 9)
        self.asked_to_sign = 0
        self.match: Match | None = None

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:  # noqa: ARG002
        assert self.match is not None
        return Agreement(None, self.match.called.sign(SILENT, Statement.AGREED, 0).hex())

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:  # noqa: ARG002
        self.asked_to_sign += 1
        return None


SILENT = Key(b"\x51" * 32)


def test_who_is_silent_three_times_is_not_asked_again() -> None:
    silences: Counter[str] = Counter()
    player = Silent()
    for _ in range(5):
        player.match = make_match(keys={0: SILENT})
        journal = Memory()
        asyncio.run(MatchRunner(player.match, [player, Scripted()], journal, KEY, silences).play())
        assert journal.sealed is not None
        assert [word.state for word in journal.sealed.seats] == [SeatState.SILENT, SeatState.KEYLESS]
        assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    assert player.asked_to_sign == 3
