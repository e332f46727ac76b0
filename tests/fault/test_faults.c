/* test_faults.c: every system call of the host layer made to fail, in each job that the layer does.
 *                                                                                       HOST-IO, HOST-MEMORY
 * Each job is done with its 1st, 2nd, … call of each kind at fault, until there are no more such calls. After a
 * failure the error names the call, the reason and the file, the old file is what it was, no temporary file is left
 * and no descriptor stays open; memory is the leak sanitizer's. Calls that are only short or interrupted are no
 * failures: the job is done. */
#include "host/flow.h"
#include "tests/fault/wrap.h"
#ifdef SNPY_ARCHIVES
#include "safenpy/archive_write.h"
#include "tests/unit/zips.h"
#else
#include "tests/unit/files.h"
#endif

#define OLD_ROWS 5u
#define NEW_ROWS 400u
#define BIG_ROWS 400000u /* enough for pages of their own */

static uint8_t *rows; /* BIG_ROWS of them */

/* What a job works with: the fault, and what came of it. */
struct work {
    size_t which;
    enum fault_kind kind;
    unsigned number;
    bool has_happened;
    snpy_io_error error;
    uint64_t result_rows; /* rows in the file if the job is done; 0: the job makes no file */
    bool has_path;        /* errors name a file */
    const char *path;
};

/* --- the jobs ---------------------------------------------------------------------------------------------- */

/* Only what stands between these two is at fault. */
static void begin(const struct work *work)
{
    arm_fault(work->which, work->kind, work->number);
}

static snpy_status end(struct work *work, snpy_status status)
{
    work->has_happened = disarm_fault();
    return status;
}

/* Checks a loaded array, and gives it back. */
static snpy_status look_at(snpy_status status, snpy_array *array, uint64_t count)
{
    if (status == SNPY_OK) {
        assert_true(array->header.shape[0] == count && array->data_size == count * ROW);
        assert_memory_equal(array->data, rows, count * ROW);
    } else {
        assert_true(array->data == NULL && array->base_ == NULL && array->head_ == NULL);
    }
    snpy_array_release(array);
    return status;
}

static snpy_status load_small(struct work *work)
{
    snpy_array array;
    work->has_path = true;
    begin(work);
    return look_at(end(work, snpy_load(work->path, NULL, &array, &work->error)), &array, OLD_ROWS);
}

static snpy_status load_big(struct work *work)
{
    snpy_array array;
    work->has_path = true;
    work->path = in_work("big.npy");
    begin(work);
    return look_at(end(work, snpy_load(work->path, NULL, &array, &work->error)), &array, BIG_ROWS);
}

static snpy_status load_pipe(struct work *work)
{
    snpy_array array;
    size_t size = 0;
    int ends[2];
    uint8_t *file = read_file(in_work("medium.npy"), &size);
    if (pipe(ends) != 0) abort();
    assert_true(write(ends[1], file, size) == (ssize_t)size);
    free(file);
    (void)close(ends[1]);
    begin(work);
    snpy_status status = end(work, snpy_load_descriptor(ends[0], NULL, &array, &work->error));
    status = look_at(status, &array, NEW_ROWS);
    (void)close(ends[0]);
    return status;
}

static snpy_status load_stream(struct work *work)
{
    snpy_array array;
    FILE *stream = fopen(work->path, "rb");
    begin(work);
    snpy_status status = end(work, snpy_load_stream(stream, NULL, &array, &work->error));
    status = look_at(status, &array, OLD_ROWS);
    (void)fclose(stream);
    return status;
}

/* The middle column of medium.npy, backwards, in parts with gaps that are read through. */
static snpy_status read_column(struct work *work, snpy_input *input)
{
    const uint64_t shape[2] = {NEW_ROWS, 3};
    const snpy_slice backwards = {0, 0, -1, false, false, true};
    struct made made;
    snpy_view view;
    snpy_view memory;
    snpy_parts parts;
    uint8_t out[256];
    make(&made, 'i', 4, false, 2, shape);
    made.header.count = shape[0] * 3;
    made.header.data_size = shape[0] * ROW;
    snpy_io_begin(&work->error, "");
    snpy_status status = snpy_view_open(&made.header, made.header.data_size, &view, &work->error.error);
    if (status == SNPY_OK) status = snpy_input_spool(input, view.data_size, &work->error);
    if (status == SNPY_OK) status = snpy_view_index(&view, 1, 1, &work->error.error);
    if (status == SNPY_OK) status = snpy_view_slice(&view, 0, &backwards, &work->error.error);
    snpy_parts_rows(&view, sizeof out, &parts);
    while (status == SNPY_OK && !parts.is_done) {
        snpy_view part;
        status = snpy_parts_next(&parts, &part, &work->error);
        if (status == SNPY_OK) status = snpy_part_read(input, &part, out, &memory, &work->error);
        if (status != SNPY_OK) break;
        size_t row = NEW_ROWS - 1 - (size_t)parts.first[0];
        assert_memory_equal(out + memory.offset, rows + row * ROW + 4, 4);
    }
    return status;
}

static snpy_status read_parts(struct work *work)
{
    snpy_input input;
    int descriptor = open(in_work("medium.npy"), O_RDONLY);
    snpy_input_from_file(&input, descriptor, 128);
    begin(work);
    snpy_status status = end(work, read_column(work, &input));
    (void)close(descriptor);
    return status;
}

