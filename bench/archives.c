/* archives.c: times what bench/archives.py compares: prints lines `clock seconds` and `processor seconds`.
 *
 *   archives load FILE THREADS      all members, loaded together
 *   archives map FILE               the first member mapped, its CRC deferred, once for each of 100 times
 *   archives check FILE             listed, and each member checked
 *   archives write OUT LEVEL THREADS FILE...
 *   archives copy OUT FILE...       the bytes of the files and nothing else, made safe as an archive is */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "safenpy/archive.h"
#include "safenpy/archive_write.h"

#define MAPS 100

static snpy_io_error error;

/* By the clock, and of the processor for all threads. */
typedef struct moment {
    double clock;
    double processor;
} moment;

static double seconds_of(clockid_t which)
{
    struct timespec time;
    clock_gettime(which, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static moment now(void)
{
    moment time = {seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
    return time;
}

static void tell(moment begin, int count)
{
    const moment end = now();
    printf("clock %.9f\nprocessor %.9f\n", (end.clock - begin.clock) / count,
           (end.processor - begin.processor) / count);
}

static void check(snpy_status status)
{
    char text[512];
    if (status == SNPY_OK) return;
    (void)snpy_io_error_text(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = calloc(size + 1, 1);
    if (memory == NULL) abort();
    return memory;
}

static void time_load(const char *path, unsigned threads)
{
    snpy_archive *archive;
    const moment begin = now();
    check(snpy_archive_open(path, NULL, &archive, &error));
    size_t *indices = allocate(snpy_archive_count(archive) * sizeof *indices);
    snpy_array *arrays = allocate(snpy_archive_count(archive) * sizeof *arrays);
    snpy_io_error *errors = allocate(snpy_archive_count(archive) * sizeof *errors);
    for (size_t i = 0; i < snpy_archive_count(archive); i++) indices[i] = i;
    check(snpy_archive_load_several(archive, indices, snpy_archive_count(archive), threads, arrays, errors));
    tell(begin, 1);
    for (size_t i = 0; i < snpy_archive_count(archive); i++) snpy_array_release(&arrays[i]);
    snpy_archive_close(&archive);
    free(indices);
    free(arrays);
    free(errors);
}

static void time_map(const char *path)
{
    snpy_archive *archive;
    const moment begin = now();
    for (int i = 0; i < MAPS; i++) {
        snpy_array array;
        check(snpy_archive_open(path, NULL, &archive, &error));
        check(snpy_archive_map(archive, 0, SNPY_MAP_READ, true, &array, &error));
        snpy_array_release(&array);
        snpy_archive_close(&archive);
    }
    tell(begin, MAPS);
}

static void time_check(const char *path)
{
    snpy_archive *archive;
    const moment begin = now();
    check(snpy_archive_open(path, NULL, &archive, &error));
    for (size_t i = 0; i < snpy_archive_count(archive); i++) {
        snpy_array head;
        bool is_array = false;
        check(snpy_archive_check(archive, i, &is_array, &head, &error));
        snpy_array_release(&head);
    }
    tell(begin, 1);
    snpy_archive_close(&archive);
}

/* Loads the arrays before the clock runs. */
static snpy_array *load_all(char **paths, int count)
{
    snpy_array *arrays = allocate((size_t)count * sizeof *arrays);
    for (int i = 0; i < count; i++) check(snpy_load(paths[i], NULL, &arrays[i], &error));
    return arrays;
}

static void time_write(const char *out, uint32_t level, uint32_t threads, char **paths, int count)
{
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    snpy_archive_writer *writer;
    snpy_array *arrays = load_all(paths, count);
    options.level = level;
    options.threads = threads;
    const moment begin = now();
    check(snpy_archive_writer_open(&writer, out, &options, &error));
    for (int i = 0; i < count; i++) {
        snpy_description description;
        char key[32];
        (void)snprintf(key, sizeof key, "%d", i);
        snpy_array_describe(&arrays[i], &description);
        check(snpy_archive_writer_add(writer, key, &description, arrays[i].data, arrays[i].data_size, &error));
    }
    check(snpy_archive_writer_finish(&writer, &error));
    tell(begin, 1);
    for (int i = 0; i < count; i++) snpy_array_release(&arrays[i]);
    free(arrays);
}

static void time_copy(const char *out, char **paths, int count)
{
    snpy_array *arrays = load_all(paths, count);
    const moment begin = now();
    int descriptor = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < count; i++) {
        for (uint64_t done = 0; done < arrays[i].data_size;) {
            ssize_t put = write(descriptor, arrays[i].data + done, (size_t)(arrays[i].data_size - done));
            if (put <= 0) abort();
            done += (uint64_t)put;
        }
    }
    if (fsync(descriptor) != 0 || close(descriptor) != 0) abort();
    tell(begin, 1);
    for (int i = 0; i < count; i++) snpy_array_release(&arrays[i]);
    free(arrays);
}

int main(int argc, char **argv)
{
    const char *task = argc > 2 ? argv[1] : "";
    if (strcmp(task, "load") == 0 && argc == 4) {
        time_load(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
    } else if (strcmp(task, "map") == 0) {
        time_map(argv[2]);
    } else if (strcmp(task, "check") == 0) {
        time_check(argv[2]);
    } else if (strcmp(task, "write") == 0 && argc > 5) {
        time_write(argv[2], (uint32_t)strtoul(argv[3], NULL, 10), (uint32_t)strtoul(argv[4], NULL, 10), argv + 5,
                   argc - 5);
    } else if (strcmp(task, "copy") == 0 && argc > 3) {
        time_copy(argv[2], argv + 3, argc - 3);
    } else {
        fputs("usage: archives load|map|check|write|copy FILE ...\n", stderr);
        return 2;
    }
    return 0;
}
