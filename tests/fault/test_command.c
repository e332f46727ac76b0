/* test_command.c: every system call of the command made to fail, in each thing that it does.     HOST-IO, HOST-MEMORY
 *
 * Each job runs the whole command, with its 1st, 2nd, … call of each kind at fault, until there are no more such
 * calls. If the command says that it has succeeded, files and output are what they are without a fault. If not,
 * its exit status is 2, a message says why, each file is the old one or the new one as a whole, nothing else is left,
 * no descriptor stays open, and the leak sanitizer is content. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/fault/wrap.h"
#ifdef SNPY_ARCHIVES
#include "tests/unit/zips.h"
#else
#include "tests/unit/files.h"
#endif

#include <ftw.h>

#include "cli/cli.h"
#include "host/flat.h"

int safenpy_main(int argc, char **argv); /* src/cli/main.c */

#define MOST_NODES 48u
#define MOST_WORDS 12u

/* What does not hold; the jobs go on, so that one run shows all of it. */
static size_t problems = 0;

#define expect_of(what, condition, ...) \
    do {                                \
        if (!(condition)) {             \
            problems++;                 \
            print_error("%s: ", what);  \
            print_error(__VA_ARGS__);   \
        }                               \
    } while (false)

/* --- what there is in the directory ------------------------------------------------------------------------- */

/* Files and directories, by path; the bytes of directories are NULL. */
struct tree {
    struct node {
        char name[128];
        uint8_t *bytes;
        size_t length;
    } nodes[MOST_NODES];
    size_t count;
};

static struct tree *walked;

static int visit(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    struct node *node = &walked->nodes[walked->count];
    if (place->level == 0 || kind == FTW_SL) return 0; /* what links lead to is only read */
    if (walked->count == MOST_NODES) abort();
    (void)snprintf(node->name, sizeof node->name, "%s", path + strlen(work_directory) + 1);
    node->length = kind == FTW_F ? (size_t)about->st_size : 0;
    node->bytes = kind == FTW_F ? read_file(path, &node->length) : NULL;
    walked->count++;
    return 0;
}

static void look_around(struct tree *tree)
{
    tree->count = 0;
    walked = tree;
    if (nftw(work_directory, visit, 8, FTW_PHYS) != 0) abort();
}

static void forget(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) free(tree->nodes[i].bytes);
    tree->count = 0;
}

static const struct node *find(const struct tree *tree, const char *name)
{
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->nodes[i].name, name) == 0) return &tree->nodes[i];
    return NULL;
}

/* Whether two are the same file, or no file both. */
static bool are_same(const struct node *one, const struct node *other)
{
    if (one == NULL || other == NULL) return one == other;
    if (one->bytes == NULL || other->bytes == NULL) return one->bytes == other->bytes;
    return one->length == other->length && memcmp(one->bytes, other->bytes, one->length) == 0;
}

static bool are_same_trees(const struct tree *one, const struct tree *other)
{
    if (one->count != other->count) return false;
    for (size_t i = 0; i < one->count; i++)
        if (!are_same(&one->nodes[i], find(other, one->nodes[i].name))) return false;
    return true;
}

static int remove_node(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    return place->level == 0 || kind == FTW_SL ? 0 : remove(path);
}

static void empty_directory(void)
{
    if (nftw(work_directory, remove_node, 8, FTW_PHYS | FTW_DEPTH) != 0) abort();
}

/* Makes the directory what it was. */
static void restore(const struct tree *tree)
{
    empty_directory();
    for (size_t i = 0; i < tree->count; i++) { /* a directory stands in front of what is in it */
        const struct node *node = &tree->nodes[i];
        if (node->bytes != NULL)
            write_bytes(in_work(node->name), node->bytes, node->length);
        else if (mkdir(in_work(node->name), 0777) != 0)
            abort();
    }
}

/* --- the jobs ------------------------------------------------------------------------------------------------ */

