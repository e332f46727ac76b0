/* main.c: the command's arguments as UTF-8, and its standard streams without translation of line ends. */
#include "windows/windows.h"

#include <shellapi.h>

#undef main

int main(void)
{
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    char **words = calloc((size_t)count + 1, sizeof *words);
    if (wide == NULL || words == NULL) return 2;
    for (int i = 0; i < count; i++) {
        const size_t capacity = 3 * wcslen(wide[i]) + 1;
        words[i] = malloc(capacity);
        if (words[i] == NULL || !snpy_windows_narrow(wide[i], words[i], capacity)) return 2;
    }
    for (int i = 0; i < 3; i++) (void)_setmode(i, _O_BINARY);
    return snpy_windows_main(count, words);
}
