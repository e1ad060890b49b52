"""The kit for Chef's Hat: protocol, cards and table, in one file to copy beside your bot.

    import chefs_hat_kit as kit

    class Bot(kit.Bot):
        def move(self):
            return max(self.discards(), default=None)

    if __name__ == "__main__":
        kit.main(Bot, "Plays Chef's Hat, the largest values first.")

The commands are explained in chefs_hat_random.py.
"""

import argparse
import random
import sys

JOKER = 12


class Bot:
    """The cards and the table; `move` decides; `special`, `gifts` and `values` may be your own."""

    def __init__(self, seed=1):
        self.seed, self.rng = seed, random.Random(seed)
        self.deal = -1
        self.book = True  # the rule book, or the rules of a published environment ("gym2")?
        self.me = 0  # my seat
        self.hand = []  # 1 is the strongest card, 11 the weakest, 12 a joker
        self.laid = []  # the cards that all have discarded in this deal
        self.role = ""
        self.table = None  # (value, number of cards) of the last discard
        self.opening = True  # is the very first discard still to come?
        self.before = []  # what I may be asked before the play
        self.judged = False  # have values been asked for since the clock?

    def answer(self, command, words):
        """The reply to one command: what stands after "=", or None to refuse."""
        if command == "set_game":
            self.deal = -1
            return ""
        if command in ("end_deal", "quit"):
            return ""
        if command == "time_left":
            # Nobody tells that there was no special action: after its values, the next request comes.
            if self.judged and self.before[:1] == ["gen_special"]:
                del self.before[0]
            self.judged = False
            return ""
        if command == "special":
            self.before = []  # after a food fight roles are told again
            return ""
        if command == "set_rules":
            self.book = "gym2" not in words
            return ""
        if command == "set_players":
            self.me = range(int(words[0])).index(int(words[1]))
            return ""
        if command == "set_cards":
            if len(words) != int(words[0]) + 1:
                return None
            self.deal, self.hand = self.deal + 1, sorted(map(int, words[1:]))
            # Luck depends on nothing but the seed, the deal and my cards, so a match can be played again.
            self.rng = random.Random(f"{self.seed}|{self.deal}|{self.hand}")
            self.laid, self.role, self.table, self.opening = [], "", None, True
            self.before, self.judged = ["gen_special"], False
            return ""
        if command == "set_roles":
            self.role = words[self.me]
            asks = self.before[:1] == ["gen_special"] and self.book and self.hand.count(JOKER) == 2
            gives = self.role in ("Chef", "Souschef") and len(set(words)) == len(words)
            self.before = ["gen_special"] * asks + ["gen_exchange"] * gives
            return ""
        if command.startswith("gen_") and not self.hand:
            return None
        if command == "gen_values":
            self.judged = True
            return worths(self.values(self.due()))
        if command == "gen_special":
            self.before = self.before[1:]
            return self.special()
        if command == "gen_exchange":
            return " ".join(map(str, sorted(self.gifts(int(words[0])))))
        if command == "exchange":
            giver, taker, cards = int(words[0]), int(words[1]), list(map(int, words[3:]))
            self.before = []
            if giver == self.me:
                for card in cards:
                    self.hand.remove(card)
            if taker == self.me:
                self.hand = sorted(self.hand + cards)
            return ""
        if command == "gen_move":
            move = self.move()
            return "C{};Q{};J{}".format(*move) if move else "pass"
        if command == "play":
            if words[1] != "pass":
                value, quantity, jokers = (int(part[1:]) for part in words[1].split(";"))
                self.table = (value or JOKER, quantity + jokers)
                for card in [value] * quantity + [JOKER] * jokers:
                    self.laid.append(card)
                    if int(words[0]) == self.me:
                        self.hand.remove(card)
            self.opening, self.before = False, []
            return ""
        if command == "pizza":
            self.table = None
            return ""
        return None

    def special(self):
        """A Dishwasher turns the roles round; a Waiter has nothing to win by an exchange."""
        return {"Dishwasher": "food_fight", "Waiter": "dinner_served"}.get(self.role, "none")

    def gifts(self, number):
        """The largest values, jokers last of all."""
        return sorted(self.hand, key=lambda card: (card != JOKER, card))[-number:]

    def move(self):
        """(value, quantity, jokers), None for a pass."""
        raise NotImplementedError

    def due(self):
        """The request that comes next."""
        return self.before[0] if self.before and self.role else "gen_move"

    def values(self, request):
        """What each answer to a request would be worth, for whoever reviews a match; None: it cannot tell.

        {answer: (points that I expect in this deal, my chance to win the match or None)}; the request is
        "gen_special", "gen_exchange" or "gen_move", and answers are words as the protocol has them.
        """

    def discards(self):
        """Everything that may be discarded, a lone joker as (0, 0, 1)."""
        over, size = self.table or (13, 1)
        held = self.hand.count(JOKER)
        found = [
            (value, quantity, jokers)
            for value in range(1, min(over, JOKER))
            for quantity in range(1, self.hand.count(value) + 1)
            for jokers in range(held + 1)
            if quantity + jokers >= size
        ]
        if held and not self.table:
            found.append((0, 0, 1))
        if self.opening:
            elevens = [move for move in found if move[0] == 11]
            found = elevens or (found if self.book else [])
        if not self.book:
            found = [move for move in found if (move[2] < 2 or self.opening) and over != JOKER]
        return found


def worths(values):
    """The answer to gen_values, None without any."""
    if not values:
        return None
    parts = [(answer.replace(" ", "_"), points, win) for answer, (points, win) in values.items()]
    return " ".join(
        f"{word}:{points:.3f}" + ("" if win is None else f":{win:.4f}") for word, points, win in parts
    )


def main(player, about, luck="seed of every choice (default 1)"):
    """Command line: answer whatever comes on standard input."""
    options = argparse.ArgumentParser(description=about)
    options.add_argument("--seed", type=int, default=1, metavar="N", help=luck)
    bot = player(options.parse_args().seed)
    sys.stdin.reconfigure(errors="replace")  # whatever bytes come: refuse, do not crash
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        try:
            reply = bot.answer(words[0], words[1:])
        except (ValueError, IndexError):
            reply = None
        text = f"? cannot do {words[0][:40]}" if reply is None else f"= {reply}".rstrip()
        print(text + "\n", flush=True)
        if words[0] == "quit":
            break
