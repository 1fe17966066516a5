"""`arbitre draughts test` and `judge`: what they say of good robots, of broken ones, and of reports taken from a site."""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from arbitre.cli.draughts import draughts
from arbitre.games.draughts.notation import DraughtsNotation
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.game import FIRST, SECOND, Outcome, Seat
from arbitre.league.report import mapped, write_report
from arbitre.league.report_check import why_refused
from tests.league.house import ANN, BOB, black, free_port, game, white

GAME = Draughts()
NOTATION = DraughtsNotation(GAME)

Frame = Callable[[str], bytes]
Changed = Callable[[bytes], bytes]


def nul(word: str) -> bytes:
    return word.encode() + b"\0"


class Robot:
    """A program of somebody else's, as simple as they are: it plays legal moves, ends as it should, and reports."""

    def __init__(self, report_port: int = 0, frame: Frame = nul, ends: bool = True, changed: Changed = bytes) -> None:
        self.report_port = report_port
        self.frame = frame
        self.ends = ends
        self.changed = changed
        self.doubts = True
        """Whether it says COUP INVALIDE to a wrong move."""
        self.said: dict[int, str] = {}
        """What it says at a ply instead of a move."""
        self.luck = Random(5)
        self.words = b""

    def play(self, sock: socket.socket, seat: Seat) -> None:
        board, moves = GAME.start(), list[Move]()
        while not isinstance(GAME.phase(board), Outcome):
            if len(moves) % 2 == seat:
                move = self.luck.choice(board.moves)
                sock.sendall(self.frame(self.said.get(len(moves), str(move))))
                if len(moves) in self.said:
                    return
            else:
                word = self.hear(sock)
                if not word or word == "INTERUPTION":
                    return
                try:
                    GAME.check(board, move := NOTATION.read(word, board))
                except Exception:
                    sock.sendall(nul("COUP INVALIDE") if self.doubts else self.frame("19-23"))
                    continue
            board, moves = board.after(move), [*moves, move]
        self.end(sock, board, seat)
        if self.report_port:
            data = self.changed(write_report(seat, mapped(sock.getpeername()[0]), moves))
            with socket.create_connection(("127.0.0.1", self.report_port)) as registrar:
                registrar.sendall(data)
                registrar.recv(200)

    def end(self, sock: socket.socket, board: Board, seat: Seat) -> None:
        outcome = GAME.phase(board)
        assert isinstance(outcome, Outcome)
        if self.ends and outcome.scores[seat] != 1:
            sock.sendall(self.frame("EGALITE" if outcome.scores[0] == outcome.scores[1] else "PERDU"))

    def hear(self, sock: socket.socket) -> str:
        while b"\0" not in self.words:
            try:
                more = sock.recv(4096)
            except OSError:
                return ""
            if not more:
                return ""
            self.words += more
        word, _, self.words = self.words.partition(b"\0")
        return word.decode()


