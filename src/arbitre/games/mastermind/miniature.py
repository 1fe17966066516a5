"""MasterMind, small: both boards, line under line, with their marks."""

from collections.abc import Iterable, Sequence

from arbitre.games.mastermind.rules import COLOURS, Line, MasterMind, View
from arbitre.games.miniature import Miniature, dots, picture


def draw(game: MasterMind, view: View, before: View | None) -> str:  # noqa: ARG001 - the lines tell it
    """Return the first player's lines at the left, the second's at the right."""
    wide = game.pegs + 1.5
    scale = min(33 / wide, 66 / game.lines)
    halves = (
        f'<g transform="translate({at + scale / 2:.3g} {7 + scale / 2:.3g}) scale({scale:.3g})">{_lines(game, lines)}</g>'
        for at, lines in zip((7, 41), view.boards, strict=True)
    )
    return picture('<path class="cloth" d="M5 5h34v70H5zM41 5h34v70H41z"/>', *halves)


def _lines(game: MasterMind, lines: Sequence[Line]) -> str:
    """Return the lines of one board: its pegs colour by colour, and at the right a bar for each mark."""
    pegs = {
        colour: [(column, row) for row, line in enumerate(lines) for column, peg in enumerate(line.guess) if peg == colour]
        for colour in COLOURS[: game.colours]
    }
    right = game.pegs - 0.25
    placed = ((right, line.placed) for line in lines)
    misplaced = ((right + 0.25 * line.placed, line.misplaced) for line in lines)
    bars = (_bars("placed", placed), _bars("misplaced", misplaced))
    return "".join((*(dots(places, f"peg{COLOURS.index(colour)}") for colour, places in pegs.items()), *bars))


def _bars(kind: str, marks: Iterable[tuple[float, int]]) -> str:
    """Return one mark beside another for each line: where they begin, and how many there are."""
    d = "".join(f"M{x:g} {row}h{count * 0.25:g}" for row, (x, count) in enumerate(marks) if count)
    return f'<path class="{kind}" stroke-width=".5" stroke-dasharray=".17 .08" d="{d}"/>' if d else ""


MINIATURE = Miniature(draw)
