"""MasterMind: marks, turns, ends, and who sees which code."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import IllegalMoveError, OptionError
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Awaits, Outcome
from arbitre.games.mastermind.rules import BOTH, Code, Line, MasterMind, Sight, Table, marked
from arbitre.reasons import Reason
from tests.reasons import gives, raises

GAME = MasterMind()
codes = st.text("ABC", min_size=4, max_size=4).map(Code)


def after(one: str, two: str, guesses: Iterable[str] = ()) -> Table:
    """Return the table after the two codes and the guesses, the first player's first."""
    state = GAME.play(GAME.start(), {FIRST: Code(one), SECOND: Code(two)})
    for number, guess in enumerate(guesses):
        seat = (FIRST, SECOND)[number % 2]
        GAME.check(GAME.view(state, seat), Code(guess))
        state = GAME.play(state, {seat: Code(guess)})
    return state


@pytest.mark.parametrize(
    ("code", "guess", "placed", "misplaced"),
    [
        pytest.param("ABCD", "ABCD", 4, 0, id="broken"),
        pytest.param("ABCD", "EFGH", 0, 0, id="nothing in common"),
        pytest.param("ABCD", "DCBA", 0, 4, id="all elsewhere"),
        pytest.param("AABB", "ABAB", 2, 2, id="two pairs, half in place"),
        pytest.param("AABB", "AAAA", 2, 0, id="a colour guessed too often counts as often as it is there"),
        pytest.param("ABCC", "CCAA", 0, 3, id="one of the two As finds nothing left"),
        pytest.param("ABBB", "BAAA", 0, 2, id="each peg of the code counts once"),
        pytest.param("AABC", "ADAA", 1, 1, id="the well placed one is used up first"),
        pytest.param("ABCD", "AAAA", 1, 0, id="no second mark for a used peg"),
        pytest.param("GCCA", "GCCH", 3, 0, id="the seed's 30GCCH"),
        pytest.param("HHHG", "GHHH", 2, 2, id="the ends exchanged"),
    ],
)
def test_marks(code: str, guess: str, placed: int, misplaced: int) -> None:
    assert marked(Code(code), Code(guess)) == Line(Code(guess), placed, misplaced)


def by_hand(code: Code, guess: Code) -> tuple[int, int]:
    """Mark as a person does: pull out the well placed pegs, then match the rest one by one."""
    rest = [(a, b) for a, b in zip(code, guess, strict=True) if a != b]
    hidden = [a for a, _ in rest]
    misplaced = 0
    for _, b in rest:
        if b in hidden:
            hidden.remove(b)
            misplaced += 1
    return len(code) - len(rest), misplaced


@given(codes, codes)
def test_marks_are_those_made_by_hand_and_the_same_both_ways(code: Code, guess: Code) -> None:
    line, back = marked(code, guess), marked(guess, code)
    assert (line.placed, line.misplaced) == (back.placed, back.misplaced) == by_hand(code, guess)


def test_codes_are_chosen_at_once_and_guesses_alternate_from_turn_three() -> None:
    assert GAME.phase(GAME.start()) == Awaits(BOTH, 1)
    turns = [after("ABCD", "EFGH", ["AAAA"] * n) for n in range(4)]
    assert [GAME.phase(state) for state in turns] == [
        Awaits(frozenset({FIRST}), 3),
        Awaits(frozenset({SECOND}), 4),
        Awaits(frozenset({FIRST}), 5),
        Awaits(frozenset({SECOND}), 6),
    ]


