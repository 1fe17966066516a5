"""Who won: a pure function of the set of Commits and Reveals (seed 003, section 4.3; spec rochambeau, sections 1 and 2).

Each round, a player's tweak is H(X ‖ counter) mod N with X the exclusive or of the C-values of the *other* players of the round,
and its assigned state is q + tweak mod N. The best scores of the round go on; one left wins, none left means no winner, and
when the counter would pass 255 the game is void and the tied players commit anew.

All players' scores are found together, in O(M log M) (`arbitre.games.rochambeau.rules.scores`), and X of the others is X of all
without one's own.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from arbitre.elections.payload import Contestant, Excluded, judge
from arbitre.elections.terms import LAST_ROUND, SAFE_NONCE, Terms
from arbitre.games.rochambeau.rules import Sign, scores
from arbitre.reasons import N_, Reason
from arbitre.values import value

Payloads: TypeAlias = Mapping[str, bytes]


@value
class Line:
    """How one player fared in one round."""

    player: str
    tweak: int
    state: int
    """As assigned: chosen state plus tweak."""
    score: int


@value
class Round:
    """One round."""

    counter: int
    players: int
    best: int
    """The best score."""
    tied: int
    """How many reached it."""
    table: tuple[Line, ...] = ()
    """A line for each player; empty in rounds of very many."""


@value
class Verdict:
    """What an election came to."""

    winner: str | None
    rounds: tuple[Round, ...]
    excluded: Sequence[Excluded]
    tied: tuple[str, ...] = ()
    """Who must commit anew, where the counter passed 255."""
    warnings: tuple[Reason, ...] = ()

    @property
    def void(self) -> bool:
        """Tell whether the tied players commit anew."""
        return bool(self.tied)


def settle(terms: Terms, commits: Payloads, reveals: Payloads, announced: bytes = b"", players: Iterable[str] = ()) -> Verdict:
    """Return the verdict on what was sent; the order of sending has no part in it.

    `players` are those who were expected: whoever of them sent nothing is named as excluded.
    """
    names = sorted({*players, *commits, *reveals})
    judged = [judge(terms, name, commits.get(name), reveals.get(name)) for name in names]
    contestants = [one for one in judged if isinstance(one, Contestant)]
    excluded = tuple(one for one in judged if isinstance(one, Excluded))
    warnings = tuple(short_nonce(one.player) for one in contestants if one.short)
    rounds, left = play(terms, contestants, announced)
    return conclude(rounds, left, excluded, warnings)


def short_nonce(player: str) -> Reason:
    """Return the warning that a nonce can be guessed."""
    why = N_("%(player)s used a nonce of fewer than %(octets)s octets, which can be guessed")
    return Reason(why, player=player, octets=SAFE_NONCE)


def conclude(
    rounds: Sequence[Round], left: Sequence[Contestant], excluded: Sequence[Excluded], warnings: tuple[Reason, ...] = ()
) -> Verdict:
    """Return the verdict when these are left after the last round."""
    winner = left[0].player if len(left) == 1 else None
    tied = tuple(one.player for one in left) if len(left) > 1 else ()
    return Verdict(winner, tuple(rounds), excluded, tied, warnings)


def play(
    terms: Terms, contestants: Sequence[Contestant], announced: bytes = b"", counter: int = 1
) -> tuple[list[Round], list[Contestant]]:
    """Play the rounds from `counter` on; return them, and who is left at the end."""
    left = list(contestants)
    rounds = []
    while len(left) > 1 and counter <= LAST_ROUND:
        played, left = play_round(terms, left, counter, announced)
        rounds.append(played)
        counter += 1
    return rounds, left


def play_round(
    terms: Terms, contestants: Sequence[Contestant], counter: int, announced: bytes = b""
) -> tuple[Round, list[Contestant]]:
    """Play one round; return it, and who reached the best score."""
    given = tweaks(terms, [one.commit for one in contestants], counter, announced)
    states = [(one.state + tweak) % terms.states for one, tweak in zip(contestants, given, strict=True)]
    reached = scores([Sign(state) for state in states])
    best = max(reached)
    left = [one for one, score in zip(contestants, reached, strict=True) if score == best]
    lines = zip(contestants, given, states, reached, strict=True)
    table = tuple(Line(one.player, tweak, state, score) for one, tweak, state, score in lines)
    return Round(counter, len(contestants), best, len(left), table), left


def tweaks(terms: Terms, commits: Sequence[bytes], counter: int, announced: bytes = b"") -> list[int]:
    """Return each player's tweak: H(exclusive or of the others' C ‖ counter ‖ announced value) mod N."""
    hasher, states, size = terms.hasher(), terms.states, terms.digest_octets
    end = bytes([counter]) + announced
    numbers = [int.from_bytes(commit, "big") for commit in commits]
    whole = 0
    for number in numbers:
        whole ^= number
    return [int.from_bytes(hasher((whole ^ number).to_bytes(size, "big") + end).digest(), "big") % states for number in numbers]
