"""The archive of a season: complete for its organiser, and without private values for the public."""

from __future__ import annotations

import base64
import getpass
import json
import platform
import sqlite3
import tarfile
import zipfile
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.match.notes import Note
from arbiter.season.config import load
from arbiter.season.package_wheel import NAME
from arbiter.season.season import Season
from arbiter.store import Store, db_schema
from tests.fixtures.zoo import CLEAN, CONFIG, ILLEGAL, SEED, Kept, copied, play_season

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run

SECRET = "PRIVATE-VALUE"
OLGA = "olga-the-organiser"
FILLED = (
    "authors", "invitations", "members", "sessions", "submissions", "requests", "served", "audit",
    "deliveries", "questions", "voids", "reviews", "tags",
)  # fmt: skip
"""Tables that get a row with a private value in each text."""
COMMAND = f"command: [python3, {SECRET}-folder/bot.py, --key, {SECRET}], env: {{KEY: {SECRET}}}"


def with_private_parts(record: MatchRecord) -> MatchRecord:
    """What a bot, its author and the machine have for themselves, wherever a record holds it."""
    note = Note(1.5, (SECRET,), (SECRET,))
    forfeit = record.forfeit and replace(record.forfeit, private=SECRET)
    if forfeit is not None and forfeit.fault != "illegal":
        forfeit = replace(forfeit, reply=f"{SECRET}\n{forfeit.reply}")
    bots = tuple(
        replace(bot, notes=(SECRET,), stderr_head=SECRET, stderr_tail=SECRET, stderr_at=((0, "during", 1),))
        for bot in record.bots
    )
    return replace(
        record, bots=bots, forfeit=forfeit, host={"name": SECRET, "cores": 2}, move_notes={1: note}
    )


def fill(store: Store) -> None:
    """Add a row to each table of people and their doings, each of its texts a private value."""
    with store.transaction() as connection:
        for name in FILLED:
            table = db_schema.metadata.tables[name]
            values = {column.name: private_value(column) for column in table.c if column.name != "id"}
            values |= {"season_id": 1} if "season_id" in table.c else {"id": SECRET}
            connection.execute(sa.insert(table).values(values))
        author = {
            "season_id": 1,
            "looks": "p1",
            "token": f"{SECRET}-2",
            "organiser": False,
            "created": "2026",
        }
        connection.execute(sa.insert(db_schema.authors).values({**author, "name": "p1"}))
        person = {**author, "name": OLGA, "looks": OLGA, "token": f"{SECRET}-3", "organiser": True}
        connection.execute(sa.insert(db_schema.authors).values(person))


def private_value(column: sa.Column[object]) -> object:
    if isinstance(column.type, sa.Boolean):
        return False
    if isinstance(column.type, (sa.Integer, sa.BigInteger)):
        return 1
    return SECRET.encode() if isinstance(column.type, sa.LargeBinary) else SECRET


