/* archive_round_trip.c: members that the input describes, arrays and others, good keys and bad ones, written stored and
 * deflated, whole, by parts and of unknown size, by one thread and by two, to a file and to what cannot go back; then
 * read. Holds: the archive is accepted without a flag, and strictly if it may be; it has the members that were taken, in their order,
 * with their bytes; the same members make the same bytes; what is stored is aligned; what is refused leaves no trace. */
#include "fuzz/files.h"
#include "fuzz/inflate.h"
#include "fuzz/zip.h"
#include "fuzz/zip_parts.h"
#include "npz/npz.h"
#include "safenpy/archive.h"
#include "safenpy/archive_write.h"
#include "safenpy/zip.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMBERS 8u
#define MOST_DATA 3000u /* six blocks and more, for they have 512 bytes here (fuzz.mk) */

/* What is dear, an input may have by lot (fuzz_lot), about one in so many:
 * LARGE     data, perhaps a name of the greatest length, and more members: the archive is longer than what the writer
 *           remembers of its end;
 * SIGNED    signatures in names and data: the writer puts 64 KiB of zeros in front of the end;
 * DEFLATED  a level. */
#define LARGE_EVERY 1024u
#define SIGNED_EVERY 128u
#define DEFLATED_EVERY 4u
#define LARGE_DATA 100000u
#define FEW_MEMBERS 4u

struct manner {
    bool is_large;
    bool is_signed;
    bool is_deflated;
};

enum way { WHOLE, PARTS, BYTES, UNKNOWN_BYTES, WAYS };

/* A member that is to be written. */
struct planned {
    enum way way;
    char *text; /* the key of an array, the name of anything else */
    uint8_t *head;
    struct fuzz_header array;
    uint8_t *data; /* behind the header, or all of it */
    size_t size;
    size_t piece;      /* bytes put at once */
    uint64_t declared; /* the size that is given, which may be a lie */
    snpy_status status;
};

struct plan {
    struct planned members[MEMBERS];
    size_t count;
    snpy_archive_write_options options;
};

static struct manner draw(const uint8_t *data, size_t size)
{
    const uint64_t lot = fuzz_lot(data, size);
    const struct manner manner = {lot % LARGE_EVERY == 0, lot / LARGE_EVERY % SIGNED_EVERY == 0,
                                  lot / LARGE_EVERY / SIGNED_EVERY % DEFLATED_EVERY == 0};
    return manner;
}

/* ---- planning ----------------------------------------------------------------------------------------------- */

/* Bytes that repeat with a period, with what looks like records of an archive between them. */
static uint8_t *make_data(struct fuzz_input *input, size_t size, bool is_signed)
{
    static const char *const records[] = {"PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                                          "PK\6\7\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", "PK\6\6\54\0\0\0\0\0\0\0",
                                          "PK\3\4\24\0\0\0"};
    static const size_t lengths[] = {22, 20, 12, 8};
    uint8_t *data = fuzz_memory(size, 1);
    uint32_t state = (uint32_t)fuzz_take(input, 2);
    size_t period = 1 + fuzz_below(input, 300);
    uint32_t noise = fuzz_below(input, 4);
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bool is_new = i < period || (noise > 0 && state >> 20 < 16u << (2 * noise));
        data[i] = is_new ? (uint8_t)(state >> 24) : data[i - period];
    }
    for (uint32_t times = is_signed ? fuzz_below(input, 3) : 0; times > 0; times--) {
        size_t form = fuzz_below(input, 4);
        size_t behind = fuzz_below(input, 64);
        if (lengths[form] + behind <= size) memcpy(data + size - behind - lengths[form], records[form], lengths[form]);
    }
    return data;
}

/* A key or a name of some parts; seldom, if they may be large, one of about the greatest length. */
static char *make_text(struct fuzz_input *input, struct manner manner)
{
    static const char *const parts[] = {
        "a", "b",    "x",     ".npy",         "/",  "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\n", "\x1b", "..",
        " ", "\xe9", "arr_0", "\xed\xa0\x80", "\\", "A",        "PK\5\6"};
    const uint32_t part_count = manner.is_signed ? 18 : 17;
    uint32_t count = fuzz_below(input, 6);
    size_t length = manner.is_large && fuzz_below(input, 16) == 7 ? 65520 + fuzz_below(input, 20) : 0;
    char *text = fuzz_memory(length + (size_t)count * 8 + 1, 1);
    memset(text, 'n', length);
    for (; count > 0; count--) {
        const char *part = parts[fuzz_below(input, part_count)];
        memcpy(text + length, part, strlen(part));
        length += strlen(part);
    }
    text[length] = '\0';
    return text;
}

