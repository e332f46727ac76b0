/* flat.c: an object array, flattened, perhaps changed, and what it comes back as; or members that are cut from the input.
 * Holds: what contains itself is refused, and all else flattens; it comes back as the bytes that are written of its values,
 * and flattens again to the same members. Changed members are refused at a byte of one of them, or are those of the array
 * that they come back as. Memory is bounded, none is lost, and want of it is reported. */
#include "fuzz/flat.h"
#include "fuzz/memory.h"
#include "fuzz/mutate.h"
#include "host/flat.h"
#include "host/io.h"

#include <stdlib.h>
#include <string.h>

#define IS_CUT 0x80u     /* of the first byte: what follows are members, not a pickle */
#define IS_REFUSED 0x40u /* two bytes say after how many allocations one is refused */
#define VERSION 0x30u    /* of the header */
#define EDITS 0x0fu
#define MOST_TAKEN(size) (1048576u + 4096u * (uint64_t)(size) + (uint64_t)(size) * (size))

/* Only libFuzzer and its like have it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* ---- arrays of objects -------------------------------------------------------------------------------------- */

/* An NPY file in memory. */
struct made {
    snpy_file file;
    uint8_t *pickle;
    size_t size;
};

static void release(struct made *made)
{
    snpy_array_release(&made->file.head);
    free(made->pickle);
}

/* Makes the header of an array that a pickle is. Returns false if it is none with objects, or cannot be written. */
static bool make_head(const snpy_object_data *data, unsigned version, snpy_array *head)
{
    snpy_array root;
    snpy_io_error error;
    snpy_description description;
    snpy_array_clear(head);
    bool is_made = snpy_object_array(data, snpy_object_root(data), &root, &error) == SNPY_OK && root.header.has_object;
    if (is_made) {
        snpy_array_describe(&root, &description);
        description.version = (snpy_version_choice)version;
        is_made = snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, false, head, &error) == SNPY_OK;
    }
    snpy_array_release(&root);
    return is_made && snpy_object_data_match(data, head) == SNPY_OK;
}

/* Puts a value into an array without dimensions, by the opcodes before and after it. */
static void wrap(const uint8_t *pickle, size_t size, struct made *made)
{
    static const char before[] =
        "\x80\x04"
        "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\0tC\1btR(K\1)cnumpy\n"
        "dtype\n(X\2\0\0\0O8\x89\x88tR(K\3X\1\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](";
    static const char after[] = "etb.";
    const size_t skipped = size > 1 && pickle[0] == 0x80 ? 2 : 0;
    made->size = sizeof before - 1 + size - skipped - 1 + sizeof after - 1;
    made->pickle = fuzz_memory(made->size, 1);
    memcpy(made->pickle, before, sizeof before - 1);
    memcpy(made->pickle + sizeof before - 1, pickle + skipped, size - skipped - 1);
    memcpy(made->pickle + made->size - 4, after, 4);
}

/* Makes an object array of a pickle: what it is, or an array that has its value. Returns false if it is refused. */
static bool make_array(const uint8_t *pickle, size_t size, unsigned version, struct made *made)
{
    snpy_object_data *data = NULL;
    snpy_io_error error;
    uint8_t *written = NULL;
    size_t written_size = 0;
    *made = (struct made){.size = 0};
    snpy_array_clear(&made->file.head);
    if (snpy_object_data_open(pickle, size, SNPY_SET_PLAIN, &data, &error) != SNPY_OK) return false;
    bool is_made = make_head(data, version, &made->file.head);
    if (is_made) {
        made->pickle = fuzz_copy(pickle, size);
        made->size = size;
    } else if (snpy_object_data_write(data, NULL, &written, &written_size, &error) == SNPY_OK) {
        wrap(written, written_size, made);
        snpy_object_data_close(&data);
        snpy_array_release(&made->file.head);
        is_made = snpy_object_data_open(made->pickle, made->size, SNPY_SET_PLAIN, &data, &error) == SNPY_OK &&
                  make_head(data, version, &made->file.head);
    }
    snpy_object_data_close(&data);
    snpy_object_bytes_free(&written);
    made->file.size = made->file.head.header.frame.data_offset + made->size;
    return is_made;
}

static snpy_status flatten(struct made *made, snpy_flat *flat, snpy_io_error *error)
{
    static snpy_input input;
    *flat = (snpy_flat){.count = 0};
    snpy_io_begin(error, "");
    snpy_reader_of_memory(&input.reader, made->pickle, made->size);
    const snpy_status status = snpy_flatten_input(&input, &made->file, flat, error);
    FUZZ_MUST(status == error->error.status);
    FUZZ_MUST(error->error.offset <= made->file.size);
    return status;
}

