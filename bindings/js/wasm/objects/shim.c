/* shim.c: the decoder of object data as JavaScript calls it, and what src/host takes of the C library.
 *
 * One instance of the module decodes one pickle at a time. Memory is taken from the end of the heap; what is freed is given
 * back when everything after it is. Decides nothing: each verdict is that of the function of the core
 * or of src/host which is called. */
#include "host/object_data.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define PAGE ((uint32_t)65536)

/* objects/index.js knows the places by these numbers. */
enum { AT_OFFSET = 0, AT_HEADER = 1, AT_HEADER_SIZE = 2, AT_DATA = 3, AT_DATA_SIZE = 4, WORDS = 5 };

static uint32_t words[WORDS];
static snpy_object_data *data;
static snpy_object_members members;
static snpy_header header; /* that JavaScript has read with the core, for `array` and `match` */
static bool has_header;
static uint64_t random_bits; /* of JavaScript, which clock_gettime hands on: the decoder makes a seed of them */

/* ---- memory ------------------------------------------------------------------------------------------------ */

extern unsigned char __heap_base;
static uint32_t end;  /* of the heap */
static uint32_t last; /* address of the block at the end */

/* Moves the end of the heap. Returns false if there is no memory. */
static bool move_end(uint64_t wanted)
{
    const uint64_t pages = (wanted + PAGE - 1) / PAGE;
    const uint64_t now = __builtin_wasm_memory_size(0);
    if (pages > PAGE) return false;
    if (pages > now && __builtin_wasm_memory_grow(0, (size_t)(pages - now)) == SIZE_MAX) return false;
    end = (uint32_t)wanted;
    return true;
}

/* Before a block are its size and the address of the block before, which is odd if the block is free. */
EXPORT(take) void *malloc(size_t size)
{
    if (end == 0) end = ((uint32_t)(uintptr_t)&__heap_base + 7) / 8 * 8;
    const uint32_t at = end + 8;
    if (!move_end(((uint64_t)at + size + 7) / 8 * 8)) return NULL;
    uint32_t *block = (uint32_t *)(uintptr_t)at;
    block[-2] = (uint32_t)size;
    block[-1] = last;
    last = at;
    return block;
}

void *calloc(size_t count, size_t size)
{
    void *block = count <= SIZE_MAX / (size > 0 ? size : 1) ? malloc(count * size) : NULL;
    return block != NULL ? memset(block, 0, count * size) : NULL; /* `rewind` leaves old bytes */
}

void *realloc(void *block, size_t size)
{
    const uint32_t at = (uint32_t)(uintptr_t)block;
    if (block == NULL) return malloc(size);
    uint32_t *held = (uint32_t *)block - 2;
    if (at == last) {
        if (!move_end(((uint64_t)at + size + 7) / 8 * 8)) return NULL;
        *held = (uint32_t)size;
        return block;
    }
    void *moved = malloc(size);
    return moved != NULL ? memcpy(moved, block, *held < size ? *held : size) : NULL;
}

void free(void *block)
{
    if (block != NULL) ((uint32_t *)block)[-1] |= 1u;
    while (last != 0) {
        const uint32_t before = ((uint32_t *)(uintptr_t)last)[-1];
        if (before % 2 == 0) return;
        end = last - 8;
        last = before - 1;
    }
}

/* The end of the heap, for `rewind`, which gives back everything that was taken since. */
EXPORT(mark) uint32_t mark(void)
{
    return end;
}

EXPORT(rewind) void rewind_heap(uint32_t to)
{
    end = to;
    last = 0;
}

/* ---- what src/host takes of itself: without files and mapped pages ------------------------------------------ */

void snpy_io_begin(snpy_io_error *error, const char *path)
{
    (void)path;
    (void)snpy_io_refuse(error, SNPY_OK, 0);
}

snpy_status snpy_io_refuse(snpy_io_error *error, snpy_status status, uint64_t offset)
{
    error->error = (snpy_error){status, offset};
    return status;
}

snpy_status snpy_io_no_memory(snpy_io_error *error, const char *call)
{
    (void)call;
    return snpy_io_refuse(error, SNPY_NO_MEMORY, 0);
}

void snpy_array_clear(snpy_array *array)
{
    memset(array, 0, sizeof *array);
}

void snpy_array_own_header(snpy_array *array, uint8_t *bytes, size_t size)
{
    array->head_ = bytes;
    array->head_size_ = size;
}

snpy_status snpy_array_reserve(snpy_array *array, uint64_t size, snpy_io_error *error)
{
    array->data = size <= SIZE_MAX / 2 ? malloc((size_t)size) : NULL;
    return array->data != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
}

/* The parser is in the core's module: JavaScript takes the text there, and calls `array` again. */
snpy_status snpy_parse_head(const snpy_options *limits, snpy_array *array, snpy_io_error *error)
{
    (void)limits;
    (void)error;
    if (!has_header) return SNPY_PKL_DTYPE;
    array->header = header;
    return SNPY_OK;
}

/* ---- numbers in text ---------------------------------------------------------------------------------------- */

