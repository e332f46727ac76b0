/* write_job.c: one piece of a member deflated: at once, or as a block that others stand beside.       NPZ-WRITE-008
 * Proves nothing. Leaves deflating to libdeflate, and of blocks to zlib, which can end one without ending the stream. */
#include "npz/write.h"

#include <stdlib.h>

#include <libdeflate.h>
#include <zlib.h>

/* What zlib may take for a flush, beyond its own bound. */
#define FLUSH_ROOM 64u

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

/* Deflates a whole member. Returns the call that gave no memory, or NULL. */
static const char *snpy_deflate_whole(snpy_job *job)
{
    if (job->compressor == NULL) job->compressor = libdeflate_alloc_compressor(job->level);
    if (job->compressor == NULL) return "malloc";
    if (!snpy_job_reserve_out(job, libdeflate_deflate_compress_bound(job->compressor, job->size))) return "malloc";
    job->out_size = libdeflate_deflate_compress(job->compressor, job->in, job->size, job->out, job->out_room);
    return job->out_size > 0 ? NULL : "deflate";
}

/* Makes zlib's stream anew, for deflate data without a frame. Returns the call that gave no memory, or NULL. */
static const char *snpy_job_stream(snpy_job *job)
{
    z_stream *stream = job->stream;
    if (stream != NULL) return deflateReset(stream) == Z_OK ? NULL : "deflate";
    stream = calloc(1, sizeof *stream);
    if (stream == NULL) return "calloc";
    stream->zalloc = snpy_zlib_allocate;
    stream->zfree = snpy_zlib_free;
    if (deflateInit2(stream, job->level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(stream);
        return "malloc";
    }
    job->stream = stream;
    return NULL;
}

/* Deflates a block, which ends at a byte and, if it is the last one, ends the stream. Returns likewise. */
static const char *snpy_deflate_block(snpy_job *job)
{
    const char *failed = snpy_job_stream(job);
    z_stream *stream = job->stream;
    if (failed != NULL) return failed;
    if (!snpy_job_reserve_out(job, (size_t)deflateBound(stream, (uLong)job->size) + FLUSH_ROOM)) return "malloc";
    if (job->dictionary > 0 && deflateSetDictionary(stream, job->in, (uInt)job->dictionary) != Z_OK) return "deflate";
    stream->next_in = job->in + job->dictionary;
    stream->avail_in = (uInt)job->size;
    stream->next_out = job->out;
    stream->avail_out = (uInt)job->out_room;
    int result = deflate(stream, job->is_last ? Z_FINISH : Z_SYNC_FLUSH);
    job->out_size = job->out_room - stream->avail_out;
    bool is_done = result == (job->is_last ? Z_STREAM_END : Z_OK) && stream->avail_in == 0 && stream->avail_out > 0;
    return is_done ? NULL : "deflate";
}

void snpy_job_run(snpy_job *job)
{
    job->crc = snpy_fast_crc(0, job->in + job->dictionary, job->size);
    job->failed = job->is_whole ? snpy_deflate_whole(job) : snpy_deflate_block(job);
}

void snpy_job_release(snpy_job *job)
{
    if (job->stream != NULL) (void)deflateEnd(job->stream); /* it may have been left in the middle */
    if (job->compressor != NULL) libdeflate_free_compressor(job->compressor);
    free(job->stream);
    free(job->in);
    free(job->out);
}
