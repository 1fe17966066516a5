"""The referee of the arcade: the lines of a bout as events, and the verdict that follows from them.

The opening says `"protocol":"arcade"`, the level with what it fixes, the time for each command, who sits where, and who kept
the record: the referee, or one of the sides. Inputs are lines (`said`), the clock (`ticked`), a side that is gone (`left`) and a
house that failed (`abandoned`); outputs are what was refused, the issue of every round, the verdict, and the seed of the
record's salts. So one `verify` serves this record like any other (spec: arcade, section 3).
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from arbitre.arcade.bout import Bout, Ending, Finish, Heard, Issue, News, Refused, Step, Taken, hear, late, left
from arbitre.arcade.terms import Checks, Encoding, Oracle, Terms, ponder
from arbitre.crypto.chain import commitment
from arbitre.errors import RecordError, TranscriptError
from arbitre.games.game import Seat
from arbitre.records.event import NOBODY, Event, Kind, canonical, read_object, read_reason, write_reason
from arbitre.referee.match import MatchStage
from arbitre.referee.terms import PUBLIC, Chair, LogTerms, read_log
from arbitre.referee.verdict import Termination, Verdict
from arbitre.values import value

PROTOCOL = "arcade"

SECONDS = 60
"""Time for each command that is expected."""

TERMINATIONS = {
    Ending.GOAL: Termination.RULES,
    Ending.DISGRACE: Termination.RULES,
    Ending.FAULTS: Termination.PROTOCOL_ERROR,
    Ending.SILENCE: Termination.OUT_OF_TIME,
    Ending.GONE: Termination.DISCONNECTED,
    Ending.LENGTH: Termination.ADJUDICATED,
}


@value
class Call:
    """The opening of a match at the arcade."""

    match: str
    chairs: tuple[Chair, Chair]
    commitment: str
    terms: Terms
    limit: int | None = SECONDS * 1_000
    """Milliseconds for each command that is expected; None: no clock runs."""
    keeper: str = "referee"
    notes: Mapping[str, str] | None = None
    referee: str = ""
    """The public key of whoever keeps the record: no other can seal it."""
    opened: int = 0
    """When the match was called, in seconds of UTC since 1970."""
    log: LogTerms | None = None

    @property
    def title(self) -> str:
        """What was played."""
        return f"{PROTOCOL} {self.terms.level}"

    def text(self) -> str:
        """Return the opening as canonical JSON."""
        terms = self.terms
        return canonical(
            {
                "arbitre": 2,
                "chairs": [{"key": chair.key, "name": chair.name, "player": chair.player} for chair in self.chairs],
                "commitment": self.commitment,
                "keeper": self.keeper,
                "limit": self.limit,
                "log": None if self.log is None else {"key": self.log.key, "within": self.log.within},
                "match": self.match,
                "notes": dict(self.notes or {}),
                "opened": self.opened,
                "protocol": PROTOCOL,
                "referee": self.referee,
                "terms": {
                    "checks": terms.checks.value,
                    "encoding": terms.encoding.value,
                    "goal": terms.goal,
                    "groups": terms.groups,
                    "level": terms.level,
                    "rounds": terms.rounds,
                },
            }
        )


def read_call(text: str) -> Call:
    """Return the opening that `Call.text` wrote; `RecordError` where it is not in form."""
    match read_object(text):
        case {
            "arbitre": 2,
            "chairs": [dict(one), dict(two)],
            "commitment": str(committed),
            "keeper": "referee" | "joueur" | "adversaire" as keeper,
            "limit": int() | None as limit,
            "log": dict() | None as log,
            "match": str(name),
            "notes": dict(notes),
            "opened": int(opened),
            "protocol": "arcade",
            "referee": str(referee),
            "terms": dict(terms),
        } if PUBLIC.fullmatch(referee):
            chairs, agreed = (_chair(one), _chair(two)), _terms(terms)
            call = Call(name, chairs, committed, agreed, limit, keeper, notes or None, referee, opened, read_log(log))
        case _:
            raise RecordError("the opening is not in form")
    if call.text() != text:
        raise RecordError("the opening is not in canonical form")
    return call


def _chair(fields: dict[str, object]) -> Chair:
    match fields:
        case {"key": str(key), "name": str(name), "player": str(player)}:
            return Chair(name, player, key)
        case _:
            raise RecordError("a chair is not in form")


def _terms(fields: dict[str, object]) -> Terms:
    match fields:
        case {
            "checks": str(checks),
            "encoding": str(encoding),
            "goal": int(goal),
            "groups": bool(groups),
            "level": str(level),
            "rounds": int(rounds),
        } if checks in set(Checks) and encoding in set(Encoding):
            return Terms(level, Encoding(encoding), Checks(checks), groups, goal, rounds)
        case _:
            raise RecordError("the terms are not in form")


# ── the judge ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Affairs(NamedTuple):
    """The state of affairs of a match at the arcade."""

    bout: Bout
    since: int = 0
    """The moment from which the bout waits for what it waits for."""
    now: int = 0
    stage: MatchStage = MatchStage.PLAY
    verdict: Verdict | None = None


class Judge:
    """The judge of one match at the arcade: made from its opening and the seed of its record."""

    def __init__(self, call: Call, seed: bytes, oracle: Oracle = ponder) -> None:
        if commitment(seed) != call.commitment:
            raise TranscriptError("the seed is not the one that was committed")
        self.call = call
        self.seed = seed
        self.oracle = oracle

    def open(self) -> tuple[Affairs, tuple[Event, ...]]:
        """Call the match."""
        return Affairs(Bout(self.call.terms)), (Event(Kind.OPENED, 0, NOBODY, 0, self.call.text()),)

    def hear(self, affairs: Affairs, event: Event) -> tuple[Affairs, tuple[Event, ...]]:
        """Take one input; `TranscriptError` if no referee could have taken it here."""
        affairs, outputs, _ = self.listen(affairs, event)
        return affairs, outputs

    def listen(self, affairs: Affairs, event: Event) -> tuple[Affairs, tuple[Event, ...], tuple[News, ...]]:
        """Take one input; return also the news, for whoever has to tell them."""
        if affairs.stage is MatchStage.CLOSED:
            raise TranscriptError("%(value)s after the end", value=event.kind.value)
        if event.at < affairs.now:
            raise TranscriptError("time runs backwards, from %(now)s to %(at)s", now=affairs.now, at=event.at)
        bout = affairs.bout
        now = turn(bout)
        if event.turn != now:
            raise TranscriptError("turn %(turn)s is not the one that is played, %(now)s", turn=event.turn, now=now)
        if event.kind is Kind.ABANDONED:
            affairs, outputs = self._close(
                affairs._replace(now=event.at), Verdict(None, Termination.ABANDONED, read_reason(event.text))
            )
            return affairs, outputs, ()
        after, news = self._heard(affairs, event)
        moved = after.step is not bout.step or after.locks is not bout.locks
        affairs = Affairs(after, event.at if moved else affairs.since, event.at)
        outputs = tuple([made for item in news if not isinstance(item, Taken) for made in _output(item, event.at, now)])
        if after.finish is not None:
            affairs, ends = self._close(affairs, verdict_of(after.finish))
            outputs += ends
        return affairs, outputs, news

    def _heard(self, affairs: Affairs, event: Event) -> Heard:
        bout = affairs.bout
        if event.kind is Kind.TICKED:
            if not self._late(affairs, event.at):
                raise TranscriptError("the clock was looked at before anybody was late")
            return late(bout, bout.awaited)
        if event.seat not in (0, 1):
            raise TranscriptError(
                "%(value)s by seat %(seat)s, which is not at this table", value=event.kind.value, seat=event.seat
            )
        seat = Seat(event.seat)
        if event.kind is Kind.LEFT:
            return left(bout, seat, read_reason(event.text))
        if event.kind is not Kind.SAID:
            raise TranscriptError("%(value)s is no input", value=event.kind.value)
        if seat in bout.awaited and self._late(affairs, event.at):
            return late(bout, bout.awaited)
        return hear(bout, seat, event.text, self.oracle)

    def deadline(self, affairs: Affairs) -> int | None:
        """Return the first moment at which whoever is awaited is late, if a clock runs."""
        return None if self.call.limit is None or affairs.verdict is not None else affairs.since + self.call.limit + 1

    def _late(self, affairs: Affairs, at: int) -> bool:
        due = self.deadline(affairs)
        return due is not None and at >= due

    def _close(self, affairs: Affairs, verdict: Verdict) -> tuple[Affairs, tuple[Event, ...]]:
        at, now = affairs.now, turn(affairs.bout)
        ended = Event(Kind.ENDED, at, NOBODY, now, verdict.text())
        revealed = Event(Kind.REVEALED, at, NOBODY, now, self.seed.hex())
        return affairs._replace(stage=MatchStage.CLOSED, verdict=verdict), (ended, revealed)


def turn(bout: Bout) -> int:
    """Return the turn of a record: 0 in the prologue, then one more than the number of the round."""
    before = bout.step is Step.PROLOGUE or (bout.step is Step.OVER and None in bout.locks)
    return 0 if before else bout.round + 1


def verdict_of(finish: Finish) -> Verdict:
    """Return the referee's last word about a bout."""
    if finish.winner is None:
        share = Fraction(0) if finish.ending is Ending.SILENCE else Fraction(1, 2)
        scores = (share, share)
    else:
        scores = (Fraction(1 - finish.winner), Fraction(finish.winner))
    return Verdict(scores, TERMINATIONS[finish.ending], finish.reason, finish.scores)


def _announced(news: Issue) -> str:
    """Return the issue of a round as canonical JSON, written by hand because there is one in every round."""
    (one, two), (first, second) = news.scores, news.signs
    winner = NOBODY if news.winner is None else news.winner
    return (
        f'{{"round":{news.round},"ruling":"{news.ruling.value}","scores":[{one},{two}],'
        f'"signs":["{first.name}","{second.name}"],"winner":{winner}}}'
    )


def _output(news: News, at: int, now: int) -> tuple[Event, ...]:
    if isinstance(news, Refused):
        return (Event(Kind.REFUSED, at, news.seat, now, write_reason(news.why)),)
    if isinstance(news, Issue):
        return (Event(Kind.ANNOUNCED, at, NOBODY, now, _announced(news)),)
    return ()
