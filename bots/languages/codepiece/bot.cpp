// A minimal bot for Codepiece in C++17.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot passes, names the suit of which it has most as trump, and plays the first card that it
// may.

#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using Words = std::vector<std::string>;

static const std::string values = "23456789TJQKA", suits = "CDHS";
static int me;
static char trump;
static Words hand;                                     // my cards, such as "TD": the value, then the suit
static std::vector<std::pair<int, std::string>> trick; // who has laid what on the table

// A trump beats the suit led, which beats all else.
static size_t worth(const std::string &card) {
    size_t value = values.find(card[0]) + 1;
    return card[1] == trump ? value + 26 : card[1] == trick[0].second[1] ? value + 13 : 0;
}

// My cards that follow suit, or else all; if an opponent is winning, only those that beat it, if there are any.
static Words legal() {
    if (trick.empty()) return hand;
    Words cards;
    for (const auto &card : hand) if (card[1] == trick[0].second[1]) cards.push_back(card);
    if (cards.empty()) cards = hand;
    auto best = *std::max_element(trick.begin(), trick.end(), [](const auto &one, const auto &other) {
        return worth(one.second) < worth(other.second);
    });
    Words over;
    for (const auto &card : cards) if (worth(card) > worth(best.second)) over.push_back(card);
    return (best.first - me) % 2 && !over.empty() ? over : cards;
}

// What stands after "=" in the reply; nothing refuses, and so does an exception.
static std::optional<std::string> obey(const Words &words) {
    const std::string &command = words[0];
    if (command == "set_players" && words.size() == 3) {
        me = std::stoi(words[2]);
    } else if (command == "set_cards") {
        if (words.at(1) != std::to_string(words.size() - 2)) return {};
        hand.assign(words.begin() + 2, words.end());
        trick.clear();
    } else if (command == "gen_bid") {
        return "pass";
    } else if (command == "gen_trump" && !hand.empty()) {
        auto count = [](char suit) {
            return std::count_if(hand.begin(), hand.end(), [=](const auto &card) { return card[1] == suit; });
        };
        char most = *std::max_element(suits.begin(), suits.end(), [&](char one, char other) {
            return count(one) < count(other);
        });
        return std::string("trump_") + most;
    } else if (command == "trump" && words.size() == 3) {
        trump = words[2].back();
    } else if (command == "gen_move" && !hand.empty()) {
        return legal()[0];
    } else if (command == "play" && words.size() == 3) {
        int seat = std::stoi(words[1]);
        auto mine = std::find(hand.begin(), hand.end(), words[2]);
        if (seat == me && mine != hand.end()) hand.erase(mine);
        trick.push_back({seat, words[2]});
        if (trick.size() == 4) trick.clear(); // the trick is complete
    } else if (command != "set_rules" && command != "set_deck" && command != "set_game" && command != "time_left" &&
               command != "bid" && command != "end_deal" && command != "quit") {
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
