/* fixed.c: a fixed set of calls, each marked for callgrind, so that bench/counts.py can say what they cost.
 * Leaves times to header.c and data.c: instructions are the same on a busy machine. */
#include <safenpy/safenpy.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#define CANONICAL "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }"
#define ELEMENTS 4096

static snpy_field fields[256];
static int32_t dims[256];
static uint8_t bytes[8192];
static uint8_t from[ELEMENTS * 8], to[ELEMENTS * 8];

static void begin(void)
{
    CALLGRIND_TOGGLE_COLLECT;
}

static void end(const char *what, snpy_status status)
{
    CALLGRIND_TOGGLE_COLLECT;
    if (status != SNPY_OK) {
        fprintf(stderr, "%s: %s\n", what, snpy_status_name(status));
        exit(1);
    }
    CALLGRIND_DUMP_STATS_AT(what);
}

/* A file of version 1.0 around a text; returns its length. */
static size_t frame(const char *text)
{
    size_t length = strlen(text);
    memcpy(bytes, "\x93NUMPY\1", 8);
    bytes[8] = (uint8_t)(length & 255u);
    bytes[9] = (uint8_t)(length >> 8);
    memcpy(bytes + 10, text, length + 1);
    return length + 10;
}

static void read_and_write(const char *text, const char *reading, const char *writing)
{
    static uint8_t out[8192];
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {fields, 256, dims, 256, 0, 0};
    snpy_header header;
    snpy_error error;
    uint64_t size = 0;
    size_t length = frame(text);
    begin();
    snpy_status status = snpy_parse_header(bytes, length, &options, &table, &header, &error);
    end(reading, status);
    snpy_description description = {&header, &table, bytes + 10, length - 10, SNPY_NAME_LATIN1, SNPY_VERSION_AUTO};
    begin();
    status = snpy_write_header(&description, out, sizeof out, &size, &error);
    end(writing, status);
}

/* Elements one by one, and all of them with their bytes swapped. */
static void look_and_copy(void)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {NULL, 0, NULL, 0, 0, 0};
    snpy_header header;
    snpy_error error;
    snpy_view view = {0}, dense;
    snpy_run run;
    snpy_plan plan = {&run, 1, 0, 0};
    size_t length = frame("{'descr': '>f8', 'fortran_order': True, 'shape': (64, 64), }");
    uint64_t sum = 0;
    snpy_status status = snpy_parse_header(bytes, length, &options, &table, &header, &error);
    if (status == SNPY_OK) status = snpy_view_open(&header, sizeof from, &view, &error);
    begin();
    for (uint64_t i = 0; i < ELEMENTS && status == SNPY_OK; i++) {
        uint64_t offset = 0, bits = 0;
        status = snpy_view_flat(&view, i, &offset, &error);
        if (status == SNPY_OK) status = snpy_get_float(from + offset, &view.dtype, &bits);
        sum += bits;
    }
    end("view", sum == 0 ? status : SNPY_IO_ERROR);
    if (snpy_plan_make(&view, &table, SNPY_BYTEORDER_LITTLE, &plan, &error) == SNPY_OK)
        status = snpy_view_dense(&view, false, &dense, &error);
    begin();
    if (status == SNPY_OK) status = snpy_copy(&view, from, &plan, &dense, to, &error);
    end("copy", status);
}

int main(void)
{
    static char text[4096];
    size_t length = (size_t)snprintf(text, sizeof text, "{'descr': [");
    for (int i = 0; i < 8; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "('a%d', '<f8'), ('b%d', '<i4', (2, 3)), (('t%d', 'c%d'), '|S5'), "
                                   "('d%d', [('x', '<f4'), ('y', '>f4')]), ",
                                   i, i, i, i, i);
    (void)snprintf(text + length, sizeof text - length, "], 'fortran_order': False, 'shape': (1000,), }");
    read_and_write(CANONICAL, "read simple", "write simple");
    read_and_write(text, "read record", "write record");
    look_and_copy();
    return 0;
}
