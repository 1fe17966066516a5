"""Every page of the site, on a phone, in both languages: nothing too wide, nothing without a name, nothing too small to touch.

The site is furnished, so that no page is empty; a new page fails here until somebody furnishes it, or says why nobody looks.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from arbitre.web.visit import SESSION_COOKIE
from tests.browser import browsing
from tests.web.accessible import DEEPER, RINGS, THEMES
from tests.web.furnished import PASSWORD, Furnished, furnished
from tests.web.test_api_routes import ROUTES

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

PHONE: "ViewportSize" = {"width": 390, "height": 844}
NARROW: "ViewportSize" = {"width": 320, "height": 640}

EXPECTED = {("/nowhere", ""): 404, ("/operator", "Ann"): 403}
NO_PAGES = re.compile(
    r"/(workshop/(frame|python\.js|library\.js)|health|ready|metrics|robots\.txt|llms\.txt|favicon\.ico|source/.*|log/.*|static/.*|interfaces/.*|return/.*|train|watch/house|watch/boards|positions/drawn|manual/\{name:path\}"
    r"|.*/(state|events|film|record|document|unsealed|lines|finding|transcript|pdn|boards?|(standings|games|results)\.csv|records\.zip|draw\.jsonl)"
    r"|program/returned/.*|compete/join/.*|league/games/.*/reports/.*)"
)
"""What is a file, a stream, or leads to another page."""

COMPLAINTS = """language => {
  const found = [], all = (chosen) => [...document.querySelectorAll(chosen)];
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1;
  const told = (one) => `${one.tagName.toLowerCase()}.${one.className.baseVal ?? one.className} ${one.outerHTML.slice(0, 90)}`;
  const named = (one) => one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.getAttribute("title");
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.push(`${wide} pixels too wide`);
  if (document.documentElement.lang !== language) found.push(`the language is said to be ${document.documentElement.lang}`);
  if (all("h1").length !== 1) found.push(`${all("h1").length} headings of the first kind`);
  if (!/^\\S.* · \\S/.test(document.title)) found.push(`the title is ${document.title}`);
  for (const one of all("input:not([type=hidden]), select, textarea"))
    if (!one.labels.length && !named(one)) found.push(`no label: ${told(one)}`);
  for (const one of all("a[href], button, summary"))
    if (!one.textContent.trim() && !named(one)) found.push(`no name: ${told(one)}`);
  for (const one of all("img")) if (!one.hasAttribute("alt")) found.push(`no words for ${told(one)}`);
  for (const one of all("iframe")) if (!one.title) found.push(`no title: ${told(one)}`);
  for (const one of all("svg"))
    if (!one.closest("[aria-hidden=true]") && !(named(one) || one.querySelector("title"))) found.push(`no name: ${told(one)}`);
  for (const one of all("[tabindex]")) if (one.tabIndex > 0) found.push(`out of order: ${told(one)}`);
  for (const one of all(".wide")) // what scrolls sideways is reached by the keys
    if (one.scrollWidth > one.clientWidth && one.tabIndex < 0 && !one.querySelector("a, button, input"))
      found.push(`cannot be scrolled: ${told(one)}`);
  if (language === "fr" && !location.pathname.startsWith("/manual"))
    for (const word of ["Draughts", "Seafight"]) if (document.body.innerText.includes(word)) found.push(`still English: ${word}`);
  const ids = all("[id]").map((one) => one.id);
  for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) found.push(`twice the same id: ${id}`);
  for (const one of all("button, select, textarea, summary, nav a, .button, .actions a, input:not([type=hidden])")) {
    if (!shown(one) || one.closest(".skip, .trail, .crumbs, .cells")) continue; // a board has as many cells as it has
    const touched = one.matches("[type=checkbox], [type=radio]") ? (one.labels[0] ?? one) : one;
    const { height } = touched.getBoundingClientRect();
    if (height < 39.5) found.push(`${Math.round(height)} pixels high: ${told(one)}`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) { // names are broken between their words, addresses anywhere
    const one = text.parentElement;
    if (!shown(one) || one.closest("pre, code, svg, option, textarea, .address, .small-link, .small-print, .moves")) continue;
    for (const word of text.data.matchAll(/(?<![\\p{L}\\p{N}])\\p{L}{2,14}(?![\\p{L}\\p{N}])/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter((box) => box.width).map((box) => Math.round(box.top)));
      if (lines.size > 1) found.push(`${word[0]} is broken: ${told(one)}`);
    }
  }
  return found;
}"""
"""What is wrong with a page."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    with furnished(tmp_path_factory.mktemp("furnished")) as found:
        yield found


