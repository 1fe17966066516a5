"""A record told again: step by step for programs, line by line for people, and in the forms of other programs.

What is told is what the judge finds when he hears the inputs again, so a story cannot say anything that the record does not
prove. A match that is not over is told as a spectator may know it.
"""

from collections.abc import Callable, Iterator, Sequence
from json import dumps, loads
from typing import NamedTuple

from arbitre.errors import RecordError, shorten
from arbitre.games.catalogue import fetch, listing, listings
from arbitre.games.exports import Finished
from arbitre.games.game import Awaits, Seat
from arbitre.records.event import NOBODY, OUTPUTS, Event, Kind, plain, read_reason
from arbitre.records.record import Record
from arbitre.referee.courts import court_of
from arbitre.referee.match import Match, MatchStage, MatchState
from arbitre.referee.terms import DUEL, read_opening
from arbitre.referee.verdict import Termination, Verdict

DEEDS = {
    Kind.RESIGNED: "gives up",
    Kind.LEFT: "is gone",
    Kind.GARBLED: "breaks the protocol",
    Kind.STRAY: "speaks out of turn",
    Kind.ACKNOWLEDGED: "acknowledges",
    Kind.AGREED: "agrees to the opening",
    Kind.DECLINED: "declines the opening",
    Kind.OFFERED: "offers a draw",
    Kind.SETTLED: "takes the draw",
    Kind.NOTED: "notes",
}

VERBATIM = frozenset({Kind.STRAY, Kind.DECLINED, Kind.NOTED})
"""Deeds whose text is what somebody said, no reason."""


class Moment(NamedTuple):
    """One input, what followed from it, and how the match stood then."""

    event: Event
    outputs: tuple[Event, ...]
    affairs: MatchState


