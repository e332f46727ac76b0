/* globals.c: the table of globals that values need.                                        NPY-PKL-011, NPY-PKL-012
 * Proves that the search stays inside the table. Leaves to tests/oracle that the rows are those of spec/objects.md, and
 * that they ascend. */
#include "core/object/globals.h"

#define ROWS 72u
#define KEY_MOST 56u /* characters of a row, and more than the longest has */

/* Module, a blank, name; before them the set: d is data, p plain; capitals are names of Python 2. Ascending from the
 * second byte on. */
static const uint8_t TABLE[ROWS][KEY_MOST] = {
    "P__builtin__ bool",
    "P__builtin__ bytearray",
    "D__builtin__ bytes",
    "D__builtin__ complex",
    "P__builtin__ dict",
    "P__builtin__ float",
    "P__builtin__ frozenset",
    "P__builtin__ int",
    "P__builtin__ list",
    "P__builtin__ long",
    "P__builtin__ object",
    "P__builtin__ range",
    "P__builtin__ set",
    "P__builtin__ slice",
    "P__builtin__ str",
    "P__builtin__ tuple",
    "P__builtin__ unicode",
    "P__builtin__ xrange",
    "d_codecs encode",
    "pbuiltins bool",
    "pbuiltins bytearray",
    "dbuiltins bytes",
    "dbuiltins complex",
    "pbuiltins dict",
    "pbuiltins float",
    "pbuiltins frozenset",
    "pbuiltins int",
    "pbuiltins list",
    "pbuiltins object",
    "pbuiltins range",
    "pbuiltins set",
    "pbuiltins slice",
    "pbuiltins str",
    "pbuiltins tuple",
    "pcollections OrderedDict",
    "pcollections defaultdict",
    "Pcopy_reg _reconstructor",
    "pcopyreg _reconstructor",
    "pdatetime date",
    "pdatetime datetime",
    "pdatetime time",
    "pdatetime timedelta",
    "pdatetime timezone",
    "pdecimal Decimal",
    "pfractions Fraction",
    "dnumpy dtype",
    "pnumpy matrix",
    "dnumpy ndarray",
    "pnumpy recarray",
    "pnumpy record",
    "pnumpy._core._internal _convert_to_stringdtype_kwargs",
    "dnumpy._core.multiarray _reconstruct",
    "dnumpy._core.multiarray scalar",
    "dnumpy._core.numeric _frombuffer",
    "dnumpy.core._internal _reconstruct",
    "dnumpy.core.multiarray _reconstruct",
    "dnumpy.core.multiarray scalar",
    "dnumpy.core.numeric _frombuffer",
    "pnumpy.ma MaskedArray",
    "pnumpy.ma.core MaskedArray",
    "pnumpy.ma.core _mareconstruct",
    "pnumpy.rec recarray",
    "ppathlib PosixPath",
    "ppathlib PurePosixPath",
    "ppathlib PureWindowsPath",
    "ppathlib WindowsPath",
    "ppathlib._local PosixPath",
    "ppathlib._local PurePosixPath",
    "ppathlib._local PureWindowsPath",
    "ppathlib._local WindowsPath",
    "ptime struct_time",
    "puuid UUID",
};

/* A module and a name, as a row has them; wider than bytes, so that no write disturbs what is known of the pickle. */
struct key {
    uint32_t point[KEY_MOST];
    uint32_t size;
};

/* The byte of a row; 0 after its end. */
/*@ requires row < ROWS && column < KEY_MOST;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t row_byte(uint32_t row, uint32_t column)
{
    return TABLE[row][column];
}

/* One character of text: how many bytes it takes, 0 if it is a bad escape. */
/*@ requires text_ok(bytes, end) && pos < end && \valid(point) && \separated(point, bytes + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *point;
    ensures range: 0 <= \result <= 10 && pos + \result <= end;
 */
static size_t next_point(const uint8_t *bytes, size_t end, size_t pos, bool escaped, uint32_t *point)
{
    if (escaped) return snpy_opcode_character(bytes, end, pos, point);
    *point = bytes[pos];
    return 1;
}

/* Appends text to a key; false if it is longer than any row, or not in ASCII. */
/*@ requires text_ok(bytes, text.end) && text.from <= text.end;
    requires \valid(key) && \separated(key, bytes + (0 .. text.end-1)) && key->size < KEY_MOST;
    terminates \true;
    exits \false;
    assigns key->point[0 .. KEY_MOST - 1], key->size;
    ensures size: key->size < KEY_MOST;
 */
static bool append(const uint8_t *bytes, struct snpy_pickle_text text, struct key *key)
{
    size_t end = (size_t)text.end;
    size_t i = (size_t)text.from;
    uint32_t size = key->size;
    uint32_t point = 0;
    /*@ loop invariant range: text.from <= i <= end && size < KEY_MOST;
        loop assigns i, size, point, key->point[0 .. KEY_MOST - 1];
        loop variant KEY_MOST - size; */
    while (i < end && size < KEY_MOST - 1) {
        i += next_point(bytes, end, i, text.escaped, &point);
        if (point == 0 || point > 0x7e) return false;
        key->point[size] = point;
        size++;
    }
    key->size = size;
    return i == end;
}

/* Whether a key comes before a row (-1), is the row (0), or comes after it (1). */
/*@ requires row < ROWS && \valid_read(key) && key->size < KEY_MOST;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures order: -1 <= \result <= 1;
 */
static int compare(const struct key *key, uint32_t row)
{
    /*@ loop invariant range: 0 <= i <= key->size;
        loop assigns i;
        loop variant key->size - i; */
    for (uint32_t i = 0; i < key->size; i++) {
        uint32_t byte = row_byte(row, i + 1);
        if (key->point[i] != byte) return key->point[i] < byte ? -1 : 1;
    }
    return key->size + 1 < KEY_MOST && row_byte(row, key->size + 1) != 0 ? -1 : 0;
}

/* The row of a key, ROWS if there is none. */
/*@ requires \valid_read(key) && key->size < KEY_MOST;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures row: \result <= ROWS;
 */
static uint32_t find(const struct key *key)
{
    uint32_t low = 0;
    uint32_t high = ROWS;
    /*@ loop invariant range: 0 <= low <= high <= ROWS;
        loop assigns low, high;
        loop variant high - low; */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare(key, middle);
        if (order == 0) return middle;
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return ROWS;
}

unsigned snpy_set_of_global(const uint8_t *bytes, struct snpy_pickle_text module, struct snpy_pickle_text name,
                            uint64_t protocol)
{
    struct key key = {.size = 0};
    if (!append(bytes, module, &key)) return SNPY_SET_OTHER;
    if (key.size + 1 >= KEY_MOST) return SNPY_SET_OTHER;
    key.point[key.size] = ' ';
    key.size++;
    if (!append(bytes, name, &key)) return SNPY_SET_OTHER;
    uint32_t row = find(&key);
    if (row == ROWS) return SNPY_SET_OTHER;
    uint32_t mark = row_byte(row, 0);
    if (mark < 'a' && protocol > 2) return SNPY_SET_OTHER;
    return mark == 'd' || mark == 'D' ? SNPY_SET_DATA : SNPY_SET_PLAIN;
}