/* An array of some type and a shape of not too many elements. */
static void plan_array(struct fuzz_input *input, struct planned *member, size_t most)
{
    static const char *const types[] = {"'|u1'",
                                        "'<i4'",
                                        "'>f8'",
                                        "'|S3'",
                                        "'<U2'",
                                        "'|V0'",
                                        "'<M8[ns]'",
                                        "'|O'",
                                        "[('a', '<i2'), ('\xe9', '|b1', (2,))]",
                                        "[('', '|V3'), (('t', 'n'), '>u2')]"};
    snpy_options limits = SNPY_OPTIONS_INIT;
    char text[256];
    size_t size;
    int at = snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': %s, 'shape': (", types[fuzz_below(input, 10)],
                      fuzz_below(input, 2) == 0 ? "False" : "True");
    uint64_t elements = 1;
    for (uint32_t ndim = fuzz_below(input, 4); ndim > 0; ndim--) {
        uint64_t dim = fuzz_below(input, 16) == 15 ? fuzz_take(input, 3) : fuzz_below(input, 12);
        if (dim > 1 && elements > most / 8 / dim) dim = 1;
        elements *= dim > 0 ? dim : 1;
        at += snprintf(text + at, sizeof text - (size_t)at, "%u,", (unsigned)dim);
    }
    member->head = fuzz_compose(1, text, NULL, 0, "), }\n", &size);
    fuzz_parse(member->head, size, &limits, &member->array);
    FUZZ_MUST(member->array.status == SNPY_OK);
    member->size = member->array.header.has_object ? 0 : (size_t)member->array.header.data_size;
    member->declared = member->size;
}

static void plan_member(struct fuzz_input *input, struct planned *member, struct manner manner)
{
    const uint32_t most = manner.is_large ? LARGE_DATA : MOST_DATA;
    memset(member, 0, sizeof *member);
    member->way = (enum way)fuzz_below(input, WAYS);
    member->text = make_text(input, manner);
    if (member->way == WHOLE || member->way == PARTS) {
        plan_array(input, member, most);
    } else {
        member->size =
            fuzz_below(input, 16) >= (manner.is_large ? 8 : 15) ? fuzz_below(input, most) : fuzz_below(input, 400);
        member->declared = member->way == BYTES ? member->size : SNPY_SIZE_UNKNOWN;
    }
    member->data = make_data(input, member->size, manner.is_signed);
    member->piece = fuzz_below(input, 4) == 3 ? 1 + fuzz_below(input, most / 2) : member->size + 1;
    if (member->piece * 64 < member->size) member->piece = 1 + member->size / 64;
    if (member->way != WHOLE || fuzz_below(input, 16) != 15) return;
    member->declared += fuzz_below(input, 2) == 0 || member->size == 0 ? 1 : (uint64_t)0 - 1;
}

static void make_plan(struct fuzz_input *input, struct plan *plan, struct manner manner)
{
    const snpy_archive_write_options plain = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    plan->options = plain;
    plan->options.level = manner.is_deflated ? fuzz_below(input, 10) : 0;
    plan->options.threads = 1 + fuzz_below(input, 2);
    plan->count = fuzz_below(input, (manner.is_large ? MEMBERS : FEW_MEMBERS) + 1);
    for (size_t i = 0; i < plan->count; i++) plan_member(input, &plan->members[i], manner);
}

/* ---- what has to be refused --------------------------------------------------------------------------------- */

/* Whether a name can be one: UTF-8, not empty, not too long.                                       NPZ-WRITE-001 */
static bool is_name(const char *name, size_t length)
{
    if (length == 0 || length > 65535) return false;
    for (size_t at = 0; at < length;) {
        uint32_t code;
        size_t step = snpy_zip_name_next((const uint8_t *)name, length, at, SNPY_ZIP_FLAG_UTF8, &code);
        if (step == 0) return false;
        at += step;
    }
    return true;
}

