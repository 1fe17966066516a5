"""The arena: who sits where in a match that goes on until it is over, and what was exchanged with engines."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the arena's tables."""
    op.create_table(
        "sittings",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False, unique=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("owner", sa.Integer, nullable=True),
        sa.Column("title", sa.Text, nullable=False, server_default=""),
        sa.Column("hidden", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Index("sittings_by_state", "state"),
        sa.Index("sittings_by_owner", "owner"),
    )
    op.create_table(
        "traces",
        sa.Column("match", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
