/* header.h: the dictionary and the whole header, as the provers know them. spec/npy.md, "Literal" and "Header";
 * spec/grammar.abnf, `header`.
 *
 * Logic only: the compiler sees an empty file. `t` is the header text of `n` bytes, `i` a position in it; each
 * function reads the text and nothing else. A part of the text has a status (SNPY_OK: it is well-formed) and a stop:
 * the byte behind it, or the byte at fault. The flags: `l` a suffix L may stand behind dimensions (versions 1.0 and
 * 2.0), `np` numpy-int, `ls` list-shape, `si` int-shape, `lf` list-field, `md` metadata, `most` the limit on nesting,
 * `io` int-fortran-order, `nb` numpy-bool; of type strings `no` native-order, `tn` type-names, `ba` bytes-alias,
 * `pf` platform-float. */
#ifndef SAFENPY_LOGIC_HEADER_H
#define SAFENPY_LOGIC_HEADER_H

#include "spec/logic/frame.h"
#include "spec/logic/record.h"

/* clang-format off */
/* The flags of lists of fields, of the dictionary, of type strings: as parameters, and handed on. */
#define RECORD_FLAGS boolean l, boolean np, boolean ls, boolean si, boolean lf, boolean md, integer most
#define DICT_FLAGS RECORD_FLAGS, boolean io, boolean nb
#define TYPE_FLAGS boolean no, boolean tn, boolean ba, boolean pf
#define IN_RECORD l, np, ls, si, lf, md, most
#define IN_DICT IN_RECORD, io, nb
#define IN_TYPE no, tn, ba, pf

