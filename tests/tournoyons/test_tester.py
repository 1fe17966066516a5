"""The tester of engines: positions that are ones, and every way an engine can answer, well or badly."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import ArbitreError, PositionError
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.games.notation import notation_of
from arbitre.games.positions import preset_of, presets_of, seats_to_move
from arbitre.reasons import Reason
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.tester import EngineTrial, composed, examined, harmless, preset_exercises, tried
from arbitre.tournoyons.wire import ACCEPTED, Style
from arbitre.transport.guard import Guard
from arbitre.transport.http import MOST_BODY
from tests.house import WIRED
from tests.reasons import gives, raises
from tests.tournoyons.test_player import ENGINES, FIVE, started

TEMPLATE = Path(__file__).parents[2] / "src" / "arbitre" / "web" / "templates" / "program_parts.html"


@pytest.fixture(scope="module")
def engine() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"))


PAGES = """
import sys
from http.server import HTTPServer, SimpleHTTPRequestHandler
class Pages(SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
server = HTTPServer(("127.0.0.1", 0), lambda *given: Pages(*given, directory=sys.argv[1]))
print(server.server_port, flush=True)
server.serve_forever()
"""
"""A server of files, for pages that answer the same whatever they are asked."""


# ── positions ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_game_of_the_wire_has_presets_and_begins_with_its_start() -> None:
    assert all(presets_of(name)[0].key == "start" and len(presets_of(name)) > 2 for name in WIRED)


@pytest.mark.parametrize(("name", "key"), [(name, one.key) for name in WIRED for one in presets_of(name)])
def test_somebody_is_to_move_in_a_preset_and_pages_have_a_name_for_it(name: str, key: str) -> None:
    preset = preset_of(name, key)
    assert preset is not None
    table = game(name)
    shown = preset_exercises(table, preset)
    assert [one.seat for one in shown] == list(seats_to_move(table, shown[0].state))
    assert notation_of(table).read_state(notation_of(table).write_state(shown[0].state)) == shown[0].state
    assert f'"{key}": _(' in TEMPLATE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "key", "moves"),
    [
        ("reversi", "pass", {"XX"}),
        ("draughts", "captures", {"28x17x8x19x30"}),
        ("draughts", "end", {"48x26x12x40x49x16", "48x26x12x40x49x21"}),
        ("tictactoe", "end", {"9"}),
        ("bigtictactoe", "end", {"I9", "J9"}),
    ],
)
def test_tricky_presets_are_tricky(name: str, key: str, moves: set[str]) -> None:
    preset, table = preset_of(name, key), game(name)
    assert preset is not None
    (shown,) = preset_exercises(table, preset)
    assert {notation_of(table).write(one) for one in table.legal(shown.view)} == moves


@pytest.mark.parametrize(
    ("name", "text", "seat", "due"),
    [
        ("tictactoe", "110220000", 0, "110220000"),
        ("tictactoe", "330440000", 0, "110220000"),  # marks of a winning line are read as the pieces
        ("reversi", "0" * 19 + "1" + "0" * 7 + "43" + "0" * 6 + "34" + "0" * 27, 1, "0" * 27 + "43" + "0" * 6 + "34" + "0" * 27),
        ("draughts", "0" * 30 + "1" + "0" * 18 + "4", 1, "B:W31:BK50"),
        ("draughts", "W:W31:BK50", 0, "W:W31:BK50"),
    ],
)
def test_a_tray_of_the_bench_is_a_position(name: str, text: str, seat: int, due: str) -> None:
    shown = composed(game(name), text, Seat(seat))
    assert shown.start.startswith(due)
    assert shown.seat == seat


def test_a_pente_board_of_the_bench_is_a_position() -> None:
    cells = "1" + "0" * 359 + "2"
    assert composed(game("pente"), cells, Seat(0)).start.startswith(cells)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tictactoe", "11"),
        ("tictactoe", "111220000"),
        ("tictactoe", "1" * 100_000),
        ("reversi", "٣" * 64),
        ("seafight", "0" * 100),
        ("rochambeau", "1"),
        ("draughts", "<script>"),
        ("kriegspiel", "0" * 64),
    ],
)
def test_what_is_no_position_is_told(name: str, text: str) -> None:
    with pytest.raises(ArbitreError) as caught:
        composed(game(name), text, Seat(0))
    assert len(str(caught.value)) < 1_000


# ── repeated by hand ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "due"),
    [
        (
            "http://e/x?Set=A&Game=ab12&Referee=http%3A%2F%2Fs%2Fanswer%2Fx&Status=0",
            "http://e/x?Set=A&Game=TEST&Referee=&Status=0",
        ),
        ("http://e/x?own=1&Game=g&Game=h&Referee=a&Referee=b", "http://e/x?own=1&Game=TEST&Game=TEST&Referee=&Referee="),
        ("http://e/x", "http://e/x?Game=TEST&Referee="),
    ],
)
def test_a_repeated_call_is_a_test(url: str, due: str) -> None:
    assert harmless(url) == due


@given(st.lists(st.sampled_from(["Game=x", "Referee=http://s", "Tray=1", "a", "", "=", "Game", "Referee"])))
def test_no_repeated_call_names_a_match(pairs: list[str]) -> None:
    kept = parse_qsl(urlsplit(harmless("http://e/?" + "&".join(pairs))).query, keep_blank_values=True)
    assert {text for key, text in kept if key == "Game"} == {"TEST"}
    assert {text for key, text in kept if key == "Referee"} == {""}


# ── trying ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def attempt(
    url: str, *, name: str = "tictactoe", back: bool = False, guard: Guard | None = None, limit: int = 5, by: Any = tried
) -> EngineTrial:
    """Show the start to an engine."""
    table = game(name)
    shown = preset_exercises(table, presets_of(name)[0])[0]

    async def course() -> EngineTrial:
        receiver = Receiver()
        async with Switchboard(receiver, guard=guard, listener=Listener(receiver)) as board:
            trial: EngineTrial = await by(board, table, url, shown, Style(direct=not back), limit, back=back)
            assert not receiver._seats
            return trial

    return asyncio.run(course())


def test_a_direct_engine_answers_well(engine: str) -> None:
    trial = attempt(f"{engine}/direct")
    assert (trial.good, trial.said, trial.move, trial.status, trial.body) == (True, "1", "1", 200, "1\n")
    assert "Game=TEST&" in trial.called
    assert "&Referee=&" in trial.called


@pytest.mark.parametrize("style", ["inside", "after", "slash", "twice"])
def test_an_engine_that_calls_back_answers_well(engine: str, style: str) -> None:
    trial = attempt(f"{engine}/{style}", back=True)
    assert (trial.good, trial.move) == (True, "1")
    assert trial.heard[0].endswith(f"→ 200 {ACCEPTED.text}")


def test_an_engine_that_keeps_what_it_knows_by_game_answers_every_test(engine: str) -> None:
    """It calls back where the first question of a Game said: so no two questions with a Referee share one."""
    trials = [attempt(f"{engine}/faithful", back=True, limit=1) for _ in range(3)]
    assert [one.fault for one in trials] == [None, None, None]
    named = [dict(parse_qsl(urlsplit(one.called).query))["Game"] for one in trials]
    assert len(set(named)) == 3
    assert all(len(one) <= 10 and one != "TEST" for one in named)


def test_a_call_to_the_address_of_an_earlier_test_is_shown() -> None:
    async def course(url: str) -> list[EngineTrial]:
        receiver = Receiver()
        async with Switchboard(receiver, listener=Listener(receiver)) as board:
            table = game("tictactoe")
            shown = preset_exercises(table, presets_of("tictactoe")[0])[0]
            return [await tried(board, table, f"{url}/stubborn", shown, Style(), 1, back=True) for _ in range(2)]

    for url in started(sys.executable, "-S", str(ENGINES / "styles.py")):  # one that has seen no Referee yet
        first, second = asyncio.run(course(url))
        assert first.good
        assert gives(second.fault, "no call back within", limit=1)
        assert gives(second.fault, "call-back-refused", why=Reason("earlier-game"))
        assert [one.partition(" → ")[2][:3] for one in second.heard] == ["410"]


@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT"])
def test_a_call_back_that_is_no_get_is_named(engine: str, method: str) -> None:
    trial = attempt(f"{engine}/method-{method}", back=True, limit=1)
    assert gives(trial.fault, "no call back within", limit=1)
    assert gives(trial.fault, "not-by-get", method=method)
    assert trial.heard[0].startswith(f"{method} ")
    assert " → 405 " in trial.heard[0]


@pytest.mark.parametrize(("path", "came"), [("inside", "during"), ("slow", "during"), ("behind", "after")])
def test_it_is_told_when_the_call_back_came(engine: str, path: str, came: str) -> None:
    trial = attempt(f"{engine}/{path}", back=True, limit=8)
    assert (trial.good, trial.came) == (True, came)


def test_who_answers_in_the_body_is_told_so_at_once(engine: str) -> None:
    """A whole minute is not waited for somebody whose page is a good move already."""
    for url in started(sys.executable, "-c", FIVE):
        trial = attempt(f"{url}/", back=True, limit=60)
        assert trial.proposal == "direct"
        assert trial.milliseconds < 30_000


@pytest.mark.parametrize(
    ("path", "back", "proposal", "words"),
    [
        (
            "written",
            False,
            "full",
            ("instead of 200", "the engine broke while it thought", "with the board of the start"),
        ),
        ("written", True, "full", ("ended the call itself", "the engine broke")),
        ("inside", False, "back", ("with a Referee it calls back, and well: do not declare it direct",)),
        ("error-direct", False, "", ("instead of 200", "the engine broke")),
        ("careful", False, "", ()),
        ("careful", True, "", ()),
    ],
)
def test_another_way_of_asking_is_proposed_where_it_would_do(
    engine: str, path: str, back: bool, proposal: str, words: tuple[str, ...]
) -> None:
    trial = attempt(f"{engine}/{path}", back=back, limit=1, by=examined)
    assert trial.proposal == proposal, trial
    assert all(gives(trial.fault, one) for one in words), trial
    assert "instead of 200" not in words or gives(trial.fault, "instead of 200", status=500)
    assert trial.good == (not words)


BAD: list[tuple[str, bool, Callable[[EngineTrial], bool]]] = [
    (
        "error-direct",
        False,
        lambda trial: (
            gives(trial.fault, "instead of 200", status=500)
            and gives(trial.fault, "the engine broke")
            and trial.body == "Traceback"
        ),
    ),
    ("huge-direct", False, lambda trial: not trial.whole and len(trial.body) <= MOST_BODY and gives(trial.fault, "too long")),
    ("crash", False, lambda trial: trial.kind == "silent" and trial.status == 0),
    ("loop", False, lambda trial: gives(trial.fault, "too-many-redirects")),
    ("stall", False, lambda trial: trial.kind == "silent" and gives(trial.fault, "no-answer-within", seconds=1)),
    ("illegal", True, lambda trial: trial.said is not None and len(trial.said) <= 210 and not trial.move),
    (
        "wrong-id",
        True,
        lambda trial: (
            "404" in trial.heard[0]
            and gives(trial.fault, "call-back-refused")
            and gives(trial.fault, "unknown-move-id", move="12345")
        ),
    ),
]


@pytest.mark.parametrize(("path", "back", "due"), BAD, ids=[one[0] for one in BAD])
def test_what_is_wrong_is_told(engine: str, path: str, back: bool, due: Callable[[EngineTrial], bool]) -> None:
    trial = attempt(f"{engine}/{path}", back=back, limit=1)
    assert not trial.good
    assert due(trial), trial


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("", "the body is empty"),
        ("<html><body>5</body></html>", "a web page"),
        ('{"Value": "5"}', "no JSON"),
        ("'5'", "no quotes"),
        ("thinking\n5", "no other lines"),
        ("Traceback (most recent call last):\nKeyError: 'Tray'", "what it printed says where"),
        ("e4", "no-digit"),
    ],
)
def test_a_beginner_is_told_what_to_look_at(body: str, advice: str, tmp_path: Path) -> None:
    (tmp_path / "move").write_text(body, encoding="ascii")
    for url in started(sys.executable, "-c", PAGES, str(tmp_path)):
        assert gives(attempt(f"{url}/move").fault, advice)
        assert gives(attempt(f"{url}/move", back=True, limit=1).fault, "no call back within", limit=1)
        assert attempt(f"{url}/nowhere").fault == Reason(
            "status %(status)s instead of 200: %(hint)s",
            status=404,
            hint=Reason("is this the path that the engine answers GET at?"),
        )


def test_an_engine_that_answers_in_the_body_only_is_to_be_declared_direct(tmp_path: Path) -> None:
    (tmp_path / "move").write_text("5\n", encoding="ascii")
    for url in started(sys.executable, "-c", PAGES, str(tmp_path)):
        assert gives(attempt(f"{url}/move", back=True, limit=1).fault, "declared direct")
        assert attempt(f"{url}/move").move == "5"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://[::1]/",
        "http://localhost:9/",
        "http://169.254.169.254/",
        "http://0x7f.1/",
        "http://[::ffff:10.0.0.1]/",
    ],
)
def test_private_addresses_are_forbidden_not_silent(url: str) -> None:
    trial = attempt(url, guard=Guard())
    assert trial.kind == "forbidden", trial
    assert gives(trial.fault, "not-public")


@pytest.mark.parametrize("url", ["ftp://x/", "http://", "x", "http://a b/", "http://user:pw@example.org/", "http://[::1"])
def test_what_is_no_address_is_told(url: str) -> None:
    trial = attempt(url, guard=Guard())
    assert trial.fault
    assert not trial.status


def test_a_position_error_has_its_reason() -> None:
    with raises(PositionError, "nobody is to move"):
        composed(game("tictactoe"), "111220000", Seat(1))
