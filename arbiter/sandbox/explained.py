"""The system-call policy (`syscall_policy`, `seccomp`) in words: for one call, and as tables."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from arbiter.sandbox import syscall_policy
from arbiter.sandbox.seccomp import checks
from arbiter.sandbox.syscall_numbers import TABLES, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def explain(call: str, in_namespaces: bool = False) -> str:
    """Return in one line whether a bot may make a call, why, and what it reveals; KeyError if unknown.

    `in_namespaces`: for a bot on a stage.
    """
    if not any(call in numbers(machine) for machine in TABLES):
        raise KeyError(call)
    reveals = f"; about others it reveals {syscall_policy.REVEALS.get(call, syscall_policy.NOTHING)}"
    if check := checks(in_namespaces).get(call):
        return f"depends on its arguments: {check.why}{reveals}"
    verdict, why, _ = syscall_policy.verdicts(in_namespaces).get(call, syscall_policy.OTHERWISE)
    if verdict.error is None:
        return f"allowed: {why}{reveals}"
    if verdict.error == 0:
        return f"without effect: {why}"
    note = "; the record's notes name the first one" if verdict.noted and not in_namespaces else ""
    return f"refused with {errno.errorcode[verdict.error]}: {why}{note}"


def markdown_tables() -> str:
    """Return, in Markdown, what each allowed call reveals about others, and which calls reach other cores."""
    known = sorted(set().union(*(numbers(machine) for machine in TABLES)))
    checked, groups = checks(in_namespaces=False), syscall_policy.verdicts()
    rows: dict[tuple[str, str], list[str]] = {}
    for call in known:
        group = groups.get(call, syscall_policy.OTHERWISE)
        if call in checked or group.verdict == syscall_policy.ALLOW:
            why = f"depends: {checked[call].why}" if call in checked else group.why
            rows.setdefault((syscall_policy.REVEALS.get(call, syscall_policy.NOTHING), why), []).append(call)
    order = sorted(rows.items(), key=lambda row: (row[0][0] == syscall_policy.NOTHING, row[1]))
    reveals = ([_as_code(calls), why, what] for (what, why), calls in order)
    reaches = ([_as_code(calls.split()), how, kept] for calls, how, kept in syscall_policy.REACHES_CORES)
    told = _markdown_table(("calls", "why they are allowed", "what it reveals about others"), reveals)
    reached = _markdown_table(("calls", "how they reach other cores", "what a bot may"), reaches)
    return "\n".join((*told, "", *reached))


def _markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(row)} |"


def _as_code(calls: Iterable[str]) -> str:
    return ", ".join(f"`{call}`" for call in calls)
