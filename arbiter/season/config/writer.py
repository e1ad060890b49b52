"""A config as the text of an equivalent season's file, for any folder."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import yaml

from arbiter.match.clock import duration_text
from arbiter.season.config.keys import Terms
from arbiter.season.config.loader import FREE
from arbiter.season.config.settings_diff import LATER
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.season.config.keys import StrictModel
    from arbiter.season.config.loader import Config

WIDTH = 110
MICROSECOND = timedelta(microseconds=1)
USUAL_OF_A_PLAYER: dict[str, Any] = {"version": None, "env": {}, "read": [], "batched": False, "house": False}
"""Defaults of a player, which are left out."""


def config_text(config: Config) -> str:
    """Return YAML with all keys that have a value, with defaults; its digest is the config's.

    Commands stay as given, since the digest covers their words; `folder` is their base.
    """
    shape: dict[str, Any] = {
        "season": config.season,
        "seed": config.seed,
        "stop_when": _terms_as_written(config.stop_when),
        "store": config.store,
        "folder": str(config.folder.absolute()),
        "workers": config.workers or "auto",
        "ship": [str(folder) for folder in config.ship],
        "submissions": None if config.submissions is None else _terms_as_written(config.submissions),
        "requests": None if config.requests is None else _terms_as_written(config.requests),
        "webhooks": [webhook.as_written() for webhook in config.webhooks] or None,
    }
    shape |= {key.name: _as_written(getattr(config, key.name)) for key in fields(Terms) if key.name in FREE}
    # As JSON: YAML would mark tuples.
    settings = json.loads(json.dumps({**LATER, **config.settings}))
    players = [_without_defaults(player) for player in settings.pop("players")]
    shape |= settings | {"players": players}
    shape = {key: value for key, value in shape.items() if value is not None}
    text = _yaml(shape, as_it_is=True)
    return (
        text if all(printable(line) == line for line in text.splitlines()) else _yaml(shape, as_it_is=False)
    )


def _terms_as_written(terms: StrictModel) -> dict[str, Any]:
    """Return the keys that are not None, with values as in the file."""
    return {key: _as_written(value) for key, value in terms if value is not None}


def _as_written(value: Any) -> Any:
    """Return a time or duration as text, a mapping of models with plain ones, others unchanged."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: dict(price) for name, price in value.items()}
    return duration_text(value // MICROSECOND * 1000) if isinstance(value, timedelta) else value


def _without_defaults(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return a player's keys without those at their default, the name first."""
    usual = USUAL_OF_A_PLAYER
    kept = {key: value for key, value in player.items() if key not in usual or value != usual[key]}
    # The name comes first, for readers.
    return {"name": kept.pop("name"), **kept}


def _yaml(shape: Mapping[str, Any], *, as_it_is: bool) -> str:
    """Return YAML with text unchanged if `as_it_is`, else with all but ASCII escaped."""
    text: str = yaml.safe_dump(
        dict(shape), sort_keys=False, allow_unicode=as_it_is, width=WIDTH, default_flow_style=None
    )
    return text
