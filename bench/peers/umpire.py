"""Judge attempts with the package `kriegspiel`: run in its own environment, with the file of attempts as the argument.

Its rule set Wild 16 announces what ours does: kinds of check, pieces and pawns gone, the number of pawn captures.
"""

import json
import sys
from pathlib import Path
from time import process_time

import chess
from kriegspiel.move import KriegspielMove, QuestionAnnouncement  # type: ignore[import-untyped]
from kriegspiel.wild16 import Wild16Game  # type: ignore[import-untyped]


def judge(games: list[list[KriegspielMove]]) -> int:
    """Judge every attempt of every game and return how many moves were made."""
    made = 0
    for tries in games:
        umpire = Wild16Game()
        for tried in tries:
            made += umpire.ask_for(tried).move_done
    return made


def main() -> None:
    """Print the attempts per CPU second as JSON, after one round to warm up."""
    texts = json.loads(Path(sys.argv[1]).read_text())
    games = [[KriegspielMove(QuestionAnnouncement.COMMON, chess.Move.from_uci(text)) for text in tries] for tries in texts]
    attempts = sum(map(len, games))
    made = judge(games)
    done, start = 0, process_time()
    while (spent := process_time() - start) < 3:
        judge(games)
        done += attempts
    print(json.dumps({"rate": done / spent, "made": made}))


if __name__ == "__main__":
    main()
