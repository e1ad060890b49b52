"""Python as it is on other systems: what Linux alone has is taken away, as far as our own code looks for it.

    hide()      # before anything of ours is imported, after everything of others

What other packages look for stays, since on such a system they take another way.
"""

from __future__ import annotations

import builtins
import ctypes
import importlib
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

OTHERS = """
    asyncio concurrent.futures csv email multiprocessing multiprocessing.connection random selectors shutil
    sqlite3 subprocess tempfile threading uuid
    click gymnasium numpy pandas pettingzoo pyarrow.parquet pydantic rich scipy.optimize scipy.sparse.linalg
    scipy.stats sqlalchemy threadpoolctl yaml
"""
MODULES = "fcntl grp posix pty pwd resource syslog termios tty"
CALLS = {
    os: """
        CLONE_NEWUSER EFD_CLOEXEC EFD_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH P_PID
        P_PIDFD SCHED_BATCH SCHED_IDLE SCHED_OTHER WEXITED WNOHANG WNOWAIT chown chroot confstr copy_file_range
        eventfd eventfd_read eventfd_write fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg
        getpgid getpriority getresgid getresuid getrandom getsid getuid getxattr killpg memfd_create mkfifo mknod
        nice pidfd_open pipe2 posix_spawn posix_spawnp pread preadv pwrite pwritev readv register_at_fork
        sched_getaffinity sched_getscheduler sched_param sched_setaffinity sched_setscheduler sched_yield sendfile
        setgid setgroups setns setpgid setpriority setresgid setresuid setsid setuid setxattr splice statvfs
        sysconf uname unshare wait wait3 wait4 waitid writev
    """,
    select: "EPOLLIN POLLIN epoll poll",
    signal: """
        SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 SIGXCPU SIG_BLOCK alarm
        pthread_kill pthread_sigmask setitimer sigtimedwait sigwait
    """,
    socket: "AF_UNIX CMSG_LEN CMSG_SPACE SCM_RIGHTS recv_fds send_fds",
    time: "CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID clock_gettime clock_gettime_ns pthread_getcpuclockid",
}
OURS = tuple(str(Path(__file__).parents[2] / package) for package in ("arbiter", "rating"))


def hide() -> None:
    """Take it all away from this process, for good."""
    for name in OTHERS.split():
        importlib.import_module(name)
    for name in MODULES.split():
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in CALLS.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    for module, name in ((builtins, "open"), (os, "open"), (os, "listdir"), (os, "stat"), (os, "readlink")):
        setattr(module, name, _without_proc(getattr(module, name)))
    ctypes.CDLL = _NoLibrary  # type: ignore[misc]
    sys.platform = "darwin"


class _NoLibrary(ctypes.CDLL):
    def __init__(self, name: str | None, *more: Any, **keywords: Any) -> None:
        if name is None:
            raise TypeError("the C library is not known by no name")
        super().__init__(name, *more, **keywords)


def _without_proc(look: Any) -> Any:
    def without(path: Any, *more: Any, **keywords: Any) -> Any:
        if str(path).startswith(("/proc", "/sys")) and sys._getframe(1).f_code.co_filename.startswith(OURS):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return look(path, *more, **keywords)

    return without
