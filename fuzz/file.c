/* file.c: a file, loaded through every door of the host layer: by path, descriptor, stream, pipe, from memory and
 * in pieces, mapped, and saved again. Holds: all doors say the same, and what the core says of the bytes; the data are the file's;
 * what is saved is loaded again as it was. */
#include "fuzz/files.h"
#include "safenpy/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the file should be. */
struct wanted {
    snpy_status status;
    uint64_t offset;
    const snpy_header *header; /* of an accepted file, and of one that is refused only for its objects */
    const uint8_t *data;
};

static void must_be(const struct wanted *wanted, snpy_status status, const snpy_array *array,
                    const snpy_io_error *error)
{
    char text[512];
    FUZZ_MUST(status == error->error.status);
    if (status != wanted->status) fuzz_fail(snpy_status_name(status), snpy_status_name(wanted->status), 0);
    FUZZ_MUST(error->system_error == 0 && error->call == NULL);
    FUZZ_MUST(status == SNPY_OK || status == SNPY_OBJECT_DATA || error->error.offset == wanted->offset);
    FUZZ_MUST(status == SNPY_OK || snpy_io_error_text(error, text, sizeof text) > 0);
    if (wanted->header == NULL) {
        FUZZ_MUST(array->data == NULL && array->text == NULL);
        return;
    }
    FUZZ_MUST(array->header.count == wanted->header->count && array->header.ndim == wanted->header->ndim);
    FUZZ_MUST(array->header.frame.data_offset == wanted->header->frame.data_offset);
    if (status != SNPY_OK) {
        FUZZ_MUST(array->data == NULL);
        return;
    }
    FUZZ_MUST(array->data_size == wanted->header->data_size);
    FUZZ_MUST(array->data_size == 0 || memcmp(array->data, wanted->data, (size_t)array->data_size) == 0);
}

/* Reads the input in pieces whose sizes its bytes decide. */
struct pieces {
    const uint8_t *bytes;
    size_t size;
};

static int64_t read_piece(void *context, uint64_t offset, size_t length, void *out)
{
    const struct pieces *pieces = context;
    if (offset >= pieces->size) return 0;
    size_t left = pieces->size - (size_t)offset;
    size_t piece = 1 + pieces->bytes[(size_t)offset] % 97u;
    if (piece > left) piece = left;
    if (piece > length) piece = length;
    memcpy(out, pieces->bytes + offset, piece);
    return (int64_t)piece;
}

/* A descriptor that holds these bytes, from its start on. */
static int open_memory(const uint8_t *bytes, size_t size)
{
    int descriptor = fuzz_file(bytes, size);
    FUZZ_MUST(lseek(descriptor, 0, SEEK_SET) == 0);
    return descriptor;
}

static void load_pipe(const struct wanted *wanted, const snpy_header *header, const uint8_t *bytes, size_t size)
{
    int ends[2];
    snpy_array array;
    snpy_io_error error;
    FUZZ_MUST(pipe(ends) == 0);
    /* A pipe does not say whether objects follow, and they are not read. */
    struct wanted here = *wanted;
    if (wanted->status == SNPY_NO_OBJECTS) here.status = SNPY_OBJECT_DATA;
    if (wanted->status == SNPY_NO_OBJECTS) here.header = header;
    /* What a pipe holds at least; more would wait for a reader. */
    if (size <= 4096) {
        FUZZ_MUST(write(ends[1], bytes, size) == (ssize_t)size);
        close(ends[1]);
        ends[1] = -1;
        must_be(&here, snpy_load_descriptor(ends[0], NULL, &array, &error), &array, &error);
        snpy_array_release(&array);
    }
    if (ends[1] >= 0) close(ends[1]);
    close(ends[0]);
}

static void map_file(const struct wanted *wanted, const char *path)
{
    static const snpy_map_mode modes[] = {SNPY_MAP_READ, SNPY_MAP_COPY, SNPY_MAP_WRITE};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        snpy_array array;
        snpy_io_error error;
        must_be(wanted, snpy_map(path, modes[i], NULL, &array, &error), &array, &error);
        snpy_array_release(&array);
        FUZZ_MUST(array.data == NULL);
    }
}

