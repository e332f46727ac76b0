/* leaves.c: drivers of what handles bytes that strangers chose, outside of the core: text for the terminal, JSON,
 * numbers and dates as text, paths of members, sentences of errors. */
#include "__fc_builtin.h"
#include "cli/cli.h"
#include "cli/data.h"
#include "cli/progress.h"
#include "host/io.h"
#include "npz/member_path.h"
#include "safenpy/safe_text.h"

#define BYTES 5

static uint8_t input[BYTES + 1];
static uint8_t other[BYTES + 1];
static bool is_first;

/* The driver has no terminal, so there is no bar to take away: progress.c is not analysed. */
void cli_erase_progress(void) {}

/* Bytes of any value, a NUL behind them. */
static void fill(void)
{
    Frama_C_make_unknown((char *)input, BYTES);
    Frama_C_make_unknown((char *)other, BYTES);
    input[BYTES] = 0;
    other[BYTES] = 0;
}

/* Bytes of any value that end with their array: what is read behind them is an alarm. */
static const uint8_t *fill_exactly(size_t length)
{
    static uint8_t exact[BYTES];
    Frama_C_make_unknown((char *)exact, BYTES);
    return exact + (BYTES - length);
}

/* A stream that may be anywhere, and may have failed. */
static cli_stream *any_stream(void)
{
    static cli_stream stream;
    stream.descriptor = Frama_C_interval(0, 2);
    stream.error = Frama_C_interval(0, 133);
    stream.length = Frama_C_unsigned_long_interval(0, sizeof stream.bytes - 1);
    return &stream;
}

static snpy_text_encoding any_encoding(void)
{
    return (snpy_text_encoding)Frama_C_interval(SNPY_TEXT_LATIN1, SNPY_TEXT_SURROGATES);
}

/* Text of each length, for the terminal and as JSON. A driver of its own: proofs/test_eva.py plants bugs for it. */
void eva_text(void)
{
    char escape[SNPY_TEXT_ESCAPE_CAPACITY];
    char safe[2 * BYTES];
    for (size_t length = 0; length <= BYTES; length++) {
        const uint8_t *bytes = fill_exactly(length);
        cli_put_safe(any_stream(), bytes, length, any_encoding());
        cli_put_exact(any_stream(), bytes, length, any_encoding());
        (void)cli_json_string(any_stream(), bytes, length, any_encoding());
        cli_json_code_points(any_stream(), bytes, length);
        (void)snpy_safe_text(bytes, length, safe, sizeof safe);
    }
    fill();
    cli_put_argument(any_stream(), (const char *)input);
    cli_json_file(any_stream(), (const char *)input, &is_first);
    (void)snpy_text_escape(Frama_C_unsigned_int_interval(0, 0x10ffff), escape);
}

static void put_output(void)
{
    cli_put_number(any_stream(), Frama_C_unsigned_long_interval(0, UINT64_MAX));
    cli_put_spaces(any_stream(), Frama_C_unsigned_long_interval(0, SIZE_MAX));
    cli_output.length = Frama_C_unsigned_long_interval(0, sizeof cli_output.bytes - 1);
    cli_end_file();
    if (Frama_C_nondet(0, 1) != 0) cli_lack_memory();
    (void)cli_finish((enum cli_exit)Frama_C_interval(CLI_ACCEPTED, CLI_TROUBLE));
}

/* Numbers of each size, and moments of each unit. */
static void put_numbers(void)
{
    static const uint32_t sizes[] = {2, 4, 8};
    char text[CLI_FLOAT_CAPACITY];
    char moment[CLI_MOMENT_CAPACITY];
    for (int i = 0; i < 3; i++) {
        uint64_t most = sizes[i] == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * sizes[i])) - 1;
        (void)cli_float_text(Frama_C_unsigned_long_interval(0, most), sizes[i], Frama_C_nondet(0, 1) != 0, text);
    }
    (void)cli_long_float_text(input, Frama_C_nondet(0, 1) != 0, Frama_C_nondet(0, 1) != 0, text);
    const snpy_dtype dtype = {(int8_t)(Frama_C_nondet(0, 1) != 0 ? SNPY_KIND_DATETIME : SNPY_KIND_TIMEDELTA), '<',
                              (int8_t)Frama_C_interval(SNPY_UNIT_GENERIC, SNPY_UNIT_ATTOSECOND), 8,
                              Frama_C_unsigned_int_interval(1, INT32_MAX)};
    (void)cli_moment_text((int64_t)Frama_C_unsigned_long_interval(0, UINT64_MAX), &dtype, moment);
}

/* Names of members of each length. */
static void judge_paths(void)
{
    static char mapped[3 * BYTES + 1];
    for (size_t length = 0; length <= BYTES; length++) {
        size_t fault;
        const uint8_t *name = fill_exactly(length);
        (void)snpy_check_path(name, length, &fault);
        (void)snpy_map_path(name, length, mapped);
        const snpy_zip_member record = {.central_offset = Frama_C_unsigned_long_interval(0, SNPY_MAX_SIZE),
                                        .flags = (uint16_t)Frama_C_interval(0, 0xffff)};
        (void)snpy_place_in_name(&record, (const char *)name, Frama_C_unsigned_long_interval(0, length));
    }
    fill();
    (void)snpy_paths_collide((const char *)input, (const char *)other);
}

/* Errors of any kind, of names that are short, and longer than what is kept of them. */
static void say_errors(void)
{
    static char name[SNPY_ERROR_PATH + 4];
    static snpy_io_error error;
    char text[80];
    Frama_C_make_unknown(name, sizeof name - 1);
    snpy_io_begin(&error, name);
    if (Frama_C_nondet(0, 1) != 0) snpy_io_member(&error, name);
    if (Frama_C_nondet(0, 1) != 0)
        (void)snpy_io_fail(&error, "open", Frama_C_interval(0, 133));
    else if (Frama_C_nondet(0, 1) != 0)
        (void)snpy_io_no_memory(&error, "malloc");
    else
        (void)snpy_io_refuse(&error, (snpy_status)Frama_C_interval(0, 1000),
                             Frama_C_unsigned_long_interval(0, UINT64_MAX));
    (void)snpy_io_error_text(&error, text, Frama_C_unsigned_long_interval(0, sizeof text));
}

void eva_leaves(void)
{
    eva_text();
    put_output();
    put_numbers();
    judge_paths();
    say_errors();
}
