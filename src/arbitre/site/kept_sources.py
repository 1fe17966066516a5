"""Sources that people keep with their accounts, each with its versions (the manual's page "Runners").

A source is the text of a bot for one game, under a name that is its owner's alone. Every change is a version of its own, up to a
bound, behind which the oldest goes. Nothing here ever runs one: the site keeps text.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, NewType, TypeAlias, get_args

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from arbitre.errors import ExpiredError, QuotaError, StageError, UnfitError, UnknownError, shorten
from arbitre.records.tables import SOURCES, VERSIONS
from arbitre.site.accounts import Account, AccountId
from arbitre.site.database import Database
from arbitre.site.forms import GONE, LINK_LENGTH, check_game, check_name, fold, new_code, read_code
from arbitre.values import value

SourceId = NewType("SourceId", int)

Language: TypeAlias = Literal["python", "javascript"]
Lent: TypeAlias = Literal["no", "class", "all"]
"""Whose runners may play it: nobody's, those of its owner's classes, those of every teacher."""

LANGUAGES: tuple[Language, ...] = get_args(Language)
LENT: tuple[Lent, ...] = get_args(Lent)
ENDINGS: dict[Language, str] = {"python": ".py", "javascript": ".js"}

LARGEST = 65_536
"""Octets of one version."""


@value
class Source:
    """A source, without its text."""

    number: SourceId
    owner: AccountId
    game: str
    name: str
    language: Language
    lent: Lent
    code: str | None
    """What its link is known by; None: it is not shared."""
    engine: int | None
    """The engine that it plays as; None: it has none so far."""
    created: int

    @property
    def file(self) -> str:
        """What it is called as a file."""
        return self.name + ENDINGS[self.language]


@value
class Version:
    """One version of a source."""

    source: SourceId
    number: int
    at: int
    text: str


class Edition(NamedTuple):
    """A version without its text."""

    number: int
    at: int
    size: int
    """In characters."""


MINE = [SOURCES.c[name] for name in ("number", "owner", "game", "name", "language", "lent", "code", "engine", "created")]


def _source(row: Sequence[Any]) -> Source:
    number, owner, *rest = row
    return Source(SourceId(number), AccountId(owner), *rest)


class KeptSources:
    """All sources."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def save(self, by: Account, game: str, name: str, language: str, text: str) -> Version:
        """Keep a text under a name of one's own; what is kept there already makes no new version."""
        name, game, text = check_name(name), check_game(game), _check_text(text)
        if language not in LANGUAGES:
            raise UnfitError(
                "language", "%(text)r is none of %(languages)s", text=shorten(language), languages=", ".join(LANGUAGES)
            )
        with self._database.writing() as connection:
            number = self._named(connection, by, game, name, language)
            last = connection.execute(_newest(number)).first()
            if last is not None and last.text == text:
                return Version(number, last.number, last.at, text)
            made = Version(number, 1 if last is None else last.number + 1, self._database.now(), text)
            connection.execute(insert(VERSIONS).values(source=number, number=made.number, at=made.at, text=text))
            old = made.number - self._database.settings.versions
            connection.execute(delete(VERSIONS).where(VERSIONS.c.source == number, VERSIONS.c.number <= old))
            self._make_room(connection, by)
            return made

    def _make_room(self, connection: Connection, by: Account) -> None:
        """Let the oldest versions of somebody's sources go where all together are too long; the newest of each stays."""
        mine = select(VERSIONS.c.source, VERSIONS.c.number, func.length(VERSIONS.c.text)).join(SOURCES)
        rows = connection.execute(mine.where(SOURCES.c.owner == by.id).order_by(VERSIONS.c.at, VERSIONS.c.number)).all()
        newest = {source: number for source, number, _ in rows}
        over = sum(row[2] for row in rows) - self._database.settings.source_room
        for source, number, size in rows:
            if over > 0 and newest[source] != number:
                connection.execute(delete(VERSIONS).where(VERSIONS.c.source == source, VERSIONS.c.number == number))
                over -= size

    def _named(self, connection: Connection, by: Account, game: str, name: str, language: str) -> SourceId:
        """Return one's source of a name, made where there is none."""
        mine = SOURCES.c.owner == by.id
        found = connection.execute(select(SOURCES).where(mine, SOURCES.c.folded == fold(name))).first()
        if found is None:
            most = self._database.settings.sources
            if connection.execute(select(func.count()).select_from(SOURCES).where(mine)).scalar_one() >= most:
                raise QuotaError("%(most)s sources are the most one account may have: throw one away first", most=most)
            made = {"owner": by.id, "game": game, "name": name, "folded": fold(name), "language": language, "lent": "no"}
            adding = insert(SOURCES).values(**made, created=self._database.now()).returning(SOURCES.c.number)
            return SourceId(connection.execute(adding).scalar_one())
        if (found.game, found.language) != (game, language):
            raise StageError(
                "your source %(name)r is for %(game)s, in %(language)s: choose another name",
                name=found.name,
                game=found.game,
                language=found.language,
            )
        return SourceId(found.number)

    def share(self, by: Account, number: SourceId) -> str:
        """Return the code of the link to one's own source; the same as long as it is shared."""
        code = self.own(by, number).code or new_code(LINK_LENGTH)
        self._change(by, number, code=code)
        return code

    def unshare(self, by: Account, number: SourceId) -> None:
        """End the link to one's own source."""
        self._change(by, number, code=None)

    def lend(self, by: Account, number: SourceId, to: str) -> Source:
        """Say whose runners may play one's own source."""
        if to not in LENT:
            raise UnfitError("lent", "%(text)r is none of %(lent)s", text=shorten(to), lent=", ".join(LENT))
        return self._change(by, number, lent=to)

    def play_as(self, by: Account, number: SourceId, engine: int) -> Source:
        """Say as which engine one's own source plays."""
        return self._change(by, number, engine=engine)

    def remove(self, by: Account, number: SourceId) -> None:
        """Throw one's own source away, with all its versions."""
        self.own(by, number)
        with self._database.writing() as connection:
            _drop(connection, [number])

    def erase(self, connection: Connection, account: Account) -> None:
        """Throw away all of somebody's."""
        _drop(connection, list(connection.execute(select(SOURCES.c.number).where(SOURCES.c.owner == account.id)).scalars()))

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def find(self, number: int) -> Source:
        """Return a source, whoever asks: for the house itself."""
        return self._one(select(*MINE).where(SOURCES.c.number == number), _unknown(number))

    def own(self, by: Account, number: int) -> Source:
        """Return one's own source; another's is not there."""
        return self._one(select(*MINE).where(SOURCES.c.number == number, SOURCES.c.owner == by.id), _unknown(number))

    def called(self, by: Account, name: str) -> Source:
        """Return one's own source of a name."""
        sought = select(*MINE).where(SOURCES.c.owner == by.id, SOURCES.c.folded == fold(name[:100]))
        return self._one(sought, UnknownError("you have no source %(name)r", name=shorten(name)))

    def shared(self, code: str) -> Source:
        """Return the source to which a link leads; `ExpiredError` if it leads to none (any more)."""
        return self._one(select(*MINE).where(SOURCES.c.code == read_code(code, LINK_LENGTH)), ExpiredError(GONE))

    def of(self, *owners: AccountId) -> tuple[Source, ...]:
        """Return the sources of some people, in the order of their making."""
        with self._database.reading() as connection:
            asked = select(*MINE).where(SOURCES.c.owner.in_(owners)).order_by(SOURCES.c.number)
            return tuple(map(_source, connection.execute(asked)))

    def lent_to_all(self) -> tuple[Source, ...]:
        """Return the sources that every runner may play."""
        with self._database.reading() as connection:
            return tuple(
                map(_source, connection.execute(select(*MINE).where(SOURCES.c.lent == "all").order_by(SOURCES.c.number)))
            )

    def played_as(self, engine: int) -> Source | None:
        """Return the source that plays as an engine, the newest where there are several."""
        asked = select(*MINE).where(SOURCES.c.engine == engine).order_by(SOURCES.c.number.desc())
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        return None if found is None else _source(found)

    def versions(self, number: SourceId) -> tuple[Edition, ...]:
        """Return the versions of a source, the newest first."""
        asked = select(VERSIONS.c.number, VERSIONS.c.at, func.length(VERSIONS.c.text)).where(VERSIONS.c.source == number)
        with self._database.reading() as connection:
            return tuple(Edition(*row) for row in connection.execute(asked.order_by(VERSIONS.c.number.desc())))

    def version(self, number: SourceId, version: int | None = None) -> Version:
        """Return a version of a source with its text, the newest where none is named."""
        asked = _newest(number) if version is None else _newest(number).where(VERSIONS.c.number == version)
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        if found is None:
            raise UnknownError("the source %(number)s has no version %(version)s", number=number, version=version)
        return Version(number, found.number, found.at, found.text)

    def newest(self, numbers: Sequence[SourceId]) -> dict[SourceId, int]:
        """Return the number of the newest version of each of some sources."""
        asked = select(VERSIONS.c.source, func.max(VERSIONS.c.number)).where(VERSIONS.c.source.in_(numbers))
        with self._database.reading() as connection:
            return {SourceId(source): last for source, last in connection.execute(asked.group_by(VERSIONS.c.source))}

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _change(self, by: Account, number: SourceId, **changed: object) -> Source:
        with self._database.writing() as connection:
            mine = update(SOURCES).where(SOURCES.c.number == number, SOURCES.c.owner == by.id)
            if connection.execute(mine.values(**changed)).rowcount != 1:
                raise _unknown(number)
        return self.own(by, number)

    def _one(self, asked: Select[Any], missing: UnknownError | ExpiredError) -> Source:
        with self._database.reading() as connection:
            found = connection.execute(asked).first()
        if found is None:
            raise missing
        return _source(found)


def _newest(number: SourceId) -> Select[Any]:
    return select(VERSIONS).where(VERSIONS.c.source == number).order_by(VERSIONS.c.number.desc()).limit(1)


def _drop(connection: Connection, numbers: Sequence[int]) -> None:
    connection.execute(delete(VERSIONS).where(VERSIONS.c.source.in_(numbers)))
    connection.execute(delete(SOURCES).where(SOURCES.c.number.in_(numbers)))


def _check_text(text: str) -> str:
    """Return a text as it is kept: its lines end as everywhere, and it is one that every database holds."""
    plain = text[: LARGEST * 2].replace("\r\n", "\n").replace("\r", "\n")
    try:
        size = len(plain.encode())
    except UnicodeEncodeError:
        raise UnfitError("text", "holds what is no character") from None
    if size > LARGEST or len(text) > LARGEST * 2:
        raise UnfitError("text", "at most %(most)s octets", most=LARGEST)
    if "\0" in plain:
        raise UnfitError("text", "holds what is no character")
    return plain


def _unknown(number: int) -> UnknownError:
    return UnknownError("there is no source with the number %(number)s for you", number=number)
