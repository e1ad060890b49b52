#!/usr/bin/env python3
"""A bot that declares at random and plays any card that the rules allow. Without the kit, it is a tutorial
of the protocol in one page.

A bot is a program that reads commands on standard input, one per line, and answers each on standard output.
A reply starts with "=" (done) or "?" (refused) and ends with an EMPTY LINE. One command, one reply, in the
order they came.
"""

import argparse
import random
import sys

options = argparse.ArgumentParser(description="Plays Planning at random.")
options.add_argument("--seed", type=int, default=1, metavar="N", help="seed of every choice (default 1)")
seed = options.parse_args().seed

# What this bot remembers. A better one would also keep the trumps, the declarations and who took which trick.
me = players = 0  # my seat, and how many of us there are
deal = -1  # the number of the deal, from 0
hand: list = []  # my cards, such as "TD": the value, then the suit
trick: list = []  # the cards of the trick on the table
rng = random.Random(seed)


def answer(command, words):
    """The reply to one command: what stands after "=", or None to refuse."""
    global me, players, deal, hand, trick, rng

    # 1. At the start of a match: the deck, who sits where, the deals. The deck is V C: values, weakest
    #    first, and suits, trump first.
    if command == "set_deck":
        return ""  # random play never asks which card is higher
    if command == "set_players":  # n i: there are n players, I am number i
        players, me = int(words[0]), int(words[1])
        return ""
    if command == "set_game":  # d c1 s1 ... cd sd: d deals, with c cards, player s leads to the first trick
        deal = -1
        return ""

    # 2. In every deal: my cards come, I declare how many tricks I shall take, I hear what all declared.
    if command == "set_cards":  # c K1 ... Kc
        if len(words) != int(words[0]) + 1:
            return None
        deal, hand, trick = deal + 1, sorted(words[1:]), []
        # Luck depends on nothing but the seed, the deal and my cards, so a match can be played again.
        rng = random.Random(f"{seed}|{deal}|{' '.join(hand)}")
        return ""
    if command == "time_left":  # milliseconds for the rest of the match: a bot that thinks must look at this
        return ""
    if command == "gen_declare":
        return str(rng.randrange(len(hand) + 1))
    if command == "declare":  # i l: player i declared l
        return ""

    # 3. For every card of the deal: "gen_move" asks me when it is my turn, "play" tells who played what. My
    #    own card leaves my hand only when "play" says so.
    if command == "gen_move" and hand:
        led = trick[0][1] if trick else None
        following = [card for card in hand if card[1] == led]  # follow suit if you can ...
        return rng.choice(following or hand)  # ... if you cannot, play anything
    if command == "play":  # i K: player i played card K
        trick.append(words[1])
        if int(words[0]) == me:
            hand.remove(words[1])
        if len(trick) == players:  # the trick is complete; its winner leads to the next
            trick = []
        return ""

    # 4. "quit" wants a reply, too. Anything else is refused.
    return "" if command == "quit" else None


sys.stdin.reconfigure(errors="replace")  # whatever bytes come: refuse, do not crash
for line in sys.stdin:
    words = line.split()
    if not words:  # blank lines are ignored: they get no reply
        continue
    try:
        reply = answer(words[0], words[1:])
    except (ValueError, IndexError):
        reply = None
    text = f"? cannot do {words[0][:40]}" if reply is None else f"= {reply}".rstrip()
    # The second "\n" makes the empty line. Without flush the reply would wait in a buffer, and all for it.
    print(text + "\n", flush=True)
    if words[0] == "quit":
        break
