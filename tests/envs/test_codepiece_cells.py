"""Cards and observations of Codepiece to cells and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.envs.codepiece import (
    Engine,
    card_beats,
    decode_cards,
    decode_observation,
    encode_cards,
    encode_observation,
)
from arbiter.games.codepiece import DECK, IDS, OVER
from tests.fixtures.profiles import examples

cards = st.sampled_from(DECK.names)


@examples(100)
@given(st.sets(cards))
def test_cards_come_back_from_their_cells(held: set[str]) -> None:
    cells = encode_cards(held)
    assert (cells.dtype, cells.shape, cells.sum()) == (np.float32, (52,), len(held))
    assert decode_cards(cells) == sorted(held, key=DECK.index.__getitem__)


@examples(40)
@given(st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_observations_are_made_of_states_and_read_back(seed: int, choice: Any) -> None:
    engine = Engine(seed=seed)
    state, player = engine.init_game()
    assert len(state) == 20
    over = False
    while not over:
        over = engine.is_over()
        for seat in range(4):
            state, seen = engine.get_state(seat), engine.observe(seat)
            assert encode_observation(state).tobytes() == seen.tobytes()
            read = decode_observation(seen)
            trick, others, to_act = (read.pop(key) for key in ("trick", "others", "to_act"))
            assert read == {key: state[key] for key in read}
            assert to_act == (seat == player and not over)
            assert set(trick) == {card for _, card in state["current_trick"]}
            assert sorted([*trick, *others, *read["hand"]]) == sorted(DECK.names)
        if not over:
            state, player = engine.step(choice.choice(engine.get_legal_actions()))


@examples(200)
@given(cards, cards, st.sampled_from("CDHS"), st.sampled_from("CDHS"))
def test_a_card_beats_what_the_rules_let_it_take(card: str, winning: str, led: str, trump: str) -> None:
    beats = card_beats(card, winning, led, trump)
    assert not (beats and card_beats(winning, card, led, trump))
    if winning[1] in (led, trump):
        assert beats == bool(OVER[DECK.suits.index(trump)][IDS[winning]] >> IDS[card] & 1)
    else:
        assert beats == (card[1] in (led, trump))


@pytest.mark.parametrize("wrong", ["10D", "DT", "", 7, None])
def test_what_is_no_card_is_named(wrong: Any) -> None:
    for call in (lambda: encode_cards([wrong]), lambda: card_beats(wrong, "2C", "C", "C")):
        with pytest.raises(ValueError, match=f"got {wrong!r}"):
            call()


@pytest.mark.parametrize("wrong", ["", "CD", "c", None])
def test_what_is_no_suit_is_named(wrong: Any) -> None:
    with pytest.raises(ValueError, match=f"a suit, one of C, D, H, S, got {wrong!r}"):
        card_beats("2C", "3C", wrong, "C")


def test_cells_of_something_else_are_refused() -> None:
    for cells in (np.zeros(51), np.full(52, 0.5), np.zeros((52, 1)), ["x"] * 52):
        with pytest.raises(ValueError, match="expected 52 cells from 0 to 1"):
            decode_cards(cells)
    engine = Engine(seed=1)
    engine.init_game()
    seen = engine.observe(0)
    for cell, value, problem in ((0, 0.5, "233 cells"), (226, np.nan, "233 cells"), (220, 1, "one phase")):
        changed = seen.copy()
        changed[cell] = value
        with pytest.raises(ValueError, match=problem):
            decode_observation(changed)
