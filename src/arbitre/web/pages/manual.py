"""The manual within the site: the pages of `docs/`, rendered without any markup of their own (spec: tournoyons, section 7).

HTML in a page is shown as text, never taken over.

`docs/fr/NAME.md` is the French page of `docs/NAME.md`. `/manual/NAME` shows a page in the visitor's language, and says so where
it exists in English only; `/manual/fr/NAME` and `/manual/en/NAME` show it in that language whoever asks, and their links keep
to it.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException
from litestar.response import Redirect
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arbitre.games.catalogue import listings
from arbitre.games.positions import presets_of
from arbitre.values import value
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.files import Shelf
from arbitre.web.house import WebApp
from arbitre.web.manual import FOLDER, games, known, pages, spoken, text_of
from arbitre.web.search import Part, part_of, search
from arbitre.web.smalls import picture_of
from arbitre.web.visit import Visit
from arbitre.words import DEFAULT, LANGUAGES

PICTURES = (".svg", ".png")
LONGEST_SEARCH = 80

CHAPTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("index", "site", "play", "first-bot", "dial-in", "bots")),
    (
        "Program",
        ("programmers", "bring-an-engine", "agents", "engines-http", "engines", "interfaces", "adding-a-game-by-url", "api"),
    ),
    ("Compete", ("competitions", "tournaments", "league", "arcade", "rochambeau", "kref")),
    ("Teach", ("teaching", "workshop", "runners")),
    ("Games", ("games/",)),
    ("Run a site", ("serving", "serving-many", "operating")),
    ("Proof", ("records", "verifying", "log", "codes")),
    ("Build on it", ("architecture", "glossary", "adding-a-game", "sealing")),
    ("Figures", ("figures/",)),
)
"""The contents, in the order in which a newcomer meets them; a folder stands for its pages, and whatever is left follows."""


@value
class ManualPage:
    """One page of the manual."""

    title: str
    body: Markup
    headings: tuple[tuple[str, str], ...]
    """Identifier and text of the headings of the second level."""


@value
class Heading:
    """A line of the contents."""

    name: str
    title: str
    language: str


def _parsed(name: str, language: str) -> list[Token]:
    renderer = MarkdownIt("commonmark").enable("table")
    return renderer.parse(text_of(name, language))


def _headings(tokens: list[Token]) -> list[str]:
    return [_text(tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open"]


@cache
def rendered(name: str, language: str = DEFAULT, home: str = "/manual/") -> ManualPage:
    """Return a page as it is shown; its links lead to pages below `home`.

    Headings are called as in English whatever the language, so that an address with a heading in it is good in both.
    """
    renderer = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    tokens = _parsed(name, language)
    names = [slug(text) for text in _headings(_parsed(name, DEFAULT))]
    title, headings = name, []
    opened = iter(names)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            text = _text(tokens[at + 1])
            part = next(opened, slug(text))
            token.attrSet("id", part)
            if token.tag == "h1":
                title = text
            elif token.tag == "h2":
                headings.append((part, text))
        for child in token.children or ():
            _lead(child, PurePosixPath("" if language == DEFAULT else language, f"{name}.md"), home)
    body = renderer.renderer.render(tokens, renderer.options, {})
    body = body.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
    return ManualPage(title, Markup(body), tuple(headings))  # noqa: S704 - our own pages, with their HTML turned off


@cache
def index(language: str) -> tuple[Part, ...]:
    """Return all parts of the manual as somebody of this language is shown them, for the search."""
    found: list[Part] = []
    for name in (one.name for _, entries in contents(language) for one in entries if not one.name.startswith("figures/")):
        in_ = spoken(name, language)
        tokens = _parsed(name, in_)
        title = rendered(name, in_).title
        anchors = iter([slug(text) for text in _headings(_parsed(name, DEFAULT))])
        anchor, heading, texts = "", title, list[str]()
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                if texts:
                    found.append(part_of(name, title, anchor, heading, texts))
                heading, texts = _text(tokens[at + 1]), []
                anchor = next(anchors, slug(heading)) if token.tag != "h1" else next(anchors, "") and ""
            elif token.type in ("inline", "fence", "code_block") and tokens[at - 1].type != "heading_open":
                inline = (child.content or " " for child in token.children or ())  # a break in the source is a space
                texts.append("".join(inline) if token.type == "inline" else token.content)
        if texts:
            found.append(part_of(name, title, anchor, heading, texts))
    return tuple(found)


@cache
def picture(name: str) -> Markup:
    """Return a position of the game whose rules a page tells, drawn small; empty for any other page."""
    place, _, game_name = name.partition("/")
    listed = next((one for one in listings() if place == "games" and one.name == game_name and one.miniature), None)
    presets = presets_of(game_name) if listed else ()
    if listed is None or not presets:
        return Markup()
    game = listed.game()
    states = presets[min(1, len(presets) - 1)].states(game)
    views = [game.view(state, "referee") for state in states[-2:]]
    return Markup(picture_of(game, views[-1], views[0] if len(views) > 1 else None))  # noqa: S704 - made of numbers


def _text(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in ("text", "code_inline"))


def slug(text: str) -> str:
    """Return the identifier of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def _lead(token: Token, file: PurePosixPath, home: str) -> None:
    """Let a link between files of the manual lead to its page here."""
    key = "href" if token.type == "link_open" else "src" if token.type == "image" else ""
    target = str(token.attrs.get(key, "")) if key else ""
    if not target or "://" in target or target.startswith(("#", "/", "mailto:")):
        return
    path, mark, part = target.partition("#")
    steps: list[str] = []
    for step in (file.parent / path).parts:
        if step == "..":
            if steps:
                steps.pop()
        else:
            steps.append(step)
    if steps and steps[0] in LANGUAGES:
        steps.pop(0)
    place = home if key == "href" else "/manual/"
    token.attrSet(key, place + "/".join(steps).removesuffix(".md") + (mark and f"#{slug(part)}"))


