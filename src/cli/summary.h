/* summary.h: how many files were accepted and refused, and by which rules. */
#ifndef SAFENPY_CLI_SUMMARY_H
#define SAFENPY_CLI_SUMMARY_H

#include "safenpy/status.h"

#include <stdbool.h>

/* The number of statuses. */
enum {
    CLI_STATUSES = 0
#define SNPY_STATUS(name, number, rule, message, hint, example) +1
#include "safenpy/statuses.h"
};

typedef struct cli_summary {
    uint64_t accepted; /* files; an archive counts as one */
    uint64_t refused;
    uint64_t unreadable;
    uint64_t bytes; /* sizes of the files that could be read */
    uint64_t refused_members;
    uint64_t by_status[CLI_STATUSES]; /* refusals of files and members, in the order of statuses.h */
} cli_summary;

/* The counts of this process. */
extern cli_summary cli_counts;

/* Adds 1 to the refusals of files and members with a status. */
void cli_count_refusal(snpy_status status);

/* Adds the counts of a worker process to those of this process, and updates the progress bar. */
void cli_add_counts(const cli_summary *counts);

/* Starts the clock for the summary, and, for a scan, a progress bar that shows the counts. */
void cli_begin_summary(bool is_scan);

/* Updates the progress bar with the counts of this process. */
void cli_show_counts(void);

/* Erases the progress bar. */
void cli_hide_counts(void);

/* Writes the summary to standard output, as text or as a JSON object on one line. */
void cli_put_summary(bool json);

#endif
