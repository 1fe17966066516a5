"""Programs of members: engines, interfaces and added games, tried when they are registered and when they change.

What does not answer well may be corrected, or kept as it is, marked broken, with what was wrong. To register the same thing twice
is to register it once (spec: tournoyons, sections 5 to 7).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal, TypeVar

from arbitre.errors import StageError, UnfitError
from arbitre.games.game import Seat
from arbitre.reasons import Reason
from arbitre.referee.verdict import read_verdict
from arbitre.site.accounts import Account, AccountId
from arbitre.site.added import AddedGame, AddedGameId, rules_of
from arbitre.site.added_trial import Rehearsal, tried
from arbitre.site.arena.dialing import dials
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.traces import Exchange, games_of, last_fault, seats_of
from arbitre.site.engines import Engine, EngineId
from arbitre.site.forms import check_about, check_name, check_url
from arbitre.site.frames import INSECURE, origin_of
from arbitre.site.games import PlayableGame, played
from arbitre.site.interfaces import Interface, InterfaceId
from arbitre.site.rankings import rank
from arbitre.site.ratings import Ranked
from arbitre.site.site import Site
from arbitre.site.trials import Look, judge, judge_dialling, look
from arbitre.tournament.standings import Cell
from arbitre.tournoyons.tester import EngineTrial
from arbitre.tournoyons.wire import Style
from arbitre.values import value

T = TypeVar("T")
Ended = Literal["won", "drawn", "lost", ""]

ENGINES = Reason("one that engines by URL play")


def _count(site: Site, person: Account) -> None:
    """Count a change, and the calls that it makes us make."""
    site.count("write", person.neutral)
    site.count("call out", person.neutral)


async def playable(site: Site, person: Account, label: str, what: Reason = ENGINES) -> PlayableGame:
    """Return a game that programs play and this person may see; `UnfitError` says which ones are."""
    found = await asyncio.to_thread(played, site, label, person)
    if found is None:
        raise UnfitError("game", what)
    return found


def _same(kept: tuple[T, ...], wanted: dict[str, Any]) -> T | None:
    """Return what is registered just as it is wanted."""
    return next((one for one in kept if all(getattr(one, key) == given for key, given in wanted.items())), None)


def owner_name(site: Site, owner: AccountId) -> str:
    """Return the name of an owner, who may have been erased."""
    return site.community.accounts.many((owner,)).get(owner, "–")


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def register_engine(
    site: Site, person: Account, *, game: str, name: str, url: str, style: Style, public: bool, anyway: bool
) -> tuple[Engine | None, EngineTrial | None]:
    """Try an engine and register it where it answers well, or `anyway`, marked broken; return it and what came of the trial."""
    kept = site.community.engines
    table = await playable(site, person, game)
    name, url = check_name(name), await asyncio.to_thread(kept.check_address, person, url)
    wanted: dict[str, Any] = {"game": table.label, "name": name, "url": url, "style": style, "public": public}
    if (same := _same(await asyncio.to_thread(kept.of, person), wanted)) is not None:
        return same, None
    if dials(url):  # it can call when it has its token
        if table.added is not None:
            raise UnfitError("game", "an engine that dials in plays a game of the house")
        site.count("write", person.neutral)
        return await asyncio.to_thread(lambda: kept.add(person, **wanted)), None
    _count(site, person)
    trial = await judge(site, table.label, url, style, await asyncio.to_thread(site.ways.for_person, person, url))
    if not trial.good and not anyway:
        return None, trial
    made = await asyncio.to_thread(lambda: kept.judged(kept.add(person, **wanted).id, trial.fault))
    return made, trial


async def change_engine(
    site: Site, person: Account, number: int, *, name: str, url: str, style: Style, public: bool, game: str | None = None
) -> tuple[Engine, EngineTrial]:
    """Change an engine of one's own, which is tried again; its game stays."""
    kept = site.community.engines
    found = await asyncio.to_thread(kept.own, number, person)
    if game not in (None, found.game):
        raise StageError("an engine keeps its game; register another")
    _count(site, person)
    changed = await asyncio.to_thread(lambda: kept.edit(person, EngineId(number), name=name, url=url, style=style, public=public))
    return await _tried(site, changed)


