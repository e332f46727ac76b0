/* type.c: a type without fields that is written is read back as it was. */
#include "any.h"
#include "core/describe.h"
#include "core/dtype.h"

#define ROOM 48
#define MOST 999u /* of the itemsize and the multiplier: three digits */

void types(void)
{
    uint8_t out[ROOM] = {0};
    struct snpy_pen pen = {{out, ROOM, 0}, false, false};
    const snpy_dtype written = {nondet_char(), nondet_char(), nondet_char(), nondet_uint32(), nondet_uint32()};
    snpy_compat compat = {0};
    snpy_dtype read = {0, 0, 0, 0, 0};
    size_t at = 0;
    compat.platform_float = true;
    ASSUME(written.itemsize <= MOST && written.multiplier <= MOST && snpy_is_writable_type(&written));
    snpy_pen_type(&pen, &written);
    const size_t length = (size_t)pen.sink.length;
    CHECK(length >= 4 && length <= ROOM && out[0] == '\'' && out[length - 1] == '\'');
    CHECK(snpy_parse_type(out, 1, length - 1, true, &compat, &read, &at) == SNPY_OK);
    CHECK(read.kind == written.kind && read.byteorder == written.byteorder && read.unit == written.unit);
    CHECK(read.itemsize == written.itemsize && read.multiplier == written.multiplier);
}
