/* progress.c: draws a progress bar on a terminal.
 * The callers count the work.
 *
 * It is on one line of standard error, appears after two seconds, and is erased before anything else is written. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* NOLINT: TIOCGWINSZ is not in POSIX */
#endif
#include "cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Milliseconds before the bar is drawn, and between two drawings. */
#define FIRST_DRAWING 2000u
#define BETWEEN_DRAWINGS 200u

/* Columns of a line: the default where the terminal does not tell, and the most that are used. */
#define USUAL_COLUMNS 80u
#define MAX_COLUMNS 120u

/* Whether a bar is on the terminal. */
static volatile sig_atomic_t is_drawn = 0;
static char erasure[MAX_COLUMNS + 2]; /* "\r", blanks, "\r" */
static volatile size_t erasure_length = 0;
static bool is_shared = false; /* another process draws the bar */

/* Returns the time since `then` in milliseconds; 0 if the clock fails. */
static uint64_t milliseconds_since(const struct timespec *then)
{
    struct timespec now = *then;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t passed = ((int64_t)now.tv_sec - then->tv_sec) * 1000 + (now.tv_nsec - then->tv_nsec) / 1000000;
    return passed > 0 ? (uint64_t)passed : 0;
}

/* Returns the columns that a line may use: one less than the terminal has, as some begin a new line after the last. */
static size_t columns_of_terminal(void)
{
    size_t columns = USUAL_COLUMNS;
#ifdef TIOCGWINSZ
    struct winsize size = {.ws_col = 0}; /* unknown */
    (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    if (size.ws_col > 0) columns = size.ws_col;
#endif
    return (columns < MAX_COLUMNS ? columns : MAX_COLUMNS) - 1;
}

void cli_progress_begin(cli_progress *progress, uint64_t total)
{
    progress->total = total;
    progress->done = 0;
    progress->refused = 0;
    progress->has_files = false;
    progress->drawings = 0;
    progress->is_on = isatty(STDERR_FILENO) == 1;
    if (!progress->is_on) return;
    if (clock_gettime(CLOCK_MONOTONIC, &progress->started) != 0) progress->is_on = false;
    progress->drawn = progress->started;
}

/* Writes a number of bytes for people: "812 B", "1.5 GiB". */
static void put_bytes(char out[32], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    uint64_t tenths = bytes < UINT64_MAX / 10 ? bytes * 10 / 1024 : bytes / 1024 * 10;
    size_t unit = 0;
    if (bytes < 1024) {
        (void)snprintf(out, 32, "%u B", (unsigned)bytes);
        return;
    }
    for (; tenths >= 10240; unit++) tenths /= 1024;
    (void)snprintf(out, 32, "%u.%u %s", (unsigned)(tenths / 10), (unsigned)(tenths % 10), units[unit]);
}

/* Writes a time for people: "0:07", "1:02:03". */
static void put_time(char out[32], uint64_t seconds)
{
    unsigned minutes = (unsigned)(seconds / 60 % 60);
    if (seconds >= 3600000)
        (void)snprintf(out, 32, "long");
    else if (seconds >= 3600)
        (void)snprintf(out, 32, "%u:%02u:%02u", (unsigned)(seconds / 3600), minutes, (unsigned)(seconds % 60));
    else
        (void)snprintf(out, 32, "%u:%02u", minutes, (unsigned)(seconds % 60));
}

/* Writes what is shown after the bar: bytes, rate and, if the total is known, the time left; or the number of files. */
static void put_numbers(const cli_progress *progress, uint64_t passed, char out[160])
{
    char done[32];
    char rate[32];
    char total[32];
    char left[32];
    uint64_t each = passed > 0 ? passed : 1;
    if (progress->has_files) {
        (void)snprintf(out, 160, "%llu files, %llu refused  %llu files/s", (unsigned long long)progress->done,
                       (unsigned long long)progress->refused, (unsigned long long)(progress->done * 1000 / each));
        return;
    }
    put_bytes(done, progress->done);
    put_bytes(rate, progress->done < UINT64_MAX / 1000 ? progress->done * 1000 / each : progress->done / each * 1000);
    if (progress->total == 0) {
        (void)snprintf(out, 160, "%s  %s/s", done, rate);
        return;
    }
    uint64_t rest = progress->total > progress->done ? progress->total - progress->done : 0;
    double share = progress->done > 0 ? (double)rest / (double)progress->done : 0;
    double seconds = share * (double)each / 1000;
    put_bytes(total, progress->total);
    put_time(left, seconds < 3600000 ? (uint64_t)seconds : 3600000);
    (void)snprintf(out, 160, "%s of %s  %s/s  %s left", done, total, rate, left);
}

/* Writes the bar into the columns that the numbers leave: "[####    ]  50%  ". Returns its length; 0 if the total is
 * not known or there is no space. */
static size_t put_bar(const cli_progress *progress, size_t columns, char *out)
{
    const size_t frame = sizeof "[] 100%  " - 1;
    if (progress->total == 0 || columns < frame + 4) return 0;
    double share = progress->done < progress->total ? (double)progress->done / (double)progress->total : 1;
    size_t width = columns - frame < 40 ? columns - frame : 40;
    size_t filled = (size_t)(share * (double)width);
    out[0] = '[';
    memset(out + 1, '#', filled);
    memset(out + 1 + filled, ' ', width - filled);
    return width + 1 + (size_t)snprintf(out + 1 + width, 12, "] %3u%%  ", (unsigned)(share * 100));
}

/* Writes to the terminal. A failure is ignored: it could not be reported. */
static void put_raw(const char *bytes, size_t length)
{
    ssize_t ignored = write(STDERR_FILENO, bytes, length);
    (void)ignored;
}

void cli_erase_progress(void)
{
    if (!is_drawn) return;
    put_raw(erasure, erasure_length);
    if (!is_shared) is_drawn = 0;
}

/* Prepares the text that erases the bar: it overwrites the bar with blanks. */
static void prepare_erasure(size_t columns)
{
    erasure[0] = '\r';
    memset(erasure + 1, ' ', columns);
    erasure[columns + 1] = '\r';
    erasure_length = columns + 2;
}

void cli_share_progress(void)
{
    if (isatty(STDERR_FILENO) != 1) return;
    prepare_erasure(columns_of_terminal());
    is_shared = true;
    is_drawn = 1;
}

/* Draws the bar, in place of the one before. */
static void draw(cli_progress *progress, uint64_t passed)
{
    char line[MAX_COLUMNS + 2];
    char numbers[160];
    const size_t columns = columns_of_terminal();
    put_numbers(progress, passed, numbers);
    size_t length = strlen(numbers);
    if (length > columns) length = columns;
    size_t bar = put_bar(progress, columns - length, line);
    (void)snprintf(line + bar, sizeof line - bar, "%.*s", (int)length, numbers);
    cli_erase_progress();
    prepare_erasure(bar + length);
    is_drawn = 1;
    put_raw(line, bar + length);
    progress->drawings++;
}

/* Draws the bar if it is time to draw it again. */
static void redraw_if_due(cli_progress *progress)
{
    if (!progress->is_on) return;
    uint64_t passed = milliseconds_since(&progress->started);
    if (passed < FIRST_DRAWING) return;
    if (progress->drawings > 0 && milliseconds_since(&progress->drawn) < BETWEEN_DRAWINGS) return;
    draw(progress, passed);
    (void)clock_gettime(CLOCK_MONOTONIC, &progress->drawn);
}

void cli_progress_add(void *watcher, uint64_t bytes)
{
    cli_progress *progress = watcher;
    progress->done += bytes;
    redraw_if_due(progress);
}

void cli_progress_set_files(cli_progress *progress, uint64_t files, uint64_t refused)
{
    progress->has_files = true;
    progress->done = files;
    progress->refused = refused;
    redraw_if_due(progress);
}

void cli_progress_end(cli_progress *progress)
{
    progress->is_on = false;
    cli_erase_progress();
}
