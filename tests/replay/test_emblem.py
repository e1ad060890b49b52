"""What a player is known by: of its name alone, partners with one, and told apart by colour-blind people."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from arbiter.games import make
from arbiter.replay.emblem import COLOURS, deal_colours, dealt, emblem, emblems
from arbiter.replay.visibility import Reader, replay_of
from arbiter.testing import match_spec, play_by_policy, random_policy

STYLE = Path(__file__).parents[2] / "arbiter" / "web" / "static" / "style.css"
# Machado, Oliveira and Fernandes 2009, of full severity; applied to linear light.
SIGHT = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
_TO_CONES = ((0.4122, 0.5363, 0.0514), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.6300))
_TO_LAB = ((0.2105, 0.7936, -0.0041), (1.9780, -2.4286, 0.4506), (0.0259, 0.7828, -0.8087))


def test_versions_and_copies_are_known_as_their_player() -> None:
    assert emblem("ada@2") == emblem("ada#3") == emblem("ada") != emblem("grace")
    assert emblem("@") != emblem("#")


def test_partners_share_a_colour_unlike_their_opponents_and_keep_their_shapes() -> None:
    alike = next(name for n in range(99) if emblem(name := f"p{n}")["colour"] == emblem("ada")["colour"])
    names = ["ada", alike, "grace", "barbara"]
    marks = emblems(names, [0, 1, 0, 1])
    ada, barbara = emblem("ada")["colour"], emblem("barbara")["colour"]
    assert [mark["colour"] for mark in marks] == [ada, barbara, ada, barbara]
    assert [mark["shape"] for mark in marks] == [emblem(name)["shape"] for name in names]
    assert emblems(["ada", "grace"], [None, None]) == [emblem("ada"), emblem("grace")]


def test_a_season_deals_its_colours_in_turn_and_repeats_the_first_after_twelve() -> None:
    names = [f"player {n}" for n in range(14)]
    with dealt(deal_colours([*names[:1], "player 0@2", *names[1:]])):
        colours = [emblem(name)["colour"] for name in names]
        assert emblem("player 3@9") == emblem("player 3")
    assert colours == [*range(COLOURS), 0, 1]
    assert len({emblem(name)["colour"] for name in names}) < COLOURS


def test_a_replay_says_what_its_players_are_known_by() -> None:
    game = make("codepiece", {"dealers": [0]})
    replay = replay_of(play_by_policy(game, random_policy(1), match_spec(game)), Reader("full"))
    names = [player["name"] for player in replay["players"]]
    assert [player["mark"] for player in replay["players"]] == emblems(names, [0, 1, 0, 1])


def palettes() -> list[list[str]]:
    """The colours of the style, light and dark."""
    found = re.findall(r"(?:--p\d+: #[0-9a-f]{6};\s*){12}", STYLE.read_text(encoding="utf-8"))
    return [re.findall(r"#[0-9a-f]{6}", one) for one in dict.fromkeys(found)]


def light_of(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def times(matrix: tuple[tuple[float, ...], ...], vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(light: list[float]) -> list[float]:
    """OKLab, in which equal distances look alike."""
    return times(_TO_LAB, [max(part, 0) ** (1 / 3) for part in times(_TO_CONES, light)])


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_are_told_apart(sight: str) -> None:
    for colours in palettes():
        assert len(colours) == COLOURS
        seen = [lab([min(max(part, 0), 1) for part in times(SIGHT[sight], light_of(one))]) for one in colours]
        nearest = min(sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) for pair in combinations(seen, 2))
        # Three times what is just seen.
        assert nearest**0.5 > 0.06


def test_colours_stand_out_from_their_ground() -> None:
    light, dark = palettes()
    for colours, ground in ((light, "#ffffff"), (dark, "#15181d")):
        for colour in colours:
            ends = sorted(
                times(((0.2126, 0.7152, 0.0722),), light_of(one))[0] + 0.05 for one in (colour, ground)
            )
            assert ends[1] / ends[0] >= 3, colour
