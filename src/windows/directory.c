/* directory.c: lists directories. */
#include "windows/windows.h"

#define LIST_BYTES 65536u

struct snpy_directory {
    int descriptor;
    struct dirent entry;
    const FILE_ID_BOTH_DIR_INFO *next; /* in `list`; NULL: the list is used up */
    union {
        uint8_t bytes[LIST_BYTES];
        FILE_ID_BOTH_DIR_INFO first;
    } list;
};

DIR *fdopendir(int descriptor)
{
    DIR *directory = calloc(1, sizeof *directory);
    if (directory != NULL) directory->descriptor = descriptor;
    return directory;
}

struct dirent *readdir(DIR *directory)
{
    wchar_t name[256];
    if (directory->next == NULL) {
        if (!GetFileInformationByHandleEx(snpy_windows_handle(directory->descriptor), FileIdBothDirectoryInfo,
                                          directory->list.bytes, LIST_BYTES)) {
            if (GetLastError() != ERROR_NO_MORE_FILES) (void)snpy_windows_fail(GetLastError());
            return NULL;
        }
        directory->next = &directory->list.first;
    }
    const FILE_ID_BOTH_DIR_INFO *entry = directory->next;
    const size_t units = entry->FileNameLength / sizeof(wchar_t);
    directory->next =
        entry->NextEntryOffset == 0
            ? NULL
            : (const FILE_ID_BOTH_DIR_INFO *)(const void *)((const uint8_t *)entry + entry->NextEntryOffset);
    memcpy(name, entry->FileName, units * sizeof(wchar_t));
    name[units] = 0;
    (void)snpy_windows_narrow(name, directory->entry.d_name, sizeof directory->entry.d_name);
    return &directory->entry;
}

int closedir(DIR *directory)
{
    const int descriptor = directory->descriptor;
    free(directory);
    return _close(descriptor);
}

int dirfd(DIR *directory)
{
    return directory->descriptor;
}
