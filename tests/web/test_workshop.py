"""The workshop: a program that is written in the browser plays, is kept, shared, read by a teacher, and lent."""

import json
import shutil
import subprocess
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

import arbitre.web
from arbitre.games.catalogue import listing
from arbitre.games.wires import wired
from arbitre.site.accounts import Account, Role
from arbitre.web.visit import SESSION_COOKIE
from arbitre.web.workshop import FAULTS, template
from arbitre.words import words
from tests.browser import browsing, picture, tabs
from tests.firefox import firefox
from tests.web.dialer import house_of
from tests.web.site import Client, Running
from tests.web.test_accessible import looked
from tests.web.test_dial_programs import lent_tab, plays_well
from tests.web.test_every_page import COMPLAINTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

NUMBERS = count(1)
GAMES = [one.name for one in wired()]
MEND = Path(arbitre.web.__file__).with_name("static") / "workshop_mend.js"


def somebody(site: Running, role: Role = Role.PLAYER) -> tuple[Account, Client]:
    """Return somebody new, who is logged in."""
    community = house_of(site).community
    account = community.accounts.create(f"maker{next(NUMBERS)}", "correct horse battery", role)
    client = site.client()
    client.cookies[SESSION_COOKIE] = community.sessions.start(account, "test").token
    return account, client


def said(client: Client, path: str, page: str = "/workshop/tictactoe", **fields: str) -> dict[str, Any]:
    """Return what the site answers to a script of its page."""
    answer = client.post(path, fields, page=page, Accept="application/json")
    assert answer.status == 200, answer.text
    found: dict[str, Any] = json.loads(answer.text)
    return found


# ── a try, by its requests ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", GAMES)
def test_any_is_a_legal_move_in_every_game(client: Client, game: str) -> None:
    """A few answers in each game, none refused; then the try is given up."""
    step = said(client, f"/workshop/{game}/try", level="1")
    after = 0
    for _ in range(4):
        after = max([after, *(one["n"] for one in step["scenes"])])
        if step["over"]:
            return
        p = step["question"]["p"]
        assert set(p) == {"text", "legal", "any", "turn", "left", "refused", "seat"}
        assert p["legal"] is None or p["any"] in p["legal"]
        step = said(client, f"/workshop/play/{step['name']}", ticket=step["question"]["ticket"], move=p["any"], after=str(after))
        assert "refused" not in step
    if not step["over"]:
        assert said(client, f"/workshop/play/{step['name']}/stop", after=str(after))["over"]


def test_what_is_no_move_is_said_and_the_question_stays(client: Client, open_site: Running) -> None:
    step = said(client, "/workshop/tictactoe/try", level="1")
    name, ticket = step["name"], step["question"]["ticket"]
    assert set(said(client, f"/workshop/play/{name}", ticket=ticket, move="Z9")) == {"refused"}
    assert said(client, f"/workshop/play/{name}")["question"]["ticket"] == ticket
    assert house_of(open_site).arena.sitting(name).hidden
    with_friend = client.post("/play", {"game": "tictactoe", "one": "me", "two": "friend"}, page="/play?game=tictactoe")
    between_people = with_friend.headers["location"].removeprefix("/games/")
    assert client.post(f"/workshop/play/{between_people}", page="/workshop").status == 403
    stranger = open_site.client()
    assert stranger.post(f"/workshop/play/{name}", {"ticket": ticket, "move": "1"}, page="/workshop").status == 403
    assert client.get("/workshop/none-of-ours").status == 404


# ── keeping, sharing, a class ──────────────────────────────────────────────────────────────────────────────────────


def test_programs_are_kept_shared_and_read_by_the_teacher(open_site: Running) -> None:
    community = house_of(open_site).community
    pupil, browser = somebody(open_site)
    teacher, desk = somebody(open_site, Role.TEACHER)
    klass = community.classes.create(teacher, f"2B {next(NUMBERS)}")
    community.classes.join(pupil, klass.code)
    text = "def move(p):\n    return p['any']  # <b>&amp;\n"
    mine = {"name": "otter", "language": "python"}
    first = said(browser, "/workshop/tictactoe/save", text=text, **mine)
    assert said(browser, "/workshop/tictactoe/save", text=text, **mine) == first
    again = said(browser, "/workshop/tictactoe/save", text=text + "\n", **mine)
    assert (again["number"], again["version"]) == (first["number"], 2)
    page = f"/workshop/source/{first['number']}"
    assert "# \\u003cb" in browser.get(f"{page}?version=1").text or "&lt;b&gt;" in browser.get(f"{page}?version=1").text
    assert "version=2" in browser.get("/workshop/tictactoe").text
    assert "otter" in browser.get("/workshop").text
    # the link leads anybody there, as long as it is one
    url = said(browser, f"{page}/share")["url"].removeprefix(open_site.settings.public)
    assert "&#34;otter&#34;" in open_site.client().get(url).text
    said(browser, f"{page}/unshare")
    assert open_site.client().get(url).status == 410
    # the teacher reads it; nobody else does
    assert f'href="{page}"' in desk.get(f"/workshop/class/{klass.id}").text
    assert "&#34;keeps&#34;: false" in desk.get(page).text
    _, stranger = somebody(open_site)
    assert (stranger.get(page).status, stranger.get(f"/workshop/class/{klass.id}").status) == (404, 404)
    assert desk.post(f"{page}/share", page=page, Accept="application/json").status == 404


