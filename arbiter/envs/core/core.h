// What the games in C share: the stream that deals are drawn from, and the Python type `Core`, many matches of a game
// in play. A game is one file that includes this one, defines what is declared under "A game", and ends with MODULE.
//
// Python hands over arrays of numbers as buffers, which are checked for size and never kept. No call keeps a
// reference to a Python object.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The stream of arbiter/games/cards.py: SHA-256 in counter mode, read as four big-endian words a block.

static const uint32_t SHA_ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

#if defined(__GNUC__) && defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// `sha_block` by the processor's SHA instructions, in a fourth of the time; otherwise dealing takes a fifth of all time.
__attribute__((target("sha,sse4.1"))) static void sha_block_quick(uint32_t digest[8], const unsigned char *bytes) {
    // The instructions need the words in the order FEBA and HGDC.
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)digest), 0xB1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(digest + 4)), 0x1B);
    const __m128i abef = _mm_alignr_epi8(dcba, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, dcba, 0xF0);
    __m128i one = abef, two = cdgh, w[4];
    for (int i = 0; i < 4; ++i)
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), order);
    for (int i = 0; i < 16; ++i) {
        const __m128i now = w[i & 3];
        const __m128i sum = _mm_add_epi32(now, _mm_loadu_si128((const __m128i *)(SHA_ROUNDS + 4 * i)));
        two = _mm_sha256rnds2_epu32(two, one, sum);
        one = _mm_sha256rnds2_epu32(one, two, _mm_shuffle_epi32(sum, 0x0E));
        // Replace these words by those of four rounds later.
        const __m128i last = w[(i + 3) & 3], next = w[(i + 1) & 3];
        const __m128i mixed = _mm_add_epi32(_mm_sha256msg1_epu32(now, next), _mm_alignr_epi8(last, w[(i + 2) & 3], 4));
        w[i & 3] = _mm_sha256msg2_epu32(mixed, last);
    }
    one = _mm_shuffle_epi32(_mm_add_epi32(one, abef), 0x1B);
    two = _mm_shuffle_epi32(_mm_add_epi32(two, cdgh), 0xB1);
    _mm_storeu_si128((__m128i *)digest, _mm_blend_epi16(one, two, 0xF0));
    _mm_storeu_si128((__m128i *)(digest + 4), _mm_alignr_epi8(two, one, 8));
}

static bool sha_is_quick(void) {
    unsigned a, b = 0, c = 0, d;
    const bool sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1;
    return sha && __get_cpuid(1, &a, &b, &c, &d) && c >> 19 & 1;  // and SSE 4.1
}
#else
static void sha_block_quick(uint32_t digest[8], const unsigned char *bytes) { (void)digest, (void)bytes; }
static bool sha_is_quick(void) { return false; }
#endif

// Update the eight words of a digest with a block of 64 bytes.
static void sha_block(uint32_t digest[8], const unsigned char *bytes) {
    uint32_t w[64], a = digest[0], b = digest[1], c = digest[2], d = digest[3];
    uint32_t e = digest[4], f = digest[5], g = digest[6], h = digest[7];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 | (uint32_t)bytes[4 * i + 2] << 8 |
               bytes[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
        const uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turned(x, 7) ^ turned(x, 18) ^ x >> 3) + (turned(y, 17) ^ turned(y, 19) ^ y >> 10);
    }
    for (int i = 0; i < 64; ++i) {
        const uint32_t one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (g ^ (e & (f ^ g))) + SHA_ROUNDS[i] + w[i];
        const uint32_t two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) | (c & (a | b)));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    digest[0] += a, digest[1] += b, digest[2] += c, digest[3] += d;
    digest[4] += e, digest[5] += f, digest[6] += g, digest[7] += h;
}

static void (*sha_taken)(uint32_t digest[8], const unsigned char *bytes) = sha_block;  // `add_type` may replace it

static void sha256(uint32_t digest[8], const unsigned char *text, size_t length) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(digest, first, sizeof first);
    size_t at = 0;
    for (; length - at >= 64; at += 64) sha_taken(digest, text + at);
    unsigned char last[128] = {0};
    const size_t left = length - at, size = left < 56 ? 64 : 128;
    if (left) memcpy(last, text + at, left);
    last[left] = 0x80;
    for (int i = 0; i < 8; ++i) last[size - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> 8 * i);
    for (size_t i = 0; i < size; i += 64) sha_taken(digest, last + i);
}

