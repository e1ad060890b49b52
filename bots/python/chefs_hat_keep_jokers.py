#!/usr/bin/env python3
"""Discards its largest value first, as many cards of it as possible, but saves its jokers for when they win.
It counts cards, and when all its groups but one cannot be beaten, it leads these first.

Jokers go into a discard that nobody can beat with the cards not yet seen, once that brings the hand near its
end, and into the last discard. The protocol and the rules come from chefs_hat_kit.py.
"""

import chefs_hat_kit as kit

DECK = [*range(kit.JOKER), 2]  # how many cards of each value there are
NEAR_THE_END = 4
"""With so many groups left, a joker may go for a sure trick: measured, 3 and 6 are a little worse."""


class Bot(kit.Bot):
    """The choice of a discard."""

    def move(self):
        """(value, quantity, jokers), None for a pass."""
        # How many cards of each value the others may hold.
        self.unseen = [
            number - self.hand.count(card) - self.laid.count(card) for card, number in enumerate(DECK)
        ]
        found = self.discards()
        for move in found:
            if move[1] + move[2] == len(self.hand):
                return move
        # The fewest jokers first, then the largest value.
        sure = sorted(filter(self.is_sure, found), key=lambda move: (move[2], -move[0]))
        for move in sure:
            if self.wins_after(move):
                return move
        plain = [move for move in found if not move[2]]
        if plain:
            return max(plain)
        with_jokers = [move for move in sure if move[0]]
        if with_jokers and len(set(self.hand) - {kit.JOKER}) <= NEAR_THE_END:
            return with_jokers[0]
        if self.table or not found:
            return None
        return max(found, key=lambda move: (move[0], move[1] + move[2]))

    def is_sure(self, move):
        """Whether no cards not yet seen beat a discard."""
        value, quantity, jokers = move
        if not value:
            return not self.book
        wild = self.unseen[kit.JOKER]
        return all(not number or number + wild < quantity + jokers for number in self.unseen[1:value])

    def wins_after(self, move):
        """Whether of the groups that a discard leaves all but one are sure as well."""
        value, quantity, jokers = move
        left = {card: self.hand.count(card) for card in set(self.hand) - {kit.JOKER}}
        left[value] = left.get(value, 0) - quantity
        groups = {card: number for card, number in left.items() if number > 0}
        unsure = sum(not self.is_sure((card, number, 0)) for card, number in groups.items())
        # Jokers that are left need a group to go with.
        return unsure <= 1 and (bool(groups) or self.hand.count(kit.JOKER) == jokers)


if __name__ == "__main__":
    kit.main(Bot, "Plays Chef's Hat, the largest values first.", "without effect: there is no chance in it")
