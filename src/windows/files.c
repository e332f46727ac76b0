/* files.c: opens, renames and removes files by their names, in a directory or in the current one. */
#include "windows/windows.h"

#include <aclapi.h>
#include <stdarg.h>
#include <winternl.h>

#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Kinds of information that winternl.h does not name. */
#define RENAME_INFORMATION 10
#define LINK_INFORMATION 11
#define RENAME_INFORMATION_EX 65

/* Flags of a new name. */
#define REPLACES 1u
#define AS_POSIX 2u /* also a file that is open; only RENAME_INFORMATION_EX knows it */

/* A new name of a file. */
typedef struct snpy_new_name {
    ULONG flags;
    HANDLE directory; /* NULL: the name is a path */
    ULONG length;     /* in bytes */
    WCHAR name[1];
} snpy_new_name;

ULONG NTAPI RtlIsDosDeviceName_U(PCWSTR path);
NTSTATUS NTAPI NtSetInformationFile(HANDLE file, PIO_STATUS_BLOCK block, PVOID about, ULONG size,
                                    FILE_INFORMATION_CLASS kind);

/* --- opening ----------------------------------------------------------------------------------------------- */

/* How a file is opened. */
typedef struct snpy_opening {
    ACCESS_MASK access;
    DWORD creation; /* OPEN_EXISTING, CREATE_NEW, OPEN_ALWAYS, TRUNCATE_EXISTING, CREATE_ALWAYS */
    bool is_link;   /* a link is opened itself */
    bool is_made;   /* a new directory */
} snpy_opening;

/* Opens a name in an open directory, without looking at another one. INVALID_HANDLE_VALUE with the last error. */
static HANDLE snpy_open_in(HANDLE directory, wchar_t *name, const snpy_opening *how)
{
    static const ULONG dispositions[] = {[CREATE_NEW] = FILE_CREATE,
                                         [CREATE_ALWAYS] = FILE_OVERWRITE_IF,
                                         [OPEN_EXISTING] = FILE_OPEN,
                                         [OPEN_ALWAYS] = FILE_OPEN_IF,
                                         [TRUNCATE_EXISTING] = FILE_OVERWRITE};
    UNICODE_STRING text;
    OBJECT_ATTRIBUTES where;
    IO_STATUS_BLOCK block;
    HANDLE opened = INVALID_HANDLE_VALUE;
    ULONG options = FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT;
    if (how->is_link) options |= FILE_OPEN_REPARSE_POINT;
    if (how->is_made) options |= FILE_DIRECTORY_FILE;
    RtlInitUnicodeString(&text, name);
    InitializeObjectAttributes(&where, &text, OBJ_CASE_INSENSITIVE, directory, NULL);
    NTSTATUS status = NtCreateFile(&opened, how->access | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &where, &block, NULL,
                                   FILE_ATTRIBUTE_NORMAL, SHARE_ALL, dispositions[how->creation], options, NULL, 0);
    if (status >= 0) return opened;
    SetLastError(RtlNtStatusToDosError(status));
    return INVALID_HANDLE_VALUE;
}

/* Whether Windows takes a path for a device, as it may do with con.npy, and the path is not just NUL. Sets the last error
 * then. */
static bool snpy_is_reserved(const wchar_t *path)
{
    const bool is_reserved = RtlIsDosDeviceName_U(path) != 0 && _wcsicmp(path, L"NUL") != 0;
    if (is_reserved) SetLastError(ERROR_BAD_UNIT);
    return is_reserved;
}

/* Opens a path from the current directory. INVALID_HANDLE_VALUE with the last error. */
static HANDLE snpy_open_here(const wchar_t *path, const snpy_opening *how)
{
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS; /* directories, too */
    if (how->is_link) flags |= FILE_FLAG_OPEN_REPARSE_POINT;
    if (snpy_is_reserved(path)) return INVALID_HANDLE_VALUE;
    return CreateFileW(wcscmp(path, L"/dev/null") == 0 ? L"NUL" : path, how->access | FILE_READ_ATTRIBUTES, SHARE_ALL,
                       NULL, how->creation, flags, NULL);
}

/* Opens a path in a directory. INVALID_HANDLE_VALUE with errno. */
static HANDLE snpy_open_handle(int directory, const char *path, const snpy_opening *how)
{
    wchar_t *wide = snpy_windows_wide(path);
    HANDLE opened = INVALID_HANDLE_VALUE;
    if (wide == NULL) return INVALID_HANDLE_VALUE;
    HANDLE place = directory == AT_FDCWD ? NULL : snpy_windows_handle(directory);
    if (place == INVALID_HANDLE_VALUE) {
        free(wide);
        return INVALID_HANDLE_VALUE;
    }
    opened = place == NULL ? snpy_open_here(wide, how) : snpy_open_in(place, wide, how);
    if (opened == INVALID_HANDLE_VALUE) (void)snpy_windows_fail(GetLastError());
    free(wide);
    return opened;
}

