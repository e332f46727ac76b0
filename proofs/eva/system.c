/* system.c: what the analysis believes of calls that Frama-C has no specification of.
 * Trusted (spec/assumptions.md). A function reads what it is given, writes what it may write, with bytes of any value,
 * and returns anything that it may return. */
#include "__fc_builtin.h"
#include <errno.h>
#include <unistd.h>

/* 0, or -1 with any reason. */
static int outcome(void)
{
    if (Frama_C_nondet(0, 1) == 0) return 0;
    errno = Frama_C_interval(1, 133);
    return -1;
}

/* Bytes that were moved, at most as many as were asked for; or -1 with any reason. */
static ssize_t moved(size_t most)
{
    if (Frama_C_nondet(0, 1) != 0) return outcome();
    return (ssize_t)Frama_C_unsigned_long_interval(0, most);
}

/* Reads bytes: an alarm where they are not there. */
/*@ requires readable: \valid_read((const char *)from + (0 .. length - 1));
    assigns \nothing; */
static void take(const void *from, size_t length);

ssize_t write(int descriptor, const void *from, size_t length)
{
    (void)descriptor;
    take(from, length);
    return moved(length);
}

ssize_t pwrite(int descriptor, const void *from, size_t length, off_t offset)
{
    (void)offset;
    return write(descriptor, from, length);
}

int fsync(int descriptor)
{
    (void)descriptor;
    return outcome();
}

int ftruncate(int descriptor, off_t size)
{
    (void)descriptor, (void)size;
    return outcome();
}

/* A text of any content. */
static char words[64];

static char *some_text(void)
{
    Frama_C_make_unknown(words, sizeof words - 1);
    words[sizeof words - 1] = '\0';
    return words;
}

char *strerror(int reason)
{
    (void)reason;
    return some_text();
}

int strerror_r(int reason, char *out, size_t capacity)
{
    (void)reason;
    if (capacity == 0 || Frama_C_nondet(0, 1) != 0) return ERANGE;
    Frama_C_make_unknown(out, capacity);
    out[Frama_C_unsigned_long_interval(0, capacity - 1)] = '\0';
    out[capacity - 1] = '\0';
    return 0;
}
