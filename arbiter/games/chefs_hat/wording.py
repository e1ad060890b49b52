"""What is told of a deal of Chef's Hat, in the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from arbiter.cards import Card
from arbiter.games.chefs_hat.actions import FOOD_FIGHT, NO_SPECIAL, SPECIALS
from arbiter.games.chefs_hat.deal import ROLES, SEATS, Gift, card_text
from arbiter.games.chefs_hat.state import ChefsHatState
from arbiter.rules import Action, Command, Seat, Tell

EVERYBODY = tuple(range(SEATS))


def words(cards: Iterable[Card]) -> str:
    """Cards with blanks between."""
    return " ".join(map(card_text, cards))


def set_roles(roles: tuple[int, ...]) -> Command:
    """Roles by seat."""
    return "set_roles " + " ".join(ROLES[role] for role in roles)


def special(seat: Seat, action: Action) -> Command:
    """A special action that a seat declares."""
    return f"special {seat} {SPECIALS[action - NO_SPECIAL]}"


def gift_wording(given: Gift) -> tuple[Command, ...]:
    """A gift in the words for each seat."""
    giver, taker, cards = given
    plain = f"exchange {giver} {taker} {len(cards)}"
    return tuple(f"{plain} {words(cards)}" if seat in (giver, taker) else plain for seat in EVERYBODY)


def opening_news(before: ChefsHatState, seat: Seat, action: Action, after: ChefsHatState) -> Iterator[Tell]:
    """What is told after an action before the play; gifts once all are decided."""
    if before.asking_special:
        if action != NO_SPECIAL:
            yield Tell(EVERYBODY, special(seat, action))
        if action == FOOD_FIGHT:
            roles = after.setting.roles
            assert roles is not None
            yield Tell(EVERYBODY, set_roles(roles))
    elif after.in_play:
        for given in after.setting.exchange or ():
            # Neighbours that hear the same hear it together, so that seats stay in order.
            for command, seats in groupby(enumerate(gift_wording(given)), key=lambda worded: worded[1]):
                yield Tell(tuple(seat for seat, _ in seats), command)


def ending(after: ChefsHatState) -> tuple[Tell, ...]:
    """The end of a round, or of the deal."""
    if after.to_act:
        return (Tell(EVERYBODY, f"pizza {after.to_act[0]}"),)
    return (Tell(EVERYBODY, f"end_deal {' '.join(map(str, after.points()))}"),)