@pytest.mark.parametrize(
    ("guesses", "scores", "reason"),
    [
        pytest.param(["EFGH", "AAAA"], (WIN, LOSS), Reason("broken", line=1), id="the second has his guess and misses"),
        pytest.param(["EFGH", "ABCD"], (DRAW, DRAW), Reason("both-broken", line=1), id="the second equalises"),
        pytest.param(["AAAA", "ABCD"], (LOSS, WIN), Reason("broken", line=1), id="the first has had his guess"),
        pytest.param(["AAAA"] * 14 + ["EFGH", "ABCD"], (DRAW, DRAW), Reason("both-broken", line=8), id="in the last line"),
        pytest.param(["AAAA"] * 15 + ["ABCD"], (LOSS, WIN), Reason("broken", seat=1, line=8), id="the very last guess"),
        pytest.param(["AAAA"] * 16, (DRAW, DRAW), Reason("unbroken", lines=8), id="nobody"),
    ],
)
def test_ends(guesses: list[str], scores: tuple[Fraction, Fraction], reason: Reason) -> None:
    assert isinstance(GAME.phase(after("ABCD", "EFGH", guesses[:-1])), Awaits), "not over a guess earlier"
    end = GAME.phase(after("ABCD", "EFGH", guesses))
    assert isinstance(end, Outcome)
    assert end.scores == scores
    assert gives(end.reason, reason)


def test_nobody_but_the_owner_and_the_referee_sees_a_code_before_the_end() -> None:
    state = after("ABCD", "EFGH", ["AAAA", "BBBB", "EFGH"])
    assert GAME.view(state, FIRST) == Sight(6, FIRST, Code("ABCD"), state.boards)
    assert GAME.view(state, SECOND) == Sight(6, SECOND, Code("EFGH"), state.boards)
    assert GAME.view(state, "spectator") == Sight(6, None, None, state.boards)
    assert GAME.view(state, "referee") == state
    over = GAME.play(state, {SECOND: Code("CCCC")})
    assert all(GAME.view(over, eye) == over for eye in (FIRST, SECOND, "spectator", "referee"))


def test_codes_are_secret_and_guesses_are_not() -> None:
    assert GAME.secret(GAME.start(), FIRST)
    assert GAME.secret(GAME.start(), SECOND)
    assert not GAME.secret(after("ABCD", "EFGH"), FIRST)


def test_every_code_may_be_hidden_and_guessed() -> None:
    for state in (GAME.start(), after("ABCD", "EFGH", ["AAAA"] * 2)):
        legal = list(GAME.legal(GAME.view(state, FIRST)))
        assert len(legal) == 8**4
        assert (legal[0], legal[-1]) == ("AAAA", "HHHH")


def test_listing_is_lazy() -> None:
    large = MasterMind(colours=10, pegs=6)
    assert list(islice(large.legal(large.view(large.start(), FIRST)), 2)) == ["AAAAAA", "AAAAAB"]


@pytest.mark.parametrize(
    ("move", "why"),
    [
        ("ABC", Reason("peg-count", pegs=4, given=3)),
        ("ABCDE", Reason("peg-count", pegs=4, given=5)),
        ("ABCI", Reason("no-colour", colour="I", palette="ABCDEFGH")),
        ("abcd", Reason("no-colour", colour="a")),
    ],
)
def test_what_is_no_code_is_refused(move: str, why: str | Reason) -> None:
    for state in (GAME.start(), after("ABCD", "EFGH")):
        with raises(IllegalMoveError, why):
            GAME.check(GAME.view(state, FIRST), Code(move))


def test_only_who_is_asked_may_move() -> None:
    state = after("ABCD", "EFGH")
    over = after("ABCD", "EFGH", ["EFGH", "AAAA"])
    for view, why in (
        (GAME.view(state, SECOND), "not-your-turn"),
        (GAME.view(state, "spectator"), "only-players"),
        (GAME.view(state, "referee"), "only-players"),
        (GAME.view(over, FIRST), "game-over"),
    ):
        assert list(GAME.legal(view)) == []
        with raises(IllegalMoveError, why):
            GAME.check(view, Code("AAAA"))


@pytest.mark.parametrize("options", [{"colours": 1}, {"colours": 11}, {"pegs": 1}, {"pegs": 7}, {"lines": 0}, {"lines": 13}])
def test_sizes_have_limits(options: dict[str, int]) -> None:
    with raises(OptionError, "is from"):
        MasterMind(**options)