enum { NUMBER = 21 };  // most characters of a number with a bar

// The name of a match's deals, "arbiter-deals-1|seed|", with room for three numbers behind it.
typedef struct {
    unsigned char *text;
    size_t length;
} Name;

typedef struct {
    unsigned char *text;  // of a Name
    size_t length;        // with the numbers of match and deal
    uint64_t block, words[4];
    int next;  // of the words
} Stream;

static size_t write_number(unsigned char *at, uint64_t number) {
    unsigned char digits[NUMBER];
    size_t count = 0;
    do digits[count++] = (unsigned char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < count; ++i) at[i] = digits[count - 1 - i];
    return count;
}

// Return the stream of deal `deal` of match `match`; valid until the next one of this name.
static Stream stream_of(const Name *name, uint64_t match, uint64_t deal) {
    Stream stream = {name->text, name->length, 0, {0}, 4};
    stream.length += write_number(stream.text + stream.length, match);
    stream.text[stream.length++] = '|';
    stream.length += write_number(stream.text + stream.length, deal);
    stream.text[stream.length++] = '|';
    return stream;
}

static uint64_t word_of(Stream *stream) {
    if (stream->next == 4) {
        uint32_t digest[8];
        sha256(digest, stream->text, stream->length + write_number(stream->text + stream->length, stream->block++));
        for (int i = 0; i < 4; ++i) stream->words[i] = (uint64_t)digest[2 * i] << 32 | digest[2 * i + 1];
        stream->next = 0;
    }
    return stream->words[stream->next++];
}

// Return a uniform number below m, which has 32 bits. Words of the incomplete last interval, whose upper 32 bits are all
// ones, are rejected.
static uint64_t draw(Stream *stream, uint64_t m) {
    for (;;) {
        const uint64_t word = word_of(stream), rest = word >> 32 == UINT32_MAX ? (0 - m) % m : 0;  // 2^64 % m
        if (!rest || word < 0 - rest) return word % m;
    }
}

// Write the numbers below n (at most 256) in random order.
static void shuffled(Stream *stream, int n, unsigned char *order) {
    for (int i = 0; i < n; ++i) order[i] = (unsigned char)i;
    for (int i = n - 1; i > 0; --i) {
        const int j = (int)draw(stream, (uint64_t)i + 1);
        const unsigned char card = order[i];
        order[i] = order[j], order[j] = card;
    }
}

// Shuffle a deck of at most 64 cards; seat 0 gets the first `each` as a set, seat 1 the next, and so on.
static inline void deal_out(Stream *stream, int cards, int seats, int each, uint64_t *hands) {
    unsigned char order[256];
    shuffled(stream, cards, order);
    const unsigned char *card = order;
    for (int seat = 0; seat < seats; ++seat) {
        hands[seat] = 0;
        for (int i = 0; i < each; ++i) hands[seat] |= (uint64_t)1 << *card++;
    }
}

static inline int count_of(uint64_t bits) { return __builtin_popcountll(bits); }
static inline int lowest_of(uint64_t bits) { return __builtin_ctzll(bits); }

// Many matches in play.

typedef struct Match Match;  // the state of a match; its only pointers are to the numbers it was loaded from
typedef struct Rules Rules;  // the options of the game

// Ids of all matches, one match after the other, and the start of each match in them.
typedef struct {
    int64_t *ids, *first;
    Py_ssize_t room;
} Ids;

typedef struct {
    PyObject_HEAD
    Py_ssize_t n;
    int seats, actions, cells, most;  // `most`: the maximum number of legal ids
    size_t cell;                      // bytes of a cell of an observation
    Rules *rules;
    Match *matches, *starts;  // `starts`: the states to which ended matches return, or NULL
    Name *names;
    uint64_t **loaded;   // the numbers that each match was loaded from
    Py_ssize_t *counts;  // of these
    Ids legal, masked;   // `masked`: the ones in the mask written last
    bool listed;         // whether `legal` is up to date
    Py_ssize_t missing;    // matches not loaded yet
} Core;

// A game.

typedef enum { ILLEGAL, GOES_ON, OVER } Outcome;

