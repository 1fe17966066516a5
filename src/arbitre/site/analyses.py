"""The analyses of a site: a bounded queue, shared fairly among people, and the documents that were made.

Both are rows of the database, so nothing that was accepted is lost, and every node shows the same. Whoever asks waits in a line;
**the lines take turns**: a wish gets the turn behind the last of its own line, but none that has gone by, and the lowest turn is
judged first. One person's hundred wishes hold nobody else up. People without an account share the line of their connection, so
that a new name gives nobody another turn.

Who judges (`site.judging`) takes a wish for some seconds and says again and again that it is at it; what is heard of no more is
taken by another. A wish that was taken three times and never came back is given up: perhaps it is what kills who takes it.
"""

import zlib
from enum import StrEnum
from logging import getLogger
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from arbitre.analysis.document import LARGEST, Document, read_document
from arbitre.errors import AnalysisError, ArbitreError, QuotaError
from arbitre.records.tables import ANALYSES, ANALYSTS
from arbitre.site.accounts import Account
from arbitre.site.database import Database
from arbitre.values import value

LOG = getLogger("arbitre.analyses")

MOST_WAITING = 200
"""Wishes of all people together that wait."""
MOST_EACH = 5
"""Wishes of one person that wait."""
MOST_A_LINE = 40
"""Wishes of one line: of all guests behind one connection."""
MOST_OF_EVENTS = 5_000
"""Games of competitions that wait without anybody having asked."""
MOST_KEPT = 20_000
"""Documents that are kept; the oldest make room."""
MOST_TRIES = 3
LEASE_SECONDS = 10.0
"""A wish is somebody's, and a worker is there, for so long after he was last heard, unless he says otherwise."""


class Stage(StrEnum):
    """Where an analysis is."""

    NONE = "none"
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


@value
class Progress:
    """How far an analysis has come."""

    stage: Stage
    before: int = 0
    """How many others are judged first, where it waits."""


@value
class Wish:
    """Whose wish an analysis is."""

    who: str
    """The person; empty where nobody in particular wants it, as for games of competitions."""
    line: str
    """In which line it waits."""


STATE, TURN, NUMBER = ANALYSES.c.state, ANALYSES.c.turn, ANALYSES.c.number
OPEN = STATE.in_((Stage.WAITING, Stage.WORKING))


