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
from arbitre.games.game import Awaits, Eye, Seat
from arbitre.games.telling import telling_of
from arbitre.reasons import N_, Reason, Said
from arbitre.records.event import NOBODY, OUTPUTS, Event, Kind, plain, read_reason
from arbitre.records.record import Record
from arbitre.referee.courts import court_of
from arbitre.referee.match import Match, MatchStage, MatchState
from arbitre.referee.terms import DUEL, read_opening
from arbitre.referee.verdict import Termination, Verdict, ending

DEEDS = {
    Kind.RESIGNED: (N_("%(name)s gives up"), N_("%(name)s gives up: %(why)s")),
    Kind.LEFT: (N_("%(name)s is gone"), N_("%(name)s is gone: %(why)s")),
    Kind.GARBLED: (N_("%(name)s breaks the protocol"), N_("%(name)s breaks the protocol: %(why)s")),
    Kind.STRAY: (N_("%(name)s speaks out of turn"), N_("%(name)s speaks out of turn: %(why)s")),
    Kind.ACKNOWLEDGED: (N_("%(name)s acknowledges"), N_("%(name)s acknowledges: %(why)s")),
    Kind.AGREED: (N_("%(name)s agrees to the opening"), N_("%(name)s agrees to the opening")),
    Kind.DECLINED: (N_("%(name)s declines the opening"), N_("%(name)s declines the opening: %(why)s")),
    Kind.OFFERED: (N_("%(name)s offers a draw"), N_("%(name)s offers a draw: %(why)s")),
    Kind.SETTLED: (N_("%(name)s takes the draw"), N_("%(name)s takes the draw: %(why)s")),
    Kind.NOTED: (N_("%(name)s notes"), N_("%(name)s notes: %(why)s")),
}
"""What players do beside moving, without a reason and with one."""

LABELS = {
    Kind.TICKED: N_("ticked"),
    Kind.RESUMED: N_("resumed"),
    Kind.ABANDONED: N_("abandoned"),
    Kind.LEFT: N_("left"),
    Kind.DECLINED: N_("declined"),
}
"""What happens to a match that is no player's deed."""

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


def story(told: Told, boards: bool = False, said: Said = str) -> Iterator[str]:
    """Tell a match in lines for people; with `boards` draw the position after every move."""
    match, names = told.match, told.names
    opening = match.opening
    notes = opening.notes or {}
    yield " · ".join([opening.game.name, " – ".join(names), *(plain(notes[key]) for key in sorted(notes))])
    over = told.last.stage is MatchStage.CLOSED
    if opening.start:
        shown = over or not match.game.hides
        yield said(
            Reason("from %(start)s", start=plain(opening.start)) if shown else Reason("from a position that is not open yet")
        )
    if boards:
        yield match.notation.picture(match.game.view(told.start.truth, "referee" if over else "spectator"))
    before = told.start
    phase = told.last.phase
    pending = phase.turn if told.last.answers and isinstance(phase, Awaits) else None
    for moment in told.moments:
        closed = not over and _closed(match, before, moment.event, pending)
        if moment.event.kind is Kind.SAID and not closed:
            yield from moved(match, before, moment, names, "referee" if over else "spectator", said)
        yield from _line(moment, names, closed, said)
        if boards and moment.event.kind is Kind.SAID and not moment.affairs.answers:
            yield match.notation.picture(match.game.view(moment.affairs.truth, "referee" if over else "spectator"))
        before = moment.affairs
    verdict = told.last.verdict
    if verdict is None:
        yield f"┃ {said(Reason('the match is not over'))}"
    else:
        yield f"┃ {said(Reason('verdict')).upper()} {plain(said(sentence(verdict, names)))}"


def _closed(match: Match, before: MatchState, event: Event, pending: int | None) -> bool:
    """Tell whether words must not be told yet: a secret, a move that waits for others, or who knows what out of turn."""
    if event.kind is Kind.SAID:
        return event.turn == pending or match.game.secret(before.truth, Seat(event.seat))
    return event.kind is Kind.NOTED or (event.kind is Kind.STRAY and match.game.hides)


def moved(match: Match, before: MatchState, moment: Moment, names: Sequence[str], eye: Eye, said: Said) -> Iterator[str]:
    """Tell a move, what it did, and what else has happened since, as one eye saw it."""
    event, telling = moment.event, telling_of(match.game)
    line = f"{event.turn:4}  {names[event.seat]}: {plain(event.text)}"
    if any(one.kind is Kind.REFUSED for one in moment.outputs) or event.seat in match.game.neutral:
        yield line
        return
    seen = match.game.view(before.truth, eye), match.game.view(moment.affairs.truth, eye)
    deed = telling.move(event.text, Seat(event.seat), *seen, names[event.seat])
    yield line if deed is None else f"{line} · {plain(said(deed.words))}"
    yield from (f"┃ {plain(said(one))}" for one in telling.since(*seen, names))


def _line(moment: Moment, names: Sequence[str], closed: bool, said: Said) -> Iterator[str]:
    event = moment.event
    if event.kind is Kind.SAID:
        if closed:
            yield f"{event.turn:4}  {names[event.seat]}: …"
    elif event.kind in DEEDS and event.seat != NOBODY:
        bare, full = DEEDS[event.kind]
        why = "…" if closed else _words(event, said)
        yield f"┃ {said(Reason(full, name=names[event.seat], why=why) if event.text else Reason(bare, name=names[event.seat]))}"
    elif event.kind in LABELS:
        yield f"┃ {said(Reason(LABELS[event.kind])).upper()} {_words(event, said)}".rstrip()
    for output in moment.outputs:
        if output.kind is Kind.REFUSED and not closed:
            yield f"┃ {said(Reason('refused')).upper()} {_words(output, said)}"


def _words(event: Event, said: Said) -> str:
    """Return what an event says: a reason in words, what a player itself said as it is, nothing of how it agreed."""
    if not event.text or event.kind is Kind.AGREED:
        return ""
    verbatim = event.kind in VERBATIM and event.seat != NOBODY
    return plain(event.text if verbatim else said(read_reason(event.text)))


def sentence(verdict: Verdict, names: Sequence[str]) -> Reason:
    """Say who won and why; who shows it lets no terminal obey what is in it."""
    why = verdict.reason
    if verdict.termination is not Termination.RULES:
        why = Reason("%(termination)s, %(why)s", termination=ending(verdict.termination), why=why)
    if verdict.scores is None:
        return Reason("no result: %(why)s", why=why)
    if verdict.tally:
        why = Reason("%(why)s (%(tally)s)", why=why, tally=" – ".join(map(str, verdict.tally)))
    best = max(verdict.scores)
    winners = [
        name for name, score in zip(names, verdict.scores, strict=False) if score == best
    ]  # who takes no side has no score
    if best == 0:
        return Reason("nobody wins: %(why)s", why=why)
    return Reason("%(name)s wins: %(why)s", name=winners[0], why=why) if len(winners) == 1 else Reason("a draw: %(why)s", why=why)


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
        remark = plain(str(Reason("interrupted: %(why)s", why=verdict.reason) if duel else sentence(verdict, told.names)))
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
