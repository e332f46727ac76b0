/* test_version.c: which version can say the length of a text, up to lengths that no test can write.
 *                                                                             NPY-WRITE-007, NPY-WRITE-008
 *
 * A text of 4 GiB takes minutes to count. So the source is included, and its functions are told a length. */
#include "tests/unit/support.h"

#include "core/write.c"

/* The longest texts: with prefix, newline and a space they fill a header of 65,536 bytes, or one of 4 GiB. */
#define LONGEST_1 ((uint64_t)65536 - 10 - 2)
#define LONGEST_2 (((uint64_t)1 << 32) - 12 - 2)

static const uint64_t sizes[] = {0,
                                 51,
                                 52,
                                 LONGEST_1,
                                 LONGEST_1 + 1,
                                 65536,
                                 LONGEST_2,
                                 LONGEST_2 + 1,
                                 SNPY_MAX_HEADER,
                                 (uint64_t)SNPY_MAX_HEADER + 1,
                                 UINT64_MAX};

/* A plan must be for this version and this text, or there must be none. */
static void expect_plan(bool made, const struct plan *plan, unsigned version, uint64_t size)
{
    const unsigned found = made ? plan->version : 0;
    expect_that(found == version, "%llu bytes: version %u, not %u\n", (unsigned long long)size, found, version);
    if (version == 0) return;
    assert_true(plan->prefix == (version == 1 ? 10 : 12) && plan->text == size && plan->total % 64 == 0);
    assert_in_range(plan->total - plan->prefix - plan->text, 2, 65); /* a newline behind 1 to 64 spaces */
    assert_true(plan->total - plan->prefix <= (version == 1 ? 65535 : SNPY_MAX_HEADER));
}

static void test_each_version(void **state)
{
    (void)state;
    for (uint8_t version = 1; version <= 3; version++) {
        const uint64_t longest = version == 1 ? LONGEST_1 : LONGEST_2;
        for (size_t i = 0; i < COUNT(sizes); i++) {
            struct plan plan = {0, 0, 0, 0};
            const bool made = plan_version(&plan, version, sizes[i]);
            expect_plan(made, &plan, sizes[i] <= longest ? version : 0, sizes[i]);
        }
    }
}

/* The version that is asked for or none; else the first one. */
static void test_choices(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const bool has_1 = sizes[i] <= LONGEST_1;
        const bool has_2 = sizes[i] <= LONGEST_2;
        struct plan plan = {0, 0, 0, 0};
        expect_plan(plan_latin1(&plan, SNPY_VERSION_1_0, sizes[i]), &plan, has_1 ? 1 : 0, sizes[i]);
        expect_plan(plan_latin1(&plan, SNPY_VERSION_2_0, sizes[i]), &plan, has_2 ? 2 : 0, sizes[i]);
        expect_plan(plan_latin1(&plan, SNPY_VERSION_AUTO, sizes[i]), &plan, has_1 ? 1 : has_2 ? 2 : 0, sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_version),
        cmocka_unit_test(test_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
