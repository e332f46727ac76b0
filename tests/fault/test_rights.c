/* test_rights.c: what other users can open while a file is replaced.                                     HOST-IO
 *
 * After each system call of each job that replaces a file, users of every kind try to open all that has been made in
 * the directory since. None may read or write what he could not read or write in the old file. In the long check a user
 * also tries without pause, in a process of his own, while each job is done 2,000 times.
 *
 * Other users are there for the superuser only, and ACLs not in all file systems: what cannot be tried is said. */
#define _DEFAULT_SOURCE /* setgroups, syscall */
#include "tests/fault/wrap.h"
#include "tests/unit/files.h"
#ifdef SNPY_ARCHIVES
#include "safenpy/archive_write.h"
#endif

#include <grp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "cli/cli.h"

int safenpy_main(int argc, char **argv); /* src/cli/main.c */

#define ROWS 40u
#define REPLACEMENTS 2000
#define MOST_WORDS 8u
#define MOST_FILES 16u

enum {
    OWNER = 50001,
    GROUP = 50101,
    NAMED = 50002,
    NAMED_MEMBER = 50009,
    NAMED_GROUP = 50102,
    WRITER = 50003,
    WRITERS = 50103
};

static const struct user {
    const char *name;
    uid_t id;
    gid_t group;
} users[] = {
    {"a stranger", 50004, 50104},
    {"one of the superuser's group", 50005, 0},
    {"the old owner", OWNER, 50105},
    {"one of the old group", 50006, GROUP},
    {"a user that the ACL names", NAMED, 50106},
    {"one of the old group that the ACL names", NAMED_MEMBER, GROUP},
    {"one of a group that the ACL names", 50007, NAMED_GROUP},
    {"one of the writer's group", 50008, WRITERS},
    {"the writer", WRITER, WRITERS},
};

static uint8_t *rows;

/* --- users ------------------------------------------------------------------------------------------------- */

/* Who does the work. */
static uid_t worker = 0;

/* Makes this process another user's, from whom it can come back. */
static void become(uid_t id, gid_t group)
{
    if (seteuid(0) != 0 || setgroups(0, NULL) != 0 || setegid(group) != 0 || seteuid(id) != 0) abort();
}

static void become_worker(void)
{
    become(worker, worker == 0 ? 0 : WRITERS);
}

