/* moment.c: writes datetimes in ISO 8601, as NumPy does, and timedeltas.
 * tests/data compares them with NumPy.
 *
 * A count of 64 bits times a multiplier of 31 bits can be a date whose number of days exceeds 64 bits. NumPy's
 * arithmetic wraps around; here such a date is written as a distance from 1970. */
#include "cli/data.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define DAYS_OF_ERA 146097 /* 400 years */

static const char *const unit_names[] = {"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};

/* Returns number / unit, rounded down, and sets *rest to the remainder, which is not negative. */
static int64_t divide_down(int64_t number, int64_t unit, int64_t *rest)
{
    int64_t quotient = number / unit;
    *rest = number % unit;
    if (*rest >= 0) return quotient;
    *rest += unit;
    return quotient - 1;
}

/* Sets *product. Returns false if it exceeds 64 bits. */
static bool multiply(int64_t number, int64_t times, int64_t *product)
{
    if (number > INT64_MAX / times || number < INT64_MIN / times) return false;
    *product = number * times;
    return true;
}

/* Appends to a text of `length` bytes, like snprintf. Returns the new length. The text always fits. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static size_t
append(char out[CLI_MOMENT_CAPACITY], size_t length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(out + length, CLI_MOMENT_CAPACITY - length, format, arguments);
    va_end(arguments);
    return added > 0 ? length + (size_t)added : length;
}

/* Appends count * multiplier, which can have 94 bits, and the unit. Returns the new length. */
static size_t write_product(int64_t count, const snpy_dtype *dtype, char *out, size_t length)
{
    const uint64_t group = 1000000000;
    uint64_t times = dtype->unit == SNPY_UNIT_GENERIC || dtype->multiplier == 0 ? 1 : dtype->multiplier;
    uint64_t rest = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    uint32_t groups[5];
    uint64_t carry = 0;
    size_t used = 0;
    for (; rest > 0 || carry > 0 || used == 0; rest /= group) {
        carry += rest % group * times;
        groups[used++] = (uint32_t)(carry % group);
        carry /= group;
    }
    length = append(out, length, "%s%" PRIu32, count < 0 ? "-" : "", groups[used - 1]);
    for (size_t i = used - 1; i > 0; i--) length = append(out, length, "%09" PRIu32, groups[i - 1]);
    return append(out, length, "%s", unit_names[dtype->unit]);
}

/* Writes the date of a day, counted from 1970-01-01, in the Gregorian calendar, also before 1582. Returns its
 * length. */
static size_t write_date(int64_t days, char *out)
{
    int64_t day;
    int64_t era = divide_down(days, DAYS_OF_ERA, &day) + 4;
    day += 719468 - 4 * DAYS_OF_ERA; /* from March 1st of year 0: a leap day is the last day of a year */
    if (day >= DAYS_OF_ERA) {
        day -= DAYS_OF_ERA;
        era++;
    }
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    month += month < 10 ? 3 : -9;
    year += 400 * era + (month <= 2 ? 1 : 0);
    return append(out, 0, "%04" PRId64 "-%02d-%02d", year, (int)month, (int)day + 1);
}

/* Writes a moment whose unit is an hour or less, as a date and a time. Returns its length. */
static size_t write_time(int64_t count, int8_t unit, char *out)
{
    int64_t in_second = 1;
    int64_t part = 0;
    int64_t second = 0;
    int digits = unit > SNPY_UNIT_SECOND ? 3 * (unit - SNPY_UNIT_SECOND) : 0;
    for (int i = 0; i < digits; i++) in_second *= 10;
    int64_t in_day = unit == SNPY_UNIT_HOUR ? 24 : unit == SNPY_UNIT_MINUTE ? 1440 : 86400;
    int64_t days = divide_down(divide_down(count, in_second, &part), in_day, &second);
    second *= 86400 / in_day;
    size_t length = write_date(days, out);
    length = append(out, length, "T%02d", (int)(second / 3600));
    if (unit > SNPY_UNIT_HOUR) length = append(out, length, ":%02d", (int)(second / 60 % 60));
    if (unit > SNPY_UNIT_MINUTE) length = append(out, length, ":%02d", (int)(second % 60));
    if (digits > 0) length = append(out, length, ".%0*" PRId64, digits, part);
    return length;
}

/* Writes the moment that is `count` units after 1970. Returns its length; 0 if the date exceeds 64 bits. */
static size_t write_moment(int64_t count, int8_t unit, char *out)
{
    int64_t month;
    if (unit == SNPY_UNIT_YEAR) return count > INT64_MAX - 1970 ? 0 : append(out, 0, "%04" PRId64, count + 1970);
    if (unit == SNPY_UNIT_MONTH) {
        int64_t years = divide_down(count, 12, &month);
        return append(out, 0, "%04" PRId64 "-%02d", years + 1970, (int)month + 1);
    }
    if (unit == SNPY_UNIT_WEEK && !multiply(count, 7, &count)) return 0;
    return unit <= SNPY_UNIT_DAY ? write_date(count, out) : write_time(count, unit, out);
}

size_t cli_moment_text(int64_t count, const snpy_dtype *dtype, char out[CLI_MOMENT_CAPACITY])
{
    int64_t units = 0;
    size_t length = 0;
    if (count == INT64_MIN) {
        return append(out, 0, "NaT");
    }
    if (dtype->kind == SNPY_KIND_TIMEDELTA || dtype->unit == SNPY_UNIT_GENERIC)
        return write_product(count, dtype, out, 0);
    if (multiply(count, dtype->multiplier, &units)) length = write_moment(units, dtype->unit, out);
    if (length > 0) return length;
    length = append(out, 0, count < 0 ? "1970-01-01" : "1970-01-01+"); /* the number has its own minus sign */
    return write_product(count, dtype, out, length);
}
