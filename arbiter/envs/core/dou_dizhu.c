// Dou Dizhu: the rules of arbiter/games/dou_dizhu and the views of arbiter/envs/observers/dou_dizhu.py, which are
// the reference. Python passes the table of combinations: those with one main part, a family, have consecutive ids.
//
// Cards are counts, four bits for each rank. A ladder has a one in those bits for each card, so that a hand holds a
// combination if none of its ones is missing.

#include "core.h"

enum { SEATS = 3, RANKS = 15, CARDS = 54, HAND = 17, MOST = 20, MOST_BOMBS = 14 };
enum { FIRST_PAIR = 15, FIRST_TRIO = 28, FIRST_BOMB = 27457, ROCKET = 27470, PASS = 27471, ACTIONS = 27472 };
enum { SOLO_CHAINS = 379, PAIR_CHAINS = 415, TRIO_CHAINS = 467, CHAINED = 12 };
// The first family with kickers of each kind; for chains, of two trios.
enum { TRIO_SOLO = 41, TRIO_PAIR = 54, CHAIN_SOLOS = 200, CHAIN_PAIRS = 238, FOUR_SOLOS = 268, FOUR_PAIRS = 281 };
enum { FAMILIES = 309 };
// The first cell of each part of an observation.
enum { PLANE = 54, RECENT = 9, BEST = PLANE, ACTED = 2 * PLANE, PLAYED = ACTED + RECENT * PLANE };
enum { LAST = PLAYED + SEATS * PLANE, LEFT = LAST + SEATS * PLANE, EXTRA = LEFT + SEATS * MOST, ROLE = EXTRA + PLANE };
enum { CELLS = ROLE + SEATS };

static const uint64_t ONES = 0x111111111111111, LOW = 0x111111111111, GUARD = 0x888888888888888;
static const uint64_t JOKERS = 0x110000000000000;

typedef struct {
    uint64_t landlord, hands[SEATS], extra;
} Deal;

typedef struct {
    int first, after;    // ids of the family
    int end;             // the id after the last of its type and length
    uint64_t main;       // the ladder of the main part
} Family;

struct Rules {
    bool doubled;  // for each bomb
    Family families[FAMILIES];
    uint16_t family_of[ACTIONS];
    uint64_t cards[ACTIONS], ladders[ACTIONS];
    Py_ssize_t deals;
    uint64_t landlords[];
};

struct Match {
    uint64_t number, deal;  // match since the seed; deal in the match
    const Deal *given;      // the given first deals of the match
    uint64_t given_count;
    bool drawn;      // whether deals of the programme follow
    uint8_t turn;    // the seat to act
    uint8_t acted;   // the role that acts next
    uint8_t owner;   // of the combination to beat
    uint8_t bombs;
    uint16_t best;   // the combination to beat, PASS for a lead
    uint64_t hands[SEATS];
    uint64_t recent[RECENT];  // the cards of the last actions, zeros before the first
    Deal dealt;
    int64_t totals[SEATS];
};

// The eight cells of two ranks.
static unsigned char eight_cells[256][8];

static int turn_of(const Core *core, Py_ssize_t k) { return core->matches[k].turn; }

static uint64_t ladder_of(uint64_t counts) {
    const uint64_t half = counts >> 1, most = counts >> 2 & ONES, two = (half & ONES) | most;
    return (counts & ONES) | two | two << 1 | ((counts & half & ONES) | most) << 2 | most << 3;
}

static int size_of(uint64_t counts) {
    const uint64_t nibbles = 0x0f0f0f0f0f0f0f0f;
    return (int)(((counts & nibbles) + (counts >> 4 & nibbles)) * 0x0101010101010101 >> 56);
}

static bool holds(uint64_t hand, uint64_t cards) { return (((hand | GUARD) - cards) & GUARD) == GUARD; }

// Return true for at most four cards of each rank and one of each joker.
static bool are_cards(uint64_t counts) {
    const uint64_t most = counts >> 2 & ONES;
    return !(counts >> 60) && !(counts & GUARD) && !(most & (counts | counts >> 1)) && !(counts & JOKERS * 14);
}

