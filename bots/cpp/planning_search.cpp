// A bot that deals the unseen cards into many worlds, most of them such as explain what everybody declared, and tries
// its choices in all of them while a network that learned the game by self-play plays all hands to the end. It declares
// and plays for its chances to end the match with more points than each of the others, not for tricks.
//
// C++17, no exceptions; planning_search.weights is built in. A card is a bit and a hand a set of bits: plain cards by
// value, the suits side by side, all trumps above them. Players are counted from the bot: 0 is the bot itself, 1 the
// next clockwise. In matches that the network has not learned, simple players play the worlds.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planning_network.h"
#include "planning_values.h"

namespace {

using Words = std::vector<std::string>;
using Set = unsigned __int128;  // of cards
using Luck = std::mt19937_64;
constexpr int MOST_SEATS = 4, MOST_CARDS = 128;

uint64_t upper(Set cards) { return static_cast<uint64_t>(cards >> 64); }
uint64_t lower(Set cards) { return static_cast<uint64_t>(cards); }
int count(Set cards) { return __builtin_popcountll(upper(cards)) + __builtin_popcountll(lower(cards)); }
int number_of(Set cards) {  // of the strongest card
    return upper(cards) ? 127 - __builtin_clzll(upper(cards)) : 63 - __builtin_clzll(lower(cards));
}
Set lowest(Set cards) { return cards & (~cards + 1); }
Set highest(Set cards) { return Set{1} << number_of(cards); }

// Are there this many whole numbers of at most nine digits after the command, and nothing else?
bool numbers(const Words& words, std::initializer_list<int*> values) {
    if (words.size() != values.size() + 1) return false;
    size_t i = 0;
    for (int* value : values) {
        const std::string& word = words[++i];
        if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos) return false;
        *value = std::stoi(word);
    }
    return true;
}

// The deck, and by card: all cards of its suit, and all cards that take a trick from it.
struct Deck {
    Words names;
    std::array<Set, MOST_CARDS> suit{}, above{};
    Set all = 0;
    bool set(std::string_view values, std::string_view suits) {
        const size_t cards = values.size() * suits.size();
        if (cards < 2 || cards > MOST_CARDS) return false;
        names.clear();
        for (char v : values)
            for (char s : suits.substr(1)) names.push_back({v, s});
        for (char v : values) names.push_back({v, suits[0]});
        all = ~Set{0} >> (MOST_CARDS - cards);
        for (size_t i = cards; i-- > 0;) {
            suit[i] = 0;
            for (size_t j = 0; j < cards; ++j) suit[i] |= Set{names[j][1] == names[i][1]} << j;
            above[i] = higher(static_cast<int>(i)) | (suit[i] == suit[cards - 1] ? 0 : suit[cards - 1]);
        }
        return true;
    }
    bool learned() const { return names.size() == 52 && count(suit[51]) == 13; }  // what the network knows
    Set higher(int card) const { return suit[card] & (~Set{0} << card << 1); }    // of its suit
    Set card(std::string_view name) const {                                       // 0: there is none of this name
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? 0 : Set{1} << (found - names.begin());
    }
};

// Found by play against other bots.
constexpr double WORK = 100;       // worlds for each millisecond a match may take, in the unit of work()
constexpr int DECLARING = 4;       // times the worlds of a card for a declaration
constexpr int ROUND = 16, POOL = 4;  // worlds dealt at once, and chosen out of so many times as many
constexpr double TEMPER = 1, DOUBT = 0.02;  // points a declaration may cost and be likely; that it had no reason at all
constexpr double TRUST = 20;       // worlds that the network's own opinion counts for
constexpr double GAP = 2;          // points below its best card at which another one is not tried
constexpr double SURE = 2.5;       // standard errors at which a choice is given up
constexpr double VALUED = 0.5;      // times the worlds of a card or declaration for its values,
constexpr int LEAST = 6;           // of which there are so many at least
constexpr size_t MOST_KNOWN = 20000;  // hands whose declaration is remembered, of a player
constexpr double NOISE = 0.7;      // variance of the margin of two players in a deal, by its cards squared

