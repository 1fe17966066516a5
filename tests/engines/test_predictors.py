"""Predictors find out whoever is predictable, and the guarded one loses little to whoever finds it out."""

from collections.abc import Callable
from copy import deepcopy
from random import Random

import pytest

from arbitre.engines.arcade import RENEWED, STAKE, THROWERS, Machine, hand_of
from arbitre.engines.predictors import Ensemble, Guarded, Habit, Pattern, Thrower, Uniform, _echo, wins
from arbitre.protocol.arcade_side import Throw
from arbitre.protocol.arcade_wire import Sign, beats


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


class Seer(Thrower):
    """Knows the guarded one by heart, everything but its luck: beats its advice whenever it will be followed."""

    def __init__(self, random: Random, victim: Guarded) -> None:
        super().__init__(random)
        self.victim = victim

    def throw(self) -> int:
        ensemble = deepcopy(self.victim.ensemble)
        advice = ensemble.throw()
        followed = self.victim.balance > -self.victim.budget and ensemble.edge > self.victim.least
        return (advice + 1) % 3 if followed else 2

    def see(self, mine: int, theirs: int) -> None:
        pass


def test_nobody_wins_more_than_the_stake_from_nightmare() -> None:
    """Where the advice is followed the seer wins, but never more than the stake in a hundred rounds; the rest is luck."""
    victim = THROWERS["Nightmare"](Random(11))
    assert isinstance(victim, Guarded)
    seer = Seer(Random(12), victim)
    lost = luck = 0
    for number in range(1, 3 * RENEWED + 1):
        theirs, mine = seer.throw(), victim.throw()
        followed = victim._heeded
        victim.see(mine, theirs)
        result = wins(mine, theirs)
        lost, luck = (lost + result, luck) if followed else (lost, luck + result)
        assert lost >= -STAKE * -(-number // RENEWED)
    assert lost == -3 * STAKE, "the seer is not what he claims to be"
    assert abs(luck) < 60


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
