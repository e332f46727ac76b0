/* answers.c: all that the core says of each case of the suite, one line a case and set of options.
 *
 *   answers CASES           CASES is what run.py makes of corpus/: a count, then each file behind its length
 *
 * The lines of two builds must be the same, byte for byte, whatever the machine. On bare metal (SNPY_BARE) the cases are
 * constants of the program. Nothing but the core is called, and the C library to print. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "safenpy/zip.h"

/* Not all C libraries of small machines have PRIu64. */
#define LLU "llu"
#define LLD "lld"
#define U64(number) ((unsigned long long)(number))

#define MOST_FIELDS 65536
#define MOST_DIMS 65536
#define MOST_TEXT (1u << 20)
#define MOST_DATA (1u << 18)
#define MOST_RUNS 4096

static snpy_field fields[MOST_FIELDS];
static int32_t dims[MOST_DIMS];
static uint8_t written[MOST_TEXT];
static uint8_t copied[MOST_DATA];
static snpy_run runs[MOST_RUNS];

static void print_error(const char *what, snpy_status status, const snpy_error *error)
{
    printf(" %s %d %d %" LLU, what, (int)status, (int)error->status, U64(error->offset));
}

static void print_dtype(const snpy_dtype *dtype)
{
    printf(" %c%c%d,%" PRIu32 ",%" PRIu32, dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize,
           dtype->multiplier);
}

static void print_header(const snpy_header *header)
{
    const snpy_frame *frame = &header->frame;
    printf(" %u.%u %" PRIu32 " %" PRIu32 " %" LLU, frame->major, frame->minor, frame->text_offset, frame->header_len,
           U64(frame->data_offset));
    print_dtype(&header->dtype);
    printf(" %d%d (", header->fortran_order, header->has_object);
    for (uint32_t i = 0; i < header->ndim; i++) printf("%" LLU ",", U64(header->shape[i]));
    printf(") %" LLU " %" LLU, U64(header->count), U64(header->data_size));
}

/* A name as its length and its checksum; its bytes may be anything. */
static void print_name(const uint8_t *text, const snpy_frame *frame, uint32_t offset, uint32_t length)
{
    uint64_t size = 0;
    size_t surrogates = 0;
    snpy_name_encoding encoding = frame->major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    snpy_status status =
        snpy_name_decode(text, frame->header_len, offset, length, encoding, written, MOST_TEXT, &size, &surrogates);
    printf(" %d:%" LLU ":%lu:%08" PRIx32, (int)status, U64(size), (unsigned long)surrogates,
           status == SNPY_OK ? snpy_zip_crc(0, written, (size_t)size) : 0);
}

static void print_fields(const uint8_t *text, const snpy_frame *frame, const snpy_table *table)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const snpy_field *field = &table->fields[i];
        printf(" [%" PRIu32 " %" PRIu32 " %" PRIu32 " %u %d%d%d %" LLU " %" LLD, field->type_offset, field->parent,
               field->next, field->depth, field->has_name, field->has_title, field->is_padding, U64(field->itemsize),
               (long long)field->offset);
        print_dtype(&field->dtype);
        for (uint32_t d = 0; d < field->ndim; d++) printf(" %" PRId32, table->dims[field->first_dim + d]);
        if (field->has_name) print_name(text, frame, field->name_offset, field->name_length);
        if (field->has_title) print_name(text, frame, field->title_offset, field->title_length);
        printf("]");
    }
}

/* The header as the writer would write it: the same version, and the version it chooses. */
static void print_rewritten(const uint8_t *text, const snpy_header *header, snpy_table *table)
{
    snpy_version_choice choices[] = {SNPY_VERSION_AUTO, SNPY_VERSION_1_0, SNPY_VERSION_3_0};
    snpy_description description = {header, table, text, header->frame.header_len, SNPY_NAME_LATIN1, SNPY_VERSION_AUTO};
    if (header->frame.major == 3) description.encoding = SNPY_NAME_UTF8;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        snpy_error error;
        uint64_t size = 0;
        description.version = choices[i];
        snpy_status status = snpy_write_header(&description, written, MOST_TEXT, &size, &error);
        print_error("write", status, &error);
        if (status == SNPY_OK) printf(" %" LLU ":%08" PRIx32, U64(size), snpy_zip_crc(0, written, (size_t)size));
    }
}

