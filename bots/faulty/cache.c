/* Word from bot to bot by the processor's cache: `cache speak FILE` in one seat, `cache hear FILE [clock]` in another.
 *
 * Both map a file of the system, whose pages all programs share. At each move `speak` reads one line of 64 bytes for
 * each bit that is 1; `hear` measures how long each line takes, which is less if it is in the cache, and flushes
 * it. It writes to standard error how many of 512 bits were right, and how long that took, by the processor's own
 * counter or, with `clock`, by clock_gettime. x86 alone: elsewhere programs may not flush a line.
 */
#define _GNU_SOURCE
#include "planner.h"

#ifdef __x86_64__
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <x86intrin.h>

enum { BITS = 512, APART = 1024, SIZE = BITS * APART };

static const volatile char *file;
static int heard, by_clock;

/* Far from one to the next, so that none is fetched along with another. */
static const volatile char *line_of(int bit) { return file + (bit * 197 % BITS) * APART; }

static int secret(int bit) { return (0xB5297A4Du * (unsigned)(bit + 1) >> 17) & 1; }

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int compare(const void *one, const void *other) {
    const long long difference = *(const long long *)one - *(const long long *)other;
    return (difference > 0) - (difference < 0);
}

static void speak(int is_move) {
    for (int bit = 0; is_move && bit < BITS; ++bit)
        if (secret(bit)) (void)*line_of(bit);
}

static long long ticks(void) {
    unsigned processor;
    return by_clock ? now() : (long long)__rdtscp(&processor);
}

static void hear(int is_move) {
    static long long taken[BITS], sorted[BITS];
    if (!is_move) return;
    const long long start = now();
    for (int bit = 0; bit < BITS; ++bit) {
        _mm_mfence();
        const long long before = ticks();
        (void)*line_of(bit);
        _mm_lfence();
        taken[bit] = ticks() - before;
    }
    for (int bit = 0; bit < BITS; ++bit) _mm_clflush((const void *)line_of(bit));
    _mm_mfence();
    const long long lasted = now() - start;
    memcpy(sorted, taken, sizeof taken);
    qsort(sorted, BITS, sizeof *sorted, compare);
    /* The widest step of the middle parts the two kinds. */
    int step = BITS / 4;
    for (int place = step; place < BITS * 3 / 4; ++place)
        if (sorted[place + 1] - sorted[place] > sorted[step + 1] - sorted[step]) step = place;
    int right = 0;
    for (int bit = 0; bit < BITS; ++bit) right += (taken[bit] <= sorted[step]) == secret(bit);
    if (heard++) fprintf(stderr, "%d of %d bits in %lld us\n", right, BITS, lasted / 1000);
}

int main(int argc, char **argv) {
    const int descriptor = argc > 2 ? open(argv[2], O_RDONLY) : -1;
    file = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file == MAP_FAILED) return 1;
    for (int page = 0; page < SIZE; page += 4096) (void)file[page];
    by_clock = argc > 3;
    return play(strcmp(argv[1], "speak") ? hear : speak);
}
#else
int main(void) { return 1; }
#endif
