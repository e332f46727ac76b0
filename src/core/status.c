/* status.c: returns names, rules, sentences and hints of the statuses, and the library's version.
 * Proves that every call ends and changes nothing. Tests check that each text fits its status.
 *
 * The switches have no default, so that the compiler warns about a status that is missing in one. */
#include "core/core.h"

/* What the four functions return for a number that is no status. */
#define UNKNOWN_NAME "SNPY_UNKNOWN"
#define UNKNOWN_RULE "API-STATUS"
#define UNKNOWN_MESSAGE "the status is not one of this library"
#define UNKNOWN_HINT "use the library and the headers of one version"

/* Returns the name of a status, as the enumeration spells it.                                             API-STATUS */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_name(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "SNPY_OK";
#define SNPY_STATUS(name, number, rule, message, hint, example) \
    case name:                                                  \
        return #name;
#include "safenpy/statuses.h"
    }
    return UNKNOWN_NAME;
}

/* Returns the rule that a status reports. */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_rule(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "NPY-OK";
#define SNPY_STATUS(name, number, rule, message, hint, example) \
    case name:                                                  \
        return rule;
#include "safenpy/statuses.h"
    }
    return UNKNOWN_RULE;
}

/* Returns what was wrong, in one sentence. */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_message(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "the file is accepted";
#define SNPY_STATUS(name, number, rule, message, hint, example) \
    case name:                                                  \
        return message;
#include "safenpy/statuses.h"
    }
    return UNKNOWN_MESSAGE;
}

/* Returns how to fix the file. */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_hint(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "there is nothing to fix";
#define SNPY_STATUS(name, number, rule, message, hint, example) \
    case name:                                                  \
        return hint;
#include "safenpy/statuses.h"
    }
    return UNKNOWN_HINT;
}

/* Returns the version of the running library.                                                            API-VERSION */
/*@ terminates \true;
    exits \false;
    assigns \result \from \nothing;
 */
const char *snpy_version(void)
{
    return SNPY_VERSION_STRING;
}
