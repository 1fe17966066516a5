"""Draws by agreement: who offers, who takes, and what the record and a journal say of it."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arbitre.bot import Bot, InProcess, Offer, Position, TakeDraw
from arbitre.crypto.statements import SeatState
from arbitre.errors import TranscriptError
from arbitre.games.catalogue import game, listings
from arbitre.records.event import Kind
from arbitre.records.evidence import Dispute, check_record, read_journal
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory, greeted
from arbitre.referee.verdict import Termination, read_verdict
from arbitre.referee.verify import Proof, verify
from arbitre.transport.stdio import StdioPlayer
from tests.referee.tables import Hearing, kinds
from tests.referee.tables import make_match as begun
from tests.transport.tables import KEY, make_match


class Peaceful(Bot):
    """Offers a draw with its second move, and takes every one."""

    asked = 0

    def move(self, position: Position) -> str:
        if position.offered:
            raise TakeDraw
        self.asked += 1
        move = position.sample(self.random)
        return Offer(move) if self.asked == 2 else move


class Eager(Peaceful):
    """Offers a draw with every move, and never says that it takes one."""

    def move(self, position: Position) -> str:
        return Offer(position.sample(self.random))


class Deaf(Bot):
    """Plays on."""

    def move(self, position: Position) -> str:
        return position.sample(self.random)


class Greedy(Bot):
    """Takes a draw that nobody offers."""

    def move(self, position: Position) -> str:  # noqa: ARG002 - it does not look
        raise TakeDraw


def played(players: Sequence[Player], name: str = "tictactoe") -> Memory:
    """Return the record of a match, which must verify."""
    draft, journal = make_match(name=name), Memory()

    async def course() -> None:
        match = Match(await greeted(draft.opening, players), draft.seed)
        await MatchRunner(match, players, journal, KEY).play()

    asyncio.run(course())
    found = verify(journal.record().text().encode(), given=KEY.fingerprint)
    assert found.standing is Proof.VERIFIED, found.line
    return journal


def end(journal: Memory) -> tuple[Termination, str]:
    verdict = read_verdict(journal.events[-2].text)
    return verdict.termination, verdict.reason.code


def test_an_offer_is_taken() -> None:
    journal = played([InProcess(Peaceful()), InProcess(Peaceful())])
    assert kinds(journal.events).endswith("asked1 offered1 said1 asked2 settled2 ended revealed")
    assert end(journal) == (Termination.AGREED, "agreed")


def test_whoever_moves_declines() -> None:
    journal = played([InProcess(Peaceful()), InProcess(Deaf())])
    assert [event.kind for event in journal.events].count(Kind.OFFERED) == 1
    assert end(journal)[0] is Termination.RULES


def test_two_who_offer_agree() -> None:
    journal = played([InProcess(Eager()), InProcess(Eager())])
    assert kinds(journal.events) == "opened asked1 offered1 said1 asked2 settled2 ended revealed"


@pytest.mark.parametrize(("name", "bot", "code"), [("tictactoe", Greedy, "no-draw-offered"), ("rochambeau", Eager, "no-offers")])
def test_what_cannot_be_agreed_on_breaks_the_protocol(name: str, bot: type[Bot], code: str) -> None:
    assert end(played([InProcess(bot()), InProcess(Deaf())], name)) == (Termination.PROTOCOL_ERROR, code)


@pytest.mark.parametrize("name", [one.name for one in listings()])
def test_every_game_knows_offers_or_refuses_them(name: str) -> None:
    hearing = Hearing(begun(name))
    if game(name).offers:
        hearing.hear(Kind.OFFERED, 0)
        hearing.hear(Kind.SETTLED, 1)
        if game(name).seats == 2:
            assert hearing.affairs.verdict is not None
            assert hearing.affairs.verdict.termination is Termination.AGREED
    else:
        with pytest.raises(TranscriptError):
            hearing.hear(Kind.OFFERED, 0)


def test_on_a_pipe_both_sign_and_both_journals_hold_it(tmp_path: Path) -> None:
    bot = f"{__file__}:Peaceful"
    players = [
        StdioPlayer(
            [sys.executable, "-m", "arbitre.bot", bot, "--key", str(tmp_path / f"{seat}.key"), "--journal", str(tmp_path)],
            environment={"PYTHONPATH": str(Path(__file__).parents[2])},
        )
        for seat in range(2)
    ]
    journal = played(players)
    assert end(journal)[0] is Termination.AGREED
    assert journal.sealed is not None
    assert [word.state for word in journal.sealed.seats] == [SeatState.SIGNED] * 2
    lines = [event.line() for event in journal.events]
    for seat, file in enumerate(sorted(tmp_path.glob("*.jsonl"))):
        kept = read_journal(file.read_bytes())
        assert kept.called.seat == seat
        check_record(kept, "".join(f"{line}\n" for line in lines).encode())
        kept.questions[-1] = replace(kept.questions[-1], answer=("said", "9"), offers=False)
        with pytest.raises(Dispute):
            check_record(kept, "".join(f"{line}\n" for line in lines).encode())
