/* archives.c: what the archive layer makes of each member, for tests/data/archives.py to compare with NumPy.
 *
 * For each path of standard input: a line a member, with its key, name and the CRC-32 of its data as snpy_archive_load,
 * snpy_archive_load_several, snpy_archive_map and snpy_archive_read give them; then a full stop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "safenpy/archive.h"
#include "safenpy/zip.h"

#define MOST_MEMBERS 100000u

static snpy_archive *archive;
static snpy_array arrays[MOST_MEMBERS];
static snpy_io_error errors[MOST_MEMBERS];
static size_t indices[MOST_MEMBERS];

/* Puts a status that is not SNPY_OK, or the CRC of an array's data. */
static void put(snpy_status status, snpy_array *array)
{
    if (status != SNPY_OK)
        printf("\t%s", snpy_status_name(status));
    else
        printf("\t%08x", (unsigned)snpy_zip_crc(0, array->data, (size_t)array->data_size));
    snpy_array_release(array);
}

/* Puts the CRC of a member's bytes. */
static void put_bytes(size_t index)
{
    snpy_io_error error;
    size_t size = (size_t)snpy_archive_member(archive, index)->size;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) abort();
    snpy_status status = snpy_archive_read(archive, index, bytes, size, &error);
    if (status != SNPY_OK)
        printf("\t%s\n", snpy_status_name(status));
    else
        printf("\t%08x\n", (unsigned)snpy_zip_crc(0, bytes, size));
    free(bytes);
}

/* Puts all that is known of a member. */
static void put_member(size_t index)
{
    static char text[3 * 65536];
    snpy_array array;
    snpy_io_error error;
    size_t found = 0;
    (void)snpy_archive_key(archive, index, text, sizeof text);
    printf("%s", text);
    (void)snpy_archive_name(archive, index, text, sizeof text);
    snpy_status status = snpy_archive_find(archive, text, &found, &error);
    printf("\t%s\t%d", text, status == SNPY_OK && found == index);
    put(snpy_archive_load(archive, index, NULL, &array, &error), &array);
    put(errors[index].error.status, &arrays[index]);
    put(snpy_archive_map(archive, index, SNPY_MAP_READ, false, &array, &error), &array);
    put_bytes(index);
}

int main(void)
{
    static char path[4096];
    while (fgets(path, sizeof path, stdin) != NULL) {
        snpy_io_error error;
        path[strcspn(path, "\n")] = '\0';
        snpy_status status = snpy_archive_open(path, NULL, &archive, &error);
        if (status != SNPY_OK) printf("!%s\n", snpy_status_name(status));
        if (snpy_archive_count(archive) > MOST_MEMBERS) abort();
        for (size_t i = 0; i < snpy_archive_count(archive); i++) indices[i] = i;
        (void)snpy_archive_load_several(archive, indices, snpy_archive_count(archive), 3, arrays, errors);
        for (size_t i = 0; i < snpy_archive_count(archive); i++) put_member(i);
        puts("\n.");
        snpy_archive_close(&archive);
    }
    return 0;
}