async def check_engine(site: Site, person: Account, number: int) -> tuple[Engine, EngineTrial]:
    """Try an engine of one's own out, and take down whether it works."""
    found = await asyncio.to_thread(site.community.engines.own, number, person)
    site.count("call out", person.neutral)
    return await _tried(site, found)


async def _tried(site: Site, found: Engine) -> tuple[Engine, EngineTrial]:
    if found.dials:
        trial = await judge_dialling(site, found)
        return found if not trial.taken else await asyncio.to_thread(site.community.engines.judged, found.id, trial.fault), trial
    way = await asyncio.to_thread(site.ways.to_engine, found.id, found.url)
    trial = await judge(site, found.game, found.url, found.style, way)
    return await asyncio.to_thread(site.community.engines.judged, found.id, trial.fault), trial


@value
class EngineGame:
    """A match that an engine played, where it sat, how it ended for it, and the last exchange with it that came to nothing."""

    match: ArenaMatch
    seats: tuple[Seat, ...]
    fault: Exchange | None
    outcome: Ended


def engine_games(site: Site, engine: Engine) -> list[EngineGame]:
    """Return the last matches of an engine, the newest first, with what went wrong in each."""
    return [_game(site, one, engine) for one in games_of(site.arena, engine.id)]


def _game(site: Site, match: ArenaMatch, engine: Engine) -> EngineGame:
    seats = seats_of(match, engine.id)
    text = site.store.match(match.name).verdict if match.state == "over" else None
    scores = None if text is None else read_verdict(text).scores
    return EngineGame(match, seats, last_fault(site.store, match, engine.id), _ended(scores, seats))


def _ended(scores: Sequence[Fraction] | None, seats: Sequence[Seat]) -> Ended:
    """Return how a match ended for who sat there; empty where it has no result, or he sat on both sides."""
    if not scores or len(seats) != 1 or seats[0] >= len(scores):
        return ""
    own, best = scores[seats[0]], max(scores)
    return "lost" if own < best else "won" if scores.count(best) == 1 else "drawn"


@value
class Career:
    """How an engine has done in the ranking of its game."""

    place: int
    of: int
    """How many are rated."""
    rated: Ranked
    met: tuple[tuple[str, Cell], ...]
    """By their neutral names those it met, the most often met first, and what it made against each."""


async def career(site: Site, engine: Engine) -> Career | None:
    """Return how an engine has done; None while it is not rated."""
    found = await rank(site, engine.game)
    place = next((at for at, one in enumerate(found.standings, start=1) if one.neutral == engine.neutral), None)
    if place is None:
        return None
    met = [(other, Cell(*made)) for (one, other), made in found.met.items() if one == engine.neutral]
    met.sort(key=lambda one: (-one[1].games, one[0]))
    return Career(place, len(found.standings), found.standings[place - 1], tuple(met))


# ── interfaces ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def register_interface(
    site: Site, person: Account, *, game: str, name: str, url: str, public: bool, own_origin: bool, anyway: bool
) -> tuple[Interface | None, Look]:
    """Register an interface whose page is there, or `anyway`, marked broken; return it and what was seen of the page."""
    kept = site.community.interfaces
    table = await playable(site, person, game, Reason("one that has interfaces"))
    wanted: dict[str, Any] = {"game": table.label, "name": check_name(name), "url": check_url(url)}
    wanted |= {"public": public, "own_origin": own_origin}
    if (same := _same(await asyncio.to_thread(kept.of, person), wanted)) is not None:
        return same, Look()
    _count(site, person)
    seen = await look(site, person, wanted["url"])
    if seen.fault and not anyway:
        return None, seen
    return await asyncio.to_thread(lambda: kept.judged(kept.add(person, **wanted).id, seen.fault)), seen