@pytest.fixture(scope="module")
def rich_season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a season with private values in all its parts, which is over and nobody changes."""
    folder = tmp_path_factory.mktemp("rich")
    webhook = f"webhooks: [{{url: 'https://{SECRET.lower()}.example/', secret_file: secret}}]\n"
    (folder / "small.yaml").write_text(CONFIG.replace("command: [python3]", COMMAND) + webhook)
    config = load(folder / "small.yaml")
    play_season(config)
    with closing(Store(config.store)) as store:
        kept = Kept(config.file, config, store, Season.open(config, store).stored)
        for match in kept.season.summaries():
            kept.change(match.id, with_private_parts)
        fill(store)
        kept.season.publish_seed(4)
        # A page that is free now held a private value.
        kept.write(sa.delete(db_schema.voids))
    return folder


@pytest.fixture
def rich(rich_season: Path, tmp_path: Path) -> Iterator[Kept]:
    """A copy of it."""
    with copied(rich_season, tmp_path / "home") as kept:
        yield kept


def unpacked(archive: Path) -> Path:
    place = archive.parent / "elsewhere"
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(place)
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    (folder,) = place.iterdir()
    return folder


def bytes_within(folder: Path) -> bytes:
    """All bytes of the files but this package, and the compressed records of the store."""
    parts = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != NAME]
    with closing(sqlite3.connect(folder / "store.sqlite")) as store:
        for table in ("matches", "annulments"):
            packed = store.execute(f"select record from {table} where record is not null")
            parts += [zlib.decompress(row[0]) for row in packed]
    return b"\n".join(parts)


def test_the_public_archive_has_no_private_value_in_any_byte(
    rich: Kept, tmp_path: Path, arbiter: Run
) -> None:
    assert SECRET.encode() in Path(rich.config.store.removeprefix("sqlite:///")).read_bytes()
    out = tmp_path / "public.tar.gz"
    code, _, error = arbiter("archive", rich.file, out, "--public")
    assert code == 0, error
    with tarfile.open(out) as packed:
        assert {(member.uname, member.gname, member.uid) for member in packed} == {("", "", 0)}
    found = bytes_within(unpacked(out))
    assert SEED.encode() in found
    for private in (SECRET, SECRET.lower(), OLGA, str(tmp_path), f"/{getpass.getuser()}/", platform.node()):
        assert private.encode() not in found, private


def test_the_public_archive_verifies_with_the_same_standings(
    rich: Kept, tmp_path: Path, arbiter: Run
) -> None:
    assert arbiter("archive", rich.file, tmp_path / "public.zip", "--public")[0] == 0
    season = unpacked(tmp_path / "public.zip") / "season.yaml"
    code, said, error = arbiter("verify", season)
    assert (code, "small: no differences: 3 rounds (2 complete)" in said) == (0, True), said + error
    assert "unchecked" not in error
    for options in ((), ("--official",), ("--format", "json")):
        assert arbiter("standings", season, *options) == arbiter("standings", rich.file, *options)
    assert arbiter("show", season, ILLEGAL)[0] == 0
    assert arbiter("show", season, CLEAN, "--format", "replay")[0] == 0


def test_the_public_archive_has_the_announcements_that_the_site_shows(
    rich: Kept, tmp_path: Path, arbiter: Run
) -> None:
    book = rich.season.announcements
    for text, at in (("Friday", None), ("withdrawn", None), ("later", datetime.now(UTC) + timedelta(days=1))):
        book.add(text, OLGA, at)
    book.change(2, None, OLGA)
    for text, public in (("Is NumPy there?", True), ("May I?", False)):
        asked = rich.season.clarifications.ask("p1", "p1", text, 9)
        rich.season.clarifications.answer(asked.number, "Yes.", public, OLGA)
    assert arbiter("archive", rich.file, tmp_path / "public.zip", "--public")[0] == 0
    season = unpacked(tmp_path / "public.zip") / "season.yaml"
    listed = json.loads(arbiter("announcements", "list", season, "--format", "json")[1])
    assert {(one["text"], one["question"]) for one in listed} == {
        ("Friday", None), ("Yes.", "Is NumPy there?"),
    }  # fmt: skip
    assert b"May I?" not in (season.parent / "store.sqlite").read_bytes()


def test_a_season_that_is_not_over_has_no_public_archive(kept: Kept, tmp_path: Path, arbiter: Run) -> None:
    code, _, error = arbiter("archive", kept.file, tmp_path / "public.zip", "--public")
    assert (code, "small is not over" in error, len(error.splitlines())) == (2, True, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("ending", ["tar.gz", "zip"])
def test_the_archive_works_elsewhere_as_the_season_does(
    ending: str, kept: Kept, tmp_path: Path, arbiter: Run
) -> None:
    out = tmp_path / f"spring.{ending}"
    # Also while a coordinator plays.
    with kept.store.hold():
        assert arbiter("archive", kept.file, out)[0] == 0
    folder = unpacked(out)
    assert folder.name == "spring"
    season = folder / "season.yaml"
    for command in (("verify",), ("standings",), ("show", CLEAN)):
        before = arbiter(command[0], kept.file, *command[1:])
        assert arbiter(command[0], season, *command[1:]) == before
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for file, page in zip((kept.file, season), pages, strict=True):
        assert arbiter("evidence", file, CLEAN, "--seat", "1", "--output", page)[0] == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_its_digests_cover_all_files_and_its_readme_names_the_commands(
    kept: Kept, tmp_path: Path, arbiter: Run
) -> None:
    assert arbiter("archive", kept.file, tmp_path / "spring.zip")[0] == 0
    folder = unpacked(tmp_path / "spring.zip")
    lines = (line.split("  ") for line in (folder / "SHA256SUMS").read_text().splitlines())
    sums = {name: digest for digest, name in lines}
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert sums.keys() == files - {"SHA256SUMS"}
    assert sums == {name: sha256((folder / name).read_bytes()).hexdigest() for name in sums}
    text = (folder / "README.md").read_text()
    assert "venv/bin/arbiter verify season.yaml" in text
    assert sha256(SEED.encode()).hexdigest() in text
    assert SEED not in text
    versions = (folder / "versions.txt").read_text()
    assert {f"./{NAME}", "sqlalchemy", "numpy", "jinja2"} <= {
        line.partition("==")[0] for line in versions.splitlines()
    }


def test_the_wheel_in_it_records_all_of_its_files(kept: Kept, tmp_path: Path, arbiter: Run) -> None:
    assert arbiter("archive", kept.file, tmp_path / "spring.zip")[0] == 0
    with zipfile.ZipFile(unpacked(tmp_path / "spring.zip") / NAME) as packed:
        held = {name: packed.read(name) for name in packed.namelist()}
    (record,) = (name for name in held if name.endswith(".dist-info/RECORD"))
    rows = [line.split(",") for line in held.pop(record).decode().splitlines()]
    digests = {name: base64.urlsafe_b64encode(sha256(held[name]).digest()).decode() for name in held}
    assert rows == [
        *([name, f"sha256={digests[name].rstrip('=')}", str(len(held[name]))] for name in held), [record, "", ""],
    ]  # fmt: skip
    assert {"arbiter/cli/verify.py", "arbiter/web/static/style.css", "rating/ratings.py"} <= held.keys()


def test_programs_keep_their_place_and_links_stay_out(tmp_path: Path, arbiter: Run) -> None:
    bots, home = tmp_path / "bots", tmp_path / "home"
    bots.mkdir()
    home.mkdir()
    (bots / "bot.py").write_text("import kit\n")
    (bots / "kit.py").write_text("# kit\n")
    (bots / "away.py").symlink_to("/etc/hostname")
    (home / "tokens.csv").write_text("of the class\n")
    file = home / "small.yaml"
    file.write_text(CONFIG.replace("command: [python3]", "command: [python3, ../bots/bot.py]"))
    play_season(load(file))
    assert arbiter("archive", file, tmp_path / "spring.tar.gz")[0] == 0
    folder = unpacked(tmp_path / "spring.tar.gz")
    tree = {str(path.relative_to(folder / "tree")) for path in (folder / "tree").rglob("*") if path.is_file()}
    assert tree == {"bots/bot.py", "bots/kit.py", "home/small.sqlite"}
    config = load(folder / "season.yaml")
    (program,) = config.entries[0].player.files
    assert (config.folder / program).resolve() == folder / "tree" / "bots" / "bot.py"
    programs = json.loads((folder / "programs.json").read_text())
    assert programs["p0"] == {"bot.py": sha256(b"import kit\n").hexdigest()}


def test_versions_of_authors_are_in_it_where_their_settings_name_them(
    kept: Kept, tmp_path: Path, arbiter: Run
) -> None:
    source = kept.file.parent / "small.submissions" / "one" / "source"
    source.mkdir(parents=True)
    (source / "main.py").write_text("print()\n")
    (source.parent.parent / "one.zip").write_bytes(b"as it was sent")
    (source.parent.parent / "two.part").write_bytes(b"under way")
    program = {
        "command": ["main.py"],
        "read": [],
        "files": {"source/main.py": sha256(b"print()\n").hexdigest()},
    }
    row = {
        "season_id": 1,
        "author": "ann",
        "version": 1,
        "sha256": "0" * 64,
        "file": "one",
        "received": "2026",
    }
    row |= {"state": "accepted", "steps": "[]", "program": json.dumps(program)}
    kept.write(sa.insert(db_schema.submissions).values(row))
    kept.file.write_text(f"{kept.file.read_text()}submissions: {{}}\n")
    assert arbiter("archive", kept.file, tmp_path / "spring.zip")[0] == 0
    folder = unpacked(tmp_path / "spring.zip")
    held = {str(path.relative_to(folder)) for path in (folder / "tree").rglob("*") if path.is_file()}
    versions = "tree/small.submissions"
    assert held == {"tree/small.sqlite", f"{versions}/one.zip", f"{versions}/one/source/main.py"}
    assert "cannot be played again" not in arbiter("verify", folder / "season.yaml")[2]
    (folder / versions / "one" / "source" / "main.py").unlink()
    assert "cannot be played again" in arbiter("verify", folder / "season.yaml")[2]


def test_a_season_of_a_server_has_an_archive_too(postgres: str, tmp_path: Path, arbiter: Run) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(f"store: {postgres}\n{CONFIG}")
    play_season(load(file))
    assert arbiter("archive", file, tmp_path / "spring.zip")[0] == 0
    season = unpacked(tmp_path / "spring.zip") / "season.yaml"
    assert "sqlite:///tree/small.sqlite" in season.read_text()
    assert arbiter("verify", season)[0] == 0
    assert arbiter("standings", season) == arbiter("standings", file)


@pytest.mark.parametrize(
    ("name", "said"),
    [("spring.rar", "expected a name that ends in .tar.gz or .zip"), ("kept.zip", "exists already")],
)
def test_a_bad_target_is_refused_in_one_line(
    name: str, said: str, kept: Kept, tmp_path: Path, arbiter: Run
) -> None:
    (tmp_path / "kept.zip").touch()
    code, _, error = arbiter("archive", kept.file, tmp_path / name)
    assert (code, said in error, len(error.splitlines())) == (2, True, 1), error
