"""The French pages of the manual are those of the English one: same parts, same examples, same links.

`docs/fr/NAME.md` is the French page of `docs/NAME.md`. Whoever changes a page changes both; what differs is named here with the
heading or the block. In examples comments may be French, and the words of docstrings; everything else stays to the letter.
"""

import ast
import re
from collections import Counter
from itertools import zip_longest
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from arbitre.games.kriegspiel.announcements import FRENCH as ANNOUNCED
from arbitre.games.kriegspiel.umpire import Kind
from arbitre.transport.http import MOST_BODY
from arbitre.transport.pipe import LONGEST_LINE, MOST_COMMENT
from arbitre.words import words

ROOT = Path(__file__).parent.parent
ENGLISH, FRENCH = ROOT / "docs", ROOT / "docs" / "fr"

MUST = (
    "index",
    "play",
    "engines",
    "bots",
    "bring-an-engine",
    "engines-http",
    "interfaces",
    "kref",
    "tournaments",
    "league",
    "arcade",
    "rochambeau",
    "site",
    "programmers",
    "teaching",
    "first-bot",
    "workshop",
    "adding-a-game-by-url",
    "serving",
    "competitions",
    "api",
    "operating",
    "games/tictactoe",
    "games/rochambeau",
    "games/bigtictactoe",
    "games/pente",
    "games/reversi",
    "games/mastermind",
    "games/seafight",
    "games/poker",
    "games/draughts",
    "games/kriegspiel",
    "records",
    "verifying",
    "log",
    "architecture",
    "glossary",
    "adding-a-game",
    "sealing",
)
"""Pages that must be there in French."""

COMPARED = sorted(str(page.relative_to(FRENCH).with_suffix("")) for page in FRENCH.rglob("*.md"))
CODE = ("fence", "code_block")
NO_BREAK = re.compile(r"\w [;:?!»]|« |\d %|[;:?!] »")


