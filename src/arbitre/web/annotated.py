"""Marks on the small picture of a position: coordinates, a move that was a mistake, and in figures the moves that were better.

Cells are found by their names, which a game gives where positions are set up (`games.setup`); a game without them gets no marks.
There are classes in it and no colours, as in all small pictures.
"""

import re
from collections.abc import Sequence
from functools import cache

from arbitre.games.game import AnyGame, Seat
from arbitre.games.miniature import WIDE, Place, miniature_of, placed
from arbitre.games.setup import Setup, setup_of

WORD = re.compile(r"[0-9A-Za-z]+")
FRONT = 6.0
"""What the rim takes before the first cell."""
DISC = 0.41


def coordinates(game: AnyGame) -> str:
    """Return the letters and figures round a board as a picture to lie over it; empty where cells are not called by both."""
    setup = setup_of(game)
    if setup is None:
        return ""
    across = [setup.label(at, 0)[:1] for at in range(setup.size)]
    down = [setup.label(0, at)[1:] for at in range(setup.size)]
    if not all(down) or any(setup.label(x, y) != across[x] + down[y] for x in range(setup.size) for y in range(setup.size)):
        return ""
    step = WIDE / setup.size
    size = min(3.6, 0.8 * step)
    parts = []
    for at in range(setup.size):
        middle = FRONT + step * (at + 0.5)
        parts.append(f'<text x="{middle:.4g}" y="{3 + size / 3:.3g}">{across[at]}</text>')
        parts.append(f'<text x="3" y="{middle + size / 3:.4g}">{down[at]}</text>')
    return f'<svg class="coordinates" viewBox="0 0 80 80" font-size="{size:.3g}" aria-hidden="true">{"".join(parts)}</svg>'


def marked(game: AnyGame, picture: str, seat: Seat, played: str, better: Sequence[str]) -> str:
    """Return a picture with a mistake of a seat crossed out and the better moves numbered, where cells have names."""
    setup = setup_of(game)
    if setup is None:
        return picture
    numbered: dict[Place, int] = {}
    ways = ""
    for nth, text in enumerate(better, start=1):
        path = _cells(setup, text)
        if path:
            ways += _way(path) if nth == 1 else ""
            numbered.setdefault(path[-1], nth)
    small = miniature_of(game)
    marks_of = ("", "") if small is None else small.marks
    kinds = marks_of[1 - seat], marks_of[seat]
    slip = _cells(setup, played)[-1:]
    numbered = {place: nth for place, nth in numbered.items() if place not in slip}  # it may be good later on
    marks = (*map(_slip, slip), *(_number(place, nth, kinds[nth % 2]) for place, nth in numbered.items()))
    return str(picture).replace("</svg>", f"{placed(FRONT, WIDE / setup.size, ways, *marks)}</svg>")


@cache
def _named(setup: Setup) -> dict[str, Place]:
    return {name: (at % setup.size, at // setup.size) for at, name in enumerate(setup.labels) if name}


def _cells(setup: Setup, text: str) -> list[Place]:
    """Return the cells that a move names, in its order."""
    named = _named(setup)
    return [named[word] for word in WORD.findall(text.upper()) if word in named]


def _way(path: Sequence[Place]) -> str:
    """Return the way of a piece that moves; nothing where one is laid."""
    steps = "L".join(f"{column} {row}" for column, row in path)
    return f'<path class="way" stroke-width=".12" d="M{steps}"/>' if len(path) > 1 else ""


def _slip(place: Place) -> str:
    column, row = place
    cross = f"M{column - 0.16:g} {row - 0.16:g}l.32.32m0-.32l-.32.32"
    ring = f'<circle class="slip-ring" cx="{column}" cy="{row}" r="{DISC}" stroke-width=".09" stroke-dasharray=".22 .14"/>'
    return f'{ring}<path class="slip-cross" stroke-width=".11" d="{cross}"/>'


def _number(place: Place, nth: int, kind: str) -> str:
    column, row = place
    broad = 0.11 if nth == 1 else 0.06
    disc = f'<circle class="better {kind}" cx="{column}" cy="{row}" r="{DISC}" stroke-width="{broad}"/>'
    return f'{disc}<text class="nth-of" x="{column}" y="{row + 0.19:g}" font-size=".52">{nth}</text>'
