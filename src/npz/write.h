/* write.h: the declarations shared by the files that write archives: output, deflating, keys, members.
 * The core writes the records, libdeflate deflates.
 *
 * Functions that return a status fill `error` if they fail and leave it alone otherwise. */
#ifndef SNPY_NPZ_WRITE_H
#define SNPY_NPZ_WRITE_H

#include <pthread.h>

#include "core/zip/write_records.h"
#include "npz/npz.h"
#include "safenpy/archive_write.h"

/* --- write_sink.c: bytes on their way to the output --------------------------------------------------------- */

/* The output of an archive, with a buffer. */
typedef struct snpy_zip_sink {
    snpy_output output;
    bool can_patch;    /* the output is a file, so that bytes already written can be overwritten */
    uint64_t start;    /* offset in the file of the archive's first byte */
    uint64_t position; /* bytes of the archive so far, those in the buffer included */
    uint8_t *held;     /* the buffer: bytes that are not written yet */
    size_t held_size;
    uint8_t *tail; /* a copy of the last SNPY_ZIP_TAIL bytes: byte i of the archive is at i % SNPY_ZIP_TAIL */
} snpy_zip_sink;

/* Prepares an open output for writing, of a sink whose other members are zero: allocates the buffer, and sets can_patch and
 * start if the output is a regular file. On failure call
 * snpy_sink_end.                                                                                HOST-IO, HOST-MEMORY */
snpy_status snpy_sink_begin(snpy_zip_sink *sink, snpy_io_error *error);

/* Frees the buffers. Does not close the output. */
void snpy_sink_end(snpy_zip_sink *sink);

