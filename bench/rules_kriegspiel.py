"""Attempts judged by a Kriegspiel umpire, beside the package `kriegspiel`, on the same games with the same attempts.

An attempt is judged in full: may the mover try it, does the true board allow it, what is announced, is the game over. The
games are random, each try drawn alike from all that the mover's own pieces allow; they stop where the package sees a draw and we
do not.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from arbitre.games.game import Awaits
from arbitre.games.kriegspiel.rules import Kriegspiel, Try
from bench.table import ROOT, Row, ask, peer, rate

GAME = Kriegspiel(plies=200)
SEED = 1899
GAMES = 20


def games() -> list[list[Try]]:
    """Return the attempts of random games, the refused ones too."""
    random = Random(SEED)
    drawn = []
    for _ in range(GAMES):
        state = GAME.start()
        tries: list[Try] = []
        while state.end is None and not state.board.is_insufficient_material():
            tries.append(random.choice(list(GAME.legal(GAME.view(state, state.mover)))))
            state = GAME.play(state, {state.mover: tries[-1]})
        drawn.append(tries)
    return drawn


def judge(drawn: list[list[Try]]) -> int:
    """Judge every attempt of every game and return how many moves were made."""
    made = 0
    for tries in drawn:
        state = GAME.start()
        for tried in tries:
            phase = GAME.phase(state)
            if not isinstance(phase, Awaits):
                raise TypeError(f"the game ended before its last attempt: {phase}")
            (seat,) = phase.seats
            GAME.check(GAME.view(state, seat), tried)
            before, state = state, GAME.play(state, {seat: tried})
            made += state.board is not before.board
    return made


def measure() -> Iterator[Row]:
    """Judge the same attempts here and there."""
    drawn = games()
    attempts = sum(map(len, drawn))

    def work() -> int:
        judge(drawn)
        return attempts

    ours = rate(work, 3)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "attempts.json"
        path.write_text(json.dumps([[tried.uci() for tried in tries] for tries in drawn]))
        there = ask(peer("kriegspiel", "kriegspiel==1.7.3"), ROOT / "bench" / "peers" / "umpire.py", str(path))
    made = judge(drawn)
    if there["made"] != made:
        raise RuntimeError(f"{there['made']} moves were made there, {made} here: the figures cannot be compared")
    what = f"Kriegspiel: attempts judged per CPU second ({made:,} moves made, {attempts - made:,} refused)"
    yield Row(what, ours, "kriegspiel 1.7.3", there["rate"], aim=3)
