/* run.c: the command in this process, and what its output must look like. */
#include "fuzz/run.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fuzz_command(int argc, char **argv);

#define MOST_WORDS 8

void run_make_place(struct place *place, const uint8_t *bytes, size_t size)
{
    place->descriptor = fuzz_file(bytes, size);
    fuzz_file_path(place->descriptor, place->path);
}

static int run(int descriptor, const char *line, const char *key, const char *first, const char *second)
{
    char words[256];
    char *argv[MOST_WORDS + 1] = {NULL};
    int argc = 0;
    char *rest = NULL;
    const char *option = key[0] == '\0' ? "" : "--member";
    snprintf(words, sizeof words, "safenpy %s %s %s %s %s", line, option, key, first, second);
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
        step = snpy_text_decode(text + at, size - at, SNPY_TEXT_UTF8, &code);
        FUZZ_MUST(step > 0 && (code == '\n' || (code >= 0x20 && code != 0x7f && (code < 0x80 || code > 0x9f))));
        FUZZ_MUST(code != 0x202e && code != 0x2028 && code != 0xfeff);
        if (code != '\n') continue;
        FUZZ_MUST(!is_json || (at > line && text[line] == '{' && text[at - 1] == '}'));
        line = at + 1;
    }
    FUZZ_MUST(line == size);
}

int run_and_check(const char *line, const char *first, const char *second)
{
    return run_and_check_member(line, "", first, second);
}

int run_and_check_member(const char *line, const char *key, const char *first, const char *second)
{
    struct place out;
    struct stat info;
    run_make_place(&out, NULL, 0);
    int status = run(out.descriptor, line, key, first, second);
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

bool run_is_short(const snpy_header *header)
{
    uint64_t rows = 1 + header->dtype.itemsize / 4;
    for (uint32_t d = 0; d < header->ndim && rows <= 4096; d++) rows *= header->shape[d] == 0 ? 1 : header->shape[d];
    return rows <= 4096;
}
