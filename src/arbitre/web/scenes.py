"""The scenes of a match as a stream of a visitor's words: what pages and programs hear alike, line by line, until it is over."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from json import dumps
from time import monotonic

from arbitre.games.game import Eye, Seat
from arbitre.referee.scenes import Scene
from arbitre.site.added_trial import frame_of
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.page import SeatPage
from arbitre.site.arena.seats import PersonPlayer
from arbitre.site.matches import BEAT_SECONDS, follow, people, return_address
from arbitre.values import value
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


@value
class ProofLine:
    """What the page of a person who plays is told for the proof, as JSON."""

    text: str


class _Listener:
    """A page that listens to what its seat is told for the proof, from what is still open when it comes."""

    def __init__(self, people: Mapping[Seat, PersonPlayer], eye: Eye) -> None:
        self._people = people
        self._eye = eye
        self._page: SeatPage | None = None
        self._heard = 0

    def news(self) -> Iterator[ProofLine]:
        """Return what was told since."""
        if self._page is None and isinstance(self._eye, int) and self._eye in self._people:
            self._page = self._people[self._eye].page
            self._page.watching += 1
            self._heard = self._page.before
            yield ProofLine('{"kind":"here"}')
        for number, text in self._page.after(self._heard) if self._page is not None else ():
            self._heard = number
            yield ProofLine(text)

    def leave(self) -> None:
        """Stop listening."""
        if self._page is not None:
            self._page.watching -= 1


async def told_to_page(
    house: WebApp, sitting: ArenaMatch, eye: Eye, after: int, teller: Teller
) -> AsyncIterator[tuple[int, str] | str | ProofLine]:
    """Yield what `told_for` does, and before each what the page of somebody who plays is told for the proof."""
    live = house.arena.seen(sitting.name)
    listener = _Listener({} if live is None else live.people, eye)
    try:
        for news in listener.news():
            yield news
        async with aclosing(told_for(house, sitting, eye, after, teller, every=True)) as told:  # type: ignore[type-var]
            async for one in told:
                for news in listener.news():
                    yield news
                if one is not None:
                    yield one
    finally:
        listener.leave()


async def told_for(
    house: WebApp, sitting: ArenaMatch, eye: Eye, after: int, teller: Teller, *, every: bool = False
) -> AsyncIterator[tuple[int, str] | str | None]:
    """Yield the scenes of a game, number and words, as they come; a slip of the player's as a text; "" now and then.

    `every`: None whenever anything happened at all.
    """
    live, beat = house.arena.seen(sitting.name), Beat()
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
            elif every:
                yield None


def _told(house: WebApp, live: Live | None, scene: Scene, eye: Eye, teller: Teller) -> str:
    """Return a scene in words; what many see is made once."""
    if live is None:
        return teller.tell(scene, moments=True)
    key = (scene.number, eye, teller.words.language, teller.mute, teller.below)
    if (text := live.notes.get(key)) is None:
        text = live.notes[key] = teller.tell(
            scene,
            returns=return_address(house, live, eye, scene),
            moments=eye == "referee" or not live.sitting.plan.game.hides,  # he looks when it is over, and all is open
        )
    if frame := frame_of(live, eye, scene):
        text = f'{{"frame":{dumps(frame)},{text[1:]}'
    since = int((monotonic() - live.asked_at) * 1000) if scene.left is not None and scene.awaits else 0
    return f'{{"since":{since},{text[1:]}'
