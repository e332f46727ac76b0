/* write.c: a header as numpy.save writes it.                                         NPY-WRITE-004 … NPY-WRITE-009
 * Proves that what is written is as long as announced and inside the caller's buffer.
 * Leaves the list of fields to describe.c and what makes it well-formed to check.c. */
#include "safenpy/write.h"

#include "core/describe.h"
#include "core/duplicates.h"
#include "core/shape.h"

#define ALIGNMENT 64u
#define GROWTH_DIGITS 21u

/* The text up to the closing brace, and the spaces that let its first dimension grow.             NPY-WRITE-008 */
static snpy_status pen_text(struct snpy_pen *pen, const snpy_description *d, uint64_t *entry)
{
    static const uint8_t descr[] = {'{', '\'', 'd', 'e', 's', 'c', 'r', '\'', ':', ' '};
    static const uint8_t order[] = {',', ' ', '\'', 'f', 'o', 'r', 't', 'r', 'a', 'n',
                                    '_', 'o', 'r',  'd', 'e', 'r', '\'', ':', ' '};
    static const uint8_t is_true[] = {'T', 'r', 'u', 'e'};
    static const uint8_t is_false[] = {'F', 'a', 'l', 's', 'e'};
    static const uint8_t shape[] = {',', ' ', '\'', 's', 'h', 'a', 'p', 'e', '\'', ':', ' ', '('};
    static const uint8_t end[] = {')', ',', ' ', '}'};
    const snpy_header *h = d->header;
    snpy_pen_bytes(pen, descr, sizeof descr);
    if (h->dtype.kind == SNPY_KIND_RECORD) {
        snpy_status status = snpy_pen_descr(pen, d->table, d->names, d->names_length, d->encoding, 0, entry);
        if (status != SNPY_OK) return status;
    } else {
        snpy_pen_type(pen, &h->dtype);
    }
    snpy_pen_bytes(pen, order, sizeof order);
    if (h->fortran_order)
        snpy_pen_bytes(pen, is_true, sizeof is_true);
    else
        snpy_pen_bytes(pen, is_false, sizeof is_false);
    snpy_pen_bytes(pen, shape, sizeof shape);
    for (uint32_t k = 0; k < h->ndim; k++) {
        if (k > 0) {
            snpy_put(&pen->sink, ',');
            snpy_put(&pen->sink, ' ');
        }
        snpy_pen_number(pen, h->shape[k]);
    }
    if (h->ndim == 1) snpy_put(&pen->sink, ',');
    snpy_pen_bytes(pen, end, sizeof end);
    if (h->ndim == 0) return SNPY_OK;
    uint32_t digits = snpy_count_digits(h->shape[h->fortran_order ? h->ndim - 1 : 0]);
    for (uint32_t k = digits; k < GROWTH_DIGITS; k++) snpy_put(&pen->sink, ' ');
    return SNPY_OK;
}

/* Whether the array itself is one that can be written.                               NPY-WRITE-001, NPY-WRITE-004 */
static snpy_status check_array(const snpy_header *h)
{
    uint64_t count = 0;
    if (h->dtype.kind != SNPY_KIND_RECORD && !snpy_is_writable_type(&h->dtype)) return SNPY_WRITE_DTYPE;
    if (h->dtype.itemsize > SNPY_MAX_ITEMSIZE) return SNPY_WRITE_DTYPE;
    if (h->ndim > SNPY_MAX_NDIM) return SNPY_WRITE_SHAPE;
    for (uint32_t k = 0; k < h->ndim; k++)
        if (h->shape[k] > SNPY_MAX_SIZE) return SNPY_WRITE_SHAPE;
    return snpy_count_elements(h->shape, h->ndim, h->dtype.itemsize, &count) ? SNPY_OK : SNPY_WRITE_SHAPE;
}

