// Deals the cards it cannot see to its opponents in many likely ways, judging by what was played, passed and given, and
// tries every discard, gift and special action in the same deals. Quick players finish each deal, and it takes what
// puts it ahead of the most rivals at the end of the match.
//
// C++17, no exceptions. Cards are 1 to 11, the strongest first, and 12 for a joker. The work of a decision
// follows from the time told first and the number of deals, so a seed decides the play; the clock is a safety net.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int SEATS = 4, JOKER = 12, EMPTY = 13;  // EMPTY: what lies on a table without a discard
template <class T> using BySeat = std::array<T, SEATS>;

// ---- Cards ----------------------------------------------------------------------------------------------------------
// A hand: how many cards of value v in four bits from 4v on, and from bit 56 on how many in all. Hands can be added.
using Hand = uint64_t;
using Values = uint64_t;  // bit 4v stands for value v

constexpr Hand card(int value, int many = 1) {
    return static_cast<Hand>(many) << 4 * value | static_cast<Hand>(many) << 56;
}
constexpr int count(Hand hand, int value) { return static_cast<int>(hand >> 4 * value & 15); }
constexpr int size(Hand hand) { return static_cast<int>(hand >> 56); }
constexpr Values bit(int value) { return Values{1} << 4 * value; }
constexpr Hand below(int value) { return bit(value) - 1; }
constexpr Hand PLAIN = below(JOKER);  // all but jokers
constexpr Hand DECK = [] {
    Hand deck = card(JOKER, 2);
    for (int value = 1; value < JOKER; ++value) deck += card(value, value);
    return deck;
}();

// The values of which a hand has at least so many cards, 1 to 16: those that carry into the fifth of eight bits.
inline Values at_least(Hand hand, int many) {
    const Hand every = 0x000F0F0F0F0F0F0F, carry = 0x0010101010101010;
    const Hand add = static_cast<Hand>(16 - many) * 0x0001010101010101;
    return (((hand & every) + add) & carry) >> 4 | (((hand >> 4 & every) + add) & carry);
}
inline int lowest(Values values) { return __builtin_ctzll(values) / 4; }
inline int highest(Values values) { return (63 - __builtin_clzll(values)) / 4; }

// The cards that two hands have in common.
Hand shared(Hand one, Hand other) {
    Hand both = 0;
    for (int value = 1; value <= JOKER; ++value) both += card(value, std::min(count(one, value), count(other, value)));
    return both;
}
bool holds(Hand hand, Hand part) { return shared(hand, part) == part; }
// So many of the strongest cards of a hand, as must be given, or of the weakest, jokers last, as a quick player gives.
Hand some(Hand hand, int number, bool strong) {
    Hand gift = 0, one;
    for (; number > 0 && hand; --number, gift += one, hand -= one)
        one = card(strong || !(hand & PLAIN) ? lowest(at_least(hand, 1)) : highest(at_least(hand & PLAIN, 1)));
    return gift;
}

struct Move {
    int value = 0, cards = 0, jokers = 0;  // all 0: a pass
    int size() const { return cards + jokers; }
    bool pass() const { return size() == 0; }
    int rank() const { return cards ? value : JOKER; }
    Hand hand() const { return card(value, cards) + card(JOKER, jokers); }
};

using Luck = std::mt19937_64;

// ---- The game -------------------------------------------------------------------------------------------------------
// A deal in play, all hands open.
struct Position {
    BySeat<Hand> hands{};
    Hand left = 0;               // the sum of all hands
    int over = EMPTY, need = 1;  // the next discard must be of a lower value, and of at least so many cards
    int turn = 0, last = 0;      // who is to act; who discarded last
    unsigned out = 0, done = 0;  // bits of the seats that have passed or finished; that have finished
    BySeat<int> order{};         // of finishing
    int finished = 0;
    bool opening = true;  // the first discard, of elevens, is still to come
    int after(int seat, unsigned skip) const {
        for (int step = 1; step <= SEATS; ++step)
            if (const int next = (seat + step) & 3; !(skip >> next & 1)) return next;
        return -1;
    }
    void clear() { over = EMPTY, need = 1, out = done; }
    // What a discard or a pass of a seat does to the table; `empty` says that its hand is now.
    void laid(int seat, const Move& move, bool empty) {
        opening = false;
        if (move.pass() || empty) out |= 1u << seat;
        if (move.pass()) return;
        over = move.rank(), need = move.size(), last = seat;
        if (!empty || done >> seat & 1) return;
        done |= 1u << seat;
        order[finished++ & 3] = seat;
    }
    void play(const Move& move) {
        const Hand gone = move.hand();
        hands[turn] -= gone;
        left -= gone;
        laid(turn, move, !hands[turn]);
        if (finished == SEATS - 1) {
            order[finished++] = after(turn, done);
            return;
        }
        turn = after(turn, out);
        if (turn >= 0 && turn != last) return;
        turn = done >> last & 1 ? after(last, done) : last;
        clear();
    }
};

