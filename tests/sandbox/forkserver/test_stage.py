"""The stage: what confined bots see of files, processes and the machine, and what they are told when refused."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.clock import TimeControl
from arbiter.match.spec import Limits
from arbiter.sandbox import rootfs_client as system_module
from arbiter.sandbox.failure_hints import NO_PROCESS
from arbiter.sandbox.forkserver import copies, users
from arbiter.sandbox.forkserver.users import FIRST, NOBODY, NUMBERS, Users, become_user
from arbiter.sandbox.forkserver_client import ForkserverClient
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import register
from arbiter.sandbox.rootfs_client import SYSTEM
from arbiter.sandbox.tiers import stage_enforces
from arbiter.table import Conductor
from arbiter.table.single_bot import SingleBot
from arbiter.trials.sandboxcheck.attack_folder import IN_A_SHELL
from tests.fixtures.bot_template import spec_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.match.record import BotReport, MatchRecord
    from arbiter.match.spec import Player

pytestmark = [
    pytest.mark.process,
    pytest.mark.usefixtures("landlock"),
]
on_a_stage = pytest.mark.usefixtures("a_stage")
PYTHON = (sys.executable, "-I", "-S")
MEMORY = 100_000_000
OF_THE_LOAD = ("referee was stopped", "of CPU beyond", "computed while others")
PLAY = """
import sys
hand = []
for line in sys.stdin:
    words = line.split()
    answer = "="
    if words[0] == "set_cards":
        hand = words[2:]
    elif words[0] == "gen_declare":
        answer = "= 0"
    elif words[0] == "gen_move":
        answer = "= " + hand.pop()
    print(answer, end="\\n\\n", flush=True)
"""


@pytest.fixture
def table() -> Iterator[Conductor]:
    made = Conductor()
    yield made
    made.close()


def bot_in(folder: Path, program: str = "", command: tuple[str, ...] = PYTHON, **keys: Any) -> Player:
    """A bot of one card that first runs a program, in its own folder."""
    folder.mkdir(exist_ok=True)
    bot = folder / "bot.py"
    if not bot.exists() or bot.read_text() != program + PLAY:
        bot.write_text(program + PLAY)
    return register(folder.name, (*command, str(bot)), folder, **keys)


def played_by(table: Conductor, *players: Player) -> MatchRecord:
    """A match played to its end; its reports lack notes of the machine's load."""
    record = table.play(spec_for(players, deals=[[1, 0]], memory_bytes=MEMORY, isolation="landlock"))
    assert record.forfeit is None, record.bots[record.forfeit.seat].stderr_tail
    reports = [
        replace(bot, notes=tuple(note for note in bot.notes if not any(one in note for one in OF_THE_LOAD)))
        for bot in record.bots
    ]
    return replace(record, bots=tuple(reports))


def seen_by(table: Conductor, folder: Path, program: str, command: tuple[str, ...] = PYTHON) -> BotReport:
    """The report of a bot of `bot_in` that meets a bot in a shell."""
    other = folder.parent / "other"
    other.mkdir(exist_ok=True)
    (other / "bot").write_text(f"#!/bin/sh\n{IN_A_SHELL}")
    (other / "bot").chmod(0o755)
    rival = register("other", (str(other / "bot"),), other)
    return played_by(table, bot_in(folder, program, command), rival).bots[0]


TELL_FILES = """
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
for place, folders, files in sorted(os.walk(here)):
    for name in sorted(folders + files):
        path = os.path.join(place, name)
        if name != "__pycache__":
            said = os.readlink(path) if os.path.islink(path) else ""
            print(os.path.relpath(path, here), said, oct(os.lstat(path).st_mode), file=sys.stderr)
"""


@on_a_stage
def test_a_bot_finds_its_own_files_where_they_are(table: Conductor, tmp_path: Path) -> None:
    own = tmp_path / "own"
    (own / "data" / "deep").mkdir(parents=True)
    (own / "data" / "deep" / "book").write_text("x" * 100_000)
    (own / "data" / "run").write_text("#!/bin/sh\n")
    (own / "data" / "run").chmod(0o4755)
    (own / "link").symlink_to("data/deep/book")
    os.mkfifo(own / "pipe")
    told = seen_by(table, own, TELL_FILES).stderr_tail.splitlines()
    assert told == [
        "bot.py  0o100644", "data  0o40755", "link data/deep/book 0o120777",
        "data/deep  0o40755", "data/run  0o100755", "data/deep/book  0o100644",
    ]  # fmt: skip


