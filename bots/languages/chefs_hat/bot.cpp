// A minimal bot for Chef's Hat in C++17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot discards its largest value that it may, without jokers if it has other cards: all of
// it to lead, else as many cards as the last discard. It gives its largest values, and declares nothing.

#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

static const int joker = 12;
static int me;
static bool book;             // the rule book, or the rules of "gym2"?
static bool opening;          // is the first discard still to come?
static std::vector<int> hand; // my cards: 1 is the strongest, 11 the weakest, 12 a joker
static int value, cards;      // the last discard and its number of cards; 13 and 0 if the table is empty

static void clear_table() { value = 13, cards = 0; }

static std::string discard(long number, int of, long jokers) {
    return "C" + std::to_string(of) + ";Q" + std::to_string(number) + ";J" + std::to_string(jokers);
}

static std::string choose() {
    for (int of = std::min(value, joker) - 1; of > 0; of--) {
        long held = std::count(hand.begin(), hand.end(), of);
        if (opening && of < 11 && !book) break; // there the first action is 11s or a pass
        bool beats = book || value != joker;    // there nothing beats a joker
        if (held && held >= cards && beats) return discard(cards ? cards : held, of, 0);
    }
    bool leads = cards == 0 && !(opening && !book);
    return leads && std::count(hand.begin(), hand.end(), joker) ? discard(0, 0, 1) : "pass";
}

static void lose(int card) {
    auto mine = std::find(hand.begin(), hand.end(), card);
    if (mine != hand.end()) hand.erase(mine);
}

// What stands after "=" in the reply; nothing refuses, and so does an exception.
static std::optional<std::string> obey(const Words &words) {
    const std::string &command = words[0];
    if (command == "set_rules") {
        book = words.back() != "gym2";
    } else if (command == "set_players" && words.size() == 3) {
        me = std::stoi(words[2]);
    } else if (command == "set_cards") {
        if (words.at(1) != std::to_string(words.size() - 2)) return {};
        hand.clear();
        for (size_t n = 2; n < words.size(); n++) hand.push_back(std::stoi(words[n]));
        opening = true;
        clear_table();
    } else if (command == "gen_special") {
        return "none";
    } else if (command == "gen_exchange") {
        auto order = [](int card) { return card == joker ? 0 : card; };
        std::sort(hand.begin(), hand.end(), [&](int one, int other) { return order(one) > order(other); });
        std::string given;
        for (int n = 0; n < std::stoi(words.at(1)); n++) given += (n ? " " : "") + std::to_string(hand.at(n));
        return given;
    } else if (command == "exchange" && words.size() >= 4) {
        for (size_t n = 4; n < words.size(); n++) {
            if (std::stoi(words[1]) == me) lose(std::stoi(words[n]));
            if (std::stoi(words[2]) == me) hand.push_back(std::stoi(words[n]));
        }
    } else if (command == "gen_move" && !hand.empty()) {
        return choose();
    } else if (command == "play" && words.size() == 3) {
        opening = false;
        if (words[2] != "pass") {
            size_t q = words[2].find(";Q"), j = words[2].find(";J");
            int of = std::stoi(words[2].substr(1)), number = std::stoi(words[2].substr(q + 2));
            int jokers = std::stoi(words[2].substr(j + 2));
            value = of ? of : joker, cards = number + jokers;
            for (int n = 0; n < cards && std::stoi(words[1]) == me; n++) lose(n < number ? of : joker);
        }
    } else if (command == "pizza") {
        clear_table();
    } else if (command != "set_game" && command != "set_roles" && command != "time_left" && command != "special" &&
               command != "end_deal" && command != "quit") {
        return {};
    }
    return "";
}

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream read(line);
        Words words;
        for (std::string word; read >> word;) words.push_back(word);
        if (words.empty()) continue;  // a blank line has no reply
        std::optional<std::string> text;
        try {
            text = obey(words);
        } catch (const std::logic_error &) {  // a word that is no number, or too few of them
        }
        if (!text) std::cout << "? cannot do that";
        else std::cout << (text->empty() ? "=" : "= ") << *text;
        std::cout << "\n\n" << std::flush;  // without this the reply waits in a buffer
        if (words[0] == "quit") break;
    }
}