class Analyses:
    """The queue and the documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ── asking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def ask(self, wish: Wish, match: str, key: str) -> Progress:
        """Put a match into a line, for whoever signs with a key, unless it is judged or waits already.

        `QuotaError` where the person has enough waiting, or the line or the queue is full.
        """
        with self._database.writing() as connection:
            found = connection.execute(select(STATE).where(ANALYSES.c.match == match)).scalar()
            if found is None or found == Stage.FAILED:
                self._check_room(connection, wish)
                connection.execute(delete(ANALYSES).where(ANALYSES.c.match == match))
                made = {"match": match, "state": Stage.WAITING, "who": wish.who, "line": wish.line, "key": key}
                turn = self._turn(connection, wish.line)
                connection.execute(insert(ANALYSES).values(**made, turn=turn, judge="", until=0.0, tries=0))
            return _progress(connection, match)

    @staticmethod
    def _check_room(connection: Connection, wish: Wish) -> None:
        def waiting(*which: Any) -> int:
            return int(connection.execute(select(func.count()).where(STATE == Stage.WAITING, *which)).scalar_one())

        asked = ANALYSES.c.who != ""
        if wish.who and (count := waiting(ANALYSES.c.who == wish.who)) >= MOST_EACH:
            raise QuotaError("%(count)s analyses of yours are waiting: let them come first", count=count)
        full = waiting(ANALYSES.c.line == wish.line) >= MOST_A_LINE or waiting(asked) >= MOST_WAITING
        if full if wish.who else waiting(~asked) >= MOST_OF_EVENTS:
            raise QuotaError("very many analyses are waiting: ask again later")

    @staticmethod
    def _turn(connection: Connection, line: str) -> int:
        """Return the next turn of a line, which none that has gone by is."""
        last = connection.execute(select(func.max(TURN)).where(OPEN, ANALYSES.c.line == line)).scalar()
        now = connection.execute(select(func.max(TURN)).where(STATE != Stage.WAITING)).scalar()
        return max(last or 0, now or 0) + 1

    def progress(self, match: str) -> Progress:
        """Tell how far the analysis of a match has come."""
        with self._database.reading() as connection:
            return _progress(connection, match)

    def document(self, match: str) -> Document | None:
        """Return the analysis of a match; None where there is none, or where what lies there cannot be read."""
        with self._database.reading() as connection:
            found = connection.execute(select(ANALYSES.c.document).where(ANALYSES.c.match == match)).scalar()
        if found is None:
            return None
        try:
            return read_document(unpacked(found))
        except ArbitreError as error:
            LOG.warning("the analysis of %s cannot be read: %s", match, error)
            return None

    def erase(self, connection: Connection, account: Account) -> None:
        """Let go of what somebody waits for; what was made says nothing of who wanted it."""
        connection.execute(delete(ANALYSES).where(ANALYSES.c.who == f"account:{account.id}", OPEN))

    # ── judging ────────────────────────────────────────────────────────────────────────────────────────────────────

    def take(self, judge: str, key: str, lease: float = LEASE_SECONDS) -> str | None:
        """Return the match whose turn it is, which is the judge's from now on; None where nothing waits."""
        with self._database.writing() as connection:
            now = self._now(connection)
            gone = (STATE == Stage.WORKING, ANALYSES.c.until < now)
            connection.execute(update(ANALYSES).where(*gone, ANALYSES.c.tries >= MOST_TRIES).values(**_over(Stage.FAILED)))
            free = select(NUMBER, ANALYSES.c.match).where(
                ANALYSES.c.key == key, or_(STATE == Stage.WAITING, (STATE == Stage.WORKING) & (ANALYSES.c.until < now))
            )
            found = connection.execute(free.order_by(TURN, NUMBER).limit(1)).first()
            if found is None:
                return None
            taken = {"state": Stage.WORKING, "judge": judge, "until": now + lease, "tries": ANALYSES.c.tries + 1}
            connection.execute(update(ANALYSES).where(found.number == NUMBER).values(**taken))
            return str(found.match)

    def renew(self, judge: str, match: str, lease: float = LEASE_SECONDS) -> bool:
        """Say that the judge is still at it; tell whether it is still his."""
        with self._database.writing() as connection:
            return connection.execute(_his(judge, match).values(until=self._now(connection) + lease)).rowcount == 1

    def finish(self, judge: str, match: str, text: str | None) -> bool:
        """Keep what a judge has made, None where it came to nothing; tell whether it was still his to say."""
        made = _over(Stage.FAILED) if text is None else {**_over(Stage.DONE), "document": zlib.compress(text.encode())}
        with self._database.writing() as connection:
            if connection.execute(_his(judge, match).values(**made)).rowcount == 0:
                return False
            ended = select(NUMBER).where(STATE.in_((Stage.DONE, Stage.FAILED))).order_by(NUMBER.desc())
            oldest = connection.execute(ended.offset(MOST_KEPT).limit(1)).scalar()
            if oldest is not None:
                connection.execute(delete(ANALYSES).where(oldest >= NUMBER, ~OPEN))
            return True

    def give_back(self, judge: str) -> None:
        """Let others take what a judge was at who stops in good order."""
        with self._database.writing() as connection:
            back = {"state": Stage.WAITING, "judge": "", "tries": ANALYSES.c.tries - 1}
            connection.execute(update(ANALYSES).where(STATE == Stage.WORKING, ANALYSES.c.judge == judge).values(**back))
            connection.execute(delete(ANALYSTS).where(ANALYSTS.c.name == judge))

    def recover(self) -> None:
        """Begin where nobody else can be at anything: what was being judged may be taken at once."""
        with self._database.writing() as connection:
            connection.execute(update(ANALYSES).where(STATE == Stage.WORKING).values(until=0.0))

    # ── workers ────────────────────────────────────────────────────────────────────────────────────────────────────

    def present(self, worker: str, key: str, lease: float = LEASE_SECONDS) -> None:
        """Say that a worker is there which signs with a key."""
        with self._database.writing() as connection:
            now = self._now(connection)
            connection.execute(delete(ANALYSTS).where(or_(ANALYSTS.c.name == worker, ANALYSTS.c.until < now)))
            connection.execute(insert(ANALYSTS).values(name=worker, key=key, until=now + lease))

    def has_workers(self, key: str) -> bool:
        """Tell whether some worker is there which signs with a key."""
        with self._database.reading() as connection:
            fresh = ANALYSTS.c.until > self._now(connection)
            return connection.execute(select(ANALYSTS.c.name).where(ANALYSTS.c.key == key, fresh).limit(1)).first() is not None

    def _now(self, connection: Connection) -> float:
        """Return the time; where several machines ask, the database's clock, which is the same for all."""
        if not self._database.place.database:
            return float(self._database.now())
        return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())


def _progress(connection: Connection, match: str) -> Progress:
    found = connection.execute(select(STATE, TURN, NUMBER).where(ANALYSES.c.match == match)).first()
    if found is None:
        return Progress(Stage.NONE)
    if found.state != Stage.WAITING:
        return Progress(Stage(found.state))
    sooner = or_(found.turn > TURN, (found.turn == TURN) & (found.number > NUMBER))
    before = select(func.count()).where(or_(STATE == Stage.WORKING, (STATE == Stage.WAITING) & sooner))
    return Progress(Stage.WAITING, int(connection.execute(before).scalar_one()))


def _his(judge: str, match: str) -> Any:
    return update(ANALYSES).where(ANALYSES.c.match == match, STATE == Stage.WORKING, ANALYSES.c.judge == judge)


def _over(stage: Stage) -> dict[str, object]:
    """Return what is left of a wish when it is over: nothing of who wanted it."""
    return {"state": stage, "who": "", "line": "", "judge": ""}


def unpacked(data: bytes) -> bytes:
    """Return a document that was made small; `AnalysisError` where it is not one of ours."""
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(data, LARGEST + 1)
    except zlib.error:
        raise AnalysisError("not canonical JSON") from None
    if not reader.eof or len(found) > LARGEST:
        raise AnalysisError("larger than %(most)s MiB", most=LARGEST >> 20)
    return found
