// Chef's Hat by the rule book: the rules of arbiter/games/chefs_hat and the views of arbiter/envs/observers/chefs_hat.py,
// which are the reference. A hand is the number of its cards of each value; jokers are the value 12.

#include "core.h"

enum { SEATS = 4, ELEVEN = 11, JOKER = 12, VALUES = JOKER + 1, HAND = 17, CARDS = SEATS * HAND, GOLDEN = 11 };
enum { LONE_JOKER = 198, PASS = 199, ACTIONS = 200 };
enum { CLEARED = 199, FIRST_PLAY = 200 };  // the table without a discard
enum { CHEF, SOUSCHEF, WAITER, DISHWASHER };
enum { SPECIAL, CHEFS, SOUSCHEFS, PLAYING };  // the requested decision: a special action, cards to give, a discard
// The first cell of each part of an observation.
enum { BOARD = 11, LEGAL = BOARD + HAND, CELLS = LEGAL + ACTIONS };

struct Rules {
    uint64_t deals, points;  // that end a match: one of them is 0
    uint8_t value[PASS], quantity[PASS], jokers[PASS];  // of each discard
    uint8_t deck[CARDS];
};

struct Match {
    uint64_t number, deal;  // match since the seed; deal in the match
    uint8_t asked, turn, table;
    uint8_t last;        // the seat that discarded last
    uint8_t out, done;   // seats that have passed or have no cards left; those without cards alone
    uint8_t places;      // the number of these
    uint8_t golden;      // the number of the eleven that opens
    uint8_t picked;      // the number of known cards of the Chef's gift
    uint8_t gift[2];     // these cards
    uint8_t order[SEATS], roles[SEATS];
    uint8_t hands[SEATS][VALUES];
    uint64_t totals[SEATS];
};

static int turn_of(const Core *core, Py_ssize_t k) { return core->matches[k].turn; }
static int id_of(int value, int quantity, int jokers) { return 3 * (value * (value - 1) / 2 + quantity - 1) + jokers; }

// Options: deals of a match, points that end it; one of them is 0.
static bool open_rules(Core *core, const uint64_t *options, Py_ssize_t count) {
    if (count != 2 || !options[0] == !options[1])
        return PyErr_SetString(PyExc_ValueError, "options that are not those of Chef's Hat"), false;
    Rules *rules = core->rules = PyMem_Calloc(1, sizeof *rules);
    if (!rules) return PyErr_NoMemory(), false;
    rules->deals = options[0], rules->points = options[1];
    uint8_t *card = rules->deck;
    for (int value = 1; value < JOKER; ++value)
        for (int quantity = 1; quantity <= value; ++quantity) {
            *card++ = (uint8_t)value;
            for (int jokers = 0; jokers < 3; ++jokers) {
                const int id = id_of(value, quantity, jokers);
                rules->value[id] = (uint8_t)value;
                rules->quantity[id] = (uint8_t)quantity, rules->jokers[id] = (uint8_t)jokers;
            }
        }
    card[0] = card[1] = JOKER;
    rules->value[LONE_JOKER] = JOKER, rules->jokers[LONE_JOKER] = 1;
    core->seats = SEATS, core->actions = ACTIONS, core->cells = CELLS, core->cell = sizeof(float);
    core->most = ACTIONS;
    return true;
}

static int seat_of(const Match *match, int role) {
    int seat = 0;
    while (seat + 1 < SEATS && match->roles[seat] != role) ++seat;
    return seat;
}

static int size_of(const uint8_t *hand) {
    int size = 0;
    for (int value = 1; value < VALUES; ++value) size += hand[value];
    return size;
}

// The holder of the golden eleven, counted from seat 0, opens with elevens.
static void begin_play(Match *match) {
    int left = match->golden, opener = 0;
    for (int seat = 0; seat < SEATS; ++seat) {
        left -= match->hands[seat][ELEVEN];
        if (left < 0) {
            opener = seat;
            break;
        }
    }
    match->asked = PLAYING;
    match->turn = match->last = (uint8_t)opener;
    match->table = match->hands[opener][ELEVEN] ? FIRST_PLAY : CLEARED;
    match->out = match->done = match->places = 0;
}

static void begin_exchange(Match *match) {
    match->asked = CHEFS, match->picked = 0;
    match->turn = (uint8_t)seat_of(match, CHEF);
}