/*@ // ---- the value of fortran_order

    // NPY-HDR-004: `True` or `False`: how long it is, 0 if neither stands there
    logic integer bool_length(uint8_t *t, integer n, integer i) =
        word5(t, n, i, 'F', 'a', 'l', 's', 'e') ? 5 :
        i + 4 <= n && t[i] == 'T' && t[i + 1] == 'r' && t[i + 2] == 'u' && t[i + 3] == 'e' ? 4 : 0;

    // NPY-COMPAT-002: `np.True_` or `np.False_`
    logic integer numpy_bool_length(uint8_t *t, integer n, integer i) =
        !(i + 3 <= n && t[i] == 'n' && t[i + 1] == 'p' && t[i + 2] == '.') ? 0 :
        \let m = bool_length(t, n, i + 3);
        m > 0 && i + 3 + m < n && t[i + 3 + m] == '_' ? m + 4 : 0;

    // NPY-COMPAT-001: `1` or `0`
    logic boolean order_digit(integer c) = c == '0' || c == '1';

    logic integer fortran_length(uint8_t *t, integer n, integer i, boolean io, boolean nb) =
        bool_length(t, n, i) > 0 ? bool_length(t, n, i) :
        io && order_digit(t[i]) ? 1 :
        nb ? numpy_bool_length(t, n, i) : 0;
    logic boolean fortran_value(uint8_t *t, integer n, integer i, boolean io) =
        bool_length(t, n, i) > 0 ? bool_length(t, n, i) == 4 :
        io && order_digit(t[i]) ? t[i] == '1' : bool_length(t, n, i + 3) == 4;

    logic integer fortran_status(uint8_t *t, integer n, integer i, boolean io, boolean nb) =
        fortran_length(t, n, i, io, nb) > 0 ? SNPY_OK : SNPY_BAD_FORTRAN_ORDER;
    logic integer fortran_stop(uint8_t *t, integer n, integer i, boolean io, boolean nb) =
        i + fortran_length(t, n, i, io, nb);

    // ---- the value of descr: a type string, or a list of fields

    // NPY-LIT-012, NPY-LIT-013
    logic boolean is_list(uint8_t *t, integer i) = t[i] == '[';
    logic integer descr_status(uint8_t *t, integer n, integer i, RECORD_FLAGS) =
        is_list(t, i) ? record_status(t, n, i, IN_RECORD) :
        t[i] == '(' ? SNPY_TOP_LEVEL_SUBARRAY : type_string_status(t, n, i);
    logic integer descr_stop(uint8_t *t, integer n, integer i, RECORD_FLAGS) =
        is_list(t, i) ? record_stop(t, n, i, IN_RECORD) :
        t[i] == '(' ? i : type_string_stop(t, n, i);

    // of a well-formed one: the first refusal of a type string in it, and where
    logic integer descr_type_status(uint8_t *t, integer n, integer i, RECORD_FLAGS, TYPE_FLAGS) =
        is_list(t, i) ? record_type_status(t, n, i, IN_RECORD, IN_TYPE)
                      : simple_status(t, n, i, \false, IN_TYPE);
    logic integer descr_type_at(uint8_t *t, integer n, integer i, RECORD_FLAGS, TYPE_FLAGS) =
        is_list(t, i) ? record_type_at(t, n, i, IN_RECORD, IN_TYPE)
                      : simple_at(t, n, i, \false, IN_TYPE);

    // ---- keys and values

    // the key at i, with its quotes: 1 descr, 2 fortran_order, 3 shape, 0 none of them
    logic integer key_of(uint8_t *t, integer n, integer i) =
        \let start = quote_stop(t, n, i);
        key_at(t, n, start, t[start - 1]);
    // behind its closing quote
    logic integer key_end(uint8_t *t, integer n, integer i) =
        quote_stop(t, n, i) + key_length(key_of(t, n, i)) + 1;

    // NPY-HDR-002: `d`, `o` and `s` are where the values of the keys stand that were read before, 0 for none
    logic boolean key_seen(integer key, integer d, integer o, integer s) =
        key == 1 ? d != 0 : key == 3 ? s != 0 : o != 0;

    // NPY-LIT-004, NPY-HDR-001, NPY-HDR-002: the key at i, and the byte at fault if it is none that may stand there
    logic integer name_of_key_status(uint8_t *t, integer n, integer i, integer d, integer o, integer s) =
        quote_status(t, n, i) != SNPY_OK ? quote_status(t, n, i) :
        key_of(t, n, i) == 0 ? SNPY_UNKNOWN_KEY :
        key_seen(key_of(t, n, i), d, o, s) ? SNPY_DUPLICATE_KEY : SNPY_OK;
    logic integer name_of_key_at(uint8_t *t, integer n, integer i) =
        quote_status(t, n, i) != SNPY_OK ? quote_stop(t, n, i) : quote_stop(t, n, i) - 1;

    // NPY-LIT-009: a colon, blanks around it, and behind them something
    logic integer colon_value(uint8_t *t, integer n, integer i) = blanks_end(t, n, blanks_end(t, n, i) + 1);
    logic integer colon_status(uint8_t *t, integer n, integer i) =
        blanks_end(t, n, i) >= n ? SNPY_UNEXPECTED_END :
        t[blanks_end(t, n, i)] != ':' ? SNPY_EXPECTED_COLON :
        colon_value(t, n, i) >= n ? SNPY_UNEXPECTED_END : SNPY_OK;
    logic integer colon_stop(uint8_t *t, integer n, integer i) =
        blanks_end(t, n, i) >= n || t[blanks_end(t, n, i)] != ':' ? blanks_end(t, n, i) : colon_value(t, n, i);

    // a key with its colon, up to its value
    logic integer key_status(uint8_t *t, integer n, integer i, integer d, integer o, integer s) =
        name_of_key_status(t, n, i, d, o, s) != SNPY_OK ? name_of_key_status(t, n, i, d, o, s) :
        colon_status(t, n, key_end(t, n, i));
    logic integer key_stop(uint8_t *t, integer n, integer i, integer d, integer o, integer s) =
        name_of_key_status(t, n, i, d, o, s) != SNPY_OK ? name_of_key_at(t, n, i) :
        colon_stop(t, n, key_end(t, n, i));
    logic integer value_at(uint8_t *t, integer n, integer i) = colon_value(t, n, key_end(t, n, i));

    logic integer value_status(uint8_t *t, integer n, integer i, integer key, DICT_FLAGS) =
        key == 1 ? descr_status(t, n, i, IN_RECORD) :
        key == 3 ? shape_status(t, n, i, ls, l, np) : fortran_status(t, n, i, io, nb);
    logic integer value_stop(uint8_t *t, integer n, integer i, integer key, DICT_FLAGS) =
        key == 1 ? descr_stop(t, n, i, IN_RECORD) :
        key == 3 ? shape_stop(t, n, i, ls, l, np) : fortran_stop(t, n, i, io, nb);

    // ---- entries: a key and its value

    logic integer entry_status(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        key_status(t, n, i, d, o, s) != SNPY_OK ? key_status(t, n, i, d, o, s) :
        value_status(t, n, value_at(t, n, i), key_of(t, n, i), IN_DICT);
    logic integer entry_stop(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        key_status(t, n, i, d, o, s) != SNPY_OK ? key_stop(t, n, i, d, o, s) :
        value_stop(t, n, value_at(t, n, i), key_of(t, n, i), IN_DICT);

    // NPY-LIT-010: a comma behind an entry, which may be missing behind the last one, and the blanks around it
    logic boolean entries_end(uint8_t *t, integer n, integer i) = i >= n || t[i] == '}';
    logic integer entry_comma_status(uint8_t *t, integer n, integer i) =
        \let at = blanks_end(t, n, i);
        entries_end(t, n, at) || t[at] == ',' ? SNPY_OK : SNPY_EXPECTED_COMMA;
    logic integer entry_comma_stop(uint8_t *t, integer n, integer i) =
        \let at = blanks_end(t, n, i);
        at < n && t[at] == ',' ? blanks_end(t, n, at + 1) : at;

    // an entry with its comma
    logic integer step_status(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entry_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? entry_status(t, n, i, d, o, s, IN_DICT) :
        entry_comma_status(t, n, entry_stop(t, n, i, d, o, s, IN_DICT));
    logic integer step_stop(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entry_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? entry_stop(t, n, i, d, o, s, IN_DICT) :
        entry_comma_stop(t, n, entry_stop(t, n, i, d, o, s, IN_DICT));
    logic integer step_length(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        step_stop(t, n, i, d, o, s, IN_DICT) - i;
    // where the value of `key` stands when the entry at i has been read
    logic integer seen_behind(uint8_t *t, integer n, integer i, integer key, integer before) =
        key_of(t, n, i) == key ? value_at(t, n, i) : before;

    // all entries from i on: status and stop, and where the values of the three keys stand, 0 for none
    // tail call
    logic integer entries_status(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entries_end(t, n, i) ? SNPY_OK :
        step_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? step_status(t, n, i, d, o, s, IN_DICT) :
        entries_status(t, n, i + step_length(t, n, i, d, o, s, IN_DICT), seen_behind(t, n, i, 1, d),
                       seen_behind(t, n, i, 2, o), seen_behind(t, n, i, 3, s), IN_DICT);
    // tail call
    logic integer entries_stop(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entries_end(t, n, i) ? i :
        step_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? step_stop(t, n, i, d, o, s, IN_DICT) :
        entries_stop(t, n, i + step_length(t, n, i, d, o, s, IN_DICT), seen_behind(t, n, i, 1, d),
                     seen_behind(t, n, i, 2, o), seen_behind(t, n, i, 3, s), IN_DICT);
    // tail call
    logic integer entries_descr(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entries_end(t, n, i) || step_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? d :
        entries_descr(t, n, i + step_length(t, n, i, d, o, s, IN_DICT), seen_behind(t, n, i, 1, d),
                      seen_behind(t, n, i, 2, o), seen_behind(t, n, i, 3, s), IN_DICT);
    // tail call
    logic integer entries_order(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entries_end(t, n, i) || step_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? o :
        entries_order(t, n, i + step_length(t, n, i, d, o, s, IN_DICT), seen_behind(t, n, i, 1, d),
                      seen_behind(t, n, i, 2, o), seen_behind(t, n, i, 3, s), IN_DICT);
    // tail call
    logic integer entries_shape(uint8_t *t, integer n, integer i, integer d, integer o, integer s, DICT_FLAGS) =
        entries_end(t, n, i) || step_status(t, n, i, d, o, s, IN_DICT) != SNPY_OK ? s :
        entries_shape(t, n, i + step_length(t, n, i, d, o, s, IN_DICT), seen_behind(t, n, i, 1, d),
                      seen_behind(t, n, i, 2, o), seen_behind(t, n, i, 3, s), IN_DICT);

    // ---- the dictionary

    // NPY-LIT-001, NPY-LIT-003, NPY-HDR-003: what ends it at i, and what stands behind it
    logic integer end_status(uint8_t *t, integer n, integer i, integer d, integer o, integer s) =
        i >= n ? SNPY_UNEXPECTED_END :
        d == 0 || o == 0 || s == 0 ? SNPY_MISSING_KEY :
        blanks_end(t, n, i + 1) < n ? SNPY_TRAILING_TEXT : SNPY_OK;
    logic integer end_stop(uint8_t *t, integer n, integer i, integer d, integer o, integer s) =
        i >= n || d == 0 || o == 0 || s == 0 ? i : blanks_end(t, n, i + 1);

    // NPY-LIT-001, NPY-LIT-002: where its first entry begins, and where the values of its keys stand
    logic integer first_entry(uint8_t *t, integer n) = blanks_end(t, n, 1);
    logic integer dict_descr(uint8_t *t, integer n, DICT_FLAGS) =
        entries_descr(t, n, first_entry(t, n), 0, 0, 0, IN_DICT);
    logic integer dict_order(uint8_t *t, integer n, DICT_FLAGS) =
        entries_order(t, n, first_entry(t, n), 0, 0, 0, IN_DICT);
    logic integer dict_shape(uint8_t *t, integer n, DICT_FLAGS) =
        entries_shape(t, n, first_entry(t, n), 0, 0, 0, IN_DICT);

    // the entries, and all that stands behind the opening brace
    logic integer inside_entries_status(uint8_t *t, integer n, DICT_FLAGS) =
        entries_status(t, n, first_entry(t, n), 0, 0, 0, IN_DICT);
    logic integer inside_entries_stop(uint8_t *t, integer n, DICT_FLAGS) =
        entries_stop(t, n, first_entry(t, n), 0, 0, 0, IN_DICT);
    logic integer inside_status(uint8_t *t, integer n, DICT_FLAGS) =
        inside_entries_status(t, n, IN_DICT) != SNPY_OK ? inside_entries_status(t, n, IN_DICT) :
        end_status(t, n, inside_entries_stop(t, n, IN_DICT), dict_descr(t, n, IN_DICT), dict_order(t, n, IN_DICT),
                   dict_shape(t, n, IN_DICT));
    logic integer inside_stop(uint8_t *t, integer n, DICT_FLAGS) =
        inside_entries_status(t, n, IN_DICT) != SNPY_OK ? inside_entries_stop(t, n, IN_DICT) :
        end_stop(t, n, inside_entries_stop(t, n, IN_DICT), dict_descr(t, n, IN_DICT), dict_order(t, n, IN_DICT),
                 dict_shape(t, n, IN_DICT));

    // NPY-LIT-001, NPY-LIT-002: the whole
    logic integer dict_status(uint8_t *t, integer n, DICT_FLAGS) =
        n <= 0 ? SNPY_UNEXPECTED_END : t[0] != '{' ? SNPY_NOT_A_DICT : inside_status(t, n, IN_DICT);
    logic integer dict_stop(uint8_t *t, integer n, DICT_FLAGS) =
        n <= 0 || t[0] != '{' ? 0 : inside_stop(t, n, IN_DICT);

    // ---- the text: NPY-FRAME-007 in version 3.0, the one without suffixes, and the dictionary

    logic boolean long_allowed(uint8_t *b) = b[6] < 3;
    logic boolean bad_utf8(uint8_t *t, integer n, boolean l) = !l && utf8_end(t, n, 0) < n;
    logic integer text_status(uint8_t *t, integer n, DICT_FLAGS) =
        bad_utf8(t, n, l) ? SNPY_BAD_UTF8 : dict_status(t, n, IN_DICT);
    logic integer text_stop(uint8_t *t, integer n, DICT_FLAGS) =
        bad_utf8(t, n, l) ? utf8_end(t, n, 0) : dict_stop(t, n, IN_DICT);

    // ---- the sizes of an array of a simple type of so many bytes, whose text and type are sound; its shape is at i

    logic integer array_bytes(uint8_t *t, integer n, integer i, boolean l, boolean np, integer kind, integer size) =
        kind == 'O' ? 0 : shape_product(t, n, i, l, np, shape_ndim(t, n, i, l, np)) * size;
    // NPY-SHAPE-001, NPY-SHAPE-004, NPY-DATA-004
    logic integer array_status(uint8_t *t, integer n, integer i, boolean l, boolean np, integer kind, integer size,
                               integer most_dims, integer most_bytes) =
        shape_ndim(t, n, i, l, np) > most_dims ? SNPY_TOO_MANY_DIMENSIONS :
        shape_extent(t, n, i, l, np, shape_ndim(t, n, i, l, np), at_least_one(size)) > SNPY_MAX_SIZE ? SNPY_SIZE_OVERFLOW :
        array_bytes(t, n, i, l, np, kind, size) > most_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK;
    logic integer array_fault(uint8_t *t, integer n, integer i, boolean l, boolean np, integer size, integer most_dims) =
        shape_ndim(t, n, i, l, np) > most_dims ? shape_dim_at(t, n, i, l, np, most_dims) :
        shape_extent(t, n, i, l, np, shape_ndim(t, n, i, l, np), at_least_one(size)) > SNPY_MAX_SIZE
            ? overflow_at(t, n, i, l, np, 0, at_least_one(size), SNPY_MAX_SIZE) : n;
*/
/* clang-format on */

#endif
