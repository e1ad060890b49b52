// A minimal bot for Planning in C# (Mono, or .NET).
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

static class Bot {
    static char strongest;                          // the value that no other beats
    static int players, me;
    static List<string> hand = new List<string>();  // my cards, such as "TD": the value, then the suit
    static List<string> trick = new List<string>(); // the cards on the table

    // What stands after "=" in the reply; null refuses.
    static string Obey(string[] words) {
        int count = words.Length, n, i;
        switch (words[0]) {
            case "set_deck":
                if (count != 3) return null;
                strongest = words[1].Last();
                return "";
            case "set_players":
                if (count != 3 || !int.TryParse(words[1], out n) || !int.TryParse(words[2], out i)) return null;
                players = n;
                me = i;
                return "";
            case "set_cards":
                if (count < 2 || words[1] != (count - 2).ToString()) return null;
                hand = words.Skip(2).ToList();
                trick.Clear();
                return "";
            case "gen_declare":
                return hand.Count(card => card[0] == strongest).ToString();
            case "gen_move":
                return hand.Find(card => trick.Count > 0 && card.Last() == trick[0].Last()) ?? hand.FirstOrDefault();
            case "play":
                if (count != 3) return null;
                if (words[1] == me.ToString()) hand.Remove(words[2]);
                trick.Add(words[2]);
                if (trick.Count >= players) trick.Clear();
                return "";
            case "set_game":
            case "time_left":
            case "declare":
            case "quit":
                return "";
            default:
                return null;
        }
    }

    static void Main() {
        // Latin-1 takes any byte, and has no mark at its beginning.
        var latin1 = Encoding.GetEncoding(28591);
        using (var input = new StreamReader(Console.OpenStandardInput(), latin1))
        using (var output = new StreamWriter(Console.OpenStandardOutput(), latin1)) {
            string line;
            while ((line = input.ReadLine()) != null) {
                var words = line.Split(new[] {' ', '\t', '\r'}, StringSplitOptions.RemoveEmptyEntries);
                if (words.Length == 0) continue; // a blank line has no reply
                var text = Obey(words);
                output.Write((text == null ? "? cannot do that" : ("= " + text).Trim()) + "\n\n");
                output.Flush(); // without this the reply waits in a buffer
                if (words[0] == "quit") break;
            }
        }
    }
}
