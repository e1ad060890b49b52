// What `gen_values` of dou_dizhu_search.cpp answers: what each play would be worth. A part of that program, which
// includes it where all else but the Bot is known.

inline void seed(std::mt19937_64& luck, const std::string& text) {
    std::seed_seq numbers(text.begin(), text.end());
    luck.seed(numbers);
}

// How often a play was followed by each end of the deal: [won by my side][bombs to come, the last: as many or more].
constexpr int STAKES = 5;
using Ends = std::array<std::array<double, STAKES>, 2>;

class Values {
public:
    // A match begins.
    void begin(const std::string& text) {
        seed(luck_, text + "|values");
        points_ = {};
    }

    // `end_deal p0 p1 p2`.
    void end_deal(const Words& words) {
        const int most = 1 << 20;  // that are believed
        for (size_t i = 1; i < words.size() && i < 4; ++i)
            points_[i - 1] += std::clamp(std::atoi(words[i].c_str()), -most, most);
    }

    // The answer, where the deals after this have these landlords.
    std::string say(View& view, int playouts, double until, const std::vector<int>& landlords) {
        std::swap(view.luck, luck_);  // whoever asks for values changes no play
        const std::vector<Tried> tried = try_all(view, playouts, until);
        std::swap(view.luck, luck_);
        const Ends paid = stakes(view), share = shares(view, landlords);
        std::string text;
        for (const Tried& one : tried) {
            double value = 0, win = 0;
            const Ends chance = chances(view, one);
            for (int won = 0; won < 2; ++won)
                for (int bombs = 0; bombs < STAKES; ++bombs) {
                    value += chance[won][bombs] * paid[won][bombs];
                    win += chance[won][bombs] * share[won][bombs];
                }
            char numbers[64];
            std::snprintf(numbers, sizeof numbers, ":%.3f:%.4f", value, std::clamp(win, 0.0, 1.0));
            text += (text.empty() ? "" : " ") + name_of(one.play.cards) + numbers;
        }
        return text;
    }

private:
    static constexpr size_t MOST_VALUED = 200;
    static constexpr int LEAST_WORLDS = 4;
    static constexpr double PRIOR = 0.5;  // wins and losses that each play begins with
    // Play-outs are played worse than what they stand for, so the landlord wins too many of them. By role, landlord,
    // the peasant after it, the one before it: logit(p) = SHIFT + FEW * (fewest cards of a hand - 9) / 10 + SLOPE *
    // logit(p of the play-outs). Fitted by logistic regression to the best plays of 400 matches of three searches told
    // 600 ms.
    static constexpr double SHIFT[] = {-1.35, -0.26, -0.24}, FEW[] = {0.54, 0.20, 0.19}, SLOPE[] = {0.79, 0.52, 0.59};
    // In those matches: how often the landlord won, and the number of bombs where they double the points.
    static constexpr double LANDLORD = 0.42, BOMBS[STAKES] = {0.65, 0.29, 0.05, 0.01, 0};

    struct Tried { Play play; Ends ends{}; double worth = 0; };

    std::mt19937_64 luck_;
    std::array<int, 3> points_{};  // of the deals before this

    // Every play in the same worlds: all in the first half, the best third in the second.
    static std::vector<Tried> try_all(View& view, int playouts, double until) {
        std::vector<Tried> tried;
        for (const View::Option& option : view.candidates(MOST_VALUED)) tried.push_back({option.play});
        view.begin_walk(std::min(playouts, View::WARM_UP));
        size_t alive = tried.size();
        for (int part = 0; part < 2; ++part) {
            const int wanted = std::max(part ? 0 : LEAST_WORLDS, playouts / 2 / std::max(6, static_cast<int>(alive)));
            bool first = !part;  // without a clock: no play is without a world
            for (const World& world : view.worlds(wanted)) {
                if (!first && cpu_seconds() > until) break;
                first = false;
                for (size_t i = 0; i < alive; ++i) {
                    const End end = view.outcome(tried[i].play, world);
                    tried[i].ends[end.won > 0][std::min(end.bombs, STAKES - 1)] += 1;
                    tried[i].worth += view.worth(end);
                }
            }
            std::stable_sort(tried.begin(), tried.begin() + alive,
                             [](const Tried& a, const Tried& b) { return a.worth > b.worth; });
            alive = std::max<size_t>(std::min<size_t>(alive, 3), alive / 3);
        }
        return tried;
    }

