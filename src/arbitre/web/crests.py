"""Crests: every contestant's own sign, a symmetric pattern of dots and a hue, the same wherever the name is shown.

It follows from the name alone, so nobody chooses it and nothing is kept. There are classes in it and no colours: the page's sheet
has those, light and dark. A crest stands beside its name and never for it: two names may have the same.
"""

from functools import lru_cache
from hashlib import sha256

from markupsafe import Markup

from arbitre.games.miniature import Place, dots

HUES = 8
ROWS = 5
HALF = 3
"""Columns up to the middle one; the others mirror them."""


@lru_cache(maxsize=2_000)
def crest(name: str) -> Markup:
    """Return the crest of a name as SVG."""
    digest = sha256(f"arbitre/crest/1/{name}".encode()).digest()
    drawn = dots(_places(int.from_bytes(digest[:2])), "on")
    open_tag = f'<svg class="crest hue{digest[2] % HUES}" viewBox="-1.2 -1.2 6.4 6.4" aria-hidden="true">'
    return Markup(f'{open_tag}<path class="ground" d="M-1.2-1.2h6.4v6.4h-6.4z"/>{drawn}</svg>')  # noqa: S704 - of numbers alone


def _places(bits: int) -> list[Place]:
    """Return the cells of a pattern in reading order; the middle one is always there, so that none is empty."""
    half = {(column, row) for row in range(ROWS) for column in range(HALF) if bits >> (row * HALF + column) & 1}
    half.add((HALF - 1, ROWS // 2))
    whole = half | {(2 * HALF - 2 - column, row) for column, row in half}
    return sorted(whole, key=lambda place: (place[1], place[0]))