/* Whether an open file is a directory or, opened itself, a link. */
static DWORD snpy_attributes(HANDLE file)
{
    FILE_BASIC_INFO about;
    if (!GetFileInformationByHandleEx(file, FileBasicInfo, &about, sizeof about)) return 0;
    return about.FileAttributes;
}

/* Checks what was opened against the flags. Returns 0 or an errno. */
static int snpy_check_opened(HANDLE file, int flags)
{
    const DWORD attributes = snpy_attributes(file);
    const bool is_directory = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if ((flags & O_NOFOLLOW) != 0 && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return ELOOP;
    if ((flags & O_DIRECTORY) != 0 && !is_directory) return ENOTDIR;
    return is_directory && (flags & (O_WRONLY | O_RDWR)) != 0 ? EISDIR : 0;
}

static int snpy_open_file(int directory, const char *path, int flags)
{
    snpy_opening how = {GENERIC_READ, OPEN_EXISTING, (flags & O_NOFOLLOW) != 0, false};
    if ((flags & O_RDWR) != 0) how.access = GENERIC_READ | GENERIC_WRITE;
    if ((flags & O_WRONLY) != 0) how.access = GENERIC_WRITE;
    if ((flags & O_CREAT) != 0) how.creation = (flags & O_EXCL) != 0 ? CREATE_NEW : OPEN_ALWAYS;
    HANDLE file = snpy_open_handle(directory, path, &how);
    if (file == INVALID_HANDLE_VALUE) return -1;
    const int reason = snpy_check_opened(file, flags);
    const int descriptor =
        reason == 0 ? _open_osfhandle((intptr_t)file, (flags & O_WRONLY) | (flags & O_RDWR) | _O_NOINHERIT | _O_BINARY)
                    : -1;
    if (descriptor < 0) (void)CloseHandle(file);
    if (reason != 0) errno = reason;
    return descriptor;
}

int snpy_windows_open(const char *path, int flags, ...)
{
    return snpy_open_file(AT_FDCWD, path, flags);
}

int snpy_windows_openat(int directory, const char *path, int flags, ...)
{
    return snpy_open_file(directory, path, flags);
}

FILE *snpy_windows_fopen(const char *path, const char *mode)
{
    const int descriptor = snpy_open_file(AT_FDCWD, path, mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT);
    FILE *file = descriptor >= 0 ? _fdopen(descriptor, mode[0] == 'r' ? "rb" : "wb") : NULL;
    if (file == NULL && descriptor >= 0) (void)_close(descriptor);
    return file;
}

/* --- what a file is ---------------------------------------------------------------------------------------- */

/* Describes an open file. */
static int snpy_describe(HANDLE file, struct snpy_stat *about)
{
    static const struct snpy_stat nothing = {0};
    BY_HANDLE_FILE_INFORMATION found;
    const DWORD type = GetFileType(file);
    *about = nothing;
    about->st_mode = type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
    if (type != FILE_TYPE_DISK) return 0;
    if (!GetFileInformationByHandle(file, &found)) return snpy_windows_fail(GetLastError());
    about->st_mode = S_IFREG | 0666;
    if ((found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) about->st_mode = S_IFDIR | 0777;
    if ((found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) about->st_mode = S_IFLNK | 0777;
    about->st_dev = found.dwVolumeSerialNumber;
    about->st_ino = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    about->st_size = (int64_t)((uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow);
    return 0;
}

int snpy_windows_fstat(int descriptor, struct snpy_stat *about)
{
    HANDLE file = snpy_windows_handle(descriptor);
    return file != INVALID_HANDLE_VALUE ? snpy_describe(file, about) : -1;
}

int snpy_windows_fstatat(int directory, const char *path, struct snpy_stat *about, int flags)
{
    const snpy_opening how = {0, OPEN_EXISTING, (flags & AT_SYMLINK_NOFOLLOW) != 0, false};
    HANDLE file = snpy_open_handle(directory, path, &how);
    if (file == INVALID_HANDLE_VALUE) return -1;
    const int result = snpy_describe(file, about);
    (void)CloseHandle(file);
    return result;
}

int snpy_stat(const char *path, struct snpy_stat *about)
{
    return snpy_windows_fstatat(AT_FDCWD, path, about, 0);
}

int snpy_windows_lstat(const char *path, struct snpy_stat *about)
{
    return snpy_windows_fstatat(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

int snpy_windows_access(const char *path, int mode)
{
    const snpy_opening how = {mode == W_OK ? GENERIC_WRITE : GENERIC_READ, OPEN_EXISTING, false, false};
    HANDLE file = snpy_open_handle(AT_FDCWD, path, &how);
    if (file == INVALID_HANDLE_VALUE) return -1;
    (void)CloseHandle(file);
    return 0;
}

char *snpy_windows_realpath(const char *path, char *resolved)
{
    const snpy_opening how = {0, OPEN_EXISTING, false, false};
    HANDLE file = snpy_open_handle(AT_FDCWD, path, &how);
    (void)resolved; /* NULL */
    if (file == INVALID_HANDLE_VALUE) return NULL;
    const DWORD units = GetFinalPathNameByHandleW(file, NULL, 0, 0);
    wchar_t *wide = malloc(((size_t)units + 1) * sizeof *wide);
    char *found = malloc(3 * ((size_t)units + 1));
    if (wide == NULL || found == NULL || units == 0 || GetFinalPathNameByHandleW(file, wide, units + 1, 0) == 0 ||
        !snpy_windows_narrow(wide, found, 3 * ((size_t)units + 1))) {
        free(found);
        found = NULL;
        errno = EIO;
    }
    free(wide);
    (void)CloseHandle(file);
    return found;
}

/* --- names ------------------------------------------------------------------------------------------------- */

/* Removes an open file when all have closed it. Returns 0 or an error of Windows. */
static DWORD snpy_dispose(HANDLE file)
{
    FILE_DISPOSITION_INFO removal = {TRUE};
    return SetFileInformationByHandle(file, FileDispositionInfo, &removal, sizeof removal) ? 0 : GetLastError();
}

int snpy_windows_unlinkat(int directory, const char *path, int flags)
{
    const snpy_opening how = {DELETE, OPEN_EXISTING, true, false};
    HANDLE file = snpy_open_handle(directory, path, &how);
    (void)flags;
    if (file == INVALID_HANDLE_VALUE) return -1;
    const DWORD reason = snpy_dispose(file);
    (void)CloseHandle(file);
    return reason == 0 ? 0 : snpy_windows_fail(reason);
}

int snpy_windows_unlink(const char *path)
{
    return snpy_windows_unlinkat(AT_FDCWD, path, 0);
}

int snpy_windows_mkdir(const char *path, mode_t mode)
{
    wchar_t *wide = snpy_windows_wide(path);
    (void)mode;
    if (wide == NULL) return -1;
    const bool is_made = !snpy_is_reserved(wide) && CreateDirectoryW(wide, NULL);
    const int result = is_made ? 0 : snpy_windows_fail(GetLastError());
    free(wide);
    return result;
}

int snpy_windows_mkdirat(int directory, const char *path, mode_t mode)
{
    const snpy_opening how = {FILE_LIST_DIRECTORY, CREATE_NEW, false, true};
    HANDLE made = snpy_open_handle(directory, path, &how);
    (void)mode;
    if (made == INVALID_HANDLE_VALUE) return -1;
    (void)CloseHandle(made);
    return 0;
}

/* Gives an open file another name, or one more. Returns 0 or an error of Windows. */
static DWORD snpy_set_name(HANDLE file, HANDLE directory, const wchar_t *name, ULONG flags, int kind)
{
    const size_t length = wcslen(name) * sizeof *name;
    const size_t size = sizeof(snpy_new_name) + length;
    snpy_new_name *target = calloc(1, size);
    IO_STATUS_BLOCK block;
    if (target == NULL) return ERROR_NOT_ENOUGH_MEMORY;
    target->flags = flags;
    target->directory = directory;
    target->length = (ULONG)length;
    memcpy(target->name, name, length);
    NTSTATUS status = NtSetInformationFile(file, &block, target, (ULONG)size, (FILE_INFORMATION_CLASS)kind);
    free(target);
    return status >= 0 ? 0 : RtlNtStatusToDosError(status);
}

/* Gives a file the access control list of the file that it replaces. Returns 0 or an error of Windows. */
static DWORD snpy_copy_acl(HANDLE from, HANDLE to)
{
    ACL *list = NULL;
    PSECURITY_DESCRIPTOR about = NULL;
    SECURITY_DESCRIPTOR_CONTROL control = 0;
    DWORD revision;
    DWORD reason = GetSecurityInfo(from, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &list, NULL, &about);
    if (reason != 0) return reason;
    (void)GetSecurityDescriptorControl(about, &control, &revision);
    const SECURITY_INFORMATION inherits = (control & SE_DACL_PROTECTED) != 0 ? PROTECTED_DACL_SECURITY_INFORMATION
                                                                             : UNPROTECTED_DACL_SECURITY_INFORMATION;
    reason = SetSecurityInfo(to, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | inherits, NULL, NULL, list, NULL);
    (void)LocalFree(about);
    return reason;
}

/* Renames a file to the name of another one that is open. Where the system cannot do that in one step, the other file is
 * renamed to `aside` first, and removed. Returns 0 or an error of Windows. */
static DWORD snpy_replace(HANDLE file, HANDLE other, HANDLE directory, const wchar_t *name, const wchar_t *aside)
{
    DWORD reason = snpy_copy_acl(other, file);
    if (reason != 0) return reason;
    if (snpy_set_name(file, directory, name, REPLACES | AS_POSIX, RENAME_INFORMATION_EX) == 0) return 0;
    reason = snpy_set_name(other, directory, aside, 0, RENAME_INFORMATION);
    if (reason != 0) return reason;
    reason = snpy_set_name(file, directory, name, 0, RENAME_INFORMATION);
    if (reason == 0)
        (void)snpy_dispose(other); /* best effort */
    else
        (void)snpy_set_name(other, directory, name, 0, RENAME_INFORMATION);
    return reason;
}

/* A name of a file, and the name that another one would get, in a directory; `place` NULL: paths. */
typedef struct snpy_names {
    HANDLE place;
    wchar_t *name;
    wchar_t *aside;
} snpy_names;

/* Renames a file, also to the name of one that is there. */
static int snpy_rename_to(int from_directory, const char *from, int to_directory, const char *to,
                          const snpy_names *names)
{
    const snpy_opening how = {DELETE | READ_CONTROL | WRITE_DAC, OPEN_EXISTING, true, false};
    const snpy_opening how_other = {DELETE | READ_CONTROL, OPEN_EXISTING, true, false};
    DWORD reason;
    HANDLE file = snpy_open_handle(from_directory, from, &how);
    if (file == INVALID_HANDLE_VALUE) return -1;
    HANDLE other = snpy_open_handle(to_directory, to, &how_other);
    if (other != INVALID_HANDLE_VALUE) {
        reason = snpy_replace(file, other, names->place, names->name, names->aside);
        (void)CloseHandle(other);
    } else {
        reason = GetLastError();
        if (errno == ENOENT) reason = snpy_set_name(file, names->place, names->name, 0, RENAME_INFORMATION);
    }
    (void)CloseHandle(file);
    return reason == 0 ? 0 : snpy_windows_fail(reason);
}

/* Appends to a name. NULL with errno. */
static wchar_t *snpy_append(const wchar_t *name, const wchar_t *suffix)
{
    wchar_t *result = malloc((wcslen(name) + wcslen(suffix) + 1) * sizeof *result);
    if (result == NULL) return NULL;
    wcscpy(result, name);
    wcscat(result, suffix);
    return result;
}

/* The whole path of a path, as the kernel takes it; NULL with errno. */
static wchar_t *snpy_kernel_path(const char *path)
{
    UNICODE_STRING whole;
    wchar_t *wide = snpy_windows_wide(path);
    wchar_t *result = NULL;
    if (wide != NULL && RtlDosPathNameToNtPathName_U(wide, &whole, NULL, NULL)) {
        result = snpy_append(whole.Buffer, L"");
        RtlFreeUnicodeString(&whole);
    }
    free(wide);
    return result;
}

int snpy_windows_rename(const char *from, const char *to)
{
    wchar_t *old = snpy_kernel_path(from);
    snpy_names names = {NULL, snpy_kernel_path(to), old != NULL ? snpy_append(old, L".old") : NULL};
    int result = -1;
    if (names.name != NULL && names.aside != NULL) result = snpy_rename_to(AT_FDCWD, from, AT_FDCWD, to, &names);
    free(old);
    free(names.name);
    free(names.aside);
    return result;
}

int snpy_windows_renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    wchar_t *old = snpy_windows_wide(from);
    snpy_names names = {snpy_windows_handle(to_directory), snpy_windows_wide(to),
                        old != NULL ? snpy_append(old, L".old") : NULL};
    int result = -1;
    if (names.place != INVALID_HANDLE_VALUE && names.name != NULL && names.aside != NULL)
        result = snpy_rename_to(from_directory, from, to_directory, to, &names);
    free(old);
    free(names.name);
    free(names.aside);
    return result;
}

int snpy_windows_linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    const snpy_opening how = {FILE_WRITE_ATTRIBUTES, OPEN_EXISTING, true, false};
    HANDLE directory = snpy_windows_handle(to_directory);
    wchar_t *name = snpy_windows_wide(to);
    HANDLE file = name != NULL ? snpy_open_handle(from_directory, from, &how) : INVALID_HANDLE_VALUE;
    int result = -1;
    (void)flags;
    if (file != INVALID_HANDLE_VALUE && directory != INVALID_HANDLE_VALUE) {
        const DWORD reason = snpy_set_name(file, directory, name, 0, LINK_INFORMATION);
        result = reason == 0 ? 0 : snpy_windows_fail(reason);
    }
    if (file != INVALID_HANDLE_VALUE) (void)CloseHandle(file);
    free(name);
    return result;
}
