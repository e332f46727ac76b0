/* find_key.c: looks up a key in a dictionary that numpy.save wrote, without running its pickle.
 *
 *   cc -std=c99 find_key.c $(pkg-config --cflags --libs safenpy) -o find_key && ./find_key model.npy weights */
#include <stdio.h>
#include <string.h>

#include "safenpy/safenpy.h"

/* Prints what a value is: the shape of an array, a whole number, or that it is something else. */
static void print_value(const snpy_object_data *data, int32_t value)
{
    snpy_array array;
    snpy_io_error error;
    int64_t number;

    if (snpy_object_array(data, value, &array, &error) == SNPY_OK) {
        printf("an array of %llu elements of %u bytes\n", (unsigned long long)array.header.count,
               (unsigned)array.header.dtype.itemsize);
    } else if (snpy_object_int(data, value, &number) == SNPY_OK) {
        printf("%lld\n", (long long)number);
    } else {
        printf("another value\n");
    }
    snpy_array_release(&array);
}

int main(int argc, char **argv)
{
    snpy_object_data *data;
    snpy_io_error error;

    if (argc != 3) return 2;
    if (snpy_object_data_load(argv[1], SNPY_SET_PLAIN, &data, &error) != SNPY_OK) {
        char text[512];
        snpy_io_error_text(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    /* The file is an array without dimensions; the dictionary is its element. */
    snpy_object_members elements = snpy_object_begin(data, snpy_object_root(data));
    const int32_t dictionary = snpy_object_next(data, &elements);
    const int32_t value = snpy_object_find(data, dictionary, argv[2], strlen(argv[2]));
    if (value != 0) print_value(data, value);
    if (value == 0) fprintf(stderr, "%s: there is no such key\n", argv[1]);
    snpy_object_data_close(&data);
    return value != 0 ? 0 : 1;
}
