/* files.h: what the tests of files share: a directory of their own, arrays to write, and what a file holds. */
#ifndef SAFENPY_TESTS_FILES_H
#define SAFENPY_TESTS_FILES_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "safenpy/array.h"
#include "tests/unit/support.h"

/* The directory of this run, made by set_up and removed with all that is in it by tear_down. */
static char work_directory[512];

/* The path of a file in it, valid for 63 calls more. */
static inline const char *in_work(const char *name)
{
    static char paths[64][1024];
    static size_t turn = 0;
    char *path = paths[turn++ % 64];
    (void)snprintf(path, sizeof paths[0], "%s/%s", work_directory, name);
    return path;
}

static inline int set_up(void **state)
{
    const char *place = getenv("TMPDIR");
    (void)state;
    (void)snprintf(work_directory, sizeof work_directory, "%s/safenpy-test-XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(work_directory) == NULL ? -1 : 0;
}

/* How many files there are in the directory; removes them if told to. */
static inline size_t count_files(bool remove)
{
    DIR *directory = opendir(work_directory);
    size_t count = 0;
    if (directory == NULL) abort();
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        if (remove) (void)unlink(in_work(entry->d_name));
    }
    (void)closedir(directory);
    return count;
}

static inline int tear_down(void **state)
{
    (void)state;
    (void)count_files(true);
    return rmdir(work_directory);
}

static inline void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) abort();
}

/* A header to be written, with the description of it. */
struct made {
    snpy_header header;
    snpy_table table;
    snpy_description description;
};

/* An array of numbers: 'i' 4 is '<i4', 'u' 1 is '|u1'. */
static inline void make(struct made *made, char kind, uint32_t itemsize, bool fortran_order, uint32_t ndim,
                        const uint64_t *shape)
{
    memset(made, 0, sizeof *made);
    made->header.dtype.kind = (int8_t)kind;
    made->header.dtype.byteorder = itemsize == 1 || kind == 'S' || kind == 'V' || kind == 'O' ? '|' : '<';
    made->header.dtype.itemsize = itemsize;
    made->header.fortran_order = fortran_order;
    made->header.ndim = ndim;
    for (uint32_t k = 0; k < ndim; k++) made->header.shape[k] = shape[k];
    made->description.header = &made->header;
    made->description.table = &made->table;
    made->description.encoding = SNPY_NAME_PLAIN;
}

/* '<i4' of n rows of three, and a row's bytes. */
#define ROW 12u
static inline void make_rows(struct made *made, uint64_t rows)
{
    const uint64_t shape[2] = {rows, 3};
    make(made, 'i', 4, false, 2, shape);
}

/* Bytes to be recognised: those of a seed, other than those of another. */
static inline uint8_t *make_data(size_t size, unsigned seed)
{
    uint8_t *data = allocate(size);
    for (size_t i = 0; i < size; i++) data[i] = (uint8_t)(i * 7 + i / 251 + seed * 31 + 1);
    return data;
}

static inline const char *error_text(const snpy_io_error *error)
{
    static char text[1024];
    (void)snpy_io_error_text(error, text, sizeof text);
    return text;
}

/* Lets no file become longer, as a full disk would: a write is short, the next one fails. 0: no limit any more. */
static inline void limit_files(size_t size)
{
    struct rlimit limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) abort();
    limit.rlim_cur = size > 0 ? size : limit.rlim_max;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) abort();
}

/* The call must have succeeded. */
#define expect_ok(call, error) expect_that((call) == SNPY_OK, "%s: %s\n", #call, error_text(error))

/* The call must end with this status, and its error must say the same. */
static inline void expect_failure(snpy_status got, const snpy_io_error *error, snpy_status status, const char *what)
{
    expect_that(got == status && error->error.status == status, "%s: %s, not %s: %s\n", what, snpy_status_name(got),
                snpy_status_name(status), error_text(error));
}

/* A file must be an array of this first (C) or only growing dimension, with these data. */
static inline void expect_file(const char *path, uint32_t axis, uint64_t length, const uint8_t *data, size_t size)
{
    snpy_load_options how = {.size = sizeof(snpy_load_options), .no_trailing = true};
    snpy_array array;
    snpy_io_error error;
    expect_ok(snpy_load(path, &how, &array, &error), &error);
    expect_that(array.header.shape[axis] == length, "%s: length %llu, not %llu\n", path,
                (unsigned long long)array.header.shape[axis], (unsigned long long)length);
    assert_true(array.data_size == size);
    if (size > 0) assert_memory_equal(array.data, data, size);
    snpy_array_release(&array);
}

/* A file must hold exactly these bytes. */
static inline void expect_bytes(const char *path, const uint8_t *bytes, size_t length)
{
    size_t found = 0;
    uint8_t *there = read_file(path, &found);
    expect_that(there != NULL && found == length && memcmp(there, bytes, length) == 0, "%s is not what it was\n", path);
    free(there);
}

#endif
