// A bot that plays Planning by search: it deals the unseen cards into many worlds, weighs each world by how well it
// explains what everybody declared, and plays each choice to the end of the deal in all of them. It declares and plays
// for its lead over the other players at the end of the match, not for tricks.
//
// C++17, one file, no exceptions. A card is a bit and a hand a set of bits: plain cards by value, the suits side by
// side, all trumps above them, so that a set's lowest bit is the card that one gives away most lightly. Players are
// counted from the bot: 0 is the bot itself, 1 the next clockwise.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Words = std::vector<std::string>;
using Set = uint64_t;  // of cards
constexpr int MOST_SEATS = 4, MOST_CARDS = 64;

Set lowest(Set cards) { return cards & (~cards + 1); }
int number_of(Set cards) { return 63 - __builtin_clzll(cards); }  // of the strongest card; none may be 0
Set highest(Set cards) { return Set{1} << number_of(cards); }
int count(Set cards) { return __builtin_popcountll(cards); }

// A whole number of at most nine digits; false if the word is none.
bool number(const std::string& word, int& value) {
    if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos) return false;
    value = std::stoi(word);
    return true;
}

// Random numbers from a text: FNV-1a makes the state, splitmix64 goes on from there.
class Luck {
public:
    explicit Luck(std::string_view text = "") {
        for (char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
    uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    int below(int bound) { return static_cast<int>((next() >> 32) * static_cast<uint64_t>(bound) >> 32); }
    template <class Item>
    void shuffle(std::vector<Item>& items) {
        for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(static_cast<int>(i))]);
    }
    double normal() { return 2 * (unit() + unit() + unit() - 1.5); }  // nearly so: mean 0, deviation 1
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    uint64_t state_ = 14695981039346656037u;
};

// The deck, and by card: all cards of its suit, and all cards that take a trick from it.
struct Deck {
    std::vector<std::string> names;
    std::array<Set, MOST_CARDS> suit{}, above{};
    Set all = 0;

    bool set(std::string_view values, std::string_view suits) {
        const size_t cards = values.size() * suits.size();
        if (cards < 2 || cards > MOST_CARDS) return false;
        names.clear();
        for (char v : values)
            for (char s : suits.substr(1)) names.push_back({v, s});
        for (char v : values) names.push_back({v, suits[0]});
        all = cards == MOST_CARDS ? ~Set{0} : (Set{1} << cards) - 1;
        Set trumps = 0;
        for (size_t i = cards; i-- > 0;) {
            suit[i] = 0;
            for (size_t j = 0; j < cards; ++j)
                if (names[j][1] == names[i][1]) suit[i] |= Set{1} << j;
            if (i + 1 == cards) trumps = suit[i];
            above[i] = suit[i] & (~Set{0} << i << 1);
            if (suit[i] != trumps) above[i] |= trumps;
        }
        return true;
    }
    // The card's bit, or 0.
    Set card(std::string_view name) const {
        for (size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return Set{1} << i;
        return 0;
    }
};

// Found by play against other bots.
constexpr double WORK = 5000;  // cards played in simulation for each millisecond of the budget
constexpr int MOST_WORLDS = 2000;  // a decision
constexpr int POOL = 4;  // worlds dealt for each world chosen
constexpr double LOW = 0.75;  // what is declared on average, as a part of the fair share
constexpr double SLOPE = 1.5;  // declared for each trick of worth above the fair share
constexpr double SPREAD = 0.2;  // deviation of declarations
constexpr double SPREAD_PER_CARD = 0.075;
constexpr double DOUBT = 0.02;  // of a declaration's having had any reason
constexpr double SPARE = 0.5;  // tricks that a hand may promise above what is wanted
constexpr double NOISE = 0.7;  // variance of the margin of two players in a deal, by the square of its cards

// A deal under way, with all hands open.
struct Play {
    std::array<Set, MOST_SEATS> hand{};
    std::array<int, MOST_SEATS> need{};  // tricks each still wants; below 0 when it has too many
    std::array<double, MOST_SEATS> promise{};  // tricks that each hand should take, by the worth of its cards
    const double* worth = nullptr;             // by card
    int seats = 0, turn = 0, tricks = 0;  // tricks: to come, the one on the table too
    Set led = 0;                          // all cards of the suit led; 0: turn leads
    int top = 0, taker = 0, waiting = 0;  // the card that wins so far, its player, players yet to play

