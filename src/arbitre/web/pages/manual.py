"""The manual within the site: the pages of `docs/`, rendered without any markup of their own.

`docs` beside this room is a link to the folder of the checkout; a package that is built from it holds the pages themselves. HTML
in a page is shown as text, never taken over.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException
from litestar.response import Redirect
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arbitre.rules.game import value
from arbitre.web.given import FromPath, OurHouse, ThisVisit
from arbitre.web.shelf import Shelf

FOLDER = Path(__file__).parent.parent / "docs"
PICTURES = (".svg", ".png")

CHAPTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("index", "site", "play", "bots")),
    ("Program", ("programmers", "engines-http", "engines", "interfaces", "adding-a-game-by-url", "api")),
    ("Compete", ("competitions", "tournaments", "league", "arcade", "rochambeau", "kref")),
    ("Teach", ("teaching",)),
    ("Games", ("games/",)),
    ("Run a site", ("serving", "operating")),
    ("Proof", ("records", "verifying")),
    ("Build on it", ("architecture", "adding-a-game", "sealing")),
    ("Figures", ("figures/",)),
)
"""The contents, in the order in which a newcomer meets them; a folder stands for its pages, and whatever is left follows."""


@value
class Page:
    """One page of the manual."""

    title: str
    body: Markup
    headings: tuple[tuple[str, str], ...]
    """Identifier and text of the headings of the second level."""


@cache
def pages() -> dict[str, Path]:
    """Return the pages of the manual by name."""
    return {str(path.relative_to(FOLDER).with_suffix("")): path for path in sorted(FOLDER.rglob("*.md"))}


@cache
def rendered(name: str) -> Page:
    """Return a page as it is shown."""
    renderer = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    tokens = renderer.parse(pages()[name].read_text(encoding="utf-8"))
    title, headings = name, []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            text = _text(tokens[at + 1])
            token.attrSet("id", slug(text))
            if token.tag == "h1":
                title = text
            elif token.tag == "h2":
                headings.append((slug(text), text))
        for child in token.children or ():
            _lead(child, name)
    body = renderer.renderer.render(tokens, renderer.options, {})
    body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    return Page(title, Markup(body), tuple(headings))  # noqa: S704 - our own pages, with their HTML turned off


def _text(token: Token) -> str:
    return "".join(child.content for child in token.children or () if child.type in ("text", "code_inline"))


def slug(text: str) -> str:
    """Return the identifier of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def _lead(token: Token, name: FromPath[str]) -> None:
    """Let a link between files of the manual lead to its page here."""
    key = "href" if token.type == "link_open" else "src" if token.type == "image" else ""
    target = str(token.attrs.get(key, "")) if key else ""
    if not target or "://" in target or target.startswith(("#", "/", "mailto:")):
        return
    file, mark, part = target.partition("#")
    joined = PurePosixPath(name).parent / file
    steps: list[str] = []
    for step in joined.parts:
        if step == "..":
            if steps:
                steps.pop()
        else:
            steps.append(step)
    token.attrSet(key, "/manual/" + "/".join(steps).removesuffix(".md") + (mark and f"#{slug(part)}"))


def contents() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return the chapters with name and title of their pages."""
    left = list(pages())
    for chapter, names in CHAPTERS:
        found = [one for name in names for one in left if one == name or (name.endswith("/") and one.startswith(name))]
        left = [one for one in left if one not in found]
        yield chapter, [(one, rendered(one).title) for one in found]
    if left:
        yield "More", [(one, rendered(one).title) for one in left]


@get("/manual")
async def manual(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the contents."""
    return house.page(visit, "manual.html", contents=list(contents()), page=None, name="")


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
    if bare != name and bare in pages():
        return Redirect(f"/manual/{bare}")
    if name not in pages():
        raise NotFoundException
    return house.page(visit, "manual.html", contents=list(contents()), page=rendered(name), name=name)


ROUTES = (manual, manual_page)
