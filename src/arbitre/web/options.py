"""The options of a game on forms and pages: what may be chosen there, in the visitor's words, and what was chosen.

What interfaces and engines by URL have no words for is not offered (spec tournoyons, section 4): four pegs, three signs.
"""

from collections.abc import Mapping
from typing import Literal

from arbitre.games.catalogue import Option, listing, options_of
from arbitre.games.game import AnyGame
from arbitre.games.wires import wire_of
from arbitre.values import value
from arbitre.web.telling import N_
from arbitre.words import Words

FIELD = "option."
"""What the names of the fields begin with; the game's name may follow, where a form has those of several games."""

LONGEST = 40


@value
class Choice:
    """One option as a form shows it."""

    name: str
    label: str
    kind: Literal["check", "number", "select", "text"]
    default: str
    """As the field has it."""
    values: tuple[tuple[str, str], ...] = ()
    """What a list offers: the value, and its words."""


def choices(name: str, words: Words) -> tuple[Choice, ...]:
    """Return the options of a game that a visitor may choose."""
    must = wire_of(name).engine.must
    return tuple(_choice(one, words) for one in listing(name).options() if one.name not in must)


def _label(one: Option, words: Words) -> str:
    """Return what an option is called: a plug-in's in the French that it brings, ours in that of our catalogues."""
    said = one.ligne if one.ligne and words.language == "fr" else words(one.line or one.name)
    return said[:1].upper() + said[1:]


def _choice(one: Option, words: Words) -> Choice:
    label, default = _label(one, words), one.default
    if one.kind is bool and default:  # a box that is not ticked sends nothing: what holds by itself is left out by a word
        return Choice(one.name, label, "select", _field(default), (("yes", words(N_("yes"))), ("no", words(N_("no")))))
    if one.kind is bool:
        return Choice(one.name, label, "check", _field(default))
    if one.values:
        values = tuple((key, words(one.choices.get(key, key))) for key in one.values)
        return Choice(one.name, label, "select", str(default), values)
    return Choice(one.name, label, "number" if one.kind is int else "text", str(default))


def chosen(name: str, data: Mapping[str, str], *, among: bool = False) -> dict[str, str]:
    """Return what a form says otherwise than the game does by itself; `among` where it has the options of several games."""
    prefix = f"{FIELD}{name}." if among else FIELD
    given = {key.removeprefix(prefix): text.strip()[:LONGEST] for key, text in data.items() if key.startswith(prefix)}
    usual = {one.name: _field(one.default) for one in listing(name).options()}
    return {key: text for key, text in given.items() if text and text != usual.get(key)}


def fields_of(name: str, options: Mapping[str, object]) -> dict[str, str]:
    """Return the fields, among those of several games, that a form has for these options."""
    return {f"{FIELD}{name}.{key}": _field(one) for key, one in options.items()}


def form_of(options: Mapping[str, object]) -> dict[str, str]:
    """Return the fields that the form of one game has for these options."""
    return {f"{FIELD}{key}": _field(one) for key, one in options.items()}


def _field(one: object) -> str:
    return ("yes" if one else "no") if isinstance(one, bool) else str(one)


def told(game: AnyGame, words: Words) -> list[str]:
    """Return what is not as usual in a game, one line for each option."""
    known = {one.name: one for one in listing(game.name).options()}
    said = []
    for key, given in options_of(game).items() if not game.neutral else ():
        label = _label(known[key], words).partition(";")[0]
        value = words(N_("no")) if given is False else words(known[key].choices.get(str(given), str(given)))
        said.append(label if given is True else words(N_("%(what)s: %(value)s"), what=label, value=value))
    return said
