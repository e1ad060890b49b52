// A minimal bot for Planning in Kotlin (1.3 or newer).
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

var strongest = ' '                     // the value that no other beats
var players = 0
var me = 0
var hand = listOf<String>()             // my cards, such as "TD": the value, then the suit
val trick = mutableListOf<String>()     // the cards on the table

// What stands after "=" in the reply; null refuses.
fun obey(words: List<String>): String? {
    when (words[0]) {
        "set_deck" -> {
            if (words.size != 3) return null
            strongest = words[1].last()
        }
        "set_players" -> {
            if (words.size != 3) return null
            val n = words[1].toIntOrNull() ?: return null
            val i = words[2].toIntOrNull() ?: return null
            players = n
            me = i
        }
        "set_cards" -> {
            if (words.getOrNull(1)?.toIntOrNull() != words.size - 2) return null
            hand = words.drop(2)
            trick.clear()
        }
        "gen_declare" -> return hand.count { it.first() == strongest }.toString()
        "gen_move" -> return hand.find { trick.isNotEmpty() && it.last() == trick[0].last() } ?: hand.firstOrNull()
        "play" -> {
            if (words.size != 3) return null
            if (words[1].toIntOrNull() == me) hand = hand - words[2]
            trick.add(words[2])
            if (trick.size >= players) trick.clear()
        }
        "set_game", "time_left", "declare", "quit" -> {}
        else -> return null
    }
    return ""
}

fun main() {
    // Not readLine(), which is slow and fails at a byte that is no UTF-8.
    for (line in System.`in`.bufferedReader(Charsets.ISO_8859_1).lineSequence()) {
        val words = line.split(' ', '\t', '\r').filter { it.isNotEmpty() }
        if (words.isEmpty()) continue   // a blank line has no reply
        val text = obey(words)
        print((if (text == null) "? cannot do that" else "= $text".trim()) + "\n\n")
        System.out.flush()              // without this the reply may wait in a buffer
        if (words[0] == "quit") break
    }
}
