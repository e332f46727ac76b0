/* mutate_zip.c: a mutator that knows what an archive looks like: it takes it apart, changes, copies, moves and swaps
 * members, also with those of a second archive, and puts it together with offsets, sizes and CRCs that are right; then,
 * half of the time, it lies in one number. */
#include "fuzz/inflate.h"
#include "fuzz/mutate.h"
#include "fuzz/zip_parts.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 8192u           /* bytes that a change may make */
#define MOST_INFLATED 65536u /* and that a stream may give */

/* An archive being changed. */
struct change {
    struct zip_parts parts;
    struct zip_parts other; /* to take members from */
    struct text *text;      /* decisions, and in the end the bytes */
    uint8_t room[ROOM];
    size_t used;
};

bool fuzz_is_zip(const uint8_t *bytes, size_t size)
{
    return size >= 22 && bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] + 1 == bytes[3];
}

/* Memory for a changed part; NULL if there is none left. */
static uint8_t *reserve(struct change *c, size_t size)
{
    if (size > ROOM - c->used) return NULL;
    uint8_t *bytes = c->room + c->used;
    c->used += size;
    return bytes;
}

/* Puts a text into a part, or behind it, or in its place. */
static void change_part(struct change *c, struct zip_part *part, const void *text, size_t length)
{
    size_t kept = text_below(c->text, 3) == 0 ? 0 : part->length;
    size_t at = text_below(c->text, 2) == 0 ? kept : text_below(c->text, kept + 1);
    uint8_t *bytes = reserve(c, kept + length);
    if (bytes == NULL) return;
    if (at > 0) memcpy(bytes, part->bytes, at);
    memcpy(bytes + at, text, length);
    if (kept > at) memcpy(bytes + at + length, part->bytes + at, kept - at);
    part->bytes = bytes;
    part->length = kept + length;
}

static struct zip_member *pick(struct change *c)
{
    return c->parts.count > 0 ? &c->parts.members[text_below(c->text, c->parts.count)] : NULL;
}

/* ---- members ------------------------------------------------------------------------------------------------ */

static void insert(struct change *c, const struct zip_member *member)
{
    struct zip_parts *parts = &c->parts;
    if (parts->count == ZIP_MOST_MEMBERS) return;
    struct zip_member copy = *member;
    size_t at = text_below(c->text, parts->count + 1);
    memmove(&parts->members[at + 1], &parts->members[at], (parts->count - at) * sizeof copy);
    parts->members[at] = copy;
    parts->count++;
    if (text_below(c->text, 4) == 0) return;
    uint8_t letter = (uint8_t)('a' + text_below(c->text, 26));
    change_part(c, &parts->members[at].name, &letter, 1);
}

static void copy_member(struct change *c)
{
    const struct zip_member *member = pick(c);
    if (c->other.count > 0 && text_below(c->text, 2) == 0)
        member = &c->other.members[text_below(c->text, c->other.count)];
    if (member != NULL) insert(c, member);
}

static void drop_member(struct change *c)
{
    struct zip_parts *parts = &c->parts;
    if (parts->count == 0) return;
    size_t at = text_below(c->text, parts->count);
    parts->count--;
    memmove(&parts->members[at], &parts->members[at + 1], (parts->count - at) * sizeof parts->members[0]);
}

static void swap_members(struct change *c)
{
    struct zip_member *one = pick(c);
    struct zip_member *other = pick(c);
    if (one == NULL) return;
    struct zip_member kept = *one;
    *one = *other;
    *other = kept;
}

/* ---- names and other texts ---------------------------------------------------------------------------------- */

static void change_name(struct change *c)
{
    static const char *const texts[] = {".npy", "/",       "../",      "\\",           ":",
                                        "\n",   "\x1b[2J", "\xc3\xa9", "\xe9",         "CON",
                                        "x",    "arr_0",   ".npy.npy", "\xed\xa0\x80", "\xf0\x9f\x98\x80"};
    struct zip_member *member = pick(c);
    if (member == NULL) return;
    if (text_below(c->text, 4) == 0) {
        member->name = pick(c)->name;
    } else if (text_below(c->text, 16) == 0) {
        change_part(c, &member->name, "\0", 1);
    } else {
        const char *text = texts[text_below(c->text, sizeof texts / sizeof texts[0])];
        change_part(c, &member->name, text, strlen(text));
    }
}

