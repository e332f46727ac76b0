/* Tests of values that are written as a pickle: src/core/object/write_values.c and emit.c, src/host/object_write.c and
 * object_save.c.
 *                                                                  NPY-PKL-028, NPY-PKL-029, NPY-PKL-030
 * The suite is in $SNPY_CORPUS, or in corpus/ below the directory that the tests run from. */
#include "tests/unit/files.h"

#include "host/object_data.h"

/* A pickle as a string of C. */
#define PICKLE(text) (const uint8_t *)(text), sizeof(text) - 1

/* The dtype of doubles with its state, and what has it: 01234567 as bytes of an array, and StringDType with a flag. */
#define FLOAT "cnumpy\ndtype\n(U\2f8I00\nI01\ntR(K\3U\1<NNNJ\377\377\377\377J\377\377\377\377K\000tb"
#define FROMBUFFER "cnumpy.core.numeric\n_frombuffer\n"
#define EMPTY "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\000tU\1btR(K\1(K\1t"
#define ARRAY(order) EMPTY FLOAT order "U\10\0001234567tb."
#define OBJECTS                                                                                                        \
    "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\000tU\1btR(K\1(K\2tcnumpy\ndtype\n(U\2O8I00\nI01\ntR(" \
    "K\3U\1|"                                                                                                          \
    "NNNJ\377\377\377\377J\377\377\377\377K\077tbI00\n(lp0\nNaNatb."
#define STRINGS(coerce) \
    EMPTY "cnumpy._core._internal\n_convert_to_stringdtype_kwargs\n(" coerce "tRI00\n(X\1\0\0\0altb."

static snpy_object_data *open_pickle(const uint8_t *pickle, size_t length)
{
    snpy_io_error error;
    snpy_object_data *data = NULL;
    assert_int_equal(snpy_object_data_open(pickle, length, SNPY_SET_PLAIN, &data, &error), SNPY_OK);
    return data;
}

/* What is written of a pickle is the bytes wanted.                          NPY-PKL-028, NPY-PKL-029, NPY-PKL-030 */
static void assert_written(const uint8_t *pickle, size_t length, uint32_t protocol, const uint8_t *wanted, size_t size)
{
    snpy_io_error error;
    uint8_t *bytes = NULL;
    size_t written = 0;
    const snpy_pickle_form form = {protocol, false};
    snpy_object_data *data = open_pickle(pickle, length);
    assert_int_equal(snpy_object_data_write(data, &form, &bytes, &written, &error), SNPY_OK);
    assert_int_equal(written, size);
    assert_memory_equal(bytes, wanted, size);
    snpy_object_bytes_free(&bytes);
    assert_null(bytes);
    snpy_object_data_close(&data);
}

static void test_written_values(void **state)
{
    (void)state;
    assert_written(PICKLE("I01\n."), 0, PICKLE("\x80\004\x88."));
    assert_written(PICKLE("L255L\n."), 4, PICKLE("\x80\004K\xff."));
    assert_written(PICKLE("I-1\n."), 4, PICKLE("\x80\004J\xff\xff\xff\xff."));
    assert_written(PICKLE("I65536\n."), 4, PICKLE("\x80\004J\0\0\1\0."));
    assert_written(PICKLE("\x80\002\x8a\003\0\1\0."), 4, PICKLE("\x80\004M\0\1."));
    assert_written(PICKLE("I2147483648\n."), 4, PICKLE("\x80\004\x8a\005\0\0\0\x80\0."));
    assert_written(PICKLE("L36893488147419103232L\n."), 4, PICKLE("\x80\004L36893488147419103232L\n."));
    assert_written(PICKLE("I-36893488147419103232\n."), 4, PICKLE("\x80\004L-36893488147419103232L\n."));
    assert_written(PICKLE("F1.5\n."), 4, PICKLE("\x80\004F1.5\n."));
    assert_written(PICKLE("Va\\u00e9\n."), 4, PICKLE("\x80\004\x8c\003a\xc3\xa9."));
    assert_written(PICKLE("S'a'\n."), 3, PICKLE("\x80\003X\001\0\0\0a."));
    assert_written(PICKLE("(N\x88\x86l."), 4, PICKLE("\x80\004]((N\x88te."));
}

