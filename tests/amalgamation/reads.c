/* reads.c: reads each case of the suite with the core as one file, from which all is left out that reading does not need.
 *
 *   reads CASES           CASES is what tests/cross/run.py writes: a count, then each file after its length
 *
 * Prints status and offset of each case, as tests/cross/answers.c does. */
#include <stdio.h>
#include <stdlib.h>

#include "safenpy.h"

#define MOST 65536

static snpy_field fields[MOST];
static int32_t dims[MOST];

static uint32_t little(const uint8_t *bytes)
{
    return bytes[0] + 256u * bytes[1] + 65536u * bytes[2] + 16777216u * bytes[3];
}

static void read_case(uint32_t number, const uint8_t *bytes, size_t length)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {fields, MOST, dims, MOST, 0, 0};
    snpy_header header;
    snpy_error error;
    snpy_status status = snpy_parse_header(bytes, length, &options, &table, &header, &error);
    if (status == SNPY_OK) status = snpy_check_data(&header, length, true, &error);
    printf("%lu 0 read %d %d %lu\n", (unsigned long)number, (int)status, (int)error.status, (unsigned long)error.offset);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    long size = 0;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 4 || fseek(file, 0, SEEK_SET) != 0) return 2;
    uint8_t *cases = (uint8_t *)malloc((size_t)size);
    if (cases == NULL || fread(cases, 1, (size_t)size, file) != (size_t)size) return 2;
    (void)fclose(file);
    const uint8_t *at = cases + 4;
    for (uint32_t i = 0, count = little(cases); i < count; i++) {
        uint32_t length = little(at);
        read_case(i, at + 4, length);
        at += 4 + length;
    }
    free(cases);
    return fflush(stdout) == 0 ? 0 : 2;
}