// All that is legal, the largest values first; a pass last.
void list_moves(const Position& at, bool book, std::vector<Move>& moves) {
    moves.clear();
    const Hand hand = at.hands[at.turn];
    const int held = count(hand, JOKER);
    const bool first = at.opening && (count(hand, 11) || !book), unbeatable = !book && at.over == JOKER;
    for (int value = unbeatable ? 0 : std::min(at.over, JOKER) - 1; value >= (first ? 11 : 1); --value)
        for (int cards = count(hand, value); cards >= 1; --cards)
            for (int jokers = 0; jokers <= (book || first ? held : std::min(held, 1)); ++jokers)
                if (cards + jokers >= at.need) moves.push_back({value, cards, jokers});
    if (held && at.over == EMPTY && !first) moves.push_back({0, 0, 1});
    if (at.over != EMPTY || moves.empty()) moves.push_back({});
}

// ---- The quick player -----------------------------------------------------------------------------------------------
// Discards the largest values first, saves jokers for discards that nobody can beat, and wins at once when it can.
Move quick(const Position& at, bool book) {
    const Hand hand = at.hands[at.turn], plain = hand & PLAIN, others = at.left - hand;
    const int held = count(hand, JOKER), wild = count(others, JOKER), usable = book ? held : std::min(held, 1);
    if (!plain) return at.over == EMPTY ? Move{0, 0, 1} : Move{};
    if (!book && at.over == JOKER) return {};
    const Values groups = at_least(plain, 1);
    const int many = __builtin_popcountll(groups);
    if (at.opening && count(plain, 11)) return {11, count(plain, 11), many == 1 ? usable : 0};
    if (many == 1 && usable == held && groups & below(at.over) && size(hand) >= at.need)
        return {lowest(groups), size(hand) - held, held};
    // By value, how many cards of one lower value the others have at most: what can beat it.
    std::array<int8_t, JOKER> most{};
    const auto sure = [&](int value, int cards) { return !most[value] || most[value] + wild < cards; };
    Values unsure = 0;
    for (int value = 1, top = 0; value < JOKER; ++value) {
        most[value] = static_cast<int8_t>(top);
        if (const int mine = count(plain, value); mine && !sure(value, mine)) unsure |= bit(value);
        top = std::max(top, count(others, value));
    }
    const Values reach = groups & below(std::min(at.over, JOKER)), follow = at_least(plain, at.need) & reach;
    // A sure discard with so few jokers; `last` asks that at most one group is unsure after it.
    const auto find = [&](int jokers, bool last) -> Move {
        for (Values rest = reach; rest; rest ^= bit(highest(rest))) {
            const int value = highest(rest), cards = count(plain, value);
            if (cards + jokers < at.need || !sure(value, cards + jokers)) continue;
            const Values after = groups ^ bit(value);
            if (!last || (__builtin_popcountll(unsure & after) <= 1 && (after || jokers == held)))
                return {value, cards, jokers};
        }
        return {};
    };
    if (__builtin_popcountll(unsure) <= 2)
        for (int jokers = 0; jokers <= usable; ++jokers)
            if (const Move move = find(jokers, true); !move.pass()) return move;
    if (follow) return {highest(follow), count(plain, highest(follow)), 0};
    for (int jokers = 1; jokers <= usable && many <= 4; ++jokers)
        if (const Move move = find(jokers, false); !move.pass()) return move;
    return {};
}

