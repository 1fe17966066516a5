"""Small boards: what a card, a wall or the home page shows of a match, as one value that pages draw and streams send.

Everybody sees a spectator's view, and everything when the match is over; nothing else goes in. Boards are values: two that are
equal look alike, so a feed tells only those that differ from the last look.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

from arbitre.games.game import AnyGame, Eye
from arbitre.games.miniature import miniature_of
from arbitre.referee.scenes import Scene
from arbitre.referee.story import Told, tell
from arbitre.site import matches
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch
from arbitre.values import value
from arbitre.web.house import WebApp
from arbitre.web.lists import all_names, listing_of
from arbitre.words import Words

Going: TypeAlias = Literal["waiting", "playing", "over", "replay"]

MOST_KEPT = 1_000
"""Pictures of matches that are over that a site remembers."""
MOST_FRAMES = 240
"""Pictures of a film."""


@value
class SmallBoard:
    """A match as a card shows it."""

    id: str
    game: str
    title: str
    names: tuple[str, ...]
    marks: tuple[str, str]
    state: Going
    ply: int = 1
    awaits: tuple[int, ...] = ()
    tally: tuple[int, int] | None = None
    winner: int | None = None
    """The seat that won; None while it is played, and after a draw."""
    picture: str = ""
    """An SVG of ours; empty where the game draws none."""
    number: int = 0

    @property
    def href(self) -> str:
        """Where the match is."""
        return f"/games/{self.id}"

    @property
    def drawn(self) -> Markup:
        """The picture as a page has it."""
        return Markup(self.picture)  # noqa: S704 - made by a game of the catalogue, of numbers

    def told(self) -> dict[str, Any]:
        """Return what a stream says of it."""
        return {
            "id": self.id, "game": self.game, "title": self.title, "names": self.names, "marks": self.marks, "state": self.state,
            "ply": self.ply, "awaits": self.awaits, "tally": self.tally, "winner": self.winner, "picture": self.picture,
        }  # fmt: skip


BLANK = SmallBoard("", "", "", ("", ""), ("", ""), "playing", tally=(0, 0))
"""What a script makes cards from, for matches that begin while a page is open."""


def picture_of(game: AnyGame, view: Any, before: Any = None) -> str:
    """Return the small picture of a view, empty where the game draws none."""
    small = miniature_of(game)
    return "" if small is None else small.draw(game, view, before)


def _framed(sitting: ArenaMatch, names: Sequence[str], language: str, state: Going, scene: Scene | None) -> SmallBoard:
    game = sitting.plan.game
    small = miniature_of(game)
    verdict = None if scene is None else scene.verdict
    scores = None if verdict is None else verdict.scores
    best = [] if not scores else [seat for seat, score in enumerate(scores) if score == max(scores)]
    return SmallBoard(
        sitting.name,
        game.name,
        sitting.title or listing_of(game).called(language),
        tuple(names[: game.seats - len(game.neutral)]),
        ("first", "second") if small is None else small.marks,
        state,
        ply=1 if scene is None else max(1, scene.number),
        awaits=() if scene is None or verdict is not None else tuple(sorted(scene.awaits)),
        tally=None if small is None or scene is None else small.tally(scene.view),
        winner=best[0] if len(best) == 1 else None,
        picture="" if scene is None else picture_of(game, scene.view, scene.before),
        number=sitting.number,
    )


def board_live(live: Live, names: Sequence[str], language: str) -> SmallBoard:
    """Return a match that is being played, or that was a moment ago."""
    seen = live.scenes("spectator")
    return _framed(live.sitting, names, language, "over" if live.decided else "playing", seen[-1] if seen else None)


def board_past(sitting: ArenaMatch, names: Sequence[str], language: str, scene: Scene) -> SmallBoard:
    """Return a moment of a match that is over, shown again."""
    return _framed(sitting, names, language, "replay", scene)


class Album:
    """The last pictures of matches that are over: each is worked out once, beside everything else."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, tuple[int, int] | None, int | None, int]] = OrderedDict()

    async def find(self, house: WebApp, sitting: ArenaMatch) -> tuple[str, tuple[int, int] | None, int | None, int]:
        """Return picture, tally, winner and number of moves."""
        found = self._kept.pop(sitting.name, None)
        if found is None:
            record = house.store.record(sitting.name)
            found = await asyncio.to_thread(lambda: _ended(sitting.plan.game, tell(record)))
        self._kept[sitting.name] = found
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return found


def _ended(game: AnyGame, told: Told) -> tuple[str, tuple[int, int] | None, int | None, int]:
    """Return how a match ended: everything is open then."""
    eye: Eye = "referee"
    truths = [told.start.truth, *(one.affairs.truth for one in told.moments)]
    view = game.view(truths[-1], eye)
    before = next((one for one in reversed(truths[:-1]) if one != truths[-1]), None)
    small = miniature_of(game)
    verdict = told.last.verdict
    scores = () if verdict is None or verdict.scores is None else verdict.scores
    best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    return (
        picture_of(game, view, None if before is None else game.view(before, eye)),
        None if small is None else small.tally(view),
        best[0] if len(best) == 1 else None,
        len(truths),
    )


def film_of(game: AnyGame, told: Told) -> list[dict[str, Any]]:
    """Return a match that is over as pictures, each with its tally: everything is open; of a long one, evenly chosen moments."""
    eye: Eye = "referee"
    truths = [told.start.truth, *(one.affairs.truth for one in told.moments)]
    views = [game.view(one, eye) for one, before in zip(truths, [None, *truths[:-1]], strict=True) if one != before]
    small = miniature_of(game)
    pairs = list(zip(views, [None, *views[:-1]], strict=True))
    last = len(pairs) - 1
    some = pairs if last < MOST_FRAMES else [pairs[at * last // (MOST_FRAMES - 1)] for at in range(MOST_FRAMES)]
    return [
        {"picture": picture_of(game, view, before), "tally": None if small is None else small.tally(view)}
        for view, before in some
    ]


async def boards_of(house: WebApp, sittings: tuple[ArenaMatch, ...], words: Words) -> list[SmallBoard]:
    """Return several matches as cards show them: live ones as they stand, others as they ended, or as they will begin."""
    names = await all_names(house, tuple(one.plan for one in sittings), words)
    live = {one.name: seen for one in sittings if (seen := await matches.watched(house, one)) is not None}
    found = []
    for one, called in zip(sittings, names, strict=True):
        if one.name in live:
            found.append(board_live(live[one.name], called, words.language))
            continue
        state: Going = "over" if one.state == "decided" else one.state  # how it ended, and nothing of it, before it is sealed
        plain = _framed(one, called, words.language, state, None)
        if one.state == "over":
            picture, tally, winner, ply = await house.album.find(house, one)
            plain = SmallBoard(
                plain.id, plain.game, plain.title, plain.names, plain.marks, "over", ply, (), tally, winner, picture, plain.number
            )
        found.append(plain)
    return found