// Begin the next deal; false after the last.
static bool next_deal(const Core *core, Py_ssize_t k) {
    const Rules *rules = core->rules;
    Match *match = &core->matches[k];
    uint64_t most = 0;
    for (int seat = 0; seat < SEATS; ++seat)
        if (match->totals[seat] > most) most = match->totals[seat];
    if (rules->points ? most >= rules->points : match->deal >= rules->deals) return false;
    Stream stream = stream_of(&core->names[k], match->number, match->deal);
    unsigned char order[CARDS];
    shuffled(&stream, CARDS, order);
    match->golden = (uint8_t)draw(&stream, GOLDEN);
    memset(match->hands, 0, sizeof match->hands);
    for (int i = 0; i < CARDS; ++i) ++match->hands[i / HAND][rules->deck[order[i]]];
    match->table = CLEARED;
    if (!match->deal) return begin_play(match), true;
    begin_exchange(match);
    for (int seat = 0; seat < SEATS; ++seat)
        if (match->hands[seat][JOKER] == 2) match->asked = SPECIAL, match->turn = (uint8_t)seat;
    return true;
}

// Numbers: match, deal, requested decision, turn, table, last to discard, seats out, those without cards, their number,
// golden, number of cards picked, these two; four each of: order, roles, points, hands (four bits for each value).
enum { HEAD = 13, SCALARS = HEAD + 4 * SEATS };

static bool is_permutation(const uint8_t *of) {
    int seen = 0;
    for (int i = 0; i < SEATS; ++i) seen |= 1 << of[i];
    return seen == (1 << SEATS) - 1;
}

// Return true if seats and cards agree with the requested decision.
static bool is_sound(const Match *match) {
    int empty = 0, placed = 0;
    bool exchange = is_permutation(match->roles);
    for (int seat = 0; seat < SEATS; ++seat) {
        const int size = size_of(match->hands[seat]);
        if (size > HAND) return false;
        exchange &= size >= 2;
        empty |= !size << seat;
    }
    if (match->asked == PLAYING) {
        for (int i = 0; i < match->places; ++i) placed |= 1 << match->order[i];
        return match->places == count_of(match->done) && match->places < SEATS - 1 && empty == match->done &&
               placed == match->done && (match->out & match->done) == match->done && !(match->out >> match->turn & 1);
    }
    const uint8_t *chefs = match->hands[seat_of(match, CHEF)];
    for (int i = 0; i < match->picked; ++i)
        if (match->gift[i] < 1 || chefs[match->gift[i]] < 1 + (i && match->gift[0] == match->gift[1])) return false;
    const int picked = match->picked, role = match->roles[match->turn];
    const bool asked = match->asked == SPECIAL ? !picked
                       : match->asked == CHEFS ? picked < 2 && role == CHEF
                                               : picked == 2 && role == SOUSCHEF;
    return exchange && asked && match->table == CLEARED;
}

static bool load_match(Core *core, Py_ssize_t k, const uint64_t *numbers, Py_ssize_t count) {
    const uint64_t most[HEAD] = {UINT64_MAX, UINT64_MAX, PLAYING, SEATS - 1, FIRST_PLAY, SEATS - 1, 15, 15, SEATS, GOLDEN - 1,
                                 2,          JOKER,      JOKER};
    if (count != SCALARS) return false;
    for (int i = 0; i < HEAD; ++i)
        if (numbers[i] > most[i]) return false;
    Match match = {.number = numbers[0], .deal = numbers[1], .asked = (uint8_t)numbers[2], .turn = (uint8_t)numbers[3]};
    match.table = (uint8_t)numbers[4], match.last = (uint8_t)numbers[5];
    match.out = (uint8_t)numbers[6], match.done = (uint8_t)numbers[7], match.places = (uint8_t)numbers[8];
    match.golden = (uint8_t)numbers[9], match.picked = (uint8_t)numbers[10];
    match.gift[0] = (uint8_t)numbers[11], match.gift[1] = (uint8_t)numbers[12];
    int held[VALUES] = {0};
    for (int seat = 0; seat < SEATS; ++seat) {
        const uint64_t *of = numbers + HEAD + seat;
        if (of[0] >= SEATS || of[SEATS] >= SEATS || of[3 * SEATS] >> 4 * VALUES || of[3 * SEATS] & 15) return false;
        match.order[seat] = (uint8_t)of[0], match.roles[seat] = (uint8_t)of[SEATS], match.totals[seat] = of[2 * SEATS];
        for (int value = 1; value < VALUES; ++value) {
            match.hands[seat][value] = of[3 * SEATS] >> 4 * value & 15;
            held[value] += match.hands[seat][value];
            if (held[value] > (value == JOKER ? 2 : value)) return false;
        }
    }
    if (!is_sound(&match)) return false;
    core->matches[k] = match;
    return true;
}

