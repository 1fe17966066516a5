"""Sources that people keep on the site, as they, their teachers and their friends use them (the manual's page "Runners").

Its owner reads a source, the teacher of a class of his, and whoever has its link as long as he shares it; to anybody else it is
not there. Runners play it only where its owner says so (`lend`). The site itself keeps text and never runs it.
"""

import asyncio
from typing import NamedTuple

from arbitre.errors import NameTakenError, UnknownError
from arbitre.site.accounts import Account
from arbitre.site.arena.dialing import DIAL
from arbitre.site.classes import ClassId
from arbitre.site.engines import Engine
from arbitre.site.forms import LONGEST_NAME, new_code
from arbitre.site.kept_sources import Edition, Source, SourceId, Version
from arbitre.site.site import Site

__all__ = [
    "ClassSource",
    "Edition",
    "Source",
    "Version",
    "editions",
    "engine_of",
    "find",
    "lend",
    "mine",
    "of_class",
    "read",
    "remove",
    "save",
    "share",
    "shared",
    "unshare",
    "versions",
]

TAIL = 4
"""Letters behind a name that another engine of the game has."""


class ClassSource(NamedTuple):
    """A source of somebody in a class, as its teacher sees it."""

    pupil: Account
    source: Source
    version: int
    """The newest."""


async def save(site: Site, owner: Account, game: str, name: str, language: str, text: str) -> Version:
    """Keep a text under a name of one's own, as a new version where it changed; return that version."""
    site.count("write", owner.neutral)
    return await asyncio.to_thread(site.community.sources.save, owner, game, name, language, text)


async def mine(site: Site, owner: Account) -> tuple[Source, ...]:
    """Return one's own sources, in the order of their making."""
    return await asyncio.to_thread(site.community.sources.of, owner.id)


async def versions(site: Site, owner: Account, name: str) -> tuple[Edition, ...]:
    """Return the versions of one's own source of a name, the newest first."""
    kept = site.community.sources
    return await asyncio.to_thread(lambda: kept.versions(kept.called(owner, name).number))


async def find(site: Site, reader: Account, number: int) -> Source:
    """Return a source to who may read it: its owner, and a teacher of a class of his."""

    def found() -> Source:
        kept, classes = site.community.sources.find(number), site.community.classes
        if kept.owner != reader.id and not classes.teaches(reader, kept.owner):
            raise UnknownError("there is no source with the number %(number)s for you", number=number)
        return kept

    return await asyncio.to_thread(found)


async def read(site: Site, reader: Account, number: int, version: int | None = None) -> tuple[Source, Version]:
    """Return a source with the text of a version, the newest where none is named, to who may read it."""
    found = await find(site, reader, number)
    return found, await asyncio.to_thread(site.community.sources.version, found.number, version)


async def editions(site: Site, reader: Account, number: int) -> tuple[Edition, ...]:
    """Return the versions of a source to who may read it, the newest first."""
    found = await find(site, reader, number)
    return await asyncio.to_thread(site.community.sources.versions, found.number)


async def share(site: Site, owner: Account, number: int) -> str:
    """Return the code of the link by which anybody reads one's own source; the same as long as it is shared."""
    site.count("write", owner.neutral)
    return await asyncio.to_thread(site.community.sources.share, owner, SourceId(number))


async def unshare(site: Site, owner: Account, number: int) -> None:
    """End the link to one's own source."""
    await asyncio.to_thread(site.community.sources.unshare, owner, SourceId(number))


async def shared(site: Site, code: str) -> tuple[Source, Version]:
    """Return the source to which a link leads, with its newest text, to anybody who has the link."""
    kept = site.community.sources

    def found() -> tuple[Source, Version]:
        source = kept.shared(code)
        return source, kept.version(source.number)

    return await asyncio.to_thread(found)


async def lend(site: Site, owner: Account, number: int, to: str) -> Source:
    """Say whose runners play one's own source: `no`, `class` or `all`; what is lent has an engine to play as."""
    site.count("write", owner.neutral)
    found = await asyncio.to_thread(site.community.sources.lend, owner, SourceId(number), to)
    if found.lent != "no":
        await engine_of(site, owner, number)
    return await asyncio.to_thread(site.community.sources.own, owner, number)


async def engine_of(site: Site, owner: Account, number: int) -> Engine:
    """Return the engine that one's own source plays as, which dials in; it is made the first time, under the same name."""

    def found() -> Engine:
        kept, engines = site.community.sources, site.community.engines
        source = kept.own(owner, number)
        if source.engine is not None and (known := engines.find(source.engine)).retired is None:
            return known

        def add(name: str) -> Engine:
            return engines.add(owner, game=source.game, name=name, url=DIAL, public=False)

        try:
            made = add(source.name)
        except NameTakenError:
            made = add(f"{source.name[: LONGEST_NAME - TAIL - 1]}-{new_code(TAIL).lower()}")
        kept.play_as(owner, source.number, made.id)
        return made

    return await asyncio.to_thread(found)


async def remove(site: Site, owner: Account, number: int) -> None:
    """Throw one's own source away, with all its versions; its engine stays."""
    await asyncio.to_thread(site.community.sources.remove, owner, SourceId(number))


async def of_class(site: Site, teacher: Account, klass: int) -> tuple[ClassSource, ...]:
    """Return the sources of everybody in one's class, to its teacher."""

    def found() -> tuple[ClassSource, ...]:
        classes, kept = site.community.classes, site.community.sources
        number = classes.taught(teacher, ClassId(klass)).id
        members = {one.account.id: one.account for one in classes.members(teacher, number)}
        sources = kept.of(*members)
        newest = kept.newest([one.number for one in sources])
        return tuple(ClassSource(members[one.owner], one, newest[one.number]) for one in sources)

    return await asyncio.to_thread(found)