/* Whether an array contains itself, or cannot be written. */
static bool has_no_form(const struct made *made)
{
    snpy_object_data *data = NULL;
    snpy_io_error error;
    snpy_status status;
    FUZZ_MUST(snpy_object_data_open(made->pickle, made->size, SNPY_SET_PLAIN, &data, &error) == SNPY_OK);
    const bool has_none = snpy_find_cycle(data, &status) != 0;
    snpy_object_data_close(&data);
    return has_none;
}

/* ---- the way back ------------------------------------------------------------------------------------------- */

/* Whether an error names a byte of a member. */
static bool is_in_member(const snpy_flat *flat, const snpy_io_error *error)
{
    const size_t length = strlen(error->member);
    for (size_t i = 0; i < flat->count; i++) {
        const char *name = flat->members[i].name;
        const size_t all = strlen(name);
        const bool is_it =
            strcmp(name, error->member) == 0 || (length == SNPY_ERROR_PATH - 1 && all > length &&
                                                 strcmp(name + all - (length - 3), error->member + 3) == 0);
        if (is_it && error->error.offset <= flat->members[i].size) return true;
    }
    return strcmp(error->member, "$schema") == 0 && error->error.offset == 0;
}

/* Makes an array of members. Returns false if they are refused. */
static bool come_back(snpy_flat *flat, bool is_checked, struct made *made)
{
    snpy_io_error error;
    *made = (struct made){.size = 0};
    const snpy_status status = snpy_unflatten(flat, is_checked, &made->file.head, &made->pickle, &made->size, &error);
    FUZZ_MUST(status == error.error.status);
    made->file.size = made->file.head.header.frame.data_offset + made->size;
    if (status == SNPY_NO_MEMORY) {
        FUZZ_MUST(fuzz_memory_was_refused());
    } else if (status != SNPY_OK) {
        FUZZ_MUST(is_in_member(flat, &error));
    }
    return status == SNPY_OK;
}

/* What came back is an array that decodes, in its one form, and has these members. */
static void check_array(struct made *made, snpy_flat *flat)
{
    snpy_object_data *data = NULL;
    snpy_io_error error;
    snpy_flat again;
    uint8_t *written = NULL;
    size_t size = 0;
    FUZZ_MUST(snpy_object_data_open(made->pickle, made->size, SNPY_SET_PLAIN, &data, &error) == SNPY_OK);
    FUZZ_MUST(snpy_object_data_match(data, &made->file.head) == SNPY_OK);
    FUZZ_MUST(snpy_object_data_write(data, &flat->form, &written, &size, &error) == SNPY_OK);
    FUZZ_MUST(size == made->size && memcmp(written, made->pickle, size) == 0);
    snpy_object_data_close(&data);
    snpy_object_bytes_free(&written);
    FUZZ_MUST(flatten(made, &again, &error) == SNPY_OK);
    FUZZ_MUST(fuzz_are_members_equal(flat, &again));
    snpy_flat_release(&again);
}

/* What an array is flattened to comes back as what is written of its values, with the same header. */
static void check_same(struct made *made, snpy_flat *flat)
{
    struct made back;
    snpy_object_data *data = NULL;
    snpy_io_error error;
    uint8_t *written = NULL;
    size_t size = 0;
    FUZZ_MUST(come_back(flat, true, &back));
    FUZZ_MUST(snpy_object_data_open(made->pickle, made->size, SNPY_SET_PLAIN, &data, &error) == SNPY_OK);
    FUZZ_MUST(snpy_object_data_write(data, &flat->form, &written, &size, &error) == SNPY_OK);
    FUZZ_MUST(size == back.size && memcmp(written, back.pickle, size) == 0);
    const uint64_t start = made->file.head.header.frame.data_offset;
    FUZZ_MUST(start == back.file.head.header.frame.data_offset);
    FUZZ_MUST(memcmp(made->file.head.head_, back.file.head.head_, start) == 0);
    check_array(&back, flat);
    snpy_object_data_close(&data);
    snpy_object_bytes_free(&written);
    release(&back);
}

