"""Bundles of ES modules: a module and all its imports as one script, for fewer or no requests.

Only the forms of import and export that this project uses are supported; others are errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
ELSE = re.compile(r"^\s*(?:import|export)\b.*|\bimport[.(].*", re.MULTILINE)
ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)


def join_modules(*entries: Path) -> str:
    """Return a module that runs `entries` in order, each after its imports.

    ValueError for an unsupported import or export, a cycle, or text that would end a script element.
    """
    pieces: list[str] = []
    numbers: dict[Path, int] = {}
    for entry in entries:
        _add_module(entry.resolve(), pieces, numbers, ())
    joined = "\n".join(pieces) + "\n"
    if ENDS_SCRIPT.search(joined):
        raise ValueError("a module contains text that would end its script element")
    return joined


def _add_module(path: Path, pieces: list[str], numbers: dict[Path, int], above: tuple[Path, ...]) -> int:
    """Add a module and its imports, if missing, to `pieces`; return its number. ValueError."""
    if path in above:
        raise ValueError(f"{path.name} imports itself through other modules")
    if path in numbers:
        return numbers[path]

    def from_before(found: re.Match[str]) -> str:
        number = _add_module((path.parent / found[2]).resolve(), pieces, numbers, (*above, path))
        return f"const {{{found[1].replace(' as ', ': ')}}} = module{number};\n"

    body = IMPORT.sub(from_before, path.read_text(encoding="utf-8"))
    exported = EXPORT.findall(body)
    body = EXPORT.sub("", body)
    if strange := ELSE.search(body):
        raise ValueError(f"{path.name}: {strange[0].strip()!r} cannot be joined")
    number = numbers[path] = len(numbers)
    pieces.append(
        f"const module{number} = await (async () => {{\n{body}return {{ {', '.join(exported)} }};\n}})();"
    )
    return number
