// What the search for Planning answers to `gen_values`: points of a deal and chances to win the match, over worlds.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

// Found by 360 matches of the search, told 0.6 s, with itself. The points need no correction.
constexpr double LATER = 0.27;    // variance of a player's points in a later deal, by its cards squared
constexpr double STRONGER = 0.45;  // by how much the others do better than in the worlds, in logits of a chance to win
constexpr double UNSEEN = 0.02;  // that all goes wrong which goes well in the worlds

// The chance to have the most points in the end, of a place shared by k 1/k, when player 0 is so far ahead of each
// player, itself among them, and everybody's later points are normal with this deviation.
template <size_t MOST>
double first(const std::array<int, MOST>& ahead, int seats, double later) {
    const auto end = ahead.begin() + seats;
    if (later <= 0) return *std::min_element(ahead.begin(), end) < 0 ? 0 : 1.0 / std::count(ahead.begin(), end, 0);
    double sum = 0;
    for (double more = -3; more < 3.1; more += 0.5) {  // player 0's later points, in deviations
        double chance = std::exp(-more * more / 2) / 5.0133;
        for (int i = 1; i < seats; ++i) chance *= std::erfc(-(ahead[i] / later + more) / std::sqrt(2)) / 2;
        sum += chance;
    }
    return sum;
}

// Sums over worlds for one choice.
struct Worth {
    double worlds = 0, points = 0, won = 0;
    void add(double world_points, double world_won) { worlds += 1, points += world_points, won += world_won; }
    // Points and chance as an answer has them, with so many tricks to come; `part`: of what is still open in the match,
    // this deal's. What is sure at the last trick stays sure.
    std::string text(int tricks, double part) const {
        const double open = 1 - 1.0 / std::max(tricks, 1), chance = won / worlds * (1 - UNSEEN * open);
        const double odds = chance / (1 - chance) * std::exp(-STRONGER * open * part);
        char out[80];
        std::snprintf(out, sizeof out, ":%.3f:%.4f", points / worlds, chance < 1 ? odds / (1 + odds) : 1);
        return out;
    }
};

}  // namespace
