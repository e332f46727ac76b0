/* pieces.c: a deflated member inflated piece by piece, by one thread or two.                NPZ-DATA-002, NPZ-DATA-007
 * Proves nothing. Leaves inflating to libdeflate, and whether the stream is one to walk.c, because libdeflate takes some
 * that RFC 1951 forbids.
 *
 * A walk goes ahead and cuts the stream where a block begins at a whole byte. So both see the same bytes, though a file
 * may change; no more than some pieces of the data need be in memory; they stay in the processor's cache; and two threads
 * can go on one behind the other. libdeflate wants whole streams: a piece is made one by a stored block in front of it, of
 * the 32 KiB that it may repeat, and an empty block behind it. */
#include "npz/walk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

/* How far back a stream may repeat; what is in front of a stored block's bytes; room for both. */
#define WINDOW ((size_t)32768)
#define STORED_HEAD ((size_t)5)
#define AHEAD (WINDOW + STORED_HEAD)

/* The empty block, which is the last one. */
#define END_SIZE ((size_t)2)

/* Pieces that are cut and not yet inflated, where there are two threads. */
#define MOST_PIECES 4u

/* Bytes of the stream, at AHEAD of their memory. */
typedef struct snpy_piece {
    uint8_t *room;
    size_t capacity; /* for so many of them */
    size_t size;
    bool is_last;
} snpy_piece;

/* What cuts the stream. */
typedef struct snpy_scout {
    const snpy_archive *archive;
    const snpy_zip_member *record;
    uint64_t taken;  /* bytes that were read */
    snpy_piece rest; /* those of them that are behind the last cut */
    snpy_walk walk;
    snpy_status status;
    snpy_io_error *error;
} snpy_scout;

/* All of it. A helper cuts, and takes the CRC where it would have to wait; `summed` and `crc` are then its own. */
typedef struct snpy_pieces {
    snpy_scout scout;
    snpy_piece pieces[MOST_PIECES];
    struct libdeflate_decompressor *decompressor;
    uint8_t *out;
    uint64_t filled;
    uint64_t summed; /* of these bytes the CRC is known */
    uint32_t crc;
    bool is_lost; /* libdeflate has refused a piece: nothing else counts */
    bool has_helper;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t news;
    size_t made;    /* pieces that were cut */
    size_t used;    /* pieces that were inflated */
    uint64_t fixed; /* bytes that will not be written again */
    bool is_cut;    /* no more pieces come */
    bool is_over;   /* no more pieces are wanted */
} snpy_pieces;

/* --- cutting ----------------------------------------------------------------------------------------------- */

/* Makes room for bytes of the stream and an end; those that are there stay. */
static bool snpy_piece_reserve(snpy_piece *piece, size_t capacity)
{
    if (piece->room != NULL && capacity <= piece->capacity) return true;
    uint8_t *grown = realloc(piece->room, AHEAD + capacity + END_SIZE);
    if (grown == NULL) return false;
    piece->room = grown;
    piece->capacity = capacity;
    return true;
}

/* Makes a piece of bytes that stand elsewhere. */
static snpy_status snpy_piece_copy(snpy_piece *piece, const uint8_t *bytes, size_t size, snpy_io_error *error)
{
    if (!snpy_piece_reserve(piece, size)) return snpy_io_no_memory(error, "realloc");
    memcpy(piece->room + AHEAD, bytes, size);
    piece->size = size;
    piece->is_last = false;
    return SNPY_OK;
}

/* Reads more of the stream behind what a piece has: up to a chunk, or as much again. */
static snpy_status snpy_scout_read(snpy_scout *scout, snpy_piece *piece)
{
    const uint64_t left = scout->record->compressed_size - scout->taken;
    const uint64_t offset = scout->record->data_offset + scout->taken;
    size_t more = piece->size < SNPY_CHUNK_SIZE ? SNPY_CHUNK_SIZE - piece->size : piece->size;
    if (more > left) more = (size_t)left;
    if (!snpy_piece_reserve(piece, piece->size + more)) return snpy_io_no_memory(scout->error, "realloc");
    uint8_t *end = piece->room + AHEAD + piece->size;
    scout->taken += more;
    piece->size += more;
    return snpy_archive_fetch(scout->archive, offset, end, more, scout->error);
}

