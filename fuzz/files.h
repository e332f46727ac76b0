/* files.h: files of the harnesses, in memory: the system's own (memfd_create), or, which is quicker, some that this process
 * keeps, behind the system calls that the library makes (--wrap in fuzz.mk). */
#ifndef SAFENPY_FUZZ_FILES_H
#define SAFENPY_FUZZ_FILES_H

#include "fuzz/fuzz.h"

/* Which files are made from now on. A harness calls it for each input, with fuzz_is_chosen: so inputs that are replayed have
 * the system's own. All files of the last input must be closed: whoever has opened a file closes it. */
void fuzz_files_begin(bool are_real);

/* A descriptor of a new file, open to read and to write, that holds these bytes and stands behind them. */
int fuzz_file(const uint8_t *bytes, size_t size);

/* A path that opens the file of a descriptor anew. */
#define FUZZ_PATH_SIZE 64
void fuzz_file_path(int descriptor, char path[FUZZ_PATH_SIZE]);

#endif