/* Writes what object_array.c asks for: a text, and then one of %c, %02x, %04x, %08x and %lld. */
int snprintf(char *out, size_t capacity, const char *format, ...)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = 0;
    va_list values;
    (void)capacity; /* the callers know the longest text */
    va_start(values, format);
    for (; *format != '%'; format++) out[length++] = *format;
    if (format[1] == 'c') {
        out[length++] = (char)va_arg(values, int);
    } else if (format[1] == '0') {
        const unsigned number = va_arg(values, unsigned);
        for (int left = format[2] - '0'; left > 0; left--) out[length++] = digits[number >> (4 * (left - 1)) & 15u];
    } else {
        const int64_t number = va_arg(values, int64_t);
        uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
        char backwards[20];
        size_t count = 0;
        if (number < 0) out[length++] = '-';
        do backwards[count++] = digits[rest % 10];
        while ((rest /= 10) > 0);
        while (count > 0) out[length++] = backwards[--count];
    }
    va_end(values);
    out[length] = '\0';
    return (int)length;
}

/* Reads the size in a type string: "f8" has been checked by the core. */
long long strtoll(const char *text, char **rest, int base)
{
    int64_t number = 0;
    (void)rest;
    (void)base;
    for (; *text >= '0' && *text <= '9' && number < INT32_MAX; text++) number = 10 * number + (*text - '0');
    return number;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){(time_t)(random_bits >> 32), (long)(random_bits & 0x7fffffff)};
    return 0;
}

/* ---- decoding ------------------------------------------------------------------------------------------------ */

EXPORT(words_at) uint32_t *words_at(void)
{
    return words;
}

static int32_t answer(const snpy_io_error *error)
{
    words[AT_OFFSET] = (uint32_t)error->error.offset;
    return (int32_t)error->error.status;
}

/* Decodes a pickle, which stays in place. `bits` are random: nobody can know which keys are slow to find. Returns the status;
 * offset in the words. */
EXPORT(open) int32_t open_data(const uint8_t *pickle, size_t length, int32_t allowed, uint64_t bits)
{
    random_bits = bits;
    snpy_io_error error;
    (void)snpy_object_data_open(pickle, length, (snpy_set)allowed, &data, &error);
    return answer(&error);
}

/* Compares the payload with the header of its file, but for fields, which JavaScript compares. */
EXPORT(matches) int32_t matches(int32_t kind, int32_t fortran_order, const uint64_t *shape, uint32_t ndim)
{
    header.dtype.kind = (snpy_kind)kind;
    header.fortran_order = fortran_order != 0;
    header.ndim = ndim;
    for (uint32_t i = 0; i < ndim; i++) header.shape[i] = shape[i];
    return snpy_object_matches(data, &header);
}

EXPORT(root) int32_t root(void)
{
    return snpy_object_root(data);
}

/* Whether a value may occur more than once. */
EXPORT(is_shared) int32_t is_shared(int32_t value)
{
    return snpy_object_is_shared(data, value);
}

EXPORT(node) const snpy_node *node(int32_t value)
{
    return snpy_object_node(data, value);
}

/* The members of a value, one by one: `begin`, then `next` until it is 0. */
EXPORT(begin) void begin(int32_t value)
{
    members = snpy_object_begin(data, value);
}

EXPORT(next) int32_t next(void)
{
    return snpy_object_next(data, &members);
}

/* Whether the member that `next` has returned is a key with its value. */
EXPORT(is_pair) int32_t is_pair(void)
{
    return members.is_pair;
}

EXPORT(part) int32_t part(int32_t tuple, uint32_t place)
{
    return snpy_object_part(data, tuple, place);
}

EXPORT(args) int32_t args(int32_t value)
{
    return snpy_object_arguments(data, value);
}

EXPORT(state) int32_t state(int32_t value)
{
    return snpy_object_state(data, value);
}

/* An int of at most 53 bits, else NaN: `digits` has it. */
EXPORT(integer) double integer(int32_t value)
{
    const int64_t most = ((int64_t)1 << 53) - 1;
    int64_t number = 0;
    if (snpy_object_int(data, value, &number) != SNPY_OK || number > most || number < -most) return __builtin_nan("");
    return (double)number;
}

/* Writes an int in decimal; there are SNPY_OBJECT_DIGITS bytes. */
EXPORT(digits) size_t digits(int32_t value, char *out)
{
    return snpy_object_digits(data, value, out);
}

/* Copies a text in UTF-8, or bytes. Returns how many there are. */
EXPORT(text) size_t text(int32_t value, uint8_t *out, size_t capacity)
{
    return (size_t)snpy_object_text(data, value, out, capacity);
}

/* Makes an array of a NumPy array, scalar or dtype, given what its header has; without a header (is_read is 0) writes the
 * header only, and refuses the type. Returns the status; address and size of the header and of the data in the words. */
EXPORT(array)
int32_t make_array(int32_t value, int32_t is_read, int32_t has_object, uint64_t count, uint64_t data_size)
{
    snpy_array made;
    snpy_io_error error;
    has_header = is_read != 0;
    header.has_object = has_object != 0;
    header.count = count;
    header.data_size = data_size;
    (void)snpy_object_array(data, value, &made, &error);
    words[AT_HEADER] = (uint32_t)(uintptr_t)made.head_;
    words[AT_HEADER_SIZE] = (uint32_t)made.head_size_;
    words[AT_DATA] = (uint32_t)(uintptr_t)made.data;
    words[AT_DATA_SIZE] = (uint32_t)made.data_size;
    return answer(&error);
}
