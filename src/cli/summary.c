/* summary.c: counts files, accepted and refused, and refusals by rule.
 * check.c decides on each file. */
#include "cli/summary.h"
#include "cli/cli.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

cli_summary cli_counts;

static struct timespec started;
static cli_progress bar;

static const snpy_status statuses[] = {
#define SNPY_STATUS(name, number, rule, message, hint, example) name,
#include "safenpy/statuses.h"
};

void cli_begin_summary(bool is_scan)
{
    (void)clock_gettime(CLOCK_MONOTONIC, &started);
    if (is_scan) cli_progress_begin(&bar, 0);
}

void cli_show_counts(void)
{
    const uint64_t refused = cli_counts.refused;
    cli_progress_set_files(&bar, cli_counts.accepted + refused + cli_counts.unreadable, refused);
}

void cli_hide_counts(void)
{
    cli_progress_end(&bar);
}

void cli_count_refusal(snpy_status status)
{
    for (size_t k = 0; k < CLI_STATUSES; k++)
        if (statuses[k] == status) cli_counts.by_status[k]++;
}

void cli_add_counts(const cli_summary *counts)
{
    cli_counts.accepted += counts->accepted;
    cli_counts.refused += counts->refused;
    cli_counts.unreadable += counts->unreadable;
    cli_counts.bytes += counts->bytes;
    cli_counts.refused_members += counts->refused_members;
    for (size_t k = 0; k < CLI_STATUSES; k++) cli_counts.by_status[k] += counts->by_status[k];
    cli_show_counts();
}

/* Returns the milliseconds since cli_begin_summary. */
static uint64_t passed(void)
{
    struct timespec now = started;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)(((int64_t)now.tv_sec - started.tv_sec) * 1000 + (now.tv_nsec - started.tv_nsec) / 1000000);
}

/* Writes milliseconds as seconds with two decimals. */
static void put_seconds(uint64_t milliseconds)
{
    char digits[4] = {'.', (char)('0' + milliseconds / 100 % 10), (char)('0' + milliseconds / 10 % 10), 0};
    cli_say(&cli_output, "%" PRIu64 "%s", milliseconds / 1000, digits);
}

/* Returns the number of refusals by the rule of a status; 0 if an earlier status has the same rule and counted them. */
static uint64_t count_of_rule(size_t which)
{
    const char *rule = snpy_status_rule(statuses[which]);
    uint64_t count = 0;
    for (size_t k = 0; k < CLI_STATUSES; k++) {
        if (strcmp(snpy_status_rule(statuses[k]), rule) != 0) continue;
        if (k < which) return 0;
        count += cli_counts.by_status[k];
    }
    return count;
}

/* Writes the summary as a JSON object. */
static void put_json(uint64_t files)
{
    const struct {
        const char *key;
        uint64_t number;
    } numbers[] = {{"files", files},
                   {"accepted", cli_counts.accepted},
                   {"refused", cli_counts.refused},
                   {"unreadable", cli_counts.unreadable},
                   {"bytes", cli_counts.bytes}};
    bool first = true;
    cli_put(&cli_output, "{\"summary\": {");
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        cli_json_key(&cli_output, numbers[k].key, &first);
        cli_put_number(&cli_output, numbers[k].number);
    }
    cli_json_key(&cli_output, "seconds", &first);
    put_seconds(passed());
    cli_json_key(&cli_output, "rules", &first);
    cli_put(&cli_output, "{");
    first = true;
    for (size_t k = 0; k < CLI_STATUSES; k++) {
        const uint64_t count = count_of_rule(k);
        if (count == 0) continue;
        cli_json_key(&cli_output, snpy_status_rule(statuses[k]), &first);
        cli_put_number(&cli_output, count);
    }
    cli_put(&cli_output, "}}}\n");
}

/* Writes the summary as text. */
static void put_text(uint64_t files)
{
    cli_say(&cli_output,
            "%" PRIu64 "%s%" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64 " unreadable; %" PRIu64 " bytes in ",
            files, files == 1 ? " file: " : " files: ", cli_counts.accepted, cli_counts.refused, cli_counts.unreadable,
            cli_counts.bytes);
    put_seconds(passed());
    cli_put(&cli_output, " s\n");
    for (size_t k = 0; k < CLI_STATUSES; k++) {
        const uint64_t count = count_of_rule(k);
        if (count == 0) continue;
        const char *rule = snpy_status_rule(statuses[k]);
        cli_say(&cli_output, "  %s", rule);
        cli_put_spaces(&cli_output, 16 - strlen(rule));
        cli_say(&cli_output, "%" PRIu64 "\n", count);
    }
}

void cli_put_summary(bool json)
{
    const uint64_t files = cli_counts.accepted + cli_counts.refused + cli_counts.unreadable;
    if (json)
        put_json(files);
    else
        put_text(files);
}
