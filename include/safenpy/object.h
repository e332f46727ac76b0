/* safenpy/object.h: scans a pickle opcode by opcode and reports what it needs, and decodes it into a table of nodes.
 *
 * An array of objects contains a pickle, a program for a small machine. These functions read the program and track its
 * stack and memo as spec/objects.md demands, but run nothing: calls and states become nodes. Fields of
 * dtypes and shapes of arrays are checked by snpy_object_data_open. */
#ifndef SAFENPY_OBJECT_H
#define SAFENPY_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "safenpy/export.h"
#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SNPY_MAX_PICKLE 0xfffffffeu /* the most bytes of a pickle that a scan can read */

/* The set that an opcode needs, by spec/objects.md; OTHER: a global that is in neither set. */
typedef enum snpy_set { SNPY_SET_DATA = 0, SNPY_SET_PLAIN = 1, SNPY_SET_OTHER = 2 } snpy_set;

/* The meaning of a global, under any of its names. NONE: it is not in the table of spec/objects.md. */
typedef enum snpy_role {
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
} snpy_role;

/* An opcode. Offsets are in bytes from the beginning of the pickle; spans are bytes of the pickle. */
typedef struct snpy_opcode {
    uint64_t code;          /* its byte; '.' is STOP */
    uint64_t at;            /* its offset */
    uint64_t argument;      /* offset of its argument, after a length */
    uint64_t argument_size; /* bytes of the argument, without a line feed at its end */
    uint64_t next;          /* offset of the next opcode */
    uint64_t number;        /* a little-endian argument or length, or the memo index of a line; else 0 */
    uint64_t source;        /* of GET: offset of the opcode that made the value; else 0 */
    uint64_t set;           /* a snpy_set; OTHER only for GLOBAL and STACK_GLOBAL */
    uint64_t role;          /* of a global: a snpy_role */
    uint64_t module;        /* of a global: offset of the name of its module */
    uint64_t module_size;   /* 0: the opcode names no global, or its name does not come from a string */
    uint64_t name;          /* of a global: offset of its own name */
    uint64_t name_size;
} snpy_opcode;

/* The state of a scan. The caller provides the tables. If one is too small (SNPY_PKL_TOO_MANY_NODES), the scan is
 * unchanged: provide larger ones and call again. Neither needs more entries than the pickle has bytes. Set all other
 * members to 0 at first. */
typedef struct snpy_object_scan {
    uint32_t *stack;
    uint32_t *memo;          /* all 0 before the first opcode */
    uint64_t stack_capacity; /* entries */
    uint64_t memo_capacity;
    uint64_t position;  /* offset of the next opcode */
    uint64_t depth;     /* entries of the stack that are in use */
    uint64_t kept;      /* number of memo indices that are set */
    uint64_t frame_end; /* offset of the end of the current frame; 0: none */
    uint64_t protocol;
} snpy_object_scan;

/* clang-format off */
/*@ predicate scan_ok(snpy_object_scan *scan, integer length) =
        scan->position <= length && scan->depth <= scan->stack_capacity && scan->kept <= scan->position
        && (scan->frame_end == 0 || scan->position <= scan->frame_end <= length);
*/
/* clang-format on */

/* Reads the next opcode of a pickle, fills *opcode, and applies the opcode to stack and memo. Begin with position 0,
 * and stop at the opcode '.', after which there must be nothing. A refusal ends the scan; its offset is as
 * spec/objects.md defines it. The rules NPY-PKL-002 to 011 and 025 are checked; a global that is in no set is not
 * refused, but reported in opcode->set. Thread-safe on different scans. */
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

/* The kind of a node. The opcode at its offset tells how a leaf is encoded: as a line, as little-endian bytes, … */
typedef enum snpy_node_kind {
    SNPY_NODE_MARK = 0,
    SNPY_NODE_REF = 1, /* the same value as the node `target` */
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
    SNPY_NODE_CALL = 17 /* the result of calling `target` with `args`; it has members if they were added afterwards */
} snpy_node_kind;

