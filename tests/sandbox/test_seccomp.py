"""The filter of system calls, interpreted here for both machines: what it answers to which call."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from pathlib import Path

import pytest

from arbiter.sandbox import seccomp, syscall_policy
from arbiter.sandbox.explained import explain, markdown_tables
from arbiter.sandbox.forkserver import MOST_DESCRIPTORS
from arbiter.sandbox.syscall_numbers import NEWEST, call_name, numbers

MACHINES = list(seccomp.AUDIT_ARCH)
PID = 4711
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "isolation.md"
BEGIN, END = "<!-- what calls tell -->", "<!-- end -->"


def answer(
    machine: str,
    name_or_number: str | int,
    *arguments: int,
    arch: int | None = None,
    in_namespaces: bool = False,
) -> str:
    """What the kernel would do with a call: "allow", "kill", "ask", "pretend", or the name of an error."""
    made = seccomp.program(machine, in_namespaces)
    code = bytearray(made.code)
    for place, what in made.marks:
        code[place : place + 4] = struct.pack("<I", {"pid": PID, "clock": clock_of(PID)}[what])
    number = name_or_number if isinstance(name_or_number, int) else numbers(machine)[name_or_number]
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<iIQ6Q", number, arch or seccomp.AUDIT_ARCH[machine], 0, *padded)
    value, place = 0, 0
    while True:
        operation, yes, no, constant = struct.unpack_from("<HBBI", code, 8 * place)
        place += 1
        if operation == seccomp.LOAD:
            (value,) = struct.unpack_from("<I", data, constant)
        elif operation == seccomp.AND:
            value &= constant
        elif operation == seccomp.RETURN:
            if constant in (seccomp.ALLOW, seccomp.KILL):
                return "allow" if constant == seccomp.ALLOW else "kill"
            if constant == seccomp.ASK:
                return "ask"
            return errno.errorcode[constant & 0xFFFF] if constant & 0xFFFF else "pretend"
        elif operation == seccomp.JUMP:
            place += constant
        else:
            holds = {
                seccomp.JUMP_EQUAL: value == constant,
                seccomp.JUMP_FROM: value >= constant,
                seccomp.JUMP_SET: bool(value & constant),
            }[operation]
            place += yes if holds else no


def clock_of(pid: int, kind: int = 0) -> int:
    """The number of the clock of a process's CPU time, as a program passes it."""
    return (~pid << 3 | kind) & 0xFFFF_FFFF


def in_words(verdict: syscall_policy.CallVerdict, in_namespaces: bool) -> str:
    if verdict.error is None:
        return "allow"
    if verdict.error == 0:
        return "pretend"
    return "ask" if verdict.noted and not in_namespaces else errno.errorcode[verdict.error]


