"""What is started of files whose author says nothing: those with a known name, else what plainly is meant.

Known names come first, in a fixed order. Without one of them the only file called ``bot`` counts, then
the only one called ``main``, whatever its language, and else the only program that there is. Where there are
two, nobody guesses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arbiter.submissions.steps import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

WRITTEN, SHELL = "bot.yaml", "bot.sh"
OUTPUT = "bot"
"""What a build makes; an executable of this name may be sent, too."""
JAVA = 'javac -d "$TMPDIR/classes" "$1" && jar cfe bot.jar "$2" -C "$TMPDIR/classes" .'
INTERPRETERS = {
    ".py": ("python3",), ".js": ("node",), ".mjs": ("node",), ".cjs": ("node",), ".sh": ("bash",),
    ".jar": ("java", "-jar"), ".rb": ("ruby",), ".pl": ("perl",), ".lua": ("lua",), ".php": ("php",),
}  # fmt: skip
COMPILERS = {
    ".cpp": (("g++", "-O2", "-o", OUTPUT), ()),
    ".cc": (("g++", "-O2", "-o", OUTPUT), ()),
    ".cxx": (("g++", "-O2", "-o", OUTPUT), ()),
    ".c": (("gcc", "-O2", "-o", OUTPUT), ("-lm",)),
    ".rs": (("rustc", "-O", "-o", OUTPUT), ()),
}
MAKES_PROGRAMS = {*INTERPRETERS, *COMPILERS, ".go", ".java"}
MEANT = ("bot", "main")
PLAIN = re.compile(r"\w[\w.+ -]*")
"""Names that no program takes for an option, or for a file of options."""
MAIN = re.compile(r"\bstatic\s+(?:final\s+)?(?:public\s+)?void\s+main\s*\(")
PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
MOST_READ = 1 << 20
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is started, how it is built (not at all if `build` is empty), what else it may read."""

    command: tuple[str, ...]
    build: tuple[str, ...] = ()
    read: tuple[str, ...] = ()


def _java(name: str, main: str) -> Recipe:
    """The class `main` of a source file as a program; names are words of their own, which no shell reads."""
    return Recipe(("java", "-jar", "bot.jar"), ("sh", "-ec", JAVA, "sh", name, main))


KNOWN = {
    "bot.py": Recipe(("python3", "bot.py")),
    "bot.js": Recipe(("node", "bot.js")),
    SHELL: Recipe(("bash", SHELL)),
    "Makefile": Recipe((f"./{OUTPUT}",), ("make",)),
    "main.cpp": Recipe((f"./{OUTPUT}",), ("g++", "-O2", "-o", OUTPUT, "main.cpp")),
    "main.c": Recipe((f"./{OUTPUT}",), ("gcc", "-O2", "-o", OUTPUT, "main.c", "-lm")),
    "main.rs": Recipe((f"./{OUTPUT}",), ("rustc", "-O", "-o", OUTPUT, "main.rs")),
    "main.go": Recipe((f"./{OUTPUT}",), ("go", "build", "-o", OUTPUT)),
    "Main.java": _java("Main.java", "Main"),
}
"""By the name of a file at the top, the first that is there."""


def by_names(source: Path) -> Recipe:
    """What the names of the files in `source` say is to be started; Refused if they do not say it."""
    for name, recipe in KNOWN.items():
        if (source / name).is_file():
            return _recipe_of(source / name) if name in (SHELL, "Main.java") else recipe
    files = sorted(path for path in source.iterdir() if path.is_file() and PLAIN.fullmatch(path.name))
    programs = [path for path in files if path.suffix.lower() in MAKES_PROGRAMS]
    if not programs and (source / OUTPUT).is_file() and _is_executable(source / OUTPUT):
        return Recipe((f"./{OUTPUT}",))
    tiers = [[path for path in programs if path.stem.lower() == stem] for stem in MEANT]
    if all(path.suffix.lower() == ".java" for path in programs):
        tiers.append([path for path in programs if MAIN.search(_text_of(path))])
    chosen = next(filter(None, [*tiers, programs]), [])
    if len(chosen) == 1:
        return _recipe_of(chosen[0])
    raise _several(chosen) if chosen else _none(source)


def _recipe_of(file: Path) -> Recipe:
    """How a file is built and started, by its ending."""
    name, kind = file.name, file.suffix.lower()
    if kind in INTERPRETERS:
        by_itself = kind == ".sh" and _begins_with(file, b"#!")
        return Recipe((f"./{name}",) if by_itself else (*INTERPRETERS[kind], name))
    if kind == ".java":
        package = PACKAGE.search(_text_of(file))
        return _java(name, f"{package[1]}.{file.stem}" if package else file.stem)
    if kind == ".go":
        return Recipe((f"./{OUTPUT}",), ("go", "build", "-o", OUTPUT))
    before, after = COMPILERS[kind]
    return Recipe((f"./{OUTPUT}",), (*before, name, *after))


def _several(found: Sequence[Path]) -> Refused:
    names = [path.name for path in found]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    detail = f"which one is to be started is not said: {', '.join(names[:SHOWN])}{more}"
    kind = found[0].suffix
    if kind.lower() == ".java":
        return Refused(detail, "let one class alone have a main, or call that class Main")
    recipe = _recipe_of(found[0])
    how = f"write a {WRITTEN}, such as {_shown(recipe.command, 'command')}"
    how += f" and {_shown(recipe.build, 'build')}" if recipe.build else ""
    taken = any(path.stem.lower() == MEANT[0] for path in found)
    return Refused(detail, how if taken else f"call the one to be started {MEANT[0]}{kind}, or {how}")


def _none(source: Path) -> Refused:
    detail = f"there is nothing to start: no {WRITTEN}, {', '.join(KNOWN)}"
    if nested := next(_nested(source), None):
        how = f"{nested.name} lies in the folder {nested.parent}: pack what is in that folder"
        if nested.suffix.lower() in INTERPRETERS:
            words = [word.replace(nested.name, str(nested)) for word in _recipe_of(source / nested).command]
            how += f", or write a {WRITTEN} with {_shown(words, 'command')}"
        return Refused(detail, how)
    there = sorted(path.name + "/" * path.is_dir() for path in source.iterdir())
    shown = ", ".join(there[:SHOWN]) + ", ..." * (len(there) > SHOWN)
    return Refused(
        detail, f"it holds {shown}: call the program bot.py, say, or write a {WRITTEN} with its command"
    )


def _shown(words: Sequence[str], key: str) -> str:
    """Words as bot.yaml has them."""
    return f"{key}: [{', '.join(words)}]"


def _nested(source: Path) -> Iterator[Path]:
    """Programs in folders that are called as one at the top would be, the nearest first, from `source` on."""
    for path in sorted(source.rglob("*"), key=lambda path: (len(path.parts), path)):
        if path.is_file() and path.suffix.lower() in MAKES_PROGRAMS and path.stem.lower() in MEANT:
            yield path.relative_to(source)


def _is_executable(file: Path) -> bool:
    """True for a program of the machine's own, or a script that names its interpreter."""
    return _begins_with(file, b"#!") or _begins_with(file, b"\x7fELF")


def _begins_with(file: Path, mark: bytes) -> bool:
    with open(file, "rb") as opened:
        return opened.read(len(mark)) == mark


def _text_of(file: Path) -> str:
    with open(file, "rb") as opened:
        return opened.read(MOST_READ).decode(errors="replace")
