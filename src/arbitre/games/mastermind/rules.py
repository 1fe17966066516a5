"""MasterMind: each player hides a code and breaks the other's (spec: tournoyons, sections 3 and 4).

Both codes are chosen at once, in turn 1, and stay secret. Then the players guess in turn, the first in turns 3, 5, 7 …, the
second in turns 4, 6, 8 …; whoever begins has no advantage, because both guess equally often. Guesses and their marks are
announced to everybody; codes are opened at the end.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from operator import eq
from random import Random
from typing import NewType, TypeAlias

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, other, won
from arbitre.reasons import Reason, declare
from arbitre.values import option, value

Code = NewType("Code", str)
"""Pegs from left to right, one letter for the colour of each; a secret to keep and a guess at one are both codes."""

COLOURS = "ABCDEFGHIJ"

BOTH = frozenset({FIRST, SECOND})


@value
class Line:
    """A guess and what is announced of it: how many pegs are well placed, and how many more would be elsewhere."""

    guess: Code
    placed: int
    misplaced: int


Boards: TypeAlias = tuple[tuple[Line, ...], tuple[Line, ...]]
"""The lines that the first player guessed, and those that the second did."""


REASONS = declare(
    {
        "both-broken": ("both codes are broken in line %(line)s", "les deux codes sont trouvés à la ligne %(line)s"),
        "broken": ("the code is broken in line %(line)s", "le code est trouvé à la ligne %(line)s"),
        "unbroken": ("neither code is broken in %(lines)s lines", "aucun code n’est trouvé en %(lines)s lignes"),
        "peg-count": ("a code has %(pegs)s pegs, not %(given)s", "un code a %(pegs)s pions, et non %(given)s"),
        "no-colour": ("%(colour)r is none of the colours %(palette)s", "%(colour)r n’est aucune des couleurs %(palette)s"),
        "no-code": ("a code is %(pegs)s letters out of %(palette)s", "un code est fait de %(pegs)s lettres parmi %(palette)s"),
    }
)


@value
class Table:
    """The whole truth: both codes, once they are chosen, and both boards."""

    codes: tuple[Code, Code] | None = None
    boards: Boards = ((), ())

    @property
    def turn(self) -> int:
        """The number of the turn to come: 1 for the codes, then 3 and on for the guesses."""
        return 1 if self.codes is None else 3 + len(self.boards[0]) + len(self.boards[1])


@value
class Sight:
    """What a player or a spectator knows before the end: his own code, if he has one, and both boards."""

    turn: int
    seat: Seat | None
    """Who looks; None for a spectator."""
    code: Code | None
    boards: Boards


View: TypeAlias = Table | Sight
"""The referee, and everybody after the end, sees the table; before that the others have a sight of it."""


def marked(code: Code, guess: Code) -> Line:
    """Mark `guess` against `code`: each peg of either counts once, well placed ones first."""
    placed = sum(map(eq, code, guess))
    common = sum(min(code.count(colour), guess.count(colour)) for colour in set(guess))
    return Line(guess, placed, common - placed)


@value
class MasterMind(Game[Table, Code, View]):
    """Each breaks the other's code of coloured pegs."""

    name = "mastermind"
    hides = True

    colours: int = option(default=8, line="number of colours", least=2, most=10)
    pegs: int = option(default=4, line="length of a code", least=2, most=6)
    lines: int = option(default=8, line="guesses for each player", least=1, most=12)

    @property
    def palette(self) -> str:
        """The letters of the colours."""
        return COLOURS[: self.colours]

    def start(self) -> Table:
        """Return the table without codes."""
        return Table()

    def phase(self, state: Table) -> Phase:
        """Ask both for a code, then each in turn for a guess, until a full line has a finder or is the last."""
        if state.codes is None:
            return Awaits(BOTH, 1)
        turn = state.turn
        return self.end(state.boards) or Awaits(ALONE[(turn - 1) % 2], turn)

    def end(self, boards: Boards) -> Outcome | None:
        """Tell how the game ended, if it did: only when both have guessed equally often."""
        one, two = boards
        if not one or len(one) != len(two):
            return None
        broken = (one[-1].placed == self.pegs, two[-1].placed == self.pegs)
        if all(broken):
            return drawn("both-broken", line=len(one))
        if any(broken):
            return won(FIRST if broken[0] else SECOND, "broken", line=len(one))
        return drawn("unbroken", lines=self.lines) if len(one) == self.lines else None

    def view(self, state: Table, eye: Eye) -> View:
        """Show all to the referee and after the end; before it, no code but one's own."""
        if eye == "referee" or isinstance(self.phase(state), Outcome):
            return state
        if eye == "spectator":
            return Sight(state.turn, None, None, state.boards)
        return Sight(state.turn, eye, None if state.codes is None else state.codes[eye], state.boards)

    def barred(self, view: View) -> Reason | None:
        """Tell why the one who looks may not move now, if he may not."""
        if isinstance(view, Table):
            return Reason("game-over" if isinstance(self.phase(view), Outcome) else "only-players")
        if view.seat is None:
            return Reason("only-players")
        return Reason("not-your-turn") if view.turn > 1 and (view.turn - 1) % 2 != view.seat else None

    def legal(self, view: View) -> Iterator[Code]:
        """List all codes in alphabetical order: any may be hidden, and any may be guessed."""
        if self.barred(view):
            return iter(())
        return (Code("".join(pegs)) for pegs in product(self.palette, repeat=self.pegs))

    def check(self, view: View, move: Code) -> None:
        """Refuse what is no code of these pegs and colours."""
        why = self.barred(view)
        if why:
            raise IllegalMoveError(move, why)
        if len(move) != self.pegs:
            raise IllegalMoveError(move, "peg-count", pegs=self.pegs, given=len(move))
        for colour in move:
            if colour not in self.palette:
                raise IllegalMoveError(move, "no-colour", colour=colour, palette=self.palette)

    def sample(self, view: View, random: Random) -> Code:  # noqa: ARG002 - every code is open to everybody
        """Choose any code."""
        return Code("".join(random.choices(self.palette, k=self.pegs)))

    def play(self, state: Table, moves: Mapping[Seat, Code]) -> Table:
        """Keep both codes, or mark the guess and write it on the guesser's board."""
        if state.codes is None:
            return Table((moves[FIRST], moves[SECOND]))
        one, two = state.boards
        seat = FIRST if len(one) == len(two) else SECOND
        line = marked(state.codes[other(seat)], moves[seat])
        return Table(state.codes, ((*one, line), two) if seat == FIRST else (one, (*two, line)))

    def secret(self, state: Table, seat: Seat) -> bool:  # noqa: ARG002 - both choose at once
        """Tell that the codes are secret; guesses are not."""
        return state.codes is None
