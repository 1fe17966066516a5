"""Positions set up by hand: what the editor gathers is what the notation reads, for every game that has one."""

from contextlib import suppress

import pytest

from arbitre.errors import PositionError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listings
from arbitre.games.game import AnyGame
from arbitre.games.notation import notation_of
from arbitre.games.positions import presets_of
from arbitre.games.setup import EMPTY, Arrangement, Setup, canonical, setup_of
from tests.reasons import raises

GAMES = [one.name for one in listings() if one.setup]


def made(name: str) -> tuple[AnyGame, Setup]:
    game = find_game(name)
    found = setup_of(game)
    assert found is not None
    return game, found


def board(text: str) -> str:
    """Return a position without its turn and what was said: what an editor shows."""
    return text.split(" ", maxsplit=1)[0]


def test_every_game_of_a_board_has_one() -> None:
    assert GAMES == ["bigtictactoe", "draughts", "kriegspiel", "pente", "reversi", "tictactoe"]


@pytest.mark.parametrize("name", GAMES)
def test_what_is_spread_out_is_gathered_again(name: str) -> None:
    game, setup = made(name)
    notation = notation_of(game)
    for preset in presets_of(name):
        for state in preset.states(game):
            text = notation.write_state(state)
            laid = setup.spread(text)
            setup.check(laid, text)
            again = canonical(game, setup.gather(laid))
            assert board(again) == board(text)
            assert setup.spread(again) == laid, "the same side is to move"
            assert setup.draw(laid.cells).startswith("<svg")


@pytest.mark.parametrize("name", GAMES)
def test_every_arrangement_has_a_text_and_a_picture(name: str) -> None:
    game, setup = made(name)
    for piece in setup.pieces:
        cells = "".join(piece.sign if label else EMPTY for label in setup.labels)
        laid = Arrangement(cells, 1, setup.spread(canonical(game, "")).rest)
        setup.check(laid, "")
        assert setup.draw(cells)
        with suppress(PositionError):  # nothing else comes out
            canonical(game, setup.gather(laid))
    labels = [one for one in setup.labels if one]
    assert len(set(labels)) == len(labels)


def test_what_is_no_arrangement_is_refused() -> None:
    _, setup = made("reversi")
    for wrong in (Arrangement("x" * 64), Arrangement("." * 63), Arrangement("." * 64, 2)):
        with raises(PositionError, "no arrangement of pieces on this board"):
            setup.check(wrong, "here")
