// Deals the cards it cannot see to its opponents in many likely ways, judging by what was played, passed and given.
// In each of these worlds it tries every discard, gift or special action that it has, lets quick players finish the
// deal, and takes what wins it the most places by the points of the match.
//
// C++17, one file, no exceptions. Words of the rules: cards are 1 to 11 and 12 for a joker; the lower, the stronger.
// The work of a decision follows from the time told first and the number of deals, so a seed decides the play. The
// clock is only a safety net.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int SEATS = 4, JOKER = 12, EMPTY = 13;

// ---- Cards ----------------------------------------------------------------------------------------------------------

// A hand: how many cards of value v in four bits from bit 4v on, and from bit 56 on how many in all. Hands can be added.
using Hand = uint64_t;
// Values: bit 4v stands for value v.
using Values = uint64_t;

constexpr Hand card(int value, int many = 1) {
    return static_cast<Hand>(many) << 4 * value | static_cast<Hand>(many) << 56;
}
constexpr int count(Hand hand, int value) { return static_cast<int>(hand >> 4 * value & 15); }
constexpr int size(Hand hand) { return static_cast<int>(hand >> 56); }
constexpr Hand below(int value) { return (Hand{1} << 4 * value) - 1; }
constexpr Hand PLAIN = below(JOKER);  // all but jokers
constexpr Hand ONES = 0x0001111111111111, EVEN = 0x000F0F0F0F0F0F0F;
constexpr Hand DECK = [] {
    Hand deck = card(JOKER, 2);
    for (int value = 1; value < JOKER; ++value) deck += card(value, value);
    return deck;
}();

// The values of which a hand has at least so many cards; 1 <= many <= 16.
inline Values at_least(Hand hand, int many) {
    const Hand add = static_cast<Hand>(16 - many) * 0x0001010101010101, carry = 0x0010101010101010;
    const Hand even = ((hand & EVEN) + add) & carry, odd = ((hand >> 4 & EVEN) + add) & carry;
    return even >> 4 | odd;
}
inline int lowest(Values values) { return __builtin_ctzll(values) / 4; }
inline int highest(Values values) { return (63 - __builtin_clzll(values)) / 4; }

struct Move {
    int8_t value = 0, cards = 0, jokers = 0;  // all 0: a pass
    bool pass() const { return cards + jokers == 0; }
    int size() const { return cards + jokers; }
    int rank() const { return cards ? value : JOKER; }
    Hand hand() const { return (cards ? card(value, cards) : 0) + (jokers ? card(JOKER, jokers) : 0); }
    bool operator==(const Move& other) const {
        return value == other.value && cards == other.cards && jokers == other.jokers;
    }
};