#include "chefs_hat_values.h"  // what a deal is worth, and what `gen_values` answers

// ---- What is known of hidden hands ----------------------------------------------------------------------------------
// A decision that fits who discards the largest values first: it had, then, nothing of a value between two others of
// at least so many cards, and exactly so many cards of the lower one.
struct Seen {
    int value, over, need, cards;  // of `cards` -1: any number
    Hand later;                    // what it has played since, this discard included
    bool contradicts(Hand hand) const {
        const Hand then = (hand & PLAIN) + (later & PLAIN);
        return (cards >= 0 && count(then, value) != cards) || (at_least(then, need) & below(over) & ~below(value + 1));
    }
};

struct Opponent {
    int cards = 0;
    Hand known = 0;  // cards that it surely has
    int floor = 1;   // its others are of this value or larger
    std::vector<Seen> seen;
    int trials = 0, lapses = 0;  // in deals before this: what was seen of it, and what it contradicted later itself
    double price = 0;            // log-likelihood lost by a contradiction
    void set_price() {
        double slips = lapses + 1;
        for (const Seen& one : seen) slips += one.contradicts(0);
        price = std::max(0.0, std::log((trials + static_cast<double>(seen.size()) + 8) / slips - 1));
    }
    double cost(Hand hand) const {
        double total = 0;
        for (const Seen& one : seen) total += one.contradicts(hand) ? price : 0;
        return total + 12 * __builtin_popcountll(at_least((hand - known) & below(floor), 1));
    }
};

// A chain of likely worlds: two opponents exchange a card, and keep it so as often as it is likely.
class Worlds {
public:
    BySeat<Hand> hands{};
    bool complete = true;  // false where what was told does not add up
    Worlds(const BySeat<Opponent>& opponents, int me, Hand mine, Hand hidden, Luck& luck)
        : opponents_(opponents), luck_(luck) {
        for (const Opponent& other : opponents) hidden -= other.known;
        for (int value = 1; value <= JOKER; ++value) cards_.insert(cards_.end(), count(hidden, value), value);
        for (size_t i = cards_.size(); i > 1; --i) std::swap(cards_[i - 1], cards_[luck() % i]);
        for (int seat = 0; seat < SEATS; ++seat) {
            hands[seat] = seat == me ? mine : opponents[seat].known;
            for (int i = seat == me ? 0 : opponents[seat].cards - size(hands[seat]); i > 0; --i) {
                if (complete = owners_.size() < cards_.size(); !complete) return;
                hands[seat] += card(cards_[owners_.size()]);
                owners_.push_back(seat);
            }
            if (seat != me) cost_[seat] = opponents[seat].cost(hands[seat]);
        }
        advance(600);
    }
    void advance(int swaps) {
        while (swaps-- > 0 && owners_.size() > 1) {
            const size_t i = luck_() % owners_.size(), j = luck_() % owners_.size();
            const int a = owners_[i], b = owners_[j];
            if (a == b || cards_[i] == cards_[j]) continue;
            const Hand change = card(cards_[j]) - card(cards_[i]);
            const double of_a = opponents_[a].cost(hands[a] + change), of_b = opponents_[b].cost(hands[b] - change);
            const double more = of_a + of_b - cost_[a] - cost_[b];
            if (more > 0 && static_cast<double>(luck_()) * 0x1p-64 >= std::exp(-more)) continue;
            hands[a] += change, hands[b] -= change;
            cost_[a] = of_a, cost_[b] = of_b;
            std::swap(cards_[i], cards_[j]);
        }
    }
private:
    const BySeat<Opponent>& opponents_;
    Luck& luck_;
    std::vector<int> cards_, owners_;
    BySeat<double> cost_{};
};

// ---- The bot --------------------------------------------------------------------------------------------------------
using Words = std::vector<std::string_view>;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// Words of a line; anything up to a blank's code separates them, "\r" too.
Words split(std::string_view line) {
    Words words;
    for (size_t i = 0, start; i < line.size(); ++i) {
        for (start = i; i < line.size() && static_cast<unsigned char>(line[i]) > ' ';) ++i;
        if (i > start) words.push_back(line.substr(start, i - start));
    }
    return words;
}

