"""The daily puzzle of a site: made of a game that was played there, shown with its proof, the same all day."""

import json
from datetime import date

from arbitre.site.puzzles import _read
from tests.analysis.test_puzzles import found
from tests.web.site import Running


def test_a_game_that_is_over_becomes_a_puzzle(open_site: Running) -> None:
    client = open_site.client()
    house = open_site.site.state.house
    assert client.get("/puzzles").status == 200
    fields = {"game": "reversi", "one": "house:1", "two": "house:1", "start": found().position}
    assert client.post("/play", fields, page="/play/reversi").status == 303
    while not house.puzzles.kept:
        assert client.get("/puzzles").status == 200
    (daily,) = house.puzzles.kept
    assert daily.puzzle == found()
    right = client.get(f"/puzzles/{daily.day}?move={daily.puzzle.move}").text
    wrong = next(text for text in dict(daily.puzzle.results) if text != daily.puzzle.move)
    assert right.count("<li>") >= len(daily.puzzle.results)
    assert "note bad" in client.get(f"/puzzles/{daily.day}?move={wrong}").text
    assert client.get("/puzzles/1999-01-01").status == 404
    told = json.loads(client.get("/api/puzzles").text)
    assert told[0]["solution"] == daily.puzzle.move
    assert house.puzzles.shown(date(1999, 1, 1)) == []
    while not _read(house.puzzles.path):
        client.get("/puzzles")
    assert _read(house.puzzles.path) == [daily]
