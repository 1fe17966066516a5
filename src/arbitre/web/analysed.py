"""An analysis as people read it: who was ahead, what decided the game, what would have been better, on a board that plays it.

One value for the page of the site and for the page that stands alone (`arbitre analyse --html`): everything is drawn here, the
script shows one picture after the other. The game is over, so its pictures are the referee's.
"""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from arbitre.analysis.analysis import GRADES, Analysis, Grade, called, course_of, decimal, grade, line_called, loss, moment
from arbitre.analysis.document import Document
from arbitre.errors import MoveError
from arbitre.games.analysis import WHOLE, Ply, analyst_class
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame, Awaits
from arbitre.games.miniature import miniature_of
from arbitre.games.notation import notation_of
from arbitre.reasons import N_
from arbitre.records.event import plain
from arbitre.referee.story import Told, sentence
from arbitre.referee.verdict import Verdict
from arbitre.values import value
from arbitre.web.annotated import coordinates, marked
from arbitre.web.render import HERE, environment
from arbitre.words import Words, words

MOST_LINES = 12
"""So many mistakes, the worst, have their better line drawn move by move."""
MOST_REMARKS = 200
"""So many, the worst, are told; all are counted."""
MOST_FRAMES = 400
"""A longer game is drawn up to here; its figures go on."""
WIDE, HIGH = 600, 160
"""The curve's room."""


@value
class Frame:
    """One picture of the board."""

    id: str
    """`0` before the first move, `7` after the seventh; `7-2` after two moves of what would have been better than the seventh."""
    drawn: Markup
    caption: str
    tally: str = ""
    """What each of two has, where the game counts something."""


@value
class Remark:
    """One move that lost something."""

    number: int
    """The number of the ply, from 1."""
    name: str
    said: str
    grade: str
    kind: str
    loss: str
    better: str
    """The better line, in text; empty where only the move is known."""
    playable: int
    """How many pictures the better line has."""
    decided: bool
    where: float
    """Where it is on the curve, from 0 to `WIDE`."""
    before: Markup | None
    """The position in which it was played, where it decided the game."""
    told: str
    """What it did to the game."""


@value
class Mark:
    """How one player did."""

    name: str
    accuracy: str
    words: str
    """What the figure means."""
    counts: tuple[int, ...]


@value
class Check:
    """What a visitor's own browser needs to check an analysis: addresses."""

    file: str
    """What the document is called when it is fetched."""
    document: str
    record: str
    rules: str
    """The rules of the game as a module; empty where it brings none."""


@value
class Report:
    """An analysis in the words of one language."""

    title: str
    game: str
    ending: str
    measure: str
    names: tuple[str, ...]
    frames: tuple[Frame, ...]
    last: int
    """The number of the last frame of the game."""
    curve: str
    """The curve as the path of an area."""
    solved: float | None
    """Where exact figures begin, None where none are."""
    remarks: tuple[Remark, ...]
    marks: tuple[Mark, ...]
    grades: tuple[str, ...]
    engine: str
    digest: str
    nodes: int
    seed: int
    record: str
    coordinates: Markup
    """What cells are called, to lie over the board; empty where their names are no coordinates."""
    pieces: tuple[str, str]
    """The classes of both players' pieces."""
    certified: tuple[int, ...]
    """The plies before which the position is proved by certificates."""
    wide: int = WIDE
    high: int = HIGH

    @property
    def moments(self) -> tuple[Remark, ...]:
        """Those that decided the game."""
        return tuple(one for one in self.remarks if one.decided)


