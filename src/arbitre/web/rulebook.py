"""A game for a program that knows nothing of it: rules in words, options, and how moves, positions and views are spelt.

The site says it at `/api/games/NAME`, the command line with `arbitre games NAME --json`. Everything comes from the game's
package: its listing, its page of the manual, its options, its grammar, and a game of random moves for the examples.
"""

from typing import Any

from msgspec import Struct

from arbitre.games.catalogue import Listing, Option
from arbitre.games.game import AnyGame, Awaits
from arbitre.games.grammar import schemas_of
from arbitre.games.levels import levels
from arbitre.games.wires import wire_of
from arbitre.web.manual import spoken, text_of
from arbitre.words import words as words_of

KINDS: dict[Any, str] = {bool: "boolean", int: "integer"}
"""What JSON schemas call the types of options; all others are texts."""


class OptionSheet(Struct):
    """An option of a game."""

    name: str
    line: str
    schema: dict[str, Any]
    """Its type, range and default, as a JSON schema."""
    site: Any = None
    """What alone it may be at a site, for engines are told no other; null where it may be anything."""


class Spellings(Struct):
    """How texts of a game are spelt: JSON schemas with a pattern and examples; where there are several kinds, `anyOf`."""

    move: dict[str, Any]
    position: dict[str, Any]
    """The whole truth, which a match may start from."""
    view: dict[str, Any]
    """What a player is shown: `position` of a turn."""


class Rulebook(Struct):
    """All that a program needs to know of a game to play it."""

    name: str
    title: str
    line: str
    language: str
    """In which the rules are."""
    seats: int
    secrets: bool
    """Whether a player sees less than the whole truth."""
    chance: bool
    simultaneous: bool
    """Whether several players may be asked at once."""
    tries: bool
    """Whether a refusal is part of the game: the umpire says no, and the player tries something else."""
    levels: int
    """Players of the house, 1 the weakest."""
    options: list[OptionSheet]
    chosen: dict[str, Any]
    """The options that the spellings are for, where they are not the usual ones."""
    spelling: Spellings
    rules: str
    """The game's page of the manual, in Markdown."""


def rulebook(one: Listing, language: str, options: dict[str, Any] | None = None) -> Rulebook:
    """Return the book of a game with these options, in a language; `OptionError`."""
    game, page = one.game(options), f"games/{one.name}"
    shown, must = spoken(page, language), wire_of(one.name).engine.must
    return Rulebook(
        one.name,
        one.called(language),
        one.ligne if language == "fr" else one.line,
        shown,
        game.seats,
        game.hides,
        game.chancy,
        _together(game),
        game.tries,
        len(levels(one.name)),
        [_option(each, language, must.get(each.name)) for each in one.options()],
        dict(options or {}),
        Spellings(**schemas_of(game, language)),
        text_of(page, shown),
    )


def _together(game: AnyGame) -> bool:
    """Tell whether the first question goes to several players."""
    phase = game.phase(game.start())
    return isinstance(phase, Awaits) and len(phase.seats) > 1


def _option(one: Option, language: str, site: object) -> OptionSheet:
    schema: dict[str, Any] = {"type": KINDS.get(one.kind, "string"), "default": one.default}
    bounds = {"minimum": one.least, "maximum": one.most, "enum": list(one.values) or None}
    line = (one.ligne if language == "fr" else "") or words_of(language)(one.line)
    return OptionSheet(one.name, line, schema | {key: bound for key, bound in bounds.items() if bound is not None}, site)
