/* adapter.c: the safenpy library as an implementation, at level `lines`: reads headers with snpy_parse_header,
 * works out the elements from the field table, and writes headers with snpy_write_header. With the word `npz` it reads
 * archives with snpy_archive_open, snpy_archive_check and snpy_archive_read.
 *
 * Byte order, padding and Fortran order are undone here, from the numbers that the library returns, so that
 * these are tested. Uses jansson for requests, and prints its own JSON, as names may hold lone surrogates. */
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "safenpy/archive.h"
#include "safenpy/safenpy.h"

#include "../shared/sha256.h"

/* One file in memory, and what the library makes of it. */
typedef struct subject {
    uint8_t *bytes;
    size_t length;
    snpy_table table;
    snpy_header header;
    snpy_error error;
} subject;

static void *claim(size_t size)
{
    void *memory = calloc(size > 0 ? size : 1, 1);
    if (memory == NULL) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void release(subject *file)
{
    free(file->bytes);
    free(file->table.fields);
    free(file->table.dims);
    memset(file, 0, sizeof *file);
}

static void read_whole(const char *path, subject *file)
{
    FILE *stream = fopen(path, "rb");
    long size = -1;

    if (stream != NULL && fseek(stream, 0, SEEK_END) == 0) size = ftell(stream);
    if (size < 0 || fseek(stream, 0, SEEK_SET) != 0) {
        perror(path);
        exit(2);
    }
    file->length = (size_t)size;
    file->bytes = claim(file->length);
    if (fread(file->bytes, 1, file->length, stream) != file->length) {
        perror(path);
        exit(2);
    }
    fclose(stream);
}

/* Parses; a table that is too small says how large it must be. */
static snpy_status parse(subject *file, const snpy_options *options)
{
    snpy_status status =
        snpy_parse_header(file->bytes, file->length, options, &file->table, &file->header, &file->error);

    if (status == SNPY_TABLE_TOO_SMALL) {
        file->table.field_capacity = file->table.field_count;
        file->table.dim_capacity = file->table.dim_count;
        file->table.fields = claim(file->table.field_capacity * sizeof *file->table.fields);
        file->table.dims = claim(file->table.dim_capacity * sizeof *file->table.dims);
        status = snpy_parse_header(file->bytes, file->length, options, &file->table, &file->header, &file->error);
    }
    return status;
}

/* ---- Elements -------------------------------------------------------------------------------------------- */

/* How many bytes of a simple type are swapped as one. */
static size_t number_size(const snpy_dtype *type)
{
    switch (type->kind) {
    case SNPY_KIND_BYTES:
    case SNPY_KIND_VOID:
    case SNPY_KIND_BOOL:
        return 1;
    case SNPY_KIND_STRING:
        return 4;
    case SNPY_KIND_COMPLEX:
        return type->itemsize / 2;
    default:
        return type->itemsize;
    }
}

static void copy_simple(const snpy_dtype *type, const uint8_t *in, uint8_t *out)
{
    size_t size = number_size(type), at, i;

    if (type->byteorder != '>') {
        memcpy(out, in, type->itemsize);
        return;
    }
    for (at = 0; at < type->itemsize; at += size) {
        for (i = 0; i < size; i++) out[at + i] = in[at + size - 1 - i];
    }
}

static uint64_t items_of(const snpy_table *table, const snpy_field *field)
{
    uint64_t items = 1;
    size_t i;

    for (i = 0; i < field->ndim; i++) items *= (uint64_t)table->dims[field->first_dim + i];
    return items;
}

static bool has_child(const snpy_table *table, size_t entry)
{
    return entry + 1 < table->field_count && table->fields[entry + 1].parent == entry;
}

/* Copies one field with all items of its sub-array. Padding is not copied: `out` is zero there. */
static void copy_field(const snpy_table *table, size_t entry, const uint8_t *in, uint8_t *out)
{
    const snpy_field *field = &table->fields[entry];
    uint64_t items = items_of(table, field), item;
    size_t stride = field->itemsize == 0 ? 0 : (size_t)(field->itemsize / items), child;

    if (field->itemsize == 0 || field->is_padding) return;
    for (item = 0; item < items; item++, in += stride, out += stride) {
        if (field->dtype.kind != SNPY_KIND_RECORD && field->dtype.kind != SNPY_KIND_SUBARRAY) {
            copy_simple(&field->dtype, in, out);
            continue;
        }
        for (child = has_child(table, entry) ? entry + 1 : 0; child != 0; child = table->fields[child].next) {
            copy_field(table, child, in + table->fields[child].offset, out + table->fields[child].offset);
        }
    }
}

static void copy_element(const subject *file, const uint8_t *in, uint8_t *out)
{
    if (file->header.dtype.kind == SNPY_KIND_RECORD) {
        copy_field(&file->table, 0, in, out);
    } else {
        copy_simple(&file->header.dtype, in, out);
    }
}

/* Where the element that is the k-th in C order lies in Fortran order. */
static uint64_t fortran_place(const snpy_header *header, uint64_t k)
{
    uint64_t place = 0, step = header->count;
    size_t i;

    for (i = header->ndim; i-- > 0;) {
        step /= header->shape[i];
        place += k % header->shape[i] * step;
        k /= header->shape[i];
    }
    return place;
}

/* Puts elements from the order and form of a file into C order and little-endian, or, with `back`, the other
 * way round: `out` is the caller's and zero. */
static void convert(const subject *file, bool back, const uint8_t *in, uint8_t *out)
{
    size_t size = file->header.dtype.itemsize;
    uint64_t k, place;

    if (file->header.data_size == 0) return;
    for (k = 0; k < file->header.count; k++) {
        place = file->header.fortran_order ? fortran_place(&file->header, k) : k;
        if (back) {
            copy_element(file, in + k * size, out + place * size);
        } else {
            copy_element(file, in + place * size, out + k * size);
        }
    }
}

/* ---- Answers --------------------------------------------------------------------------------------------- */

static void put_unit(uint32_t unit)
{
    printf("\\u%04" PRIx32, unit);
}

/* A JSON string from UTF-8, in which a surrogate may stand as three bytes. */
static void put_string(const uint8_t *text, uint64_t length)
{
    uint64_t at = 0;

    putchar('"');
    while (at < length) {
        uint32_t lead = text[at++], more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
        for (; more > 0; more--) code = code << 6 | (text[at++] & 0x3fu);
        if (code >= 0x10000) {
            put_unit(0xd800 + ((code - 0x10000) >> 10));
            put_unit(0xdc00 + ((code - 0x10000) & 0x3ff));
        } else if (code < 0x20 || code >= 0x7f || code == '"' || code == '\\') {
            put_unit(code);
        } else {
            putchar((int)code);
        }
    }
    putchar('"');
}

static snpy_description description_of(subject *file)
{
    snpy_description description = {0};

    description.header = &file->header;
    description.table = &file->table;
    description.names = file->bytes + file->header.frame.text_offset;
    description.names_length = file->header.frame.header_len;
    description.encoding = file->header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    return description;
}

static void put_descr(subject *file, size_t entry)
{
    snpy_description description = description_of(file);
    snpy_error error;
    uint64_t size = 0;
    uint8_t *text;

    snpy_write_descr(&description, entry, NULL, 0, &size, &error);
    text = claim((size_t)size);
    if (snpy_write_descr(&description, entry, text, (size_t)size, &size, &error) != SNPY_OK) {
        fprintf(stderr, "no descr: %s\n", snpy_status_name(error.status));
        exit(2);
    }
    /* A simple type comes in quotes. */
    if (text[0] == '\'') {
        put_string(text + 1, size - 2);
    } else {
        put_string(text, size);
    }
    free(text);
}

static void put_name(const subject *file, uint32_t offset, uint32_t length)
{
    const uint8_t *text = file->bytes + file->header.frame.text_offset;
    size_t text_length = file->header.frame.header_len, surrogates;
    snpy_name_encoding encoding = file->header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    uint64_t size = 0;
    uint8_t *name;

    snpy_name_decode(text, text_length, offset, length, encoding, NULL, 0, &size, &surrogates);
    name = claim((size_t)size);
    if (snpy_name_decode(text, text_length, offset, length, encoding, name, (size_t)size, &size, &surrogates) !=
        SNPY_OK) {
        fputs("a name cannot be decoded\n", stderr);
        exit(2);
    }
    put_string(name, size);
    free(name);
}

/* The names of the records that a field lies in, and its own. */
static void put_path(const subject *file, size_t entry)
{
    const snpy_field *field = &file->table.fields[entry];

    if (field->parent != 0) {
        put_path(file, field->parent);
        if (field->has_name) printf(", ");
    }
    if (field->has_name) put_name(file, field->name_offset, field->name_length);
}

/* One field of the answer; `start` is where its parent begins. */
static void put_field(subject *file, size_t entry, int64_t start, bool *first)
{
    const snpy_table *table = &file->table;
    const snpy_field *field = &table->fields[entry];
    const char *comma = "";
    size_t inner = entry, child, i;

    if (field->is_padding) return;
    printf("%s{\"name\": ", *first ? "" : ", ");
    *first = false;
    put_name(file, field->name_offset, field->name_length);
    printf(", \"path\": [");
    put_path(file, entry);
    printf("], \"offset\": %" PRId64 ", \"itemsize\": %" PRIu64 ", \"title\": ", start + field->offset,
           field->itemsize);
    if (field->has_title) {
        put_name(file, field->title_offset, field->title_length);
    } else {
        printf("null");
    }
    printf(", \"shape\": [");
    for (;; inner++) {
        for (i = 0; i < table->fields[inner].ndim; i++, comma = ", ") {
            printf("%s%" PRId32, comma, table->dims[table->fields[inner].first_dim + i]);
        }
        if (table->fields[inner].dtype.kind != SNPY_KIND_SUBARRAY) break;
    }
    printf("], \"descr\": ");
    put_descr(file, inner);
    putchar('}');
    if (table->fields[inner].dtype.kind != SNPY_KIND_RECORD) return;
    for (child = has_child(table, inner) ? inner + 1 : 0; child != 0; child = table->fields[child].next) {
        put_field(file, child, start + field->offset, first);
    }
}

static void put_digest(const subject *file)
{
    size_t size = (size_t)file->header.data_size;
    uint8_t *elements = claim(size);
    sha256 hash;
    char text[65];

    convert(file, false, file->bytes + file->header.frame.data_offset, elements);
    sha256_begin(&hash);
    sha256_add(&hash, elements, size);
    sha256_end(&hash, text);
    printf(", \"elements_sha256\": \"%s\"", text);
    free(elements);
}

/* What the library says of an array, without the verdict. */
static void put_array(subject *file)
{
    const snpy_header *header = &file->header;
    bool first = true;
    size_t i, child;

    printf("\"version\": \"%u.%u\", \"descr\": ", (unsigned)header->frame.major,
           (unsigned)header->frame.minor);
    put_descr(file, 0);
    printf(", \"shape\": [");
    for (i = 0; i < header->ndim; i++) printf(i == 0 ? "%" PRIu64 : ", %" PRIu64, header->shape[i]);
    printf("], \"fortran_order\": %s, \"itemsize\": %" PRIu32 ", \"count\": %" PRIu64 ", \"data_offset\": %" PRIu64,
           header->fortran_order ? "true" : "false", header->dtype.itemsize, header->count, header->frame.data_offset);
    if (header->dtype.kind == SNPY_KIND_RECORD) {
        printf(", \"fields\": [");
        child = has_child(&file->table, 0) ? 1 : 0;
        for (; child != 0; child = file->table.fields[child].next) put_field(file, child, 0, &first);
        putchar(']');
    }
    if (header->has_object) {
        printf(", \"data_size\": null, \"has_object\": true");
    } else {
        printf(", \"data_size\": %" PRIu64 ", \"has_object\": false", header->data_size);
        put_digest(file);
    }
}

static void answer_read(const char *path)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    subject file = {0};

    read_whole(path, &file);
    if (parse(&file, &options) == SNPY_OK) snpy_check_data(&file.header, file.length, true, &file.error);
    if (file.error.status == SNPY_OK) {
        printf("\"verdict\": \"accept\", ");
        put_array(&file);
    } else {
        printf("\"verdict\": \"reject\", \"status\": \"%s\", \"offset\": %" PRIu64 ", \"message\": \"%s\"",
               snpy_status_name(file.error.status), file.error.offset, snpy_status_message(file.error.status));
    }
    release(&file);
}

