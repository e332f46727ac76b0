/* tool.h: what the command uses of the lower layers beside include/safenpy: checks with a reused workspace, inputs and
 * outputs by parts, signals. tests/structure checks that it uses nothing else. */
#ifndef SAFENPY_NPZ_TOOL_H
#define SAFENPY_NPZ_TOOL_H

#include "host/flatten.h"
#include "host/flow.h"
#include "host/text.h"
#include "npz/member_path.h"
#include "npz/salvage.h"
#include "safenpy/archive_write.h"

/* Opens a writer as snpy_archive_writer_open does, for an output that was claimed or lent. The writer takes the output
 * over, whatever the status; on failure the output is abandoned. */
snpy_status snpy_archive_writer_open_claimed(snpy_archive_writer **writer, snpy_output *output,
                                             const snpy_archive_write_options *options, snpy_io_error *error);

#endif
