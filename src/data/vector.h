/* vector.h: vectors of 16 bytes, where the processor has them.
 * reverse.c and transpose.c, which use them, are tested against the proved copy. */
#ifndef SAFENPY_DATA_VECTOR_H
#define SAFENPY_DATA_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* A cache line, and the size from which on results are written past the caches; both in bytes. */
#define SNPY_LINE ((uint64_t)64)
#define SNPY_STREAM_BYTES ((uint64_t)4 << 20)

#ifdef __SSE2__
#include <emmintrin.h>

/* Wider vectors are used only in functions marked SNPY_AVX2, which run only if the processor has AVX2. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define SNPY_WITH_AVX2
#define SNPY_AVX2 __attribute__((target("avx2")))
#endif

/* Forces a function inline, so that `size` and `unit` become constants: the loops are fast only then. Not under gcc's
 * address sanitizer, where speed does not matter and compiling the copies would take 40 s. */
#ifdef __SANITIZE_ADDRESS__
#define SNPY_INLINED static inline
#else
#define SNPY_INLINED static inline __attribute__((always_inline))
#endif

/* Reads a vector; `from` needs no alignment. */
SNPY_INLINED __m128i snpy_load_vector(const uint8_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* Writes a vector; past the caches if `streams`, and `to` must be aligned to 16 bytes then. */
SNPY_INLINED void snpy_store_vector(uint8_t *to, __m128i vector, bool streams)
{
    if (streams)
        _mm_stream_si128((__m128i *)(void *)to, vector);
    else
        _mm_storeu_si128((__m128i *)(void *)to, vector);
}

/* Reverses the bytes of each number of `unit` bytes (2, 4, 8 or 16); a unit of 1 keeps the bytes. */
SNPY_INLINED __m128i snpy_reverse_vector(__m128i vector, uint32_t unit)
{
    if (unit >= 2) vector = _mm_or_si128(_mm_slli_epi16(vector, 8), _mm_srli_epi16(vector, 8));
    if (unit == 4) vector = _mm_shufflehi_epi16(_mm_shufflelo_epi16(vector, 0xb1), 0xb1);
    if (unit >= 8) vector = _mm_shufflehi_epi16(_mm_shufflelo_epi16(vector, 0x1b), 0x1b);
    if (unit == 16) vector = _mm_shuffle_epi32(vector, 0x4e);
    return vector;
}

#endif
#endif
