/* Says which functions a program has entered: `gcc -finstrument-functions` calls this at each of them.
 *
 * The file REACH/NAME, of a program called NAME, has a byte for each byte of the program's code; that of an entered function
 * is set. It is mapped, so nothing is lost where a program is killed. Raw system calls, because the programs of tests/fault
 * have wrapped the others. Not for programs that move in memory: link with -no-pie.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef REACH
#error "REACH is the directory of the files"
#endif
#define ROOM (4l << 20)

extern const char __executable_start[];

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static unsigned char *room;

/* The file of this program, mapped; without it no function is entered in silence: the program ends. */
static unsigned char *open_room(void)
{
    char name[4096] = REACH "/";
    size_t length = sizeof REACH;
    for (const char *from = program_invocation_short_name; *from != 0 && length < sizeof name - 1; from++) {
        name[length++] = *from;
    }
    long file = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
    long got = file < 0 ? -1 : syscall(SYS_mmap, 0l, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0l);
    if (got == -1) {
        syscall(SYS_exit_group, 99l);
    }
    syscall(SYS_close, file);
    return (unsigned char *)got;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    int before = errno;
    (void)caller;
    if (room == NULL) {
        room = open_room();
    }
    uintptr_t place = (uintptr_t)function - (uintptr_t)__executable_start;
    if (place >= (uintptr_t)ROOM) {
        syscall(SYS_exit_group, 98l);
    }
    room[place] = 1;
    errno = before;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}
