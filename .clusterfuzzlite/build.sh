#!/bin/bash -eu
# Builds all harnesses with the compiler, flags and engine that the environment gives, and packs their seeds.
make -j"$(nproc)" fuzz ARCHIVES=no FUZZ_OUT="$WORK/fuzz" FUZZ_CC="$CC" FUZZ_FLAGS="$CFLAGS" FUZZ_COVER= FUZZ_WORK= \
    FUZZ_ENGINE="$LIB_FUZZING_ENGINE" FUZZ_LINK="$CXX $CXXFLAGS"
python3 fuzz/seeds.py "$WORK/seeds"
for place in "$WORK"/seeds/*; do
    name=$(basename "$place")
    cp "$WORK/fuzz/$name" "$OUT/$name"
    (cd "$place" && find . -type f -print | zip -q -@ "$OUT/${name}_seed_corpus.zip")
    if [ -e "fuzz/$name.dict" ]; then
        cp "fuzz/$name.dict" "$OUT/$name.dict"
    fi
done
