"""Compile the system-call policy (`syscall_policy`) to a seccomp filter program.

Theory of operation. A filter is a loop-free program on a call's number and the low halves of its arguments
(both machines store them first); it cannot follow pointers. Ours finds the number by bisection, and then
answers or checks the arguments. The process itself fills in numbers that depend on it
(`SeccompFilter.marks`).

Some answers need more than a filter can see: whose thread a number means, the number of threads, the memory
that a bot may see. Those calls, and noted refusals, wait for the supervisor (`forkserver.supervisor`). In
namespaces there is no supervisor: there they are answered at once.

A filter costs some 0.1 µs a call, and nothing where the kernel remembers that a call is always
allowed (Linux >= 5.11).
"""

from __future__ import annotations

import errno
import platform
import signal
import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.sandbox import syscall_policy
from arbiter.sandbox.forkserver import MOST_DESCRIPTORS
from arbiter.sandbox.syscall_numbers import NEWEST, numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, ERRNO, ASK = 0x7FFF_0000, 0x8000_0000, 0x0005_0000, 0x7FC0_0000
LOAD, JUMP, JUMP_EQUAL, JUMP_FROM, JUMP_SET, AND, RETURN = 0x20, 0x05, 0x15, 0x35, 0x45, 0x54, 0x06
NUMBER, ARCH, ARGUMENTS = 0, 4, 16
FARTHEST = 255
"""Instructions that a conditional jump can skip."""
OWN_PID, OWN_CLOCK = 0xFFFF_FFF1, 0xFFFF_FFE1
"""Placeholders for the id of the filtered process, and for the clock of its CPU time."""
MARKS = {OWN_PID: "pid", OWN_CLOCK: "clock"}

# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
NAMESPACES = 0x80 | 0x2_0000 | 0x7E00_0000
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_POPULATE, MAP_HUGETLB = 0x01, 0x20, 0x100, 0x8000, 0x4_0000
AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10
# REUSEADDR, TYPE, ERROR, KEEPALIVE, RCVTIMEO, SNDTIMEO, ACCEPTCONN, PROTOCOL, DOMAIN, and the two times again
# in wider numbers. Not COOKIE, a global counter, nor programs for the kernel.
OPTIONS = (2, 3, 4, 9, 20, 21, 30, 38, 39, 66, 67)
# SNDBUF, RCVBUF: buffers count as no process's memory.
BUFFER_SIZES = (7, 8)
# F_DUPFD, flags (GETFD, SETFD, GETFL, SETFL), F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Not leases, which make others
# wait for a file, nor notices of a folder's changes, nor larger pipes, which a user's processes share.
DESCRIPTOR_CALLS = (0, 1, 2, 3, 4, 1030, 1032)
# F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW: as flock.
LOCKS = (6, 7, 37, 38)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not files' flags and versions, which last from
# match to match, nor input written to a terminal.
DEVICE_CALLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# GET_DUMPABLE, SET_NAME, GET_NAME, GET_SECCOMP, CAPBSET_READ, SET_TIMERSLACK, GET_TIMERSLACK,
# SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS, SET_THP_DISABLE, GET_THP_DISABLE, SET_VMA. Not what outlives the
# launcher or hides from it.
OWN_ATTRIBUTES = (3, 15, 16, 21, 23, 29, 30, 38, 39, 41, 42, 0x53564D41)
# NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, DONTFORK, DOFORK, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK,
# KEEPONFORK. Not PAGEOUT, COLD and COLLAPSE, which move files' pages, nor HUGEPAGE, of which a trace lasts
# until the machine is shut down, nor MERGEABLE, by which equal pages of different bots become one, nor
# POPULATE_READ and POPULATE_WRITE: while many pages are made at once, the supervisor cannot read a question
# of the bot, and others wait.
OWN_MEMORY = (0, 1, 2, 4, 8, 10, 11, 15, 16, 17, 18, 19)
MADV_WILLNEED = 3
# CPU, FSIZE, DATA, STACK, RSS, NOFILE, AS. Not what is compared with a count by user (NPROC, MEMLOCK,
# SIGPENDING, MSGQUEUE), nor CORE: with 0 the kernel still starts a program that core_pattern names.
OWN_LIMITS = (0, 1, 2, 3, 5, 7, 9)
CLOSE_ON_EXEC = 4
# EPOLL_CTL_DEL, EPOLL_CTL_MOD.
WATCH_CHANGES = (2, 3)
# The size that glibc's realpath asks for. It reads many links, and none of a program.
REALPATH_SIZE = 1023
FUTEX_PRIVATE, FUTEX_CLOCK_REALTIME = 0x80, 0x100
FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET = 0, 1, 9, 10
# WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET. Not the priority-inheriting ones:
# they reveal whether the number in the word is a thread's.
PRIVATE_FUTEXES = (0, 1, 3, 4, 5, 9, 10)
# QUERY, PRIVATE_EXPEDITED and PRIVATE_EXPEDITED_SYNC_CORE, each with its registration. Not the global ones,
# which interrupt cores that run others, nor those of rseq, which name a core.
OWN_BARRIERS = (0, 8, 16, 32, 64)
NEGATIVE, OF_A_THREAD, KIND_OF_CLOCK = 0x8000_0000, 0x4, 0x3
CLOCK_OF_0 = 0xFFFF_FFF8

