/* untrusted.c: the limits and options for files from strangers, in one place. */
#include "safenpy/archive.h"

#define UNTRUSTED_HEADER 65536u
#define UNTRUSTED_MEMBERS 10000u
#define UNTRUSTED_MEMBER_BYTES ((uint64_t)1 << 30)
#define UNTRUSTED_TOTAL_BYTES ((uint64_t)4 << 30)
#define UNTRUSTED_RATIO 1032u /* the most that deflate reaches; honest masks and one-hot arrays reach 750 */

void snpy_options_untrusted(snpy_options *limits, snpy_zip_options *zip, snpy_load_options *load,
                            snpy_archive_options *archive)
{
    if (limits != NULL) {
        limits->max_header_bytes = UNTRUSTED_HEADER;
        limits->max_data_bytes = UNTRUSTED_MEMBER_BYTES;
    }
    if (zip != NULL) zip->max_members = UNTRUSTED_MEMBERS;
    if (load != NULL) {
        if (limits != NULL) load->limits = limits;
        load->no_trailing = true;
    }
    if (archive == NULL) return;
    if (limits != NULL) archive->limits = limits;
    if (zip != NULL) archive->zip = zip;
    archive->max_member_bytes = UNTRUSTED_MEMBER_BYTES;
    archive->max_total_bytes = UNTRUSTED_TOTAL_BYTES;
    archive->max_ratio = UNTRUSTED_RATIO;
    archive->strict = true;
    archive->strict_deflate = true;
    archive->no_objects = true;
    archive->portable_names = true;
}
