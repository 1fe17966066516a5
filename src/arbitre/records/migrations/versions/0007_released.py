"""The first schema that was released, as `records.tables` had it then: a new folder is made at once and stamped with this."""

revision = "0007"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing: no folder is older."""
