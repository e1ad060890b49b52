// A minimal bot for Dou Dizhu in C++17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot plays cards of one rank alone: it leads all of its lowest rank, and beats such a play
// with the lowest rank of which it has enough. Otherwise it passes.

#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

static const std::string ranks = "3456789TJQKA2BR";
static int me, owner;    // my seat, and who made the play to beat
static std::string hand; // a letter for each card
static std::string best; // the play to beat, "" if I may lead

static std::string choose() {
    bool alike = best.find_first_not_of(best[0]) == std::string::npos;
    if (!best.empty() && !alike) return "pass";
    for (char rank : ranks) {
        size_t held = static_cast<size_t>(std::count(hand.begin(), hand.end(), rank));
        if (best.empty() && held) return std::string(held, rank);
        if (!best.empty() && held >= best.size() && ranks.find(rank) > ranks.find(best[0]))
            return std::string(best.size(), rank);
    }
    return "pass";
}

// What stands after "=" in the reply; nothing refuses, and so does an exception.
static std::optional<std::string> obey(const Words &words) {
    const std::string &command = words[0];
    if (command == "set_players" && words.size() == 3) {
        me = std::stoi(words[2]);
    } else if (command == "set_cards" && words.size() == 3) {
        if (words[1] != std::to_string(words[2].size())) return {};
        hand = words[2];
        best.clear();
    } else if (command == "gen_move" && !hand.empty()) {
        return choose();
    } else if (command == "play" && words.size() == 3) {
        int seat = std::stoi(words[1]);
        if (words[2] != "pass") {
            best = words[2], owner = seat;
            for (char card : best) {
                size_t mine = hand.find(card);
                if (seat == me && mine != std::string::npos) hand.erase(mine, 1);
            }
        } else if ((seat + 1) % 3 == owner) {
            best.clear(); // both others have passed
        }
    } else if (command != "set_rules" && command != "set_game" && command != "show_cards" && command != "time_left" &&
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
