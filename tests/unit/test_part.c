/* test_part.c: parts of a file's data in memory, and views cut into parts: against the core's places, element by
 * element.                                                                    API-VIEW, HOST-CHANGED, HOST-IO */
#include "files.h"
#include "host/part.h"

/* The bytes in front of the data. */
#define FRONT 13u
#define MOST_BYTES ((size_t)3 << 20)

static uint8_t *content; /* FRONT bytes and MOST_BYTES of data */
static snpy_io_error error;

/* The same numbers in each run. */
static uint64_t below(uint64_t limit)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit == 0 ? 0 : state % limit;
}

/* A whole array that fits, of 0 to 4 dimensions. */
static snpy_view random_array(void)
{
    static const uint32_t sizes[] = {1, 3, 8, 8, 40, 5000, 70000, 0};
    static const uint64_t lengths[] = {1, 2, 3, 5, 17, 400, 9000};
    snpy_header header;
    snpy_view view;
    memset(&header, 0, sizeof header);
    header.dtype.kind = 'V';
    header.dtype.byteorder = '|';
    header.dtype.itemsize = sizes[below(COUNT(sizes))];
    header.fortran_order = below(2) == 1;
    header.count = 1;
    for (uint64_t ndim = below(5); header.ndim < ndim; header.ndim++) {
        uint64_t length = below(30) == 0 ? 0 : lengths[below(COUNT(lengths))];
        if (header.count * length * header.dtype.itemsize > MOST_BYTES || header.count * length > 20000) length = 1;
        header.shape[header.ndim] = length;
        header.count *= length;
    }
    header.data_size = header.count * header.dtype.itemsize;
    assert_int_equal(snpy_view_open(&header, header.data_size, &view, &error.error), SNPY_OK);
    return view;
}

/* Some slices and transposes of it. */
static snpy_view random_view(void)
{
    snpy_view view = random_array();
    for (uint64_t steps = below(6); steps > 0 && view.ndim > 0; steps--) {
        uint32_t axis = (uint32_t)below(view.ndim);
        int64_t reach = (int64_t)view.shape[axis] + 1;
        snpy_slice slice = {(int64_t)below((uint64_t)reach),
                            (int64_t)below((uint64_t)reach),
                            (int64_t)below(9) - 4,
                            below(2) == 1,
                            below(2) == 1,
                            true};
        if (slice.step == 0) slice.step = 40;
        if (below(3) == 0)
            assert_int_equal(snpy_view_transpose(&view, &error.error), SNPY_OK);
        else
            assert_int_equal(snpy_view_slice(&view, axis, &slice, &error.error), SNPY_OK);
    }
    return view;
}

/* What was read must be what the core finds in the whole. */
static void expect_elements(const snpy_view *part, const snpy_view *memory, const uint8_t *out)
{
    assert_true(memory->count == part->count && memory->data_size == part->count * part->itemsize);
    for (uint64_t flat = 0; flat < part->count; flat++) {
        uint64_t there = 0;
        uint64_t here = 0;
        assert_int_equal(snpy_view_flat(part, flat, &there, &error.error), SNPY_OK);
        assert_int_equal(snpy_view_flat(memory, flat, &here, &error.error), SNPY_OK);
        assert_memory_equal(out + here, content + FRONT + there, part->itemsize);
    }
}

static void read_and_compare(snpy_input *input, const snpy_view *part)
{
    snpy_view memory;
    assert_int_equal(snpy_part_place(part, &memory, &error), SNPY_OK);
    uint8_t *out = allocate((size_t)memory.data_size); /* of exactly its size, for the sanitizer */
    expect_ok(snpy_part_read(input, part, out, &memory, &error), &error);
    expect_elements(part, &memory, out);
    free(out);
}

static int open_content(void)
{
    int descriptor = open(in_work("content"), O_RDONLY);
    if (descriptor < 0) abort();
    return descriptor;
}

static void test_read(void **state)
{
    int descriptor = open_content();
    snpy_input input;
    size_t streams = 0;
    (void)state;
    for (int i = 0; i < 1500; i++) {
        snpy_view view = random_view();
        snpy_input_from_file(&input, descriptor, FRONT);
        read_and_compare(&input, &view);
        if (!snpy_part_is_forward(&view)) continue;
        assert_true(lseek(descriptor, FRONT, SEEK_SET) == FRONT);
        input.reader.is_stream = true;
        read_and_compare(&input, &view);
        streams++;
    }
    expect_that(streams > 100, "only %zu streams\n", streams);
    (void)close(descriptor);
}

