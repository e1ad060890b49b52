"""A config written as a file: it reads as the same config, from any folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from arbiter.season.config import as_it_was, load
from arbiter.season.config.settings_diff import rated_name
from arbiter.season.config.writer import config_text
from arbiter.text import printable
from tests.fixtures.profiles import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.config import Config

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
NAME = st.text(max_size=8).filter(
    lambda text: (
        text.isprintable() and text == text.strip() and text not in (".", "..") and not set(text) & set('#@"')
    )
)
PLAYER = st.fixed_dictionaries(
    {"command": st.lists(TEXT.filter(lambda word: "/" not in word), min_size=1, max_size=3)},
    optional={
        "version": st.integers(0, 10**20) | NAME.filter(bool),
        "env": st.dictionaries(TEXT.filter(lambda key: "=" not in key), TEXT | st.integers(), max_size=2),
        "batched": st.booleans(),
        "house": st.just(False),
        "rung": st.booleans(),
        "publish_notes": st.none() | st.booleans(),
    },
)
SEASON = st.fixed_dictionaries(
    {
        "game": st.sampled_from(["planning", {"name": "planning", "deals": [[1, 0], [3, 1]]}]),
        "players": st.lists(PLAYER, min_size=4, max_size=4),
    },
    optional={
        "season": NAME.filter(bool),
        "seed": st.integers() | TEXT.filter(str.isprintable),
        "rounds": st.integers(1, 10**6),
        "until": st.datetimes(datetime(2020, 1, 1)).map(lambda moment: moment.isoformat()),
        "opens": st.datetimes(max_value=datetime(2019, 1, 1)).map(lambda moment: moment.isoformat()),
        "freeze": st.integers(0, 9),
        "publish_notes": st.booleans(),
        "every": st.sampled_from(["30m", "1.5s", "8760h"]),
        "workers": st.integers(1, 99),
        "time": st.sampled_from(["60s", "60s+100ms", "500ms/request"]),
        "memory": st.sampled_from(["400MB", "12345678"]),
        "languages": st.sampled_from(
            [{}, {"python3": "/bin/sh"}, {"node": {"program": "/bin/sh", "read": ["/usr"]}}]
        ),
        "submissions": st.fixed_dictionaries(
            {},
            optional={
                "until": st.datetimes().map(lambda moment: moment.isoformat()),
                "max_size": st.sampled_from(["10MB", "1KB", "1234567"]),
                "per_day": st.integers(1, 99),
                "builds": st.booleans(),
            },
        ),
        "webhooks": st.lists(
            st.fixed_dictionaries(
                {
                    "url": st.sampled_from(["https://a.example/x", "http://[::1]:9/"]),
                    "secret_file": st.just("k"),
                },
                optional={
                    "events": st.lists(st.sampled_from(["match", "round", "state"]), min_size=1),
                    "form": st.sampled_from(["json", "discord", "slack"]),
                    "local": st.booleans(),
                },
            ),
            max_size=2,
            unique_by=lambda webhook: webhook["url"],
        ),
        "prices": st.dictionaries(
            TEXT,
            st.fixed_dictionaries({"input": st.integers(0, 99), "output": st.sampled_from([0.25, 15])}),
            max_size=2,
        ),
        "currency": NAME.filter(bool),
        "stop_when": st.fixed_dictionaries(
            {}, optional={"faults": st.sampled_from([0.25, 1]), "elo": st.sampled_from([50, 75.5])}
        ),
        "suspend_after": st.integers(0, 99),
        "suspend_share": st.sampled_from([0.25, 0.5, 1]),
    },
)


def comparable(config: Config) -> Config:
    """Without the file's own place, and with one spelling of each folder."""
    return replace(config, file=Path(), folder=config.folder.resolve())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("season")


@given(SEASON)
@examples(100)
def test_what_is_written_reads_as_the_same_config_elsewhere(folder: Path, settings: dict[str, Any]) -> None:
    for number, player in enumerate(settings["players"]):
        player["name"] = f"p{number}"
    if settings.get("stop_when"):
        settings["anchors"] = {rated_name("p0", settings["players"][0].get("version")): 12.5}
    file, copy = folder / "s.yaml", folder / "elsewhere" / "copy.yaml"
    copy.parent.mkdir(exist_ok=True)
    file.write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
    config = load(file)
    text = config_text(config)
    copy.write_text(text, encoding="utf-8")
    again = load(copy)
    assert again.digest == config.digest
    assert comparable(again) == comparable(config)
    assert all(printable(line) == line for line in text.split("\n"))


@pytest.fixture
def plain(tmp_path: Path) -> Callable[..., Config]:
    """A season of four players with these keys."""

    def read(**keys: str) -> Config:
        players = [{"name": f"p{number}", "command": ["python3"]} for number in range(4)]
        (tmp_path / "s.yaml").write_text(yaml.safe_dump({"game": "planning", **keys, "players": players}))
        return load(tmp_path / "s.yaml")

    return read


def test_a_time_between_rounds_is_written_as_people_write_it(plain: Callable[..., Config]) -> None:
    assert "every: 1500ms\n" in config_text(plain(every="1.5s"))


def test_settings_that_were_kept_are_written_with_their_own_digest(plain: Callable[..., Config]) -> None:
    """Of an earlier version they lack keys that the file has."""
    config = plain()
    kept = {key: value for key, value in config.settings.items() if key != "suspend_after"}
    then = as_it_was(config, kept)
    assert then is not None
    assert then.digest != config.digest
    assert (then.suspend_after, then.settings) == (12, kept)


def test_settings_that_name_bubblewrap_are_read_as_they_were(plain: Callable[..., Config]) -> None:
    config = plain()
    kept = {**config.settings, "isolation": "bwrap"}
    then = as_it_was(config, kept)
    assert then is not None
    assert (then.limits.isolation, then.settings) == ("bwrap", kept)
