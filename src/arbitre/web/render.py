"""Pages from templates: one environment for each language, everything escaped, the words translated.

A handler returns `page(visit, "name.html", …)`. Every template knows `visit`, `site` (name, version, fingerprint of the key) and
`asset("file")`, the address of a file on the shelf, and the filter `said` for what rooms below the pages said.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from babel.dates import format_date, format_datetime
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType, Response
from markupsafe import Markup

from arbitre import __version__
from arbitre.errors import ArbitreError
from arbitre.games.catalogue import folder, listings
from arbitre.games.labels import title_of
from arbitre.referee.clock import read_clock
from arbitre.values import value
from arbitre.web.crests import crest
from arbitre.web.files import File, Shelf, made
from arbitre.web.limits import limit_in
from arbitre.web.prose import prose
from arbitre.web.telling import reason_in
from arbitre.web.visit import Visit
from arbitre.words import LANGUAGES, words

HERE = Path(__file__).parent
WRONG = frozenset({"problem", "why"})
"""What templates call that which went wrong: it may come from a room below, and is said in the visitor's language."""
STATIC = Shelf(HERE / "static")


@cache
def _folders() -> tuple[Path, ...]:
    return tuple(folder(one.interface) for one in listings() if one.interface)


INTERFACES = Shelf(HERE / "interfaces", _folders)
"""The toolkit, and behind it what each game brings; all under one flat address."""
SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[._-])(?=\w)")
"""Where a name may be broken: BigTicTacToe between its words, Deep.Pond behind the dot."""
INSIDE = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)


@value
class Masthead:
    """What every page says about the site."""

    name: str
    public: str
    fingerprint: str
    doors: frozenset[str] = frozenset()
    """The paths that there are, so that no page leads to one that there is not."""
    version: str = __version__


def asset(name: str) -> str:
    """Return the address of a static file; it changes when the file does, so browsers may keep it."""
    return f"/static/{name}?v={GLYPHS.mark if name == 'glyphs.svg' else STATIC.mark(name)}"


def _sheet() -> File:
    """Return the pictures of all games as symbols of one file; `any` is for those that have none."""
    files = {"any": HERE / "static" / "glyph.svg"} | {one.name: folder(one.glyph) for one in listings() if one.glyph}
    drawn = {name: INSIDE.search(path.read_text(encoding="utf-8")) for name, path in files.items()}
    symbols = (f'<symbol id="{name}" viewBox="0 0 48 48">{found[1]}</symbol>' for name, found in drawn.items() if found)
    return made("\n".join(['<svg xmlns="http://www.w3.org/2000/svg">', *symbols, "</svg>"]).encode(), ".svg")


GLYPHS = _sheet()


def dated(language: str, seconds: int) -> str:
    """Return a date as people write it in a title."""
    text = format_date(datetime.fromtimestamp(seconds, UTC), "d MMMM y", language)
    return f"1er{text[1:]}" if language == "fr" and text.startswith("1 ") else text


def _day(language: str, seconds: int) -> str:
    return format_date(datetime.fromtimestamp(seconds, UTC), "d MMM y", language)


def _moment(language: str, seconds: int) -> Markup:
    """Return a moment in UTC, marked so that a browser can say it in its own time besides."""
    at = datetime.fromtimestamp(seconds, UTC)
    text = format_datetime(at, "d MMM y HH:mm", UTC, language) + " UTC"
    return Markup('<time datetime="{}">{}</time>').format(f"{at:%Y-%m-%dT%H:%MZ}", text)


def _limit(language: str, text: str) -> str:
    """Say a time limit in words; one that makes no sense is shown as somebody wrote it."""
    try:
        return limit_in(words(language), read_clock(text))
    except ArbitreError:
        return text


def _seams(name: str) -> Markup:
    """Return a name that a narrow page breaks between its words, and nowhere else."""
    return Markup("<wbr>").join(SEAM.split(name))


@cache
def environment(language: str) -> Environment:
    """Return the templates in one language."""
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    found.install_gettext_translations(words(language).catalogue, newstyle=True)  # type: ignore[attr-defined] # the extension's
    found.filters |= {
        "day": partial(_day, language), "moment": partial(_moment, language), "said": words(language).of,
        "reason": partial(reason_in, words(language)), "prose": prose,
        "seams": _seams, "limit": partial(_limit, language)
    }  # fmt: skip
    found.globals |= {
        "asset": asset,
        "crest": crest,
        "languages": LANGUAGES,
        "glyphs": {one.name for one in listings() if one.glyph},
        "title_of": partial(title_of, language=language),
    }
    return found


Render = Callable[..., Response[str]]


def renderer(site: Masthead, failed: Callable[[], str] = str) -> Render:
    """Return what makes pages of a site; `failed` says why nothing can be written, where that is so."""

    def page(visit: Visit, template: str, *, status: int = 200, **context: Any) -> Response[str]:
        if not visit.guest:
            visit.new_guest()
        for name in WRONG & context.keys():
            context[name] = visit.words.of(context[name])
        text = environment(visit.language).get_template(template).render(visit=visit, site=site, **{"failed": failed()} | context)
        return Response(text, status_code=status, media_type=MediaType.HTML)

    return page