def contents(language: str = DEFAULT) -> Iterator[tuple[str, list[Heading]]]:
    """Return the chapters with their pages, each titled as it will be shown."""

    def entries(names: Iterable[str]) -> list[Heading]:
        return [Heading(name, rendered(name, in_).title, in_) for name in names for in_ in (spoken(name, language),)]

    left = sorted((*pages(), *games()))
    for chapter, names in CHAPTERS:
        found = [one for name in names for one in left if one == name or (name.endswith("/") and one.startswith(name))]
        left = [one for one in left if one not in found]
        yield chapter, entries(found)
    if left:
        yield "More", entries(left)


def _shown(house: WebApp, visit: Visit, name: str, chosen: str = "", words: str = "") -> Response[Any]:
    """Show a page, or the contents, in the chosen language or else in the visitor's."""
    language = chosen or visit.language
    home = f"/manual/{chosen}/" if chosen else "/manual/"
    page, shown = None, language
    if name:
        shown = spoken(name, language)
        page = rendered(name, shown, home)
    other = next(code for code in LANGUAGES if code != shown)
    visit.here = f"/manual/{name}".rstrip("/")  # the switch of the page's head is to change the page too
    return house.page(
        visit,
        "manual.html",
        contents=list(contents(language)),
        page=page,
        picture=picture(name),
        words=words,
        found=search(index(language), words) if words.strip() else [],
        name=name,
        home=home,
        shown=shown,
        wanted=language,
        other=other if not name or known(name, other) else "",
    )


@get("/manual")
async def manual(house: OurHouse, visit: ThisVisit, words: FromQuery[str] = "") -> Response[str]:
    """Show the contents, or what was searched for."""
    if words.strip():  # the first who searches waits for the index, and nobody else does
        await asyncio.to_thread(index, visit.language)
    return _shown(house, visit, "", words=words[:LONGEST_SEARCH])


@get("/manual/{name:path}", media_type=MediaType.HTML)
async def manual_page(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Show one page, or a picture of it."""
    name = name.strip("/")
    if name.endswith(PICTURES):
        file = Shelf(FOLDER).get(name)
        if file is None:
            raise NotFoundException
        return Response(file.body, media_type=file.kind)
    bare = name.removesuffix(".md").removesuffix(".html")
    first, _, rest = bare.partition("/")
    chosen, page = (first, rest) if first in LANGUAGES else ("", bare)
    if page and not known(page):
        raise NotFoundException
    if bare != name:
        return Redirect(f"/manual/{bare}")
    return _shown(house, visit, page, chosen)
