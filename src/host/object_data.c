/* object_data.c: decodes the pickle of an object array into memory of its own, and walks its values.
 *                                                                           NPY-PKL-001, NPY-PKL-022, HOST-MEMORY
 * The core decodes; object_array.c makes arrays of values. */
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

void snpy_object_data_close(snpy_object_data **data)
{
    if (*data == NULL) return;
    free((*data)->table.nodes);
    free((*data)->shared);
    free((*data)->own);
    free(*data);
    *data = NULL;
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

/* ---- walking ---------------------------------------------------------------------------------------------- */

/* Returns what an entry refers to, or itself. */
static int32_t value_of(const snpy_object_data *data, int32_t entry)
{
    const snpy_node *node = &data->table.nodes[entry];
    return node->kind == SNPY_NODE_REF ? node->target : entry;
}

int32_t snpy_object_root(const snpy_object_data *data)
{
    return value_of(data, (int32_t)data->table.top);
}

const snpy_node *snpy_object_node(const snpy_object_data *data, int32_t value)
{
    return &data->table.nodes[value_of(data, value)];
}

size_t snpy_object_count(const snpy_object_data *data)
{
    return (size_t)data->table.count;
}

bool snpy_object_is_shared(const snpy_object_data *data, int32_t value)
{
    return data->shared[value_of(data, value)] != 0;
}

int32_t snpy_object_part(const snpy_object_data *data, int32_t tuple, uint32_t place)
{
    return value_of(data, snpy_nodes_member(&data->table, tuple, place));
}

snpy_object_members snpy_object_begin(const snpy_object_data *data, int32_t value)
{
    const int32_t index = value_of(data, value);
    const snpy_node *node = &data->table.nodes[index];
    const int32_t list = snpy_nodes_list(&data->table, index);
    snpy_object_members members = {node->first, 0, 0, false, false};
    if (list == 0 || node->size == 0) return members;
    members.then_ = members.next_;
    members.next_ = data->table.nodes[list].first;
    members.stop_ = (int32_t)node->size;
    members.is_ordered_ = node->role == SNPY_ROLE_ORDERED_DICT;
    return members;
}

int32_t snpy_object_next(const snpy_object_data *data, snpy_object_members *members)
{
    const int32_t entry = members->next_;
    members->is_pair = members->is_ordered_ && members->stop_ != 0;
    if (entry == 0) return 0;
    if (entry == members->stop_) {
        members->next_ = members->then_;
        members->stop_ = 0;
    } else {
        members->next_ = data->table.nodes[entry].next;
    }
    return value_of(data, entry);
}

int32_t snpy_object_arguments(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    return node->kind == SNPY_NODE_CALL ? value_of(data, node->args) : 0;
}

int32_t snpy_object_state(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    return node->kind == SNPY_NODE_CALL ? value_of(data, node->state) : 0;
}

/* ---- finding a key ---------------------------------------------------------------------------------------- */

/* Encodes a code point in UTF-8. Returns its bytes, at most 4. */
static size_t encode(uint32_t point, uint8_t *bytes)
{
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    bytes[0] = (uint8_t)(first[more] | point >> (6 * more));
    for (unsigned k = 1; k <= more; k++) bytes[k] = (uint8_t)(0x80u | (point >> (6 * (more - k)) & 0x3fu));
    return more + 1;
}

/* Whether a value is a string with this text. */
static bool is_text(const snpy_object_data *data, int32_t value, const char *key, size_t length)
{
    const snpy_node *node = snpy_object_node(data, value);
    size_t at = 0;
    if (node->kind != SNPY_NODE_STR && node->kind != SNPY_NODE_RAW) return false;
    struct snpy_leaf leaf = snpy_leaf_open(data->pickle, data->length, node);
    for (; leaf.point != SNPY_LEAF_END; snpy_leaf_step(data->pickle, &leaf)) {
        uint8_t bytes[4];
        const size_t size = encode(leaf.point, bytes);
        if (size > length - at || memcmp(key + at, bytes, size) != 0) return false;
        at += size;
    }
    return at == length;
}

bool snpy_object_is_dict(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_CALL) return node->kind == SNPY_NODE_DICT;
    return node->role == SNPY_ROLE_ORDERED_DICT || node->role == SNPY_ROLE_DEFAULTDICT;
}

int32_t snpy_object_find(const snpy_object_data *data, int32_t value, const char *key, size_t length)
{
    const bool is_dict = snpy_object_is_dict(data, value);
    snpy_object_members members = snpy_object_begin(data, value);
    int32_t found = 0;
    while (is_dict && members.next_ != 0) {
        int32_t name = snpy_object_next(data, &members);
        const int32_t pair = members.is_pair ? name : 0;
        const int32_t of = pair != 0 ? snpy_object_part(data, pair, 1) : snpy_object_next(data, &members);
        if (pair != 0) name = snpy_object_part(data, pair, 0);
        if (is_text(data, name, key, length)) found = of;
    }
    return found;
}

/* ---- leaves ----------------------------------------------------------------------------------------------- */

snpy_status snpy_object_int(const snpy_object_data *data, int32_t value, int64_t *number)
{
    const bool is_int = snpy_leaf_integer(data->pickle, data->length, snpy_object_node(data, value), number);
    return is_int ? SNPY_OK : SNPY_WRONG_TYPE;
}

