"""The description of the site for programs is good to write a client with: areas, lasting names, words, no holes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arbitre.web.app import make_site
from arbitre.web.description import AREAS, LINKS, described
from arbitre.web.pages.reference import reference
from tests.web.site import quiet

NAMES: dict[str, str] = {
    "site": "get_game get_health get_key list_games list_puzzles",
    "account": "get_me end_token list_photos take_photo get_photo remove_photo list_own_games",
    "matches": (
        "list_matches call_match get_match cancel_match get_turn say_move resign_match draw_match step_match "
        "follow_match judge_match get_record call_match_again stop_match entitle_match photograph_match "
        "invite_to_match get_invitation accept_invitation list_exchanges repeat_call get_analysis ask_analysis"
    ),
    "engines": (
        "list_engines add_engine get_engine change_engine retire_engine check_engine list_engine_games try_engine "
        "listen_questions leave_questions answer_question practise_engine get_dial_program mint_engine_token revoke_engine_token"
    ),
    "sources": (
        "list_sources save_source get_source remove_source get_source_text list_source_versions lend_source "
        "get_source_engine share_source unshare_source get_shared_source list_lent_sources get_lent_source"
    ),
    "interfaces": "list_interfaces add_interface get_interface change_interface retire_interface",
    "added": (
        "list_added_games add_game get_added_game change_added_game retire_added_game call_added_match "
        "try_added_game check_added_game"
    ),
    "competitions": (
        "list_competitions announce_competition get_competition change_competition list_changes "
        "steer_competition list_entries enter_competition bring_commit open_commit withdraw_entry "
        "vote_for_entry take_vote_back get_progress get_honours list_competition_games get_draw get_competition_records "
        "follow_competition say_here"
    ),
    "rankings": "list_ranking get_rating list_challenges challenge_engine answer_challenge",
    "classes": (
        "list_classes make_class join_class get_class rename_class end_class renew_class_code leave_class "
        "list_members remove_member hold_class_competition list_class_results get_gateway set_gateway "
        "set_words renew_gateway_key join_lesson set_lesson list_class_sources "
        "prepare_accounts reset_member"
    ),
    "league": (
        "get_league get_league_player list_league_games get_league_game get_league_game_pdn get_league_reports get_league_pdn "
        "challenge_defender get_defender_challenge"
    ),
    "elections": (
        "open_room get_room join_room leave_room start_room say_packet follow_room draw_lots get_election get_transcript"
    ),
    "arcade": "get_arcade list_fame open_visit say_lines end_visit follow_visit get_bout get_bout_record",
    "kriegspiel": "call_file_game show_file_game enter_file_game",
    "operator": (
        "list_all_classes set_ranges list_accounts make_account get_account reset_password set_role "
        "lock_account set_quota erase_account get_house list_nodes drain_node"
    ),
}
"""Generators name functions after operations: a name that is here stays."""

CONTENTS = ("application/json", "application/x-ndjson")


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("description")
    return described(make_site(quiet(folder)).openapi_schema.to_schema())


SIGNED = ("/api/kriegspiel", "/api/classes/lesson")
"""Where no token is needed: the player's own signature opens the seat, or the code of a class the lesson."""


