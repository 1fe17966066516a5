"""Competitions: what an organiser announces, and the stages it goes through (spec: tournoyons, section 7, "Compete").

How games are paired, timed and scored is a plan of the tournament code, kept as its keys without the players: who they are is
known when it begins. A competition that is not listed is there for whoever has its link, for its entrants and for its organiser.
"""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NewType

from sqlalchemy import Connection, Select, delete, func, insert, or_, select, update

from arbitre.errors import ExpiredError, ForbiddenError, QuotaError, StageError, TermsError, UnfitError, UnknownError
from arbitre.games.labels import label_of
from arbitre.records.event import canonical
from arbitre.records.tables import CHANGES, COMPETITIONS
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.added import row_of
from arbitre.site.classes import ClassId, check_teacher, holds, joined_by
from arbitre.site.competitions.changes import CANCELLED, Change, check_lines, differences, read_change
from arbitre.site.database import DAY, Database
from arbitre.site.forms import LINK_LENGTH, check_about, check_title, new_code, read_code
from arbitre.tournament.config import TournamentPlan, plan_of
from arbitre.tournoyons.player import check_clock
from arbitre.values import value

if TYPE_CHECKING:
    from arbitre.site.competitions.arrivals import Arrivals
    from arbitre.site.competitions.entries import Entries

CompetitionId = NewType("CompetitionId", int)

LONGEST_PLAN = 100_000
FARTHEST = 5 * 366 * DAY
PAGE = 50
LONGEST_PATIENCE = DAY
LONGEST_WHY = 500


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
    patience: int = 600
    """Seconds that a person is waited for where a clock runs; then the game is lost. 0: as long as the organiser likes."""

    def fields(self) -> dict[str, object]:
        """Return everything that can be changed, by name; the keys of the plan among them."""
        own = {"title": self.title, "about": self.about, "opens": self.opens, "begins": self.begins, "access": self.access}
        own |= {"class": self.klass, "listed": self.listed, "each": self.each, "patience": self.patience}
        return {**own, **self.plan}


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
    (
        number,
        organiser,
        title,
        about,
        game,
        plan,
        kind,
        access,
        klass,
        listed,
        code,
        opens,
        begins,
        each,
        state,
        *rest,
        patience,
    ) = row
    said = Announcement(title, json.loads(plan), opens, begins, about, kind, access, klass, listed, each, patience)
    return Competition(CompetitionId(number), AccountId(organiser), said, game, code, Stage(state), *rest)


def trial_plan(keys: Mapping[str, object]) -> TournamentPlan:
    """Return the plan with strangers for players: `TournamentError` names the key that is wrong, before anybody has entered."""
    for key in ("players", "name"):
        if key in keys:
            raise UnfitError("plan", "key %(key)r: known when the competition begins, not before", key=key)
    return plan_of({**keys, "players": [{"name": f"stranger {number}", "player": "house:any"} for number in range(16)]})


