"""The combinations of Dou Dizhu: the table, and the move generator against recorded and plain ones."""

from __future__ import annotations

from collections import Counter
from hashlib import sha1, sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.games.dou_dizhu import moves
from arbiter.games.dou_dizhu.combinations import (
    ACTIONS,
    FIRST_BOMB,
    PASS,
    RANKS,
    ROCKET,
    counts_of,
    holds,
    kind_of,
    table,
    word_of,
)
from arbiter.games.dou_dizhu.moves import follow, lead
from tests.fixtures.profiles import examples
from tests.fixtures.recorded_games import lines

DECK = [rank for rank in RANKS[:13] for _ in range(4)] + ["B", "R"]
TABLE = table()

# The first and last id of every type and chain length, and the first and last name of it.
RANGES = [
    (0, 14, "3", "R"),
    (15, 27, "33", "22"),
    (28, 40, "333", "222"),
    (41, 222, "3334", "222R"),
    (223, 378, "33344", "AA222"),
    (379, 386, "34567", "TJQKA"),
    (387, 393, "345678", "9TJQKA"),
    (394, 399, "3456789", "89TJQKA"),
    (400, 404, "3456789T", "789TJQKA"),
    (405, 408, "3456789TJ", "6789TJQKA"),
    (409, 411, "3456789TJQ", "56789TJQKA"),
    (412, 413, "3456789TJQK", "456789TJQKA"),
    (414, 414, "3456789TJQKA", "3456789TJQKA"),
    (415, 424, "334455", "QQKKAA"),
    (425, 433, "33445566", "JJQQKKAA"),
    (434, 441, "3344556677", "TTJJQQKKAA"),
    (442, 448, "334455667788", "99TTJJQQKKAA"),
    (449, 454, "33445566778899", "8899TTJJQQKKAA"),
    (455, 459, "33445566778899TT", "778899TTJJQQKKAA"),
    (460, 463, "33445566778899TTJJ", "66778899TTJJQQKKAA"),
    (464, 466, "33445566778899TTJJQQ", "5566778899TTJJQQKKAA"),
    (467, 477, "333444", "KKKAAA"),
    (478, 487, "333444555", "QQQKKKAAA"),
    (488, 496, "333444555666", "JJJQQQKKKAAA"),
    (497, 504, "333444555666777", "TTTJJJQQQKKKAAA"),
    (505, 511, "333444555666777888", "999TTTJJJQQQKKKAAA"),
    (512, 1479, "33344455", "KKKAAA2R"),
    (1480, 4761, "333444555678", "QQQKKKAAA22R"),
    (4762, 11945, "333444555666778B", "TJJJQQQKKKAAA222"),
    (11946, 22333, "3334445556667778899B", "99TTTJJJQQQKKKAAA222"),
    (22334, 22938, "3334445566", "QQKKKAAA22"),
    (22939, 24138, "333444555667788", "TTJJQQQKKKAAA22"),
    (24139, 25272, "333444555666778899TT", "8899TTJJJQQQKKKAAA22"),
    (25273, 26598, "333344", "A2222R"),
    (26599, 27456, "33334455", "KKAA2222"),
    (27457, 27469, "3333", "2222"),
    (27470, 27470, "BR", "BR"),
    (27471, 27471, "pass", "pass"),
]


def cards_up_to(most):
    """Some cards of the deck as counts."""
    picked = st.lists(st.sampled_from(range(54)), unique=True, min_size=1, max_size=most)
    return picked.map(lambda places: counts_of(DECK[place] for place in places))


def dense_hands():
    """Hands of few ranks, so full of trios and fours."""
    ranks = st.lists(st.integers(0, 14), unique=True, min_size=2, max_size=6)
    copies = st.lists(st.integers(2, 4), min_size=6, max_size=6)
    return st.tuples(ranks, copies).map(
        lambda both: sum(
            min(many, 1 if rank > 12 else 4) << 4 * rank for rank, many in zip(*both, strict=False)
        )
    )


def shape_of(name):
    """What a combination is, from its cards alone: (type, length, main rank); slow and plain."""
    count = Counter(RANKS.index(card) for card in name)
    size = len(name)

    def row(copies):
        """The longest chain of ranks with at least so many copies that explains all `size` cards."""
        able = sorted(rank for rank, many in count.items() if many >= copies)
        for length in range(len(able), 0, -1):
            for start in able:
                ranks = set(range(start, start + length))
                if ranks <= set(able) and (length == 1 or max(ranks) < 12):
                    yield start, length

    if name == "BR":
        return "rocket", 1, 13
    if len(count) == 1:
        return ("", "solo", "pair", "trio", "bomb")[size], 1, min(count)
    for copies, least, kind in ((1, 5, "chain"), (2, 3, "pairs"), (3, 2, "trios")):
        if size % copies == 0:
            for start, length in row(copies):
                if length * copies == size and length >= least:
                    return kind, length, start
    for start, length in row(3):
        if size == 4 * length:
            return "trios and cards", length, start
        if size == 5 * length and all(
            many == 2 for rank, many in count.items() if not start <= rank < start + length
        ):
            return "trios and pairs", length, start
    fours: list[int | None] = [rank for rank, many in count.items() if many == 4]
    (four,) = fours[:1] or [None]
    return ("four and cards" if size == 6 else "four and pairs"), 1, four


