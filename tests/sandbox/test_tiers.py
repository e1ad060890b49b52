"""What the tiers show a bot, and control groups, where this machine has them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.sandbox import cgroup
from arbiter.sandbox.player_command import register
from arbiter.sandbox.tiers import choose, control_groups, stage
from arbiter.table import play_match
from arbiter.table.conductor import close_table
from tests.fixtures.bot_template import spec_for
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from arbiter.match.record import BotReport, MatchRecord

pytestmark = pytest.mark.process
MEMORY = 100_000_000

# Does what it is told, says what came of it, and ends.
TELLING = """
import os, sys
def told(name, do):
    try:
        came = do()
    except Exception as error:
        came = type(error).__name__
    print(name, came, file=sys.stderr)
folder = sys.argv[1]
told("descriptors", lambda: sorted(set(os.listdir("/proc/self/fd")) - {"3"}) if "3" in os.listdir("/proc/self/fd") else 0)
told("others", lambda: len([name for name in os.listdir("/proc") if name.isdigit()]))
told("child", lambda: os.waitstatus_to_exitcode(os.waitpid(os.fork() or os._exit(7), 0)[1]))
told("rival", lambda: open(folder + "/rival/secret").read())
told("own", lambda: open(folder + "/bot/bot.py").read()[:1] == "\\n")
told("write", lambda: open(folder + "/bot/mine", "w"))
told("settings", lambda: open("/proc/sys/kernel/core_pattern", "r+"))
told("scratch", lambda: open("/tmp/mine", "w").write("x"))
told("network", lambda: __import__("socket").create_connection(("127.0.0.1", 9), 0.2))
told("groups", lambda: " ".join(line.strip() for line in open("/proc/self/cgroup")))
"""
OWN_CALLS = """
import ctypes, os, signal, socket, sys, threading
from itertools import count
TIMER = 222 if os.uname().machine == "x86_64" else 107
libc = ctypes.CDLL(None, use_errno=True)
def told(name, do):
    try:
        came = do()
    except OSError as error:
        came = type(error).__name__
    print(name, came, file=sys.stderr)
def timer(clock, number):
    event = (ctypes.c_int * 16)(0, 0, number)
    if libc.syscall(TIMER, clock, event, ctypes.byref(ctypes.c_int())):
        raise OSError(ctypes.get_errno(), "")
def many():
    for made in count():
        try:
            timer(1, signal.SIGUSR1)
        except OSError as error:
            return f"{made} {type(error).__name__}"
def schedule(thread, policy):
    os.sched_setscheduler(thread, policy, os.sched_param(policy))
def buffer():
    one, _ = socket.socketpair()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    one.setblocking(False)
    return "same" if one.send(bytes(20000)) == 20000 else "smaller"
told("others", lambda: timer(~1 << 3 | 2, signal.SIGUSR1))
told("continues", lambda: timer(1, signal.SIGCONT))
told("timers", many)
threading.Thread(target=signal.pause, daemon=True).start()
told("beside", lambda: timer(1, signal.SIGUSR1))
told("usual", lambda: schedule(0, os.SCHED_OTHER))
told("real-time", lambda: schedule(0, os.SCHED_FIFO))
told("other", lambda: schedule(1, os.SCHED_OTHER))
told("disk", lambda: f"{os.statvfs('/').f_blocks} {os.statvfs('/').f_bfree}")
told("buffer", buffer)
"""
HUNGRY = """
import os, sys
for _ in range(6):
    if os.fork() == 0:
        hog = bytearray(SIZE)
        for place in range(0, len(hog), 4096):
            hog[place] = 1
        print("had it", file=sys.stderr, flush=True)
        sys.stdin.read()
        os._exit(0)