    Set legal() const {
        const Set following = hand[turn] & led;
        return following ? following : hand[turn];
    }
    void play(const Deck& deck, Set card) {
        const int i = number_of(card);
        hand[turn] ^= card;
        if (worth) promise[turn] -= worth[i];
        if (!led) {
            led = deck.suit[i];
            top = i;
            taker = turn;
            waiting = seats;
        } else if (card & deck.above[top]) {
            top = i;
            taker = turn;
        }
        if (++turn == seats) turn = 0;
        if (--waiting == 0) {
            --need[taker];
            turn = taker;
            led = 0;
            --tricks;
        }
    }
    // What a simple player plays. It wins as cheaply as it can while it wants tricks, unless its other cards promise
    // more than it wants; then, and when it wants none, it throws the strongest card that does not win. When its
    // declaration has failed it wants all tricks: each is still a point.
    Set choose(const Deck& deck) const {
        const Set own = legal();
        const bool wants = need[turn] != 0;
        if (!led) return wants ? highest(own) : lowest(own);
        const Set winners = own & deck.above[top];
        if (wants) {
            const bool rich = need[turn] > 0 && need[turn] <= tricks && promise[turn] > need[turn] + SPARE;
            if (!rich) return lowest(winners ? winners : own);
            return own != winners ? highest(own ^ winners) : lowest(own);
        }
        if (own != winners) return highest(own ^ winners);
        return waiting == 1 ? highest(own) : lowest(own);
    }
    void finish(const Deck& deck) {
        while (tricks) play(deck, choose(deck));
    }
};

// What the bot knows of a match: the referee's news, checked.
class Table {
public:
    Deck deck;
    int seats = 0, me = 0;
    std::vector<std::pair<int, int>> deals;  // cards and starting seat of each
    int deal = -1, size = 0;                 // number of the deal, its cards
    std::array<int, MOST_SEATS> points{};    // of the deals that are over; by player, 0 is the bot, like all below
    std::array<int, MOST_SEATS> declared{}, taken{};
    std::array<Set, MOST_SEATS> played{}, barred{};  // this deal's cards; cards a player has shown not to hold
    Set dealt = 0, seen = 0;                         // the bot's own cards of the deal; those and all that were played
    Play now;                                        // of the hands only the bot's own is known
    bool told = false;                               // all have declared

    bool set_deck(const Words& words) {
        if (words.size() != 3) return false;
        deals.clear();
        deal = -1;
        return deck.set(words[1], words[2]);
    }
    bool set_players(const Words& words) {
        int n = 0, seat = 0;
        if (words.size() != 3 || !number(words[1], n) || !number(words[2], seat)) return false;
        if (n < 2 || n > MOST_SEATS || seat >= n) return false;
        seats = n;
        me = seat;
        deals.clear();
        deal = -1;
        return true;
    }
    bool set_game(const Words& words) {
        int n = 0;
        if (words.size() < 2 || !number(words[1], n) || words.size() != 2 * static_cast<size_t>(n) + 2) return false;
        std::vector<std::pair<int, int>> programme;
        for (size_t i = 2; i < words.size(); i += 2) {
            int cards = 0, seat = 0;
            if (!number(words[i], cards) || !number(words[i + 1], seat) || seat >= seats) return false;
            if (cards > MOST_CARDS || cards * seats > static_cast<int>(deck.names.size())) return false;
            programme.emplace_back(cards, seat);
        }
        deals = programme;
        deal = -1;
        points = {};
        return true;
    }
    bool set_cards(const Words& words) {
        if (deal + 1 >= static_cast<int>(deals.size())) return false;
        const auto [cards, starter] = deals[static_cast<size_t>(deal) + 1];
        int n = 0;
        if (words.size() < 2 || !number(words[1], n) || n != cards || words.size() != static_cast<size_t>(n) + 2)
            return false;
        Set hand = 0;
        for (size_t i = 2; i < words.size(); ++i) hand |= deck.card(words[i]);
        if (count(hand) != n) return false;
        ++deal;
        size = n;
        dealt = seen = hand;
        declared = taken = {};
        played = barred = {};
        told = false;
        now = Play{};
        now.hand[0] = hand;
        now.seats = seats;
        now.tricks = n;
        now.turn = (starter - me + seats) % seats;
        return true;
    }
    bool declare(const Words& words) {
        int seat = 0, tricks = 0;
        if (words.size() != 3 || !number(words[1], seat) || !number(words[2], tricks)) return false;
        if (deal < 0 || seat >= seats || tricks > size) return false;
        const int player = (seat - me + seats) % seats;
        declared[player] = tricks;
        now.need[player] = tricks - taken[player];
        told = true;
        return true;
    }
    bool play(const Words& words) {
        int seat = 0;
        if (words.size() != 3 || !number(words[1], seat) || seat >= seats || deal < 0) return false;
        const int player = (seat - me + seats) % seats;
        const Set card = deck.card(words[2]);
        if (!card || !now.tricks || player != now.turn) return false;
        if (!(card & (player ? deck.all & ~seen : now.legal()))) return false;
        if (now.led && !(card & now.led)) barred[player] |= now.led;
        seen |= card;
        played[player] |= card;
        const int before = now.tricks;
        if (player) now.hand[player] |= card;  // which play() then takes away
        now.play(deck, card);
        if (now.tricks < before) ++taken[now.taker];
        if (now.tricks == 0)
            for (int i = 0; i < seats; ++i) points[i] += taken[i] + (taken[i] == declared[i] ? size : 0);
        return true;
    }
};

using Hands = std::array<Set, MOST_SEATS>;

// Deals the unseen cards to the places where they may be: the other players, and the cards that were not dealt.
class Dealer {
public:
    Dealer(const Table& table, Luck& luck) : table_(table), luck_(luck) {
        const Play& now = table.now;
        const Set unseen = table.deck.all & ~table.seen;
        room_[REST] = count(unseen);
        for (int i = 1; i < table.seats; ++i) {
            const bool has_played = now.led && (i - now.turn + table.seats) % table.seats >= now.waiting;
            room_[i] = now.tricks - has_played;
            room_[REST] -= room_[i];
            barred_[i] = table.barred[i];
        }
        for (Set rest = unseen; rest; rest &= rest - 1) {
            size_t open = 0;
            for (int i = 1; i < table.seats; ++i) open += !(barred_[i] & lowest(rest));
            groups_[open].push_back(lowest(rest));
        }
    }

