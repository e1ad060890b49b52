"""What is told about copies, as JSON has it: a pair that stands out, two programs side by side."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from arbiter.config.changes import rated_name


class Side(TypedDict):
    """One of two programs: a player of this season or, with `season`, of another; or a `sample`.

    `key` names it in addresses. `version` is None for a player with a command.
    """

    name: str
    version: int | None
    key: str
    season: NotRequired[str]
    sample: NotRequired[bool]


class LeftOut(TypedDict):
    """A source that was not looked at, and why."""

    file: str
    why: str


class CopyRow(TypedDict):
    """Two programs that are much alike, as a question.

    `similarity` is the share of the smaller one's own fingerprints that the other has, `jaccard` that of all
    that either has, both weighted; `common` how many that are. `stands_out` is how far the similarity is
    above the middle of all pairs, in their spread. `files` are, of each side, those with fingerprints in
    common, `left_out` those that were not looked at.
    """

    players: tuple[Side, Side]
    similarity: float
    jaccard: float
    common: int
    stands_out: float
    files: tuple[list[str], list[str]]
    left_out: tuple[list[str], list[str]]
    say: str


class Place(TypedDict):
    """Lines of a file, from 1, both ends included; `file` is its number on its side, from 0."""

    file: int
    first: int
    last: int


class Passage(TypedDict):
    """What corresponds: where it is on either side, and how many tokens long."""

    number: int
    places: tuple[Place, Place]
    tokens: int


class ShownFile(TypedDict):
    """A file with its lines; `given` are the numbers of those that were handed out."""

    name: str
    lines: list[str]
    given: list[int]


class Half(TypedDict):
    """One of the two programs; `covered` is the share of its own tokens that is in passages."""

    side: Side
    covered: float
    files: list[ShownFile]
    left_out: list[LeftOut]


class Beside(TypedDict):
    """Two programs and what of them corresponds, in the order of the first one's lines."""

    halves: tuple[Half, Half]
    passages: list[Passage]


def in_words(side: Side) -> str:
    """A side as a sentence names it."""
    if side.get("sample"):
        return f"the sample {side['name']}"
    rated = rated_name(side["name"], side["version"])
    return f"{rated} of {side['season']}" if "season" in side else rated
