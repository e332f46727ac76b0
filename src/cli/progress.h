/* progress.h: a progress bar for work that takes long: bytes, rate and time left; or files, refused files and rate.
 * It appears after two seconds, and only if standard error is a terminal. */
#ifndef SAFENPY_CLI_PROGRESS_H
#define SAFENPY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The progress of one task. */
typedef struct cli_progress {
    uint64_t total; /* bytes in all; 0: not known */
    uint64_t done;
    uint64_t refused; /* files */
    bool has_files;   /* `done` counts files instead of bytes */
    struct timespec started;
    struct timespec drawn; /* when the bar was last drawn */
    unsigned drawings;
    bool is_on; /* standard error is a terminal, and the task has not ended */
} cli_progress;

/* Begins a task of `total` bytes, 0 if not known, and starts its clock. No bar appears if standard error is no terminal. */
void cli_progress_begin(cli_progress *progress, uint64_t total);

/* Adds bytes to those that are done, and redraws the bar a few times a second. `watcher` is the cli_progress, so that
 * the function has the form of snpy_flow.tell and snpy_conversion.tell. */
void cli_progress_add(void *watcher, uint64_t bytes);

/* Sets how many files were checked and how many of them were refused, and redraws the bar a few times a second. */
void cli_progress_set_files(cli_progress *progress, uint64_t files, uint64_t refused);

/* Erases the bar, and draws it no more. */
void cli_progress_end(cli_progress *progress);

/* Erases the bar until it is drawn again: for other output, and, as it is async-signal-safe, for signal handlers. */
void cli_erase_progress(void);

/* For a worker process, which cannot know whether its parent has drawn a bar: from now on cli_erase_progress always
 * clears the line. */
void cli_share_progress(void);

#endif
