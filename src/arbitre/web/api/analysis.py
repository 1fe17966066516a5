"""Analyses for programs: ask for one, see how far it has come, take the signed document; and the puzzles."""

import asyncio
from json import loads
from typing import Annotated, Any, Literal

from litestar import get, post
from litestar.params import PathParameter
from msgspec import Struct

from arbitre.analysis.document import Document
from arbitre.site import analysing
from arbitre.site.analyses import Progress
from arbitre.site.arena.arena import NAME_LENGTH
from arbitre.site.daily import Daily
from arbitre.site.puzzles import today
from arbitre.site.tokens import Scope
from arbitre.web.api.common import open_to_all, repeatable
from arbitre.web.dependencies import OurHouse, ThisVisit

Name = Annotated[str, PathParameter(pattern=f"^[0-9a-f]{{{NAME_LENGTH}}}$", description="the name of a match")]

MOST_PUZZLES = 30
"""Puzzles that are listed."""


class PerformanceForm(Struct):
    """How one player did."""

    seat: int
    judged: int
    """Plies in which there was something to choose."""
    accuracy: float | None
    """From 0 to 100; null where there was nothing to choose."""
    inaccuracy: int
    mistake: int
    blunder: int


class AnalysisForm(Struct):
    """The analysis of a match that is over."""

    match: str
    state: Literal["none", "waiting", "working", "done", "failed"]
    before: int = 0
    """How many others are made first, while it waits."""
    players: list[PerformanceForm] | None = None
    moments: list[int] | None = None
    """The plies that decided it, from 1."""
    document: dict[str, Any] | None = None
    """The signed document: canonical JSON of it and an end of line are the file that `arbitre verify` checks."""


def _form(name: str, progress: Progress, document: Document | None) -> AnalysisForm:
    if document is None:
        return AnalysisForm(name, progress.stage.value, progress.before)
    analysis = document.analysis
    players = [
        PerformanceForm(
            int(one.seat), one.judged, None if one.accuracy is None else one.accuracy / 10, *(count for _, count in one.grades)
        )
        for one in analysis.performances(1 + max(analysis.seats, default=1))
    ]
    return AnalysisForm(name, "done", 0, players, [at + 1 for at in analysis.moments], loads(document.text()))


@get("/api/matches/{name:str}/analysis", **open_to_all(409))
async def get_analysis(house: OurHouse, visit: ThisVisit, name: Name) -> AnalysisForm:
    """Return the analysis of a match that is over, or how far it has come."""
    sitting, progress, document = await analysing.look(house, visit.caller, name)
    return _form(sitting.name, progress, document)


@post("/api/matches/{name:str}/analysis", status_code=202, **repeatable(Scope.PLAY, 403, 409))
async def ask_analysis(house: OurHouse, visit: ThisVisit, name: Name) -> AnalysisForm:
    """Ask for the analysis of a match of one's own, or of a competition; asked twice it is made once."""
    progress = await analysing.ask(house, visit.caller, name)
    return _form(name, progress, None)


class PuzzleForm(Struct):
    """A puzzle: a position in which one move alone reaches the goal."""

    day: str
    game: str
    match: str
    """The match that it is from."""
    position: str
    """In the game's notation."""
    mover: int
    solution: str | None
    """The only move that does; null until the day is over."""
    results: dict[str, int] | None
    """Null until the day is over; then what each legal move leads to by the rules: with best play 1 won, 0 drawn, -1 lost, for
    the mover; or 1 where it reaches the goal, 0 where not, and of fours only moves that make one."""
    goal: Literal["keep", "soon", "fours"]
    """Keep the result; win within so many moves; win within so many moves, each a threat to win at once."""
    within: int
    """How many moves of the mover, 0 where the goal is to keep the result."""


@get("/api/puzzles", **open_to_all())
async def list_puzzles(house: OurHouse) -> list[PuzzleForm]:
    """Return the puzzles of the last days, today's first; it has no solution yet."""
    now = today().isoformat()
    return [_puzzle(one, one.day < now) for one in await asyncio.to_thread(house.puzzles.shown, MOST_PUZZLES)]


def _puzzle(one: Daily, solved: bool) -> PuzzleForm:
    """Return a puzzle, with its solution where everybody may know it."""
    puzzle = one.puzzle
    move, results = (puzzle.move, dict(puzzle.results)) if solved else (None, None)
    return PuzzleForm(
        one.day, one.game, one.match, puzzle.position, puzzle.mover, move, results, puzzle.goal.value, puzzle.within
    )
