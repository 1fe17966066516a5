"""Scenes in a visitor's words: what the stream of a game sends to a page.

One scene becomes one JSON object: the query for the interface, the lines of the story in the visitor's language, the clocks. The
game itself is told by `games.screen`, through the view of that eye and nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import dumps, loads
from typing import Any
from urllib.parse import unquote

from arbitre.errors import RecordError
from arbitre.games.added.notation import RULING
from arbitre.games.game import SECOND, AnyGame, Seat
from arbitre.games.screen import Phrase, ScreenWire, Shown, Surroundings
from arbitre.games.telling import telling_of
from arbitre.games.wires import screen_of, unspeakable, wire_of
from arbitre.records.event import Kind, plain, read_reason
from arbitre.referee.scenes import Scene, SceneLine
from arbitre.referee.story import Told, moved
from arbitre.referee.turning import Turning
from arbitre.referee.verdict import Termination, Verdict, read_verdict
from arbitre.referee.verify import Finding, Proof
from arbitre.values import value
from arbitre.words import Words

WAIT = 4
"""Tenths of a second between a move and what it does, on our pages."""


def N_(text: str) -> str:  # noqa: N802 - the usual name: it marks words for the catalogue
    """Mark a text that is translated where it is shown."""
    return text


PHRASES = {
    Phrase.BLACK_PASSES: N_("Black passes"),
    Phrase.WHITE_PASSES: N_("White passes"),
    Phrase.I_PASS: N_("I pass"),
    Phrase.READY: N_("Ready"),
}

KINDS = {
    Kind.REFUSED: N_("refused"),
    Kind.RESIGNED: N_("resigns"),
    Kind.LEFT: N_("gone"),
    Kind.GARBLED: N_("fault"),
    Kind.TICKED: N_("time"),
    Kind.RESUMED: N_("back"),
    Kind.ABANDONED: N_("abandoned"),
    Kind.ACKNOWLEDGED: N_("acknowledged"),
    Kind.DECLINED: N_("declines"),
    Kind.OFFERED: N_("offers a draw"),
    Kind.SETTLED: N_("takes the draw"),
}

WORDS = {
    Kind.RESIGNED: N_("%(name)s gives up"),
    Kind.LEFT: N_("%(name)s is gone: %(why)s"),
    Kind.GARBLED: N_("%(name)s breaks the protocol: %(why)s"),
    Kind.REFUSED: N_("%(why)s"),
    Kind.TICKED: N_("the time is up"),
    Kind.RESUMED: N_("the referee was away and is back; nobody is charged for it"),
    Kind.ABANDONED: N_("the house gave the game up: %(why)s"),
    Kind.ACKNOWLEDGED: N_("%(name)s acknowledges"),
    Kind.DECLINED: N_("%(name)s declines the opening: %(why)s"),
    Kind.OFFERED: N_("%(name)s offers a draw"),
    Kind.SETTLED: N_("%(name)s takes the draw"),
}

TALE = {kind: words for kind, words in WORDS.items() if kind is not Kind.REFUSED} | {
    Kind.STRAY: N_("%(name)s speaks out of turn: %(why)s"),
    Kind.NOTED: N_("%(name)s notes: %(why)s"),
}
"""What players and house did beside moving, when a match is told from its record."""

NOBODY = N_("nobody is there: %(why)s")

TERMINATIONS = {
    Termination.RESIGNED: N_("the other side gave up"),
    Termination.OUT_OF_TIME: N_("the other side ran out of time"),
    Termination.ILLEGAL_MOVE: N_("illegal move: %(why)s"),
    Termination.PROTOCOL_ERROR: N_("broken protocol: %(why)s"),
    Termination.DISCONNECTED: N_("the other side is gone: %(why)s"),
    Termination.ADJUDICATED: N_("adjudicated: %(why)s"),
    Termination.AGREED: N_("%(why)s"),
    Termination.NOT_PLAYED: N_("not played: %(why)s"),
    Termination.REFUSED: N_("%(why)s"),
    Termination.ABANDONED: N_("%(why)s"),
    Termination.REFEREE_FAILED: N_("the external referee: %(why)s"),
}


LOST = {
    Termination.RESIGNED: N_("you gave up"),
    Termination.OUT_OF_TIME: N_("your time ran out"),
}
"""The same, said to who has lost by it."""

STANDINGS = {
    Proof.VERIFIED: N_("verified"),
    Proof.ATTESTED: N_("attested"),
    Proof.INTACT: N_("intact"),
    Proof.INCOMPLETE: N_("incomplete"),
    Proof.FOREIGN: N_("of another format"),
    Proof.BROKEN: N_("broken"),
}


def finding_in(words: Words, finding: Finding, names: Sequence[str]) -> tuple[str, str]:
    """Return what a record is worth, in one word and in a line, in the visitor's language."""
    standing = words(STANDINGS[finding.standing])
    if finding.verdict is None or not finding.key:
        return standing, plain(words.of(finding.why))
    parts = [
        Teller(None, names, words).verdict(finding.verdict),
        words.number("%(count)s event", "%(count)s events", finding.events),
        *([words.number("interrupted once", "interrupted %(count)s times", finding.pauses)] if finding.pauses else ()),
        words("key %(key)s", key=finding.key),
    ]
    return standing, ", ".join(parts)


