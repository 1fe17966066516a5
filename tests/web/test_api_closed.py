"""Nobody opens what is not his: every operation, without a token, with one that is no good or for less, and on others' things.

The tables below name every operation of the description; a new one fails here until somebody says what a stranger gets.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from arbitre.site.accounts import Role
from arbitre.site.tokens import Scope, scopes_of
from arbitre.web.doors import DOORS
from arbitre.web.visit import SESSION_COOKIE
from tests.web.programs_of import Doors, doors, told
from tests.web.site import Answer

NOWHERE = "http://127.0.0.1:9"
SOURCE = {"game": "tictactoe", "name": "hers", "language": "python", "text": "def move(p):\n    return p['any']\n"}

Asked = tuple[str, str, dict[str, Any]]
"""Verb, path, and what the description says."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("closed")) as found:
        yield found


@pytest.fixture(scope="module")
def operations(place: Doors) -> dict[str, Asked]:
    found = json.loads(place.site.client().get("/api/schema/openapi.json").text)
    return {
        one["operationId"]: (verb.upper(), path, one) for path, verbs in found["paths"].items() for verb, one in verbs.items()
    }


@pytest.fixture(scope="module")
def known(place: Doors) -> dict[str, Any]:
    """Return things of Olga's that are hers alone."""
    with place.client("olga") as olga, place.client("anna") as anna:
        addresses = {one: f"{NOWHERE}/{one}" for one in ("url", "engine", "interface")}
        engine = olga.add_engine("tictactoe", "hers", f"{NOWHERE}/hers", anyway=True, public=False)["id"]
        theirs = anna.add_engine("tictactoe", "theirs", f"{NOWHERE}/theirs", anyway=True)["id"]
        page = {"game": "tictactoe", "name": "hers", "url": f"{NOWHERE}/page", "public": False, "anyway": True}
        cup = olga.announce("hidden cup", "tictactoe", listed=False)
        over = _over(olga)
        waiting = olga.call("tictactoe", "me", "friend")["name"]
        room = olga.ask("POST", "/api/classes", {"name": "hers"})
        source = olga.ask("POST", "/api/sources", SOURCE)["source"]
        return {
            "engine": engine,
            "interface": olga.ask("POST", "/api/interfaces", page)["id"],
            "added": olga.add_game(name="HersAlone", about="a sheet", anyway=True, public=False, **addresses)["id"],
            "competition": cup["id"],
            "entry": olga.enter(cup["id"], engine)["id"],
            "match": olga.call("draughts", "me", "house:1", stepped=True)["name"],
            "engined": olga.call("tictactoe", f"engine:{engine}", "house:1", stepped=True)["name"],
            "waiting": waiting,
            "code": olga.invite(waiting)["code"],
            "class": room["id"],
            "join": room["code"],
            "source": source,
            "link": olga.ask("PUT", f"/api/sources/{source}/link")["token"],
            "photo": olga.ask("POST", f"/api/matches/{over}/photo", {"title": "hers"})["id"],
            "challenge": olga.ask("POST", "/api/challenges", {"mine": engine, "theirs": theirs})["id"],
            "room": olga.open_room("hers")["code"],
            "lots": olga.draw_lots(["one", "two"])["name"],
            "visit": olga.ask("POST", "/api/arcade/visits", {"lines": ["# table w"]})["visit"],
            "account": int(place.people["olga"].id),
        }


def _over(site: Any) -> str:
    name = str(site.call("tictactoe", "house:1", "house:1")["name"])
    assert list(site.follow(name))[-1]["closed"]
    return name