Instruction = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class SeccompFilter:
    """A filter in the kernel's format, 8 bytes an instruction.

    `marks`: byte offsets of 32-bit numbers that the process fills in, each with its meaning: ``pid``, its
    process id, or ``clock``, the clock of its CPU time.
    """

    code: bytes
    marks: tuple[tuple[int, str], ...]


class Check(NamedTuple):
    """Instructions that answer a call by its arguments, and the reason in words."""

    why: str
    test: tuple[Instruction, ...]


def supported() -> bool:
    """True if there is a filter for this machine."""
    return platform.machine() in AUDIT_ARCH


@cache
def program(machine: str = "", in_namespaces: bool = False) -> SeccompFilter:
    """Return the filter for a machine, by default this one; KeyError if unknown.

    `in_namespaces`: for a build, which may start processes in separate namespaces.
    """
    machine = machine or platform.machine()
    made: list[Instruction] = [
        (LOAD, 0, 0, ARCH),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        *_bisection(_answers_by_range(machine, in_namespaces)),
    ]
    marks = [(8 * place + 4, MARKS[value]) for place, (*_, value) in enumerate(made) if value in MARKS]
    return SeccompFilter(b"".join(struct.pack("<HBBI", *instruction) for instruction in made), tuple(marks))


def supervised(machine: str = "") -> dict[str, Any]:
    """Return the supervisor's data: the numbers of calls that depend on arguments, by name; the errors of
    refused calls by number, except EPERM.
    """
    known = numbers(machine or platform.machine())
    return {
        "calls": {name: known[name] for name in checks(in_namespaces=False) if name in known},
        "errors": [
            (known[name], verdict.error)
            for name, (verdict, *_) in syscall_policy.verdicts().items()
            if verdict.noted and verdict.error != errno.EPERM and name in known
        ],
    }


def _answers_by_range(machine: str, in_namespaces: bool) -> list[tuple[int, tuple[Instruction, ...]]]:
    """Return, for each range of call numbers from 0 on, the first number and the instructions."""
    groups, checked = syscall_policy.verdicts(in_namespaces), checks(in_namespaces)
    by_number: dict[int, tuple[Instruction, ...]] = {}
    for name, number in numbers(machine).items():
        verdict = groups.get(name, syscall_policy.OTHERWISE).verdict
        by_number[number] = checked[name].test if name in checked else (_answer(verdict, not in_namespaces),)
    leaves: list[tuple[int, tuple[Instruction, ...]]] = []
    for number in range(NEWEST + 2):
        test = by_number.get(number, (_fail(errno.ENOSYS),))
        if not leaves or leaves[-1][1] != test:
            leaves.append((number, test))
    return leaves