/* Saves an array and loads it again. */
static void save_again(snpy_array *array)
{
    snpy_description description;
    snpy_io_error error;
    snpy_array again;
    int descriptor = fuzz_file(NULL, 0);
    snpy_array_describe(array, &description);
    description.version = SNPY_VERSION_AUTO;
    snpy_status status = snpy_save_descriptor(descriptor, &description, array->data, array->data_size, &error);
    if (status == SNPY_OK) {
        const struct wanted wanted = {SNPY_OK, 0, &array->header, array->data};
        FUZZ_MUST(lseek(descriptor, 0, SEEK_SET) == 0);
        status = snpy_load_descriptor(descriptor, NULL, &again, &error);
        /* It may have become too long for the default limit: '\xe9' takes one byte more than a raw one. */
        if (status != SNPY_HEADER_TOO_LONG) {
            FUZZ_MUST(status == SNPY_OK && again.header.count == array->header.count);
            FUZZ_MUST(again.data_size == array->data_size);
            FUZZ_MUST(again.data_size == 0 || memcmp(again.data, wanted.data, (size_t)again.data_size) == 0);
        }
        snpy_array_release(&again);
    } else {
        FUZZ_MUST(status == SNPY_WRITE_UNREADABLE);
    }
    close(descriptor);
}

/* By a path: loaded, as a stream, and mapped. */
static void load_path(const struct wanted *wanted, const char *path)
{
    snpy_array array;
    snpy_io_error error;
    must_be(wanted, snpy_load(path, NULL, &array, &error), &array, &error);
    snpy_array_release(&array);
    FILE *stream = fopen(path, "rb");
    FUZZ_MUST(stream != NULL);
    must_be(wanted, snpy_load_stream(stream, NULL, &array, &error), &array, &error);
    snpy_array_release(&array);
    fclose(stream);
    map_file(wanted, path);
}

static void load_everywhere(const struct wanted *wanted, const uint8_t *bytes, size_t size, bool is_chosen)
{
    char path[FUZZ_PATH_SIZE];
    snpy_array array;
    snpy_io_error error;
    int descriptor = open_memory(bytes, size);
    fuzz_file_path(descriptor, path);
    must_be(wanted, snpy_load_memory(bytes, size, NULL, &array, &error), &array, &error);
    snpy_array_release(&array);
    struct pieces pieces = {bytes, size};
    must_be(wanted, snpy_load_callback(size, read_piece, &pieces, NULL, &array, &error), &array, &error);
    snpy_array_release(&array);
    if (is_chosen) load_path(wanted, path); /* opening files is most of the work */
    snpy_status status = snpy_load_descriptor(descriptor, NULL, &array, &error);
    must_be(wanted, status, &array, &error);
    if (status == SNPY_OK && wanted->header != NULL) {
        FUZZ_MUST(lseek(descriptor, 0, SEEK_CUR) == (off_t)(wanted->header->frame.data_offset + array.data_size));
        save_again(&array);
    }
    snpy_array_release(&array);
    close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header parsed;
    snpy_error error;
    fuzz_parse(data, size, &options, &parsed);
    struct wanted wanted = {parsed.status, parsed.error.offset, NULL, NULL};
    if (parsed.status == SNPY_OK) {
        wanted.status = snpy_check_data(&parsed.header, size, true, &error);
        wanted.offset = error.offset;
        if (wanted.status == SNPY_OK) {
            wanted.header = &parsed.header;
            wanted.data = data + parsed.header.frame.data_offset;
            if (parsed.header.has_object) wanted.status = SNPY_OBJECT_DATA;
        }
    }
    bool is_chosen = fuzz_is_chosen(data, size);
    fuzz_files_begin(is_chosen);
    load_everywhere(&wanted, data, size, is_chosen);
    if (is_chosen) load_pipe(&wanted, &parsed.header, data, size);
    fuzz_release(&parsed);
    return 0;
}