/* ---- Archives -------------------------------------------------------------------------------------------- */

/* A member that snpy_archive_check has accepted: its bytes, and what the library says of the array in them. */
static void put_member(const snpy_archive *archive, size_t index, bool is_array)
{
    const snpy_zip_member *member = snpy_archive_member(archive, index);
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_io_error error;
    subject file = {0};
    sha256 hash;
    char text[65], key[0x10000];

    file.length = (size_t)member->size;
    file.bytes = claim(file.length);
    if (snpy_archive_read(archive, index, file.bytes, file.length, &error) != SNPY_OK ||
        (is_array && parse(&file, &options) != SNPY_OK)) {
        fputs("a member that was checked cannot be read\n", stderr);
        exit(2);
    }
    sha256_begin(&hash);
    sha256_add(&hash, file.bytes, file.length);
    sha256_end(&hash, text);
    printf("{\"key\": ");
    put_string((const uint8_t *)key, snpy_archive_key(archive, index, key, sizeof key));
    printf(", \"method\": \"%s\", \"size\": %" PRIu64 ", \"sha256\": \"%s\", \"array\": ",
           member->method == SNPY_ZIP_STORED ? "stored" : "deflated", member->size, text);
    if (is_array) {
        putchar('{');
        put_array(&file);
        putchar('}');
    } else {
        printf("null");
    }
    putchar('}');
    release(&file);
}

