/* run.h: what the harnesses of the command share: the command in this process, over files in memory. */
#ifndef SAFENPY_FUZZ_RUN_H
#define SAFENPY_FUZZ_RUN_H

#include "fuzz/files.h"

/* A file in memory, and a path to it. */
struct place {
    int descriptor;
    char path[FUZZ_PATH_SIZE];
};

/* Makes a file of these bytes; its descriptor is the caller's to close. */
void run_make_place(struct place *place, const uint8_t *bytes, size_t size);

/* Runs a line of words, with one or two more behind them. What comes out must be plain text, of JSON whole lines, and
 * say something if the status is not 0. Returns the exit status. */
int run_and_check(const char *line, const char *first, const char *second);

/* The same for one member of an archive. Its key is a word of its own, since it may look like an option. */
int run_and_check_member(const char *line, const char *key, const char *first, const char *second);

/* Whether showing an array is quick. Of elements without bytes, empty rows and columns the command shows up to a million,
 * which takes as long as it takes. */
bool run_is_short(const snpy_header *header);

#endif
