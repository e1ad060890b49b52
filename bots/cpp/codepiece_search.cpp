// Plays Codepiece by search: it deals the unseen cards at random, as the bids and plays so far make them likely, and
// takes what is best over these worlds. Bids and trumps are tried by play-outs, cards by play-outs whose last tricks are
// solved exactly.
//
// Whether the bidders make their bid is the only question of an end, so a search of true and false with a table of
// positions answers it. How much is tried follows from the budget that `time_left` tells first in a match (or
// --budget-ms), so that a seed decides the play; the clock only ends a decision that would use more than its share.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// A card is 16 * suit + value, a set of cards is 64 bits, and every second seat is a side.
using Cards = uint64_t;
constexpr Cards ROW = 0x1FFF;
constexpr char VALUES[] = "23456789TJQKA", SUITS[] = "CDHS";

Cards bit(int card) { return Cards(1) << card; }
Cards row(int suit) { return ROW << (16 * suit); }
int count_of(Cards cards) { return __builtin_popcountll(cards); }
int lowest_of(Cards cards) { return __builtin_ctzll(cards); }
int highest_of(Cards cards) { return 63 - __builtin_clzll(cards); }
Cards higher(int card) { return row(card >> 4) & ~((bit(card) << 1) - 1); }
bool partners(int one, int other) { return !((one ^ other) & 1); }

// A trick as far as it matters: who is to play, and which card of whom is winning.
struct Trick {
    int seat = 0, count = 0, led = 0, best = 0, ahead = 0;

    bool beaten_by(int card, int trump) const {
        return !count || (card >> 4 == best >> 4 ? card > best : card >> 4 == trump);
    }
    Cards beaters(int trump) const { return higher(best) | (best >> 4 == trump ? 0 : row(trump)); }
    // The cards that may be played: follow suit, then overtake an opponent if possible.
    Cards allowed(Cards hand, int trump) const {
        if (!count) return hand;
        const Cards follow = hand & row(led), cards = follow ? follow : hand;
        const Cards over = partners(ahead, seat) ? 0 : cards & beaters(trump);
        return over ? over : cards;
    }
    Trick after(int card, int trump) const {
        Trick next = *this;
        if (beaten_by(card, trump)) next.best = card, next.ahead = seat;
        if (!count) next.led = card >> 4;
        next.seat = (seat + 1) & 3;
        if (++next.count == 4) next.count = 0, next.seat = next.ahead;
        return next;
    }
};

struct Position {
    Cards hands[4] = {};
    Trick trick;
    int trump = 0;
    int left = 13;  // tricks to come, with the one on the table
    int need = 0;   // tricks that seats 0 and 2 want of these
    int won = 0;    // tricks that they took on the way (play-outs count)

    void play(int card) {
        hands[trick.seat] ^= bit(card);
        trick = trick.after(card, trump);
        if (trick.count == 0) {
            --left;
            if (!(trick.ahead & 1)) --need, ++won;
        }
    }
};

// ---------------------------------------------------------------------------------------------------- play-outs

// The card that is missed least: the smallest, and no trump where there is another.
int least(Cards cards, int trump) {
    if (cards & ~row(trump)) cards &= ~row(trump);
    int found = -1;
    for (int suit = 0; suit < 4; ++suit) {
        const Cards part = cards & row(suit);
        if (part && (found < 0 || (lowest_of(part) & 15) < (found & 15))) found = lowest_of(part);
    }
    return found;
}

// What to play by rules of thumb.
int thumb(const Position& p, Cards live, bool bidding) {
    const Trick& trick = p.trick;
    const Cards hand = p.hands[trick.seat], cards = trick.allowed(hand, p.trump), others = live & ~hand;
    if (!(cards & (cards - 1))) return lowest_of(cards);
    if (trick.count) {
        if (partners(trick.ahead, trick.seat) || trick.count == 3) return least(cards, p.trump);
        for (int suit = 0; suit < 4; ++suit) {
            const Cards part = cards & row(suit);
            if (!part) continue;
            const int top = highest_of(part);
            if (trick.beaten_by(top, p.trump) && !(higher(top) & others)) return top;
        }
        return least(cards, p.trump);
    }
    if (bidding && (cards & row(p.trump)) && (others & row(p.trump))) {
        const int top = highest_of(cards & row(p.trump));
        if (!(higher(top) & others)) return top;  // draw trumps
    }
    int longest = p.trump, length = 0;
    for (int suit = 0; suit < 4; ++suit) {
        const Cards part = cards & row(suit);
        if (!part || suit == p.trump) continue;
        if (!(higher(highest_of(part)) & others)) return highest_of(part);
        if (count_of(part) > length) longest = suit, length = count_of(part);
    }
    return lowest_of(cards & row(longest) ? cards & row(longest) : cards);
}

