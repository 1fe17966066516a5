"""Everything the site does, programs can do: every route of its pages has its operation, or a reason why there is none.

A new page fails here until somebody says what stands for it among the doors for programs.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from arbitre.web.app import Application, make_site
from arbitre.web.description import described
from arbitre.web.doors import DOORS
from tests.web.site import quiet

SHOWN = "a page that only leads elsewhere, or shows a form"
BROWSER = "what one browser prefers or keeps"
LOGIN = "programs have tokens: no session begins or ends"
KEEPER = "a token that leaks must not take the account over: this wants the person, with the password"
FRAME = "a frame in a browser: what it shows and returns there is seen there"
PRINT = "a sheet to be printed"
WITNESS = "the page of a person signs: a program that is to sign plays over a pipe"
PRACTICE = "practice is for people: a program asks an engine itself, and begins from any position"
FILE = "a file as it is"
LOG = "in the public formats that programs read"
INSTRUMENTS = "in the form that instruments read"

ROUTES: dict[str, str] = {
    # the front of the house
    "GET /": "GET /api/matches",
    "GET /about": SHOWN,
    "GET /positions": SHOWN,
    "GET /positions/drawn": SHOWN,
    "GET /keys": "GET /api/key",
    "GET /health": "GET /api/health",
    "GET /metrics": INSTRUMENTS,
    "GET /ready": INSTRUMENTS,
    "GET /robots.txt": FILE,
    "GET /llms.txt": "GET /api/games/{name}",
    "GET /static/{name:path}": FILE,
    "GET /interfaces/{name:path}": FILE,
    "GET /favicon.ico": FILE,
    "GET /api": "the description itself, for people",
    "GET /manual": FILE,
    "GET /manual/{name:path}": FILE,
    "GET /source/arbitre.tar.gz": FILE,
    "GET /log/checkpoint": LOG,
    "GET /log/key": LOG,
    "GET /log/keys": LOG,
    "GET /log/proof/{name:str}": LOG,
    "GET /log/tile/{path:path}": LOG,
    "POST /language": BROWSER,
    "POST /theme": BROWSER,
    # games
    "GET /train": BROWSER,
    "GET /watch": "GET /api/matches",
    "GET /watch/boards": "GET /api/matches/{name}/events",
    "GET /watch/house": "GET /api/matches",
    "POST /play/now": "POST /api/matches",
    "GET /play": "GET /api/games",
    "GET /play/{name:str}": "GET /api/games",
    "POST /play": "POST /api/matches",
    "GET /games/{name:str}": "GET /api/matches/{name}",
    "GET /games/{name:str}/state": "GET /api/matches/{name}",
    "GET /games/{name:str}/events": "GET /api/matches/{name}/events",
    "GET /return/{ticket:str}": "POST /api/matches/{name}/move",
    "POST /games/{name:str}/move": "POST /api/matches/{name}/move",
    "POST /games/{name:str}/resign": "POST /api/matches/{name}/resign",
    "POST /games/{name:str}/greet": WITNESS,
    "POST /games/{name:str}/hint": PRACTICE,
    "POST /games/{name:str}/take-back": PRACTICE,
    "POST /games/{name:str}/agree": WITNESS,
    "GET /games/{name:str}/unsealed": WITNESS,
    "POST /games/{name:str}/sign": WITNESS,
    "POST /games/{name:str}/step": "POST /api/matches/{name}/step",
    "POST /games/{name:str}/run": "POST /api/matches/{name}/step",
    "POST /games/{name:str}/stop": "POST /api/matches/{name}/stop",
    "POST /games/{name:str}/title": "PUT /api/matches/{name}/title",
    "POST /games/{name:str}/photo": "POST /api/matches/{name}/photo",
    "GET /games/{name:str}/film": SHOWN,
    "GET /games/{name:str}/record": "GET /api/matches/{name}/record",
    "GET /games/{name:str}/analysis": "GET /api/matches/{name}/analysis",
    "POST /games/{name:str}/analysis": "POST /api/matches/{name}/analysis",
    "GET /games/{name:str}/analysis/document": "GET /api/matches/{name}/analysis",
    "POST /games/{name:str}/again": "POST /api/matches/{name}/again",
    "POST /games/{name:str}/climb": "POST /api/matches",
    "POST /games/{name:str}/invite": "POST /api/matches/{name}/invite",
    "POST /games/{name:str}/cancel": "DELETE /api/matches/{name}",
    "GET /invite/{code:str}": "GET /api/invitations/{code}",
    "POST /invite/{code:str}": "POST /api/invitations/{code}/accept",
    "GET /games/{name:str}/trace/{seat:int}": "GET /api/matches/{name}/trace/{seat}",
    "POST /games/{name:str}/trace/{seat:int}": "POST /api/matches/{name}/trace/{seat}/{sequence}",
    "GET /puzzles": "GET /api/puzzles",
    "GET /puzzles/{day:str}": "GET /api/puzzles",
    # the arcade
    "GET /arcade": "GET /api/arcade/fame",
    "GET /arcade/play/{level:str}": "GET /api/arcade",
    "GET /arcade/table/{code:str}": "GET /api/arcade",
    "POST /arcade/table": SHOWN,
    "POST /arcade/visits": "POST /api/arcade/visits",
    "POST /arcade/visits/{token:str}": "POST /api/arcade/visits/{name}",
    "POST /arcade/visits/{token:str}/leave": "DELETE /api/arcade/visits/{name}",
    "GET /arcade/visits/{token:str}/lines": "GET /api/arcade/visits/{name}/lines",
    "GET /arcade/records/{name:str}": "GET /api/arcade/records/{name}",
    "GET /arcade/records/{name:str}/finding": "GET /api/arcade/records/{name}",
    "GET /arcade/records/{name:str}/record": "GET /api/arcade/records/{name}/record",
    # elections
    "GET /elections": SHOWN,
    "POST /elections/rooms": "POST /api/elections/rooms",
    "POST /elections/join": "GET /api/elections/rooms/{code}",
    "GET /elections/rooms/{code:str}": "GET /api/elections/rooms/{code}",
    "POST /elections/rooms/{code:str}/join": "POST /api/elections/rooms/{code}/join",
    "POST /elections/rooms/{code:str}/leave": "POST /api/elections/rooms/{code}/leave",
    "POST /elections/rooms/{code:str}/start": "POST /api/elections/rooms/{code}/start",
    "POST /elections/rooms/{code:str}/packet": "POST /api/elections/rooms/{code}/packet",
    "GET /elections/rooms/{code:str}/events": "GET /api/elections/rooms/{code}/events",
    "POST /elections/quick": "POST /api/elections/draws",
    "GET /elections/records/{name:str}": "GET /api/elections/records/{name}",
    "GET /elections/records/{name:str}/transcript": "GET /api/elections/records/{name}/transcript",
    # added games
    "GET /program/added": "GET /api/added",
    "GET /program/added/new": SHOWN,
    "POST /program/added": "POST /api/added",
    "GET /program/added/{which:int}": "GET /api/added/{number}",
    "POST /program/added/{which:int}": "PUT /api/added/{number}",
    "POST /program/added/{which:int}/retire": "DELETE /api/added/{number}",
    "GET /added/{name:str}": "GET /api/added",
    "POST /added/{name:str}": "POST /api/added/{number}/matches",
    # accounts
    "GET /register": SHOWN,
    "POST /register": LOGIN,
    "GET /login": SHOWN,
    "POST /login": LOGIN,
    "POST /logout": "DELETE /api/me/token",
    "GET /reset/{token:str}": SHOWN,
    "POST /reset/{token:str}": KEEPER,
    "GET /account": "GET /api/me",
    "POST /account/password": KEEPER,
    "POST /account/sessions/end": KEEPER,
    "POST /account/tokens": KEEPER,
    "POST /account/tokens/end": "DELETE /api/me/token",
    "POST /account/delete": KEEPER,
    # the operator
    "GET /operator": "GET /api/operator/accounts",
    "GET /operator/house": "GET /api/operator/house",
    "POST /operator/nodes/drain": "POST /api/operator/nodes/{name}/drain",
    "POST /operator/accounts": "POST /api/operator/accounts",
    "POST /operator/accounts/{which:int}/quota": "PUT /api/operator/accounts/{number}/quota",
    "POST /operator/accounts/{which:int}/reset": "POST /api/operator/accounts/{number}/reset",
    "POST /operator/accounts/{which:int}/role": "PUT /api/operator/accounts/{number}/role",
    "POST /operator/accounts/{which:int}/lock": "PUT /api/operator/accounts/{number}/lock",
    "POST /operator/accounts/{which:int}/erase": "POST /api/operator/accounts/{number}/erase",
    "GET /operator/classes": "GET /api/operator/classes",
    "POST /operator/classes/{which:int}/ranges": "PUT /api/operator/classes/{number}/ranges",
    # programs
    "GET /program": SHOWN,
    "GET /program/directory": "GET /api/engines",
    "GET /program/engines": "GET /api/engines",
    "GET /program/engines/new": SHOWN,
    "POST /program/engines": "POST /api/engines",
    "GET /program/engines/{which:int}": "GET /api/engines/{number}/games",
    "POST /program/engines/{which:int}": "PUT /api/engines/{number}",
    "POST /program/engines/{which:int}/check": "POST /api/engines/{number}/check",
    "POST /program/engines/{which:int}/token": "POST /api/engines/{number}/token",
    "POST /program/engines/{which:int}/token/end": "DELETE /api/engines/{number}/token",
    "POST /program/engines/{which:int}/dial.py": "GET /api/engines/{name}/dial.py",
    "POST /program/engines/{which:int}/retire": "DELETE /api/engines/{number}",
    "GET /program/interfaces": "GET /api/interfaces",
    "GET /program/interfaces/new": SHOWN,
    "POST /program/interfaces": "POST /api/interfaces",
    "GET /program/interfaces/{which:int}": "GET /api/interfaces/{number}",
    "POST /program/interfaces/{which:int}": "PUT /api/interfaces/{number}",
    "POST /program/interfaces/{which:int}/retire": "DELETE /api/interfaces/{number}",
    "GET /program/engine-test": SHOWN,
    "POST /program/engine-test": "POST /api/engines/test",
    "GET /program/interface-test": FRAME,
    "POST /program/interface-test": FRAME,
    "GET /return/test/{token:str}": FRAME,
    "GET /program/returned/{token:str}": FRAME,
    # the league
    "GET /league": "GET /api/league",
    "GET /league/players/{name:path}": "GET /api/league/player",
    "GET /league/games/{number:int}": "GET /api/league/games/{number}",
    "GET /league/games/{number:int}/pdn": "GET /api/league/games/{number}/pdn",
    "GET /league/games/{number:int}/reports/{side:str}": "GET /api/league/games/{number}/reports",
    "GET /league/pdn": "GET /api/league/pdn",
    "POST /league/challenges": "POST /api/league/challenges",
    "GET /league/challenges/{name:str}": "GET /api/league/challenges/{name}",
    # competitions
    "GET /compete": "GET /api/competitions",
    "GET /compete/new": SHOWN,
    "POST /compete/new": "POST /api/competitions",
    "GET /compete/{number:int}/change": "GET /api/competitions/{number}/changes",
    "POST /compete/{number:int}/change": "PATCH /api/competitions/{number}",
    "GET /compete/yours": "GET /api/me/games",
    "GET /compete/join/{code:str}": "GET /api/competitions/{number}",
    "GET /compete/{number:int}": "GET /api/competitions/{number}",
    "GET /compete/{number:int}/board": "GET /api/competitions/{number}/progress",
    "GET /compete/{number:int}/events": "GET /api/competitions/{number}/events",
    "GET /compete/{number:int}/boards": "GET /api/competitions/{number}/events",
    "GET /compete/{number:int}/wall": "GET /api/competitions/{number}/progress",
    "GET /compete/{number:int}/wall/board": "GET /api/competitions/{number}/progress",
    "POST /compete/{number:int}/enter": "POST /api/competitions/{number}/enter",
    "POST /compete/{number:int}/commit": "POST /api/entries/{number}/commit",
    "POST /compete/{number:int}/reveal": "POST /api/entries/{number}/reveal",
    "POST /compete/{number:int}/withdraw": "POST /api/entries/{number}/withdraw",
    "POST /compete/{number:int}/vote": "POST /api/entries/{number}/vote",
    "POST /compete/{number:int}/here": "POST /api/competitions/{number}/games/{game}/here",
    "POST /compete/{number:int}/steer": "POST /api/competitions/{number}/steer",
    "GET /compete/{number:int}/standings.csv": "GET /api/competitions/{number}/progress",
    "GET /compete/{number:int}/games.csv": "GET /api/competitions/{number}/games",
    "GET /compete/{number:int}/records.zip": "GET /api/competitions/{number}/records",
    "GET /compete/{number:int}/draw.jsonl": "GET /api/competitions/{number}/draw",
    "GET /compete/challenges": "GET /api/challenges",
    "POST /compete/challenges": "POST /api/challenges",
    "POST /compete/challenges/{number:int}": "POST /api/challenges/{number}",
    # rankings
    "GET /rankings": "GET /api/rankings/{game}",
    "GET /rankings/{game:str}": "GET /api/rankings/{game}",
    "GET /rankings/{game:str}/interfaces": FRAME,
    # classes
    "GET /lesson": SHOWN,
    "POST /lesson": "POST /api/classes/lesson",
    "POST /teach/{which:int}/lesson": "PUT /api/classes/{number}/lesson",
    "GET /teach": "GET /api/classes",
    "POST /teach/join": "POST /api/classes/join",
    "POST /teach/classes": "POST /api/classes",
    "GET /teach/{which:int}": "GET /api/classes/{number}/members",
    "POST /teach/{which:int}/rename": "PUT /api/classes/{number}",
    "POST /teach/{which:int}/code": "POST /api/classes/{number}/code",
    "POST /teach/{which:int}/accounts": "POST /api/classes/{number}/accounts",
    "POST /teach/{which:int}/reset": "POST /api/classes/{number}/members/{pupil}/code",
    "POST /teach/{which:int}/remove": "DELETE /api/classes/{number}/members/{pupil}",
    "POST /teach/{which:int}/leave": "POST /api/classes/{number}/leave",
    "POST /teach/{which:int}/end": "DELETE /api/classes/{number}",
    "GET /teach/{which:int}/sheet": PRINT,
    "GET /teach/{which:int}/compete": "GET /api/classes/{number}/members",
    "POST /teach/{which:int}/compete": "POST /api/classes/{number}/compete",
    "GET /teach/{which:int}/results.csv": "GET /api/classes/{number}/results",
    "GET /teach/{which:int}/gateway": "GET /api/classes/{number}/gateway",
    "POST /teach/{which:int}/gateway": "PUT /api/classes/{number}/gateway",
    "POST /teach/{which:int}/words": "PUT /api/classes/{number}/words",
    "GET /handout/{game:str}": PRINT,
    "GET /workshop": "GET /api/sources",
    "GET /workshop/{game:str}": SHOWN,
    "GET /workshop/frame": FRAME,
    "GET /workshop/python.js": FILE,
    "GET /workshop/library.js": FILE,
    "GET /workshop/source/{number:int}": "GET /api/sources/{number}/text",
    "GET /workshop/shared/{code:str}": "GET /api/sources/shared/{token}",
    "GET /workshop/class/{number:int}": "GET /api/classes/{number}/sources",
    "POST /workshop/{game:str}/save": "POST /api/sources",
    "POST /workshop/source/{number:int}/share": "PUT /api/sources/{number}/link",
    "POST /workshop/source/{number:int}/unshare": "DELETE /api/sources/{number}/link",
    "POST /workshop/{game:str}/lend": "POST /api/engines/{number}/token",
    "POST /workshop/{game:str}/try": "POST /api/matches",
    "POST /workshop/play/{name:str}": "POST /api/matches/{name}/move",
    "POST /workshop/play/{name:str}/stop": "POST /api/matches/{name}/resign",
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Application:
    folder: Path = tmp_path_factory.mktemp("routes")
    return make_site(quiet(folder))


def handlers(site: Application) -> Iterator[tuple[str, HTTPRouteHandler]]:
    """Return every handler of the site with its verb and path."""
    for route in site.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                for verb in sorted(map(str, handler.http_methods)):
                    if verb != "OPTIONS":
                        yield f"{verb} {route.path_format if route.path.startswith('/api/') else route.path}", handler


def test_every_page_has_its_door_or_a_reason(site: Application) -> None:
    pages = {one for one, _ in handlers(site) if not one.partition(" ")[2].startswith("/api/")}
    assert pages - set(ROUTES) == set(), "say in ROUTES what programs have for these"
    assert set(ROUTES) - pages == set(), "these pages are gone"


def test_every_door_that_is_named_is_there(site: Application) -> None:
    doors = {one for one, _ in handlers(site) if one.partition(" ")[2].startswith("/api/")}
    named = {one for one in ROUTES.values() if "/api/" in one}
    assert named - doors == set()


def test_whatever_changes_something_has_more_than_an_excuse() -> None:
    """A page that changes something beyond one browser and one person's keys has an operation."""
    excused = {route: why for route, why in ROUTES.items() if route.startswith("POST") and "/api/" not in why}
    assert set(excused.values()) <= {BROWSER, LOGIN, KEEPER, FRAME, SHOWN, WITNESS, PRACTICE}
    assert [route for route, why in excused.items() if why in (SHOWN, FRAME)] == [
        "POST /arcade/table",
        "POST /program/interface-test",
    ]


