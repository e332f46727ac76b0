/* scan.h: many files: those below directories, and those that a list names. */
#ifndef SAFENPY_CLI_SCAN_H
#define SAFENPY_CLI_SCAN_H

#include "cli/cli.h"

/* Checks one file and reports on it; returns the exit status it means. */
typedef enum cli_exit cli_visit(const char *name, void *context);

/* Visits each file of the command line, of the list, and below directories, as the options say: in this process or,
 * if there can be several, in options->jobs others (a single one has the processes for itself). Returns the greatest
 * exit status; CLI_TROUBLE, after a message, for a list or a directory that cannot be read. The output has the order of
 * the names; below a directory that is the system's own. */
enum cli_exit cli_scan(const cli_options *options, cli_visit *visit, void *context);

#endif