// A whole number from `least` to `most`; otherwise false, and `value` stays as it is.
bool number(std::string_view word, int least, int most, int& value) {
    int found = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), found);
    if (error != std::errc() || end != word.data() + word.size() || found < least || found > most) return false;
    value = found;
    return true;
}

std::string name(const Move& move) {
    if (move.pass()) return "pass";
    return "C" + std::to_string(move.value) + ";Q" + std::to_string(move.cards) + ";J" + std::to_string(move.jokers);
}

bool parse(std::string_view word, Move& move) {
    if (word == "pass") return true;
    int value, cards, jokers;
    char more;
    const std::string text(word.substr(0, 40));
    if (std::sscanf(text.c_str(), "C%2d;Q%2d;J%1d%c", &value, &cards, &jokers, &more) != 3) return false;
    if (value < 0 || value > 11 || cards < 0 || cards > value || jokers < 0 || jokers > 2) return false;
    move = {value, cards, jokers};
    return !move.pass() && !value == !cards;
}

// The cards of some words, false if they are not all in a hand.
bool parse(const Words& words, size_t from, Hand hand, Hand& cards) {
    int value;
    for (cards = 0; from < words.size(); ++from) {
        if (!number(words[from], 1, JOKER, value) || !holds(hand, cards + card(value))) return false;
        cards += card(value);
    }
    return true;
}

class Bot {
public:
    bool over = false;
    Bot(std::string_view seed, double budget) : seed_(seed), budget_(budget), told_(budget) {}

    // The reply to a command of at least one word.
    std::string answer(const Words& words) {
        std::string result;
        if (!obey(words, result)) return "? cannot do " + std::string(words[0].substr(0, 40));
        return result.empty() ? "=" : "= " + result;
    }
private:
    enum Role { CHEF, SOUSCHEF, WAITER, DISHWASHER };

    bool obey(const Words& words, std::string& result) {
        const std::string_view command = words[0];
        const size_t many = words.size();
        int n = 0, seat = 0;
        if (command == "time_left") {
            if (many != 2 || !number(words[1], 0, 999999999, n)) return false;
            left_ = n, declared_ |= special_;  // nobody says that there is no special action: the next request comes
            // In steps of half a power of two: what the start took must not decide the play.
            if (told_ <= 0) told_ = std::exp2(std::round(std::log2(n + 1) * 2) / 2);
            return true;
        }
        if (command == "play") return many == 3 && number(words[1], 0, 3, seat) && note_play(seat, words[2]);
        if (command == "pizza") return at_.clear(), many == 2 && number(words[1], 0, 3, at_.turn);
        if (command.substr(0, 4) == "gen_") {
            valued_ = command == "gen_values";
            if (!at_.hands[me_] || (valued_ && at_.turn != me_)) return false;
            begun_ = Clock::now();
            for (Opponent& other : others_) other.set_price();
            std::string text = seed_;
            for (uint64_t part : {static_cast<Hand>(deal_), dealt_, at_.hands[me_]}) text += ' ' + std::to_string(part);
            if (valued_) text += " values " + std::to_string(++asked_);
            std::seed_seq sequence(text.begin(), text.end());
            luck_.seed(sequence);
            if (valued_) return result = values(), !result.empty();
            if (command == "gen_move") result = choose_move();
            else if (command == "gen_special") declared_ = true, result = choose_special();
            else if (command != "gen_exchange" || many != 2 || !number(words[1], 1, 2, n)) return false;
            else result = choose_gift(n);
            return true;
        }
        if (command == "set_cards") return many > 2 && number(words[1], 1, 17, n) && n + 2u == many && begin(words);
        if (command == "set_roles") return many == SEATS + 1 && set_roles(words);
        if (command == "exchange") return exchanged_ = true, many >= 4 && note_exchange(words);
        if (command == "special") {  // both jokers are shown
            if (many != 3 || !number(words[1], 0, 3, seat)) return false;
            if (seat != me_ && holds(hidden_, card(JOKER, 2))) others_[seat].known = card(JOKER, 2);
            return declared_ = true, exchanged_ = words[2] == "dinner_served", true;
        }
        if (command == "end_deal") {
            bool good = many == SEATS + 1;
            at_.turn = -1;  // nobody's
            for (int i = 0; i < SEATS && good; totals_[i++] += n) good = number(words[i + 1], 0, 3, n);
            return good;
        }
        if (command == "set_players") return many == 3 && words[1] == "4" && number(words[2], 0, 3, me_);
        if (command == "set_game") {
            if (many != 3 || !number(words[2], 1, 1000, n)) return false;
            goal_ = words[1] == "points" ? n : 0;
            deals_ = goal_ ? (n + 1) / 2 : n;  // the first has about two points a deal
            deal_ = -1, told_ = budget_, totals_ = {}, others_ = {};
            return true;
        }
        if (command == "set_rules") return book_ = words.back() != "gym2", many > 1;
        return over = command == "quit";
    }

