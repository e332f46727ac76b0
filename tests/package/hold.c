/* hold.c: opens a file on Windows, with a mode of sharing, until its input ends. */
#include <stdio.h>
#include <windows.h>

int wmain(int count, wchar_t **words)
{
    HANDLE file = count == 3 ? CreateFileW(words[1], GENERIC_READ, (DWORD)_wtoi(words[2]), NULL, OPEN_EXISTING, 0, NULL)
                             : INVALID_HANDLE_VALUE;
    (void)puts(file != INVALID_HANDLE_VALUE ? "open" : "not open");
    (void)fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
