/* value.c: numbers that are set are what is got, and floats are widened and rounded as the processor does. */
#include "core/value.c"
#include "any.h"

static snpy_dtype any_dtype(int8_t kind)
{
    static const uint32_t sizes[4] = {1, 2, 4, 8};
    const snpy_dtype dtype = {kind, nondet_bool() ? '<' : '>', 0, sizes[nondet_byte() % 4], 0};
    return dtype;
}

/* A signed integer is set if and only if it fits, and is then the one that is got. */
void integers(void)
{
    uint8_t element[8];
    const snpy_dtype dtype = any_dtype(SNPY_KIND_INT);
    const int64_t set = nondet_int64();
    const uint32_t bits = 8 * dtype.itemsize;
    const int64_t most = (int64_t)((~(uint64_t)0 >> 1) >> (64 - bits));
    int64_t got = 0;
    const snpy_status status = snpy_set_int(element, &dtype, set);
    CHECK((status == SNPY_OK) == (set <= most && set >= -most - 1));
    CHECK(status == SNPY_OK || status == SNPY_VALUE_RANGE);
    if (status == SNPY_OK) CHECK(snpy_get_int(element, &dtype, &got) == SNPY_OK && got == set);
}

/* The same of unsigned integers. */
void unsigned_integers(void)
{
    uint8_t element[8];
    const snpy_dtype dtype = any_dtype(SNPY_KIND_UINT);
    const uint64_t set = nondet_uint64();
    uint64_t got = 0;
    const snpy_status status = snpy_set_uint(element, &dtype, set);
    CHECK((status == SNPY_OK) == (set <= ~(uint64_t)0 >> (64 - 8 * dtype.itemsize)));
    if (status == SNPY_OK) CHECK(snpy_get_uint(element, &dtype, &got) == SNPY_OK && got == set);
}

union single {
    float value;
    uint32_t bits;
    uint8_t bytes[4];
};

union wide {
    double value;
    uint64_t bits;
};

/* Every binary32 is widened as the language converts it. */
void widened(void)
{
    const snpy_dtype dtype = {SNPY_KIND_FLOAT, '<', 0, 4, 0};
    union single single = {nondet_float()};
    union wide wide = {0};
    uint64_t got = 0;
    ASSUME(single.value == single.value);
    wide.value = (double)single.value;
    CHECK(snpy_get_float(single.bytes, &dtype, &got) == SNPY_OK && got == wide.bits);
}

/* Every binary64 is rounded to binary32 as the language converts it. */
void rounded(void)
{
    const snpy_dtype dtype = {SNPY_KIND_FLOAT, '<', 0, 4, 0};
    union wide wide = {nondet_double()};
    union single expected = {0};
    union single single = {0};
    ASSUME(wide.value == wide.value);
    expected.value = (float)wide.value;
    CHECK(snpy_set_float(single.bytes, &dtype, wide.bits) == SNPY_OK && single.bits == expected.bits);
}

/* A float of any size and order, NaN too, that is got and set again has the same bytes. */
void floats(void)
{
    uint8_t element[8];
    uint8_t again[8];
    snpy_dtype dtype = any_dtype(SNPY_KIND_FLOAT);
    uint64_t got = 0;
    ASSUME(dtype.itemsize > 1);
    for (size_t i = 0; i < 8; i++) element[i] = nondet_byte();
    CHECK(snpy_get_float(element, &dtype, &got) == SNPY_OK);
    CHECK(snpy_set_float(again, &dtype, got) == SNPY_OK);
    for (size_t i = 0; i < 8; i++) CHECK(i >= dtype.itemsize || again[i] == element[i]);
}