    bool begin(const Words& words) {
        if (!parse(words, 2, DECK, dealt_)) return false;
        ++deal_;
        at_ = Position{};
        at_.hands[me_] = dealt_;
        hidden_ = DECK - dealt_;
        roles_ = {}, at_.turn = me_, special_ = declared_ = exchanged_ = false;
        for (int seat = 0; seat < SEATS; ++seat) {
            Opponent& other = others_[seat];
            for (const Seen& one : other.seen) other.lapses += one.contradicts(0), ++other.trials;
            other.seen.clear();
            other.cards = seat == me_ ? 0 : size(dealt_), other.known = 0, other.floor = 1;
        }
        const int most = *std::max_element(totals_.begin(), totals_.end());
        worth_.set(me_, totals_, goal_ ? std::max(0, goal_ - most - 1) / 2 : deals_ - deal_ - 1);
        prospects_.begin(me_, totals_, deals_ - deal_ - 1, goal_);
        return true;
    }

    bool set_roles(const Words& words) {
        const std::string_view names[] = {"Chef", "Souschef", "Waiter", "Dishwasher"};
        for (int role = 0; role < SEATS; ++role) {
            const auto found = std::find(words.begin() + 1, words.end(), names[role]);
            if (found == words.end()) return roles_ = {}, true;  // shared roles: nobody exchanges
            roles_[role] = static_cast<int>(found - words.begin()) - 1;
        }
        return true;
    }

    bool note_exchange(const Words& words) {
        int giver, taker, n;
        Hand cards;
        if (!number(words[1], 0, 3, giver) || !number(words[2], 0, 3, taker) || giver == taker) return false;
        if (giver != me_ && taker != me_) return words.size() == 4;
        if (!number(words[3], 1, 2, n) || words.size() != n + 4u) return false;
        if (!parse(words, 4, giver == me_ ? at_.hands[me_] : hidden_, cards)) return false;
        Opponent& other = others_[giver == me_ ? taker : giver];
        if (giver == me_) return at_.hands[me_] -= cards, hidden_ += cards, other.known += cards, true;
        at_.hands[me_] += cards, hidden_ -= cards, other.known -= shared(other.known, cards);
        if (giver == roles_[WAITER] || giver == roles_[DISHWASHER]) other.floor = highest(at_least(cards, 1));
        else if (cards & PLAIN) other.seen.push_back({lowest(at_least(cards, 1)), EMPTY, 1, -1, 0});
        return true;
    }

    bool note_play(int seat, std::string_view word) {
        Move move;
        if (!parse(word, move)) return false;
        const Hand gone = move.hand();
        if (!holds(seat == me_ ? at_.hands[me_] : hidden_, gone)) return false;
        if (seat == me_) return at_.hands[me_] -= gone, lay(seat, move, !at_.hands[me_]), true;
        Opponent& other = others_[seat];
        hidden_ -= gone;
        for (Seen& one : other.seen) one.later += gone;
        if (move.pass() && at_.over != EMPTY) other.seen.push_back({0, at_.over, at_.need, -1, 0});
        else if (move.size() && !move.jokers) other.seen.push_back({move.value, at_.over, at_.need, move.cards, gone});
        other.known -= shared(other.known, gone);
        other.cards = std::max(other.cards - move.size(), size(other.known));
        return lay(seat, move, other.cards == 0), true;
    }