def test_a_guest_keeps_nothing_on_the_site(client: Client) -> None:
    answer = client.post("/workshop/tictactoe/save", {"name": "otter"}, page="/workshop", Accept="application/json")
    assert answer.status == 401
    assert client.get("/workshop/source/1").headers["location"].startswith("/login")


def test_templates_are_short_and_name_legal_moves() -> None:
    for one in wired():
        for language in ("python", "javascript"):
            for tongue in ("en", "fr"):
                text = template(one, language, words(tongue))
                assert 6 <= len(text.splitlines()) <= 15
                assert max(map(len, text.splitlines())) <= 80
    assert '"A1", "A8", "H1", "H8"' in template(listing("reversi"), "python", words("en"))


def test_errors_are_told_in_french_too() -> None:
    french = words("fr")
    assert not [text for _, _, text in FAULTS if french(text) == text]


SLIPS = [
    ("SyntaxError", "expected ':'", "    if m in CORNERS", "    if m in CORNERS:"),
    ("SyntaxError", "expected ':'", "    x = 3", ""),
    ("SyntaxError", "expected ':'", "    if m  # and so on", ""),
    ("SyntaxError", "invalid syntax. Maybe you meant '==' or ':='?", "    if p['turn'] = 1:", ""),
    ("SyntaxError", "invalid syntax. Maybe you meant '==' or ':='?", "    if turn = 1:", "    if turn == 1:"),
    ("NameError", "name 'ramdom' is not defined. Did you mean: 'random'?", "    ramdom.choice(m)", "    random.choice(m)"),
    ("NameError", "name 'a' is not defined. Did you mean: 'b'?", "    print('a', a)", ""),
    ("IndexError", "Cannot choose from an empty sequence", "    random.choice(calm)", '    random.choice(calm or [p["any"]])'),
    ("IndexError", "Cannot choose from an empty sequence", "    random.choice(calm[1:])", ""),
    ("AttributeError", "'dict' object has no attribute 'legal'", "    return p.legal[0]", '    return p["legal"][0]'),
    ("AttributeError", "'dict' object has no attribute 'moves'", "    return p.moves[0]", ""),
    ("ZeroDivisionError", "division by zero", "    1 / 0", ""),
]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
def test_common_slips_are_mended_and_nothing_else() -> None:
    """Each in the second line of a program whose function is given `p`."""
    asked = [[{"kind": kind, "text": text, "line": 2}, f"def move(p):\n{line}\n"] for kind, text, line, _ in SLIPS]
    script = f"import {{ mended }} from {json.dumps(str(MEND))}; const asked = {json.dumps(asked)};"
    script += "console.log(JSON.stringify(asked.map((one) => mended(...one))))"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [better for *_, better in SLIPS]


# ── in a browser ───────────────────────────────────────────────────────────────────────────────────────────────────


def written(page: "Page", text: str) -> None:
    """Write a program over the one that is there."""
    page.locator("#source").fill(text)


def tried(page: "Page", button: str = "#try") -> str:
    """Press a button, and return how it ended; some games are long."""
    page.locator(button).click()
    page.locator("#try:not([disabled])").wait_for(timeout=180_000)
    return page.locator("#verdict b").inner_text().lower()


