/* command.c: the safenpy command in this process, over a file that the input is. Which subcommand, the input's bytes
 * decide. Holds: exit statuses are those of the manual; no control character that the file chose reaches the output;
 * JSON comes in whole lines; a file equals itself; what is converted is canonical. */
#include "fuzz/run.h"

#include <unistd.h>

/* What is converted to the canonical form is canonical, and holds the same values. */
static void convert(const struct place *file, bool has_object)
{
    struct place out;
    run_make_place(&out, NULL, 0);
    int status = run_and_check("convert --canonical", file->path, out.path);
    FUZZ_MUST(status <= 1);
    if (status == 0) {
        FUZZ_MUST(run_and_check("check --max-header 1000000 --profile canonical", out.path, "") == 0);
        if (!has_object) FUZZ_MUST(run_and_check("diff --max-header 1000000 --values", file->path, out.path) == 0);
    }
    close(out.descriptor);
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
    fuzz_files_begin(fuzz_is_chosen(data, size));
    run_make_place(&file, data, size);
    fuzz_parse(data, size, &options, &parsed);
    bool is_accepted = parsed.status == SNPY_OK && snpy_check_data(&parsed.header, size, true, &error) == SNPY_OK;
    int verdict = run_and_check("check", file.path, "");
    /* An archive is judged by other rules; of it only the form of the answer is looked at. */
    bool is_archive = size >= 2 && data[0] == 'P' && data[1] == 'K';
    FUZZ_MUST(is_archive ? verdict <= 1 : verdict == (is_accepted ? 0 : 1));
    FUZZ_MUST(run_and_check(judging[random % 7], file.path, "") <= 1);
    if (is_accepted && run_is_short(&parsed.header)) {
        int status = run_and_check(showing[random / 7 % 3], file.path, "");
        FUZZ_MUST(status <= 2); /* 1: objects, or more without bytes, or longer names of columns, than are printed */
        if (!parsed.header.has_object) FUZZ_MUST(run_and_check("diff", file.path, file.path) == 0);
        convert(&file, parsed.header.has_object);
    }
    fuzz_release(&parsed);
    close(file.descriptor);
    return 0;
}
