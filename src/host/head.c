/* head.c: makes headers to be written, and headers of arrays that grow in their file. NPY-WRITE-009, NPY-WRITE-012
 * The core's writer writes them as NumPy does. */
#include "host/io.h"

#include <stdlib.h>
#include <string.h>

uint32_t snpy_growing_axis(const snpy_header *header)
{
    return header->fortran_order && header->ndim > 0 ? header->ndim - 1 : 0;
}

/* Returns the widest limits: the library reads back every header that it writes. */
static snpy_options snpy_own_limits(void)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    limits.max_header_bytes = SNPY_MAX_HEADER;
    limits.max_fields = SNPY_MAX_FIELDS;
    limits.compat.platform_float = true;
    return limits;
}

/* Writes the header that numpy.save would write, into new memory. The caller frees *head; NULL after a failure. */
static snpy_status snpy_write_head(const snpy_description *description, uint8_t **head, size_t *size,
                                   snpy_io_error *error)
{
    uint64_t bytes = 0;
    *head = NULL;
    *size = 0;
    snpy_status status = snpy_header_size(description, &bytes, &error->error);
    if (status != SNPY_OK) return status;
    *head = bytes <= SIZE_MAX ? malloc((size_t)bytes) : NULL;
    if (*head == NULL) {
        (void)snpy_io_no_memory(error, "malloc");
        return SNPY_NO_MEMORY; /* a constant, for clang-tidy */
    }
    *size = (size_t)bytes;
    status = snpy_write_header(description, *head, *size, &bytes, &error->error);
    if (status == SNPY_OK) return SNPY_OK;
    free(*head);
    *head = NULL;
    return status;
}

snpy_status snpy_make_head(const snpy_description *description, snpy_array *array, snpy_io_error *error)
{
    const snpy_options limits = snpy_own_limits();
    snpy_array_clear(array);
    snpy_status status = snpy_write_head(description, &array->head_, &array->head_size_, error);
    if (status == SNPY_OK) status = snpy_parse_head(&limits, array, error);
    if (status == SNPY_OK && array->header.has_object) status = snpy_io_refuse(error, SNPY_OBJECT_DATA, 0);
    return status;
}

/* Returns the size of a header up to its closing brace, without the padding. */
static size_t snpy_without_padding(const uint8_t *head, size_t size)
{
    while (head[size - 1] == ' ' || head[size - 1] == '\n') size--; /* stops at the magic at the latest */
    return size;
}

/* Gives the header of `grown` the prefix and, by padding, the length of that of `array`, which has the same version.
 * SNPY_HEADER_FULL if it is longer.                                                                HOST-GROWTH */
static snpy_status snpy_fit_head(const snpy_array *array, snpy_array *grown, snpy_io_error *error)
{
    const size_t total = (size_t)array->header.frame.data_offset;
    const size_t prefix = array->header.frame.text_offset;
    size_t used = snpy_without_padding(grown->head_, grown->head_size_);
    if (used >= total) return snpy_io_refuse(error, SNPY_HEADER_FULL, total);
    uint8_t *fitted = malloc(total);
    if (fitted == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(fitted, grown->head_, used);
    memcpy(fitted, array->head_, prefix);
    memset(fitted + used, ' ', total - used);
    fitted[total - 1] = '\n';
    free(grown->head_);
    grown->head_ = fitted;
    grown->head_size_ = total;
    return SNPY_OK;
}

snpy_status snpy_make_grown_head(snpy_array *array, uint64_t length, snpy_array *grown, snpy_io_error *error)
{
    const snpy_options limits = snpy_own_limits();
    snpy_header header = array->header;
    snpy_description description;
    snpy_array_clear(grown);
    snpy_array_describe(array, &description);
    header.shape[snpy_growing_axis(&header)] = length;
    description.header = &header;
    snpy_status status = snpy_write_head(&description, &grown->head_, &grown->head_size_, error);
    if (status == SNPY_WRITE_VERSION) return snpy_io_refuse(error, SNPY_HEADER_FULL, header.frame.data_offset);
    if (status == SNPY_OK) status = snpy_fit_head(array, grown, error);
    return status == SNPY_OK ? snpy_parse_head(&limits, grown, error) : status;
}

/* Writes the header of an array for a comparison: with length 0 along the growing axis, and with the order given. The
 * caller frees *head. */
static snpy_status snpy_write_comparable(snpy_array *array, bool fortran_order, uint8_t **head, size_t *size,
                                         snpy_io_error *error)
{
    snpy_header header = array->header;
    snpy_description description;
    snpy_array_describe(array, &description);
    header.fortran_order = fortran_order;
    header.shape[snpy_growing_axis(&header)] = 0;
    description.header = &header;
    description.version = SNPY_VERSION_AUTO;
    return snpy_write_head(&description, head, size, error);
}

bool snpy_order_matters(const snpy_header *header)
{
    snpy_header other = *header;
    other.fortran_order = true;
    snpy_normalise_order(&other);
    return other.fortran_order;
}

snpy_status snpy_compare_heads(snpy_array *array, snpy_array *more, snpy_io_error *error)
{
    const snpy_header *one = &array->header;
    const snpy_header *other = &more->header;
    uint8_t *heads[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    if (one->ndim != other->ndim) return snpy_io_refuse(error, SNPY_NOT_ALIKE, 0);
    if (one->fortran_order != other->fortran_order && snpy_order_matters(other))
        return snpy_io_refuse(error, SNPY_NOT_ALIKE, 0);
    snpy_status status = snpy_write_comparable(array, one->fortran_order, &heads[0], &sizes[0], error);
    if (status == SNPY_OK) status = snpy_write_comparable(more, one->fortran_order, &heads[1], &sizes[1], error);
    if (status == SNPY_OK && (sizes[0] != sizes[1] || memcmp(heads[0], heads[1], sizes[0]) != 0))
        status = snpy_io_refuse(error, SNPY_NOT_ALIKE, 0);
    free(heads[0]);
    free(heads[1]);
    return status;
}
