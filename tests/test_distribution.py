"""What is handed out: the source distribution and the wheel."""

from __future__ import annotations

import email
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from arbiter import __version__

pytest.importorskip("build", reason="needs build: pip install 'arbiter-cards[dev]'")

ROOT = Path(__file__).parents[1]
MADE = [line.rstrip("/").rpartition("/")[2] for line in (ROOT / ".gitignore").read_text().splitlines()]
"""In a clone, but no part of it."""

# They share what is built.
pytestmark = [pytest.mark.process, pytest.mark.xdist_group("distribution")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, built from a copy, so that nothing is left in the work tree."""
    folder = tmp_path_factory.mktemp("distribution")
    sources = shutil.copytree(ROOT, folder / "sources", ignore=shutil.ignore_patterns(".git", *MADE))
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(sources)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def the_wheel(built: Path) -> Path:
    return built / f"arbiter_cards-{__version__}-py3-none-any.whl"


def test_the_source_distribution_holds_all_of_the_sources(built: Path) -> None:
    name = f"arbiter_cards-{__version__}"
    with tarfile.open(built / f"{name}.tar.gz") as archive:
        held = {member.name.removeprefix(f"{name}/") for member in archive if member.isfile()}
    sources = built / "sources"
    folders = ("arbiter", "bots", "configs", "docs", "rating", "tests")
    paths = [path for folder in folders for path in (sources / folder).rglob("*") if path.is_file()]
    files = {str(path.relative_to(sources)) for path in paths}
    assert len(files) > 400
    assert files - held == set()
    assert {".ci/run", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "README.md", "constraints.txt"} <= held


def test_the_wheel_describes_itself(built: Path) -> None:
    with zipfile.ZipFile(the_wheel(built)) as archive:
        metadata = archive.read(f"arbiter_cards-{__version__}.dist-info/METADATA").decode()
    told = email.message_from_string(metadata)
    assert (told["Name"], told["Version"]) == ("arbiter-cards", __version__)
    assert told["Description-Content-Type"] == "text/markdown"
    assert (ROOT / "README.md").read_text(encoding="utf-8").strip() in metadata
    assert told["Keywords"]
    assert told.get_all("Classifier")


def test_the_wheel_holds_the_packages_alone(built: Path) -> None:
    with zipfile.ZipFile(the_wheel(built)) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {
        "arbiter",
        "rating",
        f"arbiter_cards-{__version__}.dist-info",
    }
    assert {"arbiter/py.typed", "rating/py.typed", "arbiter/store/migrations/env.py"} <= set(names)
