"""The contract that every game signs.

A game is a frozen value whose fields are its options. It turns one immutable *state* (the whole truth) into the next, and
shows each *eye* only what that eye may know. Three promises hold for every game, and one test suite holds every game to them:

* **Pure.** `play` and `draw` are functions: the same arguments give the same state, and no state ever changes. A referee, a
  replay and a verifier ten years later therefore agree.
* **One gate for secrets.** Nothing about a state leaves except through `view`. `legal`, `check` and `sample` work from a view,
  so they cannot leak what the view does not hold.
* **Chance is owed, never taken.** A game has no dice. Where nature must decide, its phase is `Chance(below)` and the referee
  supplies one integer, from a committed seed, through `draw`.

What happens next is told by `phase`, which is one of three values:

=============  ===========================================================  ===================
`Awaits`       one seat (turn by turn) or several (all at once) must move   answered by `play`
`Chance`       nature owes one uniform integer                              answered by `draw`
`Outcome`      the game is over; the rules say who scored what              nothing follows
=============  ===========================================================  ===================
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from random import Random
from typing import Any, ClassVar, Generic, Literal, NewType, TypeAlias, TypeVar

from arbitre.errors import IllegalMoveError, OptionError
from arbitre.reasons import N_, Reason, declare
from arbitre.values import value

T = TypeVar("T")
S = TypeVar("S")
M = TypeVar("M")
V = TypeVar("V")


declare(
    {
        "not-legal": ("it is not among the legal moves", "ce n’est pas parmi les coups permis"),
        "game-over": ("the game is over", "la partie est finie"),
        "occupied": ("%(cell)s is taken", "la case %(cell)s est prise"),
        "no-cell": ("cells run from %(first)s to %(last)s", "les cases vont de %(first)s à %(last)s"),
        "no-cell-text": (
            "a move is a cell from %(first)s to %(last)s, column and row",
            "un coup est une case de %(first)s à %(last)s, colonne et ligne",
        ),
        "board-full": ("the board is full", "le plateau est plein"),
        "plies-played": ("%(plies)s plies were played", "%(plies)s demi-coups ont été joués"),
        "not-your-turn": ("it is the other player's turn", "c’est à l’autre joueur de jouer"),
        "only-players": ("only a player moves", "seul un joueur joue"),
        "ambiguous": ("it fits several moves: %(fits)s", "cela convient à plusieurs coups : %(fits)s"),
        "five-in-a-row": ("five in a row", "cinq d’affilée"),
    }
)
# what several games say; each declares its own beside its rules


Seat = NewType("Seat", int)
"""A chair at the table, counted from 0. A seat is not a player, and a player is not a user."""

Eye: TypeAlias = Seat | Literal["spectator", "referee"]
"""Who looks: a seat sees what its player may know, a spectator what everybody may, the referee everything."""

FIRST = Seat(0)
SECOND = Seat(1)


def other(seat: Seat) -> Seat:
    """Return the opposite chair of a two-seat table."""
    return SECOND if seat == FIRST else FIRST


@value
class Awaits:
    """The game waits for a move of each of `seats`."""

    seats: frozenset[Seat]
    turn: int
    """Counts from 1. Unchanged from one phase to the next: a refused try is repeated, on the same clock."""
    silence: Literal["forfeits", "is heard"] = "forfeits"
    """What a seat that says nothing in time does: lose the match, or let the game go on without its move."""


@value
class Chance:
    """Nature owes one uniform integer, 0 <= value < `below`."""

    below: int
    hidden: bool = False
    """Whether the value itself is kept from spectators until the end (a card index tells about the cards before it)."""


@value
class Outcome:
    """The rules' last word: a score for each seat, 0 for a loss to 1 for a win, and why."""

    scores: tuple[Fraction, ...]
    reason: Reason
    tally: tuple[int, ...] = ()
    """What the game itself counts (discs, chips, points), one per seat, where it counts anything."""
    cause: Literal["rules", "refused"] = "rules"
    """`refused`: the external referee of the game refused a move, which ends it."""


Phase: TypeAlias = Awaits | Chance | Outcome

ALONE: tuple[frozenset[Seat], frozenset[Seat]] = (frozenset({FIRST}), frozenset({SECOND}))
"""The two sets of one seat, made once: most phases need one of them."""

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction(0)


def won(seat: Seat, code: str, tally: tuple[int, ...] = (), /, **fields: str | int) -> Outcome:
    """Return the outcome of a two-seat game that `seat` won: a code with its fields, which may be told of the winner."""
    return Outcome((WIN, LOSS) if seat == FIRST else (LOSS, WIN), Reason(code, seat=int(seat), **fields), tally)


def drawn(code: str, tally: tuple[int, ...] = (), /, **fields: str | int) -> Outcome:
    """Return the outcome of a drawn two-seat game: a code with its fields."""
    return Outcome((DRAW, DRAW), Reason(code, **fields), tally)


