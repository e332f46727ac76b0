/* pool.h: a pool of worker processes that share pieces of work; the output has the order of the pieces. */
#ifndef SAFENPY_CLI_POOL_H
#define SAFENPY_CLI_POOL_H

#include "cli/cli.h"
#include "cli/summary.h"

#include <sys/types.h>

/* The most worker processes. */
#define CLI_MAX_JOBS 256u

/* The most bytes of a piece of work that fit into a pipe twice on every system, so that writing two pieces never
 * blocks. */
#define CLI_WORK_BYTES 2000u

/* Does one piece of work in a worker: writes to cli_output, counts in cli_counts. Returns the exit status for it. */
typedef enum cli_exit cli_work(const char *bytes, size_t length, void *context);

typedef struct cli_pool {
    struct cli_process {
        pid_t process;
        int work;        /* the pipe to which work is written; -1: not started, or gone */
        int answers;     /* the pipe from which its output is read */
        unsigned pieces; /* handed to it and not answered yet: at most two */
    } workers[CLI_MAX_JOBS];
    unsigned jobs;
    unsigned next;         /* the worker that gets the next piece: each in turn */
    unsigned oldest;       /* the worker with the oldest piece that is not answered */
    uint64_t waiting;      /* pieces that are not answered */
    const char *separator; /* written between the outputs of two pieces; the owner may set it after cli_pool_begin */
    bool has_output;       /* a piece has had output */
    bool has_lost;         /* a worker ended early, and its pieces of work are lost */
    enum cli_exit result;  /* the greatest so far */
} cli_pool;

/* Starts `jobs` workers, each with a copy of this process and so of `context`. Returns false, after a message, if none
 * can be started; then the pool needs no cli_pool_end. */
bool cli_pool_begin(cli_pool *pool, unsigned jobs, cli_work *work, void *context);

/* Hands a piece of work to the next worker; if that one is busy, first writes the output of earlier pieces until it is
 * not. Returns false if a worker is gone or standard output has failed; then the caller ends the pool. */
bool cli_pool_give(cli_pool *pool, const char *bytes, size_t length);

/* Returns whether this process is a worker; workers do not begin pools of their own. */
bool cli_pool_is_worker(void);

/* Waits for all work and writes its output, adds the counts of all workers to cli_counts, and ends the workers. Returns
 * the greatest exit status of all pieces; CLI_TROUBLE, after a message, if a worker ended abnormally. */
enum cli_exit cli_pool_end(cli_pool *pool);

#endif
