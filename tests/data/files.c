/* files.c: loads, maps, saves and appends as files.py asks for, and prints what came of it.
 *
 *   files < REQUESTS        each line: what to do, how, and paths, separated by tabs
 *
 *   load HOW PATH           the order, the shape and the data of the array: "C|2,3|…" in hexadecimal digits
 *   save HOW PATH OUT       the array of a file, saved to another
 *   append - PATH MORE      the array of a file, lengthened by that of another
 * An answer is one line, "ok" where nothing is to be said; a refusal is its status' name. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "safenpy/safenpy.h"

static snpy_io_error error;

static void die(const char *what)
{
    fprintf(stderr, "files: %s\n", what);
    exit(2);
}

static bool is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

/* A whole file in memory of exactly its size, so that sanitizers see each byte too many. */
static uint8_t *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) die(path);
    *length = (size_t)ftell(file);
    uint8_t *bytes = malloc(*length == 0 ? 1 : *length);
    if (bytes == NULL || fseek(file, 0, SEEK_SET) != 0 || fread(bytes, 1, *length, file) != *length) die(path);
    fclose(file);
    return bytes;
}

/* --- loading ----------------------------------------------------------------------------------------------- */

static snpy_status load_memory(const char *path, snpy_array *array)
{
    size_t length = 0;
    uint8_t *bytes = read_whole(path, &length);
    snpy_status status = snpy_load_memory(bytes, length, NULL, array, &error);
    free(bytes);
    return status;
}

/* From a pipe that another process fills, a few bytes at a time. */
static snpy_status load_pipe(const char *path, snpy_array *array)
{
    int ends[2];
    if (pipe(ends) != 0) die("pipe");
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        size_t length = 0;
        close(ends[0]);
        uint8_t *bytes = read_whole(path, &length);
        for (size_t at = 0; at < length; at += 61)
            if (write(ends[1], bytes + at, length - at < 61 ? length - at : 61) < 0) _exit(2);
        _exit(0);
    }
    close(ends[1]);
    snpy_status status = snpy_load_descriptor(ends[0], NULL, array, &error);
    close(ends[0]);
    if (waitpid(child, NULL, 0) != child) die("waitpid");
    return status;
}

static snpy_status load_descriptor(const char *path, snpy_array *array)
{
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0) die(path);
    snpy_status status = snpy_load_descriptor(descriptor, NULL, array, &error);
    close(descriptor);
    return status;
}

static snpy_status load_stream(const char *path, snpy_array *array)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) die(path);
    snpy_status status = snpy_load_stream(stream, NULL, array, &error);
    fclose(stream);
    return status;
}

/* Into memory of exactly the size that the header asks for. */
static snpy_status load_buffer(const char *path, snpy_array *array, void **buffer)
{
    snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = true};
    snpy_status status = snpy_load(path, &how, array, &error);
    if (status != SNPY_OK) return status;
    const uint64_t size = array->header.data_size;
    snpy_array_release(array);
    *buffer = malloc(size == 0 ? 1 : (size_t)size);
    how = (snpy_load_options){
        .size = sizeof(snpy_load_options), .buffer = *buffer, .capacity = size, .no_trailing = true};
    return snpy_load(path, &how, array, &error);
}

static snpy_status load_as(const char *how, const char *path, snpy_array *array, void **buffer)
{
    *buffer = NULL;
    if (is(how, "path")) return snpy_load(path, NULL, array, &error);
    if (is(how, "descriptor")) return load_descriptor(path, array);
    if (is(how, "stream")) return load_stream(path, array);
    if (is(how, "memory")) return load_memory(path, array);
    if (is(how, "pipe")) return load_pipe(path, array);
    if (is(how, "buffer")) return load_buffer(path, array, buffer);
    if (is(how, "map-read")) return snpy_map(path, SNPY_MAP_READ, NULL, array, &error);
    if (is(how, "map-copy")) return snpy_map(path, SNPY_MAP_COPY, NULL, array, &error);
    if (is(how, "map-write")) return snpy_map(path, SNPY_MAP_WRITE, NULL, array, &error);
    die("no such way to load");
    return SNPY_OK;
}

static snpy_status load(const char *how, const char *path)
{
    snpy_array array;
    void *buffer = NULL;
    snpy_status status = load_as(how, path, &array, &buffer);
    if (status == SNPY_OK) {
        printf("%c|", array.header.fortran_order ? 'F' : 'C');
        for (uint32_t k = 0; k < array.header.ndim; k++) printf("%s%" PRIu64, k == 0 ? "" : ",", array.header.shape[k]);
        putchar('|');
        for (uint64_t i = 0; i < array.data_size; i++) printf("%02x", array.data[i]);
        snpy_array_release(&array);
    }
    free(buffer);
    return status;
}

/* --- saving ------------------------------------------------------------------------------------------------ */

/* All data in parts of some bytes, whole elements or not. */
static snpy_status add_parts(snpy_writer *writer, const snpy_array *array)
{
    snpy_status status = SNPY_OK;
    for (uint64_t at = 0; at < array->data_size && status == SNPY_OK;) {
        uint64_t part = array->data_size - at < 37 ? array->data_size - at : 37;
        status = snpy_writer_add(writer, array->data + at, part, &error);
        at += part;
    }
    if (status == SNPY_OK) return snpy_writer_finish(&writer, &error);
    snpy_writer_abandon(&writer);
    return status;
}

