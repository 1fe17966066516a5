"""No style without somebody who wears it: a class or an id that a sheet of the site rules is named where markup is made.

That is a template's attribute, or a text in a script or in a module that makes markup. Names that are put together, such as
`peg-${letter}`, count by their beginning.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import arbitre

SOURCES = Path(arbitre.__file__).parent
SHEETS = sorted(SOURCES.glob("web/static/*.css"))
NAME = re.compile(r"[.#](-?[a-zA-Z_][\w-]*)")
WORD = re.compile(r"[a-zA-Z_][\w-]*")
TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
MADE = re.compile(r"([a-zA-Z_][\w-]*)(?:\$?\{|\"? ~ )")
"""The beginning of a name whose rest is put in."""


def selectors(sheet: str) -> set[str]:
    """Return the classes and ids in the selectors of a sheet."""
    plain = re.sub(r"/\*.*?\*/|\"[^\"]*\"|'[^']*'|url\([^)]*\)", "", sheet, flags=re.DOTALL)
    heads = re.findall(r"([^{};]+)\{", plain)
    return {name for head in heads if not head.strip().startswith("@") for name in NAME.findall(head)}


def texts() -> Iterator[str]:
    """Return all that may name a class: templates but for what they say, the texts of scripts and of modules that make markup."""
    for one in SOURCES.glob("web/templates/*.html"):
        yield re.sub(r"_\((?:\"[^\"]*\"|'[^']*')", "", one.read_text(encoding="utf-8"))
    modules = [*SOURCES.glob("web/static/**/*.js"), *SOURCES.glob("web/**/*.py"), *SOURCES.glob("games/**/miniature.py")]
    rooms = ("tournament/**/*.py", "analysis/*.py", "games/*.py")
    for one in [*modules, *(path for room in rooms for path in SOURCES.glob(room))]:
        yield from TEXT.findall(one.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def worn() -> tuple[set[str], tuple[str, ...]]:
    """Return the names that something wears, and how names begin that are put together."""
    said = list(texts())
    return {word for one in said for word in WORD.findall(one)}, tuple(
        {lead for one in said for lead in MADE.findall(one) if len(lead) > 2}
    )


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda one: one.name)
def test_every_rule_has_something_to_rule(sheet: Path, worn: tuple[set[str], tuple[str, ...]]) -> None:
    names, leads = worn
    dead = [one for one in selectors(sheet.read_text(encoding="utf-8")) if one not in names and not one.startswith(leads)]
    assert not dead, sorted(dead)


def test_a_rule_for_nobody_is_found(worn: tuple[set[str], tuple[str, ...]]) -> None:
    found = selectors(
        '/* .not */ .seat .nobody-wears-this:hover, #game > p[title=".no"] { color: red } @media (width: 1px) { .x {} }'
    )
    assert found == {"seat", "nobody-wears-this", "game", "x"}
    assert not {"seat", "game"} - worn[0]
    assert "nobody-wears-this" not in worn[0]
