/* check_archive.c: `safenpy check` of an archive: a line a member, and a verdict for the whole.
 * Proves nothing. Leaves members to archive.c, refusals to report.c. */
#include "cli/archive.h"
#include "cli/pool.h"
#include "cli/summary.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <string.h>

/* Members that a worker checks at a time, where there are many. */
#define MEMBERS_AT_ONCE 16u

/* Begins a note, or the next string of an array. */
static void put_note(const char *text, bool json)
{
    cli_put(&cli_output, json ? "\"" : ", note: ");
    cli_put(&cli_output, text);
    if (json) cli_put(&cli_output, "\"");
}

/* Puts what deserves a word about an accepted member. */
static void put_notes(const cli_archive *about, size_t index, const cli_member *member, bool json)
{
    if (member->is_array) {
        cli_put_notes(&member->file, json);
        return;
    }
    size_t name = snpy_archive_name(about->archive, index, NULL, 0);
    bool is_named_so = name != snpy_archive_key(about->archive, index, NULL, 0);
    put_note(is_named_so ? "named .npy, but no NPY file" : "no NPY file", json);
}

/* Reports a member as text. Returns what its verdict means. */
static enum cli_exit put_member(cli_archive *about, size_t index, const cli_options *options, const cli_member *member)
{
    const char *shown = cli_member_shown(about, index);
    if (member->file.error.status != SNPY_OK) return cli_report(shown, &member->file, options);
    if (member->is_array || options->junit) return cli_put_acceptance(shown, &member->file, options);
    cli_put_argument(&cli_output, shown);
    cli_put(&cli_output, ": accept");
    put_notes(about, index, member, false);
    cli_put(&cli_output, "\n");
    return CLI_ACCEPTED;
}

/* Puts the object of a member. Returns what its verdict means. */
static enum cli_exit put_member_json(cli_archive *about, size_t index, const cli_member *member)
{
    bool first = true;
    bool is_accepted = member->file.error.status == SNPY_OK;
    cli_put(&cli_output, "{");
    cli_json_member(about, index, &first);
    if (is_accepted) {
        if (member->is_array)
            cli_json_format(&member->file.head.header.frame, &first);
        else
            cli_put(&cli_output, ", \"format\": null");
        cli_put(&cli_output, ", \"verdict\": \"accept\", \"notes\": [");
        put_notes(about, index, member, true);
        cli_put(&cli_output, "]");
    } else {
        cli_json_verdict(&member->file, &first);
        if (member->file.system_error == 0) cli_count_refusal(member->file.error.status);
    }
    cli_put(&cli_output, "}");
    if (is_accepted) return CLI_ACCEPTED;
    return member->file.system_error != 0 ? CLI_TROUBLE : CLI_REFUSED;
}

/* Checks a member that was asked for by name: one that is no NPY file is refused. */
static enum cli_exit check_single(cli_archive *about, const cli_options *options)
{
    cli_member member;
    snpy_status status = cli_judge_member(about, about->only, options, &member);
    if (status == SNPY_OK) status = cli_refuse_member(about, about->only, options, &member);
    if (status == SNPY_OK && !member.is_array) member.file.error.status = SNPY_NOT_AN_ARRAY;
    bool is_accepted = member.file.error.status == SNPY_OK;
    const char *shown = cli_member_shown(about, about->only);
    enum cli_exit result =
        is_accepted ? cli_put_acceptance(shown, &member.file, options) : cli_report(shown, &member.file, options);
    snpy_array_release(&member.file.head);
    return result;
}

/* What the check of members needs. */
typedef struct checker {
    cli_archive *about;
    const cli_options *options;
} checker;

/* Members that are checked together. */
typedef struct range {
    size_t begin;
    size_t end;
} range;

/* Checks one member and reports on it. */
static enum cli_exit check_member(const checker *state, size_t index, bool *is_first)
{
    const cli_options *options = state->options;
    enum cli_exit result = CLI_ACCEPTED;
    cli_member member;
    snpy_status status = cli_judge_member(state->about, index, options, &member);
    if (status == SNPY_OK) status = cli_refuse_member(state->about, index, options, &member);
    bool is_shown = !options->summary_only && (!options->quiet || status != SNPY_OK);
    if (options->json && is_shown && !*is_first) cli_put(&cli_output, ", ");
    if (is_shown) *is_first = false;
    if (is_shown && options->json)
        result = put_member_json(state->about, index, &member);
    else if (is_shown || status != SNPY_OK)
        result = put_member(state->about, index, options, &member);
    if (status != SNPY_OK) cli_counts.refused_members++;
    snpy_array_release(&member.file.head);
    return result;
}

