"""Anyone: says some legal move. Where there is no better engine, there is always somebody to play."""

from arbitre.games.player import Bot, Position


class Anyone(Bot):
    """Says some legal move."""

    def move(self, position: Position) -> str:
        """Say some legal move."""
        return position.sample(self.random)