static snpy_status spool_and_read(struct work *work)
{
    snpy_input input;
    int ends[2];
    if (pipe(ends) != 0 || setenv("TMPDIR", work_directory, 1) != 0) abort();
    assert_true(write(ends[1], rows, NEW_ROWS * ROW) == NEW_ROWS * ROW);
    (void)close(ends[1]);
    snpy_input_from_file(&input, ends[0], 128);
    input.reader.is_stream = true;
    begin(work);
    snpy_status status = end(work, read_column(work, &input));
    snpy_input_close(&input);
    (void)close(ends[0]);
    return status;
}

static snpy_status map_and_flush(struct work *work)
{
    snpy_array array;
    work->has_path = true;
    begin(work);
    snpy_status status = snpy_map(work->path, SNPY_MAP_WRITE, NULL, &array, &work->error);
    if (status == SNPY_OK) {
        array.data[0] = rows[0];
        status = snpy_map_flush(&array, &work->error);
        snpy_array_release(&array);
    }
    return end(work, status);
}

static snpy_status create(struct work *work, const char *path, snpy_replacing replace)
{
    struct made made;
    snpy_array array;
    work->has_path = true;
    work->path = path;
    work->result_rows = NEW_ROWS;
    make_rows(&made, NEW_ROWS);
    begin(work);
    snpy_status status = end(work, snpy_map_create(path, &made.description, replace, &array, &work->error));
    if (status == SNPY_OK) memcpy(array.data, rows, NEW_ROWS * ROW);
    snpy_array_release(&array);
    return status;
}

static snpy_status create_new(struct work *work)
{
    return create(work, in_work("new.npy"), SNPY_REPLACE_NOT);
}

static snpy_status create_over(struct work *work)
{
    return create(work, in_work("old.npy"), SNPY_REPLACE);
}

static snpy_status save_to(struct work *work, const char *path)
{
    struct made made;
    work->has_path = true;
    work->path = path;
    work->result_rows = NEW_ROWS;
    make_rows(&made, NEW_ROWS);
    begin(work);
    return end(work, snpy_save(path, &made.description, rows, NEW_ROWS * ROW, &work->error));
}

static snpy_status save_new(struct work *work)
{
    return save_to(work, in_work("new.npy"));
}

static snpy_status save_over(struct work *work)
{
    return save_to(work, in_work("old.npy"));
}

static snpy_status save_through_link(struct work *work)
{
    return save_to(work, in_work("link.npy"));
}

static snpy_status write_parts(struct work *work)
{
    struct made made;
    snpy_writer *writer;
    make_rows(&made, 1);
    snpy_status status = snpy_writer_open(&writer, work->path, &made.description, true, &work->error);
    if (status != SNPY_OK) return status;
    status = snpy_writer_add(writer, rows, 100, &work->error);
    if (status == SNPY_OK) status = snpy_writer_add(writer, rows + 100, NEW_ROWS * ROW - 100, &work->error);
    if (status == SNPY_OK) return snpy_writer_finish(&writer, &work->error);
    snpy_writer_abandon(&writer);
    return status;
}

static snpy_status save_by_parts(struct work *work)
{
    work->has_path = true;
    work->result_rows = NEW_ROWS;
    begin(work);
    return end(work, write_parts(work));
}

static snpy_status save_stream(struct work *work)
{
    struct made made;
    FILE *stream = fopen(in_work("stream.npy"), "wb");
    make_rows(&made, NEW_ROWS);
    begin(work);
    snpy_status status = end(work, snpy_save_stream(stream, &made.description, rows, NEW_ROWS * ROW, &work->error));
    (void)fclose(stream);
    if (status == SNPY_OK) expect_file(in_work("stream.npy"), 0, NEW_ROWS, rows, NEW_ROWS * ROW);
    (void)unlink(in_work("stream.npy"));
    return status;
}

static snpy_status append(struct work *work)
{
    struct made made;
    work->has_path = true;
    work->result_rows = NEW_ROWS;
    make_rows(&made, NEW_ROWS - OLD_ROWS);
    begin(work);
    return end(work, snpy_append(work->path, &made.description, rows + OLD_ROWS * ROW, (NEW_ROWS - OLD_ROWS) * ROW,
                                 NULL, &work->error));
}

static snpy_status append_over_rest(struct work *work)
{
    const snpy_append_options drop = {.size = sizeof(snpy_append_options), .drop_trailing = true};
    struct made made;
    work->has_path = true;
    work->path = in_work("rest.npy");
    work->result_rows = NEW_ROWS;
    make_rows(&made, NEW_ROWS - OLD_ROWS);
    begin(work);
    return end(work, snpy_append(work->path, &made.description, rows + OLD_ROWS * ROW, (NEW_ROWS - OLD_ROWS) * ROW,
                                 &drop, &work->error));
}

static snpy_status append_parts(struct work *work)
{
    struct made made;
    snpy_appender *appender;
    const uint64_t half = (NEW_ROWS - OLD_ROWS) / 2;
    const uint64_t counts[2] = {half, NEW_ROWS - OLD_ROWS - half};
    snpy_status status = snpy_appender_open(&appender, work->path, NULL, &work->error);
    if (status != SNPY_OK) return status;
    const uint8_t *next = rows + OLD_ROWS * ROW;
    for (size_t i = 0; i < COUNT(counts) && status == SNPY_OK; i++) {
        make_rows(&made, counts[i]);
        status = snpy_appender_announce(appender, &made.description, &work->error);
        if (status == SNPY_OK) status = snpy_appender_add(appender, next, 100, &work->error);
        if (status == SNPY_OK) status = snpy_appender_add(appender, next + 100, counts[i] * ROW - 100, &work->error);
        next += counts[i] * ROW;
    }
    if (status == SNPY_OK) return snpy_appender_finish(&appender, &work->error);
    snpy_appender_abandon(&appender);
    return status;
}