/* Walks through a piece as far as it has whole blocks. Returns where it can be cut, 0: nowhere. */
static size_t snpy_scout_walk(snpy_scout *scout, snpy_piece *piece)
{
    snpy_walk *walk = &scout->walk;
    size_t cut = 0;
    walk->stream = piece->room + AHEAD;
    walk->size = piece->size;
    while (!piece->is_last) {
        const uint64_t place = walk->place;
        if (!snpy_walk_block(walk, &piece->is_last)) {
            walk->place = place; /* more of this block is to be read, or it is none */
            piece->is_last = false;
            return cut;
        }
        if (walk->place % 8 == 0) cut = (size_t)(walk->place / 8);
    }
    return (size_t)((walk->place + 7) / 8);
}

/* Cuts the next piece, of no bytes if there is none, or if the stream does not end where its data do. */
static snpy_status snpy_scout_cut(snpy_scout *scout, snpy_piece *piece)
{
    static const uint8_t end[END_SIZE] = {3, 0};
    const uint64_t all = scout->record->compressed_size;
    size_t cut = 0;
    snpy_status status = snpy_piece_copy(piece, scout->rest.room + AHEAD, scout->rest.size, scout->error);
    while (status == SNPY_OK && cut == 0 && scout->taken < all) {
        status = snpy_scout_read(scout, piece);
        if (status == SNPY_OK) cut = snpy_scout_walk(scout, piece);
    }
    if (piece->is_last && (cut < piece->size || scout->taken < all)) cut = 0;
    if (status == SNPY_OK && cut > 0)
        status = snpy_piece_copy(&scout->rest, piece->room + AHEAD + cut, piece->size - cut, scout->error);
    piece->size = status == SNPY_OK ? cut : 0;
    if (piece->size == 0) return status;
    memcpy(piece->room + AHEAD + cut, end, END_SIZE);
    scout->walk.place -= (uint64_t)8 * cut;
    return SNPY_OK;
}

/* Cuts the next piece. Returns whether there is one. */
static bool snpy_pieces_cut(snpy_pieces *work, snpy_piece *piece)
{
    work->scout.status = snpy_scout_cut(&work->scout, piece);
    return piece->size > 0;
}

/* --- inflating --------------------------------------------------------------------------------------------- */

/* Puts in front of a piece what it may repeat, as a stored block. Returns where that begins. */
static uint8_t *snpy_piece_precede(snpy_piece *piece, const uint8_t *bytes, size_t size)
{
    const size_t complement = 0xffff - size;
    const uint8_t head[STORED_HEAD] = {0, (uint8_t)(size & 255), (uint8_t)(size >> 8), (uint8_t)(complement & 255),
                                       (uint8_t)(complement >> 8)};
    uint8_t *start = piece->room + (AHEAD - STORED_HEAD - size);
    memcpy(start, head, STORED_HEAD);
    memcpy(start + STORED_HEAD, bytes, size);
    return start;
}

/* Inflates a piece. What it may repeat is written once more, as it was. */
static bool snpy_pieces_inflate(snpy_pieces *work, snpy_piece *piece)
{
    const size_t window = work->filled < WINDOW ? (size_t)work->filled : WINDOW;
    size_t used = 0;
    size_t given = 0;
    work->filled -= window;
    uint8_t *out = work->out + work->filled;
    const uint8_t *start = snpy_piece_precede(piece, out, window);
    const size_t size = STORED_HEAD + window + piece->size + (piece->is_last ? 0 : END_SIZE);
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        work->decompressor, start, size, out, (size_t)(work->scout.record->size - work->filled), &used, &given);
    work->filled += given;
    return result == LIBDEFLATE_SUCCESS && used == size;
}

/* Takes the CRC of more bytes, up to an end. */
static void snpy_pieces_sum(snpy_pieces *work, uint64_t end)
{
    work->crc = snpy_fast_crc(work->crc, work->out + work->summed, end - work->summed);
    work->summed = end;
}

/* --- two threads ------------------------------------------------------------------------------------------- */

/* What the helper does next, with the lock: it cuts a piece, or sums bytes, or waits until it can do one of both. */
static void snpy_pieces_step(snpy_pieces *work)
{
    const uint64_t fixed = work->fixed;
    if (!work->is_cut && work->made - work->used < MOST_PIECES) {
        snpy_piece *piece = &work->pieces[work->made % MOST_PIECES];
        (void)pthread_mutex_unlock(&work->lock);
        const bool is_there = snpy_pieces_cut(work, piece);
        (void)pthread_mutex_lock(&work->lock);
        if (is_there) work->made++;
        work->is_cut = !is_there || piece->is_last;
        (void)pthread_cond_signal(&work->news); /* only the other thread waits for it */
    } else if (work->summed < fixed) {
        (void)pthread_mutex_unlock(&work->lock);
        snpy_pieces_sum(work, fixed);
        (void)pthread_mutex_lock(&work->lock);
    } else {
        (void)pthread_cond_wait(&work->news, &work->lock);
    }
}

