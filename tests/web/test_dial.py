"""Engines that dial in, over real sockets: streams and polls, cuts, tokens, names with markup, other engines' questions."""

import ctypes
import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from itertools import count

import pytest

from arbitre.site.accounts import Account
from arbitre.web import wire
from tests.web.dialer import Dialler, Line, Question, house_of, play, reply
from tests.web.site import Answer, Client, Running

NUMBERS = count(1)


@pytest.fixture
def owner(open_site: Running) -> Account:
    return house_of(open_site).community.accounts.create(f"owner{next(NUMBERS)}", "correct horse battery")


@pytest.fixture
def dialler(open_site: Running, owner: Account) -> Dialler:
    return Dialler(open_site, owner, name=f"Dialler{next(NUMBERS)}")


class Programs:
    """What programs of an account do at the site."""

    def __init__(self, site: Running, account: Account, *scopes: str) -> None:
        self.client: Client = site.client()
        wanted = ["read", "play", "engines", *scopes]
        self.token = house_of(site).community.tokens.make(account, "test", wanted, None).secret

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        sent = {"Authorization": f"Bearer {self.token}", "Content_Type": "application/json"}
        return self.client.ask(method, path, None if body is None else json.dumps(body).encode(), **sent)

    def call(self, *engines: int, game: str = "tictactoe", **more: object) -> str:
        """Call a match of engines, the house on the seat that is left; return its name."""
        seats = [{"who": "engine", "engine": one} for one in engines] + [{"who": "house", "level": 1}]
        found = self.ask("POST", "/api/matches", {"game": game, "seats": seats[:2], **more})
        assert found.status == 201, found.text
        return str(json.loads(found.text)["name"])

    def state(self, name: str) -> str:
        return str(json.loads(self.ask("GET", f"/api/matches/{name}").text)["state"])


@pytest.fixture
def programs(open_site: Running, owner: Account) -> Programs:
    return Programs(open_site, owner)


def test_a_match_over_a_stream_that_no_proxy_is_to_touch(dialler: Dialler, programs: Programs) -> None:
    with dialler.line() as line:
        assert line.status == 200
        assert line.headers["content-type"] == "application/x-ndjson"
        assert line.headers["x-accel-buffering"] == "no"
        assert line.headers["cache-control"] == "no-store, no-transform"
        assert "content-encoding" not in line.headers
        assert next(line.rows()) == b"\n"  # at once: a proxy lets the head through
        programs.call(dialler.engine.id)
        told = play(dialler, line)
    assert [one["what"] for one in told][:2] == ["hello", "ask"]
    assert told[-1]["text"].startswith("end ")


def test_a_stream_is_not_compressed_for_who_would_take_it_so(dialler: Dialler, open_site: Running) -> None:
    found = dialler.client.get(
        f"/api/engines/{dialler.engine.id}/questions?wait=0", Authorization=f"Bearer {dialler.token}", Accept_Encoding="gzip, br"
    )
    assert (found.status, found.body) == (200, b"")
    assert "content-encoding" not in found.headers


def test_long_polling_for_who_cannot_hold_a_stream(dialler: Dialler, programs: Programs) -> None:
    with dialler.line("listener=x&wait=0") as poll:
        assert list(poll.rows()) == []  # and it is present now
    programs.call(dialler.engine.id)
    after, told = 0, list[Question]()
    while not told or told[-1]["what"] != "end":
        with dialler.line(f"listener=x&wait=25&after={after}") as poll:
            for question in poll.questions():
                told.append(question)
                after = question["n"]
                if question["what"] != "end":
                    assert dialler.answer(question).status == 200
    assert len({one["id"] for one in told}) == len(told)


def test_a_line_that_is_cut_every_few_questions_loses_nothing_and_answers_nothing_twice(
    dialler: Dialler, programs: Programs
) -> None:
    with dialler.line("listener=cut"):
        name = programs.call(dialler.engine.id, game="tictactoe")
    answered = Counter[str]()
    over = False
    while not over:
        with dialler.line("listener=cut") as line:
            for number, question in enumerate(line.questions(), 1):
                if over := question["what"] == "end":
                    break
                found = dialler.answer(question)
                assert found.status == 200, found.text
                answered[question["id"]] += 1
                if number == 2:
                    break
    assert set(answered.values()) == {1}  # what was answered does not come again
    record = dialler.client.get(f"/api/matches/{name}/record?form=json")
    while record.status == 409:  # being sealed
        record = dialler.client.get(f"/api/matches/{name}/record?form=json")
    assert record.status == 200


def test_an_answer_is_said_twice_and_counts_once(dialler: Dialler, programs: Programs) -> None:
    with dialler.line() as line:
        programs.call(dialler.engine.id)
        assert dialler.answer(line.next()).status == 200
        question = line.next()
        assert [dialler.answer(question).status for _ in range(2)] == [200, 200]
        other = dialler.send(question["id"], "move 9")
        assert (other.status, json.loads(other.text)["code"]) == (409, "stage")
        following = line.next()
        assert following["id"] != question["id"]
        bad = dialler.send(following["id"], "9")
        assert (bad.status, json.loads(bad.text)["code"]) == (400, "pipe-unknown")
        assert dialler.answer(following).status == 200  # the question had stayed open
        assert dialler.send("0" * 32, "move 1").status == 410


