/* safenpy/object.h: what a pickle needs of its reader, opcode by opcode, and what it makes, as a table of nodes.
 *
 * An array of objects holds a pickle, a program for a small machine. These functions read the program and follow its stack
 * and memo as spec/objects.md demands, but run nothing: arguments of calls and states are nodes, and not checked. */
#ifndef SAFENPY_OBJECT_H
#define SAFENPY_OBJECT_H

#include <stddef.h>

#include "safenpy/export.h"
#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SNPY_MAX_PICKLE 0xfffffffeu /* bytes of a pickle that a scan can read */

/* What an opcode needs: a set of spec/objects.md, or a global that is in neither. */
enum snpy_set { SNPY_SET_DATA = 0, SNPY_SET_PLAIN = 1, SNPY_SET_OTHER = 2 };

/* What a global is, under whichever of its names. NONE: it is not in the table of spec/objects.md. */
enum snpy_role {
    SNPY_ROLE_NONE = 0,
    SNPY_ROLE_NDARRAY = 1, /* of the set data */
    SNPY_ROLE_DTYPE = 2,
    SNPY_ROLE_RECONSTRUCT = 3,
    SNPY_ROLE_SCALAR = 4,
    SNPY_ROLE_FROMBUFFER = 5,
    SNPY_ROLE_ENCODE = 6,
    SNPY_ROLE_BYTES = 7,
    SNPY_ROLE_COMPLEX = 8,
    SNPY_ROLE_LAST_OF_DATA = 8,
    SNPY_ROLE_BOOL = 9, /* of the set plain */
    SNPY_ROLE_BYTEARRAY = 10,
    SNPY_ROLE_DATE = 11,
    SNPY_ROLE_DATETIME = 12,
    SNPY_ROLE_DECIMAL = 13,
    SNPY_ROLE_DEFAULTDICT = 14,
    SNPY_ROLE_DICT = 15,
    SNPY_ROLE_FLOAT = 16,
    SNPY_ROLE_FRACTION = 17,
    SNPY_ROLE_FROZENSET = 18,
    SNPY_ROLE_INT = 19, /* int and long */
    SNPY_ROLE_LIST = 20,
    SNPY_ROLE_MARECONSTRUCT = 21,
    SNPY_ROLE_MASKED_ARRAY = 22,
    SNPY_ROLE_MATRIX = 23,
    SNPY_ROLE_OBJECT = 24,
    SNPY_ROLE_ORDERED_DICT = 25,
    SNPY_ROLE_RANGE = 26, /* range and xrange */
    SNPY_ROLE_RECARRAY = 27,
    SNPY_ROLE_RECONSTRUCTOR = 28,
    SNPY_ROLE_RECORD = 29,
    SNPY_ROLE_SET = 30,
    SNPY_ROLE_SLICE = 31,
    SNPY_ROLE_STR = 32, /* str and unicode */
    SNPY_ROLE_STRINGDTYPE = 33,
    SNPY_ROLE_STRUCT_TIME = 34,
    SNPY_ROLE_TIME = 35,
    SNPY_ROLE_TIMEDELTA = 36,
    SNPY_ROLE_TIMEZONE = 37,
    SNPY_ROLE_TUPLE = 38,
    SNPY_ROLE_UUID = 39,
    SNPY_ROLE_POSIX_PATH = 40,
    SNPY_ROLE_PURE_POSIX_PATH = 41,
    SNPY_ROLE_WINDOWS_PATH = 42,
    SNPY_ROLE_PURE_WINDOWS_PATH = 43
};

/* One opcode. Offsets are in bytes from the start of the pickle; spans are bytes as they stand there. */
typedef struct snpy_opcode {
    uint64_t code;          /* its byte: '.' is STOP */
    uint64_t at;            /* where it stands */
    uint64_t argument;      /* where its argument begins, after a length */
    uint64_t argument_size; /* without the line feed at its end */
    uint64_t next;          /* where the next opcode stands */
    uint64_t number;        /* a little-endian argument or length, the memo index of a line; else 0 */
    uint64_t source;        /* of GET: where the opcode stands that made the value; else 0 */
    uint64_t set;           /* an snpy_set; OTHER only for GLOBAL and STACK_GLOBAL */
    uint64_t role;          /* of a global: an snpy_role */
    uint64_t module;        /* of a global: where the name of its module begins */
    uint64_t module_size;   /* 0: the opcode names no global, or takes the name from something that is no string */
    uint64_t name;          /* likewise, of the global itself */
    uint64_t name_size;
} snpy_opcode;

/* A scan. The tables are the caller's, and the scan stays as it was when one is too small (SNPY_PKL_TOO_MANY_NODES): give
 * it larger ones and go on. Neither needs more entries than the pickle has bytes. Set all else to 0. */
typedef struct snpy_object_scan {
    uint32_t *stack;
    uint32_t *memo;          /* all 0 before the first opcode */
    uint64_t stack_capacity; /* entries */
    uint64_t memo_capacity;
    uint64_t position;  /* of the next opcode */
    uint64_t depth;     /* entries of the stack in use */
    uint64_t kept;      /* memo indices that are set */
    uint64_t frame_end; /* 0 outside of a frame */
    uint64_t protocol;
} snpy_object_scan;

/* clang-format off */
/*@ predicate scan_ok(snpy_object_scan *scan, integer length) =
        scan->position <= length && scan->depth <= scan->stack_capacity && scan->kept <= scan->position
        && (scan->frame_end == 0 || scan->position <= scan->frame_end <= length);
*/
/* clang-format on */

