/* repairs.c: finds and reports what `convert` repairs in a header, by the compatibility flags that it needed.
 * The core parses headers. */
#include "cli/change.h"

#include <inttypes.h>
#include <stdlib.h>

/* Parses the header of a file with one flag turned off. Returns the status; if that is an error, turns the flag on
 * again. */
static snpy_status parse_without(const snpy_file *file, snpy_options *limits, size_t flag, snpy_error *error)
{
    bool *is_on = cli_flag(&limits->compat, flag);
    snpy_table table = {0};
    snpy_header header;
    size_t length = 0;
    const uint8_t *start = snpy_file_start(file, &length);
    *is_on = false;
    snpy_status status = snpy_parse_and_allocate(start, length, limits, &table, &header, error);
    free(table.fields);
    free(table.dims);
    *is_on = status != SNPY_OK;
    return status;
}

void cli_find_repairs(const snpy_file *file, const snpy_options *limits, cli_repairs *found)
{
    snpy_options tried = *limits;
    for (size_t i = 0; i < CLI_FLAGS; i++) {
        found->is_needed[i] = *cli_flag(&tried.compat, i);
        if (found->is_needed[i]) found->is_needed[i] = parse_without(file, &tried, i, &found->reason[i]) != SNPY_OK;
    }
    for (size_t i = 0; i < CLI_FLAGS; i++)
        if (found->is_needed[i]) (void)parse_without(file, &tried, i, &found->reason[i]);
}

bool cli_put_repairs(const char *name, const cli_repairs *found)
{
    bool is_all_fixed = true;
    for (size_t i = 0; i < CLI_FLAGS; i++) {
        if (!found->is_needed[i]) continue;
        bool is_fixed = found->reason[i].status != SNPY_PLATFORM_FLOAT;
        if (!is_fixed) is_all_fixed = false;
        cli_stream *stream = cli_complain_of(name);
        cli_say(stream, "%s%s at byte %" PRIu64 ": %s\n", is_fixed ? "fixed " : "left as it is, ", cli_flag_name(i),
                found->reason[i].offset, snpy_status_message(found->reason[i].status));
        cli_flush(stream);
    }
    return is_all_fixed;
}
