"""Marks on the small picture of a position: coordinates, a move that was a mistake, and in figures the moves that were better.

Cells are found by their names, which a game gives where positions are set up (`games.setup`); a game without them gets no marks.
There are classes in it and no colours, as in all small pictures.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame, Seat
from arbitre.games.miniature import WIDE, Place, miniature_of, placed
from arbitre.games.setup import Setup, setup_of

WORD, NUMBER = re.compile(r"[0-9A-Z]+"), re.compile(r"[0-9]+")
FRONT = 6.0
"""What the rim takes before the first cell."""
DISC = 0.41


@cache
def coordinates(game: str) -> str:
    """Return what the cells of a board are called as a picture to lie over it; empty where a game does not say.

    Letters and figures stand round the board where each cell is called by both, else each cell has its name in its corner.
    """
    setup = setup_of(find_game(game))
    if setup is None:
        return ""
    step = WIDE / setup.size
    across = [setup.label(at, 0)[:1] for at in range(setup.size)]
    down = [setup.label(0, at)[1:] for at in range(setup.size)]
    places = [(x, y) for y in range(setup.size) for x in range(setup.size)]
    if all(down) and all(setup.label(x, y) == across[x] + down[y] for x, y in places):
        kind, size, parts = "round", min(3.6, 0.8 * step), _round(across, down, step)
    else:
        kind, size, parts = "inside", min(3.6, 0.24 * step), _corners(setup, places, step)
    drawn = "".join(f'<text x="{x:.4g}" y="{y + size / 3:.4g}">{name}</text>' for x, y, name in parts)
    return f'<svg class="coordinates {kind}" viewBox="0 0 80 80" font-size="{size:.3g}" aria-hidden="true">{drawn}</svg>'


def _round(across: Sequence[str], down: Sequence[str], step: float) -> Iterator[tuple[float, float, str]]:
    for at, (column, row) in enumerate(zip(across, down, strict=True)):
        middle = FRONT + step * (at + 0.5)
        yield middle, FRONT / 2, column
        yield FRONT / 2, middle, row


def _corners(setup: Setup, places: Sequence[Place], step: float) -> Iterator[tuple[float, float, str]]:
    for x, y in places:
        if name := setup.label(x, y):
            yield FRONT + step * (x + 0.17), FRONT + step * (y + 0.15), name


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
    return {name.upper(): (at % setup.size, at // setup.size) for at, name in enumerate(setup.labels) if name}


def _cells(setup: Setup, text: str) -> list[Place]:
    """Return the cells that a move names, in its order; two may stand together, as in `e2e4`."""
    named = _named(setup)
    found = []
    for word in (NUMBER if all(map(str.isdigit, named)) else WORD).findall(text.upper()):
        names = (word,) if word in named else (word[:2], word[2:4])
        found += [named[one] for one in names if one in named]
    return found


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
