/* globals.c: the table of globals that values need.                                        NPY-PKL-011, NPY-PKL-012
 * Proves that the search stays inside the table. Leaves to tests/oracle that the rows are those of spec/objects.md, and
 * that they ascend. */
#include "core/object/globals.h"

#define ROWS 72u
#define KEY_MOST 56u /* characters of a row, and more than the longest has */

struct row {
    uint8_t text[KEY_MOST]; /* module, a blank, name */
    uint8_t role;
    bool is_old; /* a name of Python 2, for protocols 0 to 2 */
};

/* Ascending by their texts. */
static const struct row TABLE[ROWS] = {
    {"__builtin__ bool", SNPY_ROLE_BOOL, true},
    {"__builtin__ bytearray", SNPY_ROLE_BYTEARRAY, true},
    {"__builtin__ bytes", SNPY_ROLE_BYTES, true},
    {"__builtin__ complex", SNPY_ROLE_COMPLEX, true},
    {"__builtin__ dict", SNPY_ROLE_DICT, true},
    {"__builtin__ float", SNPY_ROLE_FLOAT, true},
    {"__builtin__ frozenset", SNPY_ROLE_FROZENSET, true},
    {"__builtin__ int", SNPY_ROLE_INT, true},
    {"__builtin__ list", SNPY_ROLE_LIST, true},
    {"__builtin__ long", SNPY_ROLE_INT, true},
    {"__builtin__ object", SNPY_ROLE_OBJECT, true},
    {"__builtin__ range", SNPY_ROLE_RANGE, true},
    {"__builtin__ set", SNPY_ROLE_SET, true},
    {"__builtin__ slice", SNPY_ROLE_SLICE, true},
    {"__builtin__ str", SNPY_ROLE_STR, true},
    {"__builtin__ tuple", SNPY_ROLE_TUPLE, true},
    {"__builtin__ unicode", SNPY_ROLE_STR, true},
    {"__builtin__ xrange", SNPY_ROLE_RANGE, true},
    {"_codecs encode", SNPY_ROLE_ENCODE, false},
    {"builtins bool", SNPY_ROLE_BOOL, false},
    {"builtins bytearray", SNPY_ROLE_BYTEARRAY, false},
    {"builtins bytes", SNPY_ROLE_BYTES, false},
    {"builtins complex", SNPY_ROLE_COMPLEX, false},
    {"builtins dict", SNPY_ROLE_DICT, false},
    {"builtins float", SNPY_ROLE_FLOAT, false},
    {"builtins frozenset", SNPY_ROLE_FROZENSET, false},
    {"builtins int", SNPY_ROLE_INT, false},
    {"builtins list", SNPY_ROLE_LIST, false},
    {"builtins object", SNPY_ROLE_OBJECT, false},
    {"builtins range", SNPY_ROLE_RANGE, false},
    {"builtins set", SNPY_ROLE_SET, false},
    {"builtins slice", SNPY_ROLE_SLICE, false},
    {"builtins str", SNPY_ROLE_STR, false},
    {"builtins tuple", SNPY_ROLE_TUPLE, false},
    {"collections OrderedDict", SNPY_ROLE_ORDERED_DICT, false},
    {"collections defaultdict", SNPY_ROLE_DEFAULTDICT, false},
    {"copy_reg _reconstructor", SNPY_ROLE_RECONSTRUCTOR, true},
    {"copyreg _reconstructor", SNPY_ROLE_RECONSTRUCTOR, false},
    {"datetime date", SNPY_ROLE_DATE, false},
    {"datetime datetime", SNPY_ROLE_DATETIME, false},
    {"datetime time", SNPY_ROLE_TIME, false},
    {"datetime timedelta", SNPY_ROLE_TIMEDELTA, false},
    {"datetime timezone", SNPY_ROLE_TIMEZONE, false},
    {"decimal Decimal", SNPY_ROLE_DECIMAL, false},
    {"fractions Fraction", SNPY_ROLE_FRACTION, false},
    {"numpy dtype", SNPY_ROLE_DTYPE, false},
    {"numpy matrix", SNPY_ROLE_MATRIX, false},
    {"numpy ndarray", SNPY_ROLE_NDARRAY, false},
    {"numpy recarray", SNPY_ROLE_RECARRAY, false},
    {"numpy record", SNPY_ROLE_RECORD, false},
    {"numpy._core._internal _convert_to_stringdtype_kwargs", SNPY_ROLE_STRINGDTYPE, false},
    {"numpy._core.multiarray _reconstruct", SNPY_ROLE_RECONSTRUCT, false},
    {"numpy._core.multiarray scalar", SNPY_ROLE_SCALAR, false},
    {"numpy._core.numeric _frombuffer", SNPY_ROLE_FROMBUFFER, false},
    {"numpy.core._internal _reconstruct", SNPY_ROLE_RECONSTRUCT, false},
    {"numpy.core.multiarray _reconstruct", SNPY_ROLE_RECONSTRUCT, false},
    {"numpy.core.multiarray scalar", SNPY_ROLE_SCALAR, false},
    {"numpy.core.numeric _frombuffer", SNPY_ROLE_FROMBUFFER, false},
    {"numpy.ma MaskedArray", SNPY_ROLE_MASKED_ARRAY, false},
    {"numpy.ma.core MaskedArray", SNPY_ROLE_MASKED_ARRAY, false},
    {"numpy.ma.core _mareconstruct", SNPY_ROLE_MARECONSTRUCT, false},
    {"numpy.rec recarray", SNPY_ROLE_RECARRAY, false},
    {"pathlib PosixPath", SNPY_ROLE_POSIX_PATH, false},
    {"pathlib PurePosixPath", SNPY_ROLE_PURE_POSIX_PATH, false},
    {"pathlib PureWindowsPath", SNPY_ROLE_PURE_WINDOWS_PATH, false},
    {"pathlib WindowsPath", SNPY_ROLE_WINDOWS_PATH, false},
    {"pathlib._local PosixPath", SNPY_ROLE_POSIX_PATH, false},
    {"pathlib._local PurePosixPath", SNPY_ROLE_PURE_POSIX_PATH, false},
    {"pathlib._local PureWindowsPath", SNPY_ROLE_PURE_WINDOWS_PATH, false},
    {"pathlib._local WindowsPath", SNPY_ROLE_WINDOWS_PATH, false},
    {"time struct_time", SNPY_ROLE_STRUCT_TIME, false},
    {"uuid UUID", SNPY_ROLE_UUID, false},
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
    return TABLE[row].text[column];
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

/* The role of a row; none if its name is for older protocols. */
/*@ requires row < ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= 255;
 */
static unsigned row_role(uint32_t row, uint64_t protocol)
{
    if (TABLE[row].is_old && protocol > 2) return SNPY_ROLE_NONE;
    return TABLE[row].role;
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
        uint32_t byte = row_byte(row, i);
        if (key->point[i] != byte) return key->point[i] < byte ? -1 : 1;
    }
    return row_byte(row, key->size) != 0 ? -1 : 0;
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

unsigned snpy_set_of_role(unsigned role)
{
    if (role == SNPY_ROLE_NONE) return SNPY_SET_OTHER;
    return role <= SNPY_ROLE_LAST_OF_DATA ? SNPY_SET_DATA : SNPY_SET_PLAIN;
}

unsigned snpy_role_of_global(const uint8_t *bytes, struct snpy_pickle_text module, struct snpy_pickle_text name,
                             uint64_t protocol)
{
    struct key key = {.size = 0};
    if (!append(bytes, module, &key)) return SNPY_ROLE_NONE;
    if (key.size + 1 >= KEY_MOST) return SNPY_ROLE_NONE;
    key.point[key.size] = ' ';
    key.size++;
    if (!append(bytes, name, &key)) return SNPY_ROLE_NONE;
    uint32_t row = find(&key);
    if (row == ROWS) return SNPY_ROLE_NONE;
    return row_role(row, protocol);
}
