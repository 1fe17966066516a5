"""All tables of a data folder: the one description of them.

`make schema` writes `schema.sql` from it, by which a new folder is made without loading SQLAlchemy; a test compares the two. A
change for folders that are in use is a migration besides. Each table has one repository, and only that one writes it: the test of
the architecture has the list. Times are seconds since 1970, UTC. `digest` columns hold hashes of secrets that only their holder
has. Nothing here needs SQLite.
"""

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from arbitre.reasons import Reason, keep, kept

METADATA = sa.MetaData()


def _table(name: str, *columns: SchemaItem) -> sa.Table:
    return sa.Table(name, METADATA, *columns)


TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text that is ordered, and made small, as SQLite and Python do it."""


def _id(name: str = "id") -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.Identity(), primary_key=True)


def _part(name: str) -> sa.Column[int]:
    """Return a number that is part of a key and that whoever writes the row knows."""
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def _number(name: str, *, null: bool = False, unique: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=null, unique=unique)


def _octets(name: str, *, unique: bool = False) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False, unique=unique)


def _text(name: str, *, null: bool = False, unique: bool = False, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, TEXT, nullable=null, unique=unique, primary_key=key)


def _at(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=null)


class _Kept(sa.types.TypeDecorator[Reason]):
    """A reason, kept as text."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: Reason | None, dialect: sa.Dialect) -> str:  # noqa: ARG002 - the same for all
        return keep(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Reason | None:  # noqa: ARG002
        return kept(value or "")


def _fault() -> sa.Column[Reason]:
    return sa.Column("fault", _Kept, nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _of(name: str, table: str, *, null: bool = False, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{table}.id"), nullable=null, primary_key=key)


TOURNAMENTS = _table("tournaments", _id("number"), _text("name", unique=True), _text("plan"), _octets("seed"), _text("created"))
MATCHES = _table(
    "matches",
    _id("number"),
    _text("name", unique=True),
    _text("game"),
    _text("tournament", null=True),
    _number("fixture", null=True),
    _octets("seed"),
    _text("created"),
    _text("verdict", null=True),
    _text("seal", null=True),
    sa.Index("matches_by_tournament", "tournament", "fixture"),
)
TRANSITIONS = _table("transitions", _text("match", key=True), _part("sequence"), _text("lines"))

NODES = _table(
    "nodes",
    _text("id", key=True),
    _number("incarnation"),
    _flag("alive"),
    _text("address"),
    sa.Column("sessions", TEXT, nullable=False, server_default=""),
)
"""`sessions` is what the database calls those of its process."""
HEARTBEATS = _table(
    "heartbeats",
    _text("node", key=True),
    _number("incarnation"),
    sa.Column("seen", sa.Double, nullable=False),
    _flag("dismissed"),
    sa.Column("going", TEXT, nullable=False, server_default=""),
    sa.Column("spent", TEXT, nullable=False, server_default=""),
)
"""Who is there; `going` are the matches that it plays and that anybody may watch, the newest first, and `spent` what visitors
have spent there of what they may ask for."""
HOUSE_KEYS = _table("house_keys", _text("mark", key=True))
"""The mark of the keys that every node of this database must have."""
ROLES = _table("roles", _text("role", key=True), _text("node"))
COMMITS = _table("commits", _text("store", key=True), sa.Column("number", sa.BigInteger, nullable=False), _at("at"))
"""Which batch of each open store was committed last: a connection that broke may have been the one that would have told."""

COUNTS = _table("counts", _text("kind", key=True), _text("name", key=True), _part("span"), _number("taken"), _at("until"))
"""How often somebody did something within a span of time, at all nodes together."""
REPEATS = _table(
    "repeats", _part("token"), _text("name", key=True), _octets("asked"), _text("node"), _at("at"), _text("answer", null=True)
)
"""What was asked under an `Idempotency-Key`, by whom it is being done, and what was answered."""

PROOFS = _table("proofs", _text("name", key=True), _octets("transcript"))
"""Transcripts of elections, where several nodes hand them out."""

LOG_PENDING = _table("log_pending", _id("number"), _octets("entry"))
LOG_ENTRIES = _table("log_entries", _part("number"), _octets("entry"), sa.Index("log_entries_by_entry", "entry"))
LOG_NODES = _table("log_nodes", _part("level"), _part("number"), _octets("hash"))
LOG_HEAD = _table("log_head", _part("id"), _text("origin"), _text("lineage"), _at("size"), _octets("root"), _text("note"))

LEAGUE_VERSIONS = _table(
    "league_versions",
    _id("number"),
    _octets("fingerprint"),
    _text("white"),
    _text("black"),
    _number("seat"),
    _text("reporter"),
    _text("day"),
    _octets("report"),
    sa.UniqueConstraint("fingerprint", "white", "black", "seat"),
)
LEAGUE_GAMES = _table(
    "league_games",
    _id("number"),
    _octets("fingerprint", unique=True),
    _text("white"),
    _text("black"),
    _text("day"),
    _octets("report"),
    sa.UniqueConstraint("white", "black", "day"),
)
LEAGUE_OUTBOX = _table(
    "league_outbox",
    _id("number"),
    _text("match", unique=True),
    _text("registrar"),
    _text("source"),
    _text("opponent"),
    _number("seat"),
    _text("day"),
    sa.Column("due", sa.Float, nullable=False),
    _octets("report"),
    _text("answer", null=True),
    sa.Index("league_outbox_by_opponent", "opponent", "seat", "day"),
)

SITTING_NUMBERS = sa.Sequence("sittings_number", metadata=METADATA)
"""Where several processes call matches, the database counts them; beside a file the one that holds it does."""
SITTINGS = _table(
    "sittings",
    _text("match", key=True),
    _number("number", unique=True),
    _text("state"),
    _text("plan"),
    _number("owner", null=True),
    sa.Column("title", TEXT, nullable=False, server_default=""),
    _flag("hidden"),
    _text("game"),
    _flag("shown"),
    _text("node", null=True),
    sa.Column("starter", TEXT, nullable=False, server_default=""),
    sa.Index("sittings_by_state", "state", "number"),
    sa.Index("sittings_by_owner", "owner"),
    sa.Index("sittings_by_starter", "starter", "state"),
)
SEATS = sa.Table(
    "seats",
    METADATA,
    _text("match", key=True),
    _part("seat"),
    _text("name"),
    _number("engine", null=True),
    _number("account", null=True),
    sa.Index("seats_by_name", sa.func.lower(sa.column("name"))),
    sa.Index("seats_by_engine", "engine"),
    sqlite_with_rowid=False,  # found by its key while many others are: a third of the time
)
ANALYSES = _table(
    "analyses",
    _id("number"),
    _text("match", unique=True),
    _text("state"),
    _text("who"),
    _text("line"),
    _number("turn"),
    _text("key"),
    _text("judge"),
    sa.Column("until", sa.Double, nullable=False),
    _number("tries"),
    sa.Column("document", sa.LargeBinary, nullable=True),
    sa.Index("analyses_by_state", "state", "turn", "number"),
)
ANALYSTS = _table("analysts", _text("name", key=True), _text("key"), sa.Column("until", sa.Double, nullable=False))
"""The workers that judge games, and until when each is there if nothing more is heard of it."""
PUZZLES = _table(
    "puzzles", _text("day", key=True), _text("game"), _text("match"), _text("position", unique=True), _text("puzzle")
)

TRACES = _table(
    "traces",
    _text("match", key=True),
    _part("seat"),
    _part("sequence"),
    _text("at"),
    _text("what"),
    _text("text"),
    _number("status"),
    _text("body"),
)

ACCOUNTS = _table(
    "accounts",
    _id(),
    _text("name"),
    _text("folded", unique=True),
    _text("neutral", unique=True),
    _text("password", null=True),
    _text("role"),
    _at("created"),
    _text("banned", null=True),
    _number("quota", null=True),
    _flag("erased"),
)
RESETS = _table("resets", _text("digest", unique=True), _of("account", "accounts", key=True), _at("expires"))
SESSIONS = _table(
    "sessions",
    _id(),
    _text("digest", unique=True),
    _of("account", "accounts"),
    _at("created"),
    _at("used"),
    _at("expires"),
    _text("agent"),
    sa.Index("sessions_by_account", "account"),
)
TOKENS = _table(
    "tokens",
    _id(),
    _text("digest", unique=True),
    _of("account", "accounts"),
    _text("name"),
    _text("scopes"),
    _at("created"),
    _at("used", null=True),
    _at("expires", null=True),
    sa.Index("tokens_by_account", "account"),
)

ENGINES = _table(
    "engines",
    _id(),
    _of("owner", "accounts"),
    _text("game"),
    _text("name"),
    _text("folded"),
    _text("url"),
    _flag("full"),
    _flag("direct"),
    _flag("notify"),
    _text("login"),
    _flag("public"),
    _text("opponent", unique=True),
    _fault(),
    _at("faulted", null=True),
    _at("created"),
    _at("retired", null=True),
    _text("digest", null=True, unique=True),
    sa.UniqueConstraint("game", "folded"),
    sa.Index("engines_by_owner", "owner"),
)
SOURCES = _table(
    "sources",
    _id("number"),
    _of("owner", "accounts"),
    _text("game"),
    _text("name"),
    _text("folded"),
    _text("language"),
    _text("lent"),
    _text("code", null=True, unique=True),
    _of("engine", "engines", null=True),
    _at("created"),
    sa.UniqueConstraint("owner", "folded"),
)
VERSIONS = _table(
    "versions",
    sa.Column("source", sa.Integer, sa.ForeignKey("sources.number"), primary_key=True),
    _part("number"),
    _at("at"),
    _text("text"),
)
INTERFACES = _table(
    "interfaces",
    _id(),
    _of("owner", "accounts"),
    _text("game"),
    _text("name"),
    _text("folded"),
    _text("url"),
    _flag("public"),
    _flag("own_origin"),
    _fault(),
    _at("faulted", null=True),
    _at("created"),
    _at("retired", null=True),
    sa.UniqueConstraint("game", "folded"),
    sa.Index("interfaces_by_owner", "owner"),
)
ADDED_GAMES = _table(
    "added_games",
    _id(),
    _of("owner", "accounts"),
    _text("game"),
    _text("name"),
    _text("folded", unique=True),
    _text("url"),
    _text("engine"),
    _text("interface"),
    _text("about"),
    _text("board"),
    _flag("simultaneous"),
    _flag("open"),
    _flag("framed"),
    _flag("public"),
    _fault(),
    _at("faulted", null=True),
    _at("created"),
    _at("retired", null=True),
    sa.Index("added_games_by_owner", "owner"),
)
INVITATIONS = _table(
    "invitations",
    _id(),
    _text("digest", unique=True),
    _text("match"),
    _number("seat"),
    _of("inviter", "accounts", null=True),
    _at("created"),
    _at("expires"),
    _at("accepted", null=True),
    _of("guest", "accounts", null=True),
    sa.Index("invitations_by_match", "match"),
    sa.Index("invitations_by_inviter", "inviter"),
)
FILE_GAMES = _table(
    "file_games", _text("game", key=True), _number("number"), _octets("content"), _octets("request"), _at("changed")
)
PHOTOS = _table(
    "photos",
    _id(),
    _of("owner", "accounts"),
    _text("title"),
    _text("game"),
    _text("options"),
    _text("state"),
    _at("created"),
    sa.Index("photos_by_owner", "owner"),
)

CLASSES = _table(
    "classes",
    _id(),
    _of("teacher", "accounts"),
    _text("name"),
    _text("code", unique=True),
    _at("expires"),
    _text("ranges"),
    _text("gateway"),
    _text("gateway_key"),
    _at("created"),
    sa.Column("words", TEXT, nullable=False, server_default=sa.text("''")),
    _flag("accounts_only"),
    sa.Index("classes_by_teacher", "teacher"),
)
MEMBERS = _table(
    "members",
    _of("class", "classes", key=True),
    _of("account", "accounts", key=True),
    _at("joined"),
    _flag("made"),
    sa.Index("members_by_account", "account"),
)

COMPETITIONS = _table(
    "competitions",
    _id(),
    _of("organiser", "accounts"),
    _text("title"),
    _text("about"),
    _text("game"),
    _text("plan"),
    _text("kind"),
    _text("access"),
    _of("class", "classes", null=True),
    _flag("listed"),
    _text("code", unique=True),
    _at("opens"),
    _at("begins"),
    _number("each"),
    _text("state"),
    _text("tournament", null=True, unique=True),
    _text("proof", null=True),
    _at("created"),
    sa.Column("patience", sa.Integer, nullable=False, server_default="0"),
    sa.Index("competitions_by_state", "state"),
    sa.Index("competitions_by_organiser", "organiser"),
)
ENTRIES = _table(
    "entries",
    _id(),
    _of("competition", "competitions"),
    _of("owner", "accounts"),
    _of("engine", "engines", null=True),
    _text("neutral"),
    _at("created"),
    _at("withdrawn", null=True),
    sa.UniqueConstraint("competition", "neutral"),
    sa.Index("entries_by_owner", "owner"),
)
VOTES = _table(
    "votes",
    _of("competition", "competitions", key=True),
    _of("account", "accounts", key=True),
    _of("entry", "entries"),
)
CHANGES = _table(
    "changes",
    _id(),
    _of("competition", "competitions"),
    _at("at"),
    _text("field"),
    _text("before"),
    _text("after"),
    sa.Index("changes_by_competition", "competition"),
)
ARRIVALS = _table(
    "arrivals",
    _of("competition", "competitions", key=True),
    _part("fixture"),
    _of("account", "accounts", key=True),
    _at("at"),
)
CHALLENGES = _table(
    "challenges",
    _id(),
    _of("challenger", "engines"),
    _of("challenged", "engines"),
    _text("state"),
    _text("match", null=True),
    _at("created"),
    sa.Index("challenges_by_challenger", "challenger"),
    sa.Index("challenges_by_challenged", "challenged"),
)
