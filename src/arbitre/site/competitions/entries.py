"""Who takes part in a competition, who withdrew, and whom the others like best.

A vote is for somebody else's entry, one for each account and competition; it can be moved and taken back while games are to come.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NewType

from sqlalchemy import Connection, delete, func, insert, select, update

from arbitre.errors import ExpiredError, ForbiddenError, QuotaError, StageError, UnknownError
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage, one_competition
from arbitre.site.database import Database
from arbitre.site.engines import EngineId
from arbitre.site.forms import LINK_LENGTH, read_code
from arbitre.site.tables import ACCOUNTS, CLASSES, ENGINES, ENTRIES, MEMBERS, VOTES
from arbitre.tournament.config import Plan, plan_of
from arbitre.values import value

EntryId = NewType("EntryId", int)


@value
class Entry:
    """An engine or a person that takes part."""

    id: EntryId
    competition: CompetitionId
    owner: AccountId
    engine: EngineId | None
    """None: the person himself."""
    neutral: str
    """What the plan and the records call it."""
    created: int
    withdrawn: int | None
    name: str
    """What pages call it now."""


NAME = func.coalesce(ENGINES.c.name, ACCOUNTS.c.name).label("name")
WHOLE = (
    select(ENTRIES, NAME).join(ACCOUNTS, ACCOUNTS.c.id == ENTRIES.c.owner).outerjoin(ENGINES, ENGINES.c.id == ENTRIES.c.engine)
)


def _entry(row: Sequence[Any]) -> Entry:
    number, competition, owner, engine, *rest = row
    return Entry(EntryId(number), CompetitionId(competition), AccountId(owner), engine, *rest)


class Entries:
    """All entries of all competitions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enter(self, by: Account, number: CompetitionId, engine: EngineId | None = None, code: str = "") -> Entry:
        """Enter one's engine, or oneself; `code` is that of the link, where the competition is for those who have it."""
        with self._database.writing(StageError("this has entered already")) as connection:
            found = one_competition(connection, number)
            _check_door(connection, by, found, code)
            if found.stage is not Stage.OPEN:
                raise StageError("this competition is %(stage)s: it takes no entries", stage=found.stage)
            neutral = _contestant(connection, by, found, engine)
            self._check_room(connection, by, found)
            made = {"competition": number, "owner": by.id, "engine": engine, "neutral": neutral}
            again = (ENTRIES.c.competition == number, ENTRIES.c.neutral == neutral, ENTRIES.c.withdrawn.is_not(None))
            if connection.execute(update(ENTRIES).where(*again).values(withdrawn=None)).rowcount == 0:
                connection.execute(insert(ENTRIES).values(**made, created=self._database.now()))
            sought = WHOLE.where(ENTRIES.c.competition == number, ENTRIES.c.neutral == neutral)
            return _entry(connection.execute(sought).one())

    def _check_room(self, connection: Connection, by: Account, found: Competition) -> None:
        entered = (ENTRIES.c.competition == found.id, ENTRIES.c.withdrawn.is_(None))
        owners = Counter(owner for (owner,) in connection.execute(select(ENTRIES.c.owner).where(*entered)))
        if owners.total() >= self._database.settings.entries:
            raise QuotaError("%(entries)s have entered: it is full", entries=self._database.settings.entries)
        if owners[by.id] >= found.announcement.each:
            raise QuotaError("of one owner at most %(each)s may take part: withdraw one first", each=found.announcement.each)

    def withdraw(self, by: Account, number: EntryId) -> Entry:
        """Take an entry out: its owner may, and the organiser. In a competition that runs it plays no more."""
        with self._database.writing() as connection:
            entry = self._one(connection, number)
            found = one_competition(connection, entry.competition)
            if by.id not in (entry.owner, found.organiser) and not by.may(Role.OPERATOR):
                raise ForbiddenError("only its owner or the organiser withdraws an entry")
            if found.stage in (Stage.OVER, Stage.CANCELLED):
                raise StageError("this competition is %(stage)s", stage=found.stage)
            if entry.withdrawn is None:
                gone = update(ENTRIES).where(ENTRIES.c.id == number).values(withdrawn=self._database.now())
                connection.execute(gone)
                connection.execute(delete(VOTES).where(VOTES.c.entry == number))
            return self._one(connection, number)

    def get(self, number: EntryId) -> Entry:
        """Return one entry."""
        with self._database.reading() as connection:
            return self._one(connection, number)

    def of(self, number: CompetitionId, *, withdrawn: bool = False) -> tuple[Entry, ...]:
        """Return who takes part, in the order of entering."""
        asked = WHOLE.where(ENTRIES.c.competition == number).order_by(ENTRIES.c.id)
        with self._database.reading() as connection:
            return tuple(map(_entry, connection.execute(asked if withdrawn else asked.where(ENTRIES.c.withdrawn.is_(None)))))

    def by(self, account: Account) -> tuple[Entry, ...]:
        """Return what somebody entered anywhere, the newest first."""
        with self._database.reading() as connection:
            asked = WHOLE.where(ENTRIES.c.owner == account.id).order_by(ENTRIES.c.id.desc())
            return tuple(map(_entry, connection.execute(asked)))

    def drawn(self, number: CompetitionId, closed: int) -> tuple[Entry, ...]:
        """Return who is drawn: whoever had not withdrawn when entries were closed, so that nobody changes a draw by leaving."""
        entered = self.of(number, withdrawn=True)
        return tuple(one for one in entered if one.withdrawn is None or 0 < closed <= one.withdrawn)

    def plan(self, competition: Competition, tournament: str, closed: int = 0) -> Plan:
        """Return the plan of the tournament, with everybody who is drawn, each under its neutral name twice."""
        players = [{"name": entry.neutral, "player": entry.neutral} for entry in self.drawn(competition.id, closed)]
        return plan_of({**competition.announcement.plan, "name": tournament, "players": players})

    # ── votes ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def vote(self, by: Account, number: EntryId) -> None:
        """Vote for an entry; an earlier vote in the same competition is moved."""
        with self._database.writing() as connection:
            entry = self._one(connection, number)
            found = one_competition(connection, entry.competition)
            if entry.owner == by.id:
                raise ForbiddenError("nobody votes for his own")
            if found.stage not in (Stage.OPEN, Stage.RUNNING) or entry.withdrawn is not None:
                raise StageError("votes are for those who take part, while there is something to come")
            self._unvote(connection, by, found.id)
            connection.execute(insert(VOTES).values(competition=found.id, account=by.id, entry=number))

    def unvote(self, by: Account, number: CompetitionId) -> None:
        """Take a vote back, if there is one."""
        with self._database.writing() as connection:
            self._unvote(connection, by, number)

    def _unvote(self, connection: Connection, by: Account, number: CompetitionId) -> None:
        connection.execute(delete(VOTES).where(VOTES.c.competition == number, VOTES.c.account == by.id))

    def votes(self, number: CompetitionId) -> dict[EntryId, int]:
        """Return how many votes each entry has that has any."""
        with self._database.reading() as connection:
            asked = select(VOTES.c.entry, func.count()).where(VOTES.c.competition == number).group_by(VOTES.c.entry)
            return {EntryId(entry): count for entry, count in connection.execute(asked)}

    def vote_of(self, by: Account, number: CompetitionId) -> EntryId | None:
        """Return what somebody voted for."""
        with self._database.reading() as connection:
            asked = select(VOTES.c.entry).where(VOTES.c.competition == number, VOTES.c.account == by.id)
            return connection.execute(asked).scalar_one_or_none()

    def _one(self, connection: Connection, number: EntryId) -> Entry:
        found = connection.execute(WHOLE.where(ENTRIES.c.id == number)).first()
        if found is None:
            raise UnknownError("no entry has the number %(number)s", number=number)
        return _entry(found)