/* A list in itself, and a tuple in a list in the tuple, keep their identity. */
static void test_written_cycles(void **state)
{
    (void)state;
    assert_written(PICKLE("(lp0\ng0\na."), 4, PICKLE("\x80\004]\x94(h\0e."));
    assert_written(PICKLE("(lp0\n(g0\ntp1\na0g1\n."), 4,
                   PICKLE("\x80\004(]\x94((h\0t\x94"
                          "et0h\1."));
}

/* A str that occurs twice is in the memo, whether it is one or two, and however it was written; bytes and numbers are not. */
static void test_written_twice(void **state)
{
    (void)state;
    assert_written(PICKLE("](X\001\0\0\0aX\001\0\0\0ae."), 4, PICKLE("\x80\004](\x8c\001a\x94h\0e."));
    assert_written(PICKLE("](X\001\0\0\0aq\0h\0e."), 4, PICKLE("\x80\004](\x8c\001a\x94h\0e."));
    assert_written(PICKLE("](Va\nS'a'\nVb\nS'b'\nX\001\0\0\0aVba\nVab\nV\ne."), 4,
                   PICKLE("\x80\004](\x8c\001a\x94h\0\x8c\001b\x94h\001h\0\x8c\002ba\x8c\002ab\x8c\0e."));
    assert_written(PICKLE("](C\001aq\0h\0K\001q\001h\001e."), 4, PICKLE("\x80\004](C\001aC\001aK\001K\001e."));
}

static void test_writing_is_refused(void **state)
{
    snpy_io_error error;
    uint8_t *bytes = NULL;
    size_t size = 1;
    const snpy_pickle_form form = {6, false};
    snpy_object_data *data = open_pickle(PICKLE("N."));
    (void)state;
    assert_int_equal(snpy_object_data_write(data, &form, &bytes, &size, &error), SNPY_BAD_ARGUMENT);
    assert_null(bytes);
    assert_int_equal(size, 0);
    snpy_object_data_close(&data);
    /* The decoder has refused text beyond ASCII, but the bytes are the caller's. */
    uint8_t pickle[] = {'U', 1, 'a', '.'};
    data = open_pickle(pickle, sizeof pickle);
    pickle[2] = 0xe9;
    assert_int_equal(snpy_object_data_write(data, NULL, &bytes, &size, &error), SNPY_PKL_RAW_STRING);
    assert_int_equal(error.error.offset, 0);
    assert_null(bytes);
    snpy_object_data_close(&data);
}

/* Pickles of one value are written as the same bytes. */
static void assert_one_form(const uint8_t *pickle, size_t length, const uint8_t *other, size_t other_length)
{
    for (uint32_t protocol = 2; protocol <= 5; protocol++) {
        snpy_io_error error;
        uint8_t *bytes = NULL;
        size_t size = 0;
        const snpy_pickle_form form = {protocol, false};
        snpy_object_data *data = open_pickle(pickle, length);
        assert_int_equal(snpy_object_data_write(data, &form, &bytes, &size, &error), SNPY_OK);
        assert_written(other, other_length, protocol, bytes, size);
        snpy_object_bytes_free(&bytes);
        snpy_object_data_close(&data);
    }
}

