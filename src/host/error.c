/* error.c: fills a snpy_io_error and makes a sentence of it.                                               HOST-IO
 * The texts of the statuses are in core/statuses.h. */
#include "host/io.h"

#include <errno.h>
#include <string.h>

/* Copies a name; of one that is too long the last part, after "...". */
static void snpy_keep_name(char out[SNPY_ERROR_PATH], const char *name)
{
    static const char dots[] = "...";
    const size_t room = SNPY_ERROR_PATH - 1;
    size_t length = strlen(name);
    size_t skipped = 0;
    memset(out, 0, SNPY_ERROR_PATH);
    if (length > room) {
        memcpy(out, dots, sizeof dots - 1);
        skipped = sizeof dots - 1;
        name += length - (room - skipped);
        length = room - skipped;
    }
    memcpy(out + skipped, name, length + 1);
}

void snpy_io_name(snpy_io_error *error, const char *path)
{
    snpy_keep_name(error->path, path);
}

void snpy_io_member(snpy_io_error *error, const char *name)
{
    snpy_keep_name(error->member, name);
}

void snpy_io_begin(snpy_io_error *error, const char *path)
{
    error->error.status = SNPY_OK;
    error->error.offset = 0;
    error->system_error = 0;
    error->call = NULL;
    error->lost = 0;
    snpy_io_name(error, path);
    snpy_io_member(error, "");
}

snpy_status snpy_io_refuse(snpy_io_error *error, snpy_status status, uint64_t offset)
{
    error->error.status = status;
    error->error.offset = offset;
    return status;
}

snpy_status snpy_io_fail(snpy_io_error *error, const char *call, int reason)
{
    error->call = call;
    error->system_error = reason;
    return snpy_io_refuse(error, SNPY_IO_ERROR, 0);
}

snpy_status snpy_io_no_memory(snpy_io_error *error, const char *call)
{
    error->call = call;
    error->system_error = ENOMEM;
    return snpy_io_refuse(error, SNPY_NO_MEMORY, 0);
}

/* A text that is being put together. `length` counts all of it, also what does not fit `capacity`. */
typedef struct snpy_sentence {
    char *out;
    size_t capacity;
    size_t length;
} snpy_sentence;

/* Appends a text. */
static void snpy_say(snpy_sentence *sentence, const char *text)
{
    for (; *text != '\0'; text++, sentence->length++)
        if (sentence->length + 1 < sentence->capacity) sentence->out[sentence->length] = *text;
}

/* Appends a number in decimal. */
static void snpy_say_number(snpy_sentence *sentence, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    snpy_say(sentence, digits + at);
}

/* Whether the offset of an error with this status is a byte of the file: true for what reading refuses, false for
 * statuses of writing and for a table that is too small. */
static bool snpy_is_in_file(snpy_status status)
{
    bool is_of_archive = status >= SNPY_ZIP_NO_END && status < SNPY_ZIP_WRITE_KEY;
    return is_of_archive || (status < SNPY_WRITE_DTYPE && status != SNPY_TABLE_TOO_SMALL);
}

/* Appends which system call failed, and why. */
static void snpy_say_call(snpy_sentence *sentence, const snpy_io_error *error)
{
    char reason[256] = "unknown error";
    (void)strerror_r(error->system_error, reason, sizeof reason);
    snpy_say(sentence, error->call);
    snpy_say(sentence, " failed: ");
    snpy_say(sentence, reason);
}

/* Appends what is wrong with the file, at which byte, and what to do about it. */
static void snpy_say_verdict(snpy_sentence *sentence, const snpy_error *verdict)
{
    snpy_say(sentence, snpy_status_message(verdict->status));
    if (snpy_is_in_file(verdict->status)) {
        snpy_say(sentence, " (byte ");
        snpy_say_number(sentence, verdict->offset);
        snpy_say(sentence, ")");
    }
    snpy_say(sentence, "; ");
    snpy_say(sentence, snpy_status_hint(verdict->status));
}

size_t snpy_io_error_text(const snpy_io_error *error, char *out, size_t capacity)
{
    snpy_sentence sentence = {out, capacity, 0};
    if (error->path[0] != '\0') {
        snpy_say(&sentence, error->path);
        snpy_say(&sentence, ": ");
    }
    if (error->member[0] != '\0') {
        snpy_say(&sentence, "member ");
        snpy_say(&sentence, error->member);
        snpy_say(&sentence, ": ");
    }
    if (error->call != NULL)
        snpy_say_call(&sentence, error);
    else if (error->error.status == SNPY_OK)
        snpy_say(&sentence, "no error");
    else
        snpy_say_verdict(&sentence, &error->error);
    if (capacity > 0) out[sentence.length < capacity ? sentence.length : capacity - 1] = '\0';
    return sentence.length;
}