@contextmanager
def defending(robot: Robot) -> Iterator[int]:
    """Let a robot answer challenges, one after the other."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    sock, _ = server.accept()
                except OSError:
                    return
                robot.words = b""
                with sock:
                    try:
                        robot.play(sock, FIRST)
                    except OSError:
                        continue

        thread = Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


def looked_at(robot: Robot, *options: str) -> Result:
    report = str(robot.report_port)
    with defending(robot) as port:
        return CliRunner().invoke(draughts, ["test", f"127.0.0.1:{port}", "--report-port", report, "--seed", "3", *options])


def test_a_good_defender_has_no_faults() -> None:
    done = looked_at(Robot(free_port()))
    assert done.exit_code == 0, done.output
    assert done.output.count("good") == 2, done.output
    assert "no faults; now its attacker: arbitre draughts test --listen 7777" in done.output


def test_a_good_attacker_has_no_faults() -> None:
    robot, port = Robot(free_port()), free_port()

    def attack() -> None:
        for _ in range(2):
            robot.words = b""
            while True:
                try:
                    with socket.create_connection(("127.0.0.1", port)) as sock:
                        robot.play(sock, SECOND)
                    break
                except ConnectionRefusedError:
                    continue

    thread = Thread(target=attack)
    thread.start()
    done = CliRunner().invoke(draughts, ["test", "--listen", str(port), "--report-port", str(robot.report_port)])
    thread.join()
    assert done.exit_code == 0, done.output
    assert done.output.count("good") == 2, done.output


def shorter(data: bytes) -> bytes:
    return data[:17] + data[17:].rstrip(b"\0")[:-2]


def swapped(data: bytes) -> bytes:
    return b"\x01" + data[1:]


BROKEN: dict[str, tuple[Callable[[int], Robot], str]] = {
    "no end": (lambda port: Robot(port, frame=str.encode), "remark: framing: words without an end cost 0.4 seconds each"),
    "lines": (lambda port: Robot(port, frame=lambda word: f"{word}\n".encode()), "remark: framing: words end with a line break"),
    "padded": (lambda port: Robot(port, frame=lambda word: word.encode().ljust(100, b"\0")), "remark: framing: blocks padded"),
    "no PERDU": (lambda port: Robot(port, ends=False), "remark: ends: it did not say "),
    "colour": (lambda port: Robot(port, changed=swapped), "fault: report: octet 1 says black, and the robot was white"),
    "address": (
        lambda port: Robot(port, changed=lambda data: data[:1] + mapped("192.0.2.9").packed + data[17:]),
        "fault: report: octets 2 to 17 name 192.0.2.9 as the opponent, who was 127.0.0.1",
    ),
    "stops": (lambda port: Robot(port, changed=shorter), "and nothing but zeros follows"),
    "a text": (lambda port: Robot(port, changed=lambda _: b"FF 31-26"), "fault: report: octet 1 is 46: it is FF for white"),
    "no report": (lambda _: Robot(), ""),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_what_is_wrong_is_said_in_words(fault: str) -> None:
    make, words = BROKEN[fault]
    robot = make(free_port())
    if fault == "no end":
        robot.said = {6: "31-"}  # a whole game would take its time
    done = looked_at(robot)
    assert words in done.output, done.output
    assert done.exit_code == (1 if "fault:" in done.output else 0)


def test_a_report_that_does_not_come_is_missed() -> None:
    robot = Robot()
    with defending(robot) as port:
        given = ["test", f"127.0.0.1:{port}", "--report-port", str(free_port()), "--wait", "0.2"]
        done = CliRunner().invoke(draughts, given)
    assert "fault: report: none came within 0.2 seconds" in done.output
    assert done.exit_code == 1


def test_where_the_usual_port_is_taken_no_report_is_heard() -> None:
    with ExitStack() as stack, defending(Robot()) as port:
        with suppress(OSError):  # then somebody else has it, which is as well
            stack.enter_context(socket.create_server(("::", 5777), family=socket.AF_INET6, dualstack_ipv6=True))
        done = CliRunner().invoke(draughts, ["test", f"127.0.0.1:{port}"])
    assert "no report is heard: cannot listen on [::]:5777: " in done.output
    assert done.exit_code == 0, done.output


SAID = {
    "BONJOUR": "after the connection: the peer said 'BONJOUR', which the league does not know; a move is written 32-27",
    "PERDU": "after the connection: the peer said PERDU and the game is not over; PERDU is for the side that cannot move",
    "INTERUPTION": "after the connection: the peer said 'INTERUPTION'; it interrupted the game",
    "32-29": "after the connection it said '32-29': illegal move 32-29: a man moves one square diagonally forward",
}


@pytest.mark.parametrize("word", SAID)
def test_a_wrong_word_is_quoted(word: str) -> None:
    robot = Robot()
    robot.said = {0: word}
    done = looked_at(robot)
    assert f"fault: {SAID[word]}" in done.output, done.output
    assert done.exit_code == 1


def test_silence_and_moves_that_are_not_checked_are_faults() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        given = ["test", f"127.0.0.1:{silent.getsockname()[1]}", "--report-port", "0", "--time", "0.5"]
        done = CliRunner().invoke(draughts, given)
    assert "fault: silence: 0.5 seconds without its first move after the connection" in done.output
    robot = Robot()
    robot.doubts = False
    done = looked_at(robot)
    assert "fault: it answered '19-23' to 1-50, which is never legal: check every move of the other" in done.output


@pytest.mark.parametrize("line", ["test", "test host --listen 7777", "test host --time 0"])
def test_wrong_calls_are_usage_errors(line: str) -> None:
    assert CliRunner().invoke(draughts, line.split()).exit_code == 2


# ── reports ────────────────────────────────────────────────────────────────────────────────────────────────────────


def judged(folder: Path, *reports: bytes, as_json: bool = False) -> Result:
    paths = []
    for number, data in enumerate(reports):
        paths.append(folder / f"{number}.report")
        paths[-1].write_bytes(data)
    return CliRunner().invoke(draughts, ["judge", *map(str, paths), *(["--json"] if as_json else [])])


def test_both_reports_of_a_game_are_judged_again(tmp_path: Path) -> None:
    done = judged(tmp_path, white(BOB, 1), black(ANN, 1))
    assert done.exit_code == 0
    first, second, last = done.output.splitlines()
    assert f"white's, against {BOB}: {len(game(1))} moves, " in first
    assert f"black's, against {ANN}: {len(game(1))} moves, " in second
    assert last == "they are the two versions of one game"
    told = json.loads(judged(tmp_path, white(BOB, 1).hex(" ").encode(), as_json=True).output)
    assert told["reports"][0]["moves"] == [str(move) for move in game(1)], "as hexadecimal digits, too"


@pytest.mark.parametrize("other", [white(ANN, 1), black(ANN, 2)], ids=["the same side twice", "another game"])
def test_reports_that_do_not_confirm_each_other(tmp_path: Path, other: bytes) -> None:
    done = judged(tmp_path, white(BOB, 1), other)
    assert (done.exit_code, done.output.splitlines()[-1]) == (1, "they do not confirm each other")


HEAD = b"\xff" + mapped(BOB).packed
REFUSED = {
    b"": "octet 1 is nothing: it is FF for white, 01 for black",
    b"\x02" + HEAD[1:]: "octet 1 is 02: it is FF for white, 01 for black",
    HEAD: "move 1: the game is not over after move 0, and nothing but zeros follows",
    HEAD + bytes((31 + 128, 50 + 128)): "move 1: 31-50 is not legal there; legal: ",
    HEAD + bytes((31 + 128, 26)): "a move without capture is two octets, each its square + 128 (81 to B2)",
    HEAD + b"\x40\x40": "octets 40 40 00 00 from octet 18 on are no move: a square is 01 to 32, the last one of a move 81 to B2",
    HEAD + bytes((31, 26)): "a capture is one octet 01 to 32 for each square, and the last square + 128 (81 to B2)",
    white(BOB, 1).rstrip(b"\0") + b"\x81\x86": "the game is over after move ",
}


@pytest.mark.parametrize("data", REFUSED, ids=range(len(REFUSED)))
def test_a_refused_report_is_explained(tmp_path: Path, data: bytes) -> None:
    done = judged(tmp_path, data.ljust(256, b"\0") if data else b"")
    assert done.exit_code == 1
    assert REFUSED[data] in done.output


def test_what_is_sound_is_not_explained() -> None:
    assert all(why_refused(white(BOB, seed)) is None for seed in range(1, 5))
