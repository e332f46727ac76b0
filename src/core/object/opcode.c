/* opcode.c: one opcode of a pickle, with its argument.             NPY-PKL-002, 003, 005, 008 … 010, 025
 * Proves that an opcode lies inside the pickle, and inside its frame, and that it goes forward.
 * Leaves what opcodes do to scan.c, and what globals mean to globals.c. */
#include "core/object/opcode.h"

#define MOST_DIGITS 4300u /* of an integer in text */
#define MOST_INTEGER_BYTES 4096u
#define MOST_FLOAT 32u /* characters of a float in text */

/* What follows the byte of an opcode. */
enum operand { FORM_NONE, FORM_LINE, FORM_TWO_LINES, FORM_NUMBER, FORM_COUNTED, FORM_UNKNOWN };

/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures form: FORM_NONE <= \result <= FORM_UNKNOWN;
 */
/* clang-format off */
static unsigned form_of(uint64_t code)
{
    switch (code) {
    case '.': case 'N': case '(': case ')': case 't': case ']': case 'l': case '}': case 'd': case 'a': case 'e':
    case 's': case 'u': case '0': case '1': case 'R': case 'b': case NEWOBJ: case TUPLE1: case TUPLE2: case TUPLE3:
    case NEWTRUE: case NEWFALSE: case EMPTY_SET: case ADDITEMS: case FROZENSET: case STACK_GLOBAL: case MEMOIZE:
        return FORM_NONE;
    case 'I': case 'L': case 'F': case 'S': case 'V': case 'g': case 'p':
        return FORM_LINE;
    case 'c':
        return FORM_TWO_LINES;
    case 'G': case 'J': case 'K': case 'M': case 'h': case 'j': case 'q': case 'r': case PROTO: case FRAME:
        return FORM_NUMBER;
    case 'T': case 'U': case 'X': case 'B': case 'C': case LONG1: case LONG4: case SHORT_BINUNICODE: case BINUNICODE8:
    case BINBYTES8: case BYTEARRAY8:
        return FORM_COUNTED;
    default:
        return FORM_UNKNOWN;
    }
}
/* clang-format on */

/* clang-format off */
size_t snpy_opcode_width(uint64_t code)
{
    switch (code) {
    case 'K': case 'h': case 'q': case 'U': case 'C': case PROTO: case LONG1: case SHORT_BINUNICODE:
        return 1;
    case 'M':
        return 2;
    case 'J': case 'j': case 'r': case 'T': case 'X': case 'B': case LONG4:
        return 4;
    case 'G': case FRAME: case BINUNICODE8: case BINBYTES8: case BYTEARRAY8:
        return 8;
    default:
        return 0;
    }
}
/* clang-format on */

/* Four bytes, little-endian. */
/*@ requires \valid_read(bytes + (0 .. 3));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures number: \result == bytes[0] + 256 * bytes[1] + 65536 * bytes[2] + 16777216 * bytes[3];
 */
static uint32_t number4(const uint8_t *bytes)
{
    return bytes[0] + 256u * bytes[1] + 65536u * bytes[2] + 16777216u * bytes[3];
}

uint64_t snpy_opcode_number(const uint8_t *bytes, size_t pos, size_t width)
{
    if (width == 0) return 0;
    if (width == 1) return bytes[pos];
    if (width == 2) return bytes[pos] + 256u * bytes[pos + 1];
    if (width == 4) return number4(bytes + pos);
    return number4(bytes + pos) + UINT64_C(4294967296) * number4(bytes + pos + 4);
}

uint32_t snpy_opcode_hex(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') return (uint32_t)byte - '0';
    if (byte >= 'a' && byte <= 'f') return (uint32_t)byte - 'a' + 10u;
    if (byte >= 'A' && byte <= 'F') return (uint32_t)byte - 'A' + 10u;
    return SNPY_NOT_HEX;
}

/* The number of four hexadecimal digits; SNPY_NOT_HEX or more if they are none. */
/*@ requires \valid_read(bytes + (0 .. 3));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures bound: \result <= 0xffff || SNPY_NOT_HEX <= \result <= 0x11110000;
 */
static uint32_t hex4(const uint8_t *bytes)
{
    return 4096u * snpy_opcode_hex(bytes[0]) + 256u * snpy_opcode_hex(bytes[1]) + 16u * snpy_opcode_hex(bytes[2]) +
           snpy_opcode_hex(bytes[3]);
}

