"""Intervals that hold at all times, by `confseq`: its width and seconds for given scores, as one JSON object.

    python tests/bench/peer_evidence.py < scores.json

Run by an interpreter of its own. It needs nothing of `arbiter`; exit 1 where the package cannot be imported.
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Read {"runs": [[score, ...], ...], "level": share}."""
    import numpy as np
    from confseq.betting import betting_cs

    asked = json.load(sys.stdin)
    ends, before = [], time.process_time()
    for scores in asked["runs"]:
        low, high = betting_cs(np.array(scores), alpha=1.0 - asked["level"], breaks=1000)
        ends.append((float(low[-1]), float(high[-1])))
    print(json.dumps({"ends": ends, "cpu_seconds": time.process_time() - before}))


if __name__ == "__main__":
    main()
