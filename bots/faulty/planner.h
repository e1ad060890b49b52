/* Plays Planning legally; `before` is called at every request, before it is answered. */
#include <stdio.h>
#include <string.h>

enum { CARDS = 64 };

static char hand[CARDS][8];
static int held, seats, on_table;
static char led;

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

static int play(void (*before)(int is_move)) {
    static char line[8192];
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
            before(0);
            fputs("= 0\n\n", stdout);
        } else if (!strcmp(line, "gen_move")) {
            before(1);
            printf("= %s\n\n", choose());
        } else {
            fputs("=\n\n", stdout);
        }
        fflush(stdout);
        if (!strcmp(line, "quit")) break;
    }
    return 0;
}