/* A node. Links are indices of the table; 0: none. */
typedef struct snpy_node {
    int32_t kind;   /* a snpy_node_kind */
    uint32_t at;    /* offset of its opcode */
    uint32_t start; /* of a leaf: offset of the argument of its opcode, after a length; of others: undefined */
    uint32_t size;  /* bytes of the argument; of a CALL: the last member of a list it took; of a DICT: 1 if taken */
    int32_t first;  /* of a container: its first member */
    int32_t last;   /* its last member */
    int32_t next;   /* the next member of the container that it is in */
    int32_t below;  /* the node below it on the stack */
    int32_t target; /* of a REF: the node that it refers to, which is no REF; of a CALL: its GLOBAL */
    int32_t args;   /* of a CALL: the tuple of its arguments */
    int32_t state;  /* of a CALL: its state */
    int32_t role;   /* of a GLOBAL or CALL: a snpy_role */
} snpy_node;

/* The table of nodes. Provide memory, a capacity, and numbers of looks and bytes; the rest is filled in. It needs at most one
 * entry more than the pickle has opcodes. nodes[0] is a mark below the stack; every other node was made by an
 * opcode. */
typedef struct snpy_node_table {
    snpy_node *nodes;
    uint64_t capacity; /* entries, at most 2^31 - 1 */
    uint64_t
        looks; /* how many arguments, members that calls take, parts of keys and other keys may be looked at; counted down */
    uint64_t bytes; /* how many bytes strings, what calls make of them, and keys may have in all; counted down */
    uint64_t count; /* entries in use */
    uint64_t top;   /* the top of the stack; at the end the result, which may be a REF */
} snpy_node_table;

/* A slot of a table of keys. */
typedef struct snpy_object_key {
    uint32_t entry; /* the node that is the key; 0: the slot is free */
    uint32_t container;
    uint32_t hash;
} snpy_object_key;

/* The table of the keys of all dictionaries and sets, to find equal ones. Provide memory that is all 0, and a seed; set `count`
 * to 0. It has enough slots if it has two for each key: nodes of the table of nodes, and what sets and OrderedDicts
 * take from lists that occur twice. */
typedef struct snpy_object_keys {
    snpy_object_key *slots;
    uint64_t capacity; /* slots */
    uint64_t count;    /* keys in use; half of the slots if there are too few */
    uint64_t seed;     /* random, so that nobody can write keys that are slow to find */
} snpy_object_keys;

/* clang-format off */
/*@ predicate links_ok(snpy_node *nodes, integer count) =
        \forall integer i; 0 <= i < count ==>
            0 <= nodes[i].first < count && 0 <= nodes[i].last < count && 0 <= nodes[i].next < count
            && 0 <= nodes[i].target < count && 0 <= nodes[i].args < count && 0 <= nodes[i].state < count
            && 0 <= nodes[i].below <= i && (nodes[i].below == i ==> i == 0);
*/
/* clang-format on */

/* Decodes a pickle from its beginning into a table, without running anything: calls and states are nodes like others.
 * `scan` is in the state that snpy_scan_opcode needs before the first opcode. `allowed` is the largest set that an
 * opcode may need; every set has byte arrays. The offset of a refusal is as spec/objects.md defines it; the table then
 * has the nodes of the opcodes before.
 *
 * After STOP, each value that the result reaches is checked, with the scan's stack as memory: it needs one entry for
 * each level of containers. The rules of snpy_scan_opcode are checked; also NPY-PKL-012 to 018, 021,
 * 024, 019 for dtypes without fields and shape, 023 as the capacity of the tables and the looks, and 026 for strings,
 * keys and what calls make of strings.
 *
 * A set, frozenset, OrderedDict or array takes members from a list, which is an argument or a part of its state: from
 * the list's first member to the member `size`. Members of its own follow. If `keys` has too few slots
 * (SNPY_PKL_TOO_MANY_NODES, and half of them in use), begin again with more. Thread-safe on different tables and scans. */
