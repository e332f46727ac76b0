/* main.c: runs a harness without a fuzzer over the files and directories of the command line: under gcc, valgrind, or
 * any machine that has no fuzzer. The last line says how many inputs there were. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long inputs;

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = fuzz_memory(size > 0 ? (size_t)size : 0, 1);
    size_t length = fread(bytes, 1, size > 0 ? (size_t)size : 0, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, length);
    free(bytes);
    inputs++;
}

static void run_directory(const char *path, DIR *directory)
{
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name) run_file(name);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        DIR *directory = opendir(argv[i]);
        if (directory == NULL) {
            run_file(argv[i]);
            continue;
        }
        run_directory(argv[i], directory);
        closedir(directory);
    }
    printf("%lu inputs\n", inputs);
    return 0;
}
