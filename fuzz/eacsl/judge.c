/* judge.c: hands the first bytes of a file to the functions that judge headers. E-ACSL translates this file with the
 * core, so that it knows of the memory here; the only oracle is the contracts of what is called. */
#include "safenpy/header.h"

/* run.c, which is not translated. */
void eacsl_run(void (*judge)(size_t length), int argc, char **argv);
void eacsl_fill(uint8_t *bytes, size_t length);
void *eacsl_take(size_t size);
void eacsl_give_back(void *memory);

/* Parses with so much room for fields and dimensions. */
static void parse(const uint8_t *bytes, size_t length, const snpy_options *options, size_t room)
{
    snpy_frame frame;
    snpy_header header;
    snpy_error error;
    snpy_table table = {eacsl_take(room * sizeof(snpy_field)), room, eacsl_take(room * sizeof(int32_t)), room, 0, 0};
    if (table.fields != NULL && table.dims != NULL) {
        snpy_parse_frame(bytes, length, options, &frame, &error);
        if (snpy_parse_header(bytes, length, options, &table, &header, &error) == SNPY_OK)
            snpy_check_data(&header, length, length % 2 == 0, &error);
    }
    eacsl_give_back(table.fields);
    eacsl_give_back(table.dims);
}

static void judge(size_t length)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_options loose = SNPY_OPTIONS_INIT;
    loose.compat.int_fortran_order = loose.compat.numpy_bool = loose.compat.numpy_int = true;
    loose.compat.list_shape = loose.compat.int_shape = loose.compat.list_field = loose.compat.metadata = true;
    loose.compat.native_order = loose.compat.type_names = loose.compat.bytes_alias = true;
    loose.compat.platform_float = true;
    uint8_t *bytes = eacsl_take(length);
    if (bytes == NULL) return;
    eacsl_fill(bytes, length);
    parse(bytes, length, &options, 16);
    parse(bytes, length, &loose, 2);
    eacsl_give_back(bytes);
}

int main(int argc, char **argv)
{
    eacsl_run(judge, argc, argv);
    return 0;
}
