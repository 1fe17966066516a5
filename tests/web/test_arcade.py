"""The arcade's pages and its lines over requests: bounded, bound to one browser, and judged like every other connection."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from gmpy2 import mpz

from arbitre.arcade import desk as arcade_desk
from arbitre.arcade.bout import Ending
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.terms import Encoding, encode
from arbitre.arcade.visitor import Visitor
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import oakley
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.site.listeners import Door, Listening
from tests.arcade.test_server import Dice
from tests.web.site import TOKEN, Client, Running, quiet, running

FORM = "application/x-www-form-urlencoded"
KEY = Key(oakley(14), mpz(0xC1E))


@pytest.fixture
def ledgers(open_site: Running) -> Iterator[list[Ledger]]:
    """Collect every match that ends."""
    found: list[Ledger] = []
    arcade = open_site.site.state.house.arcade
    arcade.closed = found.append
    yield found
    arcade.closed = None


def until(holds: Callable[[], object], seconds: float = 15.0) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


class Browser:
    """A browser without a window: one visit, its lines by POST, what it hears by a stream."""

    def __init__(self, client: Client, *wishes: str) -> None:
        self.client = client
        token = TOKEN.search(client.get("/arcade").text)
        assert token is not None
        self.token = token[1]
        status, text = self.post("/arcade/visits", lines="\n".join(wishes))
        assert status == 201, text
        self.path = f"/arcade/visits/{json.loads(text)['visit']}"
        self._connection: http.client.HTTPConnection | None = None
        self._stream: http.client.HTTPResponse
        self.last = 0

    def post(self, path: str, **fields: str) -> tuple[int, str]:
        body = urlencode(fields).encode()
        answer = self.client.ask("POST", path, body, Content_Type=FORM, X_Form_Token=self.token, Accept="application/json")
        return answer.status, answer.text

    def say(self, *lines: str, number: str = "") -> int:
        return self.post(self.path, lines="\n".join(lines), number=number)[0]

    def listen(self) -> None:
        self.cut()
        self._connection = http.client.HTTPConnection("127.0.0.1", self.client.port, timeout=20)
        cookies = "; ".join(f"{name}={text}" for name, text in self.client.cookies.items())
        self._connection.request("GET", f"{self.path}/lines", headers={"Cookie": cookies, "Last-Event-ID": str(self.last)})
        self._stream = self._connection.getresponse()
        assert self._stream.status == 200

    def cut(self) -> None:
        """Let the stream break."""
        if self._connection is not None:
            self._stream.close()
            self._connection.close()
            self._connection = None

    def heard(self) -> Iterator[str]:
        """Return lines as they come, until the other end hangs up."""
        while line := self._stream.readline().decode():
            if line.startswith("id: "):
                self.last += 1
                assert int(line[4:]) == self.last
            elif line.startswith("data: ") and line.strip() != "data:":
                yield line[6:].rstrip("\n")
            elif line.startswith("event: over"):
                return

    def hear(self, start: str) -> str:
        """Return the next line that begins so."""
        return next(line for line in self.heard() if line.startswith(start))


@pytest.fixture
def browsers(open_site: Running) -> Iterator[Callable[..., Browser]]:
    """Make browsers, each with cookies of its own, and let them leave afterwards."""
    made: list[Browser] = []

    def make(*wishes: str, client: Client | None = None) -> Browser:
        made.append(Browser(client or open_site.client(), *wishes))
        made[-1].listen()
        return made[-1]

    yield make
    for one in made:
        one.post(f"{one.path}/leave")
        one.cut()


# ── pages ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_page_that_waits_for_somebody(open_site: Running, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    text = client.get("/arcade", Accept_Language="fr").text
    for word in (
        "Facile",
        "Normal",
        "Difficile",
        "Nightmare",
        "vulnérable à dessein",
        "Tableau d’honneur",
        "arbitre arcade serve",
    ):
        assert word in text
    assert 'href="/manual/arcade#attacks"' in text
    english = client.get("/arcade", Accept_Language="en").text
    assert [word in english for word in ("<b>Easy</b>", "<b>Hard</b>", "Facile", "Difficile")] == [True, True, False, False]
    assert 'id="attacks"' in client.get("/manual/arcade").text
    house = open_site.site.state.house
    monkeypatch.setattr(house, "_listening", [[Listening(Door.ARCADE, "127.0.0.1:3232")]])
    assert "arbitre arcade join 127.0.0.1:3232" in client.get("/arcade").text


@pytest.mark.parametrize("level", ["facile", "Normal", "DIFFICILE", "nightmare"])
def test_levels_by_any_spelling(client: Client, level: str) -> None:
    assert f'data-level="{level.capitalize()}"' in client.get(f"/arcade/play/{level}").text


@pytest.mark.parametrize(
    "path",
    [
        "/arcade/play/impossible",
        "/arcade/play/Duel",
        "/arcade/table/a_b",
        "/arcade/table/" + "A" * 25,
        "/arcade/records/0123456789ab",
        "/arcade/records/0123456789AB",
        "/arcade/records/%25",
        "/arcade/records/0123456789ab/record",
        "/arcade/records/0123456789ab/finding",
        "/arcade/visits/x/lines",
    ],
)
def test_what_there_is_not(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_a_typed_code_leads_to_its_table(client: Client) -> None:
    assert client.post("/arcade/table", {"code": " K7QX4M "}).headers["location"] == "/arcade/table/K7QX4M"
    for wrong in ("", "a/../b", "x" * 25, "é"):
        assert client.post("/arcade/table", {"code": wrong}).headers["location"] == "/arcade#meet"


# ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_program_plays_a_whole_match_by_requests(open_site: Running, browsers: Callable[..., Browser]) -> None:
    """The same party that plays over TCP plays here: only what carries the lines differs."""
    visitor = Visitor(Dice(3), level="Difficile", language="fr")
    browser = browsers(*visitor.hello().decode().splitlines())
    number = 0
    for line in browser.heard():
        said = visitor.receive(f"{line}\n".encode()).decode().splitlines()
        if said:
            number += 1
            assert browser.say(*said, number=str(number)) == 201
    finish = visitor.finish
    assert finish is not None
    assert finish.ending is Ending.GOAL
    assert visitor.ledger is not None
    name = visitor.ledger.call.match
    assert verify(open_site.client().get(f"/arcade/records/{name}/record").body).standing is Proof.INTACT
    found = json.loads(open_site.client().get(f"/arcade/records/{name}/finding").text)
    assert found["standing"] == "verified"
    page = open_site.client().get(f"/arcade/records/{name}", Accept_Language="fr").text
    assert found["head"][:8] in page
    assert "manche 0 :" in page
    if finish.winner == 0:
        open_site.site.state.house.desk._famous = None
        assert f"/arcade/records/{name}" in open_site.client().get("/arcade").text


STATES = ("greeted", "declared", "committed", "answering", "ruling")


def lead(browser: Browser, state: str) -> None:
    """Lead a match to where a state is: whose turn it is and what was said."""
    browser.hear("PKEY")
    if state == "greeted":
        return
    browser.say(f"PKEY {KEY.h.digits(16)}")
    browser.hear("# round 0")
    if state == "declared":
        return
    commitment, k = KEY.commit(encode(Encoding.SUBGROUP, KEY.group, Sign.PIERRE))
    browser.say(f"COMMIT {commitment.r.digits(16)} {commitment.c.digits(16)}")
    browser.hear("MOVE")
    if state == "committed":
        return
    browser.say("MOVE PIERRE", f"OPEN {k.digits(16)}")
    browser.hear("COMMIT")
    if state == "answering":
        return
    browser.say("MOVE CISEAUX")
    browser.hear("OPEN")


@pytest.mark.parametrize("state", STATES)
def test_whoever_leaves_forfeits(browsers: Callable[..., Browser], ledgers: list[Ledger], state: str) -> None:
    browser = browsers("# level Difficile", "# begin")
    lead(browser, state)
    assert browser.post(f"{browser.path}/leave")[0] == 201
    until(lambda: ledgers)
    finish = ledgers[0].bout.finish
    assert finish is not None
    assert (finish.winner, finish.ending) == (1, Ending.GONE)


@pytest.mark.parametrize("state", ["greeted", "answering"])
def test_whoever_listens_no_more_is_gone(
    browsers: Callable[..., Browser], ledgers: list[Ledger], monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    monkeypatch.setattr(arcade_desk, "BEAT_SECONDS", 0.1)  # a stream that is cut is noticed when something is said on it
    browser = browsers("# level Difficile", "# begin")
    lead(browser, state)
    monkeypatch.setattr(arcade_desk, "GRACE_SECONDS", 0.2)
    browser.cut()
    until(lambda: ledgers)
    finish = ledgers[0].bout.finish
    assert finish is not None
    assert (finish.winner, finish.ending) == (1, Ending.GONE)


def test_a_stream_that_breaks_goes_on_where_it_was(browsers: Callable[..., Browser], ledgers: list[Ledger]) -> None:
    browser = browsers("# level Difficile", "# begin")
    lead(browser, "declared")
    browser.listen()
    lead_on = KEY.commit(encode(Encoding.SUBGROUP, KEY.group, Sign.PIERRE))[0]
    browser.say(f"COMMIT {lead_on.r.digits(16)} {lead_on.c.digits(16)}")
    browser.hear("MOVE")
    assert ledgers == []


def test_a_request_that_comes_twice_counts_once(browsers: Callable[..., Browser]) -> None:
    browser = browsers("# level Difficile", "# begin")
    browser.hear("PKEY")
    for _ in range(3):
        assert browser.say(f"PKEY {KEY.h.digits(16)}", number="1") == 201
    browser.hear("# round 0")
    browser.say("OK", number="2")
    assert "credits left: 7" in browser.hear("# error")


def test_eight_faults_end_it(browsers: Callable[..., Browser], ledgers: list[Ledger]) -> None:
    browser = browsers("# level Difficile", "# begin")
    lead(browser, "declared")
    browser.say(*["é\x00" + "x" * 50] * 4, *["OK"] * 4)
    assert browser.hear("# over") == "# over adversaire 0 0 faults: the other side forfeits: OK out of order: yours is COMMIT"
    until(lambda: ledgers)


def test_a_visit_belongs_to_one_browser(open_site: Running, browsers: Callable[..., Browser]) -> None:
    browser, stranger = browsers("# begin"), browsers("# begin")
    for path in (browser.path, f"{browser.path}/leave"):
        assert stranger.post(path, lines="OK")[0] == 404
    assert stranger.client.get(f"{browser.path}/lines").status == 404
    assert open_site.client().ask("POST", browser.path, b"lines=OK", Content_Type=FORM).status == 403


def test_what_one_request_may_bring(browsers: Callable[..., Browser]) -> None:
    browser = browsers("# begin")
    assert browser.say("x" * (arcade_desk.MOST_HANDED_IN + 1)) == 400
    assert browser.say("#" * 300_000) == 413
    assert browser.say("# fine", number="9" * 50) == 201


def test_how_many_may_come(browsers: Callable[..., Browser], monkeypatch: pytest.MonkeyPatch) -> None:
    first = browsers("# begin")
    for _ in range(arcade_desk.MOST_OF_ONE - 1):
        browsers("# begin", client=first.client)
    status, text = first.post("/arcade/visits", lines="# begin")
    assert (status, "many matches" in text) == (429, True)
    monkeypatch.setattr(arcade_desk, "MOST_OF_ADDRESS", 1)
    other = first.client.__class__(first.client.port)
    token = TOKEN.search(other.get("/arcade").text)
    assert token is not None
    answer = other.ask("POST", "/arcade/visits", b"lines=", Content_Type=FORM, X_Form_Token=token[1], Accept="application/json")
    assert (answer.status, "full" in answer.text) == (429, True)


def test_two_browsers_meet_under_a_code(browsers: Callable[..., Browser], ledgers: list[Ledger]) -> None:
    one = browsers("# name Ada", "# table new")
    code = one.hear("# table").split()[2]
    two = browsers("# name Bob", f"# table {code}")
    assert one.hear("# seat") == "# seat joueur Ada against Bob"
    assert two.hear("# seat") == "# seat adversaire Bob against Ada"
    other = Key(oakley(14), mpz(0xB0B))
    one.say(f"PKEY {KEY.h.digits(16)}")
    two.say(f"PKEY {other.h.digits(16)}")
    assert one.hear("# fingerprint") == two.hear("# fingerprint")
    two.post(f"{two.path}/leave")
    assert one.hear("# over") == "# over joueur 0 0 gone: the other side forfeits: hung up"
    until(lambda: ledgers)


def test_matches_end_without_a_result_when_the_site_closes(tmp_path: Path) -> None:
    with running(quiet(tmp_path)) as site:
        found: list[Ledger] = []
        site.site.state.house.arcade.closed = found.append
        browser = Browser(site.client(), "# level Difficile", "# begin")
        browser.listen()
        lead(browser, "committed")
        site.site.state.house.closing.set()
        assert browser.hear("# over") == "# over nobody: the arcade closes"
    browser.cut()
    assert [ledger.affairs.verdict and ledger.affairs.verdict.termination for ledger in found] == [Termination.ABANDONED]
