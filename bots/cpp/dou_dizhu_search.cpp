// A bot that plays Dou Dizhu by search: it deals the cards that it does not see many times, the likelier deals by what
// was played the more often, and plays each promising combination out in the same deals. In the play-outs everybody
// divides his hand into the fewest turns, as dou_dizhu_fewest_turns.py does.
//
// The work of a decision follows from the time that the bot is first told in a match, so that a seed decides its play;
// the clock only ends a decision that takes more than its share of what is left. --budget-ms N replaces what it is
// told first: a weaker or stronger player. C++17, no exceptions.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

// A hand: four lanes of 16 bits, a bit for each rank, 3 to R. Bit r of lane k says that there are more than k cards of
// rank r. So "two in a row of at least three each" are a few shifts, and the number of cards is the number of ones.
using Hand = uint64_t;

constexpr std::string_view RANKS = "3456789TJQKA2BR";
constexpr int TWO = 12, BLACK = 13;  // B
constexpr unsigned JOKERS = 3u << BLACK, ROW = 0xFFF;  // the ranks that chains are made of

inline unsigned lane(Hand hand, int k) { return static_cast<unsigned>(hand >> 16 * k) & 0xFFFF; }
inline Hand every_lane(unsigned ranks) { return ranks * Hand{0x0001000100010001}; }
// Written out: without a flag for the processor the compiler's own is a call.
inline int ones(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return static_cast<int>(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}
inline int lowest(unsigned bits) { return __builtin_ctz(bits); }
inline int held_of(Hand hand, int rank) { return ones(hand & every_lane(1u << rank)); }
inline bool holds(Hand hand, Hand cards) { return !(cards & ~hand); }

// A hand without `copies` cards, 1 to 4, of each of the ranks.
inline Hand drop(Hand hand, unsigned ranks, int copies) {
    const Hand all = every_lane(ranks);
    return (hand & ~all) | (copies < 4 ? (hand >> 16 * copies) & all : 0);
}
inline Hand minus(Hand hand, Hand cards) {
    for (int k = 0; k < 4 && lane(cards, k); ++k) {
        const unsigned exactly = lane(cards, k) & ~(k < 3 ? lane(cards, k + 1) : 0);
        if (exactly) hand = drop(hand, exactly, k + 1);
    }
    return hand;
}
inline Hand with(Hand hand, int rank) {
    const Hand all = every_lane(1u << rank);
    return (hand & ~all) | (((hand << 16) | 0xFFFF) & all);
}
template <class Visit> void each_card(Hand hand, Visit visit) {
    for (unsigned ranks = lane(hand, 0); ranks; ranks &= ranks - 1)
        for (int n = held_of(hand, lowest(ranks)); n > 0; --n) visit(lowest(ranks));
}
inline Hand plus(Hand hand, Hand cards) {
    each_card(cards, [&](int rank) { hand = with(hand, rank); });
    return hand;
}

// `copies` of `row` ranks from `start` on.
inline Hand block(int copies, int start, int row) {
    const Hand ranks = ((1u << row) - 1) << start;
    Hand hand = 0;
    for (int k = 0; k < copies; ++k) hand |= ranks << 16 * k;
    return hand;
}

const Hand DECK = block(4, 0, 13) | JOKERS;
std::string name_of(Hand hand) {
    std::string word = hand ? "" : "pass";
    each_card(hand, [&](int rank) { word += RANKS[static_cast<size_t>(rank)]; });
    return word;
}

// A type of play: copies of each main rank, main ranks in a row, kickers, cards of each kicker.
struct Form { int copies, row, kickers, each; };

constexpr Form FORMS[] = {
    {1, 1, 0, 0}, {2, 1, 0, 0}, {3, 1, 0, 0}, {4, 1, 0, 0},
    {1, 5, 0, 0}, {1, 6, 0, 0}, {1, 7, 0, 0}, {1, 8, 0, 0}, {1, 9, 0, 0}, {1, 10, 0, 0}, {1, 11, 0, 0}, {1, 12, 0, 0},
    {2, 3, 0, 0}, {2, 4, 0, 0}, {2, 5, 0, 0}, {2, 6, 0, 0}, {2, 7, 0, 0}, {2, 8, 0, 0}, {2, 9, 0, 0}, {2, 10, 0, 0},
    {3, 2, 0, 0}, {3, 3, 0, 0}, {3, 4, 0, 0}, {3, 5, 0, 0}, {3, 6, 0, 0},
    {3, 1, 1, 1}, {3, 2, 2, 1}, {3, 3, 3, 1}, {3, 4, 4, 1}, {3, 5, 5, 1},
    {3, 1, 1, 2}, {3, 2, 2, 2}, {3, 3, 3, 2}, {3, 4, 4, 2}, {4, 1, 2, 1}, {4, 1, 2, 2},
};
constexpr int KINDS = sizeof FORMS / sizeof *FORMS, SINGLE = 0, BOMB = 3, ROCKET = BLACK, LEAD = -1;

struct Play {
    Hand cards = 0;                // 0: pass
    int8_t form = LEAD, main = 0;  // what it is, and its lowest main rank; the rocket is the highest bomb
};

// Whether `each` more cards of this rank may go along; `near` are the ranks that would make the chain longer.
inline bool may_join(Hand rest, Hand kickers, int rank, int each, unsigned near) {
    const int held = held_of(rest, rank), used = held_of(kickers, rank);
    if (each == 2) return held >= 2 && !used;
    if (rank >= BLACK && lane(kickers, 0) & JOKERS) return false;
    return used < std::min(held, near >> rank & 1 ? 2 : 3);
}
inline Hand join(Hand kickers, int rank, int each) { return with(each == 2 ? with(kickers, rank) : kickers, rank); }
inline unsigned beside(const Form& form, int start) {
    return form.row == 1 ? 0 : ((1u << start >> 1) | 1u << (start + form.row)) & ROW;
}

// The starts above `above` at which the hand has the main part.
inline unsigned starts_of(Hand hand, const Form& form, int above) {
    unsigned ranks = lane(hand, form.copies - 1);
    if (form.row > 1) ranks &= ROW;
    unsigned starts = ranks;
    for (int i = 1; i < form.row && starts; ++i) starts &= ranks >> i;
    return above < 0 ? starts : starts & ~((2u << above) - 1);
}

// Calls visit(form, start) for every main part that may be played on `best`; the rocket is (BOMB, ROCKET).
template <class Visit> void each_main(Hand hand, const Play& best, Visit visit) {
    const int size = ones(hand);
    for (int form = 0; form < KINDS; ++form) {
        if (best.form != LEAD && form != best.form && form != BOMB) continue;
        const Form& f = FORMS[form];
        if (!lane(hand, f.copies - 1) || f.copies * f.row + f.kickers * f.each > size) continue;
        unsigned starts = starts_of(hand, f, form == best.form ? best.main : -1);
        for (; starts; starts &= starts - 1) visit(form, lowest(starts));
    }
    if (holds(hand, JOKERS)) visit(BOMB, ROCKET);  // nobody has another to be beaten
}

inline Hand main_part(int form, int start) {
    return start == ROCKET && form == BOMB ? JOKERS : block(FORMS[form].copies, start, FORMS[form].row);
}

// Every choice of kickers from `rank` on, each once.
template <class Visit>
void each_kickers(Hand rest, unsigned near, Hand chosen, int wanted, int each, int rank, Visit& visit) {
    if (!wanted) return visit(chosen);
    for (; rank < 15; ++rank)
        if (may_join(rest, chosen, rank, each, near))
            each_kickers(rest, near, join(chosen, rank, each), wanted - 1, each, rank, visit);
}

// Everything that the rules allow but the pass.
std::vector<Play> all_plays(Hand hand, const Play& best) {
    std::vector<Play> plays;
    each_main(hand, best, [&](int form, int start) {
        const Form& f = FORMS[form];
        const Hand main = main_part(form, start), rest = hand & ~every_lane(lane(main, 0));  // kickers are of the rest
        auto visit = [&](Hand kickers) {
            plays.push_back({main | kickers, static_cast<int8_t>(form), static_cast<int8_t>(start)});
        };
        each_kickers(rest, beside(f, start), 0, f.kickers, f.each, 0, visit);
    });
    return plays;
}

// The play that these cards are; its form is LEAD if they are none.
Play play_of(Hand cards) {
    for (const Play& play : all_plays(cards, {}))
        if (play.cards == cards) return play;
    return {};
}

// What is known of `turns`, 1 MB: the lower 48 bits of a hash, whose upper 16 are the place, and above them the turns.
std::vector<uint64_t> known(1 << 16);

// How many turns it takes to play these cards if nobody interferes; `slots` is for kickers of chains of trios.
int turns(Hand hand, int slots = 0) {
    // The top bits of the lanes are free: the key of the table is the hand with the slots there.
    const uint64_t key = hand | Hand(slots & 1) << 15 | Hand(slots >> 1 & 1) << 31 | Hand(slots >> 2 & 1) << 47;
    const uint64_t hash = key * 0x9E3779B97F4A7C15u;  // no two keys have the same, as the factor is odd
    uint64_t& place = known[hash >> 48];
    if (place << 16 == hash << 16) return static_cast<int>(place >> 48);
    const int fours = ones(lane(hand, 3)), trios = ones(lane(hand, 2)) - fours;
    const bool rocket = holds(hand, JOKERS);
    const int others = ones(lane(hand, 0)) - trios - fours - 2 * rocket;
    int fewest = trios + fours + rocket + std::max(0, others - trios - slots);
    for (int copies = 1; copies <= 3; ++copies) {
        const int least = copies == 1 ? 5 : copies == 2 ? 3 : 2;
        const unsigned ranks = lane(hand, copies - 1) & ROW;
        unsigned starts = starts_of(hand, {copies, least, 0, 0}, -1);
        for (int row = least; starts; starts &= ranks >> row, ++row)
            for (unsigned left = starts; left; left &= left - 1) {
                const unsigned chain = ((1u << row) - 1) << lowest(left);
                const int more = std::min(7, slots + (copies == 3 ? row : 0));
                fewest = std::min(fewest, 1 + turns(drop(hand, chain, copies), more));
            }
    }
    place = (hash << 16 >> 16) | static_cast<uint64_t>(fewest) << 48;
    return fewest;
}

constexpr double STRONG = 0.5;  // what each 2, joker and bomb counts against the turns
constexpr double EARLY = 0.1;   // what each rank of a lead's smallest card costs: small cards must go in time

// The turns that a hand takes, less something for what wins the lead back.
inline double cost(Hand hand) {
    const int twos = held_of(hand, TWO);
    return turns(hand) - STRONG * ((twos & 3) + ones(lane(hand, 0) & JOKERS) + ones(lane(hand, 3)));
}

// A deal as it stands.
struct Table {
    Hand hand[3] = {0, 0, 0};
    int left[3] = {0, 0, 0};  // cards of each seat
    int landlord = 0, turn = 0, owner = 0, bombs = 0;
    Play best;  // the play to beat; of form LEAD when whoever has the turn leads

    bool enemies(int a, int b) const { return (a == landlord) != (b == landlord); }

    void play(const Play& play) {
        if (play.cards) {
            if (hand[turn]) hand[turn] = minus(hand[turn], play.cards);  // 0: hidden
            left[turn] -= ones(play.cards);
            best = play, owner = turn;
            bombs += play.form == BOMB;
        } else if ((turn + 1) % 3 == owner) {
            best = Play{};
        }
        turn = (turn + 1) % 3;
    }
};

// The ranks of a hand as kickers: what shortens it first, then cards without a like, then low ones, strong ones last.
struct Kickers {
    std::pair<double, int> ranks[15];
    int count = 0;

    explicit Kickers(Hand hand) {
        for (unsigned left = lane(hand, 0); left; left &= left - 1) {
            const int rank = lowest(left);
            const double price = cost(drop(hand, 1u << rank, 1));
            ranks[count++] = {1000 * (rank >= TWO) + 20 * price + held_of(hand, rank), rank};
        }
        std::sort(ranks, ranks + count);
    }

    // Adds the first that fit; false if there are too few.
    bool add_to(Play& play, Hand hand, const Form& form) const {
        const Hand rest = hand & ~every_lane(lane(play.cards, 0));
        const unsigned near = beside(form, play.main);
        Hand kickers = 0;
        int wanted = form.kickers;
        for (int i = 0; wanted && i < count; ++i)
            for (; wanted && may_join(rest, kickers, ranks[i].second, form.each, near); --wanted)
                kickers = join(kickers, ranks[i].second, form.each);
        play.cards |= kickers;
        return !wanted;
    }
};

constexpr int BLOCK = 4, BOMBED = 5;  // opponents with so few cards are blocked at any price, and bombed

// What the player of the play-outs does whose turn it is: it sees its own hand and what all see. It makes the play
// after which its hand is best, with one choice of kickers for each main part, and keeps bombs for the end.
Play usual_play(const Table& table) {
    const int me = table.turn, mate = (me + 1) % 3, landlord = table.landlord;
    const Hand hand = table.hand[me];
    const bool leads = table.best.form == LEAD, hostile = table.enemies(me, table.owner);
    const int fewest = me == landlord ? std::min(table.left[mate], table.left[(me + 2) % 3]) : table.left[landlord];
    Play plays[256], bomb;
    int count = 0;
    bool out = false;
    std::optional<Kickers> kickers;
    each_main(hand, table.best, [&](int form, int start) {
        Play play{main_part(form, start), static_cast<int8_t>(form), static_cast<int8_t>(start)};
        if (FORMS[form].kickers) {
            if (!kickers) kickers.emplace(hand);
            if (!kickers->add_to(play, hand, FORMS[form])) return;
        }
        if (out || play.cards == hand) plays[0] = out ? plays[0] : play, out = true;
        else if (form != BOMB && count < 256) plays[count++] = play;
        else if (form == BOMB && !bomb.cards) bomb = play;
    });
    if (out) return plays[0];
    // Lets its fellow peasant out.
    if (leads && me != landlord && mate != landlord && table.left[mate] == 1 && count && plays[0].form == SINGLE)
        return plays[0];
    const Play *chosen = nullptr, *highest = nullptr;
    double least = 0;
    for (const Play* play = plays; play != plays + count; ++play) {
        const int low = lowest(lane(play->cards, 0)), size = ones(play->cards);
        if (!highest || low > lowest(lane(highest->cards, 0))) highest = play;
        if (leads && fewest < 3 && size == fewest) continue;  // what an opponent with one or two cards waits for
        const double price = cost(minus(hand, play->cards)) + (leads ? EARLY * low - 0.001 * size : 0);
        if (!chosen || price < least) least = price, chosen = play;
    }
    if (leads) return chosen ? *chosen : highest ? *highest : bomb;
    // The landlord stands alone against two: it lets nothing pass.
    if (chosen && hostile && (me == landlord || fewest <= BLOCK || least <= cost(hand))) return *chosen;
    if (chosen && !hostile && least < cost(hand) && chosen->main < 8 && table.left[table.owner] > 4) return *chosen;
    if (bomb.cards && hostile && (fewest <= BOMBED || cost(minus(hand, bomb.cards)) <= 1)) return bomb;
    return {};
}

// What a player did, and the table before it as all see it.
struct Event { Table before; Play play; };
using World = std::array<Hand, 3>;
struct End { int won = 0, bombs = 0; };  // 1 for won, -1 for lost, 0 if it has no end; bombs from here on
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A deal as one seat sees it, and what to do in it.
struct View {
    Table table;  // with my hand alone
    int me = 0;
    bool doubled = false;        // each bomb doubles the points
    Hand unseen = 0, shown = 0;  // the others' cards; those of them that the landlord is known to have
    std::vector<Event> events;
    std::mt19937_64 luck;

    void start(int landlord, Hand cards) {
        table = Table{};
        table.landlord = table.turn = table.owner = landlord;
        for (int seat = 0; seat < 3; ++seat) table.left[seat] = seat == landlord ? 20 : 17;
        table.left[me] = ones(cards);
        table.hand[me] = cards;
        unseen = minus(DECK, cards), shown = 0, events.clear();
    }

    // Takes in what a player did; false if that cannot be.
    bool hear(int seat, const Play& play) {
        if (!holds(seat == me ? table.hand[me] : unseen, play.cards)) return false;
        table.turn = seat;
        events.push_back({table, play});
        if (seat != me) unseen = minus(unseen, play.cards);
        if (seat == table.landlord) shown = minus(shown, shown & play.cards);
        table.play(play);
        table.left[seat] = std::max(1, table.left[seat]);  // a given deal may be larger than we think
        return true;
    }

    // The best play on average over the same worlds for all. Half of the candidates go out after each part of the
    // play-outs; the clock, in CPU seconds, is only a safety net.
    Play choose(int playouts, double until) {
        std::vector<Option> options = candidates(MOST_OPTIONS);
        if (options[0].play.cards == table.hand[me]) return options[0].play;
        if (options.size() > 1) begin_walk(std::min(playouts, WARM_UP));
        int rounds = 1;
        while (1u << rounds < options.size()) ++rounds;
        while (options.size() > 1) {
            const int wanted = std::max(1, playouts / rounds / static_cast<int>(options.size()));
            for (const World& world : worlds(wanted)) {
                for (Option& option : options) option.worth += worth(outcome(option.play, world));
                if (cpu_seconds() > until) playouts = 0;
                if (!playouts) break;
            }
            sort(options);
            options.resize(playouts ? (options.size() + 1) / 2 : 1);
        }
        return options[0].play;
    }

    static constexpr size_t MOST_OPTIONS = 12;
    static constexpr int WARM_UP = 60, APART = 4;  // steps before the first deal, and from deal to deal
    // How much less likely a deal is for each thing that somebody would not have done with these cards.
    static constexpr double OTHER_PASS = 0.3, OTHER_PLAY = 0.4, OTHER_KICKERS = 0.8;
    World here{};  // where the walk of `worlds` stands, its hidden cards one by one, and its likelihood
    std::vector<int> loose;
    int cut = 0, end = 0;
    double odds = 1;

    struct Option { Play play; double worth; };

    // The best first.
    static void sort(std::vector<Option>& options) {
        std::stable_sort(options.begin(), options.end(), [](auto& a, auto& b) { return a.worth > b.worth; });
    }

    // What is worth a search, the most promising first: the choice of the play-outs leads.
    std::vector<Option> candidates(size_t most) const {
        const Hand hand = table.hand[me];
        const bool leads = table.best.form == LEAD;
        const Play usual = usual_play(table);
        std::vector<Option> options;
        if (!leads) options.push_back({{}, 50});
        for (const Play& play : all_plays(hand, table.best)) {
            const double late = leads ? EARLY * lowest(lane(play.cards, 0)) - 0.001 * ones(play.cards) : 0;
            options.push_back({play, -cost(minus(hand, play.cards)) - late});
        }
        for (Option& option : options)
            if (option.play.cards == usual.cards) option.worth = 100;
        sort(options);
        options.resize(std::min(options.size(), most));
        for (Option& option : options) option.worth = 0;
        return options;
    }

    // 0..count-1
    int below(int count) { return static_cast<int>((luck() >> 32) * static_cast<uint64_t>(count) >> 32); }

    // Any deal of the unseen cards, from which `worlds` walks on: the first `cut` of `loose` are the next player's.
    void begin_walk(int steps) {
        const size_t first = (me + 1) % 3, second = (me + 2) % 3;
        here = {}, here[me] = table.hand[me];
        here[table.landlord] |= shown;
        loose.clear();
        each_card(minus(unseen, shown), [&](int rank) { loose.push_back(rank); });
        const int count = static_cast<int>(loose.size());
        for (int i = count; i > 1; --i) std::swap(loose[below(i)], loose[i - 1]);
        cut = std::clamp(table.left[first] - ones(here[first]), 0, count);
        end = std::clamp(cut + table.left[second] - ones(here[second]), cut, count);
        for (int i = 0; i < end; ++i) here[i < cut ? first : second] = with(here[i < cut ? first : second], loose[i]);
        odds = likelihood(here, 0);
        worlds(steps / APART);
    }

    // Deals of the unseen cards, the likelier a deal by what was played the more often: a walk from deal to deal that
    // swaps two cards at a time (the Metropolis algorithm).
    std::vector<World> worlds(int wanted) {
        const size_t first = (me + 1) % 3, second = (me + 2) % 3;
        std::vector<World> chosen;
        for (int step = 1; step <= wanted * APART; ++step) {
            const int i = cut && cut < end ? below(cut) : 0, j = cut && cut < end ? cut + below(end - cut) : 0;
            if (i != j && loose[i] != loose[j]) {
                World other = here;
                other[first] = with(drop(other[first], 1u << loose[i], 1), loose[j]);
                other[second] = with(drop(other[second], 1u << loose[j], 1), loose[i]);
                const double enough = odds * below(1 << 24) / (1 << 24), now = likelihood(other, enough);
                if (now >= enough) odds = now, here = other, std::swap(loose[i], loose[j]);
            }
            if (step % APART == 0) chosen.push_back(here);
        }
        return chosen;
    }

    // How well what the others did fits these hands: each time against what the player of the play-outs would do.
    // Below `enough` it does not matter how much.
    double likelihood(World world, double enough) const {
        double weight = 1;
        for (size_t i = events.size(); i-- > 0 && weight >= enough;) {
            const Play& play = events[i].play;
            Table then = events[i].before;
            if (then.turn == me) continue;
            Hand& hand = world[then.turn];
            then.hand[then.turn] = hand = plus(hand, play.cards);
            const Play usual = usual_play(then);
            if (usual.cards == play.cards) continue;
            if (!usual.cards || !play.cards) weight *= OTHER_PASS;
            else weight *= usual.form == play.form && usual.main == play.main ? OTHER_KICKERS : OTHER_PLAY;
        }
        return weight;
    }

    double worth(const End& end) const { return doubled ? std::ldexp(end.won, end.bombs) : end.won; }

    // How the deal ends for my side when this is played in this world.
    End outcome(const Play& play, const World& world) const {
        Table now = table;
        std::copy(world.begin(), world.end(), now.hand);
        now.play(play);
        for (int steps = 0; steps < 300; ++steps) {  // in a given deal other cards than we think might go on for ever
            const int last = (now.turn + 2) % 3;
            if (!now.hand[last]) return {now.enemies(me, last) ? -1 : 1, now.bombs - table.bombs};
            now.play(usual_play(now));
        }
        return {};
    }
};

using Words = std::vector<std::string>;
// A whole number of at most nine digits and less than `end`; false if the word is none.
bool number(const std::string& word, int& value, int end = 1'000'000'000) {
    if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != word.npos) return false;
    value = std::stoi(word);
    return value < end;
}

