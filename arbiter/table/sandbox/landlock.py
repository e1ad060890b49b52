"""Which files a confined bot may open, and what of the kernel's Landlock this machine has.

A bot reads and runs its own folder, the system's folders and the prefix of its interpreter, and
writes to nothing but /dev/null. Rights are given to what exists; everything else is refused,
rivals' folders and other processes' entries in /proc among it. Where the kernel has them, TCP,
signals to processes outside and abstract sockets are refused here too (`seccomp` refuses them
on every kernel).
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.table.sandbox import seccomp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.match import Player

CREATE_RULESET = 444
VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
FIRST_RIGHTS = (1 << 13) - 1
"""What version 1 knows: all of the above up to making symbolic links."""
TCP = 0b11
SCOPES = 0b11
"""Abstract Unix sockets, and signals."""
READ, RUN = READ_FILE | READ_DIR, EXECUTE | READ_FILE | READ_DIR

SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin", "/usr")
OF_THE_SYSTEM = tuple(f"{path}/" for path in SYSTEM)
# What programs read of a system before they do anything; nothing here is secret.
SETTINGS = (
    "alternatives", "group", "host.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "mono", "nsswitch.conf", "os-release", "passwd", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
# What does not change with what others do: neither loads nor memory in use, nor how many processes there are.
KERNEL = (
    "/proc/cpuinfo", "/proc/filesystems", "/proc/version",
    "/proc/sys/fs/pipe-max-size", "/proc/sys/kernel/cap_last_cap", "/proc/sys/kernel/ngroups_max",
    "/proc/sys/kernel/osrelease", "/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max",
    "/proc/sys/net/core/somaxconn", "/proc/sys/vm/max_map_count", "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu/online", "/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/present",
    "/sys/devices/system/cpu/cpu0/cache", "/sys/devices/system/cpu/cpu0/topology",
    "/sys/devices/system/node/online", "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
)  # fmt: skip
DEVICES = {
    "/dev/null": READ_FILE | WRITE_FILE,
    "/dev/zero": READ_FILE,
    "/dev/random": READ_FILE,
    "/dev/urandom": READ_FILE,
}
# Not what tells with whom it shares a page of a file (smaps, pagemap), nor mounts, nor the network, nor
# counts of all processes of a user (status, fdinfo), nor which match it is (cgroup).
OWN_ENTRIES = tuple(f"/proc/self/{name}" for name in (
    "auxv", "cmdline", "comm", "environ", "fd", "limits", "maps", "schedstat", "stat", "statm",
))  # fmt: skip
MANAGED = "shims"
"""Version managers put scripts of this folder before the real interpreters; a script needs processes."""
ASKS = {"python": ("-c", "import sys; print(sys.executable)"), "node": ("-p", "process.execPath")}


@cache
def version() -> int:
    """The kernel's version of Landlock; 0 where there is none."""
    found = ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    return max(int(found), 0)


def handled(abi: int) -> list[int]:
    """What is refused unless a rule allows it: rights on files, on TCP ports, and scopes."""
    files = FIRST_RIGHTS
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        files |= right if abi >= since else 0
    return [files, TCP if abi >= 4 else 0, SCOPES if abi >= 6 else 0][: 1 if abi < 4 else 2 if abi < 6 else 3]


def enforced() -> dict[str, object]:
    """What the tier stops on this machine, as records say it."""
    abi = version()
    return {
        "own_session": True,
        "memory": "RLIMIT_DATA",
        "descriptors": "0-2",
        "descendants": "none can be started",
        "files": f"own folder, system and interpreter to read (landlock {abi})",
        "network": "no sockets (seccomp)",
        "signals": "to itself alone (seccomp" + (", landlock)" if abi >= 6 else ")"),
        "writable": "/dev/null",
    }


def confinement(player: Player, env: Mapping[str, str]) -> dict[str, Any]:
    """What the launcher needs to confine a bot beside `ground`, in JSON values; and the command to start.

    `argv` names the real program, since a wrapper script could start none.
    """
    argv = [real_program(player.command[0], player, env.get("PATH", "")), *player.command[1:]]
    return {
        "argv": argv,
        "stage": True,
        "folders": own_folders(player.read),
        # What is a link by the time that it is opened leads elsewhere than it did, and is not followed.
        "confine": [(path, RUN) for path in _resolved(own_places(player, argv[0]))],
    }