/* The Unicode path of a name: version 1, the CRC of the name, the name as it is. */
static void add_unicode_path(struct change *c, struct zip_member *member)
{
    uint32_t crc = zip_parts_crc(member->name.bytes, member->name.length);
    size_t length = 9 + member->name.length;
    uint8_t *field = reserve(c, length);
    if (field == NULL || member->name.length > 1024) return;
    memcpy(field, "\x75\x70", 2);
    field[2] = (uint8_t)((length - 4) % 256);
    field[3] = (uint8_t)((length - 4) / 256);
    field[4] = 1;
    for (unsigned i = 5; i < 9; i++, crc /= 256) field[i] = (uint8_t)(crc % 256);
    if (member->name.length > 0) memcpy(field + 9, member->name.bytes, member->name.length);
    change_part(c, &member->central_extra, field, length);
}

static void change_extra(struct change *c)
{
    static const struct zip_part fields[] = {{(const uint8_t *)"\x35\xd9\6\0@\0\0\0\0\0", 10},
                                             {(const uint8_t *)"UT\5\0\1\0\0\0\0", 9},
                                             {(const uint8_t *)"\1\0\0\0", 4},
                                             {(const uint8_t *)"\1\0\x08\0\0\0\0\0\0\0\0\0", 12},
                                             {(const uint8_t *)"\xfe\xca\0\0", 4},
                                             {(const uint8_t *)"\0", 1},
                                             {(const uint8_t *)"\x75\x70\5\0\1\0\0\0\0", 9}};
    struct zip_member *member = pick(c);
    if (member == NULL) return;
    uint32_t form = text_below(c->text, 9);
    struct zip_part *part = text_below(c->text, 2) == 0 ? &member->local_extra : &member->central_extra;
    if (form == 7)
        add_unicode_path(c, member);
    else if (form == 8)
        part->length = 0;
    else
        change_part(c, part, fields[form].bytes, fields[form].length);
}

