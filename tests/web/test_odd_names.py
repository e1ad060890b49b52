"""Players and a season whose names mean something in an address: every link of the site leads somewhere."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import yaml

from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.testing import play_by_policy, random_policy
from tests.fixtures.site import visiting
from tests.web.addresses import walk

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    "a/b",
    "50%",
    "what?x=1",
    "c+d & e;f",
    "r001-t01-m0",
    "%2F",
    "\N{LATIN SMALL LETTER Z WITH DOT ABOVE}\\'<",
    "a b",
)


@pytest.mark.slow
def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    players = [{"name": name, "command": ["python3"]} for name in NAMES]
    season = {
        "season": "\N{LATIN SMALL LETTER U WITH DIAERESIS}ber 1",
        "seed": "s",
        "rounds": 1,
        "players": players,
    }
    file.write_text(yaml.safe_dump({"game": {"name": "planning", "deals": [[1, 0]]}, **season}))
    config = load(file)
    with closing(Store(config.store)) as store:
        begun = Season(config, Season.open(config, store).stored)
        plan = begun.rounds.plan()
        assert plan is not None
        for spec in plan.missing:
            begun.stored.add_match(play_by_policy(config.game, random_policy(spec.id), spec))
        begun.rounds.finish(1)
    with visiting(file) as visitor:
        sent = walk(visitor, [])
    pages = {address.partition("?")[0] for address in sent if address.startswith("/seasons/")}
    assert sum(address.count("/players/") == 1 and address.count("/") == 4 for address in pages) == len(NAMES)
