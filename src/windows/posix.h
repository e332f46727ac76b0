/* posix.h: what the other rooms use of POSIX, on Windows, where the compiler includes this file before all others.
 *
 * Paths are UTF-8. A descriptor of a directory is a descriptor like others. Files are opened so that others can read, write,
 * rename and remove them, as on POSIX. What Windows has in another way is left out: owners and modes (each file has the
 * access control list that its directory gives it), FIFOs, fork. */
#ifndef SAFENPY_WINDOWS_POSIX_H
#define SAFENPY_WINDOWS_POSIX_H

#define read snpy_windows_unused_read /* they take an unsigned */
#define write snpy_windows_unused_write
#include <io.h>
#undef read
#undef write

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* --- files ------------------------------------------------------------------------------------------------- */

#define O_CLOEXEC _O_NOINHERIT
#define O_NOCTTY 0
#define O_NONBLOCK 0
#define O_DIRECTORY 0x01000000
#define O_NOFOLLOW 0x02000000
#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 1

typedef unsigned uid_t;
typedef unsigned gid_t;

struct snpy_stat {
    dev_t st_dev;    /* the volume's serial number */
    uint64_t st_ino; /* the file's index on it */
    mode_t st_mode;  /* its type; all may read and write */
    uid_t st_uid;    /* 0 */
    gid_t st_gid;    /* 0 */
    int64_t st_size;
};

#define S_IFLNK 0xA000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_ISSOCK(mode) ((void)(mode), false)

int snpy_windows_open(const char *path, int flags, ...);
int snpy_windows_openat(int directory, const char *path, int flags, ...);
int snpy_stat(const char *path, struct snpy_stat *about);
int snpy_windows_lstat(const char *path, struct snpy_stat *about);
int snpy_windows_fstat(int descriptor, struct snpy_stat *about);
int snpy_windows_fstatat(int directory, const char *path, struct snpy_stat *about, int flags);
int snpy_windows_access(const char *path, int mode);
int snpy_windows_unlink(const char *path);
int snpy_windows_unlinkat(int directory, const char *path, int flags);
int snpy_windows_rename(const char *from, const char *to);
int snpy_windows_renameat(int from_directory, const char *from, int to_directory, const char *to);
int snpy_windows_linkat(int from_directory, const char *from, int to_directory, const char *to, int flags);
int snpy_windows_mkdir(const char *path, mode_t mode);
int snpy_windows_mkdirat(int directory, const char *path, mode_t mode);
char *snpy_windows_realpath(const char *path, char *resolved);
FILE *snpy_windows_fopen(const char *path, const char *mode);

#undef stat
#undef fstat
#undef lseek
#undef ftruncate
#define stat snpy_stat
#define open snpy_windows_open
#define openat snpy_windows_openat
#define fstat snpy_windows_fstat
#define fstatat snpy_windows_fstatat
#define lstat snpy_windows_lstat
#define access snpy_windows_access
#define unlink snpy_windows_unlink
#define unlinkat snpy_windows_unlinkat
#define rename snpy_windows_rename
#define renameat snpy_windows_renameat
#define linkat snpy_windows_linkat
#define mkdir snpy_windows_mkdir
#define mkdirat snpy_windows_mkdirat
#define realpath snpy_windows_realpath
#define fopen snpy_windows_fopen

/* --- descriptors ------------------------------------------------------------------------------------------- */

#define F_GETFD 1
#define F_GETFL 3
#define F_DUPFD_CLOEXEC 1030
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
#define POLLIN 1
#define POLLOUT 4
#define _SC_PAGESIZE 1
#define _SC_NPROCESSORS_ONLN 2

struct pollfd {
    int fd;
    short events;
    short revents;
};

ssize_t snpy_windows_pread(int descriptor, void *bytes, size_t size, off_t offset);
ssize_t snpy_windows_pwrite(int descriptor, const void *bytes, size_t size, off_t offset);
/* Structs have members of these names, so no macro replaces them. */
ssize_t read(int descriptor, void *bytes, size_t size) __asm__("snpy_windows_read");
ssize_t write(int descriptor, const void *bytes, size_t size) __asm__("snpy_windows_write");
off_t snpy_windows_lseek(int descriptor, off_t offset, int whence);
int snpy_windows_ftruncate(int descriptor, off_t size);
int snpy_windows_isatty(int descriptor);
char *snpy_windows_strerror(int reason);
int snpy_windows_strerror_r(int reason, char *out, size_t size);
int fsync(int descriptor);
int fcntl(int descriptor, int command, ...);
int flock(int descriptor, int operation);
int poll(struct pollfd *files, unsigned long count, int timeout);
int fchmod(int descriptor, mode_t mode);
int fchown(int descriptor, uid_t user, gid_t group);
int posix_fallocate(int descriptor, off_t offset, off_t size);
long sysconf(int name);
ssize_t getdelim(char **line, size_t *capacity, int end, FILE *file);

#define pread snpy_windows_pread
#define pwrite snpy_windows_pwrite
#define lseek snpy_windows_lseek
#define ftruncate snpy_windows_ftruncate
#define isatty snpy_windows_isatty
#define strerror(reason) snpy_windows_strerror(reason)
#define strerror_r snpy_windows_strerror_r

/* --- maps -------------------------------------------------------------------------------------------------- */

#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FAILED ((void *)-1)
#define MS_SYNC 4

void *mmap(void *address, size_t length, int protection, int sharing, int descriptor, off_t offset);
int munmap(void *address, size_t length);
int msync(void *address, size_t length, int flags);

/* --- directories ------------------------------------------------------------------------------------------- */

/* What fits the longest name: 255 units of UTF-16. */
#define SNPY_NAME_CAPACITY 768

struct dirent {
    char d_name[SNPY_NAME_CAPACITY];
};

typedef struct snpy_directory DIR;

DIR *fdopendir(int descriptor);
struct dirent *readdir(DIR *directory);
int closedir(DIR *directory);
int dirfd(DIR *directory);

/* --- processes and signals: none ----------------------------------------------------------------------------- */

#define SIGHUP 1
#define SIGPIPE 13
#define SIGXFSZ 25
#define WIFSIGNALED(how) ((void)(how), false)
#define WTERMSIG(how) (how)

struct sigaction {
    void (*sa_handler)(int number);
    int sa_mask;
};

int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigfillset(int *set);
pid_t fork(void);
pid_t waitpid(pid_t process, int *how, int options);
int pipe(int ends[2]);

/* The command's main; Windows calls another one, which has the arguments as UTF-8. */
#define main snpy_windows_main
int snpy_windows_main(int argc, char **argv);

#endif
