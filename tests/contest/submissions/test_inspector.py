"""The inspector: what it keeps of an inspection, and what it does when one fails, is killed, or takes too long."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.contest import service_loop
from arbiter.contest.submissions import archive_storage, inspector
from arbiter.contest.submissions.archive_storage import (
    ArchiveTooLarge,
    Upload,
    archive_of,
    prepare_folder,
    sweep,
)
from arbiter.contest.submissions.build_recipe import Program
from arbiter.contest.submissions.inspection import InspectionVerdict
from arbiter.contest.submissions.inspection_steps import InspectionStep, longest_inspection
from arbiter.contest.submissions.inspector import Inspector, hold_inspection_lock, inspect_one
from arbiter.errors import StoreError
from arbiter.season.config import load
from arbiter.season.config.keys import Submissions
from arbiter.season.roster import folder_of
from arbiter.season.season import Season
from arbiter.store import Store, db_schema
from arbiter.store.backup import back_up
from arbiter.store.event_log import event_of
from tests.fixtures.databases import put_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission

CONFIG = """\
game: planning
house_bots: [random]
submissions: {max_size: 2MB, builds: false}
players:
  - {name: random, command: [python3], house: true}
"""


ACCEPTED = InspectionVerdict("accepted", (), Program(("python3", "bot.py"), (), {}))
REFUSED = InspectionVerdict("refused", ())


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "s.yaml").write_text(CONFIG)
    return load(tmp_path / "s.yaml")


@pytest.fixture
def season(config: Config) -> Iterator[SeasonStore]:
    with closing(Store(config.store)) as store:
        made = Season.open(config, store).stored
        for name in ("ann", "ben"):
            made.authors.add(name, name, f"token of {name}", False, "test")
        yield made


def sent(season: SeasonStore, author: str = "ann", archive: str = "a") -> int:
    return season.submissions.add(author, archive, f"file{archive}", 99)[0].id


def kept(season: SeasonStore, number: int) -> Submission:
    found = season.submissions.one(number)
    assert found is not None
    return found


def work(config: Config, run: Callable[..., str] | None = None, say: Callable[[str], None] = print) -> None:
    """Inspect all that waits, by `run` where it is given."""
    Inspector([config], say, run).work(until_empty=True)


def test_steps_are_kept_as_they_are_found(config: Config, season: SeasonStore) -> None:
    number = sent(season)
    seen: list[tuple[str, int]] = []

    def inspect(
        archive: Path, folder: Path, given: Config, name: str, tell: Callable[[Any], None], room: int
    ) -> InspectionVerdict:
        assert room == 100_000_000
        assert given.submissions == Submissions(max_size="2MB", builds=False)
        assert (archive, name) == (archive_of(config, "filea"), "ann@1")
        assert folder.parent == folder_of(config)
        for step in ("unpacked", "built", "checked", "matches"):
            tell(InspectionStep(step, True))
            now = kept(season, number)
            seen.append((now.state, len(now.steps)))
        return ACCEPTED

    inspect_one(config, number, inspect)
    assert seen == [("unpacked", 1), ("built", 2), ("checked", 3), ("checked", 3)]
    found = kept(season, number)
    assert (found.state, found.joins_round) == ("accepted", 1)
    assert found.program == {"command": ["python3", "bot.py"], "read": [], "files": {}}
    assert [step["name"] for step in found.steps] == ["unpacked", "built", "checked", "matches"]


def test_a_refusal_keeps_its_last_step(config: Config, season: SeasonStore) -> None:
    number = sent(season)

    def inspect(*given: Any) -> InspectionVerdict:
        given[4](InspectionStep("unpacked", False, "twins", "rename one"))
        return REFUSED

    inspect_one(config, number, inspect)
    found = kept(season, number)
    assert (found.state, found.joins_round, len(found.steps)) == ("refused", None, 1)


def test_webhooks_hear_how_an_inspection_begins_and_ends(config: Config, season: SeasonStore) -> None:
    inspect_one(config, sent(season), lambda *_: ACCEPTED)
    inspect_one(config, sent(season, "ben", "b"), lambda *_: REFUSED)
    assert sent(season, "ben", "b") == 2
    with season._store.reading() as connection:
        query = sa.select(db_schema.events).filter_by(kind="submission").order_by(db_schema.events.c.number)
        found = [event_of(row) for row in connection.execute(query)]
    assert [tuple(event.detail.values()) for event in found] == [
        ("ann", 1, "received"),
        ("ann", 1, "accepted"),
        ("ben", 1, "received"),
        ("ben", 1, "refused"),
    ]
    assert [event.subject for event in found] == ["1", "1", "2", "2"]


def test_what_is_over_is_not_inspected_again(config: Config, season: SeasonStore) -> None:
    number = sent(season)
    season.submissions.refuse(number, [])
    inspect_one(config, number, lambda *_: pytest.fail("it is over"))


def test_an_inspection_that_is_broken_off_begins_anew(config: Config, season: SeasonStore) -> None:
    number = sent(season)

    def killed(*given: Any) -> InspectionVerdict:
        given[4](InspectionStep("unpacked", True))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        inspect_one(config, number, killed)
    assert kept(season, number).state == "unpacked"
    inspect_one(config, number, lambda *_: REFUSED)
    assert (kept(season, number).state, kept(season, number).steps) == ("refused", ())


def test_whoever_sent_most_waits(config: Config, season: SeasonStore) -> None:
    for archive in "abc":
        sent(season, "ann", archive)
    sent(season, "ben", "x")
    order: list[str] = []

    def run(config: Config, found: Submission) -> str:
        order.append(f"{found.author}@{found.version}")
        season.submissions.refuse(found.id, [])
        return ""

    work(config, run)
    assert order == ["ann@1", "ben@1", "ann@2", "ann@3"]


def test_failures_of_the_store_count_for_nobody(
    config: Config, season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_loop, "AGAIN_SECONDS", 0.0)
    number = sent(season)
    said: list[str] = []

    def run(config: Config, found: Submission) -> str:
        if len(said) <= inspector.MOST_TRIES:
            raise StoreError("the disk is full")
        season.submissions.refuse(number, [])
        return ""

    work(config, run, said.append)
    assert set(said) == {f"{config.season}: submission {number} of ann: the disk is full"}
    assert kept(season, number).tries == 0


def test_failures_of_ours_are_tried_again_and_then_told(
    config: Config, season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_loop, "AGAIN_SECONDS", 0.0)
    number, other = sent(season), sent(season, "ben", "x")
    said: list[str] = []

    def run(config: Config, found: Submission) -> str:
        if found.id == other:
            season.submissions.refuse(other, [])
            return ""
        return "its inspection ended with 4: arbiter: failed"

    work(config, run, said.append)
    assert len(said) == inspector.MOST_TRIES
    assert said[0] == f"s: submission {number} of ann: its inspection ended with 4: arbiter: failed"
    (step,) = kept(season, number).steps
    assert (step["name"], step["ok"], step["detail"]) == (
        "inspection",
        False,
        "the service could not inspect it",
    )
    assert kept(season, other).state == "refused"


def test_while_one_waits_to_be_tried_again_others_come(config: Config, season: SeasonStore) -> None:
    broken, other = sent(season), sent(season, "ann", "b")
    order: list[int] = []

    def run(config: Config, found: Submission) -> str:
        order.append(found.id)
        if found.id == other:
            season.submissions.refuse(other, [])
            # Or the inspector would wait for the other one.
            season.submissions.refuse(broken, [])
        return "" if found.id == other else "it failed"

    work(config, run)
    assert order == [broken, other]


@pytest.mark.process
def test_one_that_takes_too_long_is_ended_and_refused(
    config: Config, season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = sent(season)
    monkeypatch.setattr(inspector, "longest_inspection", lambda _: 0.1)
    sleeper = config.file.with_name("sleeper")
    sleeper.write_text("#!/bin/sh\necho $$ > pid\nexec sleep 1000\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(sleeper))
    monkeypatch.chdir(config.file.parent)
    work(config)
    (step,) = kept(season, number).steps
    assert step["detail"] == "its inspection took longer than 0 s"
    pid = config.file.with_name("pid")
    if pid.exists():
        assert not Path("/proc", pid.read_text().strip()).exists()


def test_what_failed_is_tried_again_and_what_took_too_long_is_not_whatever_is_said(
    config: Config, season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = f"its inspection took longer than {longest_inspection(config):.0f} s"
    monkeypatch.setattr(service_loop, "AGAIN_SECONDS", 0.0)
    failing, late = sent(season), sent(season, "ben")
    tried: list[int] = []

    def run(_: Config, found: Submission) -> str:
        tried.append(found.id)
        if found.id == late:
            raise subprocess.TimeoutExpired("inspect", 0)
        return said

    work(config, run)
    assert (tried.count(failing), tried.count(late)) == (inspector.MOST_TRIES, 1)
    details = [step["detail"] for number in (failing, late) for step in kept(season, number).steps]
    assert details == ["the service could not inspect it", said]


def test_one_at_a_time_inspects(config: Config) -> None:
    with (
        hold_inspection_lock([config]),
        pytest.raises(StoreError, match="another process inspects"),
        hold_inspection_lock([config]),
    ):
        pass
    with hold_inspection_lock([config]):
        pass


def test_a_folder_that_cannot_be_made_is_one_line(config: Config) -> None:
    folder_of(config).write_text("a file of this name")
    with (
        pytest.raises(StoreError, match=r"s\.submissions: Not a directory|File exists"),
        hold_inspection_lock([config]),
    ):
        pass
    with pytest.raises(StoreError, match="File exists"):
        prepare_folder(folder_of(config), 1)


def test_an_archive_is_whole_or_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "s.submissions"
    arriving = Upload(folder, 10)
    arriving.write(b"12345")
    assert [file.suffix for file in folder.iterdir()] == [".part"]
    arriving.keep()
    assert (folder / f"{arriving.name}.zip").read_bytes() == b"12345"
    other = Upload(folder, 10)
    with pytest.raises(ArchiveTooLarge):
        other.write(b"x" * 11)
    other.drop()
    assert len(list(folder.iterdir())) == 1
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_was_left_of_uploads_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_file, orphan, part = (tmp_path / name for name in ("kept.zip", "orphan.zip", "x.part"))
    for file in (kept_file, orphan, part):
        file.write_bytes(b"1")
    (tmp_path / "kept").mkdir()
    sweep(tmp_path, ["kept"])
    assert len(list(tmp_path.iterdir())) == 4
    monkeypatch.setattr(archive_storage, "LEFT_SECONDS", -10.0)
    sweep(tmp_path, ["kept"])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept", "kept.zip"]


def laid(config: Config, file: str) -> Path:
    """The archive and the program of a submission, 7 bytes in all; the folder of the program."""
    folder = folder_of(config)
    (folder / file / "source").mkdir(parents=True)
    (folder / file / "source" / "bot.py").write_bytes(b"1234")
    archive_of(config, file).write_bytes(b"123")
    return folder / file


def test_what_was_accepted_is_counted(config: Config, season: SeasonStore) -> None:
    number = sent(season)
    laid(config, "filea")
    inspect_one(config, number, lambda *_: ACCEPTED)
    assert kept(season, number).bytes == 7


def test_what_was_dropped_meanwhile_leaves_no_files(config: Config, season: SeasonStore) -> None:
    number = sent(season)

    def inspect(*_: Any) -> InspectionVerdict:
        season.submission_files.drop(number, "ann")
        laid(config, "filea")
        return ACCEPTED

    inspect_one(config, number, inspect)
    assert kept(season, number).state == "dropped"
    assert list(folder_of(config).iterdir()) == []


def test_whoever_is_killed_before_files_are_removed_leaves_them_to_the_next_one(
    config: Config, season: SeasonStore
) -> None:
    numbers = [sent(season, archive=name) for name in "abcd"]
    book = season.submissions
    book.accept(numbers[0], [], {})
    book.accept(numbers[1], [], {})
    book.refuse(numbers[2], [])
    book.refuse(numbers[3], [])
    for name in "abcd":
        laid(config, f"file{name}")
    stranger = laid(config, "of a store of yesterday")
    season.submission_files.drop(numbers[0], "ann")
    season.submission_files.drop(numbers[2], "ann")
    season.submission_files.count(numbers[3], 3)
    work(config)
    left = sorted(file.name for file in folder_of(config).iterdir())
    assert left == ["fileb", "fileb.zip", "filed.zip", stranger.name, f"{stranger.name}.zip"]


def test_what_was_refused_a_week_ago_has_no_archive(
    config: Config, season: SeasonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = sent(season)
    season.submissions.refuse(number, [])
    laid(config, "filea")
    work(config)
    assert archive_of(config, "filea").exists()
    monkeypatch.setattr(inspector, "KEPT_REFUSED", timedelta(days=-1))
    work(config)
    assert list(folder_of(config).iterdir()) == []
    assert kept(season, number).bytes == 0


def test_seasons_of_one_store_are_inspected_together_and_keep_each_others_archives(
    config: Config, season: SeasonStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.yaml").write_text(f"store: sqlite:///s.sqlite\n{CONFIG}")
    other = load(tmp_path / "t.yaml")
    sent(season)
    with closing(Store(config.store)) as store:
        Season.open(other, store, accept_changes=True)
    monkeypatch.setattr(archive_storage, "LEFT_SECONDS", -10.0)
    with hold_inspection_lock([config, other]):
        archive_of(config, "filea").write_bytes(b"1")
        Inspector([other], print).work(until_empty=True)
    assert archive_of(config, "filea").is_file()


def test_room_is_left_for_matches(tmp_path: Path) -> None:
    assert prepare_folder(tmp_path, 1)
    assert not prepare_folder(tmp_path, 10**18)


def test_what_is_sent_to_a_season_that_was_put_back_is_inspected(config: Config, season: SeasonStore) -> None:
    inspected: list[int] = []

    def run(_: Config, found: Submission) -> str:
        inspected.append(found.id)
        with closing(Store(config.store)) as store:
            inspector._require_season(config, store).submissions.refuse(found.id, [])
        return ""

    working = Inspector([config], pytest.fail, run)
    working.work(until_empty=True)
    back_up(config.store, config.folder / "copy")
    put_back(config.store, config.folder / "copy")
    with closing(Store(config.store)) as store:
        number = sent(inspector._require_season(config, store))
    working.work(until_empty=True)
    assert inspected == [number]
