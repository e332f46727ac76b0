/* probe.c: does with views, values and copies what run.py asks for, and prints what came out.
 *
 *   probe < REQUESTS        each line: PATH, then steps, separated by tabs
 *
 * Steps:   F NAME            the field of a record       S AXIS START STOP STEP   a slice ("-" for none)
 *          P AXIS INDEX      one element along an axis   T                        all axes reversed
 * and what to print behind them:
 *          C little|big|keep c|f      shape, strides, bytes of a dense copy
 *          V                          the value of every element
 *          R little|big               the value of every element, got, set in that order, and got again
 * An answer is one line; a refusal is its status' name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "safenpy/double.h"
#include "safenpy/safenpy.h"

#define MOST_STEPS 64
#define MOST_RUNS 4096

static uint8_t *bytes;
static size_t length;
static snpy_field fields[512];
static int32_t dims[512];
static snpy_table table = {fields, 512, dims, 512, 0, 0};
static snpy_header header;
static snpy_view view;
static snpy_error error;

static void die(const char *what)
{
    fprintf(stderr, "probe: %s\n", what);
    exit(2);
}

/* The file in memory of exactly its size, so that sanitizers see each byte too many. */
static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) die(path);
    long size = ftell(file);
    free(bytes);
    length = (size_t)size;
    bytes = malloc(length == 0 ? 1 : length);
    if (bytes == NULL || fseek(file, 0, SEEK_SET) != 0 || fread(bytes, 1, length, file) != length) die(path);
    fclose(file);
}

static snpy_status open_file(const char *path)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    load(path);
    if (snpy_parse_header(bytes, length, &options, &table, &header, &error) != SNPY_OK) return error.status;
    return snpy_view_open(&header, length - header.frame.data_offset, &view, &error);
}

static snpy_status take_field(const char *name)
{
    for (uint32_t entry = 1; entry < table.field_count; entry++) {
        const snpy_field *field = &fields[entry];
        const char *text = (const char *)bytes + header.frame.text_offset + field->name_offset;
        if (field->parent == view.entry && field->name_length == strlen(name) && field->has_name &&
            memcmp(text, name, strlen(name)) == 0)
            return snpy_view_field(&view, &table, entry, &error);
    }
    return SNPY_WRONG_TYPE;
}

static snpy_status take_slice(uint32_t axis, const char *start, const char *stop, const char *step)
{
    snpy_slice slice = {strtoll(start, NULL, 10), strtoll(stop, NULL, 10), strtoll(step, NULL, 10),
                        strcmp(start, "-") != 0,  strcmp(stop, "-") != 0,  strcmp(step, "-") != 0};
    return snpy_view_slice(&view, axis, &slice, &error);
}

static void print_bytes(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) printf("%02x", data[i]);
}

static snpy_status plan_for(const snpy_view *of, const char *order, snpy_plan *plan)
{
    snpy_byteorder target = order[0] == 'l' ? SNPY_BYTEORDER_LITTLE : order[0] == 'b' ? SNPY_BYTEORDER_BIG : SNPY_BYTEORDER_KEEP;
    return snpy_plan_make(of, &table, target, plan, &error);
}

static snpy_status print_copy(const char *order, const char *form)
{
    snpy_run runs[MOST_RUNS];
    snpy_plan plan = {runs, MOST_RUNS, 0, 0};
    snpy_view dense;
    snpy_status status = plan_for(&view, order, &plan);
    if (status == SNPY_OK) status = snpy_view_dense(&view, form[0] == 'f', &dense, &error);
    if (status != SNPY_OK) return status;
    uint8_t *out = malloc((size_t)dense.data_size + 1);
    if (out == NULL) die("no memory");
    memset(out, 0xa5, (size_t)dense.data_size + 1);
    const uint8_t *data = bytes + header.frame.data_offset;
    status = snpy_copy(&view, data, &plan, &dense, out, &error);
    if (status == SNPY_OK) {
        printf("%" PRIu64 "|", view.offset);
        for (uint32_t k = 0; k < view.ndim; k++) printf("%" PRIu64 ":%" PRId64 ",", view.shape[k], view.strides[k]);
        putchar('|');
        print_bytes(out, (size_t)dense.data_size);
        if (out[dense.data_size] != 0xa5) die("a byte behind the copy was written");
    }
    free(out);
    return status;
}

