"""Find the files that an installed program's package brings for it, with those of what it depends on.

They are read from dpkg's own files; on a system without dpkg, rpm is asked once. A folder that only these
packages have is one path: so a view of the system has few mounts, and files that a package's scripts made
there are included.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

DPKG = "/var/lib/dpkg"
RPM = ("/usr/bin/rpm",)
QUERY = "%{NAME} %{SOURCERPM}\\n[P%{PROVIDENAME}\\n][R%{REQUIRENAME}\\n][%{FILENAMES}\\n]\\n"
"""A paragraph for each package: provided and required names after a letter, then its files."""
RPM_SECONDS = 60
PLACES = (b"/usr/lib/", b"/usr/lib64/", b"/usr/share/", b"/lib/")
OF_NO_USE = re.compile(
    rb"/usr/share/(?:applications|bash-completion|binfmts|bug|doc|doc-base|gcc|gdb|icons|info|lintian|locale|man"
    rb"|maven-repo|menu|metainfo|pixmaps)/|/usr/lib(?:64)?/(?:[^/]+-linux-gnu[^/]*/)?(?:\.build-id|binfmt\.d|cmake|debug|gconv|pkgconfig|systemd"
    rb"|valgrind)/|.*\.(?:a|h|la)/"
)
"""Files for people, desktops, compilers and debuggers."""
LIBRARY = re.compile(rb"/usr/lib(?:64)?/(?:[^/]+-linux-gnu[^/]*/)?[^/]+\.so[.\d]*")
"""Shared libraries: the ones that a program loads are found by its file."""
BASE = re.compile(r"^(?:Essential: yes|Priority: (?:required|important))$", re.MULTILINE)
"""Packages of every machine: tools of the system, no parts of an interpreter."""
BASE_OF_RPM = re.compile(
    "(?:basesystem|bash|ca-certificates|coreutils|crypto-policies|filesystem|glibc|ncurses|openssl|setup|systemd"
    r"|tzdata)\b"
)
"""The same for rpm, whose packages have no priority."""
FIELD = re.compile(r"^(Package|Source|Provides|(?:Pre-)?Depends): (.*)$", re.MULTILINE)
NAME = re.compile(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)")
MOST_PACKAGES, MOST_PATHS = 100, 1000


class Package(NamedTuple):
    """An installed package, what it provides besides its name, and the names that it requires.

    `text` has the files and folders of a package of rpm, every path between two line ends.
    """

    name: str
    source: str
    provides: Sequence[str]
    requires: Sequence[str]
    text: bytes = b""


@lru_cache(maxsize=64)
def package_paths(programs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files and folders below `PLACES` of the packages of programs, given by their real paths, and
    of what these depend on; none for programs of no package. It takes 0.1 s of CPU the first time.
    """
    if not programs:
        return ()
    paths = {f"\n{one}\n".encode() for program in programs for one in (program, program.removeprefix("/usr"))}
    try:
        owners = [name for name, text in _lists() if any(path in text for path in paths)]
        chosen, kin = _with_dependencies(owners)
        listed = {name: _listed(text) for name, text in _lists() if name in chosen}
        shared = _shared_folders(
            (text for name, text in _lists() if name not in chosen and name not in kin), listed
        )
    except OSError:
        return ()
    found: dict[bytes, None] = {}
    for name in filter(listed.get, chosen):
        for line in listed[name]:
            if line not in shared and (name in owners or not LIBRARY.fullmatch(line)):
                found.setdefault(_outermost(line, shared))
    return tuple(map(os.fsdecode, islice(found, MOST_PATHS)))


def _lists() -> Iterator[tuple[str, bytes]]:
    """Yield the installed packages, each with its list of files, every path between two line ends."""
    if not os.path.isdir(DPKG):
        yield from ((one.name, one.text) for one in _rpm_packages())
        return
    for entry in os.scandir(f"{DPKG}/info"):
        if entry.name.endswith(".list"):
            with open(entry.path, "rb") as file:
                yield entry.name.removesuffix(".list").partition(":")[0], b"\n" + file.read()


