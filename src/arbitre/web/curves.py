"""Ratings over time as the lines of a chart: where they go, and where their names stand. Colours are the page's."""

from collections.abc import Sequence
from typing import Any

from arbitre.tournament.charts import Paper, apart, short

Line = tuple[str, Sequence[tuple[int, float]]]
"""A name, and after which game which rating."""
TOP, BOTTOM, LEFT = 12, 260, 44
LOW, HIGH = 1450.0, 1550.0
"""No chart shows less: a step of five is no mountain."""


def curves(lines: Sequence[Line], games: int, paper: Paper) -> dict[str, Any]:
    """Return what a template draws of the ratings of several, over so many games."""
    right = paper.width - paper.label
    ratings = [rating for _, history in lines for _, rating in history]
    low, high = min(*ratings, LOW), max(*ratings, HIGH)

    def x(game: int) -> float:
        return round(LEFT + (right - LEFT) * game / max(1, games), 1)

    def y(rating: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (rating - low) / (high - low), 1)

    labels = apart([y(history[-1][1]) for _, history in lines], 15)
    drawn = [
        {
            "points": " ".join(f"{x(game)},{y(rating)}" for game, rating in history),
            "end": x(history[-1][0]),
            "y": y(history[-1][1]),
            "label": round(labels[at] + 4, 1),
            "name": short(name, paper.letters - 2),
        }
        for at, (name, history) in enumerate(lines)
    ]
    step = 50 if high - low <= 400 else 100
    ticks = [(tick, y(tick)) for tick in range(-(-int(low) // step) * step, int(high) + 1, step)]
    height = max(BOTTOM + 14, round(max(labels)) + 14)
    return {"width": paper.width, "height": height, "left": LEFT, "right": right, "lines": drawn, "ticks": ticks}
