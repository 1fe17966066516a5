"""Games that end because both sides agree how they stand: `agree` in the terms of a match, such as `5/3 =0.1/8@40`.

Players say how they see it (`info score=…` on a pipe, what engines say in their own languages, `Bot.remark`, a note at a site),
each for itself: positive is good for who says it. `5/3`: where one side says 5 or better, and the other -5 or worse, in three
moves of each in a row, the other has lost. `=0.1/8@40`: where both say between -0.1 and 0.1, in eight moves of each in a row
from turn 40 on, it is a draw. A move without a score breaks the row, so a player that says none plays on.

The terms stand in the opening and the scores in the notes before the moves, so the verdict follows from the record as any other
does, and whoever signs has signed what it says. The rules come first: a move that ends the game ends it by the rules.
"""

import re
from typing import TypeVar

from arbitre.errors import TermsError, shorten
from arbitre.reasons import Reason, declare
from arbitre.values import value

T = TypeVar("T")

declare(
    {
        "agreed-score": (
            "both sides agreed in %(moves)s moves that it is lost, at %(score)s",
            "les deux camps furent d’accord pendant %(moves)s coups que c’est perdu, à %(score)s",
        ),
        "agreed-level": (
            "both sides agreed in %(moves)s moves that it is level, within %(score)s",
            "les deux camps furent d’accord pendant %(moves)s coups que c’est égal, à %(score)s près",
        ),
    }
)

DIGITS, MILLION = 6, 1_000_000
"""Behind the point of a score; all are counted in millionths."""
NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
SCORE = re.compile(rf"(?<![^ ])score=([+-]?)({NUMBER})(?![^ ])")
FORM = re.compile(rf"(?:({NUMBER})/([1-9][0-9]{{0,2}}))?(?: ?=({NUMBER})/([1-9][0-9]{{0,2}})(?:@([1-9][0-9]{{0,4}}))?)?")


@value
class Row:
    """How clear a score must be, in millionths, for how many moves of each side, and from which turn on."""

    score: int
    moves: int
    since: int = 1

    @property
    def fields(self) -> dict[str, object]:
        """What a reason says of it."""
        return {"score": _written(self.score), "moves": self.moves}


@value
class ScoreTerms:
    """When a game is lost, and when it is level, because both sides say so; None: never."""

    lost: Row | None = None
    level: Row | None = None

    def text(self) -> str:
        """Return the terms in their one form."""
        parts = [f"{_written(self.lost.score)}/{self.lost.moves}"] if self.lost is not None else []
        if self.level is not None:
            since = f"@{self.level.since}" if self.level.since > 1 else ""
            parts.append(f"={_written(self.level.score)}/{self.level.moves}{since}")
        return " ".join(parts)


def read_agreement(text: str) -> ScoreTerms:
    """Return terms such as `5/3`, `=0.1/8` or `5/3 =0.1/8@40`; `TermsError`."""
    found = FORM.fullmatch(text.strip())
    if found is None or not found[0] or (found[1] is not None and not _read(found[1])):
        raise TermsError(
            "write a score and a number of moves, such as 5/3 or =0.1/8@40 or both, not %(text)r", text=shorten(text)
        )
    lost = None if found[1] is None else Row(_read(found[1]), int(found[2]))
    return ScoreTerms(lost, None if found[3] is None else Row(_read(found[3]), int(found[4]), int(found[5] or 1)))


def score_in(note: str) -> int | None:
    """Return the score that a note says, in millionths; of several the last counts."""
    found = SCORE.findall(note)
    if not found:
        return None
    sign, number = found[-1]
    return -_read(number) if sign == "-" else _read(number)


@value
class Agreement:
    """For how many moves in a row each side has called itself winning, lost or level; and what it says of the move to come."""

    winning: tuple[int, int] = (0, 0)
    losing: tuple[int, int] = (0, 0)
    level: tuple[int, int] = (0, 0)
    said: tuple[int | None, int | None] = (None, None)

    def hear(self, seat: int, score: int | None) -> "Agreement":
        """Take what a side says before its move; None: what it said does not count, for the move was refused."""
        return Agreement(self.winning, self.losing, self.level, _put(self.said, seat, score))

    def moved(self, terms: ScoreTerms, seat: int, turn: int) -> "Agreement":
        """Count what was said with a move."""
        score, lost, level = self.said[seat], terms.lost, terms.level
        up = lost is not None and score is not None and score >= lost.score
        down = lost is not None and score is not None and score <= -lost.score
        even = level is not None and score is not None and abs(score) <= level.score and turn >= level.since
        return Agreement(
            _put(self.winning, seat, self.winning[seat] + 1 if up else 0),
            _put(self.losing, seat, self.losing[seat] + 1 if down else 0),
            _put(self.level, seat, self.level[seat] + 1 if even else 0),
            _put(self.said, seat, None),
        )

    def loser(self, terms: ScoreTerms) -> int | None:
        """Return who has lost by what both say."""
        if terms.lost is not None:
            for seat in (0, 1):
                if min(self.losing[seat], self.winning[1 - seat]) >= terms.lost.moves:
                    return seat
        return None

    def is_level(self, terms: ScoreTerms) -> bool:
        """Tell whether it is a draw by what both say."""
        return terms.level is not None and min(self.level) >= terms.level.moves


def why_lost(terms: ScoreTerms) -> Reason:
    """Return the reason of a game that both sides called lost for one."""
    return Reason("agreed-score", **(terms.lost or Row(0, 0)).fields)


def why_level(terms: ScoreTerms) -> Reason:
    """Return the reason of a game that both sides called level."""
    return Reason("agreed-level", **(terms.level or Row(0, 0)).fields)


def _read(number: str) -> int:
    whole, _, rest = number.partition(".")
    return int(whole) * MILLION + int(rest.ljust(DIGITS, "0"))


def _written(score: int) -> str:
    whole, rest = divmod(score, MILLION)
    return f"{whole}.{rest:0{DIGITS}}".rstrip("0").rstrip(".")


def _put(pair: tuple[T, T], seat: int, one: T) -> tuple[T, T]:
    return (one, pair[1]) if seat == 0 else (pair[0], one)
