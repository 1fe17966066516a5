"""The one list of games, and the door through which another package adds one.

A `Listing` names where a game's parts are, so that asking for one game imports that game alone. The house lists its games in
`HOUSE`; any installed package lists its own under the entry point group `arbitre.games`, each entry point leading to one
`Listing` or to a tuple of them. Both ways are the same way: `HOUSE` is itself such an entry point.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arbitre.errors import CatalogueError, OptionError, UnknownGameError, shorten
from arbitre.games.game import AnyGame
from arbitre.values import value

GROUP = "arbitre.games"


@value
class Listing:
    """One game of the catalogue: its identifier, where its parts are (`module:name`), and a line for each language."""

    name: str
    rules: str
    """The class of the rules, a `Game`."""
    notation: str
    """The class of its notation; `arbitre.games.notation.notation_of` makes one."""
    line: str
    """What it is, in one English line."""
    ligne: str
    """The same in French."""
    title: str = ""
    """The name as a person writes it."""
    titre: str = ""
    """The name as a person writes it in French, where that is another; keys, addresses and records have `name`."""

    def called(self, language: str = "en") -> str:
        """Return the name as a person of this language writes it."""
        return (self.titre if language == "fr" else "") or self.title or self.name

    def game(self, options: Mapping[str, object] | None = None) -> AnyGame:
        """Return the game with these options; text is read by the option's type."""
        cls = fetch(self.rules)
        return cls(**{key: _option(cls, key, given) for key, given in (options or {}).items()})  # type: ignore[no-any-return]

    def options(self) -> tuple[tuple[str, object, str], ...]:
        """Return name, default and explanation of each option."""
        return tuple((f.name, f.default, f.metadata.get("line", "")) for f in _fields(fetch(self.rules)))


def _house(name: str, title: str, cls: str, line: str, ligne: str, titre: str = "") -> Listing:
    return Listing(
        name, f"arbitre.games.{name}.rules:{cls}", f"arbitre.games.{name}.notation:{cls}Notation", line, ligne, title, titre
    )


HOUSE: tuple[Listing, ...] = (
    _house("tictactoe", "TicTacToe", "TicTacToe", "three in a row on nine cells", "trois marques alignées sur neuf cases"),
    _house(
        "rochambeau",
        "Rochambeau",
        "Rochambeau",
        "rock, paper, scissors, for any number of states and players",
        "pierre, feuille, ciseaux, à N états et M joueurs",
    ),
    _house(
        "bigtictactoe",
        "BigTicTacToe",
        "BigTicTacToe",
        "the most rows of five on ten by ten cells",
        "le plus d’alignements de cinq sur dix cases par dix",
    ),
    _house(
        "pente",
        "Pente",
        "Pente",
        "five in a row or five captured pairs on nineteen lines",
        "cinq pierres alignées ou cinq paires prises sur dix-neuf lignes",
    ),
    _house(
        "reversi", "Reversi", "Reversi", "outflank and turn the other side's discs", "encadrer et retourner les pions adverses"
    ),
    _house(
        "mastermind",
        "MasterMind",
        "MasterMind",
        "each breaks the other's code of four coloured pegs",
        "chacun cherche le code de quatre couleurs de l’autre",
    ),
    _house(
        "seafight",
        "Seafight",
        "Seafight",
        "two hidden fleets fire at each other",
        "deux flottes cachées se tirent dessus",
        "Bataille navale",
    ),
    _house(
        "poker", "Poker", "Poker", "heads-up hold'em with a hundred chips a hand", "hold’em en tête-à-tête, cent jetons par coup"
    ),
    _house(
        "draughts",
        "Draughts",
        "Draughts",
        "international draughts on a hundred squares",
        "dames internationales sur cent cases",
        "Dames",
    ),
    _house(
        "kriegspiel",
        "Kriegspiel",
        "Kriegspiel",
        "chess without seeing the other side's pieces",
        "les échecs sans voir les pièces de l’autre",
    ),
)

