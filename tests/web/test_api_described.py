"""The description of the site for programs is true: whatever it allows or forbids is answered as it says, by every operation.

Requests are made from the description itself, such as follow it and such as break it. No request makes a fault of ours, no answer
has a status, a type of content or a shape that the description does not have, and every refusal is one JSON object with its
reason.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

from tests.web.programs_of import Doors, doors, told

NOWHERE = "http://127.0.0.1:9"
STREAMS = ("/events", "/lines")
"""What does not end by itself is followed in tests of its own."""
WAYS = settings().max_examples // 25
"""In so many ways each operation is asked for as it is described, and as it is not: in two, and in twelve in a campaign."""

AREAS = (
    "added",
    "arcade",
    "challenges",
    "classes",
    "competitions",
    "elections",
    "engines",
    "entries",
    "games",
    "health",
    "interfaces",
    "invitations",
    "key",
    "kriegspiel",
    "league",
    "matches",
    "me",
    "operator",
    "photos",
    "puzzles",
    "rankings",
    "runners",
    "sources",
)

load_all_checks()
PROMISES = CHECKS.get_by_names(
    ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"]
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("described")) as found:
        yield found


@pytest.fixture(scope="module")
def description(place: Doors) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(place.site.client().get("/api/schema/openapi.json").text)
    return found


def area(path: str) -> str:
    return path.split("/")[2]


def test_every_area_is_asked_for(description: dict[str, Any]) -> None:
    assert {area(path) for path in description["paths"]} == set(AREAS)


def test_it_is_a_description_as_the_standard_has_it(description: dict[str, Any]) -> None:
    schemathesis.openapi.from_dict(description).validate()


@pytest.fixture(scope="module")
def known(place: Doors) -> dict[str, dict[str, Any]]:
    """Return what is there to be asked for in every area: requests that hit nothing would prove little."""
    with place.client("olga") as olga, place.client("anna") as anna:
        over = olga.call("tictactoe", "house:1", "house:1")["name"]
        assert list(olga.follow(over))[-1]["closed"]
        waiting = olga.call("tictactoe", "me", "friend")["name"]
        engine = olga.add_engine("tictactoe", "known", f"{NOWHERE}/known", anyway=True)["id"]
        programs = {one: f"{NOWHERE}/{one}" for one in ("url", "engine", "interface")}
        game = olga.add_game(name="KnownGame", about="a sheet", anyway=True, **programs)["id"]
        cup = olga.announce("known cup", "tictactoe")["id"]
        entry = olga.enter(cup, engine)["id"]
        room = olga.ask("POST", "/api/classes", {"name": "known"})
        anna.ask("POST", "/api/classes/join", {"code": room["code"]})
        kept = {"game": "tictactoe", "name": "known", "language": "python", "text": "def move(p):\n    return p['any']\n"}
        source = olga.ask("POST", "/api/sources", kept)["source"]
        link = olga.ask("PUT", f"/api/sources/{source}/link")["token"]
        drawn = olga.draw_lots(["one", "two"])["name"]
        return {
            "added": {"number": [game]},
            "arcade": {"name": ["0123456789ab", olga.ask("POST", "/api/arcade/visits", {"lines": ["# table w"]})["visit"]]},
            "classes": {"number": [room["id"]], "pupil": [int(place.people["anna"].id)]},
            "competitions": {"number": [cup], "game": [1]},
            "elections": {"code": [olga.open_room("known")["code"]], "name": [drawn]},
            "engines": {"number": [engine]},
            "entries": {"number": [entry]},
            "invitations": {"code": [olga.invite(waiting)["code"]]},
            "matches": {"name": [over, waiting], "seat": [0, 1], "sequence": [1]},
            "operator": {"number": [int(one.id) for one in place.people.values()]},
            "runners": {"number": [source], "class": [room["id"]]},
            "sources": {"number": [source], "token": [link]},
            "rankings": {"game": ["tictactoe"], "neutral": ["house:tictactoe/1"]},
        }


@pytest.mark.parametrize("sought", AREAS)
def test_whatever_is_asked_is_answered_as_described(
    place: Doors, description: dict[str, Any], known: dict[str, dict[str, Any]], sought: str
) -> None:
    chosen = {
        path: verbs
        for path, verbs in description["paths"].items()
        if area(path) == sought and not path.endswith(STREAMS) and path != "/api/me/token"
    }
    schema = schemathesis.openapi.from_dict(description | {"paths": chosen})
    secret = place.token("rex" if sought == "operator" else "olga")
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            hold_to(place, found.ok(), mode, secret, known.get(sought, {}))


def hold_to(place: Doors, operation: Any, mode: GenerationMode, secret: str, known: dict[str, Any]) -> None:
    """Ask for one operation in several ways, that follow the description or break it, and hold its answers to it."""

    @settings(max_examples=WAYS, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode), hit=st.booleans(), which=st.integers(0, 3))
    def ask(case: Any, hit: bool, which: int) -> None:
        if hit:
            for name in case.path_parameters:
                if name in known:
                    case.path_parameters[name] = known[name][which % len(known[name])]
        answer = case.call(base_url=place.site.url, headers={"Authorization": f"Bearer {secret}"}, timeout=30)
        case.validate_response(answer, checks=PROMISES)
        if answer.status_code >= 400:
            assert told(answer.json()), answer.text

    try:
        ask()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # there is nothing to break in a request without anything in it


# ── one thing after the other ──────────────────────────────────────────────────────────────────────────────────────

MAKES: dict[str, dict[str, Any]] = {
    "call_match": {"game": "tictactoe", "seats": [{"who": "me"}, {"who": "house"}]},
    "make_class": {"name": "of the walk"},
    "open_room": {"title": "of the walk"},
    "announce_competition": {"title": "of the walk", "game": "tictactoe"},
    "open_visit": {"lines": ["# table walk"]},
}
"""What makes a thing to go on from: here the walk begins, with a body that is good."""


def test_whatever_follows_on_what_was_made_is_answered_as_described(place: Doors, description: dict[str, Any]) -> None:
    """Walk along the links of the description: what was made is looked at, changed, ended, in any order."""
    after = {name for verbs in description["paths"].values() for one in verbs.values() for name in _linked(one)}
    chosen = {
        path: {verb: one for verb, one in verbs.items() if one["operationId"] in {*MAKES, *after}}
        for path, verbs in description["paths"].items()
        if not path.endswith(STREAMS)
    }
    schema = schemathesis.openapi.from_dict(description | {"paths": _without_streams(chosen)})
    headers = {"Authorization": f"Bearer {place.token('olga')}"}
    walked: list[tuple[str, int]] = []

    class Walk(schema.as_state_machine()):  # type: ignore[misc] # made while it runs
        def before_call(self, case: Any) -> None:
            name = case.operation.definition.raw["operationId"]
            if name in MAKES:
                case.body = MAKES[name]

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:  # noqa: ARG002 - for any
            return {"base_url": place.site.url, "headers": headers, "timeout": 30}

        def validate_response(self, response: Any, case: Any, additional_checks: Any = None, **_: Any) -> None:  # noqa: ARG002
            walked.append((case.operation.definition.raw["operationId"], response.status_code))
            case.validate_response(response, checks=PROMISES)

    Walk.run(
        settings=settings(
            max_examples=4,
            stateful_step_count=8,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
    )
    assert any(name not in MAKES and status < 300 for name, status in walked), walked


def _linked(operation: dict[str, Any]) -> set[str]:
    found = {name for answer in operation["responses"].values() for name in answer.get("links", ())}
    return found if operation["operationId"] in MAKES else set()


def _without_streams(paths: dict[str, Any]) -> dict[str, Any]:
    """Return the operations of a walk, whose links lead to nothing that does not end by itself."""
    there = {one["operationId"] for verbs in paths.values() for one in verbs.values()}
    made: dict[str, Any] = json.loads(json.dumps({path: verbs for path, verbs in paths.items() if verbs}))
    for answer in (answer for verbs in made.values() for one in verbs.values() for answer in one["responses"].values()):
        if "links" in answer:
            answer["links"] = {name: link for name, link in answer["links"].items() if name in there}
    return made