// Plays on by rules of thumb until a trick begins with at most so many to come.
void play_on(Position& p, int leader, int left) {
    Cards live = p.hands[0] | p.hands[1] | p.hands[2] | p.hands[3];
    while (p.left > left || (p.left == left && p.trick.count)) {
        const int card = thumb(p, live, partners(p.trick.seat, leader));
        live ^= bit(card);
        p.play(card);
    }
}

// Plays to the end by rules of thumb; tricks that seats 0 and 2 take from here on.
int play_out(Position p, int leader) {
    p.won = 0;
    play_on(p, leader, 0);
    return p.won;
}

// ------------------------------------------------------------------------------------------------------- solver

// Bits of `value` where `mask` has some, moved together: two halves of a row by a table.
struct Packing {
    uint8_t table[128][128];
    Packing() {
        for (int mask = 0; mask < 128; ++mask)
            for (int value = 0; value < 128; ++value) {
                int packed = 0, next = 0;
                for (int i = 0; i < 7; ++i)
                    if (mask >> i & 1) packed |= (value >> i & 1) << next++;
                table[mask][value] = static_cast<uint8_t>(packed);
            }
    }
    uint64_t operator()(unsigned value, unsigned mask) const {
        return table[mask & 127][value & 127] |
               unsigned(table[mask >> 7][value >> 7 & 127]) << __builtin_popcount(mask & 127);
    }
};
const Packing pack;

// Answers whether seats 0 and 2 can take the tricks that a position needs, all cards known to all.
class Solver {
public:
    Solver() : table_(size_t(1) << BITS) {}

    // Meaningless if it took more nodes than allowed: then `given_up`.
    bool reaches(const Position& p, uint64_t nodes) {
        std::copy(p.hands, p.hands + 4, hands_);
        trump_ = p.trump;
        nodes_left_ = nodes;
        if (p.trick.count == 0) return at_trick(p.trick.seat, p.need, p.left);
        Cards live = hands_[0] | hands_[1] | hands_[2] | hands_[3] | bit(p.trick.best);
        return in_trick(p.trick, p.need, p.left, live);
    }
    bool given_up() const { return !nodes_left_; }

private:
    static constexpr int BITS = 19;

    // Positions that differ only in cards that are gone have one key: it says who has the highest card of a suit, the
    // next and so on.
    uint64_t key(int leader, Cards live) const {
        const Cards low = hands_[1] | hands_[3], high = hands_[2] | hands_[3];
        uint64_t hash = 0x9E3779B97F4A7C15ull * unsigned(1 + leader + 4 * trump_);
        for (int suit = 0; suit < 64; suit += 16) {
            const unsigned mask = unsigned(live >> suit & ROW);
            hash ^= pack(unsigned(low >> suit) & mask, mask) | pack(unsigned(high >> suit) & mask, mask) << 13 |
                    uint64_t(__builtin_popcount(mask)) << 26;
            hash *= 0xD6E8FEB86659FD93ull;
            hash ^= hash >> 32;
        }
        hash *= 0xD6E8FEB86659FD93ull;
        return hash ^ hash >> 29;
    }

    // Cards of `mine` above all of `rest`, which are cards of one suit.
    static int run(Cards mine, Cards rest) {
        return count_of(rest ? mine & ~((bit(highest_of(rest)) << 1) - 1) : mine);
    }

