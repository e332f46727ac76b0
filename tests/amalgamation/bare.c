/* bare.c: what a device without an operating system does with a file in its flash. Exit status 0: it holds three floats. */
#include "safenpy.h"

static const uint8_t file[] = "\x93NUMPY\1\0\x36\0{'descr':'<f4', 'fortran_order': False, 'shape': (3,)}\0\0\0\0\0\0\0\0\0\0\0\0";

int main(void)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {0, 0, 0, 0, 0, 0};
    snpy_header header;
    snpy_error error;
    if (snpy_parse_header(file, sizeof file - 1, &options, &table, &header, &error) != SNPY_OK) return 1;
    return header.dtype.kind == SNPY_KIND_FLOAT && header.count == 3 ? 0 : 2;
}
