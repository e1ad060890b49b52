"""Scripts joined: a module and all that it imports as one, for what asks for nothing, or for little.

An import becomes what another module returned, so only the forms of import and export that our own modules
have are known, and anything else is refused.
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
    """One module that runs `entries` in order, each after all that it imports.

    ValueError for a form of import or export that is not known, a circle, or what would end a script element.
    """
    pieces: list[str] = []
    numbers: dict[Path, int] = {}
    for entry in entries:
        _add(entry.resolve(), pieces, numbers, ())
    joined = "\n".join(pieces) + "\n"
    if ENDS_SCRIPT.search(joined):
        raise ValueError("a module holds what would end the script that it stands in")
    return joined


def _add(path: Path, pieces: list[str], numbers: dict[Path, int], above: tuple[Path, ...]) -> int:
    """The number of a module, which is joined with all that it imports if it is not yet."""
    if path in above:
        raise ValueError(f"{path.name} imports itself, by way of others")
    if path in numbers:
        return numbers[path]

    def from_before(found: re.Match[str]) -> str:
        number = _add((path.parent / found[2]).resolve(), pieces, numbers, (*above, path))
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
