/* core.c: drivers of the core: every public function on bytes, numbers and orders of any value.
 * Annotations are switched off here: nothing is taken from the contracts.
 * All memory that is handed over has been written before: an alarm of memory that was not is about the core's own. */
#include "core/describe.h"
#include "core/zip/member_name.h"
#include "core/zip/write_records.h"
#include "safenpy/copy.h"
#include "safenpy/header.h"
#include "safenpy/object.h"
#include "safenpy/value.h"
#include "safenpy/view.h"
#include "safenpy/write.h"
#include "safenpy/zip.h"

#define BYTES 96
#define FIELDS 6
#define DIMS 6
#define MEMBERS 3
#define RUNS 4

/* Eva takes what is volatile for any value at each look. */
static volatile uint8_t any_byte;
static volatile uint32_t any_word;
static volatile uint64_t any_long;
static volatile int64_t any_signed;
static volatile int any_choice;

static uint8_t input[BYTES];
static uint8_t output[BYTES];
static snpy_field fields[FIELDS];
static int32_t dims[DIMS];

static void fill(uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) bytes[i] = any_byte;
}

static size_t up_to(size_t most)
{
    size_t number = any_long;
    return number < most ? number : most;
}

static bool either(void)
{
    return any_choice > 0;
}

static snpy_options make_options(void)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    options.max_header_bytes = any_long;
    options.max_fields = any_long;
    options.max_ndim = any_long;
    options.max_depth = any_long;
    options.max_data_bytes = any_long;
    options.compat.int_fortran_order = either();
    options.compat.numpy_bool = either();
    options.compat.numpy_int = either();
    options.compat.list_shape = either();
    options.compat.int_shape = either();
    options.compat.list_field = either();
    options.compat.metadata = either();
    options.compat.native_order = either();
    options.compat.type_names = either();
    options.compat.bytes_alias = either();
    options.compat.platform_float = either();
    return options;
}

/* Parses a header of any bytes into a table of any room. */
static snpy_status parse(snpy_table *table, snpy_header *header)
{
    snpy_options options = make_options();
    static snpy_error error;
    const snpy_table empty = {fields, up_to(FIELDS), dims, up_to(DIMS), 0, 0};
    fill(input, BYTES);
    *table = empty;
    return snpy_parse_header(input, up_to(BYTES), &options, table, header, &error);
}

void eva_names(void)
{
    static uint64_t size;
    static size_t surrogates;
    fill(input, BYTES);
    (void)snpy_name_decode(input, BYTES, up_to(BYTES / 2), up_to(BYTES / 2),
                           either() ? SNPY_NAME_LATIN1 : SNPY_NAME_UTF8, output, up_to(BYTES), &size, &surrogates);
}

static void write(snpy_header *header, snpy_table *table)
{
    static snpy_error error;
    static uint64_t size;
    const snpy_description description = {
        header, table, input, BYTES, either() ? SNPY_NAME_LATIN1 : SNPY_NAME_UTF8, (snpy_version_choice)up_to(3)};
    snpy_normalise_order(header);
    (void)snpy_header_size(&description, &size, &error);
    (void)snpy_write_header(&description, output, up_to(BYTES), &size, &error);
    (void)snpy_write_descr(&description, up_to(FIELDS), output, up_to(BYTES), &size, &error);
    (void)snpy_check_canonical(input, up_to(BYTES), &description, output, up_to(BYTES), &error);
}

/* A view of numbers of any value: what makes no sense must be refused. */
static void make_view(snpy_view *view)
{
    snpy_dtype dtype = {(int8_t)any_byte, (int8_t)any_byte, (int8_t)any_byte, any_word, any_word};
    view->data_size = any_long;
    view->offset = any_long;
    view->count = any_long;
    view->itemsize = any_word;
    view->ndim = any_word;
    view->dtype = dtype;
    view->entry = any_word;
    for (size_t i = 0; i < SNPY_MAX_NDIM; i++) {
        view->shape[i] = any_long;
        view->strides[i] = any_signed;
    }
}