def operations(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, verbs in description["paths"].items():
        for verb, one in verbs.items():
            yield path, verb, one


def test_operations_keep_their_names(description: dict[str, Any]) -> None:
    found: dict[str, set[str]] = {name: set() for name in AREAS}
    for _, _, one in operations(description):
        (tag,) = one["tags"]
        found[tag].add(one["operationId"])
    assert found == {area: set(names.split()) for area, names in NAMES.items()}


def test_every_area_has_its_sentence(description: dict[str, Any]) -> None:
    assert [one["name"] for one in description["tags"]] == list(AREAS)
    assert all(one["description"].endswith(".") for one in description["tags"])


def test_every_operation_says_what_it_does_and_takes(description: dict[str, Any]) -> None:
    for path, verb, one in operations(description):
        where = f"{verb} {path}"
        assert 5 < len(one["summary"]) <= 80, where
        assert one["description"].startswith(one["summary"]), where
        for parameter in one.get("parameters", ()):
            assert parameter["description"], f"{where}: {parameter['name']}"
        named = re.findall(r"{(\w+)}", path)
        assert sorted(p["name"] for p in one.get("parameters", ()) if p["in"] == "path") == sorted(named), where
        good = [status for status in one["responses"] if int(status) < 400]
        assert len(good) == 1, where
        assert one["responses"][good[0]]["description"], where


def test_every_operation_says_how_it_refuses(description: dict[str, Any]) -> None:
    for path, verb, one in operations(description):
        where, refusals = f"{verb} {path}", {status for status in one["responses"] if int(status) >= 400}
        assert {"401", "429"} <= refusals, where
        assert "404" in refusals or "{" not in path, where
        assert "409" in refusals or verb == "get", where
        assert "400" in refusals or not (one.get("parameters") or "requestBody" in one), where
        for status in refusals:
            answer = one["responses"][status]
            assert answer["description"], where
            assert answer["content"] == {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}, where


def test_whatever_changes_something_names_the_scope_that_it_needs(description: dict[str, Any]) -> None:
    for path, verb, one in operations(description):
        if path.startswith(SIGNED):
            assert one["security"] == [{}, {"token": []}], path
        elif verb != "get":
            assert one["security"] == [{"token": []}], path
            assert "Needs a" in one["description"], path


def test_every_form_and_every_answer_has_a_shape(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    assert all(one.get("description") for one in schemas.values()), [
        key for key, one in schemas.items() if "description" not in one
    ]
    assert not [key for key in schemas if not re.fullmatch(r"[A-Z][A-Za-z]+", key)]
    for path, verb, one in operations(description):
        for status, answer in one["responses"].items():
            for kind, content in answer.get("content", {}).items():
                shape = content["schema"]
                assert "$ref" in shape or shape.get("type") in ("array", "string"), f"{verb} {path} {status}"
                assert shape != {"type": "string"} or kind not in CONTENTS, f"{verb} {path} {status}"
    assert not list(holes(description["components"], "")), "no hole where anything may be"


def holes(found: Any, where: str) -> Iterator[str]:
    if isinstance(found, dict):
        if not found and where.endswith(("/schema", "/items", "/additionalProperties")):
            yield where
        for key, one in found.items():
            yield from holes(one, f"{where}/{key}")
    elif isinstance(found, list):
        for at, one in enumerate(found):
            yield from holes(one, f"{where}/{at}")


def test_every_reference_leads_somewhere_and_every_form_is_used(description: dict[str, Any]) -> None:
    named = set(re.findall(r"'#/components/schemas/(\w+)'", str(description)))
    assert named == set(description["components"]["schemas"])


def test_from_what_is_made_one_goes_on(description: dict[str, Any]) -> None:
    names = {one["operationId"]: path for path, _, one in operations(description)}
    links = {
        one["operationId"]: answer["links"]
        for _, _, one in operations(description)
        for answer in one["responses"].values()
        if "links" in answer
    }
    assert {"call_match", "add_engine", "announce_competition", "enter_competition", "make_class", "open_room"} <= set(links)
    assert set(LINKS) <= set(description["components"]["schemas"])
    for name, found in links.items():
        for link in found.values():
            (parameter,) = link["parameters"]
            assert f"{{{parameter}}}" in names[link["operationId"]], name
    assert links["add_engine"]["get_engine"]["parameters"] == {"number": "$response.body#/id"}


def test_the_page_for_people_shows_all_of_it(description: dict[str, Any]) -> None:
    shown = reference(description)
    assert {one.name for _, _, part in shown.areas for one in part} == {
        one["operationId"] for _, _, one in operations(description)
    }
    assert set(shown.forms) == set(description["components"]["schemas"])
    known = {one.name: one for _, _, part in shown.areas for one in part}
    called = known["call_match"]
    assert (called.scope, called.body, called.answered) == ("play", "NewMatch", "Match")
    assert known["end_token"].scope == "any"
    assert known["list_matches"].scope == ""
    assert [status for status, _ in known["add_engine"].errors] == ["400", "401", "403", "409", "422", "429"]


def test_what_fields_mean_stands_in_the_description(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    assert "Keep it although" in schemas["NewEngine"]["properties"]["anyway"]["description"]
    assert "Rounds of a Swiss" in schemas["NewCompetition"]["properties"]["rounds"]["description"], "of the class that it follows"
    assert schemas["NewEngine"]["additionalProperties"] is False
    assert schemas["NewEngine"]["properties"]["game"]["examples"]
