/* opcode.h: one opcode of a pickle with its argument.
 * Proves that an opcode lies inside the pickle, and inside its frame, and that it goes forward.
 * Leaves what opcodes do to scan.c. */
#ifndef SAFENPY_CORE_OBJECT_OPCODE_H
#define SAFENPY_CORE_OBJECT_OPCODE_H

#include "core/core.h"
#include "core/literal.h"
#include "safenpy/object.h"

/* Opcodes that have no printable byte. */
#define PROTO 0x80u
#define NEWOBJ 0x81u
#define TUPLE1 0x85u
#define TUPLE2 0x86u
#define TUPLE3 0x87u
#define NEWTRUE 0x88u
#define NEWFALSE 0x89u
#define LONG1 0x8au
#define LONG4 0x8bu
#define SHORT_BINUNICODE 0x8cu
#define BINUNICODE8 0x8du
#define BINBYTES8 0x8eu
#define EMPTY_SET 0x8fu
#define ADDITEMS 0x90u
#define FROZENSET 0x91u
#define STACK_GLOBAL 0x93u
#define MEMOIZE 0x94u
#define FRAME 0x95u
#define BYTEARRAY8 0x96u

#define SNPY_NOT_HEX 0x10000u /* more than four hexadecimal digits make */

/* How many bytes a little-endian argument or length takes: 0, 1, 2, 4 or 8. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures width: \result == 0 || \result == 1 || \result == 2 || \result == 4 || \result == 8;
 */
size_t snpy_opcode_width(uint64_t code);

/* The little-endian number of `width` bytes at `pos`. */
/*@ requires \valid_read(bytes + (pos .. pos + width - 1)) && pos + width <= SNPY_MAX_PICKLE;
    requires width == 0 || width == 1 || width == 2 || width == 4 || width == 8;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures none: width == 0 ==> \result == 0;
    ensures one: width == 1 ==> \result == bytes[pos];
    ensures two: width == 2 ==> \result == bytes[pos] + 256 * bytes[pos + 1];
    ensures four: width == 4 ==> \result == bytes[pos] + 256 * bytes[pos + 1] + 65536 * bytes[pos + 2]
            + 16777216 * bytes[pos + 3];
    ensures eight: width == 8 ==> \result == bytes[pos] + 256 * bytes[pos + 1] + 65536 * bytes[pos + 2]
            + 16777216 * bytes[pos + 3] + 4294967296 * (bytes[pos + 4] + 256 * bytes[pos + 5]
            + 65536 * bytes[pos + 6] + 16777216 * bytes[pos + 7]);
 */
uint64_t snpy_opcode_number(const uint8_t *bytes, size_t pos, size_t width);

/* What a hexadecimal digit counts; SNPY_NOT_HEX if it is none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures digit: \result < 16 || \result == SNPY_NOT_HEX;
    ensures number: \result == ('0' <= byte <= '9' ? byte - '0' : 'a' <= byte <= 'f' ? byte - 'a' + 10
            : 'A' <= byte <= 'F' ? byte - 'A' + 10 : SNPY_NOT_HEX);
 */
uint32_t snpy_opcode_hex(uint8_t byte);

/* One character of a UNICODE line: how many bytes it takes, 0 if it is a bad escape.               NPY-PKL-010 */
/*@ requires text_ok(bytes, length) && pos < length && \valid(point) && \separated(point, bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *point;
    ensures range: 0 <= \result <= 10 && pos + \result <= length;
 */
size_t snpy_opcode_character(const uint8_t *bytes, size_t length, size_t pos, uint32_t *point);

/* Where the line at `pos` ends: at its line feed, or at `length` if it has none. */
/*@ requires text_ok(bytes, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= length;
    ensures feed: \result < length ==> bytes[\result] == '\n';
    ensures first: \forall integer k; pos <= k < \result ==> bytes[k] != '\n';
 */
size_t snpy_opcode_line(const uint8_t *bytes, size_t length, size_t pos);

/* Reads the opcode at `pos`, which may not cross `limit`, where its frame or the pickle ends: its span, its argument, and
 * what GLOBAL names.                                      NPY-PKL-002, 003, 005, 009, 010, 025; NPY-PKL-008 in text */
/*@ requires length <= SNPY_MAX_PICKLE && text_ok(bytes, length) && pos <= limit <= length;
    requires pos < limit || limit == length;
    requires \valid(opcode) && \valid(error) && \separated(opcode, error, bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *opcode, error->status, error->offset;
    ensures result: \result == error->status;
    ensures at: \result == SNPY_OK ==> opcode->at == pos < opcode->next <= limit && opcode->code == bytes[pos];
    ensures argument: \result == SNPY_OK ==> opcode->argument + opcode->argument_size <= opcode->next;
    ensures module: \result == SNPY_OK ==> opcode->module + opcode->module_size <= length;
    ensures name: \result == SNPY_OK ==> opcode->name + opcode->name_size <= length;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures status: \result != SNPY_PKL_TOO_MANY_NODES;
    ensures set: \result == SNPY_OK ==> opcode->set <= SNPY_SET_PLAIN && opcode->role == SNPY_ROLE_NONE;
 */
snpy_status snpy_parse_opcode(const uint8_t *bytes, size_t length, size_t limit, size_t pos, snpy_opcode *opcode,
                              snpy_error *error);

#endif
