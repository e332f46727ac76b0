/* object_write.c: writes decoded values as a pickle, into memory of its own.           NPY-PKL-028, NPY-PKL-029, HOST-MEMORY
 * Finds equal strs by sorting them. The core writes; object_open.c decodes. */
#include "host/flow.h"
#include "host/object_data.h"

#include <stdlib.h>
#include <string.h>

#define MARKS ((uint64_t)64)      /* besides two for each node */
#define TASKS ((uint64_t)16384)   /* 1,000 levels of containers, with what calls have besides */
#define FACTOR ((uint64_t)64)     /* bytes that are written for each of the old pickle: */
#define MORE ((uint64_t)64 << 20) /* and these: bytes and ints that occur often are written each time */

/* A str, to be sorted. */
struct text {
    const uint8_t *pickle;
    size_t length;
    const snpy_node *node;
};

/* Whether the bytes of a str stand in the pickle as UTF-8. */
static bool snpy_is_utf8(const struct text *text)
{
    return text->node->kind == SNPY_NODE_STR && text->pickle[text->node->at] != 'V';
}

/* The order of two strs by their characters: less than 0, 0 or more. UTF-8 has the same order. */
static int snpy_compare_characters(const struct text *left, const struct text *right)
{
    const snpy_node *one = left->node;
    const snpy_node *other = right->node;
    if (snpy_is_utf8(left) && snpy_is_utf8(right)) {
        const size_t common = one->size < other->size ? one->size : other->size;
        const int order = memcmp(left->pickle + one->start, right->pickle + other->start, common);
        return order != 0 ? order : (one->size > other->size) - (one->size < other->size);
    }
    struct snpy_leaf first = snpy_leaf_open(left->pickle, left->length, one);
    struct snpy_leaf second = snpy_leaf_open(right->pickle, right->length, other);
    while (first.point == second.point && first.point != SNPY_LEAF_END) {
        snpy_leaf_step(left->pickle, &first);
        snpy_leaf_step(right->pickle, &second);
    }
    if (first.point == second.point) return 0;
    if (first.point == SNPY_LEAF_END || second.point == SNPY_LEAF_END) return first.point == SNPY_LEAF_END ? -1 : 1;
    return first.point < second.point ? -1 : 1;
}

/* For qsort: equal strs in the order of their nodes. */
static int snpy_compare_texts(const void *left, const void *right)
{
    const struct text *one = left;
    const struct text *other = right;
    const int order = snpy_compare_characters(one, other);
    return order != 0 ? order : (one->node > other->node) - (one->node < other->node);
}

/* Whether a node is a str, or a string of Python 2, which is written as one. */
static bool is_string(const snpy_node *node)
{
    return node->kind == SNPY_NODE_STR || node->kind == SNPY_NODE_RAW;
}

/* Collects the strs among all nodes. The caller frees them. NULL without memory. */
static struct text *snpy_collect_texts(const snpy_object_data *data, size_t *count)
{
    const snpy_node_table *table = &data->table;
    size_t found = 0;
    for (size_t i = 0; i < table->count; i++) found += is_string(&table->nodes[i]) ? 1 : 0;
    struct text *texts = malloc((found + 1) * sizeof *texts); /* never 0 */
    if (texts == NULL) return NULL;
    found = 0;
    for (size_t i = 0; i < table->count; i++) {
        const snpy_node *node = &table->nodes[i];
        if (is_string(node)) texts[found++] = (struct text){data->pickle, data->length, node};
    }
    *count = found;
    return texts;
}

/* Finds for each node the first str that is equal. Returns false without memory.                         NPY-PKL-029 */
static bool snpy_find_same(const snpy_object_data *data, uint32_t *same)
{
    const snpy_node *nodes = data->table.nodes;
    size_t count = 0;
    struct text *texts = snpy_collect_texts(data, &count);
    if (texts == NULL) return false;
    for (size_t i = 0; i < data->table.count; i++) same[i] = (uint32_t)i;
    qsort(texts, count, sizeof *texts, snpy_compare_texts);
    for (size_t i = 1; i < count; i++) {
        if (snpy_compare_characters(&texts[i - 1], &texts[i]) == 0)
            same[texts[i].node - nodes] = same[texts[i - 1].node - nodes];
    }
    free(texts);
    return true;
}

