"""The MasterMind players reason soundly: what they call possible is possible, and they get there."""

import re
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest

from arbitre.games.engine import Budget
from arbitre.games.game import FIRST, SECOND
from arbitre.games.mastermind import tree
from arbitre.games.mastermind.engine import SHAPES, Amateur, Guesser, Master, Player, fitting, fresh
from arbitre.games.mastermind.pegs import laid, marks, written
from arbitre.games.mastermind.rules import Code, Line, MasterMind, Table, marked
from tests.games.arena import ask

GAME = MasterMind()
LONG = MasterMind(lines=12)
ROOT = Path(__file__).parents[3]


def codes(game: MasterMind) -> list[Code]:
    return [Code("".join(pegs)) for pegs in product(game.palette, repeat=game.pegs)]


def test_common_bits_are_marks() -> None:
    random = Random(1)
    for game in (GAME, MasterMind(colours=10, pegs=6), MasterMind(colours=2, pegs=2)):
        for _ in range(200):
            one, two = (Code("".join(random.choices(game.palette, k=game.pegs))) for _ in range(2))
            line = marked(one, two)
            assert marks(laid(one), laid(two)) == (line.placed + line.misplaced, line.placed)
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
    for number in range(1, LONG.lines + 1):
        guess = ask(LONG, bot, table, FIRST, turn=table.turn)
        if guess == secret:
            return number
        hopeless = marked(Code("AAAA"), Code("BBBB"))
        table = Table(table.codes, ((*table.boards[0], marked(secret, guess)), (*table.boards[1], hopeless)))
    raise AssertionError("the code is never broken")


@pytest.mark.parametrize("number", [20, pytest.param(60, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(("make", "mean", "most"), [(Amateur, 7, 12), (Player, 6, 9), (Master, 5.3, 7)])
def test_codes_are_broken_the_sooner_the_less_is_overlooked(make: type[Guesser], mean: float, most: int, number: int) -> None:
    needed = [lines_needed(make, secret, luck) for luck, secret in enumerate(Random(3).sample(codes(GAME), number))]
    assert max(needed) <= most
    assert sum(needed) / len(needed) <= mean


# ── the tree ───────────────────────────────────────────────────────────────────────────────────────────────────────


def found(node: tree.Node, secrets: list[Code], line: int = 1) -> Counter[int]:
    """Return how many codes are found in which line when the rules mark the guesses."""
    guess = written(node.guess, 4)
    parts: dict[Line, list[Code]] = {}
    for secret in secrets:
        parts.setdefault(marked(secret, guess), []).append(secret)
    lines = Counter({line: len(parts.pop(marked(guess, guess), []))})
    for answer, part in parts.items():
        lines += found(node.after[answer.placed + answer.misplaced, answer.placed], part, line + 1)
    return lines


def test_the_tree_finds_every_code_with_as_many_guesses_as_the_manual_says() -> None:
    lines = found(tree.loaded(), codes(GAME))
    assert sum(lines.values()) == 8**4
    total = sum(line * count for line, count in lines.items())
    assert total == sum(tree.loaded().lines()) <= 20_566
    for page in (ROOT / "docs" / "engines.md", ROOT / "docs" / "fr" / "engines.md"):
        text = re.sub(r"(\d)[ ,\u00a0\u202f](\d{3})", r"\1\2", page.read_text(encoding="utf-8"))
        assert f"**{total}**" in text
        assert f"| {' | '.join(str(lines[line]) for line in range(1, 8))} |" in text


def test_each_master_has_a_tree_of_its_own() -> None:
    """Whoever reads the file must not know which codes a player finds last."""
    firsts = {ask(GAME, Master(Random(luck)), Table((Code("ABCD"), Code("ABCD"))), FIRST, turn=3) for luck in range(20)}
    assert len(firsts) > 10
    for luck in range(30):
        assert lines_needed(Master, Code("HGHF"), luck) <= 7


def test_the_master_hides_more_codes_with_one_pair() -> None:
    shapes = Counter(tuple(sorted(Counter(hidden(luck)).values(), reverse=True)) for luck in range(400))
    assert shapes[2, 1, 1] > 0.5 * 400 > shapes[1, 1, 1, 1]
    assert sum(SHAPES.values()) == pytest.approx(1)


def hidden(luck: int) -> Code:
    code: Code = ask(GAME, Master(Random(luck)), GAME.start(), FIRST)
    return code


def test_with_other_pegs_the_master_compares_guesses() -> None:
    game = MasterMind(colours=6, pegs=3)
    secret = Code("FAD")
    table = Table((secret, secret))
    bot = Master(Random(1))
    for _ in range(7):
        guess = ask(game, bot, table, FIRST, turn=table.turn)
        if guess == secret:
            return
        line = marked(secret, guess)
        table = Table(table.codes, ((*table.boards[0], line), (*table.boards[1], marked(Code("AAA"), Code("BBB")))))
    raise AssertionError("the code is never broken")


def test_now_or_never_the_master_guesses_what_can_be_right() -> None:
    """The first player has broken the code: the second must break his in the same line."""
    mine, theirs = Code("ABCD"), Code("HGFE")
    boards = ((marked(theirs, Code("AABB")), marked(theirs, theirs)), (marked(mine, Code("AABC")),))
    table = Table((mine, theirs), boards)
    for luck in range(5):
        guess = ask(GAME, Master(Random(luck)), table, SECOND, turn=table.turn)
        assert marked(guess, Code("AABC")) == boards[1][0]


@pytest.mark.campaign
def test_the_search_goes_on_where_it_was_and_comes_to_the_same_tree(tmp_path: Path) -> None:
    train = [sys.executable, str(ROOT / "tools" / "train"), "mastermind", "--beam", "1", "--first", "AABC"]
    made = []
    for jobs in ("1", "2"):
        subprocess.run([*train, "--jobs", jobs, "--out", tmp_path / jobs], check=True, cwd=ROOT)
        made.append((tmp_path / jobs / "tree.txt").read_text())
    kept = tmp_path / "2" / "parts-1.jsonl"
    kept.write_text(kept.read_text()[:-200])
    subprocess.run([*train, "--out", tmp_path / "2"], check=True, cwd=ROOT)
    made.append((tmp_path / "2" / "tree.txt").read_text())
    assert made[0] == made[1] == made[2]
    node = tree.grown([laid(code) for code in codes(GAME)], iter(made[0].split()))
    assert len(list(node.lines())) == 8**4
