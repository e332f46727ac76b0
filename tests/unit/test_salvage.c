/* test_salvage.c: what is whole in a broken archive.        NPZ-DATA-001 to 005, NPZ-LOCAL, NPZ-DESC, HOST-IO, HOST-CHANGED
 * The archives of the corpus, each writer's among them, are cut at a byte in STRIDE, and at every byte if
 * SNPY_EVERY_BYTE=1 is in the environment. */
#define _GNU_SOURCE /* NOLINT: memfd_create */
#include <glob.h>
#include <sys/mman.h>

#include "host/io.h"
#include "npz/salvage.h"
#include "tests/unit/zips.h"

/* Coprime to the sizes of all records. */
#define STRIDE 61u

#define MOST_SAID 128u

/* What was reported, and the new archive. */
struct saved {
    int descriptor;
    size_t count;
    bool is_kept[MOST_SAID];
    snpy_error why[MOST_SAID];
    uint64_t offset[MOST_SAID];
    char name[MOST_SAID][64];
    size_t kept;
    uint8_t *bytes;
    size_t length;
    snpy_archive *archive;
};

static struct saved begin(void)
{
    struct saved saved = {.descriptor = memfd_create("saved", MFD_CLOEXEC)};
    assert_true(saved.descriptor >= 0);
    return saved;
}

static void note(void *context, const snpy_salvaged *member)
{
    struct saved *saved = context;
    assert_true(saved->count < MOST_SAID);
    saved->is_kept[saved->count] = member->is_kept;
    saved->why[saved->count] = member->error;
    saved->offset[saved->count] = member->offset;
    (void)snprintf(saved->name[saved->count++], sizeof saved->name[0], "%s", member->name);
    saved->kept += member->is_kept;
}

/* Salvages what a reader has. */
static snpy_status salvage(snpy_reader *reader, const snpy_archive_options *how, struct saved *saved,
                           snpy_io_error *error)
{
    const snpy_archive_options defaults = archive_defaults();
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    snpy_archive_writer *writer;
    options.level = 6;
    options.any_keys = true;
    saved->count = saved->kept = 0;
    saved->bytes = NULL;
    assert_int_equal(ftruncate(saved->descriptor, 0), 0);
    assert_int_equal(lseek(saved->descriptor, 0, SEEK_SET), 0);
    expect_ok(snpy_archive_writer_open_descriptor(&writer, saved->descriptor, &options, error), error);
    const snpy_salvage_request request = {reader, how != NULL ? how : &defaults, writer, 6, note, saved};
    const snpy_status status = snpy_archive_salvage(&request, error);
    if (status == SNPY_OK) {
        snpy_io_error failure;
        expect_ok(snpy_archive_writer_finish(&writer, &failure), &failure);
        saved->length = (size_t)lseek(saved->descriptor, 0, SEEK_END);
        saved->bytes = allocate(saved->length);
        assert_true(pread(saved->descriptor, saved->bytes, saved->length, 0) == (ssize_t)saved->length);
        expect_ok(snpy_archive_open_memory(saved->bytes, saved->length, NULL, &saved->archive, &failure), &failure);
        assert_true(snpy_archive_count(saved->archive) == saved->kept);
    }
    snpy_archive_writer_abandon(&writer);
    return status;
}

static void salvage_bytes(const uint8_t *bytes, size_t length, struct saved *saved)
{
    snpy_reader reader;
    snpy_io_error error;
    snpy_reader_of_memory(&reader, bytes, length);
    expect_ok(salvage(&reader, NULL, saved, &error), &error);
}

static void forget(struct saved *saved)
{
    snpy_archive_close(&saved->archive);
    free(saved->bytes);
}

/* Whether a member of one archive is that of another: name, bytes, and whether they are deflated. */
static bool is_same(const snpy_archive *one, size_t i, const snpy_archive *other, size_t j)
{
    char names[2][4096];
    snpy_io_error error;
    const size_t size = (size_t)snpy_archive_member(one, i)->size;
    (void)snpy_archive_name(one, i, names[0], sizeof names[0]);
    (void)snpy_archive_name(other, j, names[1], sizeof names[1]);
    if (strcmp(names[0], names[1]) != 0 || snpy_archive_member(other, j)->size != size) return false;
    if (size > 0 && snpy_archive_member(one, i)->method != snpy_archive_member(other, j)->method) return false;
    uint8_t *bytes = allocate(2 * size + 1);
    bool is_read = snpy_archive_read(one, i, bytes, size, &error) == SNPY_OK &&
                   snpy_archive_read(other, j, bytes + size, size, &error) == SNPY_OK;
    is_read = is_read && memcmp(bytes, bytes + size, size) == 0;
    free(bytes);
    return is_read;
}

