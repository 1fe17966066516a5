"""Fairness and attacks, measured: what the draft overlooks, what strong mode changes, and what it does not.

Each attack is played out in full: real Commits, real Reveals, the verdict of `settle`. The result is how often the attackers
win next to how often they should, and the figures of the manual come from here.

=============  ==========================================================================================================
`fairness`     nobody cheats: each player wins equally often (χ²)
`copy`         a player repeats another's Commit, and later the Reveal: the two tie for ever
`abort`        a coalition reveals last and leaves out whoever's Reveal would cost it the game
`grind`        the last committer tries many Commits: in draft mode q ≠ 0, so a tweak tells which state a player does *not* have
`pact`         a coalition commits last and tries many Commits until its own states stand well towards each other
`equivocate`   a player sends different Commits to different players, and they find different winners
=============  ==========================================================================================================
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import exp, lgamma, log, sqrt
from random import Random
from typing import Final

from arbitre.crypto.keys import Key
from arbitre.elections.call import Call
from arbitre.elections.payload import Contestant, Fault, Opening, write_commit, write_reveal
from arbitre.elections.strong import StrongParty
from arbitre.elections.terms import NONCE_OCTETS, Mode, Terms
from arbitre.elections.verdict import Verdict, play, settle, tweaks
from arbitre.errors import OptionError
from arbitre.values import value

MOST_PARTIES: Final = 64
MOST_GAMES: Final = 10_000_000
SIGNED_GAMES: Final = 100
"""How many games are played with signatures at most."""
CELLS: Final = 32
IMAGINED: Final = 400
"""How a coalition judges its own states: by distance, in so many steps, against so many imagined choices of the others."""
ANNOUNCED: Final = b"a value that is public only after the Reveal deadline"


@value
class Fairness:
    """How often each player won when nobody cheated."""

    wins: tuple[int, ...]
    undecided: int

    @property
    def statistic(self) -> float:
        """Return χ² against equal chances."""
        due = sum(self.wins) / len(self.wins)
        return sum((one - due) ** 2 / due for one in self.wins)

    @property
    def p_value(self) -> float:
        """Return how likely a χ² at least as large is by chance alone."""
        return chi_square_tail(self.statistic, len(self.wins) - 1)


@value
class Measured:
    """What an attack brought under one set of terms."""

    attack: str
    terms: str
    """`draft`, `strong`, or `announced`: strong with a value announced after the Reveals."""
    games: int
    rate: float
    """How often the attack succeeded: the attackers won, or, where they only destroy, the game was destroyed."""
    fair: float
    """What the rate would be without the attack."""
    convicted: float
    """In what share of the games somebody was named as the culprit, with proof."""
    note: str = ""

    @property
    def error(self) -> float:
        """Return the standard error of the rate."""
        return sqrt(max(self.rate * (1 - self.rate), 1 / self.games) / self.games)


@value
class Trial:
    """The setting of a simulation."""

    parties: int = 5
    states: int = 17
    games: int = 10_000
    coalition: int = 2
    tries: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what would not end, or not begin."""
        for name, given, least, most in (
            ("parties", self.parties, 2, MOST_PARTIES),
            ("games", self.games, 1, MOST_GAMES),
            ("coalition", self.coalition, 1, self.parties - 1),
            ("tries", self.tries, 1, 1 << 16),
        ):
            if not least <= given <= most:
                raise OptionError(
                    "simulate: %(name)s is from %(least)s to %(most)s, not %(given)s",
                    name=name,
                    least=least,
                    most=most,
                    given=given,
                )
        Terms(self.states)

    def terms(self, kind: str) -> Terms:
        """Return the terms of a kind."""
        if kind == "draft":
            return Terms(self.states)
        return Terms(self.states, mode=Mode.STRONG, game="trial", announced=kind == "announced")

    def random(self, label: str) -> Random:
        """Return a source of chance for one use."""
        return Random(f"{self.seed}/{label}/{self.parties}/{self.states}")