    Hands deal() {
        free_ = room_;
        held_ = {};
        for (std::vector<Set>& cards : groups_) {
            luck_.shuffle(cards);
            for (Set card : cards) place(card);
        }
        Hands hand{};
        hand[0] = table_.now.hand[0];
        for (int i = 1; i < table_.seats; ++i) hand[i] = held_[i];
        return hand;
    }

private:
    static constexpr int REST = MOST_SEATS;  // the place of cards that were not dealt

    void place(Set card) {
        int slots = 0;
        for (int i = 1; i <= REST; ++i) slots += barred_[i] & card ? 0 : free_[i];
        if (!slots) {
            make_room(card, 0);
            return;
        }
        int draw = luck_.below(slots), i = 0;
        do ++i, draw -= barred_[i] & card ? 0 : free_[i];
        while (draw >= 0);
        --free_[i];
        held_[i] |= card;
    }

    // Puts a card where there is no room by moving another card on; tried: places not to ask again, as bits.
    bool make_room(Set card, int tried) {
        for (int place = 1; place <= REST; ++place) {
            if (barred_[place] & card || tried & 1 << place || !room_[place]) continue;
            if (free_[place]) {
                --free_[place];
                held_[place] |= card;
                return true;
            }
            for (Set rest = held_[place]; rest; rest &= rest - 1)
                if (make_room(lowest(rest), tried | 1 << place)) {
                    held_[place] ^= lowest(rest) | card;
                    return true;
                }
        }
        return false;
    }

    const Table& table_;
    Luck& luck_;
    std::array<std::vector<Set>, MOST_SEATS> groups_;  // of cards, by how many players may hold them: fewest first
    std::array<int, MOST_SEATS + 1> room_{}, free_{};
    std::array<Set, MOST_SEATS + 1> barred_{}, held_{};
};

// Decides: what to declare, which card to play.
class Search {
public:
    explicit Search(const Table& table) : table_(table), deck_(table.deck) {}

    // Before a match: how much work it may take follows from the time first told, so that the seed decides the play.
    void set_budget(int milliseconds) { work_ = WORK * milliseconds; }

