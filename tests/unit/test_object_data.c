/* Tests of the values of object arrays: src/host/object_data.c, object_array.c.
 *                                          NPY-PKL-001, NPY-PKL-019, NPY-PKL-020, NPY-PKL-022, NPY-PKL-025 */
#include "tests/unit/support.h"

#include "safenpy/object_data.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* A pickle as a string of C. */
#define PICKLE(text) (const uint8_t *)(text), sizeof(text) - 1

static snpy_object_data *open_pickle(const uint8_t *pickle, size_t length)
{
    snpy_io_error error;
    snpy_object_data *data = NULL;
    assert_int_equal(snpy_object_data_open(pickle, length, SNPY_SET_PLAIN, &data, &error), SNPY_OK);
    return data;
}

/* The only member of a list. */
static int32_t only(const snpy_object_data *data, int32_t list)
{
    snpy_object_members members = snpy_object_begin(data, list);
    int32_t value = snpy_object_next(data, &members);
    assert_true(value != 0);
    assert_int_equal(snpy_object_next(data, &members), 0);
    return value;
}

static void assert_text(const snpy_object_data *data, int32_t value, const char *wanted)
{
    uint8_t text[64];
    uint64_t length = snpy_object_text(data, value, text, sizeof text);
    assert_true(length == strlen(wanted));
    assert_memory_equal(text, wanted, strlen(wanted));
}

static void test_refusals(void **state)
{
    snpy_io_error error;
    snpy_object_data *data = (snpy_object_data *)(void *)&error;
    (void)state;
    /* cos\nsystem\n. names a global that is in no set. */
    assert_int_equal(snpy_object_data_open(PICKLE("cos\nsystem\n."), SNPY_SET_PLAIN, &data, &error), SNPY_PKL_GLOBAL);
    assert_null(data);
    assert_true(error.error.offset == 0);
    assert_int_equal(snpy_object_data_open(PICKLE("(K\001"), SNPY_SET_PLAIN, &data, &error), SNPY_PKL_TRUNCATED);
    assert_int_equal(snpy_object_data_open(PICKLE("\x80\004\x8f."), SNPY_SET_DATA, &data, &error), SNPY_PKL_NOT_DATA);
    assert_int_equal(snpy_object_data_open(PICKLE("N."), SNPY_SET_OTHER, &data, &error), SNPY_BAD_ARGUMENT);
    snpy_object_data_close(&data);
}

static void assert_digits(const uint8_t *pickle, size_t length, const char *wanted)
{
    char digits[SNPY_OBJECT_DIGITS];
    snpy_object_data *data = open_pickle(pickle, length);
    size_t size = snpy_object_digits(data, snpy_object_root(data), digits);
    assert_int_equal(size, strlen(wanted));
    assert_memory_equal(digits, wanted, size);
    snpy_object_data_close(&data);
}

static void test_integers_in_decimal(void **state)
{
    (void)state;
    assert_digits(PICKLE("K\377."), "255");
    assert_digits(PICKLE("M\000\001."), "256");
    assert_digits(PICKLE("J\377\377\377\377."), "-1");
    assert_digits(PICKLE("J\000\000\000\200."), "-2147483648");
    assert_digits(PICKLE("\x80\002\x8a\000."), "0");
    assert_digits(PICKLE("\x80\002\x8a\011\000\000\000\000\000\000\000\000\001."), "18446744073709551616");
    assert_digits(PICKLE("\x80\002\x8a\011\000\000\000\000\000\000\000\000\377."), "-18446744073709551616");
    assert_digits(PICKLE("\x80\002\x8a\001\200."), "-128");
    assert_digits(PICKLE("\x80\002\x8a\005\000\312\232\073\000."), "1000000000");
    assert_digits(PICKLE("L-123456789012345678901234567890L\n."), "-123456789012345678901234567890");
    assert_digits(PICKLE("I-7\n."), "-7");
}

static void test_integers(void **state)
{
    int64_t number = 0;
    (void)state;
    snpy_object_data *data = open_pickle(PICKLE("\x80\002\x8a\010\000\000\000\000\000\000\000\200."));
    assert_int_equal(snpy_object_int(data, snpy_object_root(data), &number), SNPY_OK);
    assert_true(number == INT64_MIN);
    snpy_object_data_close(&data);
    data = open_pickle(PICKLE("\x80\002\x8a\011\000\000\000\000\000\000\000\200\000."));
    assert_int_equal(snpy_object_int(data, snpy_object_root(data), &number), SNPY_WRONG_TYPE);
    snpy_object_data_close(&data);
}

