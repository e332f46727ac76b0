/* text.h: characters of text that strangers chose, and how a terminal can show them. */
#ifndef SAFENPY_HOST_TEXT_H
#define SAFENPY_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How text is encoded. Surrogates as three bytes each are characters only where names may hold them. */
enum snpy_text_encoding { SNPY_TEXT_LATIN1, SNPY_TEXT_UTF8, SNPY_TEXT_SURROGATES };

/* Decodes one character. Returns its bytes and sets *code, or returns 0 if the bytes are ill-formed. */
size_t snpy_text_decode(const uint8_t *bytes, size_t length, enum snpy_text_encoding encoding, uint32_t *code);

/* Whether a character is shown as it is: no control, none that nobody sees or that changes its neighbours. */
bool snpy_text_is_plain(uint32_t code);

/* Room for one escaped character: "\u{10ffff}". */
#define SNPY_TEXT_ESCAPE_ROOM 12u

/* Writes a character that must not be shown raw as \xHH or \u{…}; returns the columns it takes. */
size_t snpy_text_escape(uint32_t code, char out[SNPY_TEXT_ESCAPE_ROOM]);

#endif
