/* test_copy_fast.c: the fast copies leave what the proved ones leave, on every shape up to 5 dimensions.
 *                                                                        NPY-VALUE-001, NPY-VALUE-011, API-VIEW */
#include "data/block.h"
#include "support.h"

#define MOST_DIMS 5
#define MARGIN 32 /* bytes around the elements, which nobody may write to */

static snpy_error error;

/* How elements are copied. */
struct way {
    uint32_t itemsize;
    uint32_t count;
    snpy_run runs[4];
};

static const struct way ways[] = {
    {1, 1, {{0, 1, 1, SNPY_ACTION_KEEP}}},
    {2, 1, {{0, 2, 1, SNPY_ACTION_KEEP}}},
    {2, 1, {{0, 2, 2, SNPY_ACTION_SWAP}}},
    {3, 1, {{0, 3, 1, SNPY_ACTION_KEEP}}},
    {4, 1, {{0, 4, 1, SNPY_ACTION_KEEP}}},
    {4, 1, {{0, 4, 4, SNPY_ACTION_SWAP}}},
    {4, 1, {{0, 4, 2, SNPY_ACTION_SWAP}}},
    {8, 1, {{0, 8, 1, SNPY_ACTION_KEEP}}},
    {8, 1, {{0, 8, 2, SNPY_ACTION_SWAP}}},
    {8, 1, {{0, 8, 4, SNPY_ACTION_SWAP}}},
    {8, 1, {{0, 8, 8, SNPY_ACTION_SWAP}}},
    {12, 1, {{0, 12, 12, SNPY_ACTION_SWAP}}},
    {12, 1, {{0, 12, 4, SNPY_ACTION_SWAP}}},
    {16, 1, {{0, 16, 1, SNPY_ACTION_KEEP}}},
    {16, 1, {{0, 16, 2, SNPY_ACTION_SWAP}}},
    {16, 1, {{0, 16, 4, SNPY_ACTION_SWAP}}},
    {16, 1, {{0, 16, 8, SNPY_ACTION_SWAP}}},
    {16, 1, {{0, 16, 16, SNPY_ACTION_SWAP}}},
    {7, 1, {{0, 7, 1, SNPY_ACTION_ZERO}}},
    {7, 1, {{0, 7, 2, SNPY_ACTION_SWAP}}}, /* a byte is left over: no type has this, but a plan may */
    {9, 1, {{2, 8, 1, SNPY_ACTION_KEEP}}}, /* runs that do not cover the element */
    {8, 0, {{0, 0, 1, SNPY_ACTION_KEEP}}},
    {0, 0, {{0, 0, 1, SNPY_ACTION_KEEP}}},
    {24,
     4,
     {{0, 2, 2, SNPY_ACTION_SWAP},
      {2, 8, 1, SNPY_ACTION_ZERO},
      {8, 16, 8, SNPY_ACTION_SWAP},
      {16, 24, 1, SNPY_ACTION_KEEP}}},
};

/* A view of a shape, with its axes in an order from the outermost in memory to the innermost, some walked backwards, and
 * gaps of `gap` bytes between elements and between the elements of an axis. */
static snpy_view arrange(uint32_t itemsize, uint32_t ndim, const uint64_t *shape, const uint32_t *order,
                         uint64_t backwards, uint32_t gap)
{
    snpy_view view;
    memset(&view, 0, sizeof view);
    view.itemsize = itemsize;
    view.ndim = ndim;
    view.count = 1;
    view.offset = MARGIN;
    int64_t stride = (int64_t)itemsize + gap;
    for (uint32_t i = ndim; i > 0; i--) {
        uint32_t axis = order[i - 1];
        uint64_t length = shape[axis];
        view.shape[axis] = length;
        view.count *= length;
        view.strides[axis] = (backwards >> axis & 1) != 0 ? -stride : stride;
        if (view.strides[axis] < 0 && length > 0) view.offset += (length - 1) * (uint64_t)stride;
        stride *= (int64_t)(length == 0 ? 1 : length);
        if (gap > 0) stride += gap;
    }
    view.data_size = MARGIN + (uint64_t)stride + MARGIN;
    return view;
}

