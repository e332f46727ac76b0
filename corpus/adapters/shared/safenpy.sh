#!/bin/sh
# Says what is missing if there is no safenpy command to ask.
if ! "${SAFENPY:-}" --version >/dev/null 2>&1; then
    echo "there is no safenpy command at '${SAFENPY:-}': run make at the top of the repository, or set SAFENPY" >&2
    exit 1
fi