/* A command line; its standard input is the file `input`, as a file or through a pipe. */
static const struct job {
    const char *words[MOST_WORDS];
    const char *input;
    bool is_pipe;
    int status; /* without a fault: 1 of files that differ */
} jobs[] = {
    {.words = {"convert", "--order", "F", "y.npy", "old.npy"}},
    {.words = {"convert", "--order", "F", "y.npy", "-"}},
    {.words = {"convert", "--order", "F", "-", "old.npy"}, .input = "x.npy", .is_pipe = true},
    {.words = {"convert", "--canonical", "--compat", "all", "rec.npy", "old.npy"}},
    {.words = {"convert", "--byteorder", "big", "rec.npy", "rec.npy"}},
    {.words = {"convert", "--byteorder", "big", "large.npy", "/dev/null"}},
    {.words = {"convert", "objects.npy", "old.npy"}},
    {.words = {"convert", "-", "old.npy"}, .input = "objects.npy", .is_pipe = true},
    {.words = {"convert", "--disarm", "decoded.npy", "old.npy"}},
    {.words = {"convert", "--disarm", "--protocol", "2", "-", "old.npy"}, .input = "decoded.npy", .is_pipe = true},
    {.words = {"check", "rec.npy", "x.npy"}},
    {.words = {"check", "-"}, .input = "x.npy"},
    {.words = {"check", "--json", "--profile", "canonical", "x.npy"}},
    {.words = {"info", "rec.npy"}},
    {.words = {"info", "--json", "rec.npy", "-"}, .input = "rec.npy", .is_pipe = true},
    {.words = {"explain", "--list"}},
    {.words = {"cat", "rec.npy"}},
    {.words = {"cat", "--output", "json", "rec.npy"}},
    {.words = {"cat", "--output", "csv", "-"}, .input = "rec.npy", .is_pipe = true},
    {.words = {"cat", "--output", "raw", "rec.npy['inner'][1]"}},
    {.words = {"diff", "--values", "rec.npy", "big.npy"}},
    {.words = {"diff", "--json", "x.npy", "-"}, .input = "x.npy", .is_pipe = true},
    {.words = {"append", "x.npy", "y.npy", "y.npy"}},
    {.words = {"append", "x.npy", "-"}, .input = "x.npy", .is_pipe = true},
    {.words = {"wrap", "--dtype", "[('a', '<i4'), ('b', '<u2', (4,))]", "--shape", "-1", "raw", "old.npy"}},
    {.words = {"wrap", "--dtype", "<i4", "--shape", "3,-1", "-", "old.npy"}, .input = "raw", .is_pipe = true},
    {.words = {"unwrap", "rec.npy", "raw"}},
    {.words = {"cat", "decoded.npy"}},
    {.words = {"cat", "--output", "json", "-"}, .input = "decoded.npy", .is_pipe = true},
    {.words = {"cat", "decoded.npy[1][0]"}},
    {.words = {"check", "--objects", "plain", "decoded.npy"}},
    {.words = {"check", "--objects", "plain", "-"}, .input = "decoded.npy", .is_pipe = true},
    {.words = {"info", "--json", "--objects", "plain", "decoded.npy"}},
    {.words = {"diff", "decoded.npy", "changed.npy"}, .status = 1},
    {.words = {"diff", "--json", "decoded.npy", "-"}, .input = "changed.npy", .is_pipe = true, .status = 1},
    {.words = {"cat", "large.npy"}},
    {.words = {"cat", "first.npy"}},
    {.words = {"cat", "second.npy"}},
    {.words = {"diff", "--values", "large.npy", "egral.npy"}},
    {.words = {"unwrap", "-", "-"}, .input = "rec.npy", .is_pipe = true},
#ifdef SNPY_ARCHIVES
    {.words = {"unpack", "a.npz", "-d", "new"}},
    {.words = {"unpack", "many.npz", "-d", "new"}},
    {.words = {"unpack", "--force", "many.npz", "-d", "full"}},
    {.words = {"unpack", "--force", "a.npz", "-d", "full"}},
    {.words = {"unpack", "a.npz", "d/e/y", "-d", "full/d"}},
    {.words = {"unpack", "--map-names", "odd.npz", "-d", "new"}},
    {.words = {"unpack", "-", "x", "-d", "new"}, .input = "a.npz"},
    {.words = {"unpack", "-", "x", "-d", "new"}, .input = "a.npz", .is_pipe = true},
    {.words = {"pack", "old.npz", "x.npy", "k=y.npy"}},
    {.words = {"pack", "--deflate", "--threads", "1", "new.npz", "x.npy", "k=y.npy"}},
    {.words = {"pack", "--deflate", "--as-is", "--threads", "2", "old.npz", "note.txt", "y.npy"}},
    {.words = {"pack", "-", "x.npy"}},
    {.words = {"pack", "--json", "--deflate", "--threads", "1", "new.npz", "x.npy", "k=y.npy"}},
    {.words = {"pack", "old.npz", "x=-", "y.npy"}, .input = "x.npy", .is_pipe = true},
    {.words = {"convert", "--deflate", "--threads", "1", "a.npz", "old.npz"}},
    {.words = {"convert", "--store", "a.npz", "a.npz"}},
    {.words = {"convert", "a.npz", "old.npz"}},
    {.words = {"convert", "--order", "F", "a.npz:d/e/y", "old.npy"}},
    {.words = {"convert", "--deflate", "--threads", "1", "-", "old.npz"}, .input = "a.npz", .is_pipe = true},
    {.words = {"salvage", "a.npz", "old.npz"}},
    {.words = {"salvage", "--json", "a.npz", "new.npz"}},
    {.words = {"convert", "--canonical", "a.npz", "old.npz"}},
    {.words = {"check", "a.npz"}},
    {.words = {"check", "-"}, .input = "a.npz", .is_pipe = true},
    {.words = {"info", "--json", "a.npz"}},
    {.words = {"cat", "--output", "json", "a.npz:x"}},
    {.words = {"convert", "--flatten", "decoded.npy", "old.npz"}},
    {.words = {"convert", "--flatten", "--deflate", "--threads", "1", "-", "-"},
     .input = "decoded.npy",
     .is_pipe = true},
    {.words = {"convert", "--unflatten", "flat.npz", "old.npy"}},
    {.words = {"convert", "--unflatten", "-", "old.npy"}, .input = "flat.npz", .is_pipe = true},
#endif
};