class Competitions:
    """All competitions."""

    def __init__(self, database: Database, entries: "Entries", arrivals: "Arrivals") -> None:
        self._database = database
        self._entries = entries
        self._arrivals = arrivals

    # ── announcing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def announce(self, by: Account, said: Announcement) -> Competition:
        """Announce a competition; where entries are taken from now on, it is open at once."""
        by.require(Role.ORGANISER)
        now, most = self._database.now(), self._database.settings.competitions
        stage = Stage.OPEN if said.opens <= now else Stage.ANNOUNCED
        made = {**self._columns(said), "organiser": by.id, "code": new_code(LINK_LENGTH), "state": stage, "created": now}
        with self._database.writing() as connection:
            if said.klass is not None:
                check_teacher(connection, by, said.klass)
            _check_added(connection, by, said)
            current = COMPETITIONS.c.state.not_in((Stage.OVER, Stage.CANCELLED))
            mine = select(func.count()).select_from(COMPETITIONS).where(COMPETITIONS.c.organiser == by.id, current)
            if connection.execute(mine).scalar_one() >= most:
                raise QuotaError("%(most)s competitions that are not over are the most one organiser may have", most=most)
            return _competition(connection.execute(insert(COMPETITIONS).values(made).returning(COMPETITIONS)).one())

    def change(self, by: Account, number: CompetitionId, said: Announcement) -> Competition:
        """Announce otherwise, while it is not running; whoever entered can read what was changed, and what may not be stays."""
        with self._database.writing() as connection:
            found = self._own(connection, by, number)
            if found.stage not in (Stage.ANNOUNCED, Stage.OPEN):
                raise StageError("this competition is %(stage)s: it cannot be changed any more", stage=found.stage)
            columns = self._columns(said)
            if (columns["game"], said.kind) != (found.game, found.announcement.kind):
                raise StageError("its game, and whether engines or people play, cannot be changed: announce another one")
            if said.klass is not None:
                check_teacher(connection, by, said.klass)
            self._check_change(connection, found, said)
            connection.execute(update(COMPETITIONS).where(COMPETITIONS.c.id == number).values(columns))
            changed = self._one(connection, number)
            lines = differences(found.announcement.fields(), changed.announcement.fields())
            before = connection.execute(select(func.count()).where(CHANGES.c.competition == number)).scalar_one()
            check_lines(lines, entered=bool(self._entries.owners(connection, number)), kept=before)
            for field, old, new in lines:
                self._note(connection, number, field, old, new)
            return changed

    def _check_change(self, connection: Connection, found: Competition, said: Announcement) -> None:
        if found.stage is Stage.OPEN and said.opens != found.announcement.opens:
            raise StageError("entries are taken already: when they open cannot be changed")
        most = max(self._entries.owners(connection, found.id).values(), default=0)
        if said.each < most:
            raise StageError("somebody has entered %(most)s already: fewer of one owner would put some out", most=most)

    def _note(self, connection: Connection, number: CompetitionId, field: str, before: str, after: str) -> None:
        made = {"competition": number, "at": self._database.now(), "field": field, "before": before, "after": after}
        connection.execute(insert(CHANGES).values(made))

    def history(self, number: CompetitionId) -> tuple[Change, ...]:
        """Return what was changed since the announcement, the newest first: for whoever may see the competition."""
        with self._database.reading() as connection:
            asked = select(CHANGES).where(CHANGES.c.competition == number).order_by(CHANGES.c.id.desc())
            return tuple(map(read_change, connection.execute(asked)))

    def _columns(self, said: Announcement) -> dict[str, object]:
        plan, now = trial_plan(said.plan), self._database.now()
        text = canonical(dict(said.plan))
        if len(text) > LONGEST_PLAN:
            raise UnfitError(
                "plan", "at most %(longest_plan)s characters, not %(text)s", longest_plan=LONGEST_PLAN, text=len(text)
            )
        if not 0 <= said.opens <= said.begins <= now + FARTHEST or said.begins < now:
            raise UnfitError("begins", "after entries open, not in the past, and within five years")
        if said.kind == "engines":
            try:
                check_clock(plan.terms.clock)
            except TermsError as error:
                raise UnfitError("clock", error.reason) from None
        if not 1 <= said.each <= 100:
            raise UnfitError("each", "1 to 100 engines of one owner, not %(each)s", each=said.each)
        if not (said.patience == 0 or 60 <= said.patience <= LONGEST_PATIENCE):
            raise UnfitError("patience", "a minute to a day, or 0 to wait as long as the organiser likes")
        if said.kind not in ("engines", "people") or said.access not in ("all", "class", "link"):
            raise UnfitError("access", "for engines or people; for all, a class, or whoever has the link")
        if (said.access == "class") != (said.klass is not None):
            raise UnfitError("class", "named where the competition is for a class, and only there")
        return {
            "title": check_title(said.title),
            "about": check_about(said.about),
            "game": label_of(plan.game),
            "plan": text,
            "kind": said.kind,
            "access": said.access,
            "class": said.klass,
            "listed": said.listed,
            "opens": said.opens,
            "begins": said.begins,
            "each": said.each,
            "patience": said.patience,
        }

    # ── stages ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, by: Account | None, number: CompetitionId) -> Competition:
        """Take entries from now on; `by` None: the house, because the hour has come."""
        return self._go(by, number, Stage.OPEN)

    def start(
        self, by: Account | None, number: CompetitionId, tournament: str, proof: str | None = None, closed: int | None = None
    ) -> Competition:
        """Let it begin as a tournament of the store, entries being closed; at least two must have entered.

        Who withdraws from now on has withdrawn at `closed` or later, whoever did before it earlier, be it in the same second.
        """
        with self._database.writing(StageError("this tournament belongs to another competition")) as connection:
            if self._entries.owners(connection, number).total() < 2:
                raise StageError("nobody plays alone: at least two must have entered")
            if closed is not None:
                self._entries.close(connection, number, closed)
            name = check_title(tournament, "tournament")
            return self._went(connection, by, number, Stage.RUNNING, tournament=name, proof=proof)

    def prove(self, number: CompetitionId, proof: str) -> Competition:
        """Take down how lots are drawn, as far as it is known: the house's to say."""
        with self._database.writing() as connection:
            self._one(connection, number)
            connection.execute(update(COMPETITIONS).where(COMPETITIONS.c.id == number).values(proof=proof))
            return self._one(connection, number)

    def finish(self, number: CompetitionId) -> Competition:
        """Say that all is played: the house's to say."""
        return self._go(None, number, Stage.OVER)

    def cancel(self, by: Account, number: CompetitionId, why: str = "") -> Competition:
        """Call it off, and say why; what was played stays."""
        return self._go(by, number, Stage.CANCELLED, check_title(why, "why", LONGEST_WHY) if why.strip() else "")

    def _go(self, by: Account | None, number: CompetitionId, stage: Stage, why: str = "") -> Competition:
        with self._database.writing() as connection:
            changed = self._went(connection, by, number, stage)
            if stage is Stage.CANCELLED:
                self._note(connection, number, CANCELLED, "", why)
            return changed

    def _went(
        self, connection: Connection, by: Account | None, number: CompetitionId, stage: Stage, **more: object
    ) -> Competition:
        found = self._one(connection, number) if by is None else self._own(connection, by, number)
        if stage not in FOLLOWS[found.stage]:
            raise StageError("this competition is %(stage)s: it cannot become %(stage2)s", stage=found.stage, stage2=stage)
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
            self._entries.remove(connection, number)
            self._arrivals.remove(connection, number)
            connection.execute(delete(CHANGES).where(CHANGES.c.competition == number))
            connection.execute(delete(COMPETITIONS).where(COMPETITIONS.c.id == number))

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, number: CompetitionId, by: Account | None = None) -> Competition:
        """Return one that this person may see without a link."""
        with self._database.reading() as connection:
            found = self._one(connection, number)
            if not (found.announcement.listed or (by is not None and self._inside(connection, found, by))):
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
            entered = COMPETITIONS.c.id.in_(self._entries.entered_by(by.id))
            joined = COMPETITIONS.c["class"].in_(joined_by(by.id))
            asked = asked.where(or_(COMPETITIONS.c.listed, COMPETITIONS.c.organiser == by.id, entered, joined))
        if stage is not None:
            asked = asked.where(COMPETITIONS.c.state == stage)
        if game is not None:
            asked = asked.where(COMPETITIONS.c.game == game[:100])
        if before is not None:
            asked = asked.where(COMPETITIONS.c.id < before)
        with self._database.reading() as connection:
            return tuple(map(_competition, connection.execute(asked.order_by(COMPETITIONS.c.id.desc()).limit(most))))

    # ── for others, within a transaction ───────────────────────────────────────────────────────────────────────────

    def plays(self, connection: Connection, label: str) -> bool:
        """Tell whether there is any of a game."""
        return connection.execute(select(COMPETITIONS.c.id).where(COMPETITIONS.c.game == label)).first() is not None

    def leave_class(self, connection: Connection, number: ClassId) -> None:
        """Open those of a class that ends to whoever has the link."""
        moved = update(COMPETITIONS).where(COMPETITIONS.c["class"] == number)
        connection.execute(moved.values({"class": None, "access": "link"}))

    def erase(self, connection: Connection, account: Account) -> None:
        """Blank what an organiser wrote, and cancel what has not begun."""
        his = select(COMPETITIONS.c.id).where(COMPETITIONS.c.organiser == account.id)
        wrote = update(CHANGES).where(CHANGES.c.competition.in_(his), CHANGES.c.field.in_(("title", "about", CANCELLED)))
        connection.execute(wrote.values(before="", after=""))
        organised = update(COMPETITIONS).where(COMPETITIONS.c.organiser == account.id)
        connection.execute(organised.values(about=""))
        begins = COMPETITIONS.c.state.in_((Stage.ANNOUNCED, Stage.OPEN))
        connection.execute(organised.where(begins).values(state=Stage.CANCELLED))

    def _inside(self, connection: Connection, found: Competition, by: Account) -> bool:
        """Tell whether somebody organises it, entered it, or is in its class."""
        if found.organiser == by.id or by.may(Role.OPERATOR):
            return True
        entered = connection.execute(self._entries.entered_by(by.id)).scalars().all()
        return found.id in entered or holds(connection, found.announcement.klass, by.id)

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


def past() -> Select[int]:
    """Return the query of those that are over or cancelled."""
    return select(COMPETITIONS.c.id).where(COMPETITIONS.c.state.in_((Stage.OVER, Stage.CANCELLED)))


def _check_added(connection: Connection, by: Account, said: Announcement) -> None:
    """Let a competition be of an added game that the organiser may see, as it is now, with a referee whom nobody can forge."""
    game = trial_plan(said.plan).game
    if not game.neutral:
        return
    found = row_of(connection, game.called)
    if found is None or found.retired is not None or not (found.public or found.owner == by.id or by.may(Role.OPERATOR)):
        raise UnknownError("no added game is called %(called)r", called=game.called)
    kept = {"key": found.name, "simultaneous": found.simultaneous, "board": found.board, "open": found.open}
    if found.game != game.name or any(getattr(game, name, False) != given for name, given in kept.items()):
        raise UnfitError("game", "%(called)s was added with other rules than these", called=game.called)
    if found.framed:
        raise UnfitError(
            "game", "the referee of %(called)s answers in a player's browser: it is for training alone", called=game.called
        )


def _unknown(number: int) -> UnknownError:
    return UnknownError("no competition has the number %(number)s", number=number)