# The first that ends was killed: those that had their memory wait.
print("child", os.wait()[1], file=sys.stderr, flush=True)
""".replace("SIZE", str(MEMORY * 9 // 10))


def play_bot(tmp_path: Path, program: str, tier: str) -> MatchRecord:
    """A match of this bot against itself under a tier; it ends by its fault."""
    for name in ("bot", "rival"):
        (tmp_path / name).mkdir()
    (tmp_path / "bot" / "bot.py").write_text(program)
    (tmp_path / "rival" / "secret").write_text("hands")
    player = register("bot", [sys.executable, "-I", "-S", "bot/bot.py", str(tmp_path)], tmp_path)
    spec = spec_for((player, player), "5s", [[1, 0]], memory_bytes=MEMORY, isolation=tier)
    try:
        return play_match(spec)
    finally:
        close_table()


def printed_lines(report: BotReport) -> dict[str, str]:
    pairs = (line.partition(" ") for line in report.stderr_tail.splitlines())
    return {name: came for name, _, came in pairs}


def test_landlock_shows_a_bot_its_own_and_the_system_alone(tmp_path: Path) -> None:
    need("landlock")
    found = printed_lines(play_bot(tmp_path, TELLING, "landlock").bots[0])
    assert found["own"] == "True"
    assert found["rival"] in ("FileNotFoundError", "PermissionError")
    assert found["network"] == "PermissionError"
    assert found["child"] == ("7" if stage().available else "PermissionError")
    assert found["write"] in ("PermissionError", "OSError")


def test_landlock_lets_a_bot_make_calls_that_harm_only_itself(tmp_path: Path) -> None:
    need("landlock")
    found = printed_lines(play_bot(tmp_path, OWN_CALLS, "landlock").bots[0])
    assert found == {
        "others": "PermissionError", "continues": "PermissionError", "timers": "16 OSError",
        "beside": "PermissionError", "usual": "None", "real-time": "PermissionError",
        "other": "ProcessLookupError", "disk": "4096 4096", "buffer": "same",
    }  # fmt: skip


@pytest.mark.skipif(not control_groups().available, reason=f"no control groups: {control_groups().reason}")
def test_a_bot_has_a_control_group_of_its_own_which_is_gone_afterwards(tmp_path: Path) -> None:
    record = play_bot(tmp_path, TELLING, "plain")
    assert "cgroup" in record.isolation
    assert "/arbiter-" in printed_lines(record.bots[0])["groups"]
    for folder, _ in cgroup.group_settings(MEMORY):
        mine = [path for path in Path(folder).glob(f"{cgroup.OURS}*") if str(record.bots[0]) in path.name]
        assert mine == []


@pytest.mark.skipif(not control_groups().available, reason=f"no control groups: {control_groups().reason}")
def test_children_have_the_memory_of_one_bot_together(tmp_path: Path) -> None:
    record = play_bot(tmp_path, HUNGRY, "plain")
    assert record.bots[0].stderr_tail.count("had it") < 6
    assert "child 9" in record.bots[0].stderr_tail


@pytest.mark.parametrize(
    ("lines", "unified", "expected"),
    [
        (["5:memory:/a", "4:pids:/"], False, {"memory": "/m/a", "pids": "/p/"}),
        (["0::/user.slice/x"], True, {"memory": "/u/user.slice/x", "pids": "/u/user.slice/x"}),
    ],
)
def test_own_groups_are_found_in_both_versions(
    lines: list[str], unified: bool, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = (
        ["c /m cgroup rw,memory 0 0", "c /p cgroup rw,pids 0 0"] if not unified else ["c /u cgroup2 rw 0 0"]
    )
    monkeypatch.setattr(cgroup, "_lines_of_file", lambda path: lines if path.endswith("cgroup") else mounts)
    cgroup._unified.cache_clear()
    assert {name: str(path) for name, path in cgroup._own_folders().items()} == {
        name: str(Path(path)) for name, path in expected.items()
    }
    cgroup._unified.cache_clear()


def test_plain_is_refused_where_isolation_is_required() -> None:
    with pytest.raises(ConfigError, match="plain does not isolate"):
        choose("plain", required=True)


def test_a_record_of_a_tier_that_is_gone_is_played_under_what_there_is() -> None:
    best, _ = choose("auto")
    tier, warning = choose("bwrap")
    assert (tier, warning.endswith(f"used only for builds): using {best}")) == (best, True)
