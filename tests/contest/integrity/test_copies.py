"""Copies: who stands out among programs that people wrote by themselves, and who does not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.contest.integrity.program_sources import UnreadProgram, to_build_on
from arbiter.contest.integrity.similar_sources import (
    LEAST,
    STANDS_OUT,
    FingerprintedProgram,
    outlying_pairs,
    similarities,
)
from arbiter.contest.integrity.tokens import is_source
from tests.contest.integrity.disguise import disguised
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.contest.integrity.schema import Side

BOTS = ROOT / "bots"
PYTHON = BOTS / "python"
SAMPLES = [
    "codepiece_pimc.py", "codepiece_rules.py", "chefs_hat_keep_jokers.py", "dou_dizhu_smallest.py",
    "planning_count.py", "planning_greedy.py", "planning_pimc.py",
]  # fmt: skip
BY_HAND = Path(__file__).with_name("by_hand.js")
"""The shipped bot in JavaScript as somebody wrote it again with that beside him."""


def printed(name: str, files: Mapping[str, Path], sample: bool = False) -> FingerprintedProgram:
    side: Side = {"name": name, "version": None, "key": name}
    if sample:
        side["sample"] = True
    return FingerprintedProgram.of(UnreadProgram(side, list(files.items())).read())


@pytest.fixture(scope="module")
def kits() -> list[FingerprintedProgram]:
    """What everybody has been handed."""
    return [printed(name, {name: PYTHON / name}, sample=True) for name in sorted(to_build_on())]


@pytest.fixture(scope="module")
def honest() -> list[FingerprintedProgram]:
    """The house's own bots, each as somebody else's: players of all games, and parts of learners."""
    folders = ("cpp", "js", "languages", "learned", "llm", "python")
    files = [file for folder in folders for file in sorted((BOTS / folder).iterdir())]
    return [
        printed(f"{file.parent.name}/{file.name}", {file.name: file})
        for file in files
        if is_source(file.name) and file.suffix != ".h" and file.name not in to_build_on()
    ]


@pytest.fixture(scope="module")
def most_alike(honest: list[FingerprintedProgram], kits: list[FingerprintedProgram]) -> float:
    """The similarity of the honest pair that is most alike."""
    assert len(honest) >= 30
    return max(like.similarity for like in similarities(honest, [], kits))


def test_no_honest_pair_is_asked_about(
    honest: list[FingerprintedProgram], kits: list[FingerprintedProgram], most_alike: float
) -> None:
    assert outlying_pairs(honest, [], kits) == []
    assert 0 < most_alike < LEAST


@pytest.mark.parametrize("name", SAMPLES)
def test_a_disguised_copy_of_a_sample_is_above_every_honest_pair(
    name: str,
    honest: list[FingerprintedProgram],
    kits: list[FingerprintedProgram],
    most_alike: float,
    tmp_path: Path,
) -> None:
    copy = tmp_path / "bot.py"
    copy.write_text(disguised((PYTHON / name).read_text()))
    others = [one for one in honest if one.side["name"] != f"python/{name}"]
    sample = printed(name, {name: PYTHON / name}, sample=True)
    row, *more = outlying_pairs([printed("eve", {"bot.py": copy}), *others], [], [*kits, sample])
    assert [side["name"] for side in row["players"]] == ["eve", name]
    assert row["similarity"] > 2 * most_alike
    assert row["stands_out"] > 2 * STANDS_OUT
    assert row["say"].startswith(f"Is eve made from the sample {name}?")
    assert more == []


def test_a_copy_made_by_hand_in_another_language_stands_out(
    honest: list[FingerprintedProgram], kits: list[FingerprintedProgram], most_alike: float
) -> None:
    others = [one for one in honest if one.side["name"] != "js/planning_random.js"]
    sample = printed("random", {"bot.js": BOTS / "js" / "planning_random.js"}, sample=True)
    (row,) = outlying_pairs([printed("eve", {"bot.js": BY_HAND}), *others], [], [*kits, sample])
    assert [side["name"] for side in row["players"]] == ["eve", "random"]
    assert row["similarity"] > 1.5 * most_alike


def test_copies_of_one_sample_are_asked_about_beside_it_alone(
    kits: list[FingerprintedProgram], tmp_path: Path
) -> None:
    name = "planning_pimc.py"
    (tmp_path / "bot.py").write_text(disguised((PYTHON / name).read_text()))
    both = [printed("ann", {"bot.py": tmp_path / "bot.py"}), printed("ben", {"bot.py": PYTHON / name})]
    rows = outlying_pairs(both, [], [*kits, printed(name, {name: PYTHON / name}, sample=True)])
    assert sorted(row["players"][0]["name"] for row in rows) == ["ann", "ben"]
    assert {row["players"][1]["name"] for row in rows} == {name}


def test_two_authors_with_one_source_are_asked_about(
    honest: list[FingerprintedProgram], kits: list[FingerprintedProgram], tmp_path: Path
) -> None:
    copy = tmp_path / "bot.py"
    copy.write_text(disguised((PYTHON / "planning_pimc.py").read_text()))
    (row,) = outlying_pairs([*honest, printed("eve", {"own.py": copy})], [], kits)
    assert [side["name"] for side in row["players"]] == ["python/planning_pimc.py", "eve"]
    assert row["files"] == (["planning_pimc.py"], ["own.py"])
    assert row["say"].startswith("Have python/planning_pimc.py and eve a common source?")


def test_a_part_that_was_taken_over_is_found_in_a_larger_program(
    honest: list[FingerprintedProgram], kits: list[FingerprintedProgram], tmp_path: Path
) -> None:
    part = tmp_path / "bot.py"
    part.write_text(disguised((PYTHON / "planning_greedy.py").read_text()))
    eve = printed("eve", {"bot.py": part, "more.py": BOTS / "learned" / "yardstick.py"})
    others = [one for one in honest if "yardstick" not in one.side["name"]]
    (row,) = outlying_pairs([*others, eve], [], kits)
    assert row["players"][0]["name"] == "python/planning_greedy.py"
    assert row["jaccard"] < LEAST < row["similarity"]


def test_what_was_handed_out_makes_nobody_alike(
    honest: list[FingerprintedProgram], kits: list[FingerprintedProgram]
) -> None:
    """Both start from a kit and from the simplest bot."""
    files = {"kit.py": PYTHON / "planning_kit.py", "bot.py": PYTHON / "planning_random.py"}
    both = [
        printed("ann", files | {"own.py": PYTHON / "planning_count.py"}),
        printed("ben", files | {"own.py": PYTHON / "codepiece_rules.py"}),
    ]
    assert outlying_pairs(both, [], kits) == []


def test_versions_of_one_name_are_never_compared() -> None:
    files = {"bot.py": PYTHON / "planning_pimc.py"}
    earlier = printed("ann", files)
    assert list(similarities([printed("ann", files)], [earlier], [])) == []
    earlier.side["name"] = "ben"
    assert [like.similarity for like in similarities([printed("ann", files)], [earlier], [])] == [1.0]


def test_a_few_lines_or_none_tell_nothing() -> None:
    files = {"bot.py": PYTHON / "codepiece_small_bids.py"}
    assert outlying_pairs([printed("ann", files), printed("ben", files)], [], []) == []
    assert outlying_pairs([], [], []) == outlying_pairs([printed("ann", {})], [], []) == []
