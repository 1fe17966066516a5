"""Programs of others, tried out: what an engine answers in a position, whether a page is there (spec: tournoyons, 5, 7 and 9).

An engine is called with `Game=TEST` and an empty `Referee` or, to see it call back, as a match calls it. Calls that visitors make
us make are counted.
"""

import asyncio
import re
from dataclasses import replace

from arbitre.errors import UnfitError, UnknownError, UnknownRecordError
from arbitre.games.game import Seat
from arbitre.games.positions import preset_of, presets_of
from arbitre.reasons import Reason
from arbitre.site import dial
from arbitre.site.accounts import Account
from arbitre.site.added_trial import Opinion, opinion
from arbitre.site.arena.traces import exchange
from arbitre.site.caller import Caller
from arbitre.site.engines import Engine
from arbitre.site.forms import check_url
from arbitre.site.frames import INSECURE, origin_of
from arbitre.site.games import PlayableGame, in_use
from arbitre.site.matches import trace
from arbitre.site.site import Site
from arbitre.tournoyons.gateway import Way
from arbitre.tournoyons.tester import EngineTrial, Exercise, composed, examined, fetched_by_hand, harmless, preset_exercises
from arbitre.tournoyons.wire import Style
from arbitre.values import value

CHECK_SECONDS = 8
REPEAT_SECONDS = 10
SCRIPTED = re.compile(r"\bhref\s*=[\s\\\"']*javascript\s*:", re.IGNORECASE)
"""A link that runs a script, in the page or in a text from which a script makes it."""


def spend(site: Site, caller: Caller) -> None:
    """Count a call that somebody makes us make; `HasteError` where there were too many."""
    site.count("call out", caller.counted)


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Test:
    """A position that somebody wants an engine to be shown: one of his own, or one at an address."""

    __test__ = False

    preset: str = "start"
    position: str = ""
    """A position composed by hand; then the preset does not count."""
    seat: Seat = Seat(0)
    address: str = ""
    engine: int | None = None
    """Its number, where it is a registered one."""
    full: bool = False
    back: bool = False
    """Whether it is to call back, instead of answering in the body."""
    limit: int = CHECK_SECONDS


def exercise(game: PlayableGame, test: Test) -> Exercise:
    """Return the position that is wished for."""
    if test.position.strip():
        return composed(game.rules, test.position, test.seat)
    preset = preset_of(game.label, test.preset)
    if preset is None:
        raise UnknownError("no position of %(label)s is called %(preset)r", label=game.label, preset=test.preset)
    found = preset_exercises(game.rules, preset)
    return next((one for one in found if one.seat == test.seat), found[0])


async def examine(site: Site, caller: Caller, game: PlayableGame, test: Test) -> tuple[EngineTrial, Opinion | None]:
    """Show an engine a position, as a test; of an added game, its referee is asked about the move too."""
    shown = exercise(game, test)
    if test.engine is not None and (mine := await asyncio.to_thread(_own, site, caller, game, test.engine)).dials:
        spend(site, caller)
        return await dial.tried(site, mine, game.rules, shown, test.limit), None
    url, style = await asyncio.to_thread(_target, site, caller, game, test)
    spend(site, caller)
    way = await asyncio.to_thread(site.ways.for_person, caller.account, url)
    trial = await examined(site.switchboard, game.rules, url, shown, style, test.limit, back=test.back, way=way)
    return await _heard_out(site, game, shown, trial)


def _own(site: Site, caller: Caller, game: PlayableGame, number: int) -> Engine:
    """Return one of one's own engines that plays a game."""
    mine = site.community.engines.own(number, caller.account)
    if mine.game != game.label:
        raise UnfitError("engine", "%(name)s plays %(game)s, not %(label)s", name=mine.name, game=mine.game, label=game.label)
    return mine


def _target(site: Site, caller: Caller, game: PlayableGame, test: Test) -> tuple[str, Style]:
    """Return where to call and how: an address that was typed in, or one of one's own engines."""
    if test.engine is not None:
        mine = _own(site, caller, game, test.engine)
        return mine.url, Style(mine.style.full or test.full, not test.back, login=mine.style.login)
    known = site.community.engines
    typed = check_url(test.address) if caller.account is None else known.check_address(caller.account, test.address)
    return typed, Style(full=test.full, direct=not test.back)


async def judge(site: Site, game: str, url: str, style: Style, way: Way) -> EngineTrial:
    """Try an engine out as a match would call it, with the board of the start."""
    table = await asyncio.to_thread(in_use, site, game)
    first = preset_exercises(table.rules, presets_of(table.label)[0])[0]
    trial = await examined(site.switchboard, table.rules, url, first, style, CHECK_SECONDS, back=not style.direct, way=way)
    return (await _heard_out(site, table, first, trial))[0]


async def judge_dialling(site: Site, engine: Engine) -> EngineTrial:
    """Try an engine out that calls us, with the board of the start."""
    table = await asyncio.to_thread(in_use, site, engine.game)
    first = preset_exercises(table.rules, presets_of(table.label)[0])[0]
    return await dial.tried(site, engine, table.rules, first, CHECK_SECONDS)


async def _heard_out(site: Site, game: PlayableGame, shown: Exercise, trial: EngineTrial) -> tuple[EngineTrial, Opinion | None]:
    """Ask the referee of an added game about a move that is one for all we know; what he refuses is not."""
    if game.added is None or game.added.framed or not trial.good:
        return trial, None
    heard = await opinion(site.switchboard, game.added, shown, trial.move)
    if heard.refused:
        trial = replace(
            trial, fault=Reason("the referee of %(game)s refuses it: %(refused)s", game=game.title, refused=heard.refused)
        )
    return trial, heard


async def repeat(site: Site, caller: Caller, name: str, seat: int, sequence: int) -> EngineTrial:
    """Make a call of a trace again, as a test that no match hears of: it says `Game=TEST` and has no `Referee`."""
    _, engine = await trace(site, caller, name, seat)
    made = exchange(site.arena, name, Seat(seat), sequence)
    if not made.ours:
        raise UnknownRecordError("this was no call of ours")
    spend(site, caller)
    way = await asyncio.to_thread(site.ways.to_engine, engine.number, engine.url)
    return await fetched_by_hand(site.switchboard, harmless(made.text), REPEAT_SECONDS, way=way)


# ── interfaces ─────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Look:
    """What was seen at the address of an interface."""

    fault: Reason | None = None
    """What is wrong with it, nothing where a page is there."""
    scripted: bool = False
    """Whether it has links that run scripts."""

    def lame(self, own_origin: bool) -> bool:
        """Tell whether the page has links that are dead in the frame that it will have."""
        return self.scripted and not own_origin


async def look(site: Site, person: Account, url: str) -> Look:
    """Fetch the page of an interface."""
    origin_of(url)
    if site.settings.secure and url.startswith("http://"):
        return Look(fault=INSECURE)
    way = await asyncio.to_thread(site.ways.for_person, person, url)
    trial = await fetched_by_hand(site.switchboard, url, CHECK_SECONDS, way=way)
    if trial.fault or trial.status != 200:
        return Look(fault=trial.fault or Reason("status %(status)s instead of 200", status=trial.status))
    fault = None if "<" in trial.body else Reason("there is no page at this address")
    return Look(fault=fault, scripted=bool(SCRIPTED.search(trial.body)))
