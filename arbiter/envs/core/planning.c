// Planning: the rules of arbiter/games/planning.py and the views of arbiter/envs/observers/planning.py, which are
// the reference. A set of cards is 64 bits, the first card of the deck being the lowest; Python plays larger decks.

#include "core.h"

enum { SEATS = 4, CARDS = 64, UNKNOWN = 0xFF };

typedef struct {
    uint64_t size, starter, hands[SEATS];
} Deal;

struct Rules {
    int seats, cards, values, numbers;  // `numbers`: possible declarations, with zero
    uint64_t suits[CARDS];              // by card, all cards of its suit
    int deals;                          // of the programme
    uint64_t programme[][2];            // cards dealt to each seat, and the seat that leads
};

struct Match {
    uint64_t number, deal;  // match since the seed; deal in the match
    const Deal *given;      // the given first deals of the match
    uint64_t given_count;
    bool drawn;  // whether deals of the programme follow
    bool playing;
    uint8_t size, leader, count;  // cards dealt to each; the leader of the trick; cards in it
    uint8_t trick[SEATS], declared[SEATS], taken[SEATS];
    uint64_t dealt[SEATS], hands[SEATS];
    int64_t totals[SEATS];
};


// Options: seats, cards, values of a suit, and the pairs of the programme.
static bool open_rules(Core *core, const uint64_t *options, Py_ssize_t count) {
    const bool right = count >= 5 && count % 2 && options[0] >= 2 && options[0] <= SEATS && options[1] >= options[0] &&
                       options[1] <= CARDS && options[2] >= 1 && options[2] <= options[1] && count < INT_MAX;
    const int deals = right ? (int)(count - 3) / 2 : 0;
    Rules *rules = core->rules = right ? PyMem_Calloc(1, sizeof(Rules) + (size_t)deals * sizeof rules->programme[0]) : NULL;
    if (right && !rules) return PyErr_NoMemory(), false;
    bool fits = right;
    for (int i = 0; fits && i < deals; ++i) {
        const uint64_t *pair = options + 3 + 2 * i;
        fits = pair[0] >= 1 && pair[0] <= options[1] / options[0] && pair[1] < options[0];
        memcpy(rules->programme[i], pair, sizeof rules->programme[i]);
    }
    if (!fits) return PyErr_SetString(PyExc_ValueError, "options that are not those of Planning"), false;
    rules->seats = (int)options[0], rules->cards = (int)options[1], rules->values = (int)options[2];
    rules->numbers = rules->cards / rules->seats + 1, rules->deals = deals;
    for (int one = 0; one < rules->cards; ++one)
        for (int other = 0; other < rules->cards; ++other)
            if (one / rules->values == other / rules->values) rules->suits[one] |= (uint64_t)1 << other;
    const int s = core->seats = rules->seats;
    core->actions = rules->numbers + rules->cards;
    core->cells = rules->cards * (1 + 2 * s) + rules->numbers * (2 * s + 1) + 2 * s + 1;
    core->cell = 1;
    core->most = CARDS;
    return true;
}

static void begin_deal(Match *match, int seats, const Deal *deal) {
    match->playing = false;
    match->size = (uint8_t)deal->size, match->leader = (uint8_t)deal->starter, match->count = 0;
    for (int seat = 0; seat < seats; ++seat) {
        match->dealt[seat] = match->hands[seat] = deal->hands[seat];
        match->declared[seat] = UNKNOWN, match->taken[seat] = 0;
    }
}

// Begin the next deal; false after the last.
static bool next_deal(const Core *core, Py_ssize_t k) {
    const Rules *rules = core->rules;
    Match *match = &core->matches[k];
    if (match->deal < match->given_count) {
        begin_deal(match, rules->seats, &match->given[match->deal]);
        return true;
    }
    if (!match->drawn || match->deal >= (uint64_t)rules->deals) return false;
    Deal deal = {rules->programme[match->deal][0], rules->programme[match->deal][1], {0}};
    Stream stream = stream_of(&core->names[k], match->number, match->deal);
    deal_out(&stream, rules->cards, rules->seats, (int)deal.size, deal.hands);
    begin_deal(match, rules->seats, &deal);
    return true;
}

