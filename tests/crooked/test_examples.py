"""The examples that trust nobody, in other languages, on a real pipe: one signs what it played, one keeps a journal of it."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from arbitre.crypto.statements import SeatState
from arbitre.records.evidence import Dispute, check_record, read_journal
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


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_journal_of_the_bot_in_c_is_the_records(tmp_path: Path) -> None:
    program = tmp_path / "wary"
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-o", program, EXAMPLES / "wary.c"], check=True)
    for name, clock in (("poker", "none"), ("tictactoe", "5s/move"), ("rochambeau", "none"), ("mastermind", "none")):
        draft, journal = make_match(name=name, clock=clock), Memory()
        files = [tmp_path / f"{name}-{seat}.jsonl" for seat in range(2)]
        players: list[Player] = [StdioPlayer([str(program), str(file)]) for file in files]

        async def course(draft: Match = draft, players: list[Player] = players, journal: Memory = journal) -> Match:
            match = Match(await greeted(draft.opening, players), draft.seed)
            await MatchRunner(match, players, journal, KEY).play()
            return match

        match = asyncio.run(course())
        assert set(match.opening.promises or {}) == {0, 1}
        record = tmp_path / f"{name}.record"
        record.write_text(journal.record().text(), encoding="utf-8")
        assert verify(record.read_bytes(), given=KEY.fingerprint).standing is Proof.VERIFIED
        for file in files:
            kept = read_journal(file.read_bytes())
            assert kept.ended is not None
            *lines, _ = record.read_bytes().splitlines(keepends=True)
            check_record(kept, b"".join(lines))
            with pytest.raises(Dispute):
                check_record(kept, b"".join(lines).replace(b'"kind":"asked"', b'"kind":"stray"', 1))
