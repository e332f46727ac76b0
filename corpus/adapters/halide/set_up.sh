#!/bin/sh
# Compiles the adapter with the headers that Halide's package for Python carries. Assertions stay on.
set -eu

version=$(sed -n 's/^halide==//p' requirements.txt)
if ! printf '#include <nlohmann/json.hpp>\n' | ${CXX:-c++} -std=c++17 -x c++ -fsyntax-only - >/dev/null 2>&1; then
    echo "missing: apt-get install g++ nlohmann-json3-dev" >&2
    exit 1
fi
mkdir -p "$BUILD"
sh ../shared/pip.sh "$BUILD/packages" requirements.txt
# shellcheck disable=SC2086 # flags are words
${CXX:-c++} -std=c++17 -O2 -Wall ${CXXFLAGS:-} -DHALIDE_VERSION="\"$version\"" \
    -isystem "$BUILD/packages/halide/include" -isystem "$BUILD/packages/halide/share/tools" \
    -o "$BUILD/adapter" adapter.cpp -ldl -lpthread
