"""The files that a confined bot may open, enforced by the kernel's Landlock.

A bot may read and run its own folder, the system's folders and the prefix of its interpreter, and write only
to /dev/null and, on a stage, a temporary folder. All else is refused, such as rivals' folders and other
processes' entries in /proc. Newer kernels also refuse TCP, signals to other processes and abstract sockets
here; `seccomp` refuses them on every kernel.
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
MOUNTED = ("/etc", "/dev", "/proc", "/sys")
"""Other folders that on a stage come from the system in memory."""
HIDDEN = ("/usr/local/etc", "/usr/local/src", "/usr/local/var")
"""System folders that no program needs to run, and where an administrator may keep secrets."""
# Files that programs read at start; none is secret.
SETTINGS = (
    "R", "alternatives", "group", "host.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "mono", "nsswitch.conf", "os-release", "passwd", "racket", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
# Files that do not depend on others' activity: no loads, memory in use or numbers of processes.
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
"""The parts of an installation that programs need. Other files in the same folder may be private."""
OF_GO = ("VERSION", "go.env", "pkg", "src")
"""The library of Go's compiler consists of sources."""
MANAGED = "shims"
"""The folder of version managers' scripts, which start the real interpreter as another process."""
ASKS = {"python": ("-c", "import sys; print(sys.executable)"), "node": ("-p", "process.execPath")}


@cache
def version() -> int:
    """Return the kernel's version of Landlock; 0 without Landlock."""
    if not hasattr(os, "pidfd_open"):
        return 0  # on other systems the number is another call
    found = ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    return max(int(found), 0)


def problem() -> str:
    """Return why bots cannot be confined by Landlock and seccomp here; "" if they can."""
    if not version():
        return "this kernel has no Landlock (Linux >= 5.13, lsm=landlock)"
    return "" if seccomp.supported() else f"no seccomp filter for {platform.machine()}"


def handled(abi: int) -> list[int]:
    """Return the rights that are refused without a rule: on files, on TCP ports, and scopes."""
    files = FIRST_RIGHTS
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        files |= right if abi >= since else 0
    return [files, *[TCP] * (abi >= 4), *[SCOPES] * (abi >= 6)]


def enforced() -> dict[str, object]:
    """Return what the tier enforces on this machine, in the words of records."""
    abi = version()
    return {
        "own_session": True,
        "memory": "what it fills",
        "descriptors": "0-2",
        "descendants": "on a stage 64, started before its first reply; none later",
        "files": f"own folder, system and interpreter to read (landlock {abi})",
        "network": "no sockets (seccomp)",
        "signals": "to itself alone (seccomp" + (", landlock)" if abi >= 6 else ")"),
        "writable": f"/dev/null, and on a stage a temporary folder of its own, {SCRATCH_BYTES >> 20} MB",
    }


@cache
def common_rules() -> dict[str, Any]:
    """Return the confinement that is the same for all bots, as JSON values."""
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
    """Return the folders that a player may read, except the system's: these can be copied."""
    return tuple(
        path for path in _real_paths(places) if os.path.isdir(path) and not is_in(path, (*SYSTEM, *MOUNTED))
    )


@lru_cache(maxsize=256)
def _real_paths(places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(os.path.realpath, places)))


def is_in(path: str, places: Iterable[str]) -> bool:
    """True if a path is one of `places`, or is within one."""
    return any(f"{path}/".startswith(f"{place}/") for place in places)


def own_places(player: Player, program: str = "") -> tuple[str, ...]:
    """Return what a bot may read besides the system's files: its own, its interpreter's, the languages'.

    `program` is the program that the command starts, if known.
    """
    program = program or real_program(player)
    own = player.read[0] if player.read else ""
    # A folder lib next to a bot's program does not make it an installation.
    is_word = "/" not in player.command[0]
    found = [*player.read, *_installation_parts(program, Path(program).parent == Path(own), is_word)]
    found += [part for folder in player.read for part in _virtual_environments(folder)]
    for spoken, *read in player.languages:
        found += [*_installation_parts(spoken), *read]
    return tuple(dict.fromkeys(found))