static snpy_status append_by_parts(struct work *work)
{
    work->has_path = true;
    work->result_rows = NEW_ROWS;
    begin(work);
    return end(work, append_parts(work));
}

/* --- jobs that convert ------------------------------------------------------------------------------------- */

/* An input that was opened before the fault, and how it is to be converted: the result is the rows. */
struct conversion {
    snpy_conversion how;
    snpy_file file;
    snpy_input input;
};

static void open_input(struct conversion *conversion, const char *path)
{
    static const snpy_options limits = SNPY_OPTIONS_INIT;
    memset(conversion, 0, sizeof *conversion);
    conversion->how.from = path;
    conversion->how.to = in_work("old.npy");
    conversion->how.order = 'C';
    conversion->how.byteorder = SNPY_BYTEORDER_LITTLE;
    if (snpy_input_open(path, &limits, &conversion->file, &conversion->input) != SNPY_OK) abort();
}

static void close_input(struct conversion *conversion)
{
    snpy_input_close(&conversion->input);
    snpy_array_release(&conversion->file.head);
}

/* Converts into an output that is open, and ends it. */
static snpy_status convert_into(struct conversion *conversion, snpy_output *output, snpy_io_error *error)
{
    snpy_status status = snpy_convert_array(&conversion->how, &conversion->file, &conversion->input, output, error);
    if (status == SNPY_OK) {
        snpy_io_begin(error, conversion->how.to);
        return snpy_output_finish(output, error);
    }
    snpy_output_abandon(output);
    return status;
}

/* Converts a file into old.npy. */
static snpy_status convert_from(struct work *work, const char *path)
{
    struct conversion conversion;
    snpy_output output;
    work->result_rows = NEW_ROWS;
    open_input(&conversion, path);
    begin(work);
    snpy_io_begin(&work->error, conversion.how.to);
    snpy_status status = snpy_output_open(&output, conversion.how.to, 0, &work->error);
    if (status == SNPY_OK) status = convert_into(&conversion, &output, &work->error);
    status = end(work, status);
    close_input(&conversion);
    return status;
}

static snpy_status convert_header(struct work *work)
{
    work->has_path = true;
    return convert_from(work, in_work("medium.npy"));
}

static snpy_status convert_bytes(struct work *work)
{
    work->has_path = true;
    return convert_from(work, in_work("swapped.npy"));
}

static snpy_status convert_order(struct work *work)
{
    work->has_path = true;
    return convert_from(work, in_work("fortran.npy"));
}

/* From a pipe: the data take the way through a file without a name. */
static snpy_status convert_pipe(struct work *work)
{
    char path[32];
    size_t size = 0;
    int ends[2];
    uint8_t *file = read_file(in_work("fortran.npy"), &size);
    if (pipe(ends) != 0) abort();
    assert_true(write(ends[1], file, size) == (ssize_t)size);
    free(file);
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    snpy_status status = convert_from(work, path);
    (void)close(ends[0]);
    return status;
}

