"""Models in a season's file: what is refused, what is kept, what a change changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.games.samples import HARNESS
from arbiter.sandbox.player_command import readable_rivals
from arbiter.season.config import load
from arbiter.season.config.loader import as_it_was
from arbiter.season.config.models import PriceKeys
from arbiter.season.config.settings_diff import changes, price_of
from arbiter.season.config.writer import config_text
from arbiter.trials.qualify import find_entries

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arbiter.season.config import Config

SEASON = """\
game: {game}
{keys}players:
  - name: thinker
    model: {model}
  - {{name: other, model: {{endpoint: "http://localhost:1/v1", name: small}}}}
  - {{name: c, command: [python3]}}
  - {{name: d, command: [python3]}}
"""
MODEL = "{endpoint: 'https://llm.example.org/v1', name: large, key_env: FAKE_KEY}"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Config]:
    def read(model: str = MODEL, keys: str = "", game: str = "planning", to_play: bool = False) -> Config:
        path = tmp_path / "s.yaml"
        path.write_text(SEASON.format(model=model, keys=keys, game=game))
        return load(path, check_commands=to_play)

    return read


def test_a_model_sits_behind_the_harness_with_the_accounts_of_its_season(read: Callable[..., Config]) -> None:
    config = read(keys="tokens: {match: 5000}\nattempts: 3\n")
    player = config.entries[0].player
    assert str(HARNESS) in player.command
    assert player.model is not None
    assert (player.model.name, player.model.key_env) == ("large", "FAKE_KEY")
    assert (player.model.match_tokens, player.model.move_tokens, player.model.attempts) == (5000, 8000, 3)
    assert config.entries[2].player.model is None


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            "{endpoint: 'ftp://x/v1', name: a}",
            "not an endpoint: 'ftp://x/v1' (write https://llm.example.org/v1",
        ),
        ("{endpoint: 'https://u:secret@x/v1', name: a}", "an endpoint has no user or password"),
        ("{endpoint: 'https://x/v1?key=1', name: a}", "not an endpoint"),
        ("{endpoint: 'https://x/v1', name: a, key_env: sk-123}", "not the name of an environment variable"),
        ("{endpoint: 'https://x/v1', name: a, keyenv: K}", "unknown key (did you mean key_env?)"),
        ("{endpoint: 'http://x.example/v1', name: a, key_env: FAKE_KEY}", "a key would be sent in the clear"),
        ("{endpoint: 'https://x/v1', name: a, deadline: 0.1s}", "not a deadline: '0.1s'"),
        ("{endpoint: 'https://x/v1', name: a, harness: 99}", "this version has harness 1"),
        ("{endpoint: 'https://x/v1', name: a, prompt: {state: half}}", "'half' is not known"),
        ("{endpoint: 'https://x/v1'}", "name: is required"),
    ],
)
def test_what_is_no_model_is_refused(read: Callable[..., Config], model: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read(model)
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "sk-123" not in str(raised.value)


def test_names_are_exchanged_where_there_are_suits(read: Callable[..., Config]) -> None:
    model = MODEL.replace("}", ", prompt: {names: exchanged}}")
    assert read(model).entries[0].player.model is not None
    with pytest.raises(ConfigError, match="chefs_hat has no suits to exchange"):
        read(model, game="chefs_hat")


def test_a_model_has_no_command_of_its_own(read: Callable[..., Config]) -> None:
    with pytest.raises(ConfigError, match="a model has no command of its own"):
        read(f"{MODEL}\n    command: [python3]")


@pytest.mark.parametrize(
    "keys", ["tokens: {match: 0}\n", "tokens: {total: 5}\n", "attempts: 0\n", "tokens: 5\n"]
)
def test_accounts_are_positive_numbers(read: Callable[..., Config], keys: str) -> None:
    with pytest.raises(ConfigError, match=keys.partition(":")[0]):
        read(keys=keys)


def test_who_plays_needs_the_key_in_the_environment(
    read: Callable[..., Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAKE_KEY", raising=False)
    read()
    with pytest.raises(ConfigError, match="the environment variable FAKE_KEY is not set"):
        read(to_play=True)


def test_a_file_that_is_written_anew_reads_the_same(read: Callable[..., Config], tmp_path: Path) -> None:
    config = read(keys="tokens: {move: 100}\nattempts: 1\n")
    again = tmp_path / "again.yaml"
    again.write_text(config_text(config))
    assert str(HARNESS) not in again.read_text()
    assert load(again).digest == config.digest
    assert [entry.player for entry in load(again).entries] == [entry.player for entry in config.entries]


def test_settings_name_the_model_and_not_where_the_harness_lies(read: Callable[..., Config]) -> None:
    config = read()
    assert "command" not in config.settings["players"][0]
    assert config.settings["players"][0]["model"]["harness"] == 1
    assert "model" not in config.settings["players"][2]
    then = as_it_was(config, config.settings)
    assert then is not None
    assert [entry.player for entry in then.entries] == [entry.player for entry in config.entries]


def test_without_models_nothing_is_another_season(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "game: planning\nplayers:\n" + "".join(f"  - {{name: {n}, command: [python3]}}\n" for n in "abcd")
    )
    settings = load(path).settings
    assert not {"tokens", "attempts"} & settings.keys()
    assert all("model" not in player for player in settings["players"])


def test_another_model_should_get_another_version(read: Callable[..., Config]) -> None:
    before, now = read(), read(MODEL.replace("large", "larger"))
    assert before.digest != now.digest
    (change,) = changes(before.settings, now.settings)
    assert (
        change
        == "thinker has another model: name: large -> larger (another program should get another version)"
    )


def test_models_share_no_files_that_are_anybodys(read: Callable[..., Config]) -> None:
    found = readable_rivals([entry.player for entry in read().entries][:2])
    assert found == {}


def test_models_are_not_walked_through_the_steps_of_bots(read: Callable[..., Config]) -> None:
    assert [entry.player.name for entry in find_entries(read(), [])] == ["c", "d"]


PRICED = "prices: {thinker: {input: 3, output: 15}, other: {input: 0.5, output: 1}}\n"


def test_prices_and_what_stops_a_season_are_no_part_of_its_settings(read: Callable[..., Config]) -> None:
    config = read(keys=f"stop_when: {{elo: 50, cost: 9}}\ncurrency: EUR\n{PRICED}")
    assert config.digest == read().digest
    assert config.stop_when.cost == 9
    assert price_of(config.prices, "thinker") == PriceKeys(input=3, output=15)
    assert as_it_was(config, read().settings) == replace(config, warnings=())


def test_a_version_may_have_a_price_of_its_own(read: Callable[..., Config]) -> None:
    prices = read(keys="prices: {a: {input: 1, output: 1}, a@2: {input: 2, output: 2}}\n").prices
    assert [price.input for price in map(partial(price_of, prices), ("a@1", "a@2", "a")) if price] == [
        1,
        2,
        1,
    ]
    assert price_of(prices, "b") is None


def test_a_cost_needs_the_price_of_every_model(read: Callable[..., Config]) -> None:
    with pytest.raises(
        ConfigError, match=r"cost: other has no price \(write prices: \{other: \{input: 3, output"
    ):
        read(keys="stop_when: {cost: 9}\nprices: {thinker: {input: 3, output: 15}}\n")
    config = read(keys="prices: {thinker: {input: 3, output: 15}}\n")
    assert any("prices: none for other: its costs are not known" in text for text in config.warnings)


def test_another_anchor_is_a_change_of_the_settings(read: Callable[..., Config]) -> None:
    before, now = read(keys="anchors: {c: 100}\n"), read(keys="anchors: {c: 100.5}\n")
    assert list(changes(before.settings, now.settings)) == ["anchors: c: 100 -> 100.5"]
    assert "anchors" not in read().settings