/* Both copies of one view into another, byte for byte; then both conversions. */
static void compare(const snpy_view *from, const snpy_view *to, const struct way *way)
{
    static snpy_run runs[4];
    memcpy(runs, way->runs, sizeof runs);
    const snpy_plan plan = {runs, 4, way->count, way->itemsize};
    uint8_t *data = allocate((size_t)from->data_size);
    uint8_t *expected = allocate((size_t)to->data_size);
    uint8_t *got = allocate((size_t)to->data_size);
    for (size_t i = 0; i < from->data_size; i++) data[i] = (uint8_t)(i * 7 + i / 256 + 1);
    memset(expected, GUARD, (size_t)to->data_size);
    memset(got, GUARD, (size_t)to->data_size);
    snpy_status plain = snpy_copy(from, data, &plan, to, expected, &error);
    snpy_status fast = snpy_copy_fast(from, data, &plan, to, got, &error);
    expect_that(plain == fast && error.status == fast, "%s, not %s\n", snpy_status_name(fast), snpy_status_name(plain));
    expect_that(memcmp(got, expected, (size_t)to->data_size) == 0, "size %u, %u dimensions, count %llu\n",
                way->itemsize, from->ndim, (unsigned long long)from->count);
    if (plain == SNPY_OK) {
        assert_int_equal(snpy_convert(to, expected, &plan, &error), SNPY_OK);
        assert_int_equal(snpy_copy_fast_in_place(to, got, &plan, &error), SNPY_OK);
        expect_that(memcmp(got, expected, (size_t)to->data_size) == 0, "in place: size %u, %u dimensions\n",
                    way->itemsize, from->ndim);
    }
    free(data);
    free(expected);
    free(got);
}

/* The permutation of a number: digits to base ndim, ndim - 1, …; fewer than ndim! of them. */
static void permute(uint32_t ndim, unsigned number, uint32_t *order)
{
    for (uint32_t k = 0; k < ndim; k++) order[k] = k;
    for (uint32_t k = 0; k + 1 < ndim; k++) {
        uint32_t other = k + number % (ndim - k);
        uint32_t axis = order[k];
        number /= ndim - k;
        order[k] = order[other];
        order[other] = axis;
    }
}

static unsigned factorial(uint32_t n)
{
    unsigned product = 1;
    for (uint32_t k = 2; k <= n; k++) product *= k;
    return product;
}

/* A shape, all orders of its axes on the one side; the other side, directions, gaps and ways in turn. */
static void compare_shape(uint32_t ndim, const uint64_t *shape, unsigned *turn)
{
    const unsigned orders = factorial(ndim);
    for (unsigned k = 0; k < orders; k++, (*turn)++) {
        uint32_t order[MOST_DIMS] = {0};
        uint32_t other[MOST_DIMS] = {0};
        const struct way *way = &ways[*turn % COUNT(ways)];
        permute(ndim, k, order);
        permute(ndim, *turn % 3 == 0 ? 0 : (*turn * 7 + 1) % orders, other);
        const unsigned bits = *turn % 5 < 2 ? 0 : (*turn * 2654435761u) >> 8;
        snpy_view from = arrange(way->itemsize, ndim, shape, order, bits & 31, *turn / 3 % 3 == 1 ? 3 : 0);
        snpy_view to = arrange(way->itemsize, ndim, shape, other, bits >> 5 & 31, *turn / 5 % 4 == 1 ? 5 : 0);
        compare(&from, &to, way);
    }
}

