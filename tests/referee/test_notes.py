"""What players say about their moves is kept beside them, sealed until the end, and has no effect."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arbitre.bot import Bot, InProcess, Position
from arbitre.crypto.statements import SeatState
from arbitre.games.catalogue import game
from arbitre.players import Setting, read_contestant
from arbitre.records.event import LONGEST_NOTE, Event, Kind, noted
from arbitre.records.evidence import Code, Dispute, SeatJournal, check_record, read_journal
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory, greeted
from arbitre.referee.story import export, story, tell
from arbitre.referee.verify import Proof, verify
from arbitre.transport.pipe import MOST_COMMENT, BotSide, Garbled, Moved, RefereeSide
from arbitre.transport.stdio import StdioPlayer
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


# ── seats that sign ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> tuple[SeatJournal, list[Event]]:
    """Return the journal of the first seat, and a record that both signed, of bots that say something about their moves."""
    folder = tmp_path_factory.mktemp("signed")
    bot = folder / "talker.py"
    bot.write_text(TALKER, encoding="utf-8")
    command = [sys.executable, "-m", "arbitre.bot", str(bot), "--journal", str(folder)]
    players: list[Player] = [StdioPlayer([*command, "--key", str(folder / f"{seat}.key")]) for seat in range(2)]
    draft, journal = make_match("tictactoe"), Memory()

    async def course() -> None:
        await MatchRunner(Match(await greeted(draft.opening, players), draft.seed), players, journal, KEY).play()

    asyncio.run(course())
    assert journal.sealed is not None
    assert [word.state for word in journal.sealed.seats] == [SeatState.SIGNED] * 2
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    first = next(one for file in sorted(folder.glob("*.jsonl")) if not (one := read_journal(file.read_bytes())).called.seat)
    return first, journal.events


def test_a_seat_that_signs_finds_its_notes_in_the_record(signed: tuple[SeatJournal, list[Event]]) -> None:
    kept, events = signed
    assert [one.text for one in events if one.kind is Kind.NOTED] == ["score=+0.5 depth=3 pv=é"]
    assert [put.note for put in kept.questions if put.note] == ["score=+0.5 depth=3 pv=é"]
    check_record(kept, "".join(f"{one.line()}\n" for one in events).encode())


def _place(events: list[Event]) -> int:
    return next(at for at, one in enumerate(events) if one.kind is Kind.NOTED)


@pytest.mark.parametrize(
    "lie",
    [
        pytest.param(lambda events, at: events.pop(at), id="left out"),
        pytest.param(lambda events, at: events.insert(at, events[at]), id="twice"),
        pytest.param(lambda events, at: events.__setitem__(at, events[at]._replace(text="score=-9")), id="other words"),
        pytest.param(lambda events, at: events.__setitem__(at, events[at]._replace(turn=1)), id="of another turn"),
        pytest.param(lambda events, at: events.insert(at + 1, events.pop(at)), id="after the move"),
        pytest.param(lambda events, _: events.insert(2, Event(Kind.NOTED, 0, 0, 1, "score=-9")), id="never said"),
    ],
)
def test_a_seat_does_not_sign_words_about_its_moves_that_are_not_its_own(
    signed: tuple[SeatJournal, list[Event]], lie: Callable[[list[Event], int], object]
) -> None:
    kept, events = signed[0], list(signed[1])
    lie(events, _place(events))
    with pytest.raises(Dispute) as found:
        check_record(kept, "".join(f"{one.line()}\n" for one in events).encode())
    assert found.value.code is Code.ANSWER