/* A stream that does not step back, and files that can do all else, must be told apart rightly. */
static void test_forward(void **state)
{
    size_t forward = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        snpy_view view = random_view();
        uint64_t before = 0;
        bool is_forward = true;
        if (view.itemsize == 0) continue;
        for (uint64_t flat = 0; flat < view.count && is_forward; flat++) {
            uint64_t place = 0;
            assert_int_equal(snpy_view_flat(&view, flat, &place, &error.error), SNPY_OK);
            is_forward = place >= before;
            before = place;
        }
        assert_true(snpy_part_is_forward(&view) == is_forward);
        forward += is_forward;
    }
    assert_true(forward > 200 && forward < 1800);
}

/* Each element is in one part, the parts keep the limit, and those of rows follow one another. */
static void expect_cover(const snpy_view *whole, snpy_parts *parts, uint64_t limit, bool in_order)
{
    uint8_t *seen = allocate((size_t)whole->count);
    uint64_t done = 0;
    memset(seen, 0, (size_t)whole->count);
    while (!parts->is_done) {
        snpy_view part;
        expect_ok(snpy_parts_next(parts, &part, &error), &error);
        assert_true(part.count > 0 && (part.count == 1 || part.count * (whole->itemsize + !whole->itemsize) <= limit));
        for (uint64_t flat = 0; flat < part.count; flat++) {
            uint64_t place = 0;
            uint64_t number = 0;
            uint64_t rest = flat;
            uint64_t weight = 1;
            for (uint32_t k = whole->ndim; k > 0; k--) {
                number += (parts->first[k - 1] + rest % part.shape[k - 1]) * weight;
                rest /= part.shape[k - 1];
                weight *= whole->shape[k - 1];
            }
            uint64_t expected = 0;
            assert_true(number < whole->count && !seen[number] && (!in_order || number == done));
            seen[number] = 1;
            done++;
            assert_int_equal(snpy_view_flat(&part, flat, &place, &error.error), SNPY_OK);
            assert_int_equal(snpy_view_flat(whole, number, &expected, &error.error), SNPY_OK);
            assert_true(place == expected);
        }
    }
    assert_true(done == whole->count);
    free(seen);
}

static void test_cut(void **state)
{
    static const uint64_t limits[] = {0, 1, 8, 100, 4000, 65536, MOST_BYTES};
    (void)state;
    for (int i = 0; i < 1500; i++) {
        snpy_view view = random_view();
        snpy_view other;
        snpy_parts parts;
        uint64_t limit = limits[below(COUNT(limits))];
        snpy_parts_rows(&view, limit, &parts);
        expect_cover(&view, &parts, limit, true);
        assert_int_equal(snpy_view_dense(&view, below(2) == 1, &other, &error.error), SNPY_OK);
        snpy_parts_boxes(&view, &other, limit, &parts);
        expect_cover(&view, &parts, limit, false);
        snpy_parts_strips(&view, &other, limit, limits[below(COUNT(limits))], &parts);
        expect_cover(&view, &parts, limit, false);
    }
}

/* A part of a Fortran array of three dimensions has stretches in both orders. */
static void test_boxes(void **state)
{
    const uint64_t shape[3] = {1000, 1000, 1000};
    struct made made;
    snpy_view view;
    snpy_view other;
    snpy_parts parts;
    (void)state;
    make(&made, 'f', 8, true, 3, shape);
    made.header.count = 1000000000u;
    made.header.data_size = 8000000000u;
    assert_int_equal(snpy_view_open(&made.header, made.header.data_size, &view, &error.error), SNPY_OK);
    assert_int_equal(snpy_view_dense(&view, false, &other, &error.error), SNPY_OK);
    snpy_parts_boxes(&view, &other, (uint64_t)8 << 20, &parts);
    assert_true(parts.side[0] >= 512 && parts.side[2] >= 512 && parts.side[1] <= 2);
    snpy_parts_rows(&view, (uint64_t)8 << 20, &parts);
    assert_true(parts.side[0] == 1 && parts.side[1] == 1000 && parts.side[2] == 1000);
    snpy_parts_strips(&view, &other, (uint64_t)16 << 20, 2048, &parts);
    assert_true(parts.side[0] >= 250 && parts.side[0] <= 256 && parts.side[1] <= 9 && parts.side[2] == 1000);
}

