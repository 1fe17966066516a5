"""The manual's page of a game that brings none: made of its listing, its options, its notation and one game."""

from importlib import import_module
from inspect import cleandoc
from itertools import islice
from random import Random

from arbitre.games.catalogue import Listing
from arbitre.games.game import AnyGame, Outcome, playout
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.wires import unspeakable
from arbitre.words import Words
from arbitre.words import words as words_of

MOST_TOLD = 12
"""Moves of the game that is told, before its end."""


def sheet_of(one: Listing, language: str) -> str:
    """Return the page in Markdown."""
    words, game = words_of(language), one.game()
    parts = [f"# {one.called(language)}", _sentence(one.ligne if language == "fr" else one.line)]
    parts += _options(one, words)
    parts += ["## " + words("In text"), cleandoc(import_module(one.notation.partition(":")[0]).__doc__ or "")]
    parts += ["## " + words("A game of random moves"), f"```text\n{_told(game)}\n```"]
    parts += ["## " + words("For programs"), *_programs(one, game, words)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _sentence(line: str) -> str:
    return f"{line[:1].upper()}{line[1:].rstrip('.')}."


def _options(one: Listing, words: Words) -> list[str]:
    rows = []
    for each in one.options():
        usual = ("yes" if each.default else "no") if isinstance(each.default, bool) else str(each.default)
        line = (each.ligne if words.language == "fr" else "") or words(each.line)
        rows.append(f"| `{each.name}` | `{usual}` | {line} | {words.of(each.bounds) or ', '.join(each.values)} |")
    head = " | ".join(("", words("option"), words("usual"), "", words("may be"), "")).strip() + "\n|---|---|---|---|\n"
    return ["## " + words("Options"), head + "\n".join(rows)] if rows else []


def _told(game: AnyGame) -> str:
    """Tell one game: the board at the start, the first moves, the board at the end."""
    text, steps = notation_of(game), list(playout(game, Random(1)))
    said = [" & ".join(text.write(move) for _, move in sorted(step.moves.items())) for step in steps if step.moves]
    moves = [*islice(said, MOST_TOLD), *(["…"] if len(said) > MOST_TOLD else [])]
    end = game.phase(steps[-1].after)
    reason = str(end.reason) if isinstance(end, Outcome) else ""
    boards = (text.picture(game.view(state, "referee")) for state in (game.start(), steps[-1].after))
    return "\n\n".join([next(boards), "  ".join(moves), next(boards), reason])


def _programs(one: Listing, game: AnyGame, words: Words) -> list[str]:
    told = [f"```console\n$ arbitre play {one.name}\n```"]
    house = ", ".join(f"`house:{one.name}/{number + 1}`" for number in range(len(levels(one.name))))
    told.append(words("Players of the house: %(names)s.", names=house))
    if unspeakable(game) is None and not one.wire:
        board = notation_of(game).write_view(game.view(game.start(), "spectator"))
        told.append(
            words("Engines at addresses get `Set=%(set)s`, a board such as `Tray=%(board)s`, and answer with a move in text.",
                set=one.set, board=board)
        )  # fmt: skip
    return told