def beats(name, best):
    """Whether one combination beats another, from their cards."""
    (kind, length, main), (other, other_length, other_main) = shape_of(name), shape_of(best)
    if other == "rocket":
        return False
    if kind == "rocket":
        return True
    if kind == "bomb" and other != "bomb":
        return True
    return (kind, length) == (other, other_length) and main > other_main


# The table


def test_the_table_is_the_published_one():
    digest = sha256(" ".join(TABLE.names).encode()).hexdigest()
    assert digest == "2e27feb6d5c67041bad98711158996e634593e6af00ddf88e5d4be415f01ca94"
    assert len(TABLE.names) == ACTIONS == len(TABLE.cards) == len(TABLE.floor) == len(TABLE.ceiling)


def test_every_type_and_length_has_its_range_of_ids():
    assert [action for first, last, *_ in RANGES for action in range(first, last + 1)] == [*range(ACTIONS)]
    names = [(TABLE.names[first], TABLE.names[last]) for first, last, *_ in RANGES]
    assert names == [(name, last_name) for *_, name, last_name in RANGES]
    assert all(kind_of(first) == kind_of(last) for first, last, *_ in RANGES)


def test_every_name_is_its_cards_in_rank_order():
    for action, name in enumerate(TABLE.names[:PASS]):
        assert word_of(TABLE.cards[action]) == name
        assert TABLE.ids[name] == action


def test_chains_hold_no_two_and_no_joker():
    chains = TABLE.names[379:512]
    assert not any(set(name) & set("2BR") for name in chains)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("333444555666", "chain of trios"),
        ("333344", "four with two cards"),
        ("33334455", "four with two pairs"),
        ("33344455", "chain of trios with cards"),
        ("333444555999", "chain of trios with cards"),
        ("KKKAAA2R", "chain of trios with cards"),
        ("QQQKKKAAA222", "chain of trios with cards"),
        ("222R", "trio with a card"),
        ("BR", "rocket"),
        ("pass", "pass"),
    ],
)
def test_a_name_has_one_type(word, kind):
    assert kind_of(TABLE.ids[word]) == kind


# The generator


def test_recorded_hands_have_the_recorded_combinations():
    for line in lines("dou_dizhu/rlcard_movegen")[1:]:
        assert line["type"] == "lead"
        ids = lead(counts_of(line["hand"]))
        assert len(ids) == line["n"], line["hand"]
        assert sha1(",".join(map(str, ids)).encode()).hexdigest()[:16] == line["sha"], line["hand"]
        assert ids == line.get("legal", ids)


def by_the_table(hand):
    return [action for action in range(PASS) if holds(hand, TABLE.cards[action])]


@given(hand=cards_up_to(20) | dense_hands())
@examples(40)
def test_the_leader_may_play_every_combination_in_the_hand(hand):
    assert list(lead(hand)) == by_the_table(hand)


@given(hand=cards_up_to(20) | dense_hands(), best=st.integers(0, ROCKET) | st.integers(0, 466))
@examples(200)
def test_who_follows_may_play_what_is_in_the_hand_and_beats_the_best_play(hand, best):
    name = TABLE.names[best]
    better = [action for action in lead(hand) if beats(TABLE.names[action], name)]
    assert list(follow(hand, best)) == [*better, PASS]


@given(hand=cards_up_to(20), best=st.integers(0, ROCKET))
@examples(60)
def test_floor_and_ceiling_say_what_beats_a_combination(hand, best):
    floor, ceiling = TABLE.floor[best], TABLE.ceiling[best]
    for action in lead(hand):
        ours = floor <= action < ceiling or (action >= FIRST_BOMB and action > best)
        assert ours == beats(TABLE.names[action], TABLE.names[best])


@given(hand=cards_up_to(20), cards=cards_up_to(6))
@examples(200)
def test_a_hand_holds_cards_if_it_has_as_many_of_each_rank(hand, cards):
    assert holds(hand, cards) == (Counter(word_of(cards)) <= Counter(word_of(hand)))


def test_what_is_remembered_is_bounded_and_forgetting_changes_nothing(monkeypatch):
    hands = [counts_of(line["hand"]) for line in lines("dou_dizhu/rlcard_movegen")[1:][:300]]
    before = [list(lead(hand)) for hand in hands]
    monkeypatch.setattr(moves, "_REMEMBERED", 4)
    memories = [m for m in vars(moves).values() if isinstance(m, moves._Plain | moves._Carriers)]
    for memory in memories:
        memory.clear()
    assert [list(lead(hand)) for hand in hands] == before
    assert all(len(memory) <= 4 for memory in memories)