/* All members are checked before the first is printed: the answer begins with the verdict. */
static void answer_archive(const char *path)
{
    snpy_archive *archive = NULL;
    snpy_array head = {0};
    snpy_io_error error;
    bool *is_array = NULL;
    size_t i;

    snpy_archive_open(path, NULL, &archive, &error);
    if (error.error.status == SNPY_OK) is_array = claim(snpy_archive_count(archive) * sizeof *is_array);
    for (i = 0; error.error.status == SNPY_OK && i < snpy_archive_count(archive); i++) {
        snpy_archive_check(archive, i, &is_array[i], &head, &error);
        snpy_array_release(&head);
    }
    if (error.error.status == SNPY_OK) {
        printf("\"verdict\": \"accept\", \"members\": [");
        for (i = 0; i < snpy_archive_count(archive); i++) {
            if (i > 0) printf(", ");
            put_member(archive, i, is_array[i]);
        }
        putchar(']');
    } else {
        printf("\"verdict\": \"reject\", \"status\": \"%s\", \"offset\": %" PRIu64 ", \"message\": \"%s\"",
               snpy_status_name(error.error.status), error.error.offset, snpy_status_message(error.error.status));
    }
    free(is_array);
    snpy_archive_close(&archive);
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* The value of a base64 digit; 64 for what is none. */
static uint32_t base64_digit(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);

    return found == NULL ? 64 : (uint32_t)(found - digits);
}

