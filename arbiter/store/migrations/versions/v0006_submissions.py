"""Authors, what they send, and who did what when; seasons that are paused or closed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arbiter.store.schema import Name

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add four tables, and two moments to seasons."""
    op.create_table(
        "authors",
        sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
        sa.Column("name", Name, primary_key=True),
        sa.Column("looks", sa.Text, nullable=False),
        sa.Column("token", sa.String(64), unique=True),
        sa.Column("organiser", sa.Boolean, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("versions", sa.Integer, nullable=False, server_default="0"),
        sa.Column("active", sa.Integer),
        sa.UniqueConstraint("season_id", "looks"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("ends", sa.String(32), nullable=False),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
        sa.Column("author", Name, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("file", sa.String(64), nullable=False),
        sa.Column("received", sa.String(32), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("steps", sa.Text, nullable=False),
        sa.Column("program", sa.Text),
        sa.Column("joins_round", sa.Integer),
        sa.UniqueConstraint("season_id", "author", "version"),
        sa.UniqueConstraint("season_id", "author", "sha256"),
    )
    op.create_index("submissions_by_state", "submissions", ["season_id", "state"])
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), nullable=False),
        sa.Column("moment", sa.String(32), nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("verb", sa.String(16), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("because", sa.Text, nullable=False),
    )
    op.create_index("audit_by_season", "audit", ["season_id"])
    with op.batch_alter_table("seasons") as seasons:
        seasons.add_column(sa.Column("paused", sa.String(32)))
        seasons.add_column(sa.Column("closed", sa.String(32)))