/* Sub-arrays of very many records are not copied: finding out how takes longer than all the rest. */
#define MOST_ITEM 65536u

/* The elements, little-endian in C order and big-endian in Fortran order, as a checksum. */
static void print_elements(const uint8_t *data, size_t length, const snpy_header *header, const snpy_table *table)
{
    for (int turn = 0; turn < 2; turn++) {
        snpy_view view, dense;
        snpy_error error;
        snpy_plan plan = {runs, MOST_RUNS, 0, 0};
        snpy_status status = snpy_view_open(header, length, &view, &error);
        if (status == SNPY_OK)
            status = snpy_plan_make(&view, table, turn ? SNPY_BYTEORDER_BIG : SNPY_BYTEORDER_LITTLE, &plan, &error);
        if (status == SNPY_OK) status = snpy_view_dense(&view, turn == 1, &dense, &error);
        if (status == SNPY_OK && dense.data_size <= MOST_DATA)
            status = snpy_copy(&view, data, &plan, &dense, copied, &error);
        print_error("copy", status, &error);
        if (status != SNPY_OK || dense.data_size > MOST_DATA) continue;
        printf(" %" LLU ":%08" PRIx32, U64(dense.data_size), snpy_zip_crc(0, copied, (size_t)dense.data_size));
    }
}

static void answer(const uint8_t *bytes, size_t length, const snpy_options *options)
{
    snpy_table table = {fields, MOST_FIELDS, dims, MOST_DIMS, 0, 0};
    snpy_header header;
    snpy_error error;
    snpy_status status = snpy_parse_header(bytes, length, options, &table, &header, &error);
    if (status != SNPY_OK) {
        print_error("header", status, &error);
        if (status == SNPY_TABLE_TOO_SMALL)
            printf(" %lu %lu", (unsigned long)table.field_count, (unsigned long)table.dim_count);
        return;
    }
    const uint8_t *text = bytes + header.frame.text_offset;
    status = snpy_check_data(&header, length, true, &error);
    print_error("data", status, &error);
    print_header(&header);
    print_fields(text, &header.frame, &table);
    print_rewritten(text, &header, &table);
    size_t data_offset = (size_t)header.frame.data_offset;
    if (status == SNPY_OK && header.dtype.itemsize <= MOST_ITEM)
        print_elements(bytes + data_offset, length - data_offset, &header, &table);
}

static uint32_t little(const uint8_t *bytes)
{
    return bytes[0] + 256u * bytes[1] + 65536u * bytes[2] + 16777216u * bytes[3];
}

static void answer_all(const uint8_t *cases)
{
    snpy_options options[] = {SNPY_OPTIONS_INIT, SNPY_OPTIONS_INIT, SNPY_OPTIONS_INIT};
    snpy_compat all = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    options[1].compat = all;
    options[2].max_header_bytes = SNPY_MAX_HEADER;
    options[2].max_ndim = 2;
    options[2].max_depth = 2;
    uint32_t count = little(cases);
    const uint8_t *at = cases + 4;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = little(at);
        for (int set = 0; set < 3; set++) {
            printf("%" PRIu32 " %d", i, set);
            answer(at + 4, length, &options[set]);
            printf("\n");
        }
        at += 4 + length;
    }
    printf("%" PRIu32 " cases\n", count);
}

#ifdef SNPY_BARE
extern const uint8_t bare_cases[];

int main(void)
{
    answer_all(bare_cases);
    return fflush(stdout) == 0 ? 0 : 1;
}
#else
int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    long size = 0;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 4 || fseek(file, 0, SEEK_SET) != 0) {
        fputs("usage: answers CASES\n", stderr);
        return 2;
    }
    uint8_t *cases = malloc((size_t)size);
    if (cases == NULL || fread(cases, 1, (size_t)size, file) != (size_t)size) return 2;
    (void)fclose(file);
    answer_all(cases);
    free(cases);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
#endif
