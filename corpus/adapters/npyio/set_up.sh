#!/bin/sh
# Builds the adapter into $BUILD with the versions of go.mod and go.sum.
set -eu
command -v go >/dev/null || { echo "go is missing" >&2; exit 1; }
GOFLAGS=-mod=readonly go build -trimpath -p 1 -o "$BUILD/npyio-adapter" .