def _bisection(leaves: Sequence[tuple[int, tuple[Instruction, ...]]]) -> list[Instruction]:
    """Return instructions that find those of the loaded call number by bisection."""
    if len(leaves) == 1:
        return list(leaves[0][1])
    middle = len(leaves) // 2
    below, above = _bisection(leaves[:middle]), _bisection(leaves[middle:])
    first = leaves[middle][0]
    if len(below) <= FARTHEST:
        return [(JUMP_FROM, len(below), 0, first), *below, *above]
    return [(JUMP_FROM, 0, 1, first), (JUMP, 0, 0, len(below)), *below, *above]


def checks(in_namespaces: bool) -> Mapping[str, Check]:
    """Return, by name, the calls that are answered by their arguments."""
    clock = Check("clocks of the machine and its own process, not of others", _check_clock())
    waiting = "threads wait for each other; other processes are never woken"
    common = {
        "futex": Check(waiting, _check_futex(not in_namespaces)),
        "fcntl": Check("duplicates and flags; locks without effect; no leases, larger pipes or signals",
                       _one_of_or_pretend(1, DESCRIPTOR_CALLS, LOCKS)),
        "ioctl": Check("questions to terminals and pipes", _one_of(1, DEVICE_CALLS, errno.ENOTTY)),
        "madvise": Check("advice on its own memory; none that moves, merges or enlarges pages",
                         _one_of_or_pretend(2, OWN_MEMORY, (MADV_WILLNEED,), errno.EINVAL)),
        "membarrier": Check("among its own threads; none that interrupts others' cores",
                            _one_of(0, OWN_BARRIERS, errno.EINVAL)),
        "close_range": Check("all but a separate descriptor table", _one_of(2, (0, CLOSE_ON_EXEC))),
        "preadv2": Check("without flags, which reveal the cached parts of a file", _allow_no_flags(5)),
        "pwritev2": Check("without flags", _allow_no_flags(5)),
    }  # fmt: skip
    if in_namespaces:
        # Processes, but no further namespaces.
        test = ((LOAD, 0, 0, _argument(0)), (JUMP_SET, 1, 0, NAMESPACES), *_allow_or_fail())
        network = "only kinds that the private network confines"
        own_networks = _one_of(0, (AF_UNIX, AF_INET, AF_INET6), errno.EAFNOSUPPORT)
        return common | {
            "clone": Check("processes and threads, no further namespaces", test),
            "socket": Check(network, own_networks),
            "socketpair": Check(network, _one_of(0, (AF_UNIX,), errno.EAFNOSUPPORT)),
        }
    limits = "its own, except limits on what is counted by user"
    thread = "only its own threads"
    own = Check("only its own process", _one_of(0, (OWN_PID, 0)))
    signals = "only its own processes"
    processes = "64 in a match, before its first reply, on a stage"
    link = "it opens and inspects files; each process finds its own program as /proc/self/exe"
    asked = ((RETURN, 0, 0, ASK),)
    channel = Check("to itself, 64 in a match: their numbers are counted globally", asked)
    options = "kinds, errors and times; not numbers that are counted globally"
    return common | {
        **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), clock),
        **dict.fromkeys(("sched_getscheduler", "sched_getparam"),
                        Check(thread, _one_of(0, (OWN_PID, 0), None))),
        "sched_getaffinity": Check("only its own threads, which seem to have the first core", asked),
        **dict.fromkeys(("pipe", "pipe2", "socketpair"), channel),
        "getsockopt": Check(options, _one_of(2, OPTIONS, errno.ENOPROTOOPT)),
        "setsockopt": Check(f"{options}; sizes without effect",
                            _one_of_or_pretend(2, OPTIONS, BUFFER_SIZES, errno.ENOPROTOOPT)),
        **dict.fromkeys(("getpgid", "getsid"), own),
        "kill": Check(signals, _one_of(0, (OWN_PID, 0), None)),
        "rt_sigaction": Check("all signals but that of ended children, whose action stays", _check_action()),
        "setrlimit": Check(limits, _one_of(0, OWN_LIMITS, None)),
        "prlimit64": Check(limits, _check_limits()),
        "sendmsg": Check("refused: descriptors under way are counted by user", _check_sendmsg()),
        "clone": Check("threads, up to a limit; processes, as fork", asked),
        **dict.fromkeys(("fork", "vfork"), Check(processes, asked)),
        "mmap": Check("all but memory that is shared, huge, populated at once, or grows as a stack does",
                      _check_mmap()),
        "epoll_ctl": Check("256 files in a match: a timer that fires wakes each watch of it",
                           _one_of(1, WATCH_CHANGES, None)),
        "readlink": Check(link, _one_of(2, (REALPATH_SIZE,), None)),
        "readlinkat": Check(link, _one_of(3, (REALPATH_SIZE,), None)),
        "timerfd_create": Check("16 in a match: the kernel serves them while others compute", asked),
        "timer_create": Check("16 in a match, for a bot with one thread; none by others' clocks, none that "
                              "sends SIGCONT", asked),
        "sched_setscheduler": Check("only its own threads, to the usual scheduler, without effect", asked),
        **dict.fromkeys(("statfs", "fstatfs"), Check("it reports an empty temporary folder", asked)),
        "sysinfo": Check("it reports the bot's limit as the machine's memory", asked),
        "socket": Check("all kinds are refused: a bot may use only its standard streams", _refuse_sockets()),
        "tgkill": Check(signals, _one_of(0, (OWN_PID,), None)),
        "tkill": Check(thread, asked),
        "getpriority": Check("only its own threads, which seem to have a season's priority", asked),
        "prctl": Check("names, and harmless attributes of itself", _one_of(0, OWN_ATTRIBUTES, errno.EINVAL)),
    }  # fmt: skip