/*@ requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(table) && \valid(error) && scan_ok(scan, length) && table->capacity <= 0x7fffffff;
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \valid(table->nodes + (0 .. table->capacity-1));
    requires \valid(keys) && \valid(keys->slots + (0 .. keys->capacity-1));
    requires \separated(scan, table, keys, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1), table->nodes + (0 .. table->capacity-1),
                        keys->slots + (0 .. keys->capacity-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1],
            table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures result: \result == error->status;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures NPY_PKL_006: \result == SNPY_OK ==> scan->position == length;
    ensures NPY_PKL_023: table->count <= table->capacity && table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
    ensures root: \result == SNPY_OK ==> table->top < table->count;
    ensures links: links_ok(table->nodes, table->count);
 */
SNPY_API snpy_status snpy_decode_objects(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_object_scan *scan,
                                         snpy_node_table *table, snpy_object_keys *keys, snpy_error *error);

/* What is still to be written: a value, members, a part of a call. For the library. */
typedef struct snpy_write_task {
    uint32_t what;
    uint32_t form;
    uint32_t entry;
    uint32_t node;
} snpy_write_task;

/* How to write a pickle. Provide the protocol and memory; names that end in _ are the library's. */
typedef struct snpy_object_writer {
    uint32_t *marks; /* at least 2 for each node of the table, and 64 */
    uint64_t mark_capacity;
    snpy_write_task *tasks; /* of one level of containers: at most 8 */
    uint64_t task_capacity;
    const uint32_t
        *same; /* by index, for each node of the table: the first str that is equal to it; itself if it is no str */
    uint64_t protocol; /* 2 to 5 */
    uint64_t most;     /* bytes of the pickle: at most SNPY_MAX_PICKLE */
    bool is_numpy_2;   /* names of modules that only NumPy 2 has: numpy._core for numpy.core */
    bool is_dry_;
    snpy_status status_;
    uint64_t at_;
    uint64_t depth_;
    uint64_t kept_;
} snpy_object_writer;

/* Writes the values of a decoded pickle as a pickle, in the one form of spec/objects.md.
 *
 * pickle, length, table  what snpy_decode_objects has decoded, without a refusal
 * out, capacity          the caller's buffer: capacity bytes of the pickle are written to it, or all if it has fewer
 * size                   set on success: the bytes of the whole pickle
 * error                  the status, and the offset of the opcode that made a value that cannot be written
 * returns                SNPY_OK; SNPY_BAD_ARGUMENT for another protocol, and for a larger `most`; SNPY_PKL_TOO_MANY_NODES if there are too few marks;
 *                        SNPY_PKL_TOO_DEEP if there are too few tasks; SNPY_PKL_TOO_MANY_BYTES beyond `most`;
 *                        SNPY_PKL_RAW_STRING for a string of Python 2 beyond ASCII that is text
 *
 * Thread-safe on different writers.                                              NPY-PKL-028, NPY-PKL-029, NPY-PKL-030 */
/*@ requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(table) && \valid(table->nodes + (0 .. table->capacity-1));
    requires 1 <= table->count <= table->capacity <= 0x7fffffff && table->top < table->count;
    requires table->nodes[0].kind == SNPY_NODE_MARK && links_ok(table->nodes, table->count);
    requires \valid(writer) && \valid(size) && \valid(error) && \valid(out + (0 .. capacity-1));
    requires \valid(writer->marks + (0 .. writer->mark_capacity-1));
    requires \valid(writer->tasks + (0 .. writer->task_capacity-1));
    requires \valid_read(writer->same + (0 .. table->count-1));
    requires \separated(writer, table, size, error, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1),
                        writer->marks + (0 .. writer->mark_capacity-1),
                        writer->tasks + (0 .. writer->task_capacity-1), out + (0 .. capacity-1));
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, writer->is_dry_, writer->status_, writer->at_, writer->depth_,
            writer->kept_, writer->marks[0 .. writer->mark_capacity-1], writer->tasks[0 .. writer->task_capacity-1],
            out[0 .. capacity-1];
    ensures result: \result == error->status;
    ensures NPY_PKL_030: \result == SNPY_OK ==> *size <= SNPY_MAX_PICKLE;
 */
SNPY_API snpy_status snpy_write_objects(const uint8_t *pickle, size_t length, const snpy_node_table *table,
                                        snpy_object_writer *writer, uint8_t *out, size_t capacity, size_t *size,
                                        snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
