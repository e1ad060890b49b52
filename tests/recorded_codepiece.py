"""Games of the published Codepiece, state by state, as its engine played them."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

FIXTURE = Path(__file__).parent / "data" / "codepiece" / "codepiece_games.jsonl.gz"


@cache
def lines() -> list[dict[str, Any]]:
    """The lines of the recording; each is to be changed by nobody."""
    return [json.loads(line) for line in gzip.decompress(FIXTURE.read_bytes()).splitlines()]


def games() -> list[dict[str, Any]]:
    """Those that are a game."""
    return [line for line in lines() if line["type"] == "game"]