// Numbers: match, deal, drawn, playing, size, leader, number of cards in the trick; four each of: these cards; by seat its
// declaration or 255, tricks taken, cards dealt, cards left, points; then the given deals, six numbers each.
enum { HEAD = 7, SCALARS = HEAD + SEATS * 6, DEAL = sizeof(Deal) / sizeof(uint64_t) };

static bool load_match(Core *core, Py_ssize_t k, const uint64_t *numbers, Py_ssize_t count) {
    const Rules *rules = core->rules;
    const uint64_t seats = (uint64_t)rules->seats, most = (uint64_t)rules->numbers - 1;
    const uint64_t all = ~(uint64_t)0 >> (CARDS - rules->cards);
    if (count < SCALARS || (count - SCALARS) % DEAL) return false;
    Match match = {.number = numbers[0], .deal = numbers[1], .drawn = numbers[2] != 0, .playing = numbers[3] != 0};
    if (numbers[4] < 1 || numbers[4] > most || numbers[5] >= seats || numbers[6] >= seats) return false;
    match.size = (uint8_t)numbers[4], match.leader = (uint8_t)numbers[5], match.count = (uint8_t)numbers[6];
    const uint64_t *part[6];
    for (int i = 0; i < 6; ++i) part[i] = numbers + HEAD + SEATS * i;
    bool declaring = false;
    uint64_t tricks = 0;
    for (uint64_t seat = 0; seat < seats; ++seat) tricks += part[2][seat];
    if (tricks >= match.size || (!match.playing && (tricks || match.count))) return false;
    for (uint64_t seat = 0; seat < seats; ++seat) {
        const bool known = part[1][seat] != UNKNOWN;
        declaring |= !known;
        if (part[0][seat] >= (uint64_t)rules->cards || (known && part[1][seat] > most) || part[2][seat] > most) return false;
        // A hand has a card for each trick left, less one if its card is in the trick.
        const uint64_t laid = (seat + seats - match.leader) % seats < match.count;
        if ((part[3][seat] | part[4][seat]) & ~all || (uint64_t)count_of(part[4][seat]) + tricks + laid != match.size)
            return false;
        match.trick[seat] = (uint8_t)part[0][seat], match.declared[seat] = (uint8_t)part[1][seat];
        match.taken[seat] = (uint8_t)part[2][seat], match.dealt[seat] = part[3][seat], match.hands[seat] = part[4][seat];
        match.totals[seat] = (int64_t)part[5][seat];
    }
    if (declaring == match.playing) return false;
    match.given_count = (uint64_t)((count - SCALARS) / DEAL);
    match.given = match.given_count ? (const Deal *)(numbers + SCALARS) : NULL;
    for (uint64_t i = 0; i < match.given_count; ++i) {
        const Deal *deal = &match.given[i];
        if (deal->size < 1 || deal->size > most || deal->starter >= seats) return false;
        for (uint64_t seat = 0; seat < seats; ++seat)
            if (deal->hands[seat] & ~all || (uint64_t)count_of(deal->hands[seat]) != deal->size) return false;
    }
    core->matches[k] = match;
    return true;
}

static void take_match(const Core *core, Py_ssize_t k, const unsigned char *bytes, Match *to) {
    Match match;
    memcpy(&match, bytes + (size_t)k * sizeof match, sizeof match);
    match.given = core->matches[k].given;
    to[k] = match;
}

static int turn_of(const Core *core, Py_ssize_t k) {
    const Match *match = &core->matches[k];
    if (match->playing) return (match->leader + match->count) % core->seats;
    int seat = 0;
    while (seat + 1 < core->seats && match->declared[seat] != UNKNOWN) ++seat;
    return seat;
}

// Return the cards that a seat may play: those of the suit led, or all if it has none.
static uint64_t playable(const Core *core, const Match *match, int seat) {
    const uint64_t hand = match->hands[seat];
    const uint64_t follow = match->count ? hand & core->rules->suits[match->trick[0]] : 0;
    return follow ? follow : hand;
}

