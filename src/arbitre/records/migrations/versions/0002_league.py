"""The draughts league: versions of games that were accepted, games that are confirmed, reports that wait to be sent."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the league's tables."""
    op.create_table(
        "league_versions",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("fingerprint", sa.LargeBinary, nullable=False),
        sa.Column("white", sa.Text, nullable=False),
        sa.Column("black", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("reporter", sa.Text, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("report", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("fingerprint", "white", "black", "seat"),
    )
    op.create_table(
        "league_games",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("fingerprint", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("white", sa.Text, nullable=False),
        sa.Column("black", sa.Text, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("report", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("white", "black", "day"),
    )
    op.create_table(
        "league_outbox",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("match", sa.Text, nullable=False, unique=True),
        sa.Column("registrar", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("opponent", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("due", sa.Float, nullable=False),
        sa.Column("report", sa.LargeBinary, nullable=False),
        sa.Column("answer", sa.Text, nullable=True),
        sa.Index("league_outbox_by_opponent", "opponent", "seat", "day"),
    )