// Options: whether bombs double, the number of deals, their landlords; for each family its first id, the id after the last
// of its type and length, and the main part's ladder; the cards of each id.
static bool read_rules(Rules *rules, const uint64_t *options, Py_ssize_t count) {
    rules->doubled = options[0] != 0;
    rules->deals = count;
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (options[2 + i] >= SEATS) return false;
        rules->landlords[i] = options[2 + i];
    }
    const uint64_t *family = options + 2 + count, *cards = family + 3 * FAMILIES;
    for (int i = 0, last = -1; i < FAMILIES; ++i, family += 3) {
        const uint64_t after = i + 1 < FAMILIES ? family[3] : ACTIONS;
        if (family[0] != (uint64_t)(last + 1) || after <= family[0] || after > ACTIONS) return false;
        if (family[1] > PASS) return false;
        rules->families[i] = (Family){(int)family[0], (int)after, (int)family[1], family[2]};
        for (int id = (int)family[0]; id < (int)after; ++id) rules->family_of[id] = (uint16_t)i;
        last = (int)after - 1;
    }
    for (int id = 0; id < ACTIONS; ++id) {
        if (!are_cards(cards[id])) return false;
        rules->cards[id] = cards[id], rules->ladders[id] = ladder_of(cards[id]);
    }
    return rules->families[FAMILIES - 1].first == PASS && !rules->cards[PASS];
}

static bool open_rules(Core *core, const uint64_t *options, Py_ssize_t count) {
    const Py_ssize_t deals = count - 2 - 3 * FAMILIES - ACTIONS;
    bool right = deals >= 1 && options[1] == (uint64_t)deals;
    if (right) {
        core->rules = PyMem_Calloc(1, sizeof(Rules) + (size_t)deals * sizeof *options);
        if (!core->rules) return PyErr_NoMemory(), false;
        right = read_rules(core->rules, options, deals);
    }
    if (!right) return PyErr_SetString(PyExc_ValueError, "options that are not those of Dou Dizhu"), false;
    for (int two = 0; two < 256; ++two)
        for (int cell = 0; cell < 8; ++cell) eight_cells[two][cell] = (two >> (cell & 4) & 7) > (cell & 3);
    core->seats = SEATS, core->actions = ACTIONS, core->cells = CELLS, core->cell = 1;
    core->most = ACTIONS;
    return true;
}

// Begin a deal; the landlord leads.
static void begin_deal(Match *match, const Deal *deal) {
    match->dealt = *deal;
    match->turn = match->owner = (uint8_t)deal->landlord;
    match->acted = match->bombs = 0;
    match->best = PASS;
    memcpy(match->hands, deal->hands, sizeof match->hands);
    memset(match->recent, 0, sizeof match->recent);
}

// Begin the next deal; false after the last.
static bool next_deal(const Core *core, Py_ssize_t k) {
    Match *match = &core->matches[k];
    if (match->deal < match->given_count) return begin_deal(match, &match->given[match->deal]), true;
    if (!match->drawn || match->deal >= (uint64_t)core->rules->deals) return false;
    Deal deal = {.landlord = core->rules->landlords[match->deal]};
    Stream stream = stream_of(&core->names[k], match->number, match->deal);
    unsigned char order[CARDS];
    shuffled(&stream, CARDS, order);
    uint64_t parts[SEATS + 1] = {0};
    for (int i = 0; i < CARDS; ++i) parts[i / HAND] += (uint64_t)1 << 4 * (order[i] / 4 + order[i] / 53);
    memcpy(deal.hands, parts, sizeof deal.hands);
    deal.extra = parts[SEATS];
    deal.hands[deal.landlord] += deal.extra;
    begin_deal(match, &deal);
    return true;
}

static bool is_deal(const Deal *deal) {
    bool right = deal->landlord < SEATS && are_cards(deal->extra);
    for (int seat = 0; right && seat < SEATS; ++seat)
        right = are_cards(deal->hands[seat]) && deal->hands[seat] && size_of(deal->hands[seat]) <= MOST;
    return right;
}

// Numbers: match, deal, drawn, number of actions so far, the best, its owner, bombs; three each of: hands, points; the
// cards of the last nine actions; the deal, then the given deals, five numbers each.
enum { HEAD = 7, SCALARS = HEAD + 2 * SEATS + RECENT, DEAL = sizeof(Deal) / sizeof(uint64_t) };

static bool load_match(Core *core, Py_ssize_t k, const uint64_t *numbers, Py_ssize_t count) {
    const uint64_t most[HEAD] = {UINT64_MAX, UINT64_MAX, 1, UINT64_MAX, PASS, SEATS - 1, MOST_BOMBS};
    if (count < SCALARS + DEAL || (count - SCALARS) % DEAL) return false;
    for (int i = 0; i < HEAD; ++i)
        if (numbers[i] > most[i]) return false;
    Match match = {.number = numbers[0], .deal = numbers[1], .drawn = numbers[2] != 0};
    match.best = (uint16_t)numbers[4], match.owner = (uint8_t)numbers[5], match.bombs = (uint8_t)numbers[6];
    memcpy(&match.dealt, numbers + SCALARS, sizeof match.dealt);
    if (!is_deal(&match.dealt)) return false;
    match.acted = (uint8_t)(numbers[3] % SEATS);
    match.turn = (uint8_t)((match.dealt.landlord + match.acted) % SEATS);
    for (int seat = 0; seat < SEATS; ++seat) {
        const uint64_t hand = numbers[HEAD + seat];
        if (!are_cards(hand) || !hand || !holds(match.dealt.hands[seat], hand)) return false;
        match.hands[seat] = hand;
        match.totals[seat] = (int64_t)numbers[HEAD + SEATS + seat];
    }
    for (int i = 0; i < RECENT; ++i) {
        match.recent[i] = numbers[HEAD + 2 * SEATS + i];
        if (!are_cards(match.recent[i])) return false;
    }
    match.given_count = (uint64_t)((count - SCALARS) / DEAL - 1);
    match.given = match.given_count ? (const Deal *)(numbers + SCALARS + DEAL) : NULL;
    for (uint64_t i = 0; i < match.given_count; ++i)
        if (!is_deal(&match.given[i])) return false;
    core->matches[k] = match;
    return true;
}