def _check_clock() -> tuple[Instruction, ...]:
    """Allow the machine's clocks, which are not negative, and CPU times of threads and of the own process.

    The kernel returns a thread's CPU time only to its own process.
    """
    return (
        (LOAD, 0, 0, _argument(0)),
        (JUMP_SET, 1, 0, NEGATIVE),
        (RETURN, 0, 0, ALLOW),
        (JUMP_SET, 0, 1, OF_A_THREAD),
        (RETURN, 0, 0, ALLOW),
        (AND, 0, 0, 0xFFFF_FFFF & ~KIND_OF_CLOCK),
        (JUMP_EQUAL, 2, 0, CLOCK_OF_0),
        (JUMP_EQUAL, 1, 0, OWN_CLOCK),
        _fail(errno.EINVAL),
        (RETURN, 0, 0, ALLOW),
    )


def _check_futex(asking: bool) -> tuple[Instruction, ...]:
    """Allow private futexes, and shared ones only to wait for a thread's end.

    With a supervisor (`asking`), waits go to it, and waking has no effect; without one, waking is refused.
    """
    waits, wakes = (FUTEX_WAIT, FUTEX_WAIT_BITSET), (FUTEX_WAKE, FUTEX_WAKE_BITSET)
    return (
        (LOAD, 0, 0, _argument(1)),
        (AND, 0, 0, 0xFFFF_FFFF & ~FUTEX_CLOCK_REALTIME),
        (JUMP_SET, 0, len(PRIVATE_FUTEXES) + 2, FUTEX_PRIVATE),
        *_allow_loaded([FUTEX_PRIVATE | value for value in PRIVATE_FUTEXES], _fail(errno.ENOSYS)),
        *((JUMP_EQUAL, 5 - place, 0, value) for place, value in enumerate(waits)),
        *((JUMP_EQUAL, 2 - place, 0, value) for place, value in enumerate(wakes)),
        (RETURN, 0, 0, ASK) if asking else _fail(errno.EPERM),
        _fail(0 if asking else errno.EPERM),
        (RETURN, 0, 0, ASK if asking else ALLOW),
    )


def _refuse_sockets() -> tuple[Instruction, ...]:
    """Refuse all; local ones without a note, since the C library tries them and does without."""
    return (LOAD, 0, 0, _argument(0)), (JUMP_EQUAL, 0, 1, AF_UNIX), _fail(errno.EPERM), (RETURN, 0, 0, ASK)


