"""Run the programs of docs/howto/learning-libraries.md, each with its library in a virtual environment.

    python -m tests.bench.libraries skrl torchrl

The first line of a program names its packages. A library that cannot be installed is reported and left out; a program
that fails makes the exit code 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs" / "howto" / "learning-libraries.md"
PLACE = ROOT / ".venv" / "libraries"
PIP = "# pip: "


def programs() -> dict[str, str]:
    """The programs by the names of their files."""
    return {Path(file).stem: text for kind, file, text in blocks(PAGE) if kind == "python" and file}


def python_of(name: str, packages: list[str]) -> Path | None:
    """The interpreter of a library's environment, which is made if needed; None if it cannot be."""
    place = PLACE / name
    python, made = place / "bin" / "python", place / "made"
    if not made.exists() or made.read_text() != " ".join(packages):
        venv.create(place, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        ours = [*project["dependencies"], *project["optional-dependencies"]["envs"]]
        if subprocess.run([*pip, *ours, *packages], check=False).returncode:
            return None
        made.write_text(" ".join(packages))
    return python


def main(wanted: list[str]) -> int:
    """Run the wanted programs, or all; print the last line of each."""
    failed = 0
    for name, text in programs().items():
        if wanted and name not in wanted:
            continue
        python = python_of(name, text.splitlines()[0].removeprefix(PIP).split())
        if python is None:
            print(f"{name}: not installed", flush=True)
            continue
        env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "RAY_USAGE_STATS_ENABLED": "0"}
        command = [str(python), "-c", text]
        with TemporaryDirectory() as folder:
            done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=False)
        failed += done.returncode != 0
        last = (done.stderr if done.returncode else done.stdout).strip().splitlines()[-1:]
        print(f"{name}: {'failed: ' if done.returncode else ''}{''.join(last)}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
