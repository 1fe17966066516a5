"""Whatever a program sends gets a clear refusal: bodies that are none, numbers out of bounds, verbs that are not there."""

import json
from collections.abc import Iterator

import pytest

from arbitre.web.api.once import LONGEST_KEY
from arbitre.web.security import MOST_BODY
from tests.web.programs_of import Doors, doors, told
from tests.web.site import Answer

ROOMS = "/api/elections/rooms"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("junk")) as found:
        yield found


def ask(place: Doors, verb: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    return place.site.client().ask(verb, path, body, Authorization=f"Bearer {place.tokens['anna']}", **headers)


def error(answer: Answer) -> str:
    found = json.loads(answer.text)
    assert told(found)
    return str(found["error"])


BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "the body: a JSON object is missing"),
    "null": (b"null", 400, "the body: Expected `object`, got `null`"),
    "a list": (b"[]", 400, "got `array`"),
    "half of it": (b'{"title": "x', 400, "truncated"),
    "half a character": (b'{"title": "\\ud800"}', 400, ""),
    "no character": (b'{"title": "\xff"}', 400, "UTF-8"),
    "a NUL": (b'{"title": "a\\u0000b"}', 400, "say in a few words"),
    "a mark of the order of octets": (b'\xef\xbb\xbf{"title": "x"}', 400, "malformed"),
    "no number": (b'{"title": NaN}', 400, "malformed"),
    "a number without end": (b'{"title": 1e999}', 400, "out of range"),
    "a field that is not there": (b'{"title": "x", "admin": true}', 400, "unknown field `admin`"),
    "very deep": (b"[" * 100_000, 400, "nested too deeply"),
    "deep in a field": (b'{"title": ' + b'{"a":' * 50_000, 400, ""),
    "very long": (b'{"title": "' + b"a" * MOST_BODY + b'"}', 413, "too large"),
}


@pytest.mark.parametrize(("body", "status", "why"), BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("key", ["", "a key"], ids=["once", "repeatable"])
def test_a_body_that_is_none_is_named(place: Doors, body: bytes, status: int, why: str, key: str) -> None:
    headers = {"Content_Type": "application/json"} | ({"Idempotency_Key": key} if key else {})
    answer = ask(place, "POST", ROOMS, body, **headers)
    assert answer.status == status
    assert why in error(answer)


@pytest.mark.parametrize("after", ["-1", str(2**53), "9" * 40, "x", "%00", "1.5"])
def test_no_page_is_made_up(place: Doors, after: str) -> None:
    for path in ("/api/matches", "/api/competitions", "/api/rankings/tictactoe", "/api/photos"):
        answer = ask(place, "GET", f"{path}?after={after}")
        assert answer.status == 400, path
        assert "after" in error(answer)


@pytest.mark.parametrize("number", ["0", "-1", "9" * 40, "x", "1e3", "%00", "%2e%2e"])
def test_no_number_is_made_up(place: Doors, number: str) -> None:
    for path in ("engines", "competitions", "classes", "added", "photos", "league/games"):
        answer = ask(place, "GET", f"/api/{path}/{number}")
        assert answer.status in (400, 404), path
        assert error(answer)


VERBS = {"HEAD": 200, "OPTIONS": 204, "TRACE": 405, "PUT": 405, "POST": 405}


@pytest.mark.parametrize(("verb", "status"), VERBS.items(), ids=VERBS)
def test_verbs_that_are_not_there(place: Doors, verb: str, status: int) -> None:
    answer = ask(place, verb, "/api/me")
    assert answer.status == status
    if verb == "OPTIONS":
        assert answer.headers["allow"] == "GET, OPTIONS"
    if status == 204 or verb == "HEAD":
        assert answer.body == b""


def test_other_origins_are_told_nothing(place: Doors) -> None:
    """No script of another site reads an answer or sends a token from a browser."""
    for verb in ("GET", "OPTIONS"):
        answer = ask(place, verb, "/api/me", Origin="https://evil.example", Access_Control_Request_Headers="authorization")
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_key_that_is_too_long_is_refused_and_not_passed_over(place: Doors) -> None:
    answer = ask(place, "POST", ROOMS, b'{"title": "x"}', Idempotency_Key="k" * (LONGEST_KEY + 1))
    assert answer.status == 400
    assert "Idempotency-Key" in error(answer)


@pytest.mark.parametrize("secret", ["", "arb_", "\xff" * 40, "x" * 10_000, "a b c"])
def test_no_token_is_made_up(place: Doors, secret: str) -> None:
    answer = place.site.client().ask("GET", "/api/games", None, Authorization=f"Bearer {secret}")
    assert answer.status == 401
    assert "this token is not known here" in error(answer)