// A deal under way, with all hands open.
struct Play {
    int seats = 0, size = 0, starter = 0;  // size: cards dealt; starter: leads to the first trick
    std::array<Set, MOST_SEATS> hand{}, barred{}, played{};  // cards held, shown not to be held, and played
    std::array<int, MOST_SEATS> taken{}, need{};  // tricks; still wanted, below 0 when a player has too many
    Set gone = 0, led = 0;                        // all cards played; all of the suit led, 0: turn leads
    int turn = 0, tricks = 0;                     // tricks: to come, the one on the table too
    int top = 0, taker = 0, waiting = 0;          // the card that wins so far, its player, players yet to play

    Set legal() const { return hand[turn] & led ? hand[turn] & led : hand[turn]; }
    void play(const Deck& deck, Set card) {
        const int i = number_of(card);
        hand[turn] ^= card, played[turn] |= card, gone |= card;
        if (led && !(card & led)) barred[turn] |= led;
        if (!led || card & deck.above[top]) top = i, taker = turn;
        if (!led) led = deck.suit[i], waiting = seats;
        if (++turn == seats) turn = 0;
        if (--waiting) return;
        --need[taker], ++taken[taker], --tricks;
        turn = taker, led = 0;
    }
    // What a simple player plays: the cheapest winner while it wants tricks, which it does again when its declaration
    // has failed; else the strongest card that does not win.
    Set choose(const Deck& deck) const {
        const Set own = legal(), winners = led ? own & deck.above[top] : own;
        if (!led) return need[turn] ? highest(own) : lowest(own);
        if (need[turn]) return lowest(winners ? winners : own);
        return own != winners ? highest(own ^ winners) : waiting == 1 ? highest(own) : lowest(own);
    }
    int points(int player) const { return taken[player] + (need[player] ? 0 : size); }
};

