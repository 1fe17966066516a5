"""Plays each level of the house against the one below, the lowest against `random`, and writes the results into the manual.

python -m tests.games.gauntlet                      every level of every game
python -m tests.games.gauntlet reversi pente/5      every level of one game, and one level of another
python -m tests.games.gauntlet --games 200 …        so many games each instead of 100; seats change, two games to a seed
python -m tests.games.gauntlet --jobs 16 …          side by side on so many cores instead of one
python -m tests.games.gauntlet --dry …              say it only

Players think to their fixed depth or number of positions, without a clock: results depend on the seeds alone. An error is two
standard errors.
"""

import re
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.games.levels import levels
from tests.games.arena import course
from tests.house import HOUSE

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs" / "engines.md", ROOT / "docs" / "fr" / "engines.md")
OPTIONS: dict[str, dict[str, object]] = {"draughts": {"plies": 200}, "bigtictactoe": {"first": True}}
"""Under the league's hundred plies most games of draughts between neighbours are drawn, and where the most rows win almost every
game of BigTicTacToe between those who know how to prevent one."""


def main() -> None:
    """Play, say and write."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*", metavar="GAME[/LEVEL]")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--dry", action="store_true")
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for name, number in wanted(asked.players):
            said = result(name, number, asked.games, pool)
            print(f"house:{name}/{number}: {said}", flush=True)
            if not asked.dry:
                for page in PAGES:
                    there = said.replace(" %", "\N{NO-BREAK SPACE}%") if page.parent.name == "fr" else said
                    page.write_text(written(page.read_text(encoding="utf-8"), name, number, there), encoding="utf-8")


def wanted(players: list[str]) -> Iterator[tuple[str, int]]:
    """List games and levels."""
    for player in players or HOUSE:
        name, _, level = player.partition("/")
        if name not in HOUSE:
            sys.exit(f"arbitre: error: the house plays no {name!r}; it plays {' '.join(HOUSE)}")
        most = len(levels(name))
        if level and (not level.isdecimal() or not 1 <= int(level) <= most):
            sys.exit(f"arbitre: error: the house plays {name} at levels 1 to {most}, not {level!r}")
        yield from ((name, number) for number in ([int(level)] if level else range(1, most + 1)))


def result(name: str, number: int, games: int, pool: Executor) -> str:
    """Return the share of the points that a level takes from the one below, with its error and the number of games."""
    points = list(pool.map(taken, [name] * games, [number] * games, range(games)))
    share = sum(points) / games
    spread = sum((point - share) ** 2 for point in points) / games
    return f"{100 * share:.0f} ± {200 * (spread / games) ** 0.5:.0f} % ({games})"


def taken(name: str, number: int, nth: int) -> float:
    """Return what a level takes from the one below in a game."""
    table, makers = game(name, OPTIONS.get(name, {})), (Anyone, *levels(name))
    swap = nth % 2
    pair = (makers[number - 1], makers[number])
    _, end = course(table, pair if swap else pair[::-1], f"gauntlet/{nth // 2}")
    return float(end.scores[swap])


def written(page: str, name: str, number: int, said: str) -> str:
    """Return a page with a result in the last column of a player's row."""
    row = re.compile(rf"^(\|[^|]*\| `house:{name}/{number}` \|[^|]*\|)[^|]*\|$", re.MULTILINE)
    if not row.search(page):
        sys.exit(f"arbitre: error: the manual has no row for house:{name}/{number}")
    return row.sub(rf"\1 {said} |", page)


if __name__ == "__main__":
    main()