def _with_dependencies(packages: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return packages and what they need, the nearest first, except `BASE`; and those of the same sources."""
    known: dict[str, Package] = {}
    providers: dict[str, list[str]] = {}
    for package in _described():
        known[package.name] = package
        for name in package.provides:
            providers.setdefault(name, []).append(package.name)
    found = [*packages]
    for one in found:
        wanted = known[one].requires if one in known else ()
        named = [name for word in wanted for name in (word, *providers.get(word, ()))]
        found += [name for name in dict.fromkeys(named) if name in known and name not in found]
    own = {known[name].source for name in packages if name in known}
    return found[:MOST_PACKAGES], {name for name, package in known.items() if package.source in own}


def _described() -> Iterator[Package]:
    """Yield the installed packages but `BASE`, those of dpkg without their files."""
    if not os.path.isdir(DPKG):
        yield from (one for one in _rpm_packages() if not BASE_OF_RPM.match(one.name))
        return
    for text in _paragraphs(f"{DPKG}/status"):
        fields = dict(FIELD.findall(text))
        if fields and not BASE.search(text):
            name = fields["Package"]
            requires = NAME.findall(f"{fields.get('Pre-Depends', '')},{fields.get('Depends', '')}")
            provides = NAME.findall(fields.get("Provides", ""))
            yield Package(name, fields.get("Source") or name, provides, requires)


@lru_cache(maxsize=1)
def _rpm_packages() -> tuple[Package, ...]:
    """Return all packages of rpm; OSError if it cannot be run. It takes seconds."""
    # Only a system without dpkg pays for the import.
    import subprocess

    command = [*RPM, "-qa", "--qf", QUERY]
    try:
        asked = subprocess.run(command, capture_output=True, timeout=RPM_SECONDS, check=True, env={})
    except subprocess.SubprocessError as error:
        raise OSError(f"rpm lists no packages: {error}") from None
    found = []
    for paragraph in asked.stdout.split(b"\n\n"):
        head, *lines = paragraph.strip(b"\n").split(b"\n")
        files = [line for line in lines if line.startswith(b"/")]
        # As in a list of dpkg, which has the folders of each file.
        paths = {path for file in files for path in (file, *_folders_of(file))}
        name, _, source = head.decode(errors="replace").partition(" ")
        provides, requires = (
            [os.fsdecode(line[1:]) for line in lines if line[:1] == letter] for letter in (b"P", b"R")
        )
        found.append(Package(name, source, provides, requires, b"\n".join((b"", *sorted(paths), b""))))
    return tuple(found)


def _folders_of(path: bytes) -> Iterator[bytes]:
    """Yield the folders of a file below those of `PLACES`."""
    while (path := path.rpartition(b"/")[0]).count(b"/") > 2:
        yield path


def _paragraphs(file: str) -> Iterator[str]:
    with open(file, errors="replace") as lines:
        for filled, group in groupby(lines, lambda line: line != "\n"):
            if filled:
                yield "".join(group)


def _listed(text: bytes) -> list[bytes]:
    """Return a package's paths below `PLACES`."""
    lines = (line for line in text.split(b"\n") if line.startswith(PLACES))
    return [line for line in map(_merged, lines) if not OF_NO_USE.match(line + b"/")]


def _merged(path: bytes) -> bytes:
    """Return a path as it is on a system whose /lib is a link to /usr/lib."""
    return b"/usr" + path if path.startswith(b"/lib/") else path


def _shared_folders(others: Iterable[bytes], chosen: Mapping[str, Iterable[bytes]]) -> set[bytes]:
    """Return the paths of the chosen packages that others have, too: folders."""
    own = {line for lines in chosen.values() for line in lines}
    own |= {line.removeprefix(b"/usr") for line in own}
    return {_merged(line) for text in others for line in own.intersection(text.split(b"\n"))}


def _outermost(path: bytes, shared: set[bytes]) -> bytes:
    """Return the outermost folder of a path that is not shared, or the path itself."""
    parts = path.split(b"/")
    tops = (b"/".join(parts[:length]) for length in range(4, len(parts)))
    return next((top for top in tops if top not in shared), path)