    bool at_trick(int leader, int need, int left) {
        if (need <= 0) return true;
        if (need > left) return false;
        const Cards live = hands_[0] | hands_[1] | hands_[2] | hands_[3], trumps = live & row(trump_);
        if (trumps) {  // the highest trumps take a trick each, if one hand has them
            int owner = 0;
            while (!(hands_[owner] >> highest_of(trumps) & 1)) ++owner;
            const Cards theirs = trumps & ~hands_[owner] & ~hands_[owner ^ 2];
            const int sure = std::max(run(trumps & hands_[owner], theirs), run(trumps & hands_[owner ^ 2], theirs));
            if (owner & 1 ? left - sure < need : sure >= need) return !(owner & 1);
        }
        {  // so do the highest cards of the leader, as long as nobody can trump them
            const Cards mine = hands_[leader], next = hands_[(leader + 1) & 3], last = hands_[(leader + 3) & 3];
            int sure = 0;
            for (int suit = 0; suit < 4; ++suit) {
                const Cards part = mine & row(suit);
                if (!part) continue;
                int tricks = run(part, live & row(suit) & ~mine);
                if (suit != trump_ && (next & row(trump_))) tricks = std::min(tricks, count_of(next & row(suit)));
                if (suit != trump_ && (last & row(trump_))) tricks = std::min(tricks, count_of(last & row(suit)));
                sure += tricks;
            }
            if (leader & 1 ? left - sure < need : sure >= need) return !(leader & 1);
        }
        // An entry of the table: the key's upper bits, the fewest and the most tricks of seats 0 and 2.
        const uint64_t hash = key(leader, live);
        uint64_t& entry = table_[hash >> (64 - BITS)];
        int fewest = 0, most = left;
        if (entry >> 8 == (hash << 8) >> 8) {
            fewest = entry >> 4 & 15, most = entry & 15;
            if (fewest >= need) return true;
            if (most < need) return false;
        }
        Trick trick;
        trick.seat = leader;
        const bool reached = in_trick(trick, need, left, live);
        if (!nodes_left_) return reached;
        if (reached) fewest = std::max(fewest, need);
        else most = std::min(most, need - 1);
        entry = hash << 8 | unsigned(fewest << 4 | most);
        return reached;
    }

    bool in_trick(const Trick& trick, int need, int left, Cards live) {
        if (!nodes_left_ || !--nodes_left_) return false;
        const Cards cards = trick.allowed(hands_[trick.seat], trump_);
        int list[13], urgency[13], number = 0;
        for (Cards rest = cards; rest; rest &= rest - 1) {
            const int card = lowest_of(rest);
            const Cards lower = live & row(card >> 4) & (bit(card) - 1);
            if (lower && cards & bit(highest_of(lower))) continue;  // as good as the card below it
            const int first = trick.count ? following(trick, card) : leading(trick.seat, card, live);
            int i = number++;
            for (; i && urgency[i - 1] < first; --i) urgency[i] = urgency[i - 1], list[i] = list[i - 1];
            urgency[i] = first, list[i] = card;
        }
        const bool wanted = !(trick.seat & 1);
        for (int i = 0; i < number; ++i) {
            const Trick next = trick.after(list[i], trump_);
            hands_[trick.seat] ^= bit(list[i]);
            const bool reached = next.count ? in_trick(next, need, left, live)
                                            : at_trick(next.seat, need - !(next.seat & 1), left - 1);
            hands_[trick.seat] ^= bit(list[i]);
            if (!nodes_left_) return false;
            if (reached == wanted) return wanted;
        }
        return !wanted;
    }

    // Which card to try first: what wins for sure, then what the partner wins.
    int leading(int seat, int card, Cards live) const {
        const int value = card & 15, suit = card >> 4;
        const Cards next = hands_[(seat + 1) & 3], last = hands_[(seat + 3) & 3], partner = hands_[seat ^ 2];
        const bool trump = suit == trump_;
        const auto trumps = [&](Cards hand) { return !trump && !(hand & row(suit)) && (hand & row(trump_)); };
        const bool ruffed = trumps(next) || trumps(last);
        if (!(higher(card) & live & ~hands_[seat])) return ruffed ? 20 - value : 100 + value + (trump ? 0 : 5);
        if (ruffed) return (trump ? 10 : 30) - value;
        if (!((next | last) & higher(card))) return 80 - value;
        const Cards his = partner & row(suit);
        if (his && !((next | last) & higher(highest_of(his)))) return 70 - value;
        if (trumps(partner)) return 65 - value;
        return (trump ? 10 : 30) - value;
    }
    int following(const Trick& trick, int card) const {
        const int value = card & 15;
        const bool trump = card >> 4 == trump_;
        if (!trick.beaten_by(card, trump_)) return 20 - value - (trump ? 15 : 0);
        const Cards next = hands_[(trick.seat + 1) & 3], follow = next & row(trick.led), can = follow ? follow : next;
        const bool holds = trick.count == 3 || !(can & (higher(card) | (trump ? 0 : row(trump_))));
        if (!partners(trick.ahead, trick.seat)) return holds ? 60 - value - (trump ? 13 : 0) : 30 - value;
        if (holds && trick.count < 3 && (can & trick.beaters(trump_))) return 60 - value;
        return -value - (trump ? 13 : 0);
    }

