"""Small pictures of positions: 80 by 80, about a kilobyte each, for cards, walls and lists.

A game brings a `Miniature` (`Listing.miniature`): a function from what one eye sees to an SVG. It draws from that view and the
one before it and from nothing else, so a picture shows no more than its eye may know. There is no colour and no style in it,
only classes: the page's sheet has the colours, light and dark, and the strict policy holds.

To stay small, a run of stones is one segment: a dashed line whose dashes have no length and whose ends are round. A grid is one
broad line, dashed too.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from arbitre.games.catalogue import fetch, listing
from arbitre.games.game import AnyGame
from arbitre.values import value

Place: TypeAlias = tuple[int, int]
"""Column and row of a cell, from the top left."""

Tally: TypeAlias = tuple[int, int] | None

WIDE = 68
"""What the rim leaves of 80."""
STONE = 0.78
THIN = 0.06
"""How wide stones and lines are, unless a game says otherwise: the page's sheet has both."""


def _nothing(view: Any) -> Tally:  # noqa: ARG001 - most games count nothing
    return None


@value
class Miniature:
    """How a game is drawn small."""

    draw: Callable[[Any, Any, Any], str]
    """Return the picture of a game's view; the third is the same eye's view before the last transition, or None."""
    tally: Callable[[Any], Tally] = _nothing
    """Return what each seat has, where the game counts something that everybody sees."""
    marks: tuple[str, str] = ("first", "second")
    """The classes of the two seats' pieces."""


def miniature_of(game: AnyGame) -> Miniature | None:
    """Return how a game is drawn small, None where it does not say."""
    where = listing(game.name).miniature
    return fetch(where) if where else None


# ── what most boards need ──────────────────────────────────────────────────────────────────────────────────────────


def picture(*inside: str) -> str:
    """Return the whole picture: the rim, and on it what a game draws on a ground from 6 to 74."""
    return f'<svg class="mini" viewBox="0 0 80 80" aria-hidden="true">{"".join(inside)}</svg>'


def board(side: int, *inside: str) -> str:
    """Return a square board of so many cells: one cell is one unit, and has its middle where its column and row say."""
    return picture(placed(6, WIDE / side, *inside))


def placed(at: float, scale: float, *inside: str) -> str:
    """Return cells of this size on a ground that begins at `at`, from the top and from the left."""
    return f'<g transform="translate({at + scale / 2:.4g} {at + scale / 2:.4g}) scale({scale:.4g})">{"".join(inside)}</g>'


def cloth(side: int) -> str:
    """Return the ground of a square board."""
    return f'<path class="cloth" d="M-.5-.5h{side}v{side}h-{side}z"/>'


def grid(side: int, thick: float = THIN) -> str:
    """Return the lines between the cells: two broad lines, dashed."""
    middle, begin, long = side / 2 - 0.5, 0.5 - thick / 2, side - 1 + thick
    lines = f"M{begin:g} {middle:g}h{long:g}M{middle:g} {begin:g}v{long:g}"
    dashes = "" if thick == THIN else f' stroke-dasharray="{thick:g} {1 - thick:g}"'
    return f'<path class="rule" stroke-width="{side}"{dashes} d="{lines}"/>'


def chequers(side: int) -> str:
    """Return the light ground and the dark squares of a board whose top left square is light."""
    rows = "".join(f"M{'-' if row % 2 else ''}.5 {row}h{side - 1 + row % 2}" for row in range(side))
    light = f'<path class="light" d="M-.5-.5h{side}v{side}h-{side}z"/>'
    return f'{light}<path class="dark" d="{rows}"/>'


def dots(places: Iterable[Place], kind: str, size: float = STONE) -> str:
    """Return round stones of one kind."""
    d = "".join(f"M{column} {row}h{length - 1 or ''}.1" for column, row, length in _runs(places))
    wide = "" if size == STONE else f' stroke-width="{size}"'
    return f'<path class="stones {kind}"{wide} d="{d}"/>' if d else ""


def crosses(places: Iterable[Place], kind: str = "cross") -> str:
    """Return a cross in each of the cells."""
    d = "".join(f"M{column - 0.25:g} {row - 0.25:g}l.5.5m0-.5l-.5.5" for column, row in places)
    return f'<path class="{kind}" stroke-width=".16" d="{d}"/>' if d else ""


def rings(places: Iterable[Place]) -> str:
    """Return a ring in each of the cells: a stone, and a hole in it."""
    found = tuple(places)
    return dots(found, "ring", 0.7) + dots(found, "hole", 0.4)


def last(place: Place | None) -> str:
    """Return the mark of the last move."""
    return "" if place is None else dots((place,), "last", 0.3)


def cells(mask: int, side: int, gap: int = 0) -> Iterator[Place]:
    """List the cells of a bit mask whose rows are `side + gap` bits apart, in reading order."""
    while mask:
        bit = mask & -mask
        row, column = divmod(bit.bit_length() - 1, side + gap)
        yield column, row
        mask ^= bit


def new(after: int, before: int, side: int, gap: int = 0) -> Place | None:
    """Return the cell that is filled after a move and was empty before, where it is one."""
    found = tuple(cells(after & ~before, side, gap))
    return found[0] if len(found) == 1 else None


def _runs(places: Iterable[Place]) -> Iterator[tuple[int, int, int]]:
    """Yield column, row and length of each run of neighbours in a row; places come in reading order."""
    begun: tuple[int, int, int] | None = None
    for column, row in places:
        if begun is not None and (column, row) == (begun[0] + begun[2], begun[1]):
            begun = (begun[0], begun[1], begun[2] + 1)
            continue
        if begun is not None:
            yield begun
        begun = (column, row, 1)
    if begun is not None:
        yield begun
