"""The options of a game on forms and pages: what may be chosen there, in the visitor's words, and what was chosen.

What interfaces and engines by URL have no words for is not offered (spec tournoyons, section 4): four pegs, three signs.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arbitre.games.catalogue import fetch, listing, options_of
from arbitre.games.game import AnyGame
from arbitre.games.trays import MUST
from arbitre.values import value
from arbitre.web.telling import N_
from arbitre.words import Words

FIELD = "option."
"""What the names of the fields begin with; the game's name may follow, where a form has those of several games."""

LONGEST = 40

LABELS: Mapping[tuple[str, str], str] = {
    ("bigtictactoe", "first"): N_("The first row of five wins, instead of the most on a full board"),
    ("rochambeau", "goal"): N_("Points to win"),
    ("rochambeau", "limit"): N_("Rounds at most"),
    ("draughts", "plies"): N_("A draw after so many moves of both sides together"),
    ("kriegspiel", "strict"): N_("A try that the announcements of this turn rule out is illegal"),
    ("kriegspiel", "refusals"): N_("Who hears that a try is refused"),
    ("kriegspiel", "repetition"): N_("The third occurrence of a position is a draw"),
    ("kriegspiel", "fifty"): N_("Fifty moves of each side without a capture or a pawn’s move are a draw"),
    ("kriegspiel", "dead"): N_("When neither side could mate even with help the game is a draw"),
    ("kriegspiel", "agreement"): N_("The players may agree on a draw"),
    ("kriegspiel", "plies"): N_("A draw after so many moves of both sides together; 0: never"),
}

CHOICES: Mapping[str, str] = {"both": N_("both players"), "mover": N_("the mover alone")}


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
    shown = listing(name)
    kinds = get_type_hints(fetch(shown.rules))
    offered = (one for one in shown.options() if one[0] not in MUST.get(name, {}))
    return tuple(_choice(key, words(_label(name, key, line)), default, kinds[key], words) for key, default, line in offered)


def _label(game: str, key: str, line: str) -> str:
    return LABELS.get((game, key), line or key)


def _choice(key: str, label: str, default: object, kind: Any, words: Words) -> Choice:
    if kind is bool and default:  # a box that is not ticked sends nothing: what holds by itself is left out by a word
        return Choice(key, label, "select", _field(default), (("yes", words(N_("yes"))), ("no", words(N_("no")))))
    if kind is bool:
        return Choice(key, label, "check", _field(default))
    if get_origin(kind) is Literal:
        values = tuple((str(one), words(CHOICES.get(str(one), str(one)))) for one in get_args(kind))
        return Choice(key, label, "select", str(default), values)
    return Choice(key, label, "number" if kind is int else "text", str(default))


def chosen(name: str, data: Mapping[str, str], *, among: bool = False) -> dict[str, str]:
    """Return what a form says otherwise than the game does by itself; `among` where it has the options of several games."""
    prefix = f"{FIELD}{name}." if among else FIELD
    given = {key.removeprefix(prefix): text.strip()[:LONGEST] for key, text in data.items() if key.startswith(prefix)}
    usual = {key: _field(default) for key, default, _ in listing(name).options()}
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
    lines = {key: line for key, _, line in listing(game.name).options()}
    said = []
    for key, given in options_of(game).items() if not game.neutral else ():
        label = words(_label(game.name, key, lines[key])).partition(";")[0]
        said.append(label if given is True else words(N_("%(what)s: %(value)s"), what=label, value=_said(given, words)))
    return said


def _said(given: object, words: Words) -> str:
    return words(N_("no")) if given is False else words(CHOICES.get(str(given), str(given)))