static void take_match(const Core *core, Py_ssize_t k, const unsigned char *bytes, Match *to) {
    (void)core;
    memcpy(&to[k], bytes + (size_t)k * sizeof *to, sizeof *to);
}

// Return the number of cards of a value that can still be given.
static int givable(const Match *match, int value) {
    const bool gone = match->asked == CHEFS && match->picked && match->gift[0] == value;
    return match->hands[match->turn][value] - gone;
}

// List the discards that beat the table; all if it is empty; those with elevens in the opening play.
static int list_discards(const Rules *rules, const Match *match, int64_t *ids) {
    const uint8_t *hand = match->hands[match->turn];
    const int table = match->table, most = table < CLEARED ? rules->value[table] - 1 : ELEVEN;
    const int size = table < CLEARED ? rules->quantity[table] + rules->jokers[table] : 1;
    int64_t *to = ids;
    for (int value = table == FIRST_PLAY ? ELEVEN : 1; value <= most; ++value) {
        if (hand[value] + hand[JOKER] < size) continue;
        for (int quantity = 1; quantity <= hand[value]; ++quantity)
            for (int jokers = 0, id = id_of(value, quantity, 0); jokers <= hand[JOKER]; ++jokers)
                if (quantity + jokers >= size) *to++ = id + jokers;
    }
    if (table == CLEARED && hand[JOKER]) *to++ = LONE_JOKER;
    if (table < CLEARED) *to++ = PASS;
    return (int)(to - ids);
}

static int list_ids(const Core *core, Py_ssize_t k, int64_t *ids) {
    const Match *match = &core->matches[k];
    if (match->asked == PLAYING) return list_discards(core->rules, match, ids);
    if (match->asked == SPECIAL) return ids[0] = LONE_JOKER, ids[1] = PASS, 2;
    int count = 0;
    for (int value = 1; value < VALUES; ++value)
        if (givable(match, value)) ids[count++] = value == JOKER ? LONE_JOKER : id_of(value, 1, 0);
    return count;
}

// Take the card of lowest value out of a hand, and return it.
static int take_lowest(uint8_t *hand) {
    int value = 1;
    while (value < JOKER && !hand[value]) ++value;
    --hand[value];
    return value;
}

// Exchange the Chef's two cards for the Dishwasher's two lowest, and the Souschef's one for the Waiter's lowest.
static void exchange(Match *match, int souschefs) {
    uint8_t *of[SEATS];
    for (int role = 0; role < SEATS; ++role) of[role] = match->hands[seat_of(match, role)];
    const int lowest = take_lowest(of[DISHWASHER]), next = take_lowest(of[DISHWASHER]), waiters = take_lowest(of[WAITER]);
    --of[CHEF][match->gift[0]], --of[CHEF][match->gift[1]], --of[SOUSCHEF][souschefs];
    ++of[CHEF][lowest], ++of[CHEF][next], ++of[SOUSCHEF][waiters];
    ++of[DISHWASHER][match->gift[0]], ++of[DISHWASHER][match->gift[1]], ++of[WAITER][souschefs];
}

static Outcome open_deal(const Rules *rules, Match *match, int action) {
    if (match->asked == SPECIAL) {
        if (action < LONE_JOKER) return ILLEGAL;
        const bool fight = match->roles[match->turn] == DISHWASHER;
        if (action == LONE_JOKER && !fight) return begin_play(match), GOES_ON;
        // A food fight reverses roles.
        for (int seat = 0; action == LONE_JOKER && seat < SEATS; ++seat)
            match->roles[seat] = (uint8_t)(DISHWASHER - match->roles[seat]);
        return begin_exchange(match), GOES_ON;
    }
    if (action == PASS) return ILLEGAL;
    const int value = rules->value[action];
    const bool single = action == LONE_JOKER || (rules->quantity[action] == 1 && !rules->jokers[action]);
    if (!single || !givable(match, value)) return ILLEGAL;
    if (match->asked == SOUSCHEFS) {
        exchange(match, value);
        return begin_play(match), GOES_ON;
    }
    match->gift[match->picked++] = (uint8_t)value;
    if (match->picked == 2) match->asked = SOUSCHEFS, match->turn = (uint8_t)seat_of(match, SOUSCHEF);
    return GOES_ON;
}

