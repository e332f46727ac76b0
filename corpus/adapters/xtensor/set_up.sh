#!/bin/sh
# Compiles the adapter with xtensor's headers: Debian 12 has 0.24.3 in libxtensor-dev.
set -eu

if ! printf '#include <xtensor/xnpy.hpp>\n#include <nlohmann/json.hpp>\n' |
    ${CXX:-c++} -std=c++17 -x c++ -fsyntax-only - >/dev/null 2>&1; then
    echo "missing: apt-get install g++ libxtensor-dev nlohmann-json3-dev" >&2
    exit 1
fi
mkdir -p "$BUILD"
cat > "$BUILD/version.cpp" <<'END'
#include <xtensor/xtensor_config.hpp>
static_assert(XTENSOR_VERSION_MAJOR == 0 && XTENSOR_VERSION_MINOR == 24, "not 0.24");
static_assert(XTENSOR_VERSION_PATCH == 3, "not 0.24.3");
END
if ! ${CXX:-c++} -std=c++17 -fsyntax-only "$BUILD/version.cpp"; then
    echo "the results are those of xtensor 0.24.3; another version is installed" >&2
    exit 1
fi
# shellcheck disable=SC2086 # flags are words
${CXX:-c++} -std=c++17 -O2 -Wall -Wextra ${CXXFLAGS:-} -o "$BUILD/adapter" adapter.cpp
