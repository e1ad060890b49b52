// A minimal bot for Chef's Hat in Java 17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot discards its largest value that it may, without jokers if it has other cards: all of
// it to lead, else as many cards as the last discard. It gives its largest values, and declares nothing.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

public class Bot {
    private static final int JOKER = 12, EMPTY = 13;
    private int me;
    private boolean book; // the rule book, or the rules of "gym2"?
    private boolean opening; // is the first discard still to come?
    private final List<Integer> hand = new ArrayList<>(); // 1 is the strongest card, 11 the weakest, 12 a joker
    private int value = EMPTY, cards; // the last discard and its number of cards

    private String choose() {
        for (int of = Math.min(value, JOKER) - 1; of > 0; of--) {
            int held = Collections.frequency(hand, of);
            if (opening && of < 11 && !book) break; // there the first action is 11s or a pass
            boolean beats = book || value != JOKER; // there nothing beats a joker
            if (held > 0 && held >= cards && beats) return "C" + of + ";Q" + (cards > 0 ? cards : held) + ";J0";
        }
        boolean leads = cards == 0 && !(opening && !book);
        return leads && hand.contains(JOKER) ? "C0;Q0;J1" : "pass";
    }

    /** What stands after "=" in the reply; null refuses, and so does an exception. */
    private String obey(String[] words) {
        switch (words[0]) {
            case "set_rules":
                book = !words[words.length - 1].equals("gym2");
                return "";
            case "set_players":
                me = Integer.parseInt(words[2]);
                return "";
            case "set_cards":
                if (Integer.parseInt(words[1]) != words.length - 2) return null;
                hand.clear();
                for (String card : List.of(words).subList(2, words.length)) hand.add(Integer.valueOf(card));
                opening = true;
                value = EMPTY;
                cards = 0;
                return "";
            case "gen_special":
                return "none";
            case "gen_exchange":
                hand.sort(Comparator.comparing(card -> card == JOKER ? 0 : -card));
                List<String> given = new ArrayList<>();
                for (int card : hand.subList(0, Integer.parseInt(words[1]))) given.add("" + card);
                return String.join(" ", given);
            case "exchange":
                for (String card : List.of(words).subList(4, words.length)) {
                    if (Integer.parseInt(words[1]) == me) hand.remove(Integer.valueOf(card));
                    if (Integer.parseInt(words[2]) == me) hand.add(Integer.valueOf(card));
                }
                return "";
            case "gen_move":
                return hand.isEmpty() ? null : choose();
            case "play":
                opening = false;
                if (words[2].equals("pass")) return "";
                String[] parts = words[2].split("[CQJ;]+"); // "", value, number, jokers
                int of = Integer.parseInt(parts[1]), number = Integer.parseInt(parts[2]);
                value = of == 0 ? JOKER : of;
                cards = number + Integer.parseInt(parts[3]);
                for (int n = 0; n < cards && Integer.parseInt(words[1]) == me; n++) {
                    hand.remove(Integer.valueOf(n < number ? of : JOKER));
                }
                return "";
            case "pizza":
                value = EMPTY;
                cards = 0;
                return "";
            case "set_game", "set_roles", "time_left", "special", "end_deal", "quit":
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
