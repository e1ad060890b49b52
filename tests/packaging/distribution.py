"""What `make dist` has built in `dist/`: the source distribution, the wheel, and a season begun from the wheel alone."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from arbiter import __version__

ROOT = Path(__file__).parents[2]
MADE = [line.rstrip("/").rpartition("/")[2] for line in (ROOT / ".gitignore").read_text().splitlines()]
"""In a clone, but no part of it."""
(WHEEL,) = (ROOT / "dist").glob(f"arbiter_cards-{__version__}-*.whl")
"""For this Python and machine, since it has rules in C."""


@pytest.fixture(scope="module")
def held() -> set[str]:
    with zipfile.ZipFile(WHEEL) as archive:
        return set(archive.namelist())


def sources(*folders: str) -> set[str]:
    paths = (
        path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()
    )
    return {
        str(path) for path in paths if not any(fnmatch(part, made) for part in path.parts for made in MADE)
    }


def test_the_source_distribution_holds_all_of_the_sources() -> None:
    name = f"arbiter_cards-{__version__}"
    with tarfile.open(ROOT / "dist" / f"{name}.tar.gz") as archive:
        packed = {member.name.removeprefix(f"{name}/") for member in archive if member.isfile()}
    files = sources("arbiter", "bots", "configs", "docs", "rating", "tests")
    assert len(files) > 400
    assert files - packed == set()
    assert {
        ".ci/run",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Makefile",
        "README.md",
        "constraints.txt",
    } <= packed


def test_the_wheel_describes_itself() -> None:
    with zipfile.ZipFile(WHEEL) as archive:
        metadata = archive.read(f"arbiter_cards-{__version__}.dist-info/METADATA").decode()
    told = email.message_from_string(metadata)
    assert (told["Name"], told["Version"]) == ("arbiter-cards", __version__)
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert told["Description-Content-Type"] == "text/markdown"
    assert (ROOT / "README.md").read_text(encoding="utf-8").strip() in metadata
    assert told["Keywords"]
    assert told.get_all("Classifier")


def test_the_wheel_holds_the_packages_alone(held: set[str]) -> None:
    assert {name.split("/")[0] for name in held} == {
        "arbiter",
        "rating",
        f"arbiter_cards-{__version__}.dist-info",
    }
    assert {"arbiter/__init__.pyi", "arbiter/py.typed", "rating/py.typed"} <= held


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_the_wheel_holds_the_rules_in_c(held: set[str]) -> None:
    cores = {name.partition(".")[0] for name in held if name.endswith((".so", ".pyd"))}
    sources = (ROOT / "arbiter" / "envs" / "core").glob("*.c")
    assert cores == {f"arbiter/envs/core/{source.stem}" for source in sources}


def test_the_wheel_holds_the_samples(held: set[str]) -> None:
    samples = {f"bots/{path.name}" for path in (ROOT / "bots" / "python").glob("*.py")}
    samples |= {"__init__.py", "sample_languages.py", "starter.py", "cpp/Makefile", "llm/llm.py"}
    samples |= {"README.md", "season.yaml", "starter.md"}
    samples |= {f"reference/{path.name}" for path in (ROOT / "docs" / "reference").glob("*.md")}
    cpp = (ROOT / "bots" / "cpp").iterdir()
    samples |= {f"cpp/{path.name}" for path in cpp if path.suffix in {".cpp", ".h", ".weights"}}
    faulty = (ROOT / "bots" / "faulty").iterdir()
    samples |= {f"faulty/{path.name}" for path in faulty if path.is_file()}
    others = [f"languages/{game}" for game in ("chefs_hat", "codepiece", "dou_dizhu")]
    for folder in ("js", "languages", *others):
        tracked = {path for path in (ROOT / "bots" / folder).iterdir() if path.suffix}
        samples |= {f"{folder}/{path.name}" for path in tracked if path.suffix not in {".jar", ".class"}}
    samples |= {f"rungs/{path.name}" for path in (ROOT / "configs" / "ladder").glob("*.yaml")}
    learned = (ROOT / "bots" / "learned").iterdir()
    samples |= {f"learned/{path.name}" for path in learned if path.suffix in {".py", ".npz"}}
    place = "arbiter/games/samples/"
    assert {f"{place}{name}" for name in samples} == {name for name in held if name.startswith(place)}


def test_the_wheel_holds_what_pages_are_made_of(held: set[str]) -> None:
    files = sources("arbiter/web/static", "arbiter/web/templates")
    assert len(files) > 10
    assert files <= held


def test_a_season_begins_from_the_wheel_alone(tmp_path: Path) -> None:
    """In a fresh virtual environment, outside of any clone; only what the package depends on is this one's."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    packages = next(venv.glob("lib/python3*/site-packages"))
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", *options]
    subprocess.run([*pip, str(WHEEL)], check=True)

    def run(*words: str, folder: Path) -> str:
        env = {"PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
        done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = "import arbiter.games.samples as s; print(s.__file__, s.BOTS)"
    assert run("python", "-c", where, folder=tmp_path).split() == [
        str(packages / "arbiter" / "games" / "samples" / name) for name in ("__init__.py", "bots")
    ]
    rules = "from arbiter.games.samples import manual_of as m; print('## Rules' in m('planning'), '## Faults' in m('protocol'))"
    assert run("python", "-c", rules, folder=tmp_path).split() == ["True", "True"]
    run("arbiter", "init", "spring", folder=tmp_path)
    assert "1 round played" in run("arbiter", "run-round", "season.yaml", folder=tmp_path / "spring")
    # What is left of a season years later: its archive, and the released package.
    run("arbiter", "archive", "season.yaml", "spring.tar.gz", folder=tmp_path / "spring")
    with tarfile.open(tmp_path / "spring" / "spring.tar.gz") as archive:
        archive.extractall(tmp_path / "later", filter="data")
    shutil.rmtree(tmp_path / "spring")
    for command in (
        ("verify", "season.yaml"),
        ("standings", "season.yaml"),
        ("show", "season.yaml", "r001/t01/m0"),
    ):
        assert run("arbiter", *command, folder=tmp_path / "later" / "spring")
