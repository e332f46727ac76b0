/* header.c: how long one header takes in memory, beside what bounds it from below and a rival.
 *
 *   header ROUNDS FILE      prints a line `name nanoseconds` for each: the median over ROUNDS batches,
 *                           which take turns so that a busy moment hits all alike */
#include "plain.h"

#include <safenpy/safenpy.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCH 2000
#define MAX_ROUNDS 10000

static uint8_t bytes[1024];
static size_t length;

/* Hides the bytes from the optimiser: each call must look again. */
static void forget(void)
{
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static bool run_safenpy(void)
{
    static const snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {NULL, 0, NULL, 0, 0, 0};
    snpy_header header;
    snpy_error error;
    bool ok = snpy_parse_header(bytes, length, &options, &table, &header, &error) == SNPY_OK;
    return ok && header.data_size == 96;
}

static bool run_plain(void)
{
    plain_header header;
    return plain_parse(bytes, length, &header) && header.data_size == 96;
}

/* One look at each byte, with every addition checked: no parser that checks can be much faster. */
static bool run_sum(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        if (sum > UINT64_MAX - bytes[i]) return false;
        sum += bytes[i];
    }
    return sum > 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) exit(2);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*run)(void);
    } subjects[] = {{"safenpy", run_safenpy}, {"plain", run_plain}, {"sum", run_sum}};
    static double times[3][MAX_ROUNDS];
    long rounds = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (rounds < 1 || rounds > MAX_ROUNDS || file == NULL) {
        fputs("usage: header ROUNDS FILE\n", stderr);
        return 2;
    }
    length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    for (long round = 0; round < rounds; round++) {
        for (size_t s = 0; s < 3; s++) {
            double begin = now();
            for (int i = 0; i < BATCH; i++) {
                forget();
                if (!subjects[s].run()) {
                    fprintf(stderr, "%s does not read the header\n", subjects[s].name);
                    return 1;
                }
            }
            times[s][round] = (now() - begin) / BATCH;
        }
    }
    for (size_t s = 0; s < 3; s++) {
        qsort(times[s], (size_t)rounds, sizeof times[s][0], by_value);
        printf("%s %.3f\n", subjects[s].name, times[s][rounds / 2]);
    }
    return 0;
}
