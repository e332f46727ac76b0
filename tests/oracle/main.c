/* main.c: asks the oracle about each file that standard input names, and prints a line of JSON for it. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const struct oracle *o)
{
    if (o->status != NULL) {
        printf("{\"status\": \"%s\", \"offset\": %" PRIu64 "}\n", o->status, o->at);
        return;
    }
    printf("{\"status\": \"SNPY_OK\", \"data_offset\": %" PRIu64 ", \"fortran_order\": %s, \"has_object\": %s, ",
           o->data_offset, o->fortran_order ? "true" : "false", o->has_object ? "true" : "false");
    printf("\"itemsize\": %" PRIu64 ", \"count\": %" PRIu64 ", \"shape\": [", o->type.size, o->count);
    for (size_t i = 0; i < o->shape.count; i++) printf("%s%" PRIu64, i == 0 ? "" : ", ", o->shape.dims[i]);
    printf("]}\n");
}

int main(void)
{
    static uint8_t bytes[1 << 20];
    char path[4096];
    while (fgets(path, sizeof path, stdin) != NULL) {
        path[strcspn(path, "\n")] = 0;
        FILE *file = fopen(path, "rb");
        if (file == NULL) return 2;
        size_t length = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        uint8_t *exact = malloc(length + 1);
        struct oracle oracle;
        if (exact == NULL) return 2;
        memcpy(exact, bytes, length);
        oracle_judge(&oracle, exact, length);
        say(&oracle);
        oracle_release(&oracle);
        free(exact);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
