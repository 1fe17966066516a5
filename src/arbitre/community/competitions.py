"""Competitions: what an organiser announces, and the stages it goes through (spec: tournoyons, section 7, "Compete").

How games are paired, timed and scored is a plan of the tournament code, kept as its keys without the players: who they are is
known when it begins. A competition that is not listed is there for whoever has its link, for its entrants and for its organiser.
"""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, NewType

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from arbitre.community.accounts import Account, AccountId, Role
from arbitre.community.classes import ClassId
from arbitre.community.database import DAY, Database
from arbitre.community.forms import LINK_LENGTH, check_about, check_title, new_code, read_code
from arbitre.community.tables import CLASSES, COMPETITIONS, ENTRIES, MEMBERS, VOTES
from arbitre.errors import ExpiredError, ForbiddenError, QuotaError, StageError, TermsError, UnfitError, UnknownError
from arbitre.records.event import canonical
from arbitre.rules.game import value
from arbitre.tournament.config import Plan, plan_of
from arbitre.transport.http import check_clock

CompetitionId = NewType("CompetitionId", int)

LONGEST_PLAN = 100_000
FARTHEST = 5 * 366 * DAY
PAGE = 50


class Stage(StrEnum):
    """Where a competition is."""

    ANNOUNCED = "announced"
    """It is known, entries are not taken yet."""
    OPEN = "open"
    """Entries are taken."""
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


FOLLOWS = {
    Stage.ANNOUNCED: (Stage.OPEN, Stage.CANCELLED),
    Stage.OPEN: (Stage.RUNNING, Stage.CANCELLED),
    Stage.RUNNING: (Stage.OVER, Stage.CANCELLED),
    Stage.OVER: (),
    Stage.CANCELLED: (),
}

Kind = Literal["engines", "people"]
Access = Literal["all", "class", "link"]


@value
class Announcement:
    """What an organiser decides."""

    title: str
    plan: Mapping[str, object]
    """Keys of a tournament plan (`game`, `options`, `format`, `rounds`, `clock`, `starts` …) without `players` and `name`."""
    opens: int
    """From when entries are taken."""
    begins: int
    """When it is drawn, and the games start."""
    about: str = ""
    kind: Kind = "engines"
    access: Access = "all"
    """Who may enter: everybody, one class, or whoever has the link."""
    klass: ClassId | None = None
    listed: bool = True
    """Whether everybody sees it, or only who has the link."""
    each: int = 1
    """How many engines one owner may enter."""


@value
class Competition:
    """A competition."""

    id: CompetitionId
    organiser: AccountId
    announcement: Announcement
    game: str
    code: str
    """What the link to it ends with; only for whoever has it already, for entrants and for the organiser."""
    stage: Stage
    tournament: str | None
    """The name of the tournament in the store, once it runs."""
    proof: str | None
    """How lots were drawn: what the page shows for a check."""
    created: int


def _competition(row: Sequence[Any]) -> Competition:
    """Return the value of a row, column by column in the order of the table."""
    number, organiser, title, about, game, plan, kind, access, klass, listed, code, opens, begins, each, state, *rest = row
    said = Announcement(title, json.loads(plan), opens, begins, about, kind, access, klass, listed, each)
    return Competition(CompetitionId(number), AccountId(organiser), said, game, code, Stage(state), *rest)


def trial_plan(keys: Mapping[str, object]) -> Plan:
    """Return the plan with strangers for players: `TournamentError` names the key that is wrong, before anybody has entered."""
    for key in ("players", "name"):
        if key in keys:
            raise UnfitError("plan", f"key {key!r}: known when the competition begins, not before")
    return plan_of({**keys, "players": [{"name": f"stranger {number}", "player": "house:any"} for number in range(16)]})


