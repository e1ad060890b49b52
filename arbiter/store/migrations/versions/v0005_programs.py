"""The files that a match was played again with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a column; of earlier replays it is not known."""
    with op.batch_alter_table("annulments") as annulments:
        annulments.add_column(sa.Column("programs", sa.Text))