    // After the cards of a deal have come.
    void begin_deal(const Luck& luck) {
        luck_ = luck;
        worth_known_ = false;
        double later = 1;
        for (size_t i = static_cast<size_t>(table_.deal) + 1; i < table_.deals.size(); ++i)
            later += NOISE * table_.deals[i].first * table_.deals[i].first;
        // The chance to end the match above another player, by the margin gained in this deal.
        for (int i = 1; i < table_.seats; ++i)
            for (int gain = -2 * table_.size; gain <= 2 * table_.size; ++gain) {
                const double margin = table_.points[0] - table_.points[i] + gain;
                chance_[i][gain + 2 * table_.size] = 1 / (1 + std::exp(-1.7 * margin / std::sqrt(later)));
            }
    }

    int declare(int time_left) {
        const int size = table_.size;
        if (!size) return 0;
        start_clock(time_left);
        learn_worth();
        Dealer dealer(table_, luck_);
        const int worlds = worlds_for(size + 1, size);
        std::vector<double> total(static_cast<size_t>(size) + 1);
        int done = 0;
        for (; done < worlds && !late(); ++done) {
            Play start = table_.now;
            start.hand = dealer.deal();
            for (int i = 1; i < table_.seats; ++i)
                {
                const double likely = habit(start.hand[i]) + spread() * luck_.normal();
                start.need[i] = std::clamp(static_cast<int>(std::lround(likely)), 0, size);
            }
            estimate(start);
            for (int tricks = 0; tricks <= size; ++tricks) {
                start.need[0] = tricks;
                Play play = start;
                play.finish(deck_);
                total[tricks] += value(play, start.need);
            }
        }
        if (!done) return std::min(size, static_cast<int>(expected(table_.dealt) + 0.5));
        return static_cast<int>(std::max_element(total.begin(), total.end()) - total.begin());
    }

    Set move(int time_left) {
        const std::vector<Set> options = choices();
        if (options.size() == 1) return options[0];
        start_clock(time_left);
        learn_worth();
        std::vector<double> total(options.size());
        std::array<int, MOST_SEATS> wanted{};
        for (int i = 0; i < table_.seats; ++i) wanted[i] = table_.declared[i];
        int done = 0;
        for (const Hands& hands : likely_worlds(worlds_for(static_cast<int>(options.size()), table_.now.tricks))) {
            if (late()) break;
            ++done;
            Play start = table_.now;
            start.hand = hands;
            estimate(start);
            for (size_t k = 0; k < options.size(); ++k) {
                Play play = start;
                play.play(deck_, options[k]);
                play.finish(deck_);
                total[k] += value(play, wanted);
            }
        }
        if (!done) return table_.now.choose(deck_);
        return options[static_cast<size_t>(std::max_element(total.begin(), total.end()) - total.begin())];
    }

private:
    // Worth of a card: how often it takes a trick when random deals of this size are played out.
    void learn_worth() {
        if (worth_known_) return;
        worth_known_ = true;
        std::array<int, MOST_CARDS> dealt{}, won{};
        std::vector<Set> cards;
        for (Set rest = deck_.all; rest; rest &= rest - 1) cards.push_back(lowest(rest));
        for (int round = 0; round < 400; ++round) {
            Play play;
            play.seats = table_.seats;
            play.tricks = table_.size;
            play.turn = luck_.below(table_.seats);
            luck_.shuffle(cards);
            for (int i = 0, k = 0; i < table_.seats; ++i) {
                play.need[i] = table_.size;
                for (int c = 0; c < table_.size; ++c, ++k) {
                    play.hand[i] |= cards[k];
                    ++dealt[number_of(cards[k])];
                }
            }
            while (play.tricks) {
                const int tricks = play.tricks;
                play.play(deck_, play.choose(deck_));
                if (play.tricks < tricks) ++won[play.top];
            }
        }
        for (size_t i = 0; i < MOST_CARDS; ++i) worth_[i] = (won[i] + 0.01) / (dealt[i] + 0.1);
    }

    // What a player with this hand declares on average, and the deviation from that. Measured among programs of all
    // strengths: they declare less than their share of the tricks, and strong hands stand out more than by their worth.
    double habit(Set hand) const {
        const double fair = static_cast<double>(table_.size) / table_.seats;
        return std::max(0.0, LOW * fair + SLOPE * (expected(hand) - fair));
    }
    double spread() const { return SPREAD + SPREAD_PER_CARD * table_.size; }
    double expected(Set hand) const {
        double tricks = 0;
        for (; hand; hand &= hand - 1) tricks += worth_[__builtin_ctzll(hand)];
        return tricks;
    }

    void estimate(Play& play) const {
        play.worth = worth_.data();
        for (int i = 0; i < play.seats; ++i) play.promise[i] = expected(play.hand[i]);
    }