/* A file of version 1.0: a text in either byte order, and zeros. */
static void save_zeros(const char *path, const char *little, bool is_big, size_t size)
{
    char text[512];
    size_t length = 0;
    (void)snprintf(text, sizeof text, "%s", little);
    for (size_t i = 0; is_big && text[i] != '\0'; i++)
        if (text[i] == '<') text[i] = '>';
    uint8_t *head = make_file(1, text, strlen(text), &length);
    uint8_t *file = calloc(length + size, 1);
    if (file == NULL) abort();
    memcpy(file, head, length);
    write_bytes(path, file, length + size);
    free(head);
    free(file);
}

/* Three records of every kind of value. */
static void save_records(const char *path, bool is_big)
{
    static const char text[] = "{'descr': [('text', '<U2'), ('when', '<M8[ns]'), ('z', '<c8'), ('yes', '|b1'), "
                               "('code', '|S3'), ('bits', '|V2'), ('pair', '<f4', (2,)), "
                               "('inner', [('k', '<i2'), ('l', '<f8')], (2,)), ('a longer name', '<u8')], "
                               "'fortran_order': False, 'shape': (3,), }";
    save_zeros(path, text, is_big, (size_t)3 * 66);
}

/* One record that is read value by value, with a call for each: its padding is larger than what is held. It lies
 * beside the directory, and is not compared each time. */
static void save_large(const char *name, bool is_big)
{
    char path[600];
    static const char text[] =
        "{'descr': [('i', '<i4'), ('', '|V70000'), ('b', '|b1'), ('', '|V70000'), ('d', '<M8[s]'), "
        "('', '|V70000'), ('z', '<c16'), ('', '|V70000'), ('u', '<u2'), ('', '|V4194304'), "
        "('f', '<f4'), ('', '|V70000'), ('s', '<U2'), ('', '|V70000'), ('c', '|S3'), "
        "('', '|V70000'), ('v', '|V2')], 'fortran_order': False, 'shape': (1,), }";
    (void)snprintf(path, sizeof path, "%s-%s", work_directory, name);
    save_zeros(path, text, is_big, 4194304 + 7 * 70000 + 4 + 1 + 8 + 16 + 2 + 4 + 8 + 3 + 2);
    if (symlink(path, in_work(name)) != 0) abort();
}

/* Records of which the 17th step ends something: the list of steps has room for 16 at first, so that there may be no
 * memory for just this one. In the first file it ends the record, in the second one a sub-array of records. */