/* Writes a number in decimal, given its limbs of 32 bits, the least first; they become 0. Returns its length. */
static size_t write_decimal(uint32_t *limbs, size_t count, char *out)
{
    char digits[SNPY_OBJECT_DIGITS] = {0};
    size_t length = 0;
    while (count > 0 && limbs[count - 1] == 0) count--;
    do {
        uint64_t rest = 0;
        for (size_t i = count; i > 0; i--) {
            rest = (rest << 32) + limbs[i - 1];
            limbs[i - 1] = (uint32_t)(rest / 1000000000u);
            rest %= 1000000000u;
        }
        while (count > 0 && limbs[count - 1] == 0) count--;
        for (size_t k = 0; k < 9 && (count > 0 || rest > 0 || length == 0); k++, rest /= 10)
            digits[length++] = (char)('0' + (int)(rest % 10));
    } while (count > 0);
    for (size_t i = 0; i < length; i++) out[i] = digits[length - 1 - i];
    return length;
}

/* Writes a little-endian integer in two's complement, of at most 4,096 bytes, in decimal. */
static size_t write_bytes_in_decimal(const uint8_t *bytes, size_t size, bool is_signed, char *out)
{
    uint32_t limbs[1024] = {0};
    const bool is_negative = is_signed && size > 0 && bytes[size - 1] > 0x7f;
    uint32_t carry = 1; /* of the negation */
    if (size > sizeof limbs) return 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t byte = bytes[i];
        if (is_negative) {
            byte = (0xffu - byte) + carry;
            carry = byte >> 8;
            byte &= 0xffu;
        }
        limbs[i / 4] |= byte << (8 * (i % 4));
    }
    if (is_negative) *out = '-';
    return write_decimal(limbs, sizeof limbs / sizeof limbs[0], out + (is_negative ? 1 : 0)) + (is_negative ? 1 : 0);
}

size_t snpy_object_digits(const snpy_object_data *data, int32_t value, char out[SNPY_OBJECT_DIGITS])
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_INT) return 0;
    const uint8_t code = data->pickle[node->at];
    const uint8_t *bytes = data->pickle + node->start;
    size_t size = node->size;
    if (code != 'I' && code != 'L') return write_bytes_in_decimal(bytes, size, code != 'K' && code != 'M', out);
    if (code == 'L' && size > 0) size--; /* its suffix */
    if (size > SNPY_OBJECT_DIGITS) return 0;
    memcpy(out, bytes, size); /* spelt as Python and JSON do: NPY-PKL-009 */
    return size;
}

/* The bits of a float that is a whole number times a power of two, which it has room for. */
static uint64_t float_bits(const struct snpy_number *number)
{
    uint64_t whole =
        (number->count > 1 ? (uint64_t)number->limbs[1] << 32 : 0) + (number->count > 0 ? number->limbs[0] : 0);
    int64_t exponent = number->exponent + 1075; /* of the bit of weight 1, if the highest bit is bit 52 */
    if (number->kind == SNPY_NUMBER_NAN) return UINT64_C(0x7ff8000000000000);
    if (number->kind == SNPY_NUMBER_INFINITE) return UINT64_C(0x7ff0000000000000);
    if (whole == 0) return 0;
    for (; whole < UINT64_C(1) << 52; exponent--) whole <<= 1;
    if (exponent < 1) return whole >> (1 - exponent); /* subnormal */
    return ((uint64_t)exponent << 52) + (whole - (UINT64_C(1) << 52));
}

snpy_status snpy_object_float(const snpy_object_data *data, int32_t value, double *number)
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_FLOAT) return SNPY_WRONG_TYPE;
    const uint8_t *bytes = data->pickle + node->start;
    uint64_t bits = 0;
    if (data->pickle[node->at] == 'F') {
        struct snpy_number exact;
        snpy_number_of_node(data->pickle, data->length, node, &exact);
        bits = float_bits(&exact) + (bytes[0] == '-' ? UINT64_C(1) << 63 : 0);
    } else {
        for (uint32_t i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
    }
    memcpy(number, &bits, sizeof *number);
    return SNPY_OK;
}

/* Whether a value is text or bytes, or the result of a call that makes bytes. */
static bool has_characters(const snpy_node *node)
{
    if (node->kind == SNPY_NODE_CALL)
        return node->role == SNPY_ROLE_ENCODE || node->role == SNPY_ROLE_BYTES || node->role == SNPY_ROLE_BYTEARRAY;
    return node->kind >= SNPY_NODE_STR && node->kind <= SNPY_NODE_BYTEARRAY;
}

uint64_t snpy_object_text(const snpy_object_data *data, int32_t value, uint8_t *out, uint64_t capacity)
{
    const int32_t index = value_of(data, value);
    const bool is_str = data->table.nodes[index].kind == SNPY_NODE_STR;
    if (!has_characters(&data->table.nodes[index])) return UINT64_MAX;
    struct snpy_leaf leaf = snpy_leaf_of(data->pickle, data->length, &data->table, index);
    uint64_t length = 0;
    for (; leaf.point != SNPY_LEAF_END; snpy_leaf_step(data->pickle, &leaf)) {
        uint8_t bytes[4] = {(uint8_t)leaf.point};
        const size_t size = is_str ? encode(leaf.point, bytes) : 1;
        for (size_t i = 0; i < size; i++)
            if (length + i < capacity) out[length + i] = bytes[i];
        length += size;
    }
    return length;
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
