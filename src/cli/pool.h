/* pool.h: work that is shared among processes, with its output in the order of the work. */
#ifndef SAFENPY_CLI_POOL_H
#define SAFENPY_CLI_POOL_H

#include "cli/cli.h"
#include "cli/summary.h"

#include <sys/types.h>

/* The most processes. */
#define CLI_MAX_JOBS 256u

/* Bytes of one piece of work that always fit into a pipe, twice: more may wait for the worker that is at work. */
#define CLI_WORK_BYTES 2000u

/* Does one piece of work in a worker: writes to cli_output, counts in cli_counts, returns the exit status it means. */
typedef enum cli_exit cli_work(const char *bytes, size_t length, void *context);

typedef struct cli_pool {
    struct cli_process {
        pid_t process;
        int work;        /* where work goes to; -1: not started, or gone */
        int answers;     /* where its output comes from */
        unsigned pieces; /* handed out and not answered: two at most */
    } workers[CLI_MAX_JOBS];
    unsigned jobs;
    unsigned next;   /* the worker that gets the next piece: each in turn */
    unsigned oldest; /* the worker with the oldest piece that is not answered */
    uint64_t waiting;
    const char *separator; /* between the output of pieces that have some; to be set, if wanted, by the owner */
    bool has_output;
    bool has_lost;        /* a worker is gone, and with it a piece of work */
    enum cli_exit result; /* the greatest so far */
} cli_pool;

/* Starts processes. `context` is what each has a copy of. Returns false, after a message, if none can be started; nothing
 * needs to be ended then. */
bool cli_pool_begin(cli_pool *pool, unsigned jobs, cli_work *work, void *context);

/* Hands a piece of work out, after the output of earlier pieces was written as far as is necessary. Returns false if a
 * worker is gone or the output cannot be written: then end the pool. */
bool cli_pool_give(cli_pool *pool, const char *bytes, size_t length);

/* Whether this process is one of a pool, which begins none of its own. */
bool cli_pool_is_worker(void);

/* Writes the output that is left, adds the counts of all workers to cli_counts, and ends them. Returns the greatest exit
 * status of all pieces; CLI_TROUBLE, after a message, if a worker did not end as it should. */
enum cli_exit cli_pool_end(cli_pool *pool);

#endif
