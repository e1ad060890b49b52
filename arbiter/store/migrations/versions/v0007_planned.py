"""When each round was planned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add a column; of earlier rounds it is not known."""
    with op.batch_alter_table("rounds") as rounds:
        rounds.add_column(sa.Column("planned", sa.String(32)))
