// A minimal bot for Planning in Java 17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

public class Bot {
    private char strongest; // the value that no other beats
    private int players, me;
    private List<String> hand = new ArrayList<>(); // my cards, such as "TD": the value, then the suit
    private final List<String> trick = new ArrayList<>(); // the cards on the table

    private static char last(String word) {
        return word.charAt(word.length() - 1);
    }

    /** What stands after "=" in the reply; null refuses, and so does an exception. */
    private String obey(String[] words) {
        switch (words[0]) {
            case "set_deck":
                strongest = last(words[1]);
                return "";
            case "set_players":
                int n = Integer.parseInt(words[1]), i = Integer.parseInt(words[2]);
                players = n;
                me = i;
                return "";
            case "set_cards":
                if (Integer.parseInt(words[1]) != words.length - 2) return null;
                hand = new ArrayList<>(List.of(words).subList(2, words.length));
                trick.clear();
                return "";
            case "gen_declare":
                return "" + hand.stream().filter(card -> card.charAt(0) == strongest).count();
            case "gen_move":
                for (String card : hand) {
                    if (!trick.isEmpty() && last(card) == last(trick.get(0))) return card;
                }
                return hand.get(0);
            case "play":
                if (Integer.parseInt(words[1]) == me) hand.remove(words[2]);
                trick.add(words[2]);
                if (trick.size() >= players) trick.clear();
                return "";
            case "set_game", "time_left", "declare", "quit":
                return "";
            default:
                return null;
        }
    }

    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in));
        var out = new PrintWriter(new OutputStreamWriter(System.out));
        var bot = new Bot();
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.trim().split("\\s+");
            if (words[0].isEmpty()) continue; // a blank line has no reply
            String text;
            try {
                text = bot.obey(words);
            } catch (IndexOutOfBoundsException | NumberFormatException error) {
                text = null;
            }
            // Not println: on Windows that ends lines with "\r\n".
            out.print(text == null ? "? cannot do that\n\n" : ("= " + text).trim() + "\n\n");
            out.flush(); // without this the reply waits in a buffer
            if (words[0].equals("quit")) break;
        }
    }
}
