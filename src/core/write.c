/* write.c: writes a header as numpy.save does.                                            NPY-WRITE-004 … NPY-WRITE-009
 * Proves that everything is written inside the caller's buffer, in the version that was asked for or the first whose
 * length field is large enough, with a valid frame that ends at a multiple of 64, after a newline; and that the header
 * of a simple dtype is its canonical text, byte for byte. describe.c writes lists of fields, check.c checks tables. */
#include "core/write.h"
#include "core/duplicates.h"

#define GROWTH_DIGITS 21u

/* clang-format off */
#define DESCRIPTION_OK(d)                                                                                    \
    (\valid_read(d) && \valid_read((d)->header) && (d)->header->ndim <= SNPY_MAX_NDIM                        \
     && \object_pointer((d)->names) && text_ok((d)->names, (d)->names_length))
/* clang-format on */

/* SNPY_PEN_MOVES inside a loop. */
/* clang-format off */
#define PEN_MOVED(p, n)                                                                                      \
    (\at((p)->sink.length, Pre) + (n) <= 0xffffffffffffffff ==>                                               \
     (p)->sink.length == \at((p)->sink.length, Pre) + (n))

/* SNPY_PEN_WRITES inside a loop. */
#define PEN_WROTE(p, text)                                                                                   \
    ((p)->sink.length >= \at((p)->sink.length, Pre) && (sink_fits(&(p)->sink) ==> sink_text(&(p)->sink) == (text)))
/* clang-format on */

