/* A bot that plays Planning legally and burns 5 ms of CPU on every request, no more and no less.
 *
 * Its clock must not depend on what the others at the table do. On its first move it writes to standard error what
 * others could have changed of it: niceness, number of cores, limit on descriptors.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { CARDS = 64, BURN_NS = 5000000 };

static char hand[CARDS][8];
static int held, seats, on_table;
static char led;

static long long spent(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void burn(void) {
    const long long until = spent() + BURN_NS;
    while (spent() < until) {
    }
}

static void report(void) {
    cpu_set_t cores;
    struct rlimit files;
    sched_getaffinity(0, sizeof cores, &cores);
    getrlimit(RLIMIT_NOFILE, &files);
    fprintf(stderr, "nice %d, cores %d, descriptors %lld\n", getpriority(PRIO_PROCESS, 0), CPU_COUNT(&cores),
            (long long)files.rlim_cur);
}

static void take_cards(char *words) {
    held = on_table = 0;
    strtok(words, " ");
    for (char *card; held < CARDS && (card = strtok(NULL, " "));) snprintf(hand[held++], sizeof hand[0], "%s", card);
}

static void hear_play(char *words) {
    strtok(words, " ");
    const char *card = strtok(NULL, " ");
    if (!card) return;
    for (int i = 0; i < held; ++i)
        if (!strcmp(hand[i], card)) {
            memmove(hand[i], hand[i + 1], (size_t)(--held - i) * sizeof hand[0]);
            break;
        }
    if (!on_table) led = card[1];
    on_table = (on_table + 1) % seats;
}

static const char *choose(void) {
    for (int i = 0; on_table && i < held; ++i)
        if (hand[i][1] == led) return hand[i];
    return hand[0];
}

int main(void) {
    static char line[8192];
    int reported = 0;
    setvbuf(stdout, NULL, _IOFBF, 8192);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        char *space = strchr(line, ' ');
        char *words = space ? space + 1 : line + strlen(line);
        if (space) *space = 0;
        if (!strcmp(line, "set_players")) sscanf(words, "%d", &seats);
        if (!strcmp(line, "set_cards")) take_cards(words);
        if (!strcmp(line, "play")) hear_play(words);
        if (!strcmp(line, "gen_declare")) {
            burn();
            fputs("= 0\n\n", stdout);
        } else if (!strcmp(line, "gen_move")) {
            if (!reported++) report();
            burn();
            printf("= %s\n\n", choose());
        } else {
            fputs("=\n\n", stdout);
        }
        fflush(stdout);
        if (!strcmp(line, "quit")) break;
    }
    return 0;
}