class Competitions:
    """All competitions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ── announcing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def announce(self, by: Account, said: Announcement) -> Competition:
        """Announce a competition; where entries are taken from now on, it is open at once."""
        by.require(Role.ORGANISER)
        now, most = self._database.now(), self._database.settings.competitions
        stage = Stage.OPEN if said.opens <= now else Stage.ANNOUNCED
        made = {**self._columns(said), "organiser": by.id, "code": new_code(LINK_LENGTH), "state": stage, "created": now}
        with self._database.writing() as connection:
            self._check_class(connection, by, said)
            current = COMPETITIONS.c.state.not_in((Stage.OVER, Stage.CANCELLED))
            mine = select(func.count()).select_from(COMPETITIONS).where(COMPETITIONS.c.organiser == by.id, current)
            if connection.execute(mine).scalar_one() >= most:
                raise QuotaError(f"{most} competitions that are not over are the most one organiser may have")
            return _competition(connection.execute(insert(COMPETITIONS).values(made).returning(COMPETITIONS)).one())

    def change(self, by: Account, number: CompetitionId, said: Announcement) -> Competition:
        """Announce otherwise, while it is not running; who has entered stays, so game and kind stay too."""
        with self._database.writing() as connection:
            found = self._own(connection, by, number)
            if found.stage not in (Stage.ANNOUNCED, Stage.OPEN):
                raise StageError(f"this competition is {found.stage}: it cannot be changed any more")
            columns = self._columns(said)
            if (columns["game"], said.kind) != (found.game, found.announcement.kind):
                raise StageError("its game, and whether engines or people play, cannot be changed: announce another one")
            self._check_class(connection, by, said)
            connection.execute(update(COMPETITIONS).where(COMPETITIONS.c.id == number).values(columns))
            return self._one(connection, number)

    def _columns(self, said: Announcement) -> dict[str, object]:
        plan, now = trial_plan(said.plan), self._database.now()
        text = canonical(dict(said.plan))
        if len(text) > LONGEST_PLAN:
            raise UnfitError("plan", f"at most {LONGEST_PLAN} characters, not {len(text)}")
        if not 0 <= said.opens <= said.begins <= now + FARTHEST or said.begins < now:
            raise UnfitError("begins", "after entries open, not in the past, and within five years")
        if said.kind == "engines":
            try:
                check_clock(plan.terms.clock)
            except TermsError as error:
                raise UnfitError("clock", str(error)) from None
        if not 1 <= said.each <= 100:
            raise UnfitError("each", f"1 to 100 engines of one owner, not {said.each}")
        if said.kind not in ("engines", "people") or said.access not in ("all", "class", "link"):
            raise UnfitError("access", "for engines or people; for all, a class, or whoever has the link")
        if (said.access == "class") != (said.klass is not None):
            raise UnfitError("class", "named where the competition is for a class, and only there")
        return {
            "title": check_title(said.title),
            "about": check_about(said.about),
            "game": plan.game.name,
            "plan": text,
            "kind": said.kind,
            "access": said.access,
            "class": said.klass,
            "listed": said.listed,
            "opens": said.opens,
            "begins": said.begins,
            "each": said.each,
        }

    def _check_class(self, connection: Connection, by: Account, said: Announcement) -> None:
        if said.klass is None:
            return
        found = connection.execute(select(CLASSES.c.teacher).where(CLASSES.c.id == said.klass)).first()
        if found is None or not (found.teacher == by.id or by.may(Role.OPERATOR)):
            raise UnknownError(f"you teach no class with the number {said.klass}")

    # ── stages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, by: Account | None, number: CompetitionId) -> Competition:
        """Take entries from now on; `by` None: the house, because the hour has come."""
        return self._go(by, number, Stage.OPEN)

    def start(self, by: Account | None, number: CompetitionId, tournament: str, proof: str | None = None) -> Competition:
        """Let it begin as a tournament of the store; at least two must have entered."""
        with self._database.reading() as connection:
            sought = (ENTRIES.c.competition == number, ENTRIES.c.withdrawn.is_(None))
            entered = connection.execute(select(func.count()).select_from(ENTRIES).where(*sought)).scalar_one()
        if entered < 2:
            raise StageError("nobody plays alone: at least two must have entered")
        return self._go(by, number, Stage.RUNNING, tournament=check_title(tournament, "tournament"), proof=proof)

    def prove(self, number: CompetitionId, proof: str) -> Competition:
        """Take down how lots are drawn, as far as it is known: the house's to say."""
        with self._database.writing() as connection:
            self._one(connection, number)
            connection.execute(update(COMPETITIONS).where(COMPETITIONS.c.id == number).values(proof=proof))
            return self._one(connection, number)

    def finish(self, number: CompetitionId) -> Competition:
        """Say that all is played: the house's to say."""
        return self._go(None, number, Stage.OVER)

    def cancel(self, by: Account, number: CompetitionId) -> Competition:
        """Call it off; what was played stays."""
        return self._go(by, number, Stage.CANCELLED)

    def _go(self, by: Account | None, number: CompetitionId, stage: Stage, **more: object) -> Competition:
        with self._database.writing(StageError("this tournament belongs to another competition")) as connection:
            found = self._one(connection, number) if by is None else self._own(connection, by, number)
            if stage not in FOLLOWS[found.stage]:
                raise StageError(f"this competition is {found.stage}: it cannot become {stage}")
            connection.execute(update(COMPETITIONS).where(COMPETITIONS.c.id == number).values(state=stage, **more))
            return self._one(connection, number)

    def due(self) -> tuple[Competition, ...]:
        """Return those whose hour to open or to begin has come, and those that run: what the house has to see to."""
        now, stage = self._database.now(), COMPETITIONS.c.state
        waiting = (stage == Stage.ANNOUNCED) & (COMPETITIONS.c.opens <= now)
        ready = (stage == Stage.OPEN) & (COMPETITIONS.c.begins <= now)
        with self._database.reading() as connection:
            asked = select(COMPETITIONS).where(or_(waiting, ready, stage == Stage.RUNNING))
            return tuple(map(_competition, connection.execute(asked.order_by(COMPETITIONS.c.begins))))

    def remove(self, by: Account, number: CompetitionId) -> None:
        """Take away a competition that was cancelled before anything was played."""
        with self._database.writing() as connection:
            found = self._own(connection, by, number)
            if found.stage is not Stage.CANCELLED or found.tournament is not None:
                raise StageError("only what was cancelled before it began is taken away")
            for table in (VOTES, ENTRIES):
                connection.execute(delete(table).where(table.c.competition == number))
            connection.execute(delete(COMPETITIONS).where(COMPETITIONS.c.id == number))

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, number: CompetitionId, by: Account | None = None) -> Competition:
        """Return one that this person may see without a link."""
        with self._database.reading() as connection:
            found = self._one(connection, number)
            if not (found.announcement.listed or (by is not None and _inside(connection, found, by))):
                raise _unknown(number)
            return found

    def find(self, number: CompetitionId) -> Competition:
        """Return one, whoever asks: for the house itself."""
        with self._database.reading() as connection:
            return self._one(connection, number)

    def linked(self, code: str) -> Competition:
        """Return the one that a link leads to."""
        with self._database.reading() as connection:
            found = connection.execute(select(COMPETITIONS).where(COMPETITIONS.c.code == read_code(code, LINK_LENGTH))).first()
        if found is None:
            raise ExpiredError("this link leads nowhere, or not any more")
        return _competition(found)

    def of_class(self, number: ClassId, most: int = PAGE) -> tuple[Competition, ...]:
        """Return those of a class, the newest first: for whoever may see the class."""
        with self._database.reading() as connection:
            asked = select(COMPETITIONS).where(COMPETITIONS.c["class"] == number).order_by(COMPETITIONS.c.id.desc())
            return tuple(map(_competition, connection.execute(asked.limit(most))))

    def running_as(self, tournament: str) -> Competition:
        """Return the one that is held as this tournament of the store."""
        with self._database.reading() as connection:
            name = check_title(tournament, "tournament")
            found = connection.execute(select(COMPETITIONS).where(COMPETITIONS.c.tournament == name)).first()
        if found is None:
            raise UnknownError("no competition is held as this tournament")
        return _competition(found)

    def all(
        self,
        *,
        by: Account | None = None,
        stage: Stage | None = None,
        game: str | None = None,
        before: int | None = None,
        most: int = PAGE,
    ) -> tuple[Competition, ...]:
        """Return a page of those that are listed, and of one's own, the newest first."""
        asked = select(COMPETITIONS)
        if by is None:
            asked = asked.where(COMPETITIONS.c.listed)
        else:
            entered = select(ENTRIES.c.competition).where(ENTRIES.c.owner == by.id)
            joined = select(MEMBERS.c["class"]).where(MEMBERS.c.account == by.id)
            mine = (COMPETITIONS.c.organiser == by.id, COMPETITIONS.c.id.in_(entered), COMPETITIONS.c["class"].in_(joined))
            asked = asked.where(or_(COMPETITIONS.c.listed, *mine))
        if stage is not None:
            asked = asked.where(COMPETITIONS.c.state == stage)
        if game is not None:
            asked = asked.where(COMPETITIONS.c.game == game[:100])
        if before is not None:
            asked = asked.where(COMPETITIONS.c.id < before)
        with self._database.reading() as connection:
            return tuple(map(_competition, connection.execute(asked.order_by(COMPETITIONS.c.id.desc()).limit(most))))

    def _own(self, connection: Connection, by: Account, number: CompetitionId) -> Competition:
        found = self._one(connection, number)
        if found.organiser != by.id and not by.may(Role.OPERATOR):
            if not found.announcement.listed:
                raise _unknown(number)
            raise ForbiddenError("only its organiser changes a competition")
        return found

    def _one(self, connection: Connection, number: CompetitionId) -> Competition:
        return one_competition(connection, number)


def one_competition(connection: Connection, number: CompetitionId) -> Competition:
    """Return a competition, within a transaction."""
    found = connection.execute(select(COMPETITIONS).where(COMPETITIONS.c.id == number)).first()
    if found is None:
        raise _unknown(number)
    return _competition(found)


def _inside(connection: Connection, found: Competition, by: Account) -> bool:
    """Tell whether somebody organises it, entered it, or is in its class."""
    if found.organiser == by.id or by.may(Role.OPERATOR):
        return True
    entered = select(ENTRIES.c.id).where(ENTRIES.c.competition == found.id, ENTRIES.c.owner == by.id)
    joined = select(MEMBERS.c.joined).where(MEMBERS.c["class"] == found.announcement.klass, MEMBERS.c.account == by.id)
    return connection.execute(entered).first() is not None or connection.execute(joined).first() is not None


def _unknown(number: int) -> UnknownError:
    return UnknownError(f"no competition has the number {number}")