async def change_interface(
    site: Site, person: Account, number: int, *, name: str, url: str, public: bool, own_origin: bool, game: str | None = None
) -> tuple[Interface, Look]:
    """Change an interface of one's own, whose page is fetched again; its game stays."""
    kept = site.community.interfaces
    found = await asyncio.to_thread(kept.own, number, person)
    if game not in (None, found.game):
        raise StageError("an interface keeps its game; register another")
    _count(site, person)
    url = check_url(url)
    seen = await look(site, person, url)

    def change() -> Interface:
        kept.edit(person, InterfaceId(number), name=name, url=url, public=public, own_origin=own_origin)
        return kept.judged(number, seen.fault)

    return await asyncio.to_thread(change), seen


# ── added games ────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Declared:
    """A game as its author declares it."""

    name: str
    url: str
    engine: str
    interface: str
    about: str
    board: str = ""
    pair: bool = False
    """Whether it has two boards."""
    simultaneous: bool = False
    open: bool = False
    framed: bool = False
    public: bool = True

    @property
    def rules(self) -> Any:
        """What our referee knows of it; `UnfitError` names the field that does not fit."""
        kind = "addedpair" if self.pair else "added"
        return rules_of(kind, self.name.strip(), self.board.strip(), simultaneous=self.simultaneous, is_open=self.open)


async def rehearse(site: Site, person: Account, said: Declared | AddedGame) -> Rehearsal:
    """Try the programs of a game, and keep nothing; `UnfitError` names a field that cannot be."""
    addresses = {name: check_url(getattr(said, name), name) for name in ("url", "engine", "interface")}
    framed = [addresses["interface"], *([addresses["url"]] if said.framed else [])]
    for one in (addresses["interface"], addresses["url"]):
        origin_of(one)
    if site.settings.secure and any(one.startswith("http://") for one in framed):
        raise UnfitError("url", INSECURE)
    rules = said.rules
    site.count("call out", person.neutral)
    return await tried(
        site.switchboard,
        rules,
        referee=addresses["url"],
        engine=addresses["engine"],
        interface=addresses["interface"],
        framed=said.framed,
    )


async def try_game(site: Site, person: Account, said: Declared) -> Rehearsal:
    """Try the programs of a game as they would be added."""
    site.count("write", person.neutral)
    return await rehearse(site, person, said)


async def add_game(site: Site, person: Account, said: Declared, *, anyway: bool) -> tuple[AddedGame | None, Rehearsal | None]:
    """Add a game whose programs play together, or `anyway`, marked broken; return it and what came of the trial."""
    kept = site.community.added
    if not check_about(said.about):
        raise UnfitError("about", "says how trays, moves and gains are written")
    wanted: dict[str, Any] = {"url": said.url, "engine": said.engine, "interface": said.interface}
    wanted |= {"framed": said.framed, "public": said.public}
    if (same := _same(await asyncio.to_thread(kept.of, person), wanted | {"rules": said.rules})) is not None:
        return same, None
    trial = await try_game(site, person, said)
    if trial.fault and not anyway:
        return None, trial
    add = partial(kept.add, person, said.rules, about=said.about, **wanted)
    return await asyncio.to_thread(lambda: kept.judged(add().id, trial.fault)), trial


async def change_game(
    site: Site, person: Account, number: int, *, url: str, engine: str, interface: str, about: str, public: bool
) -> tuple[AddedGame, Rehearsal]:
    """Change one's own game, which is tried again; its name and its rules stay."""
    kept = site.community.added
    found = await asyncio.to_thread(kept.own, number, person)
    site.count("write", person.neutral)
    wanted: dict[str, Any] = {"url": url, "engine": engine, "interface": interface, "about": about, "public": public}
    trial = await rehearse(site, person, replace(found, **wanted))

    def change() -> AddedGame:
        kept.edit(person, AddedGameId(number), **wanted)
        return kept.judged(number, trial.fault)

    return await asyncio.to_thread(change), trial


async def check_game(site: Site, person: Account, number: int) -> Rehearsal:
    """Try one's own game again, and take down whether it works."""
    found = await asyncio.to_thread(site.community.added.own, number, person)
    trial = await rehearse(site, person, found)
    await asyncio.to_thread(site.community.added.judged, number, trial.fault)
    return trial
