"""The tables of the store, and its schema's version.

A change here comes with a migration in `migrations/versions` and a new `HEAD`; a test compares
what the migrations build with what stands here.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

HEAD = "0002"
"""The newest revision in `migrations/versions`."""

Name = String(64).with_variant(String(64, collation="C"), "postgresql")
"""Text in the order of its characters, whatever the language of a server's other texts."""

metadata = MetaData()

version = Table(
    # Alembic's own table, by its own name.
    "alembic_version",
    metadata,
    Column("version_num", String(32), primary_key=True),
)

seasons = Table(
    "seasons",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Name, nullable=False, unique=True),
    Column("game", String(64), nullable=False),
    Column("seed", Text, nullable=False),
    Column("created", String(32), nullable=False),
    # When somebody asked whoever plays it to stop; empty once that was heard.
    Column("stop_asked", String(32)),
)

configs = Table(
    "configs",
    metadata,
    Column("season_id", Integer, ForeignKey("seasons.id"), primary_key=True),
    Column("digest", String(64), primary_key=True),
    # What the digest covers, as JSON.
    Column("settings", Text, nullable=False),
)

rounds = Table(
    "rounds",
    metadata,
    Column("season_id", Integer, ForeignKey("seasons.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("tables", Text, nullable=False),
    Column("complete", Boolean, nullable=False),
)

matches = Table(
    "matches",
    metadata,
    Column("season_id", Integer, ForeignKey("seasons.id"), primary_key=True),
    Column("id", Name, primary_key=True),
    Column("round", Integer, nullable=False),
    Column("wall_ns", BigInteger, nullable=False),
    # What ratings and lists need, as JSON; then the whole record as JSON, compressed.
    Column("summary", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Index("matches_by_round", "season_id", "round"),
)

ratings = Table(
    "ratings",
    metadata,
    Column("season_id", Integer, ForeignKey("seasons.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    # The standings after the round as JSON, as the command prints them.
    Column("standings", Text, nullable=False),
)
