/* check_archive.c: `safenpy check` of an archive: writes one line per member, and a verdict for the whole.
 * archive.c checks members, report.c reports refusals. */
#include "cli/archive.h"
#include "cli/payload.h"
#include "cli/pool.h"
#include "cli/summary.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Members in one piece of work for a worker, if there are many members. */
#define MEMBERS_AT_ONCE 16u

/* Writes a note after an accepted member, or as a string of the array of notes in JSON. */
static void put_note(const char *text, bool json)
{
    cli_say(&cli_output, "%s%s", json ? "\"" : ", note: ", text);
    if (json) cli_put(&cli_output, "\"");
}

/* Writes the notes about an accepted member. */
static void put_notes(const cli_archive *about, size_t index, const cli_member *member, const cli_object_data *objects,
                      bool json)
{
    if (member->is_array) {
        cli_put_notes(&member->file, objects, json);
        return;
    }
    size_t name = snpy_archive_name(about->archive, index, NULL, 0);
    bool is_named_so = name != snpy_archive_key(about->archive, index, NULL, 0);
    put_note(is_named_so ? "named .npy, but not an NPY file" : "not an NPY file", json);
}

/* Reports a member as text or JUnit. Returns the exit status for its verdict. */
static enum cli_exit put_member(cli_archive *about, size_t index, const cli_options *options, const cli_member *member,
                                const cli_object_data *objects)
{
    const char *shown = cli_member_shown(about, index);
    if (member->file.error.status != SNPY_OK) return cli_report(shown, &member->file, options);
    if (member->is_array || options->junit) return cli_put_acceptance(shown, &member->file, objects, options);
    cli_say(&cli_output, "%-s: accept", shown);
    put_notes(about, index, member, objects, false);
    cli_put(&cli_output, "\n");
    return CLI_ACCEPTED;
}

/* Writes the JSON object of a member. Returns the exit status for its verdict. */
static enum cli_exit put_member_json(cli_archive *about, size_t index, const cli_member *member,
                                     const cli_object_data *objects)
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
        cli_put(&cli_output, ", \"verdict\": \"accept\"");
        cli_json_objects(objects, &first);
        cli_put(&cli_output, ", \"notes\": [");
        put_notes(about, index, member, objects, true);
        cli_put(&cli_output, "]");
    } else {
        cli_json_verdict(&member->file, &first);
        if (member->file.system_error == 0) cli_count_refusal(member->file.error.status);
    }
    cli_put(&cli_output, "}");
    if (is_accepted) return CLI_ACCEPTED;
    return member->file.system_error != 0 ? CLI_TROUBLE : CLI_REFUSED;
}

/* Reads all of a member. Returns NULL, with the reason in *error, if that fails. */
static uint8_t *read_whole(const cli_archive *about, size_t index, size_t size, snpy_io_error *error)
{
    uint8_t *bytes = malloc(size);
    snpy_io_begin(error, "");
    if (bytes == NULL) (void)snpy_io_no_memory(error, "malloc");
    if (bytes != NULL && snpy_archive_read(about->archive, index, bytes, size, error) == SNPY_OK) return bytes;
    free(bytes);
    return NULL;
}

snpy_status cli_check_member_objects(const cli_archive *about, size_t index, const cli_options *options,
                                     cli_member *member, cli_object_data *objects)
{
    static const cli_object_data none = {.is_known = false};
    snpy_io_error error;
    snpy_file *file = &member->file;
    const bool is_needed = options->objects != CLI_OBJECTS_ANY;
    const uint64_t size = snpy_archive_member(about->archive, index)->size;
    const uint64_t offset = file->head.header.frame.data_offset;
    *objects = none;
    if (file->error.status != SNPY_OK || !member->is_array || !file->head.header.has_object) return file->error.status;
    if (options->quiet && !is_needed) return SNPY_OK; /* no line will say what they need */
    if (size - offset > SNPY_MAX_PICKLE || size > SIZE_MAX) {
        if (is_needed) file->error = (snpy_error){SNPY_PKL_TOO_MANY_BYTES, offset};
        return file->error.status;
    }
    uint8_t *bytes = read_whole(about, index, (size_t)size, &error);
    if (bytes != NULL) return cli_check_payload(bytes, (size_t)size, options, file, objects);
    return is_needed ? snpy_file_fail(file, &error) : SNPY_OK; /* else it can be accepted without */
}

