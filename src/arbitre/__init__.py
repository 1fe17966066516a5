"""Arbitre: a referee for games between programs and people who do not trust each other.

One idea runs through everything: a verdict is a pure function of a transcript. Start reading at `arbitre.games.game`.
"""

__version__ = "0.1.0"