@cache
def ground() -> dict[str, Any]:
    """What is the same for every bot that is confined on this machine."""
    filtered = seccomp.program()
    rules = {os.path.realpath(path): rights for path, rights in system_rules().items()}
    return {
        "handled": handled(version()),
        "rules": [*rules.items(), *((path, READ) for path in OWN_ENTRIES)],
        "filter": filtered.code.hex(),
        "marks": filtered.marks,
        **seccomp.supervised(),
    }


@lru_cache(maxsize=256)
def own_folders(places: tuple[str, ...]) -> tuple[str, ...]:
    """Of what a player may read the folders that bots may be given copies of: not the system's."""
    return tuple(
        path for path in _resolved(places) if os.path.isdir(path) and not path.startswith(OF_THE_SYSTEM)
    )


@lru_cache(maxsize=256)
def _resolved(places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.realpath, places)))


def readable(player: Player, program: str) -> dict[str, int]:
    """Paths that exist, and what a bot may do beneath them."""
    return dict(system_rules()) | dict.fromkeys(own_places(player, program), RUN)


def own_places(player: Player, program: str = "") -> tuple[str, ...]:
    """Folders and files that a bot may read beside the system's: what is its own, and its interpreter's.

    `program` is what the first word starts, where that is known already.
    """
    program = program or real_program(player.command[0], player, os.environ.get("PATH", ""))
    own = player.read[0] if player.read else ""
    # Beside a bot's own program a folder that is called lib makes no installation yet.
    return (*player.read, *_prefixes(program, Path(program).parent == Path(own)))


@lru_cache(maxsize=1)
def system_rules() -> dict[str, int]:
    """The same of what every bot may read of the system."""
    rules = dict.fromkeys(_there(SYSTEM), RUN)
    settings = [f"/etc/{name}" for name in SETTINGS] + [str(path) for path in Path("/etc").glob("java*")]
    rules |= dict.fromkeys(_there([*settings, *KERNEL]), READ)
    return rules | {path: DEVICES[path] for path in _there(DEVICES)}


def _there(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if Path(path).exists()]


@lru_cache(maxsize=256)
def _prefixes(program: str, doubtful: bool = False) -> Sequence[str]:
    """Where a program and what belongs to it is installed: ``/opt/python`` of /opt/python/bin/python3.

    A virtual environment and the installation that it was made from are both. A folder that only
    happens to have a ``bin`` in it, such as a home, is none: then it is the program's folder alone.
    `doubtful`: only what is Python's for sure.
    """
    found = []
    for place in dict.fromkeys((Path(program), Path(os.path.realpath(program)))):
        prefix = place.parent.parent
        marks = ("pyvenv.cfg", "lib/python3*/os.py") if doubtful else ("lib", "lib64", "pyvenv.cfg")
        installed = place.parent.name == "bin" and any(any(prefix.glob(mark)) for mark in marks)
        home = prefix == Path.home() or (prefix / ".ssh").exists()
        found.append(str(prefix if installed and not home and prefix != Path("/") else place.parent))
    return tuple(path for path in found if path != "/")


def real_program(name: str, player: Player, path: str) -> str:
    """The program that a command's first word starts, `path` being the bot's PATH; the word itself where
    there is none.

    Asked once, of the program, where a version manager's script of ours stands in between: one that our own
    PATH leads to, and that is not the player's. What a player could write is run nowhere but confined.
    """
    found = str(Path(player.folder, name)) if "/" in name else shutil.which(name, path=path) or name
    if "/" in name or Path(found).parent.name != MANAGED or found != shutil.which(name):
        return found
    real = Path(os.path.realpath(found))
    if not os.path.isabs(found) or any(real.is_relative_to(os.path.realpath(own)) for own in player.read):
        return found
    return _started_by(found)


@lru_cache(maxsize=256)
def _started_by(script: str) -> str:
    """The interpreter that a version manager's script starts; the script where it does not say."""
    for kind, question in ASKS.items():
        if Path(script).name.startswith(kind):
            try:
                # In a folder of nobody: some look for a file there that says which version.
                answer = subprocess.run(
                    [script, *question], capture_output=True, text=True, check=False, timeout=10, cwd="/"
                )
            except (OSError, subprocess.TimeoutExpired):
                break
            return answer.stdout.strip() or script
    return script