/* Checks the member that the user named, and reports it. It must be an NPY file. */
static enum cli_exit check_single(cli_archive *about, const cli_options *options)
{
    cli_member member;
    cli_object_data objects;
    if (cli_check_member(about, about->only, options, &member) == SNPY_OK)
        (void)cli_refuse_member(about, about->only, options, &member);
    snpy_status status = cli_check_member_objects(about, about->only, options, &member, &objects);
    if (status == SNPY_OK && !member.is_array) member.file.error.status = SNPY_NOT_AN_ARRAY;
    bool is_accepted = member.file.error.status == SNPY_OK;
    const char *shown = cli_member_shown(about, about->only);
    enum cli_exit result = is_accepted ? cli_put_acceptance(shown, &member.file, &objects, options)
                                       : cli_report(shown, &member.file, options);
    cli_release_objects(&objects);
    snpy_array_release(&member.file.head);
    return result;
}

/* The context of checking members. */
typedef struct checker {
    cli_archive *about;
    const cli_options *options;
} checker;

/* The members from `begin` up to, not including, `end`. */
typedef struct range {
    size_t begin;
    size_t end;
} range;

/* Checks one member and reports it. *is_first: no member has been written to the JSON array yet. */
static enum cli_exit check_member(const checker *state, size_t index, bool *is_first)
{
    const cli_options *options = state->options;
    enum cli_exit result = CLI_ACCEPTED;
    cli_member member;
    cli_object_data objects;
    if (cli_check_member(state->about, index, options, &member) == SNPY_OK)
        (void)cli_refuse_member(state->about, index, options, &member);
    snpy_status status = cli_check_member_objects(state->about, index, options, &member, &objects);
    bool is_shown = !options->summary_only && (!options->quiet || status != SNPY_OK);
    if (options->json && is_shown && !*is_first) cli_put(&cli_output, ", ");
    if (is_shown) *is_first = false;
    if (is_shown && options->json)
        result = put_member_json(state->about, index, &member, &objects);
    else if (is_shown || status != SNPY_OK)
        result = put_member(state->about, index, options, &member, &objects);
    if (result == CLI_REFUSED) cli_counts.refused_members++;
    cli_release_objects(&objects);
    snpy_array_release(&member.file.head);
    return result;
}

/* Checks the members of a range, whose struct is at `bytes`: a piece of work for pool.c. */
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

/* Checks all members, in this process or, range by range, in worker processes. */
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

/* Writes the verdict for the whole archive as text. An archive is not accepted if a member could not be checked. */
static void put_verdict(const cli_archive *about, uint64_t bad, enum cli_exit result, const cli_options *options)
{
    const size_t count = snpy_archive_count(about->archive);
    const bool is_wanted = bad > 0 || (result == CLI_ACCEPTED && !options->quiet);
    if (is_wanted && !options->summary_only && !options->junit) {
        cli_say(&cli_output, "%-s%s", about->name, bad == 0 ? ": accept, npz, " : ": reject: ");
        if (bad > 0) cli_say(&cli_output, "%" PRIu64 " of ", bad);
        cli_say(&cli_output, "%" PRIu64 "%s%s", (uint64_t)count, count == 1 ? " member" : " members",
                bad == 0 ? "\n" : " refused\n");
    }
    if (result == CLI_TROUBLE) cli_warn("%-s: not all members could be checked", about->name);
}

/* Writes the verdict for the whole archive in JSON, and ends its object. */
static void put_verdict_json(enum cli_exit result)
{
    const char *verdict = result == CLI_ACCEPTED ? "accept" : result == CLI_REFUSED ? "reject" : "error";
    cli_say(&cli_output, "], \"verdict\": \"%s\"}\n", verdict);
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
    if (json)
        put_verdict_json(result);
    else
        put_verdict(&about, bad, result, options);
    cli_close_archive(&about);
    return result;
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
