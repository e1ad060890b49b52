"""A deal as a sheet, drawn for every game from what the game says of its moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arbiter.games import make, names
from arbiter.replay.score_sheet import SheetStep, score_sheet, sheets_of
from arbiter.testing import match_spec, play_by_policy, random_policy

if TYPE_CHECKING:
    from arbiter.games.game import AnyGame

GAMES = [make(name, {}) for name in names()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_all_that_is_laid_stands_in_the_column_of_its_seat(game: AnyGame) -> None:
    record = play_by_policy(game, random_policy("sheet"), match_spec(game, seed="sheet"))
    for dealt, steps in sheets_of(record, game):
        lines = list(score_sheet(game, dealt.state, steps))
        heads = next(line for line in lines if line.startswith("seat "))
        places = [heads.index(str(seat)) for seat in range(game.seats)]
        laid = lines[lines.index(heads) + 1 :]
        laid = laid[: next(n for n, line in enumerate(laid) if not line.startswith(" "))]
        for seat, place in enumerate(places):
            cells = [line[place:].split("  ")[0] for line in laid if line[place : place + 1].strip()]
            words = [
                game.laid(step.before, seat, step.action, step.after) for step in steps if step.seat == seat
            ]
            assert cells == ["-" if word == "pass" else game.short(word) for word in words if word]
        assert any(line.startswith("points ") for line in lines)


def test_a_lead_is_marked_and_who_takes_a_trick_stands_behind_it() -> None:
    game = make("planning", {"deals": [[2, 3]]})
    deal = game.deal_from_json(
        {"hands": [["2C", "3C"], ["4C", "5C"], ["AC", "2D"], ["6C", "7C"]], "starter": 3}
    )
    first = state = game.start(deal)
    steps = []
    for word in ("0", "0", "1", "1", "6C", "2C", "4C", "AC", "2D"):
        seat = state.to_act[0]
        action = game.parse(state, seat, word)
        after = state.apply(seat, action)
        steps.append(SheetStep(seat, game.request(state, seat), word, action, state, after))
        state = after
    assert list(score_sheet(game, first, steps)) == [
        "trump     C",
        "declare   0:0  1:0  2:1  3:1",
        "seat       0    1    2    3",
        "           2C   4C   AC  >6C  seat 2 takes the trick",
        "                    >2D",
        "declared  0:0  1:0  2:1  3:1",
        "taken     0:0  1:0  2:1  3:0",
        "trick     2 of 2",
    ]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_deal_in_progress_has_neither_points_nor_a_winner(game: AnyGame) -> None:
    record = play_by_policy(game, random_policy("sheet"), match_spec(game, seed="sheet"))
    dealt, steps = sheets_of(record, game)[0]
    said = game.says_deal(steps[-1].after, [f"seat {seat}" for seat in range(game.seats)])
    whole, part = (list(score_sheet(game, dealt.state, some)) for some in (steps, steps[:-1]))
    assert whole[-1] == said
    assert not any(line.startswith("points") or line == said for line in part)


def test_a_match_by_the_published_rules_of_chefs_hat_shows_what_was_played_in_place_of_answers() -> None:
    game = make("chefs_hat", {"rules": "gym2", "matches": 1})
    record = play_by_policy(game, random_policy("sheet"), match_spec(game, seed="sheet"))
    ((dealt, steps),) = sheets_of(record, game)
    text = "\n".join(score_sheet(game, dealt.state, steps))
    played = [game.laid(step.before, step.seat, step.action, step.after) for step in steps]
    assert all(word == "pass" or game.short(word) in text for word in played if word)
