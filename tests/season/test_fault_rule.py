"""What follows a fault where the season's file does not say it: that depends on who enters players, and stays."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from arbiter.errors import ConfigError
from arbiter.games.samples import season_files
from arbiter.season.config import Config, load
from arbiter.season.config.loader import OPEN, digest_of
from arbiter.season.config.writer import config_text
from arbiter.season.consent import require_consent_now
from arbiter.season.season import Season
from arbiter.season.snapshot.reader import read_state
from arbiter.store import SeasonStore, Store
from arbiter.web.views.rules import rules
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import HOUSE, players
from tests.fixtures.records import by_name, play_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fixtures.commands import Run


PLAYERS = f"players:\n{players(4)}{HOUSE}"
BASE = "season: s\ngame: planning\nseed: abc\nweak_seed: true\nevery: 24h\nrounds: 9\n"
SENT, BOT, SAID = "submissions: {}\n", "house_bots: [h0]\n", "after_fault: end\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Config]:
    def write(*lines: str) -> Config:
        file = tmp_path / "s.yaml"
        file.write_text(BASE + "".join(lines) + PLAYERS)
        return load(file)

    return write


def play(config: Config, accept: bool = False) -> str:
    """Play a round; the rule that it was planned with."""
    with closing(Store(config.store)) as store:
        opened_season = Season.open(config, store)
        plan = opened_season.rounds.plan(accept_changes=accept)
        assert plan is not None
        play_round(
            opened_season.stored, plan, Scripted(lambda spec: by_name(spec, {f"p{n}": n for n in range(4)}))
        )
        opened_season.rounds.finish(plan.stored.number)
        return plan.config.after_fault


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ((), "end"),
        ((BOT,), "end"),
        ((SENT, BOT), "substitute"),
        ((SENT,), "end"),
        ((SENT, BOT, SAID), "end"),
        ((BOT, "after_fault: substitute\n"), "substitute"),
    ],
)
def test_where_authors_submit_a_house_bot_sits_in_after_a_fault(
    write: Callable[..., Config], lines: tuple[str, ...], rule: str
) -> None:
    assert write(*lines).after_fault == rule


@pytest.mark.parametrize("lines", [(SENT,), (SENT, BOT, SAID)])
def test_where_authors_submit_and_a_fault_ends_all_a_warning_says_so(
    write: Callable[..., Config], lines: tuple[str, ...]
) -> None:
    assert any("submissions with after_fault: end" in text for text in write(*lines).warnings)
    assert not any("after_fault" in text for text in write(SENT, BOT).warnings)


def test_the_rule_is_part_of_the_settings_and_written_out(write: Callable[..., Config]) -> None:
    config = write(SENT, BOT)
    assert config.settings["after_fault"] == "substitute"
    assert "after_fault: substitute\n" in config_text(config)
    assert "after_fault: end\n" in config_text(write(BOT))


def before_the_change(config: Config) -> SeasonStore:
    """A season of this config that has a round whose settings do not know the key, as earlier versions had."""
    settings = {key: value for key, value in config.settings.items() if key not in OPEN}
    season = Season.open(config, Store(config.store)).stored
    season.add_round(1, digest_of(settings), [[f"p{n}" for n in range(4)]], settings)
    return season


def test_a_season_goes_on_under_the_rule_that_it_began_with(write: Callable[..., Config]) -> None:
    config = write(SENT, BOT)
    before_the_change(config)
    assert [play(config), play(config)] == ["end", "end"]
    assert play(write(SENT, BOT, "after_fault: substitute\n"), accept=True) == "substitute"


def test_a_season_begun_before_there_was_a_share_of_faults_suspends_nobody_for_it(
    write: Callable[..., Config],
) -> None:
    config = write(BOT)
    season = before_the_change(config)
    assert config.suspend_share == 0.5
    assert Season(config, season).config.suspend_share == 1
    assert Season(write(BOT, "suspend_share: 0.5\n"), season).config.suspend_share == 0.5


def test_another_rule_than_before_has_to_be_accepted_once_the_file_says_it(
    write: Callable[..., Config],
) -> None:
    season = before_the_change(write(SENT, BOT))
    require_consent_now(write(SENT, BOT), season)
    with pytest.raises(ConfigError, match="after_fault: end -> substitute"):
        require_consent_now(write(SENT, BOT, "after_fault: substitute\n"), season)


def test_submissions_may_come_and_go_without_another_rule(write: Callable[..., Config]) -> None:
    assert [play(write(BOT)), play(write(SENT, BOT))] == ["end", "end"]


def test_a_season_that_began_with_submissions_keeps_its_rule_without(write: Callable[..., Config]) -> None:
    assert [play(write(SENT, BOT)), play(write(BOT))] == ["substitute", "substitute"]


def test_check_config_says_the_rule_and_why(write: Callable[..., Config], arbiter: Run) -> None:
    def said(*lines: str) -> str:
        out = arbiter("check-config", write(*lines).file)[1]
        return out.splitlines()[-1]

    assert "after_fault" not in said(BOT)
    assert said(SENT) == "after_fault: end, the contest's rule, as no house bot can substitute"
    assert said(SENT, BOT).startswith("after_fault: substitute, since authors submit")
    assert said(SENT, BOT, SAID) == "after_fault: end, as in the file"
    before_the_change(write(SENT, BOT))
    assert said(SENT, BOT).startswith("after_fault: end, as in the season's last round")
    shape = json.loads(arbiter("check-config", write(SENT, BOT).file, "--format", "json")[1])
    assert shape["after_fault"] == "end"


@pytest.mark.process
def test_the_page_of_rules_says_the_rule_of_the_next_round(write: Callable[..., Config]) -> None:
    config = write(SENT, BOT)
    season = before_the_change(config)
    assert rules(read_state(config, season))["limits"]["after_fault"] == "end"


def test_the_sample_season_says_which_rule_and_why_and_leaves_it_open() -> None:
    text = season_files("planning", "spring")["season.yaml"].decode()
    assert "after_fault" not in yaml.safe_load(text)
    assert all(word in text for word in ("after_fault: end", "substitute", "friend"))