// What the player whose turn it is sees, in the cells of features_planning.py: suits in the order trump, the suit led,
// then the longest; cards by how many of those alive are higher.
class Sight {
public:
    Sight(const Deck& deck, const Play& play, bool declares)
        : deck_(deck), play_(play), own_(play.hand[play.turn]), live_(deck.all & ~play.gone), out_(live_ & ~own_),
          need_(declares ? 0 : play.need[play.turn]) {
        const int on_table = play.led ? SUITS - play.waiting : 0, left = play.tricks;
        std::array<std::pair<int, Set>, SUITS> suits;
        for (int k = 0; k < SUITS; ++k) {
            const Set suit = deck.suit[k ? k - 1 : 51];
            suits[k] = {!k ? -(1 << 20) : play.led == suit ? -(1 << 16) : 0, suit};
            for (Set rest = own_ & suit; rest; rest &= rest - 1)
                suits[k].first -= 129 + (k ? number_of(lowest(rest)) / 3 : number_of(lowest(rest)) - 39);
        }
        std::stable_sort(suits.begin(), suits.end(), [](auto& a, auto& b) { return a.first < b.first; });
        led_ = play.led == suits[1].second;
        Cells seen;
        int all_out = 0, wanted = std::max(need_, 0);
        for (int k = 0; k < SUITS; ++k) {
            suit_[k] = suits[k].second;
            all_out += outs_[k] = count(out_ & suit_[k]);
            length_[k] = count(own_ & suit_[k]);
            for (Set rest = own_ & suit_[k]; rest; rest &= rest - 1)
                seen.add(13 * k + count(live_ & deck.higher(number_of(lowest(rest)))), 1);
            seen.add({{52 + k, length_[k] / 6.0}, {56 + k, outs_[k] / 13.0}, {162 + k, !outs_[k] && length_[k]}});
        }
        for (int away = 1; away < SUITS; ++away) {
            const int player = (play.turn + away) % SUITS, need = declares ? 0 : play.need[player];
            behind_[away] = !play.led || away < play.waiting;
            wanted += std::max(need, 0);
            for (int k = 0; k < SUITS; ++k)
                seen.add(56 + 4 * away + k, void_[away][k] = play.barred[player] & suit_[k]);
            seen.add({{109 + 8 * away + std::clamp(need, -1, 3), 1}, {113 + 8 * away, need / 6.0},
                      {114 + 8 * away, need > left}, {115 + 8 * away, !behind_[away]}});
        }
        if (play.led)
            seen.add({{76 + led_, 1}, {79 + (play.taker - play.turn + SUITS) % SUITS, 1},
                      {83, count(out_ & deck.higher(play.top)) / 6.0}, {84, count(own_ & deck.higher(play.top)) / 6.0},
                      {85, suit_[0] >> play.top & 1}});
        seen.add({{72 + on_table, 1}, {87 + std::clamp(need_, -1, 13), 1}, {101, need_ > left}, {102 + left, 1},
                  {140 + play.size, 1}, {158, (wanted - left) / 4.0}, {159, 1.0 * need_ / std::max(left, 1)},
                  {154 + (declares ? play.starter - play.turn + SUITS : SUITS - on_table) % SUITS, 1}, {160, !declares},
                  {161, (3.0 * left - on_table) / std::max(all_out, 1)}, {166, (3 - on_table) / 3.0}});
        (declares ? declaring : playing).look(seen, shared_);
    }
    // What declarations and cards are worth in points: the player's, less the mean of the others'.
    double of_declaration(int tricks) const {
        Cells done;
        done.add({{tricks, 1}, {NUMBERS, tricks / 13.0}});
        return worth(declaring, done, tricks);
    }
    double of_card(int card) const {
        int k = 0;
        while (!(suit_[k] >> card & 1)) ++k;
        const Set above = deck_.higher(card);
        const int higher = count(out_ & above), own_higher = count(own_ & above), trumps = k ? outs_[0] : 0;
        const int led = play_.led ? led_ : k;
        const bool follows = k == led, wins = !play_.led || deck_.above[play_.top] >> card & 1;
        int over = 0, ruffs = 0, may_ruff = 0, threats = 0;
        for (int away = 1; away < SUITS; ++away) {
            const bool lacks = void_[away][led], beats = behind_[away] && !lacks && higher && follows;
            const bool ruff = behind_[away] && !void_[away][0] && (k ? trumps : higher);
            over += beats, ruffs += ruff && lacks, may_ruff += ruff && !lacks, threats += beats || ruff;
        }
        Cells done;
        done.add({{k, 1}, {4 + count(live_ & above), 1}, {!play_.led ? 17 : follows ? 18 : k ? 20 : 19, 1}, {21, wins},
                  {22, ((play_.led ? play_.waiting : SUITS) - 1) / 3.0}, {23, higher / 6.0}, {24, !higher},
                  {25, higher == 1}, {26, (outs_[k] - higher) / 6.0}, {27, outs_[k] == higher}, {28, own_higher / 4.0},
                  {29, (length_[k] - own_higher - 1) / 4.0}, {30, length_[k] == 1}, {31, outs_[k] / 13.0},
                  {32, trumps / 13.0}, {33, over / 3.0}, {34, ruffs / 3.0}, {35, may_ruff / 3.0},
                  {36, wins && !threats}, {wins ? 37 + (need_ > 0) : 40 - (need_ > 0), 1}});
        return worth(playing, done, need_);
    }
private:
    static constexpr int SUITS = 4;  // and seats
    double worth(const Network& network, const Cells& done, int wanted) const {
        float out[OUT];
        network.value(shared_, done, out);
        double sum = 0, mean = 0, exactly = 0;
        for (int i = 0; i < NUMBERS; ++i) {
            const double odds = std::exp(out[i] - out[0]);
            sum += odds, mean += odds * i;
            if (i == wanted) exactly = odds;
        }
        return (mean + play_.size * exactly) / sum - play_.size * out[NUMBERS];
    }

    const Deck& deck_;
    const Play& play_;
    const Set own_, live_, out_;
    const int need_;
    int led_ = 0;
    std::array<Set, SUITS> suit_{};
    std::array<int, SUITS> outs_{}, length_{};
    bool void_[SUITS][SUITS] = {}, behind_[SUITS] = {};  // behind: still to play
    float shared_[WIDE];
};

