"""The example that trusts nobody, in another language, written from the manual: it signs what it played, on a real pipe."""

import asyncio
import shutil

import pytest

from arbitre.crypto.statements import SeatState
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory, greeted
from arbitre.referee.verify import Proof, verify
from arbitre.transport.stdio import StdioPlayer
from tests.transport.tables import EXAMPLES, KEY, make_match


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("name", ["tictactoe", "rochambeau"])
def test_the_wary_bot_signs_what_it_played(name: str) -> None:
    draft, journal = make_match(name=name), Memory()
    players: list[Player] = [StdioPlayer(["node", str(EXAMPLES / "wary.js")]) for _ in range(2)]

    async def course() -> None:
        match = Match(await greeted(draft.opening, players), draft.seed)
        await MatchRunner(match, players, journal, KEY).play()

    asyncio.run(course())
    assert journal.sealed is not None
    assert [word.state for word in journal.sealed.seats] == [SeatState.SIGNED] * 2
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