/* Whether a member is wholly before a cut. The first 16 bytes of the 24 of an empty member's descriptor are a descriptor,
 * too. */
static bool is_before(const snpy_zip_member *member, uint64_t length)
{
    const bool has_descriptor = (member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0;
    const uint64_t least = member->data_offset + member->compressed_size + 16;
    const bool is_short = has_descriptor && member->size == 0 && member->end_offset > least;
    return (is_short ? least : member->end_offset) <= length;
}

/* Cuts an archive: each member that is wholly before the cut is kept, with its bytes and in its order, and no other. */
static void cut(const char *name, const snpy_archive *whole, const uint8_t *bytes, size_t length, struct saved *saved)
{
    size_t expected = 0;
    salvage_bytes(bytes, length, saved);
    while (expected < snpy_archive_count(whole) && is_before(snpy_archive_member(whole, expected), length)) expected++;
    expect_that(saved->kept == expected, "%s, cut at %zu: %zu members kept, not %zu\n", name, length, saved->kept,
                expected);
    for (size_t i = 0; i < expected; i++)
        expect_that(is_same(whole, i, saved->archive, i), "%s, cut at %zu: member %zu differs\n", name, length, i);
    /* The one that the cut goes through is named as lost, if its local header has begun. */
    const bool is_inside =
        expected < snpy_archive_count(whole) && snpy_archive_member(whole, expected)->local_offset + 4 <= length;
    expect_that(saved->count == expected + (is_inside ? 1 : 0), "%s, cut at %zu: %zu members reported\n", name, length,
                saved->count);
    if (is_inside) assert_true(saved->offset[expected] == snpy_archive_member(whole, expected)->local_offset);
    forget(saved);
}

/* Whether the local headers of an archive stand in the order of its directory: members are kept in that of the file. */
static bool is_in_order(const snpy_archive *archive)
{
    for (size_t i = 1; i < snpy_archive_count(archive); i++)
        if (snpy_archive_member(archive, i)->local_offset < snpy_archive_member(archive, i - 1)->local_offset)
            return false;
    return true;
}

/* Whether nothing but the directory has the size of a member: stored, with a descriptor, and no NPY file. */
static bool has_hidden_extent(const snpy_archive *archive)
{
    for (size_t i = 0; i < snpy_archive_count(archive); i++) {
        const snpy_zip_member *member = snpy_archive_member(archive, i);
        snpy_array head;
        snpy_io_error error;
        bool is_array = false;
        const bool is_hidden =
            (member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0 && member->method == SNPY_ZIP_STORED && member->size > 0;
        if (!is_hidden) continue;
        const snpy_status status = snpy_archive_check(archive, i, &is_array, &head, &error);
        const bool is_measured = status == SNPY_OK && is_array && !head.header.has_object;
        snpy_array_release(&head);
        if (!is_measured) return true;
    }
    return false;
}

static void test_archives_cut_at_each_byte(void **state)
{
    const char *every = getenv("SNPY_EVERY_BYTE");
    const size_t stride = every != NULL && strcmp(every, "1") == 0 ? 1 : STRIDE;
    struct saved saved = begin();
    size_t archives = 0;
    size_t hidden = 0;
    size_t cuts = 0;
    glob_t found;
    (void)state;
    assert_int_equal(glob("corpus/archives/accept/*/*.npz", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i];
        size_t length = 0;
        uint8_t *bytes = read_file(name, &length);
        snpy_archive *whole;
        snpy_io_error error;
        expect_ok(snpy_archive_open_memory(bytes, length, NULL, &whole, &error), &error);
        const bool is_hidden = has_hidden_extent(whole);
        hidden += is_hidden;
        cut(name, whole, bytes, length, &saved);
        if (is_in_order(whole) && !is_hidden) {
            archives++;
            for (size_t at = i % stride; at < length; at += stride, cuts++) cut(name, whole, bytes, at, &saved);
        }
        snpy_archive_close(&whole);
        free(bytes);
    }
    print_message("%zu archives, %zu cuts; %zu have members of no known extent\n", archives, cuts, hidden);
    assert_true(archives > 120 && hidden < 12);
    globfree(&found);
    (void)close(saved.descriptor);
}

/* An archive of three members; its directory may be lost. */
static struct zip three(const struct entry *entries, bool has_directory)
{
    struct zip zip = build(entries, 3, false, "");
    if (!has_directory) zip.length = zip.central[0];
    return zip;
}

/* Three small members, "a", "b" and "c". */
static struct zip three_small(bool has_directory)
{
    struct entry entries[3] = {stored("a", "first", 5), deflated("b", "second second", 13), stored("c", "third", 5)};
    const struct zip zip = three(entries, has_directory);
    free_data(&entries[1]);
    return zip;
}

static void test_a_bad_member_hides_no_other(void **state)
{
    struct saved saved = begin();
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct zip zip = three_small(with == 1);
        for (size_t i = 0; i < 3; i++) {
            uint8_t *spoiled = allocate(zip.length);
            memcpy(spoiled, zip.bytes, zip.length);
            spoiled[zip.data[i] + 2] ^= 1;
            salvage_bytes(spoiled, zip.length, &saved);
            assert_true(saved.count == 3 && saved.kept == 2 && !saved.is_kept[i]);
            assert_true(saved.name[i][0] == "abc"[i] && saved.why[i].status != SNPY_OK);
            if (i != 1) assert_true(saved.why[i].status == SNPY_ZIP_BAD_CRC);
            forget(&saved);
            free(spoiled);
        }
        free(zip.bytes);
    }
    (void)close(saved.descriptor);
}

/* What looks like a member inside the data of another one is none. */
static void test_nothing_is_invented(void **state)
{
    struct saved saved = begin();
    struct entry inside[1] = {stored("inside", "good data", 9)};
    struct zip inner = build(inside, 1, false, "");
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct entry entries[3] = {stored("a", inner.bytes, inner.length), stored("b", "x", 1), stored("a", "y", 1)};
        struct zip zip = three(entries, with == 1);
        salvage_bytes(zip.bytes, zip.length, &saved);
        assert_true(saved.count == 3 && saved.kept == 2); /* of two members of one name the first is kept */
        assert_true(!saved.is_kept[2] && saved.why[2].status == SNPY_ZIP_WRITE_DUPLICATE);
        forget(&saved);
        zip.bytes[zip.data[0] + inner.length - 1] ^= 1; /* the outer one is lost: what is in it, too */
        salvage_bytes(zip.bytes, zip.length, &saved);
        assert_true(saved.count == 3 && saved.kept == 2 && !saved.is_kept[0] && saved.is_kept[2]);
        forget(&saved);
        free(zip.bytes);
    }
    free(inner.bytes);
    (void)close(saved.descriptor);
}