/* Every shape with lengths 0 to 4 (0 to 3 in 5 dimensions), and every order of its axes. */
static void test_every_small_shape(void **state)
{
    unsigned turn = 0;
    (void)state;
    for (uint32_t ndim = 0; ndim <= MOST_DIMS; ndim++) {
        const unsigned lengths = ndim < MOST_DIMS ? 5 : 4;
        unsigned shapes = 1;
        for (uint32_t k = 0; k < ndim; k++) shapes *= lengths;
        for (unsigned number = 0; number < shapes; number++) {
            uint64_t shape[MOST_DIMS] = {0};
            unsigned rest = number;
            for (uint32_t k = 0; k < ndim; k++, rest /= lengths) shape[k] = rest % lengths;
            compare_shape(ndim, shape, &turn);
        }
    }
    assert_true(turn > 120000);
}

/* Every way with every small shape up to 3 dimensions, in all directions. */
static void test_every_way(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        for (unsigned number = 0; number < 4 * 4 * 4; number++) {
            const uint64_t shape[3] = {number % 4, number / 4 % 4, number / 16 % 4};
            for (unsigned k = 0; k < 6 * 6; k++) {
                uint32_t order[3];
                uint32_t other[3];
                permute(3, k % 6, order);
                permute(3, k / 6, other);
                snpy_view from = arrange(ways[w].itemsize, 3, shape, order, (k + number) & 7, k % 2 == 0 ? 0 : 2);
                snpy_view to = arrange(ways[w].itemsize, 3, shape, other, k * 5 & 7, k % 5 == 0 ? 1 : 0);
                compare(&from, &to, &ways[w]);
            }
        }
    }
}

/* Sides around those of tiles. */
static void test_tiles(void **state)
{
    static const uint64_t sides[] = {1, 7, 8, 9, 31, 33, 64, 65, 130, 513};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        for (size_t i = 0; i < COUNT(sides) * COUNT(sides); i++) {
            const uint64_t shape[3] = {sides[i / COUNT(sides)], i % 3 == 0 ? 3 : 1, sides[i % COUNT(sides)]};
            const uint32_t order[3] = {0, 1, 2};
            const uint32_t other[3] = {2, i % 2 == 0 ? 1u : 0u, i % 2 == 0 ? 0u : 1u};
            if (shape[0] * shape[2] > 20000 && w % 4 != i % 4) continue;
            snpy_view from = arrange(ways[w].itemsize, 3, shape, order, 0, 0);
            snpy_view to = arrange(ways[w].itemsize, 3, shape, other, i % 4 == 3 ? 5 : 0, 0);
            compare(&from, &to, &ways[w]);
            compare(&to, &from, &ways[w]);
        }
    }
}

/* A side longer than a large tile of the smallest elements. */
static void test_large_tiles(void **state)
{
    const uint64_t shape[2] = {2050, 2060};
    const uint32_t order[2] = {0, 1};
    const uint32_t other[2] = {1, 0};
    (void)state;
    snpy_view from = arrange(ways[0].itemsize, 2, shape, order, 0, 0);
    snpy_view to = arrange(ways[0].itemsize, 2, shape, other, 0, 0);
    compare(&from, &to, &ways[0]);
}

/* Transpositions that are too large for the caches: rows that all begin a line of memory after as many elements, rows
 * that begin anywhere in one, and elements that are not aligned at all. */
static void test_large_transpositions(void **state)
{
    const uint32_t order[2] = {0, 1};
    const uint32_t other[2] = {1, 0};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        const uint32_t size = ways[w].itemsize;
        if (ways[w].count != 1 || size > 16 || 16 % (size > 0 ? size : 3) != 0) continue;
        const uint64_t columns = ((((uint64_t)4 << 20) / 35 / 64) + 2) * 64 / size;
        for (unsigned kind = 0; kind < 4; kind++) {
            if (size < 8 && kind != w % 4) continue;
            const uint64_t shape[2] = {35, kind == 1 ? columns - 1 : columns};
            snpy_view from = arrange(size, 2, shape, other, 0, 0);
            snpy_view to = arrange(size, 2, shape, order, 0, 0);
            to.offset += kind == 2 ? 16 : kind == 3 ? 1 : 0;
            compare(&from, &to, &ways[w]);
        }
    }
}

