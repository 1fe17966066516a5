"""A first bot, with the library: it says some legal move."""

from arbitre.bot import Bot, Position, run


class Careless(Bot):
    """Says some legal move."""

    def move(self, position: Position) -> str:
        """Say some legal move."""
        return position.sample(self.random)


if __name__ == "__main__":
    run(Careless)
