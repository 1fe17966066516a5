"""For whoever programs: testers, registration with a check, directory and traces, and whoever tries to abuse them."""

import ast
import re
import sys
import time
from collections.abc import Callable, Iterator
from random import Random

import pytest

from arbitre.games.catalogue import game, listing
from arbitre.games.notation import notation_of
from arbitre.games.positions import presets_of
from arbitre.reasons import Reason
from arbitre.site.frames import origin_of
from arbitre.site.returned import LIFETIME, LONGEST, MOST_TESTS, Returned
from arbitre.site.settings import Settings
from arbitre.tournoyons.tester import preset_exercises
from arbitre.web.boards import PARAMETERS, effect, query_of
from arbitre.web.pages.programs import bot, example
from arbitre.words import words
from tests.house import WIRED
from tests.reasons import gives
from tests.tournoyons.test_player import FIVE, started
from tests.web.programs import Club, club, source
from tests.web.site import quiet, running

MARKUP = "<img/src=x>"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("club")) as found:
        yield found


# ── where to begin ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_entry_has_code_that_is_code_and_says_where_calls_come_from(place: Club) -> None:
    page = place.visitor().get("/program").text
    for text in (bot("en"), example("en"), bot("fr"), example("fr")):
        assert ast.parse(text).body
    assert len([line for line in bot("fr").splitlines() if line]) <= 10
    assert "careless.py --http 8003 --allow-from 127.0.0.1" in page
    assert Settings(host="0.0.0.0", calls_from=("192.0.2.7",)).sources == ("192.0.2.7",)  # noqa: S104
    assert len(Settings(host="0.0.0.0").sources) == 1  # noqa: S104


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", WIRED)
def test_every_preset_of_every_game_is_shown(place: Club, name: str, language: str) -> None:
    client = place.visitor()
    for key in (*(one.key for one in presets_of(name)), "over", "nothing"):
        shown = client.get(f"/program/interface-test?game={name}&preset={key}", Accept_Language=language)
        assert shown.status == 200, key
        assert source(shown.text).startswith(f"/interfaces/{listing(name).page}?Set=")
        if key in ("over", "nothing"):
            continue
        tested = client.get(f"/program/engine-test?game={name}&preset={key}", Accept_Language=language)
        assert (tested.status, source(tested.text).startswith(f"/interfaces/{listing(name).page}?Set=")) == (200, True)


@pytest.mark.parametrize("name", WIRED)
def test_what_any_move_does_can_be_drawn(name: str) -> None:
    table = game(name)
    for preset in presets_of(name):
        for shown in preset_exercises(table, preset):
            for seed in range(4):
                move = notation_of(table).write(table.sample(shown.view, Random(seed)))
                after = effect(table, shown, move, words("en"))
                assert after is not None
                assert query_of(after).startswith(f"Set={listing(name).set}&")


# ── the tester of engines ──────────────────────────────────────────────────────────────────────────────────────────


def test_an_engine_is_tested(place: Club) -> None:
    asked = {"game": "tictactoe", "preset": "middle", "address": f"{place.url}/direct"}
    answer = place.visitor().post("/program/engine-test", asked)
    assert answer.status == 200
    assert "A good move" in answer.text
    assert "<b>Game</b>=TEST" in answer.text
    assert "<b>Referee</b>=<" in answer.text
    assert "Tray=121010000&" in source(answer.text) or "Move2=2" in source(answer.text)


def test_a_position_by_hand_is_tested(place: Club) -> None:
    asked = {"game": "tictactoe", "position": "112200000", "address": f"{place.url}/direct"}
    answer = place.visitor().post("/program/engine-test", asked)
    assert "<b>Tray</b>=112200000" in answer.text
    wrong = place.visitor().post("/program/engine-test", asked | {"position": MARKUP})
    assert wrong.status == 400
    assert MARKUP not in wrong.text


