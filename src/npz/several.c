/* several.c: several members at once, by several threads.                                          NPZ-LIMIT-003
 * Proves nothing. Leaves one member to load.c. */
#include "npz/npz.h"

#include <pthread.h>

/* More threads than this are no help. */
#define MOST_THREADS 64u

/* The work, shared by the threads: each takes the next member that nobody has taken. */
typedef struct snpy_crew {
    const snpy_archive *archive;
    const size_t *indices;
    snpy_array *arrays;
    snpy_io_error *errors;
    size_t count;
    size_t next;
    pthread_mutex_t lock; /* of `next` */
} snpy_crew;

snpy_status snpy_archive_total(const snpy_archive *archive, const size_t *indices, size_t count, snpy_io_error *error)
{
    if (archive == NULL) return SNPY_OK; /* whatever is asked of it fails later */
    uint64_t left = archive->options.max_total_bytes;
    for (size_t i = 0; i < count; i++) {
        size_t index = indices != NULL ? indices[i] : i;
        if (index >= archive->count || archive->members[index].method != SNPY_ZIP_DEFLATED) continue;
        const snpy_zip_member *record = &archive->members[index];
        if (record->size > archive->options.max_member_bytes) continue; /* refused by itself, and not inflated */
        if (record->size > left) {
            (void)snpy_archive_begin(archive, index, error);
            snpy_archive_blame(archive, index, error);
            return snpy_io_refuse(error, SNPY_ZIP_TOTAL_TOO_LARGE, record->central_offset + SNPY_CENTRAL_SIZE_AT);
        }
        left -= record->size;
    }
    return SNPY_OK;
}

snpy_status snpy_archive_check_all(const snpy_archive *archive, snpy_io_error *error)
{
    snpy_status status = snpy_archive_total(archive, NULL, archive->count, error);
    for (size_t i = 0; i < archive->count && status == SNPY_OK; i++) {
        snpy_array head;
        bool is_array;
        status = snpy_archive_check(archive, i, &is_array, &head, error);
        snpy_array_release(&head);
        if (status == SNPY_OK && !is_array && snpy_is_named_array(archive, i)) {
            snpy_archive_blame(archive, i, error);
            status = snpy_io_refuse(error, SNPY_NOT_AN_ARRAY, 0);
        }
    }
    return status;
}

/* The next member to be loaded, or the number of them. */
static size_t snpy_take_next(snpy_crew *crew)
{
    (void)pthread_mutex_lock(&crew->lock); /* of a lock that is only ours it cannot fail */
    size_t mine = crew->next < crew->count ? crew->next++ : crew->count;
    (void)pthread_mutex_unlock(&crew->lock);
    return mine;
}

/* What each thread does. */
static void *snpy_work(void *argument)
{
    snpy_crew *crew = argument;
    for (size_t i = snpy_take_next(crew); i < crew->count; i = snpy_take_next(crew))
        (void)snpy_archive_load(crew->archive, crew->indices[i], NULL, &crew->arrays[i], &crew->errors[i]);
    return NULL;
}

/* Lets the crew work. The calling thread is one of them, and does all of it if there are no others to be had. */
static void snpy_work_together(snpy_crew *crew, unsigned threads)
{
    pthread_t helpers[MOST_THREADS];
    size_t started = 0;
    if (threads > crew->count) threads = (unsigned)crew->count;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    while (started + 1 < threads && pthread_create(&helpers[started], NULL, snpy_work, crew) == 0) started++;
    (void)snpy_work(crew);
    while (started > 0) (void)pthread_join(helpers[--started], NULL);
}

snpy_status snpy_archive_load_several(const snpy_archive *archive, const size_t *indices, size_t count,
                                      unsigned threads, snpy_array *arrays, snpy_io_error *errors)
{
    snpy_crew crew = {archive, indices, arrays, errors, count, 0, PTHREAD_MUTEX_INITIALIZER};
    snpy_io_error error;
    snpy_status status = snpy_archive_total(archive, indices, count, &error);
    for (size_t i = 0; i < count; i++) {
        snpy_array_clear(&arrays[i]);
        if (status != SNPY_OK) errors[i] = error;
    }
    if (status != SNPY_OK || count == 0) return status;
    snpy_work_together(&crew, threads);
    (void)pthread_mutex_destroy(&crew.lock);
    for (size_t i = 0; i < count; i++)
        if (errors[i].error.status != SNPY_OK) return errors[i].error.status;
    return SNPY_OK;
}
