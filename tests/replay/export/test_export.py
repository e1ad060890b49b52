"""Exports: what `rating` reads back is the season's own crosstable; nothing is half written."""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from arbiter.cli import exit_code
from arbiter.errors import ConfigError, StoreError
from arbiter.match.record import BotReport, Fault, Forfeit, MatchRecord
from arbiter.replay.export.atomic_files import write_atomically
from arbiter.replay.export.columns import SEAT_COLUMNS
from arbiter.replay.export.match_files import (
    TextForm,
    pgn_games,
    results,
    seat_rows,
    text,
    write_parquet,
    write_text,
)
from rating import read_results
from tests.fixtures.crosstables import counted, crosstable, pairwise
from tests.fixtures.records import record
from tests.store.failures import longest_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fixtures.zoo import Kept


FORMS: tuple[TextForm, ...] = get_args(TextForm)


@pytest.mark.parametrize("form", FORMS)
def test_what_rating_reads_is_the_crosstable(form: TextForm, kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / f"season.{form}"
    write_text(form, kept.season.records(), str(file))
    read = read_results([file]).table
    summaries = kept.season.summaries()
    assert counted(read) == crosstable(pairwise(summaries))
    assert sorted(set(read.round.tolist())) == [1, 2, 3]
    assert sorted(set(read.table.tolist())) == [1, 2]
    assert len(set(read.match.tolist())) == len(summaries)
    played = dict(zip(read.players, read.played.tolist(), strict=True))
    assert played == {
        name: sum(name in match.players for match in summaries)
        for match in summaries
        for name in match.players
    }
    assert ("random", "random#2") not in counted(read)
    assert {"random", "random#2"} <= set(read.players)


@pytest.mark.parametrize("form", FORMS)
def test_records_of_earlier_versions_are_exported_as_matches_of_their_own(
    form: TextForm, tmp_path: Path
) -> None:
    files: list[Path] = []
    for started in ("2026-03-01T10:00:00", "2026-03-01T10:01:00"):
        kept, file = tmp_path / "match.json", tmp_path / f"{len(files)}.{form}"
        kept.write_text(json.dumps(replace(record(), id="match", season="", started=started).to_json()))
        assert exit_code(["export", str(kept), "--as", form, "--output", str(file)]) == 0
        files.append(file)
    read = read_results(files).table
    assert len(set(read.match.tolist())) == 2
    assert set(read.played.tolist()) == {2}


def tiny() -> Iterator[MatchRecord]:
    """A complete match with a drawn pair and copies of a house bot, and a forfeit."""
    moves = record().moves
    bots = tuple(BotReport(name, None, 2_000_000, 3_500_000, 9_000_000) for name in "abhi")
    yield record(
        players=("a", 'b\\c "d"', "h", "h#2"), points=(5, 5, 1, 2), started="2026-03-01T10:00:00.000+00:00"
    )
    forfeit = Forfeit(1, "b", Fault.CRASH, "it ended", "gen_move", "")
    yield record("r002/t03/m1", 2, table=3, rotation=1, points=None, forfeit=forfeit, moves=moves, bots=bots)


@pytest.mark.parametrize("form", FORMS)
def test_a_tiny_export_is_the_golden_one(form: TextForm, golden: Callable[[str, str], None]) -> None:
    golden(f"export.{form}", "".join(text(form, tiny())))


def test_the_lower_seat_is_white_and_copies_have_no_result() -> None:
    complete, forfeited = tiny()
    assert list(results(complete)) == [(0, 1, 0.5), (0, 2, 1.0), (0, 3, 1.0), (1, 2, 1.0), (1, 3, 1.0)]
    assert list(results(forfeited)) == [(0, 1, 1.0), (1, 2, 0.0), (1, 3, 0.0)]
    assert forfeited.forfeit is not None
    copy = replace(complete, points=None, forfeit=replace(forfeited.forfeit, seat=3))
    assert list(results(copy)) == [(0, 3, 1.0), (1, 3, 1.0)]


def test_a_match_without_a_season_is_a_game_of_unknown_event() -> None:
    lonely = replace(record(), season="", round=None, table=None)
    first = pgn_games(lonely).partition("\n\n")[0].splitlines()
    assert first[:4] == ['[Event "?"]', '[Site "?"]', '[Date "????.??.??"]', '[Round "?"]']


@pytest.mark.parametrize("form", FORMS)
def test_records_are_asked_for_as_they_are_written(form: TextForm) -> None:
    asked: list[str] = []

    def records() -> Iterator[MatchRecord]:
        for number in range(10**9):
            asked.append(str(number))
            yield record(f"r001/t01/m{number}")

    pieces = text(form, records())
    for _ in range(5):
        next(pieces)
    assert len(asked) <= 5


def test_rows_by_seat_hold_counts_and_the_fault_of_one_seat() -> None:
    complete, forfeited = tiny()
    rows = list(seat_rows(complete))
    assert [list(row) for row in rows] == [list(SEAT_COLUMNS)] * 4
    assert [(row["wins"], row["draws"], row["losses"]) for row in rows] == [
        (2, 1, 0),
        (2, 1, 0),
        (0, 0, 2),
        (0, 0, 2),
    ]
    assert [row["points"] for row in rows] == [5, 5, 1, 2]
    rows = list(seat_rows(forfeited))
    assert [row["fault"] for row in rows] == [None, "crash", None, None]
    assert [(row["wins"], row["losses"], row["points"]) for row in rows] == [
        (1, 0, None),
        (0, 3, None),
        (1, 0, None),
        (1, 0, None),
    ]
    assert (rows[0]["charged_ms"], rows[0]["cpu_ms"], rows[0]["peak_memory_bytes"]) == (3.5, 2.0, 9_000_000)


def test_parquet_reads_back_as_it_was(kept: Kept, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not here")
    file = tmp_path / "season.parquet"
    write_parquet(kept.season.records(), str(file))
    expected = [row for match in kept.season.records() for row in seat_rows(match)]
    assert parquet.read_table(file).to_pylist() == expected
    assert sorted(os.listdir(tmp_path)) == ["kept", "season.parquet"]


# Files


@pytest.mark.parametrize("form", FORMS)
def test_a_file_appears_when_it_is_complete(form: TextForm, tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("what was there before")

    def breaks() -> Iterator[MatchRecord]:
        yield record()
        assert file.read_text() == "what was there before"
        raise StoreError("damaged")

    with pytest.raises(StoreError):
        write_text(form, breaks(), str(file))
    assert os.listdir(tmp_path) == ["out"]
    assert file.read_text() == "what was there before"
    write_text(form, tiny(), str(file))
    assert file.read_text() == "".join(text(form, tiny()))
    assert os.listdir(tmp_path) == ["out"]


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "out")
    write_text("csv", tiny(), str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    written = (tmp_path / "out").read_text()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text("csv", tiny(), str(pipe))
    assert os.read(reader, 65536).decode() == written
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


# The command


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = exit_code([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("form", FORMS)
def test_the_command_writes_all_rounds_or_one(
    form: TextForm, kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = command(capsys, "export", kept.file, "--as", form, "--output", "-")
    assert (code, out) == (0, "".join(text(form, kept.season.records())))
    assert err == "arbiter: round 3 is incomplete: its matches are exported, but not in the standings\n"
    file = tmp_path / "two"
    code, out, err = command(capsys, "export", kept.file, "--as", form, "--round", 2, "--output", file)
    assert (code, out, err) == (0, "", "")
    assert file.read_text() == "".join(text(form, kept.season.records(2)))


def test_json_lines_are_the_whole_records(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = command(capsys, "export", kept.file, "--as", "jsonl", "--output", "-")
    lines = [MatchRecord.from_json(json.loads(line)) for line in out.splitlines()]
    assert lines == list(kept.season.records())


def test_what_cannot_be_written_is_one_line(
    kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal(form: str, output: object, *more: object) -> str:
        code, out, err = command(capsys, "export", kept.file, "--as", form, "--output", output, *more)
        assert (code, out, err.count("\n")) == (2, "", 1)
        return err

    assert "cannot be written: No such file" in refusal("csv", tmp_path / "no" / "x.csv", "--round", 1)
    assert "is a folder: name a file" in refusal("csv", tmp_path, "--round", 1)
    assert "No space left on device" in refusal("csv", "/dev/full", "--round", 1)
    assert "there is no round 9; the last is 3" in refusal("csv", "-", "--round", 9)
    assert "--as parquet: expected a file" in refusal("parquet", "-", "--round", 1)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    err = refusal("parquet", tmp_path / "x.parquet", "--round", 1)
    assert "pyarrow, which is not here (pip install 'arbiter-cards[parquet]')" in err
    assert not (tmp_path / "x.parquet").exists()


def test_a_record_that_cannot_be_written_leaves_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_text("before")
    with longest_file(1), pytest.raises(ConfigError, match="cannot be written: File too large"):
        write_atomically(str(file), "after")
    assert file.read_text() == "before"
    assert os.listdir(tmp_path) == ["match.json"]