/* Whether the whole description is well-formed, but for its names' spelling.         NPY-WRITE-001 … NPY-WRITE-006 */
static snpy_status check_description(const snpy_description *d, uint64_t *entry)
{
    *entry = 0;
    if (d->names_length > SNPY_MAX_TEXT) return SNPY_BAD_ARGUMENT;
    if (d->encoding != SNPY_NAME_LATIN1 && d->encoding != SNPY_NAME_UTF8 && d->encoding != SNPY_NAME_PLAIN)
        return SNPY_BAD_ARGUMENT;
    if (d->version != SNPY_VERSION_AUTO && d->version != SNPY_VERSION_1_0 && d->version != SNPY_VERSION_2_0 &&
        d->version != SNPY_VERSION_3_0)
        return SNPY_BAD_ARGUMENT;
    snpy_status status = check_array(d->header);
    if (status != SNPY_OK || d->header->dtype.kind != SNPY_KIND_RECORD) return status;
    if (d->table->field_count > d->table->field_capacity || d->table->dim_count > d->table->dim_capacity)
        return SNPY_BAD_ARGUMENT;
    status = snpy_check_table(d->table, d->names_length, entry);
    if (status != SNPY_OK) return status;
    *entry = 0;
    if (d->table->fields[0].dtype.itemsize != d->header->dtype.itemsize) return SNPY_WRITE_LAYOUT;
    uint32_t key =
        snpy_find_duplicate(d->names, d->names_length, d->encoding, d->table->fields, d->table->field_count);
    if (key == SNPY_NO_DUPLICATE) return SNPY_OK;
    *entry = key / 2;
    return SNPY_DUPLICATE_NAME;
}

/* What will be written: its version, its prefix, its text and the whole. */
struct plan {
    uint8_t version;
    uint64_t prefix; /* bytes before the text */
    uint64_t text;   /* bytes of the text without padding and newline */
    uint64_t total;  /* a multiple of 64 */
};

/* Settles the plan for one version; whether its length field can say it. */
static bool plan_version(struct plan *plan, uint8_t version, uint64_t text)
{
    uint64_t prefix = version == 1 ? 10 : 12;
    uint64_t bound = version == 1 ? 65535 : SNPY_MAX_HEADER;
    if (text > SNPY_MAX_HEADER) return false;
    plan->version = version;
    plan->prefix = prefix;
    plan->text = text;
    /* 1 to 64 spaces, never none: a full line of padding where the text ends on the boundary. */
    plan->total = ((prefix + text + 1) / ALIGNMENT + 1) * ALIGNMENT;
    return plan->total - prefix <= bound;
}

/* Counts the text in one encoding. */
static snpy_status count_text(const snpy_description *d, bool utf8, uint64_t *size, bool *wide, uint64_t *entry)
{
    struct snpy_pen pen = {{NULL, 0, 0}, utf8, false};
    snpy_status status = pen_text(&pen, d, entry);
    *size = pen.sink.length;
    *wide = pen.wide;
    return status;
}

/* The version that is asked for, or the one that NumPy takes.                        NPY-WRITE-007, NPY-WRITE-009 */
static snpy_status make_plan(const snpy_description *d, struct plan *plan, uint64_t *entry)
{
    uint64_t size = 0;
    bool wide = false;
    snpy_status status = check_description(d, entry);
    if (status != SNPY_OK) return status;
    status = count_text(d, false, &size, &wide, entry);
    if (status != SNPY_OK) return status;
    *entry = 0;
    if (!wide && d->version == SNPY_VERSION_AUTO && plan_version(plan, 1, size)) return SNPY_OK;
    if (!wide && d->version == SNPY_VERSION_AUTO && plan_version(plan, 2, size)) return SNPY_OK;
    if (!wide && (d->version == SNPY_VERSION_1_0 || d->version == SNPY_VERSION_2_0))
        return plan_version(plan, d->version == SNPY_VERSION_1_0 ? 1 : 2, size) ? SNPY_OK : SNPY_WRITE_VERSION;
    if (d->version == SNPY_VERSION_1_0 || d->version == SNPY_VERSION_2_0) return SNPY_WRITE_VERSION;
    status = count_text(d, true, &size, &wide, entry);
    if (status != SNPY_OK) return status;
    *entry = 0;
    return plan_version(plan, 3, size) ? SNPY_OK : SNPY_WRITE_VERSION;
}