static void take_match(const Core *core, Py_ssize_t k, const unsigned char *bytes, Match *to) {
    Match match;
    memcpy(&match, bytes + (size_t)k * sizeof match, sizeof match);
    match.given = core->matches[k].given;
    to[k] = match;
}

// Append the ids of ranks, given as a mask.
static int64_t *add_ranks(int64_t *ids, uint64_t ranks, int first) {
    for (; ranks; ranks &= ranks - 1) *ids++ = first + lowest_of(ranks) / 4;
    return ids;
}

// Append chains without kickers; `runs` has the first ranks of the shortest ones.
static int64_t *add_chains(int64_t *ids, uint64_t runs, int shortest, int first) {
    for (int length = shortest; runs; runs &= runs >> 4) {
        ids = add_ranks(ids, runs, first);
        first += CHAINED + 1 - length++;
    }
    return ids;
}

// Append the combinations of a family of which no card is missing.
static int64_t *add_held(const Rules *rules, int family, uint64_t missing, int64_t *ids) {
    const int after = rules->families[family].after;
    for (int id = rules->families[family].first; id < after; ++id) {
        *ids = id;
        ids += !(rules->ladders[id] & missing);
    }
    return ids;
}

// Append those of the families whose main parts are single ranks.
static int64_t *add_by_rank(const Rules *rules, int first, uint64_t ranks, uint64_t missing, int64_t *ids) {
    for (; ranks; ranks &= ranks - 1) ids = add_held(rules, first + lowest_of(ranks) / 4, missing, ids);
    return ids;
}

// Append chains of two to `longest` trios with kickers.
static int64_t *add_by_chain(
    const Rules *rules, int first, int longest, uint64_t runs, uint64_t missing, int64_t *ids) {
    for (int length = 2; length <= longest && runs; runs &= runs >> 4) {
        ids = add_by_rank(rules, first, runs, missing, ids);
        first += CHAINED + 1 - length++;
    }
    return ids;
}

// Append all combinations that may be led.
static int64_t *lead(const Rules *rules, uint64_t one, uint64_t two, uint64_t three, uint64_t four, int64_t *ids) {
    const uint64_t missing = ~(one | two << 1 | three << 2 | four << 3);
    ids = add_ranks(ids, one, 0);
    ids = add_ranks(ids, two, FIRST_PAIR);
    ids = add_ranks(ids, three, FIRST_TRIO);
    ids = add_by_rank(rules, TRIO_SOLO, three, missing, ids);
    ids = add_by_rank(rules, TRIO_PAIR, three, missing, ids);
    const uint64_t twice = one & LOW & (one & LOW) >> 4, pairs = two & LOW, trios = three & LOW & (three & LOW) >> 4;
    ids = add_chains(ids, twice & twice >> 4 & twice >> 8 & twice >> 12, 5, SOLO_CHAINS);
    ids = add_chains(ids, pairs & pairs >> 4 & pairs >> 8, 3, PAIR_CHAINS);
    if (trios) {
        ids = add_chains(ids, trios, 2, TRIO_CHAINS);
        ids = add_by_chain(rules, CHAIN_SOLOS, 5, trios, missing, ids);
        ids = add_by_chain(rules, CHAIN_PAIRS, 4, trios, missing, ids);
    }
    ids = add_by_rank(rules, FOUR_SOLOS, four, missing, ids);
    return add_by_rank(rules, FOUR_PAIRS, four, missing, ids);
}

// Append the higher ones of the type of `best`, which is not a bomb.
static int64_t *rivals(
    const Rules *rules, int best, uint64_t one, uint64_t two, uint64_t three, uint64_t four, int64_t *ids) {
    if (best < FIRST_PAIR) return add_ranks(ids, one & (uint64_t)-2 << 4 * best, 0);
    if (best < FIRST_TRIO) return add_ranks(ids, two & (uint64_t)-2 << 4 * (best - FIRST_PAIR), FIRST_PAIR);
    const uint64_t missing = ~(one | two << 1 | three << 2 | four << 3);
    const int of = rules->family_of[best], end = rules->families[of].end;
    for (int family = of + 1; rules->families[family].first < end; ++family)
        if (!(rules->families[family].main & missing)) ids = add_held(rules, family, missing, ids);
    return ids;
}

