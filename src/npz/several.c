/* several.c: checks and loads several members at once, with several threads.                              NPZ-LIMIT-003
 * load.c loads each member. */
#include "npz/npz.h"

#include <pthread.h>

/* The most threads that load members. */
#define MAX_THREADS 64u

/* The members to be loaded, shared by the threads: each thread takes the next that is left. */
typedef struct snpy_crew {
    const snpy_archive *archive;
    const size_t *indices;
    snpy_array *arrays;
    snpy_io_error *errors;
    size_t count;
    size_t next;
    pthread_mutex_t lock; /* guards `next` */
} snpy_crew;

snpy_status snpy_archive_total(const snpy_archive *archive, const size_t *indices, size_t count, snpy_io_error *error)
{
    if (archive == NULL) return SNPY_OK; /* the call that follows fails */
    uint64_t left = archive->options.max_total_bytes;
    for (size_t i = 0; i < count; i++) {
        size_t index = indices != NULL ? indices[i] : i;
        if (index >= archive->count || archive->members[index].method != SNPY_ZIP_DEFLATED) continue;
        const snpy_zip_member *record = &archive->members[index];
        if (record->size > archive->options.max_member_bytes) continue; /* refused later, before it is inflated */
        if (record->size > left) {
            (void)snpy_archive_begin(archive, index, error);
            snpy_set_error_member(archive, index, error);
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
            snpy_set_error_member(archive, i, error);
            status = snpy_io_refuse(error, SNPY_NOT_AN_ARRAY, 0);
        }
    }
    return status;
}

/* Takes the next member to be loaded. Returns its position in `indices`, or `count` if none is left. */
static size_t snpy_take_next(snpy_crew *crew)
{
    (void)pthread_mutex_lock(&crew->lock); /* cannot fail for a private lock */
    size_t mine = crew->next < crew->count ? crew->next++ : crew->count;
    (void)pthread_mutex_unlock(&crew->lock);
    return mine;
}

/* Loads members until none is left: the main function of each thread. */
static void *snpy_load_members(void *argument)
{
    snpy_crew *crew = argument;
    for (size_t i = snpy_take_next(crew); i < crew->count; i = snpy_take_next(crew))
        (void)snpy_archive_load(crew->archive, crew->indices[i], NULL, &crew->arrays[i], &crew->errors[i]);
    return NULL;
}

/* Loads all members of a crew with up to `threads` threads, the calling one included. If no thread can be started, the
 * calling one loads them all. */
static void snpy_load_by_threads(snpy_crew *crew, unsigned threads)
{
    pthread_t helpers[MAX_THREADS];
    size_t started = 0;
    if (threads > crew->count) threads = (unsigned)crew->count;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    while (started + 1 < threads && pthread_create(&helpers[started], NULL, snpy_load_members, crew) == 0) started++;
    (void)snpy_load_members(crew);
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
    snpy_load_by_threads(&crew, threads);
    (void)pthread_mutex_destroy(&crew.lock);
    for (size_t i = 0; i < count; i++)
        if (errors[i].error.status != SNPY_OK) return errors[i].error.status;
    return SNPY_OK;
}