    void lay(int seat, const Move& move, bool empty) {
        at_.laid(seat, move, empty);
        at_.turn = book_ ? at_.after(seat, at_.out) : me_;
    }

    double playouts() const { return std::clamp(told_ / deals_ * RATE, 100.0, 4e6); }
    bool late() const { return left_ > 0 && Clock::now() - begun_ > Milliseconds(left_ / 15); }

    // The best option by halving: all that remain are tried in the same worlds, then the worse half leaves. Never
    // more than a fifteenth of the time left: that stops only a clock that is much faster than planned.
    template <class Next, class Value>
    size_t best(size_t options, Next next, Value value) const {
        std::vector<size_t> alive(options);
        for (size_t i = 0; i < options; ++i) alive[i] = i;
        std::vector<double> sums(options, 0.0);
        const double round = playouts() / std::ceil(std::log2(options));
        for (bool stop = false; !stop && alive.size() > 1;) {
            const double worlds = std::max(4.0, round / static_cast<double>(alive.size()));
            for (int world = 0; world < worlds && !stop; stop = late(), ++world) {
                next();
                for (size_t option : alive) sums[option] += value(option);
            }
            std::stable_sort(alive.begin(), alive.end(), [&](size_t a, size_t b) { return sums[a] > sums[b]; });
            alive.resize((alive.size() + 1) / 2);
        }
        return alive[0];
    }

    // The name of the best option, or what each is worth.
    template <class Next, class Order>
    std::string pick(const std::vector<std::string>& names, Next next, Order order, size_t out = SIZE_MAX) {
        int fewest = size(at_.hands[me_]);
        for (const Opponent& other : others_) fewest = other.cards ? std::min(fewest, other.cards) : fewest;
        const auto stop = [&] { return late(); };
        if (valued_) return prospects_.say(names, {playouts(), at_.finished, out, fewest}, next, order, stop);
        return names[best(names.size(), next, [&](size_t option) { return worth_.of(order(option)); })];
    }

    std::string choose_move() {
        at_.turn = me_;
        if (at_.over == EMPTY) at_.last = me_;
        std::vector<Move> moves;
        std::vector<std::string> names;
        list_moves(at_, book_, moves);
        if (valued_ && !book_ && !moves.back().pass()) moves.push_back({});  // by these rules at any time
        size_t out = SIZE_MAX;  // the discard of all my cards
        for (const Move& move : moves)
            out = move.hand() == at_.hands[me_] ? names.size() : out, names.push_back(name(move));
        Worlds worlds(others_, me_, at_.hands[me_], hidden_, luck_);
        if (at_.finished > 2 || !worlds.complete || (!valued_ && names.size() == 1)) return valued_ ? "" : names[0];
        return pick(names, [&] { worlds.advance(SWAPS); }, [&](size_t option) {
            Position play = at_;
            play.hands = worlds.hands;
            for (Hand hand : play.hands) play.left += hand;
            play.play(moves[option]);
            return finish(play);
        }, out);
    }

    // How a deal ends that quick players finish.
    BySeat<int> finish(Position& at) const {
        while (at.finished < SEATS) at.play(quick(at, book_));
        return at.order;
    }

    // How a deal ends from its exchange on, by quick players but for my `gift`, 0 for theirs.
    BySeat<int> from_exchange(BySeat<Hand> hands, const BySeat<int>& roles, Hand gift, uint64_t lot) const {
        for (int pair = 0; pair < 2 && roles[CHEF] != roles[DISHWASHER]; ++pair) {
            const int strong = roles[pair], weak = roles[DISHWASHER - pair];
            const Hand up = some(hands[weak], 2 - pair, true);
            const Hand down = gift && strong == me_ ? gift : some(hands[strong], 2 - pair, false);
            hands[strong] += up - down;
            hands[weak] += down - up;
        }
        Position at;
        at.hands = hands;
        for (Hand hand : hands) at.left += hand;
        // The golden 11, or by the other rules a joker, decides by lot who opens.
        const int key = book_ ? 11 : JOKER;
        int number = static_cast<int>(lot % static_cast<uint64_t>(std::max(1, count(at.left, key))));
        while (at.turn < SEATS - 1 && (number -= count(hands[at.turn], key)) >= 0) ++at.turn;
        at.last = at.turn;
        return finish(at);
    }