    // Worlds, most of them such that the players would have declared what they did.
    std::vector<Hands> likely_worlds(int worlds) {
        Dealer dealer(table_, luck_);
        std::vector<Hands> pool, chosen;
        std::vector<double> weights;
        double sum = 0;
        for (int w = 0; w < worlds * POOL && !late(); ++w) {
            pool.push_back(dealer.deal());
            double weight = 1;
            for (int i = 1; i < table_.seats; ++i) {
                const double off = (table_.declared[i] - habit(pool.back()[i] | table_.played[i])) / spread();
                weight *= DOUBT + std::exp(-off * off / 2);
            }
            weights.push_back(weight);
            sum += weight;
        }
        // Systematic resampling: as many copies of each as its weight asks for.
        const double step = sum / worlds;
        double next = luck_.unit() * step;
        for (size_t i = 0; i < pool.size(); ++i)
            for (next -= weights[i]; next < 0; next += step) chosen.push_back(pool[i]);
        // A search that the clock ends has then seen worlds of all parts of the pool.
        luck_.shuffle(chosen);
        return chosen;
    }

    // Chances to end the match above each of the others, summed, after a deal in which these tricks were wanted.
    double value(const Play& over, const std::array<int, MOST_SEATS>& wanted) const {
        auto points = [&](int i) { return wanted[i] - over.need[i] + (over.need[i] ? 0 : table_.size); };
        double sum = 0;
        for (int i = 1; i < table_.seats; ++i) sum += chance_[i][points(0) - points(i) + 2 * table_.size];
        return sum;
    }

    // Legal cards, one of each run of neighbours that nothing still in play can tell apart.
    std::vector<Set> choices() const {
        std::vector<Set> options;
        Set on_table = 0;
        if (table_.now.led) on_table = Set{1} << table_.now.top;
        const Set between = (deck_.all & ~table_.seen) | on_table;
        for (Set rest = table_.now.legal(); rest; rest &= rest - 1) {
            const Set card = lowest(rest);
            const Set lower = table_.now.legal() & deck_.suit[number_of(card)] & (card - 1);
            if (lower && !((card - highest(lower)) & deck_.suit[number_of(card)] & between & ~highest(lower))) continue;
            options.push_back(card);
        }
        return options;
    }

    // The work of a decision grows with the cards held twice over: more choices, and longer play after each.
    static double playing(double held) { return held * (held + 1) * (held + 2) / 3; }

    // Worlds for a decision: its share of the match's work, in cards played.
    int worlds_for(int options, int held) const {
        double match = 0;
        for (const auto& [cards, starter] : table_.deals) match += playing(cards) + cards * (cards + 1);
        const double share = work_ * held * (held + 1) / match;
        return std::clamp(static_cast<int>(share / (options * held * table_.seats)), 8, MOST_WORLDS);
    }

    // The clock is only there for a slow machine: a decision ends at its share of 60 % of the time left.
    void start_clock(int time_left) {
        const double held = table_.now.tricks;
        double decisions = held, ahead = playing(held) + held * (held + 1);
        for (size_t i = static_cast<size_t>(table_.deal) + 1; i < table_.deals.size(); ++i) {
            const double cards = table_.deals[i].first;
            decisions += cards + 1;
            ahead += playing(cards) + cards * (cards + 1);
        }
        const double seconds = std::max(0.0, 0.6 * (time_left / 1000.0 - 0.0003 * decisions));
        const double share = held * (held + 1) / ahead;
        deadline_ = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(1e6 * seconds * share));
    }
    bool late() const { return Clock::now() >= deadline_; }

    using Clock = std::chrono::steady_clock;
    Clock::time_point deadline_;
    const Table& table_;
    const Deck& deck_;
    Luck luck_;
    double work_ = 1e4 * WORK;
    bool worth_known_ = false;
    std::array<double, MOST_CARDS> worth_{};
    std::array<std::array<double, 4 * MOST_CARDS + 1>, MOST_SEATS> chance_{};
};

// Plays decks that have no room in a Set: it declares no trick and plays the first legal card of its hand.
struct Thumb {
    std::vector<std::string> hand;
    int seats = 1, me = 0, on_table = 0;
    char led = 0;

