/* write_press.c: several pieces deflated at once, and given back in their order.                      NPZ-WRITE-008
 * Proves nothing. Leaves one piece to write_job.c. */
#include "npz/write.h"

#include <stdlib.h>

/* A job that nobody has taken; NULL if there is none. To be called with the lock. */
static snpy_job *snpy_press_take(snpy_press *press)
{
    for (size_t i = 0; i < press->count; i++) {
        snpy_job *job = &press->jobs[(press->first + i) % press->room];
        if (job->state != SNPY_JOB_READY) continue;
        job->state = SNPY_JOB_TAKEN;
        return job;
    }
    return NULL;
}

/* Does a job without the lock, which is taken again. */
static void snpy_press_work(snpy_press *press, snpy_job *job)
{
    (void)pthread_mutex_unlock(&press->lock); /* of a lock that is only ours these cannot fail */
    snpy_job_run(job);
    (void)pthread_mutex_lock(&press->lock);
    job->state = SNPY_JOB_DONE;
    (void)pthread_cond_signal(&press->is_done); /* only the writer waits for it */
}

/* What each helper does. */
static void *snpy_press_help(void *argument)
{
    snpy_press *press = argument;
    (void)pthread_mutex_lock(&press->lock);
    while (!press->ends) {
        snpy_job *job = snpy_press_take(press);
        if (job != NULL)
            snpy_press_work(press, job);
        else
            (void)pthread_cond_wait(&press->is_ready, &press->lock);
    }
    (void)pthread_mutex_unlock(&press->lock);
    return NULL;
}

snpy_status snpy_press_begin(snpy_press *press, int level, unsigned threads, snpy_io_error *error)
{
    static const snpy_press empty = {.count = 0};
    if (threads > SNPY_MOST_HELPERS + 1) threads = SNPY_MOST_HELPERS + 1;
    *press = empty;
    press->room = threads > 1 ? threads + 2 : 1; /* some wait while others are deflated or written */
    press->jobs = calloc(press->room, sizeof *press->jobs);
    if (press->jobs == NULL) return snpy_io_no_memory(error, "calloc");
    for (size_t i = 0; i < press->room; i++) press->jobs[i].level = level;
    (void)pthread_mutex_init(&press->lock, NULL); /* without attributes these cannot fail here */
    (void)pthread_cond_init(&press->is_ready, NULL);
    (void)pthread_cond_init(&press->is_done, NULL);
    while (press->helper_count + 1 < threads &&
           pthread_create(&press->helpers[press->helper_count], NULL, snpy_press_help, press) == 0)
        press->helper_count++;
    return SNPY_OK;
}

void snpy_press_end(snpy_press *press)
{
    (void)pthread_mutex_lock(&press->lock);
    press->ends = true;
    (void)pthread_cond_broadcast(&press->is_ready);
    (void)pthread_mutex_unlock(&press->lock);
    while (press->helper_count > 0) (void)pthread_join(press->helpers[--press->helper_count], NULL);
    (void)pthread_mutex_destroy(&press->lock);
    (void)pthread_cond_destroy(&press->is_ready);
    (void)pthread_cond_destroy(&press->is_done);
    for (size_t i = 0; i < press->room; i++) snpy_job_release(&press->jobs[i]);
    free(press->jobs);
    press->jobs = NULL;
    press->room = 0;
}

bool snpy_press_is_full(const snpy_press *press)
{
    return press->count == press->room; /* only the writer changes it */
}

snpy_job *snpy_press_next(snpy_press *press)
{
    return &press->jobs[(press->first + press->count) % press->room];
}

void snpy_press_give(snpy_press *press)
{
    (void)pthread_mutex_lock(&press->lock);
    snpy_press_next(press)->state = SNPY_JOB_READY;
    press->count++;
    (void)pthread_cond_signal(&press->is_ready);
    (void)pthread_mutex_unlock(&press->lock);
}

snpy_job *snpy_press_oldest(snpy_press *press)
{
    snpy_job *oldest = &press->jobs[press->first];
    (void)pthread_mutex_lock(&press->lock);
    while (oldest->state != SNPY_JOB_DONE) {
        snpy_job *job = snpy_press_take(press);
        if (job != NULL)
            snpy_press_work(press, job);
        else
            (void)pthread_cond_wait(&press->is_done, &press->lock);
    }
    (void)pthread_mutex_unlock(&press->lock);
    return oldest;
}

void snpy_press_drop(snpy_press *press)
{
    (void)pthread_mutex_lock(&press->lock);
    press->jobs[press->first].state = SNPY_JOB_IDLE;
    press->first = (press->first + 1) % press->room;
    press->count--;
    (void)pthread_mutex_unlock(&press->lock);
}
