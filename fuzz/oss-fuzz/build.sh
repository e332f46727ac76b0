#!/bin/bash -eu
# OSS-Fuzz and ClusterFuzzLite build alike.
exec "$SRC/safenpy/.clusterfuzzlite/build.sh"
