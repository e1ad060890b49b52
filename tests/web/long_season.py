"""A long season of many players, whose matches are not played but made up."""

from __future__ import annotations

from contextlib import closing
from random import Random
from typing import TYPE_CHECKING

import yaml

from arbiter.match.record import Fault, Forfeit
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from tests.fixtures.records import Scripted, record
from tests.fixtures.zoo import SEED

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec

MARKUP = "<img src=x onerror=alert(1)>"
NAMES = (
    MARKUP, "=1+1", "W" * 64, "&amp;<b>/%2F ../x", "שלום-عليكم",
    "Ten words that nobody needs to say who one is",
)  # fmt: skip
TOLD = "'<b>7H</b>': no legal answer: there is no such card"


def make_long_season(folder: Path, rounds: int, players: int = 16) -> Path:
    """The file of a season with so many complete rounds, and all that there are to be."""
    names = [*NAMES, *(f"bot {number}" for number in range(len(NAMES), players))][:players]
    shape = {
        "season": "long",
        "game": "planning",
        "seed": SEED,
        "rounds": rounds,
        "opening_rounds": 1,
        "suspend_after": 0,
        "isolation": "plain",
        "players": [{"name": name, "command": ["python3"]} for name in names],
    }
    file = folder / "long.yaml"
    file.write_text(yaml.safe_dump(shape))
    config, lot = load(file), Random(1)

    def outcome(spec: MatchSpec) -> MatchRecord:
        seats = tuple(player.name for player in spec.players)
        points = tuple(int(lot.gauss(60 - names.index(name), 20)) for name in seats)
        made = record(spec.id, spec.round or 0, players=seats, points=points, table=spec.table, rotation=spec.rotation, season="long")  # fmt: skip
        if lot.random() < 0.05:
            seat = lot.randrange(4)
            told = Forfeit(seat, seats[seat], Fault.ILLEGAL, TOLD, "gen_move", "raw")
            return record(spec.id, spec.round or 0, players=seats, points=None, forfeit=told, table=spec.table, rotation=spec.rotation, season="long")  # fmt: skip
        return made

    with closing(Store(config.store)) as store:
        for _ in Season.open(config, store).play(Scripted(outcome)):
            pass
    return file