    Cards hands_[4] = {};
    int trump_ = 0;
    uint64_t nodes_left_ = 0;
    std::vector<uint64_t> table_;
};

// ------------------------------------------------------------------------------------------------------ bidding

// Tricks that a side takes on average when this hand leads with this trump, and how other players bid by it.
class Bidding {
public:
    static constexpr int STEPS = 150;  // strengths in tenths of a trick

    Bidding() {
        for (unsigned part = 0; part <= ROW; ++part) {
            const int length = __builtin_popcount(part);
            const bool ace = part >> 12 & 1, king = part >> 11 & 1, queen = part >> 10 & 1, jack = part >> 9 & 1;
            trump_[part] = float(0.78 * std::min(length, 4) + 0.41 * std::max(length - 4, 0) + 0.77 * ace +
                                 0.63 * king + 0.48 * queen + 0.37 * jack);
            const double shortness[] = {1.07, 0.66, 0.20};
            side_[part] = float((length < 3 ? shortness[length] : 0) + 0.66 * ace + (length > 1) * 0.48 * king +
                                (length > 2) * 0.22 * queen);
        }
        for (int standing = 0; standing < 7; ++standing)
            for (int whose = 0; whose < 2; ++whose)
                for (int strength = 0; strength < STEPS; ++strength)
                    set_chances(chance_[standing][whose][strength], standing ? standing + 7 : 0, whose, strength);
    }

    double strength(Cards hand, int trump) const {
        double tricks = 1.84;
        for (int suit = 0; suit < 4; ++suit)
            tricks += (suit == trump ? trump_ : side_)[hand >> (16 * suit) & ROW];
        return tricks;
    }
    int best_trump(Cards hand) const {
        int best = 0;
        for (int suit = 1; suit < 4; ++suit)
            if (strength(hand, suit) > strength(hand, best)) best = suit;
        return best;
    }
    // How likely a player of this strength passes (0) or bids 8 (1) to 13 (6), when a bid stands (0: none), of its
    // partner or not.
    const float* chances(double strength, int standing, bool of_partner) const {
        const int step = std::min(std::max(int(strength * 10), 0), STEPS - 1);
        return chance_[standing ? standing - 7 : 0][of_partner][step];
    }

private:
    static double made(double tricks, int bid) { return 0.5 + 0.5 * std::erf((tricks - bid + 0.5) / 2.4); }

    // A player sees its strength with an error of half a trick, and bids what earns most then.
    static void set_chances(float* chance, int standing, bool of_partner, int strength) {
        double total = 0, sum[7] = {};
        for (int error = -15; error <= 15; ++error) {
            const double tricks = (strength + error + 0.5) / 10;
            double best = 0.25 * standing * (of_partner ? 1 : -1);
            int action = 0;
            for (int bid = std::max(standing, 7) + 1; bid < 14; ++bid) {
                const double worth = bid * (3 * made(tricks, bid) - 2);
                if (worth > best) best = worth, action = bid - 7;
            }
            const double weight = std::exp(-error * error / (2 * 5.0 * 5.0));
            total += weight, sum[action] += weight;
        }
        for (int action = 0; action < 7; ++action) chance[action] = float(sum[action] / total);
    }

    float trump_[ROW + 1], side_[ROW + 1];
    float chance_[7][2][STEPS][7];
};
const Bidding bidding;

// ---------------------------------------------------------------------------------------------------------- bot

// Random numbers from a text: FNV-1a makes the state, xorshift goes on from there.
class Luck {
public:
    explicit Luck(std::string_view text) {
        for (char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211ull;
        if (!state_) state_ = 1;
        next();
    }
    unsigned below(unsigned count) { return unsigned((next() >> 32) * count >> 32); }  // 0..count-1
    double fraction() { return double(next() >> 11) / 9007199254740992.0; }

private:
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    uint64_t state_ = 1469598103934665603ull;
};

struct World {
    Cards hands[4] = {};
    double weight = 1;
};

struct Call {
    int seat, bid, standing, leader;  // bid: 0 is a pass; what stood before it, and whose bid that was
};

// How much is tried, and how worlds are weighed.
struct Tuning {
    int bid_worlds = 1000, move_worlds = 150;  // at 10 s for a match
    int pool = 8;        // deals of which one becomes a world
    int depth = 8;       // tricks that are solved
    int nodes = 100000;  // for one solution
    double mix = 0.2;    // what a play-out to the very end counts beside a solution
    double bias = 0.2;   // tricks that my side takes more than play-outs do
};

using Words = std::vector<std::string_view>;

class Bot {
public:
    Bot(std::string_view seed, int budget) : seed_(seed), given_(budget) {}
    Tuning tune;

