// A bot that deals the unseen cards into many worlds, weighs each by how well it explains what everybody declared, and
// tries each choice in all of them while the players look one card ahead. It declares and plays for its chances to
// end the match with more points than each of the others, not for tricks.
//
// C++17, one file, no exceptions. A card is a bit and a hand a set of bits: plain cards by value, the suits side by
// side, all trumps above them, so that a set's lowest bit is the card that one gives away most lightly. Players are
// counted from the bot: 0 is the bot itself, 1 the next clockwise.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <initializer_list>
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
int number_of(Set cards) { return 63 - __builtin_clzll(cards); }  // of the strongest card
Set highest(Set cards) { return Set{1} << number_of(cards); }
int count(Set cards) { return __builtin_popcountll(cards); }

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

// Random numbers from a text: FNV-1a makes the state, splitmix64 goes on from there.
struct Luck {
    uint64_t state = 14695981039346656037u;

    explicit Luck(std::string_view text = "") {
        for (char c : text) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
    uint64_t next() {
        uint64_t z = (state += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    int below(int bound) { return static_cast<int>((next() >> 32) * static_cast<uint64_t>(bound) >> 32); }
    template <class Item>
    void shuffle(std::vector<Item>& items) {
        for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(static_cast<int>(i))]);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double normal() { return 2 * (unit() + unit() + unit() - 1.5); }  // nearly so: mean 0, deviation 1
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
        all = ~Set{0} >> (MOST_CARDS - cards);
        for (size_t i = cards; i-- > 0;) {
            suit[i] = 0;
            for (size_t j = 0; j < cards; ++j) suit[i] |= Set{names[j][1] == names[i][1]} << j;
            above[i] = (suit[i] & (~Set{0} << i << 1)) | (suit[i] == suit[cards - 1] ? 0 : suit[cards - 1]);
        }
        return true;
    }
    // The card's bit, or 0.
    Set card(std::string_view name) const {
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? 0 : Set{1} << (found - names.begin());
    }
};

// Found by play against other bots.
constexpr double WORK = 260e3;           // for each millisecond a match may take, in the unit of worlds_for()
constexpr double MOST_WORLDS = 3000;     // for a decision
constexpr int POOL = 4;                  // worlds dealt for each world chosen
constexpr double LOW = 0.75;             // what is declared on average, as a part of the fair share
constexpr double SLOPE = 1.5;            // declared for each trick of worth above the fair share
constexpr double SPREAD = 0.2;           // deviation of declarations,
constexpr double SPREAD_PER_CARD = 0.075;  // and what each card of the deal adds to it
constexpr double DOUBT = 0.02;           // that a declaration had no reason at all
constexpr double SPARE = 0.5;            // tricks that a hand may promise above what is wanted
constexpr double NOISE = 0.7;            // variance of the margin of two players in a deal, by its cards squared

constexpr std::array<double, MOST_CARDS> NO_WORTH{};  // while the worth of cards is not known

// A deal under way, with all hands open.
struct Play {
    std::array<Set, MOST_SEATS> hand{};
    std::array<int, MOST_SEATS> taken{}, need{};  // tricks; still wanted, below 0 when a player has too many
    std::array<double, MOST_SEATS> promise{};  // tricks that each hand should take, by the worth of its cards
    const double* worth = NO_WORTH.data();     // by card
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
        promise[turn] -= worth[i];
        if (!led || card & deck.above[top]) {
            top = i;
            taker = turn;
        }
        if (!led) waiting = seats;
        if (!led) led = deck.suit[i];
        if (++turn == seats) turn = 0;
        if (--waiting == 0) {
            --need[taker];
            ++taken[taker];
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
    int points(int player, int size) const { return taken[player] + (need[player] ? 0 : size); }
};

// What the bot knows of a match: the referee's news, checked.
struct Table {
    Deck deck;
    int seats = 0, me = 0;
    std::vector<std::pair<int, int>> deals;  // cards and starting seat of each
    int deal = -1, size = 0;                 // number of the deal, its cards
    std::array<int, MOST_SEATS> points{};    // of the deals that are over; by player, 0 is the bot, like all below
    std::array<Set, MOST_SEATS> played{}, barred{};  // this deal's cards; cards a player has shown not to hold
    Set dealt = 0, seen = 0;                         // the bot's own cards of the deal; those and all that were played
    Play now;                                        // of the hands only the bot's own is known