def report(document: Document, told: Told, names: Sequence[str], speak: Words) -> Report:
    """Return an analysis as people of a language read it."""
    analysis, course, game = document.analysis, course_of(told), told.match.game
    kind = analyst_class(game.name)
    remarks = _remarks(document, game, course, names, speak)
    frames = [*_game_frames(told, course, names, speak), *_line_frames(game, document, course, remarks, speak)]
    exact = next((at for at, one in enumerate(analysis.judgements) if one.solved), None)
    verdict, small = told.last.verdict, miniature_of(game)
    slip = _slip(analysis, verdict)
    title = speak(N_("Nobody let anything slip"))
    if slip is not None:
        title = speak(N_("%(name)s let it slip at move %(move)s"), name=names[analysis.seats[slip]], move=slip + 1)
    return Report(
        title,
        listing(game.name).called(speak.language),
        "" if verdict is None else plain(speak.of(sentence(verdict, names))),
        speak.of(kind.measure),
        tuple(names),
        tuple(frames),
        min(len(course), MOST_FRAMES),
        _curve(analysis.curve),
        None if exact is None else _across(exact, len(course)),
        remarks,
        _marks(document, names, speak),
        tuple(speak(GRADES[one]) for one in Grade),
        analysis.engine.name,
        analysis.engine.digest,
        analysis.effort.nodes,
        analysis.effort.seed,
        document.record,
        Markup(coordinates(game.name)),  # noqa: S704 - of a game's own names for its cells
        ("first", "second") if small is None else small.marks,
        tuple(one.ply + 1 for one in document.certificates),
    )


def _slip(analysis: Analysis, verdict: Verdict | None) -> int | None:
    """Return the ply that a page is called after: the last moment of somebody who did not win, else the costliest."""
    scores = None if verdict is None else verdict.scores
    if scores is not None:
        lost = [at for at in analysis.moments if scores[analysis.seats[at]] < max(scores)]
        if lost:
            return lost[-1]
    return max(analysis.moments, key=lambda at: analysis.judgements[at].loss, default=None)


def _remarks(document: Document, game: AnyGame, course: Sequence[Ply], names: Sequence[str], speak: Words) -> tuple[Remark, ...]:
    analysis, kind = document.analysis, analyst_class(game.name)
    moments = frozenset(analysis.moments)
    graded = [at for at, one in enumerate(analysis.judgements) if grade(one) is not None or at in moments]
    worst = sorted(graded, key=lambda at: -analysis.judgements[at].loss)
    drawn = frozenset(worst[:MOST_LINES])
    found = []
    for at in sorted(worst[:MOST_REMARKS]):
        one, ply = analysis.judgements[at], course[at]
        how, said = grade(one), called(game, ply, ply.text)
        found.append(
            Remark(
                at + 1,
                names[ply.seat],
                speak.of(said),
                "" if how is None else speak(GRADES[how]),
                "" if how is None else how.value,
                speak.of(loss(one, kind.unit, speak.language)),
                speak.of(line_called(game, ply, one.line)),
                len(one.line) if at in drawn and at < MOST_FRAMES else 0,
                at in moments,
                _across(at + 1, len(course)),
                drawing(game, ply.before, None) if at in moments else None,
                speak.of(moment(one, said, called(game, ply, one.move), kind, len(names))),
            )
        )
    return tuple(found)


def _marks(document: Document, names: Sequence[str], speak: Words) -> tuple[Mark, ...]:
    performances = document.analysis.performances(len(names))
    return tuple(
        Mark(name, decimal(one.accuracy, 10, speak.language), speak.of(one.words), tuple(count for _, count in one.grades))
        for name, one in zip(names, performances, strict=True)
    )


# ── pictures ───────────────────────────────────────────────────────────────────────────────────────────────────────


def drawing(game: AnyGame, state: Any, before: Any) -> Markup:
    """Return the picture of a position that is open to all; as text where the game draws none."""
    small = miniature_of(game)
    view, last = (None if one is None else game.view(one, "referee") for one in (state, before))
    if small is None:
        return Markup("<pre>{}</pre>").format(notation_of(game).picture(view))
    return Markup(small.draw(game, view, last))  # noqa: S704 - made by a game of the catalogue, of numbers


def _tally(game: AnyGame, state: Any) -> str:
    small = miniature_of(game)
    found = None if small is None else small.tally(game.view(state, "referee"))
    return "" if found is None else f"{found[0]}:{found[1]}"


