/* flat_moment.c: dates, datetimes and timedeltas as numbers, and back.                                      NPY-PKL-033 */
#include "host/flat.h"

#define DAY INT64_C(86400000000)     /* microseconds */
#define MOST_DAYS INT64_C(106000000) /* of a timedelta whose microseconds have 64 bits */
#define FIRST_DAY INT64_C(-719162)   /* 1 January of the year 1, counted from 1970 */
#define LAST_DAY INT64_C(2932896)    /* 31 December 9999 */

/* Counts the days of the years before, and of the months and days of this one; March is the first month. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    const int64_t shifted = month > 2 ? year : year - 1;
    const int64_t months = month > 2 ? month - 3 : month + 9;
    return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * months + 2) / 5 + day - 1 - 719468;
}

/* Reads the bytes of a date or datetime. Returns false if there are others, or a fold. */
static bool read_moment(const snpy_object_data *data, int32_t value, uint8_t *bytes, uint64_t size)
{
    const int32_t arguments = snpy_object_arguments(data, value);
    const int32_t first = snpy_object_part(data, arguments, 0);
    if (snpy_object_node(data, first)->kind != SNPY_NODE_BYTES || snpy_object_part(data, arguments, 1) != 0)
        return false;
    return snpy_object_text(data, first, bytes, size) == size && bytes[2] <= 12;
}

/* Reads the three numbers of a timedelta. */
static bool read_delta(const snpy_object_data *data, int32_t value, int64_t numbers[3])
{
    const int32_t arguments = snpy_object_arguments(data, value);
    for (uint32_t i = 0; i < 3; i++) {
        const int32_t part = snpy_object_part(data, arguments, i);
        if (part == 0 || snpy_object_int(data, part, &numbers[i]) != SNPY_OK) return false;
    }
    return numbers[0] >= -MOST_DAYS && numbers[0] <= MOST_DAYS;
}

bool snpy_flat_moment(const snpy_object_data *data, int32_t value, snpy_flat_kind *kind, int64_t *number)
{
    uint8_t bytes[10];
    int64_t numbers[3];
    switch (snpy_object_node(data, value)->role) {
    case SNPY_ROLE_DATE:
        *kind = SNPY_FLAT_DATE;
        if (!read_moment(data, value, bytes, 4)) return false;
        *number = days_of(INT64_C(256) * bytes[0] + bytes[1], bytes[2], bytes[3]);
        return true;
    case SNPY_ROLE_DATETIME:
        *kind = SNPY_FLAT_DATETIME;
        if (!read_moment(data, value, bytes, 10)) return false;
        *number = DAY * days_of(INT64_C(256) * bytes[0] + bytes[1], bytes[2], bytes[3]) +
                  ((bytes[4] * INT64_C(60) + bytes[5]) * 60 + bytes[6]) * 1000000 + INT64_C(65536) * bytes[7] +
                  INT64_C(256) * bytes[8] + bytes[9];
        return true;
    case SNPY_ROLE_TIMEDELTA:
        *kind = SNPY_FLAT_TIMEDELTA;
        if (!read_delta(data, value, numbers)) return false;
        *number = DAY * numbers[0] + numbers[1] * 1000000 + numbers[2];
        return true;
    default:
        return false;
    }
}

/* Finds year, month and day of a day from the year 1 to 9999. */
static void date_of(int64_t number, uint8_t bytes[4])
{
    const int64_t days = number + 719468; /* since 1 March of the year 0 */
    const int64_t era = days / 146097;
    const int64_t of_era = days % 146097;
    const int64_t of_years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * of_years + of_years / 4 - of_years / 100);
    const int64_t months = (5 * of_year + 2) / 153;
    const int64_t month = months < 10 ? months + 3 : months - 9;
    const int64_t year = of_years + 400 * era + (month <= 2 ? 1 : 0);
    bytes[0] = (uint8_t)(year / 256);
    bytes[1] = (uint8_t)(year % 256);
    bytes[2] = (uint8_t)month;
    bytes[3] = (uint8_t)(of_year - (153 * months + 2) / 5 + 1);
}

bool snpy_flat_moment_parts(snpy_flat_kind kind, int64_t number, uint8_t bytes[10], int64_t numbers[3])
{
    int64_t days = kind == SNPY_FLAT_DATE ? number : number / DAY;
    int64_t rest = kind == SNPY_FLAT_DATE ? 0 : number % DAY;
    if (rest < 0) {
        rest += DAY;
        days--;
    }
    const int64_t seconds = rest / 1000000;
    const int64_t micro = rest % 1000000;
    numbers[0] = days;
    numbers[1] = seconds;
    numbers[2] = micro;
    if (kind == SNPY_FLAT_TIMEDELTA) return true;
    if (days < FIRST_DAY || days > LAST_DAY) return false;
    date_of(days, bytes);
    bytes[4] = (uint8_t)(seconds / 3600);
    bytes[5] = (uint8_t)(seconds / 60 % 60);
    bytes[6] = (uint8_t)(seconds % 60);
    for (int i = 0; i < 3; i++) bytes[7 + i] = (uint8_t)(micro >> (8 * (2 - i)));
    return true;
}
