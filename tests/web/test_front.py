"""Pages of the front: what they show, how they are protected, what goes wrong politely."""

import re
import socket
from contextlib import suppress
from html import unescape

import pytest

from arbitre.games.catalogue import listings
from arbitre.reasons import Reason
from arbitre.tournoyons.wire import ACCEPTED, Reply
from arbitre.web.manual import games, pages, spoken
from arbitre.web.pages.manual import PICTURES, contents, index, rendered
from arbitre.web.pages.moved import MOVED
from arbitre.words import LANGUAGES
from tests.web.site import Client, Running
from tests.web.test_arcade import until

PAGES = ("/", "/about", "/keys", "/manual", "/manual/engines-http", "/manual/games/reversi")
FILES = ("/static/site.css", "/static/site.js", "/static/mark.svg", "/interfaces/tictactoe.html", "/interfaces/tictactoe.js")


@pytest.mark.parametrize("path", [*PAGES, "/nowhere", "/health", "/static/none.css", "/manual/none", "/answer/none/none"])
def test_every_answer_has_the_headers(client: Client, path: str) -> None:
    answer = client.get(path)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    # the referee of an added game may answer from a frame, so that address alone says nothing of who frames it
    assert ("frame-ancestors 'none'" in policy) == (not path.startswith("/answer/"))
    assert "form-action 'self'" in policy
    assert "object-src 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] in ("same-origin", "no-referrer")
    assert "camera=()" in answer.headers["permissions-policy"]
    assert "server" not in answer.headers


@pytest.mark.parametrize("path", PAGES)
def test_pages_keep_to_the_policy(client: Client, path: str) -> None:
    text = client.get(path).text
    assert "style=" not in re.sub(r"<(pre|code)>.*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\son\w+=\"", text)


def test_interfaces_may_be_framed_by_us_and_load_modules_from_an_opaque_origin(client: Client) -> None:
    answer = client.get("/interfaces/tictactoe.html")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    for path in FILES:
        assert client.get(path).headers["access-control-allow-origin"] == "*", path
    assert "access-control-allow-origin" not in client.get("/").headers


