#!/bin/sh
# Runs the adapter with these words, compiled anew if the library has changed: it must never be an old library that is tested.
sh set_up.sh >&2 || exit 2
exec "$BUILD/adapter" "$@"