def search_path(languages: Iterable[Sequence[str]]) -> str:
    """Return the PATH of a season's bots: the folders of its languages' programs, then the system's."""
    return ":".join(dict.fromkeys([*(os.path.dirname(program) for program, *_ in languages), SYSTEM_PATH]))  # noqa: PTH120


@lru_cache(maxsize=1)
def system_rules() -> dict[str, int]:
    """Return, by existing path, the rights of every bot beneath it."""
    settings = [f"/etc/{name}" for name in SETTINGS] + [str(path) for path in Path("/etc").glob("java*")]
    rules = dict.fromkeys(_visible(SYSTEM), RUN) | dict.fromkeys([*settings, *KERNEL], READ) | DEVICES
    return {path: rights for path, rights in rules.items() if Path(path).exists()}


def _visible(folders: Iterable[str]) -> Iterator[str]:
    """Yield the folders; instead of a folder with hidden parts, its other folders."""
    for folder in folders:
        if folder in HIDDEN:
            continue
        if not any(hidden.startswith(f"{folder}/") for hidden in HIDDEN):
            yield folder
        elif os.path.isdir(folder) and not os.path.islink(folder):  # noqa: PTH114
            # No links: a target is in the system's folders anyway, or not part of the system.
            inner = (entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
            yield from _visible(sorted(inner))


@lru_cache(maxsize=256)
def _installation_parts(program: str, doubtful: bool = False, is_word: bool = False) -> Sequence[str]:
    """Return the parts of a program's installation outside of the system: ``/opt/python/lib`` and other parts
    of /opt/python for /opt/python/bin/python3.

    For a virtual environment, the base installation is included. Any other folder with a ``bin``, such as a
    home, is no installation: only the program's folder is returned, or with `is_word`, for a link's target in
    PATH, only the file, as its folder may be private. `doubtful`: only an installation of Python counts.
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
        # A home's .local/share has data of all of its user's programs.
        parts = [part for part in PARTS if prefix.name != ".local" or part != "share"]
        parts += OF_GO if (prefix / "src" / "runtime").is_dir() else ()
        found += [str(prefix / part) for part in parts if (prefix / part).exists()]
    open_to_all = tuple(f"{path}/" for path in _visible(SYSTEM))
    return tuple(path for path in found if path != "/" and not f"{path}/".startswith(open_to_all))


def _virtual_environments(folder: str) -> Iterator[str]:
    """Yield the Pythons of the virtual environments in a folder, and the parts of the installations that they
    were made from: a first line or a start script may name them.
    """
    for config in (*Path(folder).glob("pyvenv.cfg"), *Path(folder).glob("*/pyvenv.cfg")):
        python = str(config.parent / "bin" / "python")
        # Of any other target of a link the whole folder would be opened.
        if any(Path(os.path.realpath(python)).parent.parent.glob("lib/python3*/os.py")):
            yield from (python, *_installation_parts(python))


def real_program(player: Player) -> str:
    """Return the program that a command's first word starts, else the word itself.

    A word that is no path is looked up in the player's PATH, if set, else in ours. A version manager's script
    is run to find the real program, if it is in our PATH and not the player's: files that a player can write
    only run confined.
    """
    name = player.command[0]
    path = player.env.get("PATH", os.environ.get("PATH", os.defpath))
    found = str(Path(player.folder, name)) if "/" in name else shutil.which(name, path=path) or name
    if "/" in name or Path(found).parent.name != MANAGED or found != shutil.which(name):
        return found
    real = Path(os.path.realpath(found))
    if not os.path.isabs(found) or any(real.is_relative_to(os.path.realpath(own)) for own in player.read):
        return found
    return _interpreter_of_shim(found)


@lru_cache(maxsize=256)
def _interpreter_of_shim(script: str) -> str:
    """Run a version manager's script of `ASKS`, for at most 10 s, and return its interpreter.

    Return any other script, or a failing one, as it is.
    """
    for kind, question in ASKS.items():
        if Path(script).name.startswith(kind):
            try:
                # In /: some scripts read the version from a file in the working folder.
                answer = subprocess.run(
                    [script, *question], capture_output=True, text=True, check=False, timeout=10, cwd="/"
                )
            except (OSError, subprocess.TimeoutExpired):
                break
            return answer.stdout.strip() or script
    return script
