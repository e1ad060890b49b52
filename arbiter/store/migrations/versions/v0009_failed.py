"""Suspensions of who did not qualify told from those that an organiser ordered."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Give them a verb of their own; until now they were known by the words with which they begin."""
    op.execute(
        "UPDATE suspensions SET verb = 'failed'"
        " WHERE verb = 'suspend' AND substr(because, 1, 22) = 'failed qualification: '"
    )
