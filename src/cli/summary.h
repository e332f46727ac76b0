/* summary.h: how many files were accepted and refused, and by which rules. */
#ifndef SAFENPY_CLI_SUMMARY_H
#define SAFENPY_CLI_SUMMARY_H

#include "safenpy/status.h"

#include <stdbool.h>

/* How many statuses there are. */
enum {
    CLI_STATUSES = 0
#define SNPY_STATUS(name, number, rule, message, hint, example) +1
#include "safenpy/statuses.h"
};

typedef struct cli_summary {
    uint64_t accepted; /* files: archives are one each */
    uint64_t refused;
    uint64_t unreadable;
    uint64_t bytes; /* of the files that could be read */
    uint64_t refused_members;
    uint64_t by_status[CLI_STATUSES]; /* refusals of files and members, in the order of statuses.h */
} cli_summary;

/* The counts of this process. */
extern cli_summary cli_counts;

/* Counts the refusal of a file or of a member. */
void cli_count_refusal(snpy_status status);

/* Adds the counts of another process. */
void cli_add_counts(const cli_summary *counts);

/* Begins the time that the summary gives and, if a scan is begun, the bar that shows the counts on a terminal. */
void cli_begin_summary(bool is_scan);

/* Shows the counts of this process and those that were added, from time to time; and takes the bar away. */
void cli_show_counts(void);
void cli_hide_counts(void);

/* Writes the summary to standard output, as text or as one JSON object on a line. */
void cli_put_summary(bool json);

#endif