// What the bot knows of a match: the referee's news, checked.
struct Table {
    Deck deck;
    int seats = 0, me = 0, deal = -1;
    std::vector<std::pair<int, int>> deals;  // cards and starting seat of each
    std::array<int, MOST_SEATS> points{};    // of the deals that are over; by player, 0 is the bot, like all below
    Set dealt = 0, seen = 0;                 // the bot's own cards of the deal; those and all that were played
    Play now;                                // of the hands only the bot's own is known
    int declared = 0;                        // players whose declarations are known
    bool begin(std::vector<std::pair<int, int>> programme = {}) {
        deals = std::move(programme), points = {}, deal = -1;
        return true;
    }
    bool set_deck(const Words& words) { return begin() && words.size() == 3 && deck.set(words[1], words[2]); }
    bool set_players(const Words& words) {
        int n = 0, seat = 0;
        if (!numbers(words, {&n, &seat}) || n < 2 || n > MOST_SEATS || seat >= n) return false;
        seats = n, me = seat;
        return begin();
    }
    bool set_game(const Words& words) {
        std::vector<std::pair<int, int>> programme;
        for (size_t i = 2; i + 1 < words.size(); i += 2) {
            int cards = 0, seat = 0;
            if (!numbers({"", words[i], words[i + 1]}, {&cards, &seat}) || seat >= seats) return false;
            if (cards > MOST_CARDS || cards * seats > static_cast<int>(deck.names.size())) return false;
            programme.emplace_back(cards, seat);
        }
        return words.size() == 2 * programme.size() + 2 && begin(programme);
    }
    bool set_cards(const Words& words) {
        if (deal + 1 >= static_cast<int>(deals.size())) return false;
        const int cards = deals[deal + 1].first;
        Set hand = 0;
        for (size_t i = 2; i < words.size(); ++i) hand |= deck.card(words[i]);
        if (static_cast<int>(words.size()) != cards + 2 || count(hand) != cards) return false;
        now = Play{}, declared = 0;
        now.hand[0] = dealt = seen = hand;
        now.seats = seats, now.tricks = now.size = cards;
        now.turn = now.starter = (deals[++deal].second - me + seats) % seats;
        return true;
    }
    bool declare(const Words& words) {
        int seat = 0, tricks = 0;
        if (!numbers(words, {&seat, &tricks}) || deal < 0 || seat >= seats || tricks > now.size) return false;
        const int player = (seat - me + seats) % seats;
        now.need[player] = tricks - now.taken[player];
        return ++declared;
    }
    bool play(const Words& words) {
        int seat = 0;
        if (words.size() != 3 || !numbers({"", words[1]}, {&seat}) || seat >= seats || !now.tricks) return false;
        const int player = (seat - me + seats) % seats;
        const Set card = deck.card(words[2]) & (player ? ~seen : now.legal());
        if (player != now.turn || !card) return false;
        seen |= card;
        if (player) now.hand[player] |= card;  // which play() then takes away
        now.play(deck, card);
        for (int i = 0; i < seats && !now.tricks; ++i) points[i] += now.points(i);
        return true;
    }
};

// Deals the unseen cards to the players who may hold them; the rest, place 0, was not dealt.
struct Dealer {
    Dealer(const Table& table, Luck& luck) : now_(table.now), luck_(luck) {
        for (Set rest = table.deck.all & ~table.seen; rest; rest &= rest - 1) cards_.push_back(lowest(rest));
        for (int i = 1; i < now_.seats; ++i) {
            const bool has_played = now_.led && (i - now_.turn + now_.seats) % now_.seats >= now_.waiting;
            places_.insert(places_.end(), now_.tricks - has_played, i);
        }
        places_.resize(cards_.size(), 0);
    }

    Play deal() {
        const int all = static_cast<int>(cards_.size());
        std::shuffle(cards_.begin(), cards_.end(), luck_);
        std::uniform_int_distribution<int> any(0, std::max(all, 1) - 1);
        // A card that its player cannot hold changes places with others until it fits: a few times, never for ever.
        for (int tries = 0, wrong = 0; wrong < all; ++wrong)
            for (; barred(wrong, wrong) && tries < 1000; ++tries) {
                const int other = any(luck_);
                if (barred(wrong, other) || (barred(other, wrong) && tries % 8)) continue;
                std::swap(cards_[wrong], cards_[other]);
            }
        Play play = now_;
        for (int i = 0; i < all; ++i) play.hand[places_[i]] |= places_[i] ? cards_[i] : 0;
        return play;
    }

    // Can the card with this number not be where that one is?
    bool barred(int card, int place) const { return places_[place] && now_.barred[places_[place]] & cards_[card]; }
    const Play& now_;
    Luck& luck_;
    std::vector<Set> cards_;
    std::vector<int> places_;  // of each card
};

// Decides: what to declare, which card to play.
class Search {
public:
    explicit Search(const Table& table) : table_(table), deck_(table.deck), now_(table.now) {}
    // Before a match: how much work it may take follows from the time first told, so that the seed decides the play.
    // In steps of 10 %, as what the greetings took is missing from it and is never the same.
    void set_budget(int milliseconds) { budget_ = std::exp(std::round(std::log(milliseconds) * 10) / 10); }

