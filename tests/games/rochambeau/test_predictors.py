"""Predictors find out whoever is predictable, and nobody who finds the guarded ones out wins more than their coin from them."""

from collections.abc import Callable
from math import sqrt
from random import Random, SystemRandom
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.arcade.hands import THROWERS, Machine, hand_of
from arbitre.arcade.side import Throw
from arbitre.arcade.terms import GOAL
from arbitre.arcade.wire import Sign, beats
from arbitre.games.rochambeau.predictors import Ensemble, Guarded, Habit, Pattern, Thrower, Uniform, _echo, chances, wins


class Always(Thrower):
    def throw(self) -> int:
        return 1

    def see(self, mine: int, theirs: int) -> None:
        pass


class Wheel(Always):
    turn = 0

    def throw(self) -> int:
        self.turn += 1
        return self.turn % 3


class Copycat(Always):
    last = 0

    def throw(self) -> int:
        return self.last

    def see(self, mine: int, theirs: int) -> None:  # noqa: ARG002
        self.last = theirs


class Contrary(Copycat):
    """Beats what the other showed last."""

    def throw(self) -> int:
        return (self.last + 1) % 3


class Lazy(Copycat):
    """Repeats itself seven times out of ten."""

    def throw(self) -> int:
        self.last = self.last if self.random.random() < 0.7 else self.random.randrange(3)
        return self.last

    def see(self, mine: int, theirs: int) -> None:  # noqa: ARG002
        self.last = mine