    bool obey(const Words& words, std::string& result) {
        const std::string& command = words[0];
        int n = 0;
        if (command == "set_players") return words.size() == 3 && number(words[1], seats) && number(words[2], me);
        if (command == "set_cards") {
            hand.assign(words.begin() + std::min<long>(2, static_cast<long>(words.size())), words.end());
            on_table = 0;
        } else if (command == "gen_declare") {
            result = "0";
        } else if (command == "gen_move") {
            if (hand.empty()) return false;
            const auto follows = [&](const std::string& own) { return on_table && own.back() == led; };
            const auto card = std::find_if(hand.begin(), hand.end(), follows);
            result = card == hand.end() ? hand[0] : *card;
        } else if (command == "play") {
            if (words.size() != 3 || !number(words[1], n)) return false;
            if (n == me) hand.erase(std::remove(hand.begin(), hand.end(), words[2]), hand.end());
            if (!on_table) led = words[2].back();
            if (++on_table >= seats) on_table = 0;
        }
        for (const char* news : {"set_game", "set_cards", "declare", "play"})
            if (command == news) return true;
        return !result.empty();
    }
};

class Bot {
public:
    // budget: milliseconds to plan for, whatever the referee tells; 0: what it tells first.
    explicit Bot(std::string_view seed, int budget = 0) : seed_(seed), handicap_(budget) {}

    bool over() const { return over_; }

    // The reply to one command; a blank line has none.
    std::string answer(const std::string& line) {
        std::istringstream stream(line);
        const Words words{std::istream_iterator<std::string>(stream), {}};
        if (words.empty()) return "";
        std::string result;
        if (!obey(words, result)) return "? cannot do " + words[0].substr(0, 40) + "\n\n";
        return (result.empty() ? "=" : "= " + result) + "\n\n";
    }

private:
    bool obey(const Words& words, std::string& result) {
        const std::string& command = words[0];
        if (command == "time_left") {
            if (words.size() != 2 || !number(words[1], time_left_)) return false;
            if (!budget_) search_.set_budget(budget_ = handicap_ ? handicap_ : time_left_ + 1);
            return true;
        }
        if (command == "quit") over_ = words.size() == 1;
        if (command == "set_deck") {
            thumbs_ = words.size() == 3 && words[1].size() * words[2].size() > MOST_CARDS;
            return thumbs_ || table_.set_deck(words);
        }
        if (command == "quit" || thumbs_) return over_ || thumb_.obey(words, result);
        if (command == "play") return table_.play(words);
        if (command == "declare") return table_.declare(words);
        if (command == "gen_move") {
            if (words.size() != 1 || !table_.now.tricks || table_.now.turn != 0) return false;
            result = table_.deck.names[static_cast<size_t>(number_of(search_.move(time_left_)))];
            return true;
        }
        if (command == "gen_declare") {
            if (words.size() != 1 || table_.deal < 0 || table_.told) return false;
            result = std::to_string(search_.declare(time_left_));
            return true;
        }
        if (command == "set_cards") {
            if (!table_.set_cards(words)) return false;
            // Luck depends on the seed, the deal and the cards alone: a deal met again is met with the same luck.
            std::string text = seed_ + '|' + std::to_string(table_.deal) + '|' + std::to_string(table_.dealt);
            search_.begin_deal(Luck(text));
            return true;
        }
        if (command == "set_players") return table_.set_players(words);
        budget_ = command == "set_game" ? 0 : budget_;
        return command == "set_game" && table_.set_game(words);
    }

    const std::string seed_;
    const int handicap_;
    Table table_;
    Search search_{table_};
    Thumb thumb_;
    bool thumbs_ = false;  // the deck is too large for the search
    int time_left_ = 10000, budget_ = 0;  // milliseconds; budget: what was told first in the match
    bool over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    std::string seed = "1";
    int budget = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--seed" && i + 1 < argc) {
            seed = argv[++i];
        } else if (option != "--budget-ms" || i + 1 == argc || !number(argv[++i], budget)) {
            (option == "--help" ? std::cout : std::cerr)
                << "usage: planning_search [--seed N] [--budget-ms N]\n"
                   "Plays Planning by search. N: seed of every choice (default 1); milliseconds that a match may take,\n"
                   "in place of what the referee tells first.\n";
            return option == "--help" ? 0 : 2;
        }
    }
    std::ios::sync_with_stdio(false);
    Bot bot(seed, budget);
    for (std::string line; !bot.over() && std::getline(std::cin, line);)
        std::cout << bot.answer(line) << std::flush;  // each reply is on its way before the next command is read
}