    // The best of some roles after a special action, or of some gifts.
    std::string before_play(const std::vector<std::string>& names, const std::vector<BySeat<int>>& roles,
                            const std::vector<Hand>& gifts) {
        Worlds worlds(others_, me_, at_.hands[me_], hidden_, luck_);
        if (!worlds.complete) return valued_ ? "" : names[0];
        uint64_t lot = 0;
        return pick(names, [&] { worlds.advance(2 * SWAPS), lot = luck_(); },
                    [&](size_t option) { return from_exchange(worlds.hands, roles[option], gifts[option], lot); });
    }

    std::string choose_special() {
        if (roles_[DISHWASHER] != me_) return before_play({"none", "dinner_served"}, {roles_, {}}, {0, 0});
        return before_play({"none", "food_fight"}, {roles_, {roles_[3], roles_[2], roles_[1], roles_[0]}}, {0, 0});
    }

    std::string choose_gift(int number) {
        const Hand hand = at_.hands[me_];
        std::vector<Hand> gifts{some(hand, number, false)};
        for (int one = JOKER - 1 + valued_; one >= 1; --one)
            for (int two = one; two >= 1; --two) {
                const Hand gift = card(one) + (number == 2 ? card(two) : 0);
                if (holds(hand, gift) && (number == 2 || one == two)) gifts.push_back(gift);
            }
        std::vector<std::string> names;
        if (valued_) gifts.erase(gifts.begin());  // it comes again
        for (const Hand gift : gifts) {
            std::string& words = names.emplace_back();
            for (int value = JOKER; value >= 1; --value)
                for (int i = count(gift, value); i > 0; --i)
                    words += (words.empty() ? "" : valued_ ? "_" : " ") + std::to_string(value);
        }
        return before_play(names, std::vector<BySeat<int>>(gifts.size(), roles_), gifts);
    }

    // What each option is worth for the request that is due.
    std::string values() {
        if (roles_[CHEF] == roles_[DISHWASHER] || exchanged_ || !at_.opening) return choose_move();
        if (book_ && !declared_ && holds(at_.hands[me_], card(JOKER, 2))) return special_ = true, choose_special();
        return roles_[CHEF] == me_ ? choose_gift(2) : roles_[SOUSCHEF] == me_ ? choose_gift(1) : choose_move();
    }

    static constexpr double RATE = 6;    // play-outs of a decision for each millisecond told and each deal
    static constexpr int SWAPS = 30;     // from one world to the next

    const std::string seed_;
    const double budget_;
    double told_, left_ = 0;  // milliseconds for the match: told first; left
    Clock::time_point begun_;
    bool book_ = true, valued_ = false, special_ = false;  // values are asked for, of a special action
    bool declared_ = false, exchanged_ = false;
    int me_ = 0;
    int deals_ = 3, goal_ = 0, deal_ = -1, asked_ = 0;  // deals; points to reach, or 0; this deal; values so far
    BySeat<int> totals_{}, roles_{};            // points by seat; seats by role
    Position at_;                               // of the hands only mine
    Hand dealt_ = 0, hidden_ = 0;               // my cards as they came; cards that the others may have
    BySeat<Opponent> others_{};
    Worth worth_;
    Prospects prospects_;
    Luck luck_;
};

}  // namespace

constexpr char USAGE[] =
    "usage: chefs_hat_search [--seed N] [--budget-ms N]\n"
    "Plays Chef's Hat by search (default seed 1); a budget takes the place of the time told first.\n";

int main(int argc, char** argv) {
    std::string seed = "1", line;
    int budget = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        const bool help = option == "--help", more = i + 1 < argc;
        if (option == "--seed" && more) seed = argv[++i];
        else if (option == "--budget-ms" && more && number(argv[i + 1], 1, 999999999, budget)) ++i;
        else return std::fputs(USAGE, help ? stdout : stderr), help ? 0 : 2;
    }
    std::ios::sync_with_stdio(false);
    Bot bot(seed, budget);
    while (!bot.over && std::getline(std::cin, line))
        if (const Words words = split(line); !words.empty()) std::cout << bot.answer(words) << "\n\n" << std::flush;
}
