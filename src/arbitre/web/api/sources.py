"""Kept sources for programs: save, read, share by link, lend to runners; a class's for its teacher.

The site keeps text and never runs it. A source is there for its owner and for teachers of his classes; whoever has the link of a
shared one reads it too.
"""

from typing import Annotated, Literal

from litestar import delete, get, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import Meta, Struct

from arbitre.site import lending, sources
from arbitre.site.dial import LONGEST_LISTENER
from arbitre.site.kept_sources import LARGEST, Edition, Source, Version
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, bearer, open_to_all, paged, repeatable, token_of, with_token
from arbitre.web.api.engines import EngineForm, engine_form
from arbitre.web.api.forms import GameName, Name, Page
from arbitre.web.dependencies import OurHouse, ThisVisit

WhichVersion = Annotated[
    int | None, QueryParameter(name="version", ge=1, le=2**53 - 1, description="a version; the newest where none is named")
]
Language = Literal["python", "javascript"]


class NewVersion(Struct, forbid_unknown_fields=True):
    """A text to keep: a new version of one's source of that name, or the first."""

    game: GameName
    name: Name
    language: Language
    text: Annotated[str, Meta(max_length=LARGEST)]
    """At most 65,536 octets."""


class SourceForm(Struct):
    """A kept source, without its text."""

    id: int
    game: str
    name: str
    language: Language
    mine: bool
    lent: Literal["no", "class", "all"]
    """Whose runners may play it: nobody's, those of its owner's classes, those of every teacher."""
    link: str | None
    """Where everybody reads it who has this address; null: it is not shared, or not one's own."""
    engine: int | None
    """The engine that it plays as."""
    created: int


class VersionForm(Struct):
    """One version of a source, with its text."""

    source: int
    version: int
    at: int
    text: str


class EditionForm(Struct):
    """A version, without its text."""

    version: int
    at: int
    size: int
    """In characters."""


class SharedForm(Struct):
    """A source that somebody shares."""

    game: str
    name: str
    language: Language
    version: int
    at: int
    text: str


class ClassSourceForm(Struct):
    """A source of somebody in a class."""

    id: int
    pupil: str
    game: str
    name: str
    language: Language
    version: int
    """The newest."""
    lent: Literal["no", "class", "all"]
    engine: int | None


class Lending(Struct, forbid_unknown_fields=True):
    """Whose runners may play a source."""

    lent: Literal["no", "class", "all"]


class SourceLink(Struct):
    """The link to a shared source."""

    token: str
    url: str
    """Where programs read it."""


def _form(house: OurHouse, one: Source, *, mine: bool) -> SourceForm:
    link = f"{house.settings.public}/api/sources/shared/{one.code}" if mine and one.code else None
    return SourceForm(one.number, one.game, one.name, one.language, mine, one.lent, link, one.engine, one.created)


def _version(one: Version) -> VersionForm:
    return VersionForm(one.source, one.number, one.at, one.text)


def _edition(one: Edition) -> EditionForm:
    return EditionForm(*one)


@get("/api/sources", **with_token(Scope.READ))
async def list_sources(house: OurHouse, visit: ThisVisit, after: After = 0) -> Page[SourceForm]:
    """List one's own sources, in the order of their making."""
    found = await sources.mine(house, bearer(visit))
    return paged(found, lambda one: one.number, after, lambda one: _form(house, one, mine=True))


@post("/api/sources", status_code=200, **repeatable(Scope.ENGINES))
async def save_source(house: OurHouse, visit: ThisVisit, data: JSONBody[NewVersion]) -> VersionForm:
    """Keep a text under a name of one's own; what is kept there already makes no new version."""
    return _version(await sources.save(house, bearer(visit), data.game, data.name, data.language, data.text))


@get("/api/sources/{number:int}", **with_token(Scope.READ))
async def get_source(house: OurHouse, visit: ThisVisit, number: Number) -> SourceForm:
    """Return a source of one's own, or of one's pupils."""
    account = bearer(visit)
    found = await sources.find(house, account, number)
    return _form(house, found, mine=found.owner == account.id)


@delete("/api/sources/{number:int}", status_code=204, **with_token(Scope.ENGINES))
async def remove_source(house: OurHouse, visit: ThisVisit, number: Number) -> None:
    """Throw one's own source away, with all its versions; its engine stays."""
    await sources.remove(house, bearer(visit), number)


@get("/api/sources/{number:int}/text", **with_token(Scope.READ))
async def get_source_text(house: OurHouse, visit: ThisVisit, number: Number, version: WhichVersion = None) -> VersionForm:
    """Return the text of a source of one's own, or of one's pupils."""
    _, found = await sources.read(house, bearer(visit), number, version)
    return _version(found)