PLACES: tuple[tuple[str, str], ...] = (
    ("/api/photos/{number}", "photo"),
    ("/api/sources/{number}", "source"),
    ("/api/runners/sources/{number}", "source"),
    ("/api/sources/shared/{token}", "link"),
    ("/api/matches/{name}/trace", "engined"),
    ("/api/matches/{name}", "match"),
    ("/api/invitations/{code}", "code"),
    ("/api/engines/{number}", "engine"),
    ("/api/interfaces/{number}", "interface"),
    ("/api/added/{number}", "added"),
    ("/api/competitions/{number}", "competition"),
    ("/api/entries/{number}", "entry"),
    ("/api/challenges/{number}", "challenge"),
    ("/api/classes/{number}", "class"),
    ("/api/operator/accounts/{number}", "account"),
    ("/api/operator/classes/{number}", "class"),
    ("/api/elections/rooms/{code}", "room"),
    ("/api/elections/records/{name}", "lots"),
    ("/api/arcade/visits/{name}", "visit"),
)
OTHERS = {"{game}": "tictactoe", "{neutral}": "nobody", "{name}": "0" * 12, "{seat}": "0", "{sequence}": "1", "{number}": "1"}
"""What stands for parts of a path that are nobody's."""


def address(path: str, known: dict[str, Any]) -> str:
    for start, thing in PLACES:
        if path.startswith(start):
            path = re.sub(r"\{\w+\}", str(known[thing]), path, count=1)
    path = path.replace("/games/{game}", "/games/1").replace("{pupil}", str(known["account"]))
    for part, text in OTHERS.items():
        path = path.replace(part, text)
    assert "{" not in path, path
    return path


def bodies(known: dict[str, Any]) -> dict[str, Any]:
    """Return what is sent with each operation that takes something: such as would do, were it one's own."""
    engine = {"game": "tictactoe", "name": "mine-now", "url": f"{NOWHERE}/x", "anyway": True}
    programs = {one: f"{NOWHERE}/{one}" for one in ("url", "engine", "interface")} | {"about": "a sheet"}
    seats = [{"who": "engine", "engine": known["engine"]}, {"who": "house"}]
    return {
        "take_photo": {"title": "t", "game": "tictactoe", "state": "?"},
        "call_match": {"game": "tictactoe", "seats": seats},
        "say_move": {"move": "5"},
        "entitle_match": {"title": "mine now"},
        "photograph_match": {"title": "seen"},
        "add_engine": engine,
        "change_engine": engine,
        "try_engine": {"game": "tictactoe", "engine": known["engine"]},
        "add_interface": engine,
        "change_interface": engine,
        "add_game": programs | {"name": "MineNow", "anyway": True},
        "change_added_game": programs,
        "try_added_game": programs | {"name": "MineNow"},
        "call_added_match": {"seats": [{"who": "model"}, {"who": "model"}]},
        "announce_competition": {"title": "mine", "game": "tictactoe"},
        "change_competition": {"title": "mine now"},
        "steer_competition": {"do": "cancel"},
        "enter_competition": {"engine": known["engine"]},
        "bring_commit": {"payload": "00"},
        "open_commit": {"payload": "00"},
        "challenge_engine": {"mine": known["engine"], "theirs": known["engine"]},
        "answer_challenge": {"do": "accept"},
        "make_class": {"name": "mine"},
        "join_class": {"code": "AAA-AAA-AAA"},
        "rename_class": {"name": "mine now"},
        "renew_class_code": {},
        "hold_class_competition": {"game": "tictactoe"},
        "set_gateway": {"url": "https://evil.example/"},
        "set_words": {"words": "mine now"},
        "set_ranges": {"ranges": ["10.0.0.0/8"]},
        "open_room": {"title": "mine"},
        "join_room": {"name": "ben", "key": "0" * 64},
        "say_packet": {"packet": "AAAA"},
        "draw_lots": {"names": ["one", "two"]},
        "open_visit": {"lines": []},
        "challenge_defender": {"address": "127.0.0.1:9"},
        "say_lines": {"lines": ["hello"]},
        "call_file_game": {"call": "{}", "sign": "0" * 128},
        "show_file_game": {"file": "none"},
        "enter_file_game": {"file": "none", "entry": "0r", "sign": "0" * 128},
        "make_account": {"name": "mallory"},
        "set_role": {"role": "operator"},
        "lock_account": {"why": "because"},
        "set_quota": {"engines": 0},
        "erase_account": {"name": "olga"},
        "join_lesson": {"code": known["join"], "name": "somebody", "game": "tictactoe"},
        "set_lesson": {"accounts_only": True},
        "answer_question": {"id": "1", "move": "5"},
        "practise_engine": {},
        "prepare_accounts": {"names": ["Mallory"]},
        "save_source": SOURCE | {"name": "mine-now"},
        "lend_source": {"lent": "all"},
    }


