"""The system calls that a confined bot may not make, as a filter program for the kernel.

Theory of operation. Landlock keeps a bot from files, other domains' processes and abstract sockets.
What it does not see is closed here: processes (threads are allowed), sockets of every kind, signals
to others, priorities and cores, shared memory and queues between processes, changes to files' modes
and times, and everything that is the administrator's. The filter is a list of refusals; calls
newer than it knows do not exist for a bot, so that no new way round appears with a new kernel.
Where a number depends on the process itself, the process puts it in (`Program.marks`).

A filter costs some 0.1 µs a call, and nothing where the kernel remembers that a call is always
allowed (Linux >= 5.11).
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Machine = Literal["x86_64", "aarch64"]

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEWEST = 450
"""The last call that the lists below were made for (Linux 6.6)."""

ALLOW, KILL, ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
LOAD, JUMP_EQUAL, JUMP_GREATER, JUMP_SET, AND, RETURN = (
    0x20, 0x15, 0x25, 0x45, 0x54, 0x06,
)  # fmt: skip
NUMBER, ARCH, ARGUMENTS = 0, 4, 16
OWN_PID = 0xFFFF_FFF1
"""Stands for the number of the process that the filter is for."""

CLONE_THREAD = 0x1_0000
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN = 0x01, 0x20, 0x100
AF_UNIX = 1
PR_SET_PDEATHSIG = 1
# What programs need of a descriptor: F_DUPFD, flags (GETFD, SETFD, GETFL, SETFL), F_DUPFD_CLOEXEC, a pipe's
# size. Not leases, with which the rest of the machine can be made to wait for a file, nor the question who
# has a lock, nor signals from descriptors.
DESCRIPTOR_CALLS = (0, 1, 2, 3, 4, 1030, 1031, 1032)
# F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW.
LOCKS = (6, 7, 37, 38)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. Not files' flags and versions, in which something
# can be kept from match to match, nor words put into a terminal's input.
DEVICE_CALLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
NAMESPACES = 0x80 | 0x2_0000 | 0x7E00_0000

# Name of the call: its number on x86_64 and on aarch64, None where it has none.
Numbers = dict[str, tuple["int | None", "int | None"]]
PROCESSES: Numbers = {
    "fork": (57, None), "vfork": (58, None), "setsid": (112, 157), "setpgid": (109, 154),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272),
    "tkill": (200, 130), "move_pages": (279, 239), "migrate_pages": (256, 238),
}  # fmt: skip
CORES: Numbers = {
    "setpriority": (141, 140), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "ioprio_set": (251, 30),
}  # fmt: skip
SHARED: Numbers = {
    "socket": (41, 198),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182),
    "mq_timedreceive": (243, 183), "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
}  # fmt: skip
FILES: Numbers = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "utime": (132, None), "utimes": (235, None), "utimensat": (280, 88),
    "futimesat": (261, None), "truncate": (76, 45), "sync": (162, 81), "syncfs": (306, 267),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
}  # fmt: skip
SYSTEM: Numbers = {
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setresuid": (117, 147), "setresgid": (119, 149), "setgroups": (116, 159), "setfsuid": (122, 151),
    "setfsgid": (123, 152), "capset": (126, 91), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "move_mount": (429, 429), "open_tree": (428, 428), "mount_setattr": (442, 442), "swapon": (167, 224),
    "swapoff": (168, 225), "reboot": (169, 142), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "clock_adjtime": (305, 266), "adjtimex": (159, 171),
    "sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, None), "ioperm": (173, None),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "personality": (135, 92),
    "vhangup": (153, 58), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
}  # fmt: skip
# Programs take these for an older kernel's answer, and do without.
ABSENT: Numbers = {
    "clone3": (435, 435), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "memfd_create": (319, 279), "memfd_secret": (447, 447),
}  # fmt: skip
# Locks are granted and not made: programs that lock out others of their kind go on, and a lock on a file of
# the system tells nobody anything.
PRETENDED: Numbers = {"flock": (73, 32)}
CHECKED: Numbers = {
    "clone": (56, 220), "mmap": (9, 222), "socketpair": (53, 199), "kill": (62, 129), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "prlimit64": (302, 261),
    "prctl": (157, 167), "fcntl": (72, 25), "ioctl": (16, 29),
}  # fmt: skip
REFUSED = PROCESSES | CORES | SHARED | FILES | SYSTEM
# Where namespaces and mounts confine a bot that may start processes: what these do not reach.
REFUSED_IN_NAMESPACES = CORES | SYSTEM
ABSENT_IN_NAMESPACES = {name: pair for name, pair in ABSENT.items() if not name.startswith("memfd")}

Instruction = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Program:
    """A filter as the kernel takes it, 8 bytes an instruction; `marks` are the byte offsets of 32-bit
    numbers in which the process writes its own id.
    """

    code: bytes
    marks: tuple[int, ...]


def supported() -> bool:
    """Whether there is a filter for this machine."""
    return platform.machine() in AUDIT_ARCH


@cache
def program(machine: str = "", in_namespaces: bool = False) -> Program:
    """The filter for a machine, this one by default; KeyError for one that is not known.

    `in_namespaces`: for a bot that has namespaces of its own, and may start processes in them.
    """
    machine = machine or platform.machine()
    refused, absent = (REFUSED_IN_NAMESPACES, ABSENT_IN_NAMESPACES) if in_namespaces else (REFUSED, ABSENT)
    column = list(AUDIT_ARCH).index(machine)
    made: list[Instruction] = [
        (LOAD, 0, 0, ARCH),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (JUMP_GREATER, 0, 1, NEWEST),
        (RETURN, 0, 0, ERRNO | errno.ENOSYS),
    ]
    for name, test in (_tests_in_namespaces() if in_namespaces else _tests()).items():
        number = CHECKED[name][column]
        if number is not None:
            made += [(JUMP_EQUAL, 0, len(test), number), *test]
    for numbers, error in ((refused, errno.EPERM), (absent, errno.ENOSYS), (PRETENDED, 0)):
        for pair in numbers.values():
            if (number := pair[column]) is not None:
                made += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | error)]
    made.append((RETURN, 0, 0, ALLOW))
    return Program(
        code=b"".join(struct.pack("<HBBI", *instruction) for instruction in made),
        marks=tuple(8 * place + 4 for place, (*_, value) in enumerate(made) if value == OWN_PID),
    )


def _tests() -> dict[str, list[Instruction]]:
    """For each call that depends on its arguments, instructions that all end in an answer."""
    own = _one_of(0, [OWN_PID, 0])
    return {
        # A thread, not a process.
        "clone": [(LOAD, 0, 0, _argument(0)), (JUMP_SET, 0, 1, CLONE_THREAD), *_answers()],
        # Memory that is shared, or grows as a stack does, counts against no limit of the process.
        "mmap": [
            (LOAD, 0, 0, _argument(3)),
            (JUMP_SET, 0, 1, MAP_GROWSDOWN),
            (RETURN, 0, 0, ERRNO | errno.ENOMEM),
            (AND, 0, 0, MAP_SHARED | MAP_ANONYMOUS),
            (JUMP_EQUAL, 1, 0, MAP_SHARED | MAP_ANONYMOUS),
            *_answers(errno.ENOMEM),
        ],
        "socketpair": _one_of(0, [AF_UNIX]),
        "kill": own,
        "tgkill": _one_of(0, [OWN_PID]),
        "rt_sigqueueinfo": _one_of(0, [OWN_PID]),
        "rt_tgsigqueueinfo": _one_of(0, [OWN_PID]),
        "prlimit64": own,
        "prctl": _none_of(0, [PR_SET_PDEATHSIG]),
        "fcntl": _descriptor_calls(),
        "ioctl": _one_of(1, DEVICE_CALLS, errno.ENOTTY),
    }


def _tests_in_namespaces() -> dict[str, list[Instruction]]:
    """The same for a bot with namespaces of its own."""
    return {
        # Processes, but no further namespaces.
        "clone": [(LOAD, 0, 0, _argument(0)), (JUMP_SET, 1, 0, NAMESPACES), *_answers()],
        "fcntl": _descriptor_calls(),
        "ioctl": _one_of(1, DEVICE_CALLS, errno.ENOTTY),
    }


def _descriptor_calls() -> list[Instruction]:
    pretended = [part for lock in LOCKS for part in ((JUMP_EQUAL, 0, 1, lock), (RETURN, 0, 0, ERRNO))]
    return [(LOAD, 0, 0, _argument(1)), *pretended, *_one_of(1, DESCRIPTOR_CALLS)]


def _argument(number: int) -> int:
    """Where the low half of an argument stands (both machines store it first)."""
    return ARGUMENTS + 8 * number


def _answers(error: int = errno.EPERM) -> list[Instruction]:
    return [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ERRNO | error)]


def _one_of(argument: int, values: Sequence[int], error: int = errno.EPERM) -> list[Instruction]:
    """Allowed if the argument is one of these."""
    jumps = [(JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [(LOAD, 0, 0, _argument(argument)), *jumps, *reversed(_answers(error))]


def _none_of(argument: int, values: Sequence[int]) -> list[Instruction]:
    """Allowed unless the argument is one of these."""
    jumps = [(JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [(LOAD, 0, 0, _argument(argument)), *jumps, *_answers()]
