"""Rochambeau: rock, paper, scissors for N signs and M players (specs: rochambeau, sections 1 and 2; tournoyons, section 4).

Signs are numbered in the order of the draft's Figure 1, and a beats b exactly when (b − a) mod N is odd. With three signs that is
rock, scissors, paper; with five rock, lizard, Spock, scissors, paper. In every round all players show a sign at the same time;
the score of a player is how many others he beats less how many beat him. A game is either a race for points (`goal` of 1 or
more) or the draft's elimination (`goal` 0). What a player is about to show is never part of a state, so nothing is secret.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import NewType

from arbitre.errors import IllegalMoveError
from arbitre.games.game import LOSS, Awaits, Eye, Game, Outcome, Phase, Seat, require_option
from arbitre.reasons import Reason, declare
from arbitre.values import option, value

Sign = NewType("Sign", int)
"""What a hand shows, 0 to N − 1 in the order of Figure 1."""

MOST_STATES = 2**31 - 1
MOST_PLAYERS = 1_000
MOST_ROUNDS = 10_000
LAST_COUNTER = 255
"""The draft counts the rounds of an elimination in one octet, from 1."""

PRESETS: Mapping[str, Mapping[str, int]] = {
    "tournoyons": {"states": 3, "goal": 5},
    "arcade": {"states": 3, "goal": 32},
    "spock": {"states": 5, "goal": 5},
    "draft": {"states": MOST_STATES, "goal": 0},
}
"""Options under a name; any may be combined with a number of `players`."""


def beats(one: Sign, two: Sign, states: int) -> bool:
    """Tell whether sign `one` beats sign `two`."""
    return (two - one) % states % 2 == 1


def scores(shown: Sequence[Sign]) -> tuple[int, ...]:
    """Return for each of the signs shown how many others it beats less how many beat it.

    Going up from a sign, it beats every second one, and going down too; so give each sign the weight +1 or −1 by its parity and
    a score is a difference of sums of weights, found for all in one pass over the sorted signs.
    """
    count: dict[Sign, int] = {}
    for sign in shown:
        count[sign] = count.get(sign, 0) + 1
    total = sum(-times if sign & 1 else times for sign, times in count.items())
    score: dict[Sign, int] = {}
    below = 0
    for sign in sorted(count):
        times = count[sign]
        lead = 2 * below - total
        score[sign] = times + (-lead if sign & 1 else lead)
        below += -times if sign & 1 else times
    return tuple(score[sign] for sign in shown)


def best(moves: Mapping[Seat, Sign]) -> tuple[Seat, ...]:
    """Return the seats with the highest score of a round."""
    reached = scores(tuple(moves.values()))
    top = max(reached, default=0)
    return tuple(seat for seat, score in zip(moves, reached, strict=True) if score == top)


REASONS = declare(
    {
        "goal-reached": ("first to %(goal)s points", "premier à %(goal)s points"),
        "most-points": ("the most points after %(rounds)s rounds", "le plus de points après %(rounds)s tours"),
        "last-left": ("the last one left", "le dernier qui reste"),
        "nobody-left": ("nobody is left, and nobody wins", "il ne reste personne, et personne ne gagne"),
        "several-left": ("%(count)s are left after %(rounds)s rounds", "il en reste %(count)s après %(rounds)s tours"),
        "no-sign": ("signs are numbered 0 to %(last)s", "les signes sont numérotés de 0 à %(last)s"),
        "no-sign-named": (
            "a sign is %(names)s or a number from 0 to %(last)s",
            "un signe est %(names)s ou un nombre de 0 à %(last)s",
        ),
    }
)


@value
class Standing:
    """How a game stands between two rounds."""

    played: int
    """How many rounds are over."""
    points: tuple[int, ...]
    """One for each seat; in an elimination nobody has any."""
    inside: frozenset[Seat]
    """Who plays the next round."""
    shown: tuple[Sign | None, ...] = ()
    """The signs of the last round, None for a seat that was out or silent; empty where there was no round."""


@value
class Rochambeau(Game[Standing, Sign, Standing]):
    """Rock, paper, scissors, for any number of signs and players."""

    name = "rochambeau"
    offers = False

    states: int = option(default=3, line="number of signs, odd", least=3, most=MOST_STATES)
    players: int = option(default=2, line="number of players", least=2, most=MOST_PLAYERS)
    goal: int = option(
        default=5, line="points to win; 0: the best of each round stay, the others are out", least=0, most=MOST_ROUNDS
    )
    limit: int = option(default=1_000, line="rounds at most; an elimination has never more than 255", least=1, most=MOST_ROUNDS)

    def __post_init__(self) -> None:
        """Refuse an even number of signs, where Figure 1 has no order, and numbers without bound."""
        Game.__post_init__(self)
        uneven, states = self.states % 2 == 1, self.states
        require_option(uneven, "rochambeau: states is odd, not %(states)s: each sign beats half of the others", states=states)

    @property
    def seats(self) -> int:
        """As many as there are players."""
        return self.players

    @property
    def rounds(self) -> int:
        """How many rounds there can be."""
        return self.limit if self.goal else min(self.limit, LAST_COUNTER)

    def start(self) -> Standing:
        """Return the standing before the first round."""
        return Standing(0, (0,) * self.players, frozenset(map(Seat, range(self.players))))

    def phase(self, state: Standing) -> Phase:
        """Ask all who are inside at once, until there is a winner or no round left."""
        return self._raced(state) if self.goal else self._eliminated(state)

    def _raced(self, state: Standing) -> Phase:
        top = max(state.points)
        if top < self.goal and state.played < self.rounds:
            return Awaits(state.inside, state.played + 1)
        leaders = frozenset(Seat(seat) for seat, points in enumerate(state.points) if points == top)
        first = top >= self.goal
        reason = Reason("goal-reached", goal=self.goal) if first else Reason("most-points", rounds=self.rounds)
        return self._shared(leaders, reason, state.points)

    def _eliminated(self, state: Standing) -> Phase:
        if len(state.inside) == 1:
            return self._shared(state.inside, Reason("last-left"))
        if not state.inside:
            return self._shared(self.start().inside, Reason("nobody-left"))
        if state.played >= self.rounds:
            return self._shared(state.inside, Reason("several-left", count=len(state.inside), rounds=self.rounds))
        return Awaits(state.inside, state.played + 1, "is heard")

    def _shared(self, winners: frozenset[Seat], reason: Reason, tally: tuple[int, ...] = ()) -> Outcome:
        share = Fraction(1, len(winners))
        return Outcome(tuple(share if seat in winners else LOSS for seat in range(self.players)), reason, tally)

    def view(self, state: Standing, eye: Eye) -> Standing:  # noqa: ARG002 - everybody sees everything
        """Show the standing."""
        return state

    def legal(self, view: Standing) -> Iterator[Sign]:
        """List all signs, while the game lasts."""
        return iter(()) if isinstance(self.phase(view), Outcome) else map(Sign, range(self.states))

    def check(self, view: Standing, move: Sign) -> None:
        """Refuse a number that is no sign."""
        if not 0 <= move < self.states:
            raise IllegalMoveError(move, "no-sign", last=self.states - 1)
        if isinstance(self.phase(view), Outcome):
            raise IllegalMoveError(move, "game-over")

    def sample(self, view: Standing, random: Random) -> Sign:  # noqa: ARG002 - every sign is open to everybody
        """Choose any sign."""
        return Sign(random.randrange(self.states))

    def play(self, state: Standing, moves: Mapping[Seat, Sign]) -> Standing:
        """Give the one best player a point; or keep the best inside, without the silent."""
        shown = tuple(moves.get(Seat(seat)) for seat in range(self.players))
        ahead = best(moves)
        if not self.goal:
            return Standing(state.played + 1, state.points, frozenset(ahead), shown)
        points = state.points
        if len(ahead) == 1:
            seat = ahead[0]
            points = (*points[:seat], points[seat] + 1, *points[seat + 1 :])
        return Standing(state.played + 1, points, state.inside, shown)