@value
class Ending:
    """How a game ended, for the banner over its board."""

    title: str
    why: str
    tally: tuple[str, ...]


def ending_in(words: Words, verdict: Verdict, names: Sequence[str], seats: Sequence[int]) -> Ending:
    """Return how a game ended for who sat on `seats`, or for somebody else."""
    why = plain(words.of(verdict.reason))[:400]
    scores = verdict.scores
    if scores is None:
        title = words(N_("No result"))
    elif max(scores) == 0:
        title = words(N_("Nobody wins"))
    elif len(winners := [seat for seat, score in enumerate(scores) if score == max(scores)]) > 1:
        title = words(N_("Draw"))
    elif len(seats) == 1:
        title = words(N_("You win")) if winners == list(seats) else words(N_("You lose"))
    else:
        title = words(N_("%(name)s wins"), name=names[winners[0]])
    lost = scores is not None and len(seats) == 1 and scores[seats[0]] < max(scores)
    if lost and verdict.termination in LOST:
        why = words(LOST[verdict.termination])
    elif verdict.termination is not Termination.RULES and any(scores or (1,)):
        why = words(TERMINATIONS[verdict.termination], why=why)
    tally = tuple(str(one).replace("-", "−") for one in verdict.tally or ())
    return Ending(title, why, tally if len(names) == 2 else ())


def turning_in(words: Words, found: Turning) -> tuple[str, str, str]:
    """Return what the move is to the game, which move it is, and what it did."""
    move = words(N_("Move %(number)s"), number=found.turn)
    if found.said:
        move = words(N_("Move %(number)s, %(said)s"), number=found.turn, said=plain(found.said))
    if not found.behind:
        return words(N_("In front to stay")), move, words(N_("%(count)s ahead, and never behind"), count=found.after)
    before = words(N_("%(count)s behind"), count=-found.before) if found.before else words(N_("level"))
    return words(N_("Turning point")), move, words(N_("from %(before)s to %(after)s ahead"), before=before, after=found.after)


def reason_in(words: Words, text: str) -> str:
    """Return the reason in an event's text in the visitor's language; what is none, as it is."""
    try:
        return plain(words.of(read_reason(text)))[:400] if text else ""
    except RecordError:
        return plain(text)[:400]


LABELS = {"board": N_("board"), "may": N_("possible"), "chosen": N_("{cell} chosen")}
"""What boards of all games call things, by their keys."""


def labels_of(game: str, words: Words) -> dict[str, str]:
    """Return what the parts of a game's interface are called in the visitor's language."""
    return {key: words(text) for key, text in {**LABELS, **wire_of(game).screen.labels}.items()}


