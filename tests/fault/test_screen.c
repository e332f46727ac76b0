/* test_screen.c: the progress that a terminal shows, at sizes and times that no test can wait for.
 *
 * What is shown of real work, and that it is erased, tests/cli/change.py says. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#define _DEFAULT_SOURCE   /* winsize */
#include <sys/ioctl.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "tests/fault/wrap.h"
#include "tests/unit/files.h"

static int screen; /* where what is written to standard error can be read */
static int own;    /* standard error, as it was */

static int set_up_screen(void **state)
{
    (void)state;
    screen = posix_openpt(O_RDWR | O_NOCTTY);
    if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) return -1;
    int terminal = open(ptsname(screen), O_RDWR | O_NOCTTY);
    own = dup(STDERR_FILENO);
    if (terminal < 0 || own < 0 || fcntl(screen, F_SETFL, O_NONBLOCK) != 0) return -1;
    if (dup2(terminal, STDERR_FILENO) < 0) return -1;
    (void)close(terminal);
    return 0;
}

static int tear_down_screen(void **state)
{
    (void)state;
    if (dup2(own, STDERR_FILENO) < 0) return -1;
    (void)close(own);
    return close(screen);
}

static void set_columns(unsigned short columns)
{
    struct winsize size = {.ws_row = 25, .ws_col = columns};
    assert_int_equal(ioctl(screen, TIOCSWINSZ, &size), 0);
}

/* What was drawn last of work that has been going on for some seconds. */
static const char *drawn(uint64_t total, uint64_t done, long seconds)
{
    static char shown[4096];
    cli_progress progress;
    cli_progress_begin(&progress, total);
    assert_true(progress.is_on);
    progress.started.tv_sec -= seconds;
    cli_progress_add(&progress, done);
    ssize_t length = read(screen, shown, sizeof shown - 1);
    shown[length > 0 ? length : 0] = '\0';
    cli_progress_end(&progress);
    while (read(screen, shown + sizeof shown / 2, sizeof shown / 2) > 0) {
    }
    return shown;
}

/* What is drawn must begin and end so; the rate in between depends on the moment. */
static void expect_drawn(const char *got, const char *begin, const char *end)
{
    size_t length = strlen(got);
    bool is_so = strncmp(got, begin, strlen(begin)) == 0 && length >= strlen(end);
    expect_that(is_so && strcmp(got + length - strlen(end), end) == 0, "shown is '%s', not '%s … %s'\n", got, begin,
                end);
}

#define HALF "[####################                    ]  50%  "
#define NONE "[                                        ]   0%  "

static void test_bytes_and_times(void **state)
{
    (void)state;
    set_columns(120);
    expect_drawn(drawn(1001, 1000, 1000), "[####################################### ]  99%  1000 B of 1001 B  ",
                 " B/s  0:01 left");
    expect_drawn(drawn(1000, 500, 10), HALF "500 B of 1000 B  ", " left");
    expect_drawn(drawn(0, 2048, 4), "2.0 KiB  ", " B/s");
    expect_drawn(drawn(0, 0, 4), "0 B  0 B/s", "");
    expect_drawn(drawn(3723, 0, 4), NONE "0 B of 3.6 KiB  0 B/s  0:00 left", "");
    expect_drawn(drawn(1000, 1, 4), NONE "1 B of 1000 B  0 B/s  1:0", " left");
    expect_drawn(drawn(UINT64_MAX, 1, 4), NONE "1 B of 15.9 EiB  0 B/s  long left", "");
    expect_drawn(drawn(UINT64_MAX, UINT64_MAX, 1000),
                 "[########################################] 100%  15.9 EiB of 15.9 EiB  16.", " PiB/s  0:00 left");
}

static void test_columns(void **state)
{
    (void)state;
    set_columns(60); /* a shorter bar */
    expect_drawn(drawn(1000, 500, 10), "[########", " left");
    assert_int_equal(strlen(drawn(1000, 500, 10)), 59);
    set_columns(40); /* none */
    expect_drawn(drawn(1000, 500, 10), "500 B of 1000 B  ", " left");
    set_columns(10); /* not even all of the numbers */
    expect_drawn(drawn(1000, 500, 10), "500 B of ", "");
    set_columns(0); /* nobody knows: eighty */
    expect_drawn(drawn(1000, 500, 10), "[####", " left");
    assert_int_equal(strlen(drawn(1000, 500, 10)), 79);
    set_columns(9999);
    expect_drawn(drawn(1000, 500, 10), HALF "500 B of 1000 B  ", " left");
}

/* Without a clock there is nothing to show. */
static void test_no_clock(void **state)
{
    cli_progress progress;
    (void)state;
    arm_fault_for("clock_gettime", FAULT_ONCE, 1, EINVAL);
    cli_progress_begin(&progress, 1000);
    assert_true(disarm_fault() && !progress.is_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_and_times),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_no_clock),
    };
    return cmocka_run_group_tests(tests, set_up_screen, tear_down_screen);
}