size_t snpy_opcode_character(const uint8_t *bytes, size_t length, size_t pos, uint32_t *point)
{
    size_t left = length - pos;
    *point = bytes[pos];
    if (bytes[pos] != '\\') return 1;
    if (left >= 6 && bytes[pos + 1] == 'u') {
        *point = hex4(bytes + pos + 2);
        return *point < SNPY_NOT_HEX ? 6 : 0;
    }
    if (left < 10 || bytes[pos + 1] != 'U') return 0;
    uint32_t high = hex4(bytes + pos + 2);
    uint32_t low = hex4(bytes + pos + 6);
    if (high > 0x10 || low >= SNPY_NOT_HEX) return 0;
    *point = 65536u * high + low;
    return 10;
}

size_t snpy_opcode_line(const uint8_t *bytes, size_t length, size_t pos)
{
    size_t i = pos;
    /*@ loop invariant range: pos <= i <= length;
        loop invariant none: \forall integer k; pos <= k < i ==> bytes[k] != '\n';
        loop assigns i;
        loop variant length - i; */
    while (i < length && bytes[i] != '\n') i++;
    return i;
}

/* Whether the text of a UNICODE line has no bad escape.                                               NPY-PKL-010 */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_unicode(const uint8_t *bytes, size_t from, size_t end)
{
    size_t i = from;
    uint32_t point = 0;
    /*@ loop invariant range: from <= i <= end;
        loop assigns i, point;
        loop variant end - i; */
    while (i < end) {
        size_t step = snpy_opcode_character(bytes, end, i, &point);
        if (step == 0) return false;
        i += step;
    }
    return true;
}

/* Whether bytes are UTF-8 in which lone surrogates may stand.                                         NPY-PKL-010 */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_utf8(const uint8_t *bytes, size_t from, size_t end)
{
    size_t i = from;
    uint32_t point = 0;
    /*@ loop invariant range: from <= i <= end;
        loop assigns i, point;
        loop variant end - i; */
    while (i < end) {
        size_t step = snpy_utf8_next(bytes, end, i, true, &point);
        if (step == 0) return false;
        i += step;
    }
    return true;
}

/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures digit: \result <==> '0' <= byte <= '9' || 'a' <= byte <= 'f';
 */
