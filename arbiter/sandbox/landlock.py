"""The files that a confined bot may open, under the kernel's Landlock.

A bot may read and run its own folder, the system's folders and the prefix of its interpreter, and write to
nothing but /dev/null and, on a stage, a temporary folder. Everything else is refused, such as rivals'
folders and other processes' entries in /proc. Newer kernels also refuse TCP, signals to other processes and
abstract sockets here; `seccomp` refuses them on every kernel.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.sandbox import seccomp
from arbiter.sandbox.forkserver import OWN_ENTRIES, SCRATCH_BYTES
from arbiter.sandbox.program_files import SYSTEM_PATH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.match.spec import Player

CREATE_RULESET = 444
VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
FIRST_RIGHTS = (1 << 13) - 1
"""The rights of version 1, up to making symbolic links."""
TCP = 0b11
SCOPES = 0b11
"""Abstract Unix sockets, and signals."""
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
WRITE = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER
"""Files and folders, but no links, devices, pipes or sockets, and nothing to run."""
READ, RUN = READ_FILE | READ_DIR, EXECUTE | READ_FILE | READ_DIR

SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin", "/usr")
OF_THE_SYSTEM = tuple(f"{path}/" for path in SYSTEM)
HIDDEN = ("/usr/local/etc", "/usr/local/src", "/usr/local/var")
"""Of the system's folders: what no program needs to run, and where an administrator may keep secrets."""
# What programs read at their start; nothing here is secret.
SETTINGS = (
    "alternatives", "group", "host.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "mono", "nsswitch.conf", "os-release", "passwd", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
# Only what does not depend on others' activity: no loads, memory in use or numbers of processes.
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
PARTS = (
    "bin", "conf", "include", "jmods", "jre", "lib", "lib32", "lib64", "lib-python", "lib_pypy", "libexec",
    "pyvenv.cfg", "release", "share", "ssl",
)  # fmt: skip
"""Of an installation: what programs need of it. Whatever else lies in the same folder is somebody's."""
OF_GO = ("VERSION", "go.env", "pkg", "src")
"""Go's compiler has its library as sources."""
MANAGED = "shims"
"""Version managers put scripts of this folder before the real interpreters; a script needs processes."""
ASKS = {"python": ("-c", "import sys; print(sys.executable)"), "node": ("-p", "process.execPath")}


@cache
def version() -> int:
    """The kernel's version of Landlock; 0 where there is none."""
    if not hasattr(os, "pidfd_open"):
        return 0  # elsewhere the number is another call's
    found = ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    return max(int(found), 0)


def problem() -> str:
    """Return why bots cannot be confined by Landlock and seccomp here; "" if they can."""
    if not version():
        return "this kernel has no Landlock (Linux >= 5.13, lsm=landlock)"
    return "" if seccomp.supported() else f"there is no filter for {platform.machine()}"


def handled(abi: int) -> list[int]:
    """Return what is refused unless a rule allows it: rights on files, on TCP ports, and scopes."""
    files = FIRST_RIGHTS
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        files |= right if abi >= since else 0
    return [files, *[TCP] * (abi >= 4), *[SCOPES] * (abi >= 6)]


def enforced() -> dict[str, object]:
    """Return what the tier enforces on this machine, as records say it."""
    abi = version()
    return {
        "own_session": True,
        "memory": "RLIMIT_DATA",
        "descriptors": "0-2",
        "descendants": "none can be started",
        "files": f"own folder, system and interpreter to read (landlock {abi})",
        "network": "no sockets (seccomp)",
        "signals": "to itself alone (seccomp" + (", landlock)" if abi >= 6 else ")"),
        "writable": f"/dev/null, and on a stage a temporary folder of its own, {SCRATCH_BYTES >> 20} MB",
    }


@cache
def ground() -> dict[str, Any]:
    """Return what is the same for all confined bots, as JSON values."""
    filtered = seccomp.program()
    rules = {os.path.realpath(path): rights for path, rights in system_rules().items()}
    return {
        "handled": handled(version()),
        "rules": [*rules.items(), *((f"/proc/self/{name}", READ) for name in OWN_ENTRIES)],
        "filter": filtered.code.hex(),
        "marks": filtered.marks,
        **seccomp.supervised(),
    }


@lru_cache(maxsize=256)
def own_folders(places: tuple[str, ...]) -> tuple[str, ...]:
    """The folders that a player may read and that can be copied: not the system's."""
    return tuple(
        path for path in _resolved(places) if os.path.isdir(path) and not path.startswith(OF_THE_SYSTEM)
    )


@lru_cache(maxsize=256)
def _resolved(places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.realpath, places)))


