/* progress.h: a bar on a terminal for work that takes long: bytes, rate and time left; or files, refused ones, and rate.
 * Nothing appears within the first two seconds, or if standard error is no terminal. */
#ifndef SAFENPY_CLI_PROGRESS_H
#define SAFENPY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* One piece of work, and how far it is. */
typedef struct cli_progress {
    uint64_t total; /* bytes in all; 0: not known */
    uint64_t done;
    uint64_t refused; /* of the files */
    bool has_files;   /* `done` counts files, and not bytes */
    struct timespec started;
    struct timespec drawn; /* when the bar was drawn last */
    unsigned drawings;
    bool is_on;
} cli_progress;

void cli_progress_begin(cli_progress *progress, uint64_t total);

/* Counts bytes, and draws the bar some times a second. `watcher` is the cli_progress: the form that snpy_flow.tell and
 * snpy_conversion.tell have. */
void cli_progress_add(void *watcher, uint64_t bytes);

/* Sets how many files were checked, and how many of them were refused, and draws as cli_progress_add does. */
void cli_progress_set_files(cli_progress *progress, uint64_t files, uint64_t refused);

/* Takes the bar away. */
void cli_progress_end(cli_progress *progress);

/* Likewise, for output in between, and for a signal handler: async-signal-safe. */
void cli_erase_progress(void);

/* For a process whose parent may draw a bar, which it cannot know: from now on cli_erase_progress clears the line. */
void cli_share_progress(void);

#endif
