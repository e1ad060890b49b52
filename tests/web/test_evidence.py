"""The evidence of a seat, for an appeal: what it has, what it never has, and that its digests can be checked."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.submissions.match_log import log_of
from arbiter.web.views.evidence_file import clock_words
from tests.fixtures.zoo import CLEAN, CRASH, SEED, TIMEOUT

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from tests.fixtures.commands import Run
    from tests.fixtures.zoo import Kept

INCOMPLETE = "r003/t01/m0"


def with_standard_error(record: MatchRecord) -> MatchRecord:
    """Each bot wrote a line that only its author may see; the one at fault also in its last words."""
    said = "only for seat {}\n".format
    bots = tuple(
        replace(bot, stderr_head=f"first {said(seat)}", stderr_tail=said(seat))
        for seat, bot in enumerate(record.bots)
    )
    forfeit = record.forfeit and replace(record.forfeit, private="only for seat 2")
    return replace(record, bots=bots, forfeit=forfeit)


def with_times(record: MatchRecord, times: dict[str, int] | None) -> MatchRecord:
    return replace(record, forfeit=record.forfeit and replace(record.forfeit, times=times))


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


@pytest.fixture
def page_of(kept: Kept, tmp_path: Path, arbiter: Run) -> Page:
    def write(match_id: str, seat: int) -> str:
        out = tmp_path / "page.html"
        assert arbiter("evidence", kept.file, match_id, "--seat", str(seat), "--output", out)[0] == 0
        return text_of(out.read_text(encoding="utf-8"))

    return write


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Page: TypeAlias = Callable[[str, int], str]


def test_it_has_each_move_of_the_seat_with_its_charge_and_the_rules_with_the_seasons_figures(
    kept: Kept, page_of: Page
) -> None:
    page = " ".join(page_of(CLEAN, 1).split())
    for number, move in enumerate(kept.match(CLEAN).moves, 1):
        row = f" {number} {move.deal + 1} {move.request} {move.action} "
        assert (row in page) == (move.seat == 1)
    assert "1 min for a match, and 100 ms more after each request that was answered (time: 60s+100ms)" in page


@pytest.mark.parametrize("match_id", [CLEAN, CRASH])
def test_it_has_nothing_that_only_another_seat_or_the_organiser_may_see(
    match_id: str, kept: Kept, arbiter: Run, tmp_path: Path
) -> None:
    kept.change(match_id, with_standard_error)
    for seat in range(4):
        folder = tmp_path / str(seat)
        assert arbiter("evidence", kept.file, match_id, "--seat", str(seat), "--folder", folder)[0] == 0
        text = "\n".join(file.read_text() for file in folder.iterdir())
        assert {int(found) for found in re.findall(r"only for seat (\d)", text)} == {seat}
        assert SEED not in text


def test_of_a_timeout_it_names_the_command_and_the_reply(page_of: Page) -> None:
    page = " ".join(page_of(TIMEOUT, 2).split())
    assert "in seat 2, timeout, in deal" in page
    assert "The last command was gen_move" in page
    # In the bot's log, too, where its other replies are.
    assert re.search(r"= 3 \S+ \(seat 2\) forfeits: timeout", page)


def test_the_late_request_is_the_last_row_of_the_times(kept: Kept, page_of: Page, arbiter: Run) -> None:
    times = {"wall_ns": 2_000_000, "cpu_ns": 1_000_000, "delay_ns": 0, "charged_ns": 3_000_000, "left_ns": -1}

    rows: tuple[tuple[dict[str, int], str], ...] = (
        ({}, r"– – – \S+ – late"),
        (times, r"2\.00 1\.00 0\.00 3\.00 1\.00 late"),
    )
    for recorded, row in rows:
        kept.change(TIMEOUT, partial(with_times, times=recorded or None))
        number = len(kept.match(TIMEOUT).moves) + 1
        page = " ".join(page_of(TIMEOUT, 2).split())
        assert re.search(rf" {number} \d+ gen_move \S* ?{row}", page)
    slow = arbiter("show", kept.file, TIMEOUT, "--moves")[1]
    assert re.search(rf"the slowest answers[^·]*? {number} .*gen_move.* late", slow.partition("where the")[0])
    assert "the request that it ended: 3.00 ms charged" in log_of(kept.match(TIMEOUT), [2])


def test_a_folder_has_files_whose_digests_the_commands_print(
    kept: Kept, tmp_path: Path, arbiter: Run
) -> None:
    folder = tmp_path / "evidence"
    record = kept.season.match(CLEAN)
    assert record is not None
    assert arbiter("evidence", kept.file, CLEAN, "--seat", record.players[3], "--folder", folder)[0] == 0
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert sums.keys() == {file.name for file in folder.iterdir()} - {"SHA256SUMS"}
    assert sums == {name: sha256((folder / name).read_bytes()).hexdigest() for name in sums}
    page = (folder / "evidence.html").read_text()
    commands = {
        "replay-seat-3.json": ("--format", "replay", "--reader", "seat:3"),
        "replay-public.json": ("--format", "replay", "--reader", "public"),
        "moves.json": ("--format", "json", "--moves", "--seat", "3"),
        "": ("--format", "json"),
    }
    for name, options in commands.items():
        printed = sha256(arbiter("show", kept.file, CLEAN, *options)[1].encode()).hexdigest()
        assert printed in page
        assert printed == sums.get(name, printed)


def test_the_same_store_gives_the_same_bytes_and_another_record_another_chain(
    kept: Kept, page_of: Page
) -> None:
    first = page_of(CLEAN, 0)
    assert page_of(CLEAN.replace("/", " ").upper(), 0) == first
    chain, number = kept.season.chain(1)
    assert (chain in first, number) == (True, 8)
    assert kept.season.chain(2)[0] != chain
    kept.change(TIMEOUT, with_standard_error)
    assert kept.season.chain(1)[0] not in (chain, kept.season.chain(2)[0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((INCOMPLETE, "--seat", "0"), "round 3 is incomplete"),
        ((CLEAN, "--seat", "4"), "--seat: expected one of 0 "),
        (("r009/t01/m0", "--seat", "0"), "there is no match 'r009/t01/m0'"),
        ((CLEAN, "--seat", "0", "--folder", "kept"), "exists already: name a new folder"),
        ((CLEAN, "--seat", "0", "--folder", "a", "--output", "b"), "exclude each other"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(
    arguments: tuple[str, ...], said: str, kept: Kept, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kept.file.parent.parent)
    code, _, error = arbiter("evidence", kept.file, *arguments)
    assert (code, said in error, len(error.splitlines())) == (2, True, 1), error
    assert [path.name for path in kept.file.parent.parent.iterdir()] == ["kept"]


def test_results_held_back_are_no_evidence_yet(kept: Kept, arbiter: Run) -> None:
    kept.file.write_text(kept.file.read_text().replace("rounds: 4", "rounds: 4\nfreeze: 3"))
    kept.season.freeze(1)
    code, _, error = arbiter("evidence", kept.file, "r002/t01/m0", "--seat", "0")
    assert (code, "round 2 is held back from the public" in error) == (2, True)


@pytest.mark.parametrize("clock", ["adjusted", "wall", "cpu"])
@pytest.mark.parametrize("delivery", ["strict", "batched"])
def test_every_clock_is_described(clock: str, delivery: str, kept: Kept) -> None:
    record = replace(kept.match(CLEAN), clock=clock, delivery=delivery)
    words = " ".join(clock_words(kept.config.limits, record))
    assert f"(clock: {clock})" in words
    assert ("together with the next request" in words) == (delivery == "batched")
