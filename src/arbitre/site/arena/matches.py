"""What the arena keeps beside the records: who sits where in each match, whose it is, and what was exchanged with engines.

A plan says how to reach the players again. What is sought in many plans stands in columns of its own: the game of a match, and in
`seats` who sits where by name, the engine's number, the person's account; the house's own players and free chairs have no row.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, or_, select, tuple_, update

from arbitre.errors import StoreError, UnknownRecordError, shorten
from arbitre.games.game import Seat
from arbitre.records.backend import Execute
from arbitre.records.store import LAST, Store
from arbitre.records.tables import SEATS, SITTINGS, TRACES
from arbitre.site.accounts import Account
from arbitre.site.arena.plan import (
    UNREGISTERED,
    EngineSeat,
    HouseSeat,
    MatchPlan,
    PersonSeat,
    Sitter,
    State,
    read_plan,
    without_addresses,
)
from arbitre.tournoyons.trace import Spoken

WHOLE = "SELECT match, number, state, plan, owner, title, hidden FROM sittings"
ACCOUNT = "account:"
"""What stands before the number of an account where a plan says who sits there."""

COUNTED = "m.tournament IS NOT NULL AND m.verdict IS NOT NULL AND NOT s.hidden"
"""What holds for matches that somebody is rated by."""
REFEREE = " JOIN seats r ON r.match = m.name AND r.seat = 2"
"""Behind the two players sits the referee of an added game, under the game's key."""

THERE = "SELECT 1 FROM sittings WHERE match = ?"
OPEN = "state IN ('waiting', 'playing')"
ORPHANED = "NOT EXISTS (SELECT 1 FROM nodes WHERE id = sittings.node AND alive)"
SHOWN = "shown AND state = 'over' AND owner IS NULL AND title = ''"


class ArenaMatch(NamedTuple):
    """A match of the arena as it is kept: what it is, who sits there, whose it is."""

    name: str
    number: int
    state: State
    plan: MatchPlan
    owner: int | None
    title: str
    hidden: bool
    """Whether only those who know its address find it."""


class Rated(NamedTuple):
    """A match that counts in a ranking."""

    name: str
    verdict: str
    seated: tuple[str, str]