ADDED: tuple[Listing, ...] = (
    Listing(
        "added",
        "arbitre.games.added.rules:Added",
        "arbitre.games.added.notation:AddedNotation",
        "a game of one board with its own external referee",
        "un jeu à un plateau avec son propre arbitre externe",
        "Added game",
        "Jeu ajouté",
    ),
    Listing(
        "addedpair",
        "arbitre.games.added.rules:AddedPair",
        "arbitre.games.added.notation:AddedNotation",
        "a game of two boards with its own external referee",
        "un jeu à deux plateaux avec son propre arbitre externe",
        "Added game",
        "Jeu ajouté",
    ),
)
"""Games that users add by address: records name them like any other, lists do not, for there is nothing to play without one."""


def listings() -> tuple[Listing, ...]:
    """Return every game that is installed, the house's first."""
    return tuple(_all().values())


def listing(name: str) -> Listing:
    """Return the listing of one game; the house's names are found without asking who else is installed."""
    for known in (*HOUSE, *ADDED):
        if known.name == name:
            return known
    try:
        return _all()[name]
    except KeyError:
        names = " ".join(_all())
        raise UnknownGameError("no game is called %(name)r; there are: %(names)s", name=shorten(name), names=names) from None


def game(name: str, options: Mapping[str, object] | None = None) -> AnyGame:
    """Return a game by name, with options."""
    return listing(name).game(options)


def options_of(game: AnyGame) -> dict[str, int | bool | str]:
    """Return the options that differ from the default: what a record must say to make the same game again."""
    return {f.name: getattr(game, f.name) for f in _fields(type(game)) if getattr(game, f.name) != f.default}


@cache
def _all() -> dict[str, Listing]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and a bot that plays a house game needs none

    found: dict[str, Listing] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.name != "house", e.name)):
        for one in _listed(entry.name, entry.load()):
            if one.name in found:
                raise CatalogueError("entry point %(name)r lists a second game called %(name2)r", name=entry.name, name2=one.name)
            found[one.name] = one
    return found


def _listed(entry: str, loaded: object) -> Iterator[Listing]:
    for one in loaded if isinstance(loaded, tuple) else (loaded,):
        if not isinstance(one, Listing):
            raise CatalogueError(
                "entry point %(entry)r of %(group)s leads to %(name__)s, not to a Listing",
                entry=entry,
                group=GROUP,
                name__=type(one).__name__,
            )
        yield one


@cache
def fetch(where: str) -> Any:
    """Import what `module:name` names."""
    module, _, attribute = where.partition(":")
    return getattr(import_module(module), attribute)


def _fields(cls: type[AnyGame]) -> tuple[Field[Any], ...]:
    return tuple(f for f in fields(cls) if f.default is not MISSING)  # type: ignore[arg-type]


WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def _option(cls: type[AnyGame], key: str, given: object) -> object:
    names = [f.name for f in _fields(cls)]
    if key not in names:
        if not names:
            raise OptionError("%(name)s has no option %(key)r; it has no options", name=cls.name, key=shorten(key))
        raise OptionError(
            "%(name)s has no option %(key)r; it has %(names)s", name=cls.name, key=shorten(key), names=", ".join(names)
        )
    kind = get_type_hints(cls)[key]
    if get_origin(kind) is Literal:
        if given not in get_args(kind):
            raise OptionError(
                "%(name)s: %(key)s is one of %(kind)s, not %(given)r",
                name=cls.name,
                key=key,
                kind=", ".join(get_args(kind)),
                given=shorten(str(given)),
            )
        return given
    if kind is bool:
        read = WORDS.get(given.lower()) if isinstance(given, str) else given
        if not isinstance(read, bool):
            raise OptionError("%(name)s: %(key)s is yes or no, not %(given)r", name=cls.name, key=key, given=shorten(str(given)))
        return read
    if kind is int:
        read = _whole(given)
        if read is None:
            raise OptionError(
                "%(name)s: %(key)s is a whole number, not %(given)r", name=cls.name, key=key, given=shorten(str(given))
            )
        return read
    if not isinstance(given, str):
        raise OptionError("%(name)s: %(key)s is a text, not %(given)r", name=cls.name, key=key, given=shorten(str(given)))
    return given


def _whole(given: object) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    if isinstance(given, str) and given.isascii() and given.removeprefix("-").isdigit() and len(given) <= 20:
        return int(given)
    return None