/* What the user that this process is can do with a file: R_OK, W_OK, both or 0. Not by open, which is watched. */
static int can_do(const char *path)
{
    int can = 0;
    for (int i = 0; i < 2; i++) {
        long descriptor = syscall(SYS_openat, AT_FDCWD, path, (i == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        if (descriptor < 0) continue;
        (void)syscall(SYS_close, descriptor);
        can |= i == 0 ? R_OK : W_OK;
    }
    return can;
}

/* --- access control lists ---------------------------------------------------------------------------------- */

struct acl_entry {
    uint8_t tag; /* 1 owner, 2 a user, 4 group, 8 a group, 16 mask, 32 others; 0: the end */
    uint8_t permissions;
    uint16_t id;
};

#define MOST_ENTRIES 8u

/* Sets an ACL. Returns false if the file system has none. */
static bool set_acl(const char *path, const char *attribute, const struct acl_entry *entries)
{
    uint8_t bytes[4 + 8 * MOST_ENTRIES] = {2};
    size_t size = 4;
    for (; entries->tag != 0; entries++, size += 8) {
        const bool is_named = entries->tag == 2 || entries->tag == 8;
        memset(bytes + size, 0, 8);
        bytes[size] = entries->tag;
        bytes[size + 2] = entries->permissions;
        memset(bytes + size + 4, is_named ? 0 : 0xff, 4);
        if (!is_named) continue;
        bytes[size + 4] = (uint8_t)entries->id;
        bytes[size + 5] = (uint8_t)(entries->id >> 8);
    }
    if (setxattr(path, attribute, bytes, size, 0) == 0) return true;
    if (errno != ENOTSUP) abort();
    return false;
}

/* --- what there was ---------------------------------------------------------------------------------------- */

/* A file that is replaced. */
static const struct old {
    const char *name;
    uid_t worker;
    uid_t owner;
    gid_t group;
    mode_t mode;
    struct acl_entry acl[MOST_ENTRIES]; /* of the file; none: it has only a mode */
    bool has_default;                   /* files that are made in the directory inherit an ACL */
    bool drop_acl;
} olds[] = {
    {.name = "a private file", .mode = 0600},
    {.name = "a private file of another user's", .owner = OWNER, .group = GROUP, .mode = 0600},
    {.name = "a file of a group's", .group = GROUP, .mode = 0640},
    {.name = "a file that its owner cannot read", .owner = OWNER, .group = GROUP, .mode = 0060},
    {.name = "a private file where ACLs are inherited", .mode = 0600, .has_default = true},
    {.name = "a file of a group's where ACLs are inherited", .group = GROUP, .mode = 0640, .has_default = true},
    {.name = "an ACL",
     .owner = OWNER,
     .group = GROUP,
     .acl = {{1, 6, 0}, {2, 4, NAMED}, {4, 0, 0}, {8, 4, NAMED_GROUP}, {16, 4, 0}, {32, 0, 0}}},
    {.name = "an ACL where others are inherited",
     .owner = OWNER,
     .group = GROUP,
     .acl = {{1, 6, 0}, {2, 0, NAMED}, {4, 4, 0}, {16, 7, 0}, {32, 0, 0}},
     .has_default = true},
    {.name = "an ACL that is dropped",
     .owner = OWNER,
     .group = GROUP,
     .acl = {{1, 6, 0}, {2, 0, NAMED}, {2, 0, NAMED_MEMBER}, {4, 4, 0}, {8, 0, NAMED_GROUP}, {16, 6, 0}, {32, 4, 0}},
     .drop_acl = true},
    {.name = "an ACL with a narrow mask that is dropped",
     .group = GROUP,
     .acl = {{1, 6, 0}, {2, 6, NAMED}, {4, 6, 0}, {16, 4, 0}, {32, 0, 0}},
     .drop_acl = true},
    {.name = "an ACL with a wide mask that is dropped",
     .group = GROUP,
     .acl = {{1, 6, 0}, {2, 6, NAMED}, {4, 0, 0}, {16, 6, 0}, {32, 0, 0}},
     .drop_acl = true},
    {.name = "a group that cannot be kept", .worker = WRITER, .owner = WRITER, .group = GROUP, .mode = 0660},
    {.name = "a group that cannot be kept and has less than others",
     .worker = WRITER,
     .owner = WRITER,
     .group = GROUP,
     .mode = 0606},
    {.name = "a group with an ACL that cannot be kept",
     .worker = WRITER,
     .owner = WRITER,
     .group = GROUP,
     .acl = {{1, 6, 0}, {2, 6, NAMED}, {4, 0, 0}, {16, 6, 0}, {32, 4, 0}}},
    {.name = "an owner that cannot be kept", .worker = WRITER, .owner = OWNER, .group = WRITERS, .mode = 0466},
    {.name = "an owner that cannot be kept and cannot read",
     .worker = WRITER,
     .owner = OWNER,
     .group = WRITERS,
     .mode = 0066},
    {.name = "owner and group with an ACL, which cannot be kept",
     .worker = WRITER,
     .owner = OWNER,
     .group = GROUP,
     .acl = {{1, 4, 0}, {2, 6, NAMED}, {4, 6, 0}, {8, 6, NAMED_GROUP}, {16, 6, 0}, {32, 6, 0}}},
    {.name = "an owner that an ACL keeps out",
     .worker = WRITER,
     .owner = OWNER,
     .group = WRITERS,
     .acl = {{1, 0, 0}, {2, 6, NAMED}, {4, 6, 0}, {16, 6, 0}, {32, 6, 0}}},
};

static const struct acl_entry inherited[] = {{1, 7, 0},  {2, 7, NAMED}, {4, 7, 0}, {8, 7, NAMED_GROUP},
                                             {16, 7, 0}, {32, 7, 0},    {0, 0, 0}};

static uint8_t *bytes; /* what the old file holds */
static size_t length;

/* Files of the writer's that the jobs read. */
static void lay_out_inputs(void)
{
    static const char *const inputs[] = {"in.npy", "raw", "a.npz"};
    struct made made;
    snpy_io_error error;
    rows = make_data(ROWS * ROW, 5);
    make_rows(&made, ROWS);
    expect_ok(snpy_save(in_work("in.npy"), &made.description, rows, ROWS * ROW, &error), &error);
    write_bytes(in_work("raw"), rows, ROWS * ROW);
#ifdef SNPY_ARCHIVES
    snpy_archive_writer writer;
    expect_ok(snpy_archive_writer_open(&writer, in_work("a.npz"), NULL, &error), &error);
    expect_ok(snpy_archive_writer_add(&writer, "old", &made.description, rows, ROWS * ROW, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
#else
    write_bytes(in_work("a.npz"), "none", 4);
#endif
    for (size_t i = 0; i < COUNT(inputs); i++)
        if (chown(in_work(inputs[i]), WRITER, WRITERS) != 0 || chmod(in_work(inputs[i]), 0600) != 0) abort();
    bytes = read_file(in_work("in.npy"), &length);
    if (chmod(work_directory, 0777) != 0) abort();
}

/* Makes the old file anew. Returns false if the file system cannot. */
static bool lay_out(const struct old *old)
{
    const char *path = in_work("old.npy");
    become(0, 0);
    (void)unlink(path);
    (void)removexattr(work_directory, "system.posix_acl_default");
    write_bytes(path, bytes, length);
    if (chmod(path, old->mode) != 0 || chown(path, old->owner, old->group) != 0) abort();
    if (old->acl[0].tag != 0 && !set_acl(path, "system.posix_acl_access", old->acl)) return false;
    return !old->has_default || set_acl(work_directory, "system.posix_acl_default", inherited);
}

/* --- looking on -------------------------------------------------------------------------------------------- */

static size_t problems;
static size_t looks;
static const struct old *replaced;
static const char *doing;
static ino_t before[MOST_FILES]; /* files that were there */
static size_t before_count;
static int allowed[COUNT(users)]; /* what each could do with the old file */
static bool looks_rarely;         /* only after calls that make, rename or open up files */

/* Calls something with each file of the directory that was not there. */
static void for_new_files(void (*act)(const char *path))
{
    DIR *directory = opendir(work_directory);
    if (directory == NULL) abort();
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        bool is_new = entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
        for (size_t i = 0; i < before_count; i++) is_new = is_new && before[i] != entry->d_ino;
        if (is_new) act(in_work(entry->d_name));
    }
    (void)closedir(directory);
}

static void remember(const char *path)
{
    struct stat about;
    if (before_count == MOST_FILES || stat(path, &about) != 0) abort();
    before[before_count++] = about.st_ino;
}

static const char *last_call;

/* All users try to open a file. */
static void try_file(const char *path)
{
    for (size_t i = 0; i < COUNT(users); i++) {
        if (users[i].id == worker) continue;
        become(users[i].id, users[i].group);
        int gained = can_do(path) & ~allowed[i];
        if (gained == 0) continue;
        problems++;
        print_message("%s, %s, after %s: %s can %s %s\n", replaced->name, doing, last_call, users[i].name,
                      gained & R_OK ? "read" : "write", path);
    }
    become_worker();
}

/* All users look on after a call. */
static void look(const char *call)
{
    static const char *const no_system_calls[] = {"malloc", "calloc", "realloc", "sysconf", "clock_gettime"};
    static const char *const rare[] = {"open", "openat", "fchmod", "fchown", "fsetxattr", "fremovexattr", "rename"};
    bool is_due = !looks_rarely;
    for (size_t i = 0; i < COUNT(no_system_calls); i++) is_due = is_due && strcmp(call, no_system_calls[i]) != 0;
    for (size_t i = 0; looks_rarely && i < COUNT(rare); i++) is_due = is_due || strcmp(call, rare[i]) == 0;
    if (!is_due) return;
    last_call = call;
    looks++;
    become(0, 0);
    for_new_files(try_file);
    become_worker();
}

/* Begins to look on at the replacement of a file that has been laid out. */
static void begin_looking(const struct old *old)
{
    replaced = old;
    before_count = 0;
    for_new_files(remember);
    for (size_t i = 0; i < COUNT(users); i++) {
        become(users[i].id, users[i].group);
        allowed[i] = can_do(in_work("old.npy"));
    }
    worker = old->worker;
    become_worker();
    watch_calls(look);
}

static void end_looking(void)
{
    watch_calls(NULL);
    worker = 0;
    become_worker();
}

/* --- the jobs ---------------------------------------------------------------------------------------------- */

static int save(bool drop_acl)
{
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    make_rows(&made, ROWS);
    if (!drop_acl) return snpy_save("old.npy", &made.description, rows, ROWS * ROW, &error) != SNPY_OK;
    if (snpy_writer_open(&writer, "old.npy", &made.description, false, &error) != SNPY_OK) return 1;
    snpy_writer_forget_acl(writer);
    if (snpy_writer_add(writer, rows, ROWS * ROW, &error) == SNPY_OK)
        return snpy_writer_finish(&writer, &error) != SNPY_OK;
    snpy_writer_abandon(&writer);
    return 1;
}

static int map_create(bool drop_acl)
{
    struct made made;
    snpy_array array;
    snpy_io_error error;
    make_rows(&made, ROWS);
    snpy_status status =
        snpy_map_create("old.npy", &made.description, drop_acl ? SNPY_REPLACE_DROP_ACL : SNPY_REPLACE, &array, &error);
    if (status == SNPY_OK) memcpy(array.data, rows, ROWS * ROW);
    snpy_array_release(&array);
    return status != SNPY_OK;
}

/* A function, or a command line that replaces old.npy; its standard input is in.npy through a pipe if wanted. */
static const struct job {
    const char *name;
    int (*run)(bool drop_acl);
    const char *words[MOST_WORDS];
    bool has_pipe;
} jobs[] = {
    {.name = "snpy_save", .run = save},
    {.name = "snpy_map_create", .run = map_create},
    {.name = "convert", .words = {"convert", "in.npy", "old.npy"}},
    {.name = "convert in place", .words = {"convert", "--order", "F", "old.npy", "old.npy"}},
    {.name = "convert from a pipe", .words = {"convert", "--order", "F", "-", "old.npy"}, .has_pipe = true},
    {.name = "wrap", .words = {"wrap", "--dtype", "|u1", "--shape", "-1", "raw", "old.npy"}},
    {.name = "unwrap", .words = {"unwrap", "in.npy", "old.npy"}},
#ifdef SNPY_ARCHIVES
    {.name = "pack", .words = {"pack", "old.npy", "in.npy"}},
    {.name = "pack deflated", .words = {"pack", "--deflate", "--threads", "1", "old.npy", "in.npy"}},
    {.name = "convert an archive", .words = {"convert", "--store", "a.npz", "old.npy"}},
    {.name = "unpack --force", .words = {"unpack", "--force", "a.npz", "-d", "."}},
#endif
};

/* Puts what a job reads into a pipe; else it has nothing to read. */
static int open_input(const struct job *job)
{
    int ends[2];
    if (!job->has_pipe) return open("/dev/null", O_RDONLY);
    if (pipe(ends) != 0 || write(ends[1], bytes, length) != (ssize_t)length) abort();
    (void)close(ends[1]);
    return ends[0];
}

static int run_command(const struct job *job, bool drop_acl)
{
    char room[MOST_WORDS + 2][32] = {"safenpy"};
    char *words[MOST_WORDS + 3] = {room[0]};
    int count = 1;
    for (size_t i = 0; job->words[i] != NULL; i++) {
        (void)snprintf(room[count], sizeof room[count], "%s", job->words[i]);
        words[count] = room[count];
        count++;
        if (i > 0 || !drop_acl) continue;
        (void)snprintf(room[count], sizeof room[count], "--drop-acl");
        words[count] = room[count];
        count++;
    }
    cli_messages.error = 0;
    return safenpy_main(count, words);
}

/* What the last command has said; a file without a name. */
static int messages = -1;

/* Does a job. Returns the exit status. */
static int run(const struct job *job, bool drop_acl)
{
    if (job->run != NULL) return job->run(drop_acl);
    int given = open_input(job);
    int own_input = fcntl(0, F_DUPFD, 3);
    int own_messages = fcntl(2, F_DUPFD, 3);
    if (dup2(given, 0) != 0 || dup2(messages, 2) != 2 || ftruncate(messages, 0) != 0) abort();
    int result = run_command(job, drop_acl);
    if (dup2(own_input, 0) != 0 || dup2(own_messages, 2) != 2) abort();
    (void)close(given);
    (void)close(own_input);
    (void)close(own_messages);
    return result;
}

/* --- the tests --------------------------------------------------------------------------------------------- */

/* Whether there can be other users. */
static bool has_users(void)
{
    if (geteuid() == 0) return true;
    print_message("skipped: only the superuser can try as other users\n");
    return false;
}

/* How many files there are that were not. */
static size_t new_files;
static void count_one(const char *path)
{
    new_files++;
    if (strstr(path, ".safenpy-") != NULL) problems++;
}

/* Replaces a file that is laid out by a job, while all look on. Returns the exit status. */
static int replace(const struct old *old, const struct job *job, const char *call, unsigned number, bool *has_happened)
{
    begin_looking(old);
    doing = job->name;
    arm_fault_for(call, FAULT_ONCE, number, 0);
    int status = run(job, old->drop_acl);
    *has_happened = disarm_fault();
    end_looking();
    new_files = 0;
    for_new_files(count_one);
    return status;
}

/* Nobody gains access to what replaces a file, at no moment. */
static void test_nobody_gains_access(void **state)
{
    (void)state;
    problems = looks = 0;
    for (size_t i = 0; has_users() && i < COUNT(olds); i++) {
        for (size_t j = 0; j < COUNT(jobs); j++) {
            bool has_happened = false;
            if (!lay_out(&olds[i])) {
                print_message("skipped: there are no ACLs here: %s\n", olds[i].name);
                break;
            }
            int status = replace(&olds[i], &jobs[j], "write", 1000000, &has_happened);
            expect_that(status == 0 && new_files == 1, "%s, %s: status %d, %zu new files\n", olds[i].name, jobs[j].name,
                        status, new_files);
        }
    }
    print_message("%zu looks\n", looks);
    assert_int_equal(problems, 0);
}

/* Likewise where one call fails, and then the old file is left as it was unless all was done. */
static void test_nobody_gains_access_by_failures(void **state)
{
    static const char *const calls[] = {"open",      "openat",       "fstat",     "fstatat",    "fchmod", "fchown",
                                        "fsetxattr", "fremovexattr", "fgetxattr", "flistxattr", "fsync",  "close",
                                        "rename",    "write",        "malloc",    "calloc"};
    size_t faults = 0;
    (void)state;
    problems = 0;
    looks_rarely = true;
    for (size_t i = 0; has_users() && i < COUNT(olds); i++) {
        for (size_t j = 0; j < 2; j++) {
            for (size_t c = 0; c < COUNT(calls); c++) {
                bool has_happened = true;
                for (unsigned number = 1; has_happened && lay_out(&olds[i]); number++) {
                    int status = replace(&olds[i], &jobs[j], calls[c], number, &has_happened);
                    faults += has_happened;
                    bool is_whole = status == 0 ? new_files == 1 : new_files == 0 || strcmp(calls[c], "fsync") == 0;
                    expect_that(is_whole && (status == 0 || has_happened), "%s, %s, %s number %u: status %d\n",
                                olds[i].name, jobs[j].name, calls[c], number, status);
                }
                if (has_happened) c = COUNT(calls); /* there are no ACLs here */
            }
        }
    }
    looks_rarely = false;
    print_message("%zu faults\n", faults);
    assert_int_equal(problems, 0);
}

/* Opens a writer over old.npy of a mode, 0 for none, and lets something happen before it is finished. Returns the mode
 * of the new file, and what it has lost. */
static mode_t finish_after(mode_t mode, void (*happen)(const char *path), unsigned *lost)
{
    const char *path = in_work("old.npy");
    struct made made;
    struct stat about;
    snpy_writer *writer;
    snpy_io_error error;
    (void)unlink(path);
    if (mode != 0) write_bytes(path, "old", 3);
    if (mode != 0 && chmod(path, mode) != 0) abort();
    make_rows(&made, 1);
    expect_ok(snpy_writer_open(&writer, path, &made.description, false, &error), &error);
    expect_ok(snpy_writer_add(writer, "twelve bytes", ROW, &error), &error);
    happen(path);
    expect_ok(snpy_writer_finish(&writer, &error), &error);
    *lost = error.lost;
    if (stat(path, &about) != 0) abort();
    assert_int_equal(about.st_size, 128 + ROW);
    assert_int_equal(unlink(path), 0);
    return about.st_mode & 0777;
}

static void let_vanish(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void let_another_appear(const char *path)
{
    char name[1100];
    (void)snprintf(name, sizeof name, "%s-other", path);
    write_bytes(name, "other", 5);
    if (chmod(name, 0604) != 0 || rename(name, path) != 0) abort();
}

static void let_be_closed(const char *path)
{
    assert_int_equal(chmod(path, 0600), 0);
}

/* What happens to the old file while the new one is written. */
static void test_what_happens_to_the_old_file(void **state)
{
    const mode_t mask = umask(022);
    unsigned lost = 0;
    (void)state;
    assert_int_equal(finish_after(0640, let_vanish, &lost), 0640);
    assert_int_equal(lost, 0);
    assert_int_equal(finish_after(0644, let_another_appear, &lost), 0600); /* nobody knows whose it is */
    assert_int_equal(lost, SNPY_LOST_ALL);
    assert_int_equal(finish_after(0, let_another_appear, &lost), 0604);
    assert_int_equal(lost, 0);
    assert_int_equal(finish_after(0644, let_be_closed, &lost), 0600);
    assert_int_equal(lost, 0);
    if (set_acl(work_directory, "system.posix_acl_default", inherited)) {
        assert_int_equal(finish_after(0, let_another_appear, &lost), 0604);
        assert_int_equal(removexattr(work_directory, "system.posix_acl_default"), 0);
    }
    (void)umask(mask);
}

/* Where a file appears and its rights cannot be had, it stays. */
static void test_a_late_file_whose_rights_fail(void **state)
{
    static const char *const calls[] = {"openat", "fchmod", "fremovexattr"};
    const char *path = in_work("old.npy");
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    (void)state;
    make_rows(&made, 1);
    for (size_t i = 0; i < COUNT(calls); i++) {
        (void)unlink(path);
        expect_ok(snpy_writer_open(&writer, path, &made.description, false, &error), &error);
        expect_ok(snpy_writer_add(writer, "twelve bytes", ROW, &error), &error);
        write_bytes(path, "other", 5);
        arm_fault_for(calls[i], FAULT_FOR_GOOD, 1, EIO);
        assert_int_equal(snpy_writer_finish(&writer, &error), SNPY_IO_ERROR);
        assert_true(disarm_fault());
        assert_string_equal(error.call, calls[i]);
        expect_bytes(path, (const uint8_t *)"other", 5);
    }
    assert_int_equal(unlink(path), 0);
}

/* An ACL that the new file cannot have is an error that names the way out. */
static void test_an_acl_that_cannot_be_kept(void **state)
{
    static const struct old *const old = &olds[6];
    char said[400] = "";
    bool has_happened = false;
    (void)state;
    if (!has_users() || !lay_out(old)) return;
    for (size_t j = 0; j < COUNT(jobs); j++) {
        assert_int_not_equal(replace(old, &jobs[j], "fsetxattr", 1, &has_happened), 0);
        assert_true(has_happened && new_files == 0);
        if (jobs[j].run != NULL) continue;
        assert_true(pread(messages, said, sizeof said - 1, 0) > 0);
        assert_non_null(strstr(said, ": its access control list (ACL) cannot be kept: Operation not supported\n"
                                     "  hint: --drop-acl replaces the file without it"));
    }
}

/* What a user has tried, in a process of his own. */
struct tries {
    volatile size_t refused; /* to open a temporary file */
    volatile size_t opened;
    volatile bool is_over;
};

/* Tries to open all there is until the race is over. */
static void race(struct tries *tries)
{
    if (setgroups(0, NULL) != 0 || setgid(50106) != 0 || setuid(NAMED) != 0) _exit(1);
    while (!tries->is_over) {
        DIR *directory = opendir(work_directory);
        for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
            if (entry->d_type == DT_DIR) continue;
            long descriptor = syscall(SYS_openat, dirfd(directory), entry->d_name, O_RDONLY);
            if (descriptor >= 0)
                tries->opened++;
            else if (errno == EACCES && entry->d_name[0] == '.')
                tries->refused++;
            if (descriptor >= 0) (void)syscall(SYS_close, descriptor);
        }
        (void)closedir(directory);
    }
    _exit(0);
}

/* A user who tries without pause opens none of the files that replace a private one. */
static void test_racing(void **state)
{
    const char *full = getenv("SNPY_FULL");
    (void)state;
    if (full == NULL || strcmp(full, "1") != 0) {
        print_message("skipped: %d replacements by each job need SNPY_FULL=1\n", REPLACEMENTS);
        return;
    }
    if (!has_users()) return;
    struct tries *tries = mmap(NULL, sizeof *tries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tries == MAP_FAILED || !lay_out(&olds[4])) abort();
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) race(tries);
    for (size_t j = 0; j < COUNT(jobs); j++) {
        size_t refused = tries->refused;
        for (int i = 0; i < REPLACEMENTS; i++) {
            write_bytes(in_work("old.npy"), bytes, length); /* the inode, and so its rights, stay */
            expect_that(run(&jobs[j], false) == 0, "%s\n", jobs[j].name);
        }
        print_message("%s: refused %zu times\n", jobs[j].name, tries->refused - refused);
    }
    tries->is_over = true;
    int end = -1;
    assert_true(waitpid(child, &end, 0) == child && end == 0);
    assert_int_equal(tries->opened, 0);
    assert_true(tries->refused > 100);
    (void)munmap(tries, sizeof *tries);
}

static int set_up_users(void **state)
{
    int result = set_up(state);
    if (result != 0) return result;
    if (chdir(work_directory) != 0 || setenv("TMPDIR", work_directory, 1) != 0) abort();
    pretend_to_sync();
    messages = open(in_work("messages"), O_RDWR | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (messages < 0 || unlink(in_work("messages")) != 0) abort();
    if (geteuid() == 0) lay_out_inputs();
    return 0;
}

static int tear_down_users(void **state)
{
    free(rows);
    free(bytes);
    (void)close(messages);
    if (chdir("/") != 0) abort();
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* who has been another user is not looked into, by the leak sanitizer */
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_gains_access),          cmocka_unit_test(test_nobody_gains_access_by_failures),
        cmocka_unit_test(test_what_happens_to_the_old_file), cmocka_unit_test(test_a_late_file_whose_rights_fail),
        cmocka_unit_test(test_an_acl_that_cannot_be_kept),   cmocka_unit_test(test_racing),
    };
    (void)signal(SIGPIPE, SIG_IGN); /* as main does, for good */
    return cmocka_run_group_tests(tests, set_up_users, tear_down_users);
}
