/* process.c: signals, and what there is none of: fork. */
#include "windows/windows.h"

int sigfillset(int *set)
{
    *set = 0;
    return 0;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    void (*before)(int) = signal(number, action != NULL ? action->sa_handler : SIG_GET);
    if (before == SIG_ERR) return -1;
    if (old != NULL) old->sa_handler = before;
    return 0;
}

pid_t fork(void)
{
    errno = ENOSYS;
    return -1;
}

pid_t waitpid(pid_t process, int *how, int options)
{
    (void)process, (void)how, (void)options;
    errno = ECHILD;
    return -1;
}

int pipe(int ends[2])
{
    return _pipe(ends, 65536, _O_BINARY | _O_NOINHERIT);
}

ssize_t getdelim(char **line, size_t *capacity, int end, FILE *file)
{
    size_t length = 0;
    for (int next = fgetc(file); next != EOF; next = fgetc(file)) {
        if (length + 2 > *capacity) {
            const size_t wanted = *capacity < 256 ? 256 : 2 * *capacity;
            char *larger = realloc(*line, wanted);
            if (larger == NULL) return -1;
            *line = larger;
            *capacity = wanted;
        }
        (*line)[length++] = (char)next;
        if (next == end) break;
    }
    if (length == 0) return -1;
    (*line)[length] = '\0';
    return (ssize_t)length;
}