class ArenaMatches:
    """All matches that were ever called here."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def count(self) -> int:
        """Return how many there are."""
        return int(self._store.rows("SELECT COALESCE(MAX(number), 0) FROM sittings")[0][0])

    def next(self, last: int) -> int:
        """Return the number of the next match, behind the last that this process knows."""
        return self._store.backend.number("sittings_number", last)

    def rows(self, state: State) -> list[Any]:
        """Return those in a state, the oldest first, unread: one that cannot be read must not hide the others."""
        return self._store.rows(WHOLE + " WHERE state = ? ORDER BY number", (state,))

    def played_here(self) -> list[str]:
        """Return the names of those that are being played and that this process sees to, the oldest first."""
        mine, values = ("", ()) if self._store.node is None else (" AND node = ?", (self._store.node.id,))
        query = f"SELECT match FROM sittings WHERE state = 'playing'{mine} ORDER BY number"  # noqa: S608
        return [name for (name,) in self._store.rows(query, values)]

    def owner(self, name: str) -> tuple[str, State] | None:
        """Return the node that sees to a match, empty where none does, and its state; None where it is over."""
        query = f"SELECT COALESCE(node, ''), state FROM sittings WHERE match = ? AND {OPEN}"  # noqa: S608
        return next(((str(node), state) for node, state in self._store.rows(query, (name,))), None)

    def has(self, name: str) -> bool:
        """Tell whether there is one of this name."""
        return bool(self._store.rows("SELECT 1 FROM sittings WHERE match = ?", (name,)))

    def find(self, name: str) -> ArenaMatch:
        """Return one by its name; `UnknownRecordError`."""
        rows = self._store.rows(WHOLE + " WHERE match = ?", (name,))
        if not rows:
            raise unknown(name)
        return read_sitting(rows[0])

    def search(
        self,
        *,
        state: State | None = None,
        owner: int | None = None,
        words: str = "",
        known: Sequence[str] = (),
        game: str = "",
        after: int = 0,
        most: int = 50,
    ) -> tuple[ArenaMatch, ...]:
        """Return matches that anybody may find, or those of an owner, the newest first; `after` is a number to go on from.

        Words are part of a title or begin a player's name; `known` are whole names in records of whom the words mean elsewhere.
        """
        wanted: list[tuple[str, tuple[object, ...]]] = [("owner = ?", (owner,)) if owner is not None else ("NOT hidden", ())]
        if state is not None:
            wanted.append(("state = ?", (state,)))
        if after:
            wanted.append(("number < ?", (after,)))
        if game:
            wanted.append(("game = ?", (game,)))
        if words:
            named = "lower(name) BETWEEN lower(?) AND lower(?)" + " OR lower(name) = ?" * len(known)
            either = f"lower(title) LIKE lower(?) ESCAPE '\\' OR match IN (SELECT match FROM seats WHERE {named})"  # noqa: S608
            wanted.append((f"({either})", (f"%{_literal(words)}%", words, words + LAST, *known)))
        query = WHOLE + " WHERE " + " AND ".join(condition for condition, _ in wanted) + " ORDER BY number DESC LIMIT ?"
        return tuple(read_sitting(row) for row in self._store.rows(query, (*(one for _, given in wanted for one in given), most)))

    def seated(self, people: Sequence[str]) -> tuple[ArenaMatch, ...]:
        """Return the matches being played, here or at another node, at which one of these people sits, the newest first."""
        named = " OR ".join(["plan LIKE ? ESCAPE '\\'"] * len(people))
        query = WHOLE + f" WHERE state = 'playing' AND ({named}) ORDER BY number DESC"
        return tuple(read_sitting(row) for row in self._store.rows(query, [f'%"{_literal(one)}"%' for one in people]))

    def called(self, starter: str) -> int:
        """Return how many matches that somebody called are not over, at all nodes together."""
        query = f"SELECT count(*) FROM sittings WHERE starter = ? AND {OPEN}"  # noqa: S608
        return int(self._store.rows(query, (starter,))[0][0])

    def of_engine(self, number: int, most: int) -> tuple[ArenaMatch, ...]:
        """Return the last matches of an engine that have begun, the newest first."""
        mine = " WHERE match IN (SELECT match FROM seats WHERE engine = ?) AND state != 'waiting' ORDER BY number DESC LIMIT ?"
        return tuple(read_sitting(row) for row in self._store.rows(WHOLE + mine, (number, most)))

    def rated(self, game: str, key: str = "") -> Iterator[Rated]:
        """Return what was played for the ranking of a game, or of the added game of a key, in the order of calling."""
        judged, sought = (REFEREE, "lower(r.name) = lower(?)") if key else ("", "m.game = ?")
        query = (
            "SELECT m.name, m.verdict, a.name, b.name FROM matches m JOIN sittings s ON s.match = m.name"  # noqa: S608
            " JOIN seats a ON a.match = m.name AND a.seat = 0 JOIN seats b ON b.match = m.name AND b.seat = 1"
            f"{judged} WHERE {sought} AND {COUNTED} ORDER BY m.number"
        )
        for name, verdict, one, other in self._store.rows(query, (key or game,)):
            yield Rated(name, verdict, (one, other))

    def rated_keys(self) -> frozenset[str]:
        """Return the keys of the added games that somebody is rated in."""
        query = f"SELECT DISTINCT r.name FROM matches m JOIN sittings s ON s.match = m.name{REFEREE} WHERE {COUNTED}"  # noqa: S608
        return frozenset(key for (key,) in self._store.rows(query))

    # ── changing ───────────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, sitting: ArenaMatch, *, shown: bool = False) -> None:
        """Queue a new match with its seats; `shown`: one of the house for its visitors."""
        name, number, state, plan, owner, title, hidden = sitting
        self._store.write(
            "INSERT INTO sittings (match, number, state, plan, owner, title, hidden, game, shown, node, starter)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(name, number, state, plan.text(), owner, title, hidden, plan.game.name, shown),
                *(None if self._store.node is None else self._store.node.id, plan.starter),
            ),
        )
        for seat, sitter in enumerate(plan.sitters):
            self._seat(name, seat, sitter)

    def reseat(self, sitting: ArenaMatch, seat: Seat) -> None:
        """Queue that a free chair of a match was taken."""
        changed = (sitting.plan.text(), sitting.state, sitting.name)
        self._store.write("UPDATE sittings SET plan = ?, state = ? WHERE match = ?", changed)
        self._seat(sitting.name, seat, sitting.plan.sitters[seat])

    def _seat(self, match: str, seat: int, sitter: Sitter) -> None:
        if isinstance(sitter, HouseSeat) or (isinstance(sitter, PersonSeat) and not sitter.who):
            return
        engine = sitter.number or None if isinstance(sitter, EngineSeat) else None
        account = int(sitter.who[len(ACCOUNT) :]) if isinstance(sitter, PersonSeat) and sitter.who.startswith(ACCOUNT) else None
        query = "INSERT INTO seats (match, seat, name, engine, account) VALUES (?, ?, ?, ?, ?)"
        self._store.append(query, (match, seat, sitter.name, engine, account))

    def take_back(self, name: str) -> None:
        """Queue the removal of a match that has not begun."""
        self._store.write("DELETE FROM sittings WHERE match = ? AND state = 'waiting'", (name,))
        self._store.write(f"DELETE FROM seats WHERE match = ? AND NOT EXISTS ({THERE})", (name, name))  # noqa: S608

    def entitle(self, name: str, title: str, owner: int | None) -> None:
        """Queue a title and an owner for a match."""
        self._store.write("UPDATE sittings SET title = ?, owner = ? WHERE match = ?", (title, owner, name))

    def decide(self, name: str) -> None:
        """Queue that a match is decided, and its record kept back."""
        self._store.write("UPDATE sittings SET state = 'decided' WHERE match = ?", (name,))

    def over(self, name: str) -> None:
        """Queue that a match is over."""
        self._store.write("UPDATE sittings SET state = 'over' WHERE match = ?", (name,))

    # ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    @staticmethod
    def orphans(execute: Execute) -> bool:
        """Tell whether some match is seen to by no node that lives."""
        return bool(execute(f"SELECT 1 FROM sittings WHERE {OPEN} AND {ORPHANED} LIMIT 1", ()))  # noqa: S608

    @staticmethod
    def claim(execute: Execute, node: str) -> tuple[str, ...]:
        """Let a node see to every match that no node which lives sees to; where nodes change one at a time (`records.nodes`)."""
        query = f"UPDATE sittings SET node = ? WHERE {OPEN} AND {ORPHANED} RETURNING match"  # noqa: S608
        return tuple(name for (name,) in execute(query, (node,)))

    @staticmethod
    def hand_over(execute: Execute, node: str, heir: str) -> None:
        """Give what a node sees to to another; it waits for whoever comes where there is none."""
        execute(f"UPDATE sittings SET node = ? WHERE {OPEN} AND node = ?", (heir or None, node))  # noqa: S608

    @staticmethod
    def shares(execute: Execute) -> dict[str, int]:
        """Return how many matches that are not over each node sees to."""
        query = f"SELECT node, count(*) FROM sittings WHERE {OPEN} AND node IS NOT NULL GROUP BY node"  # noqa: S608
        return {str(node): int(count) for node, count in execute(query, ())}

    # ── games of the house for its visitors ────────────────────────────────────────────────────────────────────────

    def shown(self) -> list[str]:
        """Return the names of those that are over and that nobody saved, the oldest first."""
        rows = self._store.rows(f"SELECT match FROM sittings WHERE {SHOWN} ORDER BY number")  # noqa: S608
        return [name for (name,) in rows]

    def forget_shown(self, name: str) -> None:
        """Queue the removal of one of them with its record."""
        # asked in the very statements that remove it, behind whatever is being written: somebody may just have saved it
        self._store.write(f"DELETE FROM sittings WHERE match = ? AND {SHOWN}", (name,))  # noqa: S608
        self._store.forget(name, unless=THERE)

    @staticmethod
    def erase(connection: Connection, account: Account) -> None:
        """Blank the titles that somebody gave."""
        connection.execute(update(SITTINGS).where(SITTINGS.c.owner == account.id).values(title=""))


class Traces:
    """What was exchanged with engines, for their owners."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, name: str, seat: Seat) -> list[tuple[int, str, str, str, int, str]]:
        """Return what was exchanged with the engine on a seat: sequence, when, what, text, status, body."""
        query = "SELECT sequence, at, what, text, status, body FROM traces WHERE match = ? AND seat = ? ORDER BY sequence"
        return [tuple(row) for row in self._store.rows(query, (name, seat))]

    def fault(self, name: str, seat: Seat) -> tuple[str, str, str, int, str] | None:
        """Return the last exchange on a seat that came to nothing: when, what, text, status, body."""
        query = (
            "SELECT at, what, text, status, body FROM traces WHERE match = ? AND seat = ?"
            " AND what IN ('failed', 'refused', 'unanswered') ORDER BY sequence DESC LIMIT 1"
        )
        return next((tuple(row) for row in self._store.rows(query, (name, seat))), None)

    def keeper(self, name: str, seat: Seat, *, fresh: bool) -> Callable[[Spoken], None]:
        """Return what keeps the exchanges with an engine for its owner; of a fresh match there are none."""
        count = 0
        if not fresh:
            query = "SELECT COALESCE(MAX(sequence), 0) FROM traces WHERE match = ? AND seat = ?"
            count = int(self._store.rows(query, (name, seat))[0][0])

        def keep(spoken: Spoken) -> None:
            nonlocal count
            if self._store.failed:  # a game that stops for it must still come to its end
                return
            count += 1
            began = datetime.fromtimestamp(spoken.at, UTC).isoformat(timespec="milliseconds")
            self._store.append(
                "INSERT INTO traces (match, seat, sequence, at, what, text, status, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (name, seat, count, began, spoken.what, spoken.text, spoken.status, spoken.body),
            )
            self._store.soon()  # the other side may think for days

        return keep

    @staticmethod
    def erase(connection: Connection, account: Account) -> None:
        """Forget what was exchanged with somebody's programs that he tried without registering them."""
        forget_programs(connection, names=(UNREGISTERED + account.neutral,))