/* Members that may be those of no array. */
static void check_members(snpy_flat *flat, uint64_t refused, size_t size)
{
    struct made made;
    struct made loose;
    const size_t begin = fuzz_memory_begin();
    fuzz_memory_refuse(refused);
    const bool is_array = come_back(flat, true, &made);
    fuzz_memory_refuse(UINT64_MAX);
    FUZZ_MUST(fuzz_memory_most(begin) <= MOST_TAKEN(size));
    if (is_array) check_array(&made, flat);
    release(&made);
    if (refused != UINT64_MAX) return;
    FUZZ_MUST(come_back(flat, false, &loose) || !is_array);
    release(&loose);
}

/* ---- inputs ------------------------------------------------------------------------------------------------- */

/* The bytes of all members. */
static size_t count_bytes(const snpy_flat *flat)
{
    size_t size = (size_t)flat->name_bytes;
    for (size_t i = 0; i < flat->count; i++) size += flat->members[i].size;
    return size;
}

/* An array, flattened. */
static void check_payload(struct made *made, unsigned edits, uint64_t refused, struct fuzz_input *input,
                          snpy_flat *flat)
{
    snpy_io_error error;
    const size_t begin = fuzz_memory_begin();
    fuzz_memory_refuse(edits == 0 ? refused : UINT64_MAX);
    const snpy_status status = flatten(made, flat, &error);
    const bool was_refused = fuzz_memory_was_refused();
    fuzz_memory_refuse(UINT64_MAX);
    FUZZ_MUST(fuzz_memory_most(begin) <= MOST_TAKEN(made->size));
    FUZZ_MUST(status != SNPY_NO_MEMORY || was_refused);
    FUZZ_MUST(status != SNPY_PKL_NOT_FLAT || has_no_form(made));
    if (status != SNPY_OK) return;
    if (edits == 0) {
        check_same(made, flat);
        return;
    }
    fuzz_edit_members(input, edits, flat);
    check_members(flat, refused, count_bytes(flat));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    snpy_flat flat = {.count = 0};
    struct made made = {.size = 0};
    const unsigned first = (unsigned)fuzz_take(&input, 1);
    const uint64_t refused = (first & IS_REFUSED) != 0 ? fuzz_take(&input, 2) : UINT64_MAX;
    const size_t begin = fuzz_memory_begin();
    if ((first & IS_CUT) != 0) {
        fuzz_cut_members(&input, &flat);
        snpy_flat_sort(&flat);
        check_members(&flat, refused, size);
    } else {
        const unsigned edits = first & EDITS;
        const size_t wanted = 6 * (size_t)edits;
        struct fuzz_input steps = {input.bytes, input.left < wanted ? input.left : wanted};
        if (make_array(input.bytes + steps.left, input.left - steps.left, (first & VERSION) >> 4, &made))
            check_payload(&made, edits, refused, &steps, &flat);
        release(&made);
    }
    snpy_flat_release(&flat);
    FUZZ_MUST(fuzz_memory_begin() == begin);
    return 0;
}

/* Finds a member that is cut from the input: where it begins. A length of 0: there is none. */
static size_t find_member(const uint8_t *data, size_t size, unsigned skipped, size_t *length)
{
    size_t at = (data[0] & IS_REFUSED) != 0 ? 3 : 1;
    size_t found = 0;
    *length = 0;
    for (unsigned i = 0; i <= skipped && at + 3 <= size; i++) {
        const size_t start = at + 3 + data[at];
        const size_t claimed = 256u * (size_t)data[at + 1] + data[at + 2];
        if (start >= size || claimed > size - start) break;
        found = at;
        *length = claimed;
        at = start + claimed;
    }
    return found;
}

/* Changes a member that is cut from the input as a file, or leaves all to the fuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    size_t length = 0;
    size_t at = 0;
    if (size > 0 && (data[0] & IS_CUT) != 0 && seed % 2 != 0) at = find_member(data, size, seed / 2 % 8, &length);
    if (length == 0) return LLVMFuzzerMutate != NULL ? LLVMFuzzerMutate(data, size, capacity) : size;
    const size_t start = at + 3 + data[at];
    const size_t most = capacity - size + length < UINT16_MAX ? capacity - size + length : UINT16_MAX;
    uint8_t *file = fuzz_memory(most, 1);
    memcpy(file, data + start, length);
    const size_t changed = fuzz_mutate(file, length, most, data, 0, seed / 16);
    memmove(data + start + changed, data + start + length, size - start - length);
    memcpy(data + start, file, changed);
    free(file);
    data[at + 1] = (uint8_t)(changed >> 8);
    data[at + 2] = (uint8_t)changed;
    return size - length + changed;
}
