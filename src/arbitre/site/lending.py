"""Runners: machines that play what others lend (the manual's page "Kept sources and runners").

A runner comes with a teacher's token that has the scope `run`. It hears the questions of engines whose sources are lent to it,
and of no others, whatever it says: a source lent to a class goes to runners of that class's teacher, one lent to all to those of
every teacher. Its owner ends that at once. The site judges the answers as everybody's and never runs a source itself.
"""

import asyncio
from typing import NamedTuple

from arbitre.errors import ForbiddenError, UnknownError
from arbitre.site.accounts import Account, Role
from arbitre.site.arena.dialing import RUNNER
from arbitre.site.classes import ClassId
from arbitre.site.engines import Engine
from arbitre.site.kept_sources import Source, Version
from arbitre.site.site import Site
from arbitre.site.tokens import Bearer, Scope

__all__ = ["RunnerSource", "good", "lent", "lent_engine", "listener_of", "seen", "text"]


class RunnerSource(NamedTuple):
    """A source that a runner may play, as the engine that it plays as."""

    source: Source
    version: int
    """The newest."""
    engine: int


def _may(site: Site, runner: Account, source: Source) -> bool:
    """Tell whether a source is lent to this one's runners."""
    if source.lent == "all":
        return runner.may(Role.TEACHER)
    return source.lent == "class" and site.community.classes.teaches(runner, source.owner)


async def lent(site: Site, runner: Account, klass: int | None = None) -> tuple[RunnerSource, ...]:
    """Return the sources that somebody's runner may play: those lent in one class of his, or those lent to everybody."""

    def found() -> tuple[RunnerSource, ...]:
        kept, classes = site.community.sources, site.community.classes
        if klass is None:
            sources = kept.lent_to_all()
        else:
            members = classes.members(runner, classes.taught(runner, ClassId(klass)).id)
            sources = kept.of(*(one.account.id for one in members))
        usable = [one for one in sources if one.engine is not None and _may(site, runner, one)]
        newest = kept.newest([one.number for one in usable])
        return tuple(RunnerSource(one, newest[one.number], one.engine) for one in usable if one.engine is not None)

    return await asyncio.to_thread(found)


async def text(site: Site, runner: Account, number: int) -> tuple[Source, Version]:
    """Return a source that is lent to this one's runners, with its newest text."""

    def found() -> tuple[Source, Version]:
        source = site.community.sources.find(number)
        if not _may(site, runner, source):
            raise UnknownError("there is no source with the number %(number)s for you", number=number)
        return source, site.community.sources.version(source.number)

    return await asyncio.to_thread(found)


async def lent_engine(site: Site, runner: Account, name: str) -> Engine:
    """Return the engine of a number whose source is lent to this one's runners; `ForbiddenError` for any other."""

    def found() -> Engine:
        source = site.community.sources.played_as(int(name)) if name.isascii() and name.isdigit() and len(name) < 16 else None
        if source is None or not _may(site, runner, source):
            raise ForbiddenError("no source that plays as this engine is lent to you")
        engine = site.community.engines.find(int(name))
        if engine.retired is not None or not engine.dials:
            raise ForbiddenError("no source that plays as this engine is lent to you")
        return engine

    return await asyncio.to_thread(found)


def good(site: Site, bearer: Bearer, engine: Engine) -> bool:
    """Tell whether a runner may still play for an engine: its token was not revoked, and the source is lent."""
    source = site.community.sources.played_as(engine.id)
    return site.community.tokens.good(bearer.token.id) and source is not None and _may(site, bearer.account, source)


def seen(site: Site, bearer: Bearer, name: str) -> None:
    """Take down that the runner that listens under a name is there: it says so whenever it asks what is lent."""
    site.arena.dialing.runner_seen(listener_of(bearer, name))


def listener_of(bearer: Bearer, name: str) -> str:
    """Return the name under which a runner listens: its own, so that it speaks for no listener of the owner's."""
    bearer.require(Scope.RUN)
    return f"{RUNNER}{bearer.account.id} {name}"
