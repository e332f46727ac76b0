/* text.h: decodes and escapes characters of text from strangers. */
#ifndef SAFENPY_HOST_TEXT_H
#define SAFENPY_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How text is encoded. SNPY_TEXT_SURROGATES is UTF-8 that also allows surrogates, of three bytes each. */
typedef enum snpy_text_encoding { SNPY_TEXT_LATIN1, SNPY_TEXT_UTF8, SNPY_TEXT_SURROGATES } snpy_text_encoding;

/* Decodes one character. Sets *code and returns its length in bytes; 0 if the bytes are ill-formed. */
size_t snpy_text_decode(const uint8_t *bytes, size_t length, snpy_text_encoding encoding, uint32_t *code);

/* Whether a character may be shown as it is: not a control, not invisible, and not one that changes its neighbours. */
bool snpy_text_is_plain(uint32_t code);

/* Bytes of the longest escaped character, "\u{10ffff}", rounded up. */
#define SNPY_TEXT_ESCAPE_CAPACITY 12u

/* Writes a character as \xHH or \u{…}, without a NUL. Returns the number of bytes, which is also that of columns. */
size_t snpy_text_escape(uint32_t code, char out[SNPY_TEXT_ESCAPE_CAPACITY]);

#endif
