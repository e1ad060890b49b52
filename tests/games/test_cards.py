"""Cards, decks, and the documented stream against an implementation of its own."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.games.cards import Deck, Stream, commitment, published_commitment, seed_bits
from arbiter.games.planning import Planning
from tests.fixtures.profiles import examples

SEEDS = st.one_of(st.integers(0, 2**70), st.text(min_size=1, max_size=20))


def words_by_the_book(seed, round_number, deal):
    """CONTRACT, Seed: block k is SHA-256 of the text, read as big-endian 64-bit words."""
    k = 0
    while True:
        text = f"arbiter-deals-1|{seed}|{round_number}|{deal}|{k}"
        digest = hashlib.sha256(text.encode()).digest()
        for start in range(0, 32, 8):
            yield int.from_bytes(digest[start : start + 8], "big")
        k += 1


def draw_by_the_book(words, m):
    for word in words:
        if word < 2**64 - 2**64 % m:
            return word % m
    raise AssertionError("the stream is endless")


def shuffled_by_the_book(words, n):
    cards = list(range(n))
    for i in range(n - 1, 0, -1):
        j = draw_by_the_book(words, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


@pytest.mark.parametrize(
    ("seed", "bits"),
    [
        ("1", 3),
        ("1234567890123456789", 63),
        ("0123456789abcdef", 64),
        ("springleague", 56),
        ("\u00e9" * 8, 64),
    ],
)
def test_a_seed_has_no_more_bits_than_its_alphabet_gives_it(seed, bits):
    assert seed_bits(seed) == bits


def test_the_hash_of_a_short_seed_is_told_to_nobody_who_does_not_insist():
    assert published_commitment("1234567890123456789") is None
    assert published_commitment("0123456789abcdef") == commitment("0123456789abcdef")
    assert published_commitment("1", insisted=True) == commitment("1")


@examples(40)
@given(seed=SEEDS, round_number=st.integers(1, 500), deal=st.integers(0, 20), n=st.integers(1, 90))
def test_the_shuffle_is_the_documented_one(seed, round_number, deal, n):
    words = words_by_the_book(seed, round_number, deal)
    assert Stream.of_deal(seed, round_number, deal).shuffled(n) == shuffled_by_the_book(words, n)


@given(sizes=st.lists(st.integers(1, 2**64), min_size=1, max_size=30))
def test_draws_of_any_sizes_are_the_documented_ones(sizes):
    # Sizes beyond 2^63 reject up to half of all words.
    stream, words = Stream.of_deal("s", 3, 4), words_by_the_book("s", 3, 4)
    assert [stream.draw(m) for m in sizes] == [draw_by_the_book(words, m) for m in sizes]


def test_a_word_of_the_incomplete_last_interval_is_rejected():
    m = 2**63 + 1
    words = words_by_the_book("rejects", 1, 0)
    first = next(words)
    seed_words = [first, *(next(words) for _ in range(7))]
    accepted = [word for word in seed_words if word < m]
    assert len(accepted) < len(seed_words)
    stream = Stream.of_deal("rejects", 1, 0)
    assert [stream.draw(m) for _ in accepted] == accepted


def test_the_pinned_deals_follow_from_the_documented_stream():
    game = Planning()
    for number, (count, starter) in enumerate(game.programme):
        cards = shuffled_by_the_book(words_by_the_book(1, 1, number), 52)
        deal = game.next_deal(number, Stream.of_deal(1, 1, number), None)
        hands = [tuple(cards[seat * count : seat * count + count]) for seat in range(4)]
        assert deal is not None
        assert (list(deal.hands), deal.seat) == (hands, starter)


@pytest.mark.parametrize("deck", [Deck("23456789TJQKA", "CDHS"), Deck("1", "x"), Deck("ab", "xyz")])
def test_index_suit_and_length_of_a_deck_agree_with_its_names(deck):
    assert len(deck) == len(deck.values) * len(deck.suits)
    for card, name in enumerate(deck.names):
        assert deck.index[name] == card
        assert deck.suits[deck.suit(card)] == name[1]
