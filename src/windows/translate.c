/* translate.c: paths to UTF-16, errors to errno, descriptors to handles. */
#include "windows/windows.h"

int snpy_windows_fail(DWORD reason)
{
    static const struct {
        DWORD windows;
        int posix;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EBUSY},
        {ERROR_LOCK_VIOLATION, EAGAIN},
        {ERROR_DELETE_PENDING, EACCES},
        {ERROR_PRIVILEGE_NOT_HELD, EPERM},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_FILE_TOO_LARGE, EFBIG},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_TOO_MANY_LINKS, EMLINK},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_NOT_SUPPORTED, ENOTSUP},
        {ERROR_INVALID_FUNCTION, ENOTSUP},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_SEEK, ESPIPE},
        {ERROR_BAD_UNIT, ENODEV},
    };
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].windows == reason) errno = known[i].posix;
    return -1;
}

HANDLE snpy_windows_handle(int descriptor)
{
    HANDLE file = descriptor < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(descriptor);
    if (file == INVALID_HANDLE_VALUE) errno = EBADF;
    return file;
}

wchar_t *snpy_windows_wide(const char *path)
{
    const int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = units > 0 ? malloc((size_t)units * sizeof *wide) : NULL;
    if (wide == NULL) {
        errno = units > 0 ? ENOMEM : ENOENT; /* no file has a name that is not UTF-8 */
        return NULL;
    }
    (void)MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, units);
    return wide;
}

bool snpy_windows_narrow(const wchar_t *wide, char *out, size_t capacity)
{
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)capacity, NULL, NULL) > 0;
}

char *snpy_windows_strerror(int reason)
{
    static char in_use[] = "Another program has the file open"; /* the C library says "Resource device" */
    return reason == EBUSY ? in_use : (strerror)(reason);
}

int snpy_windows_strerror_r(int reason, char *out, size_t size)
{
    return reason == EBUSY ? strcpy_s(out, size, snpy_windows_strerror(reason)) : strerror_s(out, size, reason);
}
