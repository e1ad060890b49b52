"""Further players in a season's config, whom its file does not name: the programs that authors sent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arbiter.config.changes import is_sent, rated_name
from arbiter.config.season import digest_of, entry_of, settings_of_player
from arbiter.config.season_file import PlayerModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arbiter.config.season import Config


def enrolled(config: Config, sent: Iterable[Mapping[str, Any]]) -> Config:
    """The config with these players, as settings have them, after those of its file.

    They take the place of those that it was enrolled with before, and of other versions that came to the file
    from stored settings.
    """
    models = [PlayerModel.model_validate(player) for player in sent]
    names = {model.name for model in models}
    kept = [
        (entry, player)
        for entry, player in zip(config.entries, config.settings["players"], strict=True)
        if not (is_sent(player) and player["name"] in names) and entry.player.name not in config.roster
    ]
    players = [player for _, player in kept] + [settings_of_player(model) for model in models]
    if players == config.settings["players"]:
        return config
    settings = {**config.settings, "players": players}
    return replace(
        config,
        entries=(
            *(entry for entry, _ in kept),
            *(entry_of(model, config.folder, config.languages) for model in models),
        ),
        settings=settings,
        digest=digest_of(settings),
        roster=frozenset(rated_name(model.name, model.version) for model in models),
    )