    bool set_deck(const Words& words) {
        deals.clear();
        deal = -1;
        return words.size() == 3 && deck.set(words[1], words[2]);
    }
    bool set_players(const Words& words) {
        int n = 0, seat = 0;
        if (!numbers(words, {&n, &seat}) || n < 2 || n > MOST_SEATS || seat >= n) return false;
        seats = n;
        me = seat;
        deals.clear();
        deal = -1;
        return true;
    }
    bool set_game(const Words& words) {
        std::vector<std::pair<int, int>> programme;
        for (size_t i = 2; i + 1 < words.size(); i += 2) {
            int cards = 0, seat = 0;
            if (!numbers({"", words[i], words[i + 1]}, {&cards, &seat}) || seat >= seats) return false;
            if (cards > MOST_CARDS || cards * seats > static_cast<int>(deck.names.size())) return false;
            programme.emplace_back(cards, seat);
        }
        if (words.size() != 2 * programme.size() + 2) return false;
        deals = programme;
        deal = -1;
        points = {};
        return true;
    }
    bool set_cards(const Words& words) {
        if (deal + 1 >= static_cast<int>(deals.size())) return false;
        const auto [cards, starter] = deals[deal + 1];
        Set hand = 0;
        for (size_t i = 2; i < words.size(); ++i) hand |= deck.card(words[i]);
        if (static_cast<int>(words.size()) != cards + 2 || count(hand) != cards) return false;
        ++deal;
        played = barred = {};
        now = Play{};
        now.hand[0] = dealt = seen = hand;
        now.seats = seats;
        now.tricks = size = cards;
        now.turn = (starter - me + seats) % seats;
        return true;
    }
    bool declare(const Words& words) {
        int seat = 0, tricks = 0;
        if (!numbers(words, {&seat, &tricks}) || deal < 0 || seat >= seats || tricks > size) return false;
        const int player = (seat - me + seats) % seats;
        now.need[player] = tricks - now.taken[player];
        return true;
    }
    bool play(const Words& words) {
        int seat = 0;
        if (words.size() != 3 || !numbers({"", words[1]}, {&seat}) || seat >= seats || !now.tricks) return false;
        const int player = (seat - me + seats) % seats;
        const Set card = deck.card(words[2]) & (player ? ~seen : now.legal());
        if (player != now.turn || !card) return false;
        if (player && now.led && !(card & now.led)) barred[player] |= now.led;
        seen |= card;
        played[player] |= card;
        if (player) now.hand[player] |= card;  // which play() then takes away
        now.play(deck, card);
        for (int i = 0; i < seats && !now.tricks; ++i) points[i] += now.points(i, size);
        return true;
    }
};

// Deals the unseen cards to the players who may hold them; the rest, place 0, was not dealt.
struct Dealer {
    Dealer(const Table& table, Luck& luck) : table_(table), luck_(luck) {
        const Play& now = table.now;
        for (Set rest = table.deck.all & ~table.seen; rest; rest &= rest - 1) cards_.push_back(lowest(rest));
        for (int i = 1; i < table.seats; ++i) {
            const int turn = (i - now.turn + table.seats) % table.seats;
            places_.insert(places_.end(), now.tricks - (now.led && turn >= now.waiting), i);
        }
        places_.resize(cards_.size(), 0);
    }

    Play deal() {
        luck_.shuffle(cards_);
        // A card that its player cannot hold changes places with others until it fits: a few times, never for ever.
        const int all = static_cast<int>(cards_.size());
        for (int tries = 0, wrong = 0; wrong < all; ++wrong)
            for (; barred(wrong, wrong) && tries < 1000; ++tries) {
                const int other = luck_.below(all);
                if (barred(wrong, other) || (barred(other, wrong) && tries % 8)) continue;
                std::swap(cards_[wrong], cards_[other]);
            }
        Play play = table_.now;
        for (int i = 0; i < all; ++i) play.hand[places_[i]] |= places_[i] ? cards_[i] : 0;
        return play;
    }

