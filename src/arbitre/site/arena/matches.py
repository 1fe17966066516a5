"""What the arena keeps beside the records: who sits where in each match, whose it is, and what was exchanged with engines."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from arbitre.errors import StoreError, UnknownRecordError, shorten
from arbitre.games.game import Seat
from arbitre.records.event import canonical
from arbitre.records.store import Store
from arbitre.site.arena.plan import Plan, State, read_plan
from arbitre.tournoyons.trace import Spoken

SITTINGS = "SELECT match, number, state, plan, owner, title, hidden FROM sittings"


class Sitting(NamedTuple):
    """A match of the arena as it is kept: what it is, who sits there, whose it is."""

    name: str
    number: int
    state: State
    plan: Plan
    owner: int | None
    title: str
    hidden: bool
    """Whether only those who know its address find it."""


class Sittings:
    """All matches that were ever called here."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def count(self) -> int:
        """Return how many there are."""
        return int(self._store.rows("SELECT COALESCE(MAX(number), 0) FROM sittings")[0][0])

    def rows(self, state: State) -> list[Any]:
        """Return those in a state, the oldest first, unread: one that cannot be read must not hide the others."""
        return self._store.rows(SITTINGS + " WHERE state = ? ORDER BY number", (state,))

    def find(self, name: str) -> Sitting:
        """Return one by its name; `UnknownRecordError`."""
        rows = self._store.rows(SITTINGS + " WHERE match = ?", (name,))
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
    ) -> tuple[Sitting, ...]:
        """Return matches that anybody may find, or those of an owner, the newest first; `after` is a number to go on from.

        Words are part of a title or begin a player's name; `known` are whole names in records of whom the words mean elsewhere.
        """
        # a name is sought as the plan has it written, so that no words reach behind its end: there are addresses and guests
        title, named = (f"%{_literal(text)}%" for text in (words, f'"name":{canonical(words)[:-1]}'))
        wanted: list[tuple[str, tuple[object, ...]]] = [("owner = ?", (owner,)) if owner is not None else ("hidden = 0", ())]
        if state is not None:
            wanted.append(("state = ?", (state,)))
        if after:
            wanted.append(("number < ?", (after,)))
        if game:
            wanted.append(("json_extract(plan, '$.game') = ?", (game,)))
        if words:
            whole = ["%" + _literal('"name":' + canonical(one)) + "%" for one in known]
            either = " OR ".join(["title LIKE ? ESCAPE '\\'", *["plan LIKE ? ESCAPE '\\'"] * (1 + len(whole))])
            wanted.append((f"({either})", (title, named, *whole)))
        query = SITTINGS + " WHERE " + " AND ".join(condition for condition, _ in wanted) + " ORDER BY number DESC LIMIT ?"
        return tuple(read_sitting(row) for row in self._store.rows(query, (*(one for _, given in wanted for one in given), most)))


class Traces:
    """What was exchanged with engines, for their owners."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, name: str, seat: Seat) -> list[tuple[int, str, str, str, int, str]]:
        """Return what was exchanged with the engine on a seat: sequence, when, what, text, status, body."""
        query = "SELECT sequence, at, what, text, status, body FROM traces WHERE match = ? AND seat = ? ORDER BY sequence"
        return [tuple(row) for row in self._store.rows(query, (name, seat))]

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


def _literal(text: str) -> str:
    """Return a text as LIKE finds it and nothing else."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def read_sitting(row: Sequence[Any]) -> Sitting:
    """Return the match of a row."""
    name, number, state, plan, owner, title, hidden = row
    if not isinstance(plan, str):  # a damaged page can make anything of it
        raise StoreError("the plan of the match %(name)r is no text: the store is damaged", name=shorten(str(name), 20))
    return Sitting(name, number, state, read_plan(plan), owner, title, bool(hidden))


def unknown(name: str) -> UnknownRecordError:
    """Return the refusal of a match that is not there, or not for whoever asks: nobody can tell which."""
    return UnknownRecordError("no match is called %(name)r here", name=shorten(name, 20))
