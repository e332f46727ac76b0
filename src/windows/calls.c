/* calls.c: reads, writes, locks and maps open files. */
#include "windows/windows.h"

#include <limits.h>

/* Where the lock of a file is: beyond the end of any data, because a locked range can be neither read nor written. */
#define LOCK_AT_LOW 0xfffffffeu
#define LOCK_AT_HIGH 0x7fffffffu

static DWORD snpy_request(size_t size)
{
    return size < INT_MAX ? (DWORD)size : INT_MAX;
}

/* --- reading and writing ----------------------------------------------------------------------------------- */

ssize_t read(int descriptor, void *bytes, size_t size)
{
    HANDLE file = snpy_windows_handle(descriptor);
    DWORD done = 0;
    if (file == INVALID_HANDLE_VALUE) return -1;
    if (ReadFile(file, bytes, snpy_request(size), &done, NULL)) return (ssize_t)done;
    const DWORD reason = GetLastError();
    if (reason == ERROR_BROKEN_PIPE || reason == ERROR_HANDLE_EOF) return 0;
    return snpy_windows_fail(reason == ERROR_ACCESS_DENIED ? ERROR_INVALID_HANDLE : reason);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    HANDLE file = snpy_windows_handle(descriptor);
    DWORD done = 0;
    if (file == INVALID_HANDLE_VALUE) return -1;
    return WriteFile(file, bytes, snpy_request(size), &done, NULL) ? (ssize_t)done : snpy_windows_fail(GetLastError());
}

/* Reads or writes at an offset. Windows moves the position of the file then; it is moved back. */
static ssize_t snpy_at(int descriptor, void *out, const void *bytes, size_t size, off_t offset)
{
    HANDLE file = snpy_windows_handle(descriptor);
    if (file == INVALID_HANDLE_VALUE) return -1;
    OVERLAPPED place = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)((uint64_t)offset >> 32)};
    LARGE_INTEGER nowhere = {.QuadPart = 0};
    LARGE_INTEGER before;
    DWORD done = 0;
    if (!SetFilePointerEx(file, nowhere, &before, FILE_CURRENT)) {
        errno = ESPIPE;
        return -1;
    }
    const BOOL is_done = out != NULL ? ReadFile(file, out, snpy_request(size), &done, &place)
                                     : WriteFile(file, bytes, snpy_request(size), &done, &place);
    const DWORD reason = is_done ? 0 : GetLastError();
    (void)SetFilePointerEx(file, before, NULL, FILE_BEGIN);
    if (is_done) return (ssize_t)done;
    return reason == ERROR_HANDLE_EOF ? 0 : snpy_windows_fail(reason);
}

ssize_t snpy_windows_pread(int descriptor, void *bytes, size_t size, off_t offset)
{
    return snpy_at(descriptor, bytes, NULL, size, offset);
}

ssize_t snpy_windows_pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return snpy_at(descriptor, NULL, bytes, size, offset);
}

off_t snpy_windows_lseek(int descriptor, off_t offset, int whence)
{
    HANDLE file = snpy_windows_handle(descriptor);
    LARGE_INTEGER distance = {.QuadPart = offset};
    LARGE_INTEGER place;
    if (file == INVALID_HANDLE_VALUE) return -1;
    if (GetFileType(file) != FILE_TYPE_DISK) {
        errno = ESPIPE;
        return -1;
    }
    return SetFilePointerEx(file, distance, &place, (DWORD)whence) ? place.QuadPart : snpy_windows_fail(GetLastError());
}

int snpy_windows_ftruncate(int descriptor, off_t size)
{
    HANDLE file = snpy_windows_handle(descriptor);
    FILE_END_OF_FILE_INFO end = {.EndOfFile = {.QuadPart = size}};
    if (file == INVALID_HANDLE_VALUE) return -1;
    return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end) ? 0
                                                                                 : snpy_windows_fail(GetLastError());
}

int posix_fallocate(int descriptor, off_t offset, off_t size)
{
    return snpy_windows_ftruncate(descriptor, offset + size) == 0 ? 0 : errno; /* the space is reserved with it */
}