/* A source that fails, or ends, after some bytes. */
struct source {
    const uint8_t *bytes;
    uint64_t reads; /* until it fails */
    int reason;     /* 0: it ends */
};

static snpy_status read_source(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                               snpy_io_error *error)
{
    struct source *source = context;
    *got = 0;
    if (source->reads == 0) return source->reason != 0 ? snpy_io_fail(error, "pread", source->reason) : SNPY_OK;
    source->reads--;
    memcpy(out, source->bytes + offset, wanted);
    *got = wanted;
    return SNPY_OK;
}

/* HOST-IO, HOST-CHANGED: whichever read fails, the work ends with that. */
static void test_a_source_that_fails(void **state)
{
    struct saved saved = begin();
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct zip zip = three_small(with == 1);
        for (int reason = 0; reason <= EIO; reason += EIO) {
            snpy_status status = SNPY_IO_ERROR;
            uint64_t reads = 0;
            for (; status != SNPY_OK; reads++) {
                struct source source = {zip.bytes, reads, reason};
                snpy_reader reader;
                snpy_io_error error;
                snpy_reader_of_function(&reader, read_source, &source, zip.length, false);
                status = salvage(&reader, NULL, &saved, &error);
                if (status == SNPY_OK)
                    assert_true(saved.kept == 3);
                else
                    expect_that(status == (reason != 0 ? SNPY_IO_ERROR : SNPY_FILE_CHANGED), "after %llu reads: %s\n",
                                (unsigned long long)reads, error_text(&error));
                if (status == SNPY_OK) forget(&saved);
            }
            assert_true(reads > 10);
        }
        free(zip.bytes);
    }
    (void)close(saved.descriptor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives_cut_at_each_byte),
        cmocka_unit_test(test_a_bad_member_hides_no_other),
        cmocka_unit_test(test_nothing_is_invented),
        cmocka_unit_test(test_a_source_that_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
