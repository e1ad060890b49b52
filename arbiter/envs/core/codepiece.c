// Codepiece: the rules of arbiter/games/codepiece.py and the views of arbiter/envs/observers/codepiece.py, which are
// the reference. A set of cards is 64 bits, the first card of the deck being the lowest.

#include "core.h"

enum { SEATS = 4, CARDS = 52, VALUES = 13, HAND = 13, TRICKS = 13 };
enum { PASS = 0, BIDS = 7, LOWEST = 8, HIGHEST = 13, FORCED = 7, LAST_TRUMP = 10, FIRST_CARD = 11, ACTIONS = 63 };
enum { NO_TRUMP = 4, NOBODY = 4 };
// The first cell of each part of an observation.
enum { TABLE = 52, OTHERS = 104, LEGAL = 156, PHASE = 219, SEAT = 223, TRUMP = 229, CELLS = 233 };
enum { BIDDING, CHOOSING, PLAYING, ENDED };

typedef struct {
    uint64_t dealer, hands[SEATS];
} Deal;

struct Rules {
    Py_ssize_t deals;
    uint64_t dealers[];
};

struct Match {
    uint64_t number, deal;  // match since the seed; deal in the match
    const Deal *given;      // the given first deals of the match
    uint64_t given_count;
    bool drawn;      // whether deals of the programme follow
    bool ended;      // the deal
    uint8_t turn;    // the seat to act
    uint8_t bids;    // the number of bids and passes
    uint8_t bid;     // the highest, 0 before the first
    uint8_t leader;  // its bidder
    uint8_t trump;   // a suit, or NO_TRUMP before it is named
    uint8_t count, trick[SEATS];  // the cards on the table
    uint8_t best, ahead;          // the winning one so far, and its player
    uint8_t won[2];               // tricks by side
    uint64_t hands[SEATS];
    int64_t totals[SEATS];
};

static void take_match(const Core *core, Py_ssize_t k, const unsigned char *bytes, Match *to) {
    Match match;
    memcpy(&match, bytes + (size_t)k * sizeof match, sizeof match);
    match.given = core->matches[k].given;
    to[k] = match;
}

static int turn_of(const Core *core, Py_ssize_t k) { return core->matches[k].turn; }

// Options: the dealer of each deal.
static bool open_rules(Core *core, const uint64_t *options, Py_ssize_t count) {
    bool right = count >= 1;
    for (Py_ssize_t i = 0; i < count; ++i) right &= options[i] < SEATS;
    if (!right) return PyErr_SetString(PyExc_ValueError, "options that are not those of Codepiece"), false;
    core->rules = PyMem_Calloc(1, sizeof(Rules) + (size_t)count * sizeof *options);
    if (!core->rules) return PyErr_NoMemory(), false;
    core->rules->deals = count;
    memcpy(core->rules->dealers, options, (size_t)count * sizeof *options);
    core->seats = SEATS, core->actions = ACTIONS, core->cells = CELLS, core->cell = sizeof(float);
    core->most = HAND;
    return true;
}

// Begin a deal; the seat after the dealer bids first.
static void begin_deal(Match *match, const Deal *deal) {
    match->ended = false;
    match->turn = match->ahead = (uint8_t)((deal->dealer + 1) % SEATS);
    match->bids = match->bid = match->count = match->best = match->won[0] = match->won[1] = 0;
    match->leader = NOBODY, match->trump = NO_TRUMP;
    memcpy(match->hands, deal->hands, sizeof match->hands);
}

// Begin the next deal; false after the last.
static bool next_deal(const Core *core, Py_ssize_t k) {
    Match *match = &core->matches[k];
    if (match->deal < match->given_count) return begin_deal(match, &match->given[match->deal]), true;
    if (!match->drawn || match->deal >= (uint64_t)core->rules->deals) return false;
    Deal deal = {.dealer = core->rules->dealers[match->deal]};
    Stream stream = stream_of(&core->names[k], match->number, match->deal);
    deal_out(&stream, CARDS, SEATS, HAND, deal.hands);
    begin_deal(match, &deal);
    return true;
}