    bool over() const { return over_; }

    // Appends the reply to one command; a blank line has none.
    void answer(std::string_view line, std::string& replies) {
        Words words;
        for (size_t i = 0; i < line.size();) {
            const size_t start = i;
            while (i < line.size() && static_cast<unsigned char>(line[i]) > ' ') ++i;
            if (i > start) words.push_back(line.substr(start, i - start));
            else ++i;
        }
        if (words.empty()) return;
        std::string result;
        if (obey(words, result)) {
            replies += '=';
            if (!result.empty()) replies += ' ' + result;
        } else {
            replies += '?';
        }
        replies += "\n\n";
    }

private:
    static constexpr double SWING = 10;  // standard deviation of a deal's points

    // ---- protocol

    static bool number(std::string_view word, int& value, int limit) {
        if (word.empty() || word.size() > 9) return false;
        value = 0;
        for (char c : word) {
            if (c < '0' || c > '9') return false;
            value = value * 10 + (c - '0');
        }
        return value < limit;
    }
    static bool card(std::string_view word, int& value) {
        if (word.size() != 2) return false;
        const size_t v = std::string_view(VALUES).find(word[0]), s = std::string_view(SUITS).find(word[1]);
        if (v == std::string_view::npos || s == std::string_view::npos) return false;
        value = int(16 * s + v);
        return true;
    }
    // The bid behind `bid_`, 0 for a pass.
    static bool called(std::string_view word, int& bid) {
        if (word == "pass") return bid = 0, true;
        return word.substr(0, 4) == "bid_" && number(word.substr(4), bid, 14) && bid >= 7;
    }

    bool obey(const Words& words, std::string& result) {
        const std::string_view command = words[0];
        const size_t size = words.size();
        int n = 0;
        if (command == "time_left") {
            if (size == 2 && number(words[1], n, 1000000000)) left_ = n;
            asked_ = std::chrono::steady_clock::now();
            if (budget_ < 0) plan(budget_ = given_ ? given_ : left_);
            return true;
        }
        if (command == "play") {
            if (size != 3 || !number(words[1], n, 4) || leader_ < 0 || n != trick_.seat) return false;
            int played;
            if (!card(words[2], played) || (gone_ & bit(played))) return false;
            if (n == me_ && !(hand_ & bit(played))) return false;
            see(played);
            return true;
        }
        if (command == "gen_move") {
            if (leader_ < 0 || !hand_ || trick_.seat != me_) return false;
            const int chosen = choose_card();
            result = {VALUES[chosen & 15], SUITS[chosen >> 4]};
            return true;
        }
        if (command == "bid") {
            if (size != 3 || !number(words[1], n, 4) || calls_.size() > 4) return false;
            Call call{n, 0, bid_, highest_};
            if (!called(words[2], call.bid)) return false;
            if (call.bid) bid_ = call.bid, highest_ = n;
            calls_.push_back(call);
            return true;
        }
        if (command == "gen_bid") {
            if (!hand_ || bid_ > 13) return false;
            const int chosen = choose_bid();
            result = chosen ? "bid_" + std::to_string(chosen) : "pass";
            return true;
        }
        if (command == "gen_trump") {
            if (!hand_) return false;
            result = std::string("trump_") + SUITS[choose_trump()];
            return true;
        }
        if (command == "trump") {
            if (size != 3 || !number(words[1], n, 4) || words[2].size() != 7) return false;
            const size_t suit = std::string_view(SUITS).find(words[2][6]);
            if (suit == std::string_view::npos) return false;
            leader_ = n, trump_ = int(suit);
            trick_ = Trick();
            trick_.seat = n;
            return true;
        }
        if (command == "set_cards") {
            if (size != 15) return false;
            hand_ = 0;
            for (size_t i = 2; i < size; ++i) {
                if (!card(words[i], n)) return hand_ = 0, false;
                hand_ |= bit(n);
            }
            if (count_of(hand_) != 13) return hand_ = 0, false;
            ++deal_;
            bid_ = 0, highest_ = leader_ = -1, gone_ = 0, won_[0] = won_[1] = 0;
            calls_.clear();
            for (int seat = 0; seat < 4; ++seat) played_[seat] = cannot_[seat] = 0;
            luck_ = Luck(seed_ + '|' + std::to_string(deal_) + '|' + std::to_string(hand_));
            return true;
        }
        if (command == "end_deal") {
            if (size != 5) return false;
            total_ += std::atoi(std::string(words[size_t(me_) + 1]).c_str());
            return true;
        }
        if (command == "set_players") return size == 3 && words[1] == "4" && number(words[2], me_, 4);
        if (command == "set_game") {
            if (size < 2 || !number(words[1], n, 1000000) || size != size_t(n) + 2) return false;
            deals_ = n, deal_ = -1, budget_ = -1, total_ = 0;
            return true;
        }
        if (command == "set_rules") return size == 3 && words[1] == "codepiece" && words[2] == "1";
        if (command == "quit") over_ = true;
        return over_ || command == "set_deck";
    }

