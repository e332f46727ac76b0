/* write_job.c: deflates one piece of a member: the whole member, or a block that others are joined to.    NPZ-WRITE-008
 * libdeflate ends the stream after each block; deflate_end.c finds that end, so that the next block can follow. */
#include "npz/write.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

/* The most bytes that joining a block to the next one adds. */
#define MAX_JOINT 5u

snpy_status snpy_job_reserve(snpy_job *job, size_t size, snpy_io_error *error)
{
    if (size <= job->in_capacity) return SNPY_OK;
    uint8_t *grown = realloc(job->in, size);
    if (grown == NULL) return snpy_io_no_memory(error, "realloc");
    job->in = grown;
    job->in_capacity = size;
    return SNPY_OK;
}

/* Makes job->out hold at least `size` bytes; what is in it is lost. Returns false if there is no memory. */
static bool snpy_job_reserve_out(snpy_job *job, size_t size)
{
    if (size <= job->out_capacity) return true;
    free(job->out);
    job->out = malloc(size);
    job->out_capacity = job->out != NULL ? size : 0;
    return job->out != NULL;
}

/* Changes the end of a deflated block so that another can follow: clears the flag of its last deflate block and appends
 * an empty stored block, which fills the last byte. Returns false if the bytes are no deflate stream. */
static bool snpy_job_open_end(snpy_job *job)
{
    static const uint8_t empty[MAX_JOINT - 1] = {0, 0, 0xff, 0xff};
    snpy_deflate_ends ends;
    if (!snpy_deflate_find_end(job->out, job->out_size, &ends)) return false;
    job->out[ends.last_block / 8] &= (uint8_t) ~(1u << ends.last_block % 8);
    if (ends.end % 8 > 0) job->out[ends.end / 8] &= (uint8_t)((1u << ends.end % 8) - 1);
    const size_t size = (size_t)((ends.end + 3 + 7) / 8); /* the 3 bits of the empty block's header are 0 */
    if (size > job->out_size) job->out[size - 1] = 0;
    memcpy(job->out + size, empty, sizeof empty);
    job->out_size = size + sizeof empty;
    return true;
}

/* Deflates job->in into job->out. If another block follows, changes the end so that it can. Returns NULL, or the name
 * of the call that failed. */
static const char *snpy_job_deflate(snpy_job *job)
{
    if (job->compressor != NULL && job->compressor_level != job->level) {
        libdeflate_free_compressor(job->compressor);
        job->compressor = NULL;
    }
    if (job->compressor == NULL) job->compressor = libdeflate_alloc_compressor(job->level);
    if (job->compressor == NULL) return "malloc";
    job->compressor_level = job->level;
    const size_t capacity = libdeflate_deflate_compress_bound(job->compressor, job->size);
    if (!snpy_job_reserve_out(job, capacity + MAX_JOINT)) return "malloc";
    job->out_size = libdeflate_deflate_compress(job->compressor, job->in, job->size, job->out, capacity);
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
