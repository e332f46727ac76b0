/* looks_like.c: recognises common files by their first bytes, to explain why they are not NPY or NPZ.       API-LOOK
 * tests/unit/test_looks_like.c tries each kind. The parsers alone decide what is accepted. */
#include "safenpy/looks_like.h"

#include <stdbool.h>
#include <string.h>

/* The bytes with which a kind of file begins. */
typedef struct snpy_signature {
    snpy_look_kind look;
    size_t length;
    const char *bytes;
} snpy_signature;

#define SIGNATURE(look, text)                    \
    {                                            \
        SNPY_LOOK_##look, sizeof(text) - 1, text \
    }

/* The first match counts. */
static const snpy_signature signatures[] = {
    SIGNATURE(NPY, "\x93NUMPY"),
    SIGNATURE(ZIP, "PK\x03\x04"),
    SIGNATURE(ZIP, "PK\x05\x06"), /* an archive without a member */
    /* The first byte is U+0093 in Latin-1 and invalid in UTF-8: decoding as UTF-8 makes a replacement character of it. */
    SIGNATURE(MANGLED, "\xc2\x93NUMPY"),
    SIGNATURE(MANGLED, "\xef\xbf\xbdNUMPY"),
    SIGNATURE(MANGLED, "?NUMPY"),
    SIGNATURE(GIT_LFS, "version https://git-lfs.github.com/spec/"),
    SIGNATURE(GZIP, "\x1f\x8b"),
    SIGNATURE(BZIP2, "BZh"),
    SIGNATURE(XZ, "\xfd"
                  "7zXZ\0"),
    SIGNATURE(ZSTD, "\x28\xb5\x2f\xfd"),
    SIGNATURE(HDF5, "\x89HDF\r\n\x1a\n"),
    SIGNATURE(MATLAB, "MATLAB 5.0 MAT-file"),
    /* Protocols 2 to 5 begin with the opcode PROTO, protocol 0 with a dict, a list, an array. */
    SIGNATURE(PICKLE, "\x80\x05"),
    SIGNATURE(PICKLE, "\x80\x04"),
    SIGNATURE(PICKLE, "\x80\x03"),
    SIGNATURE(PICKLE, "\x80\x02"),
    SIGNATURE(PICKLE, "(dp"),
    SIGNATURE(PICKLE, "(lp"),
    SIGNATURE(PICKLE, "cnumpy.core.multiarray\n"),
    SIGNATURE(XML, "<?xml"),
};

#undef SIGNATURE

/* Name, noun and hint of each kind, in the order of snpy_look_kind. */
static const struct {
    const char *name;
    const char *noun;
    const char *hint;
} words[] = {
    [SNPY_LOOK_EMPTY] = {"empty", "an empty file", "create or download the file again: nothing was written to it"},
    [SNPY_LOOK_ZEROS] = {"zeros", "a file of zero bytes",
                         "create or download the file again: its space was reserved, but nothing was written to it"},
    [SNPY_LOOK_NPY] = {"npy", "an NPY file", NULL},
    [SNPY_LOOK_ZIP] = {"zip", "a ZIP file", NULL},
    [SNPY_LOOK_MANGLED] = {"npy-as-text", "an NPY file that was converted as text",
                           "transfer the file again in binary mode: bytes were lost when it was decoded as text"},
    [SNPY_LOOK_GIT_LFS] = {"git-lfs", "a Git LFS pointer", "run 'git lfs pull' to download the file itself"},
    [SNPY_LOOK_HTML] = {"html", "an HTML page",
                        "download the file itself: the server sent a page, perhaps an error or a login form"},
    [SNPY_LOOK_XML] = {"xml", "an XML document",
                       "download the file itself: an XML document may be the error message of an object store"},
    [SNPY_LOOK_GZIP] = {"gzip", "a gzip file", "decompress it first: gzip -d"},
    [SNPY_LOOK_BZIP2] = {"bzip2", "a bzip2 file", "decompress it first: bzip2 -d"},
    [SNPY_LOOK_XZ] = {"xz", "an xz file", "decompress it first: xz -d"},
    [SNPY_LOOK_ZSTD] = {"zstd", "a Zstandard file", "decompress it first: zstd -d"},
    [SNPY_LOOK_PICKLE] = {"pickle", "a Python pickle",
                          "do not unpickle a file that you do not trust; ask its author for the arrays as NPY or NPZ"},
    [SNPY_LOOK_HDF5] = {"hdf5", "an HDF5 file", "read it with an HDF5 library, and save its arrays with numpy.save"},
    [SNPY_LOOK_MATLAB] = {"matlab", "a MATLAB file",
                          "read it with scipy.io.loadmat, and save its arrays with numpy.save"},
    [SNPY_LOOK_TEXT] = {"text", "a text file",
                        "if it holds numbers, read it with numpy.loadtxt and save them with numpy.save"},
};

/* Whether the bytes, after white space, begin with a word; `word` is in lower case, and case does not matter. */
static bool snpy_begins_with_word(const uint8_t *bytes, size_t length, const char *word)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r\n\f", bytes[at]) != NULL && bytes[at] != '\0') at++;
    size_t size = strlen(word);
    if (size > length - at) return false;
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = bytes[at + i];
        const uint8_t lower = byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
        if (lower != (uint8_t)word[i]) return false;
    }
    return true;
}

static bool snpy_is_zeros(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && bytes[at] == 0) at++;
    return at == length;
}

/* Whether all bytes are printable ASCII or white space. */
static bool snpy_is_ascii_text(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && ((bytes[at] >= 0x20 && bytes[at] < 0x7f) || (bytes[at] >= '\t' && bytes[at] <= '\r'))) at++;
    return at == length;
}

snpy_look_kind snpy_looks_like(const uint8_t *bytes, size_t length)
{
    if (length == 0) return SNPY_LOOK_EMPTY;
    if (length > SNPY_LOOK_BYTES) length = SNPY_LOOK_BYTES;
    for (size_t k = 0; k < sizeof signatures / sizeof signatures[0]; k++) {
        const snpy_signature *one = &signatures[k];
        if (one->length <= length && memcmp(bytes, one->bytes, one->length) == 0) return one->look;
    }
    if (snpy_begins_with_word(bytes, length, "<!doctype html") || snpy_begins_with_word(bytes, length, "<html"))
        return SNPY_LOOK_HTML;
    if (snpy_is_zeros(bytes, length)) return SNPY_LOOK_ZEROS;
    return snpy_is_ascii_text(bytes, length) ? SNPY_LOOK_TEXT : SNPY_LOOK_UNKNOWN;
}

/* Whether a kind is within the table: a caller may pass any number. */
static bool snpy_has_words(snpy_look_kind look)
{
    return (unsigned)look < sizeof words / sizeof words[0];
}

const char *snpy_look_name(snpy_look_kind look)
{
    return snpy_has_words(look) ? words[look].name : NULL;
}

const char *snpy_look_noun(snpy_look_kind look)
{
    return snpy_has_words(look) ? words[look].noun : NULL;
}

const char *snpy_look_hint(snpy_look_kind look)
{
    return snpy_has_words(look) ? words[look].hint : NULL;
}
