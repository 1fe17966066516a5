"""A language model plays: what it says is judged as anybody's move, what goes wrong is named, what it took is noted."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from arbitre.bot import InProcess
from arbitre.errors import PlayerStringError
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game, listings
from arbitre.players import Contestant, Setting, read_contestant
from arbitre.players.llm import named, resigns
from arbitre.records.event import Event, Kind
from arbitre.records.record import Record
from arbitre.referee.match import Match
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.story import story, tell
from arbitre.referee.verdict import Termination, Verdict
from arbitre.referee.verify import Proof, verify
from tests.players.model import first_legal, serving
from tests.players.tables import make_match
from tests.reasons import gives
from tests.transport.tables import KEY

ANSWERED = "tokens_in=100 tokens_out=7 calls=1 ms="


def model(text: str, name: str = "tictactoe") -> Contestant:
    return read_contestant(text, Setting(game(name)))


def against(text: str, name: str = "tictactoe", refusals: int | None = 0, clock: str = "none") -> tuple[Verdict, Sequence[Event]]:
    """Let a model play against somebody who plays at random."""
    return played(make_match(name, clock, refusals=refusals), model(text, name))


def played(match: Match, contestant: Contestant) -> tuple[Verdict, Sequence[Event]]:
    journal = Memory()

    async def course() -> Verdict:
        async with asyncio.timeout(60):  # a test that would hang fails instead
            affairs = await MatchRunner(match, [contestant.player(b""), InProcess(Anyone())], journal, KEY).play()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert affairs.verdict is not None
        return affairs.verdict

    verdict = asyncio.run(course())
    assert verify(journal.record().text().encode(), given=KEY.fingerprint).standing is Proof.VERIFIED
    return verdict, journal.events


def notes(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if event.kind is Kind.NOTED]


def test_a_model_plays_a_match_and_what_it_took_is_noted() -> None:
    with serving() as models:
        verdict, events = against(f"llm:{models.url}#small")
    assert verdict.termination is Termination.RULES
    assert set(models.paths) == {"/v1/chat/completions"}
    assert {one["model"] for one in models.asked} == {"small"}
    system, user = models.asked[0]["messages"]
    assert system["content"].startswith("You play TicTacToe, seat 1 of 2")
    assert "# TicTacToe" in system["content"]
    assert "Your seat sees: 000000000 1" in user["content"]
    assert len(notes(events)) == len(models.asked)
    assert all(one.startswith(ANSWERED) and "said=I think for a while." in one for one in notes(events))


@pytest.mark.parametrize("name", [one.name for one in listings() if one.game().seats == 2 and not one.game().neutral])
def test_it_is_told_enough_of_every_game(name: str) -> None:
    with serving(lambda _: "It looks bad.\n\nRESIGN") as models:
        verdict, events = against(f"llm:{models.url}#small", name, clock="2m")
    assert verdict.termination is Termination.RESIGNED
    system, user = models.asked[0]["messages"]
    assert "$" not in system["content"].partition("THE RULES")[0]
    assert len(system["content"]) > 600
    assert "Your seat sees: " in user["content"]
    assert notes(events)[0].endswith("said=It looks bad. RESIGN")


@pytest.mark.parametrize("trouble", ["busy", "broken", "garbage", "empty", "huge", "cut", "mumbling"])
def test_what_fails_once_is_asked_again_and_counted(trouble: str) -> None:
    with serving(first_legal, trouble) as models:
        verdict, events = against(f"llm:pause=1 {models.url}#small")
    assert verdict.termination is Termination.RULES
    assert "calls=2" in notes(events)[0]


def test_a_server_that_claims_more_tokens_than_there_are_is_not_believed() -> None:
    """Numbers that nobody can print would end the match, and fill records."""
    with serving(first_legal, *["boasting"] * 12) as models:
        verdict, events = against(f"llm:pause=0 tries=20 {models.url}#small")
    assert verdict.termination is Termination.RULES
    assert notes(events)[0].startswith(f"tokens_in={12 * 10**9 + 100} ")


@pytest.mark.parametrize(
    ("trouble", "termination", "code"),
    [
        ("busy", Termination.DISCONNECTED, "llm-status"),
        ("broken", Termination.DISCONNECTED, "llm-status"),
        ("cut", Termination.DISCONNECTED, "llm-unreachable"),
        ("garbage", Termination.PROTOCOL_ERROR, "llm-answer"),
        ("huge", Termination.PROTOCOL_ERROR, "llm-long"),
        ("mumbling", Termination.PROTOCOL_ERROR, "llm-no-move"),
        ("packed", Termination.PROTOCOL_ERROR, "llm-answer"),
        ("odd", Termination.PROTOCOL_ERROR, "llm-answer"),
    ],
)
def test_what_always_fails_loses_and_is_named(trouble: str, termination: Termination, code: str) -> None:
    with serving(first_legal, *[trouble] * 9) as models:
        verdict, _ = against(f"llm:pause=1 tries=2 {models.url}#small")
    assert (verdict.termination, verdict.reason.code) == (termination, code)
    assert len(models.asked) == 2


@pytest.mark.parametrize("elsewhere", ["file:///etc/passwd", "http://127.0.0.1:9/v1/chat/completions", "", "//other/"])
def test_nobody_is_sent_on_to_another_address(elsewhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-secret-123")
    with serving() as other, serving(first_legal, "redirecting") as models:
        models.elsewhere = elsewhere or f"{other.url}/chat/completions"
        verdict, _ = against(f"llm:key=MODEL_KEY tries=2 pause=0 {models.url}#small")
    assert gives(verdict.reason, "llm-status", status=307)
    assert (len(models.asked), other.asked) == (1, [])


def test_negative_tokens_are_none() -> None:
    with serving(first_legal, "owing") as models:
        _, events = against(f"llm:pause=0 {models.url}#small")
    assert notes(events)[0].startswith("tokens_in=100 tokens_out=7 calls=2 ")


def test_what_a_model_adorns_its_answer_with_steers_no_terminal_and_no_game() -> None:
    with serving(first_legal, *["adorned"] * 9) as models:
        verdict, events = against(f"llm:{models.url}#small")
    assert verdict.termination is Termination.RULES
    lines = "\n".join(story(tell(Record(tuple(events)))))
    assert "notes: " in lines
    assert not set(lines) & set("\x1b\0\u202e")


def test_a_server_that_drips_is_not_waited_for() -> None:
    with serving(first_legal, "dripping") as models:
        verdict, _ = against(f"llm:time=0.3 {models.url}#small")
    assert verdict.reason.code == "llm-silent"


def test_where_a_clock_runs_it_alone_says_how_long() -> None:
    def pondering(question: str) -> str:
        models.gone.wait(0.3)
        return first_legal(question)

    with serving(pondering) as models:
        verdict, _ = against(f"llm:time=0.1 {models.url}#small", clock="1h+30s")
    assert verdict.termination is Termination.RULES


def test_a_server_that_is_not_there_is_named() -> None:
    with serving() as models:
        pass
    verdict, _ = against(f"llm:pause=1 tries=2 {models.url}#small")
    assert (verdict.termination, verdict.reason.code) == (Termination.DISCONNECTED, "llm-unreachable")


@pytest.mark.parametrize(("clock", "settings"), [("none", "time=0.2 "), ("300ms/move", "")])
def test_who_is_too_slow_is_out_of_time(clock: str, settings: str) -> None:
    with serving(first_legal, "slow") as models:
        verdict, _ = against(f"llm:{settings}{models.url}#small", clock=clock)
    assert verdict.termination is Termination.OUT_OF_TIME


def test_illegal_moves_are_forgiven_as_the_terms_say() -> None:
    said = iter(["MOVE: 5", "MOVE: 5"])

    def stubborn(question: str) -> str:
        return next(said, "") or first_legal(question)

    with serving(stubborn) as models:
        verdict, events = against(f"llm:{models.url}#small", refusals=1)
    asked = [one["messages"][-1]["content"] for one in models.asked]
    assert sum(event.kind is Kind.REFUSED for event in events) == 1
    assert [("was refused: 5 is taken" in one or "was refused" in one) for one in asked].count(True) == 1
    assert verdict.termination is Termination.RULES
    with serving(lambda _: "MOVE: nonsense") as models:
        verdict, _ = against(f"llm:{models.url}#small")
    assert verdict.termination is Termination.ILLEGAL_MOVE


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-secret-123")
    with serving(first_legal, "strict") as models:
        text = f"llm:key=MODEL_KEY {models.url}?token=x#small"
        verdict, events = against(text)
        assert models.keys == ["Bearer sk-secret-123"]
        assert models.paths == ["/v1/chat/completions?token=x"]
        shown = model(text).text
    assert shown == f"llm:{models.url}#small"
    assert verdict.reason.code == "llm-status"
    assert len(models.asked) == 1
    assert not [event for event in events if "sk-secret" in event.text or "token=x" in event.text]


def test_a_server_that_tells_the_key_tells_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-secret-123")
    with serving(first_legal, *["echoing"] * 3) as models:
        verdict, events = against(f"llm:key=MODEL_KEY {models.url}#small")
    assert verdict.termination is Termination.ILLEGAL_MOVE
    assert not [event for event in events if "sk-secret" in event.text]
    assert "sk-secret" not in repr(verdict)


@pytest.mark.parametrize("content", [b"\xff\xfe not UTF-8", b"x" * ((1 << 18) + 1), None, "folder"])
def test_a_prompt_that_is_none_is_refused(tmp_path: Path, content: bytes | str | None) -> None:
    path = tmp_path / "mine.txt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is None:
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(PlayerStringError):
        read_contestant("llm:prompt=mine.txt http://127.0.0.1/v1#m", Setting(game("tictactoe"), folder=tmp_path))


def test_the_prompt_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Play $game like a $nobody.", encoding="utf-8")
    with serving() as models:
        contestant = read_contestant(
            f"llm:prompt=mine.txt tokens=64 temperature=0.5 {models.url}#m", Setting(game("tictactoe"), folder=tmp_path)
        )
        played(make_match("tictactoe"), contestant)
    assert models.asked[0]["messages"][0]["content"] == "Play TicTacToe like a $nobody."
    assert (models.asked[0]["max_tokens"], models.asked[0]["temperature"]) == (64, 0.5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("llm:", "no player is called"),
        ("llm:http://127.0.0.1/v1", "write llm:http://HOST/v1#MODEL"),
        ("llm:ftp://127.0.0.1/v1#m", "write llm:http://HOST/v1#MODEL"),
        ("llm:tries=0 http://127.0.0.1/v1#m", "tries is a whole number"),
        ("llm:time=x http://127.0.0.1/v1#m", "time is a number"),
        ("llm:colour=red http://127.0.0.1/v1#m", "'colour' is no setting"),
        ("llm:key=NOT_SET_ANYWHERE http://127.0.0.1/v1#m", "the variable NOT_SET_ANYWHERE holds no key"),
        ("llm:prompt=none.txt http://127.0.0.1/v1#m", "the prompt cannot be read"),
        ("llm:http://[/v1#m", "is no address"),
        ("llm:http://me:pass@127.0.0.1/v1#m", "key=VARIABLE"),
    ],
)
def test_what_is_wrong_with_a_string_is_said(text: str, problem: str) -> None:
    with pytest.raises(PlayerStringError) as caught:
        model(text)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("MOVE: e2e4", "e2e4"),
        ("I could play MOVE: a1\nbut\n**Move:** `C5`", "C5"),
        ("> move = 32-28.", "32-28"),
        ("rock", "rock"),
        ("", ""),
        ("A long sentence about moves.", ""),
        ("MOVE: " + "x" * 500, ""),
    ],
)
def test_the_last_line_that_names_a_move_counts(said: str, move: str) -> None:
    assert named(said) == move


@pytest.mark.parametrize(
    "said", ["\n" * 1_000_000, "MOVE: x" + " " * 1_000_000 + "y", "MOVE" + "*" * 1_000_000 + " or not to move", "> " * 500_000]
)
def test_a_hostile_answer_is_read_in_one_pass(said: str) -> None:
    """Searched as a whole, each of them would keep the referee, and everybody else's match, for hours."""
    assert named(said) == ""
    assert not resigns(said)


@pytest.mark.parametrize("said", ["RESIGN", "It looks bad.\n\n**RESIGN.**\n", "> resign!"])
def test_the_last_line_that_gives_up_counts(said: str) -> None:
    assert resigns(said)
    assert not resigns(said + "\nMOVE: B2")
