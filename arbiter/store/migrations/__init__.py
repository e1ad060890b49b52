"""Migrations of the store's schema, run from inside the package by Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from arbiter.store.address import kind_of

if TYPE_CHECKING:
    from sqlalchemy import Engine


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return config


def known_revisions() -> list[str]:
    """All revisions from the newest to the first."""
    return [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring a database to a revision in one transaction; two programs do it one after the other."""
    config = _config()
    kind = kind_of(engine.dialect.name)
    assert kind is not None
    with engine.begin() as connection:
        kind.lock_schema(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
