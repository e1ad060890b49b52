// A minimal bot for Planning in C++17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

static char strongest;                // the value that no other beats
static size_t players;
static int me;
static Words hand;                    // my cards, such as "TD": the value, then the suit
static Words trick;                   // the cards on the table

// What stands after "=" in the reply; nothing refuses, and so does an exception.
static std::optional<std::string> obey(const Words &words) {
    const std::string &command = words[0];
    if (command == "set_deck" && words.size() == 3) {
        strongest = words[1].back();
    } else if (command == "set_players" && words.size() == 3) {
        int n = std::stoi(words[1]), i = std::stoi(words[2]);
        players = static_cast<size_t>(n), me = i;
    } else if (command == "set_cards") {
        if (words.at(1) != std::to_string(words.size() - 2)) return {};
        hand.assign(words.begin() + 2, words.end());
        trick.clear();
    } else if (command == "gen_declare") {
        auto sure = [](const std::string &card) { return card[0] == strongest; };
        return std::to_string(std::count_if(hand.begin(), hand.end(), sure));
    } else if (command == "gen_move" && !hand.empty()) {
        auto follows = [](const std::string &card) { return !trick.empty() && card.back() == trick[0].back(); };
        auto choice = std::find_if(hand.begin(), hand.end(), follows);
        return choice == hand.end() ? hand[0] : *choice;
    } else if (command == "play" && words.size() == 3) {
        auto mine = std::find(hand.begin(), hand.end(), words[2]);
        if (std::stoi(words[1]) == me && mine != hand.end()) hand.erase(mine);
        trick.push_back(words[2]);
        if (trick.size() >= players) trick.clear();  // the trick is complete
    } else if (command != "set_game" && command != "time_left" && command != "declare" && command != "quit") {
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
