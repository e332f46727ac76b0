/* frame.h: has the contract of snpy_parse_frame, for the provers and header.c.
 * It is not in the public header because it uses spec/logic, which is not installed. */
#ifndef SAFENPY_CORE_FRAME_H
#define SAFENPY_CORE_FRAME_H

#include "core/core.h"
#include "spec/logic/frame.h"

/*@ predicate options_ok(snpy_options *options) =
        options->size == sizeof(snpy_options) && options->max_fields <= SNPY_MAX_FIELDS
        && options->max_ndim <= SNPY_MAX_NDIM && options->max_depth <= SNPY_MAX_DEPTH; */

/*@ requires \valid_read(bytes + (0 .. length-1));
    requires \valid_read(options) && \valid(frame) && \valid(error);
    requires \separated(bytes + (0 .. length-1), frame, error) && \separated(options, frame, error);
    requires \separated(frame, error);
    terminates \true;
    exits \false;
    assigns frame->major, frame->minor, frame->text_offset, frame->header_len, frame->data_offset, error->status,
            error->offset;
    ensures result: \result == error->status;
    ensures API_ARGUMENT: \old(!options_ok(options)) ==> \result == SNPY_BAD_ARGUMENT && error->offset == 0;
    ensures NPY_FRAME_status: \old(options_ok(options)) ==>
            \result == \old(frame_status(bytes, length, options->max_header_bytes));
    ensures NPY_FRAME_at: \old(options_ok(options)) ==>
            error->offset == \old(frame_at(bytes, length, options->max_header_bytes));
    ensures NPY_FRAME_002: \result == SNPY_OK ==> frame->text_offset == \old(prefix_length(bytes))
            && frame->text_offset <= length;
    ensures NPY_FRAME_003: \result == SNPY_OK ==> frame->major == \old(bytes[6]) && 1 <= frame->major <= 3
            && frame->minor == 0;
    ensures NPY_FRAME_004: \result == SNPY_OK ==> frame->header_len == \old(header_length_of(bytes))
            && frame->data_offset == frame->text_offset + frame->header_len;
    ensures NPY_FRAME_005: \result == SNPY_OK ==> frame->header_len <= \old(options->max_header_bytes);
    ensures options: \result == SNPY_OK ==> \old(options_ok(options));
    ensures untouched: \result != SNPY_OK ==> *frame == \old(*frame);
    ensures offset: error->offset <= length;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_parse_frame(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_frame *frame,
                             snpy_error *error);

#endif
