/* junit.c: writes the report of `safenpy check` as JUnit's XML, which CI systems read, in pure ASCII.
 * check.c decides what is reported. */
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

/* Writes a code point inside an attribute. XML cannot hold most control characters: these are escaped with a
 * backslash. */
static void put_character(uint32_t code)
{
    const char plain = (char)(code & 0x7f);
    const bool is_character =
        code >= 0x20 && code != 0x7f && (code < 0xd800 || code > 0xdfff) && code != 0xfffe && code != 0xffff;
    if (!is_character) {
        char escape[SNPY_TEXT_ESCAPE_CAPACITY] = {0};
        cli_put_bytes(&cli_output, escape, snpy_text_escape(code, escape));
    } else if (code > 0x7e || strchr("<>&\"'", plain) != NULL) {
        cli_say(&cli_output, "&#%" PRIu64 ";", (uint64_t)code);
    } else {
        cli_put_bytes(&cli_output, &plain, 1);
    }
}

void cli_junit_text(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = (const uint8_t *)text;
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        const size_t size = snpy_text_decode(bytes + at, length - at, SNPY_TEXT_UTF8, &code);
        const char escape[4] = {'\\', 'x', digits[bytes[at] / 16], digits[bytes[at] % 16]};
        if (size > 0)
            put_character(code);
        else
            cli_put_bytes(&cli_output, escape, sizeof escape);
        at += size > 0 ? size : 1;
    }
}

void cli_junit_begin(void)
{
    cli_put(&cli_output,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"safenpy check\">\n");
}

void cli_junit_end(void)
{
    cli_put(&cli_output, "</testsuite>\n</testsuites>\n");
}

/* Writes the beginning of a test case, up to the end of its name. */
static void put_case(const char *name)
{
    cli_put(&cli_output, "  <testcase classname=\"safenpy\" name=\"");
    cli_junit_text(name);
}

void cli_junit_accept(const char *name)
{
    put_case(name);
    cli_put(&cli_output, "\"/>\n");
}

void cli_junit_begin_failure(const char *name, const char *rule, bool is_trouble)
{
    put_case(name);
    cli_put(&cli_output, is_trouble ? "\"><error type=\"" : "\"><failure type=\"");
    cli_junit_text(rule);
    cli_put(&cli_output, "\" message=\"");
}

void cli_junit_end_failure(void)
{
    cli_put(&cli_output, "\"/></testcase>\n");
}