ONCE = ("/api/kriegspiel", "/api/engines/{name}", "/api/classes/lesson")
"""Where no account's token comes: repeated word for word a file or an answer is answered the same; a name is taken then, and a
game against the house is another game."""


def test_every_write_can_be_repeated(site: Application) -> None:
    """What only says how a thing is to be (PUT, PATCH, DELETE) anybody may repeat; a POST has a key in its description."""
    paths = described(site.openapi_schema.to_schema())["paths"]
    for path, verbs in paths.items():
        if "post" in verbs and not path.startswith(ONCE):
            named = [one["name"] for one in verbs["post"].get("parameters", [])]
            assert named.count("Idempotency-Key") == 1, path


def test_every_list_comes_in_pages(site: Application) -> None:
    """Short lists of fixed things aside, a list says how it goes on."""
    short = {"/api/games", "/api/puzzles", "/api/arcade/fame", "/api/me/games", "/api/engines/{number}/games"}
    paths = described(site.openapi_schema.to_schema())["paths"]
    whole = set()
    for path, verbs in paths.items():
        schema = verbs.get("get", {}).get("responses", {}).get("200", {}).get("content", {}).get("application/json", {})
        if schema.get("schema", {}).get("type") == "array":
            whole.add(path)
        if schema.get("schema", {}).get("$ref", "").endswith("Page"):
            assert "after" in [one["name"] for one in verbs["get"]["parameters"]], path
    assert whole == short


def test_every_door_is_listed_once() -> None:
    found = list(DOORS)
    assert len(found) == len(set(map(id, found)))