static void save_steps(void)
{
    save_zeros(
        in_work("first.npy"),
        "{'descr': [('r', [('a', '|u1'), ('b', '|u1'), ('c', '|u1')]), ('d', '|u1'), ('e', '|u1'), ('f', '|u1')], "
        "'fortran_order': False, 'shape': (1,), }",
        false, 6);
    save_zeros(in_work("second.npy"),
               "{'descr': [('n', [('a', '|u1')]), ('d', '|u1'), ('s', [('b', '|u1'), ('c', '|u1')], (1,))], "
               "'fortran_order': False, 'shape': (1,), }",
               false, 4);
}

/* An object array of a list, which has the same dictionary twice, and an array of two numbers. `number` is in both. */
static void save_objects(const char *name, char number)
{
    char file[] =
        "\x93NUMPY\001\000\071\000{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n"
        "\x80\003cnumpy.core.multiarray\n_reconstruct\nq\000cnumpy\nndarray\nq\001K\000\x85"
        "C\001bq\002\x87R(K\001K\002\x85"
        "cnumpy\ndtype\nq\003X\002\000\000\000O8K\000K\001\x87R(K\003X\001\000\000\000|"
        "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\077tb"
        "\x89](](}q\004X\001\000\000\000aK\001sh\004eh\000h\001K\000\x85h\002\x87R(K\001K\002\x85"
        "h\003X\002\000\000\000u1K\000K\001\x87R(K\003X\001\000\000\000|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\000tb"
        "\x89"
        "C\002\001\002tbetb.";
    file[sizeof file - sizeof "\002tbetb."] = number;
    for (size_t i = 0; i + 4 < sizeof file; i++)
        if (memcmp(file + i, "aK\001s", 4) == 0) file[i + 2] = number;
    write_bytes(in_work(name), file, sizeof file - 1);
}

#ifdef SNPY_ARCHIVES
/* An archive of what an object array holds, flattened. */
static void save_flat(const char *name, const char *objects)
{
    struct entry entries[64];
    snpy_object_data *data = NULL;
    snpy_object_data *plain = NULL;
    snpy_flat flat = {.count = 0};
    snpy_io_error error;
    uint8_t *bytes = NULL;
    size_t size = 0;
    expect_ok(snpy_object_data_load(in_work(objects), SNPY_SET_PLAIN, &data, &error), &error);
    expect_ok(snpy_object_data_write(data, NULL, &bytes, &size, &error), &error);
    expect_ok(snpy_object_data_open(bytes, size, SNPY_SET_PLAIN, &plain, &error), &error);
    expect_ok(snpy_flatten_data(plain, "", &flat), &error);
    if (flat.count > COUNT(entries)) abort();
    for (size_t i = 0; i < flat.count; i++) {
        char *file = malloc(strlen(flat.members[i].name) + 5);
        if (file == NULL) abort();
        (void)sprintf(file, "%s.npy", flat.members[i].name);
        free(flat.members[i].name);
        flat.members[i].name = file;
        entries[i] = stored(file, flat.members[i].bytes, flat.members[i].size);
    }
    struct zip zip = build(entries, flat.count, false, "");
    write_bytes(in_work(name), zip.bytes, zip.length);
    free(zip.bytes);
    snpy_flat_release(&flat);
    snpy_object_data_close(&plain);
    snpy_object_data_close(&data);
    snpy_object_bytes_free(&bytes);
}
#endif

