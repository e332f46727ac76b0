/* reverse.c: reverses the bytes of each number in a long run of numbers.                               NPY-VALUE-001
 * Tested against the proved copy. block.c does short runs, and the ends of long ones.
 *
 * The width of the vectors is chosen at run time. Results larger than the caches are written past them, as memcpy does:
 * a line that is overwritten as a whole need not be read first. The loops go through several pages at once, a line of
 * each in turn, which keeps more of the memory busy. The number of pages, and whether the next line is prefetched, were
 * measured for each width. */
#include "data/block.h"
#include "data/vector.h"

#ifdef __SSE2__

#define PAGE ((uint64_t)4096)

/* --- vectors of 16 bytes ----------------------------------------------------------------------------------- */

#define GROUP_16 (8 * PAGE)
#define AHEAD_16 (8 * SNPY_LINE)

/* Reverses the bytes of each number in one cache line. If `streams`, the result bypasses the caches. */
SNPY_INLINED void snpy_reverse_line_16(const uint8_t *from, uint8_t *to, uint32_t unit, bool streams)
{
    for (uint64_t k = 0; k < SNPY_LINE; k += sizeof(__m128i))
        snpy_store_vector(to + k, snpy_reverse_vector(snpy_load_vector(from + k), unit), streams);
}

/* Reverses whole groups of pages. Returns how many bytes they have. */
SNPY_INLINED uint64_t snpy_reverse_pages_16(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit,
                                            bool streams)
{
    uint64_t at = 0;
    for (; size - at >= GROUP_16; at += GROUP_16) {
        for (uint64_t line = 0; line < PAGE; line += SNPY_LINE) {
            for (uint64_t page = at; page < at + GROUP_16; page += PAGE) {
                const uint8_t *source = from + page + line;
                _mm_prefetch((const char *)source + (line + AHEAD_16 < PAGE ? AHEAD_16 : 0), _MM_HINT_T0);
                snpy_reverse_line_16(source, to + page + line, unit, streams);
            }
        }
    }
    return at;
}

/* Defines the function for one unit, a constant in its loops. */
#define DEFINE_REVERSE(unit)                                                                              \
    static uint64_t snpy_reverse_16_##unit(const uint8_t *from, uint8_t *to, uint64_t size, bool streams) \
    {                                                                                                     \
        if (streams) return snpy_reverse_pages_16(from, to, size, unit, true);                            \
        return snpy_reverse_pages_16(from, to, size, unit, false);                                        \
    }
DEFINE_REVERSE(2)
DEFINE_REVERSE(4)
DEFINE_REVERSE(8)
DEFINE_REVERSE(16)

/* Reverses units of 2, 4, 8 or 16 bytes by vectors of 16. Returns how many bytes were done: whole groups. */
static uint64_t snpy_reverse_16(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit, bool streams)
{
    if (unit == 2) return snpy_reverse_16_2(from, to, size, streams);
    if (unit == 4) return snpy_reverse_16_4(from, to, size, streams);
    if (unit == 8) return snpy_reverse_16_8(from, to, size, streams);
    return snpy_reverse_16_16(from, to, size, streams);
}

/* --- vectors of 32 bytes ----------------------------------------------------------------------------------- */

#ifdef SNPY_WITH_AVX2

#define GROUP_32 (4 * PAGE)

/* Does the same with vectors of 32 bytes: byte k of each half of a vector comes from byte `places[k]` of that half. */
SNPY_AVX2 static inline void snpy_reverse_line_32(const uint8_t *from, uint8_t *to, __m256i places, bool streams)
{
    for (uint64_t k = 0; k < SNPY_LINE; k += sizeof(__m256i)) {
        __m256i *target = (__m256i *)(void *)(to + k);
        const __m256i old = _mm256_loadu_si256((const __m256i *)(const void *)(from + k));
        if (streams)
            _mm256_stream_si256(target, _mm256_shuffle_epi8(old, places));
        else
            _mm256_storeu_si256(target, _mm256_shuffle_epi8(old, places));
    }
}

/* Reverses whole groups of pages. Returns how many bytes they have. */
SNPY_AVX2 static uint64_t snpy_reverse_32(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit, bool streams)
{
    uint8_t place[sizeof(__m128i)];
    for (uint32_t i = 0; i < sizeof place; i++) place[i] = (uint8_t)(i ^ (unit - 1)); /* units are powers of 2 */
    const __m256i places = _mm256_broadcastsi128_si256(snpy_load_vector(place));
    uint64_t at = 0;
    for (; size - at >= GROUP_32; at += GROUP_32)
        for (uint64_t line = at; line < at + PAGE; line += SNPY_LINE)
            for (uint64_t page = line; page < line + GROUP_32; page += PAGE)
                snpy_reverse_line_32(from + page, to + page, places, streams);
    return at;
}

#endif

enum snpy_vectors snpy_best_vectors(void)
{
#ifdef SNPY_WITH_AVX2
    if (__builtin_cpu_supports("avx2")) return SNPY_VECTORS_32;
#endif
    return SNPY_VECTORS_16;
}

uint64_t snpy_reverse_groups(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit, enum snpy_vectors vectors)
{
    const bool streams = from != to && size >= SNPY_STREAM_BYTES;
    uint64_t done = 0;
    if (unit != 2 && unit != 4 && unit != 8 && unit != 16) return 0;
#ifdef SNPY_WITH_AVX2
    if (vectors == SNPY_VECTORS_32) done = snpy_reverse_32(from, to, size, unit, streams);
#endif
    if (vectors == SNPY_VECTORS_16) done = snpy_reverse_16(from, to, size, unit, streams);
    if (streams) _mm_sfence();
    return done;
}

#else

enum snpy_vectors snpy_best_vectors(void)
{
    return SNPY_VECTORS_NONE;
}

uint64_t snpy_reverse_groups(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit, enum snpy_vectors vectors)
{
    (void)from, (void)to, (void)size, (void)unit, (void)vectors;
    return 0;
}

#endif
