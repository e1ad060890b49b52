// Plays Codepiece by search: it deals the unseen cards at random, as likely as the bids make them and as the plays
// allow, and takes what wins most in these worlds. Bids and trumps are tried by play-outs, cards by play-outs whose
// last tricks are solved exactly.
//
// Whether the bidders make their bid is the only question of an end, so a search of true and false with a table of
// positions answers it. How much is tried follows from the budget that `time_left` tells first in a match (or
// --budget-ms), so that a seed decides the play; the clock only ends a decision that would use more than its share.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "codepiece_solver.h"

namespace {

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
        for (int suit = 0; suit < 4; ++suit) tricks += (suit == trump ? trump_ : side_)[hand >> (16 * suit) & ROW];
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
        return chance_[standing ? standing - 7 : 0][of_partner][std::min(int(strength * 10), STEPS - 1)];
    }

private:
    // A player sees its strength with an error of half a trick, and bids what earns most then.
    static void set_chances(float* chance, int standing, bool of_partner, int strength) {
        for (int error = -15; error <= 15; ++error) {
            const double tricks = (strength + error + 0.5) / 10;
            double best = 0.25 * standing * (of_partner ? 1 : -1);
            int action = 0;
            for (int bid = std::max(standing, 7) + 1; bid < 14; ++bid) {
                const double worth = bid * (1.5 * std::erf((tricks - bid + 0.5) / 2.4) - 0.5);
                if (worth > best) best = worth, action = bid - 7;
            }
            chance[action] += float(std::exp(-error * error / 50.0) / 12.52);
        }
    }
    float trump_[ROW + 1], side_[ROW + 1];
    float chance_[7][2][STEPS][7] = {};
};
const Bidding bidding;

struct World { Cards hands[4] = {}; double weight = 1; };
struct Call { int seat, bid, standing, leader; };  // bid: 0 is a pass; what stood before it, and whose bid that was

constexpr int BID_WORLDS = 1000, MOVE_WORLDS = 150;  // at 10 s for a match
constexpr int POOL = 8;        // deals of which one becomes a world
constexpr int DEPTH = 8;       // tricks that are solved
constexpr double MIX = 0.2;    // what a play-out to the very end counts beside a solution
constexpr double BIAS = 0.2;   // tricks that a side takes more than play-outs say
constexpr double SWING = 10;   // standard deviation of a deal's points
// For values, found by 350 matches of the search with itself, told 0.6 s each.
constexpr double VALUED = 0.7;     // times the worlds of a decision
constexpr double SPREAD = 10.6;    // standard deviation of a deal's points
constexpr struct { int points; double part; } OUTCOMES[] = {  // how often a deal ends with so many for the bidders
    {7, 0.26}, {8, 0.365}, {9, 0.085}, {-14, 0.12}, {-16, 0.13}, {-18, 0.04}};
constexpr int MOST = 120;          // points ahead that are told apart
constexpr double TRUE_BIAS = 0.45, TRUE_ERROR = 1.7;  // tricks that a side takes more than play-outs say, and spread
constexpr double LET = 0.3, LOST = 0.02;  // bids made though they could be beaten, and lost though they were safe