def parsed(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def headings(tokens: list[Token]) -> list[tuple[str, str, int]]:
    """Return level, text and line of each heading."""
    return [
        (token.tag, tokens[at + 1].content, (token.map or [0])[0] + 1)
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def examples(tokens: list[Token]) -> list[tuple[str, str, int]]:
    """Return language, text and line of each block of code."""
    return [(token.info, token.content, (token.map or [0])[0] + 1) for token in tokens if token.type in CODE]


def shape(tokens: list[Token]) -> list[str]:
    """Return what a page is made of, in order: paragraphs, items, rows of tables."""
    return [token.type for token in tokens if token.type in ("paragraph_open", "list_item_open", "tr_open", "fence")]


def bare(kind: str, text: str) -> str:
    """Return a program without what may be said in another language: comments, and the words of docstrings."""
    if kind in ("py", "python") and ">>> " not in text:
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
                node.body[0] = ast.Expr(ast.Constant("…"))
        return ast.unparse(tree)
    if kind in ("html", "js"):
        return re.sub(r"^( *)// .*$", r"\1//", text, flags=re.MULTILINE)
    if kind == "toml":
        return re.sub(r" +# .*$", "", text, flags=re.MULTILINE)
    return text


@pytest.mark.parametrize("name", MUST)
def test_it_is_there_in_french(name: str) -> None:
    assert (FRENCH / f"{name}.md").is_file(), f"docs/fr/{name}.md is missing"


@pytest.mark.parametrize("name", COMPARED)
def test_the_parts_are_the_same(name: str) -> None:
    assert (ENGLISH / f"{name}.md").is_file(), f"docs/fr/{name}.md is the French of nothing"
    english, french = parsed(ENGLISH / f"{name}.md"), parsed(FRENCH / f"{name}.md")
    for ours, theirs in zip_longest(headings(english), headings(french)):
        assert ours, f"docs/fr/{name}.md, line {theirs[2]}: “{theirs[1]}” is not in the English page"
        assert theirs, f"docs/{name}.md, line {ours[2]}: “{ours[1]}” is not in the French page"
        where = f"docs/{name}.md, line {ours[2]}: “{ours[1]}” and docs/fr/{name}.md, line {theirs[2]}: “{theirs[1]}”"
        assert ours[0] == theirs[0], f"{where} are not of the same level"


@pytest.mark.parametrize("name", COMPARED)
def test_the_examples_are_the_same(name: str) -> None:
    english, french = parsed(ENGLISH / f"{name}.md"), parsed(FRENCH / f"{name}.md")
    for ours, theirs in zip_longest(examples(english), examples(french)):
        assert ours, f"docs/fr/{name}.md, line {theirs[2]}: this block is not in the English page"
        assert theirs, f"docs/{name}.md, line {ours[2]}: this block is not in the French page"
        where = f"the block of docs/{name}.md, line {ours[2]}, reads otherwise in docs/fr/{name}.md, line {theirs[2]}"
        assert ours[0] == theirs[0], where
        assert bare(*ours[:2]) == bare(*theirs[:2]), where


@pytest.mark.parametrize("name", COMPARED)
def test_nothing_is_left_out(name: str) -> None:
    """A paragraph, an item or a row that one page has the other has too."""
    english, french = parsed(ENGLISH / f"{name}.md"), parsed(FRENCH / f"{name}.md")
    for part, (ours, theirs) in enumerate(zip_longest(sections(english), sections(french))):
        assert ours is not None, f"docs/fr/{name}.md has a part {part + 1}"
        assert theirs is not None, f"docs/fr/{name}.md has no part {part + 1}"
        assert shape(ours) == shape(theirs), (
            f"docs/fr/{name}.md: paragraphs, items or rows differ in part {part}, “{title(theirs)}”"
        )


def sections(tokens: list[Token]) -> list[list[Token]]:
    """Return a page cut at its headings."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "heading_open":
            parts.append([])
        parts[-1].append(token)
    return parts


def title(part: list[Token]) -> str:
    return part[1].content if len(part) > 1 else ""


@pytest.mark.parametrize("name", COMPARED)
def test_what_is_set_as_code_is_the_same(name: str) -> None:
    """Commands, parameters, moves and digests are the same to the letter; what is written on a button is the button's French."""

    def codes(page: Path) -> Counter[str]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        return Counter(" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text))

    ours, theirs = codes(ENGLISH / f"{name}.md"), codes(FRENCH / f"{name}.md")
    buttons = Counter(words("fr")(code) for code in (ours - theirs).elements())
    assert buttons == theirs - ours, f"docs/{name}.md alone: {ours - theirs}; docs/fr/{name}.md alone: {theirs - ours}"


@pytest.mark.parametrize("name", COMPARED)
def test_numbers_are_the_same(name: str) -> None:
    """A bound that changes in one page changes in the other: 1,024.5 here is 1 024,5 there."""

    def numbers(page: Path, thousands: str, point: str) -> Counter[str]:
        text = re.sub(r"^```.*?^```|^    [^\n]*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"`[^`]*`|\]\([^)]*\)|^\d+\. ", " ", text, flags=re.MULTILINE)
        text = re.sub(rf"(?<=\d){thousands}(?=\d{{3}})", "", text)
        return Counter(re.findall(r"\d+(?:\.\d+)?", re.sub(rf"(?<=\d){point}(?=\d)", ".", text)))

    ours = numbers(ENGLISH / f"{name}.md", ",", r"\.")
    theirs = numbers(FRENCH / f"{name}.md", "\N{NO-BREAK SPACE}", ",")
    assert ours == theirs, f"docs/{name}.md alone: {ours - theirs}; docs/fr/{name}.md alone: {theirs - ours}"


@pytest.mark.parametrize("name", COMPARED)
def test_links_lead_to_the_same_pages_in_french_where_there_are_any(name: str) -> None:
    def links(page: Path) -> list[str]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        return re.findall(r"\]\(([^)\s]+)\)", text)

    def target(page: Path, link: str) -> str:
        return link if "://" in link else str((page.parent / link).resolve().relative_to(ENGLISH.resolve())).removeprefix("fr/")

    english, french = ENGLISH / f"{name}.md", FRENCH / f"{name}.md"
    ours, theirs = ([target(page, link) for link in links(page)] for page in (english, french))
    assert sorted(ours) == sorted(theirs)
    for link in links(french):
        file = (french.parent / link.partition("#")[0]).resolve()
        if file.suffix == ".md" and ENGLISH.resolve() in file.parents and FRENCH.resolve() not in file.parents:
            there = FRENCH / file.relative_to(ENGLISH.resolve())
            assert not there.exists(), f"docs/fr/{name}.md links to the English page {file.name}, which is there in French"


@pytest.mark.parametrize("name", COMPARED)
def test_french_typography(name: str) -> None:
    """Before ; : ? ! and within guillemets there is a space that does not break, and apostrophes are apostrophes."""
    fenced = re.sub(r"^```.*?^```$", "", (FRENCH / f"{name}.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for number, line in enumerate(re.sub(r"`[^`]*`|\]\([^)]*\)", "x", fenced).splitlines(), start=1):
        assert not (found := NO_BREAK.search(line)), f"docs/fr/{name}.md: a space that may break in “{line}” ({found})"
        assert "'" not in line, f"docs/fr/{name}.md, about line {number}: {line}"


def test_the_umpire_speaks_french_as_on_the_board() -> None:
    page = (FRENCH / "games" / "kriegspiel.md").read_text(encoding="utf-8")
    for kind in (Kind.LONG_DIAGONAL, Kind.ILLEGAL, Kind.NOT_POSSIBLE, Kind.PIECE_GONE, Kind.PAWN_GONE, Kind.PROMOTES):
        assert f"*{ANNOUNCED[kind].format(side='Blancs')}*" in page


def test_the_numbers_are_ours() -> None:
    """Bounds that the English pages are held to are the same here, written the French way."""
    pages = {name: (FRENCH / f"{name}.md").read_text(encoding="utf-8") for name in ("bots", "engines-http")}
    for name, number in (("bots", LONGEST_LINE), ("bots", MOST_COMMENT), ("engines-http", MOST_BODY)):
        assert f"{number:,}".replace(",", "\N{NO-BREAK SPACE}") in pages[name]
