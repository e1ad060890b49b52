"""A season in one HTML file: the pages' own templates, styles and scripts, all within it.

It asks for nothing: its policy, in the file itself, names the hashes of what it may run and paint, and
forbids the rest. What it shows is what a visitor of the site would be shown at that moment.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from arbiter.picture import figures, played
from arbiter.web.pages import STATIC, render

if TYPE_CHECKING:
    from pathlib import Path

    from arbiter.picture.shapes import MatchRow
    from arbiter.picture.state import SeasonState

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
ELSE = re.compile(r"^\s*(?:import|export)\b.*|\bimport[.(].*", re.MULTILINE)
ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)
MOST_FAULTS = 500
"""Faults that are shown with their reasons, the last ones."""


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


def make_report(state: SeasonState, replays: int | None = 0) -> str:
    """The file's text; `replays` is how many of the last matches it holds to be replayed, None for all."""
    lent = _replays(state, replays)
    style = _read("style.css") + (_read("replay.css") if lent else "")
    modules = [STATIC / "page.js", *([STATIC / "report.js"] if lent else [])]
    scripts = [_read("scheme.js"), join_modules(*modules)]
    ended = [match for match in state.matches if match.faulty is not None]
    return render(
        "report",
        state,
        base=None,
        policy=_policy(style, scripts),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        standings=figures.standings(state),
        crosstable=figures.crosstable(state),
        history=figures.history(state),
        chosen=None,
        rounds=_rounds(state),
        faults=played.faults(state, ended[-MOST_FAULTS:]),
        faults_in_all=len(ended),
        replays=lent,
        config=state.config.file.name,
    )


def _rounds(state: SeasonState) -> list[dict[str, object]]:
    of: dict[int | None, list[MatchRow]] = {}
    for match in played.matches(state):
        of.setdefault(match.round, []).append(played.match_in_short(state, match))
    return [
        {**figures.round_in_short(state, known), "list": of.get(known.number, [])} for known in state.rounds
    ]


def _replays(state: SeasonState, number: int | None) -> list[dict[str, object]]:
    """The last matches as the public may see them, then through each seat's eyes where these are lent."""
    chosen = state.matches if number is None else state.matches[max(0, len(state.matches) - number) :]
    shown = []
    for match in chosen:
        readers = ["public", *(f"seat:{seat}" for seat in range(len(match.players)))]
        replays = [played.replay(state, match.id, reader) for reader in readers]
        if replays[0] is not None:
            found = [replay for replay in replays if replay is not None]
            shown.append({**played.match_in_short(state, match), "replays": found})
    return shown


def _policy(style: str, scripts: list[str]) -> str:
    """Return the policy of the file: paint by this style, run these scripts, and nothing else."""
    run, paint = " ".join(map(_hash, scripts)), _hash(style)
    policy = f"default-src 'none'; script-src {run}; style-src {paint}; img-src data:"
    return f"{policy}; form-action 'none'; base-uri 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
