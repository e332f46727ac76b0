#!/bin/sh
# Installs with apt-get what the named groups need and what is missing, with the reason. Silent if nothing is missing.
#
#   tools/deps.sh build test page fuzz lint prove
#
# Waits where another apt is at work.
set -eu

missing=''

# need PACKAGE REASON COMMAND...: the package is missing if the command fails.
need() {
    package=$1
    reason=$2
    shift 2
    if ! "$@" >/dev/null 2>&1; then
        printf 'missing: %-15s %s\n' "$package" "$reason"
        missing="$missing $package"
    fi
}

have() {
    command -v "$1"
}

for group in "$@"; do
    case $group in
    build)
        need make 'runs the Makefile' have make
        need gcc 'compiles; its sanitizers watch the tests' have gcc
        need libc6-dev 'headers of the C library' test -e /usr/include/stdio.h
        need zlib1g-dev 'inflates and deflates archives by parts' test -e /usr/include/zlib.h
        need libdeflate-dev 'inflates and deflates archives at once' test -e /usr/include/libdeflate.h
        need clang 'the second compiler that must be content' have clang
        ;;
    test)
        need libcmocka-dev 'unit tests' test -e /usr/include/cmocka.h
        need libjansson-dev 'reads the manifest in the unit tests' test -e /usr/include/jansson.h
        need g++ 'checks that the headers are clean as C++' have g++
        need pkg-config 'checks the installed library as a user finds it' have pkg-config
        need python3 'runs the tests' have python3
        need python3-pytest 'collects and runs the tests in Python' test -d /usr/lib/python3/dist-packages/_pytest
        need python3-pytest-xdist 'runs them on all processors' test -d /usr/lib/python3/dist-packages/xdist
        need python3-pytest-timeout 'ends a test that hangs' test -e /usr/lib/python3/dist-packages/pytest_timeout.py
        need python3-yaml 'reads the assurance case' test -d /usr/lib/python3/dist-packages/yaml
        need python3-jsonschema 'checks the manifest against its schema' test -d /usr/lib/python3/dist-packages/jsonschema
        need python3-numpy 'reads the data of arrays, for comparison' test -d /usr/lib/python3/dist-packages/numpy
        need python3-hatchling 'builds the package of the conformance suite' test -d /usr/lib/python3/dist-packages/hatchling
        need python3-venv 'installs that package as its users do' test -d /usr/lib/python3.11/ensurepip
        need python3-dev 'compiles the extension for Python' sh -c 'ls /usr/include/python3*/Python.h'
        need zsh 'runs the completion for zsh' have zsh
        need fish 'runs the completion for fish' have fish
        need acl 'gives files access control lists, which must be kept' have setfacl
        need valgrind 'finds reads of uninitialised memory, which the sanitizers do not' have valgrind
        ;;
    compilers)
        need tcc 'compiles the amalgamation, as a small compiler does' have tcc
        need musl-tools 'compiles it with another C library' have musl-gcc
        ;;
    windows)
        need gcc-mingw-w64-x86-64-posix 'compiles for Windows' have x86_64-w64-mingw32-gcc-posix
        need libz-mingw-w64-dev 'inflates archives there' test -e /usr/x86_64-w64-mingw32/lib/libz.a
        need wine64 'runs programs for Windows' test -e /usr/lib/wine/wine64
        need wine 'starts it' have wine
        ;;
    consumers)
        need cmake 'builds projects that use the library' have cmake
        need ninja-build 'runs the builds of CMake and Meson' have ninja
        need meson 'builds projects that use the library' have meson
        ;;
    js)
        need clang 'compiles the core to WebAssembly' have clang
        need lld 'links it' have wasm-ld
        need nodejs 'runs it' have node
        need node-typescript 'checks its types' have tsc
        ;;
    page)
        need chromium 'shows the page of results to its tests' have chromium
        need chromium-driver 'lets the tests use the page' have chromedriver
        need fonts-dejavu-core 'lets the page have letters' test -d /usr/share/fonts/truetype/dejavu
        ;;
    site)
        need python3-venv 'holds Sphinx' test -d /usr/lib/python3.11/ensurepip
        need mandoc 'turns the manual page into a page' have mandoc
        need graphviz 'draws the assurance case' have dot
        ;;
    release)
        need reprotest 'builds twice, elsewhere and later, and compares' have reprotest
        need faketime 'sets the clock of the second build' have faketime
        need debhelper 'builds the Debian packages' have dh
        need fakeroot 'gives the files in them to root' have fakeroot
        need pkg-config 'knows the versions of the libraries' have pkg-config
        need npm 'packs the package for JavaScript' have npm
        need abigail-tools 'compares the binary interface with the last release' have abidiff
        ;;
    fuzz)
        need clang 'compiles the fuzz harnesses' have clang
        need libclang-rt-14-dev 'libFuzzer, and the sanitizers of clang' \
            sh -c 'ls "$(clang -print-runtime-dir)"/libclang_rt.fuzzer*.a'
        need python3 'runs the harnesses and checks their coverage' have python3
        need patch 'plants the bugs that the harnesses must find' have patch
        ;;
    afl)
        need afl++ 'a second fuzzer for the same harnesses' have afl-clang-fast
        ;;
    eacsl)
        need afl++ 'compiles the contracts for a fuzzer' have afl-clang-fast
        need libgmp-dev 'the numbers of the contracts' sh -c 'ls /usr/include/gmp.h || ls /usr/include/*/gmp.h'
        need clang 'compiles the runtime of the contracts' have clang
        need frama-c-base 'translates the contracts into C' have frama-c
        need ocaml 'compiles what prepares the contracts for E-ACSL' have ocamlopt
        ;;
    lint)
        need pmccabe 'counts the branches of each function' have pmccabe
        need clang-format 'layout' have clang-format
        need clang-tidy 'static analysis' have clang-tidy
        need cppcheck 'static analysis' have cppcheck
        need mandoc 'checks the man page' have mandoc
        ;;
    prove)
        need python3 'runs the proofs and checks their reports' have python3
        need patch 'plants the bugs that the proofs must find' have patch
        need frama-c-base 'translates the contracts into goals' have frama-c
        need why3 'hands the goals to the provers' have why3
        need z3 'prover' have z3
        need cvc4 'prover' have cvc4
        ;;
    cross)
        # gcc-12-multilib and not gcc-multilib, which does not install beside the cross compilers
        need gcc-12-multilib 'compiles for i386' test -d /usr/lib/gcc/x86_64-linux-gnu/12/32
        need gcc-s390x-linux-gnu 'compiles for s390x, where the first byte is the high one' have s390x-linux-gnu-gcc
        need libc6-dev-s390x-cross 'its C library' test -e /usr/s390x-linux-gnu/lib/libc.a
        need gcc-arm-linux-gnueabihf 'compiles for Arm' have arm-linux-gnueabihf-gcc
        need libc6-dev-armhf-cross 'its C library' test -e /usr/arm-linux-gnueabihf/lib/libc.a
        need gcc-arm-none-eabi 'compiles for a Cortex-M4' have arm-none-eabi-gcc
        need libnewlib-arm-none-eabi 'its C library' test -d /usr/lib/arm-none-eabi/newlib
        need gcc-riscv64-unknown-elf 'compiles for RISC-V' have riscv64-unknown-elf-gcc
        need qemu-user 'runs programs for s390x and Arm' have qemu-s390x
        need qemu-system-arm 'runs the Cortex-M4' have qemu-system-arm
        ;;
    coverage)
        need clang-19 'counts lines, branches and conditions' have clang-19
        need llvm-19 'reports what was counted' have llvm-cov-19
        need libclang-rt-19-dev 'writes the counters' test -d /usr/lib/llvm-19/lib/clang/19/lib/linux
        ;;
    fresh)
        need debootstrap 'makes a fresh Debian to try the README in' have debootstrap
        ;;
    *)
        echo "deps.sh: no group named $group (build, test, compilers, windows, consumers, js, page, site, release, fuzz, afl, eacsl, lint, prove, cross," \
            "coverage, fresh)" >&2
        exit 2
        ;;
    esac
done

if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "There is no apt-get here: please install by hand:$missing" >&2
        exit 1
    fi
    as_root=''
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "Neither root nor sudo: please let an administrator run: apt-get install$missing" >&2
            exit 1
        fi
        as_root='sudo'
    fi
    echo "installing with apt-get:$missing"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get -o DPkg::Lock::Timeout=600 update -q </dev/null
    # shellcheck disable=SC2086 # words on purpose: a list of packages
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -q -y --no-install-recommends $missing </dev/null
fi

# frama-c asks Why3 for its provers, and Why3 knows only those that it has detected. Nobody's own settings change: name the
# same file in WHY3CONFIG, as the Makefile does.
for group in "$@"; do
    if [ "$group" = prove ]; then
        config=${WHY3CONFIG:-build/why3.conf}
        if ! { grep -qi 'name *= *"z3"' "$config" && grep -qi 'name *= *"cvc4"' "$config"; } 2>/dev/null; then
            echo "letting Why3 detect Z3 and CVC4"
            mkdir -p "$(dirname "$config")"
            WHY3CONFIG=$config why3 config detect
        fi
    fi
done
