/* scan.c: what opcodes do to the stack, the memo, and the frame of a pickle.               NPY-PKL-002 … 008, 011
 * Proves that the scan goes forward, and that it stays inside the caller's tables.
 * Leaves the arguments of opcodes to opcode.c, the names to globals.c, and calls and states to who decodes. */
#include "core/object/globals.h"

#define MARK 0xffffffffu /* on the stack; all else there is where a value's opcode stands */
#define NAME_MOST 1024u  /* bytes of a UNICODE line that are searched for its end */

/* clang-format off */
/* What all functions on a scan ask for. */
#define SCAN_REQUIRES                                                                                                 \
    requires \valid(scan) && scan->depth <= scan->stack_capacity;                                                    \
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1));                                                    \
    requires \separated(scan, scan->stack + (0 .. scan->stack_capacity-1));
/* clang-format on */

/* How many values an opcode takes from the top of the stack. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures taken: \result <= 3;
 */
/* clang-format off */
static uint64_t taken_by(uint64_t code)
{
    switch (code) {
    case 'a': case 'b': case TUPLE1:
        return 1;
    case 's': case 'R': case NEWOBJ: case TUPLE2: case STACK_GLOBAL:
        return 2;
    case TUPLE3:
        return 3;
    default:
        return 0;
    }
}
/* clang-format on */

/* Whether an opcode needs a value below what it takes: a container, an object that gets a state. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool needs_top(uint64_t code)
{
    return code == 'a' || code == 'b' || code == 's' || code == 'e' || code == 'u' || code == ADDITEMS;
}

/* Whether an opcode takes all values above the topmost mark, and the mark. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool takes_mark(uint64_t code)
{
    return code == '1' || code == 't' || code == 'l' || code == 'd' || code == 'e' || code == 'u' || code == ADDITEMS ||
           code == FROZENSET;
}

/* Whether an opcode leaves no new value. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
/* clang-format off */
static bool leaves_nothing(uint64_t code)
{
    switch (code) {
    case PROTO: case FRAME: case '.': case '0': case '1': case 'p': case 'q': case 'r': case MEMOIZE: case 'a':
    case 'b': case 's': case 'e': case 'u': case ADDITEMS:
        return true;
    default:
        return false;
    }
}
/* clang-format on */

/* Whether there are `count` values on top of the stack.                                                NPY-PKL-007 */
/*@ SCAN_REQUIRES
    requires count <= 4;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures depth: \result ==> count <= scan->depth;
    ensures value: \result && count > 0 ==> scan->stack[scan->depth - 1] != MARK;
 */
static bool has_values(const snpy_object_scan *scan, uint64_t count)
{
    if (scan->depth < count) return false;
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant value: i > 0 ==> scan->stack[scan->depth - 1] != MARK;
        loop assigns i;
        loop variant count - i; */
    for (uint64_t i = 0; i < count; i++) {
        if (scan->stack[scan->depth - 1 - i] == MARK) return false;
    }
    return true;
}

/* Where the topmost mark stands; the depth if there is none. Whoever asks takes all above it.          NPY-PKL-007 */
/*@ SCAN_REQUIRES
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= scan->depth;
 */
static uint64_t topmost_mark(const snpy_object_scan *scan)
{
    uint64_t i = scan->depth;
    /*@ loop invariant range: 0 <= i <= scan->depth;
        loop assigns i;
        loop variant i; */
    while (i > 0) {
        i--;
        if (scan->stack[i] == MARK) return i;
    }
    return scan->depth;
}

/* Takes the values above the topmost mark, and the mark.                                               NPY-PKL-007 */
/*@ SCAN_REQUIRES
    terminates \true;
    exits \false;
    assigns scan->depth;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_STACK;
    ensures depth: scan->depth <= \old(scan->depth);
    ensures room: \result == SNPY_OK ==> scan->depth < \old(scan->depth);
 */
static snpy_status take_marked(snpy_object_scan *scan, uint64_t code)
{
    uint64_t mark = topmost_mark(scan);
    if (mark == scan->depth) return SNPY_PKL_STACK;
    bool has_pairs = code == 'd' || code == 'u';
    if (has_pairs && (scan->depth - mark - 1) % 2 != 0) return SNPY_PKL_STACK;
    if (needs_top(code) && (mark == 0 || scan->stack[mark - 1] == MARK)) return SNPY_PKL_STACK;
    scan->depth = mark;
    return SNPY_OK;
}

