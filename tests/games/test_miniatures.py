"""Small pictures: every game of the house draws one of any position for any eye: small, well formed, without a style."""

import re
from random import Random
from statistics import median
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame, Eye, Seat, playout
from arbitre.games.miniature import Miniature, miniature_of
from tests.house import HOUSE

EYES: tuple[Eye, ...] = ("spectator", "referee", Seat(0), Seat(1))
MOST = 2_400
"""Octets of the largest picture, of a board full of crosses; most have half as many."""


def small(game: AnyGame) -> Miniature:
    found = miniature_of(game)
    assert found is not None, f"{game.name} draws no small picture"
    return found


def positions(game: AnyGame) -> list[Any]:
    """Return the positions of a game of random moves, and not too many of them."""
    states = [game.start(), *(step.after for _, step in zip(range(400), playout(game, Random(1)), strict=False))]
    return states[:: max(1, len(states) // 40)] + states[-1:]


@pytest.mark.parametrize("name", HOUSE)
def test_every_position_has_a_small_picture_for_every_eye(name: str) -> None:
    game = find_game(name)
    draw, sizes = small(game).draw, []
    for eye in EYES:
        before = None
        for state in positions(game):
            view = game.view(state, eye)
            picture = draw(game, view, before)
            before = view
            root = fromstring(picture)  # noqa: S314 - our own
            assert root.get("viewBox") == "0 0 80 80"
            assert root.get("aria-hidden") == "true"
            assert not re.search(r"style|<script|href|url\(|#", picture), "nothing that the policy refuses, no colour of its own"
            sizes.append(len(picture.encode()))
    assert max(sizes) <= MOST
    assert 200 <= median(sizes) <= 1_500


@pytest.mark.parametrize("name", HOUSE)
def test_what_a_game_counts_is_counted_for_both(name: str) -> None:
    game = find_game(name)
    for state in positions(game):
        tally = small(game).tally(game.view(state, "spectator"))
        assert tally is None or len(tally) == 2


def test_reversi_marks_discs_and_the_last_move() -> None:
    game = find_game("reversi")
    start = game.start()
    first = small(game).draw(game, start, None)
    assert 'class="stones black"' in first
    assert "last" not in first
    step = next(playout(game, Random(2), start))
    assert 'class="stones last"' in small(game).draw(game, step.after, step.before)
    assert small(game).tally(step.after) == (4, 1)


def test_a_spectator_of_kriegspiel_sees_no_piece() -> None:
    game = find_game("kriegspiel")
    start = game.start()
    assert "♚" not in small(game).draw(game, game.view(start, "spectator"), None)
    assert small(game).draw(game, game.view(start, Seat(0)), None).count("♚") == 1
    assert small(game).draw(game, game.view(start, "referee"), None).count("♚") == 2
