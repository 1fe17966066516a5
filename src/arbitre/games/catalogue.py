"""The one list of games, and the door through which another package adds one.

A `Listing` names where a game's parts are, so that asking for one game imports that game alone. Any installed package lists its
games under the entry point group `arbitre.games`, each entry point leading to one `Listing` or to a tuple of them, and so does
the house. The name of a package beside this module is tried first: a bot that plays a game of the house need not wait until all
packages of the machine have been looked through.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, field, fields
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arbitre.errors import CatalogueError, OptionError, UnknownGameError, shorten
from arbitre.games.game import AnyGame
from arbitre.reasons import Reason
from arbitre.values import value

GROUP = "arbitre.games"
LONGEST_NAME = 40
"""No game of the house has a longer name."""


@value
class Option:
    """One option of a game."""

    name: str
    kind: Any
    """Its type: `bool`, `int`, `str`, or one of a few texts."""
    default: object
    line: str
    """What it does, in English, from a small letter on."""
    ligne: str = ""
    """The same in French, where the game brings it."""
    values: tuple[str, ...] = ()
    """What may be chosen, where that is listed."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """Words for what may be chosen."""
    least: int | None = None
    most: int | None = None

    @property
    def bounds(self) -> Reason | None:
        """What numbers it may be; None where any."""
        if self.most is not None:
            return Reason("%(least)s to %(most)s", least=self.least or 0, most=self.most)
        return None if self.least is None else Reason("%(least)s or more", least=self.least)


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
    grammar: str = ""
    """How its texts are spelt, a function from the game to an `arbitre.games.grammar.Grammar`; without: its notation's words."""
    wire: str = ""
    """Its words for engines and interfaces, an `arbitre.games.wires.Wire`; without: its notation and its picture."""
    telling: str = ""
    """What happens in it in words, an `arbitre.games.telling.Telling`; without: moves as they are written."""
    levels: str = ""
    """Its house players, a tuple of classes, the weakest first (`arbitre.games.levels`); without: anyone, at random."""
    analysis: str = ""
    """Who judges its finished games, an `arbitre.games.analysis.Analyst` or a function that returns one; without: nobody."""
    presets: str = ""
    """Positions to try programs with, a tuple of `arbitre.games.positions.Preset`; without: some of a game of random moves."""
    steps: str = ""
    """Its rules in three pictures, a tuple of `arbitre.games.positions.Step`; without: no pictures."""
    exports: Mapping[str, str] = field(default_factory=dict)
    """Forms of other programs, each with the function that writes a finished match in it (`arbitre.games.exports`)."""
    interface: str = ""
    """The folder of its interface, `package:folder`, with a page `NAME.html`; every file there begins with the game's name."""
    glyph: str = ""
    """Its picture in lists, `package:file`, an SVG of 48 by 48; without: one that says nothing."""
    miniature: str = ""
    """How its positions are drawn small, an `arbitre.games.miniature.Miniature`; without: its glyph stands for all of them."""
    setup: str = ""
    """How its positions are set up by hand, an `arbitre.games.setup.Setup`; without: as text alone."""
    aspect: str = ""
    """How wide and how high its interface is in a narrow window, such as `2 / 3`; without: as wide as high."""
    shape: Literal["square", "wide"] = "square"
    """Whether its interface is as high as it is wide, or wider, where there is room."""
    tokens: tuple[str, str] = ("warm", "cool")
    """Which pieces stand beside the names of its players, from the page's sheet `pieces.svg`."""
    manual: Mapping[str, str] = field(default_factory=dict)
    """Its page of the manual by language, `package:file`, Markdown; without: one that is made of what is here."""
    liked: tuple[str, ...] = ()
    """Moves that are good where they are legal, in canonical text: what a first program in the workshop looks for."""
    needs: tuple[str, ...] = ()
    """Distributions that it cannot do without."""
    shown: bool = False
    """Whether the house plays it for a visitor who comes when nothing goes on."""

    def called(self, language: str = "en") -> str:
        """Return the name as a person of this language writes it."""
        return (self.titre if language == "fr" else "") or self.title or self.name

    @property
    def set(self) -> str:
        """What engines and interfaces are told that they play, in `Set`: the title's letters and digits."""
        return "".join(one for one in self.title if one.isascii() and one.isalnum()) or self.name

    @property
    def page(self) -> str:
        """The page of its interface, below `/interfaces/`."""
        return f"{self.name}.html" if self.interface else "text.html"

    def game(self, options: Mapping[str, object] | None = None) -> AnyGame:
        """Return the game with these options; text is read by the option's type."""
        cls = fetch(self.rules)
        return cls(**{key: _option(cls, key, given) for key, given in (options or {}).items()})  # type: ignore[no-any-return]

    def options(self) -> tuple[Option, ...]:
        """Return the options of the game."""
        cls = fetch(self.rules)
        kinds = get_type_hints(cls)
        return tuple(
            Option(f.name, kinds[f.name], f.default, values=_values(kinds[f.name]), **{"line": "", **f.metadata})
            for f in _fields(cls)
        )


def listings() -> tuple[Listing, ...]:
    """Return every game that is installed, by name."""
    return tuple(_all().values())


def listing(name: str) -> Listing:
    """Return the listing of one game; the house's are found without asking who else is installed."""
    found = _ours(name) or _all().get(name)
    if found is None:
        names = " ".join(_all())
        raise UnknownGameError("no game is called %(name)r; there are: %(names)s", name=shorten(name), names=names)
    return found


@lru_cache(256)
def _ours(name: str) -> Listing | None:
    room = f"{__package__}.{name}"
    spec = find_spec(room) if name.isidentifier() and len(name) <= LONGEST_NAME else None
    if spec is None or spec.submodule_search_locations is None:
        return None
    return getattr(import_module(room), "LISTING", None)


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
    for entry in entry_points(group=GROUP):
        try:
            loaded = entry.load()
        except (ImportError, AttributeError) as error:
            raise CatalogueError(
                "entry point %(name)r of %(group)s leads nowhere: %(error)s", name=entry.name, group=GROUP, error=error
            ) from error
        for one in _listed(entry.name, loaded):
            if one.name in found:
                raise CatalogueError("entry point %(name)r lists a second game called %(name2)r", name=entry.name, name2=one.name)
            found[one.name] = one
    return dict(sorted(found.items()))


def _listed(entry: str, loaded: object) -> Iterator[Listing]:
    for one in loaded if isinstance(loaded, tuple) else (loaded,):
        if not isinstance(one, Listing):
            raise CatalogueError(
                "entry point %(entry)r of %(group)s leads to %(kind)s, not to a Listing",
                entry=entry,
                group=GROUP,
                kind=type(one).__name__,
            )
        yield one


@cache
def fetch(where: str) -> Any:
    """Import what `module:name` names."""
    module, _, attribute = where.partition(":")
    return getattr(import_module(module), attribute)


def folder(where: str) -> Path:
    """Return where a file or a folder of a package is that `package:path` names."""
    package, _, path = where.partition(":")
    return Path(str(import_module(package).__file__)).parent / path


def _fields(cls: type[AnyGame]) -> tuple[Field[Any], ...]:
    return tuple(f for f in fields(cls) if f.default is not MISSING)  # type: ignore[arg-type]


def _values(kind: Any) -> tuple[str, ...]:
    return get_args(kind) if get_origin(kind) is Literal else ()


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
    if values := _values(kind):
        if given not in values:
            raise OptionError(
                "%(name)s: %(key)s is one of %(values)s, not %(given)r",
                name=cls.name,
                key=key,
                values=", ".join(values),
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
