"""The check that confined bots cannot read a season's own files."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from arbiter.errors import ConfigError
from arbiter.sandbox.landlock import SYSTEM, own_places
from arbiter.sandbox.player_command import readable_rivals, refuse_stray_links
from arbiter.sandbox.tiers import choose
from arbiter.season.config.submission_settings import folder_beside
from arbiter.store.address import file_of
from arbiter.text import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arbiter.match.spec import Player
    from arbiter.season.config.loader import Config

UNDECIDED = "auto"
"""The isolation before it is decided for a machine."""
HINT = "keep bots and interpreters in folders of their own, or set isolation: plain and trust all bots"


def readable_by(config: Config, players: Iterable[Player]) -> Iterable[str]:
    """Yield the season's files that these players could read: config, store, submissions, webhook secrets."""
    store = file_of(config.store)
    files = {"the config": config.file.resolve()} | ({"the store": store.resolve()} if store else {})
    if config.submissions is not None:
        files["what authors send"] = folder_beside(config.store, config.file)
    files |= {f"the secret of {webhook.host}": webhook.secret_file.resolve() for webhook in config.webhooks}
    around = {what: (file, *file.parents) for what, file in files.items()}
    # Most places are the same for all players, and each takes several system calls.
    resolve = cache(lambda place: Path(place).resolve())
    for player in players:
        places = [(place, resolve(place)) for place in (*own_places(player), *SYSTEM)]
        for what, folders in around.items():
            for place, resolved in places:
                if resolved in folders:
                    yield f"{what} is in {place}, which {player.name} may read"
                    break


def confine(config: Config) -> tuple[Config, list[str]]:
    """Probe this machine and return a config with its isolation decided, and remarks about it.

    ConfigError if bots could read the season's files.
    """
    tier, warning = choose(config.limits.isolation, config.require_isolation)
    notes = [warning] if warning else []
    config = replace(config, limits=replace(config.limits, isolation=tier))
    check_bot_access(config)
    if tier == "plain" and any(entry.player.model and entry.player.model.key_env for entry in config.entries):
        notes.append("isolation: plain: any bot can read the keys of models in this process's environment")
    if tier != "plain":
        for reader, others in readable_rivals(entry.player for entry in config.entries).items():
            notes.append(f"{reader} can read the files of {first_few(others)}")
    return config, notes


def check_bot_access(config: Config, players: Iterable[Player] | None = None) -> None:
    """Raise ConfigError if confined players, by default all, can read the season's or each other's files."""
    if config.limits.isolation == "plain":
        return
    chosen = [entry.player for entry in config.entries] if players is None else list(players)
    for reason in readable_by(config, chosen):
        raise ConfigError(reason, str(config.file), HINT)
    refuse_stray_links(chosen, str(config.file))
