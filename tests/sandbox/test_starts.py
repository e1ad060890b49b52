"""Programs that cannot be started, or are gone: a failure of ours in every tier, which no bot can feign."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.errors import NotPrepared, VoidMatch
from arbiter.match.record import Fault
from arbiter.sandbox import launcher
from arbiter.sandbox.launcher import PID_LIMIT, process_id
from arbiter.sandbox.player_command import register
from arbiter.table import Conductor, conductor
from tests.fixtures.bot_template import player, spec_for
from tests.fixtures.commands import BOTS
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Limits, Player

pytestmark = pytest.mark.process

GOOD = "planning_random.py"
PYTHON = (sys.executable, "-I", "-S")
FORGER = """#!/bin/sh
echo 'arbiter: cannot start ./bot: No such file or directory' >&2
echo '{ "child-pid": 1 }' 2>/dev/null >&3
exit STATUS
"""
DISTURBED: dict[str, tuple[Callable[[Path], object], tuple[str, ...], str]] = {
    # name: (what happens after the player was registered, its command, what is said)
    "its program is gone": (lambda own: (own / "bot").unlink(), ("own/bot",), "own/bot of player p2: No such file or directory"),
    "its program is not executable": (lambda own: (own / "bot").chmod(0o644), ("own/bot",), "own/bot of player p2: Permission denied"),
    "its script names no interpreter": (
        lambda own: (own / "bot").write_text("#!/nowhere/sh\n"), ("own/bot",), "own/bot of player p2: the first line of .*/own/bot names /nowhere/sh, which does not exist"
    ),
    "its folder is gone": (
        lambda own: own.rename(own.parent / "moved"), ("own/bot",), r"own/bot of player p2: \S+/own: No such file or directory"
    ),
    "its script is gone": (
        lambda own: (own / GOOD).unlink(), (*PYTHON, f"own/{GOOD}"), f"a file of player p2 is gone: there is no file .*/own/{GOOD}"
    ),
}  # fmt: skip


@pytest.fixture(params=["plain", "landlock"])
def tier(request: pytest.FixtureRequest) -> str:
    """Each tier that this machine has."""
    need(request.param)
    return str(request.param)


def play_match(
    table: Conductor, tier: str, folder: Path, command: tuple[str, ...], disturb: Callable[[Path], object]
) -> MatchRecord:
    """A match in which the second of four has a folder of its own, disturbed after it was registered."""
    own = folder / "own"
    own.mkdir(exist_ok=True)
    shutil.copy(BOTS / GOOD, own)
    if not (own / "bot").exists():
        (own / "bot").write_text("#!/bin/sh\n")
    (own / "bot").chmod(0o755)
    others = [register(f"p{seat}", (*PYTHON, GOOD), BOTS) for seat in (0, 1, 3)]
    subject = register("p2", command, folder)
    disturb(own)
    return table.play(spec_for((others[0], others[1], subject, others[2]), isolation=tier))


@pytest.mark.parametrize("name", DISTURBED)
def test_a_player_that_cannot_be_started_makes_the_match_void(
    name: str, tier: str, table: Conductor, tmp_path: Path
) -> None:
    disturb, command, said = DISTURBED[name]
    with pytest.raises(VoidMatch, match=said):
        play_match(table, tier, tmp_path, command, disturb)


@pytest.mark.usefixtures("a_stage")
def test_a_failure_of_ours_before_a_start_is_void_with_its_reason_and_no_players(
    table: Conductor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("landlock")
    known = conductor.start_request

    def start_request(player: Player, limits: Limits) -> dict[str, Any]:
        request = known(player, limits)
        # A folder that is read-only before the file is made there.
        return request | {"root": request["root"] | {"places": ["/etc/passwd"]}}

    monkeypatch.setattr(conductor, "start_request", start_request)
    with pytest.raises(NotPrepared, match=r"cannot prepare it: .*Read-only file system"):
        play_match(table, "landlock", tmp_path, (*PYTHON, f"own/{GOOD}"), lambda _: None)


def test_a_folder_that_was_moved_away_and_back_is_read_as_it_is_now(tier: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    table = Conductor()
    for said in ("first", "second", "third"):
        own.mkdir(exist_ok=True)
        (own / "bot.py").write_text(f"raise SystemExit('{said}')\n")
        record = play_match(table, tier, tmp_path, (*PYTHON, "own/bot.py"), lambda _: None)
        assert record.bots[2].stderr_tail == f"{said}\n"
        with pytest.raises(VoidMatch):
            play_match(table, tier, tmp_path, ("own/bot",), lambda own: own.rename(tmp_path / "moved"))
        (tmp_path / "moved").rename(own)
    table.close()


@pytest.mark.parametrize("status", [126, 127])
def test_a_bot_that_ends_as_one_that_could_not_be_started_has_crashed(
    status: int, tier: str, table: Conductor, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "bot").write_text(FORGER.replace("STATUS", str(status)))
    record = play_match(table, tier, tmp_path, ("own/bot",), lambda _: None)
    assert record.forfeit is not None
    assert (record.forfeit.player, record.forfeit.fault) == ("p2", Fault.CRASH)
    assert f"exited with status {status}" in record.forfeit.detail


def test_a_process_that_is_gone_has_a_number_that_no_signal_reaches() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    descriptor = os.pidfd_open(child)
    os.waitpid(child, 0)
    numbers = [process_id(descriptor, place) for place in range(4)]
    os.close(descriptor)
    assert len(set(numbers)) == 4
    for number in numbers:
        for send in (os.kill, os.killpg):
            with pytest.raises(ProcessLookupError):
                send(number, 0)


def test_a_bot_that_is_gone_before_its_number_is_asked_for_has_crashed(
    tier: str, table: Conductor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "bot").write_text("#!/bin/sh\nexit 3\n")
    known = launcher.process_id
    monkeypatch.setattr(
        launcher, "process_id", lambda d, place: PID_LIMIT + 2 if place == 2 else known(d, place)
    )
    record = play_match(table, tier, tmp_path, ("own/bot",), lambda _: None)
    assert record.forfeit is not None
    assert (record.forfeit.player, record.forfeit.detail) == ("p2", "it exited with status 3")


@pytest.mark.parametrize("tier", ["plain", "landlock"])
def test_a_program_starts_when_the_one_before_it_has_answered(
    tier: str, table: Conductor, bot: Callable[..., Path]
) -> None:
    need(tier)
    telling = bot(
        "sys.stderr.write(f'{time.monotonic_ns()} ')",
        "if words[0] == 'set_deck': sys.stderr.write(f'{time.monotonic_ns()}\\n')",
    )
    players = [register(f"p{seat}", (*PYTHON, telling.name), telling.parent) for seat in range(4)]
    record = table.play(spec_for(tuple(players), isolation=tier))
    assert record.forfeit is None
    times = [[int(word) for word in one.stderr_tail.split()] for one in record.bots]
    assert all(len(both) == 2 for both in times)
    moments = [moment for both in times for moment in both]
    assert moments == sorted(moments)


def test_a_program_that_nobody_speaks_to_is_not_started(table: Conductor, bot: Callable[..., Path]) -> None:
    ending = bot("raise SystemExit(2)", name="ending")
    telling = bot("sys.stderr.write('started')", name="telling")
    players = (player(ending, "first"), *(player(telling, f"p{seat}") for seat in (1, 2, 3)))
    record = table.play(spec_for(players))
    assert record.forfeit is not None
    assert record.forfeit.player == "first"
    assert [one.stderr_tail for one in record.bots[1:]] == [""] * 3


ENDING: dict[str, tuple[str, str]] = {
    # what a program does: (its text, the detail of the fault)
    "ends at once": ("raise SystemExit(2)\n", "it exited with status 2"),
    "removes its file after its first answer": (
        "import os, sys\ninput(); print('=\\n', flush=True); input(); os.unlink(sys.argv[0]); sys.exit(2)\n",
        "it exited with status 2",
    ),
    "executes what is not there": (
        "import os\nos.execv('/bin/sh', ['sh', '-c', 'exec /nowhere/bot'])\n", "it exited with status 127: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDING)
def test_what_a_started_program_does_to_itself_is_its_players_fault(
    name: str, table: Conductor, tmp_path: Path
) -> None:
    text, detail = ENDING[name]
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ending.py").write_text(text)
    record = play_match(table, "plain", tmp_path, (*PYTHON, "own/ending.py"), lambda _: None)
    assert (tmp_path / "own" / "ending.py").exists() == ("unlink" not in text)
    assert record.forfeit is not None
    assert (record.forfeit.player, record.forfeit.fault) == ("p2", Fault.CRASH)
    assert record.forfeit.detail.startswith(detail)


def test_a_bot_whose_module_its_tier_hides_is_told_what_helps(
    table: Conductor, tier: str, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "cards.py").write_text("")
    program = f"import sys; sys.path.append({str(tmp_path)!r}); import cards; raise SystemExit(2)\n"
    (tmp_path / "own" / "finding.py").write_text(program)
    record = play_match(table, tier, tmp_path, (*PYTHON, "own/finding.py"), lambda _: None)
    assert any("name files elsewhere in read:" in note for note in record.bots[2].notes) == (tier != "plain")
