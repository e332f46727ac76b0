/* Windows has no dirent.h: posix.h has what it would declare. */
#include "windows/posix.h"
