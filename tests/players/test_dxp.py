"""DXP in both roles, calling and called: messages survive the way there and back, and whole matches are played over sockets."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.bot import InProcess
from arbitre.errors import PlayerGarbledError, PlayerStringError
from arbitre.games.anyone import Anyone
from arbitre.games.draughts.notation import read_fen
from arbitre.games.draughts.rules import Draughts
from arbitre.games.game import playout
from arbitre.games.notation import notation_of
from arbitre.players import Setting, dxp, read_contestant
from arbitre.players.course import Course
from arbitre.players.dxp import read_move, write_move, write_position, write_request
from arbitre.referee.player import Player
from arbitre.referee.verdict import Termination
from tests.players.tables import FIXTURES, make_match, moves, play, seated
from tests.reasons import gives, raises

GAME = Draughts()
NOTATION = notation_of(GAME)

Peer = Callable[..., int]


@pytest.fixture
def peer() -> Iterator[Peer]:
    """Return what starts a program that speaks DXP and returns the port that it listens on, or calls."""
    started: list[subprocess.Popen[str]] = []

    def start(way: str, role: str, manner: str = "play", port: int = 0) -> int:
        command = [sys.executable, str(FIXTURES / "damexchange.py"), way, str(port), role, manner]
        one = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started.append(one)
        assert one.stdout is not None
        return port or int(one.stdout.readline())

    yield start
    for one in started:
        one.kill()
        one.communicate()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def against(engine: Player, second: bool = False) -> list[str]:
    other = InProcess(Anyone(Random(3)))
    verdict, events = play(make_match("draughts"), *((other, engine) if second else (engine, other)))
    assert verdict.termination is Termination.RULES, repr(verdict.reason)
    return moves(events)


@given(st.integers(0, 1 << 32))
@settings(max_examples=15, deadline=None)
def test_moves_survive_the_way_there_and_back(seed: int) -> None:
    for step in playout(GAME, Random(seed)):
        board = step.before
        for move in board.moves:
            assert NOTATION.read(read_move(write_move(move, 3), board), board) == move


@pytest.mark.parametrize("text", ["", "M", "M00003228", "M000032280", "M0000322801", "M000a322800", "M00003228002", "X000032280"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with raises(PlayerGarbledError, "engine-answer", language="DXP"):
        read_move(text, GAME.start())


def test_a_request_names_colour_minutes_moves_and_the_position_where_it_is_unusual() -> None:
    assert write_request(Course(GAME), 1, 5, 51) == f"R01{'Arbitre':32}Z005051A"  # type: ignore[arg-type]
    board = read_fen("B:W30,K47:B1,K20")
    assert write_position(board) == "Z" + "z" + "e" * 18 + "Z" + "e" * 9 + "w" + "e" * 16 + "W" + "eee"
    course = Course(GAME, NOTATION.write_state(board))
    assert write_request(course, 0, 5, 51) == f"R01{'Arbitre':32}W005051B{write_position(board)}"  # type: ignore[arg-type]


@pytest.mark.parametrize("second", [False, True], ids=["white", "black"])
def test_a_program_that_listens_is_called_and_plays(peer: Peer, second: bool) -> None:
    assert against(seated(f"dxp:127.0.0.1:{peer('listen', 'follower')}", GAME), second)


def test_a_program_may_ask_for_the_game_itself(peer: Peer) -> None:
    engine = seated(f"dxp:role=follower 127.0.0.1:{peer('listen', 'initiator')}", GAME)
    assert against(engine)
    assert engine.name == "A fixture"


@pytest.mark.parametrize("role", ["initiator", "follower"])
def test_a_program_may_call_us(peer: Peer, role: str) -> None:
    port = peer("call", "follower" if role == "initiator" else "initiator", "play", free_port())
    assert against(seated(f"dxp:role={role} listen=yes 127.0.0.1:{port}", GAME))


def test_chat_is_passed_over_and_nothing_is_taken_back(peer: Peer) -> None:
    assert against(seated(f"dxp:127.0.0.1:{peer('listen', 'follower', 'chat')}", GAME))


@pytest.mark.parametrize("role", ["follower", "initiator"])
@pytest.mark.parametrize(
    ("manner", "code"),
    [
        ("endless", "pipe-long-line"),
        ("chatter", "engine-babbles"),
        ("octets", "engine-answer"),
        ("too short", "engine-answer"),
        ("illegal", "occupied"),
    ],
)
def test_a_hostile_peer_is_named_in_either_role(peer: Peer, role: str, manner: str, code: str) -> None:
    ours = "initiator" if role == "follower" else "follower"
    verdict, _ = play(make_match("draughts"), seated(f"dxp:role={ours} 127.0.0.1:{peer('listen', role, manner)}", GAME))
    assert gives(verdict.reason, code), repr(verdict.reason)


@pytest.mark.parametrize(("manner", "code"), [("decline", "dxp-declined"), ("end", "dxp-over"), ("leave", "dxp-hung-up")])
def test_each_fault_ends_the_match_in_words(peer: Peer, manner: str, code: str) -> None:
    verdict, _ = play(make_match("draughts"), seated(f"dxp:127.0.0.1:{peer('listen', 'follower', manner)}", GAME))
    assert gives(verdict.reason, code), repr(verdict.reason)


def test_who_says_that_he_has_lost_resigns(peer: Peer) -> None:
    verdict, _ = play(make_match("draughts"), seated(f"dxp:127.0.0.1:{peer('listen', 'follower', 'lose')}", GAME))
    assert verdict.termination is Termination.RESIGNED


def test_a_program_that_asks_for_the_other_colour_does_not_play(peer: Peer) -> None:
    engine = seated(f"dxp:role=follower 127.0.0.1:{peer('listen', 'initiator')}", GAME)
    verdict, _ = play(make_match("draughts"), InProcess(Anyone()), engine)
    assert gives(verdict.reason, "dxp-other-game")


def test_where_nobody_is_nobody_came(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict, _ = play(make_match("draughts"), seated(f"dxp:127.0.0.1:{free_port()}", GAME))
    assert gives(verdict.reason, "dxp-nobody")
    monkeypatch.setattr(dxp, "GREETING_SECONDS", 0.2)
    verdict, _ = play(make_match("draughts"), seated(f"dxp:listen=yes 127.0.0.1:{free_port()}", GAME))
    assert gives(verdict.reason, "dxp-uncalled", seconds="0.2")


@pytest.mark.parametrize(
    "rest", ["127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:1 more", "role=boss a:1", "listen=1 a:1"]
)
def test_an_address_is_a_host_and_a_port(rest: str) -> None:
    with raises(PlayerStringError, "%(text)r: "):
        read_contestant(f"dxp:{rest}", Setting(GAME))