snpy_status snpy_header_size(const snpy_description *description, uint64_t *size, snpy_error *error)
{
    struct plan plan = {0, 0, 0, 0};
    uint64_t entry = 0;
    snpy_status status = make_plan(description, &plan, &entry);
    *size = status == SNPY_OK ? plan.total : 0;
    return snpy_fail(error, status, status == SNPY_OK ? 0 : entry);
}

/* Magic, version and length, as numbers of single bytes. */
static void pen_prefix(struct snpy_pen *pen, const struct plan *plan)
{
    static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    uint64_t length = plan->total - plan->prefix;
    snpy_pen_bytes(pen, magic, sizeof magic);
    snpy_put(&pen->sink, plan->version);
    snpy_put(&pen->sink, 0);
    snpy_put(&pen->sink, (uint8_t)(length % 256));
    snpy_put(&pen->sink, (uint8_t)(length / 256 % 256));
    if (plan->version == 1) return;
    snpy_put(&pen->sink, (uint8_t)(length / 65536 % 256));
    snpy_put(&pen->sink, (uint8_t)(length / 16777216 % 256));
}

/* Spaces up to the newline that ends the header. */
static void pen_padding(struct snpy_pen *pen, uint64_t total)
{
    while (pen->sink.length + 1 < total) snpy_put(&pen->sink, ' ');
    snpy_put(&pen->sink, '\n');
}

snpy_status snpy_write_header(const snpy_description *description, uint8_t *out, size_t capacity, uint64_t *size,
                              snpy_error *error)
{
    struct plan plan = {0, 0, 0, 0};
    struct snpy_pen pen = {{out, capacity, 0}, false, false};
    uint64_t entry = 0;
    *size = 0;
    snpy_status status = make_plan(description, &plan, &entry);
    if (status != SNPY_OK) return snpy_fail(error, status, entry);
    if (capacity < plan.total) return snpy_fail(error, SNPY_BUFFER_TOO_SMALL, 0);
    pen.utf8 = plan.version == 3;
    pen_prefix(&pen, &plan);
    status = pen_text(&pen, description, &entry);
    if (status != SNPY_OK) return snpy_fail(error, status, entry);
    pen_padding(&pen, plan.total);
    *size = plan.total;
    return snpy_fail(error, SNPY_OK, 0);
}

snpy_status snpy_write_descr(const snpy_description *description, size_t entry, uint8_t *out, size_t capacity,
                             uint64_t *size, snpy_error *error)
{
    struct snpy_pen pen = {{out, capacity, 0}, true, false};
    uint64_t at = 0;
    *size = 0;
    snpy_status status = check_description(description, &at);
    if (status != SNPY_OK) return snpy_fail(error, status, at);
    if (description->header->dtype.kind != SNPY_KIND_RECORD) {
        if (entry > 0) return snpy_fail(error, SNPY_BAD_ARGUMENT, entry);
        snpy_pen_type(&pen, &description->header->dtype);
    } else {
        if (entry >= description->table->field_count) return snpy_fail(error, SNPY_BAD_ARGUMENT, entry);
        status = snpy_pen_descr(&pen, description->table, description->names, description->names_length,
                                description->encoding, entry, &at);
        if (status != SNPY_OK) return snpy_fail(error, status, at);
    }
    *size = pen.sink.length;
    return snpy_fail(error, *size <= capacity ? SNPY_OK : SNPY_BUFFER_TOO_SMALL, 0);
}

void snpy_normalise_order(snpy_header *header)
{
    uint32_t wide = 0; /* dimensions other than 1 */
    for (uint32_t k = 0; k < header->ndim && k < SNPY_MAX_NDIM; k++) {
        if (header->shape[k] == 0) header->fortran_order = false;
        if (header->shape[k] != 1) wide++;
    }
    if (wide <= 1) header->fortran_order = false;
}
