/* flat_draft.c: writes opcodes of the pickle that a flat archive comes back as, and which values are one.    NPY-PKL-035
 * object_unflatten.c walks the rows. */
#include "host/flat_return.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS ((size_t)9870) /* of the longest int: as SNPY_OBJECT_DIGITS */
#define LIMBS (DIGITS / 9 + 2)

bool snpy_return_fail(snpy_returning *back, snpy_status status)
{
    if (back->status == SNPY_OK) back->status = status;
    return false;
}

/* ---- opcodes ---------------------------------------------------------------------------------------------- */

void snpy_draft_put(snpy_returning *back, const void *bytes, size_t size)
{
    if (back->status != SNPY_OK || size == 0) return;
    if (size > SNPY_MAX_PICKLE - back->length) {
        (void)snpy_return_fail(back, SNPY_PKL_TOO_MANY_BYTES);
        return;
    }
    if (size > back->capacity - back->length) {
        const size_t wanted = back->length + size + (back->length + size) / 2 + 256;
        uint8_t *grown = wanted > size ? realloc(back->draft, wanted) : NULL;
        if (grown == NULL) {
            (void)snpy_return_fail(back, SNPY_NO_MEMORY);
            return;
        }
        back->draft = grown;
        back->capacity = wanted;
    }
    memcpy(back->draft + back->length, bytes, size);
    back->length += size;
}

void snpy_draft_byte(snpy_returning *back, uint8_t byte)
{
    snpy_draft_put(back, &byte, 1);
}

/* Writes a little-endian number. */
static void put_number(snpy_returning *back, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (8 * i));
    snpy_draft_put(back, bytes, width);
}

void snpy_draft_global(snpy_returning *back, const char *module, const char *name)
{
    snpy_draft_byte(back, 'c');
    snpy_draft_put(back, module, strlen(module));
    snpy_draft_byte(back, '\n');
    snpy_draft_put(back, name, strlen(name));
    snpy_draft_byte(back, '\n');
}

void snpy_draft_int(snpy_returning *back, uint64_t bits, bool is_unsigned)
{
    if (bits <= INT32_MAX) {
        snpy_draft_byte(back, 'J');
        put_number(back, bits, 4);
        return;
    }
    snpy_draft_byte(back, 0x8a); /* LONG1 */
    snpy_draft_byte(back, is_unsigned ? 9 : 8);
    put_number(back, bits, 8);
    if (is_unsigned) snpy_draft_byte(back, 0);
}

void snpy_draft_sized(snpy_returning *back, uint8_t opcode, const uint8_t *bytes, size_t size)
{
    if (size > SNPY_MAX_PICKLE) (void)snpy_return_fail(back, SNPY_PKL_TOO_MANY_BYTES);
    snpy_draft_byte(back, opcode);
    put_number(back, size, 4);
    snpy_draft_put(back, bytes, size);
}

void snpy_draft_get(snpy_returning *back, uint32_t kept)
{
    snpy_draft_byte(back, 'j');
    put_number(back, kept, 4);
}

/* ---- values that are one ---------------------------------------------------------------------------------- */

static int compare_targets(const void *left, const void *right)
{
    const uint64_t one = ((const snpy_flat_target *)left)->occurrence;
    const uint64_t other = ((const snpy_flat_target *)right)->occurrence;
    return one < other ? -1 : one > other;
}

