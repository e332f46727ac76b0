/* load_array.c: the sum of all numbers of an NPY file, whatever their type, order and byte order.
 *
 *   cc -std=c99 load_array.c $(pkg-config --cflags --libs safenpy) -o load_array && ./load_array my.npy */
#include <stdio.h>

#include "safenpy/double.h"
#include "safenpy/safenpy.h"

/* Adds up the elements of a view; false if they are no numbers. */
static bool sum(const snpy_array *array, const snpy_view *view, double *total)
{
    for (uint64_t i = 0; i < view->count; i++) {
        snpy_error error;
        uint64_t offset, bits;
        int64_t number;
        if (snpy_view_flat(view, i, &offset, &error) != SNPY_OK) return false;
        if (snpy_get_int(array->data + offset, &view->dtype, &number) == SNPY_OK)
            *total += (double)number;
        else if (snpy_get_float(array->data + offset, &view->dtype, &bits) == SNPY_OK)
            *total += snpy_double(bits);
        else
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    snpy_load_options how = SNPY_LOAD_OPTIONS_INIT;
    snpy_array array;
    snpy_io_error error;
    snpy_view view;
    double total = 0;

    if (argc != 2) return 2;
    limits.max_data_bytes = 1u << 30; /* checked before memory is allocated */
    how.limits = &limits;
    how.no_trailing = true;
    if (snpy_load(argv[1], &how, &array, &error) != SNPY_OK) {
        char text[512];
        snpy_io_error_text(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        snpy_array_release(&array);
        return 1;
    }
    bool is_summed =
        snpy_view_open(&array.header, array.data_size, &view, &error.error) == SNPY_OK && sum(&array, &view, &total);
    snpy_array_release(&array);
    if (!is_summed) {
        fputs("the elements are no numbers\n", stderr);
        return 1;
    }
    printf("%.17g\n", total);
    return 0;
}