/* Takes what an opcode takes from the stack.                                                           NPY-PKL-007 */
/*@ SCAN_REQUIRES
    terminates \true;
    exits \false;
    assigns scan->depth;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_STACK;
    ensures depth: scan->depth <= \old(scan->depth);
 */
static snpy_status take(snpy_object_scan *scan, uint64_t code)
{
    if (takes_mark(code)) return take_marked(scan, code);
    uint64_t count = code == '0' ? 1 : taken_by(code);
    if (code == '0' && scan->depth == 0) return SNPY_PKL_STACK; /* a mark may be taken, too */
    if (code != '0' && !has_values(scan, needs_top(code) ? count + 1 : count)) return SNPY_PKL_STACK;
    scan->depth -= count;
    return SNPY_OK;
}

/* PROTO.                                                                                               NPY-PKL-004 */
/*@ requires \valid(scan) && \valid_read(opcode) && \separated(scan, opcode);
    terminates \true;
    exits \false;
    assigns scan->protocol;
    ensures NPY_PKL_004: \result == (opcode->at == 0 && 2 <= opcode->number <= 5 ? SNPY_OK : SNPY_PKL_PROTOCOL);
 */
static snpy_status run_proto(snpy_object_scan *scan, const snpy_opcode *opcode)
{
    if (opcode->at != 0 || opcode->number < 2 || opcode->number > 5) return SNPY_PKL_PROTOCOL;
    scan->protocol = opcode->number;
    return SNPY_OK;
}

/* FRAME.                                                                                  NPY-PKL-002, NPY-PKL-005 */
/*@ requires \valid(scan) && \valid_read(opcode) && \separated(scan, opcode) && opcode->next <= length;
    terminates \true;
    exits \false;
    assigns scan->frame_end;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_FRAME || \result == SNPY_PKL_TRUNCATED;
    ensures NPY_PKL_005: \result == SNPY_OK <==> \old(scan->frame_end) == 0 && 0 < opcode->number <= length - opcode->next;
    ensures kept: \result != SNPY_OK ==> scan->frame_end == \old(scan->frame_end);
    ensures end: \result == SNPY_OK ==> scan->frame_end == opcode->next + opcode->number;
 */
static snpy_status run_frame(snpy_object_scan *scan, const snpy_opcode *opcode, size_t length)
{
    if (scan->frame_end != 0) return SNPY_PKL_FRAME;
    if (opcode->number > length - opcode->next) return SNPY_PKL_TRUNCATED;
    if (opcode->number == 0) return SNPY_PKL_FRAME;
    scan->frame_end = opcode->next + opcode->number;
    return SNPY_OK;
}

/* STOP.                                                                      NPY-PKL-005, NPY-PKL-006, NPY-PKL-007 */
/*@ SCAN_REQUIRES
    requires \valid_read(opcode);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_PKL_006: \result == SNPY_OK ==> opcode->next == length;
    ensures NPY_PKL_007: \result == SNPY_OK ==> scan->depth == 1 && scan->stack[0] != MARK;
    ensures accepted: \result == SNPY_OK <==> scan->depth == 1 && scan->stack[0] != MARK && opcode->next == length
            && (scan->frame_end == 0 || scan->frame_end == opcode->next);
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_STACK || \result == SNPY_PKL_FRAME
            || \result == SNPY_PKL_TRAILING;
 */
static snpy_status run_stop(const snpy_object_scan *scan, const snpy_opcode *opcode, size_t length)
{
    if (scan->depth != 1 || scan->stack[0] == MARK) return SNPY_PKL_STACK;
    if (scan->frame_end != 0 && scan->frame_end != opcode->next) return SNPY_PKL_FRAME;
    return opcode->next == length ? SNPY_OK : SNPY_PKL_TRAILING;
}

/* clang-format off */
/* What the functions on the memo ask for besides. */
#define MEMO_REQUIRES                                                                                                 \
    SCAN_REQUIRES                                                                                                     \
    requires \valid_read(opcode) && \valid(scan->memo + (0 .. scan->memo_capacity-1));                                \
    requires \separated(scan, opcode, scan->stack + (0 .. scan->stack_capacity-1),                                    \
                        scan->memo + (0 .. scan->memo_capacity-1));
/* clang-format on */

/* The index of the opcodes that write to the memo: MEMOIZE takes the next one. */
#define MEMO_INDEX (opcode->code == MEMOIZE ? scan->kept : opcode->number)

