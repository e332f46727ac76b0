/* read_header.c: what the header of an NPY file says, or why it is refused.
 *
 *   cc -std=c99 examples/read_header.c $(pkg-config --cflags --libs safenpy) -o read_header
 *   ./read_header my.npy
 *
 * All memory is the caller's: a buffer for the file's first bytes, and a table for the fields of a record. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "safenpy/safenpy.h"

#define MAX_FIELDS 256u
#define MAX_DIMS 256u

/* The prefix and the longest header text that the default options allow. */
static uint8_t bytes[SNPY_MAX_PREFIX + 65536u];

/* The first bytes of a file; false if it cannot be read. */
static bool read_start(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    bool ok;

    if (file == NULL) return false;
    *length = fread(bytes, 1, sizeof bytes, file);
    ok = ferror(file) == 0;
    return fclose(file) == 0 && ok;
}

static void print_type(const snpy_dtype *dtype)
{
    if (dtype->kind == SNPY_KIND_RECORD) {
        printf("record of %" PRIu32 " bytes", dtype->itemsize);
    } else {
        printf("kind %c, byte order %c, %" PRIu32 " bytes", dtype->kind, dtype->byteorder, dtype->itemsize);
    }
}

/* Every byte of a name that is not printable ASCII comes out as an escape: a hostile file owns no terminal. */
static void print_span(const uint8_t *text, uint32_t length)
{
    uint32_t i;

    for (i = 0; i < length; i++) {
        if (text[i] >= 0x20 && text[i] < 0x7f) {
            putchar(text[i]);
        } else {
            printf("\\x%02x", text[i]);
        }
    }
}

static void print_header(const snpy_header *header, const snpy_table *table)
{
    size_t i;

    printf("version %d.%d, data at byte %" PRIu64 ", %" PRIu64 " bytes\n", header->frame.major, header->frame.minor,
           header->frame.data_offset, header->data_size);
    printf("shape   (");
    for (i = 0; i < header->ndim; i++) printf(i == 0 ? "%" PRIu64 : ", %" PRIu64, header->shape[i]);
    printf(header->ndim == 1 ? ",), %s order\n" : "), %s order\n", header->fortran_order ? "Fortran" : "C");
    printf("dtype   ");
    print_type(&header->dtype);
    putchar('\n');
    /* Entry 0 is the record itself; names are spans of the header text, shown here as they are written there. */
    for (i = 1; i < table->field_count; i++) {
        const snpy_field *field = &table->fields[i];

        if (!field->has_name || field->is_padding) continue;
        printf("%*s+%" PRId64 " '", 4 + 2 * field->depth, "", field->offset);
        print_span(bytes + header->frame.text_offset + field->name_offset, field->name_length);
        printf("': ");
        print_type(&field->dtype);
        if (field->ndim > 0) printf(", a sub-array of %" PRIu64 " bytes", field->itemsize);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    static snpy_field fields[MAX_FIELDS];
    static int32_t dims[MAX_DIMS];
    snpy_table table = {fields, MAX_FIELDS, dims, MAX_DIMS, 0, 0};
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_header header;
    snpy_error error;
    size_t length = 0;

    if (argc != 2 || !read_start(argv[1], &length)) {
        fputs("usage: read_header FILE (a file that can be read)\n", stderr);
        return 2;
    }
    if (snpy_parse_header(bytes, length, &options, &table, &header, &error) != SNPY_OK) {
        printf("%s [%s] at byte %" PRIu64 ": %s\n", snpy_status_name(error.status), snpy_status_rule(error.status),
               error.offset, snpy_status_message(error.status));
        printf("hint: %s\n", snpy_status_hint(error.status));
        return error.status == SNPY_BAD_ARGUMENT ? 2 : 1;
    }
    print_header(&header, &table);
    return 0;
}
