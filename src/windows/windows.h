/* windows.h: what the files of this room share. */
#ifndef SAFENPY_WINDOWS_WINDOWS_H
#define SAFENPY_WINDOWS_WINDOWS_H

#include "windows/posix.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Sets errno from an error of Windows. Returns -1. */
int snpy_windows_fail(DWORD reason);

/* The handle of a descriptor; INVALID_HANDLE_VALUE with errno. */
HANDLE snpy_windows_handle(int descriptor);

/* A path as UTF-16, which the caller frees; NULL with errno. */
wchar_t *snpy_windows_wide(const char *path);

/* A name as UTF-8. Returns false if it does not fit. Halves of surrogate pairs become U+FFFD. */
bool snpy_windows_narrow(const wchar_t *wide, char *out, size_t capacity);

#endif