/* Into a descriptor that takes bytes one behind the other only: likewise. */
static snpy_status convert_to_descriptor(struct work *work)
{
    struct conversion conversion;
    snpy_output output;
    int descriptor = open(in_work("lent.npy"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    open_input(&conversion, in_work("fortran.npy"));
    begin(work);
    snpy_output_lend(&output, descriptor);
    snpy_status status = end(work, convert_into(&conversion, &output, &work->error));
    (void)close(descriptor);
    if (status == SNPY_OK) expect_file(in_work("lent.npy"), 0, NEW_ROWS, rows, NEW_ROWS * ROW);
    (void)unlink(in_work("lent.npy"));
    close_input(&conversion);
    return status;
}

static snpy_status put_writer(void *writer, const uint8_t *from, uint64_t size, snpy_io_error *error)
{
    return snpy_writer_add(writer, from, size, error);
}

/* Raw bytes become an array. */
static snpy_status wrap_raw(struct work *work)
{
    struct made made;
    snpy_writer *writer;
    snpy_input input;
    uint64_t size = 0;
    bool knows_size = false;
    snpy_status status = snpy_input_open_raw(in_work("raw"), &input, &size, &knows_size, &work->error);
    if (status != SNPY_OK) return status;
    assert_true(knows_size && size == NEW_ROWS * ROW);
    make_rows(&made, NEW_ROWS);
    status = snpy_writer_open(&writer, work->path, &made.description, false, &work->error);
    const snpy_flow flow = {&input, in_work("raw"), put_writer, writer, NULL, NULL};
    if (status == SNPY_OK) status = snpy_pour(&flow, size, &work->error);
    if (status == SNPY_OK)
        status = snpy_writer_finish(&writer, &work->error);
    else
        snpy_writer_abandon(&writer);
    snpy_input_close(&input);
    return status;
}

static snpy_status wrap_file(struct work *work)
{
    work->has_path = true;
    work->result_rows = NEW_ROWS;
    begin(work);
    return end(work, wrap_raw(work));
}

#ifdef SNPY_ARCHIVES
/* Members of the archive: a stored one, a deflated one, and one for which memory is mapped. */
enum { STORED, DEFLATED, BIG };

/* Opens the archive, does something with a member, and closes it. */
static snpy_status with_archive(struct work *work, size_t index, uint64_t count,
                                snpy_status (*act)(const snpy_archive *archive, size_t index, snpy_array *array,
                                                   snpy_io_error *error))
{
    snpy_archive *archive;
    snpy_array array;
    work->has_path = true;
    work->path = in_work("a.npz");
    begin(work);
    snpy_status status = snpy_archive_open(work->path, NULL, &archive, &work->error);
    if (status != SNPY_OK) return end(work, status);
    status = end(work, act(archive, index, &array, &work->error));
    snpy_archive_close(&archive);
    return look_at(status, &array, count);
}

static snpy_status open_contents(struct work *work, const char *name, uint64_t count)
{
    snpy_contents contents;
    snpy_array array;
    work->has_path = true;
    work->path = in_work(name);
    begin(work);
    snpy_status status = snpy_contents_open(work->path, NULL, NULL, &contents, &work->error);
    if (status == SNPY_OK && contents.is_archive) {
        status = snpy_archive_load(contents.archive, STORED, NULL, &array, &work->error);
        assert_true(end(work, status) != SNPY_OK || look_at(status, &array, count) == SNPY_OK);
    } else if (end(work, status) == SNPY_OK) {
        assert_true(contents.array.data_size == count * ROW);
        assert_memory_equal(contents.array.data, rows, count * ROW);
    }
    snpy_contents_close(&contents);
    return status;
}

static snpy_status open_array(struct work *work)
{
    return open_contents(work, "old.npy", OLD_ROWS);
}

static snpy_status open_archive(struct work *work)
{
    return open_contents(work, "a.npz", OLD_ROWS);
}

static snpy_status load_one(const snpy_archive *archive, size_t index, snpy_array *array, snpy_io_error *error)
{
    return snpy_archive_load(archive, index, NULL, array, error);
}

static snpy_status load_two(const snpy_archive *archive, size_t index, snpy_array *array, snpy_io_error *error)
{
    const size_t indices[2] = {index, index};
    snpy_array arrays[2];
    snpy_io_error errors[2];
    snpy_status status = snpy_archive_load_several(archive, indices, 2, 1, arrays, errors);
    size_t shown = errors[0].error.status != SNPY_OK ? 0 : 1;
    *array = arrays[shown];
    *error = errors[shown];
    snpy_array_release(&arrays[1 - shown]);
    return status;
}

static snpy_status load_helped(const snpy_archive *archive, size_t index, snpy_array *array, snpy_io_error *error)
{
    return snpy_archive_load_several(archive, &index, 1, 2, array, error);
}

static snpy_status map_one(const snpy_archive *archive, size_t index, snpy_array *array, snpy_io_error *error)
{
    return snpy_archive_map(archive, index, SNPY_MAP_READ, false, array, error);
}

static snpy_status load_stored(struct work *work)
{
    return with_archive(work, STORED, OLD_ROWS, load_one);
}

static snpy_status load_deflated(struct work *work)
{
    return with_archive(work, DEFLATED, NEW_ROWS, load_one);
}

static snpy_status load_big_member(struct work *work)
{
    return with_archive(work, BIG, BIG_ROWS, load_one);
}

static snpy_status load_big_member_helped(struct work *work)
{
    return with_archive(work, BIG, BIG_ROWS, load_helped);
}

static snpy_status load_several(struct work *work)
{
    return with_archive(work, DEFLATED, NEW_ROWS, load_two);
}

static snpy_status map_member(struct work *work)
{
    return with_archive(work, STORED, OLD_ROWS, map_one);
}

/* Pieces of a member whose size is not known: in one block, or in two. */
#define PIECES 4u
#define SMALL_PIECE ((size_t)100000)
#define BIG_PIECE ((size_t)600000)

/* Adds the array of a job to an archive, and what it takes to make each kind of member: whole, in blocks, by parts. */
static snpy_status add_members(struct work *work, snpy_archive_writer *writer, bool is_big)
{
    struct made made;
    snpy_status status;
    const size_t piece = is_big ? BIG_PIECE : SMALL_PIECE;
    make_rows(&made, NEW_ROWS);
    status = snpy_archive_writer_add(writer, "medium", &made.description, rows, NEW_ROWS * ROW, &work->error);
    if (status == SNPY_OK) status = snpy_archive_writer_begin_bytes(writer, "parts", SNPY_SIZE_UNKNOWN, &work->error);
    for (size_t i = 0; i < PIECES && status == SNPY_OK; i++)
        status = snpy_archive_writer_put(writer, rows + i * piece, piece, &work->error);
    if (status == SNPY_OK) status = snpy_archive_writer_end(writer, &work->error);
    make_rows(&made, BIG_ROWS);
    if (status == SNPY_OK && is_big)
        status = snpy_archive_writer_add(writer, "big", &made.description, rows, BIG_ROWS * ROW, &work->error);
    return status;
}

/* What add_members has written must be there. */
static void expect_members(const char *path, bool is_big)
{
    snpy_archive_options strict = archive_defaults();
    snpy_archive *archive;
    snpy_array array;
    snpy_io_error error;
    const size_t size = PIECES * (is_big ? BIG_PIECE : SMALL_PIECE);
    uint8_t *parts = allocate(size);
    strict.strict = true;
    expect_ok(snpy_archive_open(path, &strict, &archive, &error), &error);
    assert_int_equal(snpy_archive_count(archive), is_big ? 3 : 2);
    assert_int_equal(look_at(snpy_archive_load(archive, 0, NULL, &array, &error), &array, NEW_ROWS), SNPY_OK);
    expect_ok(snpy_archive_read(archive, 1, parts, size, &error), &error);
    assert_memory_equal(parts, rows, size);
    if (is_big)
        assert_int_equal(look_at(snpy_archive_load(archive, 2, NULL, &array, &error), &array, BIG_ROWS), SNPY_OK);
    snpy_archive_close(&archive);
    free(parts);
}

/* Packs over a file, which must then be the old one or the whole archive. */
static snpy_status pack_over(struct work *work, uint32_t level, uint32_t threads)
{
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    snpy_archive_writer *writer;
    const bool is_big = level > 0 && threads > 1;
    const char *path = in_work("packed.npz");
    options.level = level;
    options.threads = threads;
    write_bytes(path, "old", 3);
    work->has_path = true;
    begin(work);
    snpy_status status = snpy_archive_writer_open(&writer, path, &options, &work->error);
    if (status == SNPY_OK) {
        status = add_members(work, writer, is_big);
        if (status == SNPY_OK) status = snpy_archive_writer_finish(&writer, &work->error);
        snpy_archive_writer_abandon(&writer);
    }
    status = end(work, status);
    /* Only when the directory cannot be made safe is the new file in its place already. */
    bool is_placed = status != SNPY_OK && strcmp(work->error.path, work_directory) == 0;
    if (status == SNPY_OK || (is_placed && strcmp(work->error.call, "fsync") == 0))
        expect_members(path, is_big);
    else
        expect_bytes(path, (const uint8_t *)"old", 3);
    (void)unlink(path);
    return status;
}

static snpy_status pack_stored(struct work *work)
{
    return pack_over(work, 0, 1);
}

static snpy_status pack_deflated(struct work *work)
{
    return pack_over(work, 6, 1);
}

static snpy_status pack_by_threads(struct work *work)
{
    return pack_over(work, 1, 2);
}

/* Packs into a descriptor in which one cannot go back. */
static snpy_status pack_descriptor(struct work *work)
{
    snpy_archive_writer *writer;
    const char *path = in_work("lent.npz");
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    begin(work);
    snpy_status status = snpy_archive_writer_open_descriptor(&writer, descriptor, NULL, &work->error);
    if (status == SNPY_OK) status = add_members(work, writer, false);
    if (status == SNPY_OK) status = snpy_archive_writer_finish(&writer, &work->error);
    snpy_archive_writer_abandon(&writer);
    status = end(work, status);
    (void)close(descriptor);
    if (status == SNPY_OK) expect_members(path, false);
    (void)unlink(path);
    return status;
}

/* An archive of the arrays that were laid out. */
static void lay_out_archive(void)
{
    static const char *const names[] = {"old.npy", "medium.npy", "big.npy"};
    struct entry entries[3];
    for (size_t i = 0; i < COUNT(entries); i++) {
        size_t size = 0;
        uint8_t *file = read_file(in_work(names[i]), &size);
        if (i == STORED) {
            entries[i] = stored(names[i], file, size);
        } else {
            entries[i] = deflated(names[i], file, size);
            free(file);
        }
    }
    struct zip zip = build(entries, COUNT(entries), false, "");
    write_bytes(in_work("a.npz"), zip.bytes, zip.length);
    for (size_t i = 0; i < COUNT(entries); i++) free_data(&entries[i]);
    free(zip.bytes);
}
#endif

/* Copies the rows that a file holds. */
static snpy_status copy_rows(struct work *work, const char *name, uint64_t count)
{
    snpy_array array;
    snpy_array copy;
    expect_ok(snpy_load(in_work(name), NULL, &array, &work->error), &work->error);
    begin(work);
    snpy_status status = end(work, snpy_array_copy(&array, 'C', SNPY_BYTEORDER_LITTLE, &copy, &work->error));
    snpy_array_release(&array);
    return look_at(status, &copy, count);
}

static snpy_status copy_small(struct work *work)
{
    return copy_rows(work, "fortran.npy", NEW_ROWS);
}

static snpy_status copy_big(struct work *work)
{
    return copy_rows(work, "big.npy", BIG_ROWS);
}

static snpy_status find_field(struct work *work)
{
    static const char file[] =
        "\x93NUMPY\1\0\x48\0{'descr': [('a', [('b', '<i2')])], 'fortran_order': False, 'shape': ()}\nxy";
    snpy_array array;
    snpy_view view;
    expect_ok(snpy_load_memory(file, sizeof file - 1, NULL, &array, &work->error), &work->error);
    assert_true(snpy_view_open(&array.header, array.data_size, &view, &work->error.error) == SNPY_OK);
    begin(work);
    snpy_status status = end(work, snpy_view_path(&array, "a.b", &view, &work->error));
    assert_true(view.dtype.kind == (status == SNPY_OK ? SNPY_KIND_INT : SNPY_KIND_RECORD));
    snpy_array_release(&array);
    return status;
}

static const struct job {
    const char *name;
    snpy_status (*run)(struct work *work);
} jobs[] = {
    {"load a small file", load_small},
    {"load a big file", load_big},
    {"load a pipe", load_pipe},
    {"load a stream", load_stream},
    {"read parts", read_parts},
    {"spool and read", spool_and_read},
    {"map and flush", map_and_flush},
    {"create a map", create_new},
    {"create over a file", create_over},
    {"save a new file", save_new},
    {"save over a file", save_over},
    {"save through a link", save_through_link},
    {"save by parts", save_by_parts},
    {"save to a stream", save_stream},
    {"append", append},
    {"append over a rest", append_over_rest},
    {"append by parts", append_by_parts},
    {"convert a header", convert_header},
    {"convert the byte order", convert_bytes},
    {"convert the order", convert_order},
    {"convert the order of a pipe", convert_pipe},
    {"convert to a descriptor", convert_to_descriptor},
    {"wrap raw bytes", wrap_file},
    {"copy a small array", copy_small},
    {"copy a big array", copy_big},
    {"find a field", find_field},
#ifdef SNPY_ARCHIVES
    {"load a stored member", load_stored},
    {"load a deflated member", load_deflated},
    {"load a big member", load_big_member},
    {"load a big member by two threads", load_big_member_helped},
    {"load members together", load_several},
    {"open an array by what it holds", open_array},
    {"open an archive by what it holds", open_archive},
    {"map a member", map_member},
    {"pack stored members", pack_stored},
    {"pack deflated members", pack_deflated},
    {"pack into a descriptor", pack_descriptor},
#endif
};

/* --- what must hold afterwards ----------------------------------------------------------------------------- */

static void save_rows(const char *name, uint64_t count)
{
    struct made made;
    snpy_io_error error;
    make_rows(&made, count);
    expect_ok(snpy_save(in_work(name), &made.description, rows, count * ROW, &error), &error);
}

/* The rows in other forms: in Fortran order, big-endian, without a header. */
static void save_other_forms(void)
{
    struct made made;
    snpy_io_error error;
    uint8_t *other = allocate(NEW_ROWS * ROW);
    for (size_t i = 0; i < NEW_ROWS * 3; i++) memcpy(other + 4 * (i % 3 * NEW_ROWS + i / 3), rows + 4 * i, 4);
    make_rows(&made, NEW_ROWS);
    made.header.fortran_order = true;
    expect_ok(snpy_save(in_work("fortran.npy"), &made.description, other, NEW_ROWS * ROW, &error), &error);
    for (size_t i = 0; i < NEW_ROWS * ROW; i++) other[i] = rows[i / 4 * 4 + 3 - i % 4];
    make_rows(&made, NEW_ROWS);
    made.header.dtype.byteorder = '>';
    expect_ok(snpy_save(in_work("swapped.npy"), &made.description, other, NEW_ROWS * ROW, &error), &error);
    write_bytes(in_work("raw"), rows, NEW_ROWS * ROW);
    free(other);
}

/* What old.npy holds. */
static uint8_t *bytes = NULL;
static size_t length = 0;

/* The files that the jobs find: arrays of several sizes, one with half a row behind its data, a link. */
static void lay_out(void)
{
    static const char rest[] = "half a row";
    if (bytes == NULL) {
        save_rows("old.npy", OLD_ROWS);
        save_rows("medium.npy", NEW_ROWS);
        save_rows("big.npy", BIG_ROWS);
        save_other_forms();
        assert_int_equal(symlink("old.npy", in_work("link.npy")), 0);
#ifdef SNPY_ARCHIVES
        lay_out_archive();
#endif
        bytes = read_file(in_work("old.npy"), &length);
        bytes = realloc(bytes, length + sizeof rest);
        if (bytes == NULL) abort();
        memcpy(bytes + length, rest, sizeof rest);
    }
    write_bytes(in_work("old.npy"), bytes, length);
    write_bytes(in_work("rest.npy"), bytes, length + sizeof rest);
}

static size_t count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    size_t count = 0;
    if (directory == NULL) return 0;
    while (readdir(directory) != NULL) count++;
    (void)closedir(directory);
    return count;
}

/* A file is the old array or, if it may be, the new one; bytes after the data are allowed. */
static void expect_old(const char *path, bool may_be_new, const char *what)
{
    snpy_array array;
    snpy_io_error error;
    expect_that(snpy_load(path, NULL, &array, &error) == SNPY_OK, "%s: %s\n", what, error_text(&error));
    uint64_t count = array.header.shape[0];
    expect_that(count == OLD_ROWS || (may_be_new && count == NEW_ROWS), "%s: %llu rows\n", what,
                (unsigned long long)count);
    assert_memory_equal(array.data, rows, count * ROW);
    snpy_array_release(&array);
}

/* Checks what a job with a fault has left. */
static void judge(const struct work *work, snpy_status status, const struct faulty_call *call, enum fault_kind kind,
                  const char *what)
{
    bool is_harmless = kind != FAULT_ONCE && kind != FAULT_FOR_GOOD;
    if (status == SNPY_OK) {
        expect_that(is_harmless || !call->must_report, "%s: nothing was reported\n", what);
        if (work->result_rows > 0) expect_file(work->path, 0, work->result_rows, rows, work->result_rows * ROW);
        return;
    }
    bool is_memory =
        strcmp(call->name, "malloc") == 0 || strcmp(call->name, "realloc") == 0 || strcmp(call->name, "calloc") == 0;
    is_memory = is_memory || (strcmp(call->name, "mmap") == 0 && work->result_rows == 0 && status == SNPY_NO_MEMORY);
    expect_that(!is_harmless, "%s: %s\n", what, error_text(&work->error));
    expect_that(status == (is_memory ? SNPY_NO_MEMORY : SNPY_IO_ERROR) && work->error.error.status == status,
                "%s: %s\n", what, snpy_status_name(status));
    expect_that(work->error.system_error == call->reason && strcmp(work->error.call, call->name) == 0,
                "%s: the error is %s\n", what, error_text(&work->error));
    expect_that(strstr(error_text(&work->error), strerror(call->reason)) != NULL, "%s: %s\n", what,
                error_text(&work->error));
    if (work->has_path) /* the file, or its directory, or what the link leads to */
        expect_that(strstr(work->error.path, work_directory) == work->error.path, "%s: names '%s'\n", what,
                    work->error.path);
    /* Only when the directory cannot be made safe is the new file in its place already. */
    bool is_placed = strcmp(work->error.path, work_directory) == 0 && strcmp(call->name, "fsync") == 0;
    if (!is_placed) expect_that(access(in_work("new.npy"), F_OK) != 0, "%s: a new file\n", what);
    expect_old(in_work("old.npy"), is_placed, what);
    if (kind == FAULT_ONCE && !is_placed) expect_bytes(in_work("old.npy"), bytes, length);
    expect_old(in_work("rest.npy"), false, what);
}

/* Does a job with one fault. Returns whether the fault has happened. */
static bool run_job(const struct job *job, size_t which, enum fault_kind kind, unsigned number)
{
    static const char *const kinds[] = {"once", "for good", "short by a byte", "a byte at a time", "EINTR", "EAGAIN"};
    struct work work = {.which = which, .kind = kind, .number = number, .path = in_work("old.npy")};
    char what[160];
    (void)snprintf(what, sizeof what, "%s, %s number %u, %s", job->name, faulty_calls[which].name, number, kinds[kind]);
    lay_out();
    size_t files = count_files(false);
    size_t descriptors = count_descriptors();
    snpy_status status = job->run(&work);
    if (work.has_happened) judge(&work, status, &faulty_calls[which], kind, what);
    if (!work.has_happened) expect_that(status == SNPY_OK, "%s: %s\n", what, error_text(&work.error));
    (void)unlink(in_work("new.npy"));
    expect_that(count_files(false) == files, "%s: a file is left\n", what);
    expect_that(count_descriptors() == descriptors, "%s: a descriptor is left\n", what);
    return work.has_happened;
}

/* All jobs with all calls at fault in one way. */
static size_t run_all(enum fault_kind kind)
{
    size_t faults = 0;
    for (size_t j = 0; j < COUNT(jobs); j++) {
        for (size_t which = 0; which < faulty_call_count; which++) {
            const struct faulty_call *call = &faulty_calls[which];
            if ((kind == FAULT_SHORT || kind == FAULT_ONE_BYTE || kind == FAULT_WAIT) && !call->is_transfer) continue;
            if (kind == FAULT_SIGNAL && !call->is_slow) continue;
            unsigned number = 1;
            while (run_job(&jobs[j], which, kind, number)) {
                faults++;
                number++;
                if (kind == FAULT_ONE_BYTE) break;
            }
        }
    }
    return faults;
}

static void test_calls_that_fail_once(void **state)
{
    (void)state;
    print_message("%zu faults\n", run_all(FAULT_ONCE));
}

static void test_calls_that_fail_for_good(void **state)
{
    (void)state;
    print_message("%zu faults\n", run_all(FAULT_FOR_GOOD));
}

static void test_calls_that_are_short(void **state)
{
    (void)state;
    print_message("%zu faults\n", run_all(FAULT_SHORT) + run_all(FAULT_ONE_BYTE));
}

static void test_calls_that_are_interrupted(void **state)
{
    (void)state;
    print_message("%zu faults\n", run_all(FAULT_SIGNAL) + run_all(FAULT_WAIT));
}

/* Closing a file that was only read has nothing to say; closing one that was written may be the first to say that
 * the bytes did not get there. Saving over a file closes that one first, which it has looked at before it had the lock. */
static void test_close_of_what_was_written(void **state)
{
    static const struct {
        snpy_status (*run)(struct work *work);
        unsigned number; /* of the close */
    } writing[] = {{save_over, 2}, {save_by_parts, 2}, {create_new, 1}, {create_over, 1}};
    size_t which = 0;
    (void)state;
    while (strcmp(faulty_calls[which].name, "close") != 0) which++;
    for (size_t i = 0; i < COUNT(writing); i++) {
        struct work work = {
            .which = which, .kind = FAULT_ONCE, .number = writing[i].number, .path = in_work("old.npy")};
        lay_out();
        expect_failure(writing[i].run(&work), &work.error, SNPY_IO_ERROR, "close");
        assert_true(work.has_happened && strcmp(work.error.call, "close") == 0);
        expect_bytes(in_work("old.npy"), bytes, length);
        assert_true(access(in_work("new.npy"), F_OK) != 0);
    }
}

#ifdef SNPY_ARCHIVES
/* With several threads, which call comes first is not the same each time: each is tried some times. */
static void test_packing_by_threads(void **state)
{
    size_t faults = 0;
    (void)state;
    for (size_t which = 0; which < faulty_call_count; which++) {
        for (unsigned number = 1; number <= 24; number += number < 4 ? 1 : 5) {
            struct work work = {.which = which, .kind = FAULT_ONCE, .number = number, .path = in_work("old.npy")};
            snpy_status status = pack_by_threads(&work);
            faults += work.has_happened;
            if (!work.has_happened || !faulty_calls[which].must_report) continue;
            expect_that(status == SNPY_IO_ERROR || status == SNPY_NO_MEMORY, "%s number %u: %s\n",
                        faulty_calls[which].name, number, snpy_status_name(status));
            assert_string_equal(work.error.call, faulty_calls[which].name);
        }
    }
    assert_true(faults > 20);
    print_message("%zu faults\n", faults);
}
#endif

/* What no kill shows: the order in which things reach the disk.                                  NPY-WRITE-012 */
static void test_order_of_calls(void **state)
{
    static const struct {
        snpy_status (*run)(struct work *work);
        const char *calls;
    } orders[] = {
        {save_over, "write write fsync rename fsync "},
        {save_by_parts, "write write write pwrite fsync rename fsync "},
        {append, "pwrite fsync pwrite fsync "},
        {append_over_rest, "ftruncate pwrite fsync pwrite fsync "},
        {append_by_parts, "pwrite pwrite pwrite pwrite fsync pwrite fsync "},
        {convert_header, "write write fsync rename fsync "},
        {convert_bytes, "write write fsync rename fsync "},
        {convert_order, "write pwrite fsync rename fsync "},
        {wrap_file, "write write fsync rename fsync "},
        {create_new, "posix_fallocate pwrite "},
        {create_over, "posix_fallocate pwrite rename "},
        {map_and_flush, "msync "},
#ifdef SNPY_ARCHIVES
        {pack_stored, "write write write pwrite pwrite write fsync rename fsync "},
#endif
    };
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct work work = {.which = 0, .kind = FAULT_ONCE, .number = 1000, .path = in_work("old.npy")};
        lay_out();
        record_calls();
        expect_ok(orders[i].run(&work), &work.error);
        assert_string_equal(recorded_calls(), orders[i].calls);
        (void)unlink(in_work("new.npy"));
    }
}

