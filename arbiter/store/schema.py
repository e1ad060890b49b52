"""The tables of the store, and its schema's version.

A change here comes with a migration in `migrations/versions` and a new `HEAD`; a test compares
what the migrations build with what stands here.
"""

from __future__ import annotations

import sqlalchemy as sa

HEAD = "0002"
"""The newest revision in `migrations/versions`."""

Name = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
"""Text in the order of its characters, whatever the language of a server's other texts."""

metadata = sa.MetaData()

version = sa.Table(
    # Alembic's own table, by its own name.
    "alembic_version",
    metadata,
    sa.Column("version_num", sa.String(32), primary_key=True),
)

seasons = sa.Table(
    "seasons",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", Name, nullable=False, unique=True),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    # When somebody asked that it stop; null once it did.
    sa.Column("stop_asked", sa.String(32)),
)

configs = sa.Table(
    "configs",
    metadata,
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
    sa.Column("digest", sa.String(64), primary_key=True),
    # What the digest covers, as JSON.
    sa.Column("settings", sa.Text, nullable=False),
)

rounds = sa.Table(
    "rounds",
    metadata,
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("tables", sa.Text, nullable=False),
    sa.Column("complete", sa.Boolean, nullable=False),
)

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
    sa.Column("id", Name, primary_key=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("wall_ns", sa.BigInteger, nullable=False),
    # What ratings and lists need, as JSON; then the whole record as JSON, compressed.
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.Index("matches_by_round", "season_id", "round"),
)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("season_id", sa.Integer, sa.ForeignKey("seasons.id"), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    # The standings after the round as JSON, as the command prints them.
    sa.Column("standings", sa.Text, nullable=False),
)