void snpy_return_open_targets(snpy_returning *back)
{
    uint64_t before = 0;
    size_t kept = 0;
    const size_t count = back->schema.same_count;
    back->targets = calloc(count + 1, sizeof *back->targets);
    if (back->targets == NULL) {
        (void)snpy_return_fail(back, SNPY_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t occurrence;
        snpy_flat_read_same(&back->schema, i, &occurrence, &back->targets[i].occurrence);
        const bool is_apart = back->targets[i].occurrence == UINT64_MAX;
        if (occurrence <= before || (back->targets[i].occurrence >= occurrence && !is_apart))
            (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
        before = occurrence;
    }
    qsort(back->targets, count, sizeof *back->targets, compare_targets);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || back->targets[kept - 1].occurrence != back->targets[i].occurrence)
            back->targets[kept++] = back->targets[i];
    back->target_count = kept;
}

/* Finds the target that is this occurrence; NULL if there is none. */
static snpy_flat_target *find_target(const snpy_returning *back, uint64_t occurrence)
{
    const snpy_flat_target wanted = {.occurrence = occurrence};
    if (back->target_count == 0) return NULL;
    return bsearch(&wanted, back->targets, back->target_count, sizeof wanted, compare_targets);
}

snpy_flat_place snpy_return_begin(snpy_returning *back, size_t row)
{
    snpy_flat_place place = {.row = row, .start = back->length};
    const uint64_t occurrence = back->count++;
    uint64_t later = 0;
    uint64_t first = 0;
    if (back->next_same < back->schema.same_count) snpy_flat_read_same(&back->schema, back->next_same, &later, &first);
    if (back->next_same < back->schema.same_count && later == occurrence) {
        back->next_same++;
        place.is_apart = first == UINT64_MAX;
        place.is_same = !place.is_apart;
    }
    if (place.is_same) {
        place.target = find_target(back, first);
        if (place.target == NULL || place.target->kept == 0) (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
        return place;
    }
    if (back->next_target < back->target_count && back->targets[back->next_target].occurrence == occurrence)
        place.target = &back->targets[back->next_target++];
    return place;
}

/* Keeps a value that was written, if something refers to it. */
static void keep_value(snpy_returning *back, const snpy_flat_place *place)
{
    const bool has_row = place->row != SNPY_FLAT_NO_ROW && back->row_kept[place->row] == 1;
    if (place->target == NULL && !has_row) return;
    snpy_draft_byte(back, 'r');
    put_number(back, back->kept, 4);
    back->kept++;
    if (place->target != NULL) place->target->kept = back->kept;
    if (has_row) back->row_kept[place->row] = back->kept + 1;
}

/* Writes a reference in place of a value. */
static void put_same(snpy_returning *back, const snpy_flat_place *place)
{
    if (place->target == NULL) return;
    snpy_draft_get(back, place->target->kept - 1);
    if (place->row != SNPY_FLAT_NO_ROW && back->row_kept[place->row] == 1)
        back->row_kept[place->row] = place->target->kept + 1;
}

void snpy_return_end(snpy_returning *back, snpy_flat_place *place)
{
    if (back->status != SNPY_OK) return;
    if (!place->is_same) {
        keep_value(back, place);
        return;
    }
    back->length = place->start; /* what was written is the same, or other members are made of what comes back */
    put_same(back, place);
}

/* ---- leaves ----------------------------------------------------------------------------------------------- */

void snpy_draft_word(snpy_returning *back, const char *word)
{
    snpy_draft_sized(back, 'X', (const uint8_t *)word, strlen(word));
}

/* The little-endian code point at a place of a text. */
static uint32_t read_point(const uint8_t *points, size_t index)
{
    const uint8_t *at = points + 4 * index;
    return at[0] + 256u * at[1] + 65536u * at[2] + 16777216u * at[3];
}

/* Encodes a code point in UTF-8. Returns its bytes; 0 if there is no such code point. */
static size_t encode_point(uint32_t point, uint8_t *bytes)
{
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    if (point > 0x10ffff) return 0;
    bytes[0] = (uint8_t)(first[more] | point >> (6 * more));
    for (unsigned k = 1; k <= more; k++) bytes[k] = (uint8_t)(0x80u | (point >> (6 * (more - k)) & 0x3fu));
    return more + 1;
}

void snpy_draft_text(snpy_returning *back, const uint8_t *points, size_t count)
{
    uint8_t none[4] = {0};
    snpy_draft_byte(back, 'X');
    const size_t length_at = back->length;
    snpy_draft_put(back, none, 4);
    for (size_t i = 0; i < count && back->status == SNPY_OK; i++) {
        uint8_t bytes[4];
        const size_t size = encode_point(read_point(points, i), bytes);
        if (size == 0) (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
        snpy_draft_put(back, bytes, size);
    }
    if (back->status != SNPY_OK) return;
    const size_t size = back->length - length_at - 4;
    for (size_t i = 0; i < 4; i++) back->draft[length_at + i] = (uint8_t)(size >> (8 * i));
}

/* Computes the bytes of a number in two's complement of its digits. Returns how many. */
static size_t compute_bytes(const char *digits, size_t count, bool is_negative, uint8_t bytes[DIGITS])
{
    uint32_t limbs[LIMBS] = {0};
    size_t used = 1;
    for (size_t i = 0; i < count;) {
        uint32_t scale = 1;
        uint64_t carry = 0;
        for (; i < count && scale < 1000000000u; i++, scale *= 10) carry = 10 * carry + (uint64_t)(digits[i] - '0');
        for (size_t k = 0; k < used; k++) {
            carry += (uint64_t)scale * limbs[k];
            limbs[k] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry > 0) limbs[used++] = (uint32_t)carry;
    }
    size_t size = 4 * used + 1; /* a byte for the sign */
    uint32_t carry = 1;
    for (size_t i = 0; i < size; i++) {
        const uint32_t byte = i < 4 * used ? limbs[i / 4] >> (8 * (i % 4)) & 0xffu : 0;
        carry += 0xffu - byte;
        bytes[i] = (uint8_t)(is_negative ? carry & 0xffu : byte);
        carry >>= 8;
    }
    while (size > 1 && bytes[size - 1] == (bytes[size - 2] < 128 ? 0 : 255)) size--;
    return size;
}

void snpy_draft_digits(snpy_returning *back, const uint8_t *points, size_t count, bool is_text)
{
    char digits[DIGITS + 1];
    uint8_t bytes[DIGITS];
    const size_t first = count > 0 && read_point(points, 0) == '-' ? 1 : 0;
    bool is_number = count > first && count <= DIGITS;
    for (size_t i = 0; i < count && is_number; i++) {
        const uint32_t point = read_point(points, i);
        is_number = i < first || (point >= '0' && point <= '9');
        digits[i] = (char)(uint8_t)(point % 128u);
    }
    if (!is_number) {
        (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
    } else if (is_text) {
        snpy_draft_byte(back, 'L');
        snpy_draft_put(back, digits, count);
        snpy_draft_put(back, "L\n", 2);
    } else {
        snpy_draft_sized(back, 0x8b, bytes,
                         compute_bytes(digits + first, count - first, first == 1, bytes)); /* LONG4 */
    }
}

/* ---- arrays ----------------------------------------------------------------------------------------------- */

void snpy_draft_dtype(snpy_returning *back, const snpy_dtype *dtype)
{
    char type[16];
    int64_t numbers[3];
    const char order[2] = {(char)dtype->byteorder, '\0'};
    const uint32_t usual = snpy_flat_usual(dtype);
    snpy_flat_place place = snpy_return_begin(back, SNPY_FLAT_NO_ROW);
    const uint32_t before = place.is_apart || place.is_same ? 0 : back->usual[usual];
    if (before != 0) {
        snpy_draft_get(back, before - 1);
        if (place.target != NULL) place.target->kept = before;
        return;
    }
    const bool is_simple = snpy_flat_type(dtype, type, &numbers[0], &numbers[1], &numbers[2]);
    if (dtype->kind == SNPY_KIND_OBJECT) {
        (void)snprintf(type, sizeof type, "O8");
        numbers[2] = 63;
    } else if (!is_simple) {
        (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
    }
    snpy_draft_global(back, "numpy", "dtype");
    snpy_draft_byte(back, '(');
    snpy_draft_word(back, type);
    snpy_draft_put(back, "\x89\x88tR(K\x03", 7);
    snpy_draft_word(back, order);
    snpy_draft_put(back, "NNN", 3);
    for (int i = 0; i < 3; i++) snpy_draft_int(back, (uint64_t)numbers[i], false);
    snpy_draft_put(back, "tb", 2);
    const bool is_first = usual != 0 && !place.is_same && !place.is_apart;
    snpy_flat_target own = {.kept = 0};
    if (is_first && place.target == NULL) place.target = &own;
    snpy_return_end(back, &place);
    if (is_first && back->status == SNPY_OK) back->usual[usual] = place.target->kept;
}

void snpy_draft_array(snpy_returning *back, uint32_t kind, const uint64_t *shape, uint32_t ndim)
{
    const bool is_masked = kind == SNPY_FLAT_MASKED;
    snpy_draft_global(back, is_masked ? "numpy.ma.core" : "numpy.core.multiarray",
                      is_masked ? "_mareconstruct" : "_reconstruct");
    snpy_draft_byte(back, '(');
    if (is_masked) snpy_draft_global(back, "numpy.ma.core", "MaskedArray");
    snpy_draft_global(back, "numpy",
                      kind == SNPY_FLAT_MATRIX     ? "matrix"
                      : kind == SNPY_FLAT_RECARRAY ? "recarray"
                                                   : "ndarray");
    snpy_draft_put(back, "(K\0t", 4);
    snpy_draft_sized(back, is_masked ? 'X' : 'B', (const uint8_t *)"b", 1);
    snpy_draft_put(back, "tR(K\x01(", 6);
    for (uint32_t i = 0; i < ndim; i++) snpy_draft_int(back, shape[i], false);
    snpy_draft_byte(back, 't');
}
