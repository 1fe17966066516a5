"""`python -m tests.games.ladder [GAME …]`: how each level fares against the one below and against anyone, as the manual quotes.

Times are those of the process that plays, so they depend on the machine; results do not.
"""

import sys
from random import Random
from time import process_time

from arbitre.bot import Bot, Position
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.games.game import AnyGame
from arbitre.games.levels import Make, levels
from tests.games.arena import course

OPTIONS: dict[str, dict[str, object]] = {"draughts": {"plies": 200}}
"""Under the league's hundred plies most games of draughts between neighbours are drawn."""

GAMES = {
    "tictactoe": 200,
    "rochambeau": 200,
    "bigtictactoe": 50,
    "pente": 50,
    "reversi": 50,
    "mastermind": 200,
    "seafight": 200,
    "poker": 100,
    "draughts": 50,
    "kriegspiel": 100,
}


class Timed(Bot):
    """A player whose thoughts are timed."""

    spent = 0.0
    asked = 0

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot.random)
        self.bot = bot

    def move(self, position: Position) -> str:
        """Let the player think."""
        start = process_time()
        said = self.bot.move(position)
        Timed.spent += process_time() - start
        Timed.asked += 1
        return said


def meet(table: AnyGame, one: Make, two: Make, games: int) -> str:
    """Return the result of a match as percentage of the points, with wins, draws and losses."""

    def timed(random: Random) -> Bot:
        return Timed(one(random))

    points, results = 0.0, [0, 0, 0]
    for number in range(games):
        swap = number % 2
        _, end = course(table, (two, timed) if swap else (timed, two), f"ladder/{number // 2}")
        score = float(end.scores[swap])
        points += score
        results[0 if score == 1 else 2 if score == 0 else 1] += 1
    return f"{100 * points / games:.0f} % (+{results[0]} ={results[1]} −{results[2]})"


def main(names: list[str]) -> None:
    """Print the table."""
    print("| player | games | against the level below | against `random` | ms per move |\n|---|---:|---:|---:|---:|")
    for name in names or GAMES:
        table = game(name, OPTIONS.get(name, {}))
        makers = (Anyone, *levels(name))
        for number in range(1, len(makers)):
            Timed.spent, Timed.asked = 0.0, 0
            below = meet(table, makers[number], makers[number - 1], GAMES[name]) if number > 1 else ""
            anyone = meet(table, makers[number], Anyone, GAMES[name])
            thought = 1000 * Timed.spent / Timed.asked
            print(f"| `house:{name}/{number}` | {GAMES[name]} | {below} | {anyone} | {thought:.2g} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