static void change_comment(struct change *c)
{
    static const struct zip_part texts[] = {{(const uint8_t *)"PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22},
                                            {(const uint8_t *)"PK\6\7", 4},
                                            {(const uint8_t *)"a comment", 9},
                                            {(const uint8_t *)"PK\1\2", 4}};
    struct zip_member *member = pick(c);
    const struct zip_part *text = &texts[text_below(c->text, 4)];
    bool is_member = member != NULL && text_below(c->text, 2) == 0;
    change_part(c, is_member ? &member->comment : &c->parts.comment, text->bytes, text->length);
}

/* ---- data --------------------------------------------------------------------------------------------------- */

/* Gives a member the size and the CRC that its data have: a stream that was changed may still be one. */
static void mend_numbers(struct change *c, struct zip_member *member)
{
    static uint8_t out[MOST_INFLATED];
    struct zip_part bytes = member->data;
    if (member->method != 0) {
        struct inflated got = plain_inflate(bytes.bytes, bytes.length, out, sizeof out);
        bytes.bytes = out;
        bytes.length = got.given;
        if (got.is_whole && text_below(c->text, 4) != 0) member->data.length = got.used;
    }
    member->size = bytes.length;
    member->crc = zip_parts_crc(bytes.bytes, bytes.length);
}

/* A stored member becomes one deflate block of type 0, or such a block a stored member. */
static void change_method(struct change *c)
{
    struct zip_member *member = pick(c);
    if (member == NULL) return;
    size_t length = member->data.length;
    if (member->method != 0) {
        bool is_plain = length >= 5 && member->data.bytes[0] == 1;
        member->data.bytes += is_plain ? 5 : 0;
        member->data.length -= is_plain ? 5 : 0;
    } else {
        uint8_t *block = length <= 0xffff ? reserve(c, length + 5) : NULL;
        if (block == NULL) return;
        block[0] = 1;
        block[1] = (uint8_t)(length % 256);
        block[2] = (uint8_t)(length / 256);
        block[3] = (uint8_t)~block[1];
        block[4] = (uint8_t)~block[2];
        if (length > 0) memcpy(block + 5, member->data.bytes, length);
        member->data.bytes = block;
        member->data.length = length + 5;
    }
    member->method = member->method != 0 ? 0 : 8;
    if (member->method == 0) mend_numbers(c, member);
}

/* Changes a member's bytes as those of a file, and of deflate data some bits. */
static void change_data(struct change *c)
{
    struct zip_member *member = pick(c);
    if (member == NULL) return;
    struct text data = {NULL, member->data.length, member->data.length + 256, c->text->random};
    data.bytes = reserve(c, data.capacity);
    if (data.bytes == NULL) return;
    if (data.length > 0) memcpy(data.bytes, member->data.bytes, data.length);
    if (member->method == 0)
        data.length =
            fuzz_mutate_text(data.bytes, data.length, data.capacity, NULL, 0, text_below(c->text, UINT32_MAX));
    else
        for (uint32_t times = text_below(c->text, 3); times < 3; times++) text_change_byte(&data);
    member->data.bytes = data.bytes;
    member->data.length = data.length;
    if (text_below(c->text, 8) != 0) mend_numbers(c, member);
}

static void change_form(struct change *c)
{
    struct zip_member *member = pick(c);
    uint32_t form = text_below(c->text, 7);
    if (form == 0 || member == NULL)
        c->parts.has_wide_end = !c->parts.has_wide_end;
    else if (form == 1)
        member->flags ^= 1u << text_below(c->text, 16);
    else if (form == 2)
        member->flags ^= 0x800u;
    else if (form == 3)
        member->has_zip64 = !member->has_zip64;
    else if (form == 4)
        member->is_wide_central = !member->is_wide_central;
    else if (form == 5)
        member->flags ^= 8u;
    else
        member->is_unsigned = !member->is_unsigned;
}

static void change_archive(struct change *c)
{
    static void (*const changes[])(struct change *) = {
        copy_member,   drop_member, swap_members, change_name, change_name, change_extra, change_extra, change_comment,
        change_method, change_data, change_data,  change_data, change_form, change_form,  change_form,  copy_member};
    changes[text_below(c->text, sizeof changes / sizeof changes[0])](c);
}

/* ---- lies --------------------------------------------------------------------------------------------------- */

/* A number that is nearly right, or at one of the ends, or right in another place. */
static uint64_t lie(struct text *t, uint64_t truth, uint64_t elsewhere)
{
    switch (text_below(t, 6)) {
    case 0:
        return truth + 1 + text_below(t, 4);
    case 1:
        return truth - 1 - text_below(t, 4);
    case 2:
        return (UINT64_C(1) << text_below(t, 64)) + text_below(t, 3) - 1;
    case 3:
        return 0 - (uint64_t)text_below(t, 3);
    case 4:
        return text_below(t, t->length + 1);
    default:
        return elsewhere;
    }
}

static void put_lie(struct text *t, struct zip_field field, uint64_t elsewhere)
{
    uint64_t number = lie(t, zip_parts_number(t->bytes + field.at, field.width), elsewhere);
    for (unsigned i = 0; i < field.width; i++, number /= 256) t->bytes[field.at + i] = (uint8_t)(number % 256);
}

/* Lies in one of the numbers that were written. */
static void lie_in_field(struct text *t, const struct zip_parts *parts)
{
    if (parts->field_count == 0) return;
    struct zip_field field = parts->fields[text_below(t, parts->field_count)];
    struct zip_field other = parts->fields[text_below(t, parts->field_count)];
    put_lie(t, field, zip_parts_number(t->bytes + other.at, other.width));
}

/* Lies behind some signature, of an archive that is left as it is otherwise. */
static void lie_somewhere(struct text *t)
{
    size_t at = text_below(t, t->length);
    struct zip_field field = {0, 1u << text_below(t, 4)};
    while (at + 4 < t->length && (t->bytes[at] != 'P' || t->bytes[at + 1] != 'K')) at++;
    field.at = at + 4 + text_below(t, 52);
    if (field.at + field.width <= t->length) put_lie(t, field, text_below(t, UINT32_MAX));
}

/* Bytes where none should be, or none where some should: what follows stands elsewhere than it says. */
static void shift(struct text *t)
{
    static const uint8_t bytes[] = "PK\5\6PK\3\4PK\1\2PK\7\10";
    struct span place = {text_below(t, t->length + 1), 0};
    if (text_below(t, 3) == 0) place.at = text_below(t, 2) == 0 ? 0 : t->length;
    if (text_below(t, 2) == 0 && place.at < t->length) place.length = 1;
    text_replace(t, place, bytes + text_below(t, 12), text_below(t, 5));
}

size_t fuzz_mutate_zip(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size,
                       uint32_t seed)
{
    struct text text = {bytes, size, capacity, 0};
    struct change *c = malloc(sizeof *c);
    uint8_t *copy = malloc(size);
    text_seed(&text, seed);
    uint32_t way = text_below(&text, 8);
    bool is_taken = c != NULL && copy != NULL && way > 1 && zip_take(memcpy(copy, bytes, size), size, &c->parts);
    if (is_taken) {
        c->text = &text;
        c->used = 0;
        if (!zip_take(other, other_size, &c->other)) c->other.count = 0;
        for (uint32_t times = 1 + text_below(&text, 3); times > 0; times--) change_archive(c);
        if (!zip_put(&c->parts, &text))
            memcpy(bytes, copy, text.length = size);
        else if (text_below(&text, 2) == 0)
            lie_in_field(&text, &c->parts);
    } else if (way == 0) {
        text_change_byte(&text);
    } else {
        lie_somewhere(&text);
    }
    if (text_below(&text, 16) == 0) shift(&text);
    free(copy);
    free(c);
    return text.length;
}
