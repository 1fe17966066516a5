"""Practice against the house: a hint, a move taken back into a new match, the next level; nowhere else."""

import json

from arbitre.games.analysis import Effort, OpenAnalyst, analyst_class
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.reversi.rules import Reversi
from arbitre.site.arena.plan import HouseSeat
from tests.web.site import Client, Running


def began(client: Client, **fields: str) -> str:
    """Begin a game by the form; return its address."""
    answer = client.post("/play", {"game": "reversi", "one": "me", "two": "house:1", **fields}, page="/play?game=reversi")
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def test_a_hint_is_a_move_and_a_move_is_taken_back_into_a_new_match(open_site: Running) -> None:
    client = open_site.client()
    where = began(client)
    name = where.rpartition("/")[2]
    arena = open_site.site.state.house.arena
    told = client.post(f"{where}/hint", page=where)
    assert told.status == 201
    kind, table = analyst_class("reversi"), Reversi()
    assert issubclass(kind, OpenAnalyst)
    best = kind(table, Effort(kind.usual)).weighed(table.start(), kind.usual).move
    assert json.loads(told.text)["move"] == notation_of(table).write(best), "better than the opponent of level 1"
    assert client.post(f"{where}/take-back", page=where).status == 400, "there is none yet"
    assert client.post(f"{where}/move", {"move": "D3"}, page=where).status == 201
    back = client.post(f"{where}/take-back", page=where)
    assert back.status == 303
    made = back.headers["location"].rpartition("/")[2]
    assert made != name
    assert arena.sitting(made).plan.start.endswith(" 1"), "from before the first move"
    while "over" not in client.get(f"{where}/state").text:  # what was given up keeps its record
        pass
    assert arena.record(name).seal is not None
    assert 'action="/games/' + made + '/take-back"' in client.get(f"/games/{made}").text


def test_a_hint_is_called_as_people_call_it(open_site: Running) -> None:
    client = open_site.client()
    where = began(client, game="rochambeau")
    told = json.loads(client.post(f"{where}/hint", page=where, Accept_Language="fr").text)
    assert told["move"] in ("pierre", "feuille", "ciseaux")


def test_nobody_else_gets_a_hint(open_site: Running) -> None:
    client, stranger = open_site.client(), open_site.client()
    where = began(client)
    assert stranger.post(f"{where}/hint").status == 403
    friend = began(client, two="friend")
    assert client.post(f"{friend}/hint", page="/").status == 403
    secret = began(client, game="seafight")
    assert client.post(f"{secret}/take-back", page="/").status == 403


WON = "110220000 5"
"""The first to move wins with 3."""


def beaten(client: Client, level: int, **fields: str) -> str:
    """Beat a player of the house; return where."""
    where = began(client, game="tictactoe", two=f"house:{level}", start=WON, **fields)
    said = (client.post(f"{where}/move", {"move": "3"}, page=where).status for _ in range(1_000))
    assert 201 in said, "the best player of the house makes itself ready first"
    while "over" not in client.get(f"{where}/state").text:
        pass
    return where


def test_who_beats_a_level_meets_the_next_in_one_click(open_site: Running) -> None:
    client, stranger = open_site.client(), open_site.client()
    where = beaten(client, 1)
    page = client.get(where).text
    assert page.count("Try house 2") == 2, "over the board, and beside it"
    assert "Try house" not in stranger.get(where).text
    assert stranger.post(f"{where}/climb", page="/").status == 400
    on = client.post(f"{where}/climb", page=where)
    assert on.status == 303
    arena = open_site.site.state.house.arena
    plan = arena.sitting(on.headers["location"].rpartition("/")[2]).plan
    before = arena.sitting(where.rpartition("/")[2]).plan
    assert [type(one) for one in plan.sitters] == [type(one) for one in before.sitters], "everybody keeps the seat"
    assert plan.sitters[1] == HouseSeat(2)
    assert plan.start == ""
    assert "level 2" in client.get("/").text, "and the next game begins there"


def test_nobody_climbs_who_has_not_won_or_is_at_the_top(open_site: Running) -> None:
    client = open_site.client()
    going = began(client, game="tictactoe")
    assert client.post(f"{going}/climb", page=going).status == 400
    client.post(f"{going}/resign", page=going)
    assert "Try house" not in client.get(going).text
    top = beaten(client, len(levels("tictactoe")))
    assert "Try house" not in client.get(top).text
    assert client.post(f"{top}/climb", page=top).status == 400
