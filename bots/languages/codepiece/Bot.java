// A minimal bot for Codepiece in Java 17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot passes, names the suit of which it has most as trump, and plays the first card that it
// may.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

public class Bot {
    private static final String VALUES = "23456789TJQKA", SUITS = "CDHS";
    private int me;
    private char trump;
    private List<String> hand = new ArrayList<>(); // my cards, such as "TD": the value, then the suit
    private final List<String> trick = new ArrayList<>(); // the cards on the table
    private final List<Integer> seats = new ArrayList<>(); // and who laid them

    /** A trump beats the suit led, which beats all else. */
    private int worth(String card) {
        int value = VALUES.indexOf(card.charAt(0)) + 1;
        char suit = card.charAt(1);
        return suit == trump ? value + 26 : suit == trick.get(0).charAt(1) ? value + 13 : 0;
    }

    /** My cards that follow suit, or else all; if an opponent is winning, only those that beat it, if any do. */
    private List<String> legal() {
        if (trick.isEmpty()) return hand;
        List<String> follow = hand.stream().filter(card -> card.charAt(1) == trick.get(0).charAt(1)).toList();
        List<String> cards = follow.isEmpty() ? hand : follow;
        String best = trick.stream().max(Comparator.comparing(this::worth)).get();
        List<String> over = cards.stream().filter(card -> worth(card) > worth(best)).toList();
        boolean rival = (seats.get(trick.indexOf(best)) - me) % 2 != 0;
        return rival && !over.isEmpty() ? over : cards;
    }

    private long count(int suit) {
        return hand.stream().filter(card -> card.charAt(1) == suit).count();
    }

    /** What stands after "=" in the reply; null refuses, and so does an exception. */
    private String obey(String[] words) {
        switch (words[0]) {
            case "set_players":
                me = Integer.parseInt(words[2]);
                return "";
            case "set_cards":
                if (Integer.parseInt(words[1]) != words.length - 2) return null;
                hand = new ArrayList<>(List.of(words).subList(2, words.length));
                trick.clear();
                seats.clear();
                return "";
            case "gen_bid":
                return "pass";
            case "gen_trump":
                int most = SUITS.chars().boxed().max(Comparator.comparing(this::count)).get();
                return hand.isEmpty() ? null : "trump_" + (char) most;
            case "trump":
                trump = words[2].charAt(words[2].length() - 1);
                return "";
            case "gen_move":
                return legal().get(0);
            case "play":
                int seat = Integer.parseInt(words[1]);
                if (seat == me) hand.remove(words[2]);
                trick.add(words[2]);
                seats.add(seat);
                if (trick.size() == 4) {
                    trick.clear();
                    seats.clear();
                }
                return "";
            case "set_rules", "set_deck", "set_game", "time_left", "bid", "end_deal", "quit":
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
