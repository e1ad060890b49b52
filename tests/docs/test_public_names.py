"""The public names are documented, typed, cheap to import, and all that the documentation's Python imports."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import arbiter
import rating
from arbiter import types
from tests.docs.pages import ROOT, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
NAMES = ROOT / "docs" / "reference" / "public-names.md"
REFERENCE = ROOT / "docs" / "reference" / "python.md"
BELOW = (
    "<!-- Below: the docstrings, written by `pytest --rewrite-golden tests/docs/test_public_names.py`. -->\n"
)
ROWS = "\n## Rows and tables\n"
ELSEWHERE = {
    "ArbiterError": "The base of all errors; its message is one line.",
    "Contestant": 'The type of a player of [`play`](#play), for annotations: `players: list[arbiter.Contestant] = [bot, "greedy"]`.',
    "MatchRecord": "A played match; [its fields](#fields-of-matchrecord) are attributes, those of a deal keys.",
    "ShownReplay": "A match to step through in a notebook.",
}
"""Names that have other pages, or need one line."""
LINKS = {
    "crossplay": "See [each against each](environments.md#each-against-each).",
    "evaluate": "See [how good is it?](environments.md#how-good-is-it)",
    "SeasonReader": "[Rows and tables](#rows-and-tables) has the keys.",
}
"""Pages that say more."""
RESULTS = {"crossplay": "Crossplay", "evaluate": "Evaluation"}
"""What functions return that has no section."""
PAGES_OF_NAMES: dict[str, set[str]] = {
    "arbiter": set(arbiter.__all__),
    "arbiter.types": set(types.__all__),
    "rating": set(rating.__all__),
}


def listed() -> dict[str, set[str]]:
    """The public names by module, as the table of the page lists them."""
    found = dict(PAGES_OF_NAMES)
    table = NAMES.read_text(encoding="utf-8").partition("\n## ")[0]
    for module, text in re.findall(r"^\| `([\w.]+)` \| (.+?) \|", table, re.MULTILINE):
        found[module] = found.get(module, set()) | set(re.findall(r"`(\w+)`", text))
    envs = pytest.importorskip("arbiter.envs", reason="needs the extra envs")
    found["arbiter.envs"] |= set(envs.__all__)
    return found


def imports(code: str) -> Iterator[tuple[str, str]]:
    """The modules of ours and the names from them that a text of Python imports; "" for a whole module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def test_the_documentation_imports_public_names_alone() -> None:
    known, found = listed(), set[tuple[str, str, str]]()
    texts = [(page.name, text) for page in PAGES for kind, _, text in blocks(page) if kind == "python"]
    notebook = json.loads((ROOT / "docs" / "howto" / "notebook.ipynb").read_text())["cells"]
    texts += [("notebook", "".join(cell["source"])) for cell in notebook if cell["cell_type"] == "code"]
    for page, text in texts:
        for module, name in imports(text):
            if module.partition(".")[0] not in ("arbiter", "rating"):
                continue
            if name and f"{module}.{name}" in known:
                continue
            if module not in known or (name and name not in known[module]):
                found.add((page, module, name))
    assert found == set()


def test_every_public_name_is_there() -> None:
    for module, names in listed().items():
        home = import_module(module)
        lacking = {name for name in names if not hasattr(home, name)}
        assert {name for name in lacking if find_spec(f"{module}.{name}") is None} == set(), module


def test_the_package_shows_its_names_and_nothing_else() -> None:
    shown = {name for name in dir(arbiter) if not name.startswith("__")}
    assert shown == set(arbiter.__all__)
    with pytest.raises(AttributeError, match="no attribute 'pla'"):
        _ = arbiter.pla  # type: ignore[attr-defined]


def test_types_and_names_agree() -> None:
    typed = stub_of(arbiter)
    homes = {(f"arbiter.{home}", name): name for name, home in arbiter._HOMES.items()}  # type: ignore[attr-defined]
    assert typed == homes | {("arbiter", name): name for name in arbiter._MODULES}  # type: ignore[attr-defined]
    assert stub_of(types) == {(home, name): name for name, home in types._HOMES.items()}  # type: ignore[attr-defined]