    void begin_deal(const Luck& luck) {
        luck_ = luck, explained_ = {};
        fresh_.seed(Luck(luck)());
        learned_ = deck_.learned() && now_.seats == 4;
        worlds_ = WORK * budget_ / work_from(0);
        double later = 1;
        for (size_t i = table_.deal + 1; i < table_.deals.size(); ++i)
            later += NOISE * table_.deals[i].first * table_.deals[i].first;
        sharpness_ = 1.7 / std::sqrt(later);
        later_ = std::sqrt(LATER / NOISE * (later - 1));
        for (int i = 0; i < now_.seats; ++i) margins_[i] = table_.points[0] - table_.points[i];
    }

    int declare(int time_left) {
        std::vector<Choice> choices;
        const auto worth = declarations(now_, 0);
        for (size_t k = 0; k < worth.size(); ++k) choices.push_back({Set{1} << k, worth[k]});
        return number_of(choose(choices, true, time_left));
    }
    Set move(int time_left) {
        std::vector<Choice> choices;
        for (Set rest = now_.legal(); rest; rest &= rest - 1) choices.push_back({lowest(rest), 0});
        for (Choice& c : choices) c.opinion = learned_ ? Sight(deck_, now_, false).of_card(number_of(c.what)) : 0;
        return choose(choices, false, time_left);
    }
    // What each choice is worth, as `gen_values` tells it: all in the same worlds, which are new each time.
    std::string values(bool declares) {
        Set choices = declares ? (Set{2} << now_.size) - 1 : now_.legal();
        std::vector<Worth> found(count(choices));
        std::swap(luck_, fresh_);  // what is played does not depend on what was asked
        Dealer dealer(table_, luck_);
        for (int left = std::max(LEAST, int(VALUED * worlds_ * (declares ? DECLARING : 1))); left > 0; left -= ROUND) {
            for (const Play& world : likely_worlds(dealer, declares, std::min(left, ROUND))) {
                auto worth = found.begin();
                for (Set rest = choices; rest; rest &= rest - 1) {
                    const Play over = tried(world, lowest(rest), declares);
                    std::array<int, MOST_SEATS> ahead{};
                    for (int i = 0; i < over.seats; ++i) ahead[i] = margins_[i] + over.points(0) - over.points(i);
                    worth++->add(over.points(0), first(ahead, over.seats, later_));
                }
            }
        }
        std::swap(luck_, fresh_);
        std::string text;
        const double luck = std::sqrt(LATER) * now_.size, part = declares ? 0 : luck / std::hypot(luck, later_);
        for (const Worth& worth : found) {
            const int number = number_of(lowest(choices));
            text += (text.empty() ? "" : " ") + (declares ? std::to_string(number) : deck_.names[number]);
            text += worth.text(now_.tricks, part), choices &= choices - 1;
        }
        return text;
    }
private:
    struct Choice {
        Set what;
        double opinion, sum = 0, squares = 0;  // the network's; what it gained on the first choice, squared
        bool operator<(const Choice& other) const { return opinion + sum < other.opinion + other.sum; }
    };

    // The choice that does best in all worlds; those that are surely worse than another are given up on the way.
    Set choose(std::vector<Choice>& choices, bool declares, int time_left) {
        std::stable_sort(choices.begin(), choices.end(), [](auto& a, auto& b) { return b < a; });
        while (!declares && choices.back().opinion < choices[0].opinion - GAP) choices.pop_back();
        const double point = value(Play{now_.seats}, 1) - value(Play{now_.seats});
        for (Choice& choice : choices) choice.opinion *= TRUST * point;
        // The clock is only there for a slow machine: a decision ends at its share of 60 % of the time left.
        const int weight = declares ? DECLARING : 1;
        const double left = whole(now_.tricks, declares) + work_from(table_.deal + 1);
        const double part = 0.6 * weight * work(now_.tricks) / left * std::max(0, time_left - 20);
        const auto deadline = Clock::now() + std::chrono::duration<double, std::milli>(part);
        Dealer dealer(table_, luck_);
        for (double done = 0; done + ROUND / 2.0 < worlds_ * weight && choices.size() > 1; done += ROUND) {
            if (Clock::now() >= deadline) break;
            for (const Play& world : likely_worlds(dealer, declares)) {
                std::vector<double> values;
                for (const Choice& choice : choices) {
                    values.push_back(value(tried(world, choice.what, declares)) - (values.empty() ? 0 : values[0]));
                    if (Clock::now() >= deadline) return std::max_element(choices.begin(), choices.end())->what;
                }
                for (size_t k = 1; k < choices.size(); ++k)
                    choices[k].sum += values[k], choices[k].squares += values[k] * values[k];
            }
            double most = 0;
            for (const Choice& choice : choices) most = std::max(most, choice.sum);
            const auto worse = [&](auto& c) { return c.sum + SURE * std::sqrt(c.squares) <= most; };
            choices.erase(std::remove_if(choices.begin() + 1, choices.end(), worse), choices.end());
        }
        return std::max_element(choices.begin(), choices.end())->what;
    }

