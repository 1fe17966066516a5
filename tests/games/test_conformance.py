"""What must hold for every game of the catalogue, whoever wrote it: the checks that are shipped, and bad text without end."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import AmbiguousMoveError, ConformanceError, InvalidMoveError, PositionError, UnknownGameError
from arbitre.games.catalogue import game, listing, listings
from arbitre.games.game import playout
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.reasons import TABLE
from arbitre.testing import CHECKS, Case, conform
from tests.games.conformance import parts
from tests.reasons import raises

GAMES = [*(one.name for one in listings()), "added", "addedpair"]


def presets() -> list[Any]:
    return [
        pytest.param(name, preset, id=f"{name}{preset or ''}") for name in GAMES if parts(name) for preset in parts(name).PRESETS
    ]


every_game = pytest.mark.parametrize(("name", "preset"), presets())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
@every_game
def test_contract(name: str, preset: dict[str, object], check: Callable[[Case], None]) -> None:
    check(Case(game(name, preset), getattr(parts(name), "resample", None)))


def test_what_is_broken_is_said() -> None:
    with raises(ConformanceError, "%(name)s%(options)s: %(why)s", name="mastermind") as caught:
        conform(listing("mastermind"))
    assert str(caught.value.reason.fields["why"]).startswith("a game with secrets is given a function `resample`")


def test_a_code_that_is_not_declared_or_does_not_fit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.delitem(TABLE, "occupied")
        with raises(ConformanceError, "%(name)s%(options)s: %(why)s") as caught:
            conform(listing("tictactoe"))
        assert "the code 'occupied' is not declared" in str(caught.value.reason.fields["why"])
    monkeypatch.setitem(TABLE, "occupied", ("taken", "prise par %(nobody)s"))
    with raises(ConformanceError, "%(name)s%(options)s: %(why)s") as caught:
        conform(listing("tictactoe"))
    assert "the fr words of 'occupied' do not fit its fields (cell)" in str(caught.value.reason.fields["why"])


@every_game
def test_bad_text_is_refused_by_name(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    text = notation_of(table)
    step = next(one for one in playout(table, Random(10)) if one.moves)
    seat, move = next(iter(step.moves.items()))
    view = table.view(step.before, seat)
    check_bad_text(text, text.write(move), text.write_state(step.before), text.write_view(view), view)


def check_bad_text(text: AnyNotation, move: str, state: str, seen: str, view: Any) -> None:
    mutant = st.builds(
        lambda line, at, junk, cut: line[: at % (len(line) + 1)] + junk + line[at % (len(line) + 1) + cut :],
        st.sampled_from([move, state, seen]),
        st.integers(0, 10_000),
        st.text(max_size=3),
        st.integers(0, 3),
    )

    @settings(max_examples=150, deadline=None, database=None, derandomize=True)
    @given(st.one_of(st.text(max_size=40), mutant))
    def attempt(junk: str) -> None:
        try:
            said = text.write(text.read(junk, view))
        except (InvalidMoveError, AmbiguousMoveError):
            pass
        else:
            assert text.write(text.read(said, view)) == said
        for read, write in ((text.read_state, text.write_state), (text.read_view, text.write_view)):
            try:
                line = write(read(junk))
            except PositionError:
                continue
            assert write(read(line)) == line

    attempt()
    for huge in ("9" * 5_000, "1" * 100_000, move * 5_000, "-" * 5_000, "\0", "١٢", ""):
        for read in (text.read_state, text.read_view, lambda t: text.read(t, view)):
            with pytest.raises((InvalidMoveError, PositionError, AmbiguousMoveError)) as caught:
                read(huge)
            assert len(str(caught.value)) < 1_000


def test_unknown_games_are_named() -> None:
    with raises(UnknownGameError, "there are: %(names)s", name="chess") as caught:
        game("chess")
    assert {"bigtictactoe", "connectfour", "tictactoe"} <= set(str(caught.value.reason.fields["names"]).split())
