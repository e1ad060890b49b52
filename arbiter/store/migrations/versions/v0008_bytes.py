"""How many bytes the files of each submission take."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add a column; the inspector counts those of earlier submissions."""
    with op.batch_alter_table("submissions") as submissions:
        submissions.add_column(sa.Column("bytes", sa.BigInteger))
