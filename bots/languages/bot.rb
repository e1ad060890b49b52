# A minimal bot for Planning in Ruby (2.7 or newer).
#
# A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
# then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

$strongest = ''  # the value that no other beats
$players = $me = 0
$hand = []       # my cards, such as "TD": the value, then the suit
$trick = []      # the cards on the table

# What stands after "=" in the reply; an ArgumentError refuses.
def obey(command, *words)
  case [command, *words]
  in ['set_deck', values, _suits] then $strongest = values[-1]
  in ['set_players', n, i] then $players, $me = Integer(n), Integer(i)
  in ['set_cards', count, *cards]
    raise ArgumentError if Integer(count) != cards.size
    $hand, $trick = cards, []
  in ['gen_declare'] then return $hand.count { |card| card.start_with?($strongest) }.to_s
  in ['gen_move']
    raise ArgumentError if $hand.empty?
    return $hand.find { |card| $trick.any? && card[-1] == $trick[0][-1] } || $hand[0]
  in ['play', seat, card]
    $hand.delete(card) if Integer(seat) == $me
    $trick << card
    $trick = [] if $trick.size >= $players
  in ['set_game' | 'time_left' | 'declare' | 'quit', *] then nil
  else raise ArgumentError
  end
  ''
end

$stdout.sync = true  # without this the reply waits in a buffer
$stdin.binmode       # a byte that is no UTF-8 would end the bot
while (line = $stdin.gets)
  words = line.split
  next if words.empty?  # a blank line has no reply
  begin
    text = obey(*words)
    print text.empty? ? "=\n\n" : "= #{text}\n\n"
  rescue ArgumentError
    print "? cannot do that\n\n"
  end
  break if words[0] == 'quit'
end
