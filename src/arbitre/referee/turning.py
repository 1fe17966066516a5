"""Where a finished game turned: the move after which its winner stayed ahead, by what the game itself counts.

It follows from the record alone and needs no engine: the scores of `Telling`, ply by ply, with everything open. A game that
counts nothing has no such move, nor has one whose winner was not ahead in the end: five in a row, or a mate, beats any count.
"""

from typing import cast

from arbitre.games.game import Awaits, Eye, Seat
from arbitre.games.telling import telling_of
from arbitre.records.event import Kind
from arbitre.referee.match import MatchStage
from arbitre.referee.story import Told
from arbitre.values import value


@value
class Turning:
    """The move at which a game turned."""

    moment: int
    """How many moments of the match there were then."""
    turn: int
    seat: Seat
    """Who won."""
    said: str
    """The move; empty where its text alone does not say it."""
    before: int
    """By how much the winner led before it: nothing, or less."""
    after: int
    behind: bool
    """Whether the winner was ever behind."""


def turning(told: Told) -> Turning | None:
    """Return where a match that is over turned; None where nothing says so."""
    winner = _winner(told)
    leads = None if winner is None else _leads(told, winner)
    if winner is None or leads is None or leads[-1] <= 0:
        return None
    at = next((at for at in range(len(leads) - 1, 0, -1) if leads[at - 1] <= 0), 0)
    if at == 0 or told.moments[at - 1].event.kind is not Kind.SAID:
        return None
    said = _said(told, at)
    return Turning(at, told.moments[at - 1].event.turn, winner, said, leads[at - 1], leads[at], min(leads[:at]) < 0)


def _said(told: Told, at: int) -> str:
    """Return the move of a moment as it was said; empty where several moved at once, or where its text alone says nothing."""
    game, (event, _, after) = told.match.game, told.moments[at - 1]
    before = told.start if at == 1 else told.moments[at - 2].affairs
    if not isinstance(before.phase, Awaits) or len(before.phase.seats) > 1:
        return ""
    seen = game.view(before.truth, "referee"), game.view(after.truth, "referee")
    deed = telling_of(game).move(event.text, Seat(event.seat), *seen, "")
    return "" if deed is not None and deed.instead else event.text


def _winner(told: Told) -> Seat | None:
    """Return who won, None where nobody did alone."""
    verdict = told.last.verdict
    if told.last.stage is not MatchStage.CLOSED or verdict is None or verdict.scores is None or len(verdict.scores) != 2:
        return None
    one, other = verdict.scores
    return None if one == other else Seat(int(other > one))


def _leads(told: Told, winner: Seat) -> list[int] | None:
    """Return by how much the winner led at the start and after each moment; None where the game counts nothing."""
    game, eye = told.match.game, cast("Eye", "referee")
    telling = telling_of(game)
    scores = [telling.scores(game.view(one.truth, eye)) for one in (told.start, *(moment.affairs for moment in told.moments))]
    if not any(scores):
        return None
    found, last = [], 0
    for one in scores:
        last = last if one is None else one[winner] - one[1 - winner]
        found.append(last)
    return found