static void test_calls_with_several_spellings(void **state)
{
    (void)state;
    assert_one_form(PICKLE("c__builtin__\nbytes\n)R."), PICKLE("C\0."));
    assert_one_form(PICKLE("ccopy_reg\n_reconstructor\n(cuuid\nUUID\nc__builtin__\nobject\nNtR}X\3\0\0\0intK\1sb."),
                    PICKLE("cuuid\nUUID\n)\x81}X\3\0\0\0intK\1sb."));
    /* Eight bytes of a scalar, in three ways. */
    assert_one_form(PICKLE("cnumpy.core.multiarray\nscalar\n(" FLOAT "S'\\x001234567'\ntR."),
                    PICKLE("cnumpy.core.multiarray\nscalar\n(" FLOAT "C\10\0001234567tR."));
    assert_one_form(PICKLE("cnumpy.core.multiarray\nscalar\n(" FLOAT "U\10\0001234567tR."),
                    PICKLE("cnumpy.core.multiarray\nscalar\n(" FLOAT "C\10\0001234567tR."));
    /* An array by its bytes. */
    assert_one_form(PICKLE(FROMBUFFER "(C\10\0001234567" FLOAT "(K\1tX\1\0\0\0CtR."), PICKLE(ARRAY("I00\n")));
    assert_one_form(PICKLE(FROMBUFFER "(\x96\10\0\0\0\0\0\0\0\0001234567" FLOAT "(K\1tX\1\0\0\0CtR."),
                    PICKLE(ARRAY("I00\n")));
    assert_one_form(PICKLE(FROMBUFFER "(c__builtin__\nbytearray\n(C\10\0001234567tR" FLOAT "(K\1tX\1\0\0\0FtR."),
                    PICKLE(ARRAY("\x88")));
    /* An array of StringDType. */
    assert_one_form(PICKLE(STRINGS("K\1")), PICKLE(STRINGS("\x88")));
}

/* An index beyond 255 has four bytes. */
static void test_written_index_of_four_bytes(void **state)
{
    snpy_io_error error;
    uint8_t *bytes = NULL;
    size_t size = 0;
    uint8_t pickle[3 + 298 * 11] = {'('};
    const snpy_pickle_form form = {2, false};
    (void)state;
    for (size_t i = 0; i < 298; i++) {
        const uint8_t index[] = {(uint8_t)(i % 256), (uint8_t)(i / 256), 0, 0};
        uint8_t *one = pickle + 1 + 11 * i; /* an empty list, twice: ]r....j.... */
        one[0] = ']';
        one[1] = 'r';
        memcpy(one + 2, index, 4);
        one[6] = 'j';
        memcpy(one + 7, index, 4);
    }
    pickle[sizeof pickle - 2] = 'l';
    pickle[sizeof pickle - 1] = '.';
    snpy_object_data *data = open_pickle(pickle, sizeof pickle);
    assert_int_equal(snpy_object_data_write(data, &form, &bytes, &size, &error), SNPY_OK);
    /* PROTO and a list; 256 times ]q.h. and 42 times ]r....j....; then e. */
    assert_int_equal(size, 2 + 2 + 256 * 5 + 42 * 11 + 2);
    assert_memory_equal(bytes + 4 + 255 * 5, "]q\xffh\xff]r\0\1\0\0j\0\1\0\0]r\1\1\0\0", 22);
    snpy_object_bytes_free(&bytes);
    snpy_object_data_close(&data);
}

/* Calls f for each name in a folder; returns the sum. */
static unsigned for_each(const char *folder, unsigned (*call)(const char *path))
{
    DIR *stream = opendir(folder);
    unsigned count = 0;
    expect_that(stream != NULL, "%s cannot be read\n", folder);
    if (stream == NULL) abort();
    for (const struct dirent *entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += call(path);
    }
    (void)closedir(stream);
    return count;
}

/* Loads a header. */
static void load_head(const char *path, snpy_array *head)
{
    snpy_io_error error;
    snpy_load_options how = SNPY_LOAD_OPTIONS_INIT;
    how.header_only = true;
    const snpy_status status = snpy_load(path, &how, head, &error);
    expect_that(status == SNPY_OK || status == SNPY_OBJECT_DATA, "%s: %s\n", path, snpy_status_name(status));
}

