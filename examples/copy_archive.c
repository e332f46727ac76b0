/* copy_archive.c: reads every array of an archive and writes them to a new one.
 *
 *   cc -std=c99 copy_archive.c $(pkg-config --cflags --libs safenpy) -o copy_archive && ./copy_archive old.npz new.npz */
#include <stdio.h>

#include "safenpy/archive.h"
#include "safenpy/archive_write.h"

/* Loads one member, whose CRC is verified then, and adds it to the new archive. */
static snpy_status copy_member(const snpy_archive *archive, size_t index, snpy_archive_writer *writer,
                               snpy_io_error *error)
{
    static char key[3 * 65536]; /* the longest name takes 65,535 bytes, and at most three times as many in UTF-8 */
    snpy_array array;
    snpy_description description;
    snpy_status status;

    (void)snpy_archive_key(archive, index, key, sizeof key);
    status = snpy_archive_load(archive, index, NULL, &array, error);
    if (status == SNPY_OK) {
        snpy_array_describe(&array, &description);
        status = snpy_archive_writer_add(writer, key, &description, array.data, array.data_size, error);
    }
    snpy_array_release(&array);
    return status;
}

int main(int argc, char **argv)
{
    snpy_archive *archive;
    snpy_archive_writer *writer;
    snpy_io_error error;

    if (argc != 3) return 2;
    snpy_status status = snpy_archive_open(argv[1], NULL, &archive, &error);
    if (status == SNPY_OK) {
        status = snpy_archive_writer_open(&writer, argv[2], NULL, &error);
        for (size_t i = 0; i < snpy_archive_count(archive) && status == SNPY_OK; i++)
            status = copy_member(archive, i, writer, &error);
        if (status == SNPY_OK) status = snpy_archive_writer_finish(&writer, &error);
        snpy_archive_writer_abandon(&writer); /* after a failure the old file is unchanged */
        snpy_archive_close(&archive);
    }
    if (status != SNPY_OK) {
        char text[1024];
        snpy_io_error_text(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
    return status != SNPY_OK;
}
