/* write_job.c: one piece of a member deflated: at once, or as a block that others stand beside.       NPZ-WRITE-008
 * Proves nothing. Leaves deflating to libdeflate, which ends the stream after each block: deflate_end.c finds that end, so
 * that it can be opened again. */
#include "npz/write.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

/* What a block takes at most to be joined to the next one. */
#define JOINT_ROOM 5u

snpy_status snpy_job_reserve(snpy_job *job, size_t size, snpy_io_error *error)
{
    if (size <= job->in_room) return SNPY_OK;
    uint8_t *grown = realloc(job->in, size);
    if (grown == NULL) return snpy_io_no_memory(error, "realloc");
    job->in = grown;
    job->in_room = size;
    return SNPY_OK;
}

/* Makes room for deflated bytes. */
static bool snpy_job_reserve_out(snpy_job *job, size_t size)
{
    if (size <= job->out_room) return true;
    free(job->out);
    job->out = malloc(size);
    job->out_room = job->out != NULL ? size : 0;
    return job->out != NULL;
}

/* Ends a block so that another can follow: its stream's last part is no longer the last one, and an empty part that is
 * stored goes up to the end of a byte. Returns whether the stream is one. */
static bool snpy_job_open_end(snpy_job *job)
{
    static const uint8_t empty[JOINT_ROOM - 1] = {0, 0, 0xff, 0xff};
    snpy_deflate_ends ends;
    if (!snpy_deflate_find_end(job->out, job->out_size, &ends)) return false;
    job->out[ends.last_block / 8] &= (uint8_t) ~(1u << ends.last_block % 8);
    if (ends.end % 8 > 0) job->out[ends.end / 8] &= (uint8_t)((1u << ends.end % 8) - 1);
    const size_t size = (size_t)((ends.end + 3 + 7) / 8); /* its 3 bits are 0, as all that are left over */
    if (size > job->out_size) job->out[size - 1] = 0;
    memcpy(job->out + size, empty, sizeof empty);
    job->out_size = size + sizeof empty;
    return true;
}

/* Deflates a piece. Returns the call that gave no memory, or NULL. */
static const char *snpy_job_deflate(snpy_job *job)
{
    if (job->compressor != NULL && job->compressor_level != job->level) {
        libdeflate_free_compressor(job->compressor);
        job->compressor = NULL;
    }
    if (job->compressor == NULL) job->compressor = libdeflate_alloc_compressor(job->level);
    if (job->compressor == NULL) return "malloc";
    job->compressor_level = job->level;
    const size_t room = libdeflate_deflate_compress_bound(job->compressor, job->size);
    if (!snpy_job_reserve_out(job, room + JOINT_ROOM)) return "malloc";
    job->out_size = libdeflate_deflate_compress(job->compressor, job->in, job->size, job->out, room);
    if (job->out_size == 0) return "deflate";
    if (job->is_last) return NULL;
    return snpy_job_open_end(job) ? NULL : "deflate";
}

void snpy_job_run(snpy_job *job)
{
    job->crc = snpy_fast_crc(0, job->in, job->size);
    job->failed = snpy_job_deflate(job);
}

void snpy_job_release(snpy_job *job)
{
    if (job->compressor != NULL) libdeflate_free_compressor(job->compressor);
    free(job->in);
    free(job->out);
}