/* Small blocks whose rows lie so far apart that no cache holds a line until it is wanted again, as arrays of many axes
 * have them: rows around the shortest that go past the caches, which begin lines of memory alike or not. */
static void test_distant_rows(void **state)
{
    static const uint64_t bytes[] = {112, 128, 144, 192, 336, 2064};
    static const int64_t leaps[] = {65536, 65536 + 16, 65536 + 64, 65536 + 1};
    const uint32_t order[2] = {0, 1};
    const uint32_t other[2] = {1, 0};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        const uint32_t size = ways[w].itemsize;
        if (ways[w].count != 1 || size > 16 || 16 % (size > 0 ? size : 3) != 0) continue;
        for (size_t i = 0; i < COUNT(bytes) * COUNT(leaps); i++) {
            const uint64_t shape[2] = {67, bytes[i / COUNT(leaps)] / size};
            snpy_view from = arrange(size, 2, shape, other, 0, 0);
            snpy_view to = arrange(size, 2, shape, order, 0, 0);
            to.strides[0] = leaps[i % COUNT(leaps)];
            to.offset += i % 5 == 0 ? 32 : i % 3;
            to.data_size = to.offset + 67 * (uint64_t)to.strides[0] + MARGIN;
            compare(&from, &to, &ways[w]);
        }
    }
}

/* Dense runs of every length around those of blocks, words and pages, and long ones, which go past the caches. */
static void test_runs(void **state)
{
    static const uint64_t bytes[] = {63,    64,    65,    127,   129,   4096,           16384,
                                     16385, 16448, 32832, 65551, 70000, (4 << 20) - 16, (4 << 20) + 16400};
    const uint32_t order[1] = {0};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        for (size_t i = 0; i < COUNT(bytes) && ways[w].itemsize > 0; i++) {
            const uint64_t shape[1] = {bytes[i] / ways[w].itemsize};
            if (bytes[i] > 1 << 20 && ways[w].count > 1) continue;
            for (unsigned shift = 0; shift < 4; shift++) {
                snpy_view from = arrange(ways[w].itemsize, 1, shape, order, 0, 0);
                snpy_view to = arrange(ways[w].itemsize, 1, shape, order, 0, 0);
                to.offset += (uint64_t)shift * shift; /* 0, 1, 4, 9: aligned or not */
                if (bytes[i] > 1 << 20 && shift > 1) continue;
                compare(&from, &to, &ways[w]);
            }
        }
    }
}

/* Numbers reversed by vectors of one kind, where they are or elsewhere: as many whole groups of pages as there are, and
 * nothing behind them. */
static void reverse_groups(enum snpy_vectors vectors, uint32_t unit, size_t size, bool is_here)
{
    uint8_t *memory = allocate(2 * size + 256);
    uint8_t *to = memory + (64 - (uintptr_t)memory % 64) % 64;
    uint8_t *from = is_here ? to : to + size + 65; /* not aligned */
    const bool has_way = unit == 2 || unit == 4 || unit == 8 || unit == 16;
    memset(to, GUARD, size);
    for (size_t i = 0; i < size; i++) from[i] = (uint8_t)(i * 5 + i / 256);
    const size_t done = (size_t)snpy_reverse_groups(from, to, size, unit, vectors);
    expect_that(done <= size && done % 4096 == 0, "%zu bytes of %zu are done\n", done, size);
    expect_that(has_way ? size - done < 65536 : done == 0, "%zu of %zu\n", done, size);
    for (size_t i = 0; i < size; i++) {
        const size_t k = i < done ? i / unit * unit + unit - 1 - i % unit : i;
        const uint8_t expected = i < done || is_here ? (uint8_t)(k * 5 + k / 256) : GUARD;
        if (to[i] != expected) fail_msg("vectors of %d, unit %u, byte %zu of %zu", (int)vectors, unit, i, size);
    }
    free(memory);
}

