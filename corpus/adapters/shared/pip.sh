#!/bin/sh
# Installs the pinned packages of a requirements file into a directory of their own; quick if they are there.
#
#   sh ../shared/pip.sh DIRECTORY REQUIREMENTS
set -eu

directory=$1
requirements=$2

if cmp -s "$requirements" "$directory/requirements.txt"; then
    exit 0
fi
if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "pip for python3 is missing: apt-get install python3-pip" >&2
    exit 1
fi
new=$directory.$$
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
if ! python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps \
    --only-binary :all: --target "$new" -r "$requirements"; then
    echo "pip could not install for $(python3 --version): $(grep -v '^#' "$requirements" | tr '\n' ' ')" >&2
    exit 1
fi
cp "$requirements" "$new/requirements.txt"
rm -rf "$directory"
mv -T "$new" "$directory"