void eva_view(void)
{
    static snpy_view view, dense;
    static snpy_error error;
    static uint64_t index[SNPY_MAX_NDIM];
    static uint64_t place;
    const snpy_slice slice = {any_signed, any_signed, any_signed, either(), either(), either()};
    for (size_t i = 0; i < SNPY_MAX_NDIM; i++) index[i] = any_long;
    make_view(&view);
    if (snpy_view_check(&view, &error) != SNPY_OK) return;
    (void)snpy_view_at(&view, index, &place, &error);
    (void)snpy_view_flat(&view, any_long, &place, &error);
    (void)snpy_view_dense(&view, either(), &dense, &error);
    (void)snpy_view_index(&view, any_word, any_signed, &error);
    (void)snpy_view_slice(&view, any_word, &slice, &error);
    (void)snpy_view_transpose(&view, &error);
}

/* Runs of any numbers: a plan that makes no sense must be refused. */
static void spoil(snpy_plan *plan)
{
    for (int i = 0; i < RUNS; i++) {
        const snpy_run run = {(int32_t)any_word, (int32_t)any_word, (int32_t)any_word, (int8_t)any_byte};
        if (either()) plan->runs[i] = run;
    }
}

static void copy(snpy_view *from)
{
    static snpy_run runs[RUNS];
    snpy_plan plan = {runs, RUNS, (uint32_t)up_to(RUNS), any_word};
    static snpy_view to;
    static snpy_error error;
    if (snpy_view_dense(from, either(), &to, &error) != SNPY_OK) return;
    spoil(&plan);
    if (snpy_plan_check(&plan, &error) != SNPY_OK) return;
    if (from->data_size > BYTES || to.data_size > BYTES) return;
    (void)snpy_copy(from, input, &plan, &to, output, &error);
    (void)snpy_convert(from, input, &plan, &error);
}

/* A header is read, judged, written anew; its array is viewed and copied. */
void eva_header(void)
{
    static snpy_table table;
    static snpy_header header;
    static snpy_view view;
    static snpy_error error;
    if (parse(&table, &header) != SNPY_OK) return;
    (void)snpy_check_data(&header, any_long, either(), &error);
    write(&header, &table);
    if (snpy_view_open(&header, BYTES, &view, &error) != SNPY_OK) return;
    if (either()) (void)snpy_view_field(&view, &table, any_word, &error);
    copy(&view);
}

void eva_value(void)
{
    const snpy_dtype dtype = {(int8_t)any_byte, (int8_t)any_byte, (int8_t)any_byte, (uint32_t)up_to(BYTES), any_word};
    static int64_t number;
    uint64_t bits[2] = {any_long, any_long};
    static uint64_t size;
    fill(input, BYTES);
    (void)snpy_get_int(input, &dtype, &number);
    (void)snpy_get_uint(input, &dtype, &size);
    (void)snpy_get_float(input, &dtype, &size);
    (void)snpy_get_text(input, &dtype, output, up_to(BYTES), &size);
    (void)snpy_set_int(output, &dtype, any_signed);
    (void)snpy_set_uint(output, &dtype, any_long);
    (void)snpy_set_float(output, &dtype, any_long);
    (void)snpy_set_complex(output, &dtype, bits);
    (void)snpy_get_complex(input, &dtype, bits);
    (void)snpy_set_text(output, &dtype, input, up_to(BYTES));
}

void eva_zip_read(void)
{
    static snpy_zip_member members[MEMBERS];
    snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    static snpy_zip_directory directory;
    static snpy_error error;
    static size_t wanted;
    uint64_t file_size = any_long;
    options.prefix = either();
    options.trailing = either();
    options.gaps = either();
    options.unsigned_descriptor = either();
    options.max_members = any_long;
    fill(input, BYTES);
    if (snpy_zip_find(input, up_to(BYTES), file_size, &options, &directory, &error) != SNPY_OK) return;
    if (directory.size > BYTES || directory.count > MEMBERS) return;
    fill(output, BYTES);
    size_t length = (size_t)directory.size;
    size_t count = (size_t)directory.count;
    if (snpy_zip_list(output, length, &directory, members, count, &error) != SNPY_OK) return;
    (void)snpy_zip_keys(output, length, &directory, members, count, &error);
    for (size_t i = 0; i < count; i++) {
        (void)snpy_zip_local_size(&directory, &members[i]);
        (void)snpy_zip_local(input, up_to(BYTES), output, length, &directory, &options, members, i, &wanted, &error);
        (void)snpy_zip_descriptor(input, up_to(BYTES), &options, &members[i], &error);
    }
    (void)snpy_zip_check_ranges(&directory, &options, members, count, &error);
}