def test_ones_own_engine_is_tested_by_name_and_nobody_elses(place: Club) -> None:
    asked = {"game": "tictactoe", "engine": str(place.engine.id), "back": "yes"}
    assert "A good move" in place.visitor("Zoe").post("/program/engine-test", asked).text
    for other in ("Max", ""):
        answer = place.visitor(other).post("/program/engine-test", asked)
        assert answer.status == 404
        assert place.url not in answer.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("error-direct", "status 500 instead of 200"),
        ("huge-direct", "was not read further"),
        ("loop", "redirects"),
        ("crash", "Nobody"),
    ],
)
def test_faults_are_told(place: Club, path: str, words: str) -> None:
    answer = place.visitor().post("/program/engine-test", {"game": "tictactoe", "address": f"{place.url}/{path}"})
    assert (answer.status, words in answer.text) == (200, True)
    assert len(answer.body) < 40_000


def test_a_body_is_shown_as_text(place: Club, tmp_path: object) -> None:
    answer = place.visitor().post("/program/engine-test", {"game": "tictactoe", "address": f"{place.url}/inside", "back": "yes"})
    assert "&lt;h1&gt;whatever&lt;/h1&gt;" in answer.text
    assert "<h1>whatever" not in answer.text
    assert tmp_path


@pytest.mark.parametrize("address", ["", "ftp://x/", "javascript:alert(1)", f"http://a/{MARKUP}#x", "http://u:p@a/", "x" * 3_000])
def test_what_is_no_address_is_refused(place: Club, address: str) -> None:
    answer = place.visitor().post("/program/engine-test", {"game": "reversi", "address": address})
    assert answer.status == 400
    assert MARKUP not in answer.text


def test_a_link_calls_nobody_and_a_form_of_others_is_refused(place: Club) -> None:
    client = place.visitor()
    assert "What was called" not in client.get(f"/program/engine-test?address={place.url}/direct&game=tictactoe").text
    body = f"game=tictactoe&address={place.url}/direct".encode()
    assert client.ask("POST", "/program/engine-test", body, Content_Type="application/x-www-form-urlencoded").status == 403


def test_private_addresses_are_told_kindly(tmp_path_factory: pytest.TempPathFactory, place: Club) -> None:
    settings = quiet(tmp_path_factory.mktemp("open"), host="0.0.0.0", public_url="http://games.example")  # noqa: S104
    with running(settings) as site:
        for address in (f"{place.url}/direct", "http://localhost:1/", "http://[::ffff:7f00:1]/", "http://10.1.2.3/"):
            answer = site.client().post("/program/engine-test", {"game": "tictactoe", "address": address})
            assert answer.status == 200
            assert "This site does not call that address." in answer.text
            assert "A good move" not in answer.text