/* Fills the directory. */
static void lay_out(struct tree *before)
{
    struct made made;
    snpy_io_error error;
    uint8_t *rows = make_data(12000 * ROW, 1);
    make_rows(&made, 40);
    expect_ok(snpy_save(in_work("x.npy"), &made.description, rows, 40 * ROW, &error), &error);
    make_rows(&made, 12000);
    expect_ok(snpy_save(in_work("y.npy"), &made.description, rows, 12000 * ROW, &error), &error);
    write_bytes(in_work("note.txt"), "no array\n", 9);
    save_records(in_work("rec.npy"), false);
    save_records(in_work("big.npy"), true);
    save_large("large.npy", false);
    save_large("egral.npy", true);
    save_steps();
    save_zeros(in_work("objects.npy"), "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", false, 300);
    save_objects("decoded.npy", 1);
    save_objects("changed.npy", 3);
    write_bytes(in_work("raw"), rows, 120);
    write_bytes(in_work("old.npz"), "the old archive", 15);
    write_bytes(in_work("old.npy"), "the old array", 13);
    if (mkdir(in_work("full"), 0777) != 0 || mkdir(in_work("full/d"), 0777) != 0) abort();
    write_bytes(in_work("full/x.npy"), "the old x", 9);
    write_bytes(in_work("full/note.txt"), "the old note", 12);
#ifdef SNPY_ARCHIVES
    size_t x_size = 0;
    size_t y_size = 0;
    uint8_t *x = read_file(in_work("x.npy"), &x_size);
    uint8_t *y = read_file(in_work("y.npy"), &y_size);
    struct entry entries[] = {stored("x.npy", x, x_size), deflated("d/e/y.npy", y, y_size), stored("d/f/", "", 0),
                              stored("note.txt", "no array\n", 9)};
    struct zip zip = build(entries, COUNT(entries), false, "");
    write_bytes(in_work("a.npz"), zip.bytes, zip.length);
    free(zip.bytes);
    struct entry many[] = {stored("0", "0", 1), stored("1", "1", 1),   stored("2", "2", 1),   stored("3", "3", 1),
                           stored("4", "4", 1), stored("d/6", "6", 1), stored("e/7", "7", 1), stored("x.npy", "8", 1)};
    zip = build(many, COUNT(many), false, "");
    write_bytes(in_work("many.npz"), zip.bytes, zip.length);
    free(zip.bytes);
    entries[0].name = "../x:y.npy";
    zip = build(entries, 1, false, "");
    write_bytes(in_work("odd.npz"), zip.bytes, zip.length);
    free(zip.bytes);
    free_data(&entries[1]);
    save_flat("flat.npz", "decoded.npy");
    free(x);
    free(y);
#endif
    free(rows);
    look_around(before);
}

/* --- one run ------------------------------------------------------------------------------------------------- */

/* What came of a run. */
struct run {
    int status; /* of the command */
    bool has_happened;
    bool has_left_descriptors;
    uint8_t *output;
    size_t output_length;
    uint8_t *messages;
    size_t messages_length;
};

/* Files in which standard output and standard error are kept: outside of the directory. */
static int kept[2] = {-1, -1};

static int count_descriptors(void)
{
    int count = 0;
    for (int i = 0; i < 256; i++) count += fcntl(i, F_GETFD) != -1;
    return count;
}

/* Opens the job's standard input. */
static int open_input(const struct job *job)
{
    int ends[2];
    size_t length = 0;
    if (!job->is_pipe) return open(job->input != NULL ? in_work(job->input) : "/dev/null", O_RDONLY);
    uint8_t *bytes = read_file(in_work(job->input), &length);
    if (pipe(ends) != 0) abort();
    assert_true(write(ends[1], bytes, length) == (ssize_t)length); /* as much as a pipe holds */
    free(bytes);
    (void)close(ends[1]);
    return ends[0];
}

/* The standard descriptors of this program, which it has back behind each run. */
static int own[3];

static void exchange(const int *descriptors)
{
    (void)fflush(NULL);
    for (int i = 0; i < 3; i++)
        if (dup2(descriptors[i], i) != i) abort();
}

/* Runs the command, with its fault. */
static void run_command(const struct job *job, size_t which, enum fault_kind kind, unsigned number, struct run *run)
{
    char room[MOST_WORDS + 1][64] = {"safenpy"};
    char *words[MOST_WORDS + 2] = {room[0]};
    int count = 1;
    for (; job->words[count - 1] != NULL; count++) {
        (void)snprintf(room[count], sizeof room[count], "%s", job->words[count - 1]);
        words[count] = room[count];
    }
    cli_output.error = 0;
    cli_messages.error = 0;
    int descriptors = count_descriptors();
    arm_fault(which, kind, number);
    run->status = safenpy_main(count, words);
    run->has_happened = disarm_fault();
    run->has_left_descriptors = count_descriptors() != descriptors;
}

/* Takes what was kept. */
static uint8_t *take_kept(int descriptor, size_t *length)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0) abort();
    *length = (size_t)about.st_size;
    uint8_t *bytes = allocate(*length + 1);
    assert_true(pread(descriptor, bytes, *length, 0) == (ssize_t)*length);
    bytes[*length] = '\0';
    if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0) abort();
    return bytes;
}

