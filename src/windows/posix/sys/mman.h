/* Windows has no sys/mman.h: posix.h has what it would declare. */
#include "windows/posix.h"
