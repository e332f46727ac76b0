/* run.c: brings inputs to judge.c, from AFL++, many in one process, or the files of the command line. Not translated by
 * E-ACSL, so it tells its runtime what it writes; what to do when a clause does not hold is said here too.
 *
 *     judge FILE…      aborts at the first clause that does not hold
 *     judge -k FILE…   goes on, and says them all */
#include "e_acsl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 4096

void eacsl_run(void (*judge)(size_t length), int argc, char **argv);
void eacsl_fill(uint8_t *bytes, size_t length);
void *eacsl_take(size_t size);
void eacsl_give_back(void *memory);

static uint8_t input[MOST];
static int goes_on;

/* The runtime of E-ACSL brings its own malloc, and watches it. */
void *eacsl_take(size_t size)
{
    return malloc(size);
}

void eacsl_give_back(void *memory)
{
    free(memory);
}

void eacsl_fill(uint8_t *bytes, size_t length)
{
    memcpy(bytes, input, length);
    __e_acsl_initialize(bytes, length);
}

void __e_acsl_assert(int holds, __e_acsl_assert_data_t *data)
{
    if (holds) return;
    fprintf(stderr, "FAILED %s:%s:%d %s %s\n", data->file, data->fct, data->line, data->kind,
            data->name != NULL ? data->name : "");
    if (!goes_on) abort();
}

#ifdef __AFL_FUZZ_TESTCASE_LEN
__AFL_FUZZ_INIT();
#endif

static void run_files(void (*judge)(size_t length), int count, char **paths)
{
    for (int i = 0; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (file == NULL) {
            perror(paths[i]);
            exit(2);
        }
        size_t length = fread(input, 1, MOST, file);
        fclose(file);
        judge(length);
    }
    printf("%d inputs\n", count);
}

void eacsl_run(void (*judge)(size_t length), int argc, char **argv)
{
    goes_on = argc > 1 && strcmp(argv[1], "-k") == 0;
    if (argc > 1) {
        run_files(judge, argc - 1 - goes_on, argv + 1 + goes_on);
        return;
    }
#ifdef __AFL_FUZZ_TESTCASE_LEN
    __AFL_INIT();
    uint8_t *bytes = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(1000)) {
        size_t length = (size_t)__AFL_FUZZ_TESTCASE_LEN;
        if (length > MOST) length = MOST;
        memcpy(input, bytes, length);
        judge(length);
    }
#endif
}
