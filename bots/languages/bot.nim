# A minimal bot for Planning in Nim (1.6 or newer).
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

import std/[sequtils, strutils]

var
  strongest = ' '       # the value that no other beats
  players, me = 0
  hand: seq[string]     # my cards, such as "TD": the value, then the suit
  trick: seq[string]    # the cards on the table

proc choose(): string =
  for card in hand:
    if trick.len > 0 and card[^1] == trick[0][^1]: return card
  hand[0]

proc obey(words: seq[string]): string =
  ## What stands after "=" in the reply; a ValueError refuses.
  let count = words.len
  case words[0]
  of "set_deck":
    if count != 3: raise newException(ValueError, "not two words")
    strongest = words[1][^1]
  of "set_players":
    if count != 3: raise newException(ValueError, "not two numbers")
    (players, me) = (words[1].parseInt, words[2].parseInt)
  of "set_cards":
    if count < 2 or words[1].parseInt != count - 2: raise newException(ValueError, "not so many cards")
    hand = words[2 .. ^1]
    trick = @[]
  of "gen_declare": return $hand.countIt(it[0] == strongest)
  of "gen_move":
    if hand.len == 0: raise newException(ValueError, "no card")
    return choose()
  of "play":
    if count != 3: raise newException(ValueError, "not a seat and a card")
    if words[1].parseInt == me: hand.keepItIf(it != words[2])
    trick.add words[2]
    if trick.len >= players: trick = @[]
  of "set_game", "time_left", "declare", "quit": discard
  else: raise newException(ValueError, "unknown")

var line: string
while stdin.readLine(line):
  let words = line.splitWhitespace
  if words.len == 0: continue   # a blank line has no reply
  try:
    stdout.write ("= " & obey(words)).strip, "\n\n"
  except ValueError:
    stdout.write "? cannot do that\n\n"
  stdout.flushFile              # without this the reply waits in a buffer
  if words[0] == "quit": break