static size_t match_size(void);
// Read the options, and set the sizes in `core`; false with a Python error.
static bool open_rules(Core *core, const uint64_t *options, Py_ssize_t count);
// Load match k from `numbers`, which stay in memory and are referred to; false if they are not a valid match.
static bool load_match(Core *core, Py_ssize_t k, const uint64_t *numbers, Py_ssize_t count);
// Copy match k from the bytes of another Core; its pointers become those of `core->matches[k]`, loaded from the same.
static void take_match(const Core *core, Py_ssize_t k, const unsigned char *bytes, Match *to);
static void next_match(Core *core, Py_ssize_t k);
static uint64_t number_of_match(const Core *core, Py_ssize_t k);
static int turn_of(const Core *core, Py_ssize_t k);
// Write the legal ids, ascending; return their number.
static int list_ids(const Core *core, Py_ssize_t k, int64_t *ids);
// Do an existing action; ILLEGAL changes nothing. With OVER write the points by seat; the match stays in its final state
// until `next_match`.
static Outcome act(Core *core, Py_ssize_t k, int action, float *points);
// Write the observation of a seat. `ids` are the legal ids of the seat to act, NULL when the match is over.
static void look(const Core *core, Py_ssize_t k, int seat, const int64_t *ids, int count, void *cells);

// The type.

// Make room for `count` ids; false with a Python error.
static bool make_room(Ids *list, Py_ssize_t count) {
    if (list->room >= count) return true;
    int64_t *ids = PyMem_Realloc(list->ids, 2 * (size_t)count * sizeof *ids);
    if (!ids) return PyErr_NoMemory(), false;
    list->ids = ids, list->room = 2 * count;
    return true;
}

// Update `legal` with all legal ids; false with a Python error.
static bool enumerate(Core *core) {
    if (core->listed) return true;
    Ids *legal = &core->legal;
    for (Py_ssize_t k = 0, count = 0; k < core->n; ++k) {
        if (!make_room(legal, count + core->most)) return false;
        count += list_ids(core, k, legal->ids + count);
        legal->first[k + 1] = count;
    }
    return core->listed = true;
}

// Get the buffer of an array with this many bytes; false with a Python error, and without a buffer, if the size is wrong
// or a match is not loaded.
static bool borrow(const Core *core, PyObject *array, Py_buffer *view, Py_ssize_t bytes, int flags) {
    if (core->missing) return PyErr_SetString(PyExc_ValueError, "there are matches that were not loaded"), false;
    if (PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS | flags) < 0) return false;
    if (view->len == bytes) return true;
    PyErr_Format(PyExc_ValueError, "an array has %zd bytes, not %zd", view->len, bytes);
    PyBuffer_Release(view);
    return false;
}