class Told(NamedTuple):
    """A match being told: its judge, how it stood when it was called, and every moment since."""

    match: Match
    start: MatchState
    moments: tuple[Moment, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Who played."""
        return tuple(chair.name for chair in self.match.opening.chairs)

    @property
    def last(self) -> MatchState:
        """How the match stands."""
        return self.moments[-1].affairs if self.moments else self.start


def tell(record: Record, seed: bytes | None = None) -> Told:
    """Hear a record again; the seed is taken from its end, or given for a match that is not over."""
    if not record.events:
        raise RecordError("nothing is recorded of this match")
    last = record.events[-1]
    if last.kind is Kind.REVEALED:
        seed = bytes.fromhex(last.text)
    if seed is None:
        raise RecordError("the match is not over, and its secrets are closed")
    match = Match(read_opening(record.events[0].text), seed)
    start = affairs = match.open()[0]
    moments = []
    for event in record.events[1:]:
        if event.kind not in OUTPUTS:
            affairs, outputs = match.hear(affairs, event)
            moments.append(Moment(event, outputs, affairs))
    return Told(match, start, tuple(moments))


def story(told: Told, boards: bool = False) -> Iterator[str]:
    """Tell a match in lines for people; with `boards` draw the position after every move."""
    match, names = told.match, told.names
    opening = match.opening
    notes = opening.notes or {}
    yield " · ".join([opening.game.name, " – ".join(names), *(plain(notes[key]) for key in sorted(notes))])
    over = told.last.stage is MatchStage.CLOSED
    if opening.start:
        yield "from " + (plain(opening.start) if over or not match.game.hides else "a position that is not open yet")
    if boards:
        yield match.notation.picture(match.game.view(told.start.truth, "referee" if over else "spectator"))
    before = told.start
    phase = told.last.phase
    pending = phase.turn if told.last.answers and isinstance(phase, Awaits) else None
    for moment in told.moments:
        yield from _line(moment, names, not over and _closed(match, before, moment.event, pending))
        if boards and moment.event.kind is Kind.SAID and not moment.affairs.answers:
            yield match.notation.picture(match.game.view(moment.affairs.truth, "referee" if over else "spectator"))
        before = moment.affairs
    verdict = told.last.verdict
    yield f"┃ VERDICT {sentence(verdict, names)}" if verdict else "┃ the match is not over"


def _closed(match: Match, before: MatchState, event: Event, pending: int | None) -> bool:
    """Tell whether words must not be told yet: a secret, a move that waits for others, or who knows what out of turn."""
    if event.kind is Kind.SAID:
        return event.turn == pending or match.game.secret(before.truth, Seat(event.seat))
    return event.kind is Kind.NOTED or (event.kind is Kind.STRAY and match.game.hides)


def _line(moment: Moment, names: Sequence[str], closed: bool) -> Iterator[str]:
    event = moment.event
    if event.kind is Kind.SAID:
        yield f"{event.turn:4}  {names[event.seat]}: {'…' if closed else plain(event.text)}"
    elif event.kind in DEEDS and event.seat != NOBODY:
        words = "…" if closed else _words(event)
        yield f"┃ {names[event.seat]} {DEEDS[event.kind]}{': ' + words if words else ''}"
    elif event.kind in (Kind.TICKED, Kind.RESUMED, Kind.ABANDONED, Kind.LEFT, Kind.DECLINED):
        yield f"┃ {event.kind.value.upper()} {_words(event)}".rstrip()
    for output in moment.outputs:
        if output.kind is Kind.REFUSED and not closed:
            yield f"┃ REFUSED {_words(output)}"


def _words(event: Event) -> str:
    """Return what an event says: a reason in words, what a player itself said as it is, nothing of how it agreed."""
    if not event.text or event.kind is Kind.AGREED:
        return ""
    verbatim = event.kind in VERBATIM and event.seat != NOBODY
    return plain(event.text if verbatim else str(read_reason(event.text)))


def sentence(verdict: Verdict, names: Sequence[str]) -> str:
    """Say who won and why."""
    why = plain(
        str(verdict.reason) if verdict.termination is Termination.RULES else f"{verdict.termination.value}, {verdict.reason}"
    )
    tally = f" ({' – '.join(map(str, verdict.tally))})" if verdict.tally else ""
    if verdict.scores is None:
        return f"no result: {why}"
    best = max(verdict.scores)
    winners = [
        name for name, score in zip(names, verdict.scores, strict=False) if score == best
    ]  # who takes no side has no score
    if best == 0:
        return f"nobody wins: {why}"
    return f"{winners[0]} wins: {why}{tally}" if len(winners) == 1 else f"a draw: {why}{tally}"


# ── forms of other programs ────────────────────────────────────────────────────────────────────────────────────────


def _story(told: Told, record: Record) -> str:  # noqa: ARG001 - every form has the same signature
    return "\n".join(story(told)) + "\n"


def _record(told: Told, record: Record) -> str:  # noqa: ARG001
    return record.text()


def _json(told: Told, record: Record) -> str:
    """Write everything as one JSON value, with the position after every move."""
    notation, game = told.match.notation, told.match.game
    steps = [
        {
            "kind": moment.event.kind.value,
            "seat": moment.event.seat,
            "turn": moment.event.turn,
            "at": moment.event.at,
            "text": moment.event.text,
            "position": notation.write_view(game.view(moment.affairs.truth, "referee")),
        }
        for moment in told.moments
    ]
    verdict = None if told.last.verdict is None else loads(told.last.verdict.text())
    head = None if record.seal is None else record.seal.head
    whole = {"opening": loads(record.events[0].text), "steps": steps, "verdict": verdict, "head": head}
    return dumps(whole, ensure_ascii=False, indent=1) + "\n"


def finished(told: Told) -> Finished:
    """Return a match for the writer of another form; in the league what the rules do not end is interrupted, and nobody won."""
    verdict, opening = told.last.verdict, told.match.opening
    scores, remark = None if verdict is None else verdict.scores, ""
    if verdict is not None and verdict.termination is not Termination.RULES:
        duel = any(chair.player == DUEL for chair in opening.chairs)
        scores = None if duel else scores
        remark = f"interrupted: {plain(str(verdict.reason))}" if duel else sentence(verdict, told.names)
    said = [(moment.event.text, moment.affairs.truth) for moment in told.moments if moment.event.kind is Kind.SAID]
    return Finished(told.names, opening.notes or {}, told.start.truth, tuple(said), scores, remark)


FORMS: dict[str, Callable[[Told, Record], str]] = {"record": _record, "story": _story, "json": _json}
"""The forms of every game, each with its writer."""


def forms_of(name: str) -> tuple[str, ...]:
    """Return the forms that a finished match of a game has."""
    return (*FORMS, *listing(name).exports)


def export(record: Record, form: str) -> str:
    """Return a finished record in another form."""
    forms = court_of(record.events[0].text).forms
    if forms:
        if form not in forms:
            raise RecordError(
                "%(form)s is for games, and this record has other forms: %(forms)s", form=form, forms=", ".join(forms)
            )
        return forms[form](record)
    told = tell(record)
    if form in FORMS:
        return FORMS[form](told, record)
    name = told.match.game.name
    check_form(form, name)
    return str(fetch(listing(name).exports[form])(finished(told)))


def check_form(form: str, name: str) -> None:
    """Refuse a form that no match of a game has; `RecordError` says whose it is."""
    if form not in forms_of(name):
        theirs = [one.name for one in listings() if form in one.exports]
        if not theirs:
            raise RecordError(
                "there is no form %(form)r; of %(name)s there are: %(forms)s",
                form=shorten(form),
                name=name,
                forms=", ".join(forms_of(name)),
            )
        raise RecordError("%(form)s is for %(theirs)s, and this is %(name)s", form=form, theirs=" and ".join(theirs), name=name)
