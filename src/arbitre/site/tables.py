"""The tables of the community as SQLAlchemy knows them; the migrations make them, and a test compares the two.

Times are seconds since 1970, UTC. `digest` columns hold hashes of secrets that only their holder has. Nothing here needs SQLite.
"""

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from arbitre.reasons import Reason, keep, kept

METADATA = sa.MetaData()


def _table(name: str, *columns: SchemaItem) -> sa.Table:
    return sa.Table(name, METADATA, *columns)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _text(name: str, *, null: bool = False, unique: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=null, unique=unique)


def _at(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=null)


class _Kept(sa.types.TypeDecorator[Reason]):
    """A reason, kept as text."""

    impl = sa.Text
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
    sa.Column("quota", sa.Integer, nullable=True),
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
    sa.UniqueConstraint("game", "folded"),
    sa.Index("engines_by_owner", "owner"),
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
    sa.Column("seat", sa.Integer, nullable=False),
    _of("inviter", "accounts", null=True),
    _at("created"),
    _at("expires"),
    _at("accepted", null=True),
    _of("guest", "accounts", null=True),
    sa.Index("invitations_by_match", "match"),
    sa.Index("invitations_by_inviter", "inviter"),
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
    sa.Column("words", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.Index("classes_by_teacher", "teacher"),
)
MEMBERS = _table(
    "members",
    _of("class", "classes", key=True),
    _of("account", "accounts", key=True),
    _at("joined"),
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
    sa.Column("each", sa.Integer, nullable=False),
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
    sa.Column("fixture", sa.Integer, primary_key=True),
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