/* What is saved is the header of the array and the pickle that is written by default. */
static void assert_saved(const snpy_object_data *data, const uint8_t *pickle, size_t size, const char *from)
{
    snpy_io_error error;
    snpy_array head;
    snpy_array old;
    snpy_object_data *again = NULL;
    uint8_t *written = NULL;
    size_t length = 0;
    const char *path = in_work("saved.npy");
    snpy_status status = snpy_object_data_save(path, data, SNPY_VERSION_AUTO, NULL, &error);
    expect_that(status == SNPY_OK, "%s: %s\n", from, snpy_status_name(status));
    load_head(path, &head);
    load_head(from, &old);
    expect_that(head.header.ndim == old.header.ndim && head.header.fortran_order == old.header.fortran_order &&
                    head.header.dtype.kind == old.header.dtype.kind && head.header.frame.data_offset % 64 == 0,
                "%s: the header is another one\n", from);
    assert_int_equal(snpy_object_data_load(path, SNPY_SET_PLAIN, &again, &error), SNPY_OK);
    assert_int_equal(snpy_object_data_write(again, NULL, &written, &length, &error), SNPY_OK);
    expect_that(length == size && memcmp(written, pickle, size) == 0, "%s: the values are others\n", from);
    snpy_object_bytes_free(&written);
    snpy_object_data_close(&again);
    snpy_array_release(&head);
    snpy_array_release(&old);
    (void)count_files(true);
}

/* What is written of a file does not depend on the protocol that the values had before. */
static unsigned write_file(const char *path)
{
    snpy_io_error error;
    snpy_object_data *data = NULL;
    uint8_t *first[6] = {NULL};
    size_t sizes[6] = {0};
    const snpy_status loaded = snpy_object_data_load(path, SNPY_SET_PLAIN, &data, &error);
    expect_that(loaded == SNPY_OK, "%s: %s\n", path, snpy_status_name(loaded));
    for (uint32_t protocol = 2; protocol <= 5; protocol++) {
        const snpy_pickle_form form = {protocol, protocol % 2 != 0};
        const snpy_status status = snpy_object_data_write(data, &form, &first[protocol], &sizes[protocol], &error);
        expect_that(status == SNPY_OK, "%s: %s\n", path, snpy_status_name(status));
    }
    if (data != NULL) assert_saved(data, first[4], sizes[4], path);
    snpy_object_data_close(&data);
    for (uint32_t protocol = 2; protocol <= 5; protocol++) {
        uint8_t *again = NULL;
        size_t size = 0;
        const uint32_t other = 7 - protocol;
        const snpy_pickle_form form = {other, other % 2 != 0};
        data = open_pickle(first[protocol], sizes[protocol]);
        assert_int_equal(snpy_object_data_write(data, &form, &again, &size, &error), SNPY_OK);
        expect_that(size == sizes[other] && memcmp(again, first[other], size) == 0, "%s: %u to %u\n", path, protocol,
                    other);
        snpy_object_data_close(&data);
        snpy_object_bytes_free(&again);
    }
    for (uint32_t protocol = 2; protocol <= 5; protocol++) snpy_object_bytes_free(&first[protocol]);
    return 1;
}

static unsigned write_folder(const char *path)
{
    return for_each(path, write_file);
}

static void test_suite(void **state)
{
    const char *corpus = getenv("SNPY_CORPUS");
    char folder[256];
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/objects/accept", corpus != NULL && corpus[0] != '\0' ? corpus : "corpus");
    assert_true(for_each(folder, write_folder) > 100);
}

