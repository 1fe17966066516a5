"""The MasterMind players reason soundly: what they call possible is possible, and they get there."""

from itertools import product
from random import Random

import pytest

from arbitre.games.engine import Budget
from arbitre.games.game import FIRST, SECOND
from arbitre.games.mastermind.engine import HIGH, LOW, Amateur, Guesser, Master, Player, fitting, fresh, laid, written
from arbitre.games.mastermind.rules import Code, MasterMind, Table, marked
from tests.games.arena import ask

GAME = MasterMind()


def codes(game: MasterMind) -> list[Code]:
    return [Code("".join(pegs)) for pegs in product(game.palette, repeat=game.pegs)]


def test_common_bits_are_marks() -> None:
    random = Random(1)
    for game in (GAME, MasterMind(colours=10, pegs=6), MasterMind(colours=2, pegs=2)):
        for _ in range(200):
            one, two = (Code("".join(random.choices(game.palette, k=game.pegs))) for _ in range(2))
            line = marked(one, two)
            shared = laid(one) & laid(two)
            assert (shared & LOW).bit_count() == line.placed
            assert (shared >> HIGH).bit_count() == line.placed + line.misplaced
            assert written(laid(one), game.pegs) == one


@pytest.mark.parametrize("game", [GAME, MasterMind(colours=3, pegs=5), MasterMind(colours=10, pegs=2)])
def test_fitting_codes_are_all_that_fit(game: MasterMind) -> None:
    random = Random(2)
    secret, *guesses = random.sample(codes(game), 3)
    lines = [marked(secret, guess) for guess in guesses]
    marks = [(laid(line.guess), line.placed, line.placed + line.misplaced) for line in lines]
    fits = {code for code in codes(game) if all(marked(code, line.guess) == line for line in lines)}
    found = [written(code, game.pegs) for code in fitting(game, marks, random, Budget(None))]
    assert len(found) == len(set(found))
    assert set(found) == fits


def test_fresh_guesses_stand_for_all() -> None:
    """With A and B seen, every code becomes one of the fresh guesses when the other colours are renamed in order."""
    found = {written(code, 4) for code in fresh(GAME, (0, 1), Random(0))}
    shapes = {tuple(pegs if pegs in "AB" else str(code.index(pegs)) for pegs in code) for code in found}
    assert len(shapes) == len(found), "no two differ by names only"
    for code in codes(GAME):
        assert tuple(pegs if pegs in "AB" else str(code.index(pegs)) for pegs in code) in shapes


def lines_needed(make: type[Guesser], secret: Code, luck: int) -> int:
    """Return in which line a player breaks a code, while the other never comes near."""
    bot = make(Random(luck))
    table = Table((secret, secret))
    for number in range(1, 20):
        guess = ask(GAME, bot, table, FIRST, turn=table.turn)
        if guess == secret:
            return number
        hopeless = marked(Code("AAAA"), Code("BBBB"))
        table = Table(table.codes, ((*table.boards[0], marked(secret, guess)), (*table.boards[1], hopeless)))
    raise AssertionError("the code is never broken")


@pytest.mark.parametrize("number", [20, pytest.param(60, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("make", "mean", "most"), [(Amateur, 5.8, 9), (Player, 5.5, 8), (Master, 5.4, 7)])
def test_codes_are_broken_within_eight_lines(make: type[Guesser], mean: float, most: int, number: int) -> None:
    sample = Random(3).sample(codes(GAME), number // 3 if make is Master else number)
    needed = [lines_needed(make, secret, luck) for luck, secret in enumerate(sample)]
    assert max(needed) <= most
    assert sum(needed) / len(needed) <= mean


def test_now_or_never_the_master_guesses_what_can_be_right() -> None:
    """The first player has broken the code: the second must break his in the same line."""
    mine, theirs = Code("ABCD"), Code("HGFE")
    boards = ((marked(theirs, Code("AABB")), marked(theirs, theirs)), (marked(mine, Code("AABC")),))
    table = Table((mine, theirs), boards)
    for luck in range(5):
        guess = ask(GAME, Master(Random(luck)), table, SECOND, turn=table.turn)
        assert marked(guess, Code("AABC")) == boards[1][0]
