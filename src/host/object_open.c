/* object_open.c: decodes the pickle of an object array into memory of its own, checks its arrays, and compares it with the header
 * of its file.                                               NPY-PKL-001, NPY-PKL-019, NPY-PKL-020, NPY-PKL-022, HOST-MEMORY
 * The core decodes; object_check.c checks arrays; object_data.c walks what was decoded. */
#include "host/object_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/random.h>
#endif

/* What spec/objects.md leaves to the decoder: entries, looks at arguments, bytes besides those of the pickle. */
#define MAX_NODES ((uint64_t)10000000)
#define MAX_BYTES ((uint64_t)1 << 30)
#define MIN_ENTRIES ((uint64_t)1024) /* of the stack: containers in one another need as many */
#define MAX_ENTRIES ((uint64_t)1 << 26)
#define MAX_SLOTS (4 * MAX_NODES)     /* of keys: each was pushed, or looked at, and half of them stay free */
#define FIRST_BYTES ((uint64_t)65536) /* of a pickle from a pipe */

/* ---- decoding --------------------------------------------------------------------------------------------- */

/* A number that nobody can know who writes a pickle: random bytes of the system, on top of them addresses and the time,
 * which are left where it has no random bytes to give. */
static uint64_t make_seed(const snpy_object_data *data)
{
    uint64_t seed = 0;
    struct timespec now = {0, 0};
#ifdef __linux__
    const ssize_t count = getrandom(&seed, sizeof seed, GRND_NONBLOCK);
    (void)count;
#elif defined(__APPLE__)
    arc4random_buf(&seed, sizeof seed);
#endif
    (void)clock_gettime(CLOCK_REALTIME, &now);
    seed += (uintptr_t)data + (uint64_t)(uintptr_t)&now * 65537u;
    seed += (uint64_t)now.tv_nsec * 4294967291u + (uint64_t)now.tv_sec;
    for (unsigned i = 0; i < 3; i++) seed = (seed ^ seed >> 29) * 0x9e3779b97f4a7c15u;
    return seed;
}

/* Gives the tables of a scan and of nodes room for so many entries, and that of keys for so many slots, and forgets what they
 * had. */
static snpy_status allocate(snpy_object_data *data, snpy_object_scan *scan, uint64_t entries, snpy_object_keys *keys,
                            uint64_t slots, snpy_io_error *error)
{
    const size_t nodes = (size_t)(entries < MAX_NODES ? entries : MAX_NODES);
    free(scan->stack);
    free(scan->memo);
    free(data->table.nodes);
    free(keys->slots);
    *scan = (snpy_object_scan){.stack_capacity = entries, .memo_capacity = entries};
    scan->stack = malloc((size_t)entries * sizeof *scan->stack);
    scan->memo = calloc((size_t)entries, sizeof *scan->memo);
    data->table =
        (snpy_node_table){.capacity = nodes, .looks = MAX_NODES, .bytes = 2 * (uint64_t)data->length + MAX_BYTES};
    data->table.nodes = malloc(nodes * sizeof *data->table.nodes);
    *keys = (snpy_object_keys){calloc((size_t)slots, sizeof *keys->slots), slots, 0, make_seed(data)};
    if (scan->stack != NULL && scan->memo != NULL && data->table.nodes != NULL && keys->slots != NULL) return SNPY_OK;
    (void)snpy_io_no_memory(error, "malloc");
    return SNPY_NO_MEMORY; /* a constant, for clang-tidy */
}

/* Decodes. A pickle has at most as many entries as bytes, mostly far fewer: begins with one entry for eight bytes, and again
 * with twice as many if they are too few, which are three times more work at the most. Sets that are made of one list can have
 * more keys than there are entries. */
static snpy_status decode(snpy_object_data *data, snpy_set allowed, snpy_object_scan *scan, snpy_io_error *error)
{
    snpy_object_keys keys = {NULL, 0, 0, 0};
    uint64_t entries = data->length / 8 + MIN_ENTRIES;
    uint64_t slots = 2 * entries;
    snpy_status status = SNPY_PKL_TOO_MANY_NODES;
    bool is_last = false;
    while (status == SNPY_PKL_TOO_MANY_NODES && !is_last) {
        if (entries > MAX_ENTRIES) entries = MAX_ENTRIES;
        if (slots > MAX_SLOTS) slots = MAX_SLOTS;
        status = allocate(data, scan, entries, &keys, slots, error);
        if (status == SNPY_OK)
            status = snpy_decode_objects(data->pickle, data->length, allowed, scan, &data->table, &keys, &error->error);
        is_last = keys.count < slots / 2 ? entries == MAX_ENTRIES || entries > data->length : slots == MAX_SLOTS;
        entries *= entries > data->length ? 1 : 2;
        slots *= 2;
    }
    free(keys.slots);
    return status;
}

