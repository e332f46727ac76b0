/* command.c: the safenpy command in this process, over a file that the input is. Which subcommand, the input's bytes
 * decide. Holds: exit statuses are those of the manual; no control character that the file chose reaches the output;
 * JSON comes in whole lines; a file equals itself; what is converted is canonical. */
#define _GNU_SOURCE /* NOLINT: memfd_create */
#include "cli/cli.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int fuzz_command(int argc, char **argv);

#define MOST_WORDS 8

/* A file in memory, and a path to it. */
struct place {
    int descriptor;
    char path[64];
};

static void make_place(struct place *place, const uint8_t *bytes, size_t size)
{
    place->descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_MUST(place->descriptor >= 0);
    FUZZ_MUST(write(place->descriptor, bytes, size) == (ssize_t)size);
    snprintf(place->path, sizeof place->path, "/proc/self/fd/%d", place->descriptor);
}

static int run(int descriptor, const char *line, const char *first, const char *second)
{
    char words[256];
    char *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0;
    char *rest = NULL;
    snprintf(words, sizeof words, "safenpy %s %s %s", line, first, second);
    for (char *word = strtok_r(words, " ", &rest); word != NULL && argc < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    cli_output.descriptor = descriptor;
    cli_messages.descriptor = descriptor;
    cli_output.error = cli_messages.error = 0;
    cli_output.length = cli_messages.length = 0;
    int status = fuzz_command(argc, argv);
    cli_flush(&cli_messages);
    return status;
}

/* All that was written is text for a terminal: UTF-8 without control characters but the newline. */
static void must_be_plain(const uint8_t *text, size_t size, bool is_json)
{
    size_t line = 0;
    for (size_t at = 0, step; at < size; at += step) {
        uint32_t code = 0;
        step = cli_decode(text + at, size - at, CLI_UTF8, &code);
        FUZZ_MUST(step > 0 && (code == '\n' || (code >= 0x20 && code != 0x7f && (code < 0x80 || code > 0x9f))));
        FUZZ_MUST(code != 0x202e && code != 0x2028 && code != 0xfeff);
        if (code != '\n') continue;
        FUZZ_MUST(!is_json || (at > line && text[line] == '{' && text[at - 1] == '}'));
        line = at + 1;
    }
    FUZZ_MUST(line == size);
}

static int run_and_judge(const char *line, const char *first, const char *second)
{
    struct place out;
    struct stat info;
    make_place(&out, NULL, 0);
    int status = run(out.descriptor, line, first, second);
    FUZZ_MUST(fstat(out.descriptor, &info) == 0);
    size_t size = (size_t)info.st_size;
    uint8_t *text = fuzz_memory(size, 1);
    FUZZ_MUST(pread(out.descriptor, text, size, 0) == (ssize_t)size);
    must_be_plain(text, size, strstr(line, "--json") != NULL);
    FUZZ_MUST(status == 0 || size > 0 || strstr(line, "-q") != NULL);
    free(text);
    close(out.descriptor);
    return status;
}

/* What is converted to the canonical form is canonical, and holds the same values. */
static void convert(const struct place *file, bool has_object)
{
    struct place out;
    make_place(&out, NULL, 0);
    int status = run_and_judge("convert --canonical", file->path, out.path);
    FUZZ_MUST(status <= 1);
    if (status == 0) {
        FUZZ_MUST(run_and_judge("check --max-header 1000000 --profile canonical", out.path, "") == 0);
        if (!has_object) FUZZ_MUST(run_and_judge("diff --max-header 1000000 --values", file->path, out.path) == 0);
    }
    close(out.descriptor);
}

/* Elements of no bytes, empty rows and the columns of an empty array may be 2^31 and more: showing them takes as long
 * as it takes. */
static bool is_short(const snpy_header *header)
{
    uint64_t rows = 1 + header->dtype.itemsize / 4;
    for (uint32_t d = 0; d < header->ndim && rows <= 4096; d++) rows *= header->shape[d] == 0 ? 1 : header->shape[d];
    return rows <= 4096;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const judging[] = {"check --json",
                                          "check --json --profile canonical",
                                          "check --json --compat all",
                                          "check -q --no-trailing",
                                          "info",
                                          "info --json",
                                          "info --compat all"};
    static const char *const showing[] = {"cat", "cat --output csv", "cat --output json"};
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header parsed;
    struct place file;
    snpy_error error;
    uint32_t random = 2166136261u;
    for (size_t i = 0; i < size; i++) random = (random ^ data[i]) * 16777619u;
    random ^= random >> 15;
    make_place(&file, data, size);
    fuzz_parse(data, size, &options, &parsed);
    bool is_accepted = parsed.status == SNPY_OK && snpy_check_data(&parsed.header, size, true, &error) == SNPY_OK;
    int verdict = run_and_judge("check", file.path, "");
    /* An archive is judged by other rules; of it only the form of the answer is looked at. */
    bool is_archive = size >= 2 && data[0] == 'P' && data[1] == 'K';
    FUZZ_MUST(is_archive ? verdict <= 1 : verdict == (is_accepted ? 0 : 1));
    FUZZ_MUST(run_and_judge(judging[random % 7], file.path, "") <= 1);
    if (is_accepted && is_short(&parsed.header)) {
        int status = run_and_judge(showing[random / 7 % 3], file.path, "");
        FUZZ_MUST(status == 0 || (status == 1 && parsed.header.has_object) || status == 2);
        if (!parsed.header.has_object) FUZZ_MUST(run_and_judge("diff", file.path, file.path) == 0);
        convert(&file, parsed.header.has_object);
    }
    fuzz_release(&parsed);
    close(file.descriptor);
    return 0;
}
