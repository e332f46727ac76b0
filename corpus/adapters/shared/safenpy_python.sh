#!/bin/sh
# Installs safenpy for Python from this checkout, and the NumPy that the numpy-2 adapters have; the four ways share both.
#
#   sh ../shared/safenpy_python.sh BINDINGS [FOLDER]...      anew, if a file of one of the folders is newer
set -eu

sh ../shared/pip.sh "$BUILD/../numpy-2.4.6" ../shared/requirements-numpy-2.txt
if [ -d "$BUILD/../safenpy-python" ] && [ -z "$(find "$@" -newer "$BUILD/../safenpy-python" -type f)" ]; then
    exit 0
fi
new=$BUILD/../safenpy-python.$$
trap 'rm -rf "$new"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --target "$new" \
    -Cbuild-dir="$(realpath "$BUILD/..")/safenpy-python.build" "$1"
rm -rf "$BUILD/../safenpy-python"
mv -T "$new" "$BUILD/../safenpy-python"
touch "$BUILD/../safenpy-python"
