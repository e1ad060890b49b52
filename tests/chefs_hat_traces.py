"""The recorded games of the published Chef's Hat environment, as both rule sets are tested on them."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

TRACES = Path(__file__).parent / "data" / "chefs_hat" / "chefshat_games.jsonl.gz"


@cache
def games():
    """All recorded games."""
    with gzip.open(TRACES, "rt", encoding="utf-8") as lines:
        return [game for line in lines if (game := json.loads(line))["type"] == "game"]


def shape_of(match):
    """The deal of a recorded match as `deal_from_json` reads it."""
    deal = {"hands": match["deal"], "opener": match["start"]}
    if (exchange := match["exchange"]) is not None:
        (chef, to_last), (souschef, to_third) = exchange["chef"], exchange["souschef"]
        (waiter, from_third), (dishwasher, from_last) = exchange["waiter"], exchange["dishwasher"]
        deal |= {"roles": match["roles"], "exchange": [
            [dishwasher, chef, from_last],
            [chef, dishwasher, to_last],
            [waiter, souschef, [from_third]],
            [souschef, waiter, [to_third]],
        ]}  # fmt: skip
    return deal