/* Reads the next opcode of a pickle and does to stack and memo what it says; *opcode is what it was. Begin with position 0,
 * and end with the opcode '.', after which nothing stands. A refusal names the byte as spec/objects.md says it, and ends the
 * scan. Of the rules, NPY-PKL-002 to 011 and 025 are checked; a global that is in no set is no refusal here, but
 * reported in opcode->set. Threads: safe on different scans. */
/*@ requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(opcode) && \valid(error) && scan_ok(scan, length);
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, opcode, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1));
    terminates \true;
    exits \false;
    assigns *opcode, error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1];
    ensures result: \result == error->status;
    ensures scan: scan_ok(scan, length);
    ensures at: \result == SNPY_OK ==> opcode->at == \old(scan->position);
    ensures forward: \result == SNPY_OK ==> \old(scan->position) < scan->position == opcode->next;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures argument: \result == SNPY_OK ==> opcode->argument + opcode->argument_size <= opcode->next <= length;
    ensures module: \result == SNPY_OK ==> opcode->module + opcode->module_size <= length;
    ensures name: \result == SNPY_OK ==> opcode->name + opcode->name_size <= length;
    ensures role: \result == SNPY_OK ==> opcode->role <= 255;
    ensures NPY_PKL_006: \result == SNPY_OK && opcode->code == '.' ==> opcode->next == length;
    ensures again: \result == SNPY_PKL_TOO_MANY_NODES ==> scan->position == \old(scan->position);
 */
SNPY_API snpy_status snpy_scan_opcode(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_opcode *opcode,
                                      snpy_error *error);

/* What a node is. The opcode at its byte tells how a leaf is written: by a line, by little-endian bytes, … */
enum snpy_node_kind {
    SNPY_NODE_MARK = 0,
    SNPY_NODE_REF = 1, /* the value `target` once more */
    SNPY_NODE_NONE = 2,
    SNPY_NODE_FALSE = 3,
    SNPY_NODE_TRUE = 4,
    SNPY_NODE_INT = 5,
    SNPY_NODE_FLOAT = 6,
    SNPY_NODE_STR = 7,
    SNPY_NODE_RAW = 8, /* a string of Python 2 */
    SNPY_NODE_BYTES = 9,
    SNPY_NODE_BYTEARRAY = 10,
    SNPY_NODE_TUPLE = 11,
    SNPY_NODE_LIST = 12,
    SNPY_NODE_DICT = 13, /* its members are a key, its value, the next key, … */
    SNPY_NODE_SET = 14,
    SNPY_NODE_FROZENSET = 15,
    SNPY_NODE_GLOBAL = 16,
    SNPY_NODE_CALL = 17 /* what `target` made of `args`; it has members if they were added afterwards */
};

/* A node. Links are indices of the table, and 0 where there is none. */
typedef struct snpy_node {
    int32_t kind;   /* an snpy_node_kind */
    uint32_t at;    /* where its opcode stands */
    uint32_t start; /* where the argument of its opcode begins, after a length */
    uint32_t size;  /* bytes of the argument */
    int32_t first;  /* of a container: its first member */
    int32_t last;   /* its last member */
    int32_t next;   /* the next member of the container in which it is */
    int32_t below;  /* what stood below it on the stack */
    int32_t target; /* of a REF: what it stands for, which is no REF; of a CALL: its GLOBAL */
    int32_t args;   /* of a CALL: the tuple of its arguments */
    int32_t state;  /* of a CALL: its state */
    int32_t role;   /* of a GLOBAL or CALL: an snpy_role */
} snpy_node;

/* The table of nodes. Give it memory and a capacity; the rest is filled in. It needs no more entries than the pickle has
 * opcodes, and one. nodes[0] is a mark below the stack; each other node is one that an opcode made. */
typedef struct snpy_node_table {
    snpy_node *nodes;
    uint64_t capacity; /* entries, at most 2^31 - 1 */
    uint64_t count;    /* entries in use */
    uint64_t top;      /* the topmost one of the stack; at the end the result, perhaps a REF */
} snpy_node_table;

/* clang-format off */
/*@ predicate links_ok(snpy_node *nodes, integer count) =
        \forall integer i; 0 <= i < count ==>
            0 <= nodes[i].first < count && 0 <= nodes[i].last < count && 0 <= nodes[i].next < count
            && 0 <= nodes[i].target < count && 0 <= nodes[i].args < count && 0 <= nodes[i].state < count
            && 0 <= nodes[i].below <= i && (nodes[i].below == i ==> i == 0);
*/
/* clang-format on */

/* Decodes a pickle from its beginning into a table, without running anything: calls and states are nodes like others. The
 * scan is as snpy_scan_opcode wants it before the first opcode. A refusal names the byte as spec/objects.md says it; then
 * the table has the nodes of the opcodes before. Of the rules, those of snpy_scan_opcode are checked, NPY-PKL-015, and
 * NPY-PKL-023 as the capacity of the table; of NPY-PKL-013 and 014 that a global is called with a tuple, and which globals
 * take a state. Threads: safe on different tables and scans. */
/*@ requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(table) && \valid(error) && scan_ok(scan, length) && table->capacity <= 0x7fffffff;
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \valid(table->nodes + (0 .. table->capacity-1));
    requires \separated(scan, table, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1],
            table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures result: \result == error->status;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures NPY_PKL_006: \result == SNPY_OK ==> scan->position == length;
    ensures NPY_PKL_023: table->count <= table->capacity;
    ensures root: \result == SNPY_OK ==> table->top < table->count;
    ensures links: links_ok(table->nodes, table->count);
 */
SNPY_API snpy_status snpy_decode_objects(const uint8_t *pickle, size_t length, snpy_object_scan *scan,
                                         snpy_node_table *table, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
