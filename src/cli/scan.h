/* scan.h: visits many files: those of the command line, those below directories, and those that a list names. */
#ifndef SAFENPY_CLI_SCAN_H
#define SAFENPY_CLI_SCAN_H

#include "cli/cli.h"

/* Checks one file and reports on it. Returns the exit status for it. */
typedef enum cli_exit cli_visit(const char *name, void *context);

/* Calls `visit` for each file of the command line, or of the list of --files-from, and with --recursive for each file
 * below a directory. With --jobs the calls are made in that many worker processes, unless there is only one file: then
 * its members can be shared among workers. Returns the greatest exit status; CLI_TROUBLE, after a message, if a list or
 * a directory cannot be read. The output has the order of the names; below a directory, the order in which the system
 * lists them. */
enum cli_exit cli_scan(const cli_options *options, cli_visit *visit, void *context);

#endif