    // The chances of the ends after a play.
    static Ends chances(const View& view, const Tried& one) {
        const int role = (view.me - view.table.landlord + 3) % 3;
        std::array<double, 2> sum{};
        for (int won = 0; won < 2; ++won) sum[won] = std::accumulate(one.ends[won].begin(), one.ends[won].end(), 0.0);
        const double odds = std::log((sum[1] + PRIOR) / (sum[0] + PRIOR));
        const double few = (*std::min_element(view.table.left, view.table.left + 3) - 9) / 10.0;
        double p = 1 / (1 + std::exp(-SHIFT[role] - FEW[role] * few - SLOPE[role] * odds));
        if (one.play.cards == view.table.hand[view.me]) p = 1;  // out
        Ends chance{};
        for (int won = 0; won < 2; ++won)
            for (int bombs = 0; bombs < STAKES; ++bombs) {
                const double part = sum[won] ? one.ends[won][bombs] / sum[won] : bombs == 0;
                chance[won][bombs] = (won ? p : 1 - p) * part;
            }
        return chance;
    }

    // My points for each end.
    static Ends stakes(const View& view) {
        Ends paid{};
        for (int bombs = 0; bombs < STAKES; ++bombs) {
            paid[1][bombs] = view.doubled ? std::ldexp(1.0, view.table.bombs + bombs) : 1;
            paid[0][bombs] = -paid[1][bombs];
        }
        return paid;
    }

    // My share of the first place of the match after each end: of all ways the later deals may go, or of many.
    Ends shares(const View& view, const std::vector<int>& landlords) const {
        struct Way { std::array<int, 3> points; double chance; };
        std::vector<Way> ways{{points_, 1}};
        std::mt19937 luck(1);
        const int stakes_of = view.doubled ? STAKES : 1;
        const auto add = [](std::array<int, 3> sum, int landlord, bool won, int stake) {
            for (int seat = 0; seat < 3; ++seat) sum[seat] += (seat == landlord) == won ? stake : -stake;
            return sum;
        };
        for (const int landlord : landlords) {
            std::vector<Way> next;
            if (ways.size() * 2 * stakes_of > MOST_WAYS) {
                while (ways.size() * 2 <= MOST_WAYS) ways.insert(ways.end(), ways.begin(), ways.end());
                for (Way& way : ways) {
                    double lot = luck() / 4294967296.0;
                    const bool won = luck() / 4294967296.0 < LANDLORD;
                    int bombs = 0;
                    while (view.doubled && bombs < STAKES - 1 && lot >= BOMBS[bombs]) lot -= BOMBS[bombs++];
                    way.points = add(way.points, landlord, won, 1 << bombs);
                }
                continue;
            }
            for (const Way& way : ways)
                for (int won = 0; won < 2; ++won)
                    for (int bombs = 0; bombs < stakes_of; ++bombs)
                        next.push_back({add(way.points, landlord, won, 1 << bombs),
                                        way.chance * (won ? LANDLORD : 1 - LANDLORD) *
                                            (view.doubled ? BOMBS[bombs] : 1)});
            ways = next;
        }
        Ends share{};
        const bool alone = view.me == view.table.landlord;
        double all = 0;
        for (const Way& way : ways) all += way.chance;
        for (int won = 0; won < 2; ++won)
            for (int bombs = 0; bombs < STAKES; ++bombs) {
                const int stake = view.doubled ? 1 << std::min(20, view.table.bombs + bombs) : 1;
                for (const Way& way : ways) {
                    const auto sum = add(way.points, view.table.landlord, alone == bool(won), stake);
                    const int most = *std::max_element(sum.begin(), sum.end());
                    if (sum[view.me] == most)
                        share[won][bombs] += way.chance / all / std::count(sum.begin(), sum.end(), most);
                }
            }
        return share;
    }

    static constexpr size_t MOST_WAYS = 4096;
};