    // Can the card with this number not be where that one is?
    bool barred(int card, int place) const { return table_.barred[places_[place]] & cards_[card]; }

    const Table& table_;
    Luck& luck_;
    std::vector<Set> cards_;
    std::vector<int> places_;  // of each card
};

// Decides: what to declare, which card to play.
class Search {
public:
    explicit Search(const Table& table) : table_(table), deck_(table.deck) {}

    // Before a match: how much work it may take follows from the time first told, so that the seed decides the play.
    // In steps of 10 %, as what the greetings took is missing from it and is never the same.
    void set_budget(int milliseconds) { budget_ = std::exp(std::round(std::log(milliseconds) * 10) / 10); }

    void begin_deal(const Luck& luck) {
        luck_ = luck;
        learn_worth();
        double later = 1;
        for (size_t i = table_.deal + 1; i < table_.deals.size(); ++i)
            later += NOISE * table_.deals[i].first * table_.deals[i].first;
        // The chance to end the match above another player, by the margin gained in this deal.
        for (int i = 0; i < table_.seats; ++i)
            for (int gain = -2 * table_.size; gain <= 2 * table_.size; ++gain) {
                const double margin = table_.points[0] - table_.points[i] + gain;
                chance_[i][gain + 2 * table_.size] = 1 / (1 + std::exp(-1.7 * margin / std::sqrt(later)));
            }
    }

    int declare(int time_left) {
        const int size = table_.size;
        if (!size) return 0;
        start_clock(time_left);
        Dealer dealer(table_, luck_);
        std::vector<Play> worlds;
        for (int left = worlds_for(size); left && !late(); --left) {
            Play world = opened(dealer.deal());
            for (int i = 1; i < table_.seats; ++i) {
                const double likely = habit(world.hand[i]) + spread() * luck_.normal();
                world.need[i] = std::clamp(static_cast<int>(std::lround(likely)), 0, size);
            }
            worlds.push_back(world);
        }
        const int likely = std::min(size, static_cast<int>(std::lround(habit(table_.dealt))));
        return best(worlds, false, size + 1, likely, [](Play& play, int tricks) { play.need[0] = tricks; });
    }

    Set move(int time_left) {
        const Set simple = table_.now.choose(deck_);
        Set rest = table_.now.legal() & ~simple & ~twins(table_.now.legal(), deck_.all & ~table_.seen, table_.now);
        std::vector<Set> options{simple};
        for (; rest; rest &= rest - 1) options.push_back(lowest(rest));
        if (options.size() == 1) return simple;
        start_clock(time_left);
        return options[best(likely_worlds(worlds_for(table_.now.tricks)), true, static_cast<int>(options.size()), 0,
                            [&](Play& play, int option) { play.play(deck_, options[option]); })];
    }

private:
    // The number of the option with the highest value in all worlds; `otherwise` if there is no time for one world.
    template <class Begin>
    int best(const std::vector<Play>& worlds, bool all, int options, int otherwise, Begin begin) const {
        std::vector<double> total(options);
        bool known = false;
        for (const Play& world : worlds) {
            std::vector<double> values;
            for (int k = 0; k < options && !late(); ++k) {
                Play play = world;
                begin(play, k);
                look_ahead(play, all);
                values.push_back(value(play, 0));
            }
            if (static_cast<int>(values.size()) < options) break;  // a world counts for all options or for none
            for (int k = 0; k < options; ++k) total[k] += values[k];
            known = true;
        }
        return known ? static_cast<int>(std::max_element(total.begin(), total.end()) - total.begin()) : otherwise;
    }

    // Plays to the end: all, or the bot alone, try each card with simple players after it, and play what is best.
    void look_ahead(Play& play, bool all) const {
        while (play.tricks) {
            const auto result = [&](Set card) {
                Play next = play;
                next.play(deck_, card);
                next.finish(deck_);
                return value(next, play.turn);
            };
            Set best = play.choose(deck_), others = 0;
            for (int i = 0; i < play.seats; ++i) others |= i == play.turn ? 0 : play.hand[i];
            Set rest = all || !play.turn ? play.legal() & ~best & ~twins(play.legal(), others, play) : 0;
            for (double most = rest ? result(best) : 0; rest; rest &= rest - 1) {
                const double now = result(lowest(rest));
                if (now <= most) continue;
                most = now;
                best = lowest(rest);
            }
            play.play(deck_, best);
        }
    }

