"""Matches annulled and players suspended; the files that a season was played from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arbiter.store.schema import Name

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add two tables and what is to be known of seasons and rounds; of earlier ones it is not."""
    for name, *columns in (
        (
            "annulments",
            sa.Column("match_id", Name, nullable=False),
            sa.Column("wall_ns", sa.BigInteger),
            sa.Column("summary", sa.Text),
            sa.Column("record", sa.LargeBinary),
        ),
        ("suspensions", sa.Column("player", sa.Text, nullable=False)),
    ):
        op.create_table(
            name,
            sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
            sa.Column("number", sa.Integer, primary_key=True),
            sa.Column("verb", sa.String(16), nullable=False),
            sa.Column("because", sa.Text, nullable=False),
            sa.Column("moment", sa.String(32), nullable=False),
            sa.Column("planned", sa.Integer, nullable=False),
            sa.Column("complete", sa.Integer, nullable=False),
            *columns,
        )
    with op.batch_alter_table("seasons") as seasons:
        seasons.add_column(sa.Column("revision", sa.Integer, nullable=False, server_default="0"))
        seasons.add_column(sa.Column("file", sa.Text))
        seasons.add_column(sa.Column("seed_told", sa.Integer))
    with op.batch_alter_table("rounds") as rounds:
        rounds.add_column(sa.Column("programs", sa.Text))