/* Appends bytes to the archive, through the buffer.                                                          HOST-IO */
snpy_status snpy_sink_put(snpy_zip_sink *sink, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* Overwrites bytes that the archive has already, from offset `at` of the archive on. sink->can_patch must be
 * true. */
snpy_status snpy_sink_patch(snpy_zip_sink *sink, uint64_t at, const uint8_t *bytes, size_t size, snpy_io_error *error);

/* Writes the buffer to the output and empties it. */
snpy_status snpy_sink_flush(snpy_zip_sink *sink, snpy_io_error *error);

/* Copies the last bytes of the archive to `out`, at most SNPY_ZIP_TAIL. Returns how many. */
size_t snpy_sink_tail(const snpy_zip_sink *sink, uint8_t *out);

/* --- deflate_end.c: the end of what was deflated ---------------------------------------------------------------- */

/* Offsets in a deflate stream, in bits from its beginning. */
typedef struct snpy_deflate_ends {
    uint64_t last_block; /* of the first bit of the last block, the flag BFINAL */
    uint64_t end;        /* of the bit after the last block */
} snpy_deflate_ends;

/* Finds the beginning and the end of the last block of a stream that libdeflate wrote. Returns false if the bytes are
 * no such stream. */
bool snpy_deflate_find_end(const uint8_t *stream, size_t size, snpy_deflate_ends *ends);

/* --- write_job.c: one piece deflated ------------------------------------------------------------------------- */

/* Members of at most this size are deflated in one piece; larger ones in blocks, so that several threads can work on
 * one member. A block cannot refer to bytes of another, which costs some compression.                  NPZ-WRITE-008 */
#define SNPY_MAX_WHOLE ((uint64_t)8 << 20)
#ifndef SNPY_BLOCK_SIZE /* tests use smaller blocks */
#define SNPY_BLOCK_SIZE ((size_t)2 << 20)
#endif

enum snpy_job_state { SNPY_JOB_IDLE, SNPY_JOB_READY, SNPY_JOB_TAKEN, SNPY_JOB_DONE };

/* A piece to be deflated: a whole member, or a block of one. */
typedef struct snpy_job {
    enum snpy_job_state state;
    int level;
    bool is_whole;
    bool is_last;  /* the last block of its member */
    size_t member; /* index of the member in the archive */
    uint8_t *in;
    size_t in_capacity;
    size_t size;
    uint8_t *out; /* the deflated bytes, once the state is SNPY_JOB_DONE */
    size_t out_capacity;
    size_t out_size;
    uint32_t crc;
    const char *failed; /* name of the call that failed; NULL: none did */
    void *compressor;   /* libdeflate's, kept from one job to the next */
    int compressor_level;
} snpy_job;

/* Makes job->in hold at least `size` bytes; what is in it stays. */
snpy_status snpy_job_reserve(snpy_job *job, size_t size, snpy_io_error *error);

/* Deflates job->in into job->out, and sets crc and failed. Any thread may call it. */
void snpy_job_run(snpy_job *job);

/* Frees the memory of a job. */
void snpy_job_release(snpy_job *job);

/* --- write_pool.c: jobs, several at once --------------------------------------------------------------------- */

#define SNPY_MAX_HELPERS 63u

/* A queue of jobs in the order in which they are written, and the threads that run them. */
typedef struct snpy_deflate_pool {
    snpy_job *jobs;
    size_t capacity;
    size_t first; /* index of the oldest job in the queue */
    size_t count; /* jobs in the queue: given, and not yet dropped */
    pthread_t helpers[SNPY_MAX_HELPERS];
    size_t helper_count;
    pthread_mutex_t lock; /* guards the states of jobs, first, count and ends */
    pthread_cond_t is_ready;
    pthread_cond_t is_done;
    bool ends;
} snpy_deflate_pool;

/* Starts a pool that uses `threads` threads, the caller's included; fewer if the system cannot start them. Fails only
 * if there is no memory.                                                                                 HOST-MEMORY */
snpy_status snpy_pool_begin(snpy_deflate_pool *pool, int level, unsigned threads, snpy_io_error *error);

/* Stops the threads and frees all memory. Jobs still in the queue are lost. */
void snpy_pool_end(snpy_deflate_pool *pool);

/* Whether the queue is full, so that a job must be dropped before the next is given. */
bool snpy_pool_is_full(const snpy_deflate_pool *pool);

/* Returns the job to be filled next, which snpy_pool_give then adds to the queue. The queue must not be full. */
snpy_job *snpy_pool_next(snpy_deflate_pool *pool);

/* Adds the job that snpy_pool_next returned to the queue. */
void snpy_pool_give(snpy_deflate_pool *pool);

/* Returns the oldest job of the queue once it is done; runs jobs itself while it waits. The queue must not be empty.
 * The job stays valid until snpy_pool_drop removes it from the queue. */
snpy_job *snpy_pool_oldest(snpy_deflate_pool *pool);
void snpy_pool_drop(snpy_deflate_pool *pool);

/* --- write_keys.c: names, and whether keys are new ------------------------------------------------------------ */

/* An inner node of the tree of keys (write_keys.c): the keys below differ first in one bit. */
typedef struct snpy_key_node {
    uint32_t child[2]; /* 2 * i for node i; 2 * i + 1 for the key of member i */
    uint32_t byte;     /* offset of the first byte in which the keys below differ */
    uint8_t mask;      /* the highest bit of that byte in which they differ */
} snpy_key_node;

/* The names of all members, with a tree of their keys. */
typedef struct snpy_key_set {
    uint8_t *text; /* all names, contiguous */
    size_t text_size;
    size_t text_capacity;
    size_t *ends; /* offset in `text` of the end of each name */
    snpy_key_node *nodes;
    size_t count; /* names */
    size_t capacity;
    uint32_t root;
} snpy_key_set;

/* Frees the memory of a set and empties it. */
void snpy_keys_release(snpy_key_set *keys);

/* Returns the name of a member, *length bytes without NUL; borrowed until the next name is added. */
const uint8_t *snpy_keys_name(const snpy_key_set *keys, size_t index, size_t *length);

/* Adds a name. Refuses one whose key is in the set; with `strict` also one that snpy_archive_find could confuse with a
 * name in the set, as a.npy and a.npy.npy.                                                 NPZ-WRITE-001, NPZ-WRITE-002
 *
 * returns  SNPY_OK; SNPY_ZIP_WRITE_KEY (no valid name) or SNPY_ZIP_WRITE_DUPLICATE at keys->count;
 *          SNPY_ZIP_TOO_MANY_MEMBERS; SNPY_NO_MEMORY */
snpy_status snpy_keys_add(snpy_key_set *keys, const uint8_t *name, size_t length, bool strict, snpy_io_error *error);

/* --- write_member.c: members ----------------------------------------------------------------------------------- */

/* The state of the member that is being written. */
typedef struct snpy_zip_open_member {
    bool is_open;
    bool is_deflated;
    bool has_crc; /* the caller gave the CRC, and the size, when the member began */
    uint64_t expected;
    uint64_t received;
    snpy_job *job; /* the job that its bytes go to; NULL: it is stored */
} snpy_zip_open_member;

/* An archive that is being written. */
struct snpy_archive_writer {
    snpy_zip_sink sink;
    snpy_deflate_pool pool;
    bool has_pool;
    snpy_key_set keys;
    struct snpy_zip_entry *entries; /* one for each name in `keys` */
    size_t entry_capacity;
    snpy_zip_open_member open;
    uint32_t level;
    bool any_keys; /* accept keys that hide one another */
    bool failed;
};

/* Begins a member: adds its name and entry, and writes the local header of a stored one. `size` may be
 * SNPY_SIZE_UNKNOWN. If `crc` is not NULL, it is the CRC of the whole member; `size` is known then, and the writer's
 * level is 0.                                                                          NPZ-WRITE-001, 002, 005 … 007 */
snpy_status snpy_pack_begin(snpy_archive_writer *writer, const uint8_t *name, size_t length, uint64_t size,
                            const uint32_t *crc, snpy_io_error *error);

/* Add bytes to the member that was begun, and end it. Bytes beyond the declared size are SNPY_TRAILING_DATA, with
 * nothing added; too few at the end are SNPY_TRUNCATED_DATA. */
snpy_status snpy_pack_put(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error);
snpy_status snpy_pack_end(snpy_archive_writer *writer, snpy_io_error *error);

/* Returns the offset of a member's data from the first byte of the archive. */
uint64_t snpy_pack_data_offset(const struct snpy_zip_entry *entry);

/* Waits for all jobs of the pool and writes what they deflated. */
snpy_status snpy_pack_drain(snpy_archive_writer *writer, snpy_io_error *error);

#endif
