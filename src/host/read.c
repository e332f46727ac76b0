/* read.c: wraps read(2) and pread(2): retries after signals, waits for non-blocking descriptors.                HOST-IO */
#include "host/host.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Bytes per call. POSIX does not define requests above SSIZE_MAX, and Linux reads at most 2 GiB per call. */
#define LARGEST_READ ((size_t)1 << 30)

/* Waits until the descriptor is readable. Returns false with errno if waiting fails. */
static bool snpy_wait_readable(int descriptor)
{
    struct pollfd waiting = {descriptor, POLLIN, 0};
    while (poll(&waiting, 1, -1) < 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

/* Reads with one successful call of read(2) or, given an offset, pread(2). Returns its bytes, 0 at the end, -1 with
 * errno. */
static ptrdiff_t snpy_read_once(int descriptor, uint8_t *out, size_t capacity, const uint64_t *offset)
{
    size_t request = capacity < LARGEST_READ ? capacity : LARGEST_READ;
    for (;;) {
        ssize_t received =
            offset == NULL ? read(descriptor, out, request) : pread(descriptor, out, request, (off_t)*offset);
        if (received >= 0) return received;
        if (errno == EINTR) continue;
        if (errno != EAGAIN || !snpy_wait_readable(descriptor)) return -1;
    }
}

ptrdiff_t snpy_read_some(int descriptor, uint8_t *out, size_t capacity)
{
    return snpy_read_once(descriptor, out, capacity, NULL);
}

ptrdiff_t snpy_read_some_at(int descriptor, uint8_t *out, size_t capacity, uint64_t offset)
{
    return snpy_read_once(descriptor, out, capacity, &offset);
}
