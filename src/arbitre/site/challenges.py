"""Personal challenges: an owner's engine asks another owner's for a match, and that owner says yes or no."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NewType

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from arbitre.errors import ForbiddenError, QuotaError, StageError, UnknownError
from arbitre.games.labels import key_of
from arbitre.records.tables import CHALLENGES
from arbitre.site.accounts import Account
from arbitre.site.added import row_of
from arbitre.site.database import Database
from arbitre.site.engines import EngineId, owned_by, usable
from arbitre.site.forms import check_title
from arbitre.values import value

ChallengeId = NewType("ChallengeId", int)

MOST_RECALLED = 500
"""So many of the latest challenges are looked at when the house comes back."""


class Reply(StrEnum):
    """Where a challenge is."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"
    """It was accepted, and no match of it came to a result."""


@value
class Challenge:
    """An engine that asks another for a match; the challenger has the first seat."""

    id: ChallengeId
    challenger: EngineId
    challenged: EngineId
    answer: Reply
    match: str | None
    """The match, once it is played: the last one, where it had to be played again."""
    created: int


def _challenge(row: Sequence[Any]) -> Challenge:
    number, challenger, challenged, state, *rest = row
    return Challenge(ChallengeId(number), EngineId(challenger), EngineId(challenged), Reply(state), *rest)


class Challenges:
    """All challenges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def propose(self, by: Account, mine: EngineId, theirs: EngineId) -> Challenge:
        """Challenge a public engine of somebody else's with one's own; the same challenge waits only once."""
        most = self._database.settings.challenges
        with self._database.writing() as connection:
            one, other = (usable(connection, number) for number in (mine, theirs))
            if one is None or one.owner != by.id:
                raise UnknownError("you have no engine with the number %(mine)s", mine=mine)
            if other is None or not (other.public or other.owner == by.id):
                raise UnknownError("no engine has the number %(theirs)s", theirs=theirs)
            if other.owner == by.id:
                raise ForbiddenError("both engines are yours: start a game")
            if one.game != other.game:
                raise ForbiddenError("one plays %(game)s, the other %(game2)s", game=one.game, game2=other.game)
            if (key := key_of(one.game)) and not _judged(connection, key):
                raise ForbiddenError(
                    "%(key)s is out of use, or its referee answers in a browser: it is for training alone", key=key
                )
            waiting = select(CHALLENGES).where(CHALLENGES.c.state == Reply.PROPOSED)
            pair = waiting.where(CHALLENGES.c.challenger == mine, CHALLENGES.c.challenged == theirs)
            same = connection.execute(pair).first()
            if same is not None:
                return _challenge(same)
            mine_waiting = waiting.where(CHALLENGES.c.challenger.in_(owned_by(by))).subquery()
            if connection.execute(select(func.count()).select_from(mine_waiting)).scalar_one() >= most:
                raise QuotaError("%(most)s of your challenges wait for an answer: withdraw one first", most=most)
            made = {"challenger": mine, "challenged": theirs, "state": Reply.PROPOSED, "created": self._database.now()}
            return _challenge(connection.execute(insert(CHALLENGES).values(made).returning(CHALLENGES)).one())

    def accept(self, by: Account, number: ChallengeId) -> Challenge:
        """Say yes, for the engine that was challenged."""
        return self._answer(by, number, CHALLENGES.c.challenged, Reply.ACCEPTED)

    def decline(self, by: Account, number: ChallengeId) -> Challenge:
        """Say no."""
        return self._answer(by, number, CHALLENGES.c.challenged, Reply.DECLINED)

    def withdraw(self, by: Account, number: ChallengeId) -> Challenge:
        """Take one's own challenge back."""
        return self._answer(by, number, CHALLENGES.c.challenger, Reply.WITHDRAWN)

    def _answer(self, by: Account, number: ChallengeId, side: Any, answer: Reply) -> Challenge:
        with self._database.writing() as connection:
            found = connection.execute(select(CHALLENGES).where(CHALLENGES.c.id == number, side.in_(owned_by(by)))).first()
            if found is None:
                raise UnknownError("you have no challenge with the number %(number)s to answer", number=number)
            if found.state != Reply.PROPOSED:
                raise StageError("this challenge is %(state)s", state=found.state)
            return self._set(connection, number, state=answer)

    def played(self, number: ChallengeId, match: str) -> Challenge:
        """Take down the match that came of it: the house's to say, once."""
        with self._database.writing() as connection:
            found = connection.execute(select(CHALLENGES).where(CHALLENGES.c.id == number)).first()
            if found is None:
                raise UnknownError("no challenge has the number %(number)s", number=number)
            if found.state != Reply.ACCEPTED or found.match is not None:
                raise StageError("this challenge waits for no match")
            return self._set(connection, number, match=check_title(match, "match"))

    def again(self, number: ChallengeId) -> Challenge:
        """Take down that its match came to nothing and is to be played again: the house's to say."""
        return self._came_to_nothing(number, match=None)

    def fail(self, number: ChallengeId) -> Challenge:
        """Take down that an accepted challenge cannot be played: the house's to say, and why."""
        return self._came_to_nothing(number, state=Reply.FAILED)

    def _came_to_nothing(self, number: ChallengeId, **changed: object) -> Challenge:
        with self._database.writing() as connection:
            found = connection.execute(select(CHALLENGES).where(CHALLENGES.c.id == number)).first()
            if found is None:
                raise UnknownError("no challenge has the number %(number)s", number=number)
            if found.state != Reply.ACCEPTED:
                raise StageError("this challenge is %(state)s", state=found.state)
            return self._set(connection, number, **changed)

    def of(self, account: Account) -> tuple[Challenge, ...]:
        """Return the challenges of somebody's engines, in both directions, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(select(CHALLENGES).where(_with(account)).order_by(CHALLENGES.c.id.desc()).limit(100))
            return tuple(map(_challenge, rows))

    def due(self) -> tuple[Challenge, ...]:
        """Return those that were accepted and not played yet: what the house has to see to."""
        with self._database.reading() as connection:
            sought = (CHALLENGES.c.state == Reply.ACCEPTED, CHALLENGES.c.match.is_(None))
            return tuple(map(_challenge, connection.execute(select(CHALLENGES).where(*sought).order_by(CHALLENGES.c.id))))

    def begun(self) -> tuple[Challenge, ...]:
        """Return the latest whose match was called: what a house that comes back has to look at."""
        with self._database.reading() as connection:
            sought = (CHALLENGES.c.state == Reply.ACCEPTED, CHALLENGES.c.match.is_not(None))
            latest = select(CHALLENGES).where(*sought).order_by(CHALLENGES.c.id.desc()).limit(MOST_RECALLED)
            return tuple(map(_challenge, connection.execute(latest)))

    def erase(self, connection: Connection, account: Account) -> None:
        """Forget the challenges of somebody's engines, in both directions."""
        connection.execute(delete(CHALLENGES).where(_with(account)))

    def _set(self, connection: Connection, number: ChallengeId, **changed: object) -> Challenge:
        done = update(CHALLENGES).where(CHALLENGES.c.id == number).values(**changed).returning(CHALLENGES)
        return _challenge(connection.execute(done).one())


def _with(account: Account) -> ColumnElement[bool]:
    """Return the condition that an engine of somebody's is on either side."""
    return or_(CHALLENGES.c.challenger.in_(owned_by(account)), CHALLENGES.c.challenged.in_(owned_by(account)))


def _judged(connection: Connection, key: str) -> bool:
    """Tell whether an added game has a referee whom both owners can trust not to be forged by the other."""
    found = row_of(connection, key)
    return found is not None and found.retired is None and not found.framed
