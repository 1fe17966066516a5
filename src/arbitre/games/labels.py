"""Labels: what engines, interfaces, competitions and rankings say they are for (spec: tournoyons, section 6).

A game of the catalogue goes by its name. All added games share two names there, `added` and `addedpair`, so each goes by `added:`
and its own key; no name of the catalogue has a colon.
"""

import re
from dataclasses import replace

from arbitre.games.catalogue import Listing, listing, options_of
from arbitre.games.game import AnyGame

MARK = "added:"
"""What stands before the key of an added game."""
KEY = re.compile(r"[A-Za-z][A-Za-z0-9]{1,31}")
"""What such a game calls itself."""


def label_of(game: AnyGame) -> str:
    """Return the label of a game."""
    return game.label


def key_of(label: str) -> str:
    """Return the key of the added game that a label names; nothing where it names another game, or none."""
    key = label.removeprefix(MARK)
    return key if label.startswith(MARK) and KEY.fullmatch(key) else ""


def keys_of(game: AnyGame) -> dict[str, object]:
    """Return the keys of a tournament's plan that say what is played."""
    options = options_of(game)
    return {"game": game.name, **({"options": options} if options else {})}


def listing_for(label: str) -> Listing:
    """Return the listing of a label; that of an added game says what kind of game it is, whether or not it is still there."""
    key = key_of(label)
    return replace(listing("added"), name=label, title=key, titre="") if key else listing(label)


def title_of(label: str, language: str = "en") -> str:
    """Return what a game is called in a language."""
    return listing_for(label).called(language)