def _check_mmap() -> tuple[Instruction, ...]:
    """Refuse memory that grows as a stack, is huge, or populated at once, and anonymous shared memory."""
    return (
        (LOAD, 0, 0, _argument(3)),
        (JUMP_SET, 0, 1, MAP_GROWSDOWN | MAP_POPULATE | MAP_HUGETLB),
        _fail(errno.ENOMEM),
        (AND, 0, 0, MAP_SHARED | MAP_ANONYMOUS),
        (JUMP_EQUAL, 1, 0, MAP_SHARED | MAP_ANONYMOUS),
        *_allow_or_fail(errno.ENOMEM),
    )


def _allow_no_flags(argument: int) -> tuple[Instruction, ...]:
    return _one_of(argument, (0,), errno.EOPNOTSUPP)


def _check_limits() -> tuple[Instruction, ...]:
    """Allow reading all limits (the address of the new limit is 0), and setting some."""
    return (
        (LOAD, 0, 0, _argument(0)),
        *((JUMP_EQUAL, 2 - place, 0, value) for place, value in enumerate((OWN_PID, 0))),
        _fail(errno.EPERM),
        (LOAD, 0, 0, _argument(2)),
        (JUMP_EQUAL, 0, 3, 0),
        (LOAD, 0, 0, _argument(2) + 4),
        (JUMP_EQUAL, 0, 1, 0),
        (RETURN, 0, 0, ALLOW),
        *_one_of(1, OWN_LIMITS, None),
    )


def _check_sendmsg() -> tuple[Instruction, ...]:
    """Refuse all but a descriptor that no bot can have, which sends the listener at start."""
    return (
        (LOAD, 0, 0, _argument(0)),
        (JUMP_FROM, 1, 0, MOST_DESCRIPTORS),
        (RETURN, 0, 0, ASK),
        (RETURN, 0, 0, ALLOW),
    )


def _one_of_or_pretend(
    argument: int, values: Sequence[int], pretended: Sequence[int], error: int = errno.EPERM
) -> tuple[Instruction, ...]:
    """As `_one_of`; for the values `pretended` the call succeeds without effect."""
    skipped = (part for value in pretended for part in ((JUMP_EQUAL, 0, 1, value), _fail(0)))
    return ((LOAD, 0, 0, _argument(argument)), *skipped, *_one_of(argument, values, error))


def _check_action() -> tuple[Instruction, ...]:
    """Allow asking for all actions, and setting all but that of SIGCHLD, which seems to be set.

    A handler would interrupt a start of a process that waits for the supervisor, and without waiting for
    children, which may be chosen, their CPU time would be lost.
    """
    return (
        (LOAD, 0, 0, _argument(0)),
        (JUMP_EQUAL, 0, 4, signal.SIGCHLD),
        (LOAD, 0, 0, _argument(1)),
        (JUMP_EQUAL, 0, 3, 0),
        (LOAD, 0, 0, _argument(1) + 4),
        (JUMP_EQUAL, 0, 1, 0),
        (RETURN, 0, 0, ALLOW),
        _fail(0),
    )


def _argument(number: int) -> int:
    """Return the offset of the low half of an argument."""
    return ARGUMENTS + 8 * number


def _answer(verdict: syscall_policy.CallVerdict, asking: bool) -> Instruction:
    if verdict.error is None:
        return (RETURN, 0, 0, ALLOW)
    return (RETURN, 0, 0, ASK) if verdict.noted and asking else _fail(verdict.error)


def _fail(number: int) -> Instruction:
    """Make the call fail, or for 0 return success without effect."""
    return (RETURN, 0, 0, ERRNO | number)


def _allow_or_fail(error: int = errno.EPERM) -> tuple[Instruction, ...]:
    return (RETURN, 0, 0, ALLOW), _fail(error)


def _one_of(argument: int, values: Sequence[int], error: int | None = errno.EPERM) -> tuple[Instruction, ...]:
    """Allow the call for these values of an argument; else an error, or the supervisor if `error` is None."""
    otherwise = (RETURN, 0, 0, ASK) if error is None else _fail(error)
    return (LOAD, 0, 0, _argument(argument)), *_allow_loaded(values, otherwise)


def _allow_loaded(values: Sequence[int], otherwise: Instruction) -> tuple[Instruction, ...]:
    """Allow the call if the loaded number is one of these values."""
    jumps = ((JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values))
    return *jumps, otherwise, (RETURN, 0, 0, ALLOW)
