/* data.c: how long it takes to bring an array into memory and to turn it, beside what bounds it from below.
 *
 *   data FILE SIDE          once each, in turn: loading, mapping, copying, swapping and transposing
 *   data load FILE          loads a file three times, as numpy_data.py does
 *   data once load FILE     loads it once; `once read` is a bare read() loop instead
 *   data write FILE MIB     writes so many MiB to a new file, makes it safe on the disk and removes it
 *   data peak COMMAND…      the most memory that a command holds, in KiB, and its time
 *
 * FILE holds float64. Prints a line `name number` for each, in seconds. What never waits is measured by the time
 * of the processor, so that other programs disturb it little; writing by the clock. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* NOLINT: MAP_ANONYMOUS, MADV_HUGEPAGE and wait4 are not in POSIX */
#endif
#include <safenpy/safenpy.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

static double begun;

static void die(const char *what)
{
    perror(what);
    exit(2);
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0) die("clock_gettime");
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void start(void)
{
    begun = seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void stop(const char *name, unsigned unit)
{
    double taken = seconds(CLOCK_PROCESS_CPUTIME_ID) - begun;
    if (unit > 0)
        printf("%s_%u %.6f\n", name, unit, taken);
    else
        printf("%s %.6f\n", name, taken);
}

static uint8_t *huge(uint64_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) die("mmap");
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

static void check(snpy_status status)
{
    if (status == SNPY_OK) return;
    fprintf(stderr, "data: %s\n", snpy_status_message(status));
    exit(2);
}

/* --- from a file ------------------------------------------------------------------------------------------- */

static void time_load(const char *path)
{
    snpy_array array;
    snpy_io_error error;
    start();
    check(snpy_load(path, NULL, &array, &error));
    snpy_array_release(&array);
    stop("load", 0);
}

/* The least that loading can do: one look at the file's size, large pages, one loop. */
static void time_read(const char *path)
{
    struct stat about;
    start();
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0) die(path);
    const uint64_t size = (uint64_t)about.st_size;
    uint8_t *memory = huge(size);
    for (uint64_t at = 0; at < size;) {
        ssize_t received = read(file, memory + at, size - at);
        if (received <= 0) die("read");
        at += (uint64_t)received;
    }
    close(file);
    munmap(memory, size);
    stop("read", 0);
}

static double sum(const uint8_t *bytes, uint64_t size)
{
    double total = 0;
    for (uint64_t at = 0; at < size; at += sizeof total) {
        double value;
        memcpy(&value, bytes + at, sizeof value);
        total += value;
    }
    return total;
}

static double time_map(const char *path)
{
    snpy_array array;
    snpy_io_error error;
    start();
    check(snpy_map(path, SNPY_MAP_READ, NULL, &array, &error));
    double total = sum(array.data, array.data_size);
    snpy_array_release(&array);
    stop("map_sum", 0);
    return total;
}

static double time_plain_map(const char *path, uint64_t offset)
{
    struct stat about;
    start();
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0) die(path);
    const uint64_t size = (uint64_t)about.st_size;
    void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) die("mmap");
    double total = sum((const uint8_t *)memory + offset, size - offset);
    munmap(memory, size);
    close(file);
    stop("plain_map_sum", 0);
    return total;
}

/* --- in memory --------------------------------------------------------------------------------------------- */

/* A matrix of so many bytes an element, in C or Fortran order. */
static snpy_view matrix(uint64_t rows, uint64_t columns, uint32_t itemsize, bool fortran_order)
{
    snpy_view view;
    memset(&view, 0, sizeof view);
    view.data_size = rows * columns * itemsize;
    view.count = rows * columns;
    view.itemsize = itemsize;
    view.ndim = 2;
    view.shape[0] = rows;
    view.shape[1] = columns;
    view.strides[0] = (int64_t)(fortran_order ? itemsize : itemsize * columns);
    view.strides[1] = (int64_t)(fortran_order ? itemsize * rows : itemsize);
    return view;
}

static void time_copies(const uint8_t *from, uint8_t *to, uint64_t size)
{
    snpy_error error;
    for (uint32_t unit = 1; unit <= 16; unit *= 2) {
        const snpy_view view = matrix(size / 16, 16 / unit, unit, false);
        snpy_run run = {0, (int32_t)unit, (int32_t)unit, unit == 1 ? SNPY_ACTION_KEEP : SNPY_ACTION_SWAP};
        const snpy_plan plan = {&run, 1, 1, unit};
        start();
        memcpy(to, from, size);
        stop("memcpy", unit);
        start();
        check(snpy_copy(&view, from, &plan, &view, to, &error));
        stop("copy", unit);
        start();
        check(snpy_copy_fast(&view, from, &plan, &view, to, &error));
        stop("copy_fast", unit);
        start();
        check(snpy_convert(&view, to, &plan, &error));
        stop("convert", unit);
        start();
        check(snpy_copy_fast_in_place(&view, to, &plan, &error));
        stop("copy_fast_in_place", unit);
    }
}