    // ---- what is known

    // A card was played: what it says of its player's hand.
    void see(int played) {
        const int seat = trick_.seat;
        if (trick_.count) {
            if (played >> 4 != trick_.led) cannot_[seat] |= row(trick_.led);
            // It had to overtake an opponent, with what it was allowed to play.
            if (!partners(trick_.ahead, seat) && !trick_.beaten_by(played, trump_)) {
                const Cards beaters = trick_.beaters(trump_);
                cannot_[seat] |= played >> 4 == trick_.led ? beaters & row(trick_.led) : beaters;
            }
        }
        hand_ &= ~bit(played);
        gone_ |= bit(played);
        played_[seat] |= bit(played);
        trick_ = trick_.after(played, trump_);
        if (!trick_.count) ++won_[trick_.ahead & 1];
    }

    // How likely it is that these hands bid as they did.
    double likelihood(const World& world) const {
        double weight = 1;
        for (int seat = 0; seat < 4; ++seat) {
            if (seat == me_) continue;
            const Cards hand = world.hands[seat] | played_[seat];
            const int trump = bidding.best_trump(hand);
            const double strength = bidding.strength(hand, trump);
            for (const Call& call : calls_)
                if (call.seat == seat && call.bid != 7) {
                    const float* chance = bidding.chances(strength, call.standing,
                                                          call.leader >= 0 && partners(call.leader, seat));
                    weight *= 0.02 + chance[call.bid ? call.bid - 7 : 0];
                }
            if (seat == leader_) weight *= 0.02 + std::exp(2.5 * (bidding.strength(hand, trump_) - strength));
        }
        return weight;
    }

    // Deals the unseen cards at random to those who may have them; false if it came to no end.
    bool deal(World& world) {
        Cards unseen = row(0) | row(1) | row(2) | row(3);
        unseen &= ~hand_ & ~gone_;
        int room[4], order[52], number = 0;
        for (int seat = 0; seat < 4; ++seat) world.hands[seat] = 0, room[seat] = 13 - count_of(played_[seat]);
        world.hands[me_] = hand_;
        room[me_] = 0;
        // Whoever has least choice first.
        Cards few = 0, some = 0;
        for (int one = 1; one < 4; ++one) {
            const Cards no = cannot_[(me_ + one) & 3];
            few |= some & no, some |= no;
        }
        for (Cards part : {unseen & few, unseen & some & ~few, unseen & ~some})
            for (int first = number; part; part &= part - 1) {
                const int place = first + int(luck_.below(unsigned(number - first + 1)));
                order[number++] = order[place];
                order[place] = lowest_of(part);
            }
        for (int i = 0; i < number; ++i) {
            int total = 0;
            for (int seat = 0; seat < 4; ++seat)
                if (!(cannot_[seat] & bit(order[i]))) total += room[seat];
            if (!total) return false;
            int at = int(luck_.below(unsigned(total))), seat = 0;
            for (;; ++seat) {
                if (cannot_[seat] & bit(order[i])) continue;
                if (at < room[seat]) break;
                at -= room[seat];
            }
            world.hands[seat] |= bit(order[i]);
            --room[seat];
        }
        return true;
    }