// Numbers: match, deal, drawn, turn, number of bids (4 for all), highest bid, leader or 4, trump or 4, number of cards on
// the table, the best, its player, tricks of both sides; four each of: cards on the table, hands, points; then the given
// deals, five numbers each.
enum { HEAD = 13, SCALARS = HEAD + SEATS * 3, DEAL = sizeof(Deal) / sizeof(uint64_t) };

static bool load_match(Core *core, Py_ssize_t k, const uint64_t *numbers, Py_ssize_t count) {
    const uint64_t all = ((uint64_t)1 << CARDS) - 1;
    const uint64_t most[HEAD] = {UINT64_MAX, UINT64_MAX,   1,         SEATS - 1, SEATS,  HIGHEST, NOBODY,
                                 NO_TRUMP,   SEATS - 1, CARDS - 1, SEATS - 1, TRICKS, TRICKS};
    if (count < SCALARS || (count - SCALARS) % DEAL) return false;
    for (int i = 0; i < HEAD; ++i)
        if (numbers[i] > most[i]) return false;
    Match match = {.number = numbers[0], .deal = numbers[1], .drawn = numbers[2] != 0};
    match.turn = (uint8_t)numbers[3], match.bids = (uint8_t)numbers[4], match.bid = (uint8_t)numbers[5];
    match.leader = (uint8_t)numbers[6], match.trump = (uint8_t)numbers[7], match.count = (uint8_t)numbers[8];
    match.best = (uint8_t)numbers[9], match.ahead = (uint8_t)numbers[10];
    match.won[0] = (uint8_t)numbers[11], match.won[1] = (uint8_t)numbers[12];
    const int tricks = match.won[0] + match.won[1];
    const bool closed = match.bids == SEATS, named = match.trump != NO_TRUMP;
    if (closed && (match.leader == NOBODY || match.bid < FORCED)) return false;
    if (named ? !closed || tricks >= TRICKS : tricks || match.count) return false;
    for (int seat = 0; seat < SEATS; ++seat) {
        const uint64_t card = numbers[HEAD + seat], hand = numbers[HEAD + SEATS + seat];
        // A hand has a card for each trick left, less one if its card is on the table.
        const int behind = (match.turn - seat + SEATS) % SEATS;
        const int laid = behind && behind <= match.count;
        if (card >= CARDS || hand & ~all || count_of(hand) + tricks + laid != HAND) return false;
        match.trick[seat] = (uint8_t)card, match.hands[seat] = hand;
        match.totals[seat] = (int64_t)numbers[HEAD + 2 * SEATS + seat];
    }
    match.given_count = (uint64_t)((count - SCALARS) / DEAL);
    match.given = match.given_count ? (const Deal *)(numbers + SCALARS) : NULL;
    for (uint64_t i = 0; i < match.given_count; ++i) {
        if (match.given[i].dealer >= SEATS) return false;
        for (int seat = 0; seat < SEATS; ++seat)
            if (match.given[i].hands[seat] & ~all || count_of(match.given[i].hands[seat]) != HAND) return false;
    }
    core->matches[k] = match;
    return true;
}

static uint64_t suit_of(int card) { return (((uint64_t)1 << VALUES) - 1) << card / VALUES * VALUES; }

// Return the cards that beat the best one on the table.
static uint64_t beaters(const Match *match) {
    const uint64_t higher = suit_of(match->best) & ~(((uint64_t)2 << match->best) - 1);
    return match->best / VALUES == match->trump ? higher : higher | suit_of(match->trump * VALUES);
}

// Return the legal cards: follow suit, then overtake an opponent if possible.
static uint64_t playable(const Match *match) {
    const uint64_t hand = match->hands[match->turn];
    if (!match->count) return hand;
    const uint64_t follow = hand & suit_of(match->trick[0]), cards = follow ? follow : hand;
    const uint64_t over = (match->ahead ^ match->turn) & 1 ? cards & beaters(match) : 0;
    return over ? over : cards;
}

static bool may_bid(const Match *match, int action) {
    return action == PASS || (action < BIDS && action + LOWEST - 1 > match->bid);
}

