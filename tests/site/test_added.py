"""Added games in the arena: a house that comes back asks the referee the same, and the trial of a game finds its faults."""

import asyncio
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web

from arbitre.games.added.rules import REFEREE, Added, AddedPair
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.reasons import Reason
from arbitre.referee.verify import Proof, verify
from arbitre.site import added_trial as added
from arbitre.site.added_trial import tried
from arbitre.site.arena.plan import EngineSeat, MatchPlan, PersonSeat, RefereeSeat
from arbitre.site.arena.traces import engine_at, verdict_on_referee
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.tester import harmless
from tests.added import listening
from tests.reasons import gives
from tests.site.test_arena import arena_in, run, seen, speak
from tests.tournoyons.test_referee import free_port, good, redirect

ME = PersonSeat("account:1", "player-1")
HEXAPAWN = Added(key="Hexapawn", board="222000111")


def asked_of(arena: object, name: str) -> list[dict[str, list[str]]]:
    """Return what a referee was asked, question by question."""
    rows = arena.traces.of(name, Seat(REFEREE))  # type: ignore[attr-defined]
    return [parse_qs(urlsplit(row[3]).query) for row in rows if row[2] == "called"]


def test_a_house_that_comes_back_asks_the_referee_the_same(tmp_path: Path, example: str) -> None:
    """He is asked, the house dies before he answers, and the same question goes out again; then the game is played to its end."""
    port, questions = free_port(), list[dict[str, str]]()
    silent = True

    async def handle(request: web.Request) -> web.StreamResponse:
        questions.append(dict(request.query))
        if silent:
            await asyncio.sleep(30)
        code = "3" if "Move1" in request.query else "2"
        return redirect(questions[-1], good(questions[-1]) | {"ReturnCode": code})

    async def course() -> None:
        nonlocal silent
        runner = await listening(handle, port)
        plan = MatchPlan(
            HEXAPAWN, (ME, PersonSeat("account:2", "player-2"), RefereeSeat(1, "Hexapawn", f"http://127.0.0.1:{port}/"))
        )
        home = free_port()
        async with arena_in(tmp_path, home) as arena:
            name = (await arena.open(plan)).name
            await speak(arena, name, FIRST, "A2A1")
            while not questions:
                await asyncio.sleep(0.005)
        silent = False
        async with arena_in(tmp_path, home) as arena:
            await speak(arena, name, SECOND, "B0A1")
            watched = await seen(arena, name, "spectator")
            assert watched[-1].closed
            found = verify(arena.record(name).text().encode(), given=arena.key.fingerprint)
            assert found.standing is Proof.ATTESTED, found.line
            assert found.pauses == 1
        await runner.cleanup()
        assert questions[0] == questions[1]
        assert len(questions) == 3

    run(course)


def test_a_faulty_referee_is_named_to_the_owner_of_the_game(tmp_path: Path, example: str) -> None:
    async def course() -> None:
        async with arena_in(tmp_path) as arena:
            model = EngineSeat(0, "model", f"{example}/hexapawn/engine")
            for what, blamed in (
                ("referee", None),
                ("nothing", Reason("status-instead", status=404, body="no such game")),
            ):
                referee = RefereeSeat(7, "Hexapawn", f"{example}/hexapawn/{what}")
                name = (await arena.open(MatchPlan(HEXAPAWN, (model, model, referee)))).name
                await seen(arena, name, "spectator")
                sitting = arena.sitting(name)
                assert verdict_on_referee(arena.store, sitting) == (7, blamed)
                assert engine_at(sitting, REFEREE) == referee
                assert asked_of(arena, name)[0]["Tray"] == ["222000111"]

    run(course)


def test_a_repeated_question_answers_nothing() -> None:
    again = harmless("http://r/?Game=abc&MoveId=7&ReturnURL=http%3A%2F%2Fsite%2Fanswer%2Fa%2Fb&Tray=0")
    assert parse_qs(urlsplit(again).query, keep_blank_values=True)["ReturnURL"] == [""]
    assert "Game=TEST" in again


TRIALS = {
    "a good game": ("hexapawn", {}, None),
    "no referee": ("hexapawn", {"referee": "/none/referee"}, ("the external referee", "status-instead")),
    "no engine": ("hexapawn", {"engine": "/none/engine"}, ("the model engine", "no-answer-within-because")),
    "no interface": ("hexapawn", {"interface": "/none/page"}, ("the model interface", "instead of a page")),
    "an engine of another game": ("hexapawn", {"engine": "/odds/engine"}, ("plays what its referee refuses", "referee-refused")),
    "a referee for browsers": ("hexapawn", {"referee": "/hexapawn/framed"}, ("the external referee", "answers-in-a-frame")),
}


@pytest.mark.parametrize(("game", "wrong", "named"), TRIALS.values(), ids=TRIALS)
def test_a_trial_finds_what_is_wrong(
    example: str, game: str, wrong: dict[str, str], named: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(added, "ANSWER_SECONDS", 4)  # the least that the protocol knows
    where = {part: f"/{game}/{part}" for part in ("referee", "engine", "interface")} | wrong

    async def course() -> None:
        receiver = Receiver()
        async with Switchboard(receiver, listener=Listener(receiver)) as board:
            addresses = {part: example + path for part, path in where.items()}
            trial = await tried(board, HEXAPAWN, **addresses, framed=False)
        assert (trial.fault is None) == (named is None)
        assert all(gives(trial.fault, one) for one in named or ()), trial.fault
        assert trial.steps[0].who == "interface"

    run(course)


def test_a_trial_of_two_boards_shows_the_preparations_first(example: str) -> None:
    async def course() -> None:
        receiver = Receiver()
        async with Switchboard(receiver, listener=Listener(receiver)) as board:
            addresses = {part: f"{example}/digits/{part}" for part in ("referee", "engine", "interface")}
            trial = await tried(board, AddedPair(key="Digits"), **addresses, framed=False)
        assert not trial.fault
        asked = [step.spoken.text for step in trial.steps if step.who == "referee" and step.spoken.what == "called"]
        assert ["Method=Prepare" in text for text in asked[:3]] == [True, True, False]

    run(course)
