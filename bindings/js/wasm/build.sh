#!/bin/sh
# Compiles the core to src/safenpy.wasm and the decoder of objects to objects/objects.wasm. They import nothing. Needs clang
# and lld (wasm-ld).
#
#   wasm/build.sh
#   WASM_CC=clang-19 wasm/build.sh
#
# CC is not asked: it is the compiler of this machine's programs, perhaps gcc, which has no WebAssembly.
# The memory of each begins with 1 MiB. That of the core never grows beyond 256 MiB, that of the decoder, which also has the
# pickle, beyond 1 GiB: JavaScript refuses what does not fit.
set -eu
cd "$(dirname "$0")/../../.."

compile() {
    out=$1
    most=$2
    shift 2
    ${WASM_CC:-clang} --target=wasm32 -std=c11 -Oz -flto -ffreestanding -nostdlib -mbulk-memory -Wall -Wextra -Werror \
        -fvisibility=hidden -Wl,--no-entry -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=65536 -Wl,--stack-first \
        -Wl,--initial-memory=1048576 -Wl,--max-memory="$most" -o "bindings/js/$out" \
        -Iinclude -Isrc -I. -Ibindings/js "$@" src/core/*.c
}

compile src/safenpy.wasm 268435456 -Wl,--export=__heap_base -Ibindings/js/wasm/include \
    bindings/js/wasm/*.c src/host/looks_like.c src/core/zip/*.c
compile objects/objects.wasm 1073741824 -Ibindings/js/wasm/objects/include \
    bindings/js/wasm/objects/*.c src/host/object_open.c src/host/object_types.c src/host/object_check.c \
    src/host/object_array.c src/host/object_data.c src/core/object/*.c
