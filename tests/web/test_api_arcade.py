"""The arcade through the site for programs: matches are played out, judged by the player's own book, and proven."""

import threading
from collections.abc import Iterator, Sequence

import pytest

from arbitre.arcade.bout import Finish
from arbitre.arcade.side import Throw
from arbitre.arcade.story import difference, reread
from arbitre.arcade.visitor import Player, Visitor
from arbitre.client.arcade import play
from arbitre.records.record import read_record
from arbitre.referee.verify import Proof, verify
from tests.web.programs_of import Doors, doors, refused


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with doors(tmp_path_factory.mktemp("arcade")) as found:
        yield found


class Paper(Player):
    """Shows what would have beaten the last."""

    name = "program"

    def throw(self, past: Sequence[Throw]) -> str:
        beaten = {"PIERRE": "FEUILLE", "FEUILLE": "CISEAUX", "CISEAUX": "PIERRE"}
        return beaten[past[-1].theirs.name] if past else "FEUILLE"


class Rock(Player):
    """Shows the same for ever."""

    def throw(self, past: Sequence[Throw]) -> str:  # noqa: ARG002 - it learns nothing
        return "PIERRE"


def match_of(visitor: Visitor) -> str:
    assert visitor.ledger is not None
    return visitor.ledger.call.match


def test_a_program_plays_the_machine_and_both_books_agree(hall: Doors) -> None:
    kept: list[Visitor] = []
    with hall.client("anna") as anna:
        finish = play(anna, Paper(), level="Facile", keep=kept.append)
        name = match_of(kept[0])
        shown = anna.bout(name)
        assert shown["level"] == "Facile"
        assert shown["players"] == ["program", "machine"]
        assert shown["standing"] == "verified"
        theirs = anna.bout_record(name)
        assert verify(theirs.encode(), given=hall.house.key.fingerprint).standing is Proof.VERIFIED
        ours = kept[0].record()
        assert difference(reread(ours), reread(read_record(theirs.encode()))) is None
        assert finish.reason.proper
        if finish.winner == 0:
            assert name in [one["match"] for one in anna.fame()]


def test_two_programs_meet_under_a_code(hall: Doors) -> None:
    found: list[Finish] = []

    def one(name: str, player: Player) -> None:
        player.name = name
        with hall.client(name) as site:
            found.append(play(site, player, table="meet-here"))

    threads = [threading.Thread(target=one, args=pair) for pair in (("anna", Paper()), ("ben", Rock()))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert found[0] == found[1]


def test_a_visit_is_its_tokens_alone(hall: Doors) -> None:
    with hall.client("anna") as anna, hall.client("ben") as ben:
        visit = anna.ask("POST", "/api/arcade/visits", {"lines": ["# table wait-here"]})["visit"]
        where = f"/api/arcade/visits/{visit}"
        assert "over" in refused(404, ben, "POST", where, {"lines": ["# name x"]})
        assert "over" in refused(404, ben, "DELETE", where)
        assert refused(404, ben, "GET", f"{where}/lines")
        assert "ASCII" in refused(400, anna, "POST", where, {"lines": ["é"]})
        assert "ASCII" in refused(400, anna, "POST", where, {"lines": ["a\nb"]})
        assert anna.ask("DELETE", where)["over"]


def test_a_visitor_who_was_cut_off_goes_on_where_he_was(hall: Doors) -> None:
    with hall.client("anna") as anna:
        visit = anna.ask("POST", "/api/arcade/visits", {"lines": ["# level Facile", "# begin"]})["visit"]
        where = f"/api/arcade/visits/{visit}"
        cut = anna.stream(f"{where}/lines")
        heard = [next(cut) for _ in range(3)]
        cut.close()
        rest = anna.stream(f"{where}/lines?after=2")
        assert next(rest) == heard[2]
        for _ in range(2):  # said twice under one number it counts once
            anna.ask("POST", where, {"lines": ["NONSENSE"], "number": 1})
        anna.ask("DELETE", where)
        refused_once = [one["line"] for one in rest if "credits left" in one["line"]]
        assert len(refused_once) == 1


def test_levels_fame_and_records(hall: Doors) -> None:
    with hall.client() as nobody:
        found = nobody.ask("GET", "/api/arcade")
        assert [one["name"] for one in found["levels"]] == ["Facile", "Normal", "Difficile", "Nightmare"]
        assert refused(404, nobody, "GET", "/api/arcade/records/0123456789ab")
        assert refused(401, nobody, "POST", "/api/arcade/visits", {})
