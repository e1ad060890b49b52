"""Real processes that misbehave: each ends as the rules of conduct say."""

from __future__ import annotations

import errno
import mmap
import os
import re
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import VoidMatch
from arbiter.match.protocol import Connection
from arbiter.match.record import Fault
from arbiter.sandbox.forkserver.bot import file_bytes, memory_counts
from arbiter.sandbox.process_meter import Meter, _read_stat, filled_bytes
from arbiter.table import Conductor, channel, conductor, slow_exchange
from arbiter.table.crash_faults import Ending
from tests.fixtures.bot_template import against

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arbiter.match.exchange import Reply, Send
    from arbiter.match.record import MatchRecord

pytestmark = pytest.mark.process

Bot = "Callable[..., Path]"

GEN = 'if words[0] == "gen_move":\n    '
FILL = "x = bytearray(b'x') * 40_000_000"
"""Memory that a runtime has which says that it gets no more of 100 MB."""
RESERVE = """
import mmap
kept = []
def reserve(size, protection, then=0):
    kept.append(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=protection))
    if then:
        import ctypes
        kept[-1].write(bytes(size))
        ctypes.CDLL(None).mprotect(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))), size, then)
"""
FAULTS = {
    # name: (early, each, fault, words of the detail, time)
    "exits at once": ("sys.exit(3)", "", Fault.CRASH, "status 3", "10s"),
    "exits when asked": ("", GEN + "sys.exit(0)", Fault.CRASH, "status 0", "10s"),
    "is killed by a signal": ("", GEN + "os.kill(os.getpid(), 11)", Fault.CRASH, "signal 11", "10s"),
    "closes its output": ("", GEN + "os.close(1); time.sleep(60)", Fault.CRASH, "output", "10s"),
    "closes its input": ("", "os.close(0); say('=\\n\\n'); time.sleep(60)", Fault.CRASH, "input", "10s"),
    "raises an exception": ("", GEN + "hand.clear(); hand[0]", Fault.CRASH, "IndexError", "10s"),
    "is no program": ("def", "", Fault.CRASH, "SyntaxError", "10s"),
    "sleeps": ("", GEN + "time.sleep(60)", Fault.TIMEOUT, "no reply", "600ms"),
    "computes without end": ("", GEN + "\n    while True: pass", Fault.TIMEOUT, "no reply", "600ms"),
    "stops itself": ("", GEN + "os.kill(os.getpid(), 19)", Fault.TIMEOUT, "no reply", "600ms"),
    "forgets the empty line": (
        "",
        GEN + 'say(answer + "\\n"); time.sleep(60)',
        Fault.TIMEOUT,
        "no empty line after the reply",
        "600ms",
    ),
    "sends half a reply": ("", GEN + 'say("= "); time.sleep(60)', Fault.TIMEOUT, "not complete", "600ms"),
    "drips comment lines": (
        "",
        GEN + '\n    while True: say("# still thinking\\n"); time.sleep(0.01)',
        Fault.TIMEOUT,
        "no reply",
        "600ms",
    ),
    "drips bytes": ("", GEN + '\n    say("=")\n    while True: say(" "); time.sleep(0.01)', Fault.TIMEOUT, "complete", "600ms"),
    "ignores signals and sleeps": (
        "[signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)]",
        GEN + "time.sleep(60)",
        Fault.TIMEOUT,
        "no reply",
        "600ms",
    ),
    "prints a prompt": ("", 'say("ready> ")', Fault.MALFORMED, "ready>", "10s"),
    "floods without a newline": ("", GEN + 'say("=" + "x" * 300000)', Fault.MALFORMED, "65536", "10s"),
    "answers twice": ("", GEN + "answer += '\\n\\n' + answer", Fault.OUT_OF_TURN, "unread", "10s"),
    "answers before it is asked": ("say('=\\n\\n=\\n\\n')", "", Fault.OUT_OF_TURN, "unread", "10s"),
    "prints too much": (
        "",
        'say("# " + "x" * 600000 + "\\n")',
        Fault.OUTPUT,
        "1048576",
        "10s",
    ),
    "refuses to move": ("", GEN + 'answer = "? no"', Fault.REFUSED, "gen_move", "10s"),
    "plays a card it does not hold": ("", GEN + 'answer = "= XX"', Fault.ILLEGAL, "no such card", "10s"),
    "ends its main thread": (
        "import ctypes, threading\nexit_thread = 60 if os.uname().machine == 'x86_64' else 93",
        GEN + "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "    ctypes.CDLL(None).syscall(exit_thread, 0)",
        Fault.CRASH,
        "ended its main thread",
        "10s",
    ),
    "says two words": ("", GEN + 'answer += " TD"', Fault.MALFORMED, "more than one word", "10s"),
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Iterator[Conductor]:
    """A table at which nobody is confined: a tier's stage has a process that stays from match to match."""
    made = Conductor()
    yield made
    made.close()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_the_match_as_its_kind(name: str, table: Conductor, bot: Callable[..., Path]) -> None:
    early, each, fault, words, time = FAULTS[name]
    record = table.play(against(bot(early, each), time))
    assert record.forfeit is not None
    assert (record.forfeit.player, record.forfeit.fault) == ("subject", fault), record.forfeit
    assert words in record.forfeit.detail
    moments = [record.started, record.forfeit.sent or record.started, record.forfeit.ended]
    started, sent, ended = map(datetime.fromisoformat, moments)
    assert started <= sent <= ended
    assert fault is not Fault.TIMEOUT or ended - sent > timedelta(seconds=0.5)
    # What it used, and not our search for its end.
    assert fault is not Fault.CRASH or record.bots[1].charged_ns < 300_000_000
    assert_nothing_is_left(table, record)


def test_memory_over_the_limit_is_a_fault_of_its_own(table: Conductor, bot: Callable[..., Path]) -> None:
    hog = bot("", GEN + "x = [bytearray(b'x') * 10_000_000 for _ in range(50)]")
    record = table.play(against(hog, memory_bytes=100_000_000))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.MEMORY
    assert "limited to 100 MB" in record.forfeit.detail


def test_memory_that_is_reserved_and_not_filled_does_not_count(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    reserves = bot(RESERVE + "reserve(1 << 39, 0); reserve(2 << 30, 3)")
    assert table.play(against(reserves, memory_bytes=100_000_000)).forfeit is None


@pytest.mark.parametrize("grouped", [True, False], ids=["in a control group", "in none"])
@pytest.mark.parametrize("protection", [3, 1], ids=["writable", "made read-only"])
def test_memory_that_is_filled_as_fast_as_possible_is_a_fault(
    protection: int,
    grouped: bool,
    table: Conductor,
    bot: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not grouped:
        monkeypatch.setattr(conductor, "group_settings", lambda _: [])
    fills = GEN + f"\n    while True: reserve(1 << 25, 3, {protection})"
    record = table.play(against(bot(RESERVE, fills), "60s", memory_bytes=100_000_000))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.MEMORY, record.forfeit
    assert re.search(r"it (had|filled) \d{3,4} MB", record.forfeit.detail)
    assert record.bots[1].peak_memory_bytes > 100_000_000


def test_memory_that_was_filled_since_the_last_check_comes_before_a_timeout(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conductor, "group_settings", lambda _: [])
    for name in ("FIRST_LOOK_NS", "FIRST_LOOK_AT_FAMILIES_NS", "LONGEST_LOOK_NS"):
        monkeypatch.setattr(slow_exchange, name, 60 * 10**9)
    hog = bot("", GEN + "x = bytearray(b'x') * 200_000_000\n    while True: pass")
    record = table.play(against(hog, "1s", memory_bytes=100_000_000))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.MEMORY, record.forfeit


def test_the_memory_of_children_counts_without_a_control_group_too(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conductor, "group_settings", lambda _: [])
    family = "\nfor _ in range(3):\n    if os.fork() == 0:\n        {}time.sleep(60)\n"
    shares = bot("x = bytearray(b'x') * 40_000_000" + family.format(""), GEN + "time.sleep(0.1)")
    assert table.play(against(shares, memory_bytes=100_000_000)).forfeit is None
    fills = bot(family.format("x = bytearray(b'x') * 40_000_000; "), GEN + "time.sleep(1)")
    record = table.play(against(fills, memory_bytes=100_000_000))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.MEMORY, record.forfeit


@pytest.mark.parametrize(
    "fails",
    ["x = bytearray(1 << 41)", "os.write(2, b'MemoryError'); sys.exit(1)"],
    ids=["too much at once", "in words alone"],
)
def test_want_of_memory_of_a_program_that_had_little_is_a_crash(
    fails: str, table: Conductor, bot: Callable[..., Path]
) -> None:
    record = table.play(against(bot("", GEN + fails), memory_bytes=100_000_000))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.CRASH
    said = r"it exited with status 1 and wrote that it got no memory; it had \d+ MB and is limited to 100 MB"
    assert re.match(said, record.forfeit.detail)


def test_a_program_may_call_itself_what_is_no_text(table: Conductor, bot: Callable[..., Path]) -> None:
    named = bot("import ctypes; ctypes.CDLL(None).prctl(15, bytes([97, 255, 254, 128]), 0, 0, 0)")
    record = table.play(against(named))
    assert record.forfeit is None
    assert_nothing_is_left(table, record)


def test_filled_memory_is_read_from_the_kernel_and_not_from_a_name() -> None:
    status = (
        b"Name:\tVmPTE:\t9 kB\nRssAnon:\t     10 kB\nRssFile:\t 7 kB\nVmPTE:\t      20 kB\nVmSwap:\t 5 kB\n"
    )
    assert filled_bytes(memory_counts(status)) == 35 * 1024
    assert file_bytes(memory_counts(status)) == 7 * 1024
    assert memory_counts(b"Name:\tgone\nState:\tZ (zombie)\n") == {}


def test_filled_memory_is_what_a_process_has_written_to() -> None:
    reserved = mmap.mmap(-1, 1 << 26, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    meter = Meter(os.getpid())
    before = meter.memory_bytes()
    reserved.write(bytes(len(reserved)))
    after = meter.memory_bytes()
    meter.close()
    assert before + (1 << 26) <= after < before + (1 << 26) + (1 << 22)
    reserved.close()


def test_the_memory_of_a_quick_bot_is_looked_at_too(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    monkeypatch.setattr(Ending, "check_memory", lambda ending: looks.append(ending._pid))
    monkeypatch.setattr(slow_exchange, "LOOK_AT_MEMORY_NS", 0)
    record = table.play(against(bot()))
    requests = sum(move.seat == 1 for move in record.moves)
    assert max(looks.count(pid) for pid in looks) >= requests > 1


@pytest.mark.parametrize(
    ("early", "each"),
    [
        ("", GEN + "say('java.lang.OutOfMemoryError: Java heap space\\n'); time.sleep(60)"),
        ("", GEN + "say('Could not reserve'); say(' enough space for 204800KB object heap\\n'); sys.exit(1)"),
        (
            "",
            GEN
            + "os.write(2, b'FATAL ERROR: JavaScript heap out of memory'); say('<--- GCs --->'); os.abort()",
        ),
        ("", GEN + "os.write(2, b'fatal error: runtime: out of memory' + bytes(9000)); sys.exit(2)"),
        (f"{FILL}; os.write(2, b'MemoryError'); say('dump'); sys.exit(1)", ""),
    ],
    ids=["on standard output", "in pieces", "beside other output", "before a long report", "at the start"],
)
def test_a_runtime_that_says_it_got_no_memory_is_believed_where_it_had_much(
    early: str, each: str, table: Conductor, bot: Callable[..., Path]
) -> None:
    record = table.play(against(bot(early or FILL, each), memory_bytes=100_000_000))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.MEMORY, record.forfeit
    assert "limited to 100 MB" in record.forfeit.detail


def test_what_a_virtual_machine_was_told_is_no_reason(table: Conductor, bot: Callable[..., Path]) -> None:
    notice = "os.write(2, b'a reason\\nPicked up JAVA_TOOL_OPTIONS: -XX:MaxRAM=1\\n')"
    record = table.play(against(bot("", GEN + f"{notice}; sys.exit(1)")))
    assert record.forfeit is not None
    assert record.forfeit.detail == "it exited with status 1: a reason"


def test_a_failed_allocation_that_was_survived_at_the_start_is_no_reason_later(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    early = "print('MemoryError: the small table will do', file=sys.stderr, flush=True)"
    record = table.play(against(bot(early, GEN + "{}[answer]")))
    assert record.forfeit is not None
    assert record.forfeit.fault is Fault.CRASH
    assert "KeyError" in record.forfeit.detail


def test_a_machine_without_room_for_a_process_makes_the_match_void(
    bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*words: object, **options: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", full)
    with pytest.raises(VoidMatch, match="cannot start the process that starts bots: Resource temporarily"):
        Conductor().play(against(bot()))


def test_bytes_that_were_announced_and_are_gone_are_waited_for(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(descriptor: int, size: int) -> bytes:
        if size == channel.SMALL:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return os.read(descriptor, size)

    monkeypatch.setattr(channel, "_read", gone)
    assert table.play(against(bot())).forfeit is None


def test_liberties_are_no_faults_and_are_noted(table: Conductor, bot: Callable[..., Path]) -> None:
    free = bot(
        "sys.stderr.write('x' * 300000)",
        "say('\\n# a comment\\n')\n"
        "if words[0] == 'play': answer = '? what'\n"
        "if words[0] == 'gen_declare': answer = '=  00\\t\\r'\n"
        "if words[0] == 'set_deck': answer = '=\\nmore'",
    )
    record = table.play(against(free))
    assert record.forfeit is None
    assert set(record.bots[1].notes) >= {
        "comment lines",
        "refusals (?)",
        "several lines in a reply",
        "actions not in canonical form",
    }
    assert len(record.bots[1].stderr_tail) == 4096
    assert record.bots[1].stderr_head.startswith("x" * 2048 + "\n[")


def test_notes_are_kept_with_their_moves_and_tell_no_liberty(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    noting = bot(
        "", "if words[0] == 'play': say('# tag heard\\n')\n" + GEN + "say('# value %d words\\n' % count)"
    )
    for delivery in ("strict", "batched"):
        record = table.play(against(noting, delivery=delivery))
        own = [number for number, move in enumerate(record.moves, 1) if move.request == "gen_move"]
        values = {
            number: note.value for number, note in (record.move_notes or {}).items() if note.value is not None
        }
        assert list(values) == [number for number in own if record.moves[number - 1].seat == 1]
        assert any(note.tags == ("heard",) for note in (record.move_notes or {}).values())
        assert record.notes_public == ()
        assert "comment lines" not in record.bots[1].notes


def test_a_flood_of_notes_is_read_on_the_time_of_the_one_who_floods_and_bounded(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, exchange = [0], channel.Channel.exchange
    spoken: list[int] = []
    feed = Connection.feed

    def exchanged(self: channel.Channel, send: Send) -> Reply | int:
        asked[0] = self.seat
        return exchange(self, send)

    def fed(self: Connection, chunk: bytes) -> None:
        spoken.extend([asked[0]] * (b"# note" in chunk))
        feed(self, chunk)

    monkeypatch.setattr(channel.Channel, "exchange", exchanged)
    monkeypatch.setattr(Connection, "feed", fed)
    flood = "for _ in range(300): say('# note ' + 'x' * 100 + '\\n')"
    # While it is asked, and while the others are.
    each = (
        f"if words[0].startswith('gen_'):\n    {flood}\n    say(answer + '\\n\\n')\n    {flood}\n    continue"
    )
    record = table.play(against(bot("", each)))
    assert record.forfeit is None
    # No other exchange looks at a line of it: whoever is silent loses no time.
    assert set(spoken) == {1}
    assert [any("dropped" in note for note in report.notes) for report in record.bots] == [0, 1, 0, 0]
    kept = [sum(map(len, note.words)) for note in (record.move_notes or {}).values()]
    assert all(0 < size <= 200 for size in kept)


def test_quit_is_said_where_the_config_wants_it(table: Conductor, bot: Callable[..., Path]) -> None:
    polite = bot("", 'if words[0] == "quit": sys.exit(7)')
    record = table.play(against(polite, end="quit"))
    assert record.forfeit is None
    assert record.bots[1].exit == 7


def test_what_the_children_of_a_starting_script_used_belongs_to_the_start(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    burning = "import time\\nwhile time.process_time() < 0.2: pass"
    burn = f"import subprocess; subprocess.run([sys.executable, '-c', '{burning}'])"
    record = table.play(against(bot(burn)))
    subject = record.bots[1]
    assert subject.cpu_ns >= 200_000_000
    assert not any("of CPU beyond" in note for note in subject.notes)


def test_children_are_killed_with_the_bot(table: Conductor, bot: Callable[..., Path]) -> None:
    breeder = bot(
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]\n"
        "        time.sleep(600)\n"
        "    os._exit(0)\n"
    )
    record = table.play(against(breeder))
    assert record.forfeit is None
    assert_nothing_is_left(table, record)


def test_a_good_bot_has_its_match_recorded_the_same_in_batches(
    table: Conductor, bot: Callable[..., Path]
) -> None:
    good = bot()
    record = table.play(against(good))
    for seat, report in enumerate(record.bots):
        charged = sum(move.charged_ns for move in record.moves if move.seat == seat)
        assert 0 < charged <= report.charged_ns
        assert charged % 1000 == 0
        assert 0 < report.peak_memory_bytes < 100_000_000
    assert record.isolation["tier"] == "plain"
    assert record.host["cores"] >= 1
    assert record.started.endswith("+00:00")
    # It reads its news only when it is asked.
    batched = table.play(against(bot("", GEN + "time.sleep(0.001)"), delivery="batched"))
    assert [move[:4] for move in batched.moves] == [move[:4] for move in record.moves]
    assert batched.points == record.points


def test_an_ending_that_has_begun_is_waited_for_and_a_closed_pipe_is_not() -> None:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(read, 1)
        os._exit(0)
    meter = Meter(pid)
    assert not meter.exiting
    os.write(write, b"x")
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert meter.exiting
    os.waitpid(pid, 0)
    assert meter.exiting
    os.close(read)
    os.close(write)


def test_a_program_whose_main_thread_has_ended_is_exiting_when_all_its_threads_are() -> None:
    leave = "import ctypes, threading\n"
    leave += "threading.Thread(target=input).start()\n"
    leave += "ctypes.CDLL(None).syscall(ctypes.c_long(EXIT), 0)\n"
    exit_thread = "60 if __import__('os').uname().machine == 'x86_64' else 93"
    command = [sys.executable, "-c", leave.replace("EXIT", exit_thread)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as program:
        assert program.stdin is not None
        while _read_stat(program.pid)[:1] != b"Z":
            time.sleep(0.001)
        meter = Meter(program.pid)
        assert not meter.exiting
        program.stdin.write(b"\n")
        program.stdin.flush()
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        assert meter.exiting


def test_everything_that_a_dying_bot_has_written_is_read(table: Conductor, bot: Callable[..., Path]) -> None:
    last = bot(
        "",
        'if words[0] == "play" and size == 3 and not hand and not table:\n    say("#" + "x" * 200000 + "\\n=\\n\\n"); os._exit(0)',
    )
    record = table.play(against(last))
    assert record.forfeit is None
    assert record.bots[1].exit in (0, None)


def test_a_sleeping_bot_is_charged_what_it_slept(table: Conductor, bot: Callable[..., Path]) -> None:
    sleeper = bot("", GEN + "time.sleep(0.02)")
    # Where the referee is kept from the core meanwhile, it cannot tell when the answer came.
    for _ in range(10):
        record = table.play(against(sleeper))
        slept = [move for move in record.moves if move.seat == 1 and move.request == "gen_move"]
        assert len(slept) == 6
        if sum(move.charged_ns >= 20_000_000 for move in slept) > len(slept) / 2:
            return
    pytest.fail(f"charged {[move.charged_ns for move in slept]}")


def test_a_bot_has_three_descriptors_an_own_session_and_a_small_environment(
    table: Conductor, bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_ORGANISER", "1")
    curious = bot(
        "print(sorted(os.listdir('/proc/self/fd'))[:-1], os.getsid(0) == os.getpid(),"
        " 'SECRET_OF_THE_ORGANISER' in os.environ, os.getcwd(), file=sys.stderr)"
    )
    record = table.play(against(curious))
    seen = record.bots[1].stderr_tail.strip()
    assert seen == f"['0', '1', '2'] True False {curious.parent}"


def assert_nothing_is_left(table: Conductor, record: MatchRecord) -> None:
    """No process descends from the table's launcher."""
    for pid in table._launcher.pids:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        assert children == [], (record.forfeit, os.getpid())
