/* test_looks_like.c: files that are no NPY or NPZ, recognised by their first bytes.                        API-LOOK */
#include "support.h"

#include "safenpy/looks_like.h"

static const struct sample {
    struct text bytes;
    snpy_look_kind look;
} samples[] = {
    {T(""), SNPY_LOOK_EMPTY},
    {T("\0"), SNPY_LOOK_ZEROS},
    {T("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), SNPY_LOOK_ZEROS},
    {T("\0\0\0\0\1"), SNPY_LOOK_UNKNOWN},
    {T("\x93NUMPY\1\0"), SNPY_LOOK_NPY},
    {T("\x93NUMP"), SNPY_LOOK_UNKNOWN},
    {T("PK\3\4\x14\0"), SNPY_LOOK_ZIP},
    {T("PK\5\6"), SNPY_LOOK_ZIP},
    {T("PK\7\10"), SNPY_LOOK_UNKNOWN},
    {T("\xc2\x93NUMPY\1\0"), SNPY_LOOK_MANGLED},
    {T("\xef\xbf\xbdNUMPY\1\0"), SNPY_LOOK_MANGLED},
    {T("?NUMPY\1\0"), SNPY_LOOK_MANGLED},
    {T("version https://git-lfs.github.com/spec/v1\noid sha256:"), SNPY_LOOK_GIT_LFS},
    {T("version https://example.org/\n"), SNPY_LOOK_TEXT},
    {T("<!DOCTYPE html>\n<html>"), SNPY_LOOK_HTML},
    {T("\r\n  <HTML lang='en'>"), SNPY_LOOK_HTML},
    {T("\0<html>"), SNPY_LOOK_UNKNOWN},
    {T("<htm"), SNPY_LOOK_TEXT},
    {T("<?xml version='1.0'?><Error><Code>NoSuchKey"), SNPY_LOOK_XML},
    {T("\x1f\x8b\x08\0"), SNPY_LOOK_GZIP},
    {T("BZh91AY"), SNPY_LOOK_BZIP2},
    {T("\xfd"
       "7zXZ\0\0"),
     SNPY_LOOK_XZ},
    {T("\x28\xb5\x2f\xfd\4"), SNPY_LOOK_ZSTD},
    {T("\x80\2}q\0."), SNPY_LOOK_PICKLE},
    {T("\x80\3]q\0."), SNPY_LOOK_PICKLE},
    {T("\x80\4\x95\x0b\0\0\0\0\0\0\0"), SNPY_LOOK_PICKLE},
    {T("\x80\5K\1."), SNPY_LOOK_PICKLE},
    {T("\x80\6K\1."), SNPY_LOOK_UNKNOWN},
    {T("(dp0\nS'a'\n"), SNPY_LOOK_PICKLE},
    {T("(lp1\n."), SNPY_LOOK_PICKLE},
    {T("cnumpy.core.multiarray\n_reconstruct\n"), SNPY_LOOK_PICKLE},
    {T("\x89HDF\r\n\x1a\n\0"), SNPY_LOOK_HDF5},
    {T("MATLAB 5.0 MAT-file, Platform"), SNPY_LOOK_MATLAB},
    {T("1,2,3\n4,5,6\n"), SNPY_LOOK_TEXT},
    {T("1,2,3\n\x7f"), SNPY_LOOK_UNKNOWN},
    {T("\xff\xd8\xff\xe0"), SNPY_LOOK_UNKNOWN},
};

static void recognises_each_kind(void **state)
{
    bool seen[SNPY_LOOK_TEXT + 1] = {false};
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *one = &samples[i];
        /* Exactly sized memory, so that a byte too many is found. */
        uint8_t *bytes = malloc(one->bytes.length + 1);
        assert_non_null(bytes);
        memcpy(bytes + 1, one->bytes.bytes, one->bytes.length);
        const snpy_look_kind found = snpy_looks_like(bytes + 1, one->bytes.length);
        free(bytes);
        expect_that(found == one->look, "sample %zu: %d, not %d\n", i, (int)found, (int)one->look);
        seen[one->look] = true;
    }
    for (int look = 0; look <= SNPY_LOOK_TEXT; look++) expect_that(seen[look], "no sample of kind %d\n", look);
    assert_int_equal(snpy_looks_like(NULL, 0), SNPY_LOOK_EMPTY);
}

/* What follows the first bytes changes nothing. */
static void uses_the_first_bytes_only(void **state)
{
    uint8_t bytes[SNPY_LOOK_BYTES + 1];
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    bytes[SNPY_LOOK_BYTES] = 0xff;
    assert_int_equal(snpy_looks_like(bytes, sizeof bytes), SNPY_LOOK_TEXT);
    bytes[SNPY_LOOK_BYTES - 1] = 0xff;
    assert_int_equal(snpy_looks_like(bytes, sizeof bytes), SNPY_LOOK_UNKNOWN);
}

static void has_words_for_each_kind(void **state)
{
    (void)state;
    for (int number = -1; number <= SNPY_LOOK_TEXT + 1; number++) {
        const snpy_look_kind look = (snpy_look_kind)number;
        const bool is_known = number > SNPY_LOOK_UNKNOWN && number <= SNPY_LOOK_TEXT;
        const bool has_hint = is_known && look != SNPY_LOOK_NPY && look != SNPY_LOOK_ZIP;
        assert_true((snpy_look_name(look) != NULL) == is_known);
        assert_true((snpy_look_noun(look) != NULL) == is_known);
        assert_true((snpy_look_hint(look) != NULL) == has_hint);
    }
    assert_string_equal(snpy_look_name(SNPY_LOOK_GIT_LFS), "git-lfs");
    assert_string_equal(snpy_look_noun(SNPY_LOOK_TEXT), "a text file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognises_each_kind),
        cmocka_unit_test(uses_the_first_bytes_only),
        cmocka_unit_test(has_words_for_each_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