/* Keeps the topmost value in the memo.                                                                 NPY-PKL-008 */
/*@ MEMO_REQUIRES
    requires scan->kept < SNPY_MAX_PICKLE;
    terminates \true;
    exits \false;
    assigns scan->kept, scan->memo[0 .. scan->memo_capacity-1];
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_STACK || \result == SNPY_PKL_MEMO
            || \result == SNPY_PKL_TOO_MANY_NODES;
    ensures kept: scan->kept == (\result == SNPY_OK ? \old(scan->kept) + 1 : \old(scan->kept));
    ensures NPY_PKL_008: \result == SNPY_OK ==> \old(MEMO_INDEX) < scan->memo_capacity
            && \old(scan->memo[MEMO_INDEX]) == 0
            && scan->memo[\old(MEMO_INDEX)] == scan->stack[scan->depth - 1] + 1;
 */
static snpy_status put(snpy_object_scan *scan, const snpy_opcode *opcode, size_t length)
{
    uint64_t index = opcode->code == MEMOIZE ? scan->kept : opcode->number;
    if (index >= length) return SNPY_PKL_MEMO;
    if (index < scan->memo_capacity && scan->memo[index] != 0) return SNPY_PKL_MEMO;
    if (!has_values(scan, 1)) return SNPY_PKL_STACK;
    if (index >= scan->memo_capacity) return SNPY_PKL_TOO_MANY_NODES;
    scan->memo[index] = scan->stack[scan->depth - 1] + 1;
    scan->kept++;
    return SNPY_OK;
}

/* Whether an opcode takes a value from the memo. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures get: \result <==> code == 'g' || code == 'h' || code == 'j';
 */
static bool is_get(uint64_t code)
{
    return code == 'g' || code == 'h' || code == 'j';
}

/* Where the opcode of the new value stands: of GET that of the old one, else its own; MARK of MARK.    NPY-PKL-008 */
/*@ MEMO_REQUIRES
    requires opcode->at < SNPY_MAX_PICKLE && \valid(value);
    requires \separated(value, scan, opcode, scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1));
    terminates \true;
    exits \false;
    assigns *value;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_MEMO;
    ensures fresh: opcode->code != 'g' && opcode->code != 'h' && opcode->code != 'j' ==>
            \result == SNPY_OK && *value == (opcode->code == '(' ? MARK : opcode->at);
    ensures NPY_PKL_008: opcode->code == 'g' || opcode->code == 'h' || opcode->code == 'j' ==>
            (\result == SNPY_OK <==> opcode->number < scan->memo_capacity && scan->memo[opcode->number] != 0)
            && (\result == SNPY_OK ==> *value == scan->memo[opcode->number] - 1);
 */
static snpy_status value_of(const snpy_object_scan *scan, const snpy_opcode *opcode, uint32_t *value)
{
    *value = opcode->code == '(' ? MARK : (uint32_t)opcode->at;
    if (!is_get(opcode->code)) return SNPY_OK;
    uint64_t index = opcode->number;
    if (index >= scan->memo_capacity || scan->memo[index] == 0) return SNPY_PKL_MEMO;
    *value = scan->memo[index] - 1;
    return SNPY_OK;
}