static int list_ids(const Core *core, Py_ssize_t k, int64_t *ids) {
    const Match *match = &core->matches[k];
    int count = 0;
    if (match->trump != NO_TRUMP)
        for (uint64_t cards = playable(match); cards; cards &= cards - 1) ids[count++] = FIRST_CARD + lowest_of(cards);
    else if (match->bids == SEATS)
        for (int action = BIDS; action <= LAST_TRUMP; ++action) ids[count++] = action;
    else
        for (int action = PASS; action < BIDS; ++action)
            if (may_bid(match, action)) ids[count++] = action;
    return count;
}

// Do a bid or name trump; if all pass, the seat after the dealer must play 7.
static Outcome speak(Match *match, int action) {
    if (match->bids == SEATS) {
        if (action < BIDS || action > LAST_TRUMP) return ILLEGAL;
        match->trump = (uint8_t)(LAST_TRUMP - action);
        return GOES_ON;
    }
    if (!may_bid(match, action)) return ILLEGAL;
    if (action != PASS) match->bid = (uint8_t)(action + LOWEST - 1), match->leader = match->turn;
    match->turn = (uint8_t)((match->turn + 1) % SEATS);
    if (++match->bids < SEATS) return GOES_ON;
    if (!match->bid) match->bid = FORCED, match->leader = match->turn;
    match->turn = match->leader;
    return GOES_ON;
}

static Outcome act(Core *core, Py_ssize_t k, int action, float *points) {
    Match *match = &core->matches[k];
    if (match->trump == NO_TRUMP) return speak(match, action);
    const int card = action - FIRST_CARD, seat = match->turn;
    if (card < 0 || !(playable(match) >> card & 1)) return ILLEGAL;
    if (!match->count || beaters(match) >> card & 1) match->best = (uint8_t)card, match->ahead = (uint8_t)seat;
    match->hands[seat] ^= (uint64_t)1 << card;
    match->trick[match->count++] = (uint8_t)card;
    match->turn = (uint8_t)((seat + 1) % SEATS);
    if (match->count < SEATS) return GOES_ON;
    ++match->won[match->ahead & 1];
    const int side = match->leader & 1;
    if (match->hands[seat] && match->won[1 - side] <= TRICKS - match->bid) {
        match->turn = match->ahead, match->count = 0;
        return GOES_ON;
    }
    // The last trick stays on the table.
    match->ended = true;
    const int gain = match->won[side] >= match->bid ? match->bid : -2 * match->bid;
    for (int other = 0; other < SEATS; ++other) match->totals[other] += (other & 1) == side ? gain : -gain;
    ++match->deal;
    if (next_deal(core, k)) return GOES_ON;
    for (int other = 0; other < SEATS; ++other) points[other] = (float)match->totals[other];
    return OVER;
}

static void show(float *cells, uint64_t cards, float value) {
    for (; cards; cards &= cards - 1) cells[lowest_of(cards)] = value;
}

static void look(const Core *core, Py_ssize_t k, int seat, const int64_t *ids, int count, void *to) {
    const Match *match = &core->matches[k];
    float *cells = to;
    const bool closed = match->bids == SEATS, named = match->trump != NO_TRUMP;
    uint64_t table = 0;
    for (int i = 0; i < match->count; ++i) table |= (uint64_t)1 << match->trick[i];
    memset(cells, 0, CELLS * sizeof *cells);
    show(cells, match->hands[seat], 1);
    show(cells + TABLE, table, 1);
    for (int card = 0; card < CARDS; ++card) cells[OTHERS + card] = 1;
    show(cells + OTHERS, match->hands[seat] | table, 0);
    for (int i = 0; i < count; ++i) cells[LEGAL + ids[i]] = 1;
    cells[PHASE + (match->ended ? ENDED : named ? PLAYING : closed ? CHOOSING : BIDDING)] = 1;
    cells[SEAT] = (float)(seat / 3.0);
    cells[SEAT + 1] = (float)(seat & 1);
    cells[SEAT + 2] = ids != NULL;
    cells[SEAT + 3] = (float)(match->bid / 13.0);
    cells[SEAT + 4] = closed ? cells[SEAT + 3] : 0;
    cells[SEAT + 5] = (float)((match->won[0] + match->won[1]) / (double)TRICKS);
    if (named) cells[TRUMP + match->trump] = 1;
}

MODULE(codepiece)
