/* write_pool.c: deflates several pieces at once, by threads, and returns them in order.                   NPZ-WRITE-008
 * write_job.c deflates one piece. */
#include "npz/write.h"

#include <stdlib.h>

/* Takes the oldest job that no thread has taken. Returns NULL if there is none. The caller holds the lock. */
static snpy_job *snpy_pool_take(snpy_deflate_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        snpy_job *job = &pool->jobs[(pool->first + i) % pool->capacity];
        if (job->state != SNPY_JOB_READY) continue;
        job->state = SNPY_JOB_TAKEN;
        return job;
    }
    return NULL;
}

/* Runs a job and marks it as done. The caller holds the lock, which is released meanwhile. */
static void snpy_pool_work(snpy_deflate_pool *pool, snpy_job *job)
{
    (void)pthread_mutex_unlock(&pool->lock); /* cannot fail for a private lock */
    snpy_job_run(job);
    (void)pthread_mutex_lock(&pool->lock);
    job->state = SNPY_JOB_DONE;
    (void)pthread_cond_signal(&pool->is_done); /* only the writer waits for this */
}

/* Runs jobs until the pool ends: the main function of each helper thread. */
static void *snpy_pool_help(void *argument)
{
    snpy_deflate_pool *pool = argument;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->ends) {
        snpy_job *job = snpy_pool_take(pool);
        if (job != NULL)
            snpy_pool_work(pool, job);
        else
            (void)pthread_cond_wait(&pool->is_ready, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

snpy_status snpy_pool_begin(snpy_deflate_pool *pool, int level, unsigned threads, snpy_io_error *error)
{
    static const snpy_deflate_pool empty = {.count = 0};
    if (threads > SNPY_MAX_HELPERS + 1) threads = SNPY_MAX_HELPERS + 1;
    *pool = empty;
    pool->capacity = threads > 1 ? threads + 2 : 1; /* two wait while others are deflated or written */
    pool->jobs = calloc(pool->capacity, sizeof *pool->jobs);
    if (pool->jobs == NULL) return snpy_io_no_memory(error, "calloc");
    for (size_t i = 0; i < pool->capacity; i++) pool->jobs[i].level = level;
    (void)pthread_mutex_init(&pool->lock, NULL); /* without attributes these cannot fail here */
    (void)pthread_cond_init(&pool->is_ready, NULL);
    (void)pthread_cond_init(&pool->is_done, NULL);
    while (pool->helper_count + 1 < threads &&
           pthread_create(&pool->helpers[pool->helper_count], NULL, snpy_pool_help, pool) == 0)
        pool->helper_count++;
    return SNPY_OK;
}

void snpy_pool_end(snpy_deflate_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    pool->ends = true;
    (void)pthread_cond_broadcast(&pool->is_ready);
    (void)pthread_mutex_unlock(&pool->lock);
    while (pool->helper_count > 0) (void)pthread_join(pool->helpers[--pool->helper_count], NULL);
    (void)pthread_mutex_destroy(&pool->lock);
    (void)pthread_cond_destroy(&pool->is_ready);
    (void)pthread_cond_destroy(&pool->is_done);
    for (size_t i = 0; i < pool->capacity; i++) snpy_job_release(&pool->jobs[i]);
    free(pool->jobs);
    pool->jobs = NULL;
    pool->capacity = 0;
}

bool snpy_pool_is_full(const snpy_deflate_pool *pool)
{
    return pool->count == pool->capacity; /* only this thread changes count */
}

snpy_job *snpy_pool_next(snpy_deflate_pool *pool)
{
    return &pool->jobs[(pool->first + pool->count) % pool->capacity];
}

void snpy_pool_give(snpy_deflate_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    snpy_pool_next(pool)->state = SNPY_JOB_READY;
    pool->count++;
    (void)pthread_cond_signal(&pool->is_ready);
    (void)pthread_mutex_unlock(&pool->lock);
}

snpy_job *snpy_pool_oldest(snpy_deflate_pool *pool)
{
    snpy_job *oldest = &pool->jobs[pool->first];
    (void)pthread_mutex_lock(&pool->lock);
    while (oldest->state != SNPY_JOB_DONE) {
        snpy_job *job = snpy_pool_take(pool);
        if (job != NULL)
            snpy_pool_work(pool, job);
        else
            (void)pthread_cond_wait(&pool->is_done, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return oldest;
}

void snpy_pool_drop(snpy_deflate_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    pool->jobs[pool->first].state = SNPY_JOB_IDLE;
    pool->first = (pool->first + 1) % pool->capacity;
    pool->count--;
    (void)pthread_mutex_unlock(&pool->lock);
}
