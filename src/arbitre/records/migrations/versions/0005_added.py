"""Games that users add by address."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TEXTS = ("game", "name", "folded", "url", "engine", "interface", "about", "board")
FLAGS = ("simultaneous", "open", "framed", "public")


def upgrade() -> None:
    """Make the table of added games."""
    op.create_table(
        "added_games",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False, unique=True if name == "folded" else None) for name in TEXTS),
        *(sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()) for name in FLAGS),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("faulted", sa.BigInteger, nullable=True),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("retired", sa.BigInteger, nullable=True),
        sa.Index("added_games_by_owner", "owner"),
    )