def test_nobody_answers_for_another_engine(dialler: Dialler, programs: Programs, open_site: Running, owner: Account) -> None:
    other = Dialler(open_site, owner, name=f"Other{next(NUMBERS)}")
    with dialler.line() as line, other.line():
        programs.call(dialler.engine.id, other.engine.id)
        question = line.next()
        thief = other.send(question["id"], reply(question))
        assert (thief.status, json.loads(thief.text)["code"]) == (403, "forbidden")
        with other.line(token=dialler.token) as crossed:  # the address of one, the token of another
            assert crossed.status == 403
        assert dialler.answer(question).status == 200


def test_a_token_is_shown_once_and_ends_at_once(dialler: Dialler, programs: Programs) -> None:
    with dialler.line() as line:
        next(line.rows())
        assert json.loads(programs.ask("GET", f"/api/engines/{dialler.engine.id}").text)["present"] is True
        made = programs.ask("POST", f"/api/engines/{dialler.engine.id}/token")
        assert made.status == 201
        assert list(line.rows()) == []  # hung up on
    assert dialler.status() == 401
    fresh = json.loads(made.text)["token"]
    with dialler.line(token=fresh) as line:
        assert line.status == 200
        next(line.rows())
        gone = programs.ask("DELETE", f"/api/engines/{dialler.engine.id}/token")
        assert (gone.status, json.loads(gone.text)["present"]) == (200, False)
        assert list(line.rows()) == []
    assert dialler.status(token=fresh) == 401
    assert dialler.send("0" * 32, "move 1", Authorization=f"Bearer {fresh}").status == 401


def test_an_engines_token_opens_nothing_else(dialler: Dialler) -> None:
    for path in ("/api/me", "/api/engines?mine=true", f"/api/engines/{dialler.engine.id}/games"):
        assert dialler.client.get(path, Authorization=f"Bearer {dialler.token}").status == 401


def test_an_engine_is_registered_by_programs_and_needs_no_trial(programs: Programs) -> None:
    body = {"game": "reversi", "name": f"Far-Off{next(NUMBERS)}", "url": "dial:"}
    made = programs.ask("POST", "/api/engines", body)
    assert (made.status, json.loads(made.text)["url"], json.loads(made.text)["present"]) == (201, "dial:", False)
    number = json.loads(made.text)["id"]
    seats = [{"who": "engine", "engine": number}, {"who": "house", "level": 1}]
    absent = programs.ask("POST", "/api/matches", {"game": "reversi", "seats": seats})
    assert (absent.status, "is not there now" in absent.text) == (400, True)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a b", "x\u202ey", "<b>"])
def test_a_name_has_no_markup(programs: Programs, name: str) -> None:
    assert programs.ask("POST", "/api/engines", {"game": "reversi", "name": name, "url": "dial:"}).status == 400


def test_the_tester_asks_whoever_listens(dialler: Dialler, programs: Programs) -> None:
    checked = f"/api/engines/{dialler.engine.id}/check"
    absent = json.loads(programs.ask("POST", checked).text)
    assert (absent["good"], absent["why"]["code"]) == (False, "nobody-listens")
    assert json.loads(programs.ask("GET", f"/api/engines/{dialler.engine.id}").text)["state"] == "ok"  # absent is not broken
    with dialler.line() as line, answering(dialler, line):
        assert json.loads(programs.ask("POST", checked).text)["good"] is True
        body = {"game": "tictactoe", "engine": dialler.engine.id, "preset": "win"}
        found = json.loads(programs.ask("POST", "/api/engines/test", body).text)
        assert (found["good"], found["called"].partition(" ")[0]) == (True, "position")


class answering:  # noqa: N801 - read as a sentence
    """Answers whatever comes on a line, beside the test, until the line is cut."""

    def __init__(self, dialler: Dialler, line: Line) -> None:
        self._thread = threading.Thread(target=self._run, args=(dialler, line), daemon=True)

    def _run(self, dialler: Dialler, line: Line) -> None:
        client = Dialler.__new__(Dialler)
        client.__dict__.update(dialler.__dict__, client=dialler.site.client())
        rows: Iterator[Question] = line.questions()
        while True:
            try:
                question = next(rows)
            except (OSError, StopIteration, ValueError, AttributeError):
                return
            if question["answers"]:
                client.answer(question)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        pass


def test_an_unknown_listener_or_wait_is_refused_before_the_stream(dialler: Dialler) -> None:
    for query in ("listener=" + "x" * 65, "wait=61", "wait=-1", "after=-1", "wait=x", "listener=%00"):
        assert dialler.status(query) == 400


DROP_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)
"""A filter that lets nothing through: what comes is not even acknowledged, as from a machine that lost its network."""


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system does not cut lines that are not heard")
def test_who_vanishes_without_a_word_is_found_and_its_match_goes_on(
    dialler: Dialler, programs: Programs, open_site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "UNHEARD_SECONDS", 0.3)
    dialing = house_of(open_site).arena.dialing
    monkeypatch.setattr(dialing, "beat", 0.2)
    with dialler.line("listener=lost") as lost:
        programs.call(dialler.engine.id)
        dialler.answer(next(lost.questions()))  # the hello
        asked = next(lost.questions())
        kept = ctypes.create_string_buffer(DROP_ALL)
        lost.socket.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", 1, ctypes.addressof(kept)))  # SO_ATTACH_FILTER
        with dialler.line("listener=other") as other:
            again = next(other.questions())
            assert (again["id"], again["match"]) == (asked["id"], asked["match"])
            dialler.answer(again)
            play(dialler, other)
        assert dialing.listeners(dialler.engine.id) == 1