/* Allocates the memory of a writer. Free its tables, whatever the status. */
static snpy_status snpy_allocate_writer(const snpy_object_data *data, snpy_object_writer *writer, uint32_t **same,
                                        snpy_io_error *error)
{
    writer->mark_capacity = 2 * data->table.count + MARKS;
    writer->task_capacity = TASKS;
    if (writer->mark_capacity <= SIZE_MAX / sizeof *writer->marks)
        writer->marks = malloc((size_t)writer->mark_capacity * sizeof *writer->marks);
    writer->tasks = malloc((size_t)TASKS * sizeof *writer->tasks);
    *same = malloc((size_t)data->table.count * sizeof **same);
    writer->same = *same;
    if (writer->marks != NULL && writer->tasks != NULL && *same != NULL && snpy_find_same(data, *same)) return SNPY_OK;
    return snpy_io_no_memory(error, "malloc");
}

/* Writes to a buffer that is as long as the pickle needs: the first guess is the length of the old one. */
static snpy_status snpy_write_pickle(const snpy_object_data *data, snpy_object_writer *writer, uint8_t **bytes,
                                     size_t *size, snpy_io_error *error)
{
    size_t capacity = data->length + data->length / 8 + 64; /* the length is less than 4 GiB */
    for (;;) {
        uint8_t *longer = capacity >= data->length ? realloc(*bytes, capacity) : NULL; /* 32 bits may be too few */
        if (longer == NULL) return snpy_io_no_memory(error, "realloc");
        *bytes = longer;
        snpy_status status =
            snpy_write_objects(data->pickle, data->length, &data->table, writer, *bytes, capacity, size, &error->error);
        if (status != SNPY_OK || *size <= capacity) return status;
        capacity = *size;
    }
}

/* Checks that what was written is decoded again. It is not where calls have taken a dictionary that was changed later. */
static snpy_status snpy_decode_again(const uint8_t *bytes, size_t size, snpy_io_error *error)
{
    snpy_object_data *again = NULL;
    snpy_io_error other;
    snpy_status status = snpy_object_data_open(bytes, size, SNPY_SET_PLAIN, &again, &other);
    snpy_object_data_close(&again);
    if (status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "malloc");
    return snpy_io_refuse(error, status, 0);
}

snpy_status snpy_object_data_write(const snpy_object_data *data, const snpy_pickle_form *form, uint8_t **bytes,
                                   size_t *size, snpy_io_error *error)
{
    snpy_object_writer writer = {.protocol = form == NULL || form->protocol == 0 ? 4 : form->protocol};
    uint32_t *same = NULL;
    *bytes = NULL;
    *size = 0;
    snpy_io_begin(error, "");
    if (form != NULL) writer.is_numpy_2 = form->is_numpy_2;
    writer.most = FACTOR * data->length + MORE;
    if (writer.most > SNPY_MAX_PICKLE) writer.most = SNPY_MAX_PICKLE;
    snpy_status status = snpy_allocate_writer(data, &writer, &same, error);
    if (status == SNPY_OK) status = snpy_write_pickle(data, &writer, bytes, size, error);
    free(writer.marks);
    free(writer.tasks);
    free(same);
    if (status == SNPY_OK) status = snpy_decode_again(*bytes, *size, error);
    if (status != SNPY_OK) snpy_object_bytes_free(bytes);
    return status;
}

void snpy_object_bytes_free(uint8_t **bytes)
{
    free(*bytes);
    *bytes = NULL;
}

snpy_status snpy_disarm_payload(const uint8_t *pickle, size_t length, snpy_array *head, const snpy_pickle_form *form,
                                uint8_t **bytes, size_t *size, snpy_io_error *error)
{
    snpy_object_data *data = NULL;
    *bytes = NULL;
    snpy_status status = snpy_object_data_open(pickle, length, SNPY_SET_PLAIN, &data, error);
    if (status == SNPY_OK) status = snpy_io_refuse(error, snpy_object_data_match(data, head), 0);
    if (status == SNPY_OK) status = snpy_object_data_write(data, form, bytes, size, error);
    snpy_object_data_close(&data);
    error->error.offset += head->header.frame.data_offset;
    return status;
}

snpy_status snpy_disarm_input(snpy_input *input, snpy_file *file, const snpy_pickle_form *form, uint8_t **bytes,
                              size_t *size, snpy_io_error *error)
{
    const snpy_header *header = &file->head.header;
    const bool is_stream = input->reader.is_stream;
    const uint64_t known = is_stream ? SNPY_SIZE_UNKNOWN : file->size - header->frame.data_offset;
    uint8_t *pickle = NULL;
    size_t length = 0;
    snpy_status status = snpy_read_payload(&input->reader, 0, known, &pickle, &length, error);
    if (status == SNPY_OK) status = snpy_disarm_payload(pickle, length, &file->head, form, bytes, size, error);
    free(pickle);
    return status;
}
