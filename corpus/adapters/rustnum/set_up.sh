#!/bin/sh
# Builds the adapter into $BUILD with the versions of Cargo.lock.
set -eu
command -v cargo >/dev/null || { echo "cargo is missing" >&2; exit 1; }
cargo build --release --locked -j1 --target-dir "$BUILD/target"
cp -f "$BUILD/target/release/rustnum-adapter" "$BUILD/rustnum-adapter"