    // So many worlds, drawn as likely as the bids make them; more or fewer by the budget.
    std::vector<World> worlds(int number) {
        std::vector<World> pool, chosen;
        double total = 0;
        number = std::max(int(number * share_), 4);
        const int wanted = number * tune.pool;
        for (int tries = 0; tries < 20 * wanted && int(pool.size()) < wanted; ++tries) {
            World world;
            if (!deal(world)) continue;
            world.weight = likelihood(world);
            total += world.weight;
            pool.push_back(world);
        }
        if (pool.empty()) return pool;
        double reached = 0, next = luck_.fraction();
        for (World& world : pool) {
            reached += world.weight / total * number;
            int times = 0;
            for (; next < reached; next += 1) ++times;
            if (!times) continue;
            chosen.push_back(world);
            chosen.back().weight = times;
        }
        // In no order: who stops early has seen a fair part.
        for (size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[luck_.below(unsigned(i))]);
        return chosen;
    }

    Position start(const World& world, int leader, int trump) const {
        Position p;
        std::copy(world.hands, world.hands + 4, p.hands);
        p.trump = trump;
        p.trick.seat = leader;
        return p;
    }
    // Tricks of the leader's side when it plays for a trump from the start.
    int tricks(const World& world, int leader, int trump) const {
        const int even = play_out(start(world, leader, trump), leader);
        return leader & 1 ? 13 - even : even;
    }
    double made(int tricks, int bid) const {
        if (tricks == 13) return 1;
        return 0.5 + 0.5 * std::erf((tricks + tune.bias - bid + 0.5) / 1.4142);
    }

    // How likely my side wins the match when it gets so many points in this deal. A single result counts, so who is
    // ahead in the last deal need not risk anything, and who is behind must.
    double winning(int points) const {
        const int total = total_ + points, deals = deals_ - deal_ - 1;
        const double tiny = 0.001 * points;  // else equal, more is better
        if (deals <= 0) return (total > 0) + 0.5 * (total == 0) + tiny;
        return 0.5 + 0.5 * std::erf(total / (SWING * std::sqrt(2.0 * deals))) + tiny;
    }
    // What a contract is worth for my side, played by it or not, in a world where play-outs take so many tricks.
    double worth(int tricks, int bid, bool ours) const {
        const double chance = made(tricks, bid);
        return ours ? chance * winning(bid) + (1 - chance) * winning(-2 * bid)
                    : chance * winning(-bid) + (1 - chance) * winning(2 * bid);
    }

    // ---- decisions

    // The work of a decision follows from milliseconds for the match.
    void plan(int budget) {
        share_ = std::min(std::max(budget / 10000.0, 0.02), 6.0);
    }
    // Whether a decision has used what it may of the time left: at most half of it, even for the last.
    bool late() const {
        const std::chrono::duration<double, std::milli> used = std::chrono::steady_clock::now() - asked_;
        const int decisions = std::max((deals_ - deal_) * 15 - 13 + count_of(hand_), 1);
        return used.count() > left_ * std::min(2.4 / decisions, 0.5);
    }

    // What a bid is worth on average when those who have not bid yet do so as players do.
    double expected(const World& world, int turn, int standing, int leader, const double (*value)[14]) const {
        const int starter = first();
        if (((turn - starter) & 3) == 0) {  // all have bid
            if (leader < 0) leader = starter, standing = 7;
            return value[leader][standing];
        }
        const double strength = strengths_[turn];
        const float* chance = bidding.chances(strength, standing, leader >= 0 && partners(leader, turn));
        double sum = 0;
        for (int action = 0; action < 7; ++action) {
            if (chance[action] < 0.01f) continue;
            const int bid = action + 7;
            sum += chance[action] * (action ? expected(world, (turn + 1) & 3, bid, turn, value)
                                            : expected(world, (turn + 1) & 3, standing, leader, value));
        }
        return sum;
    }
    // Who bids first: whose turn it was before all calls so far.
    int first() const { return calls_.empty() ? me_ : calls_[0].seat; }

