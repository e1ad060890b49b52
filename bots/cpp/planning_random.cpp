// A bot that plays Planning at random: C++17, one file, no exceptions.
//
// Commands are taken from read() as they come, one or many, whole or in pieces; the replies to all that a read brought
// go out in one write(). Nothing is kept back in a buffer, so neither side can wait for the other for ever, and a
// batch of commands costs one read and one write.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Words = std::vector<std::string_view>;

// Words of a line; anything up to a blank's code separates them, "\r" too.
Words split(std::string_view line) {
    Words words;
    size_t i = 0;
    while (i < line.size()) {
        size_t start = i;
        while (i < line.size() && static_cast<unsigned char>(line[i]) > ' ') ++i;
        if (i > start) words.push_back(line.substr(start, i - start));
        else ++i;
    }
    return words;
}

// A whole number of at most six digits; false if the word is none.
bool number(std::string_view word, int& value) {
    if (word.empty() || word.size() > 6) return false;
    value = 0;
    for (char c : word) {
        if (c < '0' || c > '9') return false;
        value = value * 10 + (c - '0');
    }
    return true;
}

// The last character of a card; a character may be several bytes of UTF-8.
std::string_view suit(std::string_view card) {
    size_t i = card.size() - 1;
    while (i > 0 && (card[i] & 0xC0) == 0x80) --i;
    return card.substr(i);
}

// Random numbers from a text: FNV-1a makes the state, xorshift goes on from there. planning_random.js has the same
// generator, so that the two play alike.
class Luck {
public:
    explicit Luck(std::string_view text) {
        for (char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 16777619u;
        if (!state_) state_ = 1;
        next();
        next();
    }
    // 0..count-1
    size_t below(size_t count) { return static_cast<size_t>(static_cast<uint64_t>(next()) * count >> 32); }

private:
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    uint32_t state_ = 2166136261u;
};

class Bot {
public:
    explicit Bot(std::string_view seed) : seed_(seed) {}

    bool over() const { return over_; }

    // Appends the reply to one command; a blank line has none.
    void answer(std::string_view line, std::string& replies) {
        Words words = split(line);
        if (words.empty()) return;
        std::string result;
        if (obey(words, result)) {
            replies += '=';
            if (!result.empty()) replies += ' ' + result;
        } else {
            replies += "? cannot do ";
            replies += words[0].substr(0, 40);
        }
        replies += "\n\n";
    }

private:
    bool obey(const Words& words, std::string& result) {
        const std::string_view command = words[0];
        int n = 0, seat = 0;
        if (command == "time_left" || command == "declare") return true;
        if (command == "play") {
            if (words.size() != 3 || !number(words[1], seat)) return false;
            if (seat == me_) {
                auto card = std::find(hand_.begin(), hand_.end(), words[2]);
                if (card == hand_.end()) return false;
                hand_.erase(card);
            }
            if (on_table_ == 0) led_ = suit(words[2]);
            if (++on_table_ >= players_) on_table_ = 0;
            return true;
        }
        if (command == "gen_move") {
            if (hand_.empty()) return false;
            std::vector<const std::string*> legal;
            for (const std::string& card : hand_)
                if (on_table_ && suit(card) == led_) legal.push_back(&card);
            if (legal.empty())
                for (const std::string& card : hand_) legal.push_back(&card);
            result = *legal[luck_.below(legal.size())];
            return true;
        }
        if (command == "gen_declare") {
            result = std::to_string(luck_.below(hand_.size() + 1));
            return true;
        }
        if (command == "set_cards") {
            if (words.size() < 2 || !number(words[1], n) || words.size() != static_cast<size_t>(n) + 2) return false;
            hand_.assign(words.begin() + 2, words.end());
            std::sort(hand_.begin(), hand_.end());
            on_table_ = 0;
            // Luck depends on the seed, the deal and the cards alone: a deal met again is met with the same luck.
            std::string text = seed_ + '|' + std::to_string(++deal_) + '|';
            for (const std::string& card : hand_) text += card + ' ';
            luck_ = Luck(text);
            return true;
        }
        if (command == "set_players") {
            if (words.size() != 3 || !number(words[1], n) || !number(words[2], seat) || seat >= n) return false;
            players_ = n;
            me_ = seat;
            return true;
        }
        if (command == "set_game") {
            deal_ = -1;
            return true;
        }
        if (command == "quit") over_ = true;
        return over_ || command == "set_deck";
    }

    const std::string seed_;
    int players_ = 0, me_ = 0;
    int deal_ = -1;  // number of the deal in the match
    std::vector<std::string> hand_;
    int on_table_ = 0;  // cards of the current trick
    std::string led_;   // the suit led, while on_table_ > 0
    Luck luck_{""};
    bool over_ = false;
};

bool write_all(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
        ssize_t count = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
        if (count >= 0) done += static_cast<size_t>(count);
        else if (errno != EINTR) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::string seed = "1";
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--seed" && i + 1 < argc) {
            seed = argv[++i];
        } else {
            std::fputs("usage: planning_random [--seed N]\nPlays Planning at random (default seed 1).\n",
                       option == "--help" ? stdout : stderr);
            return option == "--help" ? 0 : 2;
        }
    }
    Bot bot(seed);
    std::string pending, replies;  // what no "\n" has ended yet; what one read makes us say
    char buffer[1 << 16];
    for (;;) {
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        pending.append(buffer, static_cast<size_t>(count));
        replies.clear();
        size_t start = 0, end;
        while (!bot.over() && (end = pending.find('\n', start)) != std::string::npos) {
            bot.answer(std::string_view(pending).substr(start, end - start), replies);
            start = end + 1;
        }
        pending.erase(0, start);
        if (!write_all(replies)) return 1;
        if (bot.over()) return 0;
    }
    // A last command that only the end of the input ends.
    replies.clear();
    bot.answer(pending, replies);
    return write_all(replies) ? 0 : 1;
}
