// A minimal bot for Planning in C11 with POSIX's getline.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CARDS = 256, MOST_WORDS = MOST_CARDS + 2 };

typedef char Card[8];  // such as "TD": the value, then the suit

static char strongest;         // the value that no other beats
static int players, me;        // how many play, and my seat
static Card hand[MOST_CARDS];  // my cards
static int cards;              // how many they are
static Card led;               // the first card of the trick ...
static int on_table;           // ... while this many are on the table

static bool number(const char *word, int *value) {
    char *end;
    long read = strtol(word, &end, 10);
    if (end == word || *end || read < 0 || read > MOST_CARDS) return false;
    *value = (int)read;
    return true;
}

static char last(const char *word) { return word[strlen(word) - 1]; }

static bool is(const char *text, const char *other) { return strcmp(text, other) == 0; }

static bool fits(const char *word) { return strlen(word) < sizeof(Card); }

// Obeys a command: writes what stands after "=" to `result`, or returns false to refuse.
static bool obey(char *words[], int count, Card result) {
    const char *command = words[0];
    if (is(command, "set_deck") && count == 3) {
        strongest = last(words[1]);
        return true;
    }
    if (is(command, "set_players") && count == 3) return number(words[1], &players) && number(words[2], &me);
    int n;
    if (is(command, "set_cards") && count >= 2 && number(words[1], &n) && n == count - 2) {
        for (int i = 0; i < n; i++)
            if (!fits(words[i + 2])) return false;
        for (int i = 0; i < n; i++) strcpy(hand[i], words[i + 2]);
        cards = n;
        on_table = 0;
        return true;
    }
    if (is(command, "gen_declare")) {
        int sure = 0;
        for (int i = 0; i < cards; i++) sure += hand[i][0] == strongest;
        snprintf(result, sizeof(Card), "%d", sure);
        return true;
    }
    if (is(command, "gen_move") && cards > 0) {
        int choice = 0;
        for (int i = cards - 1; on_table && i >= 0; i--)
            if (last(hand[i]) == last(led)) choice = i;
        strcpy(result, hand[choice]);
        return true;
    }
    if (is(command, "play") && count == 3 && number(words[1], &n) && fits(words[2])) {
        if (on_table == 0) strcpy(led, words[2]);
        if (++on_table >= players) on_table = 0;  // the trick is complete
        for (int i = 0; n == me && i < cards; i++)
            if (is(hand[i], words[2])) memmove(hand[i], hand[i + 1], (size_t)(--cards - i) * sizeof(Card));
        return true;
    }
    return is(command, "set_game") || is(command, "time_left") || is(command, "declare") || is(command, "quit");
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    bool over = false;
    while (!over && getline(&line, &size, stdin) >= 0) {
        char *words[MOST_WORDS];
        int count = 0;
        const char *blanks = " \t\r\n";
        for (char *word = strtok(line, blanks); word && count < MOST_WORDS; word = strtok(NULL, blanks))
            words[count++] = word;
        if (count == 0) continue;  // a blank line has no reply
        Card result = "";
        if (obey(words, count, result)) printf("=%s%s\n\n", *result ? " " : "", result);
        else printf("? cannot do that\n\n");
        fflush(stdout);  // without this the reply waits in a buffer
        over = is(words[0], "quit");
    }
    free(line);
}
