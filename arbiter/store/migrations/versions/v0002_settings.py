"""What a config said, how long a match took, and the wish that a season stop."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add a table and two columns; how long earlier matches took stands only in their records."""
    op.create_table(
        "configs",
        sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("settings", sa.Text, nullable=False),
    )
    with op.batch_alter_table("seasons") as seasons:
        seasons.add_column(sa.Column("stop_asked", sa.String(32)))
    with op.batch_alter_table("matches") as matches:
        matches.add_column(sa.Column("wall_ns", sa.BigInteger, nullable=False, server_default="0"))