int fsync(int descriptor)
{
    struct snpy_stat about;
    HANDLE file = snpy_windows_handle(descriptor);
    if (file == INVALID_HANDLE_VALUE) return -1;
    if (FlushFileBuffers(file)) return 0;
    const DWORD reason = GetLastError();
    const bool is_directory = snpy_windows_fstat(descriptor, &about) == 0 && (about.st_mode & S_IFMT) == S_IFDIR;
    return snpy_windows_fail(is_directory ? ERROR_INVALID_PARAMETER : reason); /* directories cannot be flushed */
}

int snpy_windows_isatty(int descriptor)
{
    DWORD mode;
    return GetConsoleMode(snpy_windows_handle(descriptor), &mode) ? 1 : 0;
}

int poll(struct pollfd *files, unsigned long count, int timeout)
{
    (void)files, (void)timeout;
    return (int)count; /* descriptors always block */
}

/* --- flags and rights -------------------------------------------------------------------------------------- */

int fcntl(int descriptor, int command, ...)
{
    if (snpy_windows_handle(descriptor) == INVALID_HANDLE_VALUE) return -1;
    return command == F_DUPFD_CLOEXEC ? _dup(descriptor) : 0; /* F_GETFD, F_GETFL: there are no flags */
}

int fchmod(int descriptor, mode_t mode)
{
    (void)descriptor, (void)mode;
    return 0;
}

int fchown(int descriptor, uid_t user, gid_t group)
{
    (void)descriptor, (void)user, (void)group;
    return 0;
}

/* --- locks ------------------------------------------------------------------------------------------------- */

int flock(int descriptor, int operation)
{
    HANDLE file = snpy_windows_handle(descriptor);
    OVERLAPPED place = {.Offset = LOCK_AT_LOW, .OffsetHigh = LOCK_AT_HIGH};
    DWORD flags = LOCKFILE_FAIL_IMMEDIATELY;
    if (file == INVALID_HANDLE_VALUE) return -1;
    if ((operation & LOCK_UN) != 0) return UnlockFileEx(file, 0, 1, 0, &place) ? 0 : snpy_windows_fail(GetLastError());
    if ((operation & LOCK_EX) != 0) flags |= LOCKFILE_EXCLUSIVE_LOCK;
    return LockFileEx(file, flags, 0, 1, 0, &place) ? 0 : snpy_windows_fail(GetLastError());
}

/* --- maps -------------------------------------------------------------------------------------------------- */

long sysconf(int name)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    /* Offsets of maps are multiples of the granularity, not only of a page. */
    return name == _SC_PAGESIZE ? (long)system.dwAllocationGranularity : (long)system.dwNumberOfProcessors;
}

void *mmap(void *address, size_t length, int protection, int sharing, int descriptor, off_t offset)
{
    HANDLE file = snpy_windows_handle(descriptor);
    const uint64_t end = (uint64_t)offset + length;
    DWORD pages = PAGE_READONLY;
    DWORD access = FILE_MAP_READ;
    (void)address;
    if (file == INVALID_HANDLE_VALUE) return MAP_FAILED;
    if ((protection & PROT_WRITE) != 0) {
        pages = sharing == MAP_PRIVATE ? PAGE_WRITECOPY : PAGE_READWRITE;
        access = sharing == MAP_PRIVATE ? FILE_MAP_COPY : FILE_MAP_WRITE;
    }
    HANDLE mapping = CreateFileMappingW(file, NULL, pages, (DWORD)(end >> 32), (DWORD)end, NULL);
    void *base = NULL;
    if (mapping != NULL) base = MapViewOfFile(mapping, access, (DWORD)((uint64_t)offset >> 32), (DWORD)offset, length);
    if (base == NULL) (void)snpy_windows_fail(GetLastError());
    if (mapping != NULL) (void)CloseHandle(mapping); /* the view keeps it */
    return base != NULL ? base : MAP_FAILED;
}

int munmap(void *address, size_t length)
{
    (void)length;
    return UnmapViewOfFile(address) ? 0 : snpy_windows_fail(GetLastError());
}

int msync(void *address, size_t length, int flags)
{
    (void)flags;
    return FlushViewOfFile(address, length) ? 0 : snpy_windows_fail(GetLastError());
}