def test_calls_are_counted(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(quiet(tmp_path_factory.mktemp("counted"))) as site:
        client = site.client()
        seen = [client.post("/program/engine-test", {"address": "http://127.0.0.1:1/"}).status for _ in range(62)]
    assert set(seen[:60]) == {200}
    assert seen[-1] == 429


# ── the tester of interfaces ───────────────────────────────────────────────────────────────────────────────────────


def test_an_interface_returns_to_its_own_test_alone(place: Club) -> None:
    client = place.visitor()
    page = client.get("/program/interface-test?game=tictactoe").text
    returns = source(page).partition("URLReturn=")[2]
    path = returns.partition(str(place.site.port))[2]
    assert path.startswith("/return/test/")
    token = path.rpartition("/")[2]
    assert len(token) == 32
    stranger = place.site.client()
    taken = stranger.get(f"{path}?ReturnValue=%3Cb%3E5")
    assert (taken.status, taken.body) == (204, b"")
    assert "frame-ancestors" not in taken.headers["content-security-policy"]  # no word for frames without an origin but none
    assert "x-frame-options" not in taken.headers
    assert (taken.headers["cache-control"], taken.headers["referrer-policy"]) == ("no-store", "no-referrer")
    assert client.get(f"/program/returned/{token}?after=0").body == b'{"count":1,"value":"<b>5"}'
    assert stranger.get("/return/test/" + "0" * 32 + "?ReturnValue=1").status == 410
    assert client.get("/program/returned/" + "0" * 32).status == 404


def test_an_address_is_framed_by_a_form_alone(place: Club) -> None:
    client = place.visitor()
    linked = client.get("/program/interface-test?game=tictactoe&address=http://evil.example/")
    assert "evil.example" not in linked.headers["content-security-policy"]
    assert not re.search(r"(src|action|href)=\"[^\"]*evil.example", linked.text)
    shown = client.post(
        "/program/interface-test", {"game": "tictactoe", "address": "http://fair.example:81/x?a=1", "Tray": "120000000"}
    )
    assert "frame-src 'self' http://fair.example:81;" in shown.headers["content-security-policy"]
    assert source(shown.text).startswith("http://fair.example:81/x?a=1&Tray=120000000&URLReturn=http://127.0.0.1:")
    assert 'sandbox="allow-scripts allow-modals"' in shown.text


@pytest.mark.parametrize(
    "address",
    ["http://a;script-src *", "http://a'b/", "http://a b/", "javascript:alert(1)", "data:text/html,x", "//evil", "http://é;x/"],
)
def test_no_address_gets_into_the_policy(place: Club, address: str) -> None:
    answer = place.visitor().post("/program/interface-test", {"game": "tictactoe", "address": address})
    policy = answer.headers["content-security-policy"]
    assert answer.status == 400
    assert "frame-src 'self';" in policy
    assert "script-src" not in policy


def test_origins() -> None:
    assert origin_of("https://Games.Example/a?b") == "https://games.example:443"
    assert origin_of("http://[::1]:80/") == "http://[::1]:80"
    assert origin_of("http://bücher.example/") == "http://xn--bcher-kva.example:80"


def test_parameters_stay_one_query() -> None:
    given = dict.fromkeys(PARAMETERS, "a&URLReturn=http://evil#<é>")
    query = query_of(given, "http://s/return/test/0")
    assert query.count("&") == len(PARAMETERS)
    assert query.count("URLReturn=") == 1
    assert not set(query) & set("<>#é\"' ")


def test_returned_values_are_few_short_and_do_not_stay() -> None:
    now = 0.0
    kept = Returned(lambda: now)
    first = kept.open()
    assert kept.put(first, "x" * 10_000)
    assert len(kept._tests[first].value) == LONGEST
    for _ in range(MOST_TESTS):
        kept.open()
    assert not kept.put(first, "y")
    last = kept.open()
    now = LIFETIME + 1
    assert not kept.put(last, "z")
    kept.open()
    assert len(kept._tests) == 1


# ── registration ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_engine_is_registered_when_it_answers(place: Club) -> None:
    client = place.visitor("Max")
    form = {"game": "tictactoe", "name": "Max.One", "url": f"{place.url}/crash", "public": "yes"}
    refused = client.post("/program/engines", form)
    assert refused.status == 422
    assert "Register it all the same" in refused.text
    assert place.community.engines.of(place.people["Max"]) == ()
    kept = client.post("/program/engines", form | {"anyway": "yes"})
    assert kept.status == 303
    sheet = kept.headers["location"]
    assert "the call failed" in client.get(sheet).text
    mended = client.post(sheet, form | {"url": f"{place.url}/direct", "direct": "yes"})
    assert "Saved, and it answers well." in mended.text
    (engine,) = place.community.engines.of(place.people["Max"])
    assert (engine.state, engine.style.direct, engine.public) == ("ok", True, True)
    assert client.post("/program/engines", form).status == 422
    assert "Max.One" in place.visitor().get("/program/directory?game=tictactoe").text
    assert client.post(f"{sheet}/check").status == 200
    assert client.post(f"{sheet}/retire").status == 303
    assert "Max.One" not in place.visitor().get("/program/directory").text


@pytest.mark.parametrize(
    "wrong",
    [{"name": MARKUP}, {"name": "Deep.Pond"}, {"url": "ftp://x"}, {"game": "arcade"}, {"game": ""}, {"login": "x" * 1_000}],
)
def test_what_does_not_fit_is_told_and_nothing_is_kept(place: Club, wrong: dict[str, str]) -> None:
    form = {"game": "tictactoe", "name": "Fits", "url": f"{place.url}/direct", "direct": "yes"}
    answer = place.visitor("Max").post("/program/engines", form | wrong)
    assert answer.status == 400
    assert MARKUP not in answer.text
    assert "Fits" not in {one.name for one in place.community.engines.of(place.people["Max"])}


def test_other_peoples_engines_are_theirs(place: Club) -> None:
    path = f"/program/engines/{place.engine.id}"
    form = {"name": "Mine.Now", "url": "http://127.0.0.1:1/"}
    for client in (place.visitor("Max"),):
        assert client.get(path).status == 403
        assert client.post(path, form).status == 403
        assert client.post(f"{path}/check").status == 403
        assert client.post(f"{path}/retire").status == 403
        assert client.get("/program/engines/9999").status == 404
    guest = place.visitor()
    assert guest.get(path).headers["location"].startswith("/login")
    assert guest.post(path, form).status == 401
    assert place.url in place.visitor("Otilia").get(path).text
    assert place.community.engines.find(place.engine.id).name == "Deep.Pond"
    assert place.url not in guest.get("/program/directory").text


def test_what_is_not_public_is_not_there(place: Club) -> None:
    hidden = place.community.engines.add(place.people["Zoe"], game="reversi", name="Shy", url="http://127.0.0.1:1/", public=False)
    assert place.visitor("Max").get(f"/program/engines/{hidden.id}").status == 404
    assert "Shy" not in place.visitor("Max").get("/program/directory").text
    assert "Shy" in place.visitor("Zoe").get("/program/directory").text


def test_an_engine_that_keeps_what_it_knows_by_game_works_at_every_check(place: Club) -> None:
    client = place.visitor("Max")
    form = {"game": "tictactoe", "name": "Max.Faithful", "url": f"{place.url}/faithful", "public": "yes"}
    sheet = client.post("/program/engines", form).headers["location"]
    for _ in range(2):
        assert "called back while our call was open" in client.post(f"{sheet}/check").text
    assert place.community.engines.find(int(sheet.rpartition("/")[2])).state == "ok"


def test_whoever_registers_an_engine_that_answers_in_the_body_is_told_to_declare_it_direct(place: Club) -> None:
    client = place.visitor("Max")
    for url in started(sys.executable, "-c", FIVE):
        form = {"game": "tictactoe", "name": "Max.Body", "url": f"{url}/", "public": "yes"}
        answer = client.post("/program/engines", form)
        assert (answer.status, "this engine is to be declared direct" in answer.text) == (422, True)
        assert client.post("/program/engines", form | {"direct": "yes"}).status == 303


def test_an_interface_is_registered_when_its_page_is_there(place: Club) -> None:
    client = place.visitor("Max")
    form = {"game": "tictactoe", "name": "Max.Looks", "url": f"{place.url}/refused", "public": "yes"}
    refused = client.post("/program/interfaces", form)
    assert refused.status == 422
    assert "there is no page at this address" in refused.text
    good = client.post("/program/interfaces", form | {"url": f"{place.site.url}/interfaces/tictactoe.html"})
    assert good.status == 303
    path = good.headers["location"]
    number = path.rpartition("/")[2]
    shown = place.visitor().get(f"/program/interface-test?game=tictactoe&interface={number}")
    assert f"frame-src 'self' {place.site.url};" in shown.headers["content-security-policy"]
    assert place.visitor("Zoe").get(path).status == 403
    edited = client.post(path, form | {"url": "http://127.0.0.1:1/"})
    assert "the call failed" in edited.text
    assert client.post(f"{path}/retire").status == 303
    assert place.community.interfaces.find(int(number)).retired is not None


# ── traces ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_owner_sees_every_exchange_as_text(place: Club) -> None:
    path = f"/games/{place.games['over']}/trace/0"
    page = place.visitor("Zoe").get(path)
    assert page.status == 200
    assert f"<h1>Trace of {place.engine.name}</h1>" in page.text
    assert "<b>Set</b>=TicTacToe" in page.text
    assert "Value=" in page.text
    assert "&lt;h1&gt;whatever&lt;/h1&gt;" in page.text
    assert "<h1>whatever" not in page.text
    assert place.visitor("Otilia").get(path).status == 200
    assert place.games["over"] in place.visitor("Zoe").get(f"/program/engines/{place.engine.id}").text


def test_nobody_else_does(place: Club) -> None:
    path = f"/games/{place.games['over']}/trace/0"
    assert place.visitor("Max").get(path).status == 403
    assert place.visitor("Max").post(path, {"sequence": "1"}).status == 403
    assert place.visitor().get(path).headers["location"].startswith("/login")
    assert place.visitor().post(path, {"sequence": "1"}).status == 401
    zoe = place.visitor("Zoe")
    for wrong in ("1", "2", "3", "99999999999"):
        assert zoe.get(f"/games/{place.games['over']}/trace/{wrong}").status == 404
    assert zoe.get("/games/0123456789abcdef/trace/0").status == 404
    assert zoe.get("/games/%2e%2e/trace/0").status == 404


def test_a_call_is_repeated_as_a_test(place: Club) -> None:
    path = f"/games/{place.games['over']}/trace/0"
    client = place.visitor("Zoe")
    first = next(number for number in range(1, 9) if f'value="{number}"' in client.get(path).text)
    answer = client.post(path, {"sequence": str(first)})
    assert answer.status == 200
    assert f"Number {first}, repeated by hand" in answer.text
    repeated = answer.text.partition('id="repeated"')[2].partition("</section>")[0]
    assert "<b>Game</b>=TEST" in repeated
    assert "/answer/" not in repeated
    for wrong in ("0", "-1", "999", "x", ""):
        assert client.post(path, {"sequence": wrong}).status == 404


def test_whoever_sits_at_a_table_with_secrets_waits_for_its_end(place: Club) -> None:
    path = f"/games/{place.games['secret']}/trace/1"
    assert place.visitor("Zoe").get(path).status == 403
    assert "V5A01" not in place.visitor("Zoe").get(path).text
    assert "V5A01" in place.visitor("Otilia").get(path).text


# ── in a match of the site ─────────────────────────────────────────────────────────────────────────────────────────


def registered(place: Club, name: str, path: str) -> int:
    """Return the number of an engine of Max's, registered whatever it answers."""
    return place.community.engines.add(place.people["Max"], game="tictactoe", name=name, url=f"{place.url}/{path}").id


def began(place: Club, engine: int) -> str:
    """Let an engine of Max's play against the house; return the address of the game."""
    answer = place.visitor("Max").post("/play", {"game": "tictactoe", "one": f"engine:{engine}", "two": "house:1"})
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def eventually(due: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(2_000):
        if due():
            return
        time.sleep(0.01)
    raise AssertionError("it never comes")


def test_a_fault_in_a_match_is_noted_for_the_owner(place: Club) -> None:
    number = registered(place, "Wild", "illegal")
    address = began(place, number)
    eventually(lambda: gives(place.community.engines.find(number).fault, "illegal-move"))
    sheet = place.visitor("Max").get(f"/program/engines/{number}").text
    assert "illegal move" in sheet
    assert "illegal-move" not in sheet
    assert f"{address}/trace/0" in sheet
    eventually(lambda: "Value=ZZZ" in place.visitor("Max").get(f"{address}/trace/0").text)
    assert f"{address}/trace/0" in place.visitor("Max").get(address).text
    assert f"{address}/trace/0" not in place.visitor("Zoe").get(address).text


def test_an_engine_that_does_well_is_forgiven(place: Club) -> None:
    number = registered(place, "Tame", "inside")
    place.community.engines.broke(number, Reason("quoted", text="it once failed"))
    began(place, number)
    eventually(lambda: place.community.engines.find(number).fault is None)


def test_an_ask_that_is_open_is_never_in_the_trace(place: Club) -> None:
    address = began(place, registered(place, "Slow", "stall"))
    page = place.visitor("Max").get(f"{address}/trace/0").text
    assert "Nothing yet" in page
    assert "MoveId" not in page
    assert "/answer/" not in page
