"""Puzzles with their days: rows of the database, so every node shows the same, and a day's puzzle never changes."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from json import dumps, loads
from typing import Any

from sqlalchemy import delete, func, insert, select

from arbitre.errors import UnknownError
from arbitre.games.analysis import Goal, Puzzle
from arbitre.records.tables import PUZZLES
from arbitre.site.database import Database
from arbitre.values import value

MOST_KEPT = 2_000


@value
class Daily:
    """The puzzle of a day."""

    day: str
    game: str
    match: str
    """The match that it is from."""
    puzzle: Puzzle


class DailyPuzzles:
    """All puzzles that have a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, game: str, match: str, puzzle: Puzzle, today: date, ahead: int) -> bool:
        """Give a puzzle the next day that has none; tell whether it got one.

        None is given where its position was there before, where all days up to so many ahead have one, or where it is another
        game's turn: no game has two of the days that come while there is a choice.
        """
        with self._database.writing() as connection:
            rows = connection.execute(select(PUZZLES.c.day, PUZZLES.c.game).where(PUZZLES.c.day >= today.isoformat())).all()
            known = connection.execute(select(PUZZLES.c.day).where(PUZZLES.c.position == puzzle.position)).first()
            day = _free(today, ahead, game, {row.day: row.game for row in rows})
            if known is not None or day is None:
                return False
            made = {"day": day, "game": game, "match": match, "position": puzzle.position}
            connection.execute(insert(PUZZLES).values(**made, puzzle=dumps(asdict(puzzle))))
            old = connection.execute(select(PUZZLES.c.day).order_by(PUZZLES.c.day.desc()).offset(MOST_KEPT).limit(1)).scalar()
            if old is not None:
                connection.execute(delete(PUZZLES).where(PUZZLES.c.day <= old))
            return True

    def wants(self, game: str, today: date, ahead: int) -> bool:
        """Tell whether a puzzle of a game would get a day."""
        with self._database.reading() as connection:
            rows = connection.execute(select(PUZZLES.c.day, PUZZLES.c.game).where(PUZZLES.c.day >= today.isoformat())).all()
        return _free(today, ahead, game, {row.day: row.game for row in rows}) is not None

    def shown(self, until: date, most: int, game: str = "") -> list[Daily]:
        """Return the puzzles up to a day, the newest first; with a game, its own."""
        which = [PUZZLES.c.day <= until.isoformat(), *([PUZZLES.c.game == game] if game else [])]
        with self._database.reading() as connection:
            return [_daily(row) for row in connection.execute(select(*MINE).where(*which).order_by(MINE[0].desc()).limit(most))]

    def find(self, day: str, today: date) -> Daily:
        """Return the puzzle of a day that has come; `UnknownError`."""
        with self._database.reading() as connection:
            found = connection.execute(select(*MINE).where(PUZZLES.c.day == day)).first()
        if found is None or found.day > today.isoformat():
            raise UnknownError("there is no puzzle of this day")
        return _daily(found)

    def games(self, until: date) -> dict[str, int]:
        """Return the games that have puzzles up to a day, and how many."""
        counted = select(PUZZLES.c.game, func.count()).where(PUZZLES.c.day <= until.isoformat()).group_by(PUZZLES.c.game)
        with self._database.reading() as connection:
            return {str(row[0]): int(row[1]) for row in connection.execute(counted.order_by(PUZZLES.c.game))}


MINE = [PUZZLES.c[name] for name in ("day", "game", "match", "puzzle")]


def _free(today: date, ahead: int, game: str, given: dict[str, str]) -> str | None:
    """Return the day that a puzzle of a game gets: the first that has none, unless its neighbours are of the same game.

    Where a game alone is played every day is its own: today's goes to whoever comes first, the others keep a day between two of
    one game for others, and take it when nothing else came until the day before.
    """
    days = [(today + timedelta(days=at)).isoformat() for at in range(ahead + 1)]
    for at, day in enumerate(days):
        near = {given.get(days[at - 1]) if at else None, given.get(days[at + 1]) if at < ahead else None}
        if day not in given and (at <= 1 or game not in near):
            return day
    return None


def read_puzzle(said: dict[str, Any]) -> Puzzle:
    """Read a puzzle as `asdict` makes it; `UnknownError`."""
    match said:
        case {
            "position": str(position),
            "mover": int(mover),
            "move": str(move),
            "results": list(results),
            "goal": str(goal),
            "within": int(within),
        } if goal in {one.value for one in Goal}:
            listed = tuple((str(text), int(result)) for text, result in results)
            return Puzzle(position, mover, move, listed, Goal(goal), within)
        case _:
            raise UnknownError("no puzzle is written like this")


def _daily(row: Sequence[Any]) -> Daily:
    day, game, match, puzzle = row
    return Daily(day, game, match, read_puzzle(loads(puzzle)))