def _frame(name: str, game: AnyGame, state: Any, before: Any, caption: str) -> Frame:
    return Frame(name, drawing(game, state, before), caption, _tally(game, state))


def _game_frames(told: Told, course: Sequence[Ply], names: Sequence[str], speak: Words) -> list[Frame]:
    game = told.match.game
    frames = [_frame("0", game, told.start.truth, None, speak(N_("before the first move")))]
    for number, ply in enumerate(course[:MOST_FRAMES], start=1):
        said = speak.of(called(game, ply, ply.text))
        caption = speak(N_("%(move)s. %(name)s: %(said)s"), move=number, name=names[ply.seat], said=said)
        frames.append(_frame(str(number), game, ply.after, ply.before, caption))
    return frames


def _line_frames(
    game: AnyGame, document: Document, course: Sequence[Ply], remarks: Sequence[Remark], speak: Words
) -> list[Frame]:
    frames: list[Frame] = []
    for remark in remarks:
        at = remark.number - 1
        if remark.playable:
            frames += _line(game, course[at], document.analysis.judgements[at].line, remark, speak)
    return frames


def _line(game: AnyGame, ply: Ply, line: Sequence[str], remark: Remark, speak: Words) -> list[Frame]:
    """Draw a better line, as far as its moves alone lead on; of a game with secrets its first move is named, not drawn.

    Nor is it where several move at once, or where the dice are asked: what comes then depends on more than the line says. The
    first picture has the whole line on it, in figures.
    """
    notation, state = notation_of(game), ply.before
    moves = [speak.of(called(game, ply, line[0])), *map(plain, line[1:])]
    frames: list[Frame] = []
    for nth, text in enumerate(() if game.hides else line, start=1):
        phase = game.phase(state)
        if not isinstance(phase, Awaits) or len(phase.seats) != 1:
            break
        try:
            move = notation.read(text, state)
            game.check(state, move)
        except MoveError:
            break
        before, state = state, game.play(state, dict.fromkeys(phase.seats, move))
        frames.append(_frame(f"{remark.number}-{nth}", game, state, before, _numbered(moves[:nth])))
    caption = speak(
        N_("before move %(move)s: ✗ %(said)s as played; better %(line)s"),
        move=remark.number, said=remark.said, line=_numbered(moves[: max(1, len(frames))]),
    )  # fmt: skip
    first = marked(game, drawing(game, ply.before, None), ply.seat, ply.text, line[: len(frames)])
    return [Frame(f"{remark.number}-0", Markup(first), caption, _tally(game, ply.before)), *frames]  # noqa: S704 - marks of ours


def _numbered(moves: Sequence[str]) -> str:
    """Return moves with their numbers, as they stand on the board."""
    return "\u2002".join(f"{chr(0x2460 + at)}\u00a0{move}" for at, move in enumerate(moves[:20]))


# ── the curve ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _across(at: int, plies: int) -> float:
    return round(WIDE * at / max(1, plies), 1)


def _curve(shares: Sequence[int]) -> str:
    """Return the area between the curve and the middle; the first player's side is above."""
    points = [f"{_across(at, len(shares))} {HIGH - HIGH * share / WHOLE:.1f}" for at, share in enumerate(shares, start=1)]
    return f"M0 {HIGH / 2:g}L{'L'.join(points)}L{WIDE} {HIGH / 2:g}Z" if points else ""


# ── a page that stands alone ───────────────────────────────────────────────────────────────────────────────────────


def alone(document: Document, told: Told, language: str) -> str:
    """Return the analysis as one page that needs nothing else: no file, no address, no connection."""
    found = report(document, told, told.names, words(language))
    sheet = "\n".join(HERE.joinpath("static", name).read_text(encoding="utf-8") for name in ("site.css", "analysis.css"))
    script = HERE.joinpath("static", "analysis.js").read_text(encoding="utf-8")
    page = environment(language).get_template("analysis_alone.html")
    return page.render(report=found, language=language, sheet=Markup(sheet), script=Markup(script))  # noqa: S704 - files of ours
