/* safenpy/object.h: what a pickle needs of its reader: its opcodes and globals, one after another.
 *
 * An array of objects holds a pickle, a program for a small machine. These functions read the program and follow its stack
 * and memo as spec/objects.md demands, but run nothing and build nothing: arguments of calls and states are not checked. */
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

/* One opcode. Offsets are in bytes from the start of the pickle; spans are bytes as they stand there. */
typedef struct snpy_opcode {
    uint64_t code;          /* its byte: '.' is STOP */
    uint64_t at;            /* where it stands */
    uint64_t argument;      /* where its argument begins, after a length */
    uint64_t argument_size; /* without the line feed at its end */
    uint64_t next;          /* where the next opcode stands */
    uint64_t number;        /* a little-endian argument or length, the memo index of a line; else 0 */
    uint64_t set;           /* an snpy_set; OTHER only for GLOBAL and STACK_GLOBAL */
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
    ensures forward: \result == SNPY_OK ==> \old(scan->position) < scan->position == opcode->next;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures argument: \result == SNPY_OK ==> opcode->argument + opcode->argument_size <= opcode->next <= length;
    ensures module: \result == SNPY_OK ==> opcode->module + opcode->module_size <= length;
    ensures name: \result == SNPY_OK ==> opcode->name + opcode->name_size <= length;
    ensures NPY_PKL_006: \result == SNPY_OK && opcode->code == '.' ==> opcode->next == length;
    ensures again: \result == SNPY_PKL_TOO_MANY_NODES ==> scan->position == \old(scan->position);
 */
SNPY_API snpy_status snpy_scan_opcode(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_opcode *opcode,
                                      snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