static void core_close(PyObject *self) {
    Core *core = (Core *)self;
    for (Py_ssize_t k = 0; core->names && k < core->n; ++k) PyMem_Free(core->names[k].text);
    for (Py_ssize_t k = 0; core->loaded && k < core->n; ++k) PyMem_Free(core->loaded[k]);
    PyMem_Free(core->names), PyMem_Free(core->loaded), PyMem_Free(core->counts);
    PyMem_Free(core->rules), PyMem_Free(core->matches);
    PyMem_Free(core->starts), PyMem_Free(core->legal.ids), PyMem_Free(core->legal.first);
    PyMem_Free(core->masked.ids), PyMem_Free(core->masked.first);
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static bool core_open(Core *core, const uint64_t *options, Py_ssize_t count) {
    if (!open_rules(core, options, count)) return false;
    const size_t n = (size_t)core->n;
    core->missing = core->n;
    core->matches = PyMem_Calloc(n, match_size());
    core->names = PyMem_Calloc(n, sizeof *core->names);
    core->loaded = PyMem_Calloc(n, sizeof *core->loaded);
    core->counts = PyMem_Calloc(n, sizeof *core->counts);
    core->legal.first = PyMem_Calloc(n + 1, sizeof *core->legal.first);
    core->masked.first = PyMem_Calloc(n + 1, sizeof *core->masked.first);
    if (core->matches && core->names && core->loaded && core->counts && core->legal.first && core->masked.first) return true;
    PyErr_NoMemory();
    return false;
}

// Core(n, options)
static PyObject *core_new(PyTypeObject *type, PyObject *args, PyObject *words) {
    Py_ssize_t n;
    PyObject *array;
    Py_buffer options;
    if (words && PyDict_GET_SIZE(words)) return PyErr_Format(PyExc_TypeError, "Core takes no keywords");
    if (!PyArg_ParseTuple(args, "nO", &n, &array)) return NULL;
    if (n < 1) return PyErr_Format(PyExc_ValueError, "a number of matches is an integer from 1, not %zd", n);
    if (PyObject_GetBuffer(array, &options, PyBUF_C_CONTIGUOUS) < 0) return NULL;
    Core *core = (Core *)type->tp_alloc(type, 0);
    if (core) {
        core->n = n;
        if (!core_open(core, options.buf, options.len / (Py_ssize_t)sizeof(uint64_t))) Py_CLEAR(core);
    }
    PyBuffer_Release(&options);
    return (PyObject *)core;
}

// load(k, name, numbers): replace match k, and drop all starts.
static PyObject *core_load(PyObject *self, PyObject *args) {
    Core *core = (Core *)self;
    Py_ssize_t k;
    Py_buffer name, given;
    if (!PyArg_ParseTuple(args, "ny*y*", &k, &name, &given)) return NULL;
    const Py_ssize_t count = given.len / (Py_ssize_t)sizeof(uint64_t);
    unsigned char *text = PyMem_Malloc((size_t)name.len + 3 * NUMBER);
    uint64_t *numbers = PyMem_Malloc((size_t)given.len + 1);
    const bool room = text && numbers;
    bool taken = false;
    if (room && k >= 0 && k < core->n) {
        if (name.len) memcpy(text, name.buf, (size_t)name.len);
        if (given.len) memcpy(numbers, given.buf, (size_t)given.len);
        taken = load_match(core, k, numbers, count);
        if (taken) {
            // Starts may point to what is freed here.
            PyMem_Free(core->starts), PyMem_Free(core->names[k].text), PyMem_Free(core->loaded[k]);
            core->starts = NULL;
            core->missing -= !core->loaded[k];
            core->names[k] = (Name){text, (size_t)name.len};
            core->loaded[k] = numbers, core->counts[k] = count;
            core->listed = false;
        }
    }
    PyBuffer_Release(&name), PyBuffer_Release(&given);
    if (taken) Py_RETURN_NONE;
    PyMem_Free(text), PyMem_Free(numbers);
    return room ? PyErr_Format(PyExc_ValueError, "match %zd cannot be this one", k) : PyErr_NoMemory();
}

// mark(): store the present states as starts: matches that end return to them, instead of the next matches.
static PyObject *core_mark(PyObject *self, PyObject *nothing) {
    (void)nothing;
    Core *core = (Core *)self;
    const size_t bytes = (size_t)core->n * match_size();
    PyMem_Free(core->starts);
    core->starts = PyMem_Malloc(bytes);
    if (!core->starts) return PyErr_NoMemory();
    memcpy(core->starts, core->matches, bytes);
    Py_RETURN_NONE;
}

// state(): return name and numbers that each match was loaded from, the states of all matches, and their starts or None.
static PyObject *core_state(PyObject *self, PyObject *nothing) {
    (void)nothing;
    const Core *core = (Core *)self;
    if (core->missing) return PyErr_Format(PyExc_ValueError, "there are matches that were not loaded");
    PyObject *loads = PyList_New(core->n);
    for (Py_ssize_t k = 0; loads && k < core->n; ++k) {
        const Name *name = &core->names[k];
        PyObject *load = Py_BuildValue("y#y#", (const char *)name->text, (Py_ssize_t)name->length,
                                       (const char *)core->loaded[k], core->counts[k] * (Py_ssize_t)sizeof(uint64_t));
        if (load) PyList_SET_ITEM(loads, k, load);
        else Py_CLEAR(loads);
    }
    if (!loads) return NULL;
    const Py_ssize_t bytes = core->n * (Py_ssize_t)match_size();
    return Py_BuildValue("Ny#z#", loads, (const char *)core->matches, bytes, (const char *)core->starts, bytes);
}

// restore(matches, starts): set all states to those returned by `state` of another Core; its matches must be loaded here
// first. The bytes are trusted, like any pickle.
static PyObject *core_restore(PyObject *self, PyObject *args) {
    Core *core = (Core *)self;
    Py_buffer matches, starts;
    if (!PyArg_ParseTuple(args, "y*z*", &matches, &starts)) return NULL;
    const Py_ssize_t bytes = core->n * (Py_ssize_t)match_size();
    const bool fits = !core->missing && matches.len == bytes && (!starts.buf || starts.len == bytes);
    Match *const room = fits && starts.buf ? PyMem_Malloc((size_t)bytes) : NULL;
    const bool done = fits && (room || !starts.buf);
    for (Py_ssize_t k = 0; done && k < core->n; ++k) {
        if (room) take_match(core, k, starts.buf, room);
        take_match(core, k, matches.buf, core->matches);
    }
    if (done) {
        PyMem_Free(core->starts);
        core->starts = room, core->listed = false;
    }
    PyBuffer_Release(&matches);
    if (starts.obj) PyBuffer_Release(&starts);
    if (done) Py_RETURN_NONE;
    return fits ? PyErr_NoMemory() : PyErr_Format(PyExc_ValueError, "this is not the state of these matches");
}

// match(k): return the number of match k since its seed.
static PyObject *core_match(PyObject *self, PyObject *number) {
    const Py_ssize_t k = PyNumber_AsSsize_t(number, PyExc_IndexError);
    if (k == -1 && PyErr_Occurred()) return NULL;
    if (k < 0 || k >= ((Core *)self)->n) return PyErr_Format(PyExc_IndexError, "there is no match %zd", k);
    return PyLong_FromUnsignedLongLong(number_of_match((Core *)self, k));
}

// turns(seats): write the seats to act, int64[n].
static PyObject *core_turns(PyObject *self, PyObject *array) {
    Core *core = (Core *)self;
    Py_buffer seats;
    if (!borrow(core, array, &seats, core->n * (Py_ssize_t)sizeof(int64_t), PyBUF_WRITABLE)) return NULL;
    for (Py_ssize_t k = 0; k < core->n; ++k) ((int64_t *)seats.buf)[k] = turn_of(core, k);
    PyBuffer_Release(&seats);
    Py_RETURN_NONE;
}

// starts(first): write the start of each match's legal ids and their total, int64[n + 1].
static PyObject *core_starts(PyObject *self, PyObject *array) {
    Core *core = (Core *)self;
    Py_buffer first;
    const Py_ssize_t bytes = (core->n + 1) * (Py_ssize_t)sizeof(int64_t);
    if (!borrow(core, array, &first, bytes, PyBUF_WRITABLE)) return NULL;
    const bool listed = enumerate(core);
    if (listed) memcpy(first.buf, core->legal.first, (size_t)bytes);
    PyBuffer_Release(&first);
    if (!listed) return NULL;
    Py_RETURN_NONE;
}

// ids(array): write all legal ids; the last number of `starts` is their number.
static PyObject *core_ids(PyObject *self, PyObject *array) {
    Core *core = (Core *)self;
    Py_buffer ids;
    if (!core->missing && !enumerate(core)) return NULL;
    const Py_ssize_t bytes = (Py_ssize_t)core->legal.first[core->n] * (Py_ssize_t)sizeof(int64_t);
    if (!borrow(core, array, &ids, bytes, PyBUF_WRITABLE)) return NULL;
    if (bytes) memcpy(ids.buf, core->legal.ids, (size_t)bytes);
    PyBuffer_Release(&ids);
    Py_RETURN_NONE;
}

enum { ZEROS, WHOLE, AGAIN };  // how masks are written
enum { WIDE = 1024 };          // from this many ids on, clearing the last ones is faster than clearing all

static void set_cells(const Core *core, const Ids *list, signed char *row, signed char cell) {
    for (Py_ssize_t k = 0; k < core->n; ++k, row += core->actions)
        for (int64_t i = list->first[k]; i < list->first[k + 1]; ++i) row[list->ids[i]] = cell;
}

// Write the masks; false with a Python error, and nothing is written.
static bool write_masks(Core *core, signed char *masks, size_t bytes, int how) {
    Ids *legal = &core->legal, *masked = &core->masked;
    const bool kept = how != ZEROS && core->actions >= WIDE;
    if (!enumerate(core)) return false;
    const Py_ssize_t count = (Py_ssize_t)legal->first[core->n];
    if (kept && !make_room(masked, count)) return false;
    if (kept && how == AGAIN) set_cells(core, masked, masks, 0);
    else if (how != ZEROS) memset(masks, 0, bytes);
    set_cells(core, legal, masks, 1);
    if (kept) {
        memcpy(masked->ids, legal->ids, (size_t)count * sizeof *masked->ids);
        memcpy(masked->first, legal->first, (size_t)(core->n + 1) * sizeof *masked->first);
    }
    return true;
}

// masks(array, how): write 1 for each legal id, 0 elsewhere, int8[n, actions]. `how` is ZEROS for an array of zeros, WHOLE
// for any array, AGAIN for the unmodified array of the last call with WHOLE or AGAIN.
static PyObject *core_masks(PyObject *self, PyObject *args) {
    Core *core = (Core *)self;
    PyObject *array;
    int how;
    Py_buffer masks;
    if (!PyArg_ParseTuple(args, "Oi", &array, &how)) return NULL;
    if (!borrow(core, array, &masks, core->n * core->actions, PyBUF_WRITABLE)) return NULL;
    const bool done = write_masks(core, masks.buf, (size_t)masks.len, how);
    PyBuffer_Release(&masks);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

// observations(array): write the observations of the seats to act, (n, cells).
static PyObject *core_observations(PyObject *self, PyObject *array) {
    Core *core = (Core *)self;
    Py_buffer seen;
    const Py_ssize_t row = core->cells * (Py_ssize_t)core->cell;
    if (!borrow(core, array, &seen, core->n * row, PyBUF_WRITABLE)) return NULL;
    const Ids *legal = &core->legal;
    const bool listed = enumerate(core);
    for (Py_ssize_t k = 0; listed && k < core->n; ++k) {
        const int64_t from = legal->first[k];
        look(core, k, turn_of(core, k), legal->ids + from, (int)(legal->first[k + 1] - from), (char *)seen.buf + k * row);
    }
    PyBuffer_Release(&seen);
    if (!listed) return NULL;
    Py_RETURN_NONE;
}

// Do an existing action in every match but those of `wait`, if it is not NULL. `last` receives the observations of matches
// that end, those of the seats that acted, or of `viewers`; both may be NULL.
static void step_all(Core *core, const int64_t *actions, float *points, char *over, char *last, const char *wait,
                     const int64_t *viewers) {
    const Py_ssize_t row = core->cells * (Py_ssize_t)core->cell;
    core->listed = false;
    for (Py_ssize_t k = 0; k < core->n; ++k, points += core->seats) {
        over[k] = 0;
        if (wait && wait[k]) continue;
        const int seat = turn_of(core, k);
        const Outcome outcome = act(core, k, (int)actions[k], points);
        over[k] = outcome != GOES_ON;
        if (outcome == GOES_ON) continue;
        if (outcome == ILLEGAL) points[seat] = -1;
        if (last) look(core, k, viewers ? (int)viewers[k] : seat, NULL, 0, last + k * row);
        if (core->starts) memcpy((char *)core->matches + (size_t)k * match_size(),
                                 (char *)core->starts + (size_t)k * match_size(), match_size());
        else next_match(core, k);
    }
}

// step(actions, rewards, over, last, wait=None, viewers=None): do an action, int64[n], in every match but those of `wait`,
// bool[n]; return False, and change nothing, if one does not exist. Write rewards into float32[n, seats] of zeros, over into
// bool[n], and unless None last observations of ended matches, of the seats that acted or of `viewers`, int64[n].
static PyObject *core_step(PyObject *self, PyObject *args) {
    enum { ACTIONS, REWARDS, OVER, LAST, WAIT, VIEWERS, ALL };
    Core *core = (Core *)self;
    PyObject *given[ALL] = {[WAIT] = Py_None, [VIEWERS] = Py_None};
    Py_buffer views[ALL];
    if (!PyArg_ParseTuple(args, "OOOO|OO", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5]))
        return NULL;
    const Py_ssize_t n = core->n;
    const Py_ssize_t bytes[ALL] = {n * (Py_ssize_t)sizeof(int64_t), n * core->seats * (Py_ssize_t)sizeof(float), n,
                                   n * core->cells * (Py_ssize_t)core->cell, n,
                                   n * (Py_ssize_t)sizeof(int64_t)};
    bool borrowed = true;
    for (int i = 0; i < ALL; ++i) {
        views[i].obj = NULL, views[i].buf = NULL;
        const int how = i == ACTIONS || i > LAST ? 0 : PyBUF_WRITABLE;
        if (borrowed && (given[i] != Py_None || i < LAST)) borrowed = borrow(core, given[i], &views[i], bytes[i], how);
    }
    const int64_t *actions = views[ACTIONS].buf, *viewers = views[VIEWERS].buf;
    const char *wait = views[WAIT].buf;
    bool known = borrowed;
    for (Py_ssize_t k = 0; known && k < n; ++k) {
        known = (actions[k] >= 0 && actions[k] < core->actions) || (wait && wait[k]);
        if (viewers) known = known && viewers[k] >= 0 && viewers[k] < core->seats;
    }
    if (known) step_all(core, actions, views[REWARDS].buf, views[OVER].buf, views[LAST].buf, wait, viewers);
    for (int i = 0; i < ALL; ++i) PyBuffer_Release(&views[i]);
    return borrowed ? PyBool_FromLong(known) : NULL;
}

static PyMethodDef core_methods[] = {
    {"load", core_load, METH_VARARGS, NULL},   {"mark", core_mark, METH_NOARGS, NULL},
    {"match", core_match, METH_O, NULL},       {"turns", core_turns, METH_O, NULL},
    {"starts", core_starts, METH_O, NULL},     {"ids", core_ids, METH_O, NULL},
    {"masks", core_masks, METH_VARARGS, NULL}, {"observations", core_observations, METH_O, NULL},
    {"step", core_step, METH_VARARGS, NULL},   {"state", core_state, METH_NOARGS, NULL},
    {"restore", core_restore, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyType_Slot core_slots[] = {
    {Py_tp_new, core_new}, {Py_tp_dealloc, core_close}, {Py_tp_methods, core_methods}, {0, NULL}};

// digest(text, quick): return the SHA-256; by the processor's SHA instructions if it has them and `quick` is true.
static PyObject *core_digest(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer text;
    int quick;
    if (!PyArg_ParseTuple(args, "y*p", &text, &quick)) return NULL;
    uint32_t digest[8];
    unsigned char bytes[32];
    sha_taken = quick && sha_is_quick() ? sha_block_quick : sha_block;
    sha256(digest, text.buf, (size_t)text.len);
    sha_taken = sha_is_quick() ? sha_block_quick : sha_block;
    PyBuffer_Release(&text);
    for (int i = 0; i < 32; ++i) bytes[i] = (unsigned char)(digest[i / 4] >> 8 * (3 - i % 4));
    return PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
}

static PyMethodDef functions[] = {{"digest", core_digest, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static int add_type(PyObject *module, const char *name) {
    if (sha_is_quick()) sha_taken = sha_block_quick;
    PyType_Spec spec = {name, sizeof(Core), 0, Py_TPFLAGS_DEFAULT, core_slots};
    PyObject *type = PyType_FromSpec(&spec);
    if (!type) return -1;
    const int done = PyModule_AddObjectRef(module, "Core", type);
    Py_DECREF(type);
    return done;
}

// The code that is the same for all games, but needs the definition of `Match`.
#define MODULE(game)                                                                                         \
    static size_t match_size(void) { return sizeof(Match); }                                                 \
    static uint64_t number_of_match(const Core *core, Py_ssize_t k) { return core->matches[k].number; }      \
    static void next_match(Core *core, Py_ssize_t k) {                                                       \
        Match *match = &core->matches[k];                                                                    \
        ++match->number, match->deal = 0;                                                                    \
        memset(match->totals, 0, sizeof match->totals);                                                      \
        next_deal(core, k);                                                                                  \
    }                                                                                                        \
    static int add_core(PyObject *module) { return add_type(module, "arbiter.envs.core." #game ".Core"); }   \
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_core}, {0, NULL}};                                  \
    static PyModuleDef definition = {                                                                        \
        PyModuleDef_HEAD_INIT, "arbiter.envs.core." #game, NULL, 0, functions, slots, NULL, NULL, NULL};     \
    PyMODINIT_FUNC PyInit_##game(void) { return PyModuleDef_Init(&definition); }