/* Decodes base64 into exactly `size` bytes; false if they are not that many. */
static bool base64_decode(const char *text, uint8_t *out, size_t size)
{
    uint32_t bits = 0, held = 0, digit;
    size_t used = 0;

    for (; (digit = base64_digit(*text)) < 64; text++) {
        bits = bits << 6 | digit;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        if (used == size) return false;
        out[used++] = (uint8_t)(bits >> held);
    }
    return used == size && text[strspn(text, "=")] == '\0';
}

/* The request as a header of version 3.0 that the library parses: the way from NumPy's text to a table. */
static void header_text(json_t *request, subject *file)
{
    const char *descr = json_string_value(json_object_get(request, "descr"));
    json_t *shape = json_object_get(request, "shape");
    const char *quote = descr[0] == '[' ? "" : "'";
    size_t capacity = strlen(descr) + 24 * json_array_size(shape) + 100, i, length;
    char *text = claim(capacity + 12);
    char *at = text + 12;

    at += sprintf(at, "{'descr': %s%s%s, 'fortran_order': %s, 'shape': (", quote, descr, quote,
                  json_is_true(json_object_get(request, "fortran_order")) ? "True" : "False");
    for (i = 0; i < json_array_size(shape); i++) {
        at += sprintf(at, "%" JSON_INTEGER_FORMAT ",", json_integer_value(json_array_get(shape, i)));
    }
    at += sprintf(at, ")}");
    length = (size_t)(at - text) - 12;
    memcpy(text, "\x93NUMPY\x03\x00", 8);
    for (i = 0; i < 4; i++) text[8 + i] = (char)(length >> (8 * i) & 0xff);
    file->bytes = (uint8_t *)text;
    file->length = length + 12;
}