/* The whole name of a member; the caller's to free. */
static char *name_of(const struct planned *member)
{
    bool is_array = member->way == WHOLE || member->way == PARTS;
    size_t length = strlen(member->text);
    char *name = fuzz_memory(length + 5, 1);
    memcpy(name, member->text, length + 1);
    if (is_array) memcpy(name + length, ".npy", 5);
    return name;
}

/* How a key relates to another: 2, the same; 1, one is the other with ".npy" behind it; 0, not at all. */
static int relation(const char *one, const char *other)
{
    size_t length = strlen(one);
    size_t other_length = strlen(other);
    if (length == other_length) return memcmp(one, other, length) == 0 ? 2 : 0;
    const char *longer = length > other_length ? one : other;
    size_t least = length < other_length ? length : other_length;
    return memcmp(one, other, least) == 0 && strcmp(longer + least, ".npy") == 0;
}

/* A name is refused for what it is, or for another that was taken before it.          NPZ-WRITE-001, NPZ-WRITE-002 */
static void must_check_name(const struct plan *plan, size_t index, snpy_status status)
{
    char *name = name_of(&plan->members[index]);
    size_t length = strlen(name);
    int nearest = 0;
    bool is_full = plan->members[index].head == NULL && plan->members[index].declared > 0;
    bool is_good = is_name(name, length) && !(is_full && name[length - 1] == '/');
    FUZZ_MUST((status == SNPY_ZIP_WRITE_KEY) == !is_good);
    if (length >= 4 && strcmp(name + length - 4, ".npy") == 0) name[length - 4] = '\0';
    for (size_t i = 0; i < index && is_good; i++) {
        char *other = name_of(&plan->members[i]);
        size_t other_length = strlen(other);
        if (other_length >= 4 && strcmp(other + other_length - 4, ".npy") == 0) other[other_length - 4] = '\0';
        int now = plan->members[i].status == SNPY_OK ? relation(name, other) : 0;
        if (now > nearest) nearest = now;
        free(other);
    }
    FUZZ_MUST(nearest < 2 || status == SNPY_ZIP_WRITE_DUPLICATE);
    FUZZ_MUST(nearest > 0 || status != SNPY_ZIP_WRITE_DUPLICATE);
    free(name);
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

static snpy_status begin(snpy_archive_writer *writer, struct planned *member, snpy_io_error *error)
{
    snpy_description description;
    if (member->way == BYTES || member->way == UNKNOWN_BYTES)
        return snpy_archive_writer_begin_bytes(writer, member->text, member->declared, error);
    fuzz_describe(&member->array, SNPY_VERSION_AUTO, &description);
    if (member->way == PARTS) return snpy_archive_writer_begin(writer, member->text, &description, error);
    uint8_t *data = fuzz_memory((size_t)member->declared, 1);
    size_t least = member->declared < member->size ? (size_t)member->declared : member->size;
    memset(data, 0, (size_t)member->declared);
    memcpy(data, member->data, least);
    snpy_status status = snpy_archive_writer_add(writer, member->text, &description, data, member->declared, error);
    free(data);
    return status;
}

/* Writes one member; what is refused is so before anything is written. */
static snpy_status write_member(snpy_archive_writer *writer, struct planned *member)
{
    snpy_io_error error;
    snpy_status status = begin(writer, member, &error);
    FUZZ_MUST(error.error.status == status && error.system_error == 0);
    if (status != SNPY_OK || member->way == WHOLE) return status;
    for (size_t at = 0; at < member->size; at += member->piece) {
        size_t part = member->size - at < member->piece ? member->size - at : member->piece;
        uint8_t *bytes = fuzz_copy(member->data + at, part);
        FUZZ_MUST(snpy_archive_writer_put(writer, bytes, part, &error) == SNPY_OK);
        free(bytes);
    }
    FUZZ_MUST(snpy_archive_writer_end(writer, &error) == SNPY_OK);
    FUZZ_MUST(snpy_archive_writer_end(writer, &error) == SNPY_BAD_ARGUMENT);
    return SNPY_OK;
}

/* What may be said of a member besides of its name. */
static void must_check(const struct plan *plan, size_t index)
{
    const struct planned *member = &plan->members[index];
    if (member->array.header.has_object) {
        FUZZ_MUST(member->status == SNPY_OBJECT_DATA);
    } else if (member->declared != member->size && member->way == WHOLE) {
        FUZZ_MUST(member->status == (member->declared < member->size ? SNPY_TRUNCATED_DATA : SNPY_TRAILING_DATA));
    } else {
        FUZZ_MUST(member->status == SNPY_OK || member->status == SNPY_ZIP_WRITE_KEY ||
                  member->status == SNPY_ZIP_WRITE_DUPLICATE);
        must_check_name(plan, index, member->status);
    }
}

/* Writes the plan to a descriptor, behind what stands there; returns the bytes of the archive. */
static uint8_t *write_plan(struct plan *plan, unsigned threads, size_t ahead, int flags, bool is_first, size_t *size)
{
    snpy_archive_writer *writer;
    snpy_io_error error;
    struct stat about;
    snpy_archive_write_options options = plan->options;
    int descriptor = fuzz_file((const uint8_t *)"0123456", ahead);
    options.threads = threads;
    FUZZ_MUST(fcntl(descriptor, F_SETFL, flags) == 0);
    FUZZ_MUST(snpy_archive_writer_open_descriptor(&writer, descriptor, &options, &error) == SNPY_OK);
    for (size_t i = 0; i < plan->count; i++) {
        snpy_status status = write_member(writer, &plan->members[i]);
        FUZZ_MUST(is_first || status == plan->members[i].status);
        plan->members[i].status = status;
        must_check(plan, i);
    }
    snpy_status status = snpy_archive_writer_finish(&writer, &error);
    if (status != SNPY_OK) fuzz_fail(snpy_status_name(status), "snpy_archive_writer_finish", 0);
    FUZZ_MUST(writer == NULL && fstat(descriptor, &about) == 0 && (size_t)about.st_size >= ahead);
    *size = (size_t)about.st_size - ahead;
    uint8_t *bytes = fuzz_memory(*size, 1);
    FUZZ_MUST(pread(descriptor, bytes, *size, (off_t)ahead) == (ssize_t)*size);
    close(descriptor);
    return bytes;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* The records of a member are those of the rules on writing.                           NPZ-WRITE-001, 004 … 007 */
static void must_be_recorded(const uint8_t *file, const snpy_zip_member *member, const struct planned *planned,
                             bool can_patch, uint32_t level)
{
    const uint8_t *central = file + member->central_offset;
    bool is_ascii = true;
    for (size_t i = 0; i < member->name_length; i++) is_ascii = is_ascii && central[46 + i] < 0x80;
    FUZZ_MUST((member->flags & ~SNPY_ZIP_FLAG_DESCRIPTOR) == (is_ascii ? 0 : SNPY_ZIP_FLAG_UTF8));
    bool is_late = (member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0;
    FUZZ_MUST(!is_late || !can_patch);
    FUZZ_MUST(!is_late || planned->way != WHOLE);
    FUZZ_MUST(member->method == SNPY_ZIP_STORED ? level == 0 || member->size == 0 : level > 0);
    FUZZ_MUST(member->method == SNPY_ZIP_DEFLATED || member->data_offset % 64 == 0);
    FUZZ_MUST(zip_number(central + 4, 2) == (member->has_zip64 ? 0x032d : 0x0314));
    FUZZ_MUST(zip_number(central + 12, 4) == (uint64_t)33 << 16);
    FUZZ_MUST(zip_number(central + 32, 2) == 0 && zip_number(central + 34, 4) == 0);
    FUZZ_MUST(zip_number(central + 38, 4) == 0x01800000);
    FUZZ_MUST(member->has_zip64 == (planned->declared == SNPY_SIZE_UNKNOWN));
}

/* The header of an array says what was given, and is what numpy.save would write.                 NPZ-WRITE-009 */
static void must_be_array(const uint8_t *bytes, size_t size, struct planned *planned)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    struct fuzz_header parsed;
    snpy_description description;
    snpy_error error;
    size_t again_size;
    fuzz_parse(bytes, size, &limits, &parsed);
    fuzz_must_agree(&planned->array, &parsed);
    FUZZ_MUST(parsed.header.frame.data_offset + planned->size == size);
    fuzz_describe(&parsed, SNPY_VERSION_AUTO, &description);
    uint8_t *again = fuzz_write(&description, &again_size, &error);
    FUZZ_MUST(again_size == parsed.header.frame.data_offset && memcmp(bytes, again, again_size) == 0);
    free(again);
    fuzz_release(&parsed);
}

/* The data of a member give its bytes, by a plain inflater and a plain CRC: too slow for large ones. */
static void must_be_data(const uint8_t *file, const snpy_zip_member *member, const uint8_t *bytes)
{
    size_t size = (size_t)member->size;
    FUZZ_MUST(zip_parts_crc(bytes, size) == member->crc);
    if (member->method != SNPY_ZIP_DEFLATED) return;
    uint8_t *out = fuzz_memory(size, 1);
    struct inflated got = plain_inflate(file + member->data_offset, (size_t)member->compressed_size, out, size);
    FUZZ_MUST(got.is_whole && got.given == size && got.used == member->compressed_size);
    FUZZ_MUST(memcmp(out, bytes, size) == 0);
    free(out);
}

static void must_hold(const snpy_archive *archive, size_t index, const uint8_t *file, struct planned *planned,
                      bool is_chosen)
{
    const snpy_zip_member *member = snpy_archive_member(archive, index);
    size_t size = (size_t)member->size;
    snpy_io_error error;
    uint8_t *bytes = fuzz_memory(size, 1);
    FUZZ_MUST(snpy_archive_read(archive, index, bytes, size, &error) == SNPY_OK);
    FUZZ_MUST(size >= planned->size && memcmp(bytes + size - planned->size, planned->data, planned->size) == 0);
    if (planned->head == NULL)
        FUZZ_MUST(size == planned->size);
    else if (is_chosen)
        must_be_array(bytes, size, planned);
    if (size <= 20000 && is_chosen) must_be_data(file, member, bytes);
    free(bytes);
}

/* A member is found by its name and by its key, and listed under its name. */
static void must_be_found(const snpy_archive *archive, size_t index, const struct planned *planned)
{
    snpy_io_error error;
    size_t found;
    char *name = name_of(planned);
    size_t length = strlen(name);
    char *listed = fuzz_memory(length + 1, 1);
    FUZZ_MUST(snpy_archive_name(archive, index, listed, length + 1) == length && strcmp(listed, name) == 0);
    FUZZ_MUST(snpy_archive_find(archive, name, &found, &error) == SNPY_OK && found == index);
    if (length >= 4 && strcmp(name + length - 4, ".npy") == 0) name[length - 4] = '\0';
    FUZZ_MUST(snpy_archive_find(archive, name, &found, &error) == SNPY_OK && found == index);
    free(listed);
    free(name);
}

/* A strict archive is accepted, unless it has a member named ".npy" that is no NPY file.     NPZ-ERR-002, NPZ-NPY-001 */
static void must_open_strictly(const snpy_archive *archive, const uint8_t *file, size_t size)
{
    snpy_archive *strict;
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_io_error error;
    snpy_status wanted = SNPY_OK;
    for (size_t i = 0; i < snpy_archive_count(archive) && wanted == SNPY_OK; i++) {
        snpy_array head;
        bool is_array;
        FUZZ_MUST(snpy_archive_check(archive, i, &is_array, &head, &error) == SNPY_OK);
        snpy_array_release(&head);
        if (!is_array && snpy_archive_name(archive, i, NULL, 0) != snpy_archive_key(archive, i, NULL, 0))
            wanted = SNPY_NOT_AN_ARRAY;
    }
    options.strict = true;
    FUZZ_MUST(snpy_archive_open_memory(file, size, &options, &strict, &error) == wanted);
    snpy_archive_close(&strict);
}

static void must_read_back(struct plan *plan, const uint8_t *file, size_t size, bool can_patch, bool is_chosen)
{
    snpy_archive *archive;
    snpy_io_error error;
    size_t next = 0;
    snpy_status status = snpy_archive_open_memory(file, size, NULL, &archive, &error);
    if (status != SNPY_OK) fuzz_fail(snpy_status_name(status), "snpy_archive_open_memory", 0);
    zip_must_stream(file, size, &archive->directory, archive->members);
    for (size_t i = 0; i < plan->count; i++) {
        struct planned *planned = &plan->members[i];
        if (planned->status != SNPY_OK) continue;
        FUZZ_MUST(next < snpy_archive_count(archive));
        must_be_recorded(file, snpy_archive_member(archive, next), planned, can_patch, plan->options.level);
        must_hold(archive, next, file, planned, is_chosen);
        must_be_found(archive, next, planned);
        next++;
    }
    FUZZ_MUST(next == snpy_archive_count(archive));
    must_open_strictly(archive, file, size);
    snpy_archive_close(&archive);
}

/* ---- misuse ------------------------------------------------------------------------------------------------- */

/* A byte too many or too few of what was declared: the member fails, and with it the archive. */
static void misuse(struct fuzz_input *input, const struct plan *plan)
{
    snpy_archive_writer *writer;
    snpy_io_error error;
    int descriptor = fuzz_file(NULL, 0);
    size_t size = fuzz_below(input, 300);
    uint8_t *bytes = make_data(input, size + 1, false);
    bool is_long = fuzz_below(input, 2) == 0 || size == 0;
    FUZZ_MUST(snpy_archive_writer_open_descriptor(&writer, descriptor, &plan->options, &error) == SNPY_OK);
    FUZZ_MUST(snpy_archive_writer_put(writer, bytes, 0, &error) == SNPY_BAD_ARGUMENT);
    snpy_archive_writer_abandon(&writer);
    FUZZ_MUST(snpy_archive_writer_open_descriptor(&writer, descriptor, &plan->options, &error) == SNPY_OK);
    FUZZ_MUST(snpy_archive_writer_begin_bytes(writer, "name", size, &error) == SNPY_OK);
    FUZZ_MUST(snpy_archive_writer_put(writer, bytes, size - !is_long, &error) == SNPY_OK);
    if (is_long)
        FUZZ_MUST(snpy_archive_writer_put(writer, bytes + size, 1, &error) == SNPY_TRAILING_DATA);
    else
        FUZZ_MUST(snpy_archive_writer_end(writer, &error) == SNPY_TRUNCATED_DATA);
    FUZZ_MUST(snpy_archive_writer_begin_bytes(writer, "other", 0, &error) == SNPY_BAD_ARGUMENT);
    FUZZ_MUST(snpy_archive_writer_finish(&writer, &error) == SNPY_BAD_ARGUMENT && writer == NULL);
    snpy_archive_writer_abandon(&writer);
    free(bytes);
    close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct plan *plan = fuzz_memory(1, sizeof *plan);
    const struct manner manner = draw(data, size);
    size_t first_size;
    size_t again_size;
    make_plan(&input, plan, manner);
    /* Threads that come and go are most of the work, and so are other ways to the same bytes. */
    bool is_chosen = fuzz_is_chosen(data, size);
    fuzz_files_begin(is_chosen);
    unsigned threads = is_chosen ? plan->options.threads : 1;
    uint8_t *first = write_plan(plan, threads, 0, 0, true, &first_size);
    must_read_back(plan, first, first_size, true, is_chosen);
    if (is_chosen) {
        uint8_t *again = write_plan(plan, plan->options.level > 0 ? 3 - threads : threads, 7, 0, false, &again_size);
        FUZZ_MUST(first_size == again_size && memcmp(first, again, first_size) == 0);
        free(again);
        again = write_plan(plan, threads, 7, O_APPEND, false, &again_size);
        must_read_back(plan, again, again_size, false, true);
        free(again);
    }
    free(first);
    if (fuzz_below(&input, 4) == 3) misuse(&input, plan);
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->members[i].text);
        free(plan->members[i].head);
        free(plan->members[i].data);
        if (plan->members[i].head != NULL) fuzz_release(&plan->members[i].array);
    }
    free(plan);
    return 0;
}