def stub_of(module: Any) -> dict[tuple[str | None, str | None], str]:
    """The imports of a module's stub."""
    return {
        (node.module, alias.asname): alias.name
        for node in ast.parse(Path(module.__file__).with_suffix(".pyi").read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_types_of_rows_and_parameters_can_be_imported() -> None:
    rows = {name: kind for name, kind in row_types().items() if name not in arbiter.__all__}
    assert rows.items() <= {name: getattr(types, name) for name in types.__all__}.items()
    functions = [value for name in arbiter.__all__ if inspect.isfunction(value := getattr(arbiter, name))]
    named = {
        word
        for one in functions
        for text in one.__annotations__.values()
        for word in re.findall(r"\b[A-Z]\w+", typed(text))
    }
    usual = {"Any", "Literal", "Mapping", "None", "PathLike", "Sequence"}
    assert named - usual <= {*types.__all__, *arbiter.__all__}


@pytest.mark.process
def test_its_modules_are_there_without_an_import_of_their_own() -> None:
    program = "import arbiter; print(arbiter.errors.ConfigError, arbiter.envs.aec)"
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, cwd=ROOT)


@pytest.mark.process
def test_the_import_alone_loads_nothing() -> None:
    program = "import sys; before = set(sys.modules); import arbiter; print(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert set(done.stdout.split()) <= {"arbiter", "__future__"}


# The page of reference.


def test_the_reference_is_the_docstrings(request: pytest.FixtureRequest) -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    head, (_, rows, tables) = page.partition(BELOW)[0], page.partition(ROWS)
    text = head + BELOW + "\n" + "\n".join(map(section, arbiter.__all__)) + rows + tables
    if request.config.getoption("--rewrite-golden"):
        REFERENCE.write_text(text, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == text


def test_the_reference_has_the_keys_and_types_of_all_rows() -> None:
    listed = keys_listed(REFERENCE.read_text(encoding="utf-8").partition(ROWS)[2])
    known = row_types()
    assert listed.keys() == known.keys()
    assert listed == {name: keys_of(kind) for name, kind in known.items()}


def keys_listed(text: str) -> dict[str, dict[str, str]]:
    """The types by key that the page's tables list, by name of the type."""
    found: dict[str, dict[str, str]] = {}
    for title, lines in re.findall(
        r"^### (?:Fields of )?(\w+)\n(.*?)(?=^###|\Z)", text, re.MULTILINE | re.DOTALL
    ):
        rows = re.findall(r"^\| (`[^|]+) \| (.+?) \|", lines, re.MULTILINE)
        found[title] = {key: kind for keys, kind in rows for key in re.findall(r"`(\w+)`", keys)}
        for table, keys in re.findall(r"^`(\w+)` has the columns (.+) of \[", lines, re.MULTILINE):
            found[table] = {key: f"list[{found[title][key]}]" for key in re.findall(r"`(\w+)`", keys)}
    return found


def keys_of(kind: Any) -> dict[str, str]:
    """The types of the keys or fields, as the page writes them."""
    found = {}
    for key, annotation in kind.__annotations__.items():
        text = getattr(annotation, "__forward_arg__", annotation)
        # Postponed annotations leave what is not required unknown to `__optional_keys__`.
        inner = text.removeprefix("NotRequired[")
        optional = inner != text or key in getattr(kind, "__optional_keys__", ())
        text = inner.removesuffix("]") if inner != text else text
        found[key] = text.replace(" | ", " or ").replace("Seat", "int") + (", optional" if optional else "")
    return found


def row_types() -> dict[str, Any]:
    """The types of rows, tables and figures that public functions and methods lead to, by name."""
    homes = (
        "season.snapshot.schema",
        "season.snapshot.match_schema",
        "match.record",
        "match.notes",
        "trials.regression.figures",
        "python.table_types",
        "envs.evaluation",
        "envs.each_against_each",
    )
    classes = {"Rating": rating.Rating} | {
        name: value
        for home in homes
        for name, value in vars(import_module(f"arbiter.{home}")).items()
        if isinstance(value, type) and "__annotations__" in vars(value)
    }
    shown = [getattr(arbiter, name) for name in arbiter.__all__ if name not in ELSEWHERE]
    shown += [classes[name] for name in RESULTS.values()]
    waiting = ["MatchRecord"]
    for thing in shown:
        members = [value for _, value in public(thing)] if isinstance(thing, type) else [thing]
        functions = [value.fget if isinstance(value, property) else value for value in members]
        waiting += [
            str(one.__annotations__.get("return")) for one in functions if hasattr(one, "__annotations__")
        ]
        waiting += map(str, vars(thing).get("__annotations__", {}).values())
    found: dict[str, Any] = {}
    while waiting:
        for name in re.findall(r"\w+", waiting.pop()):
            if name in classes and name not in found and classes[name] not in shown:
                found[name] = classes[name]
                waiting += keys_of(classes[name]).values()
    return found


def section(name: str) -> str:
    thing = getattr(arbiter, name)
    lines = [f"## {name}", ""]
    if inspect.isfunction(thing):
        lines += ["```text", call(name, thing), "```", ""]
    lines += [ELSEWHERE.get(name) or prose(thing), ""]
    lines += [LINKS[name], ""] if name in LINKS else []
    if name in RESULTS:
        made = getattr(import_module("arbiter.envs"), RESULTS[name])
        lines += [f"`{RESULTS[name]}`: {prose(made)}", "", *fields(made)]
        for member, value in public(made):
            lines += ["```text", call(member, value), "```", "", prose(value), ""]
    if isinstance(thing, type) and name not in ELSEWHERE:
        lines += fields(thing)
        for member, value in public(thing):
            lines += ["```text", call(member, value), "```", "", prose(value), ""]
    return "\n".join(lines)


def fields(thing: type) -> list[str]:
    """The fields of a class with their types."""
    named = {name: typed(kind) for name, kind in vars(thing).get("__annotations__", {}).items()}
    shown = [f"{name}: {kind}" for name, kind in named.items() if not name.startswith("_")]
    return ["```text", *shown, "```", ""] if shown else []


def public(thing: type) -> Iterator[tuple[str, Any]]:
    """The methods and properties of a class that have a docstring, in their order."""
    for name, value in vars(thing).items():
        if not name.startswith("_") and (callable(value) or isinstance(value, property)) and value.__doc__:
            yield name, value


def call(name: str, thing: Any) -> str:
    """How a function is called, with its types; over several lines if it is long."""
    if isinstance(thing, property):
        return f"{name}: {typed(thing.fget.__annotations__['return'])}"
    signature = inspect.signature(thing)
    parts, starred = [], False
    for one in signature.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            parts.append("*")
        prefix = "**" if one.kind is one.VAR_KEYWORD else ""
        default = "" if one.default is one.empty else f" = {one.default!r}"
        parts.append(f"{prefix}{one.name}: {typed(one.annotation)}{default}")
    back = typed(signature.return_annotation)
    line = f"{name}({', '.join(parts)}) -> {back}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f") -> {back}"])


def typed(annotation: Any) -> str:
    annotation = getattr(annotation, "__forward_arg__", annotation)
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def prose(thing: Any) -> str:
    """A docstring as Markdown."""
    return inspect.cleandoc(thing.__doc__).replace("``", "`")
