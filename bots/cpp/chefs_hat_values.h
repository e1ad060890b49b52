// What a deal of chefs_hat_search.cpp is worth, and what `gen_values` answers: what each discard, gift and special
// action would be worth. A part of that program.

// The worth of each order of finishing to one seat: the share of rivals that it will be ahead of at the end of the
// match, level ones counting half. Deals to come, two at most, are played by equals but for their roles.
class Worth {
public:
    void set(int me, const BySeat<int>& totals, int deals_left) {
        BySeat<int> order{0, 1, 2, 3};
        do worth_[index(order)] = after(me, totals, order, std::min(deals_left, 2));
        while (std::next_permutation(order.begin(), order.end()));
    }
    double of(const BySeat<int>& order) const { return worth_[index(order)]; }
private:
    static size_t index(const BySeat<int>& order) {
        return static_cast<size_t>(order[0] << 4 | order[1] << 2 | order[2]);
    }
    static double after(int me, BySeat<int> totals, const BySeat<int>& order, int deals) {
        for (int place = 0; place < SEATS; ++place) totals[order[place]] += SEATS - 1 - place;
        double worth = 0;
        if (deals <= 0) {
            for (int seat = 0; seat < SEATS; ++seat)
                if (seat != me) worth += totals[me] > totals[seat] ? 1.0 : totals[me] == totals[seat] ? 0.5 : 0.0;
            return worth / (SEATS - 1);
        }
        BySeat<int> roles{0, 1, 2, 3};  // in the order in which they finish
        const double* chance = CHANCES.data();
        do {
            const BySeat<int> next{order[roles[0]], order[roles[1]], order[roles[2]], order[roles[3]]};
            worth += *chance++ * after(me, totals, next, deals - 1);
        } while (std::next_permutation(roles.begin(), roles.end()));
        return worth;
    }
    // How often quick players finish as Chef, Souschef, Waiter, Dishwasher, and so on as in a dictionary.
    static constexpr std::array<double, 24> CHANCES = {
        .0888, .0612, .0556, .0449, .0556, .0404, .0575, .0484, .0392, .0306, .0320, .0245,
        .0492, .0316, .0358, .0240, .0276, .0232, .0600, .0334, .0462, .0347, .0304, .0252};
    std::array<double, 64> worth_{};
};

// What the options of a decision are worth.
class Prospects {
public:
    // A deal begins; `deals` come after it at most, 0 with a goal of points.
    void begin(int me, const BySeat<int>& totals, int deals, int goal) {
        me_ = me, totals_ = totals, deals_ = deals, goal_ = goal, share_.fill(-1);
    }

    // A decision: its play-outs, how many seats have their places, the option that gives me the next one, if any, and
    // the fewest cards that anybody has.
    struct Decision { double playouts; int finished; size_t out; int fewest; };

    // All options in the same worlds, all in the first half of the play-outs, the best third in the second. next()
    // makes another world, order(option) plays an option in it, stop() ends it early.
    template <class Next, class Order, class Stop>
    std::string say(const std::vector<std::string>& names, const Decision& at, Next next, Order order, Stop stop) {
        std::vector<Tried> tried(names.size());
        for (size_t i = 0; i < names.size(); ++i) tried[i].option = i;
        size_t alive = tried.size();
        for (int part = 0; part < 2; ++part) {
            const int least = part ? 0 : 4, most = static_cast<int>(at.playouts / 2 / std::max(6.0, 1.0 * alive));
            for (int world = std::max(least, most); world > 0 && (!stop() || tried[0].worlds == 0); --world) {
                next();
                for (size_t i = 0; i < alive; ++i) tried[i].add(order(tried[i].option), *this);
            }
            std::stable_sort(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(alive),
                             [](const Tried& a, const Tried& b) { return a.points > b.points; });
            alive = std::max(std::min<size_t>(alive, 3), alive / 3);
        }
        std::string text;
        for (const Tried& one : tried) {
            Chances chance{};
            if (one.option == at.out) chance[at.finished] = 1;
            else chance = chances(one, at);
            double value = 0, win = 0;
            for (int place = at.finished; place < SEATS; ++place) {
                const double share = one.places[place] ? one.shares[place] / one.places[place] : unseen(place);
                value += chance[place] * (SEATS - 1 - place);
                win += chance[place] * share;
            }
            char numbers[64];
            std::snprintf(numbers, sizeof numbers, ":%.3f:%.4f", value, std::clamp(win, 0.0, 1.0));
            text += (text.empty() ? "" : " ") + names[one.option] + numbers;
        }
        return text;
    }

private:
    using Chances = std::array<double, SEATS>;  // by place

    struct Tried {
        size_t option = 0;
        double worlds = 0, points = 0;
        Chances places{}, shares{};  // how often I came there, and the sum of my shares of the match then

