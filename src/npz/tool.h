/* tool.h: what the command takes from the layers below that no user of the library needs: files checked with a workspace
 * that is used again, inputs and outputs by parts, signals. All else it takes from include/safenpy (tests/structure). */
#ifndef SAFENPY_NPZ_TOOL_H
#define SAFENPY_NPZ_TOOL_H

#include "host/flow.h"
#include "host/text.h"
#include "npz/member_path.h"
#include "npz/salvage.h"
#include "safenpy/archive_write.h"

/* As snpy_archive_writer_open, to an output that was claimed or lent, which the writer takes over, whatever the status. */
snpy_status snpy_archive_writer_open_claimed(snpy_archive_writer **writer, snpy_output *output,
                                             const snpy_archive_write_options *options, snpy_io_error *error);

#endif
