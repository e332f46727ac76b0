/* output.c: writes buffered output and remembers the first error.
 * text.c and json.c escape.
 *
 * It does not use stdio, because the errno of a failed write must reach the user, and thousands of lines must need few
 * system calls. */
#include "cli/cli.h"
#include "cli/progress.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

cli_stream cli_output = {.descriptor = STDOUT_FILENO};
cli_stream cli_messages = {.descriptor = STDERR_FILENO};

void cli_flush(cli_stream *stream)
{
    snpy_io_error error;
    size_t length = stream->length;
    stream->length = 0;
    if (length == 0 || stream->error != 0) return;
    if (!stream->is_framed) cli_erase_progress();
    const uint32_t frame = (uint32_t)length;
    snpy_status status = SNPY_OK;
    if (stream->is_framed) status = snpy_write_all(stream->descriptor, (const uint8_t *)&frame, sizeof frame, &error);
    if (status == SNPY_OK) status = snpy_write_all(stream->descriptor, (const uint8_t *)stream->bytes, length, &error);
    if (status != SNPY_OK) stream->error = error.system_error;
}

void cli_end_file(void)
{
    static int is_terminal = -1;
    if (is_terminal < 0) is_terminal = isatty(cli_output.descriptor);
    if (is_terminal == 1) cli_flush(&cli_output);
}

void cli_put_bytes(cli_stream *stream, const char *bytes, size_t length)
{
    while (length > 0) {
        size_t free_bytes = sizeof stream->bytes - stream->length;
        size_t part = length < free_bytes ? length : free_bytes;
        memcpy(stream->bytes + stream->length, bytes, part);
        stream->length += part;
        bytes += part;
        length -= part;
        if (stream->length == sizeof stream->bytes) cli_flush(stream);
    }
}

void cli_put(cli_stream *stream, const char *text)
{
    cli_put_bytes(stream, text, strlen(text));
}

size_t cli_digits(uint64_t number)
{
    size_t digits = 1;
    while (number >= 10) {
        number /= 10;
        digits++;
    }
    return digits;
}

void cli_put_number(cli_stream *stream, uint64_t number)
{
    char digits[20];
    size_t length = cli_digits(number);
    for (size_t at = length; at > 0; at--) {
        digits[at - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    cli_put_bytes(stream, digits, length);
}

void cli_put_spaces(cli_stream *stream, size_t count)
{
    for (size_t i = 0; i < count; i++) cli_put_bytes(stream, " ", 1);
}

void cli_lack_memory(void)
{
    if (cli_output.error == 0) cli_output.error = ENOMEM;
}

enum cli_exit cli_finish(enum cli_exit result)
{
    cli_flush(&cli_output);
    if (cli_output.error == 0) return result;
    /* The reader of a pipe may stop early: `safenpy check … | head` is no error. */
    if (cli_output.error != EPIPE) {
        cli_put(&cli_messages, cli_output.error == ENOMEM ? "safenpy: " : "safenpy: standard output: ");
        cli_put(&cli_messages, strerror(cli_output.error));
        cli_put(&cli_messages, "\n");
        cli_flush(&cli_messages);
    }
    return CLI_TROUBLE;
}