/* The vectors that this processor would not choose, too, as far as it has them. */
static void test_vectors(void **state)
{
    static const enum snpy_vectors kinds[] = {SNPY_VECTORS_NONE, SNPY_VECTORS_16, SNPY_VECTORS_32};
    static const uint32_t units[] = {1, 2, 3, 4, 8, 12, 16};
    static const size_t sizes[] = {0, 4096, 65536, 65536 + 4096 + 16, ((size_t)4 << 20) + 16384 + 48};
    (void)state;
    assert_true(snpy_best_vectors() <= SNPY_VECTORS_32);
    for (size_t v = 1; v < COUNT(kinds) && kinds[v] <= snpy_best_vectors(); v++) {
        for (size_t i = 0; i < COUNT(units) * COUNT(sizes); i++) {
            reverse_groups(kinds[v], units[i % COUNT(units)], sizes[i / COUNT(units)], false);
            reverse_groups(kinds[v], units[i % COUNT(units)], sizes[i / COUNT(units)], true);
        }
    }
    for (size_t i = 0; i < COUNT(sizes); i++)
        assert_int_equal(snpy_reverse_groups(NULL, NULL, sizes[i], 8, SNPY_VECTORS_NONE), 0);
}

/* Different shapes with as many elements are copied element for element in C order. */
static void test_other_shape(void **state)
{
    const uint64_t shape[2] = {6, 4};
    const uint64_t flat[3] = {2, 3, 4};
    const uint32_t order[3] = {0, 1, 2};
    const uint32_t other[3] = {2, 0, 1};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        snpy_view from = arrange(ways[w].itemsize, 2, shape, order, 0, 0);
        snpy_view to = arrange(ways[w].itemsize, 3, flat, other, 0, 0);
        compare(&from, &to, &ways[w]);
        compare(&to, &from, &ways[w]);
        to = arrange(ways[w].itemsize, 3, flat, order, 0, 0);
        compare(&from, &to, &ways[w]);
    }
}

/* What is repeated in `from` may be read as often; where places in `to` overlap, the last element in C order stays. */
static void test_overlapping_places(void **state)
{
    const uint64_t shape[2] = {5, 4};
    const uint32_t order[2] = {0, 1};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        for (int64_t stride = -3; stride <= 3; stride++) {
            snpy_view from = arrange(ways[w].itemsize, 2, shape, order, 0, 0);
            snpy_view to = from;
            from.strides[stride & 1] = stride > 0 ? stride : 0;
            to.offset = MARGIN + 16;
            to.strides[0] = stride;
            static snpy_run runs[4];
            memcpy(runs, ways[w].runs, sizeof runs);
            const snpy_plan plan = {runs, 4, ways[w].count, ways[w].itemsize};
            uint8_t data[1024];
            uint8_t expected[1024];
            uint8_t got[1024];
            assert_true(from.data_size <= sizeof data && to.data_size <= sizeof got);
            for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 11);
            memset(expected, GUARD, sizeof expected);
            memset(got, GUARD, sizeof got);
            assert_int_equal(snpy_copy(&from, data, &plan, &to, expected, &error), SNPY_OK);
            assert_int_equal(snpy_copy_fast(&from, data, &plan, &to, got, &error), SNPY_OK);
            assert_memory_equal(got, expected, sizeof got);
        }
    }
}

/* 64 axes: 1 elsewhere, 2 in some. */
static void test_many_axes(void **state)
{
    uint64_t shape[SNPY_MAX_NDIM];
    uint32_t order[SNPY_MAX_NDIM];
    uint32_t other[SNPY_MAX_NDIM];
    (void)state;
    for (uint32_t k = 0; k < SNPY_MAX_NDIM; k++) {
        shape[k] = k % 6 == 0 ? 2 : 1;
        order[k] = k;
        other[k] = SNPY_MAX_NDIM - 1 - k;
    }
    for (size_t w = 0; w < COUNT(ways); w++) {
        snpy_view from = arrange(ways[w].itemsize, SNPY_MAX_NDIM, shape, order, 0x41041, 0);
        snpy_view to = arrange(ways[w].itemsize, SNPY_MAX_NDIM, shape, other, 0, 0);
        compare(&from, &to, &ways[w]);
    }
}

