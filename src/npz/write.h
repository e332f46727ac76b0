/* write.h: what writing archives shares: the output, deflating, keys, members.
 * Proves nothing; it is tested. Leaves the records to the core, deflate to zlib and libdeflate.
 *
 * Functions that return a status fill the error they are given when they fail, and leave it alone else. */
#ifndef SNPY_NPZ_WRITE_H
#define SNPY_NPZ_WRITE_H

#include <pthread.h>

#include "core/zip/write_records.h"
#include "npz/npz.h"
#include "safenpy/archive_write.h"

/* --- write_sink.c: bytes on their way to the output --------------------------------------------------------- */

/* An archive so far. */
typedef struct snpy_zip_sink {
    snpy_output output;
    bool can_patch;    /* what was written can be written once more */
    uint64_t start;    /* bytes of the file before the archive */
    uint64_t position; /* bytes put so far */
    uint8_t *held;     /* the last of them, which wait to be written */
    size_t held_size;
    uint8_t *tail; /* the last SNPY_ZIP_TAIL of them: byte i of the archive at i % SNPY_ZIP_TAIL */
} snpy_zip_sink;

/* Makes an output that is open one whose bytes are put: finds out what it can do.          HOST-IO, HOST-MEMORY */
snpy_status snpy_sink_begin(snpy_zip_sink *sink, snpy_io_error *error);

/* Gives back its memory; the output is left. */
void snpy_sink_end(snpy_zip_sink *sink);