def ask(place: Doors, operation: Asked, known: dict[str, Any], name: str, **headers: str) -> Answer:
    verb, path, said = operation
    body = json.dumps(bodies(known)[name]).encode() if "requestBody" in said else None
    sent = headers | ({"Content_Type": "application/json"} if body is not None else {})
    return place.site.client().ask(verb, address(path, known), body, **sent)


def bearing(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def status(place: Doors, operation: Asked, known: dict[str, Any], name: str, **headers: str) -> int:
    answer = ask(place, operation, known, name, **headers)
    if answer.status >= 400:
        assert told(json.loads(answer.text)), (name, answer.text)
    return answer.status


# ── strangers ──────────────────────────────────────────────────────────────────────────────────────────────────────

FOREIGN: dict[int, str] = {
    400: "call_match_again say_packet show_file_game enter_file_game",
    401: "listen_questions leave_questions answer_question practise_engine get_dial_program",
    403: (
        "say_move resign_match draw_match step_match stop_match entitle_match list_exchanges repeat_call announce_competition "
        "ask_analysis "
        "bring_commit "
        "open_commit withdraw_entry make_class start_room list_accounts make_account get_account reset_password set_role "
        "lock_account set_quota erase_account get_house list_nodes drain_node list_all_classes set_ranges list_lent_sources "
        "get_lent_source"
    ),
    404: (
        "get_photo remove_photo call_match cancel_match invite_to_match get_engine change_engine retire_engine check_engine "
        "list_engine_games try_engine get_interface change_interface retire_interface get_added_game change_added_game "
        "retire_added_game call_added_match check_added_game get_competition change_competition list_changes steer_competition "
        "list_entries enter_competition vote_for_entry take_vote_back get_progress get_honours list_competition_games get_draw "
        "get_competition_records follow_competition say_here challenge_engine answer_challenge get_class rename_class end_class "
        "renew_class_code leave_class list_members remove_member hold_class_competition list_class_results get_gateway "
        "set_gateway set_words renew_gateway_key say_lines end_visit follow_visit mint_engine_token "
        "revoke_engine_token set_lesson list_class_sources get_source remove_source get_source_text list_source_versions "
        "lend_source get_source_engine share_source unshare_source prepare_accounts reset_member"
    ),
}
"""What somebody with every scope of his role gets who asks for Olga's things, or for what only a role may do."""

FREE: dict[str, str] = {
    "what anybody may know": (
        "get_health get_key list_games get_game list_matches get_match judge_match get_record list_engines list_interfaces "
        "list_added_games list_competitions list_ranking get_rating get_league get_league_player list_league_games "
        "get_league_game get_league_game_pdn get_league_reports get_league_pdn get_defender_challenge get_arcade list_fame "
        "get_bout get_bout_record get_election get_transcript follow_match photograph_match get_analysis list_puzzles"
    ),
    "for whoever has the code": (
        "get_invitation accept_invitation join_class join_lesson get_room follow_room join_room leave_room get_shared_source"
    ),
    "one's own alone": "list_sources get_me end_token list_photos get_turn list_own_games list_challenges list_classes",
    "a thing of one's own is made": (
        "take_photo add_engine add_interface add_game try_added_game open_room draw_lots open_visit challenge_defender "
        "call_file_game save_source"
    ),
}


def test_the_tables_name_every_operation(operations: dict[str, Asked]) -> None:
    named = [name for table in (FOREIGN, FREE) for names in table.values() for name in names.split()]
    assert len(named) == len(set(named))
    assert set(named) == set(operations)


@pytest.mark.parametrize("wanted", FOREIGN)
def test_nobody_reaches_the_things_of_another(
    place: Doors, operations: dict[str, Asked], known: dict[str, Any], wanted: int
) -> None:
    scopes = {one.handler_name: one.opt["scope"] for one in DOORS}
    found = {}
    for name in FOREIGN[wanted].split():
        asks = "tess" if scopes[name] is Scope.TEACH and name != "make_class" else "ben"  # a pupil has no token for that at all
        found[name] = status(place, operations[name], known, name, **bearing(place.tokens[asks]))
    assert found == dict.fromkeys(found, wanted)


def test_a_pupil_has_no_token_for_what_teachers_and_operators_do(place: Doors) -> None:
    browser = place.site.client()
    browser.post("/login", {"name": "ben", "password": "the password of ben"}, page="/login")
    for scope in ("teach", "operate"):
        made = browser.post("/account/tokens", {"name": "more", "scope": scope}, page="/account")
        assert made.status >= 400
        assert "arb_" not in made.text
    assert len(place.house.community.tokens.of(place.people["ben"])) == 1


def test_a_match_that_waits_for_a_player_is_not_there_for_strangers(
    place: Doors, operations: dict[str, Asked], known: dict[str, Any]
) -> None:
    nowhere = "0" * len(known["waiting"])
    strangers: tuple[dict[str, str], ...] = (bearing(place.tokens["ben"]), {})
    for name, operation in operations.items():
        if operation[1].startswith("/api/matches/{name}"):
            for one in strangers:
                waits, unknown = (
                    ask(place, operation, known | dict.fromkeys(("match", "engined"), match), name, **one)
                    for match in (known["waiting"], nowhere)
                )
                assert (waits.status, waits.text.replace(known["waiting"], nowhere)) == (unknown.status, unknown.text), name
    for page in ("", "/state", "/events", "/record"):
        waits, unknown = (place.site.client().get(f"/games/{one}{page}") for one in (known["waiting"], nowhere))
        assert waits.status == unknown.status == 404, page
    with place.client("olga") as olga:
        assert olga.match(known["waiting"])["state"] == "waiting"


# ── tokens ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_needs_a_token_says_so_to_whoever_has_none_or_a_cookie(
    place: Doors, operations: dict[str, Asked], known: dict[str, Any]
) -> None:
    session = place.house.community.sessions.start(place.people["olga"], "a browser").token
    closed = [name for name, one in operations.items() if one[2]["security"] == [{"token": []}]]
    assert len(closed) > 80
    for cookie in ({}, {"Cookie": f"{SESSION_COOKIE}={session}"}):
        found = {name: status(place, operations[name], known, name, **cookie) for name in closed}
        assert found == dict.fromkeys(found, 401)
    for name in ("get_engine", "get_competition", "get_added_game"):
        assert status(place, operations[name], known, name, Cookie=f"{SESSION_COOKIE}={session}") == 404, "a cookie shows nothing"