static void refuse(const snpy_view *from, const snpy_plan *plan, const snpy_view *to)
{
    uint8_t data[512];
    uint8_t out[512];
    memset(data, 1, sizeof data);
    memset(out, GUARD, sizeof out);
    assert_int_equal(snpy_copy_fast(from, data, plan, to, out, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(error.status, SNPY_BAD_ARGUMENT);
    assert_true(is_filled(out, GUARD, sizeof out));
}

/* Views and plans that are not sound or do not fit each other: nothing is written. */
static void test_refusals(void **state)
{
    const uint64_t shape[1] = {8};
    const uint64_t longer[1] = {9};
    const uint32_t order[1] = {0};
    snpy_run runs[1] = {{0, 8, 8, SNPY_ACTION_SWAP}};
    snpy_plan plan = {runs, 1, 1, 8};
    uint8_t data[512];
    (void)state;
    const snpy_view good = arrange(8, 1, shape, order, 0, 0);
    snpy_view bad = arrange(8, 1, longer, order, 0, 0);
    refuse(&good, &plan, &bad); /* another number of elements */
    refuse(&bad, &plan, &good);
    bad = good;
    bad.offset = good.data_size - 63; /* a byte too far */
    refuse(&good, &plan, &bad);
    refuse(&bad, &plan, &good);
    bad = good;
    bad.strides[0] = -8;
    refuse(&bad, &plan, &good);
    bad = good;
    bad.ndim = SNPY_MAX_NDIM + 1;
    refuse(&bad, &plan, &good);
    bad = arrange(4, 1, shape, order, 0, 0);
    refuse(&bad, &plan, &good); /* another size of elements */
    refuse(&good, &plan, &bad);
    runs[0].end = 9; /* behind the element */
    refuse(&good, &plan, &good);
    memset(data, 1, sizeof data);
    assert_int_equal(snpy_copy_fast_in_place(&good, data, &plan, &error), SNPY_BAD_ARGUMENT);
    runs[0].end = 8;
    bad = good;
    bad.offset = good.data_size;
    assert_int_equal(snpy_copy_fast_in_place(&bad, data, &plan, &error), SNPY_BAD_ARGUMENT);
    assert_true(is_filled(data, 1, sizeof data));
    bad = good;
    bad.count = 1; /* a view that miscounts is counted again */
    memset(data, 1, sizeof data);
    uint8_t out[512] = {0};
    assert_int_equal(snpy_copy_fast(&bad, data, &plan, &good, out, &error), SNPY_OK);
    assert_true(is_filled(out + MARGIN, 1, 64));
}

/* As many elements without a byte as a header may declare take no time. */
static void test_nothing_to_copy(void **state)
{
    const uint64_t shape[1] = {(uint64_t)1 << 62};
    const uint32_t order[1] = {0};
    const snpy_plan plan = {NULL, 0, 0, 0};
    uint8_t byte[2 * MARGIN] = {0};
    (void)state;
    snpy_view view = arrange(0, 1, shape, order, 0, 0);
    assert_int_equal(snpy_copy(&view, byte, &plan, &view, byte, &error), SNPY_OK);
    assert_int_equal(snpy_convert(&view, byte, &plan, &error), SNPY_OK);
    assert_int_equal(snpy_copy_fast(&view, byte, &plan, &view, byte, &error), SNPY_OK);
    assert_int_equal(snpy_copy_fast_in_place(&view, byte, &plan, &error), SNPY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_shape),
        cmocka_unit_test(test_every_way),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_large_tiles),
        cmocka_unit_test(test_large_transpositions),
        cmocka_unit_test(test_distant_rows),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_other_shape),
        cmocka_unit_test(test_overlapping_places),
        cmocka_unit_test(test_many_axes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nothing_to_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