static bool may(const Rules *rules, const Match *match, int action) {
    const uint8_t *hand = match->hands[match->turn];
    const int table = match->table;
    if (action == PASS) return table < CLEARED;
    const int value = rules->value[action], quantity = rules->quantity[action], jokers = rules->jokers[action];
    if (hand[JOKER] < jokers || (quantity && hand[value] < quantity)) return false;
    if (table == CLEARED) return true;
    if (table == FIRST_PLAY) return value == ELEVEN;
    return value < rules->value[table] && quantity + jokers >= rules->quantity[table] + rules->jokers[table];
}

// Return the next seat clockwise not in `out`, which may be the seat itself; -1 if all are in it.
static int following(int seat, int out) {
    for (int place = 1; place <= SEATS; ++place)
        if (!(out >> (seat + place) % SEATS & 1)) return (seat + place) % SEATS;
    return -1;
}

static Outcome end_deal(Core *core, Py_ssize_t k, float *points) {
    Match *match = &core->matches[k];
    for (int place = 0; place < SEATS; ++place) {
        match->roles[match->order[place]] = (uint8_t)place;
        match->totals[match->order[place]] += (uint64_t)(SEATS - 1 - place);
    }
    ++match->deal;
    if (next_deal(core, k)) return GOES_ON;
    for (int seat = 0; seat < SEATS; ++seat) points[seat] = (float)match->totals[seat];
    return OVER;
}

static Outcome act(Core *core, Py_ssize_t k, int action, float *points) {
    const Rules *rules = core->rules;
    Match *match = &core->matches[k];
    if (match->asked != PLAYING) return open_deal(rules, match, action);
    if (!may(rules, match, action)) return ILLEGAL;
    const int seat = match->turn;
    if (action == PASS) match->out |= (uint8_t)(1 << seat);
    else {
        uint8_t *hand = match->hands[seat];
        if (action != LONE_JOKER) hand[rules->value[action]] -= rules->quantity[action];
        hand[JOKER] -= rules->jokers[action];
        match->table = (uint8_t)action, match->last = (uint8_t)seat;
        if (!size_of(hand)) {
            match->out |= (uint8_t)(1 << seat), match->done |= (uint8_t)(1 << seat);
            match->order[match->places++] = (uint8_t)seat;
            if (match->places == SEATS - 1) {
                match->order[SEATS - 1] = (uint8_t)following(seat, match->done);
                return end_deal(core, k, points);
            }
        }
    }
    int turn = following(seat, match->out);
    if (turn == match->last || turn < 0) {
        // All others have passed: a pizza.
        turn = match->done >> match->last & 1 ? following(match->last, match->done) : match->last;
        match->table = CLEARED, match->out = match->done;
    }
    match->turn = (uint8_t)turn;
    return GOES_ON;
}

static float share(int value) { return (float)value / 13; }

static void look(const Core *core, Py_ssize_t k, int seat, const int64_t *ids, int count, void *to) {
    const Rules *rules = core->rules;
    const Match *match = &core->matches[k];
    const int table = match->table;
    float *cells = to;
    memset(cells, 0, CELLS * sizeof *cells);
    if (table >= CLEARED) cells[0] = 1;
    else {
        // All elevens with both jokers exceed the cells of the board.
        const int quantity = rules->quantity[table], size = quantity + rules->jokers[table];
        for (int i = 0; i < size && i < BOARD; ++i) cells[i] = share(i < quantity ? rules->value[table] : JOKER);
    }
    float *card = cells + LEGAL;
    for (int value = JOKER; value; --value)
        for (int left = match->hands[seat][value]; left; --left) *--card = share(value);
    for (int i = 0; i < count; ++i) cells[LEGAL + ids[i]] = 1;
}

MODULE(chefs_hat)
