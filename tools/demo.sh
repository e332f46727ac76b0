#!/bin/sh
# Judges the sample files, good and hostile, and prints a verdict a line. A hostile file that is refused is
# what the demo is for; it fails if a file cannot be checked, or if the verdict is not that of its directory.
#
#   tools/demo.sh COMMAND LIST      each line of LIST: a path below its directory, a TAB, a comment
set -eu

command=$1
list=$2
tab=$(printf '\t')
status=0
count=0
while IFS="$tab" read -r path comment; do
    case $path in '' | '#'*) continue ;; esac
    [ -e "$path" ] || path=$(dirname "$list")/$path
    result=0
    verdict=$("$command" check -- "$path" 2>&1) || result=$?
    printf '%s\n' "$verdict" | head -n 1
    printf '    %s\n' "$comment"
    case $path:$result in
    */accept/*:0 | */reject/*:1) ;;
    */accept/*:* | */reject/*:*)
        echo '    that is not the verdict that it should get' >&2
        status=1
        ;;
    *) [ "$result" -le 1 ] || status=1 ;;
    esac
    count=$((count + 1))
done <"$list"
if [ "$count" -eq 0 ]; then
    echo "$list names no file" >&2
    exit 1
fi
exit "$status"
