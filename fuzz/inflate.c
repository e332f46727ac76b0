/* inflate.c: a deflate stream read bit by bit, by the words of RFC 1951. */
#include "fuzz/inflate.h"

#include <string.h>

#define MOST_BITS 15u
#define LITERALS 288u
#define DISTANCES 32u

/* A stream on its way. */
struct stream {
    const uint8_t *bytes;
    size_t length;
    size_t at; /* of the next bit */
    bool is_bad;
    uint8_t *out;
    size_t given;
    size_t room;
    bool has_more;
};

/* A code: how many codewords there are of each length, and what they mean, in their order. */
struct code {
    unsigned count[MOST_BITS + 1];
    unsigned symbol[LITERALS];
};

static unsigned take(struct stream *s, unsigned bits)
{
    unsigned number = 0;
    for (unsigned i = 0; i < bits; i++, s->at++) {
        s->is_bad = s->is_bad || s->at / 8 >= s->length;
        if (s->is_bad) return 0;
        number |= ((unsigned)s->bytes[s->at / 8] >> s->at % 8 & 1u) << i;
    }
    return number;
}

static void give(struct stream *s, uint8_t byte)
{
    s->has_more = s->has_more || s->given == s->room;
    if (!s->has_more) s->out[s->given++] = byte;
}

/* Makes a code of the lengths of its codewords. Returns how many codewords of the greatest length could be added:
 * 0 if it is complete, below if there are too many. */
static long make_code(struct code *code, const uint8_t *lengths, unsigned symbols)
{
    unsigned next[MOST_BITS + 2] = {0};
    long left = 1;
    memset(code, 0, sizeof *code);
    for (unsigned i = 0; i < symbols; i++) code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned bits = 1; bits <= MOST_BITS; bits++) {
        left = 2 * left - (long)code->count[bits];
        if (left < 0) return left;
        next[bits + 1] = next[bits] + code->count[bits];
    }
    for (unsigned i = 0; i < symbols; i++)
        if (lengths[i] > 0) code->symbol[next[lengths[i]]++] = i;
    return left;
}

/* Whether a code of literals or distances may be: complete, or one codeword of one bit, or none.   NPZ-DATA-007 */
static bool may_be(const struct code *code, long left)
{
    unsigned all = 0;
    for (unsigned bits = 1; bits <= MOST_BITS; bits++) all += code->count[bits];
    return left == 0 || all == 0 || (all == 1 && code->count[1] == 1);
}

static unsigned decode(struct stream *s, const struct code *code)
{
    unsigned word = 0;
    unsigned first = 0;
    unsigned index = 0;
    for (unsigned bits = 1; bits <= MOST_BITS && !s->is_bad; bits++) {
        word = 2 * word + take(s, 1);
        first *= 2;
        if (word < first + code->count[bits]) return s->is_bad ? 0 : code->symbol[index + word - first];
        index += code->count[bits];
        first += code->count[bits];
    }
    s->is_bad = true; /* it means nothing */
    return 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------------- */

static void read_stored(struct stream *s)
{
    s->at = (s->at + 7) / 8 * 8;
    unsigned length = take(s, 16);
    s->is_bad = take(s, 16) != (length ^ 0xffffu) || s->is_bad;
    for (; length > 0 && !s->is_bad && !s->has_more; length--) {
        uint8_t byte = (uint8_t)take(s, 8);
        if (!s->is_bad) give(s, byte);
    }
}

static void repeat(struct stream *s, unsigned symbol, const struct code *distances)
{
    static const unsigned length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned distance_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                             33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                             1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    unsigned form = symbol - 257;
    s->is_bad = s->is_bad || form > 28;
    if (s->is_bad) return;
    unsigned length = length_base[form] + take(s, form < 8 || form == 28 ? 0 : form / 4 - 1);
    unsigned far = decode(s, distances);
    s->is_bad = s->is_bad || far > 29;
    if (s->is_bad) return;
    size_t distance = distance_base[far] + take(s, far < 4 ? 0 : far / 2 - 1);
    s->is_bad = s->is_bad || distance > s->given;
    for (; length > 0 && !s->is_bad && !s->has_more; length--) give(s, s->out[s->given - distance]);
}

static void read_codes(struct stream *s, const struct code *literals, const struct code *distances)
{
    while (!s->is_bad && !s->has_more) {
        unsigned symbol = decode(s, literals);
        if (s->is_bad || symbol == 256) return;
        if (symbol < 256)
            give(s, (uint8_t)symbol);
        else
            repeat(s, symbol, distances);
    }
}

/* The lengths of the codewords of both codes, which are themselves in a code. */
static void read_lengths(struct stream *s, unsigned wanted, uint8_t *lengths)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t own[19] = {0};
    struct code code;
    unsigned count = 4 + take(s, 4);
    for (unsigned i = 0; i < count; i++) own[order[i]] = (uint8_t)take(s, 3);
    s->is_bad = make_code(&code, own, 19) != 0 || s->is_bad;
    for (unsigned at = 0; at < wanted && !s->is_bad;) {
        unsigned symbol = decode(s, &code);
        unsigned times = symbol < 16    ? 1
                         : symbol == 16 ? 3 + take(s, 2)
                         : symbol == 17 ? 3 + take(s, 3)
                                        : 11 + take(s, 7);
        s->is_bad = s->is_bad || times > wanted - at || (symbol == 16 && at == 0);
        if (s->is_bad) return;
        uint8_t length = symbol < 16 ? (uint8_t)symbol : symbol == 16 ? lengths[at - 1] : 0;
        for (; times > 0; times--) lengths[at++] = length;
    }
}

static void read_dynamic(struct stream *s)
{
    uint8_t lengths[LITERALS + DISTANCES] = {0};
    struct code literals;
    struct code distances;
    unsigned literal_count = 257 + take(s, 5);
    unsigned distance_count = 1 + take(s, 5);
    s->is_bad = s->is_bad || literal_count > 286 || distance_count > 30;
    if (s->is_bad) return;
    read_lengths(s, literal_count + distance_count, lengths);
    if (s->is_bad) return;
    bool are_good = lengths[256] > 0 && may_be(&literals, make_code(&literals, lengths, literal_count));
    are_good = are_good && may_be(&distances, make_code(&distances, lengths + literal_count, distance_count));
    s->is_bad = !are_good;
    read_codes(s, &literals, &distances);
}

static void read_fixed(struct stream *s)
{
    uint8_t lengths[LITERALS + DISTANCES];
    struct code literals;
    struct code distances;
    for (unsigned i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(lengths + LITERALS, 5, DISTANCES);
    (void)make_code(&literals, lengths, LITERALS);
    (void)make_code(&distances, lengths + LITERALS, DISTANCES);
    read_codes(s, &literals, &distances);
}

struct inflated plain_inflate(const uint8_t *stream, size_t length, uint8_t *out, size_t room)
{
    struct stream s = {stream, length, 0, false, out, 0, room, false};
    for (bool is_last = false; !is_last && !s.is_bad && !s.has_more;) {
        is_last = take(&s, 1) == 1;
        unsigned type = take(&s, 2);
        if (s.is_bad) break;
        if (type == 0)
            read_stored(&s);
        else if (type == 1)
            read_fixed(&s);
        else if (type == 2)
            read_dynamic(&s);
        else
            s.is_bad = true;
    }
    struct inflated result = {!s.is_bad && !s.has_more, s.has_more, s.given, (s.at + 7) / 8};
    return result;
}