/* Checks the arrays in what was decoded. What is wrong with them comes before what the decoder has refused. */
static snpy_status check_arrays(const snpy_object_data *data, snpy_object_scan *scan, snpy_status status,
                                snpy_io_error *error)
{
    uint64_t offset = 0;
    if (status == SNPY_NO_MEMORY) return status;
    memset(scan->memo, 0, (size_t)scan->memo_capacity * sizeof *scan->memo);
    *scan = (snpy_object_scan){scan->stack, scan->memo, scan->stack_capacity, scan->memo_capacity, 0, 0, 0, 0, 0};
    const snpy_status found = snpy_object_check(data, scan, &offset);
    if (found == SNPY_OK) return status;
    return found == SNPY_NO_MEMORY ? snpy_io_no_memory(error, "calloc") : snpy_io_refuse(error, found, offset);
}

/* Notes which nodes are referred to. */
static snpy_status find_shared(snpy_object_data *data, snpy_io_error *error)
{
    data->shared = calloc((size_t)data->table.count + 1, 1); /* never 0 */
    if (data->shared == NULL) return snpy_io_no_memory(error, "calloc");
    for (uint64_t i = 0; i < data->table.count; i++) {
        const snpy_node *node = &data->table.nodes[i];
        if (node->kind == SNPY_NODE_REF) data->shared[node->target] = 1;
    }
    return SNPY_OK;
}

snpy_status snpy_object_data_open(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_object_data **data,
                                  snpy_io_error *error)
{
    snpy_object_scan scan = {.stack = NULL};
    *data = NULL;
    snpy_io_begin(error, "");
    if (length > SNPY_MAX_PICKLE || allowed > SNPY_SET_PLAIN) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    snpy_object_data *made = calloc(1, sizeof *made);
    if (made == NULL) return snpy_io_no_memory(error, "calloc");
    made->pickle = pickle;
    made->length = length;
    snpy_status status = decode(made, allowed, &scan, error);
    status = check_arrays(made, &scan, status, error);
    free(scan.stack);
    free(scan.memo);
    if (status == SNPY_OK) status = find_shared(made, error);
    if (status == SNPY_OK)
        *data = made;
    else
        snpy_object_data_close(&made);
    return status;
}

/* ---- header and payload ----------------------------------------------------------------------------------- */

/* Whether a value is a bool, or 0 or 1 as old picklers write it. */
static bool is_flag(const snpy_object_data *data, int32_t value, bool wanted)
{
    int64_t number = 0;
    if (snpy_object_int(data, value, &number) == SNPY_OK) return number == (wanted ? 1 : 0);
    return snpy_object_node(data, value)->kind == (wanted ? SNPY_NODE_TRUE : SNPY_NODE_FALSE);
}

/* Whether a tuple has the dimensions of a header. */
static bool has_shape(const snpy_object_data *data, int32_t tuple, const snpy_header *header)
{
    snpy_object_members members = snpy_object_begin(data, tuple);
    for (size_t i = 0; i < header->ndim; i++) {
        const int32_t dim = snpy_object_next(data, &members);
        int64_t length = -1;
        if (dim == 0 || snpy_object_int(data, dim, &length) != SNPY_OK || length < 0) return false;
        if ((uint64_t)length != header->shape[i]) return false;
    }
    return snpy_object_next(data, &members) == 0;
}

/* Whether a type is that of a header, as far as it is told here: objects, or a record. */
static bool has_type(const snpy_object_data *data, int32_t type, const snpy_header *header)
{
    uint8_t kind = 0;
    const snpy_node *node = snpy_object_node(data, type);
    if (node->kind != SNPY_NODE_CALL) return false;
    if (node->role == SNPY_ROLE_STRINGDTYPE) return header->dtype.kind == SNPY_KIND_OBJECT;
    const int32_t name = snpy_object_part(data, node->args, 0);
    if (snpy_object_node(data, name)->kind == SNPY_NODE_GLOBAL) return header->dtype.kind == SNPY_KIND_RECORD;
    const uint64_t length = snpy_object_text(data, name, &kind, 1);
    return length != UINT64_MAX && length > 0 && kind == (header->dtype.kind == SNPY_KIND_OBJECT ? 'O' : 'V');
}

/* Writes the descr of a header as NumPy writes it; the caller frees it. */
static snpy_status write_descr(snpy_array *head, uint8_t **text, uint64_t *length)
{
    snpy_description description;
    snpy_error error;
    snpy_array_describe(head, &description);
    (void)snpy_write_descr(&description, 0, NULL, 0, length, &error);
    *text = *length < SIZE_MAX ? malloc((size_t)*length + 1) : NULL; /* never 0 */
    if (*text == NULL) return SNPY_NO_MEMORY;
    return snpy_write_descr(&description, 0, *text, (size_t)*length, length, &error);
}