// One to twenty cards by name; false if they are not of one deck.
bool cards_of(const std::string& word, Hand& hand) {
    hand = 0;
    for (char c : word) {
        const size_t rank = RANKS.find(c);
        if (rank == RANKS.npos) return false;
        const Hand before = hand;
        hand = with(hand, static_cast<int>(rank));
        if (hand == before || !holds(DECK, hand)) return false;
    }
    return hand && ones(hand) <= 20;
}

#include "dou_dizhu_values.h"  // what `gen_values` answers

class Bot {
public:
    Bot(std::string seed, int budget_ms) : seed_(std::move(seed)), fixed_ms_(budget_ms) {}

    // The reply to one command, without the empty line.
    std::string answer(const Words& words) {
        std::string result;
        if (!obey(words[0], words, result)) return "? cannot do " + words[0].substr(0, 40);
        return result.empty() ? "=" : "= " + result;
    }

private:
    bool obey(const std::string& command, const Words& words, std::string& result) {
        const size_t count = words.size();
        int n = 0, seat = 0;
        Hand cards = 0;
        if (command == "time_left") {
            if (count != 2 || !number(words[1], left_ms_)) return false;
            if (first_ms_ < 0) first_ms_ = left_ms_;
        } else if (command == "gen_move") {
            if (!view_.table.hand[view_.me]) return false;
            view_.table.turn = view_.me;
            result = name_of(view_.choose(playouts(), deadline()).cards);
        } else if (command == "gen_values") {
            if (!view_.table.hand[view_.me] || view_.table.turn != view_.me) return false;
            result = values_.say(view_, playouts(), deadline(), {landlords_.begin() + deal_ + 1, landlords_.end()});
        } else if (command == "play") {
            if (count != 3 || !number(words[1], seat, 3)) return false;
            if (words[2] == "pass") return view_.hear(seat, {});
            const Play play = cards_of(words[2], cards) ? play_of(cards) : Play{};
            return play.form != LEAD && view_.hear(seat, play);
        } else if (command == "set_cards") {
            if (count != 3 || !number(words[1], n) || !cards_of(words[2], cards) || ones(cards) != n) return false;
            if (deal_ + 1 >= static_cast<int>(landlords_.size())) return false;
            view_.start(landlords_[static_cast<size_t>(++deal_)], cards);
            // Luck depends on the seed, the deal and the cards alone: a deal met again is met with the same luck.
            seed(view_.luck, seed_ + '|' + std::to_string(deal_) + '|' + name_of(cards));
        } else if (command == "show_cards") {
            if (count != 3 || !cards_of(words[2], cards)) return false;
            if (view_.table.landlord != view_.me) view_.shown = cards & view_.unseen;
        } else if (command == "set_rules") {
            if (count < 2 || words[1] != "dou_dizhu") return false;
            view_.doubled = count > 3 && words[3] == "double";
        } else if (command == "set_players") {
            if (count != 3 || words[1] != "3" || !number(words[2], seat, 3)) return false;
            view_.me = seat;
        } else if (command == "set_game") {
            landlords_.clear();
            for (size_t i = 2; i < count && number(words[i], seat, 3); ++i) landlords_.push_back(seat);
            deal_ = first_ms_ = -1, values_.begin(seed_);
            return count > 2 && landlords_.size() == count - 2;
        } else if (command == "end_deal") {
            values_.end_deal(words);
            view_.table.turn = -1;  // nobody's
        } else {
            return command == "quit";
        }
        return true;
    }

