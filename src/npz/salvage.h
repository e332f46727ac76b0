/* salvage.h: what is whole in a broken archive (NPZ), written to a new one. */
#ifndef SNPY_SALVAGE_H
#define SNPY_SALVAGE_H

#include "host/reader.h"
#include "safenpy/archive.h"
#include "safenpy/archive_write.h"

/* What became of one member of a broken archive. */
typedef struct snpy_salvaged {
    const char *name; /* UTF-8, as strangers chose it; "" if it cannot be read */
    uint64_t offset;  /* of its local header, in bytes of the broken file */
    uint64_t size;    /* bytes that it holds; 0 if it is lost */
    bool is_kept;
    bool is_array;    /* of a kept one: it is an NPY file, and `error` is its verdict: SNPY_OK, or the rule it breaks */
    snpy_error error; /* of a lost one: why, and at which byte of the broken file */
} snpy_salvaged;

/* Called for each member, in the order of the file. `member` is borrowed for the call. */
typedef void snpy_salvage_report(void *context, const snpy_salvaged *member);

/* What is to be done. */
typedef struct snpy_salvage_order {
    snpy_reader *file;               /* the broken archive, of a known size, which can be read at any offset */
    const snpy_archive_options *how; /* limits of members */
    snpy_archive_writer *writer;     /* opened with any_keys and a level above 0, without an open member */
    uint32_t level;                  /* of members that were deflated; the others are stored */
    snpy_salvage_report *report;
    void *context; /* given to `report` */
} snpy_salvage_order;

/* Copies each member of a broken archive that is whole to a new archive, and reports the others.
 *
 * A member is whole if its local header keeps the rules, its data inflate to the size that is declared, and their CRC
 * agrees. If the directory can be read, it says which members there are, and what it says of each must agree with the
 * local header. If not, members are searched for by their local headers from the front of the file; a header that stands
 * inside the extent of another member, whole or not, is skipped. The search ends where an extent is not known or exceeds
 * the file, and where a directory follows a member. Of members of one name the first is kept.
 *
 * error    filled on failure
 * returns  SNPY_OK, also if nothing was whole; SNPY_IO_ERROR; SNPY_FILE_CHANGED; SNPY_NO_MEMORY. Then only
 *          snpy_archive_writer_abandon may follow. The caller finishes the writer.
 *
 * Memory: about 800 KiB, and as much as the directory has bytes.  NPZ-DATA, NPZ-LOCAL, NPZ-DESC, HOST-IO, HOST-MEMORY */
snpy_status snpy_archive_salvage(const snpy_salvage_order *order, snpy_io_error *error);

#endif
