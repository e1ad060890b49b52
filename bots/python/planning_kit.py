"""A kit for authors of Planning bots: one file to copy beside your bot. Python >= 3.9, standard library.

    import planning_kit as kit

    class MyBot(kit.Bot):
        def declare(self, table):
            return 0                      # how many tricks I shall take

        def move(self, table):
            return table.legal()[0]       # one of my cards

    if __name__ == "__main__":
        kit.serve(MyBot(seed=kit.parser("My bot.").parse_args().seed))

The kit reads the commands of the referee, keeps the state of the table, answers, and calls the two methods
above when a decision is asked for. A third one, ``values(table)``, may say what each choice is worth: see
``Bot``. The kit answers every command with one reply, in order, however the commands are cut into reads.
``print`` in a bot goes to standard error, so that it cannot spoil a reply. An exception in a bot ends the
program with a traceback: the referee sees a crash at once instead of waiting for a reply that never comes.

Cards are strings such as ``"TD"``: the value, then the suit. Seats are 0..n-1, clockwise.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["Bot", "Refused", "Session", "Table", "parser", "serve"]


class Refused(Exception):
    """A command that cannot be obeyed; the text goes into the ``?`` reply and the table stays as it was."""


class Table:
    """What a player knows at the table; the kit keeps it up to date, a bot only reads it."""

    def __init__(self) -> None:
        self.values = ""  # weakest first
        self.suits = ""  # trump first
        self.deck: list[str] = []  # every card, suit by suit, values ascending
        self.seats = 0  # number of players
        self.me = 0  # own seat
        self.deals: list[tuple[int, int]] = []  # the programme: (cards, starter) of each deal
        self.time_left: int | None = None  # milliseconds for the rest of the match; None: never told
        self._new_match()

    def _new_match(self) -> None:
        self.deal = -1  # number of the deal in the match, from 0
        self.points: list[int] = [0] * self.seats  # of the deals that are over
        self.size = 0  # cards dealt to each player in this deal
        self.dealt: list[str] = []  # own cards of this deal as they came
        self.hand: list[str] = []  # own cards not yet played
        self.declared: list[int | None] = [None] * self.seats  # None until revealed
        self.played: list[tuple[int, str]] = []  # (seat, card) of this deal, the trick on the table too
        self.trick: list[tuple[int, str]] = []  # (seat, card) of the trick on the table
        self.taken: list[int] = [0] * self.seats  # tricks taken in this deal
        self.void: list[set[str]] = [set() for _ in range(self.seats)]  # suits a seat is known not to hold
        self.turn: int | None = None  # whose card comes next; None: no deal, or it is over

    # What a bot may ask.

    @property
    def trump(self) -> str:
        """The trump suit: the first one, in every deal."""
        return self.suits[:1]

    @property
    def tricks_left(self) -> int:
        """Tricks nobody has taken yet, the one on the table included."""
        return self.size - sum(self.taken)

    @property
    def declaring(self) -> bool:
        """Is it the time of declarations, the own one being unknown to the others?"""
        return self.deal >= 0 and self.declared[self.me] is None and not self.played

    def rank(self, card: str) -> int:
        """The place of the card's value in the deck, 0 for the weakest."""
        return self.values.index(card[0])

    def legal(self) -> list[str]:
        """Own cards that may be played now, in the order of the deck: follow suit if you can."""
        if self.trick and self.turn == self.me:
            led = self.trick[0][1][1]
            following = [card for card in self.hand if card[1] == led]
            if following:
                return following
        return list(self.hand)

    def beats(self, card: str, best: str) -> bool:
        """Does ``card``, played later, take the trick from ``best``, which is winning it so far?"""
        if card[1] == best[1]:
            return self.rank(card) > self.rank(best)
        return card[1] == self.trump

    def winning(self) -> tuple[int, str] | None:
        """(seat, card) that takes the trick as it lies; None before the lead."""
        best: tuple[int, str] | None = None
        for seat, card in self.trick:
            if best is None or self.beats(card, best[1]):
                best = (seat, card)
        return best

    def unseen(self) -> list[str]:
        """Cards neither held nor played in this deal: the other hands, and what was not dealt."""
        seen = {card for _, card in self.played}.union(self.hand)
        return [card for card in self.deck if card not in seen]

    # What the referee tells: one method for each command that asks for nothing.

    def set_deck(self, words: list[str]) -> None:
        """``set_deck V C``"""
        if len(words) != 2:
            raise Refused("set_deck needs the values and the suits")
        values, suits = words
        if len(set(values)) != len(values) or len(set(suits)) != len(suits):
            raise Refused("a value or a suit stands twice")
        self.values, self.suits = values, suits
        self.deck = [value + suit for suit in suits for value in values]
        self.deals = []
        self._new_match()

    def set_players(self, words: list[str]) -> None:
        """``set_players n i``"""
        seats, me = _numbers(words, 2)
        if not 2 <= seats <= 4 or me >= seats:
            raise Refused("2 to 4 players, and a seat among them")
        self.seats, self.me = seats, me
        self.deals = []
        self._new_match()

    def set_game(self, words: list[str]) -> None:
        """``set_game d c1 s1 ... cd sd``"""
        if not self.deck or not self.seats:
            raise Refused("set_deck and set_players come first")
        count = _numbers(words[:1], 1)[0]
        numbers = _numbers(words[1:], 2 * count)
        deals = [(numbers[2 * k], numbers[2 * k + 1]) for k in range(count)]
        if any(size * self.seats > len(self.deck) or starter >= self.seats for size, starter in deals):
            raise Refused("a deal has more cards than the deck, or a starting player who is not there")
        self.deals = deals
        self._new_match()

    def set_cards(self, words: list[str]) -> None:
        """``set_cards c K1 ... Kc``: the next deal begins"""
        if self.deal + 1 >= len(self.deals):
            raise Refused("no deal is left: set_game says how many there are")
        size, starter = self.deals[self.deal + 1]
        cards = words[1:]
        if _numbers(words[:1], 1) != [size] or len(cards) != size:
            raise Refused(f"this deal has {size} cards")
        if len(set(cards)) != size or not set(cards) <= set(self.deck):
            raise Refused("a card stands twice or is not in the deck")
        deal, points = self.deal + 1, self.points
        self._new_match()
        self.deal, self.points, self.size = deal, points, size
        self.dealt = list(cards)
        self.hand = sorted(cards, key=self.deck.index)
        self.turn = starter if size else None

    def hear_time(self, words: list[str]) -> None:
        """``time_left t``"""
        self.time_left = _numbers(words, 1)[0]

    def hear_declare(self, words: list[str]) -> None:
        """``declare i l``"""
        seat, tricks = _numbers(words, 2)
        if self.deal < 0 or seat >= self.seats or tricks > self.size:
            raise Refused("no such declaration in this deal")
        self.declared[seat] = tricks

    def hear_play(self, words: list[str]) -> None:
        """``play i K``: takes the card, and the trick, and the deal when they are complete"""
        if len(words) != 2:
            raise Refused("play needs a player and a card")
        seat, card = _numbers(words[:1], 1)[0], words[1]
        if self.turn is None or seat != self.turn:
            raise Refused("it is not the turn of that player")
        if card not in (self.legal() if seat == self.me else self.unseen()):
            raise Refused("that player cannot play that card")
        if self.trick and card[1] != self.trick[0][1][1]:
            self.void[seat].add(self.trick[0][1][1])
        if seat == self.me:
            self.hand.remove(card)
        self.played.append((seat, card))
        self.trick.append((seat, card))
        self.turn = (seat + 1) % self.seats
        if len(self.trick) == self.seats:
            best = self.winning()
            assert best is not None
            self.taken[best[0]] += 1
            self.trick = []
            self.turn = best[0]
            if not self.tricks_left:
                self.turn = None
                for i, tricks in enumerate(self.taken):
                    self.points[i] += tricks + (self.size if tricks == self.declared[i] else 0)