/* A file that ends before the size it said; a map of a file that is cut meanwhile is refused likewise. HOST-CHANGED */
static void test_a_file_that_shrinks(void **state)
{
    const char *path = in_work("old.npy");
    struct stat about;
    (void)state;
    lay_out();
    assert_int_equal(stat(path, &about), 0);
    for (off_t size = 0; size < about.st_size; size += 11) {
        snpy_array array;
        snpy_io_error error;
        lay_out();
        cut_on_pread(path, size, 1);
        expect_failure(snpy_load(path, NULL, &array, &error), &error, SNPY_FILE_CHANGED, "a file that shrinks");
        expect_that(error.error.offset == (uint64_t)size, "cut at %lld, reported at %llu\n", (long long)size,
                    (unsigned long long)error.error.offset);
        assert_true(array.data == NULL);
    }
    for (off_t size = 0; size < about.st_size; size += 11) {
        snpy_array array;
        snpy_io_error error;
        lay_out();
        cut_on_mmap(path, size);
        expect_failure(snpy_map(path, SNPY_MAP_WRITE, NULL, &array, &error), &error, SNPY_FILE_CHANGED, "a map");
        assert_true(error.error.offset == (uint64_t)size && array.data == NULL && array.base_ == NULL);
    }
    lay_out();
}

