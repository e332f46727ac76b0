/* say.c: writes formatted text and messages.
 * output.c writes bytes, text.c escapes. */
#include "cli/cli.h"

#include <stdarg.h>
#include <string.h>

/* Writes the argument for a conversion, which begins after its "%". Returns the last character of the conversion. */
static const char *put_argument(cli_stream *stream, const char *conversion, va_list *arguments)
{
    if (*conversion == 's') {
        cli_put(stream, va_arg(*arguments, const char *));
        return conversion;
    }
    if (conversion[0] == '-' && conversion[1] == 's') {
        cli_put_argument(stream, va_arg(*arguments, const char *));
        return conversion + 1;
    }
    if (*conversion == '%') {
        cli_put(stream, "%");
        return conversion;
    }
    cli_put_number(stream, va_arg(*arguments, uint64_t));
    return conversion + strcspn(conversion, "u");
}

/* Writes formatted text, as cli_say describes it. */
static void put_format(cli_stream *stream, const char *format, va_list *arguments)
{
    for (;;) {
        const size_t plain = strcspn(format, "%");
        cli_put_bytes(stream, format, plain);
        format += plain;
        if (*format == '\0') return;
        format = put_argument(stream, format + 1, arguments) + 1;
    }
}

void cli_say(cli_stream *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_format(stream, format, &arguments);
    va_end(arguments);
}

cli_stream *cli_complain(void)
{
    cli_flush(&cli_output);
    cli_put(&cli_messages, "safenpy: ");
    return &cli_messages;
}

void cli_warn(const char *format, ...)
{
    cli_stream *stream = cli_complain();
    va_list arguments;
    va_start(arguments, format);
    put_format(stream, format, &arguments);
    va_end(arguments);
    cli_put(stream, "\n");
    cli_flush(stream);
}

cli_stream *cli_complain_about(const char *option, const char *argument)
{
    cli_stream *stream = cli_complain();
    cli_say(stream, "%s: '%-s' is not ", option, argument);
    return stream;
}

enum cli_exit cli_wrong_usage(cli_stream *stream)
{
    cli_put(stream, "\nTry 'safenpy --help'.\n");
    cli_flush(stream);
    return CLI_TROUBLE;
}
