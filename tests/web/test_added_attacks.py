"""Added games under attack on the real site: hostile referees, absurd forms, two who want one name, games that change under way.

Whatever happens gives a named fault; no page and no game hangs, and nobody loses by what somebody else's program did.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import urlopen

import pytest

from arbitre.games.added.rules import Added
from tests.tournoyons.test_referee import good
from tests.web.programs import Club, club
from tests.web.test_added import added, ended, fields

HUGE = 10_000_000


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("attacks")) as found:
        yield found


Query = dict[str, str]


class Hostile(BaseHTTPRequestHandler):
    """A referee of every bad kind, by the path at which he is asked; `/held` waits until he is let go."""

    held = threading.Event()
    asked = threading.Event()
    questions: list[Query] = []  # noqa: RUF012 - of all that were ever asked, on purpose

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        query = {name: texts[0] for name, texts in parse_qs(where.query).items()}
        self.questions.append(query)
        {
            "/huge": self.huge,
            "/garbage": self.garbage,
            "/loop": lambda _: self.moved(self.path),
            "/private": lambda _: self.moved("http://10.1.2.3/referee"),
            "/metadata": lambda _: self.moved("http://169.254.169.254/latest/meta-data"),
            "/elsewhere": lambda given: self.moved(f"{given.get('ReturnURL', '')}0?{urlencode(good(given))}"),
            "/other": lambda given: self.ruled(good(given) | {"Game": "another"}),
            "/shout": self.shout,
            "/held": self.hold,
        }[where.path](query)

    def moved(self, where: str) -> None:
        self.send_response(302)
        self.send_header("Location", where)
        self.end_headers()

    def ruled(self, answer: Query) -> None:
        self.moved(f"{self.questions[-1]['ReturnURL']}?{urlencode(answer)}")

    def huge(self, _: Query) -> None:
        self.send_response(500)
        self.end_headers()
        with suppress(OSError):  # nobody reads all of it
            self.wfile.write(b"x" * HUGE)

    def garbage(self, _: Query) -> None:
        self.wfile.write(b"\x00\xff not HTTP at all\r\n\r\n" * 100)

    def shout(self, query: Query) -> None:
        """Answer two hundred times, each time something else."""
        for number in range(200):
            try:
                urlopen(f"{query['ReturnURL']}?{urlencode(good(query) | {'Gain1': str(number)})}", timeout=10).close()  # noqa: S310
            except OSError:
                continue  # refused from the second on
        self.moved("/loop")

    def hold(self, query: Query) -> None:
        self.asked.set()
        self.held.wait(30)
        self.moved(f"{query['ReturnURL']}?{urlencode(good(query) | {'ReturnCode': '1'})}")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    Hostile.held.set()
    server.shutdown()
    server.server_close()


BAD = {
    "/huge": "status 500 instead of an answer",
    "/garbage": "the call failed",
    "/loop": "more than 3 redirects",
    "/private": "10.1.2.3 is not a public address",
    "/metadata": "169.254.169.254 is not a public address",
    "/elsewhere": "status 404 instead of an answer",
    "/other": "sends back another Game than it got",
    "/shout": "contradicts itself",
}


@pytest.mark.parametrize("way", BAD)
def test_a_hostile_referee_is_named_on_the_form_and_in_a_game(place: Club, example: str, hostile: str, way: str) -> None:
    name = f"Bad{way[1:].title()}"
    given = fields(example, "hexapawn", name) | {"url": hostile + way}
    shown = place.visitor("Zoe").post("/program/added", given, page="/program/added/new")
    assert shown.status == 422
    assert BAD[way] in shown.text
    assert len(shown.body) < 100_000
    assert place.visitor("Zoe").post("/program/added", given | {"anyway": "yes"}, page="/program/added/new").status == 303
    visitor = place.visitor()
    begun = visitor.post(f"/added/{name}", {"one": "model", "two": "model"}, page=f"/added/{name}")
    last = ended(visitor, begun.headers["location"])
    assert "no result: the external referee: " in str(last["verdict"])
    assert BAD[way] in str(last["verdict"])


ABSURD: dict[str, dict[str, str]] = {
    "a huge sheet": {"about": "x" * 100_000},
    "a huge name": {"name": "x" * 100_000},
    "a huge board": {"board": "0" * 100_000},
    "a huge address": {"url": "http://e.org/" + "x" * 100_000},
    "nothing in the name": {"name": "a\0b"},
    "lines in the board": {"board": "0\n0"},
    "lines in an address": {"engine": "http://e.org/\r\nX-Evil: yes"},
    "a script": {"interface": "javascript:alert(1)"},
    "a file": {"url": "file:///etc/passwd"},
    "a password": {"url": "http://me:secret@e.org/"},
    "letters that look alike": {"name": "Р\u0430wns"},
    "a name of the house": {"name": "Reversi"},
    "no address at all": {"url": ""},
    "half a surrogate": {"about": "\ufffe\uffff" * 3_000},
}


@pytest.mark.parametrize("wrong", ABSURD.values(), ids=ABSURD)
def test_absurd_fields_are_refused_by_name(place: Club, example: str, wrong: dict[str, str]) -> None:
    before = len(place.community.added.of(place.people["Max"], retired=True))
    given = fields(example, "hexapawn", "AbsurdGame") | wrong
    answer = place.visitor("Max").post("/program/added", given, page="/program/added/new")
    assert 400 <= answer.status < 500, answer.status
    assert "Traceback" not in answer.text
    assert len(place.community.added.of(place.people["Max"], retired=True)) == before


def test_words_that_are_markup_stay_words(place: Club, example: str) -> None:
    added(place, example, "hexapawn", "HexaMarkup", about='<script>alert(1)</script> "><img src=x onerror=alert(1)>')
    for path in ("/added/HexaMarkup", "/play"):
        shown = place.visitor().get(path).text
        assert "<script>alert(1)" not in shown
        assert "<img src=x" not in shown


def test_two_people_who_want_one_name_at_once_do_not_both_get_it(place: Club, example: str) -> None:
    answers: dict[str, int] = {}
    gate = threading.Barrier(2)

    def add(who: str, name: str) -> None:
        visitor, given = place.visitor(who), fields(example, "hexapawn", name)
        gate.wait()
        answers[who] = visitor.post("/program/added", given, page="/program/added/new").status

    threads = [threading.Thread(target=add, args=one) for one in (("Zoe", "Contested"), ("Max", "c0ntested"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answers.values()) in ([303, 400], [303, 409])
    winner = next(who for who, status in answers.items() if status == 303)
    assert place.community.added.called("Contested").owner == place.people[winner].id


def test_a_sheet_that_was_written_is_not_emptied(place: Club, example: str) -> None:
    """Others program by it."""
    number = added(place, example, "hexapawn", "HexaSheet")
    where, given = f"/program/added/{number}", fields(example, "hexapawn", "HexaSheet") | {"about": " \n "}
    answer = place.visitor("Zoe").post(where, given, page=where)
    assert answer.status == 400
    assert "says how trays, moves and gains are written" in answer.text
    assert "three pawns each" in place.community.added.find(int(number)).about


# ── games that change while they are played ────────────────────────────────────────────────────────────────────────


def _retire(place: Club, number: int) -> None:
    place.community.added.retire(place.people["Zoe"], number)


def _move_away(place: Club, number: int) -> None:
    place.community.added.edit(place.people["Zoe"], number, url="http://127.0.0.1:9/", engine="http://127.0.0.1:9/")  # type: ignore[arg-type]


def _hide(place: Club, number: int) -> None:
    place.community.added.edit(place.people["Zoe"], number, public=False)  # type: ignore[arg-type]


CHANGES = {"retired": (_retire, 404), "moved": (_move_away, 200), "hidden": (_hide, 404)}


@pytest.mark.parametrize(("change", "status"), CHANGES.values(), ids=CHANGES)
def test_what_its_owner_changes_does_not_touch_a_game_that_is_played(
    place: Club, example: str, hostile: str, change: Callable[[Club, int], None], status: int
) -> None:
    """He was asked at the old address and answers there; what was begun ends, and what begins is told what has changed."""
    Hostile.held.clear()
    Hostile.asked.clear()
    where, key = f"{example}/hexapawn", f"Held{change.__name__.replace('_', '')}"
    game = place.community.added.add(
        place.people["Zoe"],
        Added(key=key),
        url=f"{hostile}/held",
        engine=f"{where}/engine",
        interface=f"{where}/interface",
        about="s",
    )
    visitor = place.visitor()
    begun = visitor.post(f"/added/{key}", {"one": "model", "two": "model"}, page=f"/added/{key}").headers["location"]
    assert Hostile.asked.wait(20)
    change(place, game.id)
    assert visitor.get(begun).status == 200
    assert visitor.get(f"/added/{key}").status == status
    Hostile.held.set()
    assert "a win, says the referee of the game" in str(ended(visitor, begun)["verdict"])
    page = visitor.get(begun)
    assert page.status == 200
    assert "is a program of Zoe" in page.text
    again = visitor.post(f"{begun}/again", page=begun)
    if change is _retire:
        assert again.status in (400, 404, 409)
        assert "retired" in again.text


# ── a referee in a player's browser ────────────────────────────────────────────────────────────────────────────────


def _frames(text: str) -> list[str]:
    """Return the questions to a referee that a stream of scenes holds."""
    scenes = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    return [scene["frame"] for scene in scenes if "frame" in scene]


def test_only_the_player_whose_browser_asks_can_answer_for_the_referee(place: Club, example: str) -> None:
    """The address of the answer is a secret of the frame: who has it not says nothing, wherever he claims to come from."""
    added(place, example, "hexapawn", "Forged", framed="yes", url=f"{example}/hexapawn/framed")
    house = place.site.site.state.house
    max_, zoe = place.visitor("Max"), place.visitor("Zoe")
    begun = max_.post("/added/Forged", {"one": "me", "two": "model"}, page="/added/Forged").headers["location"]
    live = house.arena.live(begun.rpartition("/")[2])
    said = 0
    while said != 201:
        said = max_.post(f"{begun}/move", {"move": "A2A1"}, page=begun).status
    while not live.external.frame(live.moments[-1].affairs.truth, 2) or live.moments[-1].affairs.truth.judging is False:
        sleep(0.01)
    question = live.external.frame(live.moments[-1].affairs.truth, 2)
    asked = {name: texts[0] for name, texts in parse_qs(urlsplit(question).query).items()}
    returns = urlsplit(asked["ReturnURL"])
    lie = urlencode(good(asked) | {"ReturnCode": "1"})
    handle, _, token = returns.path.removeprefix("/answer/").partition("/")
    for path in (f"/answer/{handle}/{token[::-1]}", f"/answer/{handle}", f"/answer/{token}/{handle}"):
        for origin in (f"http://127.0.0.1:{place.site.port}", example, "null"):
            assert zoe.get(f"{path}?{lie}", Origin=origin, Referer=f"{origin}/").status == 404
    assert zoe.ask("POST", f"{returns.path}?{lie}", b"").status in (403, 405), "an answer is a GET"
    assert live.match.game.phase(live.moments[-1].affairs.truth).turn == 2, "he is still waited for"
    assert zoe.get(f"{returns.path}?{urlencode(good(asked))}").status == 200
    assert zoe.get(f"{returns.path}?{lie}").status in (409, 410), "he said something else before"
    max_.post(f"{begun}/resign", page=begun)
    seen = ended(place.visitor(), begun)
    assert "frame" not in seen
    assert _frames(place.visitor().get(f"{begun}/events").text) == []
