"""Matches of a house engine with somebody else's, at equal processor time, one game at a time.

The load of the machine decides nothing: ours is given as much processor time a move as the other has taken so far, which is
measured, whatever the other was told. What the other does while ours thinks is on its own account.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from fractions import Fraction
from random import Random
from time import clock_gettime, process_time
from typing import Any

from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.errors import HouseError
from arbitre.games.engine import MARGIN, SHARE, Budget, Engine
from arbitre.games.game import FIRST, SECOND, AnyGame, Outcome, Seat
from arbitre.games.levels import Make
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.players import Contestant
from arbitre.players.adapter import Adapter
from arbitre.referee.clock import Clock
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.transport.group import family
from arbitre.values import value

AMPLE = 10**9
"""Milliseconds that the clock of ours shows at each move: the budget beside it is what counts."""
LEAST, MOST = 0.25, 3.0
"""What ours is given for a move, of what the other takes for one on average."""
KEY = Key(bytes(32))
PROCESS = 2
"""On Linux the clock of a process and all its threads is `~number << 3 | PROCESS`: exact, where /proc counts hundredths."""

PLIES = {"reversi": 8, "draughts": 6, "bigtictactoe": 2}
"""Random plies of an opening."""
CENTRE = sum(1 << 10 * row + column for row in range(2, 8) for column in range(2, 8))
FIRST_STONE = {"pente": "JJ"}
"""Where the first stone lies, as it must elsewhere: books of openings count on it."""
FAIR: Mapping[str, Callable[[Any], bool]] = {
    "draughts": lambda board: board.white.bit_count() == board.black.bit_count() and not board.moves[0].captured,
    "bigtictactoe": lambda board: not (board.first | board.second) & ~CENTRE,
}
"""What must hold of an opening besides."""


@value
class Spent:
    """Processor seconds, and moves that took them."""

    seconds: float = 0.0
    moves: int = 0

    def __add__(self, more: "Spent") -> "Spent":
        """Return both together."""
        return Spent(self.seconds + more.seconds, self.moves + more.moves)

    @property
    def each(self) -> float:
        """Seconds a move."""
        return self.seconds / max(1, self.moves)


@value
class Played:
    """A game: the number of its opening, where ours sat, its points, how the game went, and what both sides took."""

    opening: int
    seat: Seat
    points: Fraction
    moves: tuple[str, ...]
    ours: Spent
    theirs: Spent


Told = tuple[Fraction, tuple[str, ...], Spent, Spent]
"""The end of `Played`."""
Brings = Callable[[], AbstractContextManager[tuple[Contestant, int | None]]]
"""Brings the other side for one game, with its process where it is none of the contestant's own."""


class Meter:
    """The processor time of a program and of all that it had started when it sat down."""

    def __init__(self, first: int) -> None:
        self._spent = {task.pid: 0.0 for task in family(first)}
        self._begun = self._total()

    def seconds(self) -> float:
        """Return what they took since they sat down."""
        return self._total() - self._begun

    def _total(self) -> float:
        for number in self._spent:
            with suppress(OSError):  # it has ended: what was seen last counts
                self._spent[number] = clock_gettime(~number << 3 | PROCESS)
        return sum(self._spent.values())


def opening(table: AnyGame, random: Random) -> Any:
    """Return a state after random plies, in which nobody is ahead by chance."""
    while True:
        state = table.start()
        for _ in range(PLIES.get(table.name, 0)):
            state = table.play(state, {state.mover: random.choice(list(table.legal(state)))})
        if FAIR.get(table.name, bool)(state):
            return state


class Match:
    """Games of one house engine with one other player: each opening with both colours."""

    def __init__(self, table: AnyGame, make: Make, brings: Brings, seconds: float) -> None:
        self.table = table
        self.name = ""
        """What the other calls itself."""
        self._make = make
        self._brings = brings
        self._expected = Spent(seconds, 1)
        """What the other takes, before it is seen."""
        self._theirs = Spent()

    def pair(self, number: int) -> Iterator[Played]:
        """Play one opening with both colours; `PlayerError` or `MoveError` where the other fails."""
        for seat in (FIRST, SECOND):
            with self._brings() as (contestant, process):
                random = Random(f"{self.table.name}/{number}")
                state = self.table.start() if contestant.from_start else opening(self.table, random)
                bot = self._make(Random(f"{self.table.name}/{number}/{seat}"))
                if not isinstance(bot, Engine):
                    raise HouseError("the house plays %(game)s without an engine", game=self.table.name)
                rival = contestant.player(b"")
                if not isinstance(rival, Adapter):
                    raise HouseError("%(text)r speaks no language of engines", text=contestant.text)
                points, moves, ours, theirs = asyncio.run(self._game(state, bot, seat, rival, process))
                yield Played(number, seat, points, moves, ours, theirs)

    async def _game(self, state: Any, bot: "Engine[Any]", seat: Seat, rival: Adapter, process: int | None) -> Told:
        table, text = self.table, notation_of(self.table)
        start = "" if state == table.start() else text.write_state(state)
        chairs = (Chair("first"), Chair("second"))
        called = Opening("bench", table, chairs, commitment(bytes(32)), Terms(Clock(), 0), start, referee=KEY.public.hex())
        ours, moves, asked = Spent(), list[str](), 0
        other = Seat(1 - seat)
        try:
            await rival.greet(called, other)
            await rival.sit(called, other)
            self.name = rival.name or self.name
            number = process or rival.pid
            if number is None:
                raise HouseError("the processor time of somebody who is not started here cannot be measured")
            meter = Meter(number)
            while not isinstance(phase := table.phase(state), Outcome):
                mover = state.mover
                view = table.view(state, mover)
                position = Position(table, text, mover, getattr(phase, "turn", 0), view)
                if mover == seat and not moves and table.name in FIRST_STONE:
                    said = FIRST_STONE[table.name]
                elif mover == seat:
                    said, spent = self._think(bot, position, ours, Spent(meter.seconds(), asked))
                    ours += Spent(spent, 1)
                else:
                    await rival.ready()
                    answer = await rival.ask(position)
                    said, asked = answer.text, asked + 1
                    if answer.resigns:
                        break
                move = text.read(said, view)
                table.check(view, move)
                state = table.play(state, {mover: move})
                moves.append(said)
            theirs = Spent(meter.seconds(), asked)
        finally:
            await rival.leave()
        self._theirs += theirs
        points = Fraction(phase.scores[seat]) if isinstance(phase, Outcome) else Fraction(1)
        return points, tuple(moves), ours, theirs

    def _think(self, bot: "Engine[Any]", position: Position, ours: Spent, theirs: Spent) -> tuple[str, float]:
        """Let ours move, so that after this move it has taken as much a move as the other; return what it took."""
        seen = self._theirs + theirs
        each = (seen if seen.moves else self._expected).each
        seconds = min(max(each * (ours.moves + 1) - ours.seconds, LEAST * each), MOST * each)
        begun = process_time()
        budget = Budget(round(1000 * (seconds + MARGIN) / SHARE), process_time)
        said = position.notation.write(bot.choose(position._replace(left=AMPLE), budget))
        return said, process_time() - begun
