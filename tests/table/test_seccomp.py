"""The filter of system calls, interpreted here for both machines: what it answers to which call."""

from __future__ import annotations

import errno
import struct

import pytest

from arbiter.table import seccomp

MACHINES = list(seccomp.AUDIT_ARCH)
PID = 4711


def answer(machine: str, name_or_number: str | int, *arguments: int, arch: int | None = None) -> str:
    """What the kernel would do with a call: "allow", "kill", or the name of an error."""
    made = seccomp.program(machine)
    code = bytearray(made.code)
    for place in made.marks:
        code[place : place + 4] = struct.pack("<I", PID)
    number = name_or_number if isinstance(name_or_number, int) else number_of(name_or_number, machine)
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
            return errno.errorcode[constant & 0xFFFF] if constant & 0xFFFF else "pretend"
        else:
            holds = {
                seccomp.JUMP_EQUAL: value == constant,
                seccomp.JUMP_GREATER: value > constant,
                seccomp.JUMP_SET: bool(value & constant),
            }[operation]
            place += yes if holds else no


def number_of(name: str, machine: str) -> int:
    lists = seccomp.REFUSED | seccomp.ABSENT | seccomp.CHECKED | seccomp.PRETENDED
    number = lists[name][MACHINES.index(machine)]
    assert number is not None
    return number


@pytest.mark.parametrize("machine", MACHINES)
def test_refused_calls_are_refused_and_absent_ones_absent(machine: str) -> None:
    column = MACHINES.index(machine)
    for lists, error in ((seccomp.REFUSED, "EPERM"), (seccomp.ABSENT, "ENOSYS")):
        for name, numbers in lists.items():
            if numbers[column] is not None:
                assert (name, answer(machine, name)) == (name, error)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_other_call_is_allowed_and_later_ones_do_not_exist(machine: str) -> None:
    column = MACHINES.index(machine)
    named = {
        numbers[column]
        for numbers in (seccomp.REFUSED | seccomp.ABSENT | seccomp.CHECKED | seccomp.PRETENDED).values()
    }
    for number in range(seccomp.NEWEST + 1):
        if number not in named:
            assert answer(machine, number) == "allow"
    for number in (seccomp.NEWEST + 1, 1000, 0x4000_0000, 0x4000_0039):
        assert answer(machine, number) == "ENOSYS"


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_machine_end_the_program(machine: str) -> None:
    (other,) = set(MACHINES) - {machine}
    assert answer(machine, 0, arch=seccomp.AUDIT_ARCH[other]) == "kill"
    assert answer(machine, 0, arch=0x4000_0003) == "kill"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ("clone", (0x3D0F00,), "allow"),  # what a thread is made with
        ("clone", (0x1200011,), "EPERM"),  # what fork makes
        ("clone", (0x4111,), "EPERM"),  # vfork, posix_spawn
        ("kill", (PID, 9), "allow"),
        ("kill", (0, 15), "allow"),
        ("kill", (PID + 1, 9), "EPERM"),
        ("kill", (2**64 - 1, 9), "EPERM"),
        ("tgkill", (PID, 5, 6), "allow"),
        ("tgkill", (1, 1, 9), "EPERM"),
        ("rt_sigqueueinfo", (1, 9), "EPERM"),
        ("prlimit64", (0, 7), "allow"),
        ("prlimit64", (1, 7), "EPERM"),
        ("prctl", (1, 0), "EPERM"),
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
        ("socketpair", (1, 1), "allow"),
        ("socketpair", (2, 1), "EPERM"),
    ],
)
def test_some_calls_depend_on_what_they_are_asked_for(
    machine: str, call: str, arguments: tuple[int, ...], expected: str
) -> None:
    assert answer(machine, call, *arguments) == expected
