"""Matches, their transitions, and tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "tournaments",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("seed", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
    )
    op.create_table(
        "matches",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("tournament", sa.Text, nullable=True),
        sa.Column("fixture", sa.Integer, nullable=True),
        sa.Column("seed", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=True),
        sa.Column("seal", sa.Text, nullable=True),
        sa.Index("matches_by_tournament", "tournament", "fixture"),
    )
    op.create_table(
        "transitions",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("lines", sa.Text, nullable=False),
    )