void eva_zip_names(void)
{
    uint32_t code;
    fill(input, BYTES);
    fill(output, BYTES);
    for (size_t at = 0; at < BYTES;) {
        size_t step = snpy_zip_name_next(input, BYTES, at, any_word, &code);
        if (step == 0) break;
        at += step;
    }
    (void)snpy_zip_key_length(input, up_to(BYTES));
    (void)snpy_zip_crc(any_word, input, up_to(BYTES));
    (void)snpy_zip_compare_names(input, up_to(BYTES), any_word, output, up_to(BYTES), any_word);
}

void eva_zip_write(void)
{
    const struct snpy_zip_entry entry = {any_long,           any_long,           any_long,           any_word,
                                         (uint16_t)any_word, (uint16_t)any_word, (uint16_t)any_word, either()};
    (void)snpy_zip_padding(any_long);
    snpy_zip_put_local(&entry, any_word, output);
    snpy_zip_put_local_zip64(&entry, output);
    snpy_zip_put_padding(10 + (uint32_t)up_to(60), output);
    snpy_zip_put_central(&entry, any_word, output);
    (void)snpy_zip_put_central_zip64(&entry, output);
    (void)snpy_zip_put_descriptor(&entry, output);
}

void eva_zip_end(void)
{
    static uint8_t end[128];
    (void)snpy_zip_put_end(any_long, any_long, any_long, end);
}

void eva_object(void)
{
    static uint32_t stack[8], memo[8];
    static snpy_opcode opcode;
    snpy_object_scan scan = {stack, memo, 1 + up_to(8), 1 + up_to(8), 0, 0, 0, 0, 0};
    snpy_error error;
    size_t length = up_to(BYTES);
    fill(input, BYTES);
    while (snpy_scan_opcode(input, length, &scan, &opcode, &error) == SNPY_OK) {
        if (opcode.code == '.') return;
    }
}

static void eva_write(size_t length, const snpy_node_table *table)
{
    static uint32_t marks[8 * 2 + 64], same[8];
    static snpy_write_task tasks[16];
    static uint8_t out[32];
    snpy_object_writer writer = {.marks = marks,
                                 .mark_capacity = up_to(8 * 2 + 64 + 1),
                                 .tasks = tasks,
                                 .task_capacity = up_to(16 + 1),
                                 .same = same,
                                 .protocol = up_to(7),
                                 .most = any_long,
                                 .is_numpy_2 = any_choice != 0};
    snpy_error error;
    size_t size;
    (void)snpy_write_objects(input, length, table, &writer, out, up_to(32 + 1), &size, &error);
}

void eva_decode(void)
{
    static uint32_t stack[8], memo[8];
    static snpy_node nodes[8];
    static snpy_object_key slots[8];
    snpy_object_scan scan = {stack, memo, 1 + up_to(8), 1 + up_to(8), 0, 0, 0, 0, 0};
    snpy_node_table table = {nodes, up_to(9), up_to(9), any_long, 0, 0};
    snpy_object_keys keys = {slots, up_to(9), 0, any_long};
    snpy_error error;
    size_t length = up_to(BYTES);
    fill(input, BYTES);
    if (snpy_decode_objects(input, length, any_choice == 0 ? SNPY_SET_DATA : SNPY_SET_PLAIN, &scan, &table, &keys,
                            &error) == SNPY_OK)
        eva_write(length, &table);
}

void eva_status(void)
{
    snpy_status status = (snpy_status)any_choice;
    (void)snpy_status_name(status);
    (void)snpy_status_rule(status);
    (void)snpy_status_message(status);
    (void)snpy_status_hint(status);
    (void)snpy_version();
}

void eva_core(void)
{
    eva_header();
    eva_names();
    eva_view();
    eva_value();
    eva_zip_read();
    eva_zip_names();
    eva_zip_write();
    eva_zip_end();
    eva_object();
    eva_decode();
    eva_status();
}
