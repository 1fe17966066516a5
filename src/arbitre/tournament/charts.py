"""Charts of a tournament as inline SVG: one accent, labels at the data, error bars where there are errors, readable in print.

Colours come from the page's tokens by class, so a chart is right in light, in dark and on paper.
"""

import math
from collections.abc import Sequence
from html import escape as html_escape
from itertools import pairwise

from arbitre.reasons import N_, Said
from arbitre.referee.verdict import Termination, ending
from arbitre.tournament.schedule import Contestant
from arbitre.tournament.summary import Summary
from arbitre.tournament.tables import elo_text, fitted, printable
from arbitre.values import value

LINE = 24


@value
class Paper:
    """What a chart is drawn on."""

    width: int
    label: int
    """Room for a name at the side of a chart."""
    letters: int
    """How long that name may be."""
    margin: int
    """Room for a number at the other side."""
    ticks: int
    """About so many lines of the grid fit."""


WIDE = Paper(720, 168, 22, 70, 6)
NARROW = Paper(360, 108, 14, 42, 3)
"""A phone's: nothing is smaller there, there is less of it."""

STRENGTH = N_("Elo with intervals of 95 percent, 0 the mean of the field")
COURSE = N_("points above half of the games, over time")
ENDS = N_("how the games ended")

MOST_POINTS = 240
"""Longer courses are drawn with so many points: no eye sees more."""

MOST_NAMED = 12
"""Of so many contestants the course is drawn; more lines than that cannot be told apart."""


def escape(text: str) -> str:
    """Return a text that is nothing but text in HTML and SVG, attributes included."""
    return html_escape(printable(text), quote=True)


@value
class Chart:
    """A chart: what it shows, in English, and what is drawn."""

    title: str
    paper: Paper
    height: float
    parts: Sequence[str]

    def svg(self, title: str = "") -> str:
        """Return the chart as SVG, under the title in some language."""
        said = escape(title or self.title)
        frame = f'viewBox="0 0 {self.paper.width} {self.height:.0f}" role="img" aria-label="{said}"'
        return f'<div class="wide"><svg {frame}><title>{said}</title>{"".join(self.parts)}</svg></div>'


def short(name: str, width: int = WIDE.letters) -> str:
    """Return a name that fits beside a chart, escaped."""
    return escape(fitted(printable(name), width).rstrip())


def ratings_chart(summary: Summary, paper: Paper = WIDE) -> Chart:
    """Return everybody's rating with its 95 % interval, in the order of the standings."""
    ratings = [summary.strengths.ratings[row.contestant] for row in summary.standings.rows]
    low = min(rating.elo - rating.error for rating in ratings)
    high = max(rating.elo + rating.error for rating in ratings)
    step = _step(high - low, paper.ticks)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    left, right = paper.label, paper.width - paper.margin

    def x(elo: float) -> float:
        return left + (right - left) * (elo - low) / (high - low)

    bottom = LINE * len(ratings) + 8
    parts = []
    for tick in range(low, high + 1, step):
        weight = "axis" if tick == 0 else "grid"
        parts.append(f'<line class="{weight}" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="4" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{elo_text(tick)}</text>')
    for at, rating in enumerate(ratings):
        y = LINE * at + 18
        ends = x(rating.elo - rating.error), x(rating.elo + rating.error)
        parts.append(f'<text x="0" y="{y + 4}">{short(summary.name(rating.contestant), paper.letters)}</text>')
        parts.append(f'<line class="bar" x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}"/>')
        parts += [f'<line class="bar" x1="{end:.1f}" x2="{end:.1f}" y1="{y - 4}" y2="{y + 4}"/>' for end in ends]
        parts.append(f'<circle class="dot" cx="{x(rating.elo):.1f}" cy="{y}" r="4.5"/>')
        parts.append(f'<text class="tick" x="{paper.width}" y="{y + 4}" text-anchor="end">{elo_text(rating.elo)}</text>')
    return Chart(STRENGTH, paper, bottom + 24, parts)


