/* cmocka.h: as much of cmocka as the unit tests of the core use, for machines that Debian has no cmocka for.
 * A test that fails is left with longjmp, as cmocka leaves it. */
#ifndef SAFENPY_TESTS_SHIM_CMOCKA_H
#define SAFENPY_TESTS_SHIM_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(function) \
    {                              \
#function, function        \
    }

/* Where a failing test ends; one copy a file is enough, because each file runs its own tests. */
static jmp_buf shim_end;

#define SHIM_FAIL(...)                         \
    do {                                       \
        printf("%s:%d: ", __FILE__, __LINE__); \
        printf(__VA_ARGS__);                   \
        printf("\n");                          \
        longjmp(shim_end, 1);                  \
    } while (0)

#define fail() SHIM_FAIL("fail")
#define assert_true(condition)                                   \
    do {                                                         \
        if (!(condition)) SHIM_FAIL("not true: %s", #condition); \
    } while (0)
#define assert_false(condition) assert_true(!(condition))
#define assert_non_null(pointer) assert_true((pointer) != NULL)
/* As wide as cmocka's: LargestIntegralType is unsigned long long. */
#define assert_int_equal(a, b)                                                                 \
    do {                                                                                       \
        unsigned long long shim_a = (unsigned long long)(a), shim_b = (unsigned long long)(b); \
        if (shim_a != shim_b) SHIM_FAIL("%s is %llu, not %llu", #a, shim_a, shim_b);           \
    } while (0)
#define assert_memory_equal(a, b, size) assert_true(memcmp((a), (b), (size)) == 0)
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)) != 0)
#define print_message printf
#define vprint_error vprintf

static int shim_run(const struct CMUnitTest *tests, size_t count)
{
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        void *state = NULL;
        if (setjmp(shim_end) == 0) {
            tests[i].run(&state);
        } else {
            printf("FAIL  %s\n", tests[i].name);
            failed++;
        }
    }
    printf("%lu of %lu tests passed\n", (unsigned long)(count - failed), (unsigned long)count);
    return failed > 0;
}

#define cmocka_run_group_tests(tests, setup, teardown) shim_run(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
