"""Random games per CPU second of the games that OpenSpiel has too; where the rules differ, the row says how."""

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random

from arbitre.games.catalogue import game, listing
from arbitre.games.game import AnyGame, playout
from arbitre.values import value
from bench.rules_reversi import OPENSPIEL, SCRIPT
from bench.table import Row, ask, peer, rate

SECONDS = 3


@value
class Pairing:
    """A game of ours with its options, OpenSpiel's name for it, and what is not the same."""

    name: str
    options: Mapping[str, object]
    theirs: str
    difference: str = ""


FLEETS = "board_width=10,board_height=10,ship_sizes=[5;4;3;3;2],ship_values=[1;1;1;1;1],num_shots=100,allow_repeated_shots=false"

PAIRINGS = (
    Pairing("tictactoe", {}, "tic_tac_toe"),
    Pairing("reversi", {}, "othello"),
    Pairing("rochambeau", {"limit": 1}, "matrix_rps", "one round"),
    Pairing(
        "kriegspiel",
        {"repetition": True, "fifty": True, "plies": 0},
        "kriegspiel",
        "both draw rules on; the umpires announce different things",
    ),
    Pairing("seafight", {}, f"battleship({FLEETS})", "ours lays a fleet at once, theirs ship by ship"),
)
"""Not here: checkers is another game than draughts, and universal_poker has other betting than our poker."""


def play(table: AnyGame, random: Random) -> int:
    """Play one random game to its end."""
    for _ in playout(table, random):
        pass
    return 1


def measure() -> Iterator[Row]:
    """Play each pairing on both sides, with moves chosen at random among the legal ones."""
    python = peer("openspiel", OPENSPIEL)
    for one in PAIRINGS:
        theirs = ask(python, SCRIPT, "games", one.theirs, str(SECONDS))["rate"]
        ours = rate(partial(play, game(one.name, one.options), Random(1)), SECONDS)
        what = f"{listing(one.name).title}: random games" + (f" ({one.difference})" if one.difference else "")
        yield Row(what, ours, "OpenSpiel from Python", theirs)