/* Into memory at hand, which has been written to before. */
static void time_transposition(const uint8_t *from, uint8_t *to, uint64_t side)
{
    const snpy_view fortran = matrix(side, side, 8, true);
    const snpy_view c = matrix(side, side, 8, false);
    snpy_run run = {0, 8, 1, SNPY_ACTION_KEEP};
    const snpy_plan plan = {&run, 1, 1, 8};
    snpy_error error;
    start();
    check(snpy_copy_fast(&fortran, from, &plan, &c, to, &error));
    stop("transpose", 0);
}

/* Into a new array, as NumPy's function does it, which is given back. */
static void time_new_array(const snpy_array *array, uint64_t side)
{
    snpy_array fortran = *array; /* borrows its memory */
    snpy_array c;
    snpy_io_error error;
    fortran.header.ndim = 2;
    fortran.header.shape[0] = fortran.header.shape[1] = side;
    fortran.header.fortran_order = true;
    fortran.header.count = side * side;
    fortran.header.data_size = fortran.data_size = side * side * 8;
    start();
    check(snpy_array_copy(&fortran, 'C', SNPY_BYTEORDER_KEEP, &c, &error));
    snpy_array_release(&c);
    stop("transpose_new", 0);
}

static void time_all(const char *path, uint64_t side)
{
    snpy_array array;
    snpy_io_error error;
    time_read(path); /* each twice, so that neither is always the first */
    time_load(path);
    time_load(path);
    time_read(path);
    check(snpy_load(path, NULL, &array, &error));
    const uint64_t size = array.data_size / 16 * 16;
    double total = time_map(path);
    if (time_plain_map(path, array.header.frame.data_offset) != total) check(SNPY_FILE_CHANGED);
    (void)time_map(path);
    if (side * side * 8 > size) check(SNPY_TRUNCATED_DATA);
    uint8_t *to = huge(size);
    memset(to, 1, size);
    for (int k = 0; k < 3; k++) {
        time_transposition(array.data, to, side);
        time_new_array(&array, side);
    }
    time_copies(array.data, to, size);
    munmap(to, size);
    snpy_array_release(&array);
}

/* --- other tasks ------------------------------------------------------------------------------------------- */

static void time_write(const char *path, uint64_t mebibytes)
{
    static uint8_t bytes[1 << 20];
    memset(bytes, 1, sizeof bytes);
    double before = seconds(CLOCK_MONOTONIC);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) die(path);
    for (uint64_t k = 0; k < mebibytes; k++)
        if (write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes) die("write");
    if (fsync(file) != 0 || close(file) != 0) die("fsync");
    printf("write %.6f\n", seconds(CLOCK_MONOTONIC) - before);
    (void)unlink(path);
}

/* A small program starts the command, because what its parent held would count as well. */
static int measure_peak(char **command)
{
    struct rusage usage;
    int status = 0;
    double before = seconds(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(127);
        execv(command[0], command);
        _exit(127);
    }
    if (wait4(child, &status, 0, &usage) != child) die("wait4");
    printf("peak %ld\nwall %.6f\n", usage.ru_maxrss, seconds(CLOCK_MONOTONIC) - before);
    printf("processor %.6f\n", (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const bool is_once = argc == 4 && strcmp(argv[1], "once") == 0;
    if (argc == 3 && strcmp(argv[1], "load") == 0) {
        for (int k = 0; k < 3; k++) time_load(argv[2]);
    } else if (is_once && strcmp(argv[2], "load") == 0) {
        time_load(argv[3]);
    } else if (is_once && strcmp(argv[2], "read") == 0) {
        time_read(argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "write") == 0) {
        time_write(argv[2], strtoull(argv[3], NULL, 10));
    } else if (argc >= 3 && strcmp(argv[1], "peak") == 0) {
        return measure_peak(argv + 2);
    } else if (argc == 3) {
        time_all(argv[1], strtoull(argv[2], NULL, 10));
    } else {
        fputs("usage: data FILE SIDE | data load FILE | data once load|read FILE | data write FILE MIB | "
              "data peak COMMAND...\n",
              stderr);
        return 2;
    }
    return 0;
}
