"""A competition as a show: the small boards of its round, one source for its page and for its wall.

The boards are those of the round that is being played, live and over, so that one sees a round fill up. What was worked out about
a match that is over is kept while it is shown and no longer, so a day of games takes no more room than one round.
"""

import asyncio
from dataclasses import replace

from arbitre.site.competitions.competitions import Competition, CompetitionId
from arbitre.web.feed import MOST_BOARDS, Feed
from arbitre.web.house import WebApp
from arbitre.web.smalls import SmallBoard, boards_of
from arbitre.words import Words


class RoundBoards:
    """The source of the boards of one competition."""

    def __init__(self, house: WebApp, number: CompetitionId, words: Words) -> None:
        self._house = house
        self._number = number
        self._words = words
        self._over: dict[str, SmallBoard] = {}

    async def __call__(self) -> list[SmallBoard]:
        """Return the boards in the order of their games."""
        found = await asyncio.to_thread(self._house.community.competitions.find, self._number)
        board = await self._house.scoreboard.show(found)
        names = [] if board is None else [board.games[one.number] for one in board.shown(MOST_BOARDS)]
        missing = tuple(self._house.arena.sitting(name) for name in names if name not in self._over)
        made = {one.id: self._said(one) for one in await boards_of(self._house, missing, self._words)}
        boards = [self._over.get(name) or made[name] for name in names]
        self._over = {one.id: one for one in boards if one.state == "over" and self._house.arena.seen(one.id) is None}
        return boards

    def _said(self, board: SmallBoard) -> SmallBoard:
        """Return a board whose title says how far it is: that it belongs to this competition is plain here."""
        _ = self._words
        return replace(board, title=_("over") if board.state == "over" else _("move %(number)s", number=board.ply))


def feed_of(house: WebApp, competition: Competition, words: Words) -> Feed:
    """Return what pages of a competition follow."""
    return house.feeds.of(f"compete/{competition.id}", words, lambda: RoundBoards(house, competition.id, words))