    // A world at its end, when the bot declares or plays this.
    Play tried(Play play, Set what, bool declares) const {
        if (declares) play.need[0] = number_of(what);
        else play.play(deck_, what);
        while (play.tricks) play.play(deck_, policy(play));
        return play;
    }

    // What a player plays in a world.
    Set policy(const Play& play) const {
        if (!learned_ || count(play.legal()) == 1) return play.choose(deck_);
        const Sight sight(deck_, play, false);
        std::pair<double, Set> best{-1e9, 0};
        for (Set rest = play.legal(); rest; rest &= rest - 1)
            best = std::max(best, {sight.of_card(number_of(lowest(rest))), lowest(rest)});
        return best.second;
    }

    // What each declaration of a player is worth before the first trick; all alike if the network cannot tell.
    std::vector<double> declarations(const Play& play, int player) const {
        std::vector<double> found(play.size + 1);
        if (!learned_) return found;
        Play deal;
        deal.hand[player] = play.hand[player] | play.played[player];
        deal.size = deal.tricks = play.size, deal.starter = play.starter, deal.turn = player;
        const Sight sight(deck_, deal, true);
        for (int k = 0; k <= play.size; ++k) found[k] = sight.of_declaration(k);
        return found;
    }

    // Worlds, most of them such that the others would have declared what they did; or in which they declare.
    std::vector<Play> likely_worlds(Dealer& dealer, bool declare, int many = ROUND) {
        std::vector<Play> pool, chosen;
        std::vector<double> weights;
        for (int w = 0; w < many * (declare ? 1 : POOL); ++w) {
            Play world = dealer.deal();
            double weight = 1;
            for (int i = 1; i < world.seats; ++i) {
                if (declare) world.need[i] = likely(declarations(world, i), world);
                else weight *= explained(world, i);
            }
            pool.push_back(world);
            weights.push_back(weight);
        }
        if (declare) return pool;
        std::discrete_distribution<size_t> drawn(weights.begin(), weights.end());
        for (int w = 0; w < many; ++w) chosen.push_back(pool[drawn(luck_)]);
        return chosen;
    }
    int likely(const std::vector<double>& worth, const Play& world) const {
        const auto most = std::max_element(worth.begin(), worth.end());
        return learned_ ? static_cast<int>(most - worth.begin()) : world.size / world.seats;
    }
    // How likely a player declares what it did with the cards that it was dealt in a world. Late in a deal it is the
    // same few hands again and again.
    double explained(const Play& world, int i) {
        if (explained_[i].size() > MOST_KNOWN) explained_[i].clear();
        const auto [known, is_new] = explained_[i].try_emplace(world.hand[i] | world.played[i]);
        if (!is_new) return known->second;
        const auto worth = declarations(world, i);
        const double most = *std::max_element(worth.begin(), worth.end());
        double all = 0;
        for (double points : worth) all += std::exp((points - most) / TEMPER);
        return known->second = DOUBT + std::exp((worth[world.taken[i] + world.need[i]] - most) / TEMPER) / all;
    }

    // What the end of a deal and so many points more are worth: the chances to end the match above each other player.
    double value(const Play& over, int more = 0) const {
        double sum = 0;
        for (int i = 1; i < over.seats; ++i)
            sum += 1 / (1 + std::exp(-sharpness_ * (margins_[i] + over.points(0) - over.points(i) + more)));
        return sum;
    }

