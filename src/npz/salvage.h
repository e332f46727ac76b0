/* salvage.h: copies the intact members of a broken archive (NPZ) to a new one. */
#ifndef SNPY_SALVAGE_H
#define SNPY_SALVAGE_H

#include "host/reader.h"
#include "safenpy/archive.h"
#include "safenpy/archive_write.h"

/* The result for one member of a broken archive. */
typedef struct snpy_salvaged {
    const char *name; /* UTF-8, untrusted; "" if it cannot be read */
    uint64_t offset;  /* of its local header in the broken file */
    uint64_t size;    /* bytes of the member, inflated; 0 if it is lost */
    bool is_kept;
    bool is_array;    /* an NPY file; `error` is then SNPY_OK or the rule of NPY files that it breaks */
    snpy_error error; /* if the member is lost: the reason, and the offset in the broken file */
} snpy_salvaged;

/* Called once for each member, in the order of the file. `member` is borrowed for the call. */
typedef void snpy_salvage_report(void *context, const snpy_salvaged *member);

/* The arguments of snpy_archive_salvage. */
typedef struct snpy_salvage_request {
    snpy_reader *file;               /* the broken archive, of a known size, which can be read at any offset */
    const snpy_archive_options *how; /* the limits for members */
    snpy_archive_writer *writer;     /* opened with any_keys and a level above 0, without an open member */
    uint32_t level;                  /* the level for members that were deflated; stored ones are stored again */
    snpy_salvage_report *report;
    void *context; /* given to `report` */
} snpy_salvage_request;

/* Copies each intact member of a broken archive to a new archive, and calls request->report for each member.
 *                                                                   NPZ-DATA, NPZ-LOCAL, NPZ-DESC, HOST-IO, HOST-MEMORY
 *
 * A member is intact if its local header keeps the rules, its data inflate to the declared size, and the CRC agrees. If
 * the directory can be read, it lists the members, and each entry must agree with its local header. If not, the file is
 * searched from its beginning for local headers; a header inside the extent of another member, intact or not, is
 * skipped. The search ends where an extent is unknown or exceeds the file, and where a directory follows a member. If
 * several members have the same name, the first intact one is kept.
 *
 * error    filled on failure
 * returns  SNPY_OK, also if nothing was intact; SNPY_IO_ERROR; SNPY_FILE_CHANGED; SNPY_NO_MEMORY: after these only
 *          snpy_archive_writer_abandon may follow. After SNPY_OK the caller finishes the writer.
 *
 * It needs about 800 KiB of memory, and as much as the directory has bytes. */
snpy_status snpy_archive_salvage(const snpy_salvage_request *request, snpy_io_error *error);

#endif
