/* deflate_end.c: finds where the last block of a deflate stream begins, and where the stream ends.        NPZ-WRITE-008
 * write_job.c uses it to append another block to a stream. It reads only streams that libdeflate has just written, no
 * bytes from outside, and does not check what such streams always fulfil. */
#include "npz/write.h"

#include <string.h>

#define MAX_CODE_LENGTH 15u
#define FAST_BITS 10u
#define LITERALS 288u
#define DISTANCES 32u
#define END_OF_BLOCK 256u
#define NO_SYMBOL 511u

/* A Huffman code: the number of codewords of each length; their symbols, ordered by codeword; and a table indexed by
 * the next FAST_BITS bits, whose entry is 16 * symbol + length of the codeword, or 0 if that is longer. */
typedef struct code {
    unsigned count[MAX_CODE_LENGTH + 1];
    uint16_t symbol[LITERALS];
    uint16_t fast[1u << FAST_BITS];
} code;

/* A bit reader: a position in a stream, and the codes of the current block. */
typedef struct reader {
    const uint8_t *stream;
    size_t size;
    uint64_t position; /* bits from the start */
    code literals;
    code distances;
} reader;

/* Returns at least the next 57 bits, the first in the lowest bit; zeros after the end of the stream. Does not
 * advance. */
static uint64_t peek(const reader *bits)
{
    const size_t at = (size_t)(bits->position / 8);
    uint64_t word = 0;
    for (unsigned i = 0; i < 8 && at + i < bits->size; i++) word |= (uint64_t)bits->stream[at + i] << 8 * i;
    return word >> bits->position % 8;
}

/* Reads a number of up to 16 bits and advances. */
static unsigned take(reader *bits, unsigned count)
{
    const unsigned number = (unsigned)(peek(bits) & ((1u << count) - 1));
    bits->position += count;
    return number;
}

/* Reads a codeword bit by bit and advances. Returns its symbol, or NO_SYMBOL if the bits are no codeword. */
static unsigned take_slowly(reader *bits, const code *of)
{
    unsigned word = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= MAX_CODE_LENGTH; length++) {
        word = 2 * word + take(bits, 1);
        first *= 2;
        if (word < first + of->count[length]) return of->symbol[index + word - first];
        index += of->count[length];
        first += of->count[length];
    }
    return NO_SYMBOL;
}

/* Reads a codeword, by the table if it is short, and advances. Returns its symbol or NO_SYMBOL. */
static unsigned take_symbol(reader *bits, const code *of)
{
    const unsigned entry = of->fast[peek(bits) & ((1u << FAST_BITS) - 1)];
    if (entry == 0) return take_slowly(bits, of);
    bits->position += entry % 16;
    return entry / 16;
}

/* Returns the codeword that follows `word` among those of the same length. Codewords are stored with their last bit
 * highest, as peek returns them. */
static unsigned next_word(unsigned word, unsigned length)
{
    unsigned bit = 1u << (length - 1);
    while (word & bit) bit >>= 1;
    return bit > 0 ? (word & (bit - 1)) | bit : 0;
}

/* Builds a code from the lengths of its codewords (RFC 1951, 3.2.2); 0 means that a symbol is not used. */
static void make_code(code *of, const uint8_t *lengths, unsigned symbols)
{
    unsigned index = 0, word = 0;
    memset(of, 0, sizeof *of);
    for (unsigned length = 1; length <= MAX_CODE_LENGTH; length++) {
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

/* Skips the codewords of a block, up to the one that ends it. Returns false if the stream ends before, or a symbol is
 * not valid. */
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

/* Skips a stored block. Returns false if it exceeds the stream. */
static bool pass_stored(reader *bits)
{
    bits->position = (bits->position + 7) / 8 * 8;
    const uint64_t length = take(bits, 16);
    bits->position += 16 + 8 * length;
    return bits->position <= (uint64_t)bits->size * 8;
}

/* Skips a block with the fixed codes of RFC 1951. Returns false as pass_words does. */
static bool pass_fixed(reader *bits)
{
    uint8_t lengths[LITERALS];
    for (unsigned i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&bits->literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(&bits->distances, lengths, DISTANCES);
    return pass_words(bits);
}

/* Reads the lengths of the codewords of both codes of a dynamic block, `wanted` of them, which are themselves encoded
 * with a Huffman code. Returns false if they are not valid. */
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

/* Skips a block that brings its own codes. Returns false if they are not valid, or as pass_words does. */
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