snpy_status snpy_sink_put(snpy_zip_sink *sink, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* Writes bytes that were put once more, if sink->can_patch. */
snpy_status snpy_sink_patch(snpy_zip_sink *sink, uint64_t at, const uint8_t *bytes, size_t size, snpy_io_error *error);

/* Writes what waits. */
snpy_status snpy_sink_flush(snpy_zip_sink *sink, snpy_io_error *error);

/* Copies the last bytes that were put, at most SNPY_ZIP_TAIL. Returns how many. */
size_t snpy_sink_tail(const snpy_zip_sink *sink, uint8_t *out);

/* --- deflate_end.c: the end of what was deflated ---------------------------------------------------------------- */

/* Bits of a deflate stream, from its beginning. */
typedef struct snpy_deflate_ends {
    uint64_t last_block; /* its first one: set, as in no other block */
    uint64_t end;        /* after the last one */
} snpy_deflate_ends;

/* Finds the last block of a stream that libdeflate wrote. Returns false if the bytes are no such stream. */
bool snpy_deflate_find_end(const uint8_t *stream, size_t size, snpy_deflate_ends *ends);

/* --- write_job.c: one piece deflated ------------------------------------------------------------------------- */

/* Members of this size at most are deflated at once, larger ones in blocks, so that several threads can work on one
 * member. Nothing of a block is repeated in another: that costs up to 32 KiB for each.           NPZ-WRITE-008 */
#define SNPY_WHOLE_MOST ((uint64_t)8 << 20)
#ifndef SNPY_BLOCK_SIZE /* tests have smaller ones */
#define SNPY_BLOCK_SIZE ((size_t)2 << 20)
#endif

enum snpy_job_state { SNPY_JOB_IDLE, SNPY_JOB_READY, SNPY_JOB_TAKEN, SNPY_JOB_DONE };

/* A whole member or a block of one. */
typedef struct snpy_job {
    enum snpy_job_state state;
    int level;
    bool is_whole;
    bool is_last;  /* of its member */
    size_t member; /* its number */
    uint8_t *in;
    size_t in_room;
    size_t size;
    uint8_t *out; /* once it is done: the deflated bytes */
    size_t out_room;
    size_t out_size;
    uint32_t crc;
    const char *failed; /* the call that gave no memory; NULL: none */
    void *compressor;   /* of libdeflate */
    int compressor_level;
} snpy_job;

/* Makes room for bytes to be deflated; what is there stays. */
snpy_status snpy_job_reserve(snpy_job *job, size_t size, snpy_io_error *error);

/* Deflates. May be called by any thread. */
void snpy_job_run(snpy_job *job);

/* Gives back its memory. */
void snpy_job_release(snpy_job *job);

/* --- write_press.c: jobs, several at once --------------------------------------------------------------------- */

#define SNPY_MOST_HELPERS 63u

/* Jobs in the order in which they are written, and the threads that do them. */
typedef struct snpy_press {
    snpy_job *jobs;
    size_t room;
    size_t first; /* the oldest job that was given */
    size_t count; /* jobs that were given and not yet taken back */
    pthread_t helpers[SNPY_MOST_HELPERS];
    size_t helper_count;
    pthread_mutex_t lock; /* of the states of jobs, first, count and ends */
    pthread_cond_t is_ready;
    pthread_cond_t is_done;
    bool ends;
} snpy_press;

/* Makes a press of so many threads, the caller's one of them; fewer, if the system has no more.    HOST-MEMORY */
snpy_status snpy_press_begin(snpy_press *press, int level, unsigned threads, snpy_io_error *error);

/* Ends the threads, and gives back all memory; jobs that were not taken back are lost. */
void snpy_press_end(snpy_press *press);

/* Whether no more jobs can be given before one is taken back. */
bool snpy_press_is_full(const snpy_press *press);

/* The job to be filled and given next; of a press that is not full. */
snpy_job *snpy_press_next(snpy_press *press);

/* Gives it to the threads. */
void snpy_press_give(snpy_press *press);

/* Waits until the oldest job is done, and works meanwhile. It stays as it is until snpy_press_drop. */
snpy_job *snpy_press_oldest(snpy_press *press);
void snpy_press_drop(snpy_press *press);

/* --- write_keys.c: names, and whether keys are new ------------------------------------------------------------ */

/* A place where keys part. */
typedef struct snpy_key_node {
    uint32_t child[2]; /* twice the number of a node, or twice that of a member, and 1 */
    uint32_t byte;     /* of the keys: the first that is not the same in all below */
    uint8_t mask;      /* and its highest such bit */
} snpy_key_node;

/* The names of all members. */
typedef struct snpy_key_set {
    uint8_t *text; /* all names, one after another */
    size_t text_size;
    size_t text_room;
    size_t *ends; /* of each name in it */
    snpy_key_node *nodes;
    size_t count; /* names */
    size_t room;
    uint32_t root;
} snpy_key_set;

void snpy_keys_release(snpy_key_set *keys);

/* The bytes of a name. */
const uint8_t *snpy_keys_name(const snpy_key_set *keys, size_t index, size_t *length);

/* Adds a name, unless its key is there already or, if `strict`, hides another one or is hidden.
 * returns  SNPY_OK; SNPY_ZIP_WRITE_KEY, SNPY_ZIP_WRITE_DUPLICATE at keys->count; SNPY_NO_MEMORY
 *                                                                                     NPZ-WRITE-001, NPZ-WRITE-002 */
snpy_status snpy_keys_add(snpy_key_set *keys, const uint8_t *name, size_t length, bool strict, snpy_io_error *error);

/* --- write_member.c: members ----------------------------------------------------------------------------------- */

/* What is known of the member that was begun. */
typedef struct snpy_zip_open_member {
    bool is_open;
    bool is_deflated;
    bool has_crc; /* ahead */
    uint64_t expected;
    uint64_t received;
    snpy_job *job; /* that is being filled */
} snpy_zip_open_member;

/* An archive that is being written. */
struct snpy_archive_state {
    snpy_zip_sink sink;
    snpy_press press;
    bool has_press;
    snpy_key_set keys;
    struct snpy_zip_entry *entries; /* keys.count of them */
    size_t entry_room;
    snpy_zip_open_member open;
    uint32_t level;
    bool any_keys; /* those that hide each other, too: they are another archive's */
    bool failed;
};

/* Begins a member. `crc`, if not NULL, is known ahead, and so is the size; it is not deflated then.
 *                                                                              NPZ-WRITE-001, 002, 005 … 007 */
snpy_status snpy_pack_begin(struct snpy_archive_state *state, const uint8_t *name, size_t length, uint64_t size,
                            const uint32_t *crc, snpy_io_error *error);

/* Puts its bytes, and ends it. */
snpy_status snpy_pack_put(struct snpy_archive_state *state, const uint8_t *bytes, uint64_t size, snpy_io_error *error);
snpy_status snpy_pack_end(struct snpy_archive_state *state, snpy_io_error *error);

/* Where the data of a member begin, from the first byte of the archive: after its local header. */
uint64_t snpy_pack_data_offset(const struct snpy_zip_entry *entry);

/* Writes what was given to the press. */
snpy_status snpy_pack_drain(struct snpy_archive_state *state, snpy_io_error *error);

#endif