    // Cards of a hand that nothing others hold, or that lies on the table, can tell from a lower one of the hand.
    Set twins(Set own, Set others, const Play& play) const {
        if (play.led) others |= Set{1} << play.top;
        Set found = 0;
        for (Set rest = own & (own - 1), card; (card = lowest(rest)); rest ^= card) {
            const Set suit = deck_.suit[number_of(card)], lower = own & suit & (card - 1);
            if (lower && !(suit & others & (card - highest(lower)))) found |= card;
        }
        return found;
    }

    // What a player makes of the end of a deal: the bot its chances to end the match above each of the others, summed,
    // the others their points above the mean of the rest.
    double value(const Play& over, int player) const {
        double sum = 0;
        for (int i = 0; i < over.seats; ++i) {
            const int ahead = over.points(player, table_.size) - over.points(i, table_.size);
            sum += player ? ahead : chance_[i][ahead + 2 * table_.size];
        }
        return sum;
    }

    // Worth of a card: how often it takes a trick when random deals of this size are played out.
    void learn_worth() {
        std::array<int, MOST_CARDS> dealt{}, won{};
        std::vector<Set> cards;
        for (Set rest = deck_.all; rest; rest &= rest - 1) cards.push_back(lowest(rest));
        for (int round = 0; round < 400; ++round) {
            Play play;
            play.seats = table_.seats;
            play.tricks = table_.size;
            luck_.shuffle(cards);
            play.need.fill(play.tricks);
            for (int k = 0; k < table_.seats * table_.size; ++k) {
                play.hand[k % table_.seats] |= cards[k];
                ++dealt[number_of(cards[k])];
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

    Play opened(Play play) const {
        play.worth = worth_.data();
        for (int i = 0; i < play.seats; ++i) play.promise[i] = expected(play.hand[i]);
        return play;
    }

    // Worlds, most of them such that the players would have declared what they did.
    std::vector<Play> likely_worlds(int worlds) {
        Dealer dealer(table_, luck_);
        std::vector<Play> pool, chosen;
        std::vector<double> sums;  // of the weights so far
        for (int w = 0; w < worlds * POOL && !late(); ++w) {
            pool.push_back(opened(dealer.deal()));
            double weight = 1;
            for (int i = 1; i < table_.seats; ++i) {
                const int declared = table_.now.taken[i] + table_.now.need[i];
                const double off = (declared - habit(pool.back().hand[i] | table_.played[i])) / spread();
                weight *= DOUBT + std::exp(-off * off / 2);
            }
            sums.push_back(weight + (sums.empty() ? 0 : sums.back()));
        }
        for (int w = 0; w < worlds && !pool.empty(); ++w) {
            const auto drawn = std::upper_bound(sums.begin(), sums.end() - 1, luck_.unit() * sums.back());
            chosen.push_back(pool[drawn - sums.begin()]);
        }
        return chosen;
    }

    // The work that is shared out: a world costs about the fourth power of the tricks to come, and the last tricks
    // get more worlds.
    static double work(double tricks) { return tricks * tricks * tricks; }
    // A whole deal: the declaration, and each trick.
    static double whole(double cards) { return work(cards) + cards * cards * (cards + 1) * (cards + 1) / 4; }
    double work_from(size_t deal) const {
        double sum = 0;
        for (; deal < table_.deals.size(); ++deal) sum += whole(table_.deals[deal].first);
        return sum;
    }
    int worlds_for(double tricks) const {
        const double share = WORK * budget_ * work(tricks) / work_from(0);
        return static_cast<int>(std::clamp(share / std::pow(tricks * tricks * table_.seats, 2), 8.0, MOST_WORLDS));
    }

    // The clock is only there for a slow machine: a decision ends at its share of 60 % of the time left.
    void start_clock(int time_left) {
        const double share = work(table_.now.tricks) / (whole(table_.now.tricks) + work_from(table_.deal + 1));
        deadline_ = Clock::now() + std::chrono::microseconds(std::llround(600 * share * std::max(0, time_left - 20)));
    }
    bool late() const { return Clock::now() >= deadline_; }

    using Clock = std::chrono::steady_clock;
    Clock::time_point deadline_;
    const Table& table_;
    const Deck& deck_;
    Luck luck_;
    double budget_ = 10000;
    std::array<double, MOST_CARDS> worth_{};
    std::array<std::array<double, 4 * MOST_CARDS + 1>, MOST_SEATS> chance_{};
};

// Plays decks that have no room in a Set: it declares no trick and plays the first legal card of its hand.
struct Thumb {
    Words hand;
    int seats = 1, me = 0, on_table = 0;
    char led = 0;

    bool obey(const Words& words, std::string& result) {
        const std::string& command = words[0];
        if (command == "set_players") return numbers(words, {&seats, &me}) && seats > 0;
        if (command == "set_cards" && words.size() > 1) {
            hand.assign(words.begin() + 2, words.end());
            on_table = 0;
        } else if (command == "play" && words.size() == 3) {
            if (words[1] == std::to_string(me)) hand.erase(std::remove(hand.begin(), hand.end(), words[2]), hand.end());
            if (!on_table) led = words[2].back();
            if (++on_table >= seats) on_table = 0;
        } else if (command == "gen_move" && !hand.empty()) {
            const auto follows = [&](const std::string& card) { return on_table && card.back() == led; };
            const auto card = std::find_if(hand.begin(), hand.end(), follows);
            result = card == hand.end() ? hand[0] : *card;
        } else {
            if (command == "gen_declare") result = "0";
            return command == "gen_declare" || command == "set_game" || command == "declare";
        }
        return true;
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
        const bool asked = words.size() == 1 && table_.deal >= 0;
        told_ = told_ && command != "set_game";
        if (command == "quit") return over_ = words.size() == 1;
        if (command == "set_deck") {
            thumbs_ = words.size() == 3 && words[1].size() * words[2].size() > MOST_CARDS;
            return thumbs_ || table_.set_deck(words);
        }
        if (command == "time_left") {
            if (!numbers(words, {&time_left_})) return false;
            if (!told_) search_.set_budget(handicap_ ? handicap_ : time_left_ + 1);
            return told_ = true;
        }
        if (thumbs_) return thumb_.obey(words, result);
        if (command == "set_players") return table_.set_players(words);
        if (command == "declare") return table_.declare(words);
        if (command == "play") return table_.play(words);
        if (command == "set_game") return table_.set_game(words);
        if (command == "set_cards" && table_.set_cards(words)) {
            // Luck depends on the seed, the deal and the cards alone: a deal met again is met with the same luck.
            search_.begin_deal(Luck(seed_ + '|' + std::to_string(table_.deal) + '|' + std::to_string(table_.dealt)));
            return true;
        }
        if (command == "gen_move" && asked && table_.now.tricks && !table_.now.turn)
            result = table_.deck.names[number_of(search_.move(time_left_))];
        if (command == "gen_declare" && asked && table_.dealt == table_.seen)
            result = std::to_string(search_.declare(time_left_));
        return !result.empty();
    }

    const std::string seed_;
    const int handicap_;
    Table table_;
    Search search_{table_};
    Thumb thumb_;
    bool thumbs_ = false;  // the deck is too large for the search
    int time_left_ = 10000;  // milliseconds
    bool told_ = false, over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    std::string seed = "1";
    int budget = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--seed" && i + 1 < argc) {
            seed = argv[++i];
        } else if (option != "--budget-ms" || i + 1 == argc || !numbers({option, argv[++i]}, {&budget})) {
            (option == "--help" ? std::cout : std::cerr)
                << "usage: planning_search [--seed N] [--budget-ms N]\nPlays Planning by search. --seed N: of every "
                   "choice, default 1; --budget-ms N: time to plan for, not what the referee tells first.\n";
            return option == "--help" ? 0 : 2;
        }
    }
    std::ios::sync_with_stdio(false);
    Bot bot(seed, budget);
    for (std::string line; !bot.over() && std::getline(std::cin, line);)
        std::cout << bot.answer(line) << std::flush;  // each reply is on its way before the next command is read
}