class Bot {
public:
    Bot(const std::string& seed, int budget) : seed_(seed), given_(budget) {}
    bool over() const { return over_; }
    // The reply to one command; a blank line has none.
    std::string answer(const std::string& line) {
        std::istringstream text(line);
        std::vector<std::string> words;
        for (std::string word; text >> word;) words.push_back(word);
        std::string result;
        if (words.empty()) return "";
        return !obey(words, result) ? "?\n\n" : result.empty() ? "=\n\n" : "= " + result + "\n\n";
    }
private:
    static bool number(const std::string& word, int& value, int limit) {
        if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != word.npos) return false;
        return (value = std::atoi(word.c_str())) < limit;
    }
    static bool card(const std::string& word, int& value) {
        if (word.size() != 2) return false;
        const size_t v = std::string(VALUES).find(word[0]), s = std::string(SUITS).find(word[1]);
        value = int(16 * s + v);
        return v < 13 && s < 4;
    }
    bool obey(const std::vector<std::string>& words, std::string& result) {
        const std::string& command = words[0];
        const size_t size = words.size();
        int n = 0, played = 0;
        if (command.compare(0, 4, "gen_") == 0 && !hand_) return false;
        if (command == "time_left") {
            if (size == 2 && number(words[1], n, 1000000000)) left_ = n;
            asked_ = std::chrono::steady_clock::now();
            // In steps of a tenth: what its start took must not change its play.
            const double told = std::log((given_ ? given_ : left_) / 10000.0 + 1e-9);
            if (!share_) share_ = std::min(std::max(std::exp(std::round(told * 10) / 10), 0.02), 6.0);
        } else if (command == "play") {
            if (size != 3 || leader_ < 0 || !number(words[1], n, 4) || n != trick_.seat) return false;
            if (!card(words[2], played) || gone_ & bit(played) || (n == me_ && !(hand_ & bit(played)))) return false;
            see(played);
        } else if (command == "gen_move") {
            if (leader_ < 0 || trick_.seat != me_) return false;
            const int chosen = choose_card();
            result = {VALUES[chosen & 15], SUITS[chosen >> 4]};
        } else if (command == "gen_values") {
            if (size != 1) return false;
            std::swap(luck_, fresh_), std::swap(solver_, fresh_solver_);  // what is played does not depend on it
            result = leader_ < 0 ? calls_.size() < 4 ? value_bids() : value_trumps() : value_cards();
            std::swap(luck_, fresh_), std::swap(solver_, fresh_solver_);
            return !result.empty();
        } else if (command == "bid") {
            Call call{0, 0, bid_, highest_};
            if (size != 3 || !number(words[1], call.seat, 4) || calls_.size() > 4) return false;
            const bool pass = words[2] == "pass", bid = words[2].compare(0, 4, "bid_") == 0;
            if (!pass && !(bid && number(words[2].substr(4), call.bid, 14) && call.bid > 6)) return false;
            if (bid) bid_ = call.bid, highest_ = call.seat;
            calls_.push_back(call);
        } else if (command == "gen_bid") {
            const int chosen = choose_bid();
            result = chosen ? "bid_" + std::to_string(chosen) : "pass";
        } else if (command == "gen_trump") {
            result = std::string("trump_") + SUITS[choose_trump()];
        } else if (command == "trump") {
            if (size != 3 || !number(words[1], n, 4) || words[2].size() != 7) return false;
            const size_t suit = std::string(SUITS).find(words[2][6]);
            if (suit > 3) return false;
            leader_ = n, trump_ = int(suit), trick_ = Trick(), trick_.seat = n;
        } else if (command == "set_cards") {
            Cards hand = 0;
            for (size_t i = 2; i < size && card(words[i], n); ++i) hand |= bit(n);
            if (size != 15 || count_of(hand) != 13) return false;
            hand_ = hand, ++deal_;
            bid_ = 0, highest_ = leader_ = -1, gone_ = 0, won_[0] = won_[1] = 0;
            for (int seat = 0; seat < 4; ++seat) played_[seat] = cannot_[seat] = 0;
            calls_.clear();
            // Luck depends on the seed, the deal and the cards alone.
            const std::string text = seed_ + '|' + std::to_string(deal_) + '|' + std::to_string(hand_);
            std::seed_seq sequence(text.begin(), text.end());
            luck_.seed(sequence);
            fresh_.seed(std::mt19937_64(luck_)());
            foresee();
        } else if (command == "end_deal" && size == 5) {
            total_ += std::atoi(words[size_t(me_) + 1].c_str());
            hand_ = 0;  // nothing is asked until the next deal
        } else if (command == "set_players") {
            return size == 3 && words[1] == "4" && number(words[2], n, 4) && (me_ = n, true);
        } else if (command == "set_game") {
            if (size < 2 || !number(words[1], n, 1000000) || size != size_t(n) + 2) return false;
            deals_ = n, deal_ = -1, share_ = 0, total_ = 0;
            dealers_ = words;
        } else if (command == "set_rules") {
            return size == 3 && words[1] == "codepiece" && words[2] == "1";
        } else {
            over_ = command == "quit";
            return over_ || command == "set_deck";
        }
        return true;
    }
    // A card was played: what it says of its player's hand.
    void see(int played) {
        const int seat = trick_.seat;
        if (trick_.count) {
            if (played >> 4 != trick_.led) cannot_[seat] |= row(trick_.led);
            // It had to overtake an opponent, with what it was allowed to play.
            if (!partners(trick_.ahead, seat) && !trick_.beaten_by(played, trump_))
                cannot_[seat] |= trick_.beaters(trump_) & (played >> 4 == trick_.led ? row(trick_.led) : ~Cards(0));
        }
        hand_ &= ~bit(played), gone_ |= bit(played), played_[seat] |= bit(played);
        trick_ = trick_.after(played, trump_);
        if (!trick_.count) ++won_[trick_.ahead & 1];
    }
    unsigned below(unsigned count) { return unsigned((luck_() >> 32) * count >> 32); }  // 0..count-1
    // How likely it is that these hands bid as they did.
    double likelihood(const World& world) const {
        double weight = 1;
        for (const int seat : {(me_ + 1) & 3, (me_ + 2) & 3, (me_ + 3) & 3}) {
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
        const Cards unseen = (row(0) | row(1) | row(2) | row(3)) & ~hand_ & ~gone_;
        int room[4], order[52], number = 0;
        for (int seat = 0; seat < 4; ++seat) room[seat] = 13 - count_of(played_[seat]);
        world.hands[me_] = hand_, room[me_] = 0;
        Cards few = 0, some = 0;  // the cards that fewest may have come first
        for (const Cards no : cannot_) few |= some & no, some |= no;
        for (Cards part : {unseen & few, unseen & some & ~few, unseen & ~some})
            for (int first = number; part; part &= part - 1) {
                const int place = first + int(below(unsigned(number - first + 1)));
                order[number++] = order[place], order[place] = lowest_of(part);
            }
        for (int i = 0; i < number; ++i) {
            int total = 0;
            for (int seat = 0; seat < 4; ++seat)
                if (!(cannot_[seat] & bit(order[i]))) total += room[seat];
            if (!total) return false;
            int at = int(below(unsigned(total))), seat = 0;
            for (;; ++seat) {
                if (cannot_[seat] & bit(order[i])) continue;
                if (at < room[seat]) break;
                at -= room[seat];
            }
            world.hands[seat] |= bit(order[i]), --room[seat];
        }
        return true;
    }
    // So many worlds, drawn as likely as the bids make them; more or fewer by the budget.
    std::vector<World> worlds(int number) {
        std::vector<World> pool, chosen;
        double total = 0;
        number = std::max(int(number * (share_ ? share_ : 1)), 4);
        const int wanted = number * POOL;
        for (int tries = 0; tries < 20 * wanted && int(pool.size()) < wanted; ++tries) {
            World world;
            if (!deal(world)) continue;
            total += world.weight = likelihood(world);
            pool.push_back(world);
        }
        if (pool.empty()) return pool;
        double reached = 0, next = double(luck_() >> 11) / 9007199254740992.0;
        for (World& world : pool) {
            reached += world.weight / total * number;
            for (world.weight = 0; next < reached; next += 1) ++world.weight;
            if (world.weight) chosen.push_back(world);
        }
        // In no order: who stops early has seen a fair part.
        for (size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[below(unsigned(i))]);
        return chosen;
    }
    // Tricks of the leader's side when it plays for a trump from the start.
    int tricks(const World& world, int leader, int trump) const {
        Position p;
        std::copy(world.hands, world.hands + 4, p.hands);
        p.trump = trump, p.trick.seat = leader;
        play_on(p, leader, 0);
        return leader & 1 ? 13 + p.need : -p.need;
    }
    double made(int tricks, int bid) const {
        return tricks == 13 ? 1 : 0.5 + 0.5 * std::erf((tricks + BIAS - bid + 0.5) / 1.4142);
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
        const int points = ours ? bid : -bid;
        return chance * winning(points) + (1 - chance) * winning(-2 * points);
    }
    // Whether a decision has used what it may of the time left: at most half of it, even for the last.
    bool late() const {
        const std::chrono::duration<double, std::milli> used = std::chrono::steady_clock::now() - asked_;
        const int decisions = std::max((deals_ - deal_) * 15 - 13 + count_of(hand_), 1);
        return used.count() > left_ * std::min(2.4 / decisions, 0.5);
    }
    // What a bid is worth on average when those who have not bid yet do so as players do.
    double expected(int turn, int standing, int leader, const double (*value)[14]) const {
        const int starter = calls_.empty() ? me_ : calls_[0].seat;
        if (turn == starter) return leader < 0 ? value[starter][7] : value[leader][standing];
        const float* chance = bidding.chances(strengths_[turn], standing, leader >= 0 && partners(leader, turn));
        const int next = (turn + 1) & 3;
        double sum = 0;
        for (int action = 0; action < 7; ++action)
            if (chance[action] > 0.01f)
                sum += chance[action] * (action ? expected(next, action + 7, turn, value)
                                                : expected(next, standing, leader, value));
        return sum;
    }
    int choose_bid() {
        double points[14] = {};  // chances to win by bid; 0: pass
        for (const World& world : worlds(BID_WORLDS)) {
            if (late()) break;
            double value[4][14];
            for (int seat = 0; seat < 4; ++seat) {
                const int trump = bidding.best_trump(world.hands[seat]);
                strengths_[seat] = bidding.strength(world.hands[seat], trump);
                const int taken = tricks(world, seat, trump);
                for (int bid = 7; bid < 14; ++bid) value[seat][bid] = worth(taken, bid, partners(seat, me_));
            }
            points[0] += world.weight * expected((me_ + 1) & 3, bid_, highest_, value);
            for (int bid = std::max(bid_, 7) + 1; bid < 14; ++bid)
                points[bid] += world.weight * expected((me_ + 1) & 3, bid, me_, value);
        }
        std::fill(points + 1, points + std::max(bid_, 7) + 1, -1e9);
        return int(std::max_element(points, points + 14) - points);
    }
    int choose_trump() {
        double points[4] = {};
        for (const World& world : worlds(BID_WORLDS)) {
            if (late()) break;
            for (int suit = 0; suit < 4; ++suit) points[suit] += world.weight * made(tricks(world, me_, suit), bid_);
        }
        return int(std::max_element(points, points + 4) - points);
    }
    // The card below this one in the hand that is as good, or -1.
    int twin(int card, Cards cards) const {
        const Cards live = ~gone_ | (trick_.count ? bit(trick_.best) : 0);
        const Cards lower = live & row(card >> 4) & (bit(card) - 1);
        return lower && cards & bit(highest_of(lower)) ? highest_of(lower) : -1;
    }
    // Whether seats 0 and 2 take what they need in a world after a card, as solved and as played out, and what they
    // lack then; and whether the card decides that.
    struct Tried { bool solved, thumb, sure; int lacks; };
    Tried tried(const World& world, int card) {
        Position p;
        std::copy(world.hands, world.hands + 4, p.hands);
        p.trick = trick_, p.trump = trump_, p.left = count_of(hand_);
        p.need = (leader_ & 1 ? 14 - bid_ : bid_) - won_[0];
        p.play(card);
        const bool sure = p.need <= 0 || p.need > p.left;
        play_on(p, leader_, DEPTH);
        Position end = p;
        play_on(end, leader_, 0);
        const bool thumb = end.need <= 0;
        return {solver_.reaches(p, thumb), thumb, sure, end.need};
    }
    int choose_card() {
        const Cards cards = trick_.allowed(hand_, trump_);
        int list[13], number = 0;
        for (Cards rest = cards; rest; rest &= rest - 1)
            if (twin(lowest_of(rest), cards) < 0) list[number++] = lowest_of(rest);
        if (number == 1) return list[0];
        double points[13] = {};
        for (const World& world : worlds(MOVE_WORLDS)) {
            if (late()) break;
            for (int i = 0; i < number; ++i) {
                const Tried end = tried(world, list[i]);
                const double worth = end.solved + MIX * end.thumb - 0.002 * end.lacks;
                points[i] += world.weight * (me_ & 1 ? -worth : worth);  // my side may want that they fail
            }
        }
        return list[std::max_element(points, points + number) - points];
    }
    // What `gen_values` tells: each option in the same worlds, new ones each time. "" where nothing is due.
    struct Worth {
        double worlds = 0, points = 0, won = 0;
        std::string text() const {
            char out[80];
            std::snprintf(out, sizeof out, ":%.3f:%.4f", points / worlds, won / worlds);
            return out;
        }
    };
    // The chances to win the match by my points after this deal: the last three deals end as deals do, those before
    // them together like a sum of many.
    void foresee() {
        const int deals = deals_ - deal_ - 1;
        for (int total = -MOST; total <= MOST; ++total)
            won_at_[total + MOST] = deals > 3 ? 0.5 + 0.5 * std::erf(total / (SPREAD * std::sqrt(2.0 * (deals - 3))))
                                              : (total > 0) + 0.5 * (total == 0);
        for (int deal = 0; deal < std::min(deals, 3); ++deal) {
            const std::vector<double> after = won_at_;
            for (int total = 0; total <= 2 * MOST; ++total) {
                won_at_[total] = 0;
                for (const auto& [points, part] : OUTCOMES)
                    for (const int more : {points, -points})
                        won_at_[total] += part / 2 * after[std::min(std::max(total + more, 0), 2 * MOST)];
            }
        }
    }
    double won(int points) const { return won_at_[std::min(std::max(total_ + points, -MOST), MOST) + MOST]; }
    // A contract that is made with this chance, as points and as a chance to win the match.
    Worth contract(double chance, int bid, bool ours) const {
        const int sign = ours ? 1 : -1;
        return {1, sign * bid * (3 * chance - 2),
                chance * won(sign * bid) + (1 - chance) * won(-2 * sign * bid)};
    }
    static void add(Worth& sum, double weight, double points, double won) {
        sum.worlds += weight, sum.points += weight * points, sum.won += weight * won;
    }
    // How likely a contract is made that play-outs take so many tricks for.
    static double made_in_truth(int tricks, int bid) {
        return 0.5 + 0.5 * std::erf((tricks + TRUE_BIAS - bid + 0.5) / TRUE_ERROR);
    }
    // How likely it is made where a solution and a play-out say so or not, with so many tricks to come: who does not
    // see all cards defends worse than the solution, and often lets a bid be made that could be beaten.
    static double in_truth(bool solved, bool thumb, int tricks) {
        const double least = LET * (1 - std::exp((1 - tricks) / 8.0)), most = 1 - LOST * (tricks - 1) / 12;
        return least + (most - least) * (solved + thumb) / 2;
    }
    std::string value_bids() {
        const int first = dealers_.size() > size_t(deal_) + 2 ? std::atoi(dealers_[size_t(deal_) + 2].c_str()) + 1 : 0;
        if ((first + int(calls_.size()) - me_) & 3) return "";
        Worth worth[14];
        for (const World& world : worlds(int(VALUED * BID_WORLDS))) {
            double points[4][14], won[4][14];
            for (int seat = 0; seat < 4; ++seat) {
                const int trump = bidding.best_trump(world.hands[seat]);
                strengths_[seat] = bidding.strength(world.hands[seat], trump);
                const int taken = tricks(world, seat, trump);
                for (int bid = 7; bid < 14; ++bid) {
                    const Worth sum = contract(made_in_truth(taken, bid), bid, partners(seat, me_));
                    points[seat][bid] = sum.points, won[seat][bid] = sum.won;
                }
            }
            const int next = (me_ + 1) & 3;
            for (int bid = 0; bid < 14; bid = std::max(bid, std::max(bid_, 7)) + 1) {
                const int standing = bid ? bid : bid_, leader = bid ? me_ : highest_;
                add(worth[bid], world.weight, expected(next, standing, leader, points),
                    expected(next, standing, leader, won));
            }
        }
        std::string text = "pass" + worth[0].text();
        for (int bid = std::max(bid_, 7) + 1; bid < 14; ++bid)
            text += " bid_" + std::to_string(bid) + worth[bid].text();
        return text;
    }
    std::string value_trumps() {
        if (highest_ != me_) return "";
        std::string text;
        Worth worth[4];
        for (const World& world : worlds(int(VALUED * BID_WORLDS)))
            for (int suit = 0; suit < 4; ++suit) {
                const Worth sum = contract(made_in_truth(tricks(world, me_, suit), bid_), bid_, true);
                add(worth[suit], world.weight, sum.points, sum.won);
            }
        for (int suit = 0; suit < 4; ++suit)
            text += (suit ? " trump_" : "trump_") + std::string(1, SUITS[suit]) + worth[suit].text();
        return text;
    }
    std::string value_cards() {
        if (trick_.seat != me_) return "";
        const Cards cards = trick_.allowed(hand_, trump_);
        const int held = count_of(hand_);
        Worth worth[64];
        for (const World& world : worlds(int(VALUED * MOVE_WORLDS)))
            for (Cards rest = cards; rest; rest &= rest - 1) {
                const int card = lowest_of(rest);
                if (twin(card, cards) >= 0) continue;
                const Tried end = tried(world, card);
                const bool odd = leader_ & 1;  // seats 0 and 2 defend
                const bool solved = end.solved != odd, thumb = end.thumb != odd;
                const double chance = end.sure ? solved : in_truth(solved, thumb, held);
                const Worth sum = contract(chance, bid_, partners(leader_, me_));
                add(worth[card], world.weight, sum.points, sum.won);
            }
        std::string text;
        for (Cards rest = cards; rest; rest &= rest - 1) {
            const int card = lowest_of(rest), like = twin(card, cards);
            if (like >= 0) worth[card] = worth[like];
            text += (text.empty() ? "" : " ") + std::string{VALUES[card & 15], SUITS[card >> 4]} + worth[card].text();
        }
        return text;
    }
    const std::string seed_;
    const int given_;  // milliseconds to reckon with, whatever is told; 0: what is told
    int me_ = 0, deals_ = 1, deal_ = -1, left_ = 10000;
    std::chrono::steady_clock::time_point asked_;
    Cards hand_ = 0, gone_ = 0, played_[4] = {}, cannot_[4] = {};
    std::vector<Call> calls_;
    int bid_ = 0, highest_ = -1, leader_ = -1, trump_ = 0;
    int won_[2] = {}, total_ = 0;  // tricks by side; my points in the match
    std::vector<double> won_at_ = std::vector<double>(2 * MOST + 1);
    double share_ = 0;  // the work as a part of that at 10 s; 0: not told yet
    double strengths_[4] = {};
    Trick trick_;
    std::mt19937_64 luck_, fresh_;  // for what is played, and for what is only asked
    std::vector<std::string> dealers_;  // as set_game told them
    Solver solver_, fresh_solver_;
    bool over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    std::string seed = "1", line;
    int budget = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--seed" && i + 1 < argc) seed = argv[++i];
        else if (option == "--budget-ms" && i + 1 < argc) budget = std::max(std::atoi(argv[++i]), 0);
        else {
            std::fputs("usage: codepiece_search [--seed N] [--budget-ms N]\n"
                       "Plays Codepiece by search (default seed 1); works as if N ms were told first for a match.\n",
                       option == "--help" ? stdout : stderr);
            return option == "--help" ? 0 : 2;
        }
    }
    Bot bot(seed, budget);
    while (!bot.over() && std::getline(std::cin, line)) std::cout << bot.answer(line) << std::flush;
}
