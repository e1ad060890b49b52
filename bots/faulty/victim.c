/* A bot that plays Planning legally and burns 5 ms of CPU on every request, no more and no less.
 *
 * Its clock must not depend on what the others at the table do. An argument is another number of ms. On its first move it writes to standard error what
 * others could have changed of it: niceness, number of cores, limit on descriptors.
 */
#define _GNU_SOURCE
#include "planner.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { MS = 1000000 };

static long long burn_ns = 5 * MS;

static long long spent(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void report(void) {
    cpu_set_t cores;
    struct rlimit files;
    sched_getaffinity(0, sizeof cores, &cores);
    getrlimit(RLIMIT_NOFILE, &files);
    fprintf(stderr, "nice %d, cores %d, descriptors %lld\n", getpriority(PRIO_PROCESS, 0), CPU_COUNT(&cores),
            (long long)files.rlim_cur);
}

static void burn(int is_move) {
    static int reported;
    if (is_move && !reported++) report();
    const long long until = spent() + burn_ns;
    while (spent() < until) {
    }
}

int main(int count, char **words) {
    if (count > 1) burn_ns = atoll(words[1]) * MS;
    return play(burn);
}