TELL_TIMES = """
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
times = [os.lstat(path) for path in (here, here + "/bot.py", here + "/link")]
print(*(time.st_mtime_ns for time in times), file=sys.stderr)
print(*(time.st_ctime_ns for time in times), file=sys.stderr)
"""


@on_a_stage
def test_a_bots_files_seem_to_have_been_put_there_for_this_match(table: Conductor, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "link").symlink_to("bot.py")
    seen = [seen_by(table, own, TELL_TIMES).stderr_tail.splitlines() for _ in range(2)]
    originals = [os.lstat(path).st_mtime_ns for path in (own, own / "bot.py", own / "link")]
    assert [match[0] for match in seen] == [" ".join(map(str, originals))] * 2
    first, second = (map(int, match[1].split()) for match in seen)
    assert max(first) < min(second)


@on_a_stage
def test_a_bot_sees_nothing_of_the_machine_but_its_own_and_a_system_in_memory(
    table: Conductor, tmp_path: Path
) -> None:
    store = tmp_path / "season.sqlite-wal"
    store.write_text("x")
    program = SEES.replace("STORE", str(store)).replace("DISK", str(os.stat(os.__file__).st_dev))
    told = seen_by(table, tmp_path / "own", program).stderr_tail.splitlines()
    assert told == ["False", "False", "[]", "True", "True", "[]"]


SEES = """
import os, sys
device = os.stat("/usr").st_dev
for line in (
    os.path.exists("STORE"), os.path.exists("/home") or os.path.exists("/var/lib"),
    [name for name in ("fd", "fdinfo", "ns", "task", "mountinfo", "status", "root") if os.path.exists("/proc/self/" + name)],
    all(os.stat(path).st_dev == device for path in ("/etc", "/sys/devices", "/proc/cpuinfo", "/proc/sys/kernel")),
    os.readlink("/proc/self/exe") == os.path.realpath(sys.executable),
    [path for path in ("/lib/x86_64-linux-gnu", "/lib64", os.__file__) if os.path.exists(path) and os.stat(path).st_dev == DISK],
):
    print(line, file=sys.stderr)
"""


@on_a_stage
def test_the_link_to_its_program_follows_an_exec(table: Conductor, tmp_path: Path) -> None:
    script = tmp_path / "start"
    script.write_text(f"#!/bin/sh\nexec {' '.join(PYTHON)} bot.py\n")
    tell = "import os, sys\nprint(os.readlink('/proc/self/exe'), file=sys.stderr)\n"
    player = bot_in(tmp_path / "own", tell, ("/bin/sh", str(script)), read=[str(script)])
    told = played_by(table, replace(player, languages=((sys.executable,),)), bot_in(tmp_path / "other"))
    assert told.bots[0].stderr_tail == f"{os.path.realpath(sys.executable)}\n"