/* What the helper does. */
static void *snpy_pieces_help(void *argument)
{
    snpy_pieces *work = argument;
    (void)pthread_mutex_lock(&work->lock);
    while (!work->is_over) snpy_pieces_step(work);
    (void)pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* Waits for the next piece. Returns NULL if there are no more. */
static snpy_piece *snpy_pieces_next(snpy_pieces *work)
{
    snpy_piece *piece = &work->pieces[work->used % MOST_PIECES];
    if (!work->has_helper) return snpy_pieces_cut(work, piece) ? piece : NULL;
    (void)pthread_mutex_lock(&work->lock);
    while (work->made == work->used && !work->is_cut) (void)pthread_cond_wait(&work->news, &work->lock);
    if (work->made == work->used) piece = NULL;
    (void)pthread_mutex_unlock(&work->lock);
    return piece;
}

/* Gives a piece back that was inflated. */
static void snpy_pieces_drop(snpy_pieces *work)
{
    if (!work->has_helper) {
        snpy_pieces_sum(work, work->filled);
        return;
    }
    (void)pthread_mutex_lock(&work->lock);
    work->used++;
    work->fixed = work->filled > WINDOW ? work->filled - WINDOW : 0;
    (void)pthread_cond_signal(&work->news);
    (void)pthread_mutex_unlock(&work->lock);
}

/* --- all of it --------------------------------------------------------------------------------------------- */

/* Inflates all pieces. Returns whether the last one was among them. */
static bool snpy_pieces_follow(snpy_pieces *work)
{
    bool is_last = false;
    while (!is_last) {
        snpy_piece *piece = snpy_pieces_next(work);
        if (piece == NULL) return false;
        work->is_lost = !snpy_pieces_inflate(work, piece);
        if (work->is_lost) return false;
        is_last = piece->is_last;
        snpy_pieces_drop(work);
    }
    return true;
}

/* Lets the helper end. */
static void snpy_pieces_dismiss(snpy_pieces *work, pthread_t helper)
{
    (void)pthread_mutex_lock(&work->lock);
    work->is_over = true;
    (void)pthread_cond_signal(&work->news);
    (void)pthread_mutex_unlock(&work->lock);
    (void)pthread_join(helper, NULL);
}

/* Inflates, with a helper if there is one to be had. Returns whether what came out is the member. */
static bool snpy_pieces_work(snpy_pieces *work)
{
    const snpy_zip_member *record = work->scout.record;
    pthread_t helper;
    const bool has_helper = work->has_helper && pthread_create(&helper, NULL, snpy_pieces_help, work) == 0;
    work->has_helper = has_helper;
    const bool is_good = snpy_pieces_follow(work);
    if (has_helper) snpy_pieces_dismiss(work, helper);
    if (!is_good || work->filled != record->size) return false;
    snpy_pieces_sum(work, work->filled);
    return work->crc == record->crc;
}

/* Frees all memory, if there is any. */
static void snpy_pieces_end(snpy_pieces *work)
{
    if (work->decompressor != NULL) libdeflate_free_decompressor(work->decompressor);
    for (size_t i = 0; i < MOST_PIECES; i++) free(work->pieces[i].room);
    free(work->scout.rest.room);
    (void)pthread_mutex_destroy(&work->lock);
    (void)pthread_cond_destroy(&work->news);
    free(work);
}

snpy_status snpy_member_pieces(const snpy_archive *archive, const snpy_zip_member *record, bool has_helper,
                               uint8_t *out, bool *is_done, snpy_io_error *error)
{
    snpy_pieces *work = calloc(1, sizeof *work);
    *is_done = false;
    if (work == NULL) return snpy_io_no_memory(error, "calloc");
    work->scout.archive = archive;
    work->scout.record = record;
    work->scout.error = error;
    work->out = out;
    work->has_helper = has_helper;
    snpy_walk_begin(&work->scout.walk);
    (void)pthread_mutex_init(&work->lock, NULL); /* without attributes these cannot fail here */
    (void)pthread_cond_init(&work->news, NULL);
    work->decompressor = libdeflate_alloc_decompressor();
    if (work->decompressor == NULL)
        work->scout.status = snpy_io_no_memory(error, "malloc");
    else if (!snpy_piece_reserve(&work->scout.rest, SNPY_CHUNK_SIZE / 8))
        work->scout.status = snpy_io_no_memory(error, "realloc");
    else
        *is_done = snpy_pieces_work(work);
    const snpy_status status = work->is_lost ? SNPY_OK : work->scout.status;
    snpy_pieces_end(work);
    return status;
}
