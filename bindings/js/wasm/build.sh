#!/bin/sh
# Compiles the core to src/safenpy.wasm, which imports nothing. Needs clang and lld (wasm-ld).
#
#   wasm/build.sh
#   WASM_CC=clang-19 wasm/build.sh
#
# CC is not asked: it is the compiler of this machine's programs, perhaps gcc, which has no WebAssembly.
# The memory begins with 1 MiB and never grows beyond 256 MiB: src/core.js refuses what does not fit.
set -eu
cd "$(dirname "$0")/../../.."

${WASM_CC:-clang} --target=wasm32 -std=c11 -Oz -flto -ffreestanding -nostdlib -mbulk-memory -Wall -Wextra -Werror \
    -Iinclude -Isrc -I. -Ibindings/js -Ibindings/js/wasm/include -fvisibility=hidden \
    -Wl,--no-entry -Wl,--export=__heap_base -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=65536 -Wl,--stack-first \
    -Wl,--initial-memory=1048576 -Wl,--max-memory=268435456 \
    -o bindings/js/src/safenpy.wasm bindings/js/wasm/*.c \
    src/host/looks_like.c src/core/*.c src/core/zip/*.c
