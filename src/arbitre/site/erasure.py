"""Erasure of a person's data (spec: tournoyons, section 9): what was his goes, what he played stays under a neutral name.

Records are signed and chained, so nothing can be taken out of them; that is why they hold neutral names from the start. The
account becomes a row without a name, a password or a role, to which old games still belong. Classes of an erased teacher end.
"""

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, delete, func, or_, select, update

from arbitre.errors import UnknownError
from arbitre.games.labels import MARK
from arbitre.site.accounts import Account, AccountId, Role, spare_last_operator
from arbitre.site.competitions.changes import CANCELLED
from arbitre.site.database import Database
from arbitre.site.forms import fold
from arbitre.site.tables import (
    ACCOUNTS,
    ADDED_GAMES,
    ARRIVALS,
    CHALLENGES,
    CHANGES,
    CLASSES,
    COMPETITIONS,
    ENGINES,
    ENTRIES,
    INTERFACES,
    INVITATIONS,
    MEMBERS,
    PHOTOS,
    RESETS,
    SESSIONS,
    TOKENS,
    VOTES,
)

_ARENA = MetaData()
SITTINGS = Table("sittings", _ARENA, Column("owner", Integer), Column("title", Text))
TRACES = Table("traces", _ARENA, Column("match", Text), Column("seat", Integer), Column("text", Text))
"""The arena's tables, as far as they hold what people typed."""


class Erasure:
    """Takes people out of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def erase(self, account: Account) -> None:
        """Erase an account and everything of its person's; the last operator stays."""
        now = self._database.now()
        with self._database.writing() as connection:
            there = select(ACCOUNTS.c.id).where(ACCOUNTS.c.id == account.id, ACCOUNTS.c.erased.is_(False))
            if connection.execute(there).first() is None:
                raise UnknownError("no account has the number %(id)s", id=account.id)
            spare_last_operator(connection, account.id)
            _competing(connection, account.id, now)
            _engines(connection, account.id, now)
            _added(connection, account.id, now)
            for table, column in (
                (INTERFACES, "owner"),
                (PHOTOS, "owner"),
                (INVITATIONS, "inviter"),
                (MEMBERS, "account"),
            ):
                connection.execute(delete(table).where(table.c[column] == account.id))
            for table in (SESSIONS, TOKENS, RESETS):
                connection.execute(delete(table).where(table.c.account == account.id))
            connection.execute(update(INVITATIONS).where(INVITATIONS.c.guest == account.id).values(guest=None))
            _classes(connection, account.id)
            connection.execute(update(SITTINGS).where(SITTINGS.c.owner == account.id).values(title=""))
            blank: dict[str, object] = {
                "name": account.neutral,
                "folded": fold(account.neutral),
                "password": None,
                "role": Role.PLAYER,
            }
            blank |= {"banned": None, "quota": None, "erased": True}
            connection.execute(update(ACCOUNTS).where(ACCOUNTS.c.id == account.id).values(**blank))
        self._database.flush()


def _competing(connection: Connection, number: AccountId, now: int) -> None:
    """Withdraw what was entered, forget votes, blank what an organiser wrote."""
    mine = select(ENTRIES.c.id).where(ENTRIES.c.owner == number)
    connection.execute(delete(VOTES).where(or_(VOTES.c.account == number, VOTES.c.entry.in_(mine))))
    over = select(COMPETITIONS.c.id).where(COMPETITIONS.c.state.in_(("over", "cancelled")))
    current = update(ENTRIES).where(ENTRIES.c.owner == number, ENTRIES.c.withdrawn.is_(None))
    connection.execute(current.where(ENTRIES.c.competition.not_in(over)).values(withdrawn=now))
    connection.execute(delete(ARRIVALS).where(ARRIVALS.c.account == number))
    his = select(COMPETITIONS.c.id).where(COMPETITIONS.c.organiser == number)
    wrote = update(CHANGES).where(CHANGES.c.competition.in_(his), CHANGES.c.field.in_(("title", "about", CANCELLED)))
    connection.execute(wrote.values(before="", after=""))
    organised = update(COMPETITIONS).where(COMPETITIONS.c.organiser == number)
    connection.execute(organised.values(about=""))
    connection.execute(organised.where(COMPETITIONS.c.state.in_(("announced", "open"))).values(state="cancelled"))


def _engines(connection: Connection, number: AccountId, now: int) -> None:
    """Remove engines with their traces; one that competed stays as a row without a name and an address."""
    for engine in connection.execute(select(ENGINES).where(ENGINES.c.owner == number)).all():
        _traces(connection, number, engine.url)
        played = (CHALLENGES.c.challenger == engine.id) | (CHALLENGES.c.challenged == engine.id)
        connection.execute(delete(CHALLENGES).where(played))
        this = ENGINES.c.id == engine.id
        if connection.execute(select(ENTRIES.c.id).where(ENTRIES.c.engine == engine.id)).first() is None:
            connection.execute(delete(ENGINES).where(this))
            continue
        name = f"engine-{engine.opponent}"
        blank = {"name": name, "folded": fold(name), "url": "", "login": "", "public": False, "fault": None, "retired": now}
        connection.execute(update(ENGINES).where(this).values(**blank))


def _added(connection: Connection, number: AccountId, now: int) -> None:
    """Remove added games; where others have engines, interfaces or competitions for one, its name and its rules stay, retired.

    Nobody else's game may come by that name, and by what was played under it.
    """
    for game in connection.execute(select(ADDED_GAMES).where(ADDED_GAMES.c.owner == number)).all():
        for url in (game.url, game.engine):
            _traces(connection, number, url)
        label, this = f"{MARK}{game.name}", ADDED_GAMES.c.id == game.id
        tables = (ENGINES, INTERFACES, COMPETITIONS)
        used = any(connection.execute(select(one.c.id).where(one.c.game == label)).first() is not None for one in tables)
        blank = {"url": "", "engine": "", "interface": "", "about": "", "public": False, "fault": None, "retired": now}
        connection.execute(update(ADDED_GAMES).where(this).values(**blank) if used else delete(ADDED_GAMES).where(this))


def _traces(connection: Connection, number: AccountId, url: str) -> None:
    """Forget what was exchanged with an engine: the whole seat in every match in which this very address was called.

    Where somebody else has registered the same address, the traces are his too, and stay.
    """
    others = select(ENGINES.c.id).where(ENGINES.c.url == url, ENGINES.c.owner != number)
    if not url or connection.execute(others).first() is not None:
        return
    begins = func.substr(TRACES.c.text, 1, len(url)) == url
    ends = func.substr(TRACES.c.text, len(url) + 1, 1).in_(("", "?", "&"))  # a longer address is another one
    for match, seat in connection.execute(select(TRACES.c.match, TRACES.c.seat).where(begins, ends).distinct()).all():
        connection.execute(delete(TRACES).where(TRACES.c.match == match, TRACES.c.seat == seat))


def _classes(connection: Connection, number: AccountId) -> None:
    """End the classes of a teacher; competitions that were theirs go on for those who have the link."""
    mine = select(CLASSES.c.id).where(CLASSES.c.teacher == number)
    moved = update(COMPETITIONS).where(COMPETITIONS.c["class"].in_(mine))
    connection.execute(moved.values({"class": None, "access": "link"}))
    connection.execute(delete(MEMBERS).where(MEMBERS.c["class"].in_(mine)))
    connection.execute(delete(CLASSES).where(CLASSES.c.teacher == number))