static void run_job(const struct job *job, size_t which, enum fault_kind kind, unsigned number, const char *what,
                    struct run *run)
{
    const int given[3] = {open_input(job), kept[0], kept[1]};
    exchange(given);
    run_command(job, which, kind, number, run);
    exchange(own);
    (void)close(given[0]);
    run->output = take_kept(kept[0], &run->output_length);
    run->messages = take_kept(kept[1], &run->messages_length);
    expect_of(what, !run->has_left_descriptors, "a descriptor is left\n");
}

static void end_run(struct run *run)
{
    free(run->output);
    free(run->messages);
}

/* --- what must hold afterwards --------------------------------------------------------------------------------- */

/* What a job does without a fault. */
struct expected {
    struct tree before;
    struct tree after;
    uint8_t *output;
    size_t output_length;
    int status;
};

/* Whether the name is that of a temporary file. */
static bool is_temporary(const char *name)
{
    return strstr(name, ".safenpy-") != NULL;
}

/* After a failure: each file is the old or the new one, and there is no other. */
static void expect_whole(const struct expected *expected, const struct tree *found, const char *call,
                         enum fault_kind kind, const char *what)
{
    /* What cannot be written cannot be undone: bytes are left behind the old data. */
    const bool may_be_longer =
        kind == FAULT_FOR_GOOD && (strcmp(call, "pwrite") == 0 || strcmp(call, "ftruncate") == 0);
    for (size_t i = 0; i < expected->before.count; i++) {
        const struct node *old = &expected->before.nodes[i];
        const char *name = old->name;
        const struct node *there = find(found, name);
        bool is_whole = are_same(there, old) || are_same(there, find(&expected->after, name));
        if (!is_whole && may_be_longer && there != NULL && there->length > old->length)
            is_whole = memcmp(there->bytes, old->bytes, old->length) == 0;
        expect_of(what, is_whole, "'%s' is neither old nor new\n", name);
    }
    for (size_t i = 0; i < found->count; i++) {
        const struct node *there = &found->nodes[i];
        if (find(&expected->before, there->name) != NULL) continue;
        if (strcmp(call, "unlinkat") == 0 && is_temporary(there->name)) continue; /* told of, and not to be helped */
        expect_of(what, are_same(there, find(&expected->after, there->name)), "'%s' is left\n", there->name);
    }
}

/* The message must give the reason. */
static void expect_reason(const struct run *run, const struct faulty_call *call, const char *what)
{
    const char *messages = (const char *)run->messages;
    const char *output = (const char *)run->output; /* JSON has the reason there */
    bool is_memory = call->reason == ENOMEM && strstr(messages, "memory") != NULL;
    expect_of(what,
              is_memory || strstr(messages, strerror(call->reason)) != NULL ||
                  strstr(output, strerror(call->reason)) != NULL,
              "the message is '%s'\n", messages);
}

static void judge(const struct expected *expected, const struct run *run, const struct faulty_call *call,
                  enum fault_kind kind, const char *what)
{
    struct tree found;
    bool is_harmless = !run->has_happened || (kind != FAULT_ONCE && kind != FAULT_FOR_GOOD);
    look_around(&found);
    if (run->status == expected->status) {
        bool is_sync = (strcmp(call->name, "fsync") == 0 || strcmp(call->name, "syncfs") == 0) && !is_harmless;
        expect_of(what, !is_sync, "nothing was reported\n");
        expect_of(what, are_same_trees(&found, &expected->after), "something is missing\n");
        expect_of(what,
                  run->output_length == expected->output_length &&
                      memcmp(run->output, expected->output, run->output_length) == 0,
                  "the output is\n%s\n", (const char *)run->output);
    } else {
        expect_of(what, !is_harmless && run->status == 2, "exit status %d: %s\n", run->status,
                  (const char *)run->messages);
        expect_reason(run, call, what);
        expect_whole(expected, &found, call->name, kind, what);
    }
    if (!are_same_trees(&found, &expected->before)) restore(&expected->before);
    forget(&found);
}

/* Does a job once without a fault. */
static void learn(const struct job *job, struct expected *expected)
{
    struct run run;
    run_job(job, 0, FAULT_ONCE, 1000000, job->words[0], &run);
    expect_that(run.status == job->status && !run.has_happened, "%s: %s\n", job->words[0], (const char *)run.messages);
    expected->status = job->status;
    look_around(&expected->after);
    restore(&expected->before);
    expected->output = run.output;
    expected->output_length = run.output_length;
    free(run.messages);
}