static snpy_status save_map(const char *out, const snpy_description *description, const snpy_array *array)
{
    snpy_array made;
    snpy_status status = snpy_map_create(out, description, SNPY_REPLACE, &made, &error);
    if (status != SNPY_OK) return status;
    if (array->data_size > 0) memcpy(made.data, array->data, (size_t)array->data_size);
    status = snpy_map_flush(&made, &error);
    snpy_array_release(&made);
    return status;
}

static snpy_status save_stream(const char *how, const char *out, const snpy_description *description,
                               const snpy_array *array)
{
    FILE *stream = fopen(out, "wb");
    snpy_writer *writer;
    snpy_status status;
    if (stream == NULL) die(out);
    if (is(how, "stream")) {
        status = snpy_save_stream(stream, description, array->data, array->data_size, &error);
    } else {
        status = snpy_writer_open_stream(&writer, stream, description, false, &error);
        if (status == SNPY_OK) status = add_parts(writer, array);
    }
    if (fclose(stream) != 0) die(out);
    return status;
}

static snpy_status save_descriptor(const char *how, const char *out, const snpy_description *description,
                                   const snpy_array *array)
{
    int descriptor = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    snpy_writer *writer;
    snpy_status status;
    if (descriptor < 0) die(out);
    if (is(how, "descriptor")) {
        status = snpy_save_descriptor(descriptor, description, array->data, array->data_size, &error);
    } else {
        status = snpy_writer_open_descriptor(&writer, descriptor, description, true, &error);
        if (status == SNPY_OK) status = add_parts(writer, array);
    }
    if (close(descriptor) != 0) die(out);
    return status;
}

static snpy_status save_as(const char *how, const char *out, const snpy_description *description,
                           const snpy_array *array)
{
    snpy_writer *writer;
    if (is(how, "path")) return snpy_save(out, description, array->data, array->data_size, &error);
    if (is(how, "map")) return save_map(out, description, array);
    if (is(how, "stream") || is(how, "stream-parts")) return save_stream(how, out, description, array);
    if (is(how, "descriptor") || is(how, "descriptor-grows")) return save_descriptor(how, out, description, array);
    if (!is(how, "parts") && !is(how, "grows")) die("no such way to save");
    snpy_status status = snpy_writer_open(&writer, out, description, is(how, "grows"), &error);
    return status == SNPY_OK ? add_parts(writer, array) : status;
}

static snpy_status save(const char *how, const char *path, const char *out)
{
    snpy_array array;
    snpy_description description;
    snpy_status status = snpy_load(path, NULL, &array, &error);
    if (status != SNPY_OK) return status;
    snpy_array_describe(&array, &description);
    status = save_as(how, out, &description, &array);
    snpy_array_release(&array);
    return status;
}

/* Copies an array into another order and byte order, "C<", "F>" or "--", and saves what comes of it. */
static snpy_status copy(const char *how, const char *path, const char *out)
{
    snpy_array array;
    snpy_array made;
    snpy_description description;
    const char order = how[0];
    const snpy_byteorder byteorder = how[1] == '<'   ? SNPY_BYTEORDER_LITTLE
                                        : how[1] == '>' ? SNPY_BYTEORDER_BIG
                                                        : SNPY_BYTEORDER_KEEP;
    snpy_status status = snpy_map(path, SNPY_MAP_READ, NULL, &array, &error);
    if (status != SNPY_OK) return status;
    status = snpy_array_copy(&array, order == '-' ? 0 : order, byteorder, &made, &error);
    snpy_array_release(&array);
    if (status != SNPY_OK) return status;
    snpy_array_describe(&made, &description);
    status = snpy_save(out, &description, made.data, made.data_size, &error);
    snpy_array_release(&made);
    return status;
}

static snpy_status append(const char *path, const char *more)
{
    snpy_array array;
    snpy_description description;
    snpy_status status = snpy_load(more, NULL, &array, &error);
    if (status != SNPY_OK) return status;
    snpy_array_describe(&array, &description);
    status = snpy_append(path, &description, array.data, array.data_size, NULL, &error);
    snpy_array_release(&array);
    return status;
}

int main(void)
{
    static char line[16384];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *words[4] = {NULL};
        int count = 0;
        line[strcspn(line, "\n")] = '\0';
        for (char *word = strtok(line, "\t"); word != NULL && count < 4; word = strtok(NULL, "\t"))
            words[count++] = word;
        if (count < 3 || (count < 4 && !is(words[0], "load"))) die("an incomplete request");
        fflush(stdout); /* a child process shall not print it once more */
        snpy_status status = is(words[0], "load")   ? load(words[1], words[2])
                             : is(words[0], "save") ? save(words[1], words[2], words[3])
                             : is(words[0], "copy") ? copy(words[1], words[2], words[3])
                                                    : append(words[2], words[3]);
        if (status != SNPY_OK)
            printf("!%s", snpy_status_name(status));
        else if (!is(words[0], "load"))
            printf("ok");
        putchar('\n');
    }
    return 0;
}