/* Whether the fields of the payload are those of the header. */
static snpy_status match_fields(const snpy_object_data *data, snpy_array *head)
{
    snpy_array array;
    snpy_io_error error;
    uint8_t *texts[2] = {NULL, NULL};
    uint64_t lengths[2] = {0, 0};
    snpy_status status = snpy_object_array(data, snpy_object_root(data), &array, &error);
    if (status == SNPY_OK) status = write_descr(head, &texts[0], &lengths[0]);
    if (status == SNPY_OK) status = write_descr(&array, &texts[1], &lengths[1]);
    if (status == SNPY_OK && (lengths[0] != lengths[1] || memcmp(texts[0], texts[1], (size_t)lengths[0]) != 0))
        status = SNPY_PKL_HEADER;
    free(texts[0]);
    free(texts[1]);
    snpy_array_release(&array);
    return status == SNPY_OK || status == SNPY_NO_MEMORY ? status : SNPY_PKL_HEADER;
}

bool snpy_object_matches(const snpy_object_data *data, const snpy_header *header)
{
    const int32_t root = snpy_object_root(data);
    const snpy_node *node = snpy_object_node(data, root);
    const bool is_array =
        node->kind == SNPY_NODE_CALL && (node->role == SNPY_ROLE_RECONSTRUCT || node->role == SNPY_ROLE_MARECONSTRUCT);
    if (!is_array) return false;
    const int32_t state = snpy_object_state(data, root);
    return has_shape(data, snpy_object_part(data, state, 1), header) &&
           has_type(data, snpy_object_part(data, state, 2), header) &&
           is_flag(data, snpy_object_part(data, state, 3), header->fortran_order);
}

snpy_status snpy_object_data_match(const snpy_object_data *data, snpy_array *head)
{
    if (!snpy_object_matches(data, &head->header)) return SNPY_PKL_HEADER;
    return head->header.dtype.kind == SNPY_KIND_RECORD ? match_fields(data, head) : SNPY_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------ */

snpy_status snpy_read_payload(snpy_reader *reader, uint64_t start, uint64_t known, uint8_t **bytes, size_t *size,
                              snpy_io_error *error)
{
    uint64_t room = known != SNPY_SIZE_UNKNOWN ? known : FIRST_BYTES;
    uint64_t have = 0;
    for (;;) {
        uint64_t got = 0;
        if (room > SNPY_MAX_PICKLE) return snpy_io_refuse(error, SNPY_PKL_TOO_MANY_BYTES, start);
        uint8_t *grown = realloc(*bytes, (size_t)room + 1); /* never 0 */
        if (grown == NULL) return snpy_io_no_memory(error, "realloc");
        *bytes = grown;
        snpy_status status = snpy_reader_read(reader, start + have, *bytes + have, room - have, &got, error);
        if (status != SNPY_OK) return status;
        have += got;
        *size = (size_t)have;
        if (have < room && known != SNPY_SIZE_UNKNOWN) return snpy_io_refuse(error, SNPY_FILE_CHANGED, start + have);
        if (have < room || known != SNPY_SIZE_UNKNOWN) return SNPY_OK;
        room = room > SNPY_MAX_PICKLE / 2 && room < SNPY_MAX_PICKLE ? SNPY_MAX_PICKLE : 2 * room;
    }
}

/* Reads, decodes and checks an open file. */
static snpy_status load(snpy_reader *reader, snpy_set allowed, snpy_array *head, snpy_object_data **data,
                        snpy_io_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    snpy_status status = snpy_read_header(reader, NULL, false, head, error);
    const uint64_t start = head->header.frame.data_offset;
    if (status != SNPY_OK) return status;
    if (!head->header.has_object) return snpy_io_refuse(error, SNPY_WRONG_TYPE, start);
    const uint64_t known = reader->knows_size ? reader->size - start : SNPY_SIZE_UNKNOWN;
    status = snpy_read_payload(reader, start, known, &bytes, &size, error);
    if (status == SNPY_OK) {
        status = snpy_object_data_open(bytes, size, allowed, data, error);
        error->error.offset += start;
    }
    if (*data == NULL) {
        free(bytes);
        return status;
    }
    (*data)->own = bytes;
    return snpy_io_refuse(error, snpy_object_data_match(*data, head), start);
}

snpy_status snpy_object_data_load(const char *path, snpy_set allowed, snpy_object_data **data, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_array head;
    *data = NULL;
    snpy_array_clear(&head);
    snpy_io_begin(error, path);
    const int descriptor = snpy_open(path, O_RDONLY, 0);
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    snpy_status status = snpy_reader_of_file(&reader, descriptor, error);
    if (status == SNPY_OK) status = load(&reader, allowed, &head, data, error);
    if (status != SNPY_OK) snpy_object_data_close(data);
    snpy_array_release(&head);
    (void)close(descriptor); /* only read from */
    snpy_io_name(error, path);
    return status;
}