def _check_door(connection: Connection, by: Account, found: Competition, code: str) -> None:
    """Refuse whoever may not enter; what is not listed is not there for who has no link."""
    said = found.announcement
    linked = bool(code) and read_code(code, LINK_LENGTH) == found.code
    if said.access == "class":
        teaches = select(CLASSES.c.id).where(CLASSES.c.id == said.klass, CLASSES.c.teacher == by.id)
        joined = select(MEMBERS.c.joined).where(MEMBERS.c["class"] == said.klass, MEMBERS.c.account == by.id)
        if connection.execute(teaches).first() is None and connection.execute(joined).first() is None:
            raise ForbiddenError("this competition is for a class: join it first")
    elif (said.access == "link" or not said.listed) and not linked and found.organiser != by.id:
        raise ExpiredError("this competition is for those who have its link")


def _contestant(connection: Connection, by: Account, found: Competition, engine: EngineId | None) -> str:
    """Return the neutral name of who enters, if it may."""
    if found.announcement.kind == "people":
        if engine is not None:
            raise ForbiddenError("this competition is for people, not for engines")
        return by.neutral
    if engine is None:
        raise ForbiddenError("this competition is for engines: choose one of yours")
    own = (ENGINES.c.id == engine, ENGINES.c.owner == by.id, ENGINES.c.retired.is_(None))
    row = connection.execute(select(ENGINES.c.game, ENGINES.c.opponent).where(*own)).first()
    if row is None:
        raise UnknownError("you have no engine with the number %(engine)s", engine=engine)
    if row.game != found.game:
        raise ForbiddenError("this engine plays %(game)s, the competition is of %(game2)s", game=row.game, game2=found.game)
    return f"engine-{row.opponent}"
