/* read.c: read(2) without its surprises.
 * Proves nothing. Leaves the meaning of the bytes to the callers. */
#include "host/host.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* POSIX leaves requests above SSIZE_MAX open, and Linux moves at most 2 GiB at once. */
#define LARGEST_READ ((size_t)1 << 30)

/* Waits until there is something to read. Returns false with errno if that fails.               HOST-IO */
static bool snpy_wait_readable(int descriptor)
{
    struct pollfd waiting = {descriptor, POLLIN, 0};
    while (poll(&waiting, 1, -1) < 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

ptrdiff_t snpy_read_some(int descriptor, uint8_t *out, size_t capacity)
{
    size_t request = capacity < LARGEST_READ ? capacity : LARGEST_READ;
    for (;;) {
        ssize_t received = read(descriptor, out, request);
        if (received >= 0) return received;
        if (errno == EINTR) continue;
        if (errno != EAGAIN || !snpy_wait_readable(descriptor)) return -1;
    }
}
