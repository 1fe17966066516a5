"""Kriegspiel judged: by what a seat could believe, from its own pieces and from what the umpire said to it.

The belief is the one of the house's best player (`particles`): positions that agree with all that was heard. A try is worth what
it is worth in them (`judgement`). So a move into an attack that nobody could know of is no mistake. The curve alone counts the
pieces that really stood there.
"""

from collections.abc import Iterator, Sequence

import chess

from arbitre.games.analysis import Analyst, Course, Judgement, Ply, share
from arbitre.games.game import FIRST, Seat
from arbitre.games.kriegspiel.judgement import Judge
from arbitre.games.kriegspiel.particles import Belief, sample
from arbitre.games.kriegspiel.rules import DRAW, Kriegspiel, Sight, Truth, Try, ruled_out
from arbitre.reasons import Reason

EACH = 100
"""Nodes for each position that is believed in."""
LEAST, MOST = 20, 1_000
JUDGED = 24
"""In how many positions, drawn by weight, tries are judged."""
FINE = 1000
SCALE = 4 * FINE
"""Two pieces more or less decide a game as good as surely."""
MOST_LOST = 20 * FINE
"""More than two queens is a mate that was there or may come now: of that no pawns are counted."""
LIKELY = 0.25
"""A try that is possible in fewer of the positions is no advice."""


class KriegspielAnalyst(Analyst):
    """Compares tries by what they are worth in the positions that a seat holds possible."""

    measure = Reason("share of winning, as far as the seat could know")
    unit = Reason("pawns")
    name = "kriegspiel, belief"
    parts = tuple(
        f"arbitre.games.kriegspiel:{name}.py" for name in ("analysis", "judgement", "particles", "placements", "rules", "umpire")
    )
    usual = 10_000

    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Follow the beliefs of both seats through the game; speak of the plies that are wanted."""
        size = max(LEAST, min(MOST, self.effort.nodes // EACH))
        last = max(wanted, default=-1)
        asked = frozenset(wanted)
        beliefs: dict[Seat, Belief] = {}
        for at, ply in enumerate(course[: last + 1]):
            if ply.move == DRAW:
                if at in asked:
                    yield Judgement(0, 0, standing(ply.after), choice=False)
                continue
            belief = beliefs.setdefault(ply.seat, Belief(self.effort.random(-1 - ply.seat), size))
            sight: Sight = self.game.view(ply.before, ply.seat)
            belief.dead = isinstance(self.game, Kriegspiel) and self.game.dead
            belief.look(sight, lambda: False)
            if at in asked:
                yield self._judged(at, ply, sight, belief)
            belief.say(ply.move)

    def _judged(self, at: int, ply: Ply, sight: Sight, belief: Belief) -> Judgement:
        known = belief.particles
        tries: list[Try] = [one for one in self.game.legal(sight) if not ruled_out(sight, one.from_square, one.to_square)]
        if not known or len(tries) < 2:
            return Judgement(0, 0, standing(ply.after), choice=False)
        judge = Judge(sight, sample(known, JUDGED, self.effort.random(at)), certain=belief.complete)
        worths: dict[Try, int] = {}
        for one in tries:
            worth, chance = judge.judge(one)
            if chance >= LIKELY or one == ply.move:
                worths[one] = round(FINE * worth)
        if ply.move not in worths:  # the announcements rule it out: it is refused, which costs nothing and tells nothing
            return Judgement(0, 0, standing(ply.after), choice=False)
        best = max(worths, key=lambda one: worths[one])
        if worths[best] == worths[ply.move]:
            best = ply.move
        lost = worths[best] - worths[ply.move]
        counted = lost if lost <= MOST_LOST else 0
        white = ply.seat == FIRST
        base = round(FINE * sum(one.weight * ahead(one.board, white) for one in known))
        text = self.notation.write(best)
        return Judgement(share(base, SCALE), share(base - lost, SCALE), standing(ply.after), text, (text,), lost=counted)


WORTHS = ((1, "pawns"), (3, "knights"), (3, "bishops"), (5, "rooks"), (9, "queens"))


def ahead(board: chess.Board, white: bool) -> int:
    """Return by how many pawns' worth of pieces a side is ahead."""
    worth = 0
    for each, kind in WORTHS:
        pieces: int = getattr(board, kind)
        worth += each * ((board.occupied_co[white] & pieces).bit_count() - (board.occupied_co[not white] & pieces).bit_count())
    return worth


def standing(state: Truth) -> int:
    """Return how the game stood by the pieces that really were on the board: they are open now."""
    return share(FINE * ahead(state.board, chess.WHITE), SCALE)
