"""The scenes of a match as a stream of a visitor's words: what pages and programs hear alike, line by line, until it is over."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from json import dumps
from time import monotonic

from arbitre.games.game import Eye, Seat
from arbitre.referee.scenes import Scene
from arbitre.site.added_trial import frame_of
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.matches import BEAT_SECONDS, follow, people, return_address
from arbitre.web.house import WebApp
from arbitre.web.lists import names_of
from arbitre.web.telling import Teller, screen_for
from arbitre.words import Words


async def teller_of(house: WebApp, sitting: ArenaMatch, words: Words, *, mute: bool = False, below: Seat | None = None) -> Teller:
    """Return who tells a match to somebody."""
    screen = screen_for(sitting.plan.game, people(sitting.plan))
    return Teller(screen, await names_of(house, sitting.plan, words), words, game=sitting.plan.game, mute=mute, below=below)


class Beat:
    """Tells when a quiet stream says that it is still there: never because of something that this eye does not see."""

    def __init__(self) -> None:
        self._last = monotonic()

    def said(self) -> None:
        """Take down that something was said."""
        self._last = monotonic()

    def due(self) -> bool:
        """Tell whether nothing was said for a while; if so, something is now."""
        due = monotonic() - self._last >= 0.9 * BEAT_SECONDS
        if due:
            self.said()
        return due


async def told_for(
    house: WebApp, sitting: ArenaMatch, eye: Eye, after: int, teller: Teller
) -> AsyncIterator[tuple[int, str] | str]:
    """Yield the scenes of a game, number and words, as they come; a slip of the player's as a text; "" now and then."""
    live, beat = house.arena.look(sitting.name), Beat()
    seated = {} if live is None else live.people
    slips = seated[eye].slips if isinstance(eye, int) and eye in seated else 0
    async with aclosing(follow(house, sitting.name, eye, after)) as scenes:  # type: ignore[type-var]
        async for scene in scenes:
            person = seated.get(eye) if isinstance(eye, int) else None
            if person is not None and person.slips != slips:
                slips = person.slips
                if person.slip:
                    yield teller.words.of(person.slip)
            if scene is not None:
                beat.said()
                yield scene.number, _told(house, live, scene, eye, teller)
            elif beat.due():
                yield ""


def _told(house: WebApp, live: Live | None, scene: Scene, eye: Eye, teller: Teller) -> str:
    """Return a scene in words; what many see is made once."""
    if live is None:
        return teller.tell(scene, moments=True)
    key = (scene.number, eye, teller.words.language, teller.mute, teller.below)
    if (text := live.notes.get(key)) is None:
        text = live.notes[key] = teller.tell(scene, returns=return_address(house, live, eye, scene))
    if frame := frame_of(live, eye, scene):
        text = f'{{"frame":{dumps(frame)},{text[1:]}'
    since = int((monotonic() - live.asked_at) * 1000) if scene.left is not None and scene.awaits else 0
    return f'{{"since":{since},{text[1:]}'
