"""From the fork to the bot's program: set limits, descriptors and rights, then execute it."""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import socket
import stat
import struct
from typing import Any, NoReturn

from arbiter.sandbox.forkserver import MOST_DESCRIPTORS, OURS, SCRATCH_BYTES, users
from arbiter.sandbox.forkserver.kernel import (
    CAP_DAC_OVERRIDE,
    CAP_DAC_READ_SEARCH,
    NEW_LISTENER,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    call,
    drop_capabilities,
    filter_calls,
    prctl,
)
from arbiter.sandbox.forkserver.root import enter_root

ADDRESSES, BURST_BYTES = 1 << 40, 5 << 29
"""The size of a bot's address space, as runtimes reserve much more than they fill; and, without a control
group, what it may make writable beyond its limit, which it could fill between two checks.
"""
STACK = 64 << 20
LOCKED = 1 << 20
"""Bytes: locking pages populates them, which blocks the supervisor's reads of the bot's memory."""
HIGH = 64
"""A number above the descriptors that a bot gets."""
PENDING_SIGNALS = 256
"""Few enough for all bots of a machine together, if the kernel counts them by user."""
TASKS = 256
"""Processes and threads of a bot's user."""
LONGEST_REASON = 1000
"""Bytes, which fit into a pipe."""
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_RULE_PATH_BENEATH = 1
FILE_RIGHTS = 0b1100_0000_0000_0111
"""Rights that apply to files: execute, write, read, truncate, control a device."""


def become_bot(
    bot: dict[str, Any],
    ends: tuple[int, int, int, int],
    supervisor: socket.socket,
    failure: int,
    groups: list[str],
    ground: dict[str, Any],
    root: dict[str, Any] | None,
    user: int | None,
    line: int | None,
) -> NoReturn:
    """In the child: new session, limits, only descriptors 0-2 (0-4 for a wrapper), then execute the program.

    `bot` is as returned by `conduct.start_request`, `ends` its stdin, stdout, stderr and a wrapper's report,
    `groups` its control groups, `ground` the confinement that is the same for all bots, `root` the content
    of a private root, `user` the namespace of a separate user, `line` a socket that becomes its descriptor
    3. An error before the execution is written to the descriptor `failure`, which the program does not get.
    """
    prefix = OURS
    try:
        for group in groups:
            with open(f"{group}/cgroup.procs", "w") as file:
                file.write("0")
        os.setsid()
        kept = list(ends if bot["wrapped"] else ends[:3])
        if line is not None:
            kept.append(fcntl.fcntl(line, fcntl.F_DUPFD, HIGH))
        if filtered := bytes.fromhex(bot.get("filter", "")):
            # It fits into a pipe.
            reading, writing = os.pipe()
            os.write(writing, filtered)
            kept.append(fcntl.fcntl(reading, fcntl.F_DUPFD, HIGH))
        failure = fcntl.fcntl(failure, fcntl.F_DUPFD_CLOEXEC, HIGH + len(kept))
        if user is not None:
            user = fcntl.fcntl(user, fcntl.F_DUPFD_CLOEXEC, failure + 1)
        listener = fcntl.fcntl(supervisor.fileno(), fcntl.F_DUPFD_CLOEXEC, MOST_DESCRIPTORS)
        keep_descriptors(kept, [failure, *([] if user is None else [user]), listener])
        # Ignored signals would stay ignored in the program.
        for number in set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.umask(0o022)
        if root is not None:
            enter_root(root)
        prefix = ""
        os.chdir(bot["folder"])
        prefix = OURS
        if bot["wrapped"]:  # a build, whose memory is not checked
            lower_limit(resource.RLIMIT_DATA, bot["memory_bytes"])
        elif not groups:
            lower_limit(resource.RLIMIT_DATA, bot["memory_bytes"] + BURST_BYTES)
        lower_limit(resource.RLIMIT_AS, max(ADDRESSES, 2 * bot["memory_bytes"]))
        # Not 0, with which the kernel still starts a program that core_pattern names.
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
        # Neither counts as data.
        lower_limit(resource.RLIMIT_STACK, STACK)
        lower_limit(resource.RLIMIT_SIGPENDING, PENDING_SIGNALS)
        lower_limit(resource.RLIMIT_MEMLOCK, LOCKED)
        kept_power = 0
        if os.geteuid() == 0:
            # To read other users' files, which are all files for a separate user, including programs.
            kept_power = 1 << (CAP_DAC_READ_SEARCH if user is None else CAP_DAC_OVERRIDE)
        if user is not None:
            users.become_user(user)
        # Only now: a change of the user resets it.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if bot["confine"] is not None:
            # A sparse file takes no room, but a long time to read, which no signal interrupts.
            lower_limit(resource.RLIMIT_FSIZE, 2 * SCRATCH_BYTES)
            drop_capabilities(kept=kept_power)
            if user is not None:
                lower_limit(resource.RLIMIT_NPROC, TASKS)
            # A bot's orphans stay its descendants, whose time and memory count as the bot's.
            prctl(PR_SET_CHILD_SUBREAPER, 1)
            own = [*bot["confine"], *([[root["scratch"], root["rights"]]] if root is not None else ())]
            confine(own, **ground, listener=listener)
        # Last, since `confine` uses a higher descriptor.
        lower_limit(resource.RLIMIT_NOFILE, MOST_DESCRIPTORS)
        if bot.get("held"):
            wait_for_input()
        prefix = ""
        os.execvpe(bot["argv"][0], bot["argv"], bot["env"])
    except BaseException as error:
        os.write(failure, (prefix + reason(error, bot["program"])).encode(errors="replace")[:LONGEST_REASON])
        os.write(2, f"arbiter: cannot start {bot['program']}: {error}\n".encode())
    finally:
        # After a failure, this process must not continue as a second forkserver.
        os._exit(127)