class Game(ABC, Generic[S, M, V]):
    """The rules of one game with its options: S is the whole truth, M one move, V what one eye may know."""

    __slots__ = ()

    name: ClassVar[str]
    """The identifier, lower case, the same in code, commands, records and addresses."""
    hides: ClassVar[bool] = False
    """Whether some eye sees less than the whole truth."""
    neutral: ClassVar[frozenset[Seat]] = frozenset()
    """Seats that take no side: an external referee whose answer is a move."""

    def __post_init__(self) -> None:
        """Refuse numbers that an option does not allow; a game with more to refuse calls this and `require_option`."""
        for one in fields(self):  # type: ignore[arg-type] # every game is a value
            given, least, most = getattr(self, one.name), one.metadata.get("least"), one.metadata.get("most")
            if most is None:
                ok, why = least is None or given >= least, N_("%(name)s: %(option)s is %(least)s or more, not %(given)s")
            else:
                least = 0 if least is None else least
                ok, why = least <= given <= most, N_("%(name)s: %(option)s is from %(least)s to %(most)s, not %(given)s")
            require_option(ok, why, name=self.name, option=one.name, least=least, most=most, given=given)

    offers: ClassVar[bool] = True
    """Whether players may agree on a draw, beside the rules."""
    tries: ClassVar[bool] = False
    """Whether a refusal is part of the game: the umpire says no, and the seat tries something else."""

    @property
    def seats(self) -> int:
        """How many chairs stand at the table."""
        return 2

    @property
    def label(self) -> str:
        """What engines, interfaces and rankings say they are for: the name, unless several games share it."""
        return self.name

    @property
    def called(self) -> str:
        """What this game is called where several share a name; else the name."""
        return self.name

    @property
    def court(self) -> tuple[str, str]:
        """What records call a referee on a neutral seat, and who he is there."""
        return f"referee of {self.called}", f"referee:{self.called}"

    @abstractmethod
    def start(self) -> S:
        """Return the state before the first move."""

    @abstractmethod
    def phase(self, state: S) -> Phase:
        """Tell what happens next."""

    @abstractmethod
    def view(self, state: S, eye: Eye) -> V:
        """Show what `eye` may know of `state`: the only gate for secrets."""

    @abstractmethod
    def legal(self, view: V) -> Iterator[M]:
        """List the moves open to the seat that looks, lazily, each once, in a stable order.

        Where nothing is secret the view is the same for all, and the moves are those of the seat to move. Raise
        `OpenSetError` where the moves are too many to list.
        """

    def check(self, view: V, move: M) -> None:
        """Raise `IllegalMoveError`, saying why, unless `move` may be submitted by the seat that looks."""
        if move not in self.legal(view):
            raise IllegalMoveError(move, "not-legal")

    def sample(self, view: V, random: Random) -> M:
        """Choose some legal move at random, of every kind of move with some probability."""
        return random.choice(list(self.legal(view)))

    @abstractmethod
    def play(self, state: S, moves: Mapping[Seat, M]) -> S:
        """Return the truth after the checked `moves` of the awaited seats, a silent seat left out where it may be."""

    @property
    def chancy(self) -> bool:
        """Whether nature may have a say: then players promise nonces."""
        return type(self).draw is not Game.draw

    def draw(self, state: S, drawn: int) -> S:  # noqa: ARG002 - games with chance override it
        """Return the truth after nature answered `drawn`."""
        raise AssertionError(f"{self.name} has no chance")

    def secret(self, state: S, seat: Seat) -> bool:  # noqa: ARG002 - most games keep no secrets
        """Tell whether what `seat` says now stays hidden from the others until the end."""
        return False

    def refuse(self, state: S, seat: Seat) -> S:  # noqa: ARG002 - most games forget a refused move
        """Return the truth after a move of `seat` was refused: the same, unless the game announces refusals."""
        return state


AnyGame: TypeAlias = Game[Any, Any, Any]


@value
class Step(Generic[S, M]):
    """One transition of a game: either `moves` were played or nature drew `drawn`."""

    before: S
    moves: Mapping[Seat, M]
    drawn: int | None
    after: S


def playout(game: Game[S, M, V], random: Random, state: S | None = None) -> Iterator[Step[S, M]]:
    """Play `game` to its end with sampled moves and draws, from `state` or from the start."""
    now = game.start() if state is None else state
    while True:
        phase = game.phase(now)
        if isinstance(phase, Outcome):
            return
        if isinstance(phase, Chance):
            drawn = random.randrange(phase.below)
            step: Step[S, M] = Step(now, {}, drawn, game.draw(now, drawn))
        else:
            moves = {seat: game.sample(game.view(now, seat), random) for seat in sorted(phase.seats)}
            step = Step(now, moves, None, game.play(now, moves))
        yield step
        now = step.after


def require(ok: bool, move: object, code: str, /, **fields: object) -> None:
    """Raise `IllegalMoveError` with the reason unless `ok`: games state their rules as a list of these."""
    if not ok:
        raise IllegalMoveError(move, code, **fields)


def require_option(ok: bool, why: str, /, **fields: object) -> None:
    """Raise `OptionError` with the reason unless `ok`: a game that is not to be played with such options says so."""
    if not ok:
        raise OptionError(why, **fields)


def first(items: Iterable[T]) -> T | None:
    """Return the first of `items`, or None."""
    return next(iter(items), None)
