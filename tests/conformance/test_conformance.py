"""What must hold for every game of the catalogue, whoever wrote it."""

import pickle
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    InvalidMoveError,
    OpenSetError,
    OptionError,
    PositionError,
    UnknownGameError,
)
from arbitre.games.catalogue import ADDED, game, listings, options_of
from arbitre.games.game import AnyGame, Awaits, Chance, Eye, Outcome, Seat, Step, playout
from arbitre.games.notation import AnyNotation, notation_of
from tests.reasons import raises

LONGEST = 20_000
"""No game of ours needs more transitions than this, whatever is played."""

GAMES = [one.name for one in (*listings(), *ADDED)]


def parts(name: str) -> Any:
    """Return the game's own conformance file; `test_architecture` sees to it that each game has one."""
    where = f"tests.conformance.{name}"
    return import_module(where) if find_spec(where) else None


def presets() -> list[Any]:
    return [
        pytest.param(name, preset, id=f"{name}{preset or ''}") for name in GAMES if parts(name) for preset in parts(name).PRESETS
    ]


every_game = pytest.mark.parametrize(("name", "preset"), presets())


def eyes(table: AnyGame) -> list[Eye]:
    return [*(Seat(n) for n in range(table.seats)), "spectator", "referee"]


def walk(table: AnyGame, seed: int, samples: int = 60) -> list[Step[Any, Any]]:
    """Play one random game to its end and return at most `samples` of its steps, the last one among them."""
    steps = []
    for number, step in enumerate(playout(table, Random(seed))):
        assert number < LONGEST, "the game does not end"
        steps.append(step)
    stride = max(1, len(steps) // samples)
    return steps[::stride] + ([steps[-1]] if (len(steps) - 1) % stride else [])


@every_game
def test_games_end_and_scores_fit_the_seats(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    for seed in range(3):
        end = table.phase(walk(table, seed, 1)[-1].after)
        assert isinstance(end, Outcome)
        sides = table.seats - len(table.neutral)
        assert len(end.scores) == sides
        assert all(type(score) is Fraction for score in end.scores)
        assert all(0 <= score <= 1 for score in end.scores)
        assert sum(end.scores) == 1
        assert len(end.tally) in (0, sides)
        assert end.reason.code


@every_game
def test_phases_are_well_formed(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    turn = 0
    for step in playout(table, Random(4)):
        phase = table.phase(step.before)
        assert phase == table.phase(step.before)
        if isinstance(phase, Chance):
            assert phase.below >= 1
            assert step.drawn is not None
        else:
            assert isinstance(phase, Awaits)
            assert phase.seats
            assert all(0 <= seat < table.seats for seat in phase.seats)
            assert phase.turn >= max(turn, 1), "turns never go back"
            turn = phase.turn


@every_game
def test_every_legal_move_plays_and_nothing_else(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    steps = walk(table, 1)
    pool = [move for step in steps for move in step.moves.values()]
    random = Random(5)
    for step in steps:
        phase = table.phase(step.before)
        if not isinstance(phase, Awaits):
            continue
        for seat in phase.seats:
            view = table.view(step.before, seat)
            try:
                legal = list(table.legal(view))
            except OpenSetError:
                table.check(view, table.sample(view, random))
                continue
            assert legal, "an awaited seat has a move"
            assert len(set(legal)) == len(legal), "each move once"
            assert legal == list(table.legal(view)), "always in the same order"
            assert table.sample(view, random) in legal
            for move in random.sample(legal, min(8, len(legal))):
                table.check(view, move)
                others = {chair: table.sample(table.view(step.before, chair), random) for chair in phase.seats - {seat}}
                table.phase(table.play(step.before, {seat: move, **others}))
            for move in random.sample(pool, min(20, len(pool))):
                if move not in legal:
                    with pytest.raises(IllegalMoveError):
                        table.check(view, move)


@every_game
def test_nobody_moves_after_the_end(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    last = walk(table, 2, 1)[-1]
    for seat, move in last.moves.items():
        view = table.view(last.after, seat)
        assert list(table.legal(view)) == []
        with pytest.raises(IllegalMoveError):
            table.check(view, move)


@every_game
def test_states_never_change(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    text = notation_of(table)
    for step in walk(table, 6):
        before = text.write_state(step.before)
        again = table.draw(step.before, step.drawn) if step.drawn is not None else table.play(step.before, step.moves)
        assert again == step.after, "the same arguments give the same state"
        for eye in eyes(table):
            table.view(step.before, eye)
        assert text.write_state(step.before) == before
        assert pickle.loads(pickle.dumps(step.before)) == step.before  # noqa: S301 - our own bytes


@every_game
def test_text_round_trips(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    text = notation_of(table)
    for step in walk(table, 7):
        for state in (step.before, step.after):
            line = text.write_state(state)
            assert line.isprintable()
            assert text.read_state(line) == state
            for eye in eyes(table):
                view = table.view(state, eye)
                seen = text.write_view(view)
                assert seen.isprintable()
                assert text.read_view(seen) == view
        for seat, move in step.moves.items():
            said = text.write(move)
            assert said.isprintable()
            view = table.view(step.before, seat)
            read = text.read(said, view)
            assert read == move
            assert text.write(read) == said
            assert text.read(f" {said} ", view) == move


@every_game
def test_pictures_fit_a_terminal(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    text = notation_of(table)
    for step in walk(table, 8, 20):
        for eye in eyes(table):
            lines = text.picture(table.view(step.after, eye)).split("\n")
            assert len(lines) <= 22
            assert all(len(line) <= 79 and line == line.rstrip() and line.isprintable() for line in lines)


@every_game
def test_no_eye_learns_a_secret(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    own = parts(name)
    random = Random(9)
    steps = walk(table, 9, 40)
    assert table.hides == any(table.view(step.before, "spectator") != step.before for step in steps)
    if not table.hides:
        assert not hasattr(own, "resample"), "a game that shows everything has nothing to resample"
        return
    changed = 0
    for step in steps:
        for eye in eyes(table)[:-1]:
            truth = step.before
            another = own.resample(table, truth, eye, random)
            changed += another != truth
            assert table.view(another, eye) == table.view(truth, eye), f"{eye} can tell two truths apart"
            assert _expects(table, another, eye) == _expects(table, truth, eye)
    assert changed, "resampling never changed anything: the test proves nothing"


def _expects(table: AnyGame, state: Any, eye: Eye) -> object:
    """What an eye learns from being asked: the phase is announced, so it may not depend on what the eye cannot see."""
    phase = table.phase(state)
    if isinstance(phase, Awaits):
        return phase.turn, phase.seats
    return type(phase)


@every_game
def test_bad_text_is_refused_by_name(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    text = notation_of(table)
    steps = walk(table, 10, 5)
    step = next(s for s in steps if s.moves)
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


@every_game
def test_options_are_what_the_record_needs(name: str, preset: dict[str, object]) -> None:
    table = game(name, preset)
    assert game(name, options_of(table)) == table
    assert game(name, {key: str(given) for key, given in options_of(table).items()}) == table
    with pytest.raises(OptionError):
        game(name, {"no such option": 1})


def test_unknown_games_are_named() -> None:
    with raises(UnknownGameError, "no game is called") as caught:
        game("chess")
    assert "tictactoe" in str(caught.value.reason.fields["names"]).split()
