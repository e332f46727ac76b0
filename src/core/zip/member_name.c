/* member_name.c: decodes, checks and compares the names of members.                   NPZ-NAME-001 … 005, NPZ-EXTRA-005
 * Proves that a name is read within its length. key.c finds equal keys. */
#include "core/zip/member_name.h"

/* The code points of the bytes 80 to FF in code page 437.                                               NPZ-NAME-002 */
static const uint16_t high_half[128] = {
    0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7, 0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee,
    0x00ec, 0x00c4, 0x00c5, 0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9, 0x00ff, 0x00d6,
    0x00dc, 0x00a2, 0x00a3, 0x00a5, 0x20a7, 0x0192, 0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa,
    0x00ba, 0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc, 0x00a1, 0x00ab, 0x00bb, 0x2591, 0x2592, 0x2593, 0x2502,
    0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255d, 0x255c, 0x255b, 0x2510, 0x2514,
    0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f, 0x255a, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550,
    0x256c, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518, 0x250c,
    0x2588, 0x2584, 0x258c, 0x2590, 0x2580, 0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4,
    0x03a6, 0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229, 0x2261, 0x00b1, 0x2265, 0x2264, 0x2320,
    0x2321, 0x00f7, 0x2248, 0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0,
};

/* Returns the code point of a byte from 80 to FF in code page 437. */
/*@ requires byte >= 0x80;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_NAME_002: \result == cp437(byte);
 */
static uint32_t high_character(uint8_t byte)
{
    return high_half[byte - 0x80];
}

size_t snpy_zip_name_next(const uint8_t *name, size_t length, size_t pos, uint32_t flags, uint32_t *code_point)
{
    uint8_t byte = name[pos];
    if (ZIP_IS_UTF8(flags)) return snpy_utf8_next(name, length, pos, false, code_point);
    *code_point = byte < 0x80 ? byte : high_character(byte);
    return 1;
}

size_t snpy_zip_key_length(const uint8_t *name, size_t length)
{
    if (length < 4) return length;
    if (name[length - 4] != '.' || name[length - 3] != 'n') return length;
    if (name[length - 2] != 'p' || name[length - 1] != 'y') return length;
    return length - 4;
}

/* Adds a byte to a CRC, by the polynomial of ZIP with its bits reversed. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures crc: \result == crc_bits((uint32_t)(crc ^ byte), 8);
 */
static inline uint32_t crc_step(uint32_t crc, uint8_t byte)
{
    uint32_t state = crc ^ byte;
    /*@ loop invariant range: 0 <= k <= 8;
        loop invariant rest: crc_bits(state, 8 - k) == crc_bits((uint32_t)(crc ^ byte), 8);
        loop assigns k, state;
        loop variant 8 - k; */
    for (int k = 0; k < 8; k++) state = state % 2u == 1u ? (state / 2u) ^ 0xedb88320u : state / 2u;
    return state;
}

uint32_t snpy_zip_crc(uint32_t crc, const uint8_t *bytes, size_t length)
{
    uint32_t state = crc ^ 0xffffffffu;
    /*@ loop invariant range: 0 <= i <= length;
        loop invariant rest: crc_bytes(bytes, length, i, state) == crc_bytes(bytes, length, 0, (uint32_t)(crc ^ 0xffffffff));
        loop assigns i, state;
        loop variant length - i; */
    for (size_t i = 0; i < length; i++) state = crc_step(state, bytes[i]);
    return state ^ 0xffffffffu;
}

int snpy_zip_compare_names(const uint8_t *name, size_t length, uint32_t flags, const uint8_t *other,
                           size_t other_length, uint32_t other_flags)
{
    size_t i = 0;
    size_t j = 0;
    uint32_t left = 0;
    uint32_t right = 0;
    /*@ loop invariant range: 0 <= i <= length && 0 <= j <= other_length;
        loop invariant order: order_of_texts(name, length, i, flags, other, other_length, j, other_flags)
                              == order_of_texts(name, length, 0, flags, other, other_length, 0, other_flags);
        loop assigns i, j, left, right;
        loop variant length - i; */
    while (i < length && j < other_length) {
        size_t step = snpy_zip_name_next(name, length, i, flags, &left);
        size_t other_step = snpy_zip_name_next(other, other_length, j, other_flags, &right);
        if (step == 0) return other_step == 0 ? 0 : -1; /* ill-formed */
        if (other_step == 0) return 1;
        if (left != right) return left < right ? -1 : 1;
        i += step;
        j += other_step;
    }
    if (i < length) return 1;
    return j < other_length ? -1 : 0;
}

/* Whether the Unicode path in the field at `field` agrees with the name: version 1, the CRC of the name, and the same
 * characters in UTF-8.                                                                                 NPZ-EXTRA-005 */
/*@ requires text_ok(name, name_length);
    requires EXTRA_FITS(b, field, length) && \valid_read(b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_005: \result <==> path_agrees(b, field, name, name_length, flags);
 */
static bool is_same_path(const uint8_t *b, size_t length, size_t field, const uint8_t *name, size_t name_length,
                         uint32_t flags)
{
    size_t path_length = snpy_le16(b, field + 2);
    (void)length; /* used in the contract only */
    if (path_length < 5 || b[field + 4] != 1) return false;
    if (snpy_le32(b, field + 5) != snpy_zip_crc(0, name, name_length)) return false;
    return snpy_zip_compare_names(name, name_length, flags, b + field + 9, path_length - 5, SNPY_ZIP_FLAG_UTF8) == 0;
}

/* Returns the offset of the first NUL from `from` to `to - 1`; `to` if there is none.                   NPZ-NAME-003 */
/*@ requires from <= to && \valid_read(b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: from <= \result <= to && (\result < to ==> b[\result] == 0);
    ensures NPZ_NAME_003: \forall integer i; from <= i < \result ==> b[i] != 0;
    ensures first: \result == first_nul(b, from, to);
 */
static size_t find_nul(const uint8_t *b, size_t from, size_t to)
{
    size_t i = from;
    /*@ loop invariant range: from <= i <= to;
        loop invariant none: \forall integer j; from <= j < i ==> b[j] != 0;
        loop invariant first: first_nul(b, i, to) == first_nul(b, from, to);
        loop assigns i;
        loop variant to - i; */
    while (i < to && b[i] != 0) i++;
    return i;
}

snpy_status snpy_zip_check_name(const uint8_t *b, size_t length, size_t at, size_t name_length, uint32_t flags,
                                size_t path, size_t *fault)
{
    size_t start = at + SNPY_ZIP_CENTRAL_SIZE;
    const uint8_t *name = b + start;
    if (ZIP_IS_UTF8(flags)) {
        size_t good = snpy_utf8_check(name, name_length);
        if (good < name_length) return snpy_zip_fault(SNPY_ZIP_NAME_UTF8, start + good, fault);
    }
    if (path != 0 && !is_same_path(b, length, path, name, name_length, flags))
        return snpy_zip_fault(SNPY_ZIP_UNICODE_PATH, path, fault);
    size_t nul = find_nul(b, start, start + name_length);
    if (nul < start + name_length) return snpy_zip_fault(SNPY_ZIP_NUL_IN_NAME, nul, fault);
    if (name_length == 0) return snpy_zip_fault(SNPY_ZIP_EMPTY_NAME, at + 28, fault);
    return SNPY_OK;
}
