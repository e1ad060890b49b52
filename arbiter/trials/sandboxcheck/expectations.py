"""What is promised against each attack, tier by tier: the tables of ``bots/faulty/README.md``.

A cell says what comes of an attempt. ``A or B``: either, as the machine has it; ``A; without a stage B`` and
``A; with control groups B``: B where that is so; an empty one promises nothing.
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
"""How an attack is played; of the first two the end of the match is all that there is to see."""
Outcome = Literal["got through", "unclear", "open", "stopped", "harmless"]
"""The worst first: against the promise; not told; as the tier is; refused or ended; of no use."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
TIERS = ORDER[::-1]
"""As the columns of the tables have them."""
STRONGEST = ORDER[0]
WITHOUT_STAGE, WITH_GROUPS = "; without a stage ", "; with control groups "
GOES_ON, ALLOWED, UNTOLD = "goes on", "allowed", ""
ENDS = (*Fault, "void")
NO_REFUSALS = {"EAGAIN", "EFAULT", "EINTR", "EINVAL", "ENOEXEC"}
"""Errors of who was let in: another has the lock, the words were wrong, what was found is no program."""
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
    """What is to come of an attempt, by tier; `attempt` is "" for the whole of a match."""

    attempt: str
    cells: Mapping[str, str]

    def under(self, tier: str, stage: bool, groups: bool) -> str:
        """The cell of a tier on a machine that has a stage and control groups, or has not."""
        cell, _, without = self.cells[tier].partition(WITHOUT_STAGE)
        cell, _, grouped = cell.partition(WITH_GROUPS)
        if grouped and groups:
            return grouped
        return without if without and not stage else cell

    def judge(self, tier: str, met: str, stage: bool = True, groups: bool = False) -> Outcome:
        """What is to be said of an attempt that met this."""
        if met == UNTOLD:
            return "unclear"
        best = self.under(STRONGEST, True, groups)
        if keeps(best, met):
            if not is_done(met):
                return "stopped"
            # What only some machines refuse is refused on a stage, or done in what the stage gives.
            return "harmless" if stage or " or " not in best else "open"
        if is_refused(met):
            return "stopped"
        promised = self.under(tier, stage, groups)
        if not (tier == STRONGEST and stage) and (not promised or keeps(promised, met)):
            return "open"
        return "unclear" if met in NO_REFUSALS else "got through"


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack: its name, what it does in words, and what is promised against each of its attempts."""

    name: str
    tries: str
    kind: Kind
    promises: tuple[Promise, ...]


def keeps(cell: str, met: str) -> bool:
    """Whether what was met is what a cell says; of an end the cell has some of the words."""
    if most := MOST.fullmatch(cell):
        return met.endswith(" %") and float(met.removesuffix(" %")) <= int(most[1])
    head, _, words = met.partition(": ")
    for one in cell.split(" or "):
        expected, _, part = one.partition(": ")
        if expected == head and part in words:
            return True
    return False


def is_done(met: str) -> bool:
    """Whether an attempt was allowed, or a match went on."""
    return met == ALLOWED or met.partition(": ")[0] == GOES_ON


def is_refused(met: str) -> bool:
    """Whether something refused an attempt or ended a match, be it another way than is promised."""
    head, _, words = met.partition(": ")
    refused = met in errno.errorcode.values() and met not in NO_REFUSALS
    return refused or (head in ENDS and not words.endswith(ALLOWED))


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks, in the order in which the tables have them."""
    text = (FAULTY / "README.md").read_text(encoding="utf-8")
    return (*_of_one_match(text), *_of_attempts(text))


def _of_one_match(text: str) -> Iterator[Attack]:
    for heading, kind in _ONE_MATCH.items():
        for name, tries, *cells in _rows(text, heading):
            yield Attack(_plain(name), tries, kind, (_promise("", cells),))


def _of_attempts(text: str) -> Iterator[Attack]:
    for cell, tries in _rows(text, _LIST):
        name = _plain(cell)
        kind, heading = _OWN_TABLES.get(name, ("attempts", ""))
        if heading:
            found = _rows(text, heading)
        else:
            found = [row for first, *row in _rows(text, _ATTEMPTS) if _plain(first) == name]
        yield Attack(name, tries, kind, tuple(_promise(attempt, cells) for attempt, *cells in found))


def _promise(attempt: str, cells: list[str]) -> Promise:
    return Promise(attempt, dict(zip(TIERS, cells, strict=True)))


def _plain(cell: str) -> str:
    return cell.strip("`")


def _rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without the two rows on top."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