/* The text that the opcode at `at` has made; false if it has made none. Of a line of UNICODE, the beginning will do. */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE;
    requires \valid(text) && \separated(text, pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns text->from, text->end, text->escaped;
    ensures span: \result ==> text->from <= text->end <= length;
 */
static bool text_of(const uint8_t *pickle, size_t length, uint32_t at, struct snpy_pickle_text *text)
{
    if (at >= length) return false; /* a mark */
    uint8_t code = pickle[at];
    size_t from = (size_t)at + 1;
    text->escaped = code == 'V';
    text->from = from;
    text->end = snpy_opcode_line(pickle, length - from < NAME_MOST ? length : from + NAME_MOST, from);
    if (text->escaped) return true;
    if (code != 'X' && code != SHORT_BINUNICODE && code != BINUNICODE8) return false;
    size_t width = snpy_opcode_width(code);
    if (width > length - from) return false;
    uint64_t size = snpy_opcode_number(pickle, from, width);
    if (size > length - from - width) return false;
    text->from = from + width;
    text->end = from + width + size;
    return true;
}

/* The names of STACK_GLOBAL, which are on the stack; without effect if they are no strings. NPY-PKL-007, NPY-PKL-011 */
/*@ SCAN_REQUIRES
    requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid(module) && \valid(name);
    requires \separated(module, name, scan, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1));
    terminates \true;
    exits \false;
    assigns module->from, module->end, module->escaped, name->from, name->end, name->escaped;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_STACK || \result == SNPY_PKL_GLOBAL;
    ensures module: \result == SNPY_OK ==> module->from <= module->end <= length;
    ensures name: \result == SNPY_OK ==> name->from <= name->end <= length;
 */
static snpy_status names_on_stack(const uint8_t *pickle, size_t length, const snpy_object_scan *scan,
                                  struct snpy_pickle_text *module, struct snpy_pickle_text *name)
{
    if (!has_values(scan, 2)) return SNPY_PKL_STACK;
    uint32_t upper = scan->stack[scan->depth - 1];
    uint32_t lower = scan->stack[scan->depth - 2];
    if (!text_of(pickle, length, lower, module)) return SNPY_PKL_GLOBAL;
    return text_of(pickle, length, upper, name) ? SNPY_OK : SNPY_PKL_GLOBAL;
}

/* clang-format off */
#define NAMED                                                                                                         \
    ensures module: opcode->module + opcode->module_size <= length;                                                   \
    ensures name: opcode->name + opcode->name_size <= length;                                                         \
    ensures role: opcode->role <= 255;
/* clang-format on */

/* The role and set of the global that GLOBAL or STACK_GLOBAL names.                         NPY-PKL-011, NPY-PKL-012 */
/*@ SCAN_REQUIRES
    requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid(opcode);
    requires \separated(opcode, scan, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1));
    requires opcode->module + opcode->module_size <= length && opcode->name + opcode->name_size <= length;
    requires opcode->role <= 255;
    terminates \true;
    exits \false;
    assigns opcode->set, opcode->role, opcode->module, opcode->module_size, opcode->name, opcode->name_size;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_STACK;
    NAMED
 */
static snpy_status name_global(const uint8_t *pickle, size_t length, const snpy_object_scan *scan, snpy_opcode *opcode)
{
    struct snpy_pickle_text module = {opcode->module, opcode->module + opcode->module_size, false};
    struct snpy_pickle_text name = {opcode->name, opcode->name + opcode->name_size, false};
    if (opcode->code == STACK_GLOBAL) {
        snpy_status status = names_on_stack(pickle, length, scan, &module, &name);
        opcode->set = SNPY_SET_OTHER;
        if (status != SNPY_OK) return status == SNPY_PKL_STACK ? status : SNPY_OK;
    }
    unsigned role = snpy_role_of_global(pickle, module, name, scan->protocol);
    opcode->role = role;
    opcode->set = snpy_set_of_role(role);
    opcode->module = module.from;
    opcode->module_size = module.end - module.from;
    opcode->name = name.from;
    opcode->name_size = name.end - name.from;
    return SNPY_OK;
}

/* Does to the stack what an opcode says that is neither PROTO, FRAME nor STOP. There is room for one value. */
/*@ MEMO_REQUIRES
    requires scan->depth < scan->stack_capacity && scan->kept < SNPY_MAX_PICKLE && opcode->at < SNPY_MAX_PICKLE;
    requires \valid(opcode);
    terminates \true;
    exits \false;
    assigns opcode->source, scan->depth, scan->kept, scan->stack[0 .. scan->stack_capacity-1],
            scan->memo[0 .. scan->memo_capacity-1];
    ensures depth: scan->depth <= scan->stack_capacity;
    ensures kept: scan->kept <= (\result == SNPY_OK ? \old(scan->kept) + 1 : \old(scan->kept));
    ensures status: \result != SNPY_PKL_TRUNCATED && \result != SNPY_PKL_TRAILING;
 */
static snpy_status run_value(snpy_object_scan *scan, snpy_opcode *opcode, size_t length)
{
    uint64_t code = opcode->code;
    uint32_t value = 0;
    if (code == 'p' || code == 'q' || code == 'r' || code == MEMOIZE) return put(scan, opcode, length);
    snpy_status status = value_of(scan, opcode, &value);
    if (status != SNPY_OK) return status;
    if (is_get(code)) opcode->source = value;
    status = take(scan, code);
    if (status != SNPY_OK || leaves_nothing(code)) return status;
    scan->stack[scan->depth] = value;
    scan->depth++;
    return SNPY_OK;
}

/* Does what an opcode says. */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid(opcode);
    requires \valid(scan) && scan->depth < scan->stack_capacity && scan->kept < SNPY_MAX_PICKLE;
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, opcode, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1));
    requires opcode->at < opcode->next <= length;
    requires scan->frame_end == 0 || opcode->next <= scan->frame_end <= length;
    requires opcode->module + opcode->module_size <= length && opcode->name + opcode->name_size <= length;
    requires opcode->role <= 255;
    terminates \true;
    exits \false;
    assigns opcode->source, opcode->set, opcode->role, opcode->module, opcode->module_size, opcode->name,
            opcode->name_size, scan->depth, scan->kept, scan->frame_end, scan->protocol,
            scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1];
    ensures depth: scan->depth <= scan->stack_capacity;
    ensures kept: scan->kept <= (\result == SNPY_OK ? \old(scan->kept) + 1 : \old(scan->kept));
    ensures frame: scan->frame_end == 0 || opcode->next <= scan->frame_end <= length;
    ensures NPY_PKL_006: \result == SNPY_OK && opcode->code == '.' ==> opcode->next == length;
    NAMED
 */
