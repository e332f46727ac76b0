/* vector.h: vectors of 16 bytes, where the processor has them.
 * Proves nothing; what is made of them is tested against the proved copy. Leaves loops to reverse.c and transpose.c. */
#ifndef SAFENPY_DATA_VECTOR_H
#define SAFENPY_DATA_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that the memory moves at once, and from how many on the caches are passed by. */
#define SNPY_LINE ((uint64_t)64)
#define SNPY_STREAM_BYTES ((uint64_t)4 << 20)

#ifdef __SSE2__
#include <emmintrin.h>

/* Larger vectors are only for functions of their own, which are called where the processor has them. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define SNPY_WITH_AVX2
#define SNPY_AVX2 __attribute__((target("avx2")))
#endif

/* What is written once for all sizes is fast only where its size is known: compilers would call it instead. Under gcc's
 * address sanitizer nobody waits for the copies, but for the compiler, which takes 40 s for what it writes out. */
#ifdef __SANITIZE_ADDRESS__
#define SNPY_INLINED static inline
#else
#define SNPY_INLINED static inline __attribute__((always_inline))
#endif

SNPY_INLINED __m128i snpy_load_vector(const uint8_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

/* `to` must be aligned for a vector that goes past the caches. */
SNPY_INLINED void snpy_store_vector(uint8_t *to, __m128i vector, bool streams)
{
    if (streams)
        _mm_stream_si128((__m128i *)(void *)to, vector);
    else
        _mm_storeu_si128((__m128i *)(void *)to, vector);
}

/* Each number of 2, 4, 8 or 16 bytes reversed; 1 keeps the bytes. */
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