def forget_programs(connection: Connection, engines: Collection[int] = (), names: Collection[str] = ()) -> None:
    """Forget what was exchanged with programs, and where they were: by number, or by the name on a seat where they have none."""
    theirs = or_(SEATS.c.engine.in_(engines), func.lower(SEATS.c.name).in_([name.lower() for name in names]))
    seats = select(SEATS.c.match, SEATS.c.seat).where(theirs)
    connection.execute(delete(TRACES).where(tuple_(TRACES.c.match, TRACES.c.seat).in_(seats)))
    found: dict[str, list[int]] = {}
    for match, seat in connection.execute(seats).all():
        found.setdefault(match, []).append(seat)
    for match, where in found.items():
        over = (SITTINGS.c.match == match, SITTINGS.c.state.in_(("decided", "over")))
        plan = connection.execute(select(SITTINGS.c.plan).where(*over)).scalar_one_or_none()
        if plan is not None:
            connection.execute(update(SITTINGS).where(*over).values(plan=without_addresses(plan, where)))


def _literal(text: str) -> str:
    """Return a text as LIKE finds it and nothing else."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def read_sitting(row: Sequence[Any]) -> ArenaMatch:
    """Return the match of a row."""
    name, number, state, plan, owner, title, hidden = row
    if not isinstance(plan, str):  # a damaged page can make anything of it
        raise StoreError("the plan of the match %(name)r is no text: the store is damaged", name=shorten(str(name), 20))
    return ArenaMatch(name, number, state, read_plan(plan), owner, title, bool(hidden))


def unknown(name: str) -> UnknownRecordError:
    """Return the refusal of a match that is not there, or not for whoever asks: nobody can tell which."""
    return UnknownRecordError("no match is called %(name)r here", name=shorten(name, 20))
