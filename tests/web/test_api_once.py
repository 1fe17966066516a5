"""What is asked under one key is done once: for one token, one request at a time, as long as it is kept."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.site.tokens import Scope
from arbitre.web.api.once import LONGEST_BODY, Repeats
from tests.web.programs_of import Doors, doors


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("once")) as found:
        yield found


def opened(site: Client, key: str, title: str = "once") -> str:
    return str(site.ask("POST", "/api/elections/rooms", {"title": title}, {"Idempotency-Key": key})["code"])


def test_the_same_key_is_the_same_room_for_one_token(place: Doors) -> None:
    with place.client("anna") as anna, place.client("ben") as ben:
        assert opened(anna, "k") == opened(anna, "k")
        assert opened(anna, "k") != opened(ben, "k")
        assert opened(anna, "k") != opened(anna, "another")
        with pytest.raises(SiteError, match="409: this Idempotency-Key was used for another request"):
            opened(anna, "k", "something else")


def test_a_token_hears_no_answer_of_another(place: Doors) -> None:
    """Another token of the same account may be good for less, and is another party of an election."""
    with place.client("rex") as rex, Client(place.site.url, place.token("rex", Scope.READ)) as modest:
        asked = ("POST", f"/api/operator/accounts/{place.people['ben'].id}/reset", None, {"Idempotency-Key": "reset"})
        assert rex.ask(*asked)["url"] == rex.ask(*asked)["url"]
        with pytest.raises(SiteError, match="403"):
            modest.ask(*asked)


def test_what_failed_is_tried_again(place: Doors) -> None:
    with place.client("anna") as anna:
        with pytest.raises(SiteError, match="400"):
            opened(anna, "failing", "")
        assert opened(anna, "failing")


def test_many_at_once_get_one(place: Doors) -> None:
    def ask(_: int) -> str:
        with place.client("anna") as anna:
            return opened(anna, "crowd")

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(16)))) == 1


def test_a_client_asks_each_time_under_a_key_of_its_own(place: Doors) -> None:
    with place.client("anna") as anna:
        assert anna.open_room("one")["code"] != anna.open_room("one")["code"]


# ── what is kept ───────────────────────────────────────────────────────────────────────────────────────────────────


class Bench:
    """A handler that counts, behind `Repeats`, without a site."""

    def __init__(self, repeats: Repeats, status: int = 201, answer: bytes = b"done") -> None:
        self.count = 0
        self.status, self.answer = status, answer
        self.app = repeats.around(self._work)

    async def _work(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG002 - the scope is a handler's
        body = b""
        while (message := await receive()).get("more_body", False) or message.get("body"):
            body += message["body"]
            if not message.get("more_body", False):
                break
        self.count += 1
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": self.answer + body})

    def ask(self, key: str, body: bytes = b"x", parts: int = 1, token: int = 1) -> bytes:
        pieces = [body[at::parts] for at in range(parts)]
        messages = [{"type": "http.request", "body": one, "more_body": at < parts - 1} for at, one in enumerate(pieces)]
        said: list[Any] = []

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            said.append(message)

        bearer = SimpleNamespace(token=SimpleNamespace(id=token))
        scope = {
            "method": "POST", "path": "/api/x", "query_string": b"", "headers": [(b"idempotency-key", key.encode())],
            "arbitre": SimpleNamespace(bearer=bearer),
        }  # fmt: skip
        asyncio.run(self.app(scope, receive, send))  # type: ignore[arg-type]
        return b"".join(one.get("body", b"") for one in said)


def test_answers_are_kept_within_bounds_and_the_oldest_goes_first() -> None:
    bench = Bench(Repeats(most=2, octets=1_000))
    for key in ("a", "b", "c"):
        assert bench.ask(key) == b"donex"
    assert bench.count == 3
    assert bench.ask("c") == b"donex"
    assert bench.count == 3
    bench.ask("a")
    assert bench.count == 4, "the oldest was forgotten"
    small = Bench(Repeats(octets=8))
    small.ask("a")
    small.ask("a")
    assert small.count == 1
    small.ask("b")
    small.ask("a")
    assert small.count == 3, "there is room for one answer"


def test_neither_errors_nor_huge_requests_are_kept() -> None:
    failing = Bench(Repeats(), status=400)
    failing.ask("a")
    failing.ask("a")
    assert failing.count == 2
    huge = Bench(Repeats())
    body = b"y" * (LONGEST_BODY + 1)
    assert huge.ask("a", body, parts=3)[:5] == b"doney"
    huge.ask("a", body, parts=3)
    assert huge.count == 2


def test_a_body_in_pieces_is_one_body() -> None:
    bench = Bench(Repeats())
    body = json.dumps({"a": 1}).encode()
    bench.ask("a", body)
    bench.ask("a", body)
    assert bench.count == 1