static int list_ids(const Core *core, Py_ssize_t k, int64_t *ids) {
    const Match *match = &core->matches[k];
    const uint64_t hand = match->hands[match->turn], half = hand >> 1, four = hand >> 2 & ONES;
    const uint64_t two = (half & ONES) | four, one = (hand & ONES) | two, three = (hand & half & ONES) | four;
    const int best = match->best;
    int64_t *to = ids;
    if (best == PASS) to = lead(core->rules, one, two, three, four, to);
    else if (best < FIRST_BOMB) to = rivals(core->rules, best, one, two, three, four, to);
    const bool bombed = best >= FIRST_BOMB && best != PASS;
    to = add_ranks(to, bombed ? four & (uint64_t)-2 << 4 * (best - FIRST_BOMB) : four, FIRST_BOMB);
    if ((one & JOKERS) == JOKERS && best != ROCKET) *to++ = ROCKET;
    if (best != PASS) *to++ = PASS;
    return (int)(to - ids);
}

static bool may(const Rules *rules, const Match *match, int action) {
    const int best = match->best;
    if (action == PASS) return best != PASS;
    if (!holds(match->hands[match->turn], rules->cards[action])) return false;
    const Family *of = &rules->families[rules->family_of[best]];
    return best == PASS || (of->after <= action && action < of->end) || (action >= FIRST_BOMB && action > best);
}

static Outcome act(Core *core, Py_ssize_t k, int action, float *points) {
    const Rules *rules = core->rules;
    Match *match = &core->matches[k];
    if (!may(rules, match, action)) return ILLEGAL;
    const int seat = match->turn;
    memmove(match->recent, match->recent + 1, (RECENT - 1) * sizeof *match->recent);
    match->recent[RECENT - 1] = rules->cards[action];
    match->turn = (uint8_t)((seat + 1) % SEATS);
    match->acted = (uint8_t)((match->acted + 1) % SEATS);
    if (action == PASS) {
        if (match->turn == match->owner) match->best = PASS;
        return GOES_ON;
    }
    match->best = (uint16_t)action, match->owner = (uint8_t)seat;
    match->bombs = (uint8_t)(match->bombs + (action >= FIRST_BOMB));
    match->hands[seat] -= rules->cards[action];
    if (match->hands[seat]) return GOES_ON;
    const int landlord = (int)match->dealt.landlord;
    const int64_t stake = rules->doubled ? (int64_t)1 << match->bombs : 1;
    for (int other = 0; other < SEATS; ++other)
        match->totals[other] += (other == landlord) == (seat == landlord) ? stake : -stake;
    ++match->deal;
    if (next_deal(core, k)) return GOES_ON;
    for (int other = 0; other < SEATS; ++other) points[other] = (float)match->totals[other];
    return OVER;
}

// Write a plane: four cells for each rank, one for each joker.
static void show(unsigned char *cells, uint64_t counts) {
    for (int two = 0; two < 6; ++two) memcpy(cells + 8 * two, eight_cells[counts >> 8 * two & 255], 8);
    memcpy(cells + 48, eight_cells[counts >> 48 & 15], 4);
    cells[52] = counts >> 52 & 1;
    cells[53] = counts >> 56 & 1;
}

static void look(const Core *core, Py_ssize_t k, int seat, const int64_t *ids, int count, void *to) {
    (void)ids, (void)count;
    const Match *match = &core->matches[k];
    const int landlord = (int)match->dealt.landlord;
    unsigned char *cells = to;
    show(cells, match->hands[seat]);
    show(cells + BEST, core->rules->cards[match->best]);
    for (int i = 0; i < RECENT; ++i) show(cells + ACTED + i * PLANE, match->recent[i]);
    memset(cells + LEFT, 0, SEATS * MOST);
    for (int role = 0; role < SEATS; ++role) {
        const int other = (landlord + role) % SEATS, before = (match->acted - 1 - role + 2 * SEATS) % SEATS;
        const int left = size_of(match->hands[other]);
        show(cells + PLAYED + role * PLANE, match->dealt.hands[other] - match->hands[other]);
        show(cells + LAST + role * PLANE, match->recent[RECENT - 1 - before]);
        if (left) cells[LEFT + role * MOST + left - 1] = 1;
    }
    show(cells + EXTRA, match->dealt.extra);
    for (int role = 0; role < SEATS; ++role) cells[ROLE + role] = (landlord + role) % SEATS == seat;
}

MODULE(dou_dizhu)