    int told() const { return fixed_ms_ >= 0 ? fixed_ms_ : first_ms_ >= 0 ? first_ms_ : 10'000; }
    int playouts() const {
        // 0.6 a decision for each ms first told, in steps of 10 or 100 ms: it may be a moment less than the whole.
        const int step = told() < 1000 ? 10 : 100;
        return static_cast<int>(std::min(1e6, 0.6 * step * ((told() + step - 1) / step)));
    }
    double deadline() const {
        // Decisions ahead: some ten in each deal to come, and what this hand may take.
        const int ahead = 10 * (static_cast<int>(landlords_.size()) - deal_ - 1) + view_.table.left[view_.me] / 2 + 1;
        return cpu_seconds() + 0.6 * (first_ms_ >= 0 ? left_ms_ : told()) / 1000 * std::min(0.4, 5.0 / ahead);
    }

    const std::string seed_;
    const int fixed_ms_;  // -1: what is told counts
    int deal_ = -1, first_ms_ = -1, left_ms_ = 0;
    std::vector<int> landlords_{0};
    View view_;
    Values values_;
};

}  // namespace

#ifndef ARENA
int main(int argc, char** argv) {
    std::string seed = "1";
    int budget_ms = -1;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--seed" && i + 1 < argc) seed = argv[++i];
        else if (option == "--budget-ms" && i + 1 < argc && number(argv[i + 1], budget_ms)) ++i;
        else {
            std::fputs("usage: dou_dizhu_search [--seed N] [--budget-ms N]\n"
                       "Plays Dou Dizhu by search (default seed 1); --budget-ms: as if told so much time first.\n",
                       option == "--help" ? stdout : stderr);
            return option == "--help" ? 0 : 2;
        }
    }
    Bot bot(seed, budget_ms);
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream text(line);
        const Words words{std::istream_iterator<std::string>(text), {}};
        if (words.empty()) continue;  // blank lines are ignored: they get no reply
        std::cout << bot.answer(words) << "\n" << std::endl;
        if (words[0] == "quit") break;
    }
}
#endif