    // What a world costs: by the tricks to come; for all cards of a deal, and its declaration; for the deals to come.
    static double work(int tricks) { return tricks * (tricks + 4.0); }
    static double whole(int tricks, bool declares) {
        return tricks * (tricks + 1) * (2 * tricks + 13) / 6.0 + declares * DECLARING * work(tricks);
    }
    double work_from(size_t deal) const {
        double sum = 0;
        for (; deal < table_.deals.size(); ++deal) sum += whole(table_.deals[deal].first, true);
        return sum;
    }
    using Clock = std::chrono::steady_clock;
    const Table& table_;
    const Deck& deck_;
    const Play& now_;
    Luck luck_, fresh_;  // for what is played, and for what is only asked
    double budget_ = 10000, sharpness_ = 1, worlds_ = 0;  // worlds: for a card
    double later_ = 0;  // standard deviation of a player's points in the deals to come
    bool learned_ = false;
    std::array<int, MOST_SEATS> margins_{};
    std::array<std::map<Set, double>, MOST_SEATS> explained_;  // by the cards dealt to a player
};

class Bot {
public:
    // budget: milliseconds to plan for, from the first deal on and whatever the referee tells; 0: what it tells first.
    Bot(std::string_view seed, int budget) : seed_(seed), handicap_(budget) { if (budget) search_.set_budget(budget); }
    bool over() const { return over_; }
    // The reply to one command; a blank line has none.
    std::string answer(const std::string& line) {
        std::istringstream stream(line);
        const Words words{std::istream_iterator<std::string>(stream), {}};
        std::string result;
        if (words.empty()) return "";
        if (!obey(line, words, result)) return "? cannot do " + words[0].substr(0, 40) + "\n\n";
        return (result.empty() ? "=" : "= " + result) + "\n\n";
    }
private:
    bool obey(const std::string& line, const Words& words, std::string& result) {
        const std::string& command = words[0];
        const bool asked = words.size() == 1 && table_.deal >= 0;
        told_ = told_ && command != "set_game";
        if (command == "quit") return over_ = words.size() == 1;
        if (command == "time_left") {
            if (!numbers(words, {&time_left_})) return false;
            if (!told_) search_.set_budget(handicap_ ? handicap_ : time_left_ + 1);
            return told_ = true;
        }
        if (command == "set_deck") return table_.set_deck(words);
        if (command == "set_players") return table_.set_players(words);
        if (command == "declare") return table_.declare(words);
        if (command == "play") return table_.play(words);
        if (command == "set_game") return table_.set_game(words);
        if (command == "set_cards" && table_.set_cards(words)) {
            // Luck depends on the seed, the deal and the cards alone: a deal met again is met with the same luck.
            const std::string text = seed_ + '|' + std::to_string(table_.deal) + line;
            std::seed_seq seed(text.begin(), text.end());
            search_.begin_deal(Luck(seed));
            return true;
        }
        if (command == "gen_move" && asked && table_.now.tricks && !table_.now.turn)
            result = table_.deck.names[number_of(search_.move(time_left_))];
        if (command == "gen_declare" && asked && table_.dealt == table_.seen)
            result = std::to_string(search_.declare(time_left_));
        if (command == "gen_values" && asked) {
            const bool declares = !table_.declared && table_.dealt == table_.seen;
            if (declares || (table_.now.tricks && !table_.now.turn)) result = search_.values(declares);
        }
        return !result.empty();
    }
    const std::string seed_;
    const int handicap_;
    Table table_;
    Search search_{table_};
    int time_left_ = 10000;  // milliseconds
    bool told_ = false, over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    Words words(argv + 1, argv + argc), seed{"1"};
    int budget = 0;
    for (; words.size() > 1; words.erase(words.begin(), words.begin() + 2)) {
        if (words[0] == "--seed") seed = {words[1]};
        else if (words[0] != "--budget-ms" || !numbers({"", words[1]}, {&budget})) break;
    }
    if (!words.empty()) {
        (words[0] == "--help" ? std::cout : std::cerr)
            << "usage: planning_search [--seed N] [--budget-ms N]\nPlays Planning by search. --seed N: of every "
               "choice, default 1; --budget-ms N: time to plan for, not what the referee tells first.\n";
        return words[0] == "--help" ? 0 : 2;
    }
    Bot bot(seed[0], budget);
    for (std::string line; !bot.over() && std::getline(std::cin, line);)
        std::cout << bot.answer(line) << std::flush;  // each reply is on its way before the next command is read
}
