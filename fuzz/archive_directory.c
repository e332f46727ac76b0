/* archive_directory.c: the core's walk through an archive, step by step, over any bytes, with every flag and without.
 * Holds: what is accepted lies in the file, apart, in ascending order, under keys that all differ, as many members as
 * the end record says, and a reader from front to back sees the same; a step writes what its contract names; a flag
 * only adds; however few bytes a step is given at a time, its answer is the same; work has a bound. */
#include "fuzz/zip.h"
#include "safenpy/zip.h"

#include <stdlib.h>
#include <string.h>

#define FLAGS 4u

/* An archive on its way through the steps. */
struct walk {
    const uint8_t *file;
    size_t size;
    snpy_zip_options options;
    snpy_zip_directory directory;
    uint8_t *central; /* a copy that ends where the directory does */
    snpy_zip_member *members;
    size_t count;
    snpy_status status;
    snpy_error error;
};

/* Keeps the answer of a step. Every offset is one of the file; only what lies behind it may be said to be no header. */
static bool goes_on(struct walk *walk, snpy_status status)
{
    walk->status = status;
    FUZZ_MUST(walk->error.status == status);
    FUZZ_MUST(walk->error.offset <= walk->size || status == SNPY_ZIP_BAD_LOCAL);
    FUZZ_MUST(status != SNPY_OK || walk->error.offset == 0);
    FUZZ_MUST(status == SNPY_OK || (status >= SNPY_ZIP_NO_END && status <= SNPY_ZIP_DUPLICATE_KEY));
    return status == SNPY_OK;
}

/* ---- the directory ------------------------------------------------------------------------------------------ */

/* Where the count stands, there it can be read; the end record is where it says. */
static void must_be_directory(const struct walk *walk)
{
    const snpy_zip_directory *directory = &walk->directory;
    uint64_t at = directory->count_at;
    uint64_t end = directory->offset + directory->size;
    FUZZ_MUST(directory->file_size == walk->size && directory->offset <= end && end + 22 <= walk->size);
    FUZZ_MUST(directory->prefix <= directory->offset && (directory->prefix == 0 || walk->options.prefix));
    FUZZ_MUST(directory->count <= walk->options.max_members && at >= end && at + 8 <= walk->size);
    bool has_zip64 = memcmp(walk->file + end, "PK\6\6", 4) == 0;
    FUZZ_MUST(at == end + (has_zip64 ? 32 : 10) && (has_zip64 || memcmp(walk->file + end, "PK\5\6", 4) == 0));
    FUZZ_MUST(zip_number(walk->file + at, has_zip64 ? 8 : 2) == directory->count);
}

static bool find(struct walk *walk)
{
    size_t length = walk->size < SNPY_ZIP_TAIL ? walk->size : SNPY_ZIP_TAIL;
    uint8_t *tail = fuzz_copy(walk->file + (walk->size - length), length);
    snpy_status status = snpy_zip_find(tail, length, walk->size, &walk->options, &walk->directory, &walk->error);
    free(tail);
    if (!goes_on(walk, status)) return false;
    must_be_directory(walk);
    return true;
}

/* Reads all central headers: a table that is too small is left alone, and told how large it has to be. */
static bool list(struct walk *walk)
{
    snpy_zip_directory directory = walk->directory;
    size_t length = (size_t)directory.size;
    uint64_t most = directory.size / 46 + 1;
    if (directory.count > most) directory.count = most; /* one more than there can be finds the lie */
    walk->count = (size_t)directory.count;
    walk->central = fuzz_copy(walk->file + directory.offset, length);
    walk->members = fuzz_memory(walk->count, sizeof *walk->members);
    fuzz_fill(walk->members, walk->count * sizeof *walk->members);
    if (walk->count > 0) {
        FUZZ_MUST(snpy_zip_list(walk->central, length, &directory, walk->members, walk->count - 1, &walk->error) ==
                  SNPY_TABLE_TOO_SMALL);
        FUZZ_MUST(walk->error.offset == walk->count);
        FUZZ_MUST(fuzz_is_filled(walk->members, walk->count * sizeof *walk->members));
    }
    if (!goes_on(walk, snpy_zip_list(walk->central, length, &directory, walk->members, walk->count, &walk->error)))
        return false;
    FUZZ_MUST(walk->count == walk->directory.count);
    return true;
}

/* ---- local headers ------------------------------------------------------------------------------------------ */

/* Asks for the local header of a member with so many bytes of it, in memory of their own. */
static snpy_status ask(struct walk *walk, size_t index, size_t length, size_t *wanted)
{
    uint64_t start = walk->members[index].local_offset;
    uint8_t *window = fuzz_copy(length > 0 ? walk->file + start : NULL, length);
    snpy_status status = snpy_zip_local(window, length, walk->central, (size_t)walk->directory.size, &walk->directory,
                                        &walk->options, walk->members, index, wanted, &walk->error);
    free(window);
    return status;
}

