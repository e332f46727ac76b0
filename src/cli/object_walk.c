/* object_walk.c: what cat and diff see in object data: the sort of a value, its members, the names of types.
 * The host steps through members. */
#include "cli/object_walk.h"

const char *cli_global_name(int32_t role)
{
    static const char *const names[] = {
        [SNPY_ROLE_NDARRAY] = "numpy.ndarray",
        [SNPY_ROLE_DTYPE] = "numpy.dtype",
        [SNPY_ROLE_RECONSTRUCT] = "numpy.ndarray",
        [SNPY_ROLE_SCALAR] = "numpy.generic",
        [SNPY_ROLE_FROMBUFFER] = "numpy.ndarray",
        [SNPY_ROLE_ENCODE] = "bytes",
        [SNPY_ROLE_BYTES] = "bytes",
        [SNPY_ROLE_COMPLEX] = "complex",
        [SNPY_ROLE_BOOL] = "bool",
        [SNPY_ROLE_BYTEARRAY] = "bytearray",
        [SNPY_ROLE_DATE] = "datetime.date",
        [SNPY_ROLE_DATETIME] = "datetime.datetime",
        [SNPY_ROLE_DECIMAL] = "decimal.Decimal",
        [SNPY_ROLE_DEFAULTDICT] = "collections.defaultdict",
        [SNPY_ROLE_DICT] = "dict",
        [SNPY_ROLE_FLOAT] = "float",
        [SNPY_ROLE_FRACTION] = "fractions.Fraction",
        [SNPY_ROLE_FROZENSET] = "frozenset",
        [SNPY_ROLE_INT] = "int",
        [SNPY_ROLE_LIST] = "list",
        [SNPY_ROLE_MARECONSTRUCT] = "numpy.ma.MaskedArray",
        [SNPY_ROLE_MASKED_ARRAY] = "numpy.ma.MaskedArray",
        [SNPY_ROLE_MATRIX] = "numpy.matrix",
        [SNPY_ROLE_OBJECT] = "object",
        [SNPY_ROLE_ORDERED_DICT] = "collections.OrderedDict",
        [SNPY_ROLE_RANGE] = "range",
        [SNPY_ROLE_RECARRAY] = "numpy.recarray",
        [SNPY_ROLE_RECONSTRUCTOR] = "uuid.UUID",
        [SNPY_ROLE_RECORD] = "numpy.record",
        [SNPY_ROLE_SET] = "set",
        [SNPY_ROLE_SLICE] = "slice",
        [SNPY_ROLE_STR] = "str",
        [SNPY_ROLE_STRINGDTYPE] = "numpy.dtypes.StringDType",
        [SNPY_ROLE_STRUCT_TIME] = "time.struct_time",
        [SNPY_ROLE_TIME] = "datetime.time",
        [SNPY_ROLE_TIMEDELTA] = "datetime.timedelta",
        [SNPY_ROLE_TIMEZONE] = "datetime.timezone",
        [SNPY_ROLE_TUPLE] = "tuple",
        [SNPY_ROLE_UUID] = "uuid.UUID",
        [SNPY_ROLE_POSIX_PATH] = "pathlib.PosixPath",
        [SNPY_ROLE_PURE_POSIX_PATH] = "pathlib.PurePosixPath",
        [SNPY_ROLE_WINDOWS_PATH] = "pathlib.WindowsPath",
        [SNPY_ROLE_PURE_WINDOWS_PATH] = "pathlib.PureWindowsPath",
    };
    return role >= 0 && (size_t)role < sizeof names / sizeof names[0] && names[role] != NULL ? names[role] : "?";
}

/* Returns the sort of what a call makes. */
static enum cli_sort sort_of_call(int32_t role)
{
    switch (role) {
    case SNPY_ROLE_RECONSTRUCT:
    case SNPY_ROLE_MARECONSTRUCT:
    case SNPY_ROLE_FROMBUFFER:
        return CLI_SORT_ARRAY;
    case SNPY_ROLE_SCALAR:
        return CLI_SORT_SCALAR;
    case SNPY_ROLE_ENCODE:
    case SNPY_ROLE_BYTES:
        return CLI_SORT_BYTES;
    case SNPY_ROLE_BYTEARRAY:
        return CLI_SORT_BYTEARRAY;
    case SNPY_ROLE_COMPLEX:
        return CLI_SORT_COMPLEX;
    case SNPY_ROLE_SET:
        return CLI_SORT_SET;
    case SNPY_ROLE_FROZENSET:
        return CLI_SORT_FROZENSET;
    case SNPY_ROLE_ORDERED_DICT:
    case SNPY_ROLE_DEFAULTDICT:
        return CLI_SORT_DICT;
    case SNPY_ROLE_DTYPE:
        return CLI_SORT_DTYPE;
    case SNPY_ROLE_DATE:
    case SNPY_ROLE_DATETIME:
    case SNPY_ROLE_TIME:
        return CLI_SORT_MOMENT;
    default:
        return CLI_SORT_CALL;
    }
}

enum cli_sort cli_object_sort(const snpy_node *node)
{
    static const enum cli_sort sorts[] = {
        [SNPY_NODE_NONE] = CLI_SORT_NONE,    [SNPY_NODE_FALSE] = CLI_SORT_FALSE,
        [SNPY_NODE_TRUE] = CLI_SORT_TRUE,    [SNPY_NODE_INT] = CLI_SORT_INT,
        [SNPY_NODE_FLOAT] = CLI_SORT_FLOAT,  [SNPY_NODE_STR] = CLI_SORT_TEXT,
        [SNPY_NODE_RAW] = CLI_SORT_TEXT,     [SNPY_NODE_BYTES] = CLI_SORT_BYTES,
        [SNPY_NODE_TUPLE] = CLI_SORT_TUPLE,  [SNPY_NODE_BYTEARRAY] = CLI_SORT_BYTEARRAY,
        [SNPY_NODE_LIST] = CLI_SORT_LIST,    [SNPY_NODE_DICT] = CLI_SORT_DICT,
        [SNPY_NODE_SET] = CLI_SORT_SET,      [SNPY_NODE_FROZENSET] = CLI_SORT_FROZENSET,
        [SNPY_NODE_GLOBAL] = CLI_SORT_GLOBAL};
    return node->kind == SNPY_NODE_CALL ? sort_of_call(node->role) : sorts[node->kind];
}

cli_entries cli_begin_entries(const snpy_object_data *data, int32_t value)
{
    return (cli_entries){snpy_object_begin(data, value), 0};
}

int32_t cli_next_entry(const snpy_object_data *data, cli_entries *entries)
{
    int32_t value = entries->held;
    if (value != 0) {
        entries->held = 0;
        return value;
    }
    value = snpy_object_next(data, &entries->members);
    if (!entries->members.is_pair || value == 0) return value;
    snpy_object_members pair = snpy_object_begin(data, value);
    const int32_t key = snpy_object_next(data, &pair);
    entries->held = snpy_object_next(data, &pair);
    return key;
}