KINDS: Final = ("draft", "strong", "announced")


def honest(terms: Terms, player: str, random: Random) -> Contestant:
    """Return a contestant that chose honestly."""
    opening = Opening(random.randbytes(NONCE_OCTETS) + terms.binder(player), random.randrange(terms.least_state, terms.states))
    return Contestant(player, write_commit(terms, opening)[2:], opening.state)


def _mixed(terms: Terms) -> bytes:
    return ANNOUNCED if terms.announced else b""


def _winner(terms: Terms, players: Sequence[Contestant], announced: bytes | None = None) -> str | None:
    _, left = play(terms, players, _mixed(terms) if announced is None else announced)
    return left[0].player if len(left) == 1 else None


# ── fairness ───────────────────────────────────────────────────────────────────────────────────────────────────────


def fairness(trial: Trial, kind: str = "draft") -> Fairness:
    """Hold honest elections."""
    terms, random = trial.terms(kind), trial.random("fairness")
    names = [f"p{index}" for index in range(trial.parties)]
    wins = dict.fromkeys(names, 0)
    undecided = 0
    for _ in range(trial.games):
        winner = _winner(terms, [honest(terms, name, random) for name in names])
        if winner is None:
            undecided += 1
        else:
            wins[winner] += 1
    return Fairness(tuple(wins.values()), undecided)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Return P(χ² ≥ statistic): the upper regularised gamma function, by its series or its continued fraction."""
    a, x = degrees / 2, statistic / 2
    if x <= 0 or degrees <= 0:
        return 1.0
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        step = a
        while term > total * 1e-16:
            step += 1
            term *= x / step
            total += term
        return max(0.0, 1 - front * total)
    # Lentz: the fraction converges quickly exactly where the series does not
    b = x + 1 - a
    c, d = 1e300, 1 / b
    fraction = d
    for step in range(1, 500):
        an = -step * (step - a)
        b += 2
        d = 1 / (an * d + b or 1e-300)
        c = b + an / c or 1e-300
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return min(1.0, front * fraction)


# ── attacks ────────────────────────────────────────────────────────────────────────────────────────────────────────


def copy(trial: Trial, kind: str) -> Measured:
    """A thief repeats the Commit of one victim and then its Reveal."""
    terms, random = trial.terms(kind), trial.random("copy")
    stuck = convicted = 0
    for _ in range(trial.games):
        openings = {
            f"p{i}": Opening(
                random.randbytes(NONCE_OCTETS) + terms.binder(f"p{i}"), random.randrange(terms.least_state, terms.states)
            )
            for i in range(trial.parties - 1)
        }
        openings["thief"] = openings["p0"]
        commits = {name: write_commit(terms, one) for name, one in openings.items()}
        reveals = {name: write_reveal(terms, one) for name, one in openings.items()}
        verdict = settle(terms, commits, reveals, _mixed(terms))
        stuck += verdict.void
        convicted += bool(verdict.excluded)
    return Measured("copy", kind, trial.games, stuck / trial.games, 0.0, convicted / trial.games, "games that never end")


def abort(trial: Trial, kind: str) -> Measured:
    """A coalition reveals last, and keeps back what would cost it the game, as far as it can tell."""
    terms, random = trial.terms(kind), trial.random("abort")
    allies = [f"x{index}" for index in range(trial.coalition)]
    others = [f"p{index}" for index in range(trial.parties - trial.coalition)]
    won = aborted = 0
    for _ in range(trial.games):
        rest = [honest(terms, name, random) for name in others]
        coalition = [honest(terms, name, random) for name in allies]
        # with an announced value the coalition must decide before it knows the tweaks: its forecast is a guess
        forecast = random.randbytes(16) if terms.announced else b""
        shown = next(
            (
                chosen
                for size in range(len(allies), 0, -1)
                for chosen in combinations(coalition, size)
                if (_winner(terms, [*rest, *chosen], forecast) or "").startswith("x")
            ),
            tuple(coalition),
        )
        won += (_winner(terms, [*rest, *shown]) or "").startswith("x")
        aborted += len(shown) < len(coalition)
    share = aborted / trial.games
    rate, fair = won / trial.games, trial.coalition / trial.parties
    gain = rate - fair
    worth = f"{gain / share:+.2f} of the prize for each abort" if aborted else "no abort"
    # in strong mode the transcript is signed: whoever committed and did not reveal is named beyond doubt
    return Measured("abort", kind, trial.games, rate, fair, share if terms.mode is Mode.STRONG else 0.0, worth)


def _grind(
    trial: Trial,
    terms: Terms,
    random: Random,
    rest: Sequence[Contestant],
    names: Sequence[str],
    value_of: Callable[[Sequence[Contestant], list[int]], float],
) -> list[Contestant]:
    """Try Commits for these players, after all others have committed; keep those that look best."""
    best: tuple[float, list[Contestant]] = (-1e9, [])
    for _ in range(trial.tries):
        mine = [honest(terms, name, random) for name in names]
        everyone = [*rest, *mine]
        # the tweaks of the first round are known to the last committer, unless a value is announced later
        seen = tweaks(terms, [one.commit for one in everyone], 1, random.randbytes(16) if terms.announced else b"")
        worth = value_of(mine, seen)
        if worth > best[0]:
            best = (worth, mine)
    return best[1]


def grind(trial: Trial, kind: str) -> Measured:
    """The last committer uses that an honest q is never 0: a player's state is anything but its tweak.

    So it looks for a Commit under which the states that would beat its own are the very ones that the others do not have.
    """
    terms, random = trial.terms(kind), trial.random("grind")
    states = terms.states
    names = [f"p{index}" for index in range(trial.parties - 1)]

    def worth(mine: Sequence[Contestant], seen: list[int]) -> float:
        own = (mine[0].state + seen[-1]) % states
        return sum((1 if (own - tweak) % states % 2 else -1) if own != tweak else 0 for tweak in seen[:-1])

    won = 0
    for _ in range(trial.games):
        rest = [honest(terms, name, random) for name in names]
        won += _winner(terms, [*rest, *_grind(trial, terms, random, rest, ["x0"], worth)]) == "x0"
    return Measured("grind", kind, trial.games, won / trial.games, 1 / trial.parties, 0.0, f"{trial.tries} tries")


def pact(trial: Trial, kind: str) -> Measured:
    """A coalition commits last and tries Commits until its own states stand well towards each other.

    Two allies whose states are close together and differ by an odd number, for one: every other player beats one of them and
    loses to the other. The last committers know each other's choices and all tweaks of the first round, so this works for
    any N and in either mode.
    """
    terms, random = trial.terms(kind), trial.random("pact")
    states, allies = terms.states, [f"x{index}" for index in range(trial.coalition)]
    names = [f"p{index}" for index in range(trial.parties - trial.coalition)]
    sampler = trial.random("pact/sample")
    known: dict[tuple[tuple[int, int], ...], float] = {}

    def worth(mine: Sequence[Contestant], seen: list[int]) -> float:
        own = [(one.state + tweak) % states for one, tweak in zip(mine, seen[-len(mine) :], strict=True)]
        # only the distances matter, and for many states only roughly, but for their parity
        cell = tuple(((state - own[0]) % states * CELLS // states, (state - own[0]) % states % 2) for state in own[1:])
        if cell not in known:
            imagined = ([sampler.randrange(states) for _ in names] for _ in range(IMAGINED))
            known[cell] = sum(_share(own, others, states) for others in imagined) / IMAGINED
        return known[cell]

    won = 0
    for _ in range(trial.games):
        rest = [honest(terms, name, random) for name in names]
        won += (_winner(terms, [*rest, *_grind(trial, terms, random, rest, allies, worth)]) or "").startswith("x")
    fair = trial.coalition / trial.parties
    return Measured("pact", kind, trial.games, won / trial.games, fair, 0.0, f"{trial.tries} tries")


def _share(own: Sequence[int], others: Sequence[int], states: int) -> float:
    """Return which share of the best scores is ours, in one round of these states."""
    everyone = [*own, *others]
    reached = [sum(0 if one == two else 1 if (two - one) % states % 2 else -1 for two in everyone) for one in everyone]
    best = max(reached)
    return sum(score == best for score in reached[: len(own)]) / sum(score == best for score in reached)


def equivocate(trial: Trial, kind: str) -> Measured:
    """A player sends one Commit to half of the others and another to the rest, and opens both.

    In draft mode each half finds its own winner. In strong mode real parties with real keys play it out, on a clock of their
    own: few games, because every message is signed.
    """
    terms, random = trial.terms(kind), trial.random("equivocate")
    names = [f"p{index}" for index in range(trial.parties - 1)]
    games = trial.games if terms.mode is Mode.DRAFT else min(trial.games, SIGNED_GAMES)
    split = convicted = 0
    for _ in range(games):
        if terms.mode is Mode.DRAFT:
            rest = [honest(terms, name, random) for name in names]
            split += len({_winner(terms, [*rest, honest(terms, "x0", random)]) for _ in range(2)}) > 1
        else:
            verdicts = _divide(terms, names, random)
            split += len({verdict.winner for verdict in verdicts}) > 1
            convicted += all(
                [(one.player, one.fault) for one in verdict.excluded] == [("x0", Fault.EQUIVOCATED)] for verdict in verdicts
            )
    return Measured("equivocate", kind, games, split / games, 0.0, convicted / games, "parties disagree on the winner")


def _divide(terms: Terms, names: Sequence[str], random: Random) -> list[Verdict]:
    """Let x0 be two parties with one key, each of which talks to one half of the others; return what these find."""
    secret = {name: Key(random.randbytes(32)) for name in (*names, "x0")}
    keys = tuple((name, key.public.hex()) for name, key in sorted(secret.items()))
    call = Call(terms, len(keys), 10.0, 10.0, 1.0, keys=keys)
    half = len(names) // 2
    twins = ((("x0", 0), names[:half]), (("x0", 1), names[half:]))
    audience = {twin: {(name, 0) for name in some} for twin, some in twins}

    def party(name: str) -> StrongParty:
        state = random.randrange(terms.least_state, terms.states)
        opening = Opening(random.randbytes(NONCE_OCTETS) + terms.binder(name), state)
        return StrongParty(call, dict(keys), name, opening, secret[name])

    parties = {**{(name, 0): party(name) for name in names}, **{twin: party("x0") for twin in audience}}
    everybody = set(parties)
    now = 0.0
    for one in parties.values():
        one.begin(now)
    while any(parties[name, 0].found is None for name in names):
        posted = [(who, item) for who, one in parties.items() for item in one.drain()]
        if not posted:
            now = min(moment for name in names if (moment := parties[name, 0].wake()) is not None)
        for who, item in posted:
            for to in audience.get(who, everybody - {who}):
                parties[to].receive(item, now)
        for one in parties.values():
            one.tick(now)
            one.announce(ANNOUNCED, now)
    return [verdict for name in names if (verdict := parties[name, 0].found) is not None]


ATTACKS: Final[dict[str, Callable[[Trial, str], Measured]]] = {
    "copy": copy,
    "abort": abort,
    "grind": grind,
    "pact": pact,
    "equivocate": equivocate,
}


def attacks(trial: Trial, chosen: Sequence[str] = tuple(ATTACKS)) -> Iterator[Measured]:
    """Measure attacks, each under every kind of terms."""
    for name in chosen:
        for kind in KINDS:
            yield ATTACKS[name](trial, kind)