def course_chart(summary: Summary, paper: Paper = WIDE) -> Chart:
    """Return how the first of the standings pulled away: points above half of the games played, game by game."""
    named = [row.contestant for row in summary.standings.rows[:MOST_NAMED]]
    courses = {one: _course(summary, one) for one in named}
    last = max(1, len(summary.progress.entries))
    highest = max(1.0, *(value for course in courses.values() for _, value in course))
    lowest = min(-1.0, *(value for course in courses.values() for _, value in course))
    top, bottom, left, right = 12, 240, 36, paper.width - paper.label

    def x(game: float) -> float:
        return left + (right - left) * game / last

    def y(value: float) -> float:
        return bottom - (bottom - top) * (value - lowest) / (highest - lowest)

    parts = [f'<line class="axis" x1="{left}" x2="{right}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>']
    parts += [
        f'<text class="tick" x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:+g}</text>'
        for value in (lowest, 0.0, highest)
    ]
    labels = apart([y(course[-1][1]) for course in courses.values()], 14)
    for at, (one, course) in enumerate(courses.items()):
        line = " ".join(f"{x(game):.1f},{y(value):.1f}" for game, value in course)
        kind = "lead" if at == 0 else "course"
        parts.append(f'<polyline class="{kind}" points="{line}"/>')
        name = short(summary.name(one), paper.letters - 2)
        parts.append(f'<text class="{kind}-name" x="{right + 8}" y="{labels[at] + 4:.1f}">{name}</text>')
    parts.append(f'<text class="tick" x="{right}" y="{bottom + 22}" text-anchor="end">{last}</text>')
    return Chart(COURSE, paper, max(bottom + 28, round(max(labels)) + 12), parts)


def terminations_chart(summary: Summary, said: Said = str) -> Chart:
    """Return how the games ended."""
    counts = summary.terminations().most_common()
    most = max(count for _, count in counts)
    total = sum(count for _, count in counts)
    left, right = WIDE.label, WIDE.width - 110
    parts = []
    for at, (kind, count) in enumerate(sorted(counts, key=lambda pair: (-pair[1], pair[0]))):
        y = LINE * at + 6
        width = max(1.0, (right - left) * count / most)
        parts.append(f'<text x="0" y="{y + 13}">{escape(said(ending(Termination(kind))))}</text>')
        parts.append(f'<rect class="fill" x="{left}" y="{y}" width="{width:.1f}" height="16"/>')
        parts.append(f'<text class="tick" x="{left + width + 6:.1f}" y="{y + 13}">{count} · {count / total:.0%}</text>')
    return Chart(ENDS, WIDE, LINE * len(counts) + 8, parts)


def _course(summary: Summary, contestant: Contestant) -> list[tuple[int, float]]:
    """Return after which games a contestant had how many points above half, thinned out."""
    points = [(0, 0.0)]
    for at, entry in enumerate(summary.progress.entries, start=1):
        if contestant in entry.fixture.seats:
            level = points[-1][1]
            points += [(at - 1, level), (at, level + float(entry.score(contestant)) - 0.5)]
    points.append((max(1, len(summary.progress.entries)), points[-1][1]))
    every = -(-len(points) // MOST_POINTS)
    return [*points[:-1:every], points[-1]]


def apart(places: Sequence[float], least: float) -> list[float]:
    """Return where labels go that want these places, no two nearer than `least`."""
    order = sorted(range(len(places)), key=lambda at: (places[at], at))
    moved = list(places)
    for before, at in pairwise(order):
        moved[at] = max(moved[at], moved[before] + least)
    return moved


def _step(span: float, ticks: int = WIDE.ticks) -> int:
    """Return a round distance of ticks: about so many of them fit."""
    rough = max(span, 10.0) / ticks
    power: int = 10 ** int(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
