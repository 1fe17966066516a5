"""Seafight judged: how likely a shot hits, beside the shot that is likeliest to.

Who shoots knows the marks and the ships that were sunk. Each ship afloat is taken to lie in any of its berths that fit them,
those across hits many times as likely, as the best gunner of the house counts (`engine`); the ships are taken one by one. Luck
moves the curve, which compares how many hits each of the two still needs.
"""

from collections.abc import Iterator, Sequence

from arbitre.games.analysis import HALF, WHOLE, Analyst, Course, Judgement, Ply
from arbitre.games.seafight.engine import BOARD, Player, Waters, cells_of, waters
from arbitre.games.seafight.rules import HOLDS, Cell, Sea
from arbitre.reasons import Reason


class SeafightAnalyst(Analyst):
    """Compares shots by how likely they hit."""

    measure = Reason("chance of a hit")
    wins = False
    name = "seafight, berths"
    parts = ("arbitre.games.seafight:analysis.py", "arbitre.games.seafight:engine.py", "arbitre.games.seafight:rules.py")
    usual = 1

    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Judge shots; to place a fleet is no choice that can be judged."""
        for at in wanted:
            ply = course[at]
            state: Sea = ply.before
            yield Judgement(0, 0, HALF, choice=False) if state.fleets is None else self._shot(ply)

    def _shot(self, ply: Ply) -> Judgement:
        known = waters(self.position(ply))
        chances = hits(known)
        best = max(cells_of(known.open), key=lambda cell: chances[cell])
        played = chances[ply.move]
        if chances[best] == played:
            best = ply.move
        text = self.notation.write(best)
        choice = known.open.bit_count() > 1
        return Judgement(chances[best], played, self._standing(ply.after), text, (text,), choice)

    def _standing(self, state: Sea) -> int:
        one, two = (HOLDS - sum(mark in "23" for mark in shots) for shots in state.shots)
        return WHOLE * two // (one + two)


def hits(known: Waters) -> dict[Cell, int]:
    """Return how likely a shot at each cell hits, in parts of `WHOLE`: one less the chance that every ship lies elsewhere."""
    missed = [1.0] * BOARD
    for size in known.sizes:
        heat = [0] * BOARD
        total = 0
        for berth in known.berths(size):
            weight = Player.lure ** (berth & known.hits).bit_count()
            total += weight
            for cell in cells_of(berth & known.open):
                heat[cell] += weight
        missed = [miss * (1 - warm / total if total else 1) for miss, warm in zip(missed, heat, strict=True)]
    return {Cell(cell): round(WHOLE * (1 - missed[cell])) for cell in range(BOARD)}
