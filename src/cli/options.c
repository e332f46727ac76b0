/* options.c: reads the options of `check` and `info`, and those that all subcommands share.
 *
 * getopt's own messages would repeat the command line unescaped, so they are off, and this file writes its own. */
#include "cli/cli.h"
#include "cli/pool.h"
#include "safenpy/archive.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_LETTERS ":qhr0j:"

static const struct option check_options[] = {CLI_ARCHIVE_LIMITS,
                                              CLI_ARRAY_OPTIONS,
                                              {"strict", no_argument, NULL, CLI_OPTION_STRICT},
                                              {"json", no_argument, NULL, CLI_OPTION_JSON},
                                              {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                              {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                              {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                              {"profile", required_argument, NULL, CLI_OPTION_PROFILE},
                                              {"no-trailing", no_argument, NULL, CLI_OPTION_NO_TRAILING},
                                              {"no-objects", no_argument, NULL, CLI_OPTION_NO_OBJECTS},
                                              {"objects", required_argument, NULL, CLI_OPTION_OBJECTS},
                                              {"untrusted", no_argument, NULL, CLI_OPTION_UNTRUSTED},
                                              {"allow", required_argument, NULL, CLI_OPTION_ALLOW},
                                              {"member", required_argument, NULL, CLI_OPTION_MEMBER},
                                              {"npy", no_argument, NULL, CLI_OPTION_NPY},
                                              {"npz", no_argument, NULL, CLI_OPTION_NPZ},
                                              {"recursive", no_argument, NULL, 'r'},
                                              {"files-from", required_argument, NULL, CLI_OPTION_FILES_FROM},
                                              {"null", no_argument, NULL, '0'},
                                              {"jobs", required_argument, NULL, 'j'},
                                              {"summary-only", no_argument, NULL, CLI_OPTION_SUMMARY_ONLY},
                                              {"junit", no_argument, NULL, CLI_OPTION_JUNIT},
                                              {"file-size", required_argument, NULL, CLI_OPTION_FILE_SIZE},
                                              {"quiet", no_argument, NULL, 'q'},
                                              {"help", no_argument, NULL, 'h'},
                                              {NULL, 0, NULL, 0}};

static const struct option info_options[] = {CLI_ARCHIVE_LIMITS,
                                             CLI_ARRAY_OPTIONS,
                                             {"header-only", no_argument, NULL, CLI_OPTION_HEADER_ONLY},
                                             {"json", no_argument, NULL, CLI_OPTION_JSON},
                                             {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                             {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                             {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                             {"member", required_argument, NULL, CLI_OPTION_MEMBER},
                                             {"npy", no_argument, NULL, CLI_OPTION_NPY},
                                             {"npz", no_argument, NULL, CLI_OPTION_NPZ},
                                             {"objects", required_argument, NULL, CLI_OPTION_OBJECTS},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* The flags of spec/npy.md, in its order, and the offset of each in snpy_compat. */
static const struct {
    const char *name;
    size_t offset;
} flags[] = {{"int-fortran-order", offsetof(snpy_compat, int_fortran_order)},
             {"numpy-bool", offsetof(snpy_compat, numpy_bool)},
             {"numpy-int", offsetof(snpy_compat, numpy_int)},
             {"list-shape", offsetof(snpy_compat, list_shape)},
             {"int-shape", offsetof(snpy_compat, int_shape)},
             {"list-field", offsetof(snpy_compat, list_field)},
             {"metadata", offsetof(snpy_compat, metadata)},
             {"native-order", offsetof(snpy_compat, native_order)},
             {"type-names", offsetof(snpy_compat, type_names)},
             {"bytes-alias", offsetof(snpy_compat, bytes_alias)},
             {"platform-float", offsetof(snpy_compat, platform_float)}};

#define FLAG_COUNT (sizeof flags / sizeof flags[0])
typedef char cli_counts_its_flags[FLAG_COUNT == CLI_FLAGS ? 1 : -1];

const char *cli_flag_name(size_t flag)
{
    return flags[flag].name;
}

bool *cli_flag(snpy_compat *compat, size_t flag)
{
    return (bool *)((char *)compat + flags[flag].offset);
}

/* The flags of spec/npz.md, and the offset of each in snpy_zip_options. */
static const struct {
    const char *name;
    size_t offset;
} archive_flags[] = {{"zip-prefix", offsetof(snpy_zip_options, prefix)},
                     {"zip-trailing", offsetof(snpy_zip_options, trailing)},
                     {"zip-gaps", offsetof(snpy_zip_options, gaps)},
                     {"unsigned-descriptor", offsetof(snpy_zip_options, unsigned_descriptor)}};

#define ARCHIVE_FLAG_COUNT (sizeof archive_flags / sizeof archive_flags[0])

/* Turns on one flag, or with "all" every flag for NPY files. Returns false if there is no flag of that name. */
static bool set_flag(cli_options *options, const char *name, size_t length)
{
    bool found = false;
    bool all = length == 3 && memcmp(name, "all", 3) == 0;
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (!all && (strlen(flags[i].name) != length || memcmp(flags[i].name, name, length) != 0)) continue;
        *cli_flag(&options->limits.compat, i) = true;
        found = true;
    }
    for (size_t i = 0; i < ARCHIVE_FLAG_COUNT; i++) {
        if (strlen(archive_flags[i].name) != length || memcmp(archive_flags[i].name, name, length) != 0) continue;
        *(bool *)((char *)&options->archives + archive_flags[i].offset) = true;
        found = true;
    }
    return found;
}

/* Reads the argument of --compat, a comma-separated list of flags. Returns false after a message. */
static bool read_flags(cli_options *options, const char *list)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        if (!set_flag(options, list, length)) {
            cli_stream *stream = cli_complain();
            cli_put(stream, "--compat: no flag '");
            cli_put_safe(stream, (const uint8_t *)list, length, SNPY_TEXT_UTF8);
            cli_put(stream, "'; there are all");
            for (size_t i = 0; i < FLAG_COUNT; i++) {
                cli_say(stream, ", %s", flags[i].name);
            }
            for (size_t i = 0; i < ARCHIVE_FLAG_COUNT; i++) {
                cli_say(stream, ", %s", archive_flags[i].name);
            }
            return false;
        }
        if (list[length] == '\0') return true;
        list += length + 1;
    }
}

/* Reads the argument of --max-header: decimal digits, at most 2^32 - 1. Raises the limit on fields to one for every
 * eight bytes of header, more than NumPy writes. Returns false after a message. */
static bool read_limit(snpy_options *limits, const char *argument)
{
    uint64_t limit = 0;
    bool is_number = argument[0] != '\0';
    for (const char *digit = argument; *digit != '\0' && is_number; digit++) {
        is_number = *digit >= '0' && *digit <= '9';
        limit = limit * 10 + (uint64_t)(*digit - '0');
        is_number = is_number && limit <= SNPY_MAX_HEADER;
    }
    if (!is_number) {
        cli_put(cli_complain_about("--max-header", argument), "a number of bytes from 0 to 4294967295");
        return false;
    }
    limits->max_header_bytes = limit;
    if (limit / 8 > limits->max_fields) limits->max_fields = limit / 8;
    if (limits->max_fields > SNPY_MAX_FIELDS) limits->max_fields = SNPY_MAX_FIELDS;
    return true;
}

/* The options that are numbers: their names, largest values, and offsets in cli_options. In the order of the
 * enumeration CLI_OPTION_MAX_MEMBERS … . */
static const struct {
    const char *name;
    uint64_t most;
    size_t offset;
} numbers[] = {
    {"--max-members", SNPY_ZIP_MAX_MEMBERS, offsetof(cli_options, archives) + offsetof(snpy_zip_options, max_members)},
    {"--max-member-bytes", UINT64_MAX, offsetof(cli_options, max_member_bytes)},
    {"--max-total-bytes", UINT64_MAX, offsetof(cli_options, max_total_bytes)},
    {"--max-ratio", UINT64_MAX, offsetof(cli_options, max_ratio)},
    {"--lock-timeout", INT32_MAX / 1000, offsetof(cli_options, lock_timeout)},
    {"--max-data-bytes", SNPY_MAX_SIZE, offsetof(cli_options, limits) + offsetof(snpy_options, max_data_bytes)}};

bool cli_read_number(const char *option, const char *argument, uint64_t most, uint64_t *number)
{
    bool is_number = argument[0] != '\0';
    *number = 0;
    for (const char *digit = argument; *digit != '\0' && is_number; digit++) {
        is_number = *digit >= '0' && *digit <= '9' && *number <= (most - (uint64_t)(*digit - '0')) / 10;
        *number = *number * 10 + (uint64_t)(*digit - '0');
    }
    if (is_number) return true;
    cli_put(cli_complain_about(option, argument), "a number from 0 to ");
    cli_put_number(&cli_messages, most);
    return false;
}

/* Reads the argument of the option numbers[which] into its member of `options`. Returns false after a message. */
static bool read_number(size_t which, cli_options *options, const char *argument)
{
    uint64_t *limit = (uint64_t *)(void *)((char *)options + numbers[which].offset);
    return cli_read_number(numbers[which].name, argument, numbers[which].most, limit);
}

/* Reads the argument of --jobs, at most CLI_MAX_JOBS; 0 means one process per processor. Returns false after a
 * message. */
static bool read_jobs(cli_options *options, const char *argument)
{
    if (!cli_read_number("--jobs", argument, CLI_MAX_JOBS, &options->jobs)) return false;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (options->jobs == 0) options->jobs = processors > 0 ? (uint64_t)processors : 1;
    if (options->jobs > CLI_MAX_JOBS) options->jobs = CLI_MAX_JOBS;
    return true;
}

/* Reads the argument of --profile. Returns false after a message. */
static bool read_profile(cli_options *options, const char *argument)
{
    if (strcmp(argument, "standard") == 0) {
        options->profile = CLI_STANDARD;
    } else if (strcmp(argument, "canonical") == 0) {
        options->profile = CLI_CANONICAL;
    } else {
        cli_put(cli_complain_about("--profile", argument), "a profile: use standard or canonical");
        return false;
    }
    return true;
}

/* Reads the name of a set. The payload decides then, also where objects would be refused. */
static bool read_set(cli_options *options, const char *argument)
{
    options->objects = strcmp(argument, "data") == 0 ? CLI_OBJECTS_DATA : CLI_OBJECTS_PLAIN;
    if (options->objects == CLI_OBJECTS_DATA || strcmp(argument, "plain") == 0) return true;
    cli_put(cli_complain_about("--objects", argument), "a set: use data or plain");
    return false;
}

/* What --untrusted refuses, by the names that --allow has for it. */
static const struct {
    const char *name;
    unsigned refused;
} refusals[] = {{"objects", CLI_REFUSE_OBJECTS},
                {"trailing", CLI_REFUSE_TRAILING},
                {"names", CLI_REFUSE_NAMES},
                {"members", CLI_REFUSE_MEMBERS}};

/* Reads the argument of --allow, a comma-separated list of them. Returns false after a message. */
static bool read_allowed(cli_options *options, const char *list)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
            if (strlen(refusals[i].name) == length && memcmp(refusals[i].name, at, length) == 0)
                found = refusals[i].refused;
        if (found == 0) {
            cli_put(cli_complain_about("--allow", list), "a list of objects, trailing, names, members");
            return false;
        }
        options->allowed |= found;
        at += length;
        if (*at == '\0') return true;
    }
}

/* Sets the limits and refusals of --untrusted. */
static void begin_untrusted(cli_options *options)
{
    snpy_archive_options archive = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_options_untrusted(&options->limits, &options->archives, NULL, &archive);
    options->max_member_bytes = archive.max_member_bytes;
    options->max_total_bytes = archive.max_total_bytes;
    options->max_ratio = archive.max_ratio;
    options->refused = CLI_REFUSE_OBJECTS | CLI_REFUSE_TRAILING | CLI_REFUSE_NAMES | CLI_REFUSE_MEMBERS;
}

/* Whether --untrusted is among the options, at any place: options that relax it may come before it. */
static bool is_untrusted(int argc, char **argv)
{
    bool found = false;
    int option; /* "-" keeps getopt from moving arguments */
    while ((option = getopt_long(argc, argv, "-" CHECK_LETTERS, check_options, NULL)) != -1)
        found = found || option == CLI_OPTION_UNTRUSTED;
    optind = 0; /* makes getopt start again */
    return found;
}

/* Whether getopt has rejected a value for a long option without one, such as --json=1. `value` is what it returns for
 * the option: for some, a letter. */
static bool is_long_with_value(const char *word, int value)
{
    if (strncmp(word, "--", 2) != 0 || strchr(word, '=') == NULL) return false;
    return value >= 256 || word[2] == (char)value;
}

/* Reports an option that getopt did not accept: `option` is '?', or ':' for a missing argument. Returns false. */
static bool refuse_option(int option, char **argv)
{
    cli_stream *stream = cli_complain();
    const char *word = argv[optind - 1];
    const bool has_value = option == '?' && optopt > 0 && is_long_with_value(word, optopt);
    if (option == '?' && !has_value && optopt > 0 && optopt < 256) {
        char letter = (char)optopt;
        cli_put(stream, "unknown option '-");
        cli_put_safe(stream, (const uint8_t *)&letter, 1, SNPY_TEXT_UTF8);
        cli_put(stream, "'; after '--' a name may begin with '-'");
        return false;
    }
    cli_say(stream, "%s%-s%s", option == ':' || has_value ? "option '" : "unknown option '", word,
            option == ':' ? "' needs an argument"
            : has_value   ? "' takes no argument"
                          : "'");
    return false;
}

bool cli_take_option(int option, char **argv, cli_options *options)
{
    switch (option) {
    case CLI_OPTION_JSON:
        options->json = true;
        return true;
    case CLI_OPTION_MAX_HEADER:
        return read_limit(&options->limits, optarg);
    case CLI_OPTION_COMPAT:
        return read_flags(options, optarg);
    case CLI_OPTION_PROFILE:
        return read_profile(options, optarg);
    case CLI_OPTION_NO_TRAILING:
        options->refused |= CLI_REFUSE_TRAILING;
        return true;
    case CLI_OPTION_NO_OBJECTS:
        options->refused |= CLI_REFUSE_OBJECTS;
        return true;
    case CLI_OPTION_OBJECTS:
        return read_set(options, optarg);
    case CLI_OPTION_UNTRUSTED: /* was taken before all others */
        return true;
    case CLI_OPTION_ALLOW:
        return read_allowed(options, optarg);
    case CLI_OPTION_MEMBER:
        options->member = optarg;
        return true;
    case CLI_OPTION_NPY:
        options->npy = true;
        return true;
    case CLI_OPTION_NPZ:
        options->npz = true;
        return true;
    case CLI_OPTION_STRICT:
        options->strict = true;
        return true;
    case CLI_OPTION_MAX_MEMBERS:
    case CLI_OPTION_MAX_MEMBER_BYTES:
    case CLI_OPTION_MAX_TOTAL_BYTES:
    case CLI_OPTION_MAX_RATIO:
    case CLI_OPTION_LOCK_TIMEOUT:
    case CLI_OPTION_MAX_DATA_BYTES:
        return read_number((size_t)(option - CLI_OPTION_MAX_MEMBERS), options, optarg);
    case 'q':
        options->quiet = true;
        return true;
    case 'r':
        options->recursive = true;
        return true;
    case '0':
        options->null = true;
        return true;
    case 'j':
        return read_jobs(options, optarg);
    case CLI_OPTION_FILES_FROM:
        options->files_from = optarg;
        return true;
    case CLI_OPTION_JUNIT:
        options->junit = true;
        return true;
    case CLI_OPTION_ARRAY:
        options->has_array = true;
        return cli_read_number("--array", optarg, UINT64_MAX, &options->array);
    case CLI_OPTION_ALL_ARRAYS:
        options->all_arrays = true;
        return true;
    case CLI_OPTION_FILE_SIZE:
        options->is_start = true;
        return cli_read_number("--file-size", optarg, SNPY_MAX_SIZE, &options->file_size);
    case CLI_OPTION_HEADER_ONLY:
        options->is_start = true;
        options->file_size = UINT64_MAX;
        return true;
    case CLI_OPTION_SUMMARY_ONLY:
        options->summary_only = true;
        return true;
    default:
        return refuse_option(option, argv);
    }
}

bool cli_has_file(const cli_options *options, const char *subcommand)
{
    if (options->has_array && options->all_arrays) {
        cli_put(cli_complain(), "--array and --all-arrays contradict each other");
        return false;
    }
    if (options->is_start && (options->has_array || options->all_arrays)) {
        cli_put(cli_complain(), "other arrays than the first are not in the first bytes of a file");
        return false;
    }
    if (options->file_count > 0 || options->files_from != NULL) return true;
    cli_stream *stream = cli_complain();
    cli_say(stream, "%s: no file given; '-' is standard input", subcommand);
    return false;
}

/* Returns false, after a message, if options contradict one another or there is no file. */
static bool agree(const cli_options *options, const char *subcommand)
{
    static const snpy_compat none = {0};
    if (options->profile == CLI_CANONICAL && memcmp(&options->limits.compat, &none, sizeof none) != 0) {
        cli_put(cli_complain(), "--profile canonical and --compat contradict each other");
        return false;
    }
    if (options->npy && options->npz) {
        cli_put(cli_complain(), "--npy and --npz contradict each other");
        return false;
    }
    if (options->junit && (options->json || options->summary_only || options->quiet)) {
        cli_put(cli_complain(), "--junit has a form of its own: it goes with none of --json, --summary-only and -q");
        return false;
    }
    if (options->is_start && options->file_size != UINT64_MAX &&
        (options->recursive || options->files_from != NULL || options->file_count > 1)) {
        cli_put(cli_complain(), "--file-size is that of one file");
        return false;
    }
    if (options->is_start && options->objects != CLI_OBJECTS_ANY) {
        cli_put(cli_complain(), "--objects needs the whole data, not the first bytes of a file");
        return false;
    }
    if (options->null && options->files_from == NULL) {
        cli_put(cli_complain(), "-0 is for the names that --files-from reads");
        return false;
    }
    return cli_has_file(options, subcommand);
}

int32_t cli_lock_timeout_ms(const cli_options *options)
{
    return options->lock_timeout > 0 ? (int32_t)(options->lock_timeout * 1000) : -1;
}

void cli_begin_options(cli_options *options)
{
    static const snpy_options defaults = SNPY_OPTIONS_INIT;
    static const snpy_archive_options archives = SNPY_ARCHIVE_OPTIONS_INIT;
    static const snpy_zip_options walk = SNPY_ZIP_OPTIONS_INIT;
    static const cli_options empty = {0};
    *options = empty;
    options->limits = defaults;
    options->archives = walk;
    options->max_member_bytes = archives.max_member_bytes;
    options->max_total_bytes = archives.max_total_bytes;
    options->max_ratio = archives.max_ratio;
    options->lock_timeout = SNPY_LOCK_TIMEOUT_MS / 1000;
    options->jobs = 1;
    opterr = 0;
    optind = 1;
}

enum cli_parsed cli_read_options(int argc, char **argv, bool is_check, cli_options *options)
{
    bool understood = true;
    int option;
    cli_begin_options(options);
    const bool has_untrusted = is_check && is_untrusted(argc, argv);
    if (has_untrusted) begin_untrusted(options);
    while (understood && (option = getopt_long(argc, argv, is_check ? CHECK_LETTERS : ":h",
                                               is_check ? check_options : info_options, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        understood = cli_take_option(option, argv, options);
    }
    options->files = argv + optind;
    options->file_count = argc - optind;
    if (understood && options->allowed != 0 && !has_untrusted) {
        cli_put(cli_complain(), "--allow relaxes --untrusted, which is not given");
        understood = false;
    }
    if (options->strict) options->refused |= CLI_REFUSE_MEMBERS;
    if (options->objects != CLI_OBJECTS_ANY) options->allowed |= CLI_REFUSE_OBJECTS;
    options->refused &= ~options->allowed;
    if (understood && agree(options, argv[0])) return CLI_RUN;
    cli_wrong_usage(&cli_messages);
    return CLI_WRONG;
}
