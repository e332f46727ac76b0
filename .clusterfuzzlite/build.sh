#!/bin/bash -eu
# Builds all harnesses with the compiler, flags and engine that the environment gives, and packs their seeds. Those of
# archives take zlib and libdeflate, linked statically; the memory sanitizer, to which the bytes that these write are
# uninitialised, and machines for which they are not installed do without, and build what the core has of archives.
archives=no
libraries='-Wl,-Bstatic -ldeflate -lz -Wl,-Bdynamic -pthread'
if [ "${SANITIZER:-}" != memory ] && printf '#include <libdeflate.h>\n#include <zlib.h>\nint main(void) { %s }\n' \
        'return crc32(0, 0, 0) != libdeflate_crc32(0, 0, 0);' |
        $CC $CFLAGS -x c -o /dev/null - $libraries 2>/dev/null; then
    archives=yes
fi
make -j"$(nproc)" fuzz ARCHIVES=$archives ARCHIVE_LIBS="$libraries" FUZZ_OUT="$WORK/fuzz" FUZZ_CC="$CC" FUZZ_FLAGS="$CFLAGS" \
    FUZZ_COVER= FUZZ_WORK= FUZZ_ENGINE="$LIB_FUZZING_ENGINE" FUZZ_LINK="$CXX $CXXFLAGS"
python3 fuzz/seeds.py "$WORK/seeds"
for place in "$WORK"/seeds/*; do
    name=$(basename "$place")
    if [ ! -e "$WORK/fuzz/$name" ]; then
        continue
    fi
    cp "$WORK/fuzz/$name" "$OUT/$name"
    (cd "$place" && find . -type f -print | zip -q -@ "$OUT/${name}_seed_corpus.zip")
    if [ -e "fuzz/$name.dict" ]; then
        cp "fuzz/$name.dict" "$OUT/$name.dict"
    fi
done
