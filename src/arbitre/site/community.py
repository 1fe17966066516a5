"""The whole community of one place, opened at once: `Community(folder).accounts.create(…)`."""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from arbitre.records.place import Place
from arbitre.site.accounts import Accounts
from arbitre.site.added import AddedGames
from arbitre.site.analyses import Analyses
from arbitre.site.arena.matches import ArenaMatches, Traces
from arbitre.site.challenges import Challenges
from arbitre.site.classes import Classes
from arbitre.site.competitions.arrivals import Arrivals
from arbitre.site.competitions.competitions import Competitions
from arbitre.site.competitions.entries import Entries
from arbitre.site.daily import DailyPuzzles
from arbitre.site.database import Allowances, Database, clock
from arbitre.site.engines import Engines
from arbitre.site.erasure import Erasure
from arbitre.site.file_games import FileGames
from arbitre.site.interfaces import Interfaces
from arbitre.site.invitations import Invitations
from arbitre.site.kept_sources import KeptSources
from arbitre.site.limits import USUAL
from arbitre.site.photos import Photos
from arbitre.site.sessions import Sessions
from arbitre.site.tokens import Tokens
from arbitre.transport.limits import Limits


class Community:
    """Everything of this room; each method may be called from any thread, and is done when it returns."""

    def __init__(self, place: Place | Path, settings: Allowances | None = None, now: Callable[[], int] = clock) -> None:
        self.database = Database(place, settings, now)
        self.settings = self.database.settings
        self.sessions = Sessions(self.database)
        self.tokens = Tokens(self.database)
        self.accounts = Accounts(self.database, self.sessions, self.tokens)
        self.entries = Entries(self.database)
        self.arrivals = Arrivals(self.database)
        self.competitions = Competitions(self.database, self.entries, self.arrivals)
        self.classes = Classes(self.database, self.competitions)
        self.engines = Engines(self.database, self.entries)
        self.sources = KeptSources(self.database)
        self.interfaces = Interfaces(self.database)
        self.added = AddedGames(self.database, (self.engines.plays, self.interfaces.plays, self.competitions.plays))
        self.invitations = Invitations(self.database)
        self.photos = Photos(self.database)
        self.file_games = FileGames(self.database)
        self.challenges = Challenges(self.database)
        self.analyses = Analyses(self.database)
        self.daily = DailyPuzzles(self.database)
        compete = (self.entries.erase, self.arrivals.erase, self.competitions.erase, self.challenges.erase)
        records = (ArenaMatches.erase, Traces.erase)
        programs = (self.sources.erase, self.engines.erase, self.interfaces.erase, self.added.erase, *records)
        people = (self.analyses.erase, self.photos.erase, self.invitations.erase, self.classes.erase, self.accounts.erase)
        self.erasure = Erasure(self.database, (*compete, *programs, *people))
        self.limits = Limits(USUAL)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
