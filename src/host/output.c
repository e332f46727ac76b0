/* output.c: opens and finishes files that are written: temporary ones that replace a file, devices in place. HOST-IO
 * save.c and convert.c write to them; temporary.c names and renames them. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void snpy_output_clear(snpy_output *output)
{
    static const snpy_output closed = {.descriptor = -1, .old = -1};
    *output = closed;
}

void snpy_output_abandon(snpy_output *output)
{
    if (output->owns && output->descriptor >= 0) (void)close(output->descriptor); /* its file is removed */
    if (output->owns && output->old >= 0) (void)close(output->old);               /* only read from */
    snpy_drop_temporary(&output->temporary, &output->slot);
    snpy_lock_release(&output->lock);
    free(output->path);
    snpy_output_clear(output);
}

/* Opens the device at the target's path, or a temporary file in its directory.                           HOST-IO */
static snpy_status snpy_output_open_target(snpy_output *output, const snpy_target *target, snpy_io_error *error)
{
    if (target->is_not_regular) {
        output->descriptor = snpy_open(target->path, O_WRONLY, 0);
        return output->descriptor >= 0 ? SNPY_OK : snpy_io_fail(error, "open", errno);
    }
    return snpy_make_temporary(target->path, target->old >= 0, &output->descriptor, &output->temporary, &output->slot,
                               error);
}

/* Returns the descriptor that a path such as /dev/stdout or /dev/fd/3 stands for, or -1. Others may write to it, too, so
 * it is written in place, never replaced. */
static int snpy_given_descriptor(const char *path)
{
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++) {
        size_t length = strlen(directories[i]);
        if (strncmp(path, directories[i], length) != 0) continue;
        size_t digits = strspn(path + length, "0123456789");
        if (digits >= 1 && digits <= 6 && path[length + digits] == '\0') return (int)strtol(path + length, NULL, 10);
    }
    return -1;
}

snpy_status snpy_output_claim(snpy_output *output, const char *path, int32_t timeout_ms, snpy_io_error *error)
{
    snpy_target target;
    snpy_output_clear(output);
    output->descriptor = snpy_given_descriptor(path);
    if (output->descriptor >= 0) return SNPY_OK;
    snpy_status status = snpy_find_target(path, &target, error);
    output->owns = true;
    output->path = target.path;
    output->old = target.old;
    if (status == SNPY_OK && target.old >= 0)
        status = snpy_lock_to_replace(target.path, timeout_ms, &output->lock, error);
    if (status != SNPY_OK) snpy_output_abandon(output);
    return status;
}

snpy_status snpy_output_open_claimed(snpy_output *output, snpy_io_error *error)
{
    snpy_target target;
    if (output->path == NULL) return SNPY_OK;
    /* Looks again: another process may have replaced the file before we got the lock. */
    snpy_status status = snpy_find_target(output->path, &target, error);
    if (output->old >= 0) (void)close(output->old); /* only read from */
    free(output->path);
    output->path = target.path;
    output->old = target.old;
    if (status == SNPY_OK) status = snpy_output_open_target(output, &target, error);
    if (status != SNPY_OK) snpy_output_abandon(output);
    return status;
}

snpy_status snpy_output_open(snpy_output *output, const char *path, int32_t timeout_ms, snpy_io_error *error)
{
    snpy_status status = snpy_output_claim(output, path, timeout_ms, error);
    return status == SNPY_OK ? snpy_output_open_claimed(output, error) : status;
}

void snpy_output_lend(snpy_output *output, int descriptor)
{
    snpy_output_clear(output);
    output->descriptor = descriptor;
}

/* Gives the temporary file its rights, syncs it, closes it, and renames it to its path. */
static snpy_status snpy_output_place(snpy_output *output, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    int descriptor = output->descriptor;
    if (output->temporary != NULL) {
        status = snpy_hand_over(descriptor, output->old, AT_FDCWD, output->path, output->drop_acl, error);
        if (status == SNPY_OK) status = snpy_sync(descriptor, error);
    }
    if (status != SNPY_OK) return status;
    output->descriptor = -1; /* closed by the next call, even if that fails */
    status = snpy_close(descriptor, error);
    if (status != SNPY_OK || output->temporary == NULL) return status;
    return snpy_place_temporary(output->path, &output->temporary, &output->slot, error);
}

snpy_status snpy_output_finish(snpy_output *output, snpy_io_error *error)
{
    snpy_status status = output->owns ? snpy_output_place(output, error) : SNPY_OK;
    snpy_output_abandon(output);
    return status;
}