def test_files_are_kept_by_browsers_until_they_change(client: Client) -> None:
    first = client.get("/static/site.css")
    assert first.headers["cache-control"].startswith("public, max-age=0")
    again = client.get("/static/site.css", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    address = re.search(r"/static/site\.css\?v=\w+", client.get("/").text)
    assert address is not None
    assert "immutable" in client.get(address[0]).headers["cache-control"]


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/.", "/interfaces/%00",
     "/manual/../x"],
)  # fmt: skip
def test_nothing_outside_the_shelf_is_handed_out(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 404
    assert b"import" not in answer.body


def test_home_shows_the_games_and_where_to_begin(client: Client) -> None:
    text = client.get("/").text
    for word in ("Reversi", "Kriegspiel", "Going on now"):
        assert word in text


def test_games_that_were_left_do_not_go_on(open_site: Running, client: Client) -> None:
    """What goes on moved a short while ago, or somebody follows it; who left a game finds it among his own."""
    begun = client.post("/play", {"game": "tictactoe", "one": "me", "two": "house:1"}, page="/play?game=tictactoe")
    where = begun.headers["location"]
    arena, visitor = open_site.site.state.house.arena, open_site.client()

    def going() -> set[bool]:
        return {f'href="{where}"' in visitor.get(path).text for path in ("/", "/watch")}

    live = arena.live(where.rpartition("/")[2])
    until(lambda: going() == {True})  # it has just begun
    live.asked_at -= 1_200
    until(lambda: going() == {False})
    assert f'href="{where}"' in client.get("/watch").text, "it is still the guest's"
    with socket.create_connection(("127.0.0.1", open_site.port)) as line:
        line.sendall(f"GET {where}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert line.recv(1)
        while not live.watchers:
            line.recv(1)
        assert going() == {True}, "somebody follows it"
        live.asked_at -= 1_200
        assert going() == {False}, "a page that was left open for half an hour is nobody's"
        live.asked_at += 1_200
    while live.watchers:  # the site notices that the line is gone
        visitor.get("/health")
    assert going() == {False}


def test_games_that_guests_left_end_after_a_day(open_site: Running, client: Client) -> None:
    begun = client.post("/play/now", {"game": "reversi"})
    name = begun.headers["location"].rpartition("/")[2]
    arena = open_site.site.state.house.arena
    arena.live(name).asked_at -= 86_000
    client.get("/")
    assert arena.look(name) is not None
    arena.live(name).asked_at -= 1_000
    while arena.look(name) is not None:
        client.get("/")
    assert arena.told(name).last.verdict.reason == Reason("left-by-guests")


@pytest.mark.parametrize("query", ["", "?words=a%20b&game=reversi"])
@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_old_addresses_lead_for_good_to_where_a_page_lives(client: Client, old: str, new: str, query: str) -> None:
    answer, new = client.get(old + query), new + query
    assert (answer.status, answer.headers["location"]) == (301, new)
    assert client.get(new).status == 200


def test_the_parts_of_the_site_stand_in_one_order_on_every_page(client: Client) -> None:
    for path in ("/", "/watch", "/manual"):
        menu = client.get(path).text.partition('<nav class="sections"')[2].partition("</nav>")[0]
        assert re.findall(r'href="([^"]+)"', menu)[:5] == ["/play", "/watch", "/program", "/compete", "/teach"]
    assert re.search(r'href="/watch" aria-current="page"', client.get("/watch").text)


def test_each_token_of_the_colours_stands_once(client: Client) -> None:
    """Light and dark stand side by side, so that no theme forgets what the other has learnt."""
    sheet = client.get("/static/site.css").text
    assert "prefers-color-scheme" not in sheet
    tokens = re.findall(r"^ +(--[\w-]+):|; (--[\w-]+): light-dark", sheet, re.MULTILINE)
    names = [one or two for one, two in tokens]
    assert len(names) == len(set(names)) > 20
    assert {"--brass", "--felt-soft", "--se", "--paper"} <= set(names)


def test_health_is_for_programs(client: Client) -> None:
    answer = client.get("/health")
    assert answer.status == 200
    assert b'"status":"ok"' in answer.body


def test_the_key_is_shown(client: Client, open_site: Running) -> None:
    text = client.get("/keys").text
    key = open_site.site.state.house.key
    assert key.fingerprint in text
    assert key.public.hex() in text


@pytest.mark.parametrize("path", ["/nowhere", "/manual/none", "/x" * 900])
def test_errors_say_what_to_do(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 404
    assert "There is nothing here" in answer.text
    assert 'href="/"' in answer.text


def test_programs_get_errors_as_json(client: Client) -> None:
    answer = client.get("/nowhere", Accept="application/json")
    assert (answer.status, answer.headers["content-type"]) == (404, "application/json")


def test_other_methods_are_refused(client: Client) -> None:
    assert client.ask("DELETE", "/about").status == 405
    head = client.ask("HEAD", "/about")
    assert (head.status, head.body) == (200, b"")


def test_only_a_get_answers_a_question(client: Client, open_site: Running) -> None:
    """A HEAD, which other pages answer like a GET, is refused where engines call back, as the manual says."""
    heard: list[str] = []
    receiver = open_site.site.receiver

    def hear(query: str) -> Reply:
        heard.append(query)
        return ACCEPTED

    receiver.open("seat", "5" * 32, hear)
    try:
        for method in ("HEAD", "POST"):
            answer = client.ask(method, f"/answer/seat/{'5' * 32}?Value=1")
            assert (answer.status, answer.headers["allow"], heard) == (405, "GET", [])
        assert client.get(f"/answer/seat/{'5' * 32}?Value=1").status == 200
    finally:
        receiver.close("seat")
    assert heard == ["Value=1"]


def test_long_addresses_are_refused(client: Client) -> None:
    assert client.get("/" + "x" * 5_000).status == 414
    assert client.get("/?q=" + "x" * 20_000).status == 414


def test_bodies_are_bounded(client: Client) -> None:
    answer = client.post("/language", {"language": "fr", "back": "x" * 400_000})
    assert answer.status == 413


def test_the_host_header_is_never_repeated(client: Client, open_site: Running) -> None:
    for path in (*PAGES, "/nowhere"):
        answer = client.get(path, Host="evil.example")
        assert "evil.example" not in answer.text + str(answer.headers)
    answer = client.post("/language", {"language": "fr"}, Host="evil.example")
    assert answer.headers["location"] == "/"
    assert open_site.site.receiver.public == open_site.url


def test_garbage_on_the_socket_is_answered_or_closed(open_site: Running) -> None:
    for garbage in (b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"/a" * 70_000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", open_site.port), timeout=10) as one:
            one.sendall(garbage)
            one.settimeout(10)
            with suppress(ConnectionResetError):
                assert one.recv(100)[:9] in (b"HTTP/1.1 ", b"")
    assert open_site.client().get("/health").status == 200


# ── the manual ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_manual_is_searched_by_words_without_accents(client: Client) -> None:
    told = client.get("/manual?words=projector").text
    assert '/manual/competitions#the-wall"' in told
    assert "<mark>projector</mark>" in told.lower()
    french = client.get("/manual?words=METRES+ecran", Accept_Language="fr").text
    assert "/manual/competitions#the-wall" in french, "capitals and accents do not matter, and headings are called as in English"
    assert "0 parts have" in client.get("/manual?words=xyzzyplugh").text
    assert "<script>" not in client.get("/manual?words=%3Cscript%3E").text
    assert client.get("/manual?words=" + "word+" * 500).status == 200


def test_every_part_that_is_found_is_there() -> None:
    for language in LANGUAGES:
        parts = index(language)
        assert len(parts) > 100
        for name in {one.page for one in parts}:
            body = rendered(name, spoken(name, language)).body
            missing = [one.anchor for one in parts if one.page == name and one.anchor and f'id="{one.anchor}"' not in body]
            assert missing == [], f"{name} in {language}"


def test_the_rules_of_every_game_of_the_house_have_a_picture(client: Client) -> None:
    for name in (one.name for one in listings() if one.miniature):
        assert 'class="of-game"><svg class="mini"' in client.get(f"/manual/games/{name}").text, name


def test_the_manual_begins_with_what_a_newcomer_looks_for() -> None:
    chapters = {chapter: [one.name for one in found] for chapter, found in contents()}
    assert list(chapters)[:5] == ["Start", "Program", "Compete", "Teach", "Games"]
    assert "More" not in chapters, "every page has a chapter of its own"
    assert chapters["Start"] == ["index", "site", "play", "first-bot", "dial-in", "bots"]
    assert sorted(name for names in chapters.values() for name in names) == sorted((*pages(), *games()))
    assert "games/connectfour" in chapters["Games"], "the page of a game that brings none is made"
    assert "| `columns` | `7` | nombre de colonnes | 4 à 12 |" in games("fr")["games/connectfour"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_of_the_manual_is_shown_and_its_links_lead_somewhere(client: Client, language: str) -> None:
    listed = client.get(f"/manual/{language}").text
    answers: dict[str, int] = {}
    for name in pages():
        assert f'href="/manual/{language}/{name}"' in listed
        page = rendered(name, spoken(name, language), f"/manual/{language}/")
        for link in re.findall(r'(?:href|src)="(/manual/[^"#]+)', str(page.body)):
            if link not in answers:
                answers[link] = client.get(unescape(link)).status
            assert answers[link] == 200, f"{name} links to {link}"
            assert link.startswith(f"/manual/{language}/") or link.endswith(PICTURES), f"{name} changes the language at {link}"


def test_html_in_the_manual_is_text() -> None:
    for language in LANGUAGES:
        for name in pages(language):
            assert "<script" not in rendered(name, language).body


def test_the_manual_speaks_the_language_of_the_visitor(client: Client) -> None:
    french = client.get("/manual/site", **{"Accept-Language": "fr"}).text
    assert '<h1 id="playing-on-the-site">Jouer sur le site</h1>' in french
    assert '<article class="prose" lang="fr">' in french
    assert 'href="/manual/en/site" lang="en"' in french
    assert "qu’en anglais" not in french
    english = client.get("/manual/site", **{"Accept-Language": "en"}).text
    assert ">Playing on the site</h1>" in english
    assert 'href="/manual/fr/site" lang="fr"' in english


def test_a_chosen_language_is_kept_and_the_switch_leaves_it(client: Client) -> None:
    page = client.get("/manual/fr/engines-http", **{"Accept-Language": "en"}).text
    assert '<article class="prose" lang="fr">' in page
    assert 'href="/manual/fr/programmers#the-trace"' in page
    assert 'name="back" value="/manual/engines-http"' in page
    assert client.get("/manual/fr/site.md").status in (301, 302, 307)
    assert client.get("/manual/de/site").status == 404
    assert client.get("/manual/fr/none").status == 404


def test_a_page_that_is_in_english_only_says_so(client: Client) -> None:
    only = next(name for name in pages() if name not in pages("fr"))
    page = client.get(f"/manual/{only}", **{"Accept-Language": "fr"}).text
    assert "Cette page n’existe qu’en anglais." in page
    assert '<article class="prose" lang="en">' in page
    assert f'hreflang="fr" href="/manual/fr/{only}"' not in page
    assert "exists in English only" not in client.get(f"/manual/{only}", **{"Accept-Language": "en"}).text


def test_headings_have_the_same_address_in_both_languages() -> None:
    for name in pages("fr"):
        found = [re.findall(r'<h\d id="([^"]+)"', str(rendered(name, language).body)) for language in LANGUAGES]
        assert found[0] == found[1], name