class Bot:
    """What an author writes: a subclass with these two methods.

    ``rng`` is a new generator in every deal. It depends on the seed, the number of the deal and the own cards
    and on nothing else, so that a deal met again, in whatever seat, is met with the same luck.
    """

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        # Lines for the author, written before the next reply: "value 0.5", "tag endgame", "note WORDS".
        self.notes: list[str] = []

    def declare(self, table: Table) -> int:
        """How many tricks this bot will take, 0..table.size."""
        raise NotImplementedError

    def move(self, table: Table) -> str:
        """The card to play, one of ``table.legal()``."""
        raise NotImplementedError

    def values(self, table: Table) -> Mapping[Any, tuple[float, float | None]] | None:  # noqa: ARG002
        """What each declaration, if ``table.declaring``, else each card is worth: for ``gen_values``.

        By option: the points expected in this deal, and the chance to end the match with most points or
        None. ``rng`` is another one then, so that nothing that is played depends on it. None: no values.
        """
        return None


class Session:
    """The dialogue of one bot, without any input or output: a command in, a reply out."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.table = Table()
        self.over = False  # after quit
        self._luck = random.Random()  # for values
        self._news: dict[str, Callable[[list[str]], None]] = {
            "set_deck": self.table.set_deck,
            "set_players": self.table.set_players,
            "set_game": self.table.set_game,
            "set_cards": self._set_cards,
            "time_left": self.table.hear_time,
            "declare": self.table.hear_declare,
            "play": self.table.hear_play,
        }

    def answer(self, line: str) -> str | None:
        """The reply to one line, without the empty line that ends it; None for a blank line.

        Whatever the bot's own methods raise comes through; so does a ValueError for an answer that would
        lose.
        """
        words = line.split()
        if not words:
            return None
        command, arguments = words[0], words[1:]
        try:
            if command in self._news:
                self._news[command](arguments)
                return "="
            if command in ("gen_declare", "gen_move", "gen_values", "quit"):
                if arguments:
                    raise Refused(f"{command} takes no arguments")
            else:
                raise Refused(f"unknown command {command[:40]}")
            if command == "gen_declare" and self.table.deal < 0:
                raise Refused("no cards have been dealt")
            if command == "gen_declare" and self.table.played:
                raise Refused("play has begun")
            if command == "gen_move" and self.table.turn != self.table.me:
                raise Refused("it is not my turn")
            if command == "gen_values":
                return f"= {self._values()}"
        except Refused as refusal:
            return f"? {refusal}"
        if command == "quit":
            self.over = True
            return "="
        return f"= {self._declare()}" if command == "gen_declare" else f"= {self._move()}"

    def _set_cards(self, words: list[str]) -> None:
        self.table.set_cards(words)
        # Seeding with a string goes through SHA-512: the same in every process, whatever PYTHONHASHSEED says.
        cards = " ".join(sorted(self.table.dealt))
        self.bot.rng = random.Random(f"{self.bot.seed}|{self.table.deal}|{cards}")
        self._luck = random.Random(f"values|{self.bot.seed}|{self.table.deal}|{cards}")

    def _declare(self) -> int:
        tricks = self.bot.declare(self.table)
        if not isinstance(tricks, int) or not 0 <= tricks <= self.table.size:
            raise ValueError(f"declare() gave {tricks!r}; it must be an integer 0..{self.table.size}")
        return int(tricks)

    def _move(self) -> str:
        card = self.bot.move(self.table)
        if card not in self.table.legal():
            raise ValueError(f"move() gave {card!r}; it must be one of {self.table.legal()}")
        return card

    def _values(self) -> str:
        table, bot = self.table, self.bot
        if not table.declaring and (table.turn is None or table.turn != table.me):
            raise Refused("nothing is asked of me")
        bot.rng, self._luck = self._luck, bot.rng
        values = bot.values(table)
        bot.rng, self._luck = self._luck, bot.rng
        if values is None:
            raise Refused("I have no values")
        options = range(table.size + 1) if table.declaring else table.legal()
        if not values or not set(values) <= set(options):
            raise ValueError(f"values() are of {list(values)}; they must be of {list(options)}")
        words = []
        for option, (points, win) in values.items():
            # A sum of parts may lie a little beyond what they add up to.
            if win is not None and not -1e-9 <= win <= 1 + 1e-9:
                raise ValueError(f"values() gave {win!r} as the chance of {option}; it must be 0 to 1")
            words.append(f"{option}:{points:.3f}" + (f":{abs(win):.4f}" if win is not None else ""))
        return " ".join(words)


def parser(description: str | None) -> argparse.ArgumentParser:
    """A command line with ``--help`` and ``--seed``; add your own options to it."""
    line = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    line.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
    return line


def serve(
    bot: Bot,
    commands: Iterable[bytes] | None = None,
    write: Callable[[bytes], object] | None = None,
) -> None:
    """Answer commands until ``quit`` or the end of the input: standard input and output unless others are
    given."""
    if commands is None:
        commands = sys.stdin.buffer
    if write is None:
        # Unbuffered: each reply is on its way before the next command is looked at.
        write = open(1, "wb", buffering=0, closefd=False).write  # noqa: SIM115 -- open until the process ends
        sys.stdout = sys.stderr
    session = Session(bot)
    for line in commands:
        reply = session.answer(line.decode("utf-8", "replace"))
        if reply is not None:
            notes = "".join(f"# {' '.join(note.split())}\n" for note in bot.notes)
            bot.notes = []
            write(f"{notes}{reply}\n\n".encode())
        if session.over:
            return


def _numbers(words: list[str], count: int) -> list[int]:
    """Exactly ``count`` whole numbers >= 0, or Refused."""
    if len(words) != count or not all(word.isascii() and word.isdigit() and len(word) < 19 for word in words):
        raise Refused(f"whole numbers needed here: {count}")
    return [int(word) for word in words]
