/* moment.c: the bytes of dates, datetimes and times.                                                  NPY-PKL-013
 * Leaves time zones to arguments.c. */
#include "core/object/arguments.h"

#define DATE_BYTES 4u
#define MOMENT_BYTES 10u /* a date and a time */
#define NO_BYTE 0x100u   /* no part of a date or time is as large */

/* A date and a time, in the parts that they are written in. */
struct moment {
    uint32_t byte[MOMENT_BYTES];
};

/* The days of a month.  */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures none: !(1 <= month <= 12) ==> \result == 0;
    ensures range: \result <= 31;
 */
static uint32_t days_of(uint32_t year, uint32_t month)
{
    if (month == 0 || month > 12) return 0;
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* Whether a date is one of the years 1 to 9999; its first four parts. */
/*@ requires \valid_read(moment);
    requires bytes: \forall integer k; 0 <= k < 2 ==> moment->byte[k] <= NO_BYTE;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_date(const struct moment *moment)
{
    uint32_t year = 256u * moment->byte[0] + moment->byte[1];
    if (year == 0 || year > 9999) return false;
    return moment->byte[3] > 0 && moment->byte[3] <= days_of(year, moment->byte[2]);
}

/* Whether the last six parts are a time of the day. */
/*@ requires \valid_read(moment);
    requires bytes: \forall integer k; 0 <= k < MOMENT_BYTES ==> moment->byte[k] <= NO_BYTE;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_time(const struct moment *moment)
{
    if (moment->byte[4] > 23 || moment->byte[5] > 59 || moment->byte[6] > 59) return false;
    return 65536u * moment->byte[7] + 256u * moment->byte[8] + moment->byte[9] < 1000000u;
}

/* Reads the parts from `first` to before `end`. Returns false unless there are as many. */
/*@ requires leaf_ok(pickle, leaf) && first <= end <= MOMENT_BYTES && \valid(moment);
    requires \separated(moment, pickle + (0 .. leaf.end - 1));
    requires bytes: \forall integer k; 0 <= k < MOMENT_BYTES ==> moment->byte[k] <= NO_BYTE;
    terminates \true;
    exits \false;
    assigns *moment;
    ensures bytes: \forall integer k; 0 <= k < MOMENT_BYTES ==> moment->byte[k] <= NO_BYTE;
 */
static bool read_parts(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t first, uint32_t end,
                       struct moment *moment)
{
    /*@ loop invariant range: first <= i <= end && leaf_ok(pickle, leaf) && leaf.end == \at(leaf.end, Pre);
        loop invariant bytes: \forall integer k; 0 <= k < MOMENT_BYTES ==> moment->byte[k] <= NO_BYTE;
        loop assigns i, leaf, moment->byte[0 .. MOMENT_BYTES - 1];
        loop variant end - i; */
    for (uint32_t i = first; i < end; i++) {
        moment->byte[i] = leaf.point < NO_BYTE ? leaf.point : NO_BYTE;
        snpy_leaf_step(pickle, &leaf);
        if (moment->byte[i] == NO_BYTE) return false;
    }
    return leaf.point == SNPY_LEAF_END;
}

bool snpy_is_moment(const uint8_t *pickle, struct snpy_leaf leaf, int32_t role)
{
    struct moment moment = {{0, 1, 1, 1, 0, 0, 0, 0, 0, 0}};
    bool has_date = role != SNPY_ROLE_TIME;
    bool has_time = role != SNPY_ROLE_DATE;
    if (!read_parts(pickle, leaf, has_date ? 0 : DATE_BYTES, has_time ? MOMENT_BYTES : DATE_BYTES, &moment))
        return false;
    uint32_t fold = has_date ? 2 : DATE_BYTES; /* the highest bit of the month or of the hour */
    if (has_time && moment.byte[fold] > 0x7f) moment.byte[fold] -= 0x80;
    return is_date(&moment) && is_time(&moment);
}
