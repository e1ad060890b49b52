"""The promised outcome of each attack, tier by tier: the tables of ``bots/faulty/README.md``.

A cell is the outcome of an attempt. ``A or B``: either, depending on the machine; ``A; without a stage B``
and ``A; with control groups B``: B under that condition; an empty cell promises nothing.
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

from arbiter.games.samples import FAULTY
from arbiter.match.record import Fault
from arbiter.sandbox.tiers import ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Kind = Literal["match", "program", "attempts", "pair", "remember", "memory", "survey", "share", "stretch"]
"""How an attack is played; in the first two only the end of the match counts."""
Outcome = Literal["got through", "unclear", "open", "stopped", "harmless"]
"""The worst first: promise broken; not reported; open in this tier; refused or ended; harmless."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
TIERS = ORDER[::-1]
"""In the order of the tables' columns."""
STRONGEST = ORDER[0]
WITHOUT_STAGE, WITH_GROUPS = "; without a stage ", "; with control groups "
GOES_ON, ALLOWED, UNTOLD = "goes on", "allowed", ""
ENDS = (*Fault, "void")
NO_REFUSALS = {"EAGAIN", "EFAULT", "EINTR", "EINVAL", "ENOEXEC"}
"""Errors after access was given: another has the lock, bad arguments, the file is no program."""
MOST = re.compile(r"at most (\d+) %")
_ONE_MATCH: Mapping[str, Kind] = {
    "How a match with an attack ends": "match",
    "Programs that are no bots": "program",
    "What an attack may take from who thinks": "share",
    "How far an attack may stretch a match": "stretch",
}
_LIST, _ATTEMPTS = "Attacks of many attempts", "What an attack may do"
_OWN_TABLES: Mapping[str, tuple[Kind, str]] = {
    "offer-accept": ("pair", "What two bots may do together"),
    "hear-speak": ("pair", "What two bots may tell each other"),
    "queue-count": ("pair", "What a bot may count"),
    "remember": ("remember", "What a bot may remember"),
    "memory": ("memory", "What a bot may learn of an earlier match"),
    "survey": ("survey", "What a bot may learn of where it plays"),
}


@dataclass(frozen=True, slots=True)
class Promise:
    """The promised outcome of an attempt, by tier; `attempt` is "" for a whole match."""

    attempt: str
    cells: Mapping[str, str]

    def under(self, tier: str, stage: bool, groups: bool) -> str:
        """Return the cell of a tier on a machine with or without a stage and control groups."""
        cell, _, without = self.cells[tier].partition(WITHOUT_STAGE)
        cell, _, grouped = cell.partition(WITH_GROUPS)
        if grouped and groups:
            return grouped
        return without if without and not stage else cell

    def judge(self, tier: str, met: str, stage: bool = True, groups: bool = False) -> Outcome:
        """Return the outcome of an attempt by what happened, `met`, and by its tier's and the best cell.

        `stage` and `groups` as in `under`.
        """
        if met == UNTOLD:
            return "unclear"
        best = self.under(STRONGEST, True, groups)
        if is_as_promised(best, met):
            if not is_done(met):
                return "stopped"
            # An attempt that only some machines refuse is refused on a stage, or confined to it.
            return "harmless" if stage or " or " not in best else "open"
        if is_refused(met):
            return "stopped"
        promised = self.under(tier, stage, groups)
        if not (tier == STRONGEST and stage) and (not promised or is_as_promised(promised, met)):
            return "open"
        return "unclear" if met in NO_REFUSALS else "got through"


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack: its name, what it does in words, and the promises about its attempts."""

    name: str
    tries: str
    kind: Kind
    promises: tuple[Promise, ...]


def is_as_promised(cell: str, met: str) -> bool:
    """True if what happened is what a cell promises; of a match's end the cell may quote a part."""
    if most := MOST.fullmatch(cell):
        return met.endswith(" %") and float(met.removesuffix(" %")) <= int(most[1])
    head, _, words = met.partition(": ")
    for one in cell.split(" or "):
        expected, _, part = one.partition(": ")
        if expected == head and part in words:
            return True
    return False


def is_done(met: str) -> bool:
    """True if an attempt was allowed, or a match continued."""
    return met == ALLOWED or met.partition(": ")[0] == GOES_ON


def is_refused(met: str) -> bool:
    """True if an attempt was refused or a match ended, even if not as promised."""
    head, _, words = met.partition(": ")
    refused = met in errno.errorcode.values() and met not in NO_REFUSALS
    return refused or (head in ENDS and not words.endswith(ALLOWED))


@cache
def attacks() -> tuple[Attack, ...]:
    """Read all attacks from the tables of the attackers' README, in their order."""
    text = (FAULTY / "README.md").read_text(encoding="utf-8")
    return (*_attacks_of_one_match(text), *_attacks_of_attempts(text))


def _attacks_of_one_match(text: str) -> Iterator[Attack]:
    """Yield the attacks that are one match each, from the tables of `_ONE_MATCH`."""
    for heading, kind in _ONE_MATCH.items():
        for name, tries, *cells in _rows(text, heading):
            yield Attack(_strip_backticks(name), tries, kind, (_make_promise("", cells),))


def _attacks_of_attempts(text: str) -> Iterator[Attack]:
    """Yield the attacks of many attempts, with a promise for each row of their table."""
    for cell, tries in _rows(text, _LIST):
        name = _strip_backticks(cell)
        kind, heading = _OWN_TABLES.get(name, ("attempts", ""))
        if heading:
            found = _rows(text, heading)
        else:
            found = [row for first, *row in _rows(text, _ATTEMPTS) if _strip_backticks(first) == name]
        yield Attack(name, tries, kind, tuple(_make_promise(attempt, cells) for attempt, *cells in found))


def _make_promise(attempt: str, cells: list[str]) -> Promise:
    return Promise(attempt, dict(zip(TIERS, cells, strict=True)))


def _strip_backticks(cell: str) -> str:
    return cell.strip("`")


def _rows(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the table under a heading, without its two header rows."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
