/* deflate_end.c: where the last block of a deflate stream begins, and where the stream ends.            NPZ-WRITE-008
 * Reads the streams that libdeflate has just written, so that write_job.c can put another block after them; no
 * stranger's bytes come here. Leaves out what such a stream never has. */
#include "npz/write.h"

#include <string.h>

#define LONGEST_CODE 15u
#define FAST_BITS 10u
#define LITERALS 288u
#define DISTANCES 32u
#define END_OF_BLOCK 256u
#define NO_SYMBOL 511u

/* A Huffman code: the number of codewords of each length, their symbols in order, and of each word of FAST_BITS bits the
 * symbol that it begins with: 16 * symbol + length, 0 if its codeword is longer. */
typedef struct code {
    unsigned count[LONGEST_CODE + 1];
    uint16_t symbol[LITERALS];
    uint16_t fast[1u << FAST_BITS];
} code;

/* A reader of bits. */
typedef struct reader {
    const uint8_t *stream;
    size_t size;
    uint64_t position; /* bits from the start */
    code literals;
    code distances;
} reader;

/* At least 57 of the next bits, the first one lowest; zeros after the end. */
static uint64_t peek(const reader *bits)
{
    const size_t at = (size_t)(bits->position / 8);
    uint64_t word = 0;
    for (unsigned i = 0; i < 8 && at + i < bits->size; i++) word |= (uint64_t)bits->stream[at + i] << 8 * i;
    return word >> bits->position % 8;
}

/* Reads a number of up to 16 bits. */
static unsigned take(reader *bits, unsigned count)
{
    const unsigned number = (unsigned)(peek(bits) & ((1u << count) - 1));
    bits->position += count;
    return number;
}

/* Reads a codeword of any length; NO_SYMBOL if it is none. */
static unsigned take_slowly(reader *bits, const code *of)
{
    unsigned word = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= LONGEST_CODE; length++) {
        word = 2 * word + take(bits, 1);
        first *= 2;
        if (word < first + of->count[length]) return of->symbol[index + word - first];
        index += of->count[length];
        first += of->count[length];
    }
    return NO_SYMBOL;
}

/* Reads a codeword. */
static unsigned take_symbol(reader *bits, const code *of)
{
    const unsigned entry = of->fast[peek(bits) & ((1u << FAST_BITS) - 1)];
    if (entry == 0) return take_slowly(bits, of);
    bits->position += entry % 16;
    return entry / 16;
}

/* The codeword after one of the same length, last bit first. */
static unsigned next_word(unsigned word, unsigned length)
{
    unsigned bit = 1u << (length - 1);
    while (word & bit) bit >>= 1;
    return bit > 0 ? (word & (bit - 1)) | bit : 0;
}

/* Makes a code of the lengths of its codewords. */
static void make_code(code *of, const uint8_t *lengths, unsigned symbols)
{
    unsigned index = 0, word = 0;
    memset(of, 0, sizeof *of);
    for (unsigned length = 1; length <= LONGEST_CODE; length++) {
        for (unsigned symbol = 0; symbol < symbols; symbol++) {
            if (lengths[symbol] != length) continue;
            of->count[length]++;
            of->symbol[index++] = (uint16_t)symbol;
            for (unsigned i = word; i < 1u << FAST_BITS && length <= FAST_BITS; i += 1u << length)
                of->fast[i] = (uint16_t)(16 * symbol + length);
            word = next_word(word, length);
        }
    }
}

/* Passes the codewords of a block; false if it does not end within the stream. */
static bool pass_words(reader *bits)
{
    while (bits->position <= (uint64_t)bits->size * 8) {
        const unsigned symbol = take_symbol(bits, &bits->literals);
        if (symbol == END_OF_BLOCK) return true;
        if (symbol < END_OF_BLOCK) continue;
        const unsigned form = symbol - (END_OF_BLOCK + 1);
        if (form > 28) return false;
        bits->position += form < 8 || form == 28 ? 0 : form / 4 - 1;
        const unsigned distance = take_symbol(bits, &bits->distances);
        if (distance > 29) return false;
        bits->position += distance < 4 ? 0 : distance / 2 - 1;
    }
    return false;
}

/* Passes a block that is stored. */
static bool pass_stored(reader *bits)
{
    bits->position = (bits->position + 7) / 8 * 8;
    const uint64_t length = take(bits, 16);
    bits->position += 16 + 8 * length;
    return bits->position <= (uint64_t)bits->size * 8;
}

static bool pass_fixed(reader *bits)
{
    uint8_t lengths[LITERALS];
    for (unsigned i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&bits->literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(&bits->distances, lengths, DISTANCES);
    return pass_words(bits);
}

/* Reads the lengths of the codewords of both codes, which are themselves in a code. */
static bool read_lengths(reader *bits, unsigned wanted, uint8_t *lengths)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t own[19] = {0};
    const unsigned count = 4 + take(bits, 4);
    for (unsigned i = 0; i < count; i++) own[order[i]] = (uint8_t)take(bits, 3);
    make_code(&bits->literals, own, 19);
    for (unsigned at = 0; at < wanted;) {
        const unsigned symbol = take_symbol(bits, &bits->literals);
        const unsigned times = symbol < 16    ? 1
                               : symbol == 16 ? 3 + take(bits, 2)
                               : symbol == 17 ? 3 + take(bits, 3)
                                              : 11 + take(bits, 7);
        if (symbol > 18 || times > wanted - at || (symbol == 16 && at == 0)) return false;
        memset(lengths + at, symbol < 16 ? (int)symbol : symbol == 16 ? lengths[at - 1] : 0, times);
        at += times;
    }
    return true;
}

static bool pass_dynamic(reader *bits)
{
    uint8_t lengths[LITERALS + DISTANCES];
    const unsigned literals = 257 + take(bits, 5);
    const unsigned distances = 1 + take(bits, 5);
    if (!read_lengths(bits, literals + distances, lengths)) return false;
    make_code(&bits->literals, lengths, literals);
    make_code(&bits->distances, lengths + literals, distances);
    return pass_words(bits);
}

bool snpy_deflate_find_end(const uint8_t *stream, size_t size, snpy_deflate_ends *ends)
{
    reader bits = {.stream = stream, .size = size};
    for (bool is_last = false, is_sound = true; !is_last; ends->end = bits.position) {
        ends->last_block = bits.position;
        is_last = take(&bits, 1) == 1;
        const unsigned kind = take(&bits, 2);
        is_sound = kind == 0 ? pass_stored(&bits) : kind == 1 ? pass_fixed(&bits) : kind == 2 && pass_dynamic(&bits);
        if (!is_sound) return false;
    }
    return true;
}