        void add(const BySeat<int>& order, Prospects& all) {
            const auto place = std::find(order.begin(), order.end(), all.me_) - order.begin();
            worlds += 1, points += static_cast<double>(SEATS - 1 - place);
            places[place] += 1, shares[place] += all.share(order);
        }
    };

    // The best option in play-outs of quick players is not so good among searches. By place, of it or a better one:
    // logit(p) = SHIFT + FEW * (fewest cards - 9) / 10 + SLOPE * logit(p of the play-outs). Fitted by logistic
    // regression to the best options of 149 matches of three deals between four searches told 600 ms.
    static constexpr double SHIFT[] = {-1.68, -1.22, -0.53}, FEW[] = {1.35, 1.06, 0.87}, SLOPE[] = {0.82, 0.69, 0.56};
    static constexpr double PRIOR = 0.5;  // better places, and worse ones, that each option begins with

    // The chances of my places after an option.
    static Chances chances(const Tried& one, const Decision& at) {
        Chances chance{};
        double good = 0, before = 0;
        const double few = (at.fewest - 9) / 10.0;
        for (int place = at.finished; place < SEATS; ++place) {
            good += one.places[place];
            const double odds = std::log((good + PRIOR) / (one.worlds - good + PRIOR));
            double now = 1;  // the last place, or a better one
            if (place < SEATS - 1) now = 1 / (1 + std::exp(-SHIFT[place] - few * FEW[place] - SLOPE[place] * odds));
            now = std::max(now, before);
            chance[place] = now - before, before = now;
        }
        return chance;
    }

    // My share of the first place of the match if this deal ends so, level ones sharing it alike.
    double share(const BySeat<int>& order) {
        double& known = share_[static_cast<size_t>(order[0] << 4 | order[1] << 2 | order[2])];
        if (known < 0) known = share_after(order);
        return known;
    }

    // The same for a place that no world came to: on average over all orders.
    double unseen(int mine) {
        BySeat<int> order{0, 1, 2, 3};
        double sum = 0;
        do
            if (order[mine] == me_) sum += share(order) / 6;
        while (std::next_permutation(order.begin(), order.end()));
        return sum;
    }

    // How often searches finish as Chef, Souschef, Waiter, Dishwasher, and so on, in 1,166 deals told 600 ms a match and
    // 150 as of quick players: they keep their roles more often.
    static constexpr std::array<double, 24> CHANCES = {
        .1218, .1035, .0588, .0462, .0694, .0350, .0765, .0564, .0349, .0225, .0401, .0218,
        .0307, .0256, .0231, .0149, .0214, .0156, .0494, .0251, .0364, .0222, .0270, .0219};
    static constexpr size_t MOST_WAYS = 4096;
    struct Way { BySeat<int> totals, order; double chance; };

    // All ways that the later deals may go, or many of them.
    double share_after(const BySeat<int>& order) const {
        std::vector<Way> ways{{totals_, order, 1}};
        for (int place = 0; place < SEATS; ++place) ways[0].totals[order[place]] += SEATS - 1 - place;
        std::minstd_rand luck(1);  // the same for all orders
        for (int left = deals_; goal_ || left > 0; --left) {
            std::vector<Way> next;
            bool more = false;
            const bool lots = ways.size() * CHANCES.size() > MOST_WAYS;
            while (lots && ways.size() * 2 <= MOST_WAYS) ways.insert(ways.end(), ways.begin(), ways.end());
            for (const Way& way : ways) {
                if (goal_ && *std::max_element(way.totals.begin(), way.totals.end()) >= goal_) {
                    next.push_back(way);
                    continue;
                }
                more = true;
                double lot = lots ? luck() / 2147483647.0 : -1;
                BySeat<int> roles{0, 1, 2, 3};
                size_t number = 0;
                do {
                    const double chance = CHANCES[number++];
                    if (lots && (lot -= chance) >= 0 && number < CHANCES.size()) continue;
                    Way then{way.totals, {}, lots ? way.chance : way.chance * chance};
                    for (int place = 0; place < SEATS; ++place) {
                        then.order[place] = way.order[roles[place]];
                        then.totals[then.order[place]] += SEATS - 1 - place;
                    }
                    next.push_back(then);
                    if (lots) break;
                } while (std::next_permutation(roles.begin(), roles.end()));
            }
            if (!more) break;
            ways.swap(next);
        }
        double sum = 0, all = 0;
        for (const Way& way : ways) {
            const int most = *std::max_element(way.totals.begin(), way.totals.end());
            all += way.chance;
            if (way.totals[me_] == most) sum += way.chance / std::count(way.totals.begin(), way.totals.end(), most);
        }
        return sum / all;
    }

    int me_ = 0, deals_ = 0, goal_ = 0;
    BySeat<int> totals_{};
    std::array<double, 64> share_{};  // by order, -1 for what is not known yet
};
