"""Invitations between people: one chair, one link, one other person, whatever they and others try with it."""

import json
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from tests.web.site import Answer, Client, Running


def called(client: Client, **more: str) -> str:
    """Call a game against whoever gets the link; return its path."""
    answer = client.post("/play", {"game": "tictactoe", "one": "me", "two": "friend", **more}, page="/play?game=tictactoe")
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def link(client: Client, path: str) -> str:
    """Offer the free chair; return the path of the link."""
    page = client.post(f"{path}/invite", page=path).text
    return "/invite/" + page.partition("/invite/")[2].partition("<")[0].partition('"')[0]


def accepted(client: Client, where: str) -> Answer:
    return client.post(where, page=where)


def said(client: Client, path: str, move: str) -> Answer:
    return client.post(f"{path}/move", {"move": move}, page=path, Accept="application/json")


def test_two_guests_play_a_whole_game_by_invitation(open_site: Running) -> None:
    host, guest, stranger = (open_site.client() for _ in range(3))
    path = called(host)
    where = link(host, path)
    assert guest.get(where).status == 200, "a preview looks"
    assert guest.get(where).status == 200, "and changes nothing"
    assert accepted(guest, where).headers["location"] == path
    assert said(guest, path, "1").status != 201, "it is the other's turn"
    for number, (player, move) in enumerate([(host, "1"), (guest, "4"), (host, "2"), (guest, "5"), (host, "3")]):
        while (answer := said(player, path, move)).status != 201:  # it is asked a moment after the other's move is kept
            assert answer.status in (400, 409), (number, answer.text)
            sleep(0.02)
        assert said(stranger, path, "9").status in (403, 404)
    record = f"/api/matches/{path.rpartition('/')[2]}"
    while (told := json.loads(stranger.get(record).text))["state"] != "over":
        sleep(0.02)
    assert (told["verdict"]["termination"], told["verdict"]["scores"]) == ("rules", ["1", "0"])


def test_of_many_who_follow_one_link_at_once_one_sits_down(open_site: Running) -> None:
    host = open_site.client()
    path = called(host)
    where = link(host, path)
    others = [open_site.client() for _ in range(6)]
    for one in others:
        assert one.get(where).status == 200
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda one: accepted(one, where).status, others))
    assert sorted(found) == [303] + [410] * 5
    (winner,) = (one for one, status in zip(others, found, strict=True) if status == 303)
    assert f"{path}/resign" in winner.get(path).text
    assert all(f"{path}/resign" not in one.get(path).text for one in others if one is not winner)


@pytest.mark.parametrize("how", ["used", "renewed", "cancelled", "mistyped"])
def test_a_link_that_is_good_no_more_says_so(how: str, open_site: Running) -> None:
    host, late = open_site.client(), open_site.client()
    path = called(host)
    where = link(host, path)
    if how == "used":
        assert accepted(open_site.client(), where).status == 303
    elif how == "renewed":
        fresh = link(host, path)
        assert late.get(fresh).status == 200
    elif how == "cancelled":
        assert host.post(f"{path}/cancel", page=path).status == 303
    else:
        where = where[:-1] + ("x" if where[-1].lower() != "x" else "y")  # a code is read in any letters
    assert late.get(where).status in (404, 410)
    assert late.post(where, page="/").status in (404, 410)


def test_nobody_plays_against_himself_by_his_own_link_and_nobody_else_offers_the_chair(open_site: Running) -> None:
    host, stranger = open_site.client(), open_site.client()
    path = called(host)
    where = link(host, path)
    own = accepted(host, where)
    assert (own.status, "you sit at this table already" in own.text) == (400, True)
    assert stranger.post(f"{path}/invite", page="/").status == 404
    assert accepted(stranger, where).status == 303, "the link is good still"
