#!/bin/sh
# Installs the versions of package-lock.json into $BUILD, and puts the adapter beside them.
set -eu
for program in node npm; do
    command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
mkdir -p "$BUILD/shared"
cp package.json package-lock.json adapter.mjs "$BUILD/"
cp ../shared/js/adapter.mjs "$BUILD/shared/"
cd "$BUILD"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
