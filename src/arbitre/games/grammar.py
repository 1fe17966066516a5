"""How the texts of a game are spelt, for programs that know nothing of it: what `Listing.grammar` leads to.

A grammar says of moves, positions and views what is written (`arbitre.games.notation` reads a little more). Its patterns are made
of characters, classes, groups, alternatives and counts alone: a program can make texts of them as well as check them. What
matches is spelt well and may still be refused by the rules. Examples are no part of it: they are taken from a game of random
moves, so none can be wrong.
"""

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from inspect import cleandoc
from itertools import islice
from random import Random
from re import fullmatch
from typing import Any

from arbitre.games.catalogue import Listing, fetch, folder, listing
from arbitre.games.game import AnyGame, Eye, Seat, playout
from arbitre.games.notation import notation_of
from arbitre.values import value

TURN = "[1-9][0-9]{0,5}"
"""The turn number with which every position ends."""
LONGEST_MOVE = 200
LONGEST_POSITION = 4_000
STEPS = 40
"""Steps of the game that examples are taken from."""
MOST_EXAMPLES = 6


@value
class Spelling:
    """One kind of text of a game."""

    name: str
    """What the manual calls it: a shot, a fleet."""
    pattern: str
    """What the whole text matches; empty where the game does not say."""
    line: str
    """What it says, in English."""
    ligne: str
    """The same in French."""
    examples: tuple[str, ...] = ()
    """Some that a game of random moves would not show."""

    def schema(self, examples: Iterable[str], language: str, longest: int) -> dict[str, Any]:
        """Return what it is as a JSON schema."""
        made: dict[str, Any] = {"type": "string", "title": self.name, "minLength": 1, "maxLength": longest}
        if told := self.ligne if language == "fr" else self.line:
            made["description"] = told
        if self.pattern:
            made["pattern"] = f"^(?:{self.pattern})$"
        return made | {"examples": [*examples, *self.examples]}


@value
class Grammar:
    """How moves, positions and views of a game with its options are spelt."""

    moves: tuple[Spelling, ...]
    position: Spelling
    view: Spelling


@value
class Examples:
    """Texts of a game of random moves."""

    moves: tuple[str, ...]
    positions: tuple[str, ...]
    views: tuple[str, ...]


def open_grammar(moves: tuple[Spelling, ...], position: Spelling) -> Grammar:
    """Return the grammar of a game without secrets, where everybody sees the position."""
    same = Spelling("view", position.pattern, "the position: nothing is hidden", "la position : rien n’est caché")
    return Grammar(moves, position, same)


def grammar_of(game: AnyGame) -> Grammar:
    """Return the grammar of a game; one that brings none says in words what its notation does."""
    one = listing(game.name)
    if one.grammar:
        made: Grammar = fetch(one.grammar)(game)
        return made
    told = cleandoc(import_module(one.notation.partition(":")[0]).__doc__ or "")
    return Grammar((Spelling("move", "", told, ""),), Spelling("position", "", "", ""), Spelling("view", "", "", ""))


def rules_in_words(one: Listing, language: str = "en") -> str:
    """Return a game's page of the manual as it is written: its own, or the house's; a line where there is neither."""
    where = one.manual.get(language) or one.manual.get("en") or f"arbitre.web:docs/games/{one.name}.md"
    page = folder(where)
    return page.read_text(encoding="utf-8") if page.is_file() else one.line


@lru_cache(64)
def examples_of(game: AnyGame) -> Examples:
    """Return some texts, the same each time."""
    text, random = notation_of(game), Random(1)
    steps = list(islice(playout(game, random), STEPS))
    moves = dict.fromkeys(text.write(move) for step in steps for _, move in sorted(step.moves.items()))
    states = [game.start(), *(step.after for step in steps)]
    some = [states[0], states[len(states) // 2], states[-1]]
    eyes: tuple[Eye, ...] = (*map(Seat, range(min(2, game.seats))), "spectator")
    views = dict.fromkeys(text.write_view(game.view(state, eye)) for state in some[:2] for eye in eyes)
    return Examples(tuple(moves), tuple(dict.fromkeys(map(text.write_state, some))), tuple(islice(views, MOST_EXAMPLES)))


def schemas_of(game: AnyGame, language: str) -> dict[str, dict[str, Any]]:
    """Return JSON schemas of a move, a position and a view, with examples."""
    grammar, seen = grammar_of(game), examples_of(game)
    moves = [
        one.schema(
            islice((text for text in seen.moves if not one.pattern or fullmatch(one.pattern, text)), MOST_EXAMPLES),
            language,
            LONGEST_MOVE,
        )
        for one in grammar.moves
    ]
    return {
        "move": moves[0] if len(moves) == 1 else {"anyOf": moves},
        "position": grammar.position.schema(seen.positions, language, LONGEST_POSITION),
        "view": grammar.view.schema(seen.views, language, LONGEST_POSITION),
    }