@on_a_stage
def test_what_of_the_system_does_not_fit_into_memory_is_read_where_it_is_and_named(
    table: Conductor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SYSTEM.close()
    monkeypatch.setattr(system_module, "SYSTEM_BYTES", 40 << 20)
    try:
        seen_by(table, tmp_path / "own", "")
        assert any(os.__file__.startswith(place) for place in table._launcher.paths_in_place or ())
    finally:
        SYSTEM.close()


@on_a_stage
def test_a_bot_has_the_same_process_number_in_each_seat(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import os\nprint('=', os.getpid(), end='\\n\\n')\n")
    player = register("bot", (*PYTHON, str(tmp_path / "bot.py")), tmp_path)
    limits = Limits(TimeControl.parse("10s"), 10_000_000_000, MEMORY, isolation="landlock")
    with closing(Launcher()) as launcher:
        numbers = []
        for seat in (0, 2):
            bot = SingleBot(launcher, player, limits, seat)
            numbers.append(bot.read_for(30_000_000_000).split()[1])
            bot.stop()
    assert numbers[1] == numbers[0]


@on_a_stage
def test_a_bot_sees_its_files_as_they_are_when_a_match_begins(table: Conductor, tmp_path: Path) -> None:
    own = tmp_path / "own"
    tell = "print(open(__file__.replace('bot.py', 'note')).read(), file=__import__('sys').stderr)\n"
    own.mkdir()
    told = []
    for note in ("first", "second"):
        (own / "note").write_text(note)
        told.append(seen_by(table, own, tell).stderr_tail)
    own.rename(tmp_path / "old")
    own.mkdir()
    (own / "note").write_text("third")
    told.append(seen_by(table, own, tell).stderr_tail)
    assert told == ["first\n", "second\n", "third\n"]


@on_a_stage
def test_a_folder_too_large_to_copy_is_read_where_it_is_and_this_is_noted(
    table: Conductor, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    with open(own / "weights", "wb") as file:
        file.truncate(copies.LARGEST + 1)
    report = seen_by(table, own, "")
    assert report.notes == (f"read where they are, not copied to memory: {own}",)


def with_weights(folder: Path, size: int, name: str = "weights") -> Path:
    folder.mkdir(parents=True)
    with open(folder / name, "wb") as file:
        file.truncate(size)
    return folder


@on_a_stage
def test_each_player_has_a_share_of_its_own_for_copies(table: Conductor, tmp_path: Path) -> None:
    players = [bot_in(with_weights(tmp_path / f"{n}", copies.LARGEST // 10 * 9)) for n in range(3)]
    for _ in range(2):
        record = played_by(table, *players)
        assert [bot.notes for bot in record.bots] == [(), (), ()]
        assert record.isolation["own files"] == "copies in memory"


@on_a_stage
def test_what_else_a_player_reads_does_not_take_its_own_folders_room(
    table: Conductor, tmp_path: Path
) -> None:
    own = with_weights(tmp_path / "z", copies.LARGEST // 2)
    read = [str(with_weights(tmp_path / f"a{number}", copies.LARGEST // 3)) for number in range(2)]
    player = bot_in(own, read=[*read, str(own)])
    record = played_by(table, player, replace(player, name="other", read=(str(own),)))
    told = f"read where they are, not copied to memory: {read[1]}"
    assert [bot.notes for bot in record.bots] == [(told,), ()]


@on_a_stage
def test_what_lies_in_a_copied_folder_is_copied_with_it(table: Conductor, tmp_path: Path) -> None:
    own = with_weights(tmp_path / "own" / "inner", copies.LARGEST // 3 * 2)
    read = [str(tmp_path / "own"), *(str(with_weights(own / str(number), 0)) for number in range(9))]
    player = bot_in(own, read=read)
    # Also where the inner one was copied before.
    played_by(table, replace(player, read=(str(own),)), replace(player, name="other", read=(str(own),)))
    record = played_by(table, player, replace(player, name="other"))
    assert not any("not copied" in note for bot in record.bots for note in bot.notes)


@on_a_stage
def test_folders_without_end_keep_nothing_from_being_copied(table: Conductor, tmp_path: Path) -> None:
    own = tmp_path / "own"
    place = own
    for _ in range(copies.DEEPEST + 5):
        place /= "d"
    place.mkdir(parents=True)
    assert seen_by(table, own, "").notes == ()


@on_a_stage
def test_every_bot_is_nobody_to_itself(table: Conductor, tmp_path: Path) -> None:
    tell = "import os, sys\nprint(os.getresuid(), os.getresgid(), os.getgroups(), file=sys.stderr)\n"
    told = seen_by(table, tmp_path / "own", tell).stderr_tail
    assert told.startswith(f"{(NOBODY,) * 3} {(NOBODY,) * 3} ")
    if os.geteuid() == 0:
        assert told.endswith(" []\n")


@on_a_stage
@pytest.mark.skipif(os.geteuid() != 0, reason="not root: there is one user alone")
def test_a_user_of_its_own_reads_and_runs_what_is_open_to_its_player_alone(
    table: Conductor, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    secret = own / "secret"
    secret.write_text("word")
    program = own / "start"
    program.write_text('#!/bin/sh\nexec python3 "$@"\n')
    for path, mode in (secret, 0o600), (program, 0o700), (own, 0o700):
        os.chown(path, NOBODY + 7, NOBODY + 7)
        path.chmod(mode)
    tell = f"print(open({str(secret)!r}).read(), file=__import__('sys').stderr)\n"
    assert seen_by(table, own, tell, (str(program),)).stderr_tail == "word\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="not root: bots share the player's number")
def test_root_gives_each_bot_a_number_that_nobody_else_has(tmp_path: Path) -> None:
    namespaces = Users().namespaces_for(2)
    numbers = {owner_of_a_file_made_in(namespace, tmp_path / str(namespace)) for namespace in namespaces}
    for namespace in namespaces:
        os.close(namespace)
    assert len(numbers) == 2
    assert all(FIRST <= number < FIRST + NUMBERS for number in numbers)


def owner_of_a_file_made_in(namespace: int, path: Path) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            become_user(namespace)
            path.touch()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return path.stat().st_uid


@pytest.mark.parametrize(
    ("user", "others", "expected"),
    [
        (FIRST + 5, FIRST, [(NOBODY, FIRST + 5, 1), (0, 0, NOBODY), (65535, 65535, FIRST - 65535)]),
        (1000, 0, [(NOBODY, 1000, 1)]),
        (0, 65536, [(NOBODY, 0, 1), (1, 1, NOBODY - 1), (65535, 65535, 1)]),
    ],
    ids=["root", "an ordinary user", "root in a container"],
)
def test_a_bot_is_nobody_and_only_root_names_others(
    user: int, others: int, expected: list[tuple[int, ...]]
) -> None:
    lines = users.user_map(user, others).splitlines()
    assert [tuple(map(int, line.split())) for line in lines] == expected


def test_bots_share_a_user_where_the_kernel_refuses_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(numbered: bool) -> int:
        raise OSError("refused")

    monkeypatch.setattr(users, "_new_user", refuse)
    assert Users().namespaces_for(2) == []
    assert "the same for all" in stage_enforces(True, "").values()


@on_a_stage
def test_a_bot_has_a_temporary_folder_that_is_empty_in_every_match(table: Conductor, tmp_path: Path) -> None:
    tell = """
import os, sys, tempfile
print(os.listdir(tempfile.gettempdir()), file=sys.stderr)
with tempfile.NamedTemporaryFile(delete=False) as file:
    print(os.stat(file.name).st_ino, os.write(file.fileno(), bytes(15 << 20)) >> 20, file=sys.stderr)
"""
    first, second = (seen_by(table, tmp_path / "own", tell).stderr_tail for _ in range(2))
    assert first.splitlines()[0] == "[]"
    assert first.endswith(" 15\n")
    assert first == second


THREADS = """
import ctypes, os, sys, threading, time
SHARED_WAIT = 202 if os.uname().machine == "x86_64" else 98
libc = ctypes.CDLL(None)
made = ctypes.c_ulong()
sleep = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: time.sleep(0.05))
joined = 0
for _ in range(3):
    assert libc.pthread_create(ctypes.byref(made), None, sleep, None) == 0
    joined += libc.pthread_join(made, None) == 0
print("joined", joined, file=sys.stderr)
past = (ctypes.c_long * 2)(int(time.time()), 0)
assert libc.pthread_create(ctypes.byref(made), None, sleep, None) == 0
print("too early", libc.pthread_timedjoin_np(made, None, past), file=sys.stderr)
libc.pthread_join(made, None)
far = (ctypes.c_long * 2)(1 << 50, 0)
assert libc.pthread_create(ctypes.byref(made), None, sleep, None) == 0
print("in time", libc.pthread_timedjoin_np(made, None, far), file=sys.stderr)
word = ctypes.c_int(1)
threading.Timer(0.02, lambda: setattr(word, "value", 0)).start()
libc.syscall(SHARED_WAIT, ctypes.byref(word), 0, 1, None, 0, 0)
print("changed", word.value, file=sys.stderr)
posted = ctypes.create_string_buffer(64)
libc.sem_init(posted, 1, 0)
threading.Timer(0.02, libc.sem_post, (posted,)).start()
print("posted", libc.sem_wait(posted), file=sys.stderr)
"""


TOLD: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # the behaviour: (the program, what it writes to standard error, what its report notes)
    "it sees no process but itself": ("""
import os, sys
others = [pid for pid in range(1, 2000) if pid != os.getpid() and os.path.exists(f"/proc/{pid}")]
print(others, file=sys.stderr)
""", "[]", ()),
    "a refused call is noted once": ("""
import os, socket
for _ in range(3):
    for act in (os.setsid, lambda: socket.socket(socket.AF_INET), lambda: os.setpriority(os.PRIO_PROCESS, 0, 1)):
        try:
            act()
        except PermissionError:
            pass
""", "", ("system calls refused: setsid, socket, setpriority",)),
    "threads are waited for": (THREADS, "joined 3\ntoo early 110\nin time 0\nchanged 0\nposted 0", ()),
    "a thread shares all that limits count": ("""
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
number = 56 if os.uname().machine == "x86_64" else 220
# All that a thread shares but the descriptors.
print(libc.syscall(number, 0x10900 | 0x200, 0, 0, 0, 0), ctypes.get_errno(), file=sys.stderr)
""", "-1 1", (f"system calls refused: clone; {NO_PROCESS}",)),
    "waits that signals end are forgotten": ("""
import ctypes, os, signal, sys, threading
libc = ctypes.CDLL(None)
number = 202 if os.uname().machine == "x86_64" else 98
word = ctypes.c_uint32(7)
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
far = (ctypes.c_long * 2)(1000, 0)
for _ in range(500):
    libc.syscall(number, ctypes.byref(word), 0, 7, far, 0, 0)
signal.setitimer(signal.ITIMER_REAL, 0)
print("done", file=sys.stderr)
""", "done", ()),
    "it makes 64 pipes and socket pairs": ("""
import os, socket, sys
made = 0
try:
    while made < 200:
        for end in os.pipe() if made % 2 else socket.socketpair():
            os.close(end) if made % 2 else end.close()
        made += 1
except OSError as error:
    print(made, error.errno, file=sys.stderr)
""", "64 24", ()),
    "it makes 16 timers": ("""
import ctypes, os, select, sys
libc = ctypes.CDLL(None, use_errno=True)
for _ in range(200):
    select.epoll().close()
made = 0
while libc.timerfd_create(1, 0) >= 0:
    made += 1
print(made, ctypes.get_errno(), file=sys.stderr)
""", "16 24", ()),
    "it adds 256 files to epolls": ("""
import os, select, sys
many, pipe = select.epoll(), os.pipe()[0]
added = 0
try:
    while True:
        many.register(pipe)
        many.unregister(pipe)
        added += 1
except OSError as error:
    print(added, error.errno, file=sys.stderr)
""", "256 28", ()),
    "it has 256 threads": ("""
import sys, threading, time
threading.stack_size(65536)
stop = threading.Event()
started = 0
try:
    for _ in range(400):
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(started, file=sys.stderr)
""", "255", ()),
    "questions without end are answered slowly": ("""
import os, threading
def ask():
    while True:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, 1)
        except PermissionError:
            pass
threading.stack_size(65536)
for _ in range(20):
    threading.Thread(target=ask, daemon=True).start()
""", "", ("system calls refused: setpriority",)),
    "the machine seems to have the memory that it may use": ("""
import os, sys
print(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 12, file=sys.stderr)
""", str(MEMORY >> 12), ()),
}  # fmt: skip
OF_A_STAGE = ("it sees no process but itself",)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BotReport]:
    """The report of each program of `TOLD`, four bots to a match."""
    folder = tmp_path_factory.mktemp("told")
    found: dict[str, BotReport] = {}
    bots = [bot_in(folder / f"bot{number}", program) for number, (program, *_) in enumerate(TOLD.values())]
    with closing(Conductor()) as table:
        for first in range(0, len(bots), 4):
            some = bots[first : first + 4]
            found.update(zip([*TOLD][first : first + 4], played_by(table, *some).bots, strict=True))
    return found


@pytest.mark.parametrize("name", TOLD)
def test_a_confined_bot_sees_and_may(
    name: str, reports: dict[str, BotReport], request: pytest.FixtureRequest
) -> None:
    if name in OF_A_STAGE:
        request.getfixturevalue("a_stage")
    _, said, notes = TOLD[name]
    assert reports[name].stderr_tail.strip() == said
    assert reports[name].notes == notes


def test_without_namespaces_bots_are_confined_and_supervised_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = ForkserverClient.__init__
    monkeypatch.setattr(ForkserverClient, "__init__", lambda slim, *_: start(slim, "here"))
    table = Conductor()
    try:
        report = seen_by(
            table,
            tmp_path / "own",
            THREADS + "import socket\ntry:\n    socket.socket()\nexcept OSError:\n    pass\n",
        )
        assert table._launcher.staged is False
    finally:
        table.close()
    assert report.stderr_tail.splitlines()[0] == "joined 3"
    assert report.notes == ("system calls refused: socket",)


def test_a_folder_has_entries_that_change_with_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_text("1")
    folder = os.open(tmp_path, os.O_RDONLY)
    before = copies.list_entries(folder)
    (tmp_path / "below" / "file").write_text("2")
    after = copies.list_entries(folder)
    os.close(folder)
    assert [entry.name for entry in before] == ["below", "below/file"]
    assert before != after


@pytest.mark.parametrize("what", ["large", "many"])
def test_what_is_too_much_to_copy_is_seen(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "LARGEST", 10)
    monkeypatch.setattr(copies, "MOST_FILES", 4)
    if what == "large":
        (tmp_path / "file").write_text("x" * 11)
    if what == "many":
        for number in range(5):
            (tmp_path / str(number)).touch()
    folder = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(copies.FolderTooLarge):
        copies.list_entries(folder)
    os.close(folder)
