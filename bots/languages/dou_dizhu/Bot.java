// A minimal bot for Dou Dizhu in Java 17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot plays cards of one rank alone: it leads all of its lowest rank, and beats such a play
// with the lowest rank of which it has enough. Otherwise it passes.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;

public class Bot {
    private static final String RANKS = "3456789TJQKA2BR";
    private int me, owner; // my seat, and who made the play to beat
    private String hand = ""; // a letter for each card
    private String best = ""; // the play to beat, "" if I may lead

    private String choose() {
        if (best.chars().distinct().count() > 1) return "pass";
        for (String rank : RANKS.split("")) {
            int held = hand.length() - hand.replace(rank, "").length();
            if (best.isEmpty() && held > 0) return rank.repeat(held);
            boolean higher = !best.isEmpty() && RANKS.indexOf(rank) > RANKS.indexOf(best.charAt(0));
            if (higher && held >= best.length()) return rank.repeat(best.length());
        }
        return "pass";
    }

    /** What stands after "=" in the reply; null refuses, and so does an exception. */
    private String obey(String[] words) {
        switch (words[0]) {
            case "set_players":
                me = Integer.parseInt(words[2]);
                return "";
            case "set_cards":
                if (Integer.parseInt(words[1]) != words[2].length()) return null;
                hand = words[2];
                best = "";
                return "";
            case "gen_move":
                return hand.isEmpty() ? null : choose();
            case "play":
                int seat = Integer.parseInt(words[1]);
                if (!words[2].equals("pass")) {
                    best = words[2];
                    owner = seat;
                    for (String card : best.split("")) {
                        if (seat == me) hand = hand.replaceFirst(card, "");
                    }
                } else if ((seat + 1) % 3 == owner) {
                    best = ""; // both others have passed
                }
                return "";
            case "set_rules", "set_game", "show_cards", "time_left", "end_deal", "quit":
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
