/* Windows has no sys/file.h: posix.h has what it would declare. */
#include "windows/posix.h"
