/* Windows has no sys/wait.h: posix.h has what it would declare. */
#include "windows/posix.h"