/* Writes the dimensions of the array: "3, 4", "3,". */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(header) && header->ndim <= SNPY_MAX_NDIM;
    requires \separated(header, pen, pen->sink.out + (0 .. pen->sink.capacity-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, \old(shape_length(*header)));
    ensures bound: \old(0 <= shape_length(*header) <= 22 * header->ndim + 1);
    ensures text: SNPY_PEN_WRITES(pen, \old(append_shape(sink_text(&pen->sink), *header)));
 */
static void pen_dims(struct snpy_pen *pen, const snpy_header *header)
{
    uint32_t ndim = header->ndim;
    /*@ loop invariant range: 0 <= k <= ndim;
        loop invariant length: PEN_MOVED(pen, dims_length(\at(*header, Pre), k));
        loop invariant bound: 0 <= dims_length(\at(*header, Pre), k) <= 22 * k;
        loop invariant text: PEN_WROTE(pen, append_dims(\at(sink_text(&pen->sink), Pre), \at(*header, Pre), k));
        loop assigns k, SNPY_PEN_FIELDS(pen);
        loop variant ndim - k; */
    for (uint32_t k = 0; k < ndim; k++) {
        if (k > 0) snpy_pen_word(pen, SNPY_WORD4(',', ' ', 0, 0));
        snpy_pen_number(pen, header->shape[k]);
    }
    if (ndim == 1) snpy_put(&pen->sink, ',');
}

/* Writes the spaces that let the array grow along its first or last axis without moving the data.      NPY-WRITE-008 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(header) && header->ndim <= SNPY_MAX_NDIM;
    requires \separated(header, pen, pen->sink.out + (0 .. pen->sink.capacity-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, \old(growth_length(*header)));
    ensures text: SNPY_PEN_WRITES(pen, \old(append_spaces(sink_text(&pen->sink),
            growth_length(*header))));
 */
static void pen_growth(struct snpy_pen *pen, const snpy_header *header)
{
    if (header->ndim == 0) return;
    uint32_t digits = snpy_count_digits(header->shape[header->fortran_order ? header->ndim - 1 : 0]);
    /*@ loop invariant range: 1 <= digits <= GROWTH_DIGITS;
        loop invariant length: PEN_MOVED(pen, digits
                - number_length(\at(header->shape[header->fortran_order ? header->ndim - 1 : 0], Pre)));
        loop invariant text: PEN_WROTE(pen, append_spaces(\at(sink_text(&pen->sink), Pre), digits
                - number_length(\at(header->shape[header->fortran_order ? header->ndim - 1 : 0], Pre))));
        loop assigns digits, SNPY_PEN_FIELDS(pen);
        loop variant GROWTH_DIGITS - digits; */
    while (digits < GROWTH_DIGITS) {
        snpy_put(&pen->sink, ' ');
        digits++;
    }
    /*@ assert grown: digits - number_length(\at(header->shape[header->fortran_order ? header->ndim - 1 : 0], Pre))
            == \at(growth_length(*header), Pre); */
}

/* Writes what is between the type and the dimensions. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, order_length(fortran_order));
    ensures text: SNPY_PEN_WRITES(pen, order_text(SNPY_PEN_TEXT(pen), fortran_order));
 */
static void pen_order(struct snpy_pen *pen, bool fortran_order)
{
    snpy_pen_word(pen, SNPY_WORD(',', ' ', '\'', 'f', 'o', 'r', 't', 'r'));
    snpy_pen_word(pen, SNPY_WORD('a', 'n', '_', 'o', 'r', 'd', 'e', 'r'));
    snpy_pen_word(pen, SNPY_WORD4('\'', ':', ' ', 0));
    snpy_pen_word(pen, fortran_order ? SNPY_WORD4('T', 'r', 'u', 'e') : SNPY_WORD('F', 'a', 'l', 's', 'e', 0, 0, 0));
    snpy_pen_word(pen, SNPY_WORD(',', ' ', '\'', 's', 'h', 'a', 'p', 'e'));
    snpy_pen_word(pen, SNPY_WORD4('\'', ':', ' ', '('));
}

/* Writes the dimensions, the end of the text, and the spaces to grow. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(header) && header->ndim <= SNPY_MAX_NDIM;
    requires \separated(header, pen, pen->sink.out + (0 .. pen->sink.capacity-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, \old(shape_length(*header) + 4
            + growth_length(*header)));
    ensures bound: \old(0 <= shape_length(*header) + growth_length(*header) <= 1430);
    ensures text: SNPY_PEN_WRITES(pen, \old(shape_text(sink_text(&pen->sink), *header)));
 */
static void pen_array_shape(struct snpy_pen *pen, const snpy_header *header)
{
    pen_dims(pen, header);
    snpy_pen_word(pen, SNPY_WORD4(')', ',', ' ', '}'));
    //@ assert same: *header == \at(*header, Pre);
    pen_growth(pen, header);
}

/* The table is well-formed, if the array is one of records. */
/* clang-format off */
#define DESCRIBED(d)                                                                                         \
    ((d)->header->dtype.kind == SNPY_KIND_RECORD ==>                                                         \
     (SNPY_TABLE_READABLE((d)->table) && 1 <= (d)->table->field_count &&                                     \
      table_ok((d)->table->fields, (d)->table->field_count, (d)->names_length, (d)->table->dim_count) &&     \
      sizes_ok((d)->table->fields, (d)->table->field_count)))
/* clang-format on */

/* `p` does not overlap a description or what it points to. */
/* clang-format off */
#define APART_FROM_DESCRIPTION(p, d)                                                                         \
    (\separated(p, d) && \separated(p, (d)->header) && \separated(p, (d)->names + (0 .. (d)->names_length - 1)) && \
     ((d)->header->dtype.kind == SNPY_KIND_RECORD ==> SNPY_APART(p, (d)->table)))
/* clang-format on */

/* Writes the text up to the closing brace, and the spaces that let the array grow. Returns SNPY_WRITE_NAME, with the
 * entry in *entry, if a name is ill-formed.                                                            NPY-WRITE-008 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && DESCRIPTION_OK(d) && DESCRIBED(d);
    requires \valid(entry) && \separated(entry, pen) && APART_FROM_DESCRIPTION(pen, d);
    requires APART_FROM_DESCRIPTION(entry, d) && \separated(entry, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires APART_FROM_DESCRIPTION(pen->sink.out + (0 .. pen->sink.capacity-1), d);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide, *entry;
    ensures simple: \old(SNPY_SIMPLE(d)) ==> \result == SNPY_OK && pen->wide == \old(pen->wide);
    ensures length: \old(SNPY_SIMPLE(d)) ==> SNPY_PEN_MOVES(pen, \old(simple_length(*d->header)));
    ensures NPY_WRITE_009: \old(SNPY_SIMPLE(d)) ==>
            SNPY_PEN_WRITES(pen, \old(simple_text(sink_text(&pen->sink), *d->header)));
    ensures bound: \old(SNPY_SIMPLE(d) ==> 0 <= simple_length(*d->header) <= 2000);
 */
static snpy_status pen_text(struct snpy_pen *pen, const snpy_description *d, uint64_t *entry)
{
    const snpy_header *header = d->header;
    snpy_pen_word(pen, SNPY_WORD('{', '\'', 'd', 'e', 's', 'c', 'r', '\''));
    snpy_pen_word(pen, SNPY_WORD4(':', ' ', 0, 0));
    if (header->dtype.kind == SNPY_KIND_RECORD) {
        snpy_status status = snpy_pen_descr(pen, d->table, d->names, d->names_length, d->encoding, 0, entry);
        if (status != SNPY_OK) return status;
    } else {
        snpy_pen_type(pen, &header->dtype);
    }
    //@ assert same: *header == \at(*d->header, Pre);
    pen_order(pen, header->fortran_order);
    pen_array_shape(pen, header);
    return SNPY_OK;
}

/* Checks that order, shape and type of the array can be written.                        NPY-WRITE-001, NPY-WRITE-004 */
/*@ requires \valid_read(h);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures ndim: \result == SNPY_OK ==> h->ndim <= SNPY_MAX_NDIM;
    ensures writable: \result == SNPY_OK && h->dtype.kind != SNPY_KIND_RECORD ==> writable_type(&h->dtype);
    ensures NPY_WRITE_004: \result == array_refusal(h);
 */
static snpy_status check_array(const snpy_header *h)
{
    uint64_t count = 0;
    if (h->dtype.kind != SNPY_KIND_RECORD && !snpy_is_writable_type(&h->dtype)) return SNPY_WRITE_DTYPE;
    if (h->dtype.itemsize > SNPY_MAX_ITEMSIZE) return SNPY_WRITE_DTYPE;
    if (h->ndim > SNPY_MAX_NDIM) return SNPY_WRITE_SHAPE;
    return snpy_count_elements(h->shape, h->ndim, h->dtype.itemsize, &count) ? SNPY_OK : SNPY_WRITE_SHAPE;
}

/* Whether the parameters have values that this library knows.                                           API-ARGUMENT */
/*@ requires \valid_read(d);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures API_ARGUMENT: \result <==> SNPY_KNOWN_ARGUMENTS(d);
 */
static bool has_valid_arguments(const snpy_description *d)
{
    bool is_encoding =
        d->encoding == SNPY_NAME_LATIN1 || d->encoding == SNPY_NAME_UTF8 || d->encoding == SNPY_NAME_PLAIN;
    bool is_version = d->version == SNPY_VERSION_AUTO || d->version == SNPY_VERSION_1_0 ||
                      d->version == SNPY_VERSION_2_0 || d->version == SNPY_VERSION_3_0;
    return is_encoding && is_version && d->names_length <= SNPY_MAX_TEXT;
}

/* clang-format off */
/* Why the table of an array of records is refused before its names are compared. */
#define TABLE_STATUS(d) table_status(SNPY_TABLE_NUMBERS((d)->table), (d)->names_length)
#define RECORD_REFUSAL(d)                                                                                    \
    ((d)->table->field_count > (d)->table->field_capacity || (d)->table->dim_count > (d)->table->dim_capacity \
         ? SNPY_BAD_ARGUMENT                                                                                 \
         : TABLE_STATUS(d) != SNPY_OK ? TABLE_STATUS(d)                                                      \
         : (d)->table->fields[0].dtype.itemsize != (d)->header->dtype.itemsize ? SNPY_WRITE_LAYOUT : SNPY_OK)
/* clang-format on */

/* Checks that the table is well-formed, fits the array and has no name twice. On failure *entry is the entry at fault.
 *                                                                                      NPY-WRITE-001 … NPY-WRITE-006 */
/*@ requires SNPY_GIVEN(d) && d->names_length <= SNPY_MAX_TEXT && \valid(entry) && SNPY_APART_FROM_GIVEN(entry, d);
    terminates \true;
    exits \false;
    assigns *entry, d->table->fields[0 .. d->table->field_capacity-1].sort_low_, d->table->fields[0 .. d->table->field_capacity-1].sort_high_;
    ensures count: \result == SNPY_OK ==> 1 <= d->table->field_count <= d->table->field_capacity
                   && d->table->field_count <= SNPY_MAX_FIELDS && d->table->dim_count <= d->table->dim_capacity;
    ensures table: \result == SNPY_OK ==>
                   table_ok(d->table->fields, d->table->field_count, d->names_length, d->table->dim_count);
    ensures sizes: \result == SNPY_OK ==> sizes_ok(d->table->fields, d->table->field_count);
    ensures status: \result == SNPY_OK || \result == SNPY_DUPLICATE_NAME || \result == \old(RECORD_REFUSAL(d));
    ensures refused: \old(RECORD_REFUSAL(d)) != SNPY_OK ==> \result == \old(RECORD_REFUSAL(d));
    ensures NPY_DTYPE_012: \result == SNPY_OK ==> \old(SNPY_NAMES_DIFFER(d));
    ensures entry: \result == SNPY_DUPLICATE_NAME && \old(RECORD_REFUSAL(d)) == SNPY_OK ==>
            \exists integer key; 0 <= key < 2 * d->table->field_count && *entry == key / 2
            && \old(first_duplicate(d->names, d->encoding, d->table->fields, d->table->field_count, key));
 */
static snpy_status check_record(const snpy_description *d, uint64_t *entry)
{
    size_t count = d->table->field_count;
    if (count > d->table->field_capacity || d->table->dim_count > d->table->dim_capacity) return SNPY_BAD_ARGUMENT;
    snpy_status status = snpy_check_table(d->table, d->names_length, entry);
    if (status != SNPY_OK) return status;
    if (d->table->fields[0].dtype.itemsize != d->header->dtype.itemsize) return SNPY_WRITE_LAYOUT;
    int32_t key = snpy_find_duplicate(d->names, d->names_length, d->encoding, d->table->fields, count);
    if (key == SNPY_NO_DUPLICATE) return SNPY_OK;
    *entry = (uint64_t)key / 2;
    //@ assert first: first_duplicate(d->names, d->encoding, d->table->fields, d->table->field_count, key);
    return SNPY_DUPLICATE_NAME;
}

/* Checks a whole description, but not whether its names are well-formed. On failure *entry is the entry at fault. */
/*@ requires SNPY_GIVEN(d) && \valid(entry) && SNPY_APART_FROM_GIVEN(entry, d);
    terminates \true;
    exits \false;
    assigns *entry, d->table->fields[0 .. d->table->field_capacity-1].sort_low_, d->table->fields[0 .. d->table->field_capacity-1].sort_high_;
    ensures given: \result == SNPY_OK ==> d->names_length <= SNPY_MAX_TEXT && d->header->ndim <= SNPY_MAX_NDIM;
    ensures count: \result == SNPY_OK && d->header->dtype.kind == SNPY_KIND_RECORD ==>
                   1 <= d->table->field_count <= d->table->field_capacity
                   && d->table->field_count <= SNPY_MAX_FIELDS && d->table->dim_count <= d->table->dim_capacity;
    ensures described: \result == SNPY_OK ==> DESCRIBED(d);
    ensures version: \result == SNPY_OK ==> SNPY_VERSION_AUTO <= d->version <= SNPY_VERSION_3_0;
    ensures writable: \result == SNPY_OK && SNPY_SIMPLE(d) ==> writable_type(&d->header->dtype);
    ensures NPY_WRITE_004: \old(SNPY_SIMPLE(d)) ==> \result == \old(SNPY_REFUSAL(d));
    ensures NPY_DTYPE_012: \result == SNPY_OK && \old(!SNPY_SIMPLE(d)) ==> \old(SNPY_NAMES_DIFFER(d));
 */
static snpy_status check_description(const snpy_description *d, uint64_t *entry)
{
    snpy_status status = has_valid_arguments(d) ? check_array(d->header) : SNPY_BAD_ARGUMENT;
    *entry = 0;
    if (status != SNPY_OK || d->header->dtype.kind != SNPY_KIND_RECORD) return status;
    return check_record(d, entry);
}

/* What will be written: the version, and the sizes of the prefix, the text and the whole. */
struct plan {
    uint8_t version;
    uint64_t prefix; /* bytes before the text */
    uint64_t text;   /* bytes of the text without padding and newline */
    uint64_t total;  /* a multiple of 64 */
};

/* clang-format off */
/* What is known about a plan once it is computed. */
#define PLANNED(p)                                                                                           \
    (1 <= (p)->version <= 3 && (p)->prefix == prefix_of((p)->version) && can_say((p)->version, (p)->text) && \
     (p)->total == padded((p)->version, (p)->text))
/* clang-format on */

/* Computes the plan for one version. Returns false if its length field is too small. */
/*@ requires \valid(plan) && 1 <= version <= 3;
    terminates \true;
    exits \false;
    assigns plan->version, plan->prefix, plan->text, plan->total;
    ensures NPY_WRITE_007: \result <==> can_say(version, text);
    ensures NPY_WRITE_008: \result ==> plan->total % SNPY_ALIGNMENT == 0 && plan->prefix + plan->text + 2 <= plan->total
                           && plan->total <= plan->prefix + plan->text + 65;
    ensures plan: \result ==> PLANNED(plan) && plan->version == version && plan->text == text;
 */
static bool plan_version(struct plan *plan, uint8_t version, uint64_t text)
{
    uint64_t prefix = version == 1 ? 10 : 12;
    uint64_t bound = version == 1 ? 65535 : SNPY_MAX_HEADER;
    if (text > SNPY_MAX_HEADER) return false;
    plan->version = version;
    plan->prefix = prefix;
    plan->text = text;
    /* 1 to 64 spaces, never 0: if the text ends at a multiple of 64, a whole line of padding follows. */
    plan->total = ((prefix + text + 1) / SNPY_ALIGNMENT + 1) * SNPY_ALIGNMENT;
    return plan->total - prefix <= bound;
}

/* Computes the size of the text, in UTF-8 or else in Latin-1. *wide: a character is beyond Latin-1. Fails at *entry for
 * an ill-formed name. */
/*@ requires DESCRIPTION_OK(d) && DESCRIBED(d);
    requires \valid(size) && \valid(wide) && \valid(entry) && \separated(size, wide, entry);
    requires APART_FROM_DESCRIPTION(entry, d) && APART_FROM_DESCRIPTION(size, d) && APART_FROM_DESCRIPTION(wide, d);
    terminates \true;
    exits \false;
    assigns *size, *wide, *entry;
    ensures simple: \old(SNPY_SIMPLE(d)) ==> \result == SNPY_OK && *size == \old(simple_length(*d->header)) && !*wide;
    ensures bound: \old(SNPY_SIMPLE(d) ==> simple_length(*d->header) <= 2000);
 */
static snpy_status count_text(const snpy_description *d, bool utf8, uint64_t *size, bool *wide, uint64_t *entry)
{
    struct snpy_pen pen = {{NULL, 0, 0}, utf8, false};
    snpy_status status = pen_text(&pen, d, entry);
    *size = pen.sink.length;
    *wide = pen.wide;
    return status;
}

/* Makes the plan for the version that is asked for, or the one that NumPy would choose, for text in Latin-1. Returns
 * false if its length field is too small.                                               NPY-WRITE-007, NPY-WRITE-009 */
/*@ requires \valid(plan);
    terminates \true;
    exits \false;
    assigns plan->version, plan->prefix, plan->text, plan->total;
    ensures NPY_WRITE_007: \result <==> (choice != SNPY_VERSION_2_0 && can_say(1, size))
            || (choice != SNPY_VERSION_1_0 && can_say(2, size));
    ensures version: \result ==> plan->version == (choice == SNPY_VERSION_1_0 ? 1
            : choice == SNPY_VERSION_2_0 ? 2 : can_say(1, size) ? 1 : 2);
    ensures plan: \result ==> PLANNED(plan) && plan->text == size;
 */
static bool plan_latin1(struct plan *plan, snpy_version_choice choice, uint64_t size)
{
    if (choice == SNPY_VERSION_1_0) return plan_version(plan, 1, size);
    if (choice == SNPY_VERSION_2_0) return plan_version(plan, 2, size);
    return plan_version(plan, 1, size) || plan_version(plan, 2, size);
}

/* Computes version and sizes of a description that has been checked. Returns why there are none, with the entry in
 * *entry. */
/*@ requires DESCRIPTION_OK(d) && DESCRIBED(d) && SNPY_VERSION_AUTO <= d->version <= SNPY_VERSION_3_0;
    requires \valid(plan) && \valid(entry) && \separated(plan, entry);
    requires APART_FROM_DESCRIPTION(entry, d) && APART_FROM_DESCRIPTION(plan, d);
    terminates \true;
    exits \false;
    assigns plan->version, plan->prefix, plan->text, plan->total, *entry;
    ensures plan: \result == SNPY_OK ==> PLANNED(plan);
    ensures NPY_WRITE_007: \result == SNPY_OK && d->version != SNPY_VERSION_AUTO ==> plan->version == d->version;
    ensures simple: \old(SNPY_SIMPLE(d)) ==> \result == SNPY_OK && plan->text == \old(simple_length(*d->header));
    ensures version: \old(SNPY_SIMPLE(d)) ==> plan->version == first_version(d->version);
 */
static snpy_status choose_version(const snpy_description *d, struct plan *plan, uint64_t *entry)
{
    uint64_t size = 0;
    bool wide = false;
    snpy_version_choice choice = d->version;
    snpy_status status = count_text(d, false, &size, &wide, entry);
    if (status != SNPY_OK) return status;
    *entry = 0;
    if (choice != SNPY_VERSION_3_0 && !wide && plan_latin1(plan, choice, size)) return SNPY_OK;
    if (choice == SNPY_VERSION_1_0 || choice == SNPY_VERSION_2_0) return SNPY_WRITE_VERSION;
    status = count_text(d, true, &size, &wide, entry);
    if (status != SNPY_OK) return status;
    *entry = 0;
    return plan_version(plan, 3, size) ? SNPY_OK : SNPY_WRITE_VERSION;
}

/* Checks a description and computes what will be written. On failure *entry is the entry at fault. */
/*@ requires SNPY_GIVEN(d) && \valid(plan) && \valid(entry) && \separated(plan, entry);
    requires SNPY_APART_FROM_GIVEN(entry, d) && SNPY_APART_FROM_GIVEN(plan, d);
    terminates \true;
    exits \false;
    assigns plan->version, plan->prefix, plan->text, plan->total, *entry,
            d->table->fields[0 .. d->table->field_capacity-1].sort_low_,
            d->table->fields[0 .. d->table->field_capacity-1].sort_high_;
    ensures given: \result == SNPY_OK ==> d->names_length <= SNPY_MAX_TEXT && d->header->ndim <= SNPY_MAX_NDIM;
    ensures count: \result == SNPY_OK && d->header->dtype.kind == SNPY_KIND_RECORD ==>
                   1 <= d->table->field_count <= d->table->field_capacity
                   && d->table->field_count <= SNPY_MAX_FIELDS && d->table->dim_count <= d->table->dim_capacity;
    ensures described: \result == SNPY_OK ==> DESCRIBED(d);
    ensures plan: \result == SNPY_OK ==> PLANNED(plan);
    ensures NPY_WRITE_007: \result == SNPY_OK && d->version != SNPY_VERSION_AUTO ==> plan->version == d->version;
    ensures simple: \result == SNPY_OK && \old(SNPY_SIMPLE(d)) ==> plan->text == \old(simple_length(*d->header))
            && plan->version == first_version(d->version);
    ensures writable: \result == SNPY_OK && SNPY_SIMPLE(d) ==> writable_type(&d->header->dtype);
    ensures NPY_WRITE_004: \old(SNPY_SIMPLE(d)) ==> \result == \old(SNPY_REFUSAL(d));
 */
static snpy_status make_plan(const snpy_description *d, struct plan *plan, uint64_t *entry)
{
    snpy_status status = check_description(d, entry);
    if (status != SNPY_OK) return status;
    return choose_version(d, plan, entry);
}

snpy_status snpy_header_size(const snpy_description *description, uint64_t *size, snpy_error *error)
{
    struct plan plan = {0, 0, 0, 0};
    uint64_t entry = 0;
    snpy_status status = make_plan(description, &plan, &entry);
    *size = status == SNPY_OK ? plan.total : 0;
    return snpy_fail(error, status, status == SNPY_OK ? 0 : entry);
}

/* Writes the magic, the six bytes that begin every file.                                               NPY-FRAME-001 */
/*@ requires \valid(out + (0 .. 5));
    terminates \true;
    exits \false;
    assigns out[0 .. 5];
    ensures NPY_FRAME_001: \forall integer k; 0 <= k < 6 ==> out[k] == magic_byte(k);
 */
static void write_magic(uint8_t *out)
{
    out[0] = 0x93;
    out[1] = 'N';
    out[2] = 'U';
    out[3] = 'M';
    out[4] = 'P';
    out[5] = 'Y';
}

/* Ghost lemma: a reader finds the magic. */
/*@ ghost
    /@ requires \valid_read(out + (0 .. 5)) && size >= 6;
       requires magic: \forall integer k; 0 <= k < 6 ==> out[k] == magic_byte(k);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures magic: magic_end(out, size, 0) == 6; @/
    static void show_magic(const uint8_t *out, uint64_t size)
    {
        ;
    } */

/* Writes magic, version and length, byte by byte.                                                NPY-FRAME-001 … 004 */
/*@ requires \valid(out + (0 .. 11)) && 1 <= version <= 3;
    requires length: length <= (version == 1 ? 65535 : SNPY_MAX_HEADER);
    terminates \true;
    exits \false;
    assigns out[0 .. prefix_of(version)-1];
    ensures NPY_FRAME_001: \forall integer k; 0 <= k < 6 ==> out[k] == magic_byte(k);
    ensures NPY_FRAME_003: out[6] == version && out[7] == 0;
    ensures NPY_FRAME_004: header_length_of(out) == length;
 */
static void write_prefix(uint8_t *out, uint8_t version, uint64_t length)
{
    write_magic(out);
    out[6] = version;
    out[7] = 0;
    out[8] = (uint8_t)(length % 256);
    out[9] = (uint8_t)(length / 256 % 256);
    //@ assert low: out[8] + 256 * out[9] == length % 65536;
    if (version == 1) return;
    out[10] = (uint8_t)(length / 65536 % 256);
    out[11] = (uint8_t)(length / 16777216);
    //@ assert high: out[10] + 256 * out[11] == length / 65536;
}

/* Writes spaces from `end` on, and a newline as the last of the header's `total` bytes.                NPY-WRITE-008 */
/*@ requires \valid(out + (0 .. total-1)) && 1 <= total <= 0x1ffffffff;
    terminates \true;
    exits \false;
    assigns out[0 .. total-1];
    ensures NPY_WRITE_008: out[total-1] == '\n' && are_spaces(out, end, total - 1);
    ensures text: \forall integer k; 0 <= k < end && k < total - 1 ==> out[k] == \old(out[k]);
 */
static void write_padding(uint8_t *out, uint64_t end, uint64_t total)
{
    /*@ loop invariant spaces: end <= k && \forall integer j; end <= j < k && j < total - 1 ==> out[j] == ' ';
        loop invariant text: \forall integer j; 0 <= j < end && j < total - 1 ==> out[j] == \at(out[j], Pre);
        loop assigns k, out[0 .. total-1];
        loop variant total - k; */
    for (uint64_t k = end; k < total - 1; k++) out[k] = ' ';
    out[total - 1] = '\n';
}

/* Ghost lemmas: the spaces, counted from the beginning of the header. */
/*@ ghost
    /@ requires are_spaces(b, from, to) && from <= i < to;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures space: b[i] == ' '; @/
    static void show_space(const uint8_t *b, uint64_t from, uint64_t to, uint64_t i)
    {
        ;
    } */

/*@ ghost
    /@ requires \valid_read(out + (0 .. prefix + to)) && \object_pointer(out);
       requires prefix <= 12 && from <= to <= 0x1ffffffff && are_spaces(out + prefix, from, to);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures spaces: are_spaces(out, prefix + from, prefix + to); @/
    static void show_spaces(const uint8_t *out, uint64_t prefix, uint64_t from, uint64_t to)
    {
        uint64_t i = from;
        /@ loop invariant range: from <= i <= to;
           loop invariant spaces: are_spaces(out, prefix + from, prefix + i);
           loop assigns i;
           loop variant to - i; @/
        while (i < to) {
            show_space(out + prefix, from, to, i);
            /@ assert space: out[prefix + i] == ' '; @/
            i++;
        }
    } */

/* Writes the whole header into a buffer that is large enough. On failure *entry is the entry at fault. */
/*@ requires \valid(out + (0 .. plan->total-1)) && \object_pointer(out) && DESCRIPTION_OK(d) && DESCRIBED(d);
    requires \valid_read(plan) && \valid(entry) && \separated(entry, plan);
    requires APART_FROM_DESCRIPTION(entry, d) && APART_FROM_DESCRIPTION(out + (0 .. plan->total-1), d);
    requires \separated(out + (0 .. plan->total-1), entry, plan);
    requires plan: PLANNED(plan) && plan->total <= SIZE_MAX;
    requires simple: SNPY_SIMPLE(d) ==> plan->text == simple_length(*d->header);
    terminates \true;
    exits \false;
    assigns out[0 .. plan->total-1], *entry;
    ensures simple: \old(SNPY_SIMPLE(d)) ==> \result == SNPY_OK;
    ensures NPY_FRAME: \result == SNPY_OK ==> SNPY_SOUND_FRAME(out, \old(plan->total));
    ensures NPY_WRITE_007: \result == SNPY_OK ==> out[6] == \old(plan->version);
    ensures NPY_WRITE_008: \result == SNPY_OK ==> out[\old(plan->total)-1] == '\n';
    ensures NPY_WRITE_009: \result == SNPY_OK && \old(SNPY_SIMPLE(d)) ==>
            text(out + \old(plan->prefix), \old(plan->text)) == simple_text(1, \old(*d->header));
    ensures spaces: \result == SNPY_OK && \old(SNPY_SIMPLE(d)) ==>
            are_spaces(out, \old(plan->prefix + plan->text), \old(plan->total) - 1);
 */
static snpy_status pen_header(uint8_t *out, const snpy_description *d, const struct plan *plan, uint64_t *entry)
{
    uint64_t total = plan->total;
    uint64_t prefix = plan->prefix;
    uint8_t version = plan->version;
    uint8_t *behind = out + prefix;
    //@ assert room: plan->text + 2 <= total - prefix;
    struct snpy_pen pen = {{behind, (size_t)(total - prefix), 0}, version == 3, false};
    //@ assert same: *d->header == \at(*d->header, Pre);
    snpy_status status = pen_text(&pen, d, entry);
    if (status != SNPY_OK) return status;
    /*@ assert text: \at(SNPY_SIMPLE(d), Pre) ==> pen.sink.length == plan->text &&
            text(behind, pen.sink.length) == simple_text(1, \at(*d->header, Pre)); */
    //@ assert room: \at(SNPY_SIMPLE(d), Pre) ==> pen.sink.length + 2 <= total - prefix;
    //@ ghost Text:;
    write_padding(behind, pen.sink.length, total - prefix);
    write_prefix(out, version, total - prefix);
    //@ ghost show_magic(out, total);
    //@ assert newline: behind[total - prefix - 1] == '\n';
    /*@ assert kept: \forall integer j; 0 <= j < pen.sink.length && j < total - prefix - 1 ==>
            behind[j] == \at(behind[j], Text); */
    //@ assert spaces: are_spaces(behind, pen.sink.length, total - prefix - 1);
    /*@ ghost
        uint64_t k = 0;
        /@ loop invariant range: 0 <= k < total - prefix && k <= pen.sink.length;
           loop invariant same: text(behind, k) == \at(text(behind, \at(k, Here)), Text);
           loop assigns k;
           loop variant total - k; @/
        while (k < pen.sink.length && k + 1 < total - prefix) k++; */
    //@ assert all: \at(SNPY_SIMPLE(d), Pre) ==> k == pen.sink.length;
    //@ assert unchanged: \at(SNPY_SIMPLE(d), Pre) ==> text(behind, k) == \at(text(behind, pen.sink.length), Text);
    //@ assert written: \at(SNPY_SIMPLE(d), Pre) ==> text(behind, pen.sink.length) == simple_text(1, \at(*d->header, Pre));
    //@ ghost if (d->header->dtype.kind != SNPY_KIND_RECORD) show_spaces(out, prefix, pen.sink.length, total - prefix - 1);
    return SNPY_OK;
}

snpy_status snpy_write_header(const snpy_description *description, uint8_t *out, size_t capacity, uint64_t *size,
                              snpy_error *error)
{
    struct plan plan = {0, 0, 0, 0};
    uint64_t entry = 0;
    snpy_status status = make_plan(description, &plan, &entry);
    *size = 0;
    if (status != SNPY_OK) return snpy_fail(error, status, entry);
    //@ assert aligned: plan.total % SNPY_ALIGNMENT == 0 && SNPY_ALIGNMENT <= plan.total;
    if (capacity < plan.total) return snpy_fail(error, SNPY_BUFFER_TOO_SMALL, 0);
    status = pen_header(out, description, &plan, &entry);
    if (status != SNPY_OK) return snpy_fail(error, status, entry);
    //@ assert newline: plan.total % SNPY_ALIGNMENT == 0 && SNPY_ALIGNMENT <= plan.total && out[plan.total - 1] == '\n';
    *size = plan.total;
    return snpy_fail(error, SNPY_OK, 0);
}

/* Writes the type of one entry of a description that has been checked. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && DESCRIPTION_OK(d) && DESCRIBED(d);
    requires \valid(at) && \separated(at, pen) && APART_FROM_DESCRIPTION(pen, d) && APART_FROM_DESCRIPTION(at, d);
    requires APART_FROM_DESCRIPTION(pen->sink.out + (0 .. pen->sink.capacity-1), d);
    requires \separated(at, pen->sink.out + (0 .. pen->sink.capacity-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide, *at;
    ensures simple: \old(SNPY_SIMPLE(d)) ==> \result == (entry == 0 ? SNPY_OK : SNPY_BAD_ARGUMENT);
    ensures length: \old(SNPY_SIMPLE(d)) && \result == SNPY_OK ==> SNPY_PEN_MOVES(pen, \old(type_length(d->header->dtype.kind,
            d->header->dtype.itemsize, d->header->dtype.unit, d->header->dtype.multiplier)));
    ensures NPY_WRITE_001: \old(SNPY_SIMPLE(d)) && \result == SNPY_OK ==>
            SNPY_PEN_WRITES(pen, \old(type_text(sink_text(&pen->sink), d->header->dtype)));
 */
static snpy_status pen_entry_type(struct snpy_pen *pen, const snpy_description *d, size_t entry, uint64_t *at)
{
    bool is_record = d->header->dtype.kind == SNPY_KIND_RECORD;
    *at = entry;
    if (entry >= (is_record ? d->table->field_count : 1)) return SNPY_BAD_ARGUMENT;
    if (is_record) return snpy_pen_descr(pen, d->table, d->names, d->names_length, d->encoding, entry, at);
    snpy_pen_type(pen, &d->header->dtype);
    return SNPY_OK;
}

snpy_status snpy_write_descr(const snpy_description *description, size_t entry, uint8_t *out, size_t capacity,
                             uint64_t *size, snpy_error *error)
{
    struct snpy_pen pen = {{out, capacity, 0}, true, false};
    uint64_t at = 0;
    *size = 0;
    snpy_status status = check_description(description, &at);
    if (status == SNPY_OK) status = pen_entry_type(&pen, description, entry, &at);
    if (status != SNPY_OK) return snpy_fail(error, status, at);
    *size = pen.sink.length;
    return snpy_fail(error, *size <= capacity ? SNPY_OK : SNPY_BUFFER_TOO_SMALL, 0);
}

void snpy_normalise_order(snpy_header *header)
{
    uint32_t wide = 0; /* number of dimensions other than 1 */
    bool is_empty = false;
    /*@ loop invariant range: 0 <= k <= dims_looked_at(*header) && wide <= k;
        loop invariant wide: wide == wide_dims(*header, k);
        loop invariant empty: is_empty != 0 <==> empty_dim(*header, k);
        loop assigns k, wide, is_empty;
        loop variant SNPY_MAX_NDIM - k; */
    for (uint32_t k = 0; k < SNPY_MAX_NDIM && k < header->ndim; k++) {
        if (header->shape[k] == 0) is_empty = true;
        if (header->shape[k] != 1) wide++;
    }
    if (is_empty || wide <= 1) header->fortran_order = false;
}

/* Returns the number of leading bytes that two byte strings have in common; at most the shorter's length. */
/*@ requires \valid_read(one + (0 .. one_length-1)) && \valid_read(other + (0 .. other_length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= one_length && \result <= other_length;
    ensures same: \forall integer k; 0 <= k < \result ==> one[k] == other[k];
    ensures difference: \result < one_length && \result < other_length ==> one[\result] != other[\result];
 */
static size_t common_prefix(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length)
{
    size_t at = 0;
    /*@ loop invariant range: at <= one_length && at <= other_length;
        loop invariant same: \forall integer k; 0 <= k < at ==> one[k] == other[k];
        loop assigns at;
        loop variant one_length - at; */
    while (at < one_length && at < other_length && one[at] == other[at]) at++;
    return at;
}

/* Returns where a header that is shorter than the planned one differs from it: in its prefix, which has the length. */
/*@ requires \valid_read(bytes + (0 .. length-1)) && \valid_read(plan) && PLANNED(plan);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= length;
    ensures magic: \forall integer k; 0 <= k < \result && k < 6 ==> bytes[k] == magic_byte(k);
    ensures difference: \result < length && \result < 6 ==> bytes[\result] != magic_byte(\result);
    ensures version: \result > 6 ==> bytes[6] == plan->version;
 */
static size_t compare_prefix(const uint8_t *bytes, size_t length, const struct plan *plan)
{
    uint8_t prefix[SNPY_MAX_PREFIX] = {0};
    write_prefix(prefix, plan->version, plan->total - plan->prefix);
    return common_prefix(bytes, length, prefix, (size_t)plan->prefix);
}

/* Ghost lemma: equal bytes have the same text and frame. */
/*@ ghost
    /@ requires \valid_read(p + (0 .. n-1)) && \valid_read(q + (0 .. n-1));
       requires same: \forall integer k; 0 <= k < n ==> p[k] == q[k];
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures text: text(p, n) == text(q, n); @/
    static void show_same_text(const uint8_t *p, const uint8_t *q, uint64_t n)
    {
        uint64_t k = 0;
        /@ loop invariant range: 0 <= k <= n;
           loop invariant text: text(p, k) == text(q, k);
           loop assigns k;
           loop variant n - k; @/
        while (k < n) k++;
    } */

/*@ ghost
    /@ requires \valid_read(p + (0 .. n-1)) && \valid_read(q + (0 .. n-1)) && n >= 12;
       requires same: \forall integer k; 0 <= k < n ==> p[k] == q[k];
       requires frame: SNPY_SOUND_FRAME(q, n);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures version: p[6] == q[6] && prefix_length(p) == prefix_length(q);
       ensures length: SNPY_HEADER_END(p) == n;
       ensures frame: SNPY_SOUND_FRAME(p, SNPY_HEADER_END(p)); @/
    static void show_same_frame(const uint8_t *p, const uint8_t *q, uint64_t n)
    {
        uint64_t k = 6;
        /@ loop invariant range: 0 <= k <= 6;
           loop invariant magic: magic_end(p, n, k) == magic_end(q, n, k);
           loop assigns k;
           loop variant k; @/
        while (k > 0) k--;
    } */

/* Writes the planned header to `out` and compares a header with it. */
/*@ requires \valid_read(bytes + (0 .. length-1)) && \object_pointer(bytes);
    requires \valid(out + (0 .. capacity-1)) && \object_pointer(out) && DESCRIPTION_OK(d) && DESCRIBED(d);
    requires \valid_read(plan) && \valid(error) && PLANNED(plan) && \separated(out + (0 .. capacity-1), error, plan);
    requires APART_FROM_DESCRIPTION(error, d) && APART_FROM_DESCRIPTION(out + (0 .. capacity-1), d);
    requires \separated(bytes + (0 .. length-1), error, out + (0 .. capacity-1));
    requires simple: SNPY_SIMPLE(d) ==> plan->text == simple_length(*d->header) && plan->version == 1;
    terminates \true;
    exits \false;
    assigns error->status, error->offset, out[0 .. capacity-1];
    ensures result: \result == error->status;
    ensures NPY_FRAME: \result == SNPY_OK ==> SNPY_SOUND_FRAME(bytes, SNPY_HEADER_END(bytes))
            && SNPY_HEADER_END(bytes) <= length && SNPY_HEADER_END(bytes) <= capacity;
    ensures same: \result == SNPY_OK ==> \forall integer k; 0 <= k < SNPY_HEADER_END(bytes) ==> out[k] == bytes[k];
    ensures NPY_HDR_006: \result == SNPY_OK && \old(SNPY_SIMPLE(d)) ==> SNPY_IS_CANONICAL(bytes, \old(*d->header));
    ensures fault: \result == SNPY_NOT_CANONICAL ==> error->offset <= length;
    ensures differs: \result == SNPY_NOT_CANONICAL && \old(plan->total) <= length
            && (error->offset > 0 || \old(SNPY_SIMPLE(d))) ==>
            error->offset < \old(plan->total) && bytes[error->offset] != out[error->offset];
    ensures first: \result == SNPY_NOT_CANONICAL && \old(plan->total) <= length ==>
            \forall integer k; 0 <= k < error->offset ==> bytes[k] == out[k];
    ensures small: \result == SNPY_BUFFER_TOO_SMALL ==> error->offset == 0;
    ensures known: \result == SNPY_OK || \result == SNPY_NOT_CANONICAL || \result == SNPY_BUFFER_TOO_SMALL;
 */
static snpy_status compare_header(const uint8_t *bytes, size_t length, const snpy_description *d,
                                  const struct plan *plan, uint8_t *out, size_t capacity, snpy_error *error)
{
    uint64_t entry = 0;
    if (length < plan->total) return snpy_fail(error, SNPY_NOT_CANONICAL, compare_prefix(bytes, length, plan));
    if (capacity < plan->total) return snpy_fail(error, SNPY_BUFFER_TOO_SMALL, 0);
    if (pen_header(out, d, plan, &entry) != SNPY_OK) return snpy_fail(error, SNPY_NOT_CANONICAL, 0);
    size_t same = common_prefix(bytes, (size_t)plan->total, out, (size_t)plan->total);
    if (same < plan->total) return snpy_fail(error, SNPY_NOT_CANONICAL, same);
    //@ ghost show_same_frame(bytes, out, plan->total);
    //@ ghost if (d->header->dtype.kind != SNPY_KIND_RECORD) show_same_text(bytes + 10, out + 10, plan->text);
    //@ assert text: SNPY_SIMPLE(d) ==> text(bytes + 10, plan->text) == simple_text(1, \at(*d->header, Pre));
    //@ assert spaces: SNPY_SIMPLE(d) ==> are_spaces(bytes, 10 + plan->text, plan->total - 1);
    //@ assert newline: bytes[plan->total - 1] == '\n';
    //@ assert version: SNPY_SIMPLE(d) ==> bytes[6] == 1;
    //@ assert canonical: SNPY_SIMPLE(d) ==> SNPY_IS_CANONICAL(bytes, \at(*d->header, Pre));
    return snpy_fail(error, SNPY_OK, 0);
}

snpy_status snpy_check_canonical(const uint8_t *bytes, size_t length, const snpy_description *description, uint8_t *out,
                                 size_t capacity, snpy_error *error)
{
    snpy_header header = *description->header;
    snpy_description canonical = *description;
    struct plan plan = {0, 0, 0, 0};
    uint64_t entry = 0;
    //@ assert copied: header == *description->header;
    canonical.header = &header;
    canonical.version = SNPY_VERSION_AUTO;
    snpy_normalise_order(&header);
    //@ ghost Normal:;
    //@ ghost bool is_order = header.fortran_order == description->header->fortran_order;
    //@ assert order: is_order != 0 ==> header == \at(*description->header, Pre);
    snpy_status status = make_plan(&canonical, &plan, &entry);
    //@ assert kept: header == \at(header, Normal);
    //@ assert given: is_order != 0 ==> header == \at(*description->header, Pre);
    //@ assert simple: \at(SNPY_SIMPLE(description), Pre) ==> header.dtype.kind != SNPY_KIND_RECORD;
    //@ assert pointer: canonical.header == &header;
    if (status == SNPY_BAD_ARGUMENT) return snpy_fail(error, status, 0);
    if (status != SNPY_OK) return snpy_fail(error, SNPY_NOT_CANONICAL, 0);
    status = compare_header(bytes, length, &canonical, &plan, out, capacity, error);
    //@ assert kept: header.fortran_order == \at(header.fortran_order, Normal);
    //@ assert order: is_order != 0 <==> header.fortran_order == description->header->fortran_order;
    /*@ assert canonical: status == SNPY_OK && \at(SNPY_SIMPLE(description), Pre) ==>
            SNPY_IS_CANONICAL(bytes, \at(header, Normal)); */
    /*@ assert said: status == SNPY_OK && \at(SNPY_SIMPLE(description), Pre) && is_order != 0 ==>
            SNPY_IS_CANONICAL(bytes, \at(*description->header, Pre)); */
    if (status != SNPY_OK || header.fortran_order == description->header->fortran_order) return status;
    /* The bytes have False and the description has True: it does not describe these bytes. */
    return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
}
