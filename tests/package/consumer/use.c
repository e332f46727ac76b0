/* use.c: what a program of another project does with both libraries: parses a header in memory; loads a file, if told to. */
#include <stdio.h>
#include <string.h>

#ifdef CORE_ALONE
#include <safenpy/export.h>
#include <safenpy/header.h>
#else
#include <safenpy/safenpy.h>
#endif

static const uint8_t file[] = "\x93NUMPY\1\0\x36\0{'descr':'<f4', 'fortran_order': False, 'shape': (3,)}\0\0\0\0\0\0\0\0\0\0\0\0";

int main(int argc, char **argv)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {0, 0, 0, 0, 0, 0};
    snpy_header header;
    snpy_error error;
    if (snpy_parse_header(file, sizeof file - 1, &options, &table, &header, &error) != SNPY_OK) return 1;
    if (header.count != 3 || strcmp(snpy_version(), SNPY_VERSION_STRING) != 0) return 2;
#ifndef CORE_ALONE
    for (int i = 1; i < argc; i++) {
        snpy_archive *archive;
        snpy_io_error failure;
        if (snpy_archive_open(argv[i], NULL, &archive, &failure) != SNPY_OK) return 3;
        printf("%lu\n", (unsigned long)snpy_archive_count(archive));
        snpy_archive_close(&archive);
    }
#else
    (void)argc, (void)argv;
#endif
    return 0;
}
