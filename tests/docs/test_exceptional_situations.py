"""docs/explanation/exceptional-situations.md names every fault, and every reason that the code can give."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.match.record import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "explanation" / "exceptional-situations.md").read_text().split())
SOURCES = [
    path
    for pattern in (
        "arbiter/games/**/*.py",
        "arbiter/match/*.py",
        "arbiter/sandbox/**/*.py",
        "arbiter/table/*.py",
        "arbiter/table/executors/*.py",
    )
    for path in sorted(ROOT.glob(pattern))
]
GIVE_REASONS = {"MalformedReply", "VoidMatch", "_MatchForfeited", "IllegalAction", "_crash", "give_up"}
MAKE_REASONS = {"timeout_reason", "spent_budget_text", "timeout_fault", "_crash"}
NOT_SHOWN = {"arbiter/match/in_memory.py", "arbiter/match/rerun.py", "arbiter/table/single_bot.py"}
"""They give a stored reason once more, or are for a bot on trial."""


def texts(node: ast.AST) -> Iterator[str]:
    """The constant parts of all strings in an expression."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def reasons(path: Path) -> Iterator[str]:
    """Every piece of a reason that a module can give."""
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        calls = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and name_of(node) in GIVE_REASONS
        ]
        given = [argument for call in calls for argument in call.args]
        names = {argument.id for argument in given if isinstance(argument, ast.Name)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and any(
                isinstance(to, ast.Name) and to.id in names for to in node.targets
            ):
                given.append(node.value)
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                given += [
                    value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "error"
                ]
        if function.name in MAKE_REASONS:
            body = function.body[1:] if ast.get_docstring(function) else function.body
            given += body  # type: ignore[arg-type]
        for node in given:
            yield from texts(node)


@cache
def pieces() -> list[tuple[str, str]]:
    """Where and what, each piece once; pieces of a single word say nothing by themselves."""
    found = dict.fromkeys(
        (str(path.relative_to(ROOT)), " ".join(text.split()).strip(" :;(."))
        for path in SOURCES
        for text in reasons(path)
    )
    return [(path, text) for path, text in found if " " in text and path not in NOT_SHOWN]


def test_the_pieces_are_found() -> None:
    found = {text for _, text in pieces()}
    assert found >= {
        "no empty line after the reply",
        "closed its standard output",
        "output that nothing asked for stood unread",
        "does not follow suit",
        "cannot start a process",
        "the process that starts bots has died",
        "refused to answer",
        "ms was our machine's delay",
        "its start was",
    }
    assert len(found) >= 40


def test_every_reason_stands_on_the_page() -> None:
    assert [piece for piece in pieces() if piece[1] not in PAGE] == []


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_has_a_section(fault: Fault) -> None:
    assert f"### `{fault}`:" in PAGE


def test_the_page_tells_how_many_voids_stop_a_run_and_what_a_match_may_write() -> None:
    from arbiter.match.protocol import OUTPUT_LIMIT, REPLY_LIMIT
    from arbiter.sandbox.stderr import FULL, STDERR_HEAD, STDERR_TAIL
    from arbiter.season.match_runner import MOST_VOIDS

    assert MOST_VOIDS == 2
    assert f"more than {OUTPUT_LIMIT} bytes" in PAGE
    assert f"longer than {REPLY_LIMIT} bytes" in PAGE
    assert f"the first {STDERR_HEAD >> 10} and last {STDERR_TAIL >> 10} KiB" in PAGE
    assert FULL in PAGE


def test_kinds_of_fault_in_the_code_are_those_of_the_list() -> None:
    source = "".join(path.read_text() for path in SOURCES)
    literal = re.findall(r'MalformedReply\(\s*"(\w+)"', source)
    assert literal
    assert set(literal) <= {str(fault) for fault in Fault}
