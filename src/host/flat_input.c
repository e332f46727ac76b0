/* flat_input.c: reads an object array, flattens it, and checks that it comes back.            NPY-PKL-031, HOST-MEMORY */
#include "host/flat.h"

#include <stdlib.h>
#include <string.h>

/* A value whose parts are being looked at. */
struct look {
    int32_t value;
    snpy_object_members members;
    uint8_t part; /* 0: members, 1: arguments, 2: state, 3: none */
};

/* Returns the next part of a value; 0 if it has no more. */
static int32_t next_part(const snpy_object_data *data, struct look *look)
{
    while (look->part < 3) {
        int32_t part = 0;
        if (look->part == 0) part = snpy_object_next(data, &look->members);
        if (look->part == 1) part = snpy_object_arguments(data, look->value);
        if (look->part == 2) part = snpy_object_state(data, look->value);
        if (look->part > 0 || part == 0) look->part++;
        if (part != 0) return part;
    }
    return 0;
}

/* Begins to look at a value. */
static bool push_look(const snpy_object_data *data, struct look **looks, size_t *depth, size_t *capacity, int32_t value)
{
    if (*depth == *capacity) {
        const size_t wanted = 2 * *capacity + 64;
        struct look *grown = realloc(*looks, wanted * sizeof *grown);
        if (grown == NULL) return false;
        *looks = grown;
        *capacity = wanted;
    }
    (*looks)[(*depth)++] = (struct look){value, snpy_object_begin(data, value), 0};
    return true;
}

int32_t snpy_find_cycle(const snpy_object_data *data, snpy_status *status)
{
    enum { OPEN = 1, DONE = 2 };
    size_t depth = 0;
    size_t capacity = 0;
    struct look *looks = NULL;
    int32_t found = 0;
    uint8_t *seen = calloc(snpy_object_count(data), 1);
    bool has_memory = seen != NULL && push_look(data, &looks, &depth, &capacity, snpy_object_root(data));
    if (has_memory) seen[snpy_object_root(data)] = OPEN;
    while (has_memory && depth > 0 && found == 0) {
        const int32_t part = next_part(data, &looks[depth - 1]);
        if (part == 0) {
            seen[looks[--depth].value] = DONE;
        } else if (seen[part] == OPEN) {
            found = part;
        } else if (seen[part] == 0) {
            seen[part] = OPEN;
            has_memory = push_look(data, &looks, &depth, &capacity, part);
        }
    }
    free(seen);
    free(looks);
    *status = has_memory ? SNPY_OK : SNPY_NO_MEMORY;
    return found;
}

/* Checks that members come back as the pickle that they were made of. */
static snpy_status check_return(snpy_flat *flat, const uint8_t *pickle, size_t size)
{
    snpy_array head;
    uint8_t *again = NULL;
    size_t again_size = 0;
    snpy_io_error error;
    snpy_flat_sort(flat);
    const snpy_status status = snpy_unflatten(flat, false, &head, &again, &again_size, &error);
    const bool is_same = status == SNPY_OK && again_size == size && memcmp(again, pickle, size) == 0;
    snpy_array_release(&head);
    snpy_object_bytes_free(&again);
    if (status == SNPY_NO_MEMORY) return status;
    return is_same ? SNPY_OK : SNPY_PKL_NOT_FLAT;
}

/* The version of a header, if it is not the one that NumPy would choose. *failed is set if there is no memory. */
static const char *version_of(snpy_array *head, snpy_status *failed)
{
    snpy_description description;
    snpy_array made;
    snpy_io_error error;
    const uint16_t major = head->header.frame.major;
    snpy_array_describe(head, &description);
    description.version = SNPY_VERSION_AUTO;
    const snpy_status status = snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, true, &made, &error);
    if (status == SNPY_NO_MEMORY) *failed = status;
    const bool is_usual = status == SNPY_OK && made.header.frame.major == major;
    snpy_array_release(&made);
    return is_usual ? "" : major == 1 ? "1.0" : major == 2 ? "2.0" : "3.0";
}

/* Flattens the values of a payload. error->offset counts bytes of the pickle. */
static snpy_status flatten_payload(const uint8_t *pickle, size_t length, snpy_array *head, snpy_flat *flat,
                                   snpy_io_error *error)
{
    snpy_object_data *data = NULL;
    snpy_object_data *plain = NULL;
    uint8_t *written = NULL;
    size_t size = 0;
    int32_t cycle = 0;
    const char *version = "";
    snpy_status status = snpy_object_data_open(pickle, length, SNPY_SET_PLAIN, &data, error);
    if (status == SNPY_OK) status = snpy_io_refuse(error, snpy_object_data_match(data, head), 0);
    if (status == SNPY_OK) cycle = snpy_find_cycle(data, &status);
    if (cycle != 0) status = snpy_io_refuse(error, SNPY_PKL_NOT_FLAT, snpy_object_node(data, cycle)->at);
    if (status == SNPY_OK) status = snpy_object_data_write(data, NULL, &written, &size, error);
    snpy_object_data_close(&data);
    if (status == SNPY_OK) status = snpy_object_data_open(written, size, SNPY_SET_PLAIN, &plain, error);
    if (status == SNPY_OK) version = version_of(head, &status);
    if (status == SNPY_OK) status = snpy_io_refuse(error, snpy_flatten_data(plain, version, flat), 0);
    snpy_object_data_close(&plain);
    if (status == SNPY_OK) status = snpy_io_refuse(error, check_return(flat, written, size), 0);
    snpy_object_bytes_free(&written);
    return status;
}

snpy_status snpy_flatten_input(snpy_input *input, snpy_file *file, snpy_flat *flat, snpy_io_error *error)
{
    const snpy_header *header = &file->head.header;
    const bool is_stream = input->reader.is_stream;
    const uint64_t known = is_stream ? SNPY_SIZE_UNKNOWN : file->size - header->frame.data_offset;
    uint8_t *pickle = NULL;
    size_t length = 0;
    snpy_status status = snpy_read_payload(&input->reader, 0, known, &pickle, &length, error);
    if (status == SNPY_OK) {
        status = flatten_payload(pickle, length, &file->head, flat, error);
        error->error.offset += header->frame.data_offset;
        if (status == SNPY_NO_MEMORY) (void)snpy_io_no_memory(error, "malloc");
    }
    free(pickle);
    return status;
}