@browsing(viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce")
def test_a_guest_writes_tries_and_counts(page: "Page", open_site: Running) -> None:
    told: list[str] = []
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(f"{open_site.url}/workshop/tictactoe")
    page.locator("#language").select_option("javascript")
    assert tried(page) in ("won", "drawn", "lost")
    assert page.locator("#saved").inner_text() == "saved in this browser"
    page.locator("#story li").nth(2).wait_for()
    page.locator(".bench-board iframe.shown").wait_for()
    picture(page, "workshop-tried")
    assert "\n".join(looked(page, "the workshop")) == ""
    page.locator("#back").click()
    # an error is told at its line, in words
    written(page, "function move(p) {\n  print('<b>one</b>');\n  return q.any;\n}")
    assert tried(page) == "stopped"
    assert page.locator("#fault").inner_text().startswith("Line 3, at move")
    assert "Nothing is called q here" in page.locator("#fault").inner_text()
    assert page.locator(".code-lines > .wrong").inner_text() == "  return q.any;"
    page.locator("#printed summary").click()
    assert page.locator("#printed li").first.inner_text().endswith("<b>one</b>")
    written(page, "function move(p) {\n  return p.any +;\n}")  # what cannot be read has a line, and no move
    assert tried(page) == "stopped"
    assert page.locator("#fault b").inner_text() == "Line 2:"
    written(page, "function move(p) { return 'Z9'; }")
    tried(page)
    assert "Z9 is no move here" in page.locator("#fault").inner_text()
    # ten games give a score; what was written is there again
    written(page, "function move(p) { return p.any; }")
    tried(page, "#ten")
    assert page.locator("#score .marks i").count() == 10
    assert page.locator("#score b").inner_text().endswith("of 10")
    page.reload()
    assert page.locator("#source").input_value() == "function move(p) { return p.any; }"
    assert not told


@browsing(viewport={"width": 820, "height": 1180}, locale="en-GB", has_touch=True)
def test_the_editor_indents_comments_and_takes_back(page: "Page", open_site: Running) -> None:
    page.goto(f"{open_site.url}/workshop/reversi")
    field, lines = page.locator("#source"), page.locator(".code-lines > div")
    before = field.input_value()
    assert lines.count() == len(before.split("\n"))
    assert page.locator(".code-lines .code-word").first.inner_text() == "def"
    field.fill("")
    field.press_sequentially("def move(p):\nif p:\nreturn 1")
    assert field.input_value() == "def move(p):\n    if p:\n        return 1"
    field.press("Shift+Tab")
    field.press("Control+/")
    assert field.input_value().split("\n")[2] == "    # return 1"
    assert lines.nth(2).locator(".code-comment").inner_text() == "# return 1"
    field.press("Control+/")
    page.get_by_role("button", name="Undo").click()
    assert field.input_value().split("\n")[2] == "    # return 1"
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("button", name="Square brackets").click()
    assert field.input_value().endswith("return 1[]")
    for _ in range(40):
        field.press("Control+z")
    assert field.input_value() == before
    field.press("Escape")
    field.press("Tab")
    assert page.evaluate("() => document.activeElement.id") != "source"


@browsing(viewport={"width": 390, "height": 844}, locale="fr-FR", reduced_motion="reduce")
def test_a_pupil_comes_in_by_the_code_tries_and_lends(page: "Page", open_site: Running) -> None:
    """From an empty browser to a first finished game; the tab is an engine then, and plays for its class."""
    community = house_of(open_site).community
    teacher, desk = somebody(open_site, Role.TEACHER)
    klass = community.classes.create(teacher, f"3C {next(NUMBERS)}")
    name = f"loutre{next(NUMBERS)}"
    page.goto(f"{open_site.url}/lesson?code={klass.code}&game=tictactoe")
    page.get_by_label("Votre nom").fill(name)
    page.get_by_role("button", name="atelier").click()
    page.wait_for_url("**/workshop/tictactoe")
    assert page.locator("#called").input_value() == f"{name}-tictactoe"
    assert tried(page) in ("gagnée", "nulle", "perdue")
    assert page.locator("#saved").inner_text().startswith("version 1")
    picture(page, "workshop-phone")
    assert "\n".join(looked(page, "on a phone")) == ""
    # a common slip is mended by a press; what was saved stands in the list without a reload
    written(page, "def move(p):\n    if p['turn'] > 1\n        return p['legal'][0]\n    return p['any']\n")
    tried(page)
    assert page.locator(".code-mend code").inner_text().strip() == "if p['turn'] > 1:"
    assert page.locator("#fault b").inner_text() == "Ligne 2\N{NO-BREAK SPACE}:"
    picture(page, "workshop-mended")
    page.locator(".code-mend button").click()
    assert page.locator("#fault").is_hidden()
    assert tried(page) in ("gagnée", "nulle", "perdue")
    page.locator("#programs summary").click()
    assert [one[:9] for one in page.locator("#programs a").all_inner_texts()[:3]] == ["version 3", "version 2", "version 1"]
    page.locator("#programs summary").click()
    assert f"{name}-tictactoe" in desk.get(f"/workshop/class/{klass.id}").text
    page.locator("#lend").click()
    page.locator("#lend[aria-pressed=true]").wait_for()
    pupil = community.accounts.called(name)
    (engine,) = community.engines.of(pupil)  # the one with which the pupil came
    dialing = house_of(open_site).arena.dialing
    page.locator("#state").get_by_text(name).wait_for()
    while not dialing.present(engine.id):
        page.wait_for_timeout(20)
    browser = open_site.client()
    browser.cookies[SESSION_COOKIE] = community.sessions.start(pupil, "test").token
    fields = {"game": "tictactoe", "one": f"engine:{engine.id}", "two": "house:1"}
    begun = browser.post("/play", fields, page="/play?game=tictactoe")
    assert begun.status == 303, begun.text
    page.locator("#state").get_by_text(": 1").wait_for()  # one game was played to its end
    page.locator("#lend").click()
    page.locator("#lend[aria-pressed=false]").wait_for()


@pytest.mark.campaign
@browsing()
def test_a_tab_in_the_background_goes_on_answering(page: "Page", open_site: Running, tmp_path: Path) -> None:
    community = house_of(open_site).community
    klass = community.classes.create(somebody(open_site, Role.TEACHER)[0], f"5A {next(NUMBERS)}")
    with tabs(page, tmp_path) as desk:
        lent = desk.pages[0]
        pupil, engine = lent_tab(lent, open_site, klass, "reversi")
        desk.new_page().bring_to_front()
        assert lent.evaluate("() => document.visibilityState") == "hidden"
        plays_well(open_site, pupil, engine, "reversi")
        assert lent.evaluate("() => document.visibilityState") == "hidden"


WORDS = {"en-GB": ("Your name", "To the workshop"), "fr-FR": ("Votre nom", "À l’atelier")}
SCREENS = {
    "phone": {"width": 390, "height": 844},
    "tablet": {"width": 820, "height": 1180},
    "laptop": {"width": 1366, "height": 768},
}


@pytest.mark.campaign
@pytest.mark.parametrize("locale", WORDS)
@pytest.mark.parametrize("screen", SCREENS)
def test_from_the_code_to_the_first_finished_game(chromium: object, open_site: Running, screen: str, locale: str) -> None:
    """An empty browser, the code on the blackboard, a name, a press on Try: far less than three minutes."""
    community = house_of(open_site).community
    teacher, _ = somebody(open_site, Role.TEACHER)
    code = community.classes.create(teacher, f"5A {next(NUMBERS)}").code
    name, workshop = WORDS[locale]

    def lived(page: "Page") -> None:
        told: list[str] = []
        page.on("pageerror", lambda error: told.append(str(error)))
        begun = monotonic()
        page.goto(f"{open_site.url}/lesson")
        page.locator("[name=code]").fill(code.lower())
        page.get_by_label(name).fill(f"Emma{next(NUMBERS)}")
        page.locator("[name=game]").select_option("reversi")
        page.get_by_role("button", name=workshop).click()
        page.wait_for_url("**/workshop/reversi")
        tried(page)
        spent = monotonic() - begun
        assert page.locator("#workshop").get_attribute("data-finished") == "played"
        picture(page, f"workshop-{screen}-{locale[:2]}")
        complaints = page.evaluate(COMPLAINTS, locale[:2])
        if screen == "laptop":  # what is for a mouse may be smaller than a finger
            complaints = [one for one in complaints if "pixels high" not in one]
        assert "\n".join(looked(page, screen) + complaints) == ""
        assert not told
        print(f"{screen}, {locale}: {spent:.1f} s")

    options = {"viewport": SCREENS[screen], "locale": locale, "reduced_motion": "reduce", "has_touch": screen != "laptop"}
    browsing(**options)(lived)(chromium=chromium)


@pytest.mark.campaign
def test_both_languages_play_in_firefox(open_site: Running, tmp_path: Path) -> None:
    with firefox(tmp_path / "profile", language="fr", width=1280, height=800) as browser:
        browser.do("Navigate", url=f"{open_site.url}/workshop/tictactoe")
        for language in ("python", "javascript"):
            browser.run(f"document.querySelector('#language').value = '{language}'")
            browser.run("document.querySelector('#language').dispatchEvent(new Event('change'))")
            browser.run("delete document.querySelector('#workshop').dataset.finished")
            browser.click("#try")
            browser.until("return document.querySelector('#workshop').dataset.finished === 'played'")
        browser.run("const box = document.querySelector('#source'); box.value = 'function move(p) {\\n  return q;\\n}';")
        browser.click("#try:not([disabled])")
        browser.until("return document.querySelector('#fault').textContent.startsWith('Ligne 2')")


@pytest.mark.campaign
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_every_template_plays_a_whole_game(chromium: object, open_site: Running, language: str) -> None:
    def played(page: "Page") -> None:
        for game in GAMES:
            page.goto(f"{open_site.url}/workshop/{game}")
            page.locator("#language").select_option(language)
            assert tried(page) in ("won", "drawn", "lost"), (game, page.locator("#fault").inner_text())

    browsing(viewport={"width": 1280, "height": 800}, locale="en-GB")(played)(chromium=chromium)