def bad_tokens(place: Doors) -> dict[str, str]:
    """Return tokens that were good once, and one that never was."""
    community = place.house.community
    revoked = community.tokens.make(place.people["olga"], "lost", scopes_of(place.people["olga"]))
    community.tokens.revoke(place.people["olga"], revoked.token.id)
    banned = community.accounts.create("mallory", "the password of mallory", Role.OPERATOR)
    held = community.tokens.make(banned, "all", tuple(Scope)).secret
    community.accounts.ban(banned, "for good")
    return {"made up": "arb_" + "x" * 43, "revoked": revoked.secret, "of a locked account": held, "empty": ""}


def test_a_token_that_is_no_good_opens_nothing_not_even_what_is_open(
    place: Doors, operations: dict[str, Asked], known: dict[str, Any]
) -> None:
    for kind, secret in bad_tokens(place).items():
        asked = operations if kind == "revoked" else ("get_me", "list_matches", "call_match", "get_house", "follow_match")
        found = {name: status(place, operations[name], known, name, **bearing(secret)) for name in asked}
        assert found == dict.fromkeys(found, 401), kind


def test_a_token_for_less_opens_less(place: Doors, operations: dict[str, Asked], known: dict[str, Any]) -> None:
    """Every operation wants its scope, though the account has the role and the thing is its own."""
    scopes = {one.handler_name: one.opt["scope"] for one in DOORS}
    assert set(scopes) == set(operations)
    for scope in Scope:
        less = bearing(place.token("rex", *(one for one in Scope if one is not scope)))
        for name in (name for name, wanted in scopes.items() if wanted is scope):
            answer = ask(place, operations[name], known, name, **less)
            assert answer.status == 403, name
            assert f"has no scope {scope}" in answer.text, name