/* Does a job with each call of one kind at fault. */
static size_t run_call(const struct job *job, const struct expected *expected, size_t which, enum fault_kind kind)
{
    static const char *const kinds[] = {"once", "for good", "short by a byte", "a byte at a time", "EINTR", "EAGAIN"};
    size_t faults = 0;
    for (bool goes_on = true; goes_on;) {
        char what[200];
        struct run run;
        unsigned number = (unsigned)faults + 1;
        (void)snprintf(what, sizeof what, "%s %s %s, %s number %u, %s", job->words[0], job->words[1], job->words[2],
                       faulty_calls[which].name, number, kinds[kind]);
        run_job(job, which, kind, number, what, &run);
        judge(expected, &run, &faulty_calls[which], kind, what);
        faults += run.has_happened;
        goes_on = run.has_happened && kind != FAULT_ONE_BYTE;
        end_run(&run);
    }
    return faults;
}

/* All jobs with all calls at fault in some ways. */
static size_t run_all(enum fault_kind first, enum fault_kind last)
{
    size_t faults = 0;
    for (size_t j = 0; j < COUNT(jobs); j++) {
        struct expected expected;
        look_around(&expected.before);
        learn(&jobs[j], &expected);
        for (size_t which = 0; which < faulty_call_count; which++) {
            const struct faulty_call *call = &faulty_calls[which];
            for (enum fault_kind kind = first; kind <= last; kind++) {
                if ((kind == FAULT_SHORT || kind == FAULT_ONE_BYTE || kind == FAULT_WAIT) && !call->is_transfer)
                    continue;
                if (kind == FAULT_SIGNAL && !call->is_slow) continue;
                faults += run_call(&jobs[j], &expected, which, kind);
            }
        }
        forget(&expected.before);
        forget(&expected.after);
        free(expected.output);
    }
    return faults;
}

static void test_calls_that_fail(void **state)
{
    (void)state;
    problems = 0;
    print_message("%zu faults\n", run_all(FAULT_ONCE, FAULT_FOR_GOOD));
    assert_int_equal(problems, 0);
}

static void test_calls_that_are_short_or_interrupted(void **state)
{
    (void)state;
    problems = 0;
    print_message("%zu faults\n", run_all(FAULT_SHORT, FAULT_WAIT));
    assert_int_equal(problems, 0);
}

/* A file that becomes shorter while its elements are shown: what was read is shown, and the rest is told of. */
static void test_a_file_that_shrinks(void **state)
{
    static const struct job job = {.words = {"cat", "y.npy"}};
    struct tree before;
    struct run run;
    (void)state;
    look_around(&before);
    cut_on_pread(in_work("y.npy"), 128 + 5 * (long long)ROW, 2);
    run_job(&job, 0, FAULT_ONCE, 1000000, "a file that shrinks", &run);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr((const char *)run.messages, "y.npy: "));
    assert_non_null(strstr((const char *)run.messages, " at byte 188 [HOST-CHANGED]"));
    end_run(&run);
    restore(&before);
    forget(&before);
}

#ifdef SNPY_ARCHIVES
/* Runs a job with one call that fails for a reason of its own. Returns the exit status. */
static int run_for(const struct job *job, const char *call, enum fault_kind kind, int reason, struct run *run)
{
    const int given[3] = {open_input(job), kept[0], kept[1]};
    size_t which = 0;
    while (strcmp(faulty_calls[which].name, call) != 0) which++;
    fault_reason(reason);
    exchange(given);
    run_command(job, which, kind, 1, run);
    exchange(own);
    fault_reason(0);
    (void)close(given[0]);
    run->output = take_kept(kept[0], &run->output_length);
    run->messages = take_kept(kept[1], &run->messages_length);
    assert_true(run->has_happened && !run->has_left_descriptors);
    return run->status;
}

/* File systems without hard links, or with few: a file is renamed. Others let another process make a directory
 * first.                                                                                          NPZ-PATH-005 */
