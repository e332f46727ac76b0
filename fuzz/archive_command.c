/* archive_command.c: the safenpy command in this process, over an archive that the input is. Holds: the verdict is the
 * library's, strict or not; exit statuses are those of the manual; no control character that the archive chose reaches
 * the output; JSON comes in whole lines; a member equals itself; what is converted has the same members. */
#include "fuzz/run.h"
#include "fuzz/zip.h"
#include "safenpy/archive.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SHOWN 3u /* members, for the command is slow */

/* A key that finds its member and can stand in a line of words; empty if it is none. */
static void take_key(const snpy_archive *archive, size_t index, char *key, size_t capacity)
{
    snpy_io_error error;
    size_t found = snpy_archive_count(archive);
    size_t length = snpy_archive_key(archive, index, key, capacity);
    bool is_found = snpy_archive_find(archive, key, &found, &error) == SNPY_OK && found == index;
    if (length >= capacity || key[0] == '-' || !is_found) key[0] = '\0';
    for (size_t i = 0; key[i] != '\0'; i++)
        if ((unsigned char)key[i] <= ' ') key[0] = '\0';
}

/* Shows a member, and perhaps holds it against itself. */
static void show_member(const snpy_archive *archive, size_t index, const char *path, uint32_t random, bool is_chosen)
{
    static const char *const showing[] = {"cat", "cat --output csv", "cat --output json", "info", "check --json"};
    snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = true};
    snpy_array array;
    snpy_io_error error;
    char key[64];
    snpy_status status = snpy_archive_load(archive, index, &how, &array, &error);
    bool is_quick = status == SNPY_OK && run_is_short(&array.header);
    snpy_array_release(&array);
    take_key(archive, index, key, sizeof key);
    if (key[0] == '\0' || (status == SNPY_OK && !is_quick)) return;
    int shown = run_and_check_member(showing[random % 5], key, path, "");
    const bool is_printed = random % 5 < 3; /* and refused if there is more without bytes than is printed */
    FUZZ_MUST(shown <= 2 && (status != SNPY_OK || is_printed || shown != 1));
    if (status != SNPY_OK || !is_chosen) return;
    FUZZ_MUST(run_and_check_member("diff", key, path, path) == 0);
}

/* The members of two archives are the same. */
static void must_be_same(const snpy_archive *one, const snpy_archive *other)
{
    FUZZ_MUST(snpy_archive_count(one) == snpy_archive_count(other));
    for (size_t i = 0; i < snpy_archive_count(one); i++) {
        char name[256];
        char other_name[256];
        FUZZ_MUST(snpy_archive_name(one, i, name, sizeof name) ==
                  snpy_archive_name(other, i, other_name, sizeof other_name));
        FUZZ_MUST(strcmp(name, other_name) == 0);
        FUZZ_MUST(snpy_archive_member(one, i)->size == snpy_archive_member(other, i)->size &&
                  snpy_archive_member(one, i)->crc == snpy_archive_member(other, i)->crc);
    }
}

/* Stored or deflated anew, an archive whose members are all good has the same members. */
static void convert(const snpy_archive *archive, const char *path, bool is_good, uint32_t random)
{
    struct place out;
    struct stat about;
    snpy_archive *converted;
    snpy_io_error error;
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    run_make_place(&out, NULL, 0);
    int status = run_and_check(random % 2 == 0 ? "convert --store" : "convert --deflate", path, out.path);
    FUZZ_MUST(status <= 1 && (status == 1 || fstat(out.descriptor, &about) == 0));
    if (status == 0 && is_good) {
        options.strict = true;
        FUZZ_MUST(snpy_archive_open(out.path, &options, &converted, &error) == SNPY_OK);
        must_be_same(archive, converted);
        snpy_archive_close(&converted);
    }
    close(out.descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Behind -q stands a long option, for getopt remembers where in a cluster of short ones it was. */
    static const char *const judging[] = {"check --json", "check -q --no-trailing", "info", "info --json",
                                          "check --compat zip-prefix,zip-trailing,zip-gaps,unsigned-descriptor"};
    uint32_t random = zip_mix(data, size);
    snpy_archive_options strict = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_archive *archive;
    snpy_io_error error;
    struct place file;
    if (size < 4 || (memcmp(data, "PK\3\4", 4) != 0 && memcmp(data, "PK\5\6", 4) != 0)) return 0;
    bool is_chosen =
        fuzz_is_chosen(data, size); /* each time that the command runs takes longer than to judge the archive */
    fuzz_files_begin(is_chosen);
    run_make_place(&file, data, size);
    strict.strict = true;
    const snpy_status judged = snpy_archive_open_memory(data, size, &strict, &archive, &error);
    const bool is_good = judged == SNPY_OK;
    snpy_archive_close(&archive);
    bool is_accepted = snpy_archive_open_memory(data, size, NULL, &archive, &error) == SNPY_OK;
    FUZZ_MUST(is_accepted || !is_good);
    const int plain = run_and_check("check", file.path, "");
    /* A member that is named ".npy" and is no NPY file is refused strictly, and hides the faults after it. */
    FUZZ_MUST(judged == SNPY_NOT_AN_ARRAY ? plain <= 1 : plain == (is_good ? 0 : 1));
    if (is_chosen) FUZZ_MUST(run_and_check("check --strict --json", file.path, "") == (is_good ? 0 : 1));
    FUZZ_MUST(run_and_check(judging[random % 5], file.path, "") <= 1);
    const size_t shown = is_chosen ? MOST_SHOWN : 1;
    for (size_t i = 0; i < snpy_archive_count(archive) && i < shown; i++)
        show_member(archive, i, file.path, random / 5, is_chosen);
    if (is_accepted && is_chosen) convert(archive, file.path, is_good, random / 25);
    snpy_archive_close(&archive);
    close(file.descriptor);
    return 0;
}