static snpy_status print_value(const uint8_t *element, const snpy_dtype *dtype)
{
    uint8_t text[4096];
    uint64_t size = 0;
    uint64_t bits[2] = {0, 0};
    int64_t number = 0;
    uint64_t natural = 0;
    snpy_status status;
    switch (dtype->kind) {
    case SNPY_KIND_FLOAT:
        status = snpy_get_float(element, dtype, bits);
        if (status == SNPY_OK) printf("%016" PRIx64 ";", bits[0]);
        return status;
    case SNPY_KIND_COMPLEX:
        status = snpy_get_complex(element, dtype, bits);
        if (status == SNPY_OK) printf("%016" PRIx64 "%016" PRIx64 ";", bits[0], bits[1]);
        return status;
    case SNPY_KIND_BYTES:
    case SNPY_KIND_STRING:
        status = snpy_get_text(element, dtype, text, sizeof text, &size);
        if (status == SNPY_OK) print_bytes(text, (size_t)size);
        if (status == SNPY_OK) putchar(';');
        return status;
    case SNPY_KIND_UINT:
        status = snpy_get_uint(element, dtype, &natural);
        if (status == SNPY_OK) printf("%" PRIu64 ";", natural);
        return status;
    default:
        status = snpy_get_int(element, dtype, &number);
        if (status == SNPY_OK) printf("%" PRId64 ";", number);
        return status;
    }
}

/* Sets an element of another byte order to the value of the first. */
static snpy_status set_value(const uint8_t *from, const snpy_dtype *dtype, uint8_t *to, const snpy_dtype *target)
{
    uint8_t text[4096];
    uint64_t size = 0;
    uint64_t bits[2] = {0, 0};
    int64_t number = 0;
    uint64_t natural = 0;
    snpy_status status;
    switch (dtype->kind) {
    case SNPY_KIND_FLOAT:
        status = snpy_get_float(from, dtype, bits);
        return status == SNPY_OK ? snpy_set_float(to, target, bits[0]) : status;
    case SNPY_KIND_COMPLEX:
        status = snpy_get_complex(from, dtype, bits);
        return status == SNPY_OK ? snpy_set_complex(to, target, bits) : status;
    case SNPY_KIND_BYTES:
    case SNPY_KIND_STRING:
        status = snpy_get_text(from, dtype, text, sizeof text, &size);
        return status == SNPY_OK ? snpy_set_text(to, target, text, (size_t)size) : status;
    case SNPY_KIND_UINT:
        status = snpy_get_uint(from, dtype, &natural);
        return status == SNPY_OK ? snpy_set_uint(to, target, natural) : status;
    default:
        status = snpy_get_int(from, dtype, &number);
        return status == SNPY_OK ? snpy_set_int(to, target, number) : status;
    }
}

/* Every value, or what is read back after it was set in another byte order (`order` NULL: as it is). */
static snpy_status print_values(const char *order)
{
    const uint8_t *data = bytes + header.frame.data_offset;
    snpy_dtype target = view.dtype;
    if (order != NULL && target.byteorder != '|') target.byteorder = order[0] == 'b' ? '>' : '<';
    for (uint64_t flat = 0; flat < view.count; flat++) {
        uint64_t place = 0;
        snpy_status status = snpy_view_flat(&view, flat, &place, &error);
        if (status != SNPY_OK) return status;
        uint8_t *element = malloc(view.itemsize == 0 ? 1 : view.itemsize);
        if (element == NULL) die("no memory");
        memcpy(element, data + place, view.itemsize);
        if (order != NULL) status = set_value(data + place, &view.dtype, element, &target);
        if (status == SNPY_OK) status = print_value(element, order != NULL ? &target : &view.dtype);
        free(element);
        if (status != SNPY_OK) return status;
    }
    return SNPY_OK;
}

static snpy_status answer(char *const *step, int count)
{
    snpy_status status = open_file(step[0]);
    for (int i = 1; i < count && status == SNPY_OK; i++) {
        switch (step[i][0]) {
        case 'F':
            status = take_field(step[i + 1]);
            i += 1;
            break;
        case 'S':
            status = take_slice((uint32_t)atoi(step[i + 1]), step[i + 2], step[i + 3], step[i + 4]);
            i += 4;
            break;
        case 'P':
            status = snpy_view_index(&view, (uint32_t)atoi(step[i + 1]), strtoll(step[i + 2], NULL, 10), &error);
            i += 2;
            break;
        case 'T':
            status = snpy_view_transpose(&view, &error);
            break;
        case 'C':
            status = print_copy(step[i + 1], step[i + 2]);
            i += 2;
            break;
        case 'V':
            status = print_values(NULL);
            break;
        case 'R':
            status = print_values(step[i + 1]);
            i += 1;
            break;
        default:
            die("unknown step");
        }
    }
    return status;
}

int main(void)
{
    static char line[65536];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *steps[MOST_STEPS + 8] = {NULL};
        int count = 0;
        line[strcspn(line, "\n")] = '\0';
        for (char *word = strtok(line, "\t"); word != NULL && count < MOST_STEPS; word = strtok(NULL, "\t"))
            steps[count++] = word;
        if (count == 0) die("an empty request");
        snpy_status status = answer(steps, count);
        if (status != SNPY_OK) printf("!%s", snpy_status_name(status));
        putchar('\n');
    }
    free(bytes);
    return 0;
}
