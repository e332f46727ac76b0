/* record.h: structured dtypes, as the provers know them. spec/npy.md, "Literal"; spec/grammar.abnf, `record`.
 *
 * Logic only: the compiler sees an empty file. Each function reads the input and nothing else: `t` is the header
 * text of `n` bytes, `i` a position in it. Every part of a record has a status (SNPY_OK: it is well-formed) and a
 * stop: the byte behind it, or the byte at fault. The options that bear on it: `l` allows the suffix L, `np` is the
 * flag numpy-int, `ls` list-shape, `ints` int-shape, `lf` list-field, `md` metadata; `most` is the limit on depth. */
#ifndef SAFENPY_LOGIC_RECORD_H
#define SAFENPY_LOGIC_RECORD_H

#include "spec/logic/dtype.h"
#include "spec/logic/shape.h"

/* What may follow in the text. */
#define STATE_TYPE 0 /* a type must follow; its name has been read */
#define STATE_ITEM 1 /* behind '[' or a comma of a list: a field or ']' */
#define STATE_TAIL 2 /* behind a type: a shape or the end of its tuple */
#define STATE_NEXT 3 /* behind a field: a comma or ']' */

/* The forms of types. */
#define FORM_SIMPLE 0
#define FORM_LIST 1
#define FORM_TUPLE 2

/* What is known of an entry. */
#define ENTRY_PLACE 0 /* the offset of its type */
#define ENTRY_DEPTH 1 /* the number of types around it */
#define ENTRY_HEAD 2  /* the offset of its field, 0 if it has none */

/* clang-format off */
#define RECORD_FLAGS_IN boolean l, boolean np, boolean ls, boolean ints, boolean lf, boolean md, integer most
#define RECORD_INPUT uint8_t *t, integer n, RECORD_FLAGS_IN
#define INPUT t, n, l, np, ls, ints, lf, md, most
#define RECORD_STATE integer i, integer st, integer f, integer d, integer tu, integer br, integer h
#define STATE i, st, f, d, tu, br, h
#define NEXT_STATE i + step_length(INPUT, STATE), next_state(t, n, i, st, tu), next_form(t, n, i, st, f, tu, br, md), \
    next_depth(t, n, i, st, d, tu), next_tuples(t, n, i, st, tu), next_brackets(t, n, i, st, tu, br),        \
    next_head(t, n, i, st, h)
#define FIRST_STATE i, STATE_TYPE, FORM_SIMPLE, 0, 0, 0, 0
#define RECORD_AT uint8_t *t, integer n, integer i, RECORD_FLAGS_IN
#define TYPE_FLAGS_IN boolean no, boolean tn, boolean ba, boolean pf
#define TYPE_FLAGS no, tn, ba, pf

