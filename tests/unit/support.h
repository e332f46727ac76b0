/* support.h: what the unit tests share: files in exactly sized memory, cases with a mark at the byte at fault,
 * and complaints that show hostile bytes legibly. */
#ifndef SAFENPY_TESTS_SUPPORT_H
#define SAFENPY_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "safenpy/safenpy.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A string literal with its length, so that it may hold NUL. */
struct text {
    const char *bytes;
    size_t length;
};

#define T(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }

/* A dictionary around one value. */
#define DESCR(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (), }"
#define ORDER(order) "{'descr': '<f8', 'fortran_order': " order ", 'shape': (), }"
#define SHAPE(shape) "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }"

/* What guard bytes and memory that must stay untouched are filled with. */
#define GUARD 0xa5

#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
static inline void
complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprint_error(format, arguments);
    va_end(arguments);
    fail();
}

/* Fails with a message that says which case it was. */
#define expect_that(condition, ...)              \
    do {                                         \
        if (!(condition)) complain(__VA_ARGS__); \
    } while (0)

/* Bytes in a form that a terminal bears, valid until the fourth call after this one. */
static inline const char *legible(const void *bytes, size_t length)
{
    static char buffers[4][2048];
    static size_t turn = 0;
    char *buffer = buffers[turn++ % 4];
    const uint8_t *byte = bytes;
    size_t used = 0;
    for (size_t i = 0; i < length && used < sizeof buffers[0] - 8; i++) {
        if (byte[i] >= 0x20 && byte[i] < 0x7f)
            buffer[used++] = (char)byte[i];
        else
            used += (size_t)snprintf(buffer + used, 5, "\\x%02x", byte[i]);
    }
    buffer[used] = '\0';
    return buffer;
}

static inline void *allocate(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);
    if (memory == NULL) abort();
    return memory;
}

static inline bool is_filled(const void *memory, uint8_t byte, size_t length)
{
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != byte) return false;
    return true;
}

static inline snpy_options default_options(void)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    return options;
}

static inline size_t prefix_length(unsigned major)
{
    return major == 1 ? 10 : 12;
}

/* A file of that version around a text, in memory of exactly its size: a sanitizer sees any byte read beyond. */
static inline uint8_t *make_file(unsigned major, const void *text, size_t text_length, size_t *length)
{
    static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    size_t prefix = prefix_length(major);
    uint8_t *file = allocate(prefix + text_length);
    memcpy(file, magic, sizeof magic);
    file[6] = (uint8_t)major;
    file[7] = 0;
    for (size_t i = 8; i < prefix; i++) file[i] = (uint8_t)(text_length >> (8 * (i - 8)));
    if (text_length > 0) memcpy(file + prefix, text, text_length);
    *length = prefix + text_length;
    return file;
}

/* A header that was read, or the error, with all the memory that it refers to. */
struct parsed {
    snpy_status status;
    snpy_error error;
    snpy_header header;
    snpy_table table;
    uint8_t *file;
    size_t length;
    size_t text_offset;
};

/* Parses a copy of a file, with a table that has room for whatever a text of that length can hold. */
static inline struct parsed parse_file(const uint8_t *file, size_t length, const snpy_options *options)
{
    struct parsed parsed;
    memset(&parsed, GUARD, sizeof parsed);
    parsed.file = allocate(length);
    memcpy(parsed.file, file, length);
    parsed.length = length;
    parsed.text_offset = length > 6 ? prefix_length(file[6]) : 0;
    parsed.table.field_capacity = length / 3 + 1;
    parsed.table.dim_capacity = length / 2 + 1;
    parsed.table.fields = allocate(parsed.table.field_capacity * sizeof(snpy_field));
    parsed.table.dims = allocate(parsed.table.dim_capacity * sizeof(int32_t));
    memset(parsed.table.fields, GUARD, parsed.table.field_capacity * sizeof(snpy_field));
    memset(parsed.table.dims, GUARD, parsed.table.dim_capacity * sizeof(int32_t));
    parsed.status = snpy_parse_header(parsed.file, length, options, &parsed.table, &parsed.header, &parsed.error);
    expect_that(parsed.status == parsed.error.status, "status %d is returned, %d is in the error: %s\n", parsed.status,
                parsed.error.status, legible(file, length));
    return parsed;
}

static inline struct parsed parse_text(unsigned major, const void *text, size_t text_length,
                                       const snpy_options *options)
{
    size_t length = 0;
    uint8_t *file = make_file(major, text, text_length, &length);
    struct parsed parsed = parse_file(file, length, options);
    free(file);
    return parsed;
}

static inline void release(struct parsed *parsed)
{
    free(parsed->file);
    free(parsed->table.fields);
    free(parsed->table.dims);
}

/* A text must give this status, at this byte of the text (0 if it is SNPY_OK). */
static inline void expect_status(unsigned major, const void *text, size_t text_length, const snpy_options *options,
                                 snpy_status status, size_t at)
{
    struct parsed parsed = parse_text(major, text, text_length, options);
    uint64_t offset = status == SNPY_OK ? 0 : prefix_length(major) + at;
    expect_that(parsed.status == status && parsed.error.offset == offset,
                "version %u, %s\n    gives %s at %llu of the file, not %s at %llu\n", major, legible(text, text_length),
                snpy_status_name(parsed.status), (unsigned long long)parsed.error.offset, snpy_status_name(status),
                (unsigned long long)offset);
    release(&parsed);
}

#define MARK '^'

/* A text with the mark in front of the byte at fault, at its end if that is the end; no mark if it is accepted. */
struct marked {
    const char *text;
    size_t length;
    snpy_status status;
};

#define GOOD(literal)                         \
    {                                         \
        literal, sizeof(literal) - 1, SNPY_OK \
    }
#define BAD(literal, status)                 \
    {                                        \
        literal, sizeof(literal) - 1, status \
    }

static inline void expect_marked(unsigned major, const struct marked *marked, const snpy_options *options)
{
    char *text = allocate(marked->length);
    size_t length = 0;
    size_t at = 0;
    size_t marks = 0;
    for (size_t i = 0; i < marked->length; i++) {
        if (marked->text[i] == MARK) {
            at = length;
            marks++;
        } else {
            text[length++] = marked->text[i];
        }
    }
    expect_that(marks == (marked->status == SNPY_OK ? 0u : 1u), "the case has %zu marks: %s\n", marks, marked->text);
    expect_status(major, text, length, options, marked->status, at);
    free(text);
}

/* Every case in versions `first` to `last`: they agree on ASCII without the suffix L. */
static inline void expect_all_marked(unsigned first, unsigned last, const struct marked *cases, size_t count,
                                     const snpy_options *options)
{
    for (size_t i = 0; i < count; i++)
        for (unsigned major = first; major <= last; major++) expect_marked(major, &cases[i], options);
}

/* A whole file read into memory, NULL if there is none. */
static inline uint8_t *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    *length = 0;
    if (file == NULL) return NULL;
    size_t capacity = 1u << 16;
    uint8_t *bytes = allocate(capacity);
    size_t got = 0;
    while ((got = fread(bytes + *length, 1, capacity - *length, file)) > 0) {
        *length += got;
        if (*length < capacity) continue;
        uint8_t *grown = realloc(bytes, capacity * 2);
        if (grown == NULL) abort();
        bytes = grown;
        capacity *= 2;
    }
    (void)fclose(file);
    return bytes;
}

#endif