def test_every_page_is_looked_at(place: Furnished) -> None:
    looked = [path.partition("?")[0] for path, _ in place.pages]
    missed = []
    for route in ROUTES:
        method, _, path = route.partition(" ")
        if method != "GET" or NO_PAGES.fullmatch(path):
            continue
        shape = re.compile(re.sub(r"\\\{\w+:path\\\}", ".+", re.sub(r"\\\{\w+:(str|int)\\\}", "[^/]+", re.escape(path))))
        if not any(map(shape.fullmatch, looked)):
            missed.append(path)
    assert missed == []


LONG = pytest.mark.campaign
WALKS = [
    ("fr", "fr-FR", False),
    pytest.param("fr", "fr-FR", True, marks=LONG),
    pytest.param("en", "en-GB", True, marks=LONG),
]


@pytest.mark.parametrize(("language", "locale", "whole"), WALKS)
def test_every_page_on_a_phone(place: Furnished, chromium: object, language: str, locale: str, whole: bool) -> None:
    """French words are the longer ones, so one page of each kind is seen in French; a campaign sees all, in English too."""
    walk = browsing(viewport=PHONE, locale=locale, reduced_motion="reduce", color_scheme="dark" if language == "en" else "light")
    walk(_walked)(chromium=chromium, place=place, language=language, pages=place.pages if whole else kinds(place))


def kinds(place: Furnished) -> list[tuple[str, str]]:
    """Return one page of each kind, and who looks at it."""
    return list({re.sub(r"[?].*|[0-9a-f]{16}|\d+|[^/]{30,}", "", path): (path, name) for path, name in place.pages}.values())


