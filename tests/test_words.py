"""Both languages say the same: every sentence has its French, with the same places for the same fields."""

import re
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import arbitre
from arbitre.elections.payload import Fault
from arbitre.errors import PayloadError
from arbitre.reasons import TABLE, Reason, fill
from arbitre.referee.verdict import Termination, ending
from arbitre.site.accounts import Role
from arbitre.site.challenges import Reply
from arbitre.site.competitions.competitions import Stage
from arbitre.words import FOLDER, words

PLACE = re.compile(r"%(?:\((\w+)\)([a-z])|(%)|)")
"""A place with its name and its conversion, a percent sign that stands for itself, or one that stands for nothing."""
NO_BREAK = "\N{NO-BREAK SPACE}"


def places(text: str) -> set[tuple[str, str]]:
    """Return the places of a sentence; one without any is shown as it is, so a lone percent sign is wrong only beside a place."""
    found = [(one[1], one[2]) for one in PLACE.finditer(text) if not one[3]]
    named = {one for one in found if one[0]}
    assert not named or (None, None) not in found, f"a lone percent sign in {text!r}"
    return named


def forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return a text, or those for one and for many."""
    return (text or "",) if text is None or isinstance(text, str) else tuple(text)


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("*/LC_MESSAGES/*.po")), ids=lambda path: f"{path.parent.parent.name}-{path.stem}"
)
def test_a_translation_has_the_places_of_its_sentence(path: Path) -> None:
    with path.open("rb") as file:
        for message in read_po(file):
            if not message.id:
                continue
            said = forms(message.string)
            due = {place for one in forms(message.id) for place in places(one)}
            for one in said:
                assert one, message.id
                # of one thing the number itself may go unsaid
                assert places(one) == due or (len(said) > 1 and due - places(one) <= {("num", "s"), ("count", "s")}), message.id


def test_every_code_has_words_with_the_same_places_in_both_languages() -> None:
    room = Path(arbitre.__file__).parent
    for path in room.rglob("*.py"):
        if "declare(" in path.read_text(encoding="utf-8"):
            import_module(".".join(path.relative_to(room.parent).with_suffix("").parts).removesuffix(".__init__"))
    assert len(TABLE) > 100
    for code, (english, french) in TABLE.items():
        assert english, code
        assert french, code
        assert places(english) == places(french), code


@pytest.mark.parametrize("kind", [Reply, Role, Stage, Termination])
def test_words_within_sentences_are_translated(kind: type[Enum]) -> None:
    french = words("fr")
    for one in kind:
        assert french.of(one) != one.value, one


@pytest.mark.parametrize("how", Termination)
def test_how_a_match_stopped_is_no_code_for_people(how: Termination) -> None:
    assert "-" not in words("en").of(how)
    assert words("en").of(how) == str(ending(how))
    assert words("fr").of(how) == words("fr").of(ending(how))


def test_a_sentence_is_translated_with_the_words_and_reasons_in_it() -> None:
    error = PayloadError(Fault.BAD_COMMIT, "type %(given)s, not %(wanted)s", given=Reason("missing"), wanted="0001")
    assert str(error) == "malformed commit: type missing, not 0001"
    assert words("fr").of(error) == f"Commit mal formé{NO_BREAK}: type manquant, et non 0001"


def test_a_percent_sign_in_a_sentence_with_fields_is_written_twice() -> None:
    with pytest.raises(AssertionError, match="lone percent sign"):
        places("100 % of %(games)s games")
    assert places("100 %% of %(games)s games") == {("games", "s")}
    assert places("100 %") == set()
    assert fill("100 %", {}) == "100 %"
