"""A bot in ten lines: shows what the other showed in the round before.

python mirror.py localhost:3232
"""

import sys
from collections.abc import Sequence

from arbitre.arcade.side import Throw
from arbitre.arcade.visitor import Player, join


class Mirror(Player):
    name = "mirror"

    def throw(self, past: Sequence[Throw]) -> str:
        return past[-1].theirs.name if past else "PIERRE"


if __name__ == "__main__":
    print(join(sys.argv[1], Mirror()).reason)