static bool is_lower_hex(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

/* How many bytes an escape in a string of Python 2 takes, 0 if it is none. */
/*@ requires text_ok(bytes, end) && pos < end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= 4 && pos + \result <= end;
 */
static size_t escape_size(const uint8_t *bytes, size_t end, size_t pos)
{
    if (end - pos < 2) return 0;
    uint8_t byte = bytes[pos + 1];
    if (byte == '\\' || byte == '\'' || byte == '"' || byte == 'n' || byte == 'r' || byte == 't') return 2;
    if (byte != 'x' || end - pos < 4) return 0;
    return is_lower_hex(bytes[pos + 2]) && is_lower_hex(bytes[pos + 3]) ? 4 : 0;
}

/* Whether a line is a string as Python 2 writes it.                                                   NPY-PKL-010 */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_quoted(const uint8_t *bytes, size_t from, size_t end)
{
    if (end - from < 2 || (bytes[from] != '\'' && bytes[from] != '"')) return false;
    size_t i = from + 1;
    /*@ loop invariant range: from < i <= end;
        loop assigns i;
        loop variant end - i; */
    while (i < end && bytes[i] != bytes[from]) {
        size_t step = bytes[i] == '\\' ? escape_size(bytes, end, i) : 1;
        if (step == 0) return false;
        i += step;
    }
    return i < end && i + 1 == end;
}

/* The first position from `pos` on that holds no digit. */
/*@ requires text_ok(bytes, end) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= end;
    ensures digits: \forall integer k; pos <= k < \result ==> '0' <= bytes[k] <= '9';
    ensures stop: \result < end ==> !('0' <= bytes[\result] <= '9');
 */
static size_t skip_digits(const uint8_t *bytes, size_t end, size_t pos)
{
    size_t i = pos;
    /*@ loop invariant range: pos <= i <= end;
        loop invariant digits: \forall integer k; pos <= k < i ==> '0' <= bytes[k] <= '9';
        loop assigns i;
        loop variant end - i; */
    while (i < end && snpy_is_digit(bytes[i])) i++;
    return i;
}

/* An integer in text: 0, or digits without a leading zero after a minus or none.          NPY-PKL-009, NPY-PKL-025 */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_NUMBER || \result == SNPY_PKL_INTEGER_TOO_LONG;
 */
static snpy_status check_integer(const uint8_t *bytes, size_t from, size_t end)
{
    size_t first = from < end && bytes[from] == '-' ? from + 1 : from;
    if (first == end || skip_digits(bytes, end, first) != end) return SNPY_PKL_NUMBER;
    if (bytes[first] == '0') return end - from == 1 ? SNPY_OK : SNPY_PKL_NUMBER;
    return end - first > MOST_DIGITS ? SNPY_PKL_INTEGER_TOO_LONG : SNPY_OK;
}

/* Where the digits from `pos` on end; 0 if there is none. */
/*@ requires text_ok(bytes, end) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == 0 || pos < \result <= end;
 */
static size_t some_digits(const uint8_t *bytes, size_t end, size_t pos)
{
    size_t stop = skip_digits(bytes, end, pos);
    return stop == pos ? 0 : stop;
}

/* Whether text is nan, inf or -inf. */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_special(const uint8_t *bytes, size_t from, size_t end)
{
    size_t size = end - from;
    if (size == 3 && bytes[from] == 'n') return bytes[from + 1] == 'a' && bytes[from + 2] == 'n';
    if (size == 4 && bytes[from] != '-') return false;
    if (size != 3 && size != 4) return false;
    return bytes[end - 3] == 'i' && bytes[end - 2] == 'n' && bytes[end - 1] == 'f';
}

/* Whether text is the exponent of a float, or nothing. */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_exponent(const uint8_t *bytes, size_t from, size_t end)
{
    if (from == end) return true;
    if (end - from < 3 || bytes[from] != 'e' || (bytes[from + 1] != '+' && bytes[from + 1] != '-')) return false;
    return skip_digits(bytes, end, from + 2) == end;
}

/* Whether a line is a float as Python writes it.                                                      NPY-PKL-009 */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_float(const uint8_t *bytes, size_t from, size_t end)
{
    if (from == end || end - from > MOST_FLOAT) return false;
    if (is_special(bytes, from, end)) return true;
    size_t i = some_digits(bytes, end, bytes[from] == '-' ? from + 1 : from);
    if (i == 0) return false;
    if (i < end && bytes[i] == '.') {
        i = some_digits(bytes, end, i + 1);
        if (i == 0) return false;
    }
    return is_exponent(bytes, i, end);
}

/* A memo index in text: at most ten digits.                                                           NPY-PKL-008 */
/*@ requires text_ok(bytes, end) && from <= end && \valid(number) && \separated(number, bytes + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *number;
 */
static bool is_index(const uint8_t *bytes, size_t from, size_t end, uint64_t *number)
{
    *number = 0;
    if (from == end || end - from > 10) return false;
    if (bytes[from] == '0' && end - from > 1) return false;
    return snpy_lex_digits(bytes, end, from, UINT64_C(0xffffffffff), number) == end;
}

/* Whether text is a bool, which INT writes as 00 or 01. */
/*@ requires text_ok(bytes, end) && from <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures bool: \result <==>
            end - from == 2 && bytes[from] == '0' && (bytes[from + 1] == '0' || bytes[from + 1] == '1');
 */
static bool is_bool(const uint8_t *bytes, size_t from, size_t end)
{
    return end - from == 2 && bytes[from] == '0' && (bytes[from + 1] == '0' || bytes[from + 1] == '1');
}

/* The argument of an opcode that has one line; *number is a memo index. */
/*@ requires text_ok(bytes, end) && from <= end && \valid(number) && \separated(number, bytes + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *number;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_NUMBER || \result == SNPY_PKL_INTEGER_TOO_LONG
            || \result == SNPY_PKL_TEXT || \result == SNPY_PKL_MEMO;
 */
static snpy_status check_line(uint64_t code, const uint8_t *bytes, size_t from, size_t end, uint64_t *number)
{
    *number = 0;
    if (code == 'I' && is_bool(bytes, from, end)) return SNPY_OK;
    if (code == 'I') return check_integer(bytes, from, end);
    if (code == 'L' && (from == end || bytes[end - 1] != 'L')) return SNPY_PKL_NUMBER;
    if (code == 'L') return check_integer(bytes, from, end - 1);
    if (code == 'F') return is_float(bytes, from, end) ? SNPY_OK : SNPY_PKL_NUMBER;
    if (code == 'S') return is_quoted(bytes, from, end) ? SNPY_OK : SNPY_PKL_TEXT;
    if (code == 'V') return is_unicode(bytes, from, end) ? SNPY_OK : SNPY_PKL_TEXT;
    return is_index(bytes, from, end, number) ? SNPY_OK : SNPY_PKL_MEMO;
}

/* Whether `size` bytes from `pos` on are there, and inside the frame.                     NPY-PKL-002, NPY-PKL-005 */
/*@ requires pos <= limit <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_TRUNCATED || \result == SNPY_PKL_FRAME;
    ensures inside: \result == SNPY_OK <==> pos + size <= limit;
 */
static snpy_status check_size(size_t length, size_t limit, size_t pos, uint64_t size)
{
    if (size > length - pos) return SNPY_PKL_TRUNCATED;
    return size > limit - pos ? SNPY_PKL_FRAME : SNPY_OK;
}

/* The line at `pos` and its line feed: *end is where the line feed stands.                 NPY-PKL-002, NPY-PKL-005 */
/*@ requires text_ok(bytes, length) && pos <= limit <= length && \valid(end) && \separated(end, bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *end;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_TRUNCATED || \result == SNPY_PKL_FRAME;
    ensures inside: \result == SNPY_OK ==> pos <= *end < limit;
 */
static snpy_status take_line(const uint8_t *bytes, size_t length, size_t limit, size_t pos, size_t *end)
{
    *end = snpy_opcode_line(bytes, length, pos);
    if (*end == length) return SNPY_PKL_TRUNCATED;
    return *end < limit ? SNPY_OK : SNPY_PKL_FRAME;
}

/* clang-format off */
/* What the arguments of all forms promise. */
#define ARGUMENT_REQUIRES                                                                                             \
    requires length <= SNPY_MAX_PICKLE && text_ok(bytes, length) && pos <= limit <= length;                           \
    requires \valid(opcode) && \separated(opcode, bytes + (0 .. length-1));                                           \
    requires opcode->module == 0 && opcode->module_size == 0 && opcode->name == 0 && opcode->name_size == 0;
#define ARGUMENT_ENSURES                                                                                              \
    ensures next: \result == SNPY_OK ==> pos <= opcode->next <= limit;                                                \
    ensures argument: \result == SNPY_OK ==> opcode->argument + opcode->argument_size <= opcode->next;                \
    ensures status: \result != SNPY_PKL_TOO_MANY_NODES;
/* clang-format on */

/* An argument of one line. */
/*@ ARGUMENT_REQUIRES
    terminates \true;
    exits \false;
    assigns opcode->argument, opcode->argument_size, opcode->next, opcode->number;
    ARGUMENT_ENSURES
 */
static snpy_status take_text(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode)
{
    size_t end = 0;
    uint64_t number = 0;
    snpy_status status = take_line(bytes, length, limit, pos, &end);
    if (status != SNPY_OK) return status;
    opcode->argument = pos;
    opcode->argument_size = end - pos;
    opcode->next = end + 1;
    status = check_line(opcode->code, bytes, pos, end, &number);
    opcode->number = number;
    return status;
}

/* The two lines of GLOBAL. */
/*@ ARGUMENT_REQUIRES
    terminates \true;
    exits \false;
    assigns opcode->argument, opcode->argument_size, opcode->next, opcode->module, opcode->module_size, opcode->name,
            opcode->name_size;
    ARGUMENT_ENSURES
    ensures module: \result == SNPY_OK ==> opcode->module + opcode->module_size <= length;
    ensures name: \result == SNPY_OK ==> opcode->name + opcode->name_size <= length;
 */
static snpy_status take_global(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode)
{
    size_t middle = 0;
    size_t end = 0;
    snpy_status status = take_line(bytes, length, limit, pos, &middle);
    if (status != SNPY_OK) return status;
    status = take_line(bytes, length, limit, middle + 1, &end);
    if (status != SNPY_OK) return status;
    opcode->argument = pos;
    opcode->argument_size = end - pos;
    opcode->next = end + 1;
    opcode->module = pos;
    opcode->module_size = middle - pos;
    opcode->name = middle + 1;
    opcode->name_size = end - (middle + 1);
    return SNPY_OK;
}

/* A number of fixed size. */
/*@ ARGUMENT_REQUIRES
    terminates \true;
    exits \false;
    assigns opcode->argument, opcode->argument_size, opcode->next, opcode->number;
    ARGUMENT_ENSURES
 */
static snpy_status take_number(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode)
{
    size_t width = snpy_opcode_width(opcode->code);
    snpy_status status = check_size(length, limit, pos, width);
    if (status != SNPY_OK) return status;
    opcode->number = snpy_opcode_number(bytes, pos, width);
    opcode->argument = pos;
    opcode->argument_size = width;
    opcode->next = pos + width;
    return SNPY_OK;
}

/* Whether a length is one that its opcode may have.                            NPY-PKL-009, NPY-PKL-010, NPY-PKL-025 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_NUMBER || \result == SNPY_PKL_INTEGER_TOO_LONG
            || \result == SNPY_PKL_TEXT || \result == SNPY_PKL_TRUNCATED;
 */
static snpy_status check_count(uint64_t code, uint64_t count, size_t left)
{
    if (code == 'T' && count > 0x7fffffff) return SNPY_PKL_TEXT;
    if (code == LONG4 && count > 0x7fffffff) return SNPY_PKL_NUMBER;
    if (count > left) return SNPY_PKL_TRUNCATED;
    return code == LONG4 && count > MOST_INTEGER_BYTES ? SNPY_PKL_INTEGER_TOO_LONG : SNPY_OK;
}

/* A length and this many bytes. */
/*@ ARGUMENT_REQUIRES
    terminates \true;
    exits \false;
    assigns opcode->argument, opcode->argument_size, opcode->next, opcode->number;
    ARGUMENT_ENSURES
 */
static snpy_status take_counted(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode)
{
    snpy_status status = take_number(bytes, length, limit, pos, opcode);
    if (status != SNPY_OK) return status;
    size_t from = (size_t)opcode->next;
    status = check_count(opcode->code, opcode->number, length - from);
    if (status != SNPY_OK) return status;
    status = check_size(length, limit, from, opcode->number);
    if (status != SNPY_OK) return status;
    size_t end = from + (size_t)opcode->number;
    opcode->argument = from;
    opcode->argument_size = opcode->number;
    opcode->next = end;
    bool is_text = opcode->code == 'X' || opcode->code == SHORT_BINUNICODE || opcode->code == BINUNICODE8;
    return !is_text || is_utf8(bytes, from, end) ? SNPY_OK : SNPY_PKL_TEXT;
}

/* The argument at `pos`. */
/*@ ARGUMENT_REQUIRES
    terminates \true;
    exits \false;
    assigns opcode->argument, opcode->argument_size, opcode->next, opcode->number, opcode->module, opcode->module_size,
            opcode->name, opcode->name_size;
    ARGUMENT_ENSURES
    ensures module: \result == SNPY_OK ==> opcode->module + opcode->module_size <= length;
    ensures name: \result == SNPY_OK ==> opcode->name + opcode->name_size <= length;
 */
static snpy_status take_argument(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode)
{
    unsigned form = form_of(opcode->code);
    if (form == FORM_UNKNOWN) return SNPY_PKL_OPCODE; /* NPY-PKL-003 */
    if (form == FORM_LINE) return take_text(bytes, length, limit, pos, opcode);
    if (form == FORM_TWO_LINES) return take_global(bytes, length, limit, pos, opcode);
    if (form == FORM_COUNTED) return take_counted(bytes, length, limit, pos, opcode);
    return take_number(bytes, length, limit, pos, opcode); /* of no bytes where there is no argument */
}

/* An opcode before its argument is read. */
/*@ requires \valid(opcode);
    terminates \true;
    exits \false;
    assigns *opcode;
    ensures opcode->code == code && opcode->at == at;
    ensures opcode->set == SNPY_SET_DATA || opcode->set == SNPY_SET_PLAIN;
    ensures opcode->module == 0 && opcode->module_size == 0 && opcode->name == 0 && opcode->name_size == 0;
    ensures opcode->role == SNPY_ROLE_NONE;
 */
static void begin(snpy_opcode *opcode, uint8_t code, size_t at)
{
    opcode->code = code;
    opcode->at = at;
    opcode->argument = 0;
    opcode->argument_size = 0;
    opcode->next = 0;
    opcode->number = 0;
    bool is_plain = code == EMPTY_SET || code == ADDITEMS || code == FROZENSET || code == BYTEARRAY8; /* NPY-PKL-012 */
    opcode->source = 0;
    opcode->set = is_plain ? SNPY_SET_PLAIN : SNPY_SET_DATA;
    opcode->role = SNPY_ROLE_NONE;
    opcode->module = 0;
    opcode->module_size = 0;
    opcode->name = 0;
    opcode->name_size = 0;
}

snpy_status snpy_parse_opcode(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode,
                              snpy_error *error)
{
    if (pos == length) return snpy_fail(error, SNPY_PKL_TRUNCATED, length);
    begin(opcode, bytes[pos], pos);
    snpy_status status = take_argument(bytes, length, limit, pos + 1, opcode);
    return snpy_fail(error, status, status == SNPY_PKL_TRUNCATED ? length : pos);
}
