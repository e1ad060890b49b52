"""Find the files that an installed program's package brings for it, with those of what it depends on.

They are read from dpkg's own files; nothing is run. A folder that only these packages have is one path: so a
view of the system has few mounts, and files that a package's scripts made there are included.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import groupby, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

DPKG = "/var/lib/dpkg"
PLACES = (b"/usr/lib/", b"/usr/share/", b"/lib/")
OF_NO_USE = re.compile(
    rb"/usr/share/(?:applications|bash-completion|binfmts|bug|doc|doc-base|gcc|gdb|icons|info|lintian|locale|man"
    rb"|maven-repo|menu|metainfo|pixmaps)/|/usr/lib/(?:[^/]+-linux-gnu[^/]*/)?(?:binfmt\.d|cmake|debug|gconv|pkgconfig|systemd"
    rb"|valgrind)/|.*\.(?:a|h|la)/"
)
"""Files for people, desktops, compilers and debuggers."""
LIBRARY = re.compile(rb"/usr/lib/(?:[^/]+-linux-gnu[^/]*/)?[^/]+\.so[.\d]*")
"""Shared libraries: the ones that a program loads are found by its file."""
BASE = re.compile(r"^(?:Essential: yes|Priority: (?:required|important))$", re.MULTILINE)
"""Packages of every machine: tools of the system, no parts of an interpreter."""
FIELD = re.compile(r"^(Package|Source|Provides|(?:Pre-)?Depends): (.*)$", re.MULTILINE)
NAME = re.compile(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)")
MOST_PACKAGES, MOST_PATHS = 100, 1000


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
    for entry in os.scandir(f"{DPKG}/info"):
        if entry.name.endswith(".list"):
            with open(entry.path, "rb") as file:
                yield entry.name.removesuffix(".list").partition(":")[0], b"\n" + file.read()


def _with_dependencies(packages: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return packages and what they need, the nearest first, except `BASE`; and those of the same sources."""
    fields: dict[str, dict[str, str]] = {}
    providers: dict[str, list[str]] = {}
    for text in _paragraphs(f"{DPKG}/status"):
        known = dict(FIELD.findall(text))
        if not known or BASE.search(text):
            continue
        fields[known["Package"]] = known
        for name in NAME.findall(known.get("Provides", "")):
            providers.setdefault(name, []).append(known["Package"])
    found = [*packages]
    for one in found:
        known = fields.get(one, {})
        wanted = NAME.findall(f"{known.get('Pre-Depends', '')},{known.get('Depends', '')}")
        named = [name for word in wanted for name in (word, *providers.get(word, ()))]
        found += [name for name in dict.fromkeys(named) if name in fields and name not in found]
    sources = {name: known.get("Source", name) for name, known in fields.items()}
    own = {sources.get(name) for name in packages}
    return found[:MOST_PACKAGES], {name for name, source in sources.items() if source in own}


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
