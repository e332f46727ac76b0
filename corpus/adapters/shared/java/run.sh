#!/bin/sh
# run.sh FOLDER: runs the adapter in FOLDER. Answers go through file descriptor 3, because the JVM itself writes to
# standard output when it dies.
exec java -Xmx768m -XX:+UseSerialGC -XX:ErrorFile=/dev/null -cp "$1/*" NpyAdapter ${2:-} 3>&1 >&2