def keep_descriptors(own: list[int], others: list[int]) -> None:
    """Renumber the descriptors `own` from 0 on; keep the sorted, higher `others`; close the rest."""
    for target, number in enumerate(own):
        os.dup2(number, target)
    first = len(own)
    for other in others:
        os.closerange(first, other)
        first = other + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def wait_for_input() -> None:
    """Wait until standard input is readable; end this process if it is closed."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    if not poll.poll()[0][1] & select.POLLIN:
        os._exit(0)


def reason(error: BaseException, program: str) -> str:
    """Return why a program could not be executed, with the file if it is another one."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    file = getattr(error, "filename", None)
    return f"{file}: {said}" if file and file != program else said


def lower_limit(resource_number: int, limit: int) -> None:
    """Lower the soft and hard limit of a resource to `limit`."""
    soft, hard = (
        limit if old == resource.RLIM_INFINITY else min(old, limit)
        for old in resource.getrlimit(resource_number)
    )
    resource.setrlimit(resource_number, (soft, hard))


def confine(
    own: list[list[Any]],
    handled: list[int],
    rules: list[list[Any]],
    filter: str,
    marks: list[list[Any]],
    listener: int,
) -> None:
    """Drop all rights except those of `rules`, and all calls except those that `filter` allows.

    `handled` are the rights that need a rule (files, TCP, scopes), `own` and `rules` pairs of a path and the
    rights beneath it, `filter` a seccomp program in hex, `marks` the places of this process's numbers in it.
    Its listener is sent on the socket `listener`. OSError if the kernel refuses.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    ruleset = call(LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    for path, rights in (*own, *rules):
        try:
            # Links are not followed: the path was resolved when it was checked.
            place = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:  # missing: nothing to allow
            continue
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= FILE_RIGHTS
        beneath = struct.pack("=Qi", rights & handled[0], place)
        call(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, beneath, 0)
        os.close(place)
    call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    numbers = {"pid": os.getpid(), "clock": ~os.getpid() << 3 & 0xFFFF_FFFF}
    code = bytearray.fromhex(filter)
    for place, what in marks:
        code[place : place + 4] = struct.pack("=I", numbers[what])
    asked = filter_calls(bytes(code), NEW_LISTENER)
    with socket.socket(fileno=listener) as connection:
        socket.send_fds(connection, [b"."], [asked])
    os.close(asked)