def visited(page: "Page", place: Furnished, pages: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Go to each of these pages, as who looks at it."""
    who = ""
    for path, name in sorted(pages, key=lambda one: one[1]):
        if name != who:
            who, token = name, place.community.sessions.start(place.people[name], "test").token
            page.context.add_cookies([{"name": SESSION_COOKIE, "value": token, "url": place.site.url}])
        answer = page.goto(place.site.url + path, wait_until="domcontentloaded")
        assert answer is not None
        assert answer.status == EXPECTED.get((path, name), 200), f"{path} for {name or 'a guest'}"
        yield path, name


def _walked(page: "Page", place: Furnished, language: str, pages: list[tuple[str, str]]) -> None:
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    found: dict[str, list[str]] = {}
    for path, name in visited(page, place, pages):
        complaints = []
        for window in (NARROW, PHONE):
            page.set_viewport_size(window)
            complaints += [f"{window['width']}: {one}" for one in page.evaluate(COMPLAINTS, language)]
        complaints += [text for text in told if "status of 40" not in text]
        told.clear()
        if complaints:
            found[f"{path} {name}"] = complaints
    assert not found, "\n".join(f"{where}: {what}" for where, several in found.items() for what in several)


@pytest.mark.campaign
@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
def test_every_page_keeps_what_it_owes_to_everybody(place: Furnished, chromium: object, locale: str) -> None:
    """Names, states, order, contrast and rings of focus, in both themes: what axe would say, and more (`accessible`)."""
    walk = browsing(viewport={"width": 1366, "height": 768}, locale=locale, reduced_motion="reduce")
    walk(_owing)(chromium=chromium, place=place)


def _owing(page: "Page", place: Furnished) -> None:
    found: dict[str, None] = {}
    for path, name in visited(page, place, kinds(place)):
        wrong = [f"rings: {one}" for one in page.evaluate(RINGS)]
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            wrong += [f"{theme}: {one}" for one in page.evaluate(DEEPER)]
        found |= dict.fromkeys(f"{path} {name}: {one}" for one in wrong)
    assert not found, "\n".join(found)


FOCUS = """() => { const one = document.activeElement;
  // by themselves, not by their places: boards that live change those
  const reached = (window.reached ??= new Set()).add(one).size;
  if (!one || one === document.body || one.tagName === "IFRAME") return ["", reached];
  for (let at = one; at !== document.body; at = at.parentElement) {
    const look = getComputedStyle(at);
    if (look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2) return ["", reached];
  }
  return [one.outerHTML.slice(0, 120), reached];
}"""
"""What has the focus and does not show it, and how much had it so far."""


@pytest.mark.parametrize(
    "paths",
    [("/play/draughts", "/arcade"), pytest.param(("/", "/program/engine-test", "/elections"), marks=LONG)],
)
def test_the_keyboard_reaches_everything_and_is_seen_everywhere(
    place: Furnished, chromium: object, paths: tuple[str, ...]
) -> None:
    def tabbed(page: "Page") -> None:
        for path in paths:
            page.goto(place.site.url + path, wait_until="domcontentloaded")
            wanted = page.evaluate(
                """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
                .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0 && one.type !== "radio").length"""
            )
            reached = 0
            for _ in range(wanted + 8):
                page.keyboard.press("Tab")
                hidden, reached = page.evaluate(FOCUS)
                assert hidden == "", path
            assert reached >= wanted, f"{path}: {reached} of {wanted} are reached"

    browsing(viewport={"width": 1280, "height": 900}, locale="en-GB", reduced_motion="reduce")(tabbed)(chromium=chromium)


# ── what pages say ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("language", "names"), [("fr", ("Dames", "Bataille navale")), ("en", ("Draughts", "Seafight"))])
def test_games_have_the_names_of_the_language_and_one_address(place: Furnished, language: str, names: tuple[str, str]) -> None:
    page = place.visitor().get("/play", Accept_Language=language).text
    for key, name in zip(("draughts", "seafight"), names, strict=True):
        assert re.search(rf'href="/play/{key}#how">.*?<b>{name}</b>', page)
    assert f"<h1>{names[0]}" in place.visitor().get("/manual/games/draughts", Accept_Language=language).text.replace(
        ' id="draughts"', ""
    )


def test_a_photograph_brings_the_rules_of_its_game(place: Furnished) -> None:
    begun = place.posted("Bob", "/play", **{"game": "draughts", "one": "me", "two": "house:1", "option.plies": "7"})
    again = place.posted("Bob", f"{begun}/photo", moment="")
    rule = 'name="option.plies" maxlength="20" value="7"'
    assert rule in place.visitor("Bob").get(again).text
    place.posted("Bob", f"{begun}/photo", moment="", title="seven")
    kept = re.search(r'href="(/play[^"]*photo=\d+)">seven', place.visitor("Bob").get("/play?game=draughts").text)
    assert kept is not None
    page = place.visitor("Bob").get(kept[1].replace("&amp;", "&")).text
    assert rule in page
    assert re.search(r'<textarea id="start"[^>]*>W', page)


def test_a_cancelled_competition_promises_no_seed(place: Furnished) -> None:
    where = next(
        path for path, _ in place.pages if path.startswith("/compete/") and "la salle est prise" in place.visitor().get(path).text
    )
    page = place.visitor().get(where, Accept_Language="fr").text
    assert "jamais ouverte" in page
    assert "la graine reste fermée" in page
    assert "ouverte quand" not in page


def test_a_room_knows_who_is_logged_in(place: Furnished) -> None:
    room = next(path for path, _ in place.pages if path.startswith("/elections/rooms/"))
    assert 'autocomplete="nickname" value="Ann"' in place.visitor("Ann").get(room).text
    assert 'autocomplete="nickname" value=""' in place.visitor().get(room).text


@pytest.mark.parametrize(("language", "next_step"), [("fr", "écrivez à l’opérateur"), ("en", "ask the operator")])
def test_whoever_is_locked_out_is_told_what_to_do(place: Furnished, language: str, next_step: str) -> None:
    client = place.site.client()
    page = client.post("/login", {"name": "Rex", "password": PASSWORD}, page="/login", Accept_Language=language).text
    assert "three engines that fell silent on purpose" in page
    assert next_step in page
