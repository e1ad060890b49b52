<?php
// A minimal bot for Planning in PHP (8.0 or newer).
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

$strongest = '';        // the value that no other beats
$players = $me = 0;
$hand = [];             // my cards, such as "TD": the value, then the suit
$trick = [];            // the cards on the table

function last(string $word): string {
    return substr($word, -1);
}

// What stands after "=" in the reply; null refuses.
function obey(array $words): ?string {
    global $strongest, $players, $me, $hand, $trick;
    $command = array_shift($words);
    $count = count($words);
    switch ($command) {
        case 'set_deck':
            if ($count !== 2) return null;
            $strongest = last($words[0]);
            return '';
        case 'set_players':
            if (!preg_match('/^\d+ \d+$/', implode(' ', $words))) return null;
            [$players, $me] = array_map('intval', $words);
            return '';
        case 'set_cards':
            if (array_shift($words) !== (string) ($count - 1)) return null;
            [$hand, $trick] = [$words, []];
            return '';
        case 'gen_declare':
            return (string) count(array_filter($hand, fn($card) => $card[0] === $strongest));
        case 'gen_move':
            foreach ($hand as $card) {
                if ($trick && last($card) === last($trick[0])) return $card;
            }
            return $hand[0] ?? null;
        case 'play':
            if ($count !== 2) return null;
            [$seat, $card] = $words;
            if ($seat === (string) $me) $hand = array_values(array_diff($hand, [$card]));
            $trick[] = $card;
            if (count($trick) >= $players) $trick = [];
            return '';
        case 'set_game':
        case 'time_left':
        case 'declare':
        case 'quit':
            return '';
        default:
            return null;
    }
}

while (($line = fgets(STDIN)) !== false) {
    $words = preg_split('/\s+/', $line, -1, PREG_SPLIT_NO_EMPTY);
    if (!$words) continue; // a blank line has no reply
    $text = obey($words);
    // On the command line echo is not buffered.
    echo $text === null ? '? cannot do that' : rtrim("= $text"), "\n\n";
    if ($words[0] === 'quit') break;
}
