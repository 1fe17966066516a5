"""Lines of the arcade: one table for reader and writer, fed whole, octet by octet and with a tail; and any octets at all."""

import pytest
from gmpy2 import mpz
from hypothesis import given
from hypothesis import strategies as st

from arbitre.arcade.wire import LONGEST, Command, LineReader, Sign, Verb, beats, read_command
from arbitre.errors import PlayerGarbledError
from tests.reasons import raises

P, F, C = Sign.PIERRE, Sign.FEUILLE, Sign.CISEAUX

CASES = [
    ("GROUP 17 2 b", Command(Verb.GROUP, (mpz(0x17), mpz(2), mpz(0xB))), "GROUP 17 2 b"),
    ("PKEY d", Command(Verb.PKEY, (mpz(0xD),)), "PKEY d"),
    ("PKEY 0xD", Command(Verb.PKEY, (mpz(0xD),)), "PKEY d"),
    ("COMMIT 9 10", Command(Verb.COMMIT, (mpz(9), mpz(0x10))), "COMMIT 9 10"),
    ("\tCOMMIT\t 0009  0x0010\t", Command(Verb.COMMIT, (mpz(9), mpz(0x10))), "COMMIT 9 10"),
    ("COMMIT 0 0", Command(Verb.COMMIT, (mpz(0), mpz(0))), "COMMIT 0 0"),
    ("MOVE PIERRE", Command(Verb.MOVE, (), P), "MOVE PIERRE"),
    ("MOVE 504945525245", Command(Verb.MOVE, (), P), "MOVE PIERRE"),
    ("MOVE 0x464555494C4C45", Command(Verb.MOVE, (), F), "MOVE FEUILLE"),
    ("MOVE 0043495345415558", Command(Verb.MOVE, (), C), "MOVE CISEAUX"),
    ("OPEN 5 # my secret", Command(Verb.OPEN, (mpz(5),)), "OPEN 5"),
    ("OK", Command(Verb.OK), "OK"),
    ("REFEREE#é", Command(Verb.REFEREE), "REFEREE"),
    ("PKEY " + "f" * 2048, Command(Verb.PKEY, (mpz("f" * 2048, 16),)), "PKEY " + "f" * 2048),
]

NOTHING = ["", " ", "\t", "# hello", "   # OK", "#", "# é ", "\r"]

GARBLED = [
    "ok",
    "OKAY",
    "HELLO WORLD",
    "OK now",
    "REFEREE 1",
    "PKEY",
    "PKEY 1 2",
    "GROUP 1 2",
    "COMMIT 1",
    "MOVE",
    "MOVE pierre",
    "MOVE CISEAU",
    "MOVE 505152",
    "MOVE PIERRE FEUILLE",
    "OPEN -5",
    "OPEN +5",
    "OPEN 1_0",
    "OPEN 0x",
    "OPEN 0X5",
    "OPEN 5.0",
    "OPEN 5h",
    "OPEN ５",
    "OPEN ٥",
    "OPEN " + "0" * 2049,
    "PKEY\u00a05",
    "PKEY\x0b5",
    "OK\x00",
    "OK " + " " * LONGEST,
]


@pytest.mark.parametrize(("text", "command", "canonical"), CASES)
def test_commands_are_read_and_written(text: str, command: Command, canonical: str) -> None:
    assert read_command(text) == command
    assert command.line() == canonical
    assert read_command(canonical) == command


@pytest.mark.parametrize("text", NOTHING)
def test_comments_and_blank_lines_are_nothing(text: str) -> None:
    assert read_command(text) is None


@pytest.mark.parametrize("text", GARBLED)
def test_what_is_no_command_is_said_to_be_none(text: str) -> None:
    with pytest.raises(PlayerGarbledError) as caught:
        read_command(text)
    assert len(str(caught.value)) < 200


WIRE = b"PKEY d\r\nCOMMIT 9 8\n\n# c\nMOVE PIERRE\nrest"
LINES = ["PKEY d", "COMMIT 9 8", "", "# c", "MOVE PIERRE"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(WIRE)])
def test_lines_come_whole_however_octets_arrive(size: int) -> None:
    reader = LineReader()
    lines = [line for at in range(0, len(WIRE), size) for line in reader.receive(WIRE[at : at + size])]
    assert lines == LINES
    assert list(reader.receive(b" of it\n")) == ["rest of it"]


@pytest.mark.parametrize("extra", [0, 1, 2, 3, 100_000])
def test_long_lines_are_faults_and_do_not_fill_the_memory(extra: int) -> None:
    reader = LineReader()
    text = b"OK" + b" " * (LONGEST - 2 + extra)
    for at in range(0, len(text), 1000):
        assert list(reader.receive(text[at : at + 1000])) == []
        assert len(reader._data) <= LONGEST + 2
    (line,) = reader.receive(b"\r\n")
    if extra:
        assert len(line) == LONGEST + 1
        with raises(PlayerGarbledError, "arcade-long-line", most=8192):
            read_command(line)
    else:
        assert read_command(line) == Command(Verb.OK)
    assert list(reader.receive(b"OK\n")) == ["OK"]


@given(st.lists(st.binary(max_size=200)))
def test_any_octets_give_lines_and_each_line_a_command_nothing_or_a_fault(pieces: list[bytes]) -> None:
    reader = LineReader()
    lines = [line for piece in pieces for line in reader.receive(piece)]
    assert lines == list(LineReader().receive(b"".join(pieces)))
    for line in lines:
        line.encode("ascii")
        try:
            command = read_command(line)
        except PlayerGarbledError:
            continue
        assert command is None or read_command(command.line()) == command


def test_who_beats_whom() -> None:
    assert {(one.name, two.name) for one in Sign for two in Sign if beats(one, two)} == {
        ("PIERRE", "CISEAUX"),
        ("CISEAUX", "FEUILLE"),
        ("FEUILLE", "PIERRE"),
    }
