"""Who takes part in a competition, who withdrew, and whom the others like best.

A vote is for somebody else's entry, one for each account and competition; it can be moved and taken back while games are to come.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NewType

from sqlalchemy import Connection, Select, delete, func, insert, or_, select, update

from arbitre.errors import ExpiredError, ForbiddenError, QuotaError, StageError, UnknownError
from arbitre.records.tables import ACCOUNTS, ENGINES, ENTRIES, VOTES
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.classes import holds
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage, one_competition, past
from arbitre.site.database import Database
from arbitre.site.engines import EngineId, usable
from arbitre.site.forms import LINK_LENGTH, read_code
from arbitre.tournament.config import TournamentPlan, plan_of
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
        owners = self.owners(connection, found.id)
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

    def plan(self, competition: Competition, tournament: str, closed: int = 0) -> TournamentPlan:
        """Return the plan of the tournament, with everybody who is drawn, each under its neutral name twice."""
        players = [{"name": entry.neutral, "player": entry.neutral} for entry in self.drawn(competition.id, closed)]
        return plan_of({**competition.announcement.plan, "name": tournament, "players": players})

    # ── for others, within a transaction ───────────────────────────────────────────────────────────────────────────

    def owners(self, connection: Connection, number: CompetitionId) -> Counter[int]:
        """Return how many each owner has entered that were not withdrawn."""
        asked = select(ENTRIES.c.owner).where(ENTRIES.c.competition == number, ENTRIES.c.withdrawn.is_(None))
        return Counter(connection.execute(asked).scalars())

    def entered_by(self, account: AccountId) -> Select[int]:
        """Return the query of the competitions that somebody entered."""
        return select(ENTRIES.c.competition).where(ENTRIES.c.owner == account)

    def have(self, connection: Connection, engine: EngineId) -> bool:
        """Tell whether an engine was ever entered."""
        return connection.execute(select(ENTRIES.c.id).where(ENTRIES.c.engine == engine)).first() is not None

    def close(self, connection: Connection, number: CompetitionId, closed: int) -> None:
        """Let whoever withdrew before entries were closed have done so before that second."""
        late = update(ENTRIES).where(ENTRIES.c.competition == number, ENTRIES.c.withdrawn >= closed)
        connection.execute(late.values(withdrawn=closed - 1))

    def remove(self, connection: Connection, number: CompetitionId) -> None:
        """Take away the entries of a competition, and the votes for them."""
        connection.execute(delete(VOTES).where(VOTES.c.competition == number))
        connection.execute(delete(ENTRIES).where(ENTRIES.c.competition == number))

    def erase(self, connection: Connection, account: Account) -> None:
        """Withdraw what somebody entered from what is not over, and forget his votes and those for him."""
        mine = ENTRIES.c.owner == account.id
        his = select(ENTRIES.c.id).where(mine)
        connection.execute(delete(VOTES).where(or_(VOTES.c.account == account.id, VOTES.c.entry.in_(his))))
        current = update(ENTRIES).where(mine, ENTRIES.c.withdrawn.is_(None), ENTRIES.c.competition.not_in(past()))
        connection.execute(current.values(withdrawn=self._database.now()))

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
        if not holds(connection, said.klass, by.id):
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
    row = usable(connection, engine)
    if row is None or row.owner != by.id:
        raise UnknownError("you have no engine with the number %(engine)s", engine=engine)
    if row.game != found.game:
        raise ForbiddenError("this engine plays %(game)s, the competition is of %(game2)s", game=row.game, game2=found.game)
    return f"engine-{row.opponent}"
