"""A record of the arcade told again, and two records of one match compared (spec: arcade, sections 3 and 4).

What is told follows from the recorded lines alone. In a duel each side keeps its own record, and so does the house between them:
if all three hold the same commands, nobody changed what was said; if the keys differ, somebody in between swapped them.
"""

from collections.abc import Iterator
from typing import NamedTuple

from arbitre.arcade.bout import Bout, Finish, Issue, News, Taken
from arbitre.arcade.referee import Call, Judge, read_call
from arbitre.arcade.voice import Language, fingerprint, tell
from arbitre.arcade.wire import Verb
from arbitre.errors import RecordError
from arbitre.games.game import Seat
from arbitre.reasons import N_, Reason
from arbitre.records.event import OUTPUTS, Kind
from arbitre.records.record import Record
from arbitre.referee.verdict import Verdict
from arbitre.words import words

LABELS = {"commentator": N_("commentator"), "referee": N_("referee"), "error": N_("error")}
"""Who speaks."""


class Reading(NamedTuple):
    """A record, heard again."""

    call: Call
    news: tuple[News, ...]
    bout: Bout
    verdict: Verdict | None

    @property
    def names(self) -> tuple[str, str]:
        """Who played."""
        return self.call.chairs[0].name, self.call.chairs[1].name

    @property
    def commands(self) -> list[tuple[Seat, str]]:
        """What was taken, in order; of the prologue, where neither waits for the other, the joueur's part first."""
        taken = [(item.seat, item.command) for item in self.news if isinstance(item, Taken)]
        before = [pair for pair in taken if pair[1].verb in (Verb.GROUP, Verb.PKEY)]
        after = taken[len(before) :]
        return [(seat, command.line()) for seat, command in sorted(before, key=lambda pair: pair[0]) + after]

    @property
    def fingerprint(self) -> str:
        """The short name of both keys, if both were declared."""
        return "" if None in self.bout.locks else fingerprint(self.bout)


def reread(record: Record, seed: bytes | None = None) -> Reading:
    """Hear a record again; the seed is taken from its end, or given for a match that is not over."""
    if not record.events or record.events[0].kind is not Kind.OPENED:
        raise RecordError("a record begins with the opening", 1)
    if record.events[-1].kind is Kind.REVEALED:
        seed = bytes.fromhex(record.events[-1].text)
    if seed is None:
        raise RecordError("the match is not over")
    call = read_call(record.events[0].text)
    judge = Judge(call, seed)
    affairs, _ = judge.open()
    news: list[News] = []
    for event in record.events[1:]:
        if event.kind not in OUTPUTS:
            affairs, _, told = judge.listen(affairs, event)
            news += told
    return Reading(call, tuple(news), affairs.bout, affairs.verdict)


def story(reading: Reading, language: Language = "en", every: bool = True) -> Iterator[str]:
    """Tell a match in lines for people; without `every` only faults, rulings and the end."""
    said = words(language).of
    notes = reading.call.notes or {}
    yield " · ".join([reading.call.title, " – ".join(reading.names), *(notes[key] for key in sorted(notes))])
    if reading.fingerprint:
        yield said(Reason("keys %(fingerprint)s", fingerprint=reading.fingerprint))
    for item in reading.news:
        for line in tell(item, reading.names, language):
            if every or line.kind != "commentator" or isinstance(item, Finish):
                yield f"┃ {said(Reason(LABELS[line.kind])).upper()} {line.words}" if line.kind != "commentator" else line.words
    if reading.verdict is None:
        yield f"┃ {said(Reason('the match is not over'))}"
    elif reading.bout.finish is None:
        yield f"┃ {said(Reason('no result: %(why)s', why=reading.verdict.reason))}"


def rounds(reading: Reading) -> int:
    """Return how many rounds were played."""
    return sum(isinstance(item, Issue) for item in reading.news)


def difference(one: Reading, two: Reading) -> Reason | None:
    """Say how two records of one match differ; nothing where they tell the same."""
    if one.call.match != two.call.match:
        return Reason("these are records of two matches, %(one)s and %(two)s", one=one.call.match, two=two.call.match)
    if one.call.terms != two.call.terms:
        return Reason("the terms differ: %(one)s and %(two)s", one=one.call.terms, two=two.call.terms)
    if one.fingerprint and two.fingerprint and one.fingerprint != two.fingerprint:
        swapped = N_("the keys differ, %(one)s and %(two)s: somebody between the two has swapped them")
        return Reason(swapped, one=one.fingerprint, two=two.fingerprint)
    said, heard = one.commands, two.commands
    for number, (mine, theirs) in enumerate(zip(said, heard, strict=False), start=1):
        if mine != theirs:
            return Reason("command %(number)s differs: %(one)s and %(two)s", number=number, one=_short(mine), two=_short(theirs))
    if one.bout.finish and two.bout.finish and one.bout.scores != two.bout.scores:
        scores = {"one": _score(one), "two": _score(two), "said": len(said), "heard": len(heard)}
        return Reason("the scores differ: %(one)s and %(two)s, for one has %(said)s commands and the other %(heard)s", **scores)
    return None


def _short(command: tuple[Seat, str]) -> str:
    seat, line = command
    return f"{('joueur', 'adversaire')[seat]} {line if len(line) < 40 else line[:39] + '…'}"


def _score(reading: Reading) -> str:
    return f"{reading.bout.scores[0]} – {reading.bout.scores[1]}"