/* Strips of a matrix are whole rows of the other order, in equal steps, if they have room. */
static void test_strips(void **state)
{
    const uint64_t shape[2] = {8192, 8193};
    struct made made;
    snpy_view view;
    snpy_view other;
    snpy_parts parts;
    (void)state;
    make(&made, 'f', 8, true, 2, shape);
    made.header.count = shape[0] * shape[1];
    made.header.data_size = 8 * made.header.count;
    assert_int_equal(snpy_view_open(&made.header, made.header.data_size, &view, &error.error), SNPY_OK);
    assert_int_equal(snpy_view_dense(&view, false, &other, &error.error), SNPY_OK);
    snpy_parts_strips(&view, &other, (uint64_t)17 << 20, 2048, &parts);
    assert_true(parts.side[0] >= 256 && parts.side[0] <= 272 && parts.side[1] == 8193);
    snpy_parts_strips(&view, &other, (uint64_t)16 << 20, 2048, &parts); /* a row does not fit: two halves do */
    assert_true(parts.side[0] == 256 && parts.side[1] == 4097);
    snpy_parts_strips(&view, &view, (uint64_t)1 << 20, 0, &parts);
    assert_true(parts.side[0] == 8192 && parts.side[1] <= 16);
}

/* A file that ends too early, and a view that reaches behind its data. */
static void test_refused(void **state)
{
    const uint64_t shape[1] = {100};
    struct made made;
    snpy_view view;
    snpy_view memory;
    uint8_t out[800];
    int descriptor = open_content();
    snpy_input input;
    (void)state;
    make(&made, 'f', 8, false, 1, shape);
    made.header.count = 100;
    made.header.data_size = 800;
    assert_int_equal(snpy_view_open(&made.header, 800, &view, &error.error), SNPY_OK);
    snpy_input_from_file(&input, descriptor, FRONT + MOST_BYTES - 799);
    expect_failure(snpy_part_read(&input, &view, out, &memory, &error), &error, SNPY_FILE_CHANGED, "a short file");
    assert_int_equal(error.error.offset, FRONT + MOST_BYTES);
    assert_true(lseek(descriptor, (off_t)input.reader.start, SEEK_SET) > 0);
    input.reader.is_stream = true;
    expect_failure(snpy_part_read(&input, &view, out, &memory, &error), &error, SNPY_TRUNCATED_DATA, "a short stream");
    assert_int_equal(error.error.offset, FRONT + MOST_BYTES);
    view.strides[0] = 9;
    expect_failure(snpy_part_read(&input, &view, out, &memory, &error), &error, SNPY_BAD_ARGUMENT, "a wild view");
    (void)close(descriptor);
}

/* A stream becomes a file, and none of it can be seen in the directory. */
static void test_spool(void **state)
{
    snpy_input input;
    snpy_view view = random_array();
    int descriptor = open_content();
    size_t before = count_files(false);
    (void)state;
    while (view.data_size < 100000 || view.ndim < 1) view = random_array();
    assert_int_equal(setenv("TMPDIR", work_directory, 1), 0);
    snpy_input_from_file(&input, descriptor, FRONT);
    assert_true(lseek(descriptor, FRONT + 20, SEEK_SET) > 0);
    input.reader.is_stream = true;
    input.reader.held = content + FRONT;
    input.reader.held_size = input.reader.position = 20;
    expect_ok(snpy_input_spool(&input, view.data_size, &error), &error);
    assert_true(!input.reader.is_stream && !input.is_borrowed && count_files(false) == before);
    assert_int_equal(snpy_view_transpose(&view, &error.error), SNPY_OK);
    read_and_compare(&input, &view);
    snpy_input_close(&input);
    assert_int_equal(setenv("TMPDIR", in_work("nowhere"), 1), 0);
    input.reader.is_stream = true;
    expect_failure(snpy_input_spool(&input, 5, &error), &error, SNPY_IO_ERROR, "no directory");
    (void)close(descriptor);
}

static int set_up_content(void **state)
{
    if (set_up(state) != 0) return -1;
    content = make_data(FRONT + MOST_BYTES, 3);
    write_bytes(in_work("content"), content, FRONT + MOST_BYTES);
    return 0;
}

static int tear_down_content(void **state)
{
    free(content);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),  cmocka_unit_test(test_forward), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_boxes), cmocka_unit_test(test_strips),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_spool),
    };
    return cmocka_run_group_tests(tests, set_up_content, tear_down_content);
}
