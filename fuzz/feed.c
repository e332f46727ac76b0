/* feed.c: an endless source of mutated headers with the library's verdict, for fuzz/numpy_server.py, which asks NumPy, and
 * of mutated archives, for fuzz/numpy_archives.py.
 *
 *   feed COUNT SEED FILE...     writes COUNT records: for an archive those of feed_archive.c; for a header status and size (4 bytes each), itemsize and count (8 bytes each),
 *                               whether the order is Fortran's and whether there are objects (4 bytes each), then the
 *                               header's bytes; all numbers little-endian. The files are what is mutated. */
#include "fuzz/feed.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)1024)
#define MOST_ARCHIVE ((size_t)4096)

#ifdef SNPY_ARCHIVES
static const bool can_feed_archives = true;
#else
static const bool can_feed_archives = false;

void feed_archive(const uint8_t *bytes, size_t size)
{
    (void)bytes, (void)size; /* never called */
}
#endif

struct seed {
    uint8_t *bytes;
    size_t size;
};

void put_number(uint64_t number, unsigned bytes)
{
    uint8_t text[8] = {0};
    for (unsigned i = 0; i < bytes; i++, number >>= 8) text[i] = (uint8_t)(number & 0xff);
    fwrite(text, 1, bytes, stdout);
}

/* Reads the header of a file, without data, or an archive. Returns false if it is too long, or none. */
static bool read_seed(const char *path, struct seed *seed)
{
    uint8_t bytes[MOST_ARCHIVE];
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_frame frame;
    snpy_error error;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (can_feed_archives && fuzz_is_zip(bytes, size)) {
        seed->size = size;
        seed->bytes = fuzz_copy(bytes, size);
        return size < sizeof bytes;
    }
    if (size > MOST) size = MOST;
    if (snpy_parse_frame(bytes, size, &options, &frame, &error) != SNPY_OK || frame.data_offset > size) return false;
    seed->size = (size_t)frame.data_offset;
    seed->bytes = fuzz_copy(bytes, seed->size);
    return true;
}

static void feed(const uint8_t *bytes, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header parsed;
    fuzz_parse(bytes, size, &options, &parsed);
    bool is_read = parsed.status == SNPY_OK;
    put_number((uint64_t)parsed.status, 4);
    put_number(size, 4);
    put_number(is_read ? parsed.header.dtype.itemsize : 0, 8);
    put_number(is_read ? parsed.header.count : 0, 8);
    put_number(is_read && parsed.header.fortran_order, 4);
    put_number(is_read && parsed.header.has_object, 4);
    fwrite(bytes, 1, size, stdout);
    fuzz_release(&parsed);
}

/* The generator splitmix64. */
static uint64_t next_number(uint64_t *state)
{
    uint64_t number = *state += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: feed COUNT SEED FILE...\n", stderr);
        return 2;
    }
    uint64_t count = strtoull(argv[1], NULL, 10);
    /* Once through it, so that sequences of two seeds begin far apart. */
    uint64_t state = strtoull(argv[2], NULL, 10);
    state = next_number(&state);
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer); /* many records a turn */
    struct seed *seeds = fuzz_memory((size_t)argc, sizeof *seeds);
    size_t known = 0;
    for (int i = 3; i < argc; i++) known += read_seed(argv[i], &seeds[known]);
    if (known == 0) {
        fputs("feed: no file has a header, or is an archive\n", stderr);
        return 2;
    }
    for (uint64_t i = 0; i < count && !ferror(stdout); i++) {
        uint8_t bytes[2 * MOST_ARCHIVE];
        const struct seed *seed = &seeds[next_number(&state) % known];
        const struct seed *other = &seeds[next_number(&state) % known];
        const uint32_t random = (uint32_t)next_number(&state);
        memcpy(bytes, seed->bytes, seed->size);
        const bool is_archive = fuzz_is_zip(bytes, seed->size);
        const size_t room = is_archive ? sizeof bytes : 2 * MOST;
        const size_t size = fuzz_mutate(bytes, seed->size, room, other->bytes, other->size, random);
        if (is_archive)
            feed_archive(bytes, size);
        else
            feed(bytes, size);
    }
    for (size_t i = 0; i < known; i++) free(seeds[i].bytes);
    free(seeds);
    return fflush(stdout) == 0 ? 0 : 1;
}