/* What cannot be saved leaves the old file as it was; the version is kept where it can be. */
static void test_save(void **state)
{
    static const uint8_t old[] = "old";
    uint8_t bytes[sizeof old];
    snpy_io_error error;
    snpy_array head;
    snpy_object_data *data = open_pickle(PICKLE("](NNe."));
    const char *path = in_work("kept.npy");
    const snpy_pickle_form form = {6, false};
    (void)state;
    write_bytes(path, old, sizeof old);
    assert_int_equal(snpy_object_data_save(path, data, SNPY_VERSION_AUTO, NULL, &error), SNPY_WRONG_TYPE);
    snpy_object_data_close(&data);
    data = open_pickle(PICKLE(ARRAY("I00\n"))); /* of doubles */
    assert_int_equal(snpy_object_data_save(path, data, SNPY_VERSION_AUTO, NULL, &error), SNPY_WRONG_TYPE);
    snpy_object_data_close(&data);
    data = open_pickle(PICKLE(OBJECTS));
    assert_int_equal(snpy_object_data_save(path, data, SNPY_VERSION_AUTO, &form, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_object_data_save(in_work("none/x.npy"), data, SNPY_VERSION_AUTO, NULL, &error),
                     SNPY_IO_ERROR);
    assert_true(error.system_error == ENOENT && strstr(error.path, "none") != NULL);
    FILE *file = fopen(path, "rb");
    assert_true(file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes && fclose(file) == 0);
    assert_memory_equal(bytes, old, sizeof old);
    assert_int_equal(snpy_object_data_save(path, data, SNPY_VERSION_2_0, NULL, &error), SNPY_OK);
    load_head(path, &head);
    assert_true(head.header.frame.major == 2 && head.header.has_object && head.header.shape[0] == 2);
    snpy_array_release(&head);
    snpy_object_data_close(&data);
    assert_int_equal(count_files(true), 1);
}

/* ---- the core --------------------------------------------------------------------------------------------- */

/* Memory of a writer that is enough for small pickles. */
struct memory {
    uint32_t marks[256];
    uint32_t same[64];
    snpy_write_task tasks[64];
    uint8_t out[256];
};

/* Writes by the core, with the writer's memory for a table of so many nodes. */
static snpy_status write_core(const snpy_object_data *data, const snpy_node_table *table, snpy_object_writer *writer,
                              size_t capacity, size_t *size, snpy_error *error)
{
    static struct memory memory;
    for (uint32_t i = 0; i < 64; i++) memory.same[i] = i;
    writer->marks = memory.marks;
    writer->same = memory.same;
    writer->tasks = memory.tasks;
    memset(memory.out, 0xee, sizeof memory.out);
    snpy_status status =
        snpy_write_objects(data->pickle, data->length, table, writer, memory.out, capacity, size, error);
    for (size_t i = capacity; i < sizeof memory.out; i++) assert_int_equal(memory.out[i], 0xee);
    return status;
}

static void test_core(void **state)
{
    snpy_error error;
    size_t size = 0;
    snpy_object_data *data = open_pickle(PICKLE("]((N\x88lNe."));
    const snpy_node_table large = {.count = 0x7fffff01};
    (void)state;
    /* Written: \x80\4 ] ( ] ( N \x88 e N e . */
    snpy_object_writer writer = {.mark_capacity = 256, .task_capacity = 64, .protocol = 4, .most = 12};
    assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_OK);
    assert_int_equal(size, 12);
    assert_int_equal(write_core(data, &data->table, &writer, 3, &size, &error), SNPY_OK);
    assert_int_equal(size, 12);
    for (writer.most = 0; writer.most < 12; writer.most++)
        assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_PKL_TOO_MANY_BYTES);
    writer.most = SNPY_MAX_PICKLE;
    for (writer.task_capacity = 0; writer.task_capacity < 5; writer.task_capacity++)
        assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_PKL_TOO_DEEP);
    assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_OK);
    writer.mark_capacity = 2 * data->table.count + 63;
    assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_PKL_TOO_MANY_NODES);
    assert_int_equal(write_core(data, &large, &writer, 12, &size, &error), SNPY_PKL_TOO_MANY_NODES);
    writer.mark_capacity++;
    assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_OK);
    writer.most = SNPY_MAX_PICKLE + 1ull;
    assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_BAD_ARGUMENT);
    writer.most = SNPY_MAX_PICKLE;
    for (writer.protocol = 1; writer.protocol <= 6; writer.protocol += 5)
        assert_int_equal(write_core(data, &data->table, &writer, 12, &size, &error), SNPY_BAD_ARGUMENT);
    snpy_object_data_close(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_values),
        cmocka_unit_test(test_written_cycles),
        cmocka_unit_test(test_written_twice),
        cmocka_unit_test(test_calls_with_several_spellings),
        cmocka_unit_test(test_written_index_of_four_bytes),
        cmocka_unit_test(test_writing_is_refused),
        cmocka_unit_test(test_suite),
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_core),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
