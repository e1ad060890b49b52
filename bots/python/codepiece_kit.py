"""The kit for Codepiece: protocol, hand and trick, in one file to copy beside your bot.

    import codepiece_kit as kit

    class Bot(kit.Bot):
        def bid(self):
            return 8

    if __name__ == "__main__":
        kit.main(Bot, "Plays Codepiece by bidding eight.")

A method `values` may say what each choice is worth, for `gen_values`. The commands are explained in
codepiece_random.py.
"""

import argparse
import random
import sys

VALUES, SUITS = "23456789TJQKA", "CDHS"


class Bot:
    """Plays one match after the other: `bid`, `name_trump` and `move` decide.

    `values` may say what each choice is worth, for `gen_values`.
    """

    def __init__(self, seed=1):
        self.seed, self.me, self.deal = seed, 0, -1

    def reply(self, line):
        """The reply to one command: what stands after "=", or None to refuse."""
        command, *words = line.split()
        if command == "set_rules":
            return "" if words[:2] == ["codepiece", "1"] else None
        if command in ("set_deck", "time_left", "quit"):
            return ""
        if command == "end_deal":
            self.hand = []
            return ""
        if command == "set_players":
            self.me = int(words[1])
            return ""
        if command == "set_game":
            self.deal, self.dealers = -1, [int(word) for word in words[1:]]
            return ""
        if command == "set_cards":
            self.deal, self.trick, self.highest, self.leader = self.deal + 1, [], 7, None
            self.calls, self.trump = 0, None
            self.dealt(words[1:])
            # Luck depends on nothing but the seed, the deal and my cards, so a match can be played again.
            self.rng = random.Random(f"{self.seed}|{self.deal}|{' '.join(self.hand)}")
            self.luck = random.Random(f"values|{self.seed}|{self.deal}|{' '.join(self.hand)}")
            return ""
        if command == "gen_bid":
            bid = self.bid()
            return f"bid_{bid}" if bid > self.highest else "pass"
        if command == "bid":
            self.calls += 1
            if words[1] != "pass":
                self.leader, self.highest = int(words[0]), int(words[1][4:])
            return ""
        if command == "gen_trump":
            return f"trump_{self.name_trump()}"
        if command == "trump":
            self.leader, self.trump = int(words[0]), words[1][-1]
            return ""
        if command == "gen_move":
            return self.move()
        if command == "gen_values":
            due = self.due()
            self.rng, self.luck = self.luck, self.rng
            values = self.values(due) if due else None
            self.rng, self.luck = self.luck, self.rng
            return said(values) if values else None
        if command == "play":
            if len(self.trick) == 4:
                self.trick = []
            self.trick.append((int(words[0]), words[1]))
            self.played(words[1])
            if words[1] in self.hand:
                self.hand.remove(words[1])
            return ""
        return None

    def due(self):
        """Which request would come: "gen_bid", "gen_trump", "gen_move", or None."""
        if not self.hand:
            return None
        if self.trump is None:
            if self.calls < 4:
                first = self.dealers[self.deal] + 1
                return "gen_bid" if (first + self.calls - self.me) % 4 == 0 else None
            return "gen_trump" if self.leader == self.me else None
        if len(self.trick) == 4:
            turn = self.winning()[0]
        else:
            turn = (self.trick[0][0] + len(self.trick)) % 4 if self.trick else self.leader
        return "gen_move" if turn == self.me else None

    def dealt(self, cards):
        """A deal begins with these cards in hand."""
        self.hand = sorted(cards)

    def played(self, card):
        """Somebody has played a card: for bots that count them."""

    def bid(self):
        """The bid for this hand; what is not higher than the last one is a pass."""
        return 0

    def name_trump(self):
        """The longest suit."""
        return self.longest()

    def move(self):
        """Any card that may be played."""
        return self.rng.choice(self.legal())

    def values(self, due):  # noqa: ARG002
        """What each answer to the request that is due is worth, by answer: the points that my side expects in
        this deal, and the chance to win the match or None. `rng` is another one then, so that nothing that is
        played depends on it. None or {}: this bot has no values.
        """
        return {}

    def longest(self):
        """The suit with most cards; of several, the one with the highest card."""

        def length(suit):
            ranks = [VALUES.index(card[0]) for card in self.hand if card[1] == suit]
            return len(ranks), max(ranks, default=0)

        return max(SUITS, key=length)

    def legal(self):
        """Follow suit if you can; then, if an opponent is winning and you can overtake, you must."""
        trick = self.trick if len(self.trick) < 4 else []
        if not trick:
            return self.hand
        led = trick[0][1][1]
        cards = [card for card in self.hand if card[1] == led] or self.hand
        winner, best = self.winning()
        over = [card for card in cards if self.power(card, led) > self.power(best, led)]
        return over if over and (winner - self.me) % 2 else cards

    def winning(self):
        """Who has played the best card of the trick, and which."""
        led = self.trick[0][1][1]
        return max(self.trick, key=lambda played: self.power(played[1], led))

    def power(self, card, led):
        """What a card is worth in a trick: trumps beat the suit led, which beats all else."""
        value = VALUES.index(card[0]) + 1
        return value + 26 if card[1] == self.trump else value + 13 if card[1] == led else 0


def said(values):
    """An answer to `gen_values`."""
    return " ".join(
        f"{option}:{points:.3f}" + ("" if win is None else f":{win:.4f}")
        for option, (points, win) in values.items()
    )


def main(player, about):
    """Command line: read commands, one a line, and answer each."""
    options = argparse.ArgumentParser(description=about)
    options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    bot = player(options.parse_args().seed)
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            text = bot.reply(line)
        except (ValueError, IndexError, AttributeError, TypeError):
            text = None
        print("?\n" if text is None else f"= {text}\n" if text else "=\n", flush=True)
        if line.split()[0] == "quit":
            return