/* A local header, from no byte of it to as many as are wanted; and from the first guess, which must do as well. */
static snpy_status visit_local(struct walk *walk, size_t index)
{
    const snpy_zip_member *member = &walk->members[index];
    uint64_t limit = walk->directory.offset;
    size_t length = 0;
    size_t wanted = 0;
    size_t guess = snpy_zip_local_size(&walk->directory, member);
    FUZZ_MUST(member->local_offset < limit ? guess <= limit - member->local_offset : guess == 0);
    snpy_status status = ask(walk, index, length, &wanted);
    for (unsigned rounds = 0; status == SNPY_BUFFER_TOO_SMALL; rounds++) {
        FUZZ_MUST(rounds < 2 && wanted > length && wanted <= limit - member->local_offset);
        length = wanted;
        status = ask(walk, index, length, &wanted);
    }
    snpy_error error = walk->error;
    snpy_status again = ask(walk, index, guess, &wanted);
    FUZZ_MUST(again == SNPY_BUFFER_TOO_SMALL ? guess < length : again == status);
    FUZZ_MUST(again != status || walk->error.offset == error.offset);
    walk->error = error;
    return status;
}

static bool visit(struct walk *walk, size_t index)
{
    snpy_zip_member *member = &walk->members[index];
    if (!goes_on(walk, visit_local(walk, index))) return false;
    uint64_t left = walk->directory.offset - member->end_offset;
    size_t length = (size_t)(left < 24 ? left : 24);
    if ((member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) == 0) return true;
    uint8_t *bytes = fuzz_copy(walk->file + member->end_offset, length);
    snpy_status status = snpy_zip_descriptor(bytes, length, &walk->options, member, &walk->error);
    free(bytes);
    return goes_on(walk, status);
}

/* What the directory said of a member stays as it was. */
static void must_stay(const snpy_zip_member *before, const snpy_zip_member *member)
{
    FUZZ_MUST(before->central_offset == member->central_offset && before->local_offset == member->local_offset);
    FUZZ_MUST(before->compressed_size == member->compressed_size && before->size == member->size);
    FUZZ_MUST(before->crc == member->crc && before->flags == member->flags && before->method == member->method);
    FUZZ_MUST(before->name_length == member->name_length);
}

/* Visits all, in turn; those behind a refusal are not touched. */
static bool visit_all(struct walk *walk)
{
    snpy_zip_member *before = fuzz_memory(walk->count, sizeof *before);
    size_t done = 0;
    if (walk->count > 0) memcpy(before, walk->members, walk->count * sizeof *before);
    while (done < walk->count && visit(walk, done)) done++;
    for (size_t i = 0; i < walk->count; i++) {
        must_stay(&before[i], &walk->members[i]);
        FUZZ_MUST(i <= done || (walk->members[i].data_offset == 0 && walk->members[i].end_offset == 0));
    }
    free(before);
    return done == walk->count;
}

/* ---- places and keys ---------------------------------------------------------------------------------------- */

/* Settling believes nothing: of members that someone has changed, it accepts only what stands apart. */
static void settling_must_look(const struct walk *walk, uint32_t random)
{
    snpy_error error;
    snpy_zip_member *changed = fuzz_memory(walk->count, sizeof *changed);
    if (walk->count > 0) memcpy(changed, walk->members, walk->count * sizeof *changed);
    for (unsigned times = walk->count > 0 ? 2 : 0; times > 0; times--, random /= 256) {
        snpy_zip_member *member = &changed[random % walk->count];
        uint64_t *const numbers[] = {&member->local_offset, &member->data_offset, &member->end_offset,
                                     &member->compressed_size};
        uint64_t *number = numbers[random / 8 % 4];
        *number = random / 32 % 4 == 0 ? UINT64_MAX - random % 8 : *number + random / 64 % 4 - 2;
    }
    if (snpy_zip_check_ranges(&walk->directory, &walk->options, changed, walk->count, &error) == SNPY_OK)
        zip_must_stand_apart(changed, walk->count, walk->directory.offset, &walk->options);
    free(changed);
}

static bool check_ranges(struct walk *walk)
{
    size_t length = (size_t)walk->directory.size;
    if (!goes_on(walk,
                 snpy_zip_check_ranges(&walk->directory, &walk->options, walk->members, walk->count, &walk->error)))
        return false;
    zip_must_stand_apart(walk->members, walk->count, walk->directory.offset, &walk->options);
    size_t again = zip_first_again(walk->central, walk->directory.offset, walk->members, walk->count);
    bool is_new =
        goes_on(walk, snpy_zip_keys(walk->central, length, &walk->directory, walk->members, walk->count, &walk->error));
    FUZZ_MUST(is_new == (again == walk->count));
    FUZZ_MUST(is_new || walk->error.offset == walk->members[again].central_offset + 46);
    return is_new;
}

/* ---- walks -------------------------------------------------------------------------------------------------- */

static void take_flags(struct walk *walk, unsigned flags)
{
    walk->options.prefix = flags & 1;
    walk->options.trailing = flags & 2;
    walk->options.gaps = flags & 4;
    walk->options.unsigned_descriptor = flags & 8;
}