def screen_for(game: AnyGame, people: frozenset[Seat]) -> ScreenWire | None:
    """Return the screen of a game, None where it has no interface."""
    return screen_of(game, people) if unspeakable(game) is None else None


class Teller:
    """Tells the scenes of one match in one language."""

    def __init__(
        self,
        screen: ScreenWire | None,
        names: Sequence[str],
        words: Words,
        *,
        game: AnyGame | None = None,
        mute: bool = False,
        below: Seat | None = None,
    ) -> None:
        self.screen = screen
        self.telling = None if game is None else telling_of(game)
        self.below = below
        """Where the reader sits, below on the page: a board that everybody sees at last is turned as that player had it."""
        self.neutral = frozenset[Seat]() if screen is None else screen.game.neutral
        self.names = tuple(names)
        self.words = words
        self.mute = mute

    def tell(self, scene: Scene, *, returns: str = "", moments: bool = False) -> str:
        """Return a scene as JSON; `returns` is where the interface sends the move of the seat that looks.

        `past` is the query for when the question was answered: the same board, and nobody is asked.
        """
        told: dict[str, Any] = {
            "n": scene.number,
            "turn": scene.turn,
            "lines": self._told(scene),
            "awaits": sorted(scene.awaits),
            "left": scene.left,
            "asks": scene.asks is not None,
            "closed": scene.closed,
        }
        if self.telling is not None and (scores := self.telling.scores(scene.view)) is not None:
            told["scores"] = scores
        if moments:
            told["moment"] = scene.moment
        if self.screen is not None:
            # a question goes out with the address of its answer and never without: an interface that is asked may take moves
            asks = scene.eye if isinstance(scene.eye, int) and scene.asks is not None and returns else None
            shown = self.screen.show(scene.view, scene.eye, before=scene.before, asks=asks)
            if self.screen.turns and scene.eye == "referee" and self.below == SECOND:
                shown = replace(shown, side=SECOND)
            told["query"] = self._query(shown, returns)
            if asks is not None:
                told["past"] = self._query(self.screen.show(scene.view, scene.eye, before=scene.before), "")
            between = None if scene.before is None else self.screen.between(scene.view, scene.before)
            if between is not None:
                told["between"] = self._query(between, "")
        if scene.verdict is not None:
            told["verdict"] = loads(scene.verdict.text()) | {"words": self.verdict(scene.verdict)}
        return dumps(told, ensure_ascii=False, separators=(",", ":"))

    def _query(self, shown: Shown, returns: str) -> str:
        legend = None if shown.legend is None else self.words(PHRASES[shown.legend])
        names = (self.names[0], self.names[1]) if len(self.names) > 1 else (None, None)
        given = returns if shown.asks is not None and returns else None
        return shown.query(Surroundings(names, legend, returns=given, wait=WAIT, mute=self.mute))

    def _told(self, scene: Scene) -> list[dict[str, Any]]:
        """Return what was said, what followed from it, and the verdict last."""
        lines = [*self._lines(scene), *self._heard(scene)]
        return sorted(lines, key=lambda line: line["kind"] == "ended")

    def _lines(self, scene: Scene) -> list[dict[str, Any]]:
        refused = {line.seat for line in scene.lines if line.kind is Kind.REFUSED}
        return [self._line(line) | (self._deed(line, scene) if line.seat not in refused else {}) for line in scene.lines]

    def _deed(self, line: SceneLine, scene: Scene) -> dict[str, Any]:
        """Return what a move did, in words; `instead` where they say all."""
        if line.kind is not Kind.SAID or self.telling is None or scene.before is None or line.seat in self.neutral:
            return {}
        name = "" if line.seat == self.below else self.names[line.seat]
        deed = self.telling.move(line.text, Seat(line.seat), scene.before, scene.view, name)
        if deed is None:
            return {}
        return {"words": plain(self.words.of(deed.words)), **({"instead": True} if deed.instead else {})}

    def _line(self, line: SceneLine) -> dict[str, Any]:
        if line.kind is Kind.SAID:
            text = ruled(line.text) if line.seat in self.neutral else plain(line.text)
            spent = {} if line.spent is None else {"spent": line.spent}
            return {"kind": "said", "seat": line.seat, "turn": line.turn, "text": text[:200] or "…", **spent}
        if line.kind is Kind.ENDED:
            said = self.verdict(read_verdict(line.text))
            return {"kind": "ended", "label": self.words(N_("verdict")), "seat": -1, "text": said}
        name = self.names[line.seat] if 0 <= line.seat < len(self.names) else ""
        said = NOBODY if line.kind in (Kind.LEFT, Kind.DECLINED) and not name else WORDS[line.kind]
        text = self.words(said, name=name, why=reason_in(self.words, line.text))
        return {"kind": line.kind.value, "label": self.words(KINDS[line.kind]), "seat": line.seat, "text": text}

    def _heard(self, scene: Scene) -> list[dict[str, Any]]:
        """Return what an umpire has announced since the scene before, and what else has happened."""
        found = []
        if self.telling is not None and scene.before is not None:
            told = self.telling.since(scene.before, scene.view, self._reader())
            found += [(self.words(N_("referee")), plain(self.words.of(one))) for one in told]
        if self.screen is not None:
            announced = self.screen.tray.notation.announced(scene.before, scene.view, self.words.language)
            found += [(self.words(N_("umpire")), said) for said in announced]
        return [{"kind": "umpire", "label": label, "seat": -1, "text": said} for label, said in found]

    def _reader(self) -> list[str]:
        """Return the names as they stand in a sentence for the reader."""
        return [
            self.words(N_("%(name)s (you)"), name=name) if seat == self.below else name for seat, name in enumerate(self.names)
        ]

    def tale(self, told: Told) -> Iterator[str]:
        """Tell a match that is over in lines, from the first word to the verdict."""
        yield " · ".join((told.match.opening.game.name, " – ".join(self.names)))
        before = told.start
        for moment in told.moments:
            event = moment.event
            name = self.names[event.seat] if 0 <= event.seat < len(self.names) else ""
            if event.kind is Kind.SAID and event.seat in self.neutral:
                yield f"{event.turn:4}  {name}: {ruled(event.text)}"
            elif event.kind is Kind.SAID:
                yield from moved(told.match, before, moment, self.names, "referee", self.words.of)
            elif event.kind in TALE:
                yield f"┃ {self.words(TALE[event.kind], name=name, why=reason_in(self.words, event.text))}"
            for output in moment.outputs:
                if output.kind is Kind.REFUSED:
                    yield f"┃ {self.words(KINDS[Kind.REFUSED])} · {reason_in(self.words, output.text)}"
            before = moment.affairs
        if told.last.verdict is not None:
            yield f"┃ {self.words(N_('verdict'))} · {self.verdict(told.last.verdict)}"

    def verdict(self, verdict: Verdict) -> str:
        """Say who won and why."""
        words, why = self.words, plain(self.words.of(verdict.reason))[:400]
        if verdict.termination is not Termination.RULES and any(verdict.scores or (1,)):
            why = words(TERMINATIONS[verdict.termination], why=why)
        tally = f" ({' – '.join(map(str, verdict.tally))})" if verdict.tally else ""
        if verdict.scores is None:
            return words(N_("no result: %(why)s"), why=why)
        best = max(verdict.scores)
        winners = [name for name, score in zip(self.names, verdict.scores, strict=False) if score == best]
        if best == 0:
            return words(N_("nobody wins: %(why)s"), why=why)
        if len(winners) == 1:
            return words(N_("%(name)s wins: %(why)s"), name=winners[0], why=why) + tally
        return words(N_("a draw: %(why)s"), why=why) + tally


def ruled(text: str) -> str:
    """Return what an external referee answered, to be read by people: the board or the fault, and the gains."""
    found = RULING.fullmatch(text)
    if found is None:
        return plain(text)
    gains = [unquote(gain) for gain in found.group(2, 3)]
    return plain(unquote(found[4])) + (f" ({' – '.join(map(plain, gains))})" if any(gains) else "")
