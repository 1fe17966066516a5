"""The league's table and its games for other programs: what follows from the confirmed games and nothing else.

A win is a point, a draw half of one. Ratings are the running ones of `arbitre.tournament.rating`, in the order of confirmation;
beside them stands the likeliest strength of `arbitre.tournament.strength`, which has an error. A game against oneself is listed,
and counts for nothing.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from arbitre.games.draughts.pdn import PdnGame, PdnLine, PdnPly, write_games
from arbitre.games.game import DRAW, LOSS, WIN
from arbitre.league.ledger import Confirmed, Roster, confirmed_rows, read_confirmed
from arbitre.league.report import Identity
from arbitre.reasons import N_, Reason, Said
from arbitre.records.store import Store
from arbitre.tournament.ledger import Entry
from arbitre.tournament.rating import Ladder, Standing
from arbitre.tournament.schedule import Contestant, Fixture, Result
from arbitre.tournament.strength import Rating, strengths
from arbitre.values import value

MOST_MEASURED = 150
"""Of a larger league no strengths are found: that takes the cube of the number of players."""

RESULTS = {(WIN, LOSS): "2-0", (DRAW, DRAW): "1-1", (LOSS, WIN): "0-2"}


@value
class Line:
    """One player's line of the table."""

    name: Identity
    won: int
    drawn: int
    lost: int
    alone: int
    """Games against oneself."""
    standing: Standing
    strength: Rating | None = None
    """The likeliest strength with its error; None where nothing is rated, or the league is very large."""

    @property
    def points(self) -> Fraction:
        """A point a win, half of one a draw."""
        return self.won + Fraction(self.drawn, 2)

    @property
    def games(self) -> int:
        """Games against others."""
        return self.won + self.drawn + self.lost

    def fields(self) -> dict[str, Any]:
        """Return the line for JSON."""
        return {
            "name": self.name,
            "points": float(self.points),
            "games": self.games,
            "won": self.won,
            "drawn": self.drawn,
            "lost": self.lost,
            "self": self.alone,
            "rating": round(self.standing.rating, 1),
            "strength": None if self.strength is None else round(self.strength.elo, 1),
            "error": None if self.strength is None else round(self.strength.error, 1),
        }


def table(games: Iterable[Confirmed]) -> tuple[Line, ...]:
    """Return the lines of the table, the best first: by points, then rating, then name."""
    indices: dict[Identity, Contestant] = {}
    marks: dict[Identity, list[int]] = {}
    ladder = Ladder({})
    entries = []
    for number, game in enumerate(games, start=1):
        pair, scores = game.pair, game.report.game.scores
        for name in (pair.white, pair.black):
            indices.setdefault(name, Contestant(len(indices)))
            marks.setdefault(name, [0, 0, 0, 0])
        if pair.white == pair.black:
            marks[pair.white][3] += 1
            ladder = ladder.hear(number, None)
            continue
        for name, score in zip((pair.white, pair.black), scores, strict=True):
            marks[name][(WIN, DRAW, LOSS).index(score)] += 1
        fixture = Fixture(number, 1, 1, 1, (indices[pair.white], indices[pair.black]), 0)
        entries.append(Entry(fixture, Result(number, scores)))
        ladder = ladder.hear(number, entries[-1])
    measured = _measured(len(indices), entries)
    lines = [
        Line(name, won, drawn, lost, alone, ladder.of(indices[name]), measured.get(indices[name]))
        for name, (won, drawn, lost, alone) in marks.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.points, -line.standing.rating, line.name)))


def _measured(players: int, entries: Sequence[Entry]) -> Mapping[Contestant, Rating]:
    """Return the strength of everybody who has a rated game."""
    if not entries or players > MOST_MEASURED:
        return {}
    return {one.contestant: one for one in strengths(players, entries).ratings if one.games}


class League:
    """The confirmed games of a store and their table, kept between two looks: only what is new is read."""

    def __init__(self, store: Store, roster: Roster | None = None) -> None:
        self.store = store
        self.roster = roster or Roster()
        """What the players are called."""
        self.games: list[Confirmed] = []
        self.table: tuple[Line, ...] = ()
        self._texts: list[str] = []
        """The PDN of each game, as far as somebody asked for it."""
        self._reading = asyncio.Lock()

    async def look(self) -> None:
        """Take in what was confirmed since; a long league is replayed beside the loop, which goes on meanwhile."""
        async with self._reading:
            rows = confirmed_rows(self.store, self.games[-1].number if self.games else 0)
            if rows:
                fresh = await asyncio.to_thread(lambda: [read_confirmed(row, self.store, self.roster) for row in rows])
                games = [*self.games, *fresh]
                self.table = await asyncio.to_thread(table, games)
                self.games = games

    async def pdn(self) -> str:
        """Return all games as one PDN text; each is written once, beside the loop."""
        await self.look()
        async with self._reading:
            fresh = self.games[len(self._texts) :]
            if fresh:
                self._texts += await asyncio.to_thread(lambda: [pdn([game]) for game in fresh])
            return "\n".join(self._texts)

    def game(self, number: int) -> Confirmed | None:
        """Return the game of a number."""
        return next((game for game in self.games if game.number == number), None)

    def line(self, name: str) -> tuple[int, Line] | None:
        """Return a player's place and line."""
        return next(((place, line) for place, line in enumerate(self.table, start=1) if line.name == name), None)

    def games_of(self, name: str) -> list[Confirmed]:
        """Return the games of a player, the newest first."""
        return [game for game in reversed(self.games) if name in (game.pair.white, game.pair.black)]


HEADS = (N_("points"), N_("games"), N_("won"), N_("drawn"), N_("lost"), N_("rating"))
"""What the columns of the table are called, behind the player."""


def heads_text(said: Said = str) -> tuple[str, tuple[int, ...]]:
    """Return the first line of a table for people, and how wide its columns of numbers are."""
    heads = [said(Reason(one)) for one in HEADS]
    widths = tuple(max(len(one), least) for one, least in zip(heads, (6, 5, 4, 5, 4, 6), strict=True))
    named = " ".join(f"{one:>{width}}" for one, width in zip(heads, widths, strict=True))
    return f"{'':>3}  {said(Reason('player')):<40} {named}", widths


def row_text(place: int, name: str, numbers: Sequence[str], widths: Sequence[int]) -> str:
    """Return one line of a table for people."""
    return f"{place:>3}  {name:<40} " + " ".join(f"{one:>{width}}" for one, width in zip(numbers, widths, strict=True))


def table_text(lines: Iterable[Line], said: Said = str) -> Iterator[str]:
    """Return the table for people."""
    head, widths = heads_text(said)
    yield head
    for place, line in enumerate(lines, start=1):
        points, rating = f"{float(line.points):g}", f"{line.standing.rating:.0f}"
        counts = map(str, (line.games, line.won, line.drawn, line.lost))
        yield row_text(place, line.name, (points, *counts, rating), widths)


def pdn(games: Iterable[Confirmed]) -> str:
    """Return confirmed games as one PDN text."""
    return write_games(_pdn_game(game) for game in games)


def _pdn_game(game: Confirmed) -> PdnGame:
    headers = (
        ("Event", "draughts league"),
        ("Date", game.day.replace("-", ".")),
        ("Round", str(game.number)),
        ("White", game.pair.white),
        ("Black", game.pair.black),
    )
    plies = tuple(PdnPly(move) for move in game.report.game.moves)
    return PdnGame(headers, line=PdnLine(plies), result=RESULTS[game.report.game.scores])
