"""Seasons that organisers paused or closed: what is still planned and played."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import ConfigError
from arbiter.season.season import Season
from tests.commands import arbiter
from tests.kept_season import Kept, kept, original_season, played

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["arbiter", "kept", "original_season"]


class Nobody:
    """Slots that nobody may use."""

    size = 1


def finish(kept: Kept) -> Season:
    """The kept season with the round that was under way."""
    season = Season(kept.config, kept.season)
    plan = season.plan()
    assert plan is not None
    for spec in plan.missing:
        kept.season.add_match(played(kept.config, spec))
    season.finish_round(3)
    return season


def test_a_paused_season_is_not_played(kept: Kept) -> None:
    kept.season.running.pause("olga")
    slots: Any = Nobody()
    with pytest.raises(ConfigError, match=r"small is paused since .*arbiter resume"):
        list(Season(kept.config, kept.season).play(slots))


def test_a_closed_season_ends_with_the_round_under_way(kept: Kept) -> None:
    kept.season.running.close("olga")
    season = finish(kept)
    assert season.plan() is None
    slots: Any = Nobody()
    (event,) = season.play(slots)
    assert type(event).__name__ == "SeasonComplete"
    assert kept.season.seed_told() == 3


def test_a_paused_season_that_is_closed_is_played_to_its_end(kept: Kept) -> None:
    kept.season.running.pause("olga")
    kept.season.running.close("olga")
    finish(kept)
    slots: Any = Nobody()
    (event,) = Season(kept.config, kept.season).play(slots)
    assert type(event).__name__ == "SeasonComplete"


def test_a_season_goes_on_at_the_command(arbiter: Callable[..., tuple[int, str, str]], kept: Kept) -> None:
    kept.season.running.pause("olga")
    assert "paused since" in arbiter("status", kept.file)[1]
    assert arbiter("resume", kept.file)[0] == 0
    assert json.loads(arbiter("status", kept.file, "--format", "json")[1])["paused"] is None
    assert "small is not paused" in arbiter("resume", kept.file)[2]
    assert [(deed.who, deed.verb) for deed in kept.season.audit.last(9)] == [
        ("@console", "resume"),
        ("olga", "pause"),
    ]
