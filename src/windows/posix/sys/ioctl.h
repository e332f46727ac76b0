/* Windows has no sys/ioctl.h: posix.h has what it would declare. */
#include "windows/posix.h"