static snpy_status run(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_opcode *opcode)
{
    switch (opcode->code) {
    case PROTO:
        return run_proto(scan, opcode);
    case FRAME:
        return run_frame(scan, opcode, length);
    case '.':
        return run_stop(scan, opcode, length);
    default:
        break;
    }
    if (opcode->code == 'c' || opcode->code == STACK_GLOBAL) {
        snpy_status status = name_global(pickle, length, scan, opcode);
        if (status != SNPY_OK) return status;
    }
    return run_value(scan, opcode, length);
}

/* Ends an opcode: the byte at which a refusal stands, or where the scan goes on. */
/*@ requires \valid(scan) && \valid_read(opcode) && \valid(error) && \separated(scan, opcode, error);
    requires opcode->at < opcode->next <= length && scan->position == opcode->at;
    requires scan->depth <= scan->stack_capacity && scan->kept <= (status == SNPY_OK ? opcode->at + 1 : opcode->at);
    requires scan->frame_end == 0 || opcode->next <= scan->frame_end <= length;
    terminates \true;
    exits \false;
    assigns scan->position, error->status, error->offset;
    ensures result: \result == status && error->status == status;
    ensures scan: scan_ok(scan, length);
    ensures position: scan->position == (status == SNPY_OK ? opcode->next : opcode->at);
    ensures range: error->offset <= length;
 */
static snpy_status finish(snpy_object_scan *scan, const snpy_opcode *opcode, size_t length, snpy_status status,
                          snpy_error *error)
{
    if (status == SNPY_PKL_TRUNCATED) return snpy_fail(error, status, length);
    if (status == SNPY_PKL_TRAILING) return snpy_fail(error, status, opcode->next);
    if (status != SNPY_OK) return snpy_fail(error, status, opcode->at);
    scan->position = opcode->next;
    return snpy_fail(error, SNPY_OK, 0);
}

/* Does what an opcode says that was read, and goes on after it. */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid(opcode) && \valid(error);
    requires \valid(scan) && scan->depth < scan->stack_capacity && scan->kept <= scan->position == opcode->at;
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, opcode, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1));
    requires opcode->at < opcode->next <= length;
    requires scan->frame_end == 0 || opcode->next <= scan->frame_end <= length;
    requires opcode->module + opcode->module_size <= length && opcode->name + opcode->name_size <= length;
    requires opcode->role <= 255;
    terminates \true;
    exits \false;
    assigns opcode->source, opcode->set, opcode->role, opcode->module, opcode->module_size, opcode->name,
            opcode->name_size, error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end, scan->protocol,
            scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1];
    ensures result: \result == error->status;
    ensures scan: scan_ok(scan, length);
    ensures position: scan->position == (\result == SNPY_OK ? opcode->next : opcode->at);
    ensures range: error->offset <= length;
    ensures NPY_PKL_006: \result == SNPY_OK && opcode->code == '.' ==> opcode->next == length;
    NAMED
 */
static snpy_status run_and_finish(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_opcode *opcode,
                                  snpy_error *error)
{
    snpy_status status = run(pickle, length, scan, opcode);
    return finish(scan, opcode, length, status, error);
}

snpy_status snpy_scan_opcode(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_opcode *opcode,
                             snpy_error *error)
{
    size_t pos = (size_t)scan->position;
    if (scan->depth == scan->stack_capacity) return snpy_fail(error, SNPY_PKL_TOO_MANY_NODES, pos);
    if (scan->frame_end == pos) scan->frame_end = 0;
    size_t limit = scan->frame_end == 0 ? length : (size_t)scan->frame_end;
    snpy_status status = snpy_parse_opcode(pickle, length, limit, pos, opcode, error);
    if (status != SNPY_OK) return status;
    return run_and_finish(pickle, length, scan, opcode, error);
}
