// Cards, tricks and positions of Codepiece: play by rules of thumb, and the exact solution of an end.

#pragma once

#include <algorithm>
#include <cstdint>
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
    int need = 0;   // tricks that seats 0 and 2 want of these; below 0: they have more
    void play(int card) {
        hands[trick.seat] ^= bit(card);
        trick = trick.after(card, trump);
        if (!trick.count) --left, need -= !(trick.ahead & 1);
    }
};

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
            const int top = cards & row(suit) ? highest_of(cards & row(suit)) : -1;
            if (top >= 0 && trick.beaten_by(top, p.trump) && !(higher(top) & others)) return top;
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
        live ^= bit(card), p.play(card);
    }
}

// Answers whether seats 0 and 2 can take the tricks that a position needs, all cards known to all.
class Solver {
public:
    // `otherwise` where it takes too many nodes to tell.
    bool reaches(const Position& p, bool otherwise) {
        std::copy(p.hands, p.hands + 4, hands_);
        trump_ = p.trump, nodes_left_ = NODES;
        Cards live = hands_[0] | hands_[1] | hands_[2] | hands_[3] | (p.trick.count ? bit(p.trick.best) : 0);
        const bool reached = p.trick.count ? in_trick(p.trick, p.need, p.left, live)
                                           : at_trick(p.trick.seat, p.need, p.left);
        return nodes_left_ ? reached : otherwise;
    }

private:
    static constexpr int BITS = 19, NODES = 100000;
    // Cards of `mine` above all of `rest`, which are cards of one suit.
    static int run(Cards mine, Cards rest) {
        return count_of(rest ? mine & ~((bit(highest_of(rest)) << 1) - 1) : mine);
    }
    bool at_trick(int leader, int need, int left) {
        if (need <= 0 || need > left) return need <= 0;
        const Cards live = hands_[0] | hands_[1] | hands_[2] | hands_[3], trumps = live & row(trump_);
        if (trumps) {  // the highest trumps take a trick each, if one hand has them
            int owner = 0;
            while (!(hands_[owner] >> highest_of(trumps) & 1)) ++owner;
            const Cards theirs = trumps & ~hands_[owner] & ~hands_[owner ^ 2];
            const int sure = std::max(run(trumps & hands_[owner], theirs), run(trumps & hands_[owner ^ 2], theirs));
            if (owner & 1 ? left - sure < need : sure >= need) return !(owner & 1);
        }
        int sure = 0;  // so do the highest cards of the leader, as long as nobody can trump them
        for (int suit = 0; suit < 4; ++suit) {
            int tricks = run(hands_[leader] & row(suit), live & row(suit) & ~hands_[leader]);
            for (int seat : {(leader + 1) & 3, (leader + 3) & 3})
                if (suit != trump_ && hands_[seat] & row(trump_))
                    tricks = std::min(tricks, count_of(hands_[seat] & row(suit)));
            sure += tricks;
        }
        if (leader & 1 ? left - sure < need : sure >= need) return !(leader & 1);
        // An entry of the table: the key's upper bits, the fewest and the most tricks of seats 0 and 2.
        uint64_t hash = unsigned(1 + leader + 4 * trump_);
        for (const Cards hand : hands_) hash = (hash ^ hand) * 0xD6E8FEB86659FD93ull, hash ^= hash >> 32;
        hash *= 0xD6E8FEB86659FD93ull;
        uint64_t& entry = table_[hash >> (64 - BITS)];
        int fewest = 0, most = left;
        if (entry >> 8 == (hash << 8) >> 8) {
            fewest = entry >> 4 & 15, most = entry & 15;
            if (fewest >= need || most < need) return fewest >= need;
        }
        const bool reached = in_trick(Trick{leader, 0, 0, 0, 0}, need, left, live);
        if (!nodes_left_) return reached;
        (reached ? fewest : most) = reached ? need : need - 1;
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
    std::vector<uint64_t> table_ = std::vector<uint64_t>(size_t(1) << BITS);
};

}  // namespace
