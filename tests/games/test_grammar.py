"""Grammars tell the truth: what they call an example can be read. That games write what they say is part of the contract."""

from re import fullmatch
from typing import Any

import pytest

from arbitre.games.catalogue import listing
from arbitre.games.grammar import grammar_of, schemas_of
from arbitre.games.notation import notation_of
from tests.house import HOUSE


@pytest.mark.parametrize("name", HOUSE)
def test_examples_are_read(name: str) -> None:
    game = listing(name).game()
    text, told = notation_of(game), schemas_of(game, "en")
    for one in told["move"].get("anyOf", [told["move"]]):
        assert one["examples"]
        for example in one["examples"]:
            assert fullmatch(one["pattern"], example)
    assert all(text.read_state(example) is not None for example in told["position"]["examples"])
    assert all(text.read_view(example) is not None for example in told["view"]["examples"])


def test_both_languages_say_something_of_each_spelling() -> None:
    for name in HOUSE:
        found = grammar_of(listing(name).game())
        assert all(one.line and one.ligne for one in (*found.moves, found.position, found.view))


def test_a_game_that_brings_no_grammar_says_what_its_notation_does() -> None:
    told: dict[str, Any] = schemas_of(listing("connectfour").game(), "en")
    assert "pattern" not in told["move"]
    assert told["move"]["description"]
    assert told["move"]["examples"]
