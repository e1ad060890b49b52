"""Print all figures as one JSON object on standard output."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

from tests.bench import applet, clock, ratings, reading, start
from tests.bench.environments import environments
from tests.bench.play import command_line, in_memory, referee, rules
from tests.bench.season import measure_season, regress


def machine() -> dict[str, object]:
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def main() -> None:
    """Everything, a part after the other so that none disturbs another."""
    figures: dict[str, object] = {"machine": machine()}
    for name, part in (
        ("referee", referee),
        ("clock", clock.figures),
        ("rules", rules),
        ("environments", environments),
        ("in_memory", in_memory),
        ("command_line", command_line),
        ("start", start.figures),
        ("applet", applet.figures),
        ("season", measure_season),
        ("regress", regress),
        ("rating", ratings.figures),
        ("rating_files", reading.figures),
    ):
        print(f"bench: {name}", file=sys.stderr)
        figures[name] = part()
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