static bool walk_all(struct walk *walk, const uint8_t *file, size_t size, unsigned flags, uint64_t max_members)
{
    const snpy_zip_options plain = SNPY_ZIP_OPTIONS_INIT;
    memset(walk, 0, sizeof *walk);
    walk->file = file;
    walk->size = size;
    walk->options = plain;
    walk->options.max_members = max_members;
    take_flags(walk, flags);
    return find(walk) && list(walk) && visit_all(walk) && check_ranges(walk);
}

static void release(struct walk *walk)
{
    free(walk->central);
    free(walk->members);
}

/* The same members: of two walks that differ in flags. */
static void must_be_same(const struct walk *one, const struct walk *other)
{
    FUZZ_MUST(one->count == other->count && one->directory.offset == other->directory.offset);
    for (size_t i = 0; i < one->count; i++) {
        must_stay(&one->members[i], &other->members[i]);
        FUZZ_MUST(one->members[i].data_offset == other->members[i].data_offset);
        FUZZ_MUST(one->members[i].end_offset == other->members[i].end_offset);
    }
}

/* A limit below the count refuses, at the count, and one that is the count makes no difference.  NPZ-LIMIT-001 */
static void limit_must_matter(const struct walk *accepted)
{
    struct walk walk;
    uint64_t count = accepted->directory.count;
    FUZZ_MUST(walk_all(&walk, accepted->file, accepted->size, 0, count));
    must_be_same(accepted, &walk);
    release(&walk);
    if (count == 0) return;
    FUZZ_MUST(!walk_all(&walk, accepted->file, accepted->size, 0, count - 1));
    FUZZ_MUST(walk.status == SNPY_ZIP_TOO_MANY_MEMBERS && walk.error.offset == accepted->directory.count_at);
    release(&walk);
}

/* Bytes in front of an archive, more than the end of a file that is looked at, move its members and change nothing
 * else, where they are allowed.                                                                      NPZ-PLACE-001 */
static void prefix_must_shift(const struct walk *accepted)
{
    const size_t ahead = SNPY_ZIP_TAIL + 4096;
    uint8_t *file = fuzz_memory(ahead + accepted->size, 1);
    struct walk walk;
    memset(file, 0, ahead);
    memcpy(file + ahead, accepted->file, accepted->size);
    FUZZ_MUST(walk_all(&walk, file, ahead + accepted->size, 1, accepted->options.max_members));
    FUZZ_MUST(walk.count == accepted->count && walk.directory.offset == accepted->directory.offset + ahead);
    FUZZ_MUST(walk.directory.prefix == accepted->directory.prefix + ahead);
    for (size_t i = 0; i < walk.count; i++) {
        FUZZ_MUST(walk.members[i].local_offset == accepted->members[i].local_offset + ahead);
        FUZZ_MUST(walk.members[i].data_offset == accepted->members[i].data_offset + ahead);
        FUZZ_MUST(walk.members[i].end_offset == accepted->members[i].end_offset + ahead);
    }
    release(&walk);
    free(file);
}

/* Blocks that may run for each byte of a file in one walk, local headers looked at up to four times; and for each byte
 * of the directory times the binary logarithm of the members, in the comparison of keys. */
#define WORK_A_BYTE 64u
#define WORK_A_KEY 96u
#define WORK_AT_LEAST 4096u

static uint64_t most_work(const struct walk *walk)
{
    unsigned logarithm = 1;
    while (walk->count >> logarithm > 0) logarithm++;
    return WORK_AT_LEAST + WORK_A_BYTE * (uint64_t)walk->size + WORK_A_KEY * walk->directory.size * logarithm;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct walk walks[1u << FLAGS];
    const unsigned all = (1u << FLAGS) - 1;
    const bool is_chosen = fuzz_is_chosen(data, size);
    const unsigned step = is_chosen ? 1 : all; /* else without a flag, and with all of them */
    for (unsigned flags = 0; flags <= all; flags += step) {
        struct walk *walk = &walks[flags];
        fuzz_work = 0;
        bool is_accepted = walk_all(walk, data, size, flags, 1048576);
        FUZZ_MUST(fuzz_work <= most_work(walk));
        if (is_accepted) settling_must_look(walk, zip_mix(data, size));
        for (unsigned flag = 1; flag <= all; flag *= 2) {
            const struct walk *less = is_chosen ? &walks[flags & ~flag] : &walks[0];
            if ((flags & flag) == 0 || less->status != SNPY_OK) continue;
            FUZZ_MUST(is_accepted);
            must_be_same(less, walk);
        }
    }
    if (walks[0].status == SNPY_OK) {
        zip_must_stream(data, size, &walks[0].directory, walks[0].members);
        if (is_chosen) limit_must_matter(&walks[0]);
    }
    if (is_chosen && walks[1].status == SNPY_OK && zip_mix(data, size) % 4 == 0) prefix_must_shift(&walks[1]);
    for (unsigned flags = 0; flags <= all; flags += step) release(&walks[flags]);
    return 0;
}