static void test_unpacking_on_other_file_systems(void **state)
{
    static const struct job anew = {.words = {"unpack", "a.npz", "-d", "new"}};
    static const int reasons[] = {EPERM, ENOTSUP, EMLINK};
    struct tree before;
    struct tree after;
    struct run run;
    (void)state;
    look_around(&before);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        assert_int_equal(run_for(&anew, "linkat", FAULT_FOR_GOOD, reasons[i], &run), 0);
        end_run(&run);
        look_around(&after);
        const struct node *old = find(&before, "x.npy");
        const struct node *made = find(&after, "new/x.npy");
        assert_true(made != NULL && made->length == old->length && memcmp(made->bytes, old->bytes, old->length) == 0);
        forget(&after);
        restore(&before);
    }
    assert_int_equal(run_for(&anew, "mkdirat", FAULT_ONCE, EEXIST, &run), 2);
    end_run(&run);
    restore(&before);
    forget(&before);
}

/* File systems that cannot make directories safe say EINVAL: that is no fault of what was unpacked. Of a file it is. */
static void test_unpacking_without_fsync_of_directories(void **state)
{
    static const struct job job = {.words = {"unpack", "a.npz", "-d", "new"}};
    struct tree before;
    struct tree after;
    struct run run = {.has_happened = true};
    size_t which = 0;
    unsigned harmless = 0;
    unsigned harmful = 0;
    (void)state;
    look_around(&before);
    while (strcmp(faulty_calls[which].name, "fsync") != 0) which++;
    fault_reason(EINVAL);
    for (unsigned number = 1; run.has_happened; number++) {
        run_job(&job, which, FAULT_ONCE, number, "fsync", &run);
        look_around(&after);
        assert_true(run.status == 0 || run.status == 2);
        if (run.has_happened && run.status == 0) harmless++;
        if (run.status == 2) harmful++;
        if (run.status == 2) assert_non_null(strstr((const char *)run.messages, "fsync failed: Invalid argument"));
        if (run.status == 0) assert_true(find(&after, "new/x.npy") != NULL && find(&after, "new/d/e/y.npy") != NULL);
        end_run(&run);
        forget(&after);
        restore(&before);
    }
    fault_reason(0);
    forget(&before);
    assert_true(harmless >= 2 && harmful >= 2); /* the directories; the files */
}

/* Temporary names that are taken: some are tried, not without end. */
static void test_unpacking_where_names_are_taken(void **state)
{
    static const struct job job = {.words = {"unpack", "a.npz", "x", "-d", "full/d"}};
    struct tree before;
    struct run run;
    (void)state;
    look_around(&before);
    assert_int_equal(run_for(&job, "openat", FAULT_FOR_GOOD, EEXIST, &run), 2);
    assert_non_null(strstr((const char *)run.messages, "File exists"));
    end_run(&run);
    restore(&before);
    forget(&before);
}
#endif

/* --- the directory, and where output is kept ------------------------------------------------------------------ */

static int open_kept(void)
{
    char name[600];
    (void)snprintf(name, sizeof name, "%s-kept", work_directory);
    int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (descriptor < 0 || unlink(name) != 0) abort();
    return descriptor;
}

static int set_up_tree(void **state)
{
    static struct tree before;
    int result = set_up(state);
    if (result != 0) return result;
    for (int i = 0; i < 2; i++) kept[i] = open_kept();
    for (int i = 0; i < 3; i++) own[i] = fcntl(i, F_DUPFD, 3);
    if (chdir(work_directory) != 0 || setenv("TMPDIR", ".", 1) != 0) abort();
    pretend_to_sync();
    lay_out(&before);
    forget(&before);
    return 0;
}

static int tear_down_tree(void **state)
{
    static const char *const large[] = {"large.npy", "egral.npy"};
    empty_directory();
    for (size_t i = 0; i < COUNT(large); i++) {
        char path[600];
        (void)snprintf(path, sizeof path, "%s-%s", work_directory, large[i]);
        (void)unlink(path);
    }
    for (int i = 0; i < 2; i++) (void)close(kept[i]);
    for (int i = 0; i < 3; i++) (void)close(own[i]);
    if (chdir("/") != 0) abort();
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_that_fail),
        cmocka_unit_test(test_calls_that_are_short_or_interrupted),
        cmocka_unit_test(test_a_file_that_shrinks),
#ifdef SNPY_ARCHIVES
        cmocka_unit_test(test_unpacking_without_fsync_of_directories),
        cmocka_unit_test(test_unpacking_on_other_file_systems),
        cmocka_unit_test(test_unpacking_where_names_are_taken),
#endif
    };
    (void)signal(SIGPIPE, SIG_IGN); /* as main does, for good */
    return cmocka_run_group_tests(tests, set_up_tree, tear_down_tree);
}
