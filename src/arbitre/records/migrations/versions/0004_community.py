"""The community: accounts and what is theirs, classes, competitions, invitations."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _text(name: str, *, null: bool = False, unique: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=null, unique=unique)


def _at(name: str, *, null: bool = False) -> sa.Column[int]:
    """Seconds since 1970, UTC."""
    return sa.Column(name, sa.BigInteger, nullable=null)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _of(name: str, table: str, *, null: bool = False, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{table}.id"), nullable=null, primary_key=key)


def _people() -> None:
    op.create_table(
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
    op.create_table("resets", _text("digest", unique=True), _of("account", "accounts", key=True), _at("expires"))
    op.create_table(
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
    op.create_table(
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


def _things() -> None:
    op.create_table(
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
        _text("fault"),
        _at("faulted", null=True),
        _at("created"),
        _at("retired", null=True),
        sa.UniqueConstraint("game", "folded"),
        sa.Index("engines_by_owner", "owner"),
    )
    op.create_table(
        "interfaces",
        _id(),
        _of("owner", "accounts"),
        _text("game"),
        _text("name"),
        _text("folded"),
        _text("url"),
        _flag("public"),
        _flag("own_origin"),
        _text("fault"),
        _at("faulted", null=True),
        _at("created"),
        _at("retired", null=True),
        sa.UniqueConstraint("game", "folded"),
        sa.Index("interfaces_by_owner", "owner"),
    )
    op.create_table(
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
    op.create_table(
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


def _classes() -> None:
    op.create_table(
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
        sa.Index("classes_by_teacher", "teacher"),
    )
    op.create_table(
        "members",
        _of("class", "classes", key=True),
        _of("account", "accounts", key=True),
        _at("joined"),
        sa.Index("members_by_account", "account"),
    )


def _competitions() -> None:
    op.create_table(
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
        sa.Index("competitions_by_state", "state"),
        sa.Index("competitions_by_organiser", "organiser"),
    )
    op.create_table(
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
    op.create_table(
        "votes",
        _of("competition", "competitions", key=True),
        _of("account", "accounts", key=True),
        _of("entry", "entries"),
    )
    op.create_table(
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


def upgrade() -> None:
    """Make the community's tables."""
    _people()
    _things()
    _classes()
    _competitions()
