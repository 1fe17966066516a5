"""Rochambeau, small: what was shown in the last round, and the points."""

from arbitre.games.miniature import Miniature, picture
from arbitre.games.rochambeau.rules import Rochambeau, Standing

MOST = 6
"""Players whose signs are drawn."""
SHAPES = (
    '<circle class="ring" cx="{x}" cy="{y}" r="{r}" stroke-width="3"/>',
    '<rect class="frame" x="{left}" y="{top}" width="{wide}" height="{wide}" stroke-width="3"/>',
    '<path class="cross" stroke-width="3.4" d="M{left} {top}l{wide} {wide}m0-{wide}l-{wide} {wide}"/>',
)
"""Rock, paper and scissors."""


def draw(game: Rochambeau, view: Standing, before: Standing | None) -> str:  # noqa: ARG001 - the last round is in the view
    """Return the signs of the last round side by side, each over the points of its player."""
    count = min(game.players, MOST)
    step = 68 / count
    parts = []
    for seat in range(count):
        x = 6 + step * (seat + 0.5)
        sign = view.shown[seat] if seat < len(view.shown) else None
        parts.append(_sign(game, sign, x, min(11.0, step / 3)))
        if seat < len(view.points):
            parts.append(f'<text class="count" x="{x:g}" y="66" font-size="{min(14.0, step / 2):g}">{view.points[seat]}</text>')
    return picture('<path class="cloth" d="M6 6h68v68H6z"/>', *parts)


def _sign(game: Rochambeau, sign: int | None, x: float, r: float) -> str:
    if sign is None:
        return f'<text class="unknown" x="{x:g}" y="{35 + r / 2:g}" font-size="{2 * r:g}">?</text>'
    if game.states > len(SHAPES):
        return f'<text class="count" x="{x:g}" y="{35 + r / 2:g}" font-size="{1.4 * r:g}">{sign}</text>'
    given = {"x": x, "y": 32.0, "r": r, "left": x - r, "top": 32 - r, "wide": 2 * r}
    return SHAPES[sign % 3].format(**{name: f"{number:g}" for name, number in given.items()})


def tally(view: Standing) -> tuple[int, int] | None:
    """Return the points of two players."""
    return (view.points[0], view.points[1]) if len(view.points) == 2 else None


MINIATURE = Miniature(draw, tally)
