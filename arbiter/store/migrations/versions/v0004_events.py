"""What happened in a season, in order, for whoever looks on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add a table, and the number of each season's last event; earlier events are not known."""
    op.create_table(
        "events",
        sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
    )
    with op.batch_alter_table("seasons") as seasons:
        seasons.add_column(sa.Column("events", sa.Integer, nullable=False, server_default="0"))
