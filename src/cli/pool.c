/* pool.c: shares work among processes, and writes their output in the order of the work.
 * The callers define the work.
 *
 * These are processes, not threads: a crash in one file does not affect other files, and memory is given back. Each
 * worker has two pipes. A piece of work is its length and its bytes. An answer is output in chunks, each after its
 * length, then a length of 0 and a record. Pieces go to the workers in turn, so that the order of the answers is known.
 *
 * There is no deadlock. Work is only written to a worker whose pipe has space for it (two pieces of CLI_WORK_BYTES, or
 * it has none), so that the parent never blocks in a write, and it always reads from the worker with the oldest
 * piece. */
#include "cli/pool.h"
#include "cli/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "npz/tool.h"

static bool is_worker;

bool cli_pool_is_worker(void)
{
    return is_worker;
}

/* The end of an answer. */
typedef struct record {
    enum cli_exit result;
    int output_error; /* errno of a write that failed in the worker; 0: none */
    cli_summary counts;
} record;

/* --- the worker -------------------------------------------------------------------------------------------- */

/* Reads `size` bytes from a pipe. Returns false at its end or if that fails. */
static bool read_all(int descriptor, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    while (size > 0) {
        ptrdiff_t got = snpy_read_some(descriptor, at, size);
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Writes `size` bytes to a pipe. Returns false if that fails. */
static bool write_all(int descriptor, const void *bytes, size_t size)
{
    snpy_io_error error;
    return snpy_write_all(descriptor, bytes, size, &error) == SNPY_OK;
}

/* Reads and does work until the pipe ends, then exits: the main function of a worker. Does not return. */
static void work_on(int work, int answers, cli_work *function, void *context)
{
    char *bytes = NULL;
    uint32_t length = 0;
    const uint32_t end = 0;
    is_worker = true;
    cli_share_progress();
    cli_output.descriptor = answers;
    cli_output.is_framed = true;
    while (read_all(work, &length, sizeof length)) {
        static const cli_summary none;
        record last = {CLI_ACCEPTED, 0, none};
        char *larger = realloc(bytes, length > 0 ? length : 1);
        if (larger == NULL) break;
        bytes = larger;
        if (!read_all(work, bytes, length)) break;
        cli_counts = none;
        last.result = function(bytes, length, context);
        cli_flush(&cli_output);
        cli_flush(&cli_messages);
        last.output_error = cli_output.error;
        last.counts = cli_counts;
        if (!write_all(answers, &end, sizeof end) || !write_all(answers, &last, sizeof last)) break;
    }
    free(bytes);
    _exit(CLI_ACCEPTED); /* the answers have the result; the parent's buffers must not be written again */
}

/* --- the parent -------------------------------------------------------------------------------------------- */

static void close_both(int pipe_ends[2])
{
    (void)close(pipe_ends[0]);
    (void)close(pipe_ends[1]);
}

/* Closes this process's ends of all workers' pipes. A child must, or older workers would never see the end of their
 * work. */
static void forget_others(const cli_pool *pool)
{
    for (unsigned i = 0; i < pool->jobs; i++) {
        (void)close(pool->workers[i].work);
        (void)close(pool->workers[i].answers);
    }
}

/* Starts one more worker. Returns 0, or errno if that fails. */
static int start(cli_pool *pool, cli_work *function, void *context)
{
    int work[2];
    int answers[2];
    if (pipe(work) != 0) return errno;
    if (pipe(answers) != 0) {
        int error = errno;
        close_both(work);
        return error;
    }
    pid_t child = fork();
    if (child == 0) {
        forget_others(pool);
        (void)close(work[1]);
        (void)close(answers[0]);
        work_on(work[0], answers[1], function, context);
    }
    int error = errno;
    (void)close(work[0]);
    (void)close(answers[1]);
    if (child > 0) {
        pool->workers[pool->jobs++] = (struct cli_process){child, work[1], answers[0], 0};
        return 0;
    }
    (void)close(work[1]);
    (void)close(answers[0]);
    return error;
}

bool cli_pool_begin(cli_pool *pool, unsigned jobs, cli_work *function, void *context)
{
    int error = 0;
    memset(pool, 0, sizeof *pool);
    cli_flush(&cli_output);
    cli_flush(&cli_messages);
    while (pool->jobs < jobs && error == 0) error = start(pool, function, context);
    if (pool->jobs > 0) return true; /* fewer processes do the same work */
    cli_put(cli_complain(), "cannot start a worker process: ");
    cli_say(&cli_messages, "%s\n", strerror(error));
    cli_flush(&cli_messages);
    return false;
}

/* Records that a worker has ended before its work was done. Returns false. */
static bool lose(cli_pool *pool)
{
    pool->has_lost = true;
    return false;
}

/* Waits for the answer to the oldest piece of work and writes its output. Returns false if its worker has ended. */
static bool take_answer(cli_pool *pool)
{
    struct cli_process *worker = &pool->workers[pool->oldest];
    char bytes[8192];
    uint32_t length = 0;
    bool is_first = true;
    record last;
    for (;;) {
        if (!read_all(worker->answers, &length, sizeof length)) return lose(pool);
        if (length == 0) break;
        if (is_first && pool->has_output) cli_put(&cli_output, pool->separator);
        is_first = false;
        pool->has_output = pool->separator != NULL;
        while (length > 0) {
            size_t part = length < sizeof bytes ? length : sizeof bytes;
            if (!read_all(worker->answers, bytes, part)) return lose(pool);
            cli_put_bytes(&cli_output, bytes, part);
            length -= (uint32_t)part;
        }
    }
    if (!read_all(worker->answers, &last, sizeof last)) return lose(pool);
    if (last.output_error != 0 && cli_output.error == 0) cli_output.error = last.output_error;
    if (last.result > pool->result) pool->result = last.result;
    cli_add_counts(&last.counts);
    cli_end_file();
    worker->pieces--;
    pool->waiting--;
    pool->oldest = (pool->oldest + 1) % pool->jobs;
    return true;
}

bool cli_pool_give(cli_pool *pool, const char *bytes, size_t length)
{
    struct cli_process *worker = &pool->workers[pool->next];
    const uint32_t size = (uint32_t)length;
    const unsigned allowed = length <= CLI_WORK_BYTES ? 1 : 0; /* pieces that the worker may still have */
    while (worker->pieces > allowed)
        if (!take_answer(pool)) return false;
    if (!write_all(worker->work, &size, sizeof size) || !write_all(worker->work, bytes, length)) return lose(pool);
    worker->pieces++;
    pool->waiting++;
    pool->next = (pool->next + 1) % pool->jobs;
    return cli_output.error == 0;
}

/* Waits for the end of a worker. Returns the signal that killed it, or 0, also if SIGCHLD is ignored, so that its
 * status is unknown. */
static int wait_for(pid_t process)
{
    int how = 0;
    while (waitpid(process, &how, 0) < 0)
        if (errno != EINTR) return 0;
    return WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

enum cli_exit cli_pool_end(cli_pool *pool)
{
    int ended_by = 0;
    while (pool->waiting > 0 && !pool->has_lost && cli_output.error == 0) (void)take_answer(pool);
    cli_flush(&cli_output);
    forget_others(pool);
    for (unsigned i = 0; i < pool->jobs; i++) {
        const int number = wait_for(pool->workers[i].process);
        if (number != 0) ended_by = number;
    }
    if (!pool->has_lost && ended_by == 0) return pool->result;
    cli_put(cli_complain(), "a worker process ended early");
    if (ended_by != 0) {
        cli_say(&cli_messages, ", by signal %" PRIu64, (uint64_t)ended_by);
    }
    cli_put(&cli_messages, ": some files or members were not checked\n");
    cli_flush(&cli_messages);
    return CLI_TROUBLE;
}
