/* Word to the next match by the memory of the process that starts bots: `memory leave`, then `memory look`.
 *
 * `leave` waits in 250 threads for a word that does not change, which whoever answers its calls has to keep. `look`
 * writes to standard error the most memory, in kB, that it had before it was a program of its own: what the process
 * had that it was forked from.
 */
#define _GNU_SOURCE
#include "planner.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 250 };

/* Of no thread. */
static unsigned word = 1u << 28;

static void *wait_for_word(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT, word, NULL, NULL, 0);
    return unused;
}

static void leave(void) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    for (int number = 0; number < THREADS; ++number) pthread_create(&thread, &small, wait_for_word, NULL);
    usleep(100 * 1000);
}

static void look(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "most memory of the process that started it: %ld\n", used.ru_maxrss);
}

static void nothing(int is_move) { (void)is_move; }

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "leave")) leave();
    else look();
    return play(nothing);
}
