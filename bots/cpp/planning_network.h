// The network that the search for Planning plays its worlds with, planning_search.weights, and how it is asked.

#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace {

// The network's weights, by ../learned/export.py: for declarations and for cards, from what is seen and done through
// two layers with rectifiers to the odds of 0 to 13 more tricks and to what the others will make.
extern "C" const float planning_weights[];
__asm__(".section .rodata\n.balign 64\nplanning_weights: .incbin \"planning_search.weights\"\n.text\n");
constexpr int SEEN = 167, DECLARED = 15, PLAYED = 41, WIDE = 128, NARROW = 32, OUT = 16, NUMBERS = 14;

#ifndef __x86_64__
#define target_clones(...)  // only there are processors with and without AVX2; both kinds round alike
#endif
#define FAST __attribute__((target_clones("avx2", "default")))
typedef float Lane __attribute__((vector_size(32), aligned(4), may_alias));

// Cells that are not 0.
struct Cells {
    int n = 0, at[WIDE + 1];
    float value[WIDE + 1];
    explicit Cells(const float* values = nullptr, int many = 0) {  // those of many values that are above 0
        for (int i = 0; i < many; ++i) add(i, std::max(0.0f, values[i]));
    }
    void add(int cell, double x) {
        at[n] = cell, value[n] = static_cast<float>(x);
        n += x != 0;
    }
    void add(std::initializer_list<std::pair<int, double>> cells) {
        for (auto [cell, x] : cells) add(cell, x);
    }
};

// Adds the cells' rows, each times its value, to what is in out.
template <int WIDTH>
inline __attribute__((always_inline)) void add_rows(float* out, const float* rows, const Cells& cells) {
    constexpr int STEP = WIDTH < 64 ? WIDTH : 64, LANES = STEP / 8;  // what registers hold
    for (int from = 0; from < WIDTH; from += STEP) {
        Lane sum[LANES];
        for (int l = 0; l < LANES; ++l) sum[l] = reinterpret_cast<const Lane*>(out + from)[l];
        for (int k = 0; k < cells.n; ++k)
            for (int l = 0; l < LANES; ++l)
                sum[l] += cells.value[k] * reinterpret_cast<const Lane*>(rows + cells.at[k] * WIDTH + from)[l];
        for (int l = 0; l < LANES; ++l) reinterpret_cast<Lane*>(out + from)[l] = sum[l];
    }
}

struct Network {
    const float* part[7];  // rows of what is seen and done, their bias, rows and bias of the second layer, of the third
    Network(const float* weights, int done) {
        const int sizes[7] = {SEEN * WIDE, done * WIDE, WIDE, WIDE * NARROW, NARROW, NARROW * OUT, OUT};
        for (int i = 0; i < 7; weights += sizes[i++]) part[i] = weights;
    }
    // The part of the first layer that all choices of a decision share.
    FAST void look(const Cells& seen, float* shared) const {
        std::copy(part[2], part[2] + WIDE, shared);
        add_rows<WIDE>(shared, part[0], seen);
    }
    FAST void value(const float* shared, const Cells& done, float* out) const {
        float first[WIDE], second[NARROW];
        std::copy(shared, shared + WIDE, first);
        add_rows<WIDE>(first, part[1], done);
        std::copy(part[4], part[4] + NARROW, second);
        add_rows<NARROW>(second, part[3], Cells(first, WIDE));
        std::copy(part[6], part[6] + OUT, out);
        add_rows<OUT>(out, part[5], Cells(second, NARROW));
    }
};
const Network declaring(planning_weights, DECLARED), playing(declaring.part[6] + OUT, PLAYED);

}  // namespace