static snpy_version_choice version_of(json_t *request)
{
    const char *version = json_string_value(json_object_get(request, "version"));

    return version == NULL ? SNPY_VERSION_AUTO : (snpy_version_choice)(version[0] - '0');
}

static void save(const char *path, const uint8_t *header, size_t header_size, const uint8_t *data, size_t data_size)
{
    FILE *stream = fopen(path, "wb");

    if (stream == NULL || fwrite(header, 1, header_size, stream) != header_size ||
        fwrite(data, 1, data_size, stream) != data_size || fclose(stream) != 0) {
        perror(path);
        exit(2);
    }
}

static void write_file(subject *file, json_t *request, const char *path)
{
    size_t size = (size_t)file->header.data_size;
    snpy_description description = description_of(file);
    uint8_t *given = claim(size), *data = claim(size), *header = NULL;
    uint64_t header_size = 0;

    description.version = version_of(request);
    if (!base64_decode(json_string_value(json_object_get(request, "elements_base64")), given, size)) {
        printf("\"error\": \"the elements are not as many bytes as the header says\"");
    } else if (snpy_header_size(&description, &header_size, &file->error) != SNPY_OK) {
        printf("\"error\": \"%s\"", snpy_status_name(file->error.status));
    } else {
        header = claim((size_t)header_size);
        if (snpy_write_header(&description, header, (size_t)header_size, &header_size, &file->error) != SNPY_OK) {
            printf("\"error\": \"%s\"", snpy_status_name(file->error.status));
        } else {
            convert(file, true, given, data);
            save(path, header, (size_t)header_size, data, size);
            printf("\"written\": true");
        }
    }
    free(header);
    free(data);
    free(given);
}

static void answer_write(json_t *request, const char *path)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    subject file = {0};

    options.max_header_bytes = SNPY_MAX_HEADER;
    header_text(request, &file);
    if (parse(&file, &options) != SNPY_OK) {
        printf("\"error\": \"%s\"", snpy_status_name(file.error.status));
    } else if (file.header.has_object) {
        printf("\"unsupported\": \"objects are never pickled here\"");
    } else {
        snpy_normalise_order(&file.header);
        write_file(&file, request, path);
    }
    release(&file);
}

/* ---- The protocol ---------------------------------------------------------------------------------------- */

/* Answers one line; false at the end. */
static bool answer(const char *line, bool is_archive)
{
    json_t *message = json_loads(line, 0, NULL);
    const char *command = json_string_value(json_object_get(message, "cmd"));
    const char *path = json_string_value(json_object_get(message, "file"));
    bool more = command != NULL && strcmp(command, "stop") != 0;

    if (command == NULL) {
        fputs("this is no message\n", stderr);
        exit(2);
    }
    if (strcmp(command, "start") == 0) {
        printf("{\"protocol\": 1, \"implementation\": \"safenpy\", \"version\": \"%s\", \"language\": \"C\"}\n",
               snpy_version());
    } else if (more) {
        printf("{\"seq\": %" JSON_INTEGER_FORMAT ", ", json_integer_value(json_object_get(message, "seq")));
        if (strcmp(command, "read") == 0) {
            (is_archive ? answer_archive : answer_read)(path);
        } else {
            answer_write(json_object_get(message, "request"), path);
        }
        printf("}\n");
    }
    fflush(stdout);
    json_decref(message);
    return more;
}

int main(int argc, char **argv)
{
    bool is_archive = argc > 1 && strcmp(argv[1], "npz") == 0;
    char *line = NULL;
    size_t capacity = 0;

    while (getline(&line, &capacity, stdin) > 0 && answer(line, is_archive)) {
    }
    free(line);
    return 0;
}