/*@ // ---- the end of a tuple

    // NPY-LIT-010, NPY-LIT-011: behind its last part a comma or none, and its bracket `c`
    logic integer close_at(uint8_t *t, integer n, integer i) =
        \let j = blanks_end(t, n, i);
        j < n && t[j] == ',' ? blanks_end(t, n, j + 1) : j;
    logic integer close_status(uint8_t *t, integer n, integer i, integer c) =
        \let j = close_at(t, n, i);
        j >= n ? SNPY_UNEXPECTED_END : t[j] == c ? SNPY_OK : SNPY_EXPECTED_CLOSE;
    logic integer close_stop(uint8_t *t, integer n, integer i, integer c) =
        close_status(t, n, i, c) == SNPY_OK ? close_at(t, n, i) + 1 : close_at(t, n, i);

    // the comma behind a part that ends at i
    logic integer comma_status(uint8_t *t, integer n, integer i) =
        \let j = blanks_end(t, n, i);
        j >= n ? SNPY_UNEXPECTED_END : t[j] == ',' ? SNPY_OK : SNPY_EXPECTED_COMMA;

    // ---- names

    // NPY-LIT-004, NPY-LIT-011: a pair of title and name, from behind its parenthesis on
    logic integer pair_title(uint8_t *t, integer n, integer i) = blanks_end(t, n, i);
    logic integer pair_title_end(uint8_t *t, integer n, integer i) = string_stop(t, n, pair_title(t, n, i));
    logic integer pair_comma(uint8_t *t, integer n, integer i) = blanks_end(t, n, pair_title_end(t, n, i));
    logic integer pair_name(uint8_t *t, integer n, integer i) = blanks_end(t, n, pair_comma(t, n, i) + 1);
    logic integer pair_name_end(uint8_t *t, integer n, integer i) = string_stop(t, n, pair_name(t, n, i));
    logic boolean pair_begins(uint8_t *t, integer n, integer i) =
        string_status(t, n, pair_title(t, n, i)) == SNPY_OK && comma_status(t, n, pair_title_end(t, n, i)) == SNPY_OK;
    logic integer pair_status(uint8_t *t, integer n, integer i) =
        string_status(t, n, pair_title(t, n, i)) != SNPY_OK ? string_status(t, n, pair_title(t, n, i)) :
        comma_status(t, n, pair_title_end(t, n, i)) != SNPY_OK ? comma_status(t, n, pair_title_end(t, n, i)) :
        string_status(t, n, pair_name(t, n, i)) != SNPY_OK ? string_status(t, n, pair_name(t, n, i)) :
        close_status(t, n, pair_name_end(t, n, i), ')');
    logic integer pair_stop(uint8_t *t, integer n, integer i) =
        string_status(t, n, pair_title(t, n, i)) != SNPY_OK ? pair_title_end(t, n, i) :
        comma_status(t, n, pair_title_end(t, n, i)) != SNPY_OK ? pair_comma(t, n, i) :
        string_status(t, n, pair_name(t, n, i)) != SNPY_OK ? pair_name_end(t, n, i) :
        close_stop(t, n, pair_name_end(t, n, i), ')');

    // NPY-LIT-014: a name, or a pair of title and name
    logic boolean is_pair(uint8_t *t, integer i) = t[i] == '(';
    logic integer names_status(uint8_t *t, integer n, integer i) =
        is_pair(t, i) ? pair_status(t, n, i + 1) : string_status(t, n, i);
    logic integer names_stop(uint8_t *t, integer n, integer i) =
        is_pair(t, i) ? pair_stop(t, n, i + 1) : string_stop(t, n, i);
    // where the name stands in it, with its quotes
    logic integer name_of(uint8_t *t, integer n, integer i) = is_pair(t, i) ? pair_name(t, n, i + 1) : i;
    logic integer title_of(uint8_t *t, integer n, integer i) = pair_title(t, n, i + 1);
    // what stands between the quotes of a string
    logic integer span_offset(uint8_t *t, integer n, integer i) = quote_stop(t, n, i);
    logic integer span_length(uint8_t *t, integer n, integer i) = string_stop(t, n, i) - 1 - quote_stop(t, n, i);

    // NPY-LIT-010, NPY-LIT-014: a field from behind its opening bracket to the first byte of its type
    logic integer head_names(uint8_t *t, integer n, integer i) = blanks_end(t, n, i);
    logic integer head_names_end(uint8_t *t, integer n, integer i) = names_stop(t, n, head_names(t, n, i));
    logic integer head_comma(uint8_t *t, integer n, integer i) = blanks_end(t, n, head_names_end(t, n, i));
    logic integer head_status(uint8_t *t, integer n, integer i) =
        head_names(t, n, i) >= n ? SNPY_UNEXPECTED_END :
        names_status(t, n, head_names(t, n, i)) != SNPY_OK ? names_status(t, n, head_names(t, n, i)) :
        comma_status(t, n, head_names_end(t, n, i));
    logic integer head_stop(uint8_t *t, integer n, integer i) =
        head_names(t, n, i) >= n ? head_names(t, n, i) :
        names_status(t, n, head_names(t, n, i)) != SNPY_OK ? head_names_end(t, n, i) :
        comma_status(t, n, head_names_end(t, n, i)) != SNPY_OK ? head_comma(t, n, i) :
        blanks_end(t, n, head_comma(t, n, i) + 1);
    // of a sound head: its title, if it has one, and its name
    logic boolean head_has_title(uint8_t *t, integer n, integer i) = is_pair(t, head_names(t, n, i));
    logic integer head_title(uint8_t *t, integer n, integer i) = title_of(t, n, head_names(t, n, i));
    logic integer head_name(uint8_t *t, integer n, integer i) = name_of(t, n, head_names(t, n, i));

    // ---- metadata

    // the dictionary of the flag `metadata`, skipped: brackets balanced, strings as strings. The bracket that closes
    // it, the string at fault, or the end of the text; `open` brackets are open
    logic boolean opening_bracket(integer c) = c == '(' || c == '[' || c == '{';
    logic boolean closing_bracket(integer c) = c == ')' || c == ']' || c == '}';
    logic integer metadata_length(uint8_t *t, integer n, integer i) =
        quote_mark(t[i]) ? string_stop(t, n, i) - i : 1;
    logic boolean metadata_ends(uint8_t *t, integer n, integer i, integer open) =
        i >= n || (quote_mark(t[i]) ? string_status(t, n, i) != SNPY_OK : closing_bracket(t[i]) && open <= 1);
    logic integer metadata_open(integer c, integer open) =
        opening_bracket(c) ? open + 1 : closing_bracket(c) ? open - 1 : open;
    logic integer metadata_after(uint8_t *t, integer i, integer open) =
        quote_mark(t[i]) ? open : metadata_open(t[i], open);
    // tail call
    logic integer metadata_last(uint8_t *t, integer n, integer i, integer open) =
        metadata_ends(t, n, i, open) ? i
        : metadata_last(t, n, i + metadata_length(t, n, i), metadata_after(t, i, open));
    logic integer metadata_status(uint8_t *t, integer n, integer i) =
        \let e = metadata_last(t, n, i, 0);
        e >= n ? SNPY_UNEXPECTED_END : quote_mark(t[e]) ? string_status(t, n, e) : SNPY_OK;
    logic integer metadata_stop(uint8_t *t, integer n, integer i) =
        \let e = metadata_last(t, n, i, 0);
        e >= n ? n : e + metadata_length(t, n, e);

    // ---- sub-array shapes

    // NPY-LIT-019, NPY-LIT-020, NPY-LIT-023: an integer in place of the shape (flag int-shape)
    logic integer int_shape_status(uint8_t *t, integer n, integer i, boolean l) =
        \let e = digits_end(t, n, i);
        t[i] == '0' && e > i + 1 ? SNPY_LEADING_ZERO :
        dec(t, i, e) == 1 ? SNPY_ONE_AS_SHAPE :
        e < n && t[e] == 'L' && !l ? SNPY_LONG_SUFFIX : SNPY_OK;
    logic integer int_shape_stop(uint8_t *t, integer n, integer i, boolean l) =
        \let e = digits_end(t, n, i);
        int_shape_status(t, n, i, l) == SNPY_OK ? (e < n && t[e] == 'L' ? e + 1 : e) :
        int_shape_status(t, n, i, l) == SNPY_LONG_SUFFIX ? e : i;

    // NPY-LIT-022: a shape in brackets; `needed` says that it must have a dimension
    logic integer bracket_shape_status(uint8_t *t, integer n, integer i, boolean needed, boolean l, boolean np) =
        items_status(t, n, i, l, np) != SNPY_OK ? items_status(t, n, i, l, np) :
        needed && shape_ndim(t, n, i, l, np) == 0 ? SNPY_SUBARRAY_NEEDS_SHAPE : SNPY_OK;
    logic integer bracket_shape_stop(uint8_t *t, integer n, integer i, boolean needed, boolean l, boolean np) =
        bracket_shape_status(t, n, i, needed, l, np) == SNPY_SUBARRAY_NEEDS_SHAPE ? i : items_stop(t, n, i, l, np);

    // NPY-LIT-015: in whatever spelling the flags allow
    logic boolean is_int_shape(uint8_t *t, integer i, boolean ints) = digit(t[i]) && ints;
    logic integer sub_status(uint8_t *t, integer n, integer i, boolean needed, boolean l, boolean np, boolean ls,
                             boolean ints) =
        is_int_shape(t, i, ints) ? int_shape_status(t, n, i, l) :
        !shape_opens(t, i, ls) ? SNPY_EXPECTED_SHAPE : bracket_shape_status(t, n, i, needed, l, np);
    logic integer sub_stop(uint8_t *t, integer n, integer i, boolean needed, boolean l, boolean np, boolean ls,
                           boolean ints) =
        is_int_shape(t, i, ints) ? int_shape_stop(t, n, i, l) :
        !shape_opens(t, i, ls) ? i : bracket_shape_stop(t, n, i, needed, l, np);
    // of a sound one: how many dimensions, and each as the table keeps it, -1 for too large a one
    logic integer sub_ndim(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        digit(t[i]) ? 1 : shape_ndim(t, n, i, l, np);
    logic integer kept_dim(integer value) = value > 0x7fffffff ? -1 : value;
    logic integer sub_dim(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k) =
        kept_dim(digit(t[i]) ? dec(t, i, digits_end(t, n, i)) : shape_dim(t, n, i, l, np, k));
    // what stands at j in the table of dimensions, if those of the shape begin there at `first`
    logic integer table_dim(uint8_t *t, integer n, integer i, boolean l, boolean np, integer first, integer j) =
        sub_dim(t, n, i, l, np, j - first);

    // ---- what stands behind a type

    // NPY-LIT-010: a comma in front of a shape, or the bracket `c`; the stop is at the shape or the bracket
    logic integer separator_status(uint8_t *t, integer n, integer i, integer c) =
        \let j = blanks_end(t, n, i);
        j >= n ? SNPY_UNEXPECTED_END :
        t[j] == c ? SNPY_OK :
        t[j] != ',' ? SNPY_EXPECTED_COMMA :
        blanks_end(t, n, j + 1) >= n ? SNPY_UNEXPECTED_END : SNPY_OK;
    logic integer separator_stop(uint8_t *t, integer n, integer i, integer c) =
        \let j = blanks_end(t, n, i);
        j < n && t[j] != c && t[j] == ',' ? blanks_end(t, n, j + 1) : j;

    // NPY-LIT-011, NPY-LIT-015: a shape, or metadata where it `may` stand, and the end of the tuple
    logic boolean is_metadata(uint8_t *t, integer i, boolean may) = t[i] == '{' && may;
    logic integer part_status(uint8_t *t, integer n, integer i, boolean needed, boolean may, boolean l, boolean np,
                              boolean ls, boolean ints) =
        is_metadata(t, i, may) ? metadata_status(t, n, i) : sub_status(t, n, i, needed, l, np, ls, ints);
    logic integer part_stop(uint8_t *t, integer n, integer i, boolean needed, boolean may, boolean l, boolean np,
                            boolean ls, boolean ints) =
        is_metadata(t, i, may) ? metadata_stop(t, n, i) : sub_stop(t, n, i, needed, l, np, ls, ints);
    logic integer last_status(uint8_t *t, integer n, integer i, integer c, boolean needed, boolean may, boolean l,
                              boolean np, boolean ls, boolean ints) =
        part_status(t, n, i, needed, may, l, np, ls, ints) != SNPY_OK
            ? part_status(t, n, i, needed, may, l, np, ls, ints) :
        close_status(t, n, part_stop(t, n, i, needed, may, l, np, ls, ints), c);
    logic integer last_stop(uint8_t *t, integer n, integer i, integer c, boolean needed, boolean may, boolean l,
                            boolean np, boolean ls, boolean ints) =
        part_status(t, n, i, needed, may, l, np, ls, ints) != SNPY_OK
            ? part_stop(t, n, i, needed, may, l, np, ls, ints) :
        close_stop(t, n, part_stop(t, n, i, needed, may, l, np, ls, ints), c);

    // NPY-LIT-022: all of it, from behind the type to behind the tuple's bracket `c`
    logic boolean tail_closes(uint8_t *t, integer n, integer i, integer c) = t[separator_stop(t, n, i, c)] == c;
    logic integer tail_status(uint8_t *t, integer n, integer i, integer c, boolean needed, boolean may, boolean l,
                              boolean np, boolean ls, boolean ints) =
        separator_status(t, n, i, c) != SNPY_OK ? separator_status(t, n, i, c) :
        tail_closes(t, n, i, c) ? (needed ? SNPY_SUBARRAY_NEEDS_SHAPE : SNPY_OK) :
        last_status(t, n, separator_stop(t, n, i, c), c, needed, may, l, np, ls, ints);
    logic integer tail_stop(uint8_t *t, integer n, integer i, integer c, boolean needed, boolean may, boolean l,
                            boolean np, boolean ls, boolean ints) =
        separator_status(t, n, i, c) != SNPY_OK ? separator_stop(t, n, i, c) :
        tail_closes(t, n, i, c) ? (needed ? separator_stop(t, n, i, c) : separator_stop(t, n, i, c) + 1) :
        last_stop(t, n, separator_stop(t, n, i, c), c, needed, may, l, np, ls, ints);
    // of a sound one: whether it holds metadata, how many dimensions, and where the shape stands (0: nowhere)
    logic boolean tail_is_metadata(uint8_t *t, integer n, integer i, integer c, boolean may) =
        !tail_closes(t, n, i, c) && is_metadata(t, separator_stop(t, n, i, c), may);
    logic integer tail_ndim(uint8_t *t, integer n, integer i, integer c, boolean may, boolean l, boolean np) =
        tail_closes(t, n, i, c) || is_metadata(t, separator_stop(t, n, i, c), may)
            ? 0 : sub_ndim(t, n, separator_stop(t, n, i, c), l, np);
    logic integer tail_shape_at(uint8_t *t, integer n, integer i, integer c, boolean may) =
        tail_closes(t, n, i, c) || is_metadata(t, separator_stop(t, n, i, c), may) ? 0 : separator_stop(t, n, i, c);

    // ---- the automaton: one step

    // A pushdown automaton reads a record. Its state: the place `i` in the text; what must follow, `st`; the form of
    // the type that was read last, `f`; the number of lists and tuples that are open, `d`; for each of these, as the
    // binary digits of two numbers, the innermost last, whether it is a tuple, `tu`, and whether the field that was
    // read last in it ends with a bracket, `br`; the field's opening bracket, `h`, 0 for the type inside a tuple.

    logic integer form_at(uint8_t *t, integer i) =
        t[i] == '[' ? FORM_LIST : t[i] == '(' ? FORM_TUPLE : FORM_SIMPLE;

    // NPY-LIT-012, NPY-LIT-021: a type, whole if it is a string, else its bracket; `nest` says that one may open
    logic integer opening_status(uint8_t *t, integer n, integer i, boolean nest) =
        i >= n ? SNPY_UNEXPECTED_END :
        form_at(t, i) == FORM_SIMPLE ? type_string_status(t, n, i) : nest ? SNPY_OK : SNPY_TOO_DEEP;
    logic integer opening_stop(uint8_t *t, integer n, integer i, boolean nest) =
        i >= n ? i :
        form_at(t, i) == FORM_SIMPLE ? type_string_stop(t, n, i) : nest ? blanks_end(t, n, i + 1) : i;
    // what is wrong with the type string, if it is one
    logic integer opening_type_status(uint8_t *t, integer n, integer i, boolean unnamed, boolean no, boolean tn,
                                      boolean ba, boolean pf) =
        form_at(t, i) == FORM_SIMPLE ? simple_status(t, n, i, unnamed, no, tn, ba, pf) : SNPY_OK;

    // what the table keeps of a sound type; a list or a tuple has no size of its own
    logic integer entry_kind(uint8_t *t, integer n, integer i) =
        form_at(t, i) == FORM_LIST ? SNPY_KIND_RECORD :
        form_at(t, i) == FORM_TUPLE ? SNPY_KIND_SUBARRAY : simple_kind(t, n, i);
    logic integer entry_byteorder(uint8_t *t, integer n, integer i) =
        form_at(t, i) == FORM_SIMPLE ? simple_byteorder(t, n, i) : '|';
    logic integer entry_itemsize(uint8_t *t, integer n, integer i) =
        form_at(t, i) == FORM_SIMPLE ? simple_itemsize(t, n, i) : 0;
    logic integer entry_unit(uint8_t *t, integer n, integer i) =
        form_at(t, i) == FORM_SIMPLE ? simple_unit(t, n, i) : SNPY_UNIT_GENERIC;
    logic integer entry_multiplier(uint8_t *t, integer n, integer i) =
        form_at(t, i) == FORM_SIMPLE ? simple_multiplier(t, n, i) : 0;

    // NPY-LIT-014: a field up to its type, or the end of the list
    logic boolean ends_list(uint8_t *t, integer n, integer i) =
        blanks_end(t, n, i) < n && t[blanks_end(t, n, i)] == ']';
    logic boolean opens_field(uint8_t *t, integer j, boolean lf) = t[j] == '(' || (t[j] == '[' && lf);
    logic integer item_begin_status(uint8_t *t, integer n, integer j, boolean lf) =
        j >= n ? SNPY_UNEXPECTED_END : t[j] == ']' ? SNPY_OK :
        !opens_field(t, j, lf) ? SNPY_EXPECTED_FIELD : head_status(t, n, j + 1);
    logic integer item_begin_stop(uint8_t *t, integer n, integer j, boolean lf) =
        j >= n ? j : t[j] == ']' ? j + 1 : !opens_field(t, j, lf) ? j : head_stop(t, n, j + 1);
    logic integer field_status(uint8_t *t, integer n, integer i, boolean lf) =
        item_begin_status(t, n, blanks_end(t, n, i), lf);
    logic integer field_stop(uint8_t *t, integer n, integer i, boolean lf) =
        item_begin_stop(t, n, blanks_end(t, n, i), lf);

    // NPY-LIT-010: behind a field a comma, or the end of the list
    logic integer next_status(uint8_t *t, integer n, integer i) =
        \let j = blanks_end(t, n, i);
        j >= n ? SNPY_UNEXPECTED_END : t[j] == ',' || t[j] == ']' ? SNPY_OK : SNPY_EXPECTED_COMMA;
    logic integer next_stop(uint8_t *t, integer n, integer i) =
        next_status(t, n, i) == SNPY_OK ? blanks_end(t, n, i) + 1 : blanks_end(t, n, i);

    // NPY-LIT-022: how the tail of a type is to be read
    logic boolean in_tuple(integer tu) = tu % 2 == 1;
    logic integer field_close(integer br) = br % 2 == 1 ? ']' : ')';
    logic boolean needs_shape(integer f, integer tu) = in_tuple(tu) || f == FORM_TUPLE;
    logic boolean may_be_metadata(integer f, integer tu, boolean md) = md && in_tuple(tu) && f == FORM_SIMPLE;

    logic boolean may_nest(integer d, integer most) = d < most;
    logic integer step_status(RECORD_INPUT, RECORD_STATE) =
        st == STATE_TYPE ? opening_status(t, n, i, may_nest(d, most)) :
        st == STATE_ITEM ? field_status(t, n, i, lf) :
        st == STATE_NEXT ? next_status(t, n, i) :
        tail_status(t, n, i, field_close(br), needs_shape(f, tu), may_be_metadata(f, tu, md), l, np, ls, ints);
    logic integer step_stop(RECORD_INPUT, RECORD_STATE) =
        st == STATE_TYPE ? opening_stop(t, n, i, may_nest(d, most)) :
        st == STATE_ITEM ? field_stop(t, n, i, lf) :
        st == STATE_NEXT ? next_stop(t, n, i) :
        tail_stop(t, n, i, field_close(br), needs_shape(f, tu), may_be_metadata(f, tu, md), l, np, ls, ints);
    logic integer step_length(RECORD_INPUT, RECORD_STATE) = step_stop(INPUT, STATE) - i;

    // of a sound step: the state behind it
    logic boolean pushes(uint8_t *t, integer i, integer st) = st == STATE_TYPE && form_at(t, i) != FORM_SIMPLE;
    logic boolean pops(uint8_t *t, integer n, integer i, integer st, integer tu) =
        st != STATE_TYPE && (st == STATE_TAIL ? in_tuple(tu) : ends_list(t, n, i));
    logic integer next_state(uint8_t *t, integer n, integer i, integer st, integer tu) =
        st == STATE_TYPE
            ? (form_at(t, i) == FORM_LIST ? STATE_ITEM : form_at(t, i) == FORM_TUPLE ? STATE_TYPE : STATE_TAIL) :
        pops(t, n, i, st, tu) ? STATE_TAIL :
        st == STATE_ITEM ? STATE_TYPE : st == STATE_NEXT ? STATE_ITEM : STATE_NEXT;
    logic integer next_form(uint8_t *t, integer n, integer i, integer st, integer f, integer tu, integer br,
                            boolean md) =
        st == STATE_TYPE ? form_at(t, i) :
        !pops(t, n, i, st, tu) ? f :
        st != STATE_TAIL ? FORM_LIST :
        tail_is_metadata(t, n, i, field_close(br), may_be_metadata(f, tu, md)) ? FORM_SIMPLE : FORM_TUPLE;
    logic integer next_depth(uint8_t *t, integer n, integer i, integer st, integer d, integer tu) =
        pushes(t, i, st) ? d + 1 : pops(t, n, i, st, tu) ? d - 1 : d;
    logic integer bit(boolean b) = b ? 1 : 0;
    logic integer next_tuples(uint8_t *t, integer n, integer i, integer st, integer tu) =
        pushes(t, i, st) ? 2 * tu + bit(form_at(t, i) == FORM_TUPLE) : pops(t, n, i, st, tu) ? tu / 2 : tu;
    logic integer next_brackets(uint8_t *t, integer n, integer i, integer st, integer tu, integer br) =
        pushes(t, i, st) ? 2 * br :
        pops(t, n, i, st, tu) ? br / 2 :
        st == STATE_ITEM ? 2 * (br / 2) + bit(t[blanks_end(t, n, i)] == '[') : br;
    logic integer next_head(uint8_t *t, integer n, integer i, integer st, integer h) =
        pushes(t, i, st) ? 0 : st == STATE_ITEM && !ends_list(t, n, i) ? blanks_end(t, n, i) : h;

    // NPY-DTYPE-003: the type that follows is that of a field with an empty name and no title
    logic boolean unnamed(uint8_t *t, integer n, integer h) =
        h > 0 && !head_has_title(t, n, h + 1) && span_length(t, n, head_name(t, n, h + 1)) == 0;

    // ---- the automaton: all its steps, until the outermost list is closed or one fails

    logic boolean halted(RECORD_INPUT, RECORD_STATE) =
        (st == STATE_TAIL && d == 0) || step_status(INPUT, STATE) != SNPY_OK;

    // NPY-LIT-010 to NPY-LIT-023
    // tail call
    logic integer run_status(RECORD_INPUT, RECORD_STATE) =
        st == STATE_TAIL && d == 0 ? SNPY_OK :
        step_status(INPUT, STATE) != SNPY_OK ? step_status(INPUT, STATE) : run_status(INPUT, NEXT_STATE);
    // tail call
    logic integer run_stop(RECORD_INPUT, RECORD_STATE) =
        st == STATE_TAIL && d == 0 ? i :
        step_status(INPUT, STATE) != SNPY_OK ? step_stop(INPUT, STATE) : run_stop(INPUT, NEXT_STATE);
    // entries from this state on, if there are `c` in front of it
    // tail call
    logic integer run_fields(RECORD_INPUT, RECORD_STATE, integer c) =
        halted(INPUT, STATE) ? c : run_fields(INPUT, NEXT_STATE, c + bit(st == STATE_TYPE));
    // a column of entry k, where `c` entries come before this state: the offset of its type, its depth, or the offset of
    // its field (0 if it has none); -1 if there is no entry k
    logic integer state_column(integer i, integer d, integer h, integer column) =
        column == ENTRY_PLACE ? i : column == ENTRY_DEPTH ? d : h;
    // tail call
    logic integer run_entry(RECORD_INPUT, RECORD_STATE, integer c, integer k, integer column) =
        halted(INPUT, STATE) ? -1 :
        st == STATE_TYPE && c == k ? state_column(i, d, h, column)
                                   : run_entry(INPUT, NEXT_STATE, c + bit(st == STATE_TYPE), k, column);
    // likewise dimensions
    logic integer step_ndim(RECORD_INPUT, RECORD_STATE) =
        st == STATE_TAIL ? tail_ndim(t, n, i, field_close(br), may_be_metadata(f, tu, md), l, np) : 0;
    // tail call
    logic integer run_dims(RECORD_INPUT, RECORD_STATE, integer c) =
        halted(INPUT, STATE) ? c : run_dims(INPUT, NEXT_STATE, c + step_ndim(INPUT, STATE));
    // and where the shape is that a tail has: 0 if it has none
    logic integer step_shape(RECORD_INPUT, RECORD_STATE) =
        st == STATE_TAIL ? tail_shape_at(t, n, i, field_close(br), may_be_metadata(f, tu, md)) : 0;
    // the first refusal of a type string
    logic integer step_type_status(RECORD_INPUT, RECORD_STATE, TYPE_FLAGS_IN) =
        st == STATE_TYPE ? opening_type_status(t, n, i, unnamed(t, n, h), TYPE_FLAGS) : SNPY_OK;
    // tail call
    logic integer run_type_status(RECORD_INPUT, RECORD_STATE, TYPE_FLAGS_IN) =
        halted(INPUT, STATE) ? SNPY_OK :
        step_type_status(INPUT, STATE, TYPE_FLAGS) != SNPY_OK
            ? step_type_status(INPUT, STATE, TYPE_FLAGS) : run_type_status(INPUT, NEXT_STATE, TYPE_FLAGS);
    // tail call
    logic integer run_type_at(RECORD_INPUT, RECORD_STATE, TYPE_FLAGS_IN) =
        halted(INPUT, STATE) ? 0 :
        step_type_status(INPUT, STATE, TYPE_FLAGS) != SNPY_OK
            ? simple_at(t, n, i, unnamed(t, n, h), TYPE_FLAGS) : run_type_at(INPUT, NEXT_STATE, TYPE_FLAGS);

    // ---- a record, from the opening bracket of its list on

    logic integer record_status(RECORD_AT) = run_status(INPUT, FIRST_STATE);
    logic integer record_stop(RECORD_AT) = run_stop(INPUT, FIRST_STATE);
    logic integer record_fields(RECORD_AT) = run_fields(INPUT, FIRST_STATE, 0);
    logic integer record_entry(RECORD_AT, integer k, integer column) = run_entry(INPUT, FIRST_STATE, 0, k, column);
    logic integer record_dims(RECORD_AT) = run_dims(INPUT, FIRST_STATE, 0);
    logic integer record_type_status(RECORD_AT, TYPE_FLAGS_IN) = run_type_status(INPUT, FIRST_STATE, TYPE_FLAGS);
    logic integer record_type_at(RECORD_AT, TYPE_FLAGS_IN) = run_type_at(INPUT, FIRST_STATE, TYPE_FLAGS);
*/
/* clang-format on */

#undef RECORD_FLAGS_IN
#undef RECORD_INPUT
#undef INPUT
#undef RECORD_STATE
#undef STATE
#undef NEXT_STATE
#undef FIRST_STATE
#undef RECORD_AT
#undef TYPE_FLAGS_IN
#undef TYPE_FLAGS

#endif
