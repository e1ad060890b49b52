# A minimal bot for Planning in Python 3.
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a
# text, and then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card
# that it may.

import sys

strongest = ""  # the value that no other beats
players = me = 0
hand = []  # my cards, such as "TD": the value, then the suit
trick = []  # the cards on the table


def obey(command, *words):
    """What stands after "=" in the reply; an exception refuses."""
    global strongest, players, me, hand, trick
    if command == "set_deck":
        values, _ = words
        strongest = values[-1]
    elif command == "set_players":
        players, me = map(int, words)
    elif command == "set_cards":
        if int(words[0]) != len(words) - 1:
            raise ValueError("not so many cards")
        hand, trick = list(words[1:]), []
    elif command == "gen_declare":
        return str(sum(card[0] == strongest for card in hand))
    elif command == "gen_move":
        follows = [card for card in hand if trick and card[-1] == trick[0][-1]]
        return (follows or hand)[0]
    elif command == "play":
        seat, card = words
        if int(seat) == me:
            hand.remove(card)
        trick.append(card)
        if len(trick) >= players:
            trick = []
    elif command not in ("set_game", "time_left", "declare", "quit"):
        raise ValueError("unknown")
    return ""


# Not sys.stdin: a byte that is no UTF-8 would end the bot.
for line in sys.stdin.buffer:
    words = line.decode(errors="replace").split()
    if not words:
        continue  # a blank line has no reply
    try:
        reply = "= " + obey(*words)
    except (ValueError, IndexError):
        reply = "? cannot do that"
    print(reply.strip() + "\n", flush=True)  # without flush the reply waits in a buffer
    if words[0] == "quit":
        break
