"""What players say about their moves is kept beside them, sealed until the end, and has no effect."""

import asyncio
from pathlib import Path

import pytest

from arbitre.bot import Bot, InProcess, Position
from arbitre.games.catalogue import game
from arbitre.players import Setting, read_contestant
from arbitre.records.event import LONGEST_NOTE, Kind, noted
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.story import export, story, tell
from arbitre.referee.verify import Proof, verify
from arbitre.transport.pipe import MOST_COMMENT, BotSide, Garbled, Moved, RefereeSide
from tests.referee.tables import KEY, kinds, make_match

HEAD = "3d" * 32

TALKER = """
from arbitre.bot import Bot, run

class Talker(Bot):
    def move(self, position):
        if position.turn == 3:
            self.remark = "score=+0.5 depth=3 pv=é"
        return position.legal[0]

run(Talker)
"""


class Talker(Bot):
    """Says something about its first move."""

    def move(self, position: Position) -> str:
        if position.turn < 3:
            self.remark = f"score=+{position.turn} pv=é"
        return position.legal[0]


def played(*players: Player) -> Memory:
    journal = Memory()
    asyncio.run(MatchRunner(make_match("tictactoe"), list(players), journal, KEY).play())
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    return journal


def test_notes_stand_before_the_moves_and_change_nothing() -> None:
    journal = played(InProcess(Talker()), InProcess(Talker()))
    assert kinds(journal.events).startswith("opened asked1 noted1 said1 asked2 noted2 said2 asked1 said1")
    notes = [(one.seat, one.turn, one.text) for one in journal.events if one.kind is Kind.NOTED]
    assert notes == [(0, 1, "score=+1 pv=é"), (1, 2, "score=+2 pv=é")]


@pytest.mark.words("the story as people read it")
def test_they_are_told_after_the_end() -> None:
    record = played(InProcess(Talker()), InProcess(Talker())).record()
    assert "notes: score=+1 pv=é" in export(record, "story")
    told = tell(record)
    live = told._replace(moments=told.moments[:3])
    lines = "\n".join(story(live))
    assert "score" not in lines


def test_a_bot_on_a_pipe_says_info(tmp_path: Path) -> None:
    bot = tmp_path / "talker.py"
    bot.write_text(TALKER, encoding="utf-8")
    one = read_contestant(f"py:{bot}", Setting(game("tictactoe")))
    journal = played(one.player(b""), one.player(b""))
    assert [one.text for one in journal.events if one.kind is Kind.NOTED] == ["score=+0.5 depth=3 pv=é"]


def test_of_several_lines_the_last_counts_and_none_answers() -> None:
    side = RefereeSide()
    side.receive(b"hello 2 bot\n")
    side.ask("000000000 1", 1, None, HEAD)
    assert side.receive(b"info score=1\ninfo score=2 pv=x\n") == []
    assert side.receive(b"move 5\ninfo too late\n") == [Moved("5")]
    assert side.note == "score=2 pv=x"
    side.ask("000010000 2", 2, None, HEAD)
    assert side.note == ""
    side.expire()
    assert side.receive(b"info of the question before\n") == []
    assert side.note == ""


def test_info_is_bounded_as_comments_are() -> None:
    side = RefereeSide()
    side.receive(b"hello 2 bot\n")
    side.ask("000000000 1", 1, None, HEAD)
    line = b"info " + b"x" * 60_000 + b"\n"
    (fault,) = side.receive(line * (MOST_COMMENT // len(line) + 1))
    assert isinstance(fault, Garbled)
    assert fault.why.code == "pipe-comments"


@pytest.mark.parametrize("text", ["x" * 10_000, "é" * 3_000, "a\ud800b"])
def test_a_note_is_cut_where_a_record_holds_no_more(text: str) -> None:
    assert len(noted(text).encode()) <= LONGEST_NOTE
    assert BotSide().info(text).count(b"\n") == 1