@get("/api/sources/{number:int}/versions", **with_token(Scope.READ))
async def list_source_versions(house: OurHouse, visit: ThisVisit, number: Number, after: After = 0) -> Page[EditionForm]:
    """List the versions of a source of one's own, or of one's pupils, the newest first."""
    found = await sources.editions(house, bearer(visit), number)
    return paged(found, lambda one: one.number, after, _edition, newest=True)


@put("/api/sources/{number:int}/lent", **with_token(Scope.ENGINES))
async def lend_source(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Lending]) -> SourceForm:
    """Say whose runners may play one's own source; the first time it gets an engine to play as."""
    return _form(house, await sources.lend(house, bearer(visit), number, data.lent), mine=True)


@post("/api/sources/{number:int}/engine", status_code=200, **repeatable(Scope.ENGINES))
async def get_source_engine(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """Return the engine that one's own source plays as, which dials in; it is made the first time."""
    return engine_form(house, await sources.engine_of(house, bearer(visit), number), visit)


@put("/api/sources/{number:int}/link", **with_token(Scope.ENGINES))
async def share_source(house: OurHouse, visit: ThisVisit, number: Number) -> SourceLink:
    """Make the link by which anybody reads one's own source; the same as long as it is shared."""
    token = await sources.share(house, bearer(visit), number)
    return SourceLink(token, f"{house.settings.public}/api/sources/shared/{token}")


@delete("/api/sources/{number:int}/link", status_code=204, **with_token(Scope.ENGINES))
async def unshare_source(house: OurHouse, visit: ThisVisit, number: Number) -> None:
    """End the link to one's own source."""
    await sources.unshare(house, bearer(visit), number)


@get("/api/sources/shared/{token:str}", **open_to_all(410))
async def get_shared_source(
    house: OurHouse, token: Annotated[str, PathParameter(max_length=40, description="what the link ends with")]
) -> SharedForm:
    """Return a source that somebody shares, with its newest text, to whoever has the link."""
    source, found = await sources.shared(house, token)
    return SharedForm(source.game, source.name, source.language, found.number, found.at, found.text)


@get("/api/classes/{number:int}/sources", **with_token(Scope.TEACH))
async def list_class_sources(house: OurHouse, visit: ThisVisit, number: Number, after: After = 0) -> Page[ClassSourceForm]:
    """List the sources of everybody in one's class."""
    found = await sources.of_class(house, bearer(visit), number)

    def form(one: sources.ClassSource) -> ClassSourceForm:
        source = one.source
        said = (source.game, source.name, source.language, one.version, source.lent, source.engine)
        return ClassSourceForm(source.number, one.pupil.name, *said)

    return paged(found, lambda one: one.source.number, after, form)


# ── runners ────────────────────────────────────────────────────────────────────────────────────────────────────────


class RunnerSourceForm(Struct):
    """A source that is lent to a runner, as the engine that it plays as."""

    id: int
    game: str
    name: str
    language: Language
    version: int
    """The newest."""
    engine: int
    owner: int
    """The number of its owner: one person's bots have a part of a runner, not all of it."""


@get("/api/runners/sources", **with_token(Scope.RUN, 404))
async def list_lent_sources(
    house: OurHouse,
    visit: ThisVisit,
    klass: Annotated[
        int | None,
        QueryParameter(name="class", ge=1, le=2**53 - 1, description="of a class that one teaches; else those lent to everybody"),
    ] = None,
    after: After = 0,
    runner: Annotated[
        str, QueryParameter(max_length=LONGEST_LISTENER, description="the name under which this runner listens: it is there")
    ] = "",
) -> Page[RunnerSourceForm]:
    """List the sources that one's runners may play.

    A runner that says under which name it listens, and does not ask again within 12 seconds, is gone: others go on
    with its matches.
    """
    if runner:
        lending.seen(house, token_of(visit), runner)
    found = await lending.lent(house, bearer(visit), klass)

    def form(one: lending.RunnerSource) -> RunnerSourceForm:
        source = one.source
        said = (source.game, source.name, source.language, one.version, one.engine, source.owner)
        return RunnerSourceForm(source.number, *said)

    return paged(found, lambda one: one.source.number, after, form)


@get("/api/runners/sources/{number:int}", **with_token(Scope.RUN))
async def get_lent_source(house: OurHouse, visit: ThisVisit, number: Number) -> VersionForm:
    """Return the newest text of a source that is lent to one's runners."""
    _, found = await lending.text(house, bearer(visit), number)
    return _version(found)
