"""Cards dealt to places that may hold them: a matching of cards and free places."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def filled(
    cards: Sequence[str], room: Sequence[int], barred: Collection[tuple[str, int]]
) -> list[list[str]] | None:
    """Cards by place, place p taking `room[p]` of them; None where that cannot be.

    There is room for all cards and no more. A pair (card, place) of `barred` is not made. Nothing is left
    to chance: the same question has the same answer.
    """
    held: list[list[str]] = [[] for _ in room]
    if not barred:
        start = 0
        for place, size in enumerate(room):
            held[place] = list(cards[start : start + size])
            start += size
        return held
    places = [place for place, size in enumerate(room) if size]
    open_to = {card: [place for place in places if (card, place) not in barred] for card in cards}

    def put(card: str, tried: set[int]) -> bool:
        """Find a place for a card, moving others on where need be (an augmenting path)."""
        untried = [place for place in open_to[card] if place not in tried]
        for place in untried:
            if len(held[place]) < room[place]:
                held[place].append(card)
                return True
        for place in untried:
            tried.add(place)
            for at, other in enumerate(held[place]):
                if put(other, tried):
                    held[place][at] = card
                    return True
        return False

    # Those with the fewest places first, so that little has to be moved later.
    for card in sorted(cards, key=lambda card: len(open_to[card])):
        if not put(card, set()):
            return None
    return held