class Luck {
public:
    explicit Luck(uint64_t seed = 0) : state_(seed) {}
    explicit Luck(std::string_view text) : state_(14695981039346656037u) {
        for (char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
    uint64_t next() {  // splitmix64
        uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }
    int below(int number) { return static_cast<int>((next() >> 32) * static_cast<uint64_t>(number) >> 32); }
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    uint64_t state_;
};

// ---- The game -------------------------------------------------------------------------------------------------------

// A deal in play, all hands open.
struct Position {
    std::array<Hand, SEATS> hands{};
    Hand left = 0;                   // the sum of all hands
    int over = EMPTY, need = 1;      // the next discard must be of a lower value, and of at least so many cards
    int turn = 0, last = 0;          // who is to act; who discarded last
    unsigned out = 0, done = 0;      // bits of the seats that have passed or finished; that have finished
    std::array<int8_t, SEATS> order{};
    int finished = 0;
    bool opening = false;  // the first discard, of elevens, is still to come

    int after(int seat, unsigned skip) const {
        for (int step = 1; step <= SEATS; ++step) {
            const int next = (seat + step) & 3;
            if (!(skip >> next & 1)) return next;
        }
        return -1;
    }

    void play(const Move& move) {
        const unsigned bit = 1u << turn;
        opening = false;
        if (move.pass()) {
            out |= bit;
        } else {
            const Hand gone = move.hand();
            hands[turn] -= gone;
            left -= gone;
            over = move.rank();
            need = move.size();
            last = turn;
            if (!hands[turn]) {
                out |= bit;
                done |= bit;
                order[finished++] = static_cast<int8_t>(turn);
                if (finished == SEATS - 1) {
                    order[finished++] = static_cast<int8_t>(after(turn, done));
                    return;
                }
            }
        }
        int next = after(turn, out);
        if (next < 0 || next == last) {
            next = done >> last & 1 ? after(last, done) : last;
            clear();
        }
        turn = next;
    }

    void clear() {
        over = EMPTY;
        need = 1;
        out = done;
    }
};

// All legal discards, most cards of a value first; a pass last.
void legal_moves(const Position& at, bool book, std::vector<Move>& moves) {
    moves.clear();
    const Hand hand = at.hands[at.turn];
    const int held = count(hand, JOKER);
    const bool first = at.opening && (count(hand, 11) || !book);
    const bool unbeatable = !book && at.over == JOKER;
    for (int value = std::min(at.over, JOKER) - 1; value >= 1 && !unbeatable; --value) {
        if (first && value != 11) continue;
        for (int cards = count(hand, value); cards >= 1; --cards)
            for (int jokers = 0; jokers <= held; ++jokers)
                if (cards + jokers >= at.need && (book || first || jokers < 2))
                    moves.push_back({static_cast<int8_t>(value), static_cast<int8_t>(cards), static_cast<int8_t>(jokers)});
    }
    if (held && at.over == EMPTY && !first) moves.push_back({0, 0, 1});
    if (at.over != EMPTY || moves.empty()) moves.push_back({});
}

// ---- The quick player -----------------------------------------------------------------------------------------------

// Whether a discard of a value cannot be beaten: `most` is how many cards of one lower value the others have.
inline bool sure(int most, int wild, int cards) { return most == 0 || most + wild < cards; }

// Discards the largest values first, saves jokers for when they win, and wins at once when it can.
Move quick(const Position& at, bool book) {
    const Hand hand = at.hands[at.turn], plain = hand & PLAIN;
    const int held = count(hand, JOKER);
    const auto make = [](int value, int cards, int jokers) {
        return Move{static_cast<int8_t>(value), static_cast<int8_t>(cards), static_cast<int8_t>(jokers)};
    };
    if (!plain) return at.over == EMPTY ? make(0, 0, 1) : Move{};
    if (!book && at.over == JOKER) return {};
    const Values groups = at_least(plain, 1);
    if (at.opening && count(plain, 11)) {
        const bool all = !(groups & (groups - 1));
        return make(11, count(plain, 11), all && (book || held < 2) ? held : 0);
    }
    const int many = __builtin_popcountll(groups), usable = book ? held : std::min(held, 1);
    if (many == 1) {
        const int value = lowest(groups), cards = count(plain, value);
        if (value < at.over && cards + usable >= at.need && (usable == held || at.over != EMPTY))
            return make(value, cards, usable);
    }
    const Hand others = at.left - hand;
    const int wild = count(others, JOKER);
    // Per value what the others can have against it at most.
    std::array<int8_t, JOKER> most{};
    Values unsure = 0;
    for (int value = 1, top = 0; value < JOKER; ++value) {
        most[value] = static_cast<int8_t>(top);
        const int mine = count(plain, value);
        if (mine && !sure(top, wild, mine)) unsure |= Values{1} << 4 * value;
        top = std::max(top, count(others, value));
    }
    const Values reach = groups & below(std::min(at.over, JOKER));
    const Values follow = at_least(plain, at.need) & reach;
    if (__builtin_popcountll(unsure) <= 2)
        for (int jokers = 0; jokers <= usable; ++jokers)
            for (Values rest = reach; rest;) {
                const int value = highest(rest), cards = count(plain, value);
                const Values bit = Values{1} << 4 * value;
                rest ^= bit;
                if (cards + jokers < at.need || !sure(most[value], wild, cards + jokers)) continue;
                const Values after = groups ^ bit;
                if (__builtin_popcountll(unsure & after) <= 1 && (after || jokers == held))
                    return make(value, cards, jokers);
            }
    if (follow) {
        const int value = highest(follow);
        return make(value, count(plain, value), 0);
    }
    if (many <= 4)
        for (int jokers = 1; jokers <= usable; ++jokers)
            for (Values rest = reach; rest;) {
                const int value = highest(rest), cards = count(plain, value);
                rest ^= Values{1} << 4 * value;
                if (cards + jokers >= at.need && sure(most[value], wild, cards + jokers))
                    return make(value, cards, jokers);
            }
    return {};
}

void finish(Position& at, bool book) {
    while (at.finished < SEATS) at.play(quick(at, book));
}

// The cards that the quick player gives: the largest values, jokers last of all.
Hand quick_gift(Hand hand, int number) {
    Hand gift = 0;
    while (number--) {
        const int value = hand & PLAIN ? highest(at_least(hand & PLAIN, 1)) : JOKER;
        gift += card(value);
        hand -= card(value);
    }
    return gift;
}

Hand strongest(Hand hand, int number) {
    Hand gift = 0;
    while (number--) {
        const int value = lowest(at_least(hand & below(JOKER + 1), 1));
        gift += card(value);
        hand -= card(value);
    }
    return gift;
}

enum Role { CHEF, SOUSCHEF, WAITER, DISHWASHER };

// ---- What a deal is worth -------------------------------------------------------------------------------------------

// The value of each order of finishing to one seat: the share of rivals that it will be ahead of at the end of the
// match, level ones counting half. Deals to come are played by players who are equal but for their roles.
class Worth {
public:
    void set(int me, const std::array<int, SEATS>& totals, int deals_left) {
        std::array<int, SEATS> order{0, 1, 2, 3};
        do {
            value_[index(order)] = after(me, totals, order, std::min(deals_left, 2));
        } while (std::next_permutation(order.begin(), order.end()));
    }
    template <class Order>
    double operator()(const Order& order) const {
        return value_[index(order)];
    }

private:
    template <class Order>
    static int index(const Order& order) {
        return order[0] << 4 | order[1] << 2 | order[2];
    }

    static double after(int me, std::array<int, SEATS> totals, const std::array<int, SEATS>& order, int deals) {
        for (int place = 0; place < SEATS; ++place) totals[order[place]] += SEATS - 1 - place;
        if (deals <= 0) {
            double share = 0;
            for (int seat = 0; seat < SEATS; ++seat)
                if (seat != me) share += totals[me] > totals[seat] ? 1.0 : totals[me] == totals[seat] ? 0.5 : 0.0;
            return share / (SEATS - 1);
        }
        double mean = 0;
        std::array<int, SEATS> roles{0, 1, 2, 3};  // in the order of finishing
        int which = 0;
        do {
            std::array<int, SEATS> next;
            for (int place = 0; place < SEATS; ++place) next[place] = order[roles[place]];
            mean += CHANCE[which++] * after(me, totals, next, deals - 1);
        } while (std::next_permutation(roles.begin(), roles.end()));
        return mean;
    }

    // How often the roles finish in each order, in the order of the alphabet: measured on quick players.
    static constexpr std::array<double, 24> CHANCE = {
        1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24.,
        1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24., 1/24.};

    std::array<double, 64> value_{};
};

// ---- What is known of the hidden hands ------------------------------------------------------------------------------

// A decision of an opponent that a player of largest values first takes only with certain cards.
struct Seen {
    enum Kind { PASSED, FOLLOWED, LED, GAVE } kind;
    int value, over, need, cards;
    Hand later;  // what it has played since, this discard included

    // Whether a hand, as it is now, shows that it did not decide so.
    bool contradicts(Hand hand) const {
        const Hand then = (hand & PLAIN) + (later & PLAIN);
        if (kind == PASSED) return (at_least(then, need) & below(over)) != 0;
        if (kind == GAVE) return (then & ~below(value + 1)) != 0;
        if (count(then, value) != cards) return true;
        const Hand between = then & below(over) & ~below(value + 1);
        return kind == LED ? between != 0 : (at_least(between, need)) != 0;
    }
};

struct Opponent {
    int cards = 0;
    Hand known = 0;            // cards it surely has
    int floor = 0;             // all others it has are of this value or larger
    double price = 2.0;        // log-likelihood lost by each contradiction
    std::vector<Seen> seen;
    int trials = 0, lapses = 0;  // in deals before this: decisions, and those that it contradicted itself

    double cost(Hand hand) const {
        int found = 0;
        for (const Seen& one : seen) found += one.contradicts(hand);
        double total = found * price;
        if (floor)
            for (Values rest = at_least((hand - known) & below(floor), 1); rest; rest &= rest - 1) total += 12;
        return total;
    }
};

// A chain of likely worlds.
class Worlds {
public:
    Worlds(const std::array<Opponent, SEATS>& opponents, int me, Hand hidden, Luck& luck)
        : opponents_(opponents), luck_(luck) {
        for (int seat = 0; seat < SEATS; ++seat)
            if (seat != me) hidden -= opponents[seat].known;
        for (int value = 1; value <= JOKER; ++value)
            for (int i = count(hidden, value); i > 0; --i) cards_.push_back(static_cast<int8_t>(value));
        for (size_t i = cards_.size(); i > 1; --i) std::swap(cards_[i - 1], cards_[luck.below(static_cast<int>(i))]);
        for (int seat = 0; seat < SEATS; ++seat) {
            if (seat == me) continue;
            hands_[seat] = opponents[seat].known;
            for (int i = opponents[seat].cards - size(opponents[seat].known); i > 0; --i) {
                if (owners_.size() == cards_.size()) break;  // told nonsense
                hands_[seat] += card(cards_[owners_.size()]);
                owners_.push_back(static_cast<int8_t>(seat));
            }
            cost_[seat] = opponents[seat].cost(hands_[seat]);
        }
        cards_.resize(owners_.size());
        advance(12 * static_cast<int>(cards_.size()));
    }

    // Exchanges of two cards, each taken by its likelihood.
    void advance(int swaps) {
        const int many = static_cast<int>(cards_.size());
        if (many < 2) return;
        while (swaps-- > 0) {
            const int i = luck_.below(many), j = luck_.below(many);
            const int a = owners_[i], b = owners_[j];
            if (a == b || cards_[i] == cards_[j]) continue;
            const Hand change = card(cards_[j]) - card(cards_[i]);
            const double cost_a = opponents_[a].cost(hands_[a] + change), cost_b = opponents_[b].cost(hands_[b] - change);
            const double more = cost_a + cost_b - cost_[a] - cost_[b];
            if (more > 0 && (more > 20 || luck_.fraction() >= __builtin_exp(-more))) continue;
            hands_[a] += change;
            hands_[b] -= change;
            cost_[a] = cost_a;
            cost_[b] = cost_b;
            std::swap(cards_[i], cards_[j]);
        }
    }
    Hand operator[](int seat) const { return hands_[seat]; }

private:
    const std::array<Opponent, SEATS>& opponents_;
    Luck& luck_;
    std::vector<int8_t> cards_, owners_;
    std::array<Hand, SEATS> hands_{};
    std::array<double, SEATS> cost_{};
};

// ---- The bot --------------------------------------------------------------------------------------------------------

using Words = std::vector<std::string_view>;
using Clock = std::chrono::steady_clock;

// Words of a line; anything up to a blank's code separates them, "\r" too.
Words split(std::string_view line) {
    Words words;
    size_t i = 0;
    while (i < line.size()) {
        const size_t start = i;
        while (i < line.size() && static_cast<unsigned char>(line[i]) > ' ') ++i;
        if (i > start) words.push_back(line.substr(start, i - start));
        else ++i;
    }
    return words;
}

// A whole number that is not above `most`; otherwise false, and `value` stays as it is.
bool number(std::string_view word, int most, int& value) {
    if (word.empty() || word.size() > 9) return false;
    int found = 0;
    for (char c : word) {
        if (c < '0' || c > '9') return false;
        found = found * 10 + (c - '0');
    }
    if (found <= most) value = found;
    return found <= most;
}

std::string name(const Move& move) {
    if (move.pass()) return "pass";
    return "C" + std::to_string(move.value) + ";Q" + std::to_string(move.cards) + ";J" + std::to_string(move.jokers);
}

bool parse(std::string_view word, Move& move) {
    move = {};
    if (word == "pass") return true;
    const size_t first = word.find(';'), second = word.rfind(';');
    if (first == second || word[0] != 'C' || word[first + 1] != 'Q' || word[second + 1] != 'J') return false;
    int value, cards, jokers;
    if (!number(word.substr(1, first - 1), 11, value) || !number(word.substr(first + 2, second - first - 2), 11, cards) ||
        !number(word.substr(second + 2), 2, jokers) || cards + jokers == 0 || (value == 0) != (cards == 0))
        return false;
    move = {static_cast<int8_t>(value), static_cast<int8_t>(cards), static_cast<int8_t>(jokers)};
    return true;
}

// Whether a hand has all cards of another one.
bool holds(Hand hand, Hand part) {
    for (int value = 1; value <= JOKER; ++value)
        if (count(hand, value) < count(part, value)) return false;
    return true;
}

class Bot {
public:
    Bot(std::string_view seed, double budget) : seed_(seed), budget_(budget), told_(budget) {}

    bool over() const { return over_; }

    // Appends the reply to one command; a blank line has none.
    void answer(std::string_view line, std::string& replies) {
        const Words words = split(line);
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
        const size_t many = words.size();
        int n = 0, seat = 0;
        if (command == "time_left") {
            if (many != 2 || !number(words[1], 999999999, n)) return false;
            left_ = n;
            if (told_ <= 0) told_ = n;
            return true;
        }
        if (command == "play") return many == 3 && number(words[1], SEATS - 1, seat) && played(seat, words[2]);
        if (command == "pizza") {
            if (many != 2) return false;
            at_.clear();
            return true;
        }
        if (command == "gen_move" || command == "gen_exchange" || command == "gen_special") {
            if (!mine()) return false;
            begun_ = Clock::now();
            luck_ = Luck(seed_ + '|' + std::to_string(deal_) + '|' + std::to_string(dealt_) + '|' + std::to_string(mine()));
            if (command == "gen_move") {
                result = name(choose_move());
                return true;
            }
            if (command == "gen_special") return choose_special(result);
            return many == 2 && number(words[1], 2, n) && n >= 1 && choose_gift(n, result);
        }
        if (command == "set_cards") return many >= 3 && number(words[1], 17, n) && many == n + 2u && new_deal(words);
        if (command == "set_roles") return many == SEATS + 1 && set_roles(words);
        if (command == "special") {
            if (many != 3 || !number(words[1], SEATS - 1, seat)) return false;
            if (seat != me_ && holds(hidden_, card(JOKER, 2))) others_[seat].known += card(JOKER, 2);
            return true;
        }
        if (command == "exchange") return exchanged(words);
        if (command == "end_deal") {
            if (many != SEATS + 1) return false;
            for (int i = 0; i < SEATS; ++i) {
                if (!number(words[i + 1], 3, n)) return false;
                totals_[i] += n;
            }
            for (Opponent& other : others_) {
                for (const Seen& one : other.seen) other.lapses += one.contradicts(0);
                other.trials += static_cast<int>(other.seen.size());
            }
            return true;
        }
        if (command == "set_players") return many == 3 && number(words[1], SEATS, n) && n == SEATS && number(words[2], 3, me_);
        if (command == "set_game") {
            if (many != 3 || !number(words[2], 1000, n) || n == 0) return false;
            // To so many points: the winner has about two in each deal.
            deals_ = words[1] == "points" ? (n + 1) / 2 : n;
            goal_ = words[1] == "points" ? n : 0;
            deal_ = -1;
            told_ = budget_;
            totals_ = {};
            others_ = {};
            return true;
        }
        if (command == "set_rules") {
            if (many < 2) return false;
            book_ = words.back() != "gym2";
            return true;
        }
        if (command == "quit") over_ = true;
        return over_;
    }

    Hand mine() const { return at_.hands[me_]; }

    bool new_deal(const Words& words) {
        Hand hand = 0;
        int value;
        for (size_t i = 2; i < words.size(); ++i) {
            if (!number(words[i], JOKER, value) || value == 0) return false;
            hand += card(value);
            if (!holds(DECK, hand)) return false;
        }
        ++deal_;
        at_ = Position{};
        at_.opening = true;
        at_.hands[me_] = hand;
        dealt_ = hand;
        hidden_ = DECK - hand;
        for (Opponent& other : others_) {
            const int trials = other.trials, lapses = other.lapses;
            other = Opponent{};
            other.trials = trials;
            other.lapses = lapses;
            other.cards = size(hand);
        }
        roles_ = {};
        int left = deals_ - deal_ - 1;
        if (goal_) left = std::max(0, (goal_ - *std::max_element(totals_.begin(), totals_.end()) - 1) / 2);
        worth_.set(me_, totals_, left);
        return true;
    }

    bool set_roles(const Words& words) {
        static constexpr std::string_view NAMES[] = {"Chef", "Souschef", "Waiter", "Dishwasher"};
        std::array<int, SEATS> seats{-1, -1, -1, -1};
        for (int seat = 0; seat < SEATS; ++seat)
            for (int role = 0; role < SEATS; ++role)
                if (words[seat + 1] == NAMES[role]) seats[role] = seat;
        for (int seat : seats)
            if (seat < 0) return true;  // shared roles: there is no exchange
        roles_ = seats;
        return true;
    }

    bool exchanged(const Words& words) {
        int giver, taker, n, value;
        if (words.size() < 4 || !number(words[1], 3, giver) || !number(words[2], 3, taker) || !number(words[3], 2, n))
            return false;
        if (giver == taker || (giver != me_ && taker != me_)) return giver != taker;
        if (words.size() != n + 4u) return false;
        Hand cards = 0;
        for (int i = 0; i < n; ++i) {
            if (!number(words[i + 4], JOKER, value) || value == 0) return false;
            cards += card(value);
        }
        if (!holds(giver == me_ ? mine() : hidden_, cards)) return false;
        if (giver == me_) {
            at_.hands[me_] -= cards;
            hidden_ += cards;
            others_[taker].known += cards;
            return true;
        }
        at_.hands[me_] += cards;
        hidden_ -= cards;
        Opponent& other = others_[giver];
        for (int v = 1; v <= JOKER; ++v)
            if (const int less = std::min(count(other.known, v), count(cards, v))) other.known -= card(v, less);
        if (giver == roles_[WAITER] || giver == roles_[DISHWASHER])
            other.floor = highest(at_least(cards, 1));
        else if (cards & PLAIN)
            other.seen.push_back({Seen::GAVE, lowest(at_least(cards & PLAIN, 1)), 0, 0, 0, 0});
        return true;
    }

    bool played(int seat, std::string_view word) {
        Move move;
        if (!parse(word, move)) return false;
        const Hand gone = move.hand();
        if (!holds(seat == me_ ? mine() : hidden_, gone)) return false;
        if (seat == me_) {
            at_.hands[me_] -= gone;
        } else {
            Opponent& other = others_[seat];
            hidden_ -= gone;
            for (Seen& one : other.seen) one.later += gone;
            if (!move.jokers && (!move.pass() || at_.over != EMPTY)) {
                const auto kind = move.pass() ? Seen::PASSED : at_.over == EMPTY ? Seen::LED : Seen::FOLLOWED;
                other.seen.push_back({kind, move.value, at_.over, at_.need, move.cards, gone});
            }
            for (int v = 1; v <= JOKER; ++v)
                if (const int less = std::min(count(other.known, v), count(gone, v))) other.known -= card(v, less);
            other.cards = std::max(other.cards - move.size(), size(other.known));
        }
        at_.opening = false;
        if (move.pass()) {
            at_.out |= 1u << seat;
            return true;
        }
        at_.over = move.rank();
        at_.need = move.size();
        at_.last = seat;
        if ((seat == me_ ? size(mine()) : others_[seat].cards) == 0 && !(at_.done >> seat & 1)) {
            at_.out |= 1u << seat;
            at_.done |= 1u << seat;
            at_.order[at_.finished++ & 3] = static_cast<int8_t>(seat);
        }
        return true;
    }

    // ---- Decisions ----

    // How many play-outs a decision may cost.
    int playouts() const { return static_cast<int>(std::clamp(told_ / deals_ * RATE, 100.0, 4e6)); }

    // Never more than a fifteenth of what is left: so stops only a clock that runs much faster than planned.
    bool late() const {
        const double spent = std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
        return left_ > 0 && spent > left_ / 15.0;
    }

    // The best option by sequential halving: all that are left are tried in the same worlds, the worse half leaves.
    // `next` goes to a new world, `value` says what an option is worth in it.
    template <class Next, class Value>
    size_t best(size_t options, Next next, Value value) {
        std::vector<size_t> alive(options);
        std::vector<double> sums(options, 0.0);
        for (size_t i = 0; i < options; ++i) alive[i] = i;
        int rounds = 0;
        while (size_t{1} << rounds < options) ++rounds;
        for (int round = 0; round < rounds && alive.size() > 1; ++round) {
            const int worlds = std::max<int>(playouts() / rounds / static_cast<int>(alive.size()), 4);
            for (int world = 0; world < worlds; ++world) {
                next();
                for (size_t option : alive) sums[option] += value(option);
                if (late()) return *std::max_element(alive.begin(), alive.end(), [&](size_t a, size_t b) { return sums[a] < sums[b]; });
            }
            std::stable_sort(alive.begin(), alive.end(), [&](size_t a, size_t b) { return sums[a] > sums[b]; });
            alive.resize((alive.size() + 1) / 2);
        }
        return alive[0];
    }

    Move choose_move() {
        at_.turn = me_;
        if (at_.over == EMPTY) at_.last = me_;
        std::vector<Move> moves;
        legal_moves(at_, book_, moves);
        if (moves.size() == 1 || at_.finished > 2) return moves[0];
        for (int seat = 0; seat < SEATS; ++seat) {
            Opponent& other = others_[seat];
            int lapses = other.lapses;
            for (const Seen& one : other.seen) lapses += one.contradicts(0);
            const double slip = (lapses + 1.0) / (other.trials + static_cast<double>(other.seen.size()) + 8.0);
            other.price = __builtin_log((1 - slip) / slip);
            if (other.price < 0) other.price = 0;
        }
        Worlds worlds(others_, me_, hidden_, luck_);
        Position world = at_;
        const size_t chosen = best(
            moves.size(),
            [&] {
                worlds.advance(SWAPS);
                world.left = mine();
                for (int seat = 0; seat < SEATS; ++seat)
                    if (seat != me_) world.left += world.hands[seat] = worlds[seat];
            },
            [&](size_t option) {
                Position play = world;
                play.play(moves[option]);
                finish(play, book_);
                return worth_(play.order);
            });
        return moves[chosen];
    }

    // The cards of all four before the exchange, the others' by lot.
    std::array<Hand, SEATS> deal_hidden(Luck& luck) const {
        std::array<Hand, SEATS> hands{};
        std::array<int8_t, 64> cards;
        int many = 0;
        Hand rest = hidden_;
        for (const Opponent& other : others_) rest -= other.known;
        for (int value = 1; value <= JOKER; ++value)
            for (int i = count(rest, value); i > 0; --i) cards[many++] = static_cast<int8_t>(value);
        hands[me_] = mine();
        for (int seat = 0; seat < SEATS; ++seat) {
            if (seat == me_) continue;
            hands[seat] = others_[seat].known;
            for (int i = others_[seat].cards - size(hands[seat]); i > 0 && many > 0; --i) {
                const int at = luck.below(many);
                hands[seat] += card(cards[at]);
                cards[at] = cards[--many];
            }
        }
        return hands;
    }

    // What a deal is worth from its exchange on; `gift` is mine, 0 to give as the quick player does.
    double from_exchange(std::array<Hand, SEATS> hands, const std::array<int, SEATS>& roles, Hand gift, uint64_t lot) const {
        if (roles[CHEF] != roles[DISHWASHER])
            for (int pair = 0; pair < 2; ++pair) {
                const int strong = roles[pair], weak = roles[DISHWASHER - pair];
                const Hand up = strongest(hands[weak], 2 - pair);
                const Hand down = gift && strong == me_ ? gift : quick_gift(hands[strong], 2 - pair);
                hands[strong] += up - down;
                hands[weak] += down - up;
            }
        Position at;
        at.hands = hands;
        for (Hand hand : hands) at.left += hand;
        at.opening = true;
        // The golden 11, or by the other rules a joker, decides by lot who opens.
        const int key = book_ ? 11 : JOKER;
        if (int number = count(at.left, key)) {
            number = static_cast<int>(lot % static_cast<uint64_t>(number));
            for (at.turn = 0; (number -= count(hands[at.turn], key)) >= 0;) ++at.turn;
        }
        at.last = at.turn;
        finish(at, book_);
        return worth_(at.order);
    }

    bool choose_special(std::string& result) {
        const bool dishwasher = roles_[DISHWASHER] == me_;
        std::array<Hand, SEATS> hands{};
        uint64_t lot = 0;
        std::array<int, SEATS> reversed = roles_;
        std::reverse(reversed.begin(), reversed.end());
        const std::array<int, SEATS> declared = dishwasher ? reversed : std::array<int, SEATS>{};
        const size_t chosen = best(
            2, [&] { hands = deal_hidden(luck_), lot = luck_.next() >> 1; },
            [&](size_t option) { return from_exchange(hands, option ? declared : roles_, 0, lot); });
        result = !chosen ? "none" : dishwasher ? "food_fight" : "dinner_served";
        return true;
    }

    bool choose_gift(int number, std::string& result) {
        if (size(mine()) < number) return false;
        // Out of the six largest values; jokers if there is nothing else.
        std::vector<int> kinds;
        for (int value = JOKER - 1; value >= 1 && kinds.size() < 6; --value)
            if (count(mine(), value)) kinds.push_back(value);
        if (kinds.size() < 2 && count(mine(), JOKER)) kinds.push_back(JOKER);
        std::vector<std::array<int, 2>> gifts;
        for (size_t i = 0; i < kinds.size(); ++i) {
            if (number == 1) gifts.push_back({kinds[i], 0});
            for (size_t j = i; j < kinds.size() && number == 2; ++j)
                if (i != j || count(mine(), kinds[i]) > 1) gifts.push_back({kinds[i], kinds[j]});
        }
        std::array<Hand, SEATS> hands{};
        uint64_t lot = 0;
        const size_t chosen = best(
            gifts.size(), [&] { hands = deal_hidden(luck_), lot = luck_.next() >> 1; },
            [&](size_t option) {
                const auto& [one, two] = gifts[option];
                return from_exchange(hands, roles_, card(one) + (two ? card(two) : 0), lot);
            });
        result = std::to_string(gifts[chosen][0]);
        if (number == 2) result += ' ' + std::to_string(gifts[chosen][1]);
        return true;
    }

    static constexpr double RATE = 1.5;  // play-outs a decision for each millisecond told and each deal
    static constexpr int SWAPS = 30;     // from one world to the next

    const std::string seed_;
    const double budget_;
    double told_, left_ = 0;  // milliseconds: for the whole match, for the rest of it
    Clock::time_point begun_;
    bool book_ = true, over_ = false;
    int me_ = 0;
    int deals_ = 3, goal_ = 0, deal_ = -1;  // deals in the match; points to reach, or 0; the number of this one
    std::array<int, SEATS> totals_{}, roles_{};  // points by seat; seats by role
    Position at_;      // of the hands it has mine alone
    Hand dealt_ = 0;   // my cards as they were dealt
    Hand hidden_ = 0;  // cards that the others may have
    std::array<Opponent, SEATS> others_{};
    Worth worth_;
    Luck luck_;
};

bool write_all(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
        if (count >= 0) done += static_cast<size_t>(count);
        else if (errno != EINTR) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::string seed = "1";
    int budget = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--seed" && i + 1 < argc) {
            seed = argv[++i];
        } else if (option == "--budget-ms" && i + 1 < argc && number(argv[i + 1], 999999999, budget)) {
            ++i;
        } else {
            std::fputs(
                "usage: chefs_hat_search [--seed N] [--budget-ms N]\n"
                "Plays Chef's Hat by search (default seed 1). With a budget it works as if told so many\n"
                "milliseconds for the match.\n",
                option == "--help" ? stdout : stderr);
            return option == "--help" ? 0 : 2;
        }
    }
    Bot bot(seed, budget);
    std::string pending, replies;  // what no "\n" has ended yet; what one read makes us say
    char buffer[1 << 14];
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