/* Checks the members of a range, a piece of work of pool.c. */
static enum cli_exit check_range(const char *bytes, size_t length, void *context)
{
    enum cli_exit result = CLI_ACCEPTED;
    bool is_first = true;
    range members;
    (void)length;
    memcpy(&members, bytes, sizeof members);
    for (size_t i = members.begin; i < members.end && cli_output.error == 0; i++) {
        enum cli_exit one = check_member(context, i, &is_first);
        if (one > result) result = one;
    }
    return result;
}

/* Checks all members, in this process or, a range after the other, in others. */
static enum cli_exit check_members(checker *state)
{
    static cli_pool pool; /* too large for a stack */
    const uint64_t jobs = cli_pool_is_worker() ? 1 : state->options->jobs;
    const size_t count = snpy_archive_count(state->about->archive);
    const size_t each = jobs > 1 && count / (8 * jobs) < MEMBERS_AT_ONCE ? 1 : MEMBERS_AT_ONCE;
    range members = {0, count};
    if (jobs < 2 || count < 2) return check_range((const char *)&members, sizeof members, state);
    if (!cli_pool_begin(&pool, (unsigned)jobs, check_range, state)) return CLI_TROUBLE;
    pool.separator = state->options->json ? ", " : "";
    for (bool goes_on = true; goes_on && members.begin < count; members.begin = members.end) {
        members.end = count - members.begin > each ? members.begin + each : count;
        goes_on = cli_pool_give(&pool, (const char *)&members, sizeof members);
    }
    return cli_pool_end(&pool);
}

/* Puts the verdict for the whole, as text. */
static void put_verdict(const cli_archive *about, uint64_t bad, const cli_options *options)
{
    size_t count = snpy_archive_count(about->archive);
    if (options->summary_only || options->junit || (options->quiet && bad == 0)) return;
    cli_put_argument(&cli_output, about->name);
    cli_put(&cli_output, bad == 0 ? ": accept, npz, " : ": reject: ");
    if (bad > 0) {
        cli_put_number(&cli_output, bad);
        cli_put(&cli_output, " of ");
    }
    cli_put_number(&cli_output, count);
    cli_put(&cli_output, count == 1 ? " member" : " members");
    cli_put(&cli_output, bad == 0 ? "\n" : " refused\n");
}

enum cli_exit cli_check_archive(const char *name, const snpy_file *file, const cli_options *options)
{
    cli_archive about;
    checker state = {&about, options};
    enum cli_exit result = cli_open_archive(name, file, options, &about);
    if (result != CLI_ACCEPTED) return result;
    if (about.is_single) {
        result = check_single(&about, options);
        cli_close_archive(&about);
        return result;
    }
    if (!cli_is_within_total(&about, NULL, snpy_archive_count(about.archive), options, &result)) {
        cli_close_archive(&about);
        return result;
    }
    if ((options->refused & CLI_REFUSE_NAMES) != 0 && !cli_find_collisions(&about)) {
        snpy_file file_of_none = {.error = {SNPY_NO_MEMORY, 0}, .system_error = ENOMEM};
        cli_close_archive(&about);
        return cli_report(name, &file_of_none, options);
    }
    const bool json = options->json && !options->summary_only;
    if (json) {
        bool first = true;
        cli_put(&cli_output, "{");
        cli_json_file(&cli_output, name, &first);
        cli_put(&cli_output, ", \"format\": \"npz\", \"members\": [");
    }
    const uint64_t before = cli_counts.refused_members;
    result = check_members(&state);
    const uint64_t bad = cli_counts.refused_members - before;
    if (!json)
        put_verdict(&about, bad, options);
    else
        cli_put(&cli_output, bad == 0 ? "], \"verdict\": \"accept\"}\n" : "], \"verdict\": \"reject\"}\n");
    cli_close_archive(&about);
    return result;
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