static int list_ids(const Core *core, Py_ssize_t k, int64_t *ids) {
    const Match *match = &core->matches[k];
    if (!match->playing) {
        for (int number = 0; number <= match->size; ++number) ids[number] = number;
        return match->size + 1;
    }
    int count = 0;
    for (uint64_t cards = playable(core, match, turn_of(core, k)); cards; cards &= cards - 1)
        ids[count++] = core->rules->numbers + lowest_of(cards);
    return count;
}

// Return the place in the order of play of the card that takes a full trick; the first suit is trump.
static int winner(const Rules *rules, const uint8_t *trick) {
    int best = 0;
    for (int place = 1; place < rules->seats; ++place) {
        const int suit = trick[place] / rules->values, top = trick[best] / rules->values;
        if (suit == top ? trick[place] > trick[best] : suit == 0) best = place;
    }
    return best;
}

static void count_points(const Core *core, Match *match) {
    for (int seat = 0; seat < core->seats; ++seat) {
        match->totals[seat] += match->taken[seat];
        if (match->taken[seat] == match->declared[seat]) match->totals[seat] += match->size;
    }
}

static Outcome act(Core *core, Py_ssize_t k, int action, float *points) {
    Match *match = &core->matches[k];
    const int seat = turn_of(core, k), seats = core->seats;
    if (!match->playing) {
        if (action > match->size) return ILLEGAL;
        match->declared[seat] = (uint8_t)action;
        match->playing = true;
        for (int other = 0; other < seats; ++other)
            if (match->declared[other] == UNKNOWN) match->playing = false;
        return GOES_ON;
    }
    const int card = action - core->rules->numbers;
    if (card < 0 || !(playable(core, match, seat) >> card & 1)) return ILLEGAL;
    match->hands[seat] ^= (uint64_t)1 << card;
    match->trick[match->count++] = (uint8_t)card;
    if (match->count < seats) return GOES_ON;
    match->leader = (uint8_t)((match->leader + winner(core->rules, match->trick)) % seats);
    ++match->taken[match->leader];
    match->count = 0;
    if (match->hands[seat]) return GOES_ON;
    count_points(core, match);
    ++match->deal;
    // The cards of the last deal stay for the final observation.
    if (next_deal(core, k)) return GOES_ON;
    for (int other = 0; other < seats; ++other) points[other] = (float)match->totals[other];
    return OVER;
}

static void show(signed char *cells, uint64_t cards) {
    for (; cards; cards &= cards - 1) cells[lowest_of(cards)] = 1;
}

static void look(const Core *core, Py_ssize_t k, int seat, const int64_t *ids, int count, void *to) {
    (void)count;
    const Rules *rules = core->rules;
    const Match *match = &core->matches[k];
    const int s = rules->seats, n = rules->cards, m = rules->numbers;
    signed char *cells = to, *trick = cells + n + s * n, *declared = trick + s * n, *taken = declared + s * m;
    memset(cells, 0, (size_t)core->cells);
    show(cells, match->hands[seat]);
    // From the observing seat clockwise; `other` is the seat at `place`.
    for (int place = 0, other = seat; place < s; ++place, other = other + 1 == s ? 0 : other + 1) {
        show(cells + n + place * n, match->dealt[other] ^ match->hands[other]);
        if (match->declared[other] != UNKNOWN && (match->playing || !place)) declared[place * m + match->declared[other]] = 1;
        taken[place * m + match->taken[other]] = 1;
    }
    const int behind = (match->leader - seat + s) % s;
    for (int i = 0; i < match->count; ++i) trick[(behind + i) % s * n + match->trick[i]] = 1;
    signed char *size = taken + s * m, *leads = size + m, *acts = leads + s;
    size[match->size] = 1;
    leads[behind] = 1;
    if (ids && match->playing) acts[(behind + match->count) % s] = 1;
    if (ids && !match->playing)
        for (int other = 0; other < s; ++other)
            if (match->declared[other] == UNKNOWN) acts[(other - seat + s) % s] = 1;
    acts[s] = !match->playing;
}

MODULE(planning)
