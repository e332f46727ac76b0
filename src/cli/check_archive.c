/* check_archive.c: `safenpy check` of an archive: a line a member, and a verdict for the whole.
 * Proves nothing. Leaves members to archive.c, refusals to report.c. */
#include "cli/archive.h"

#ifdef SNPY_ARCHIVES

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
    size_t name = snpy_archive_name(&about->archive, index, NULL, 0);
    bool is_named_so = name != snpy_archive_key(&about->archive, index, NULL, 0);
    put_note(is_named_so ? "named .npy, but no NPY file" : "no NPY file", json);
}

/* Reports a member as text. Returns what its verdict means. */
static enum cli_exit put_member(cli_archive *about, size_t index, const cli_options *options, const cli_member *member)
{
    const char *shown = cli_member_shown(about, index);
    if (member->file.error.status != SNPY_OK) return cli_report(shown, &member->file, options);
    if (member->is_array) return cli_put_acceptance(shown, &member->file, options);
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
    }
    cli_put(&cli_output, "}");
    if (is_accepted) return CLI_ACCEPTED;
    return member->file.system_error != 0 ? CLI_TROUBLE : CLI_REFUSED;
}

/* Judges a member that was asked for by name: one that is no NPY file is refused. */
static enum cli_exit check_single(cli_archive *about, const cli_options *options)
{
    cli_member member;
    snpy_status status = cli_judge_member(about, about->only, options, &member);
    if (status == SNPY_OK && !member.is_array) member.file.error.status = SNPY_NOT_AN_ARRAY;
    bool is_accepted = member.file.error.status == SNPY_OK;
    const char *shown = cli_member_shown(about, about->only);
    enum cli_exit result =
        is_accepted ? cli_put_acceptance(shown, &member.file, options) : cli_report(shown, &member.file, options);
    snpy_array_release(&member.file.head);
    return result;
}

/* Judges all members; *bad counts those that are not accepted. */
static enum cli_exit check_members(cli_archive *about, const cli_options *options, size_t *bad)
{
    enum cli_exit result = CLI_ACCEPTED;
    bool first = true;
    for (size_t i = 0; i < about->archive.count && cli_output.error == 0; i++) {
        cli_member member;
        snpy_status status = cli_judge_member(about, i, options, &member);
        bool is_shown = !options->quiet || status != SNPY_OK;
        if (options->json && is_shown && !first) cli_put(&cli_output, ", ");
        if (is_shown) first = false;
        enum cli_exit one = CLI_ACCEPTED;
        if (is_shown) one = options->json ? put_member_json(about, i, &member) : put_member(about, i, options, &member);
        if (one > result) result = one;
        if (status != SNPY_OK) (*bad)++;
        snpy_array_release(&member.file.head);
    }
    return result;
}

/* Puts the verdict for the whole, as text. */
static void put_verdict(const cli_archive *about, size_t bad, bool quiet)
{
    size_t count = about->archive.count;
    if (quiet && bad == 0) return;
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
    size_t bad = 0;
    enum cli_exit result = cli_open_archive(name, file, options, &about);
    if (result != CLI_ACCEPTED) return result;
    if (about.is_single) {
        result = check_single(&about, options);
        cli_close_archive(&about);
        return result;
    }
    if (!cli_is_within_total(&about, NULL, about.archive.count, options, &result)) {
        cli_close_archive(&about);
        return result;
    }
    if (options->json) {
        bool first = true;
        cli_put(&cli_output, "{");
        cli_json_file(&cli_output, name, &first);
        cli_put(&cli_output, ", \"format\": \"npz\", \"members\": [");
    }
    result = check_members(&about, options, &bad);
    if (!options->json)
        put_verdict(&about, bad, options->quiet);
    else
        cli_put(&cli_output, bad == 0 ? "], \"verdict\": \"accept\"}\n" : "], \"verdict\": \"reject\"}\n");
    cli_close_archive(&about);
    return result;
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
