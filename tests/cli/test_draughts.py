"""`arbitre draughts perft` as a dialogue."""

import pytest
from click.testing import CliRunner

from arbitre.cli.draughts import draughts
from arbitre.errors import PositionError


def run(line: str) -> str:
    done = CliRunner().invoke(draughts, line.split(), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("perft --depth 0", "1\n"),
        ("perft --depth 1", "9\n"),
        ("perft --depth 4", "4265\n"),
        ("perft --fen B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46 --depth 1", "14\n"),
        ("perft --fen B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46 --depth 1 --count O", "178\n"),
        ("perft --fen B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46 --depth 1 --count p", "436\n"),
        ("perft --fen W:W28:B22,12,13,23 --depth 1 --divide", "28x17x8x19x28 1\n1\n"),
        ("perft --fen W:W28:B22,12,13,23 --depth 1 --count P --divide", "28x17x8x19x28 2\n2\n"),
        ("perft --fen W:W26:B12,K21,31,32 --depth 1 --divide", "26x17x8 1\n26x37x28 1\n2\n"),
        ("perft --fen B:W31:B --depth 3", "0\n"),
    ],
)
def test_perft(line: str, said: str) -> None:
    assert run(line) == said


def test_a_bad_position_is_the_users_error() -> None:
    with pytest.raises(PositionError, match="square 31 is named twice"):
        run("perft --fen W:W31,31:B1 --depth 1")


@pytest.mark.parametrize("line", ["perft", "perft --depth x", "perft --depth -1", "perft --depth 1 --count Q"])
def test_bad_options_are_usage_errors(line: str) -> None:
    assert CliRunner().invoke(draughts, line.split()).exit_code == 2