    int choose_bid() {
        const std::vector<World> dealt = worlds(tune.bid_worlds);
        double points[14] = {};  // chances to win by bid; 0: pass
        int trumps[2] = {bidding.best_trump(hand_), -1};
        for (int suit = 0; suit < 4; ++suit)
            if (suit != trumps[0] &&
                (trumps[1] < 0 || bidding.strength(hand_, suit) > bidding.strength(hand_, trumps[1])))
                trumps[1] = suit;
        // My own trump first: the one that takes more tricks.
        double sum[2] = {};
        std::vector<int> own[2];
        for (const World& world : dealt)
            for (int i = 0; i < 2; ++i) {
                own[i].push_back(tricks(world, me_, trumps[i]));
                sum[i] += world.weight * own[i].back();
            }
        const std::vector<int>& mine = own[sum[1] > sum[0]];
        for (size_t w = 0; w < dealt.size(); ++w) {
            const World& world = dealt[w];
            double value[4][14];
            for (int seat = 0; seat < 4; ++seat) {
                const int trump = bidding.best_trump(world.hands[seat]);
                strengths_[seat] = bidding.strength(world.hands[seat], trump);
                const int taken = seat == me_ ? mine[w] : tricks(world, seat, trump);
                for (int bid = 7; bid < 14; ++bid)
                    value[seat][bid] = worth(taken, bid, partners(seat, me_));
            }
            points[0] += world.weight * expected(world, (me_ + 1) & 3, bid_, highest_, value);
            for (int bid = std::max(bid_, 7) + 1; bid < 14; ++bid)
                points[bid] += world.weight * expected(world, (me_ + 1) & 3, bid, me_, value);
        }
        int best = 0;
        for (int bid = std::max(bid_, 7) + 1; bid < 14; ++bid)
            if (points[bid] > points[best]) best = bid;
        return best;
    }

    int choose_trump() {
        double points[4] = {};
        for (const World& world : worlds(tune.bid_worlds)) {
            if (late()) break;
            for (int suit = 0; suit < 4; ++suit) {
                const int taken = tricks(world, me_, suit);
                points[suit] += world.weight * (made(taken, bid_) + 0.01 * taken);
            }
        }
        return int(std::max_element(points, points + 4) - points);
    }

    int choose_card() {
        const Cards cards = trick_.allowed(hand_, trump_);
        int list[13], number = 0;
        const Cards live = ~gone_ | (trick_.count ? bit(trick_.best) : 0);
        for (Cards rest = cards; rest; rest &= rest - 1) {
            const int candidate = lowest_of(rest);
            const Cards lower = live & row(candidate >> 4) & (bit(candidate) - 1);
            if (lower && cards & bit(highest_of(lower))) continue;  // as good as the card below it
            list[number++] = candidate;
        }
        if (number == 1) return list[0];
        // Seats 0 and 2 need so many of the tricks to come; my side may want that they fail.
        const int held = count_of(hand_), need = (leader_ & 1 ? 14 - bid_ : bid_) - won_[0];
        double points[13] = {};
        for (const World& world : worlds(tune.move_worlds)) {
            if (late()) break;
            for (int i = 0; i < number; ++i) {
                Position p;
                std::copy(world.hands, world.hands + 4, p.hands);
                p.trick = trick_, p.trump = trump_, p.left = held, p.need = need;
                p.play(list[i]);
                const int even = play_out(p, leader_);
                const bool thumb = even >= p.need;
                const double margin = 0.002 * (even - p.need);
                play_on(p, leader_, tune.depth);
                bool reached = solver_.reaches(p, uint64_t(tune.nodes));
                if (solver_.given_up()) reached = thumb;
                const double worth = reached + tune.mix * thumb + margin;
                points[i] += world.weight * (me_ & 1 ? -worth : worth);
            }
        }
        return list[std::max_element(points, points + number) - points];
    }

    const std::string seed_;
    const int given_;  // milliseconds to reckon with, whatever is told; 0: what is told
    int me_ = 0, deals_ = 1, deal_ = -1;
    int left_ = 10000, budget_ = -1;  // milliseconds: at the last request, at the first of the match
    std::chrono::steady_clock::time_point asked_;
    Cards hand_ = 0, gone_ = 0, played_[4] = {}, cannot_[4] = {};
    std::vector<Call> calls_;
    int bid_ = 0, highest_ = -1, leader_ = -1, trump_ = 0;
    int won_[2] = {}, total_ = 0;  // tricks by side; my points in the match
    double share_ = 1;  // of the work at 10 s
    double strengths_[4] = {};
    Trick trick_;
    Luck luck_{""};
    Solver solver_;
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
    int budget = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--seed" && i + 1 < argc) {
            seed = argv[++i];
        } else if (option == "--budget-ms" && i + 1 < argc) {
            budget = std::atoi(argv[++i]);
        } else {
            std::fputs("usage: codepiece_search [--seed N] [--budget-ms N]\n"
                       "Plays Codepiece by search (default seed 1); works as if N ms were told first for a match.\n", option == "--help" ? stdout : stderr);
            return option == "--help" ? 0 : 2;
        }
    }
    Bot bot(seed, budget);
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