static void test_floats(void **state)
{
    double number = 0;
    (void)state;
    snpy_object_data *data = open_pickle(PICKLE("G\277\360\000\000\000\000\000\000."));
    assert_int_equal(snpy_object_float(data, snpy_object_root(data), &number), SNPY_OK);
    assert_true(number == -1.0);
    assert_true(snpy_object_text(data, snpy_object_root(data), NULL, 0) == UINT64_MAX);
    snpy_object_data_close(&data);
    data = open_pickle(PICKLE("F1.5e-300\n."));
    assert_int_equal(snpy_object_float(data, snpy_object_root(data), &number), SNPY_OK);
    assert_true(number == 1.5e-300);
    snpy_object_data_close(&data);
    data = open_pickle(PICKLE("Fnan\n."));
    assert_int_equal(snpy_object_float(data, snpy_object_root(data), &number), SNPY_OK);
    assert_true(isnan(number));
    snpy_object_data_close(&data);
}

static void test_texts(void **state)
{
    (void)state;
    snpy_object_data *data = open_pickle(PICKLE("Va\\u00e9\\u20ac\\U0001f600\n."));
    assert_text(data, snpy_object_root(data), "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    snpy_object_data_close(&data);
    data = open_pickle(PICKLE("S'a\\x41\\n\\\\'\n."));
    assert_text(data, snpy_object_root(data), "aA\n\\");
    snpy_object_data_close(&data);
    /* What _codecs encode makes of a string is bytes. */
    data =
        open_pickle(PICKLE("\x80\002c_codecs\nencode\nX\004\000\000\000\xc3\xa9\xc3\xbfX\006\000\000\000latin1\x86R."));
    assert_text(data, snpy_object_root(data), "\xe9\xff");
    snpy_object_data_close(&data);
}

static void test_dictionary(void **state)
{
    (void)state;
    /* {'a': 1, 'b': [2], 'é': None} */
    snpy_object_data *data = open_pickle(PICKLE("\x80\004}(\x8c\001aK\001\x8c\001b]K\002a\x8c\002\xc3\xa9Nu."));
    const int32_t root = snpy_object_root(data);
    int64_t number = 0;
    assert_int_equal(snpy_object_int(data, snpy_object_find(data, root, "a", 1), &number), SNPY_OK);
    assert_true(number == 1);
    const int32_t list = snpy_object_find(data, root, "b", 1);
    assert_int_equal(snpy_object_node(data, list)->kind, SNPY_NODE_LIST);
    assert_int_equal(snpy_object_int(data, only(data, list), &number), SNPY_OK);
    assert_true(number == 2);
    assert_int_equal(snpy_object_node(data, snpy_object_find(data, root, "\xc3\xa9", 2))->kind, SNPY_NODE_NONE);
    assert_int_equal(snpy_object_find(data, root, "c", 1), 0);
    assert_int_equal(snpy_object_find(data, root, "", 0), 0);
    assert_int_equal(snpy_object_find(data, list, "a", 1), 0);
    snpy_object_data_close(&data);
}

static void test_ordered_dictionary(void **state)
{
    (void)state;
    /* OrderedDict([['k', 1]]), as Python 2 writes it. */
    snpy_object_data *data = open_pickle(PICKLE("ccollections\nOrderedDict\n((l(lVk\naI1\naatR."));
    const int32_t root = snpy_object_root(data);
    snpy_object_members members = snpy_object_begin(data, root);
    int64_t number = 0;
    assert_true(snpy_object_next(data, &members) != 0 && members.is_pair);
    assert_int_equal(snpy_object_int(data, snpy_object_find(data, root, "k", 1), &number), SNPY_OK);
    assert_true(number == 1);
    assert_int_equal(snpy_object_node(data, snpy_object_arguments(data, root))->kind, SNPY_NODE_TUPLE);
    assert_int_equal(snpy_object_state(data, root), 0);
    snpy_object_data_close(&data);
}

static void test_shared_values(void **state)
{
    (void)state;
    /* A list in itself. */
    snpy_object_data *data = open_pickle(PICKLE("]q\000h\000a."));
    const int32_t root = snpy_object_root(data);
    assert_int_equal(only(data, root), root);
    assert_true(snpy_object_is_shared(data, root));
    assert_true((size_t)root < snpy_object_count(data));
    snpy_object_data_close(&data);
}

/* numpy's array [1, 2] of a type; `state` of the array follows its dtype's. */
#define ARRAY_HEAD                                                             \
    "\x80\003cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\000\x85" \
    "C\001b\x87R(K\001"
#define DTYPE(type, order, flags)                                                          \
    "cnumpy\ndtype\nX\002\000\000\000" type "K\000K\001\x87R(K\003X\001\000\000\000" order \
    "NNNJ\377\377\377\377J\377\377\377\377K" flags "tb"

static snpy_status make(const uint8_t *pickle, size_t length, snpy_array *array, snpy_io_error *error)
{
    snpy_object_data *data = open_pickle(pickle, length);
    snpy_status status = snpy_object_array(data, snpy_object_root(data), array, error);
    snpy_object_data_close(&data);
    return status;
}

static void test_array(void **state)
{
    snpy_array array;
    snpy_io_error error;
    (void)state;
    assert_int_equal(make(PICKLE(ARRAY_HEAD "K\002\x85" DTYPE("i2", ">", "\000") "\x89"
                                                                                 "C\004\000\001\000\002tb."),
                          &array, &error),
                     SNPY_OK);
    assert_true(array.header.ndim == 1 && array.header.shape[0] == 2 && array.data_size == 4);
    assert_int_equal(array.header.dtype.byteorder, '>');
    assert_memory_equal(array.data, "\000\001\000\002", 4);
    snpy_array_release(&array);
}

static void test_array_that_is_refused(void **state)
{
    /* Fewer bytes than the shape says. */
    static const char pickle[] = ARRAY_HEAD "K\003\x85" DTYPE("i2", "<", "\000") "\x89"
                                                                                 "C\004\000\001\000\002tb.";
    snpy_object_data *data = NULL;
    snpy_array array;
    snpy_io_error error;
    (void)state;
    assert_int_equal(snpy_object_data_open((const uint8_t *)pickle, sizeof pickle - 1, SNPY_SET_PLAIN, &data, &error),
                     SNPY_PKL_ARRAY);
    assert_true(data == NULL);
    assert_int_equal(error.error.offset, sizeof pickle - 3); /* the BUILD */
    /* A value that is no array. */
    assert_int_equal(make(PICKLE("N."), &array, &error), SNPY_WRONG_TYPE);
    snpy_array_release(&array);
}

static void test_match(void **state)
{
    static const char pickle[] = ARRAY_HEAD "K\002\x85" DTYPE("O8", "|", "\077") "\x89](NNetb.";
    snpy_object_data *data = NULL;
    snpy_io_error error;
    snpy_array head = {.header = {.ndim = 1, .shape = {2}, .dtype = {.kind = SNPY_KIND_OBJECT}}};
    (void)state;
    assert_int_equal(snpy_object_data_open((const uint8_t *)pickle, sizeof pickle - 1, SNPY_SET_PLAIN, &data, &error),
                     SNPY_OK);
    assert_int_equal(snpy_object_data_match(data, &head), SNPY_OK);
    head.header.shape[0] = 3;
    assert_int_equal(snpy_object_data_match(data, &head), SNPY_PKL_HEADER);
    head.header.shape[0] = 2;
    head.header.fortran_order = true;
    assert_int_equal(snpy_object_data_match(data, &head), SNPY_PKL_HEADER);
    head.header.fortran_order = false;
    head.header.dtype.kind = SNPY_KIND_RECORD;
    assert_int_equal(snpy_object_data_match(data, &head), SNPY_PKL_HEADER);
    snpy_object_data_close(&data);
}

/* A file or a pipe is read to its end. */
static void test_load(void **state)
{
    static const char file[] =
        "\x93NUMPY\001\000\072\000{'descr': '|O', 'fortran_order': False, 'shape': (2, ), }\n" ARRAY_HEAD
        "K\002\x85" DTYPE("O8", "|", "\077") "\x89](NNetb.";
    char name[] = "/tmp/safenpy-objects-XXXXXX";
    char fifo[64];
    int ends[2];
    snpy_object_data *data = NULL;
    snpy_io_error error;
    (void)state;
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0 && write(descriptor, file, sizeof file - 1) == (ssize_t)(sizeof file - 1));
    assert_int_equal(snpy_object_data_load(name, SNPY_SET_PLAIN, &data, &error), SNPY_OK);
    snpy_object_members members = snpy_object_begin(data, snpy_object_root(data));
    assert_true(snpy_object_next(data, &members) != 0 && snpy_object_next(data, &members) != 0);
    snpy_object_data_close(&data);
    /* One byte less, by a pipe: the offset counts from the beginning of the file. */
    assert_true(pipe(ends) == 0 && write(ends[1], file, sizeof file - 2) == (ssize_t)(sizeof file - 2));
    (void)close(ends[1]);
    (void)snprintf(fifo, sizeof fifo, "/dev/fd/%d", ends[0]);
    assert_int_equal(snpy_object_data_load(fifo, SNPY_SET_PLAIN, &data, &error), SNPY_PKL_TRUNCATED);
    assert_null(data);
    assert_true(error.error.offset == sizeof file - 2 && strcmp(error.path, fifo) == 0);
    (void)close(ends[0]);
    /* A file that ends in its header, and one without objects. */
    assert_true(ftruncate(descriptor, 20) == 0);
    assert_int_equal(snpy_object_data_load(name, SNPY_SET_PLAIN, &data, &error), SNPY_TRUNCATED_HEADER);
    (void)close(descriptor);
    (void)unlink(name);
    assert_int_equal(snpy_object_data_load(name, SNPY_SET_PLAIN, &data, &error), SNPY_IO_ERROR);
    assert_null(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_integers_in_decimal),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_dictionary),
        cmocka_unit_test(test_ordered_dictionary),
        cmocka_unit_test(test_shared_values),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_array_that_is_refused),
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
