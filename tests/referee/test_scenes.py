"""What an eye sees of a match follows from the transcript, and never tells what that eye may not know."""

import asyncio
from random import Random

import pytest

from arbitre.bot import InProcess
from arbitre.games.anyone import Anyone
from arbitre.games.game import Eye, Seat
from arbitre.records.event import Kind
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.scenes import Scene, scenes
from arbitre.referee.story import Told, tell
from tests.transport.tables import KEY, make_match

GAMES = ["tictactoe", "reversi", "rochambeau", "mastermind", "seafight", "poker", "kriegspiel", "draughts"]


def played(name: str, seed: int = 1) -> Told:
    """Return a finished match between two players who play anything."""
    match, journal = make_match(name=name), Memory()
    players = [InProcess(Anyone(Random(seed + seat))) for seat in range(match.game.seats)]
    asyncio.run(MatchRunner(match, players, journal, KEY).play())
    return tell(journal.record())


def seen(told: Told, eye: Eye) -> list[Scene]:
    return list(scenes(told, eye))


@pytest.mark.parametrize("name", GAMES)
def test_scenes_are_numbered_and_end_open(name: str) -> None:
    told = played(name)
    for eye in (Seat(0), Seat(1), "spectator", "referee"):
        found = seen(told, eye)
        assert [scene.number for scene in found] == list(range(1, len(found) + 1))
        assert found[-1].closed
        assert found[-1].verdict == told.last.verdict
        assert found[-1].view == told.match.game.view(told.last.truth, "referee")
        assert not any(scene.closed for scene in found[:-1])


@pytest.mark.parametrize("name", GAMES)
def test_where_the_record_is_kept_back_the_last_scene_shows_the_verdict_and_no_secret(name: str) -> None:
    told = played(name)
    for eye in (Seat(0), Seat(1), "spectator"):
        found = list(scenes(told, eye, opens=False))
        assert found[-1].verdict == told.last.verdict
        assert not found[-1].closed
        assert found[-1].view == told.match.game.view(told.last.truth, eye)


@pytest.mark.parametrize("name", GAMES)
def test_a_match_cut_short_gives_the_same_scenes_so_far(name: str) -> None:
    """Whoever reconnects, or watches a house that came back, goes on from the same number."""
    told = played(name)
    whole = seen(told, Seat(0))
    half = Told(told.match, told.start, told.moments[: len(told.moments) // 2])
    found = seen(half, Seat(0))
    assert found == whole[: len(found)]


@pytest.mark.parametrize("name", GAMES)
def test_an_eye_gets_only_its_views_and_no_secret_words(name: str) -> None:
    told = played(name)
    game = told.match.game
    secrets = {  # what each seat said while it was secret
        seat: {
            moment.event.text
            for before, moment in zip([told.start, *(one.affairs for one in told.moments)], told.moments, strict=False)
            if moment.event.kind is Kind.SAID and moment.event.seat == seat and game.secret(before.truth, Seat(seat))
        }
        for seat in (0, 1)
    }
    for eye in (Seat(0), Seat(1), "spectator"):
        for scene in seen(told, eye)[:-1]:
            said = {line.text for line in scene.lines if line.kind is Kind.SAID and line.seat != eye and line.text}
            if name == "kriegspiel":
                assert not said
            elif name in ("mastermind", "seafight"):
                assert not said & (secrets[0] | secrets[1])


def test_a_move_that_waits_for_the_other_is_told_to_nobody_else() -> None:
    told = played("rochambeau")
    for scene in seen(told, "spectator"):
        assert len([line for line in scene.lines if line.kind is Kind.SAID]) in (0, 2)
    own = seen(told, Seat(0))
    assert [scene.asks for scene in own if scene.asks is not None] == sorted(
        {scene.asks for scene in own if scene.asks is not None}
    )


def test_refused_tries_of_others_are_not_even_counted() -> None:
    """As many scenes for a spectator whether a try was refused or not: only the announcement, which all may hear, makes one."""
    told = played("kriegspiel", 3)
    for scene in seen(told, "spectator")[:-1]:
        assert not [line for line in scene.lines if line.kind is Kind.REFUSED]
