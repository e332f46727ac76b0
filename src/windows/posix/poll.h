/* Windows has no poll.h: posix.h has what it would declare. */
#include "windows/posix.h"