@pytest.mark.parametrize("in_namespaces", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_is_answered_as_the_policy_says(machine: str, in_namespaces: bool) -> None:
    groups, checked = syscall_policy.verdicts(in_namespaces), seccomp.checks(in_namespaces)
    for name, number in numbers(machine).items():
        if name not in checked:
            verdict = groups.get(name, syscall_policy.OTHERWISE).verdict
            found = answer(machine, number, in_namespaces=in_namespaces)
            assert (name, found) == (name, in_words(verdict, in_namespaces))


@pytest.mark.parametrize("machine", MACHINES)
def test_a_number_without_a_name_and_a_later_call_do_not_exist(machine: str) -> None:
    named = set(numbers(machine).values())
    for number in {*range(NEWEST + 1)} - named | {NEWEST + 1, 1000, 0x4000_0000, 0x4000_0039}:
        assert answer(machine, number) == "ENOSYS"


def test_no_call_stands_in_two_groups_or_has_a_name_that_is_none() -> None:
    names = [name for group in syscall_policy.CONFINED for name in group.names]
    assert len(names) == len(set(names))
    known = set.union(*(set(numbers(machine)) for machine in MACHINES))
    assert {*names, *seccomp.checks(False), *seccomp.checks(True)} <= known


def test_the_numbers_are_this_machines_own() -> None:
    if platform.machine() not in MACHINES:
        pytest.skip(f"no numbers for {platform.machine()}")
    number = numbers(platform.machine())["getpid"]
    assert call_name(number) == "getpid"
    assert ctypes.CDLL(None).syscall(number) == os.getpid()


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_machine_end_the_program(machine: str) -> None:
    (other,) = set(MACHINES) - {machine}
    assert answer(machine, 0, arch=seccomp.AUDIT_ARCH[other]) == "kill"
    assert answer(machine, 0, arch=0x4000_0003) == "kill"


ASKED: list[tuple[str, tuple[int, ...], str]] = [
    ("clone", (0x3D0F00,), "ask"),  # threads and processes are counted
    ("kill", (PID, 9), "allow"),
    ("kill", (0, 15), "allow"),
    ("kill", (PID + 1, 9), "ask"),
    ("kill", (2**64 - 1, 9), "ask"),
    ("rt_sigaction", (17, 2**40), "pretend"),
    ("rt_sigaction", (17, 0), "allow"),
    ("rt_sigaction", (15, 2**40), "allow"),
    ("tgkill", (PID, 5, 6), "allow"),
    ("tgkill", (1, 1, 9), "ask"),
    ("rt_sigqueueinfo", (PID, 9), "ask"),
    ("prlimit64", (0, 7), "allow"),
    ("prlimit64", (1, 7), "EPERM"),
    ("prlimit64", (PID, 11), "allow"),
    ("prlimit64", (0, 7, 0x7FFF_1234_5678), "allow"),
    ("prlimit64", (0, 11, 0x7FFF_1234_5678), "ask"),
    ("prlimit64", (0, 11, 0x7FFF << 32), "ask"),  # an address whose low half is 0
    ("prlimit64", (1, 7, 0x7FFF_1234_5678), "EPERM"),
    ("setrlimit", (3,), "allow"),
    *(("setrlimit", (which,), "ask") for which in (4, 6, 8, 11, 12)),
    ("sendmsg", (3,), "ask"),
    ("sendmsg", (MOST_DESCRIPTORS - 1,), "ask"),
    ("sendmsg", (MOST_DESCRIPTORS,), "allow"),  # no bot has one of this number
    ("prctl", (1, 0), "EINVAL"),
    ("prctl", (15, 0), "allow"),
    ("fcntl", (0, 8, PID), "EPERM"),
    ("fcntl", (0, 10), "EPERM"),
    ("fcntl", (0, 15), "EPERM"),
    ("fcntl", (0, 3), "allow"),
    ("ioctl", (0, 0x5412), "ENOTTY"),
    ("ioctl", (0, 0x8901), "ENOTTY"),
    ("ioctl", (0, 0x40047602), "ENOTTY"),
    ("fcntl", (0, 1024, 1), "EPERM"),
    ("fcntl", (0, 6), "pretend"),
    ("fcntl", (0, 5), "EPERM"),
    ("fcntl", (0, 38), "pretend"),
    ("flock", (0, 1), "pretend"),
    ("fcntl", (0, 1030), "allow"),
    ("ioctl", (0, 0x5401), "allow"),
    ("mmap", (0, 4096, 3, 0x22), "allow"),
    ("mmap", (0, 4096, 3, 0x21), "ENOMEM"),
    ("mmap", (0, 4096, 3, 0x122), "ENOMEM"),
    ("mmap", (0, 4096, 3, 0x01, 3), "allow"),
    ("mmap", (0, 4096, 3, 0x40022), "ENOMEM"),
    ("fcntl", (0, 1031, 1 << 20), "EPERM"),
    ("sysinfo", (0,), "ask"),
    ("sched_getaffinity", (0,), "ask"),
    ("sched_getscheduler", (PID,), "allow"),
    ("sched_getscheduler", (PID + 1,), "ask"),
    ("capget", (0,), "ENOSYS"),
    ("getcpu", (0,), "ENOSYS"),
    ("rseq", (0,), "ENOSYS"),
    *(("membarrier", (command,), "allow") for command in (0, 8, 16, 32, 64)),
    *(("membarrier", (command,), "EINVAL") for command in (1, 2, 4, 128, 256, 512)),
    ("getpriority", (0, 0), "ask"),
    ("clock_gettime", (1,), "allow"),
    ("clock_gettime", (clock_of(0, 2),), "allow"),
    ("clock_gettime", (clock_of(PID, 2),), "allow"),
    ("clock_gettime", (clock_of(PID + 1, 2),), "EINVAL"),
    ("clock_gettime", (clock_of(1, 0),), "EINVAL"),
    ("clock_gettime", (clock_of(PID + 1, 6),), "allow"),  # a thread: the kernel tells its own alone
    ("clock_nanosleep", (clock_of(PID + 1, 2),), "EINVAL"),
    ("futex", (0, 0x80), "allow"),
    ("futex", (0, 0x81), "allow"),
    ("futex", (0, 0x189), "allow"),
    *(("futex", (0, 0x80 | operation), "allow") for operation in (3, 4, 5, 10)),
    # Priority-inheriting ones look up the thread that a word names.
    *(("futex", (0, 0x80 | operation), "ENOSYS") for operation in (2, 6, 7, 8, 11, 12, 13, 14)),
    *(("futex", (0, operation), "ask") for operation in (6, 8, 13)),
    ("futex", (0, 0), "ask"),
    ("futex", (0, 0x109), "ask"),
    ("futex", (0, 1), "pretend"),
    ("futex", (0, 10), "pretend"),
    ("futex", (0, 5), "ask"),
    ("madvise", (0, 4096, 4), "allow"),
    ("madvise", (0, 4096, 3), "pretend"),
    ("madvise", (0, 4096, 12), "EINVAL"),
    ("madvise", (0, 4096, 14), "EINVAL"),
    ("madvise", (0, 4096, 15), "allow"),
    ("madvise", (0, 4096, 21), "EINVAL"),
    ("madvise", (0, 4096, 22), "EINVAL"),
    ("madvise", (0, 4096, 25), "EINVAL"),
    ("preadv2", (0, 0, 1, 0, 0, 0), "allow"),
    ("preadv2", (0, 0, 1, 0, 0, 8), "ENOTSUP"),
    ("socket", (1, 1), "EPERM"),
    ("socket", (2, 1), "ask"),
    ("socketpair", (1, 1), "ask"),
    # It waits for a socket with the pipe locked, so a reader of that pipe waits, too.
    ("sendfile", (1, 3, 0, 1), "EINVAL"),
    ("pipe2", (0, 0), "ask"),
    ("timerfd_create", (0, 0), "ask"),
    ("timer_create", (0, 0), "ask"),
    ("timer_settime", (0, 0), "allow"),
    ("sched_setscheduler", (0, 0), "ask"),
    ("statfs", (0, 0), "ask"),
    ("memfd_create", (0, 0), "ask"),  # refused, and noted
    ("symlinkat", (0, 0, 0), "ask"),
    ("epoll_create1", (0,), "allow"),
    ("mmap", (0, 4096, 3, 0x8022), "ENOMEM"),
    ("getsockopt", (3, 1, 4), "allow"),
    ("getsockopt", (3, 1, 57), "ENOPROTOOPT"),
    *(
        (call, (3, 1, size), found)
        for size in (7, 8)
        for call, found in (("setsockopt", "pretend"), ("getsockopt", "ENOPROTOOPT"))
    ),
    ("setsockopt", (3, 1, 26), "ENOPROTOOPT"),
    ("close_range", (3, 9, 4), "allow"),
    ("close_range", (3, 9, 2), "EPERM"),
]


@pytest.mark.parametrize("machine", MACHINES)
def test_some_calls_depend_on_what_they_are_asked_for(machine: str) -> None:
    found = [(call, arguments, answer(machine, call, *arguments)) for call, arguments, _ in ASKED]
    assert found == ASKED


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("getpid", ("allowed: its own process and threads; about others it reveals without a process"
         " namespace, how many threads others have started")),
        ("mincore", ("refused with ENOSYS: it reveals cached parts of a file, which persist from match to match;"
         " the record's notes name the first one")),
        ("flock", "without effect: locks are a covert channel; programs that take them continue"),
        ("clock_gettime", ("depends on its arguments: clocks of the machine and its own process, not of"
         " others; about others it reveals when others have the core, as with any clock")),
        ("vmsplice", ("refused with EPERM: no bot needs it, so it is not on the list of allowed calls; the"
         " record's notes name the first one")),
    ],
)  # fmt: skip
def test_whether_a_call_is_allowed_and_why_is_told(call: str, expected: str) -> None:
    assert explain(call) == expected


def test_what_is_no_call_cannot_be_explained() -> None:
    with pytest.raises(KeyError):
        explain("open_sesame")


def test_the_page_has_what_each_allowed_call_tells_of_others(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(f"{BEGIN}\n")
    after = rest.partition(END)[2]
    made = f"{before}{BEGIN}\n\n{markdown_tables()}\n\n{END}{after}"
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(made, encoding="utf-8")
        text = made
    assert text == made, "run pytest --rewrite-golden"


def test_what_calls_tell_and_reach_is_said_of_known_calls() -> None:
    known = set.union(*(set(numbers(machine)) for machine in MACHINES))
    reaching = {call for calls, *_ in syscall_policy.REACHES_CORES for call in calls.split()}
    assert {*syscall_policy.REVEALS, *reaching} <= known
