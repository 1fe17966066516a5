"""Competitions that change before they begin, people who say that they are there, and a school's own words for its members."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of changes and arrivals; competitions from before wait for people without end, as they did."""
    op.add_column("competitions", sa.Column("patience", sa.Integer, nullable=False, server_default="0"))
    op.add_column("classes", sa.Column("words", sa.Text, nullable=False, server_default=sa.text("''")))
    op.create_table(
        "changes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("competition", sa.Integer, sa.ForeignKey("competitions.id"), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("field", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Index("changes_by_competition", "competition"),
    )
    op.create_table(
        "arrivals",
        sa.Column("competition", sa.Integer, sa.ForeignKey("competitions.id"), primary_key=True, nullable=False),
        sa.Column("fixture", sa.Integer, primary_key=True, nullable=False),
        sa.Column("account", sa.Integer, sa.ForeignKey("accounts.id"), primary_key=True, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