/* A file that is converted while it becomes shorter.                                                HOST-CHANGED */
static void test_an_input_that_shrinks(void **state)
{
    static const char *const names[] = {"medium.npy", "swapped.npy", "fortran.npy", "raw"};
    snpy_status (*const converting[])(struct work * work) = {convert_header, convert_bytes, convert_order, wrap_file};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t whole = 0;
        uint8_t *kept = read_file(in_work(names[i]), &whole);
        const uint64_t start = strcmp(names[i], "raw") == 0 ? 0 : 128;
        for (size_t size = 0; size < whole; size += 311) {
            struct work work = {.which = 0, .kind = FAULT_ONCE, .number = 1000, .path = in_work("old.npy")};
            lay_out();
            write_bytes(in_work(names[i]), kept, whole);
            cut_on_pread(in_work(names[i]), (long long)size, start > 0 ? 2 : 1); /* after the header */
            expect_failure(converting[i](&work), &work.error, SNPY_FILE_CHANGED, names[i]);
            expect_that(work.error.error.offset == (size > start ? size : start), "%s cut at %zu, reported at %llu\n",
                        names[i], size, (unsigned long long)work.error.error.offset);
            assert_true(strcmp(work.error.path, in_work(names[i])) == 0);
            expect_bytes(in_work("old.npy"), bytes, length);
        }
        write_bytes(in_work(names[i]), kept, whole);
        free(kept);
    }
}

/* A pile of files for the jobs; the rows are the same in all of them. */
static int set_up_rows(void **state)
{
    rows = make_data(BIG_ROWS * ROW, 1);
    return set_up(state);
}

static int tear_down_rows(void **state)
{
    free(rows);
    free(bytes);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_that_fail_once),      cmocka_unit_test(test_calls_that_fail_for_good),
        cmocka_unit_test(test_calls_that_are_short),      cmocka_unit_test(test_calls_that_are_interrupted),
        cmocka_unit_test(test_close_of_what_was_written), cmocka_unit_test(test_order_of_calls),
        cmocka_unit_test(test_a_file_that_shrinks),       cmocka_unit_test(test_an_input_that_shrinks),
#ifdef SNPY_ARCHIVES
        cmocka_unit_test(test_packing_by_threads),
#endif
    };
    return cmocka_run_group_tests(tests, set_up_rows, tear_down_rows);
}