def own_places(player: Player, program: str = "") -> tuple[str, ...]:
    """Folders and files that a bot may read beside the system's: its own, its interpreter's, the languages'.

    `program` is what the command's first word starts, if that is known.
    """
    program = program or real_program(player)
    own = player.read[0] if player.read else ""
    # A folder called lib beside a bot's own program does not make it an installation.
    is_word = "/" not in player.command[0]
    found = [*player.read, *_installation(program, Path(program).parent == Path(own), is_word)]
    for spoken, *read in player.languages:
        found += [*_installation(spoken), *read]
    return tuple(dict.fromkeys(found))


def path_of(languages: Iterable[Sequence[str]]) -> str:
    """The PATH of all bots of a season: the folders of its languages' programs, then the system's."""
    return ":".join(dict.fromkeys([*(os.path.dirname(program) for program, *_ in languages), SYSTEM_PATH]))  # noqa: PTH120


@lru_cache(maxsize=1)
def system_rules() -> dict[str, int]:
    """By path that exists: the rights of every bot to what is beneath it."""
    settings = [f"/etc/{name}" for name in SETTINGS] + [str(path) for path in Path("/etc").glob("java*")]
    rules = dict.fromkeys(_shown(SYSTEM), RUN) | dict.fromkeys([*settings, *KERNEL], READ) | DEVICES
    return {path: rights for path, rights in rules.items() if Path(path).exists()}


def _shown(folders: Iterable[str]) -> Iterator[str]:
    """The folders; where one holds what is hidden, what else it holds."""
    for folder in folders:
        if folder in HIDDEN:
            continue
        if not any(hidden.startswith(f"{folder}/") for hidden in HIDDEN):
            yield folder
        elif os.path.isdir(folder) and not os.path.islink(folder):  # noqa: PTH114
            # No links: what they lead to is in the system's folders, or is none of it.
            inner = (entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
            yield from _shown(sorted(inner))


@lru_cache(maxsize=256)
def _installation(program: str, doubtful: bool = False, is_word: bool = False) -> Sequence[str]:
    """Return what belongs to a program that is installed, but for the system's: ``/opt/python/lib`` and other
    parts of /opt/python for /opt/python/bin/python3.

    For a virtual environment also the installation that it was made from. A folder that only happens to
    have a ``bin``, such as a home, is no installation: then it is the program's folder alone.
    `doubtful`: only an installation of Python counts; `is_word`: what a link in PATH leads to is opened
    alone if it is no installation, as somebody's script may lie among all that is theirs.
    """
    found: list[str] = []
    for place in dict.fromkeys((Path(program), Path(os.path.realpath(program)))):
        prefix = place.parent.parent
        marks = ("pyvenv.cfg", "lib/python3*/os.py") if doubtful else ("lib", "lib64", "pyvenv.cfg")
        installed = place.parent.name == "bin" and any(any(prefix.glob(mark)) for mark in marks)
        home = prefix == Path.home() or (prefix / ".ssh").exists()
        if not installed or home or prefix == Path("/"):
            linked = is_word and str(place) != program
            found.append(str(place if linked else place.parent))
            continue
        # Beside its own library, a home's .local/share has what all of its user's programs keep.
        parts = [part for part in PARTS if prefix.name != ".local" or part != "share"]
        parts += OF_GO if (prefix / "src" / "runtime").is_dir() else ()
        found += [str(prefix / part) for part in parts if (prefix / part).exists()]
    open_to_all = tuple(f"{path}/" for path in _shown(SYSTEM))
    return tuple(path for path in found if path != "/" and not f"{path}/".startswith(open_to_all))


def real_program(player: Player) -> str:
    """The program that a command's first word starts, else the word itself.

    A word that is no path is looked up in the player's own PATH, if it has one, else in ours. A version
    manager's script is asked which program it starts, if our own PATH leads to it and it is not
    the player's: what a player could write is only ever run confined.
    """
    name = player.command[0]
    path = player.env.get("PATH", os.environ.get("PATH", os.defpath))
    found = str(Path(player.folder, name)) if "/" in name else shutil.which(name, path=path) or name
    if "/" in name or Path(found).parent.name != MANAGED or found != shutil.which(name):
        return found
    real = Path(os.path.realpath(found))
    if not os.path.isabs(found) or any(real.is_relative_to(os.path.realpath(own)) for own in player.read):
        return found
    return _started_by(found)


@lru_cache(maxsize=256)
def _started_by(script: str) -> str:
    """The interpreter that a version manager's script starts; the script if it does not say."""
    for kind, question in ASKS.items():
        if Path(script).name.startswith(kind):
            try:
                # In a folder of nobody's: some scripts look there for a file that names the version.
                answer = subprocess.run(
                    [script, *question], capture_output=True, text=True, check=False, timeout=10, cwd="/"
                )
            except (OSError, subprocess.TimeoutExpired):
                break
            return answer.stdout.strip() or script
    return script
