/* sha256.h: SHA-256 (FIPS 180-4) for adapters in C and C++, so that they need no library for it. */
#ifndef ADAPTERS_SHA256_H
#define ADAPTERS_SHA256_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[64];
} sha256;

static inline uint32_t sha256_rotated(uint32_t word, unsigned by)
{
    return (word >> by) | (word << (32u - by));
}

static inline void sha256_compress(sha256 *hash)
{
    static const uint32_t round[64] = {
        0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
        0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
        0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
        0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
        0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
        0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
        0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
        0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};
    uint32_t w[64], v[8];
    unsigned i;

    for (i = 0; i < 16; i++) {
        const uint8_t *byte = hash->block + 4 * i;
        w[i] = (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
    }
    for (; i < 64; i++) {
        uint32_t s0 = sha256_rotated(w[i - 15], 7) ^ sha256_rotated(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = sha256_rotated(w[i - 2], 17) ^ sha256_rotated(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, hash->state, sizeof v);
    for (i = 0; i < 64; i++) {
        uint32_t s1 = sha256_rotated(v[4], 6) ^ sha256_rotated(v[4], 11) ^ sha256_rotated(v[4], 25);
        uint32_t s0 = sha256_rotated(v[0], 2) ^ sha256_rotated(v[0], 13) ^ sha256_rotated(v[0], 22);
        uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round[i] + w[i];
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (i = 0; i < 8; i++) hash->state[i] += v[i];
}

static inline void sha256_begin(sha256 *hash)
{
    static const uint32_t first[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                                      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    memcpy(hash->state, first, sizeof first);
    hash->length = 0;
}

static inline void sha256_add(sha256 *hash, const void *bytes, size_t length)
{
    const uint8_t *next = (const uint8_t *)bytes;

    while (length > 0) {
        size_t used = (size_t)(hash->length % 64), room = 64 - used, part = length < room ? length : room;
        memcpy(hash->block + used, next, part);
        hash->length += part;
        next += part;
        length -= part;
        if (used + part == 64) sha256_compress(hash);
    }
}

/* The digest in hexadecimal digits, terminated. */
static inline void sha256_end(sha256 *hash, char text[65])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = hash->length * 8;
    size_t used = (size_t)(hash->length % 64);
    uint8_t size[8];
    unsigned i;

    sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
    for (i = 0; i < 8; i++) size[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(hash, size, 8);
    for (i = 0; i < 8; i++) snprintf(text + 8 * (size_t)i, 9, "%08x", (unsigned)hash->state[i]);
}

#endif