class Frequent(Always):
    """Expects the other's favourite sign, as many a beginner's program does."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.seen = [0, 0, 0]

    def throw(self) -> int:
        return (self.seen.index(max(self.seen)) + 1) % 3

    def see(self, mine: int, theirs: int) -> None:  # noqa: ARG002
        self.seen[theirs] += 1


def match(one: Thrower, two: Thrower, rounds: int) -> int:
    """Return what the first wins from the second."""
    score = 0
    for _ in range(rounds):
        mine, theirs = one.throw(), two.throw()
        one.see(mine, theirs)
        two.see(theirs, mine)
        score += wins(mine, theirs)
    return score


OTHERS = [(Always, 290), (Wheel, 290), (Copycat, 280), (Contrary, 280), (Frequent, 240), (Lazy, 120), (Habit, 120), (Pattern, 20)]


@pytest.mark.parametrize(("other", "least"), OTHERS)
def test_the_predictable_are_found_out(other: Callable[[Random], Thrower], least: int) -> None:
    assert match(Ensemble(Random(1)), other(Random(2)), 300) > least


@pytest.mark.parametrize("level", THROWERS)
def test_every_level_is_better_than_nothing(level: str) -> None:
    """Each level wins from somebody who always shows the same, and throws all three signs against somebody who does not."""
    assert match(THROWERS[level](Random(3)), Always(Random(4)), 300) > 80
    thrower, luck, signs = THROWERS[level](Random(5)), Random(6), set()
    for _ in range(60):
        sign = thrower.throw()
        signs.add(sign)
        thrower.see(sign, luck.randrange(3))
    assert signs == {0, 1, 2}


def test_stronger_levels_beat_weaker_ones() -> None:
    assert match(THROWERS["Normal"](Random(5)), THROWERS["Facile"](Random(6)), 1000) > 300
    assert match(THROWERS["Difficile"](Random(7)), THROWERS["Normal"](Random(8)), 1000) > 60
    assert match(THROWERS["Nightmare"](Random(9)), THROWERS["Normal"](Random(10)), 1000) > 60


def race(one: Thrower, two: Thrower, goal: int = GOAL) -> bool:
    """Tell whether the first wins a race."""
    points = [0, 0]
    while goal not in points:
        theirs, mine = two.throw(), one.throw()
        one.see(mine, theirs)
        two.see(theirs, mine)
        result = wins(mine, theirs)
        points[result < 0] += result != 0
    return points[0] == goal


def guarded(level: str, seed: int) -> Guarded:
    found = THROWERS[level](Random(seed))
    assert isinstance(found, Guarded)
    return found


class Seer(Thrower):
    """Knows the guarded one by heart, everything but its luck: beats its advice whenever it may be followed."""

    def __init__(self, random: Random, victim: Guarded) -> None:
        super().__init__(random)
        self.victim = Guarded(random, victim.purse, victim.goal)

    def throw(self) -> int:
        self.victim.throw()
        return (self.victim.advice + 1) % 3

    def see(self, mine: int, theirs: int) -> None:
        self.victim.see(theirs, mine)


class Flatterer(Seer):
    """Lets the guarded one win as long as it stakes little, and takes it all back as soon as it stakes much."""

    def throw(self) -> int:
        self.victim.throw()
        return (self.victim.advice + (1 if self.victim.stake > 0.5 else 2)) % 3


@pytest.mark.parametrize("level", ["Difficile", "Nightmare"])
@given(signs=st.lists(st.integers(0, 2), max_size=120), seed=st.integers(0, 99))
def test_the_purse_is_what_advice_has_gained_and_is_never_empty(level: str, signs: list[int], seed: int) -> None:
    """Whatever the other shows, our chances of winning change, over our luck, by exactly what goes into the purse."""
    one = guarded(level, seed)
    for theirs in signs:
        mine = one.throw()
        assert 0 <= one.stake <= 1
        before, purse, (won, lost) = chances(*one.scores, GOAL), one.purse, one.scores
        after = {1: chances(won + 1, lost, GOAL), 0: before, -1: chances(won, lost + 1, GOAL)}
        likely = [one.stake * (sign == one.advice) + (1 - one.stake) / 3 for sign in range(3)]
        gained = sum(likely[sign] * (after[wins(sign, theirs)] - before) for sign in range(3))
        one.see(mine, theirs)
        assert one.purse == pytest.approx(purse + gained)
        assert one.purse > 0


def test_the_chances_of_a_race_are_those_of_its_next_point_however_long_it_is() -> None:
    for goal in (1, 5, 40, 800):
        for mine, theirs in ((0, 0), (goal // 2, goal // 3), (0, goal - 1), (goal - 1, 0)):
            after = (chances(mine + 1, theirs, goal) + chances(mine, theirs + 1, goal)) / 2
            assert chances(mine, theirs, goal) == pytest.approx(after, abs=1e-4)
    assert (chances(0, 0, 5), chances(4, 3, 5), chances(5, 2, 5)) == (0.5, 0.75, 1)
    assert chances(0, 0, 10_000) == 0.5
    assert chances(9_999, 0, 10_000) == pytest.approx(1)
    assert chances(400, 450, 10_000) == pytest.approx(1 - chances(450, 400, 10_000))


@pytest.mark.parametrize("foe", [Seer, Flatterer])
def test_who_knows_nightmare_by_heart_wins_half_of_the_races(foe: Callable[[Random, Guarded], Thrower]) -> None:
    """He empties the purse, and that is one race in two hundred; the rest is luck, here always the same."""
    won = 0
    for seed in range(60):
        one = guarded("Nightmare", seed)
        two = foe(Random(seed), one)
        won += race(one, two)
        assert one.purse > 0
    assert 22 <= won <= 38


FOES: dict[str, Callable[[Random, Guarded], Thrower]] = {
    "seer": Seer,
    "flatterer": Flatterer,
    "uniform": lambda random, _: Uniform(random),
    "habit": lambda random, _: Habit(random),
    "pattern": lambda random, _: Pattern(random),
    "ensemble": lambda random, _: Ensemble(random),
    "difficile": lambda random, _: THROWERS["Difficile"](random),
}


@pytest.mark.campaign
@pytest.mark.parametrize("foe", FOES)
def test_nightmare_is_expected_to_lose_to_nobody(foe: str) -> None:
    """Over a thousand races; `python -m bench.arcade_races` does the same with the bots of the RoShamBo competitions.

    The share that is won is one half and what the purse has gained, apart from luck: the same mean, and a narrow interval.
    """
    shares, won = [], 0
    for _ in range(1_000):
        one = THROWERS["Nightmare"](SystemRandom())
        assert isinstance(one, Guarded)
        coin = one.purse
        won += race(one, FOES[foe](SystemRandom(), one))
        shares.append(0.5 + one.purse - coin)
    assert mean(shares) - 1.96 * stdev(shares) / sqrt(len(shares)) >= 0.48
    assert abs(won / 1_000 - mean(shares)) < 0.08, "luck is not what was taken out"


@pytest.mark.parametrize("other", [Always, Wheel, Copycat, Contrary, Frequent, Lazy])
def test_the_predictable_lose_races_to_nightmare(other: Callable[[Random], Thrower]) -> None:
    assert sum(race(guarded("Nightmare", seed), other(Random(seed))) for seed in range(10)) >= 9


class Script(Always):
    """Shows the same list of signs in every match."""

    def __init__(self, signs: list[int]) -> None:
        super().__init__(Random(0))
        self.signs = iter(signs)

    def throw(self) -> int:
        return next(self.signs)


def script(level: str, copies: int, rounds: int) -> list[int]:
    """Write the list that beats as many copies of a level as can be, round by round."""
    players = [THROWERS[level](Random(seed)) for seed in range(1_000, 1_000 + copies)]
    signs = []
    for _ in range(rounds):
        thrown = [player.throw() for player in players]
        signs.append(max(range(3), key=lambda sign: sum(wins(sign, other) for other in thrown)))
        for player, sign in zip(players, thrown, strict=True):
            player.see(sign, signs[-1])
    return signs


@pytest.mark.parametrize("copies", [1, 9])
def test_no_list_of_signs_beats_difficile_every_time(copies: int) -> None:
    signs = script("Difficile", copies, 400)
    won = sum(race(THROWERS["Difficile"](Random(seed)), Script(signs)) for seed in range(30))
    assert won >= 9


def test_the_ensemble_draws_what_promises_the_same() -> None:
    """It begins with any sign, and two of its matches against the same list are not the same."""
    assert {Ensemble(Random(seed)).throw() for seed in range(20)} == {0, 1, 2}
    matches = set()
    for seed in range(5):
        one, signs = Ensemble(Random(seed)), []
        for theirs in (0, 1, 2, 2, 1, 0) * 4:
            signs.append(one.throw())
            one.see(signs[-1], theirs)
        matches.add(tuple(signs))
    assert len(matches) >= 3


def test_uniform_is_uniform() -> None:
    counts = [0, 0, 0]
    thrower = Uniform(Random(13))
    for _ in range(3000):
        counts[thrower.throw()] += 1
    assert min(counts) > 900


def test_the_echo_is_the_last_time_history_looked_like_now() -> None:
    for history in (b"\0\1\2\0\1", b"\0\0\0\0", b"\1\2\0\1\2\1\2", b"\0\1", b"\2"):
        for longest in (1, 2, 3, 20):
            length = len(history)
            expected = -1
            for size in range(1, min(longest, length - 1) + 1):
                places = [at for at in range(length - size) if history[at : at + size] == history[length - size :]]
                expected = places[-1] + size if places else expected
            assert _echo(bytearray(history), longest) == expected


def test_hands_speak_the_arcade() -> None:
    """Signs of the arcade count from 1, throwers' from 0; each beats the one before it in both."""
    for one in Sign:
        for two in Sign:
            assert beats(one, two) == (wins(one - 1, two - 1) == 1)
    hand = Machine(Copycat(Random(14)))
    past: list[Throw] = []
    for theirs in (Sign.FEUILLE, Sign.CISEAUX, Sign.PIERRE):
        past.append(Throw(hand.throw(past), theirs))
        assert hand.throw(past) is theirs
    assert isinstance(hand_of("Nightmare", Random(15)).throw([]), Sign)
