#!/bin/sh
# Compiles the adapter against the library beside the safenpy command, unless it is newer than that library.
set -eu

sh ../shared/safenpy.sh
library=$(dirname "$SAFENPY")/libsafenpy.a
if [ ! -f "$library" ]; then
    echo "there is no $library: run make at the top of the repository" >&2
    exit 1
fi
if [ "$BUILD/adapter" -nt "$library" ] && [ "$BUILD/adapter" -nt adapter.c ]; then
    exit 0
fi
if ! printf '#include <jansson.h>\n' | ${CC:-cc} -E - >/dev/null 2>&1; then
    echo "a C compiler or jansson.h is missing: apt-get install gcc libc6-dev libjansson-dev" >&2
    exit 1
fi
mkdir -p "$BUILD"
# shellcheck disable=SC2086 # flags are words
${CC:-cc} -std=c99 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra ${CFLAGS:-} -I../../../include \
    -o "$BUILD/adapter.$$" adapter.c "$library" -ljansson -ldeflate -lz -pthread
mv "$BUILD/adapter.$$" "$BUILD/adapter"
